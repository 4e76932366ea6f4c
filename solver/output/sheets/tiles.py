"""The sheets of Shut the Box: what to shut, and when to throw one die."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...policies.levels import PAGE, at_level
from ...policies.levels.tiles import TOTALS, Shuts, judged
from ...policies.levels.tiles import check as check_players
from ...solvers import Problem
from ...util.errors import InputError
from ...util.number_format import format_count
from . import Sheet, Table, costs, facts, proof

if TYPE_CHECKING:
    from ...solving.solved_problem import SolvedProblem


def check(match: Problem[Any], level: int | None) -> None:
    """Refuse more than two, and a sheet of no level."""
    check_players(match)
    if level is None:
        raise InputError("Shut the Box has sheets of four levels: say which, --sheet 1 to 4")


def make(solution: SolvedProblem, progress: Callable[[float], None], level: int | None) -> Sheet:
    """Return the sheet, of what leaves the fewest points."""
    level = level or PAGE
    match = solution.problem
    found = at_level(solution.game, level, "points")
    policy: Shuts = found.policy
    lines, tables = _in_words(match, policy), tuple[Table, ...]()
    if not policy.told:
        rows = [
            (str(total), " / ".join(" ".join(map(str, some)) for some in policy.order[total]))
            for total in TOTALS
            if policy.order[total]
        ]
        tables = (Table("What to shut, by total: the first that stands", ("total", "shut"), tuple(rows)),)
    if policy.but:
        standing = [
            (" ".join(map(str, up)), str(total), " ".join(map(str, some))) for (up, total), some in policy.but.items()
        ]
        tables += (Table("But with these tiles standing", ("tiles", "total", "shut"), tuple(sorted(standing))),)
    lost = judged(match, solution.value_table, policy)
    told = (*costs(lost, match.objective), *proof(found))
    return Sheet("Shut the Box: a sheet to play by", facts(solution, lost), lines, tables, told)


def _in_words(match: Problem[Any], policy: Shuts) -> tuple[str, ...]:
    """Which of the ways is taken, and how many dice are thrown."""
    if isinstance(policy.told, tuple):
        numbers = ", ".join(f"{tile}: {worth}" for tile, worth in enumerate(policy.told, 1))
        shut = (
            f"Shut the tiles whose numbers add up to least; by tile {numbers}. Of these ways, shut the fewest tiles, "
        )
        shut += "and of these the highest."
    else:
        shut = f"Shut {policy.told}." if policy.told else "Shut what is told below."
    if not match.game.data.one_die:
        return (shut,)
    if not policy.one_die:
        return (shut, "Throw two dice, always.")
    return (shut, f"Throw one die, if you may, with {format_count(policy.one_die, 'point')} standing or fewer.")
