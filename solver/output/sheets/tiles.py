"""The sheets of Shut the Box: which tiles to shut, and when to roll one die."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...games.shut_the_box import OneDie, TilesRules
from ...policies.levels import DEFAULT_LEVEL, at_level
from ...policies.levels.tiles import TOTALS, TilePolicy, describe_limit, evaluate
from ...policies.levels.tiles import check as check_players
from ...solvers import Problem
from ...util.errors import InputError
from ...util.progress_reporting import ProgressCallback
from . import Sheet, Table, cost_lines, optimality_lines, problem_facts

if TYPE_CHECKING:
    from ...solving.solved_problem import SolvedProblem


def check(problem: Problem[Any], level: int | None) -> None:
    """Raise InputError for more than two players, or if no level is given."""
    check_players(problem)
    if level is None:
        raise InputError("Shut the Box has sheets of four levels; add --sheet 1, 2, 3 or 4")


def make(solution: SolvedProblem, progress: ProgressCallback, level: int | None) -> Sheet:
    """Return the sheet that leaves the fewest points."""
    problem = solution.problem
    best = at_level(solution.game, level or DEFAULT_LEVEL, "points")
    policy: TilePolicy = best.policy
    tables = list[Table]()
    if not policy.instruction:
        tables.append(_order_table(policy))
    if policy.but:
        tables.append(_exceptions_table(policy))
    evaluation = evaluate(problem, solution.value_table, policy)
    cost = (*cost_lines(evaluation, problem), *optimality_lines(best))
    title = "Shut the Box: a sheet to play by"
    return Sheet(title, problem_facts(solution, evaluation), _lines(problem, policy), tuple(tables), cost)


def _numbers(tiles: Iterable[int]) -> str:
    """Return tiles as text."""
    return " ".join(map(str, tiles))


def _order_table(policy: TilePolicy) -> Table:
    """Return the sets of tiles to try, in their order, by total."""
    rows = [(str(total), " / ".join(map(_numbers, policy.order[total]))) for total in TOTALS if policy.order[total]]
    return Table(
        "What to shut, by total: the first set in the row whose tiles are all up", ("total", "shut"), tuple(rows)
    )


def _exceptions_table(policy: TilePolicy) -> Table:
    """Return the sets of tiles that are shut against the order, by standing tiles and total."""
    rows = [(_numbers(standing), str(total), _numbers(tiles)) for (standing, total), tiles in policy.but.items()]
    return Table("But with these tiles standing", ("tiles", "total", "shut"), tuple(sorted(rows)))


def _lines(problem: Problem[Any], policy: TilePolicy) -> tuple[str, ...]:
    """Return sentences on which tiles to shut and how many dice to throw."""
    if isinstance(policy.instruction, tuple):
        prices = ", ".join(map(str, policy.instruction))
        shut = (
            f"Every tile has a price; for the tiles 1 to {len(policy.instruction)} the prices are {prices}. Shut the"
            " tiles with the lowest sum of prices; of several such ways, the one with the fewest tiles, then the one"
            " with the highest tile."
        )
    else:
        shut = f"Shut {policy.instruction}." if policy.instruction else "Shut the tiles shown below."
    rules: TilesRules = problem.game.data
    if rules.one_die is OneDie.NEVER:
        return (shut,)
    if not policy.one_die:
        return (shut, "Always roll two dice.")
    return (shut, f"Roll one die, if you may, with {describe_limit(policy.one_die, rules)}.")
