"""Choices that a walk through a game has to follow, so that the number of positions stays finite."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any, TypeVar

from ..util.number_format import PROBABILITY_OBJECTIVES
from .playable_game import Choice, PlayableGame, Stage

Position = TypeVar("Position", bound=Hashable)


def list_relevant_choices(
    table: PlayableGame[Position], position: Position, cut: int | None = None
) -> list[Choice[Position]]:
    """Return the choices that a solver has to compare.

    A choice that wins for certain is the only one. With ``cut``, a player with so many turn points stops if stopping is
    offered, and otherwise counts as having no more.
    """
    choices = table.choices(position)
    if table.objective in (*PROBABILITY_OBJECTIVES, "turns"):
        mover = table.player_to_move(position)
        for choice in choices:
            if table.stage(choice.after) is Stage.TERMINAL and table.payoffs(choice.after)[mover] == 1:
                return [choice]
    if cut is None:
        return list(choices)
    within_cut = [choice for choice in choices if choice.points < cut or ends_turn(table, choice.after)]
    return within_cut or [limit_turn_points(table, choice, cut) for choice in choices]


def limit_turn_points(table: PlayableGame[Position], choice: Choice[Position], cut: int | None) -> Choice[Position]:
    """Return a choice as if its turn points were at most ``cut``."""
    if cut is None or choice.points <= cut or ends_turn(table, choice.after):
        return choice
    return replace(choice, after=table.with_turn_points(choice.after, cut))


def ends_turn(table: PlayableGame[Position], after: Position) -> bool:
    """Return whether a choice that leads to ``after`` ends the turn: no roll of the turn is to come."""
    return table.is_turn_start(after) or table.stage(after) is not Stage.CHANCE


def counts_as_turn(table: PlayableGame[Position], after: Position) -> bool:
    """Return whether a step to ``after`` ends a turn, if turns count."""
    return table.objective == "turns" and (table.is_turn_start(after) or table.stage(after) is Stage.TERMINAL)


def sort_key(table: PlayableGame[Position], decision: Position) -> tuple[Any, ...]:
    """Return the key that sorts decisions of a turn by their fields, numbers ascending."""
    return tuple(table.to_dict(decision).items())
