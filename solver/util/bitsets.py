"""Sets of points as bit sets: whole numbers in which bit t is set if t points are possible.

The set {0, 2, 3} is 0b1101. Adding 2 points to each of its members shifts the bits by 2 places: 0b110100 is {2, 4, 5}.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)

POINTS_PER_BLOCK = 4096  # so many points are handled together: long bit sets are then shifted rarely, short ones often


def reachable_points(
    start_points: dict[Node, int], edges: Collection[tuple[Node, Node, int]], max_points: int
) -> dict[Node, int]:
    """Return, by node of a graph, the bit set of the points from 0 to ``max_points`` that are possible at the node.

    The points that are possible at a node are carried along every edge from it, until no set grows any more.

    Args:
        start_points: by node, for all nodes, the bit set of the points to begin with.
        edges: (from, to, points), an edge that adds points. A negative number takes points off, but never below 0.
        max_points: larger numbers of points are left out.
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
    """Add the points that can be reached by any number of edges that take no points off.

    Along these edges points never decrease. So one pass over ranges of points (blocks), the lowest first, is enough: a
    block is complete before the edges from it into higher blocks are followed.

    Args:
        point_sets: by node, the bit set of its points; it is changed.
        gains: (from, to, points), edges that add 0 or more points.
        max_points: larger numbers of points are left out.
    """
    block_size = min(POINTS_PER_BLOCK, max_points + 1)
    block_mask = (1 << block_size) - 1  # all points of a block
    all_points = (1 << (max_points + 1)) - 1  # the set {0, ..., max_points}
    short_gains = [(source, target, points) for source, target, points in gains if points < block_size]
    for first in range(0, max_points + 1, block_size):
        # Bit t of a set of this block stands for ``first + t`` points.
        block_sets = {node: (point_set >> first) & block_mask for node, point_set in point_sets.items()}
        _close_block(block_sets, short_gains, block_mask)  # adds all that is reached without leaving the block
        for source, target, points in gains:  # back into the full sets, and on into higher blocks
            if block_sets[source]:
                point_sets[target] |= (block_sets[source] << (first + points)) & all_points


def _close_block(block_sets: dict[Node, int], gains: Iterable[tuple[Node, Node, int]], block_mask: int) -> None:
    """Add the points that can be reached by any number of edges without leaving a block, which is a range of points.

    Args:
        block_sets: by node, the bit set of its points within the block; it is changed. Bit 0 is the first of the block.
        gains: (from, to, points), edges that add 0 or more points, but fewer than the block has.
        block_mask: the bit set of all points of the block.
    """
    while True:
        previous_sets = dict(block_sets)
        for source, target, points in gains:
            block_sets[target] |= (block_sets[source] << points) & block_mask
        if block_sets == previous_sets:
            return


def _add_losses(point_sets: dict[Node, int], losses: Iterable[tuple[Node, Node, int]]) -> None:
    """Add the points that can be reached by following each edge that takes points off, once.

    Args:
        point_sets: by node, the bit set of its points; it is changed.
        losses: (from, to, points), edges that take points off. A player who has fewer points is left with 0.
    """
    only_no_points = 1  # the set {0}
    for source, target, points in losses:
        smaller_points = point_sets[source] & ((1 << points) - 1)  # those that the edge would take below 0
        point_sets[target] |= point_sets[source] >> points
        if smaller_points:
            point_sets[target] |= only_no_points
