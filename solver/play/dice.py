"""Rolls of equal dice with their weights."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations_with_replacement
from math import factorial
from typing import TypeVar

Face = TypeVar("Face", bound=Hashable)


def list_rolls(sides: Sequence[Face], dice: int) -> list[tuple[int, tuple[Face, ...]]]:
    """Return every roll of equal dice as its weight and its faces, in the order of the sides.

    The weight is the multinomial coefficient of the counts, times the number of sides with each face. The weights add
    up to ``len(sides) ** dice``.
    """
    faces = tuple(dict.fromkeys(sides))
    weighted_rolls = []
    for roll in combinations_with_replacement(faces, dice):
        weight = factorial(dice)
        for face in set(roll):
            count = roll.count(face)
            weight = weight // factorial(count) * sides.count(face) ** count
        weighted_rolls.append((weight, roll))
    return weighted_rolls
