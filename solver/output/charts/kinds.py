"""Parts that the charts of all games share: options, kinds, units and the scores of an axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...solvers import Problem
from ...solving.solved_problem import SolvedProblem
from ...util.progress_reporting import ProgressCallback
from . import Chart

MAX_SCORES = 60  # scores along an axis
UNITS = {
    "win": "chance to win",
    "reach": "chance to get there",
    "beat": "chance to end above",
    "points": "points",
    "turns": "turns",
}


class ChartOptions(NamedTuple):
    """Options of a chart besides its kind; see ``make_chart``."""

    dice: object
    vary: str | None
    position: Mapping[str, Any]
    seat: int = 0


class Kind(NamedTuple):
    """A kind of chart.

    Attributes:
        check: raises InputError if a problem has no chart of this kind.
        draw: makes the chart of a solved problem.
    """

    check: Callable[[Problem[Any], ChartOptions], None]
    draw: Callable[[SolvedProblem, ChartOptions, ProgressCallback], Chart]


def value_unit(solution: SolvedProblem) -> str:
    """Return the unit of the values of a solved problem."""
    return UNITS.get(solution.problem.objective, solution.problem.objective)


def axis_scores(scores: list[int]) -> list[int]:
    """Return the scores to draw along an axis: all of them, or ``MAX_SCORES`` that are evenly spaced."""
    if len(scores) <= MAX_SCORES:
        return scores
    return [scores[round(place * (len(scores) - 1) / (MAX_SCORES - 1))] for place in range(MAX_SCORES)]
