"""Matches: what a turn's ending leads to, and the order in which positions between turns are solved.

One package a family; ``contract`` says what every match offers.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from ..games import Game
from ..games import game as default
from ..ground.errors import InputError
from ..play import ALONE, play
from .contract import (
    Across,
    Arrays,
    Listing,
    Match,
    Range,
    Solved,
    Worth,
)
from .costs import Cost

# What answers a question, by its shape: family and objective, then (file, class), the first that has so many seats.
FILES = {
    ("push", "win"): (("push.matches", "Race"), ("push.seats", "Seats")),
    ("push", "points"): (("push.points", "Points"),),
    ("push", "rate"): (("push.points", "Rate"),),
    ("push", "turns"): (("push.matches", "Turns"),),
    ("push", "reach"): (("push.matches", "Reach"),),
    ("one turn", "points"): (("push.points", "Points"),),
    ("one turn", "win"): (("rounds.oneturn", "Win"),),
    ("scarney", "win"): (("scarney.win", "Win"), ("scarney.seats", "Seats")),
    ("scarney", "points"): (("scarney.points", "Points"),),
    ("scarney", "chips"): (("scarney.chips", "Chips"),),
    ("rounds", "win"): (("rounds.tournament", "Win"),),
    ("rounds", "margin"): (("rounds.tournament", "Margin"),),
    ("rounds", "points"): (("rounds.solo", "Points"),),
    ("rounds", "turns"): (("rounds.solo", "Turns"),),
    ("rounds", "reach"): (("rounds.solo", "Reach"),),
    ("showdown", "win"): (("rounds.pot", "Win"),),
    ("showdown", "points"): (("rounds.solo", "Points"),),
    ("hearts", "win"): (("hearts.match", "Win"),),
    ("hearts", "points"): (("hearts.match", "Points"),),
    ("hearts", "turns"): (("hearts.match", "Turns"),),
    ("hearts", "reach"): (("hearts.match", "Reach"),),
    ("touch", "win"): (("touch.board", "Win"), ("touch.seats", "Win")),
    ("touch", "margin"): (("touch.board", "Margin"), ("touch.seats", "Margin")),
    ("touch", "reach"): (("touch.board", "Reach"),),
    ("card", "points"): (("cards.solo", "Points"),),
    ("card", "reach"): (("cards.bytotal", "Reach"),),
    ("card", "win"): (("cards.duel", "Win"),),
    ("ranges", "points"): (("cards.bytotal", "RangePoints"),),
    ("ranges", "reach"): (("cards.bytotal", "Reach"),),
}


def solvers(shape: str, objective: str) -> tuple[tuple[str, str], ...]:
    """File and class of the matches that answer a question of this shape; of a family that brings no equations of its
    own, the one that lists its positions.
    """
    return FILES.get((shape, objective), (("listed", "Alone" if objective in ALONE else "Two"),))


def match(
    what: Game | str,
    objective: str | None = None,
    players: int | None = None,
    *,
    goal: int | None = None,
    turns: int | None = None,
) -> Match[Any]:
    """Return the match that answers this question; InputError names what the game has instead.

    ``what``: a game, or the id of one under its default rules; ``goal`` and ``turns`` are those of ``reach``.
    """
    game = default(what) if isinstance(what, str) else what
    first = game.objectives[0] if players in (None, 1) else None  # several play for the first that several play for
    table = play(game, players, objective=objective or first, goal=goal, turns=turns)
    seats: list[int] = []
    for file, name in solvers(_shape(game), table.objective):  # the second is imported only where the first does not do
        kind: type[Match[Any]] = getattr(import_module(f".{file}", __package__), name)
        if kind.seats[0] <= table.players <= kind.seats[1]:
            return kind(table)
        seats += kind.seats
    fewest, most = min(seats), max(seats)
    solved = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    raise InputError(
        f"{game.id} with the objective {table.objective} is solved for {solved} players: players must be {solved},"
        f" not {table.players}"
    )


def asked(question: Mapping[str, Any]) -> Match[Any]:
    """Return the match of a question as tables and tasks carry it (see ``Table.question``)."""
    one = Game(question["game"], question["rules"])
    return match(one, question["objective"], question["players"], **question["parameters"])


def _shape(game: Game) -> str:
    """The game's family, but for one turn each and for cards whose total is worth points by ranges."""
    if game.family == "card" and game.data.ranges:
        return "ranges"
    return "one turn" if game.family == "push" and game.data.one_turn else game.family


__all__ = [
    "Across",
    "Arrays",
    "Cost",
    "Listing",
    "Match",
    "Range",
    "Solved",
    "Worth",
    "asked",
    "match",
]
