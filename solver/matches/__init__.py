"""Matches: what a turn's ending leads to, and the order in which positions between turns are solved.

A match is made for a game and an objective and offers five things, which is all that answers rely on:

- ``parameters``: what else the question depends on (``goal``, ``turns``), for the head of every answer;
- ``solve(threads, progress)``: the values at every position between turns, as named arrays, and their error bound;
  ``shapes()`` and ``axes()``: what those arrays look like and which are known, to check a file against;
- ``read(**position)``: a checked position, or an InputError that says what is wrong with it; ``show(position)``: the
  same as JSON;
- ``value(table, position)`` and ``advise(table, position)``: answers from the solved arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from ..advice import Across, Advice, PositionValue
from ..checkpoints import Checkpoint
from ..distribution import Distribution
from ..errors import InputError, nearest
from ..games import Game

# (family, objective) -> (file, class)
FILES = {
    ("push", "win"): ("race", "Race"),
    ("push", "points"): ("solo", "Points"),
    ("push", "turns"): ("solo", "Turns"),
    ("push", "reach"): ("solo", "Reach"),
    ("scarney", "win"): ("frames", "Match"),
    ("scarney", "points"): ("frames", "Points"),
    ("scarney", "chips"): ("chips", "Chips"),
    ("rounds", "win"): ("tournament", "Win"),
    ("rounds", "margin"): ("tournament", "Margin"),
    ("rounds", "points"): ("rounds", "Points"),
    ("rounds", "turns"): ("rounds", "Turns"),
    ("rounds", "reach"): ("rounds", "Reach"),
    ("showdown", "win"): ("pot", "Win"),
    ("showdown", "points"): ("rounds", "Points"),
    ("hearts", "win"): ("hearts", "Win"),
    ("hearts", "points"): ("hearts", "Points"),
    ("hearts", "turns"): ("hearts", "Turns"),
    ("hearts", "reach"): ("hearts", "Reach"),
    ("touch", "win"): ("touch", "Win"),
    ("touch", "margin"): ("touch", "Margin"),
    ("touch", "reach"): ("touch", "Reach"),
    ("card", "points"): ("card", "Points"),
    ("card", "reach"): ("card", "Reach"),
    ("card", "win"): ("duel", "Win"),
}

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Solved:
    """Values at the positions between turns: named arrays, the bound of their error, and extra facts for the head."""

    arrays: Arrays
    error_bound: float


class Match(Protocol):
    """What every match offers; see the package's text."""

    game: Game
    objective: str
    players: int
    parameters: Mapping[str, int]

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every position."""

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""

    def axes(self) -> dict[str, NDArray[Any]]:
        """Return the solved arrays that the question alone decides, such as the scores."""

    def read(self, **position: Any) -> Any:
        """Check a position."""

    def show(self, position: Any) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""

    def value(self, solved: Solved, position: Any) -> PositionValue:
        """Return the value of a position for every seat."""

    def advise(self, solved: Solved, position: Any) -> Advice:
        """Rank every legal choice."""


@runtime_checkable
class OnDemand(Protocol):
    """A match too large to be solved whole when a question is asked: only what can follow the position is."""

    def without_table(self) -> Solved:
        """Return no arrays, and the bound."""

    def solve_from(self, position: Any, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve what can follow a position; InputError where that takes too long and the whole table is needed."""


@runtime_checkable
class Distributed(Protocol):
    """A match that knows the whole distribution of its total."""

    def distribution(
        self, solved: Solved, position: Any, progress: Callable[[float], None] = lambda done: None
    ) -> Distribution:
        """Return the distribution of what is still to come under the best play."""


@runtime_checkable
class Resumable(Protocol):
    """A match whose whole solve takes long enough to be interrupted."""

    resumable: bool

    def solve(self, threads: int, progress: Callable[[float], None], checkpoint: Checkpoint | None = None) -> Solved:
        """Solve every position, going on from the checkpoint's layers."""


@runtime_checkable
class Uncertain(Protocol):
    """A match whose odds may be estimates, with counts behind them."""

    def across(
        self, position: Any, action: str, draws: int, progress: Callable[[float], None] = lambda done: None
    ) -> Across:
        """Say how an action fares over draws of the odds from what the counts leave open."""


@runtime_checkable
class Quick(Protocol):
    """A match that is solved faster than its table would be read: it is not kept in the user's cache."""

    quick: bool


def match(game: Game, objective: str | None = None, players: int | None = None, **parameters: int | None) -> Match:
    """Return the match that answers this question; InputError names what the game has instead.

    ``parameters`` are those of the objective (``reach``: goal, turns); None stands for not given.
    """
    objective = objective or game.objectives[0]
    if objective not in game.objectives:
        raise InputError(f"{game.id} has no objective {objective}{nearest(objective, game.objectives)}")
    file, name = FILES[game.family, objective]
    made: Match = getattr(import_module(f".{file}", __package__), name)(game, players, **parameters)
    return made


def no_parameters(objective: str, parameters: Mapping[str, int | None]) -> None:
    """Refuse parameters where an objective has none."""
    for key, value in parameters.items():
        if value is not None:
            raise InputError(f"the objective {objective} takes no {key}; only reach does")


def lone_player(objective: str, players: int | None) -> None:
    """Refuse opponents where an objective is about one player alone."""
    if players not in (None, 1):
        raise InputError(f"the objective {objective} is about one player alone: players must be 1, not {players}")


def opponents_scores(opponents: Any, players: int) -> list[Any]:
    """Return the opponents' scores as given (all 0 if not), as many as there are opponents."""
    if opponents is None:
        return [0] * (players - 1)
    found = [opponents] if isinstance(opponents, (int, str)) else list(opponents)
    if len(found) != players - 1:
        raise InputError(
            f"{len(found)} of the opponents' scores given, but {players} players are asked about:"
            f" {len(found) + 1} players would have so many"
        )
    return found


__all__ = ["Arrays", "Distributed", "Match", "OnDemand", "Quick", "Resumable", "Solved", "Uncertain", "match"]
