"""Matches: what a turn's ending leads to, and the order in which positions between turns are solved.

One package a family; ``contract`` says what every match offers.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from ..errors import InputError
from ..games import Game
from ..play import play
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

# (family, objective) -> (file, class)
FILES = {
    ("push", "win"): ("push.race", "Race"),
    ("push", "points"): ("push.solo", "Points"),
    ("push", "turns"): ("push.solo", "Turns"),
    ("push", "reach"): ("push.solo", "Reach"),
    ("push, taken over", "win"): ("push.takeover", "Race"),
    ("push, one turn", "win"): ("rounds.oneturn", "Win"),
    ("push, counted", "win"): ("push.counted", "Race"),
    ("push, counted", "points"): ("push.solo", "Points"),
    ("push, counted", "rate"): ("push.solo", "Rate"),
    ("push, counted", "turns"): ("push.counted", "Turns"),
    ("push, counted", "reach"): ("push.counted", "Reach"),
    ("scarney", "win"): ("scarney.win", "Win"),
    ("scarney", "points"): ("scarney.points", "Points"),
    ("scarney", "chips"): ("scarney.chips", "Chips"),
    ("rounds", "win"): ("rounds.tournament", "Win"),
    ("rounds", "margin"): ("rounds.tournament", "Margin"),
    ("rounds", "points"): ("rounds.solo", "Points"),
    ("rounds", "turns"): ("rounds.solo", "Turns"),
    ("rounds", "reach"): ("rounds.solo", "Reach"),
    ("showdown", "win"): ("rounds.pot", "Win"),
    ("showdown", "points"): ("rounds.solo", "Points"),
    ("hearts", "win"): ("hearts.match", "Win"),
    ("hearts", "points"): ("hearts.match", "Points"),
    ("hearts", "turns"): ("hearts.match", "Turns"),
    ("hearts", "reach"): ("hearts.match", "Reach"),
    ("touch", "win"): ("touch.board", "Win"),
    ("touch", "margin"): ("touch.board", "Margin"),
    ("touch", "reach"): ("touch.board", "Reach"),
    ("card", "points"): ("cards.solo", "Points"),
    ("card", "reach"): ("cards.bytotal", "Reach"),
    ("card", "win"): ("cards.duel", "Win"),
    ("card, ranges", "points"): ("cards.bytotal", "RangePoints"),
    ("card, ranges", "reach"): ("cards.bytotal", "Reach"),
}
MORE = {  # beside those, for more players
    ("push", "win"): ("push.seats", "Seats"),
    ("scarney", "win"): ("scarney.seats", "Seats"),
    ("touch", "win"): ("touch.seats", "Win"),
    ("touch", "margin"): ("touch.seats", "Margin"),
}


def match(
    game: Game,
    objective: str | None = None,
    players: int | None = None,
    *,
    goal: int | None = None,
    turns: int | None = None,
) -> Match[Any]:
    """Return the match that answers this question; InputError names what the game has instead.

    ``goal`` and ``turns`` are those of ``reach``.
    """
    table = play(game, players, objective=objective or game.objectives[0], goal=goal, turns=turns)
    asked = (_family(game, table.objective), table.objective)
    seats: list[int] = []
    for where in FILES, MORE:
        if asked in where:  # the second is imported only where the first does not do
            file, name = where[asked]
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


def _family(game: Game, objective: str) -> str:
    """The game's family; push your luck in parts, by what a turn does and whether it may be taken over, and cards by
    what they are played for.
    """
    if game.family == "card":
        return "card, ranges" if game.data.ranges else "card"
    if game.family == "push" and objective == "win" and game.data.finish == "one_turn":
        return "push, one turn"
    if game.family == "push" and objective == "win" and game.data.take_over != "none":
        return "push, taken over"
    return "push, counted" if game.family == "push" and not game.data.climbs else game.family


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
