"""Choices that a walk through a game has to follow, so that the number of positions stays finite."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any, TypeVar

from ..util.number_format import PROBABILITY_OBJECTIVES
from .playable_game import Choice, PlayableGame, Stage

Position = TypeVar("Position", bound=Hashable)


def list_relevant_choices(
    playable: PlayableGame[Position], position: Position, cut: int | None = None
) -> list[Choice[Position]]:
    """Return the choices that a solver has to compare.

    A choice that wins for certain is the only one. With ``cut``, a player with so many turn points stops if stopping is
    offered, and otherwise counts as having no more.
    """
    choices = playable.choices(position)
    if playable.objective in (*PROBABILITY_OBJECTIVES, "turns"):
        mover = playable.player_to_move(position)
        for choice in choices:
            if playable.stage(choice.after) is Stage.TERMINAL and playable.payoffs(choice.after)[mover] == 1:
                return [choice]
    if cut is None:
        return list(choices)
    within_cut = [choice for choice in choices if choice.points < cut or ends_turn(playable, choice.after)]
    return within_cut or [limit_turn_points(playable, choice, cut) for choice in choices]


def limit_turn_points(playable: PlayableGame[Position], choice: Choice[Position], cut: int | None) -> Choice[Position]:
    """Return a choice as if its turn points were at most ``cut``."""
    if cut is None or choice.points <= cut or ends_turn(playable, choice.after):
        return choice
    return replace(choice, after=playable.with_turn_points(choice.after, cut))


def ends_turn(playable: PlayableGame[Position], after: Position) -> bool:
    """Return whether a choice that leads to ``after`` ends the turn: no roll of the turn is to come."""
    return playable.is_turn_start(after) or playable.stage(after) is not Stage.CHANCE


def counts_as_turn(playable: PlayableGame[Position], after: Position) -> bool:
    """Return whether a step to ``after`` ends a turn, if turns count."""
    return playable.objective == "turns" and (playable.is_turn_start(after) or playable.stage(after) is Stage.TERMINAL)


def sort_key(playable: PlayableGame[Position], decision: Position) -> tuple[Any, ...]:
    """Return the key that sorts decisions of a turn by their fields, numbers ascending."""
    return tuple(playable.to_dict(decision).items())
