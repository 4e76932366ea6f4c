"""Strategy sheets: one page of rules and tables to play by, and the exact cost of playing by it.

Start with ``make_sheet``. It loads the module of the game's family (``push``, ``cards``, ``rounds``, ...), which has

* ``check(problem, level)``, which raises InputError if the problem has no sheet of this level,
* ``make(solution, progress, level)``, which returns the ``Sheet``,
* optionally ``pricing(problem)``, which estimates how long the exact cost takes to compute.

``render`` writes a sheet as text, Markdown, HTML, LaTeX or PDF.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

from ...games.dice_keys import HAND_KEY
from ...games.families import load_module
from ...games.rule_options import format_rule
from ...games.ruleset import Rules
from ...games.seat_rules import format_rule as format_seat_rule
from ...games.seat_rules import format_seat_rules
from ...games.touch_odds import label
from ...policies.levels import Level, first_equal_level
from ...policies.levels import parse_level as parse_level
from ...solvers.solve_costs import SolveCost
from ...util.errors import InputError
from ...util.number_format import format_bound, format_full_loss, format_loss, format_value
from ...util.progress_reporting import ProgressCallback

if TYPE_CHECKING:
    from ...games import Game
    from ...policies.evaluation import Evaluation
    from ...solvers import Problem
    from ...solving.solved_problem import SolvedProblem


class Loss(Protocol):
    """The cost of playing by a sheet, with an error bound."""

    @property
    def loss(self) -> float:
        """Value of optimal play minus value of the sheet's strategy."""

    @property
    def error_bound(self) -> float:
        """Largest possible error of ``loss``."""


@dataclass(frozen=True)
class Table:
    """A table of a sheet, as text.

    Attributes:
        heading: the title above the table.
        columns: the names of the columns.
        rows: the cells, one tuple per row.
        note: a sentence below the table, or "".
        shades: how dark each cell is, from 0 to 1, without the first column; empty for a plain table.
        dice: the columns whose cells are dice.
    """

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    shades: tuple[tuple[float, ...], ...] = ()
    dice: tuple[int, ...] = ()


@dataclass(frozen=True)
class Sheet:
    """A printable strategy.

    Attributes:
        title: the heading of the page.
        facts: the objective with the rules, printed first; the value table with the exact cost, printed last.
        lines: instructions in words.
        tables: the numbers that the instructions refer to.
        cost: what the strategy brings and what it loses to optimal play.
    """

    title: str
    facts: tuple[str, str]
    lines: tuple[str, ...]
    tables: tuple[Table, ...]
    cost: tuple[str, ...]


OPTIMALITY_TOLERANCE = 2.0**-40  # relative: a smaller difference from the upper bound is rounding

NO_CHOICE = ("There is nothing to choose in this game, so a sheet costs nothing; these are the odds.",)
NO_CHOICE_NO_ODDS = ("There is nothing to choose in this game, so a sheet costs nothing.",)


def make_sheet(
    solution: SolvedProblem, progress: ProgressCallback = lambda share: None, level: int | None = None
) -> Sheet:
    """Return the strategy sheet of a solved problem.

    Args:
        solution: the solved problem.
        progress: called with the fraction of the work that is done.
        level: the level of the strategy, from 1 (shortest) to 4. None: the full page that brings the most points.

    Raises:
        InputError: the problem has no sheet; the message says which problems have one.
    """
    return plan_sheet(solution.problem, level).run(solution, progress)


@dataclass(frozen=True)
class SheetPlan:
    """A sheet that has been found possible.

    Attributes:
        problem: the problem.
        level: the level of the strategy; None for the full page.
    """

    problem: Problem[Any]
    level: int | None

    def run(self, solution: SolvedProblem, progress: ProgressCallback = lambda share: None) -> Sheet:
        """Return the sheet, once the problem is solved; raise InputError for the solution of another problem."""
        solution.check_solves(self.problem)
        level = self.level
        sheet: Sheet = _family_module(solution.problem).make(solution, progress, level)
        shortest_equal = first_equal_level(solution.game, level, solution.problem.objective) if level else level
        if shortest_equal != level:
            remark = f"Sheet {shortest_equal} is the same strategy."
            sheet = replace(sheet, cost=(*sheet.cost, remark))
        return sheet


def estimate_sheet_cost(problem: Problem[Any]) -> SolveCost:
    """Estimate the time and memory needed to compute the cost of a sheet.

    Raises:
        InputError: the problem has no sheet.
    """
    plan_sheet(problem)
    estimate = getattr(_family_module(problem), "pricing", None)
    cost: SolveCost = estimate(problem) if estimate else SolveCost(bytes=0.0, seconds=0.0)
    return cost


def plan_sheet(problem: Problem[Any], level: int | None = None) -> SheetPlan:
    """Return the sheet of a level, to be made once the problem is solved; for the errors see ``make_sheet``."""
    if level is not None:
        parse_level(level)
    _family_module(problem).check(problem, level)
    return SheetPlan(problem, level)


def _family_module(problem: Problem[Any]) -> ModuleType:
    """Return the module that makes the sheets of the game's family."""
    if problem.game.seat_games:
        raise InputError(
            "a strategy sheet requires the same rules for all players, and here each seat has its own; leave out the"
            " rules by seat, or give all players one hand"
        )
    if not problem.game.parts.sheet:
        raise InputError(f"{problem.game.title}{problem.game.parts.title_suffix} has no strategy sheet")
    return load_module(problem.game.parts.sheet)


def problem_facts(solution: SolvedProblem, cost: Loss | None = None) -> tuple[str, str]:
    """Return the objective with the changed rules, and the value table with, if given, the exact cost."""
    game, problem = solution.game, solution.problem
    changed_rules = [format_rule(key, value) for key, value in game.changed_rules().items()]
    players = f", {problem.players} players" if problem.players > 1 else ""
    objective = f"Objective: {problem.objective}{players}. Rules: {', '.join(changed_rules) or 'default'}."
    objective += "".join(f" {dice[0].upper()}{dice[1:]}." for dice in describe_seats(game))
    odds = game.rules.get("odds")
    if odds is not None:
        objective += f" Odds: {label(odds['name'])}."
    bound = format_bound(solution.error_bound)
    exact_cost = ""
    if cost:
        loss = format_full_loss(cost.loss, problem.objective)
        exact_cost = f" In full, the sheet costs {loss}, within {format_bound(cost.error_bound)}."
    table = f"Table {solution.fingerprint}, {solution.engine}; every value within {bound}.{exact_cost}"
    return (objective, table)


def describe_seats(game: Game) -> list[str]:
    """Return the hand of all players, and the rules of each seat: ``hand lucky*6``, ``seat 2: hand=ordinary*6``."""
    rules: Mapping[str, Any] = Rules(game.rules).plain()
    hand = [f"hand {format_seat_rule(HAND_KEY, rules[HAND_KEY])}"] if HAND_KEY in rules else []
    return [*hand, *format_seat_rules(rules)]


def cost_lines(
    evaluation: Evaluation, problem: Problem[Any], *, strategy: str = "this sheet", proviso: str = ""
) -> tuple[str, ...]:
    """Return sentences with the value of a strategy, the value of optimal play and the difference.

    Args:
        evaluation: the values, as computed by ``policies.evaluation``.
        problem: the problem, which decides how values are formatted.
        strategy: the words for the strategy.
        proviso: an assumption under which the cost holds, such as ", if ...".
    """
    objective, span = problem.objective, problem.value_span_at(problem.playable.start())
    place = ", moving first" if evaluation.second else ""
    line = (
        f"Playing by {strategy}{place}: {format_value(evaluation.value, objective)}{span};"
        f" perfectly: {format_value(evaluation.optimal, objective)}."
        f" The sheet costs {format_loss(evaluation.loss, objective)}{proviso}."
    )
    if not evaluation.second:
        return (line,)
    value, optimal = evaluation.second
    return (line, f"Moving second: {format_value(value, objective)}; perfectly: {format_value(optimal, objective)}.")


def optimality_lines(level: Level) -> tuple[str, ...]:
    """Return a sentence on how far a sheet is from the best of its form, or what it was chosen for."""
    if level.upper_bound is None:
        return (level.note,) if level.note else ()
    improvement = level.upper_bound - level.value
    is_rounding = improvement <= OPTIMALITY_TOLERANCE * abs(level.upper_bound)
    amount = "" if is_rounding else f" by more than {format_bound(improvement)}"
    return (f"No other sheet of this form is better for {level.objective_words}{amount}.",)
