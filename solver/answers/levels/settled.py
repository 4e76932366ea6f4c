"""Games in which nothing is to be decided, or where one way is best for every purpose: a sentence is all there is."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from ...games import Game
from ...play.table import Choice, Table
from ...solvers import Match, Solved
from ...solvers import match as ask
from ...util.progress_reporting import Told
from ..evaluated import Evaluation
from . import Level


@dataclass(frozen=True)
class First:
    """Makes the choice that stands first: the highest die is set aside."""

    def sees(self, start: Any) -> Hashable:
        """Nothing but the turn."""
        return None

    def choose(self, table: Table[Any], position: Any) -> Choice[Any]:
        """What is done in a position in which there is something to choose."""
        return table.choices(position)[0]

    def says(self, table: Table[Any], position: Any) -> str:
        """The choice."""
        return self.choose(table, position).action


def at_level(game: Game, level: int, objective: str, progress: Told) -> Level:
    """The same for every level and objective: with points alone it is the best."""
    match = ask(game, "points")
    value = float(match.worth(match.solve(1, progress), [match.table.start()]).by_seat[0, 0])
    return Level(First(), value, value)


def numbers(policy: First) -> int:
    """There is nothing to remember but one sentence."""
    return 1


def check(match: Match[Any]) -> None:
    """Every question can be asked."""


def judged(match: Match[Any], solved: Solved, policy: First) -> Evaluation:
    """It loses nothing, wherever its player sits."""
    worth = match.worth(solved, [match.table.start()])
    best = worth.by_seat[0].tolist()
    return Evaluation.of(best, best, float(worth.error_bound[0]))
