"""The sheet of Going to Boston and Multiplication: a table of odds, because there is next to nothing to choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...answers.positions import values
from ...games.round_rules import RoundTurn
from ...policies.levels import DEFAULT_LEVEL
from ...solvers import Problem, make_problem
from ...solving.solve import solve_problem
from ...turns.exact_turn import solve_turn_exactly
from ...util.number_format import format_percent
from ...util.progress_reporting import ProgressCallback
from . import NO_CHOICE, NO_CHOICE_NO_ODDS, Sheet, Table, problem_facts

if TYPE_CHECKING:
    from ...solving.solved_problem import SolvedProblem


def check(problem: Problem[Any], level: int | None) -> None:
    """Accept every problem: the odds do not depend on the objective."""


def make(solution: SolvedProblem, progress: ProgressCallback, level: int | None) -> Sheet:
    """Return the sheet; the full page shows the odds."""
    game = solution.game
    rules: RoundTurn = game.data
    facts = problem_facts(solution)
    lines = ("Set aside the highest die of each roll.",)
    no_cost = NO_CHOICE
    if rules.has_choices:
        no_cost = ("Setting aside the highest die is best for every purpose, so this sheet costs nothing.",)
    if level is not None and level < DEFAULT_LEVEL:
        return Sheet(
            f"{game.title}: how to play", facts, lines, (), no_cost if rules.has_choices else NO_CHOICE_NO_ODDS
        )
    win = solve_problem(make_problem(game, "win"))
    return Sheet(f"{game.title}: the odds", facts, lines, (_totals_table(rules, win),), no_cost)


def _totals_table(rules: RoundTurn, win: SolvedProblem) -> Table:
    """Return, for every total, its probability and the probability to beat it."""
    _, probabilities = solve_turn_exactly(rules.turn, range(rules.max_score + 1))
    rows = []
    probability_below = 0.0
    for total in rules.scores:
        probability = float(probabilities.get(total, 0))
        last_of_two = win.playable.position(beat=total, seat=1)
        win_probability = float(values(win, [last_of_two])[0])
        percents = map(format_percent, (probability, 1 - probability_below, win_probability))
        rows.append((str(total), *percents))
        probability_below += probability
    return Table(
        "Totals",
        ("total", "exactly", "at least", "you win against it"),
        tuple(rows),
        "The last column: you are the last of two to play; ties are played again.",
    )
