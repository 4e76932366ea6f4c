"""Games in which nothing is to be decided, or where one way is best for every purpose: a sentence is all there is."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from ...games import Game
from ...play.playable_game import Choice, Table
from ...solvers import Problem, ValueTable
from ...solvers import make_problem as ask
from ...util.progress_reporting import ProgressCallback
from ..evaluation import Evaluation
from . import Level


@dataclass(frozen=True)
class First:
    """Makes the choice that stands first: the highest die is set aside."""

    def observation_key(self, start: Any) -> Hashable:
        """Nothing but the turn."""
        return None

    def choose(self, table: Table[Any], position: Any) -> Choice[Any]:
        """What is done in a position in which there is something to choose."""
        return table.choices(position)[0]

    def explain(self, table: Table[Any], position: Any) -> str:
        """The choice."""
        return self.choose(table, position).action


def at_level(game: Game, level: int, objective: str, progress: ProgressCallback) -> Level:
    """The same for every level and objective: with points alone it is the best."""
    match = ask(game, "points")
    value = float(match.seat_values(match.solve(1, progress), [match.playable.start()]).values[0, 0])
    return Level(First(), value, value)


def numbers(policy: First) -> int:
    """There is nothing to remember but one sentence."""
    return 1


def check(match: Problem[Any]) -> None:
    """Every question can be asked."""


def judged(match: Problem[Any], solved: ValueTable, policy: First) -> Evaluation:
    """It loses nothing, wherever its player sits."""
    worth = match.seat_values(solved, [match.playable.start()])
    best = worth.values[0].tolist()
    return Evaluation.of(best, best, float(worth.error_bounds[0]))
