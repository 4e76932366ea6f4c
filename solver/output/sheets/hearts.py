"""The odds of Hearts Due, where there is nothing to choose."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...answers.positions import values
from ...games.hearts_due import HeartsRules
from ...policies.levels import PAGE
from ...solvers import Problem
from ...solvers import make_problem as ask
from ...solving.solve import solve_problem
from ...util.number_format import format_percent
from . import NO_CHOICE, NOTHING, Sheet, Table, facts

if TYPE_CHECKING:
    from ...solving.solved_problem import SolvedProblem


def check(match: Problem[Any], level: int | None) -> None:
    """The odds answer every question."""


def make(solution: SolvedProblem, progress: Callable[[float], None], level: int | None) -> Sheet:
    """Return the sheet; the odds from the page on."""
    level = level or PAGE

    lines = ("Throw all six dice; there is nothing to choose.",)
    if level < PAGE:
        return Sheet("Hearts Due: how to play", facts(solution), lines, (), NOTHING)
    rules: HeartsRules = solution.game.data
    total = sum(rules.ways.values()) + rules.wiped
    rows = [(str(points), f"{ways:,}", format_percent(ways / total)) for points, ways in sorted(rules.ways.items())]
    rows.append(("wiped to 0", f"{rules.wiped:,}", format_percent(rules.wiped / total)))
    turns, win = (solve_problem(ask(solution.game, objective)) for objective in ("turns", "win"))
    starts = list(turns.problem.list_positions({}).positions)
    starts = starts[:: max(1, len(starts) // 10)]
    some = [turns.playable.tell(start)["score"] for start in starts]
    grid = []
    for mine in some:
        chances = values(win, [win.playable.read(score=mine, opponents=[theirs]) for theirs in some])
        grid.append((str(mine), *(format_percent(chance).replace(" ", "") for chance in chances.tolist())))
    expected = [(str(score), f"{left:.2f}") for score, left in zip(some, values(turns, starts), strict=True)]
    tables = (
        Table("One throw", ("points", f"of {total:,}", "chance"), tuple(rows)),
        Table(f"Turns to {rules.target}", ("score", "turns"), tuple(expected)),
        Table("You win, before your throw, by your score (rows) and theirs", ("", *map(str, some)), tuple(grid)),
    )
    return Sheet("Hearts Due: the odds", facts(solution), lines, tables, NO_CHOICE)
