"""Sheets: one page to play by, and exactly what playing by it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

from ...games.families import loaded
from ...games.touch_odds import label
from ...policies.levels import Level, same_as
from ...policies.levels import checked_level as checked_level
from ...solvers.cost_estimates import SolveCost
from ...util.errors import InputError
from ...util.number_format import format_bound, format_loss, format_value

if TYPE_CHECKING:
    from ...policies.evaluation import Evaluation
    from ...solvers import Problem
    from ...solving.solved_problem import SolvedProblem


class Loss(Protocol):
    """What playing by a sheet costs, and how far that may be off."""

    @property
    def loss(self) -> float:
        """What it costs."""

    @property
    def error_bound(self) -> float:
        """How far that may be off."""


@dataclass(frozen=True)
class Table:
    """A table of a sheet: a heading, the columns' names, and rows of text; ``note`` stands below.

    ``dice``: the columns whose cells are dice; ``shades``: for a table that is a picture too, how dark each cell is,
    from 0 to 1 (the first column has none).
    """

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    shades: tuple[tuple[float, ...], ...] = ()
    dice: tuple[int, ...] = ()


@dataclass(frozen=True)
class Sheet:
    """A page: what it is for, how to play in words, tables, and what playing by it costs."""

    title: str
    facts: tuple[str, ...]
    lines: tuple[str, ...]
    tables: tuple[Table, ...]
    cost: tuple[str, ...]


PROVED = 2.0**-40  # in parts of what is brought: rounding

NO_CHOICE = ("There is nothing to choose in this game, so a sheet costs nothing; these are the odds.",)
NOTHING = ("There is nothing to choose in this game, so a sheet costs nothing.",)


def make_sheet(
    solution: SolvedProblem, progress: Callable[[float], None] = lambda done: None, level: int | None = None
) -> Sheet:
    """Return the sheet of a solved question; ``level``: how much it tells (``policies.levels``); if
    nothing is said, the page of what brings the most points.

    Raises:
        InputError: a question that has no sheet; the message says which has.
    """
    check_sheet(solution.problem, level)
    made: Sheet = _file(solution.problem).make(solution, progress, level)
    brief = same_as(solution.game, level, solution.problem.objective) if level else level
    if brief != level:
        made = replace(made, cost=(*made.cost, f"Sheet {brief} says as much: it is the same strategy."))
    return made


def sheet_cost(match: Problem[Any]) -> SolveCost:
    """Say roughly what pricing a sheet takes; InputError for a question that has no sheet."""
    check_sheet(match)
    cost = getattr(_file(match), "pricing", None)  # of a family whose sheets can take long
    found: SolveCost = cost(match) if cost else SolveCost(0.0, 0.0)
    return found


def check_sheet(match: Problem[Any], level: int | None = None) -> None:
    """Raise InputError for a question that has no sheet, before it is solved."""
    if level is not None:
        checked_level(level)
    _file(match).check(match, level)


def _file(match: Problem[Any]) -> ModuleType:
    if not match.game.parts.sheet:
        raise InputError(f"{match.game.title} has no sheet")
    return loaded(match.game.parts.sheet)


def facts(solution: SolvedProblem, lost: Loss | None = None) -> tuple[str, ...]:
    """What a sheet is for, rules and objective, and in full what playing by it costs."""
    rules = [
        f"{option.key}={str(value).lower()}"
        for option in solution.game.options
        if (value := solution.game.rules[option.key]) != option.default
    ]
    players = f", {solution.problem.players} players" if solution.problem.players > 1 else ""
    text = f"Objective: {solution.problem.objective}{players}. Rules: {', '.join(rules) or 'default'}."
    known = solution.game.rules.get("odds")
    if known is not None:
        text += f" Odds: {label(known['name'])}."
    bound = format_bound(solution.error_bound)
    costs = f" The sheet costs exactly {lost.loss!r}, within {format_bound(lost.error_bound)}." if lost else ""
    return (text, f"Table {solution.fingerprint}, {solution.engine}; every value within {bound}.{costs}")


def costs(
    found: Evaluation, objective: str, *, by: str = "this sheet", each: str = "", proviso: str = ""
) -> tuple[str, ...]:
    """What playing by a sheet brings and costs; ``each``: what the value is of, ``proviso``: what that takes."""
    line = (
        f"Playing by {by}: {format_value(found.value, objective)}{each};"
        f" perfectly: {format_value(found.optimal, objective)}."
        f" The sheet costs {format_loss(found.loss, objective)}{proviso}."
    )
    if not found.second:
        return (line,)
    mine, best = found.second
    return (line, f"Moving second: {format_value(mine, objective)}; perfectly {format_value(best, objective)}.")


def proof(found: Level) -> tuple[str, ...]:
    """That no other strategy of the level's form brings more where it was found, or what it was found for instead."""
    if found.most is None:
        return (found.note,) if found.note else ()
    more = found.most - found.value
    by = "" if more <= PROVED * abs(found.most) else f" by more than {format_bound(more)}"
    return (f"No other sheet of this form is better for {found.of}{by}.",)
