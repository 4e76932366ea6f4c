"""What the charts of all games have in common: what is asked, the words beside, and how many lines are drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...solvers import Problem
from ...solving.solved_problem import SolvedProblem
from . import Chart

Progress = Callable[[float], None]

MOST_SIDE = 60  # positions to a side of a map
UNITS = {"win": "chance to win", "reach": "chance to get there", "points": "points", "turns": "turns"}


class Asked(NamedTuple):
    """What is told of a chart beside its kind; see ``make_chart``."""

    dice: int | None
    vary: str | None
    position: Mapping[str, Any]


class Kind(NamedTuple):
    """A kind of chart: what refuses a question that has none, and what draws it."""

    check: Callable[[Problem[Any], Asked], None]
    draw: Callable[[SolvedProblem, Asked, Progress], Chart]


def unit(solution: SolvedProblem) -> str:
    """What its values are."""
    return UNITS.get(solution.problem.objective, solution.problem.objective)


def some(scores: list[int]) -> list[int]:
    """The scores that are drawn: all, or so many at even distances."""
    if len(scores) <= MOST_SIDE:
        return scores
    return [scores[round(place * (len(scores) - 1) / (MOST_SIDE - 1))] for place in range(MOST_SIDE)]
