"""The odds of Going to Boston and Multiplication, where there is nothing to choose."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...answers.positions import values
from ...games.round_rules import RoundTurn
from ...policies.levels import PAGE
from ...solvers import Problem
from ...solvers import make_problem as ask
from ...solving.solve import solve_problem
from ...turns.exact_turn import solve_turn_exactly
from ...util.number_format import format_percent
from . import NO_CHOICE, NOTHING, Sheet, Table, facts

if TYPE_CHECKING:
    from ...solving.solved_problem import SolvedProblem


def check(match: Problem[Any], level: int | None) -> None:
    """The odds answer every question."""


def make(solution: SolvedProblem, progress: Callable[[float], None], level: int | None) -> Sheet:
    """Return the sheet; the odds from the page on."""
    level = level or PAGE

    rules: RoundTurn = solution.game.data
    lines = ("Set aside the highest die of each throw.",)
    note = NO_CHOICE
    if rules.decides:
        note = ("Setting aside the highest die is best for every purpose, so this sheet costs nothing.",)
    if level < PAGE:
        return Sheet(
            f"{solution.game.title}: how to play", facts(solution), lines, (), note if rules.decides else NOTHING
        )
    _, chances = solve_turn_exactly(rules.turn, range(rules.most + 1))
    win = solve_problem(ask(solution.game, "win"))
    rows, below = [], 0.0
    for total in rules.scores:
        chance = float(chances.get(total, 0))
        against = float(values(win, [win.playable.read(beat=total, seat=1)])[0])
        rows.append((str(total), format_percent(chance), format_percent(1 - below), format_percent(against)))
        below += chance
    table = Table(
        "Totals",
        ("total", "exactly", "at least", "you win against it"),
        tuple(rows),
        "The last column: you are the last of two to play; ties are played again.",
    )
    return Sheet(f"{solution.game.title}: the odds", facts(solution), lines, (table,), note)
