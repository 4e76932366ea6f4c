"""The rules of Straight Scarney over ordered rolls, written without the package."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product

SIDES = (1, 3, 4, 6, 0, 0)


CAP = 480  # points at which the reference enters the frame; ever held with a chance of about 4e-12


def meaning(throw: tuple[int, ...], doubled: bool, little: str, big: bool):
    """What an ordered throw means: ("big",), ("live", points), ("little", stays), ("dead", live left)."""
    kinds = Counter(throw).most_common()
    if len(throw) == 5 and kinds[0][1] == 5 and big:
        return ("big",)
    dead = throw.count(0)
    if not dead:
        counts = [count for _, count in kinds]
        extra = 0
        if counts[0] == 4:
            extra = 40
        elif counts[:2] == [3, 2]:
            extra = 30
        elif counts[0] == 3:
            extra = 20
        elif counts[:2] == [2, 2]:
            extra = 10
        total = sum(throw)
        if doubled:
            total = {1: 2, 3: 3, 4: 4, 6: 12}[total] if len(throw) == 1 else 2 * total
        return ("live", total + extra)
    if len(throw) == 5 and dead == 4:
        return ("little", little == "score")
    return ("dead", len(throw) - dead)


@cache
def table(dice: int, doubled: bool, little: str, big: bool):
    seen = Counter(meaning(throw, doubled, little, big) for throw in product(SIDES, repeat=dice))
    return [(what, ways / 6**dice) for what, ways in seen.items()]
