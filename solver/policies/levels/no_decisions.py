"""Levels of games without decisions, or with one choice that is best for every objective: one sentence says it all."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from ...games import Game
from ...play.playable_game import Choice, PlayableGame
from ...solvers import Problem, ValueTable
from ...solvers import make_problem as ask
from ...util.progress_reporting import ProgressCallback
from ..evaluation import Evaluation
from . import Level


@dataclass(frozen=True)
class FirstChoicePolicy:
    """Always make the first choice, which sets aside the highest die."""

    def observation_key(self, start: Any) -> Hashable:
        """Return None, because the policy observes nothing but the turn."""
        return None

    def choose(self, playable: PlayableGame[Any], position: Any) -> Choice[Any]:
        """Return the first choice."""
        return playable.choices(position)[0]

    def explain(self, playable: PlayableGame[Any], position: Any) -> str:
        """Return the choice in words."""
        return self.choose(playable, position).action


def at_level(game: Game, level: int, objective: str, progress: ProgressCallback) -> Level:
    """Return the same strategy for every level and objective; it is optimal for points."""
    problem = ask(game, "points")
    value = float(problem.seat_values(problem.solve(1, progress), [problem.playable.start()]).values[0, 0])
    return Level(FirstChoicePolicy(), value, value)


def numbers(policy: FirstChoicePolicy) -> int:
    """Return 1: there is one sentence to remember."""
    return 1


def check(problem: Problem[Any]) -> None:
    """Accept every problem."""


def evaluate(problem: Problem[Any], value_table: ValueTable, policy: FirstChoicePolicy) -> Evaluation:
    """Return the evaluation of an optimal policy: it loses nothing in any seat."""
    answer = problem.seat_values(value_table, [problem.playable.start()])
    optima = answer.values[0].tolist()
    return Evaluation.from_values(optima, optima, float(answer.error_bounds[0]))
