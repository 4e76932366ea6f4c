"""The sheet of a Scarney frame: from how many points to stop, by live dice, and when to double down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...games.scarney import DICE
from ...policies.levels import DEFAULT_LEVEL, at_level
from ...policies.levels.scarney import evaluate
from ...solvers import Problem
from ...solvers.scarney.points import ScarneyPointsProblem
from ...solvers.scarney.problem import ScarneyProblem
from ...solvers.scarney.win import ScarneyWinProblem
from ...util.errors import InputError
from ...util.progress_reporting import ProgressCallback
from . import Sheet, Table, cost_lines, optimality_lines, problem_facts

if TYPE_CHECKING:
    from ...solving.solved_problem import SolvedProblem


def check(problem: Problem[Any], level: int | None) -> None:
    """Raise InputError unless the objective is points; with a level, win is allowed too."""
    is_win_level = level is not None and isinstance(problem, ScarneyWinProblem)
    if not isinstance(problem, ScarneyPointsProblem) and not is_win_level:
        raise InputError(
            f"Scarney has a strategy sheet for points, not for {problem.objective}; use --objective points"
        )


def make(solution: SolvedProblem, progress: ProgressCallback, level: int | None) -> Sheet:
    """Return the sheet of a level; without a level, the full page for the most points in a frame."""
    level_number = level or DEFAULT_LEVEL
    problem = solution.problem
    assert isinstance(problem, ScarneyProblem)
    best = at_level(solution.game, level_number, problem.objective)
    policy = best.policy
    live_counts = range(DICE, 0, -1)
    limits = {live: policy.by_live[live - 1] for live in live_counts}
    lines = [
        f"Holding points: stop{_stop_rule(limits, level_number)}; with fewer, hit with the live dice.",
        _first_throw([live for live in live_counts if problem.rules.can_double and policy.double[live - 1]]),
    ]
    if level_number > 2 and policy.chases:
        lines.append("Shooting last of two in the last frame or an extra one: hit until you are ahead, then stop.")
    tables = (_limits_table(limits),) if level_number >= DEFAULT_LEVEL else ()
    evaluation = evaluate(problem, solution.value_table, policy)
    is_for_points = problem.objective == "points"
    cost = [*cost_lines(evaluation, problem)]
    if level_number < DEFAULT_LEVEL:
        cost += optimality_lines(best)
    if is_for_points:
        cost.append(
            "In a match the lead matters too: stop sooner when ahead, later when behind;"
            " keepwise advise scarney shows by how much."
        )
    title = "Straight Scarney: a sheet to play by"
    return Sheet(title, problem_facts(solution, evaluation), tuple(lines), tables, tuple(cost))


def _stop_rule(limits: dict[int, int], level: int) -> str:
    """Return the words for the points from which to stop, given by live dice."""
    if level == 1:
        return f" from {limits[DICE]} on"
    if level == 2:
        first, *others = (f"{limit} with {live}" for live, limit in limits.items())
        return f" with at least {', '.join((f'{first} live dice', *others))}"
    return " from the points shown below"


def _first_throw(doubling: list[int]) -> str:
    """Return a sentence on the throw without points, given the numbers of live dice with which to double down."""
    if not doubling:
        return "Holding nothing: roll without doubling down."
    if len(doubling) == DICE:
        return "Holding nothing: double down."
    live_dice = ", ".join(map(str, doubling))
    return f"Holding nothing: double down with live dice {live_dice}; otherwise roll without doubling down."


def _limits_table(limits: dict[int, int]) -> Table:
    """Return the limits by live dice, with the probability that a roll shows a dead die."""
    rows = [
        (str(live), str(limit), f"{100 * (3**live - 2**live) / 3**live:.1f}%")  # 2 of 6 faces are dead
        for live, limit in limits.items()
    ]
    return Table("By live dice", ("live dice", "stop from", "a roll shows a dead die"), tuple(rows))
