"""Sets of points as the bits of whole numbers: bit t is set if t points are possible."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)

POINTS_PER_BLOCK = 4096  # points that are followed together: long sets are shifted rarely, short ones often


def reachable_points(
    start_points: dict[Node, int], edges: Collection[tuple[Node, Node, int]], max_points: int
) -> dict[Node, int]:
    """Return, per node, the set of points from 0 to ``max_points`` that are possible there.

    Args:
        start_points: the set of points to begin with, for every node.
        edges: (from, to, points) the points that an edge adds. A negative number takes points off, but never below 0.
        max_points: larger numbers are left out.
    """
    gains = [edge for edge in edges if edge[2] >= 0]
    losses = [(source, target, -points) for source, target, points in edges if points < 0]
    block = min(POINTS_PER_BLOCK, max_points + 1)
    mask, point_sets = (1 << max_points + 1) - 1, dict(start_points)
    while True:
        previous_sets = dict(point_sets)
        for first in range(0, max_points + 1, block):
            block_sets = {node: bits >> first & (1 << block) - 1 for node, bits in point_sets.items()}
            block_sets = _reachable_in_block(block_sets, gains, block)
            for source, target, points in gains:
                if block_sets[source]:
                    point_sets[target] |= block_sets[source] << first + points & mask
        for source, target, points in losses:
            falls_to_zero = point_sets[source] & (1 << points) - 1 > 0
            point_sets[target] |= point_sets[source] >> points | int(falls_to_zero)
        if point_sets == previous_sets:
            return point_sets


def _reachable_in_block(
    point_sets: dict[Node, int], gains: Sequence[tuple[Node, Node, int]], block: int
) -> dict[Node, int]:
    """Return the points that are reachable without leaving a block of ``block`` points."""
    mask, inner_gains = (1 << block) - 1, [gain for gain in gains if gain[2] < block]
    while True:
        previous_sets = dict(point_sets)
        for source, target, points in inner_gains:
            point_sets[target] |= point_sets[source] << points & mask
        if point_sets == previous_sets:
            return point_sets
