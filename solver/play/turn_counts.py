"""The goal and the number of turns of a single player with the objective ``reach``."""

from __future__ import annotations

from ..util.errors import InputError, argument
from .position_fields import Field, FieldKind, Role

MAX_TURNS = 1000


def parse_goal_and_turns(goal: int | None, turns: int | None, target: int, most: int = MAX_TURNS) -> dict[str, int]:
    """Return a goal up to the target (its default), and a number of turns up to ``most``."""
    if turns is None:
        raise InputError(f"the objective reach requires {argument('turns')}, the number of turns")
    if not 1 <= turns <= most:
        raise InputError(f"{argument('turns')} must be between 1 and {most:,}, not {turns}")
    return {"goal": target if goal is None else parse_goal(goal, target), "turns": turns}


def parse_goal(goal: int, target: int) -> int:
    """Return a goal from 1 to the target."""
    if not 1 <= goal <= target:
        raise InputError(f"{argument('goal')} must be between 1 and the target of {target:,}, not {goal}")
    return goal


def turns_left_field(noun: str = "Turns") -> Field:
    """Return the field of the turns that are left."""
    help_ = f"{noun} left, including this one (default: all)."
    return Field("turns_left", FieldKind.NUMBER, help_, is_column=False, role=Role.TURNS_LEFT)


def parse_turns_left(value: int | None, turns: int) -> int:
    """Return the turns left of those of the question, which are 0 where turns are not counted."""
    left = turns if value is None else value
    if not (1 <= left <= turns or left == turns == 0):
        raise InputError(f"{argument('turns_left')} must be between 1 and {turns}, the number of turns, not {left}")
    return left
