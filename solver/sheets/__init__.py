"""Sheets: one page to play by, and exactly what playing by it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from ..errors import InputError

if TYPE_CHECKING:
    from ..solution import Solution


@dataclass(frozen=True)
class Table:
    """A table of a sheet: a heading, the columns' names, and rows of text; ``note`` stands below.

    ``shades``: for a table that is a picture too, how dark each cell is, from 0 to 1 (the first column has none).
    """

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    shades: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True)
class Sheet:
    """A page: what it is for, how to play in words, tables, and what playing by it costs."""

    title: str
    facts: tuple[str, ...]
    lines: tuple[str, ...]
    tables: tuple[Table, ...]
    cost: tuple[str, ...]


# family -> the file that makes its sheet
FILES = {
    "push": "push",
    "scarney": "scarney",
    "rounds": "rounds",
    "showdown": "rounds",
    "hearts": "rounds",
    "card": "cards",
    "touch": "touch",
}


def make_sheet(solution: Solution, progress: Callable[[float], None] = lambda done: None) -> Sheet:
    """Return the sheet of a solved question.

    Raises:
        InputError: a question that has no sheet; the message says which has.
    """
    family = solution.game.family
    if family not in FILES:
        raise InputError(f"{solution.game.id} has no sheet")
    made: Sheet = import_module(f".{FILES[family]}", __package__).make(solution, progress)
    return made


def facts(solution: Solution) -> tuple[str, ...]:
    """What a sheet is for: rules and objective."""
    rules = [
        f"{option.key}={str(value).lower()}"
        for option in solution.game.options
        if (value := solution.game.rules[option.key]) != option.default
    ]
    players = f", {solution.match.players} players" if solution.match.players > 1 else ""
    text = f"Objective: {solution.match.objective}{players}. Rules: {', '.join(rules) or 'default'}."
    known = solution.game.rules.get("odds")
    if known is not None:
        name = str(solution.game.data.odds.name)
        text += f" Odds: {name}{', not measured' if name == 'illustrative' else ''}."
    return (text, f"Table {solution.fingerprint}, {solution.engine}; every value within {solution.error_bound:.1g}.")
