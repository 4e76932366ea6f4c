"""Matches: what a turn's ending leads to, and the order in which positions between turns are solved.

One package a family; ``contract`` says what every match offers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..games import Game
from ..games import game as default
from ..games.families import member
from ..play import ALONE, play, played_for
from ..util.errors import InputError
from .cost_estimates import SolveCost
from .problem import (
    Arrays,
    ArraySpec,
    OddsSensitivity,
    PositionListing,
    Problem,
    SeatValues,
    ValueTable,
)

LISTED = "solvers.enumerated.Alone", "solvers.enumerated.Two"  # of a family that brings no equations of its own


def problem_class_names(game: Game, objective: str) -> tuple[str, ...]:
    """The matches that answer a question of a game, for fewest players first."""
    return game.parts.matches.get(objective, LISTED[:1] if objective in ALONE else LISTED[1:])


def make_problem(
    what: Game | str,
    objective: str | None = None,
    players: int | None = None,
    *,
    goal: int | None = None,
    turns: int | None = None,
) -> Problem[Any]:
    """Return the match that answers this question; InputError names what the game has instead.

    ``what``: a game, or the id of one under its default rules; ``goal`` and ``turns`` are those of ``reach``.
    """
    game = default(what) if isinstance(what, str) else what
    first = game.objectives[0] if players in (None, 1) else None  # several play for the first that several play for
    objective = played_for(game, players, objective or first)
    game.check_objective(objective)  # some are played, but not solved
    names = problem_class_names(game, objective)
    if objective not in ALONE and players is not None and players > 1:
        _check_seats(game, objective, players, names)
    table = play(game, players, objective=objective, goal=goal, turns=turns)
    kinds: Iterator[type[Problem[Any]]] = map(member, names)  # the second is imported only where the first does not do
    return next(kind(table) for kind in kinds if kind.player_range[0] <= table.players <= kind.player_range[1])


def _check_seats(game: Game, objective: str, players: int, names: Sequence[str]) -> None:
    """Refuse more or fewer players than a question is solved for."""
    seats = list[int]()
    for name in names:
        fewest, most = member(name).player_range
        if fewest <= players <= most:
            return
        seats += fewest, most
    fewest, most = min(seats), max(seats)
    solved = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    raise InputError(
        f"{game.id} with the objective {objective} is solved for {solved} players: players must be {solved},"
        f" not {players}"
    )


def problem_from_question(question: Mapping[str, Any]) -> Problem[Any]:
    """Return the match of a question as tables and tasks carry it (see ``Table.question``)."""
    one = Game(question["game"], question["rules"])
    return make_problem(one, question["objective"], question["players"], **question["parameters"])


__all__ = [
    "ArraySpec",
    "Arrays",
    "OddsSensitivity",
    "PositionListing",
    "Problem",
    "SeatValues",
    "SolveCost",
    "ValueTable",
    "make_problem",
    "problem_from_question",
]
