"""What dice may show."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations_with_replacement
from math import factorial
from typing import TypeVar

Face = TypeVar("Face", bound=Hashable)


def rolls(sides: Sequence[Face], dice: int) -> list[tuple[int, tuple[Face, ...]]]:
    """Return every roll of so many dice with these sides, its faces in their order, and in how many ways it falls.

    A face that stands on several sides is as many times as likely; the ways add up to ``len(sides) ** dice``.
    """
    faces = tuple(dict.fromkeys(sides))
    found = []
    for roll in combinations_with_replacement(faces, dice):
        ways = factorial(dice)
        for face in set(roll):
            alike = roll.count(face)
            ways = ways // factorial(alike) * sides.count(face) ** alike
        found.append((ways, roll))
    return found
