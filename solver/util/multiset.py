"""Multisets of dice: n dice with k faces, as rows of counts in one fixed order.

A multiset is a row of k counts: how many dice show each face. The order is that of the sorted rolls. For two dice with
faces 1, 2, 3 it is 11 12 13 22 23 33, so the rows of counts descend lexicographically.
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
    rows, remaining_dice = np.empty((1, 0), dtype=np.uint8), np.array([n])
    for _ in range(
        k - 1
    ):  # each row is continued with all remaining dice on the next face, then one less, down to none
        options = remaining_dice + 1
        row = np.repeat(np.arange(len(remaining_dice)), options)
        count = np.cumsum(options)[row] - 1 - np.arange(len(row))
        rows, remaining_dice = np.column_stack([rows[row], count.astype(np.uint8)]), remaining_dice[row] - count
    return np.column_stack([rows, remaining_dice.astype(np.uint8)])


def multiset_indices(counts: Counts) -> NDArray[np.int64]:
    """Return the index of each row of counts among the multisets of as many dice."""
    index, k = np.zeros(len(counts), dtype=np.int64), counts.shape[1]
    remaining_dice = counts.sum(axis=1, dtype=np.int64)
    for face in range(k - 1):
        # Rows that begin alike and have more dice of this face come first. They have at least one die fewer left.
        remaining_dice = remaining_dice - counts[:, face]
        preceding = [
            math.comb(dice + k - face - 2, k - face - 1) for dice in range(int(remaining_dice.max(initial=0)) + 1)
        ]
        index += np.array(preceding)[remaining_dice]
    return index


def multiset_weights(counts: Counts, face_weights: Sequence[int]) -> NDArray[Any]:
    """Return the weight of each row: n! / prod(counts!) * prod(face_weights ** counts).

    It is the number of ordered rolls. The weights of all multisets sum to sum(face_weights) ** n.

    Args:
        counts: rows with equally many dice.
        face_weights: positive integers, the number of equally likely sides that show each face.

    Returns:
        Exact integers: int64 if they fit, otherwise an array of Python integers.
    """
    if len(face_weights) != counts.shape[1]:
        raise ValueError(f"{counts.shape[1]} faces need {counts.shape[1]} weights, not {len(face_weights)}")
    if any(int(weight) != weight or weight < 1 for weight in face_weights):
        raise ValueError("the weights of faces must be positive integers")
    n = int(counts[:1].sum())
    dtype: type = np.int64 if max(2, int(sum(face_weights))) ** n < 1 << 62 else object
    binomial: NDArray[Any] = np.array([[math.comb(a, b) for b in range(n + 1)] for a in range(n + 1)], dtype=dtype)
    weights: NDArray[Any] = np.ones(len(counts), dtype=dtype)
    remaining_dice = np.full(len(counts), n)
    for face_counts, weight in zip(counts.T, face_weights, strict=True):
        powers: NDArray[Any] = np.array([int(weight) ** dice for dice in range(n + 1)], dtype=dtype)
        weights = weights * binomial[remaining_dice, face_counts] * powers[face_counts]
        remaining_dice = remaining_dice - face_counts
    return weights
