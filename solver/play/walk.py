"""Choices that a walk through a game has to follow, so that the number of positions stays finite."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TypeVar

from ..util.number_format import PROBABILITY_OBJECTIVES
from .playable_game import Choice, Stage, Table

Position = TypeVar("Position", bound=Hashable)


def open_choices(table: Table[Position], position: Position, cut: int | None = None) -> list[Choice[Position]]:
    """Return the choices that a solver has to compare.

    A choice that wins for certain is the only one. With ``cut``, a player with so many turn points stops if stopping is
    offered, and otherwise counts as having no more.
    """
    choices = table.choices(position)
    if table.objective in (*PROBABILITY_OBJECTIVES, "turns"):
        mover = table.mover(position)
        for choice in choices:
            if table.stage(choice.after) is Stage.TERMINAL and table.outcome(choice.after)[mover] == 1:
                return [choice]
    if cut is None:
        return list(choices)
    within_cut = [choice for choice in choices if choice.points < cut or ends_turn(table, choice.after)]
    return within_cut or [at_cut(table, choice, cut) for choice in choices]


def at_cut(table: Table[Position], choice: Choice[Position], cut: int | None) -> Choice[Position]:
    """Return a choice as if its turn points were at most ``cut``."""
    if cut is None or choice.points <= cut or ends_turn(table, choice.after):
        return choice
    return replace(choice, after=table.holding(choice.after, cut))


def ends_turn(table: Table[Position], after: Position) -> bool:
    """Return whether a choice that leads to ``after`` ends the turn: no roll of the turn is to come."""
    return table.turn_begins(after) or table.stage(after) is not Stage.CHANCE


def counts_as_turn(table: Table[Position], after: Position) -> bool:
    """Return whether a step to ``after`` ends a turn, if turns count."""
    return table.objective == "turns" and (table.turn_begins(after) or table.stage(after) is Stage.TERMINAL)
