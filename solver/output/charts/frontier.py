"""The frontier chart: what strategies lose to optimal play, by how many numbers a player has to remember."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...policies.family_evaluation import plan_family_evaluation
from ...policies.levels import LEVELS, first_equal_level, numbers
from ...policies.registry import parse_rule_policy
from ...solvers import Problem
from ...solving.solved_problem import SolvedProblem
from ...util.errors import InputError
from ...util.progress_reporting import ProgressCallback
from . import Chart
from .kinds import ChartOptions, Kind, value_unit


class StrategyLoss(NamedTuple):
    """A strategy of the frontier: how many numbers a player has to remember, its name, and its loss to optimal play."""

    number_count: int
    name: str
    loss: float


def check_frontier(problem: Problem[Any], options: ChartOptions) -> None:
    """Raise InputError if policies of a problem cannot be evaluated, or the game has no such policy."""
    if problem.playable.games_by_seat:
        raise InputError("the chart frontier requires the same rules for all players; leave out the rules by seat")
    for policy in ("sheet:1", *added_policies(options)):
        plan_family_evaluation(problem, parse_rule_policy(problem.playable, policy))


def added_policies(options: ChartOptions) -> list[str]:
    """Return the policies that the user adds to the chart, from text such as ``hold:300,hold:3=400,2=300``."""
    return re.split(r",(?=[a-z])", options.vary) if options.vary else []


def _draw_frontier(solution: SolvedProblem, options: ChartOptions, progress: ProgressCallback) -> Chart:
    """Draw the sheets, each strategy once, and the added policies."""
    problem = solution.problem
    levels = range(1, len(LEVELS) + 1)
    sheets = [
        f"sheet:{level}" for level in levels if first_equal_level(problem.game, level, problem.objective) == level
    ]
    policies = [*sheets, *added_policies(options)]
    losses = list[StrategyLoss]()
    for number, name in enumerate(policies, 1):
        policy = parse_rule_policy(problem.playable, name)
        number_count = numbers(problem.game, policy) if name in sheets else 1
        loss = plan_family_evaluation(problem, policy).run(solution).loss
        losses.append(StrategyLoss(number_count, name.replace(":", " "), loss))
        progress(number / len(policies))
    return frontier_chart(solution, losses)


def frontier_chart(solution: SolvedProblem, losses: Sequence[StrategyLoss]) -> Chart:
    """Return a chart with one bar for each strategy, those that use the fewest numbers first."""
    rows = sorted(losses, key=lambda strategy: strategy.number_count)
    width = len(str(max(strategy.number_count for strategy in rows)))
    unit = f"{value_unit(solution)}{solution.problem.value_span}"
    return Chart(
        "what strategies lose against best play, by how many numbers they use",
        "bars",
        "strategy",
        f"lost: {unit}",
        unit,
        labels=tuple(f"{strategy.number_count:>{width}} {strategy.name}" for strategy in rows),
        series={"lost": tuple(strategy.loss for strategy in rows)},
    )


FRONTIER = Kind(check_frontier, _draw_frontier)
