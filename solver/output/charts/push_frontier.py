"""The frontier chart of push-your-luck games: limits, exceptions for keeping dice, and numbers of dice to roll."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...games.push_rules import PushRules
from ...policies.levels.push import frontier
from ...policies.push_evaluation import evaluate_limits
from ...policies.push_policies import DiceCountPolicy, LimitPolicy, ScoreBandPolicy, parse_limit_policy
from ...solvers.push.points import PushPointsProblem
from ...solvers.push.problem import PushProblem
from ...solving.solved_problem import SolvedProblem
from ...util.number_format import format_count
from ...util.progress_reporting import ProgressCallback
from ..sheets.push import kept_set_rows
from . import Chart
from .frontier import StrategyLoss, added_policies, check_frontier, frontier_chart
from .kinds import ChartOptions, Kind

Policy = LimitPolicy | DiceCountPolicy | ScoreBandPolicy


class NamedStrategy(NamedTuple):
    """A strategy of the frontier, with how many numbers a player has to remember."""

    number_count: int
    name: str
    policy: Policy


def _draw_frontier(solution: SolvedProblem, options: ChartOptions, progress: ProgressCallback) -> Chart:
    """Draw what each strategy loses; with the objective points, once the opening is done."""
    problem = solution.problem
    assert isinstance(problem, PushProblem)
    strategies = [*_named_strategies(problem.rules, frontier(solution.game, problem.objective))]
    for name in added_policies(options):
        policy = parse_limit_policy(problem.rules, name)
        number_count = len(set(policy.by_dice.values())) if isinstance(policy, LimitPolicy) else 1
        strategies.append(NamedStrategy(number_count, name, policy))
    is_for_points = isinstance(problem, PushPointsProblem)
    score = problem.listed_scores()[-1] * problem.rules.grain if is_for_points else None
    losses = []
    for number, strategy in enumerate(strategies, 1):
        loss = evaluate_limits(problem, solution.value_table, strategy.policy, score).loss
        losses.append(StrategyLoss(strategy.number_count, strategy.name, loss))
        progress(number / len(strategies))
    return frontier_chart(solution, losses)


def _named_strategies(rules: PushRules, policies: Iterator[tuple[int, Policy]]) -> Iterator[NamedStrategy]:
    """Yield strategies, each named by its difference to the one before."""
    named_rows: set[tuple[str, ...]] = set()
    for number_count, policy in policies:
        if isinstance(policy, ScoreBandPolicy):
            name = (
                "and numbers that depend on both scores"
                if len(policy.others) > 1
                else "and numbers that depend on your score"
            )
        elif isinstance(policy, DiceCountPolicy):
            name = f"roll {policy.dice} dice"
        else:
            new_rows = [row for row in kept_set_rows(rules, policy) if row not in named_rows]
            named_rows.update(new_rows)
            name = _hold_name(rules, policy, number_count, new_rows)
        yield NamedStrategy(number_count, name, policy)


def _hold_name(rules: PushRules, policy: LimitPolicy, number_count: int, new_rows: list[tuple[str, ...]]) -> str:
    """Return the name of a limit policy, given the rolls of which it newly keeps less than the most points."""
    if policy.worths:
        return "set aside by the worth of the dice left"
    if number_count == 1:
        return f"{_limit_word(rules)} {max(policy.by_dice.values()):,}"
    if not new_rows:
        return "set aside by dice rolled" if rules.never_stops else "bank by dice left"
    if len(new_rows) > 1:
        return f"and keep less in {len(new_rows)} kinds of rolls"
    dice, roll, dice_to_keep, _ = new_rows[0]
    return f"and with {dice if rules.kinds else format_count(int(dice), 'die')}, {roll}: keep {dice_to_keep}"


def _limit_word(rules: PushRules) -> str:
    """Return the words before the number of a strategy of one number."""
    if not rules.never_stops:
        return "bank from"
    return "set aside from" if rules.best == "highest" else "set aside up to"


FRONTIER = Kind(check_frontier, _draw_frontier)
