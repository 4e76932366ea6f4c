"""Sets of points as the bits of whole numbers: bit t is set if t points are possible.

The set {0, 2, 3} is 0b1101. Adding 2 points to each of its members shifts the bits by 2 places: 0b110100 is {2, 4, 5}.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)

POINTS_PER_BLOCK = 4096  # points that are followed together: long sets are shifted rarely, short ones often


def reachable_points(
    start_points: dict[Node, int], edges: Collection[tuple[Node, Node, int]], max_points: int
) -> dict[Node, int]:
    """Return, per node, the set of points from 0 to ``max_points`` that are possible there.

    Sets grow along the edges until none of them changes.

    Args:
        start_points: the set of points to begin with, for every node.
        edges: (from, to, points) the points that an edge adds. A negative number takes points off, but never below 0.
        max_points: larger numbers are left out.
    """
    gains = [(source, target, points) for source, target, points in edges if points >= 0]
    losses = [(source, target, -points) for source, target, points in edges if points < 0]
    point_sets = dict(start_points)
    while True:
        previous_sets = dict(point_sets)
        _add_gains(point_sets, gains, max_points)
        _add_losses(point_sets, losses)
        if point_sets == previous_sets:
            return point_sets


def _add_gains(point_sets: dict[Node, int], gains: Collection[tuple[Node, Node, int]], max_points: int) -> None:
    """Add what can be reached by any number of edges that take no points off.

    Points never decrease on the way. So one pass over blocks of points, the lowest first, is enough.

    Args:
        point_sets: the set of points of every node, which grows.
        gains: (from, to, points) of edges with points from 0 on.
        max_points: larger numbers are left out.
    """
    block_size = min(POINTS_PER_BLOCK, max_points + 1)
    block_mask = (1 << block_size) - 1
    all_points = (1 << (max_points + 1)) - 1
    short_gains = [(source, target, points) for source, target, points in gains if points < block_size]
    for first in range(0, max_points + 1, block_size):
        # Bit t of a set of this block stands for ``first + t`` points.
        block_sets = {node: (points >> first) & block_mask for node, points in point_sets.items()}
        _close_block(block_sets, short_gains, block_mask)
        for source, target, points in gains:
            if block_sets[source]:
                point_sets[target] |= (block_sets[source] << (first + points)) & all_points


def _close_block(block_sets: dict[Node, int], gains: Iterable[tuple[Node, Node, int]], block_mask: int) -> None:
    """Add what can be reached by any number of edges without leaving a block of points.

    Args:
        block_sets: the points of every node within the block, which grow.
        gains: (from, to, points) of edges with points from 0 on, fewer than the block has.
        block_mask: all points of the block.
    """
    while True:
        previous_sets = dict(block_sets)
        for source, target, points in gains:
            block_sets[target] |= (block_sets[source] << points) & block_mask
        if block_sets == previous_sets:
            return


def _add_losses(point_sets: dict[Node, int], losses: Iterable[tuple[Node, Node, int]]) -> None:
    """Add what can be reached by each edge that takes points off, once.

    Args:
        point_sets: the set of points of every node, which grows.
        losses: (from, to, points) the points that an edge takes off. Whoever has fewer is left with 0.
    """
    for source, target, points in losses:
        fewer_points = point_sets[source] & ((1 << points) - 1)
        point_sets[target] |= point_sets[source] >> points
        if fewer_points:
            point_sets[target] |= 1  # the set {0}
