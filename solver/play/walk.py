"""Walking a game: which choices must be looked at so that what follows stays finite."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TypeVar

from .playable_game import Choice, Stage, Table

Position = TypeVar("Position", bound=Hashable)


def open_choices(table: Table[Position], position: Position, cut: int | None = None) -> list[Choice[Position]]:
    """The choices of a position, less those that need no look.

    Where one wins for certain it is the only one: nothing is worth more. With ``cut``, whoever holds so many points
    stops, where stopping is offered, and holds no more where it is not.
    """
    found = table.choices(position)
    if table.objective in ("win", "reach", "turns"):
        mover = table.mover(position)
        for choice in found:
            if table.stage(choice.after) is Stage.TERMINAL and table.outcome(choice.after)[mover] == 1:
                return [choice]
    if cut is None:
        return list(found)
    left = [choice for choice in found if choice.points < cut or ends_turn(table, choice.after)]
    return left or [at_cut(table, choice, cut) for choice in found]


def at_cut(table: Table[Position], choice: Choice[Position], cut: int | None) -> Choice[Position]:
    """A choice that goes on with more points in hand than ``cut``, as if they were so many."""
    if cut is None or choice.points <= cut or ends_turn(table, choice.after):
        return choice
    return replace(choice, after=table.holding(choice.after, cut))


def ends_turn(table: Table[Position], after: Position) -> bool:
    """Whether a choice that leads there ends the turn: no throw of it is left to be made."""
    return table.turn_begins(after) or table.stage(after) is not Stage.CHANCE


def counts_as_turn(table: Table[Position], after: Position) -> bool:
    """Whether what leads there ends a turn, where turns are counted."""
    return table.objective == "turns" and (table.turn_begins(after) or table.stage(after) is Stage.TERMINAL)
