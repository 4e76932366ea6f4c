"""Sets of points as the bits of whole numbers: bit t is set where t points can be."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import TypeVar

Place = TypeVar("Place", bound=Hashable)

POINTS_PER_BLOCK = 4096  # points that are followed together: long sets are shifted seldom, short ones often


def reachable_points(
    start_points: dict[Place, int], edges: Collection[tuple[Place, Place, int]], max_points: int
) -> dict[Place, int]:
    """Return what can be held in each place, up to ``top``, by adding points along the edges (from, to, points); where
    they take points off, down to none.
    """
    steps = tuple(edge for edge in edges if edge[2] >= 0)
    falls = tuple((place, to, -points) for place, to, points in edges if points < 0)
    block = min(POINTS_PER_BLOCK, max_points + 1)  # few points are not followed beyond the top
    mask, found = (1 << max_points + 1) - 1, dict(start_points)
    while True:
        before = dict(found)
        for first in range(0, max_points + 1, block):
            here = _reachable_in_block(
                {place: bits >> first & (1 << block) - 1 for place, bits in found.items()}, steps, block
            )
            for place, to, points in steps:
                if here[place]:
                    found[to] |= here[place] << first + points & mask
        for place, to, points in falls:
            found[to] |= found[place] >> points | int(found[place] & (1 << points) - 1 > 0)
        if found == before:
            return found


def _reachable_in_block(
    here: dict[Place, int], steps: tuple[tuple[Place, Place, int], ...], block: int
) -> dict[Place, int]:
    """The same without leaving a block of so many points."""
    mask, inner = (1 << block) - 1, [step for step in steps if step[2] < block]
    while True:
        before = dict(here)
        for place, to, points in inner:
            here[to] |= here[place] << points & mask
        if here == before:
            return here
