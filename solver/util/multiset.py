"""Multisets of dice: n dice over k faces, as rows of counts, in one fixed order.

The order is that of the sorted throws: with faces 1, 2, 3 and two dice 11 12 13 22 23 33. A multiset is the row
``counts[k]`` of how often each face shows, so the rows descend lexicographically.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.uint8]

MAX_DICE = 255  # a count is one byte
MAX_LISTED = 1 << 31


def list_multisets(n: int, k: int) -> Counts:
    """List all multisets of n dice with k faces, in the fixed order: C(n + k - 1, n) rows of k counts."""
    if not 0 <= n <= MAX_DICE:
        raise ValueError(f"the number of dice must lie between 0 and {MAX_DICE}, not {n}")
    if k < 1:
        raise ValueError(f"a die needs at least one face, not {k}")
    if (total := math.comb(n + k - 1, n)) > MAX_LISTED:
        raise ValueError(f"{total} multisets of {n} dice with {k} faces are too many to list")
    rows, left = np.empty((1, 0), dtype=np.uint8), np.array([n])
    for _ in range(k - 1):  # face by face, each row goes on with all that are left on the next face, one less, .. none
        ways = left + 1
        row = np.repeat(np.arange(len(left)), ways)
        shown = np.cumsum(ways)[row] - 1 - np.arange(len(row))
        rows, left = np.column_stack([rows[row], shown.astype(np.uint8)]), left[row] - shown
    return np.column_stack([rows, left.astype(np.uint8)])


def multiset_indices(counts: Counts) -> NDArray[np.int64]:
    """Return the place of each row of counts among the multisets of as many dice."""
    place, k = np.zeros(len(counts), dtype=np.int64), counts.shape[1]
    left = counts.sum(axis=1, dtype=np.int64)
    for face in range(k - 1):
        # Rows with the same start and more of the face come first: they hold one die fewer, on this face and after.
        left = left - counts[:, face]
        before = [math.comb(dice + k - face - 2, k - face - 1) for dice in range(int(left.max(initial=0)) + 1)]
        place += np.array(before)[left]
    return place


def multiset_weights(counts: Counts, face_weights: Sequence[int]) -> NDArray[Any]:
    """Return the exact number of ordered throws behind each row: n! / prod(counts!) * prod(face_weights ** counts).

    All rows have the same number of dice; ``face_weights`` are positive integers (how many equally likely sides show
    that face). Over all multisets the result sums to sum(face_weights) ** n: int64 where that fits, else an array of
    Python integers.
    """
    if len(face_weights) != counts.shape[1]:
        raise ValueError(f"{counts.shape[1]} faces need {counts.shape[1]} weights, not {len(face_weights)}")
    if any(int(one) != one or one < 1 for one in face_weights):
        raise ValueError("the weights of faces must be positive integers")
    n = int(counts[:1].sum())
    kind: type = np.int64 if max(2, int(sum(face_weights))) ** n < 1 << 62 else object
    binomial: NDArray[Any] = np.array([[math.comb(a, b) for b in range(n + 1)] for a in range(n + 1)], dtype=kind)
    ways: NDArray[Any] = np.ones(len(counts), dtype=kind)
    left = np.full(len(counts), n)
    for shown, weight in zip(counts.T, face_weights, strict=True):
        powers: NDArray[Any] = np.array([int(weight) ** dice for dice in range(n + 1)], dtype=kind)
        ways = ways * binomial[left, shown] * powers[shown]
        left = left - shown
    return ways
