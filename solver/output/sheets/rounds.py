"""The sheet of Battleship: what to do with the crew dice."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

from ...play.choice_kinds import ChoiceKind, CrewChoice
from ...play.playable_game import Choice
from ...play.rounds import RoundsPosition
from ...policies.levels import DEFAULT_LEVEL, at_level
from ...policies.levels.rounds import CrewLimitPolicy, CrewTablePolicy, evaluate
from ...policies.round_policies import check_rounds
from ...solvers import Problem
from ...util.errors import InputError
from ...util.number_format import format_count
from ...util.progress_reporting import ProgressCallback
from . import Sheet, Table, cost_lines, optimality_lines, problem_facts

if TYPE_CHECKING:
    from ...solving.solved_problem import SolvedProblem

CASTS_LEFT = (2, 1)  # casts left at the two decisions of a turn
COUNT_AS_THEY_ARE = "After the third roll, the crew dice count as they are."


def check(problem: Problem[Any], level: int | None) -> None:
    """Raise InputError if the cost of a sheet cannot be computed for a problem."""
    if problem.objective not in ("points", "win"):
        raise InputError(f"a strategy sheet requires the objective points or win, not {problem.objective}")
    check_rounds(problem)


def make(solution: SolvedProblem, progress: ProgressCallback, level: int | None) -> Sheet:
    """Return the sheet of a level, or the full page if `level` is None."""
    problem = solution.problem
    best = at_level(solution.game, level or DEFAULT_LEVEL, problem.objective)
    policy: CrewLimitPolicy | CrewTablePolicy = best.policy
    lines = ["Set aside a 6, then a 5, then a 4, as soon as they show in that order; roll the other dice again."]
    tables: tuple[Table, ...] = ()
    evaluation = evaluate(problem, solution.value_table, policy)
    cost = cost_lines(evaluation, problem)
    if isinstance(policy, CrewTablePolicy):
        lines.append("Once you have 6, 5 and 4, use the table for the crew dice.")
        lines.append(COUNT_AS_THEY_ARE)
        tables = (_crew_table(policy), *((_last_turn_table(policy),) if policy.missing else ()))
    else:
        lines += _threshold_lines(policy)
        cost = (*cost, *optimality_lines(best))
    title = "Battleship: a sheet to play by"
    return Sheet(title, problem_facts(solution, evaluation), tuple(lines), tables, cost)


def _crew_table(policy: CrewTablePolicy) -> Table:
    """Return the table of choices by crew dice and casts left."""
    rows = []
    for high, low in combinations_with_replacement(range(6, 0, -1), 2):
        cells = (_crew_decision(policy.choices_by_roll[casts_left, high, low]) for casts_left in CASTS_LEFT)
        rows.append((f"{high} {low}", *cells))
    return Table("The crew", ("crew dice", "two rolls left", "one roll left"), tuple(rows), dice=(0,))


def _crew_decision(choice: Choice[RoundsPosition]) -> str:
    """Return a choice about the crew dice in the words of the sheet."""
    assert isinstance(choice.data, CrewChoice)
    is_recast_of_both = choice.kind is ChoiceKind.ROLL and choice.data.recast is None
    return "roll both again" if is_recast_of_both else choice.action


def _threshold_lines(policy: CrewLimitPolicy) -> list[str]:
    """Return sentences for a policy of one number, or of one number for each cast."""
    is_by_cast = len(set(policy.least)) > 1
    conditions = [f"with {casts} left " if is_by_cast else "" for casts in ("two rolls", "one roll")]
    if policy.together:
        rules = [
            f"{condition}stop with {format_count(points, 'point')} or more"
            for condition, points in zip(conditions, policy.least, strict=True)
        ]
        otherwise = "with fewer roll both crew dice again."
    else:
        rules = [
            f"{condition}keep each crew die of {face} or more"
            for condition, face in zip(conditions, policy.least, strict=True)
        ]
        otherwise = "roll lower ones again. If you keep both, stop."
    what_to_do = "; ".join(rules if is_by_cast else rules[:1])
    return [f"Once you have 6, 5 and 4, {what_to_do}; {otherwise}", COUNT_AS_THEY_ARE]


def _last_turn_table(policy: CrewTablePolicy) -> Table:
    """Return the table of thresholds for the last turn of a game for two, by the points that its player is behind."""
    rows = [
        (str(points_behind), str(rule.enough), *map(str, rule.least)) for points_behind, rule in policy.missing.items()
    ]
    stop = "stop with" if any(rule.together for rule in policy.missing.values()) else "keep each die of at least"
    return Table(
        "If you roll last of two in the last round or a playoff",
        ("behind by", "stop with", f"two rolls left: {stop}", f"one roll left: {stop}"),
        tuple(rows),
        "7 means: keep no die. If you are ahead, use the row 0; if you are more than 12 points behind, the row 12.",
    )
