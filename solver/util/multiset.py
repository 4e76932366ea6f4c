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
MAX_LISTED = 1 << 31  # multisets in one list
MAX_INT64_WEIGHT = 1 << 62  # if a weight may be as large as this, weights are Python integers


def list_multisets(dice: int, faces: int) -> Counts:
    """Return all multisets of some dice with so many faces, as counts of each face.

    Returns:
        (multisets, faces), rows of counts that add up to the number of dice, in descending lexicographic order. For two
        dice with two faces these are (2, 0), (1, 1), (0, 2).

    Raises:
        ValueError: the number of dice or of faces is out of range, or there are more than ``MAX_LISTED`` multisets.
    """
    if not 0 <= dice <= MAX_DICE:
        raise ValueError(f"the number of dice must be between 0 and {MAX_DICE}, not {dice}")
    if faces < 1:
        raise ValueError(f"a die needs at least one face, not {faces}")
    multiset_count = math.comb(dice + faces - 1, dice)
    if multiset_count > MAX_LISTED:
        raise ValueError(
            f"{dice} dice with {faces} faces have more than {MAX_LISTED:,} multisets, too many to list: use fewer dice"
            " or fewer faces"
        )
    # Rows begin empty and get the count of one more face in each step. Every row is then continued in several ways:
    # with all its remaining dice on the next face, with all but one, and so on down to none. With two remaining dice
    # these are three new rows, for the counts 2, 1, 0. The last face gets the dice that remain.
    rows = np.empty((1, 0), dtype=np.uint8)
    remaining_dice = np.array([dice])  # by row
    for _face in range(faces - 1):
        continuation_counts = remaining_dice + 1
        continued_row = np.repeat(np.arange(len(rows)), continuation_counts)  # by new row, the row that it continues
        last_continuation = np.cumsum(continuation_counts) - 1  # by old row, the new row with no die of this face
        # A new row that stands d rows before that one has d dice of this face.
        new_counts = last_continuation[continued_row] - np.arange(len(continued_row))
        rows = np.column_stack([rows[continued_row], new_counts.astype(np.uint8)])
        remaining_dice = remaining_dice[continued_row] - new_counts
    return np.column_stack([rows, remaining_dice.astype(np.uint8)])


def multiset_indices(counts: Counts) -> NDArray[np.int64]:
    """Return the index of each multiset of dice in the list of all multisets of as many dice (``list_multisets``).

    The index is the number of rows that stand before it there. These are counted by the first face in which they
    differ, where they have more dice.

    Args:
        counts: (multisets, faces), how many dice of each multiset show each face.

    Returns:
        The indices (multisets,).
    """
    face_count = counts.shape[1]
    index = np.zeros(len(counts), dtype=np.int64)
    remaining_dice = counts.sum(axis=1, dtype=np.int64)
    for face in range(face_count - 1):
        # Rows with the same counts of all faces before this one, but more dice of this face, come first. If r dice
        # remain after this face, those rows have 0 to r - 1 dice on the m later faces: C(r - 1 + m, m) rows.
        remaining_dice = remaining_dice - counts[:, face]
        later_faces = face_count - face - 1
        max_remaining = int(remaining_dice.max(initial=0))
        preceding_rows = [math.comb(dice - 1 + later_faces, later_faces) for dice in range(max_remaining + 1)]
        index += np.array(preceding_rows)[remaining_dice]
    return index


def multiset_weights(counts: Counts, face_weights: Sequence[int]) -> NDArray[Any]:
    """Return the weight of each multiset of n dice: n! / prod(counts!) * prod(face_weights ** counts).

    It is the number of equally likely rolls of n different dice that show the multiset. The weights of all multisets
    add up to sum(face_weights) ** n. The factor n! / prod(counts!) is computed as a product of binomials: the ways to
    choose the dice of each face among those that remain.

    Args:
        counts: (multisets, faces), how many dice show each face; equally many dice in all rows.
        face_weights: (faces,) positive integers, the number of equally likely sides of a die that show each face.

    Returns:
        (multisets,), exact integers: int64 if they fit, otherwise an array of Python integers.

    Raises:
        ValueError: the face weights are not positive integers, or not one for each face.
    """
    if len(face_weights) != counts.shape[1]:
        raise ValueError(f"{counts.shape[1]} faces need {counts.shape[1]} weights, not {len(face_weights)}")
    if any(int(weight) != weight or weight < 1 for weight in face_weights):
        raise ValueError("the weights of faces must be positive integers")
    n = int(counts[:1].sum())  # dice in a row
    # No weight exceeds the sum of all weights, sum(face_weights) ** n, and no binomial exceeds 2 ** n.
    largest_number = max(2, int(sum(face_weights))) ** n
    dtype: type = np.int64 if largest_number < MAX_INT64_WEIGHT else object
    dice_range = range(n + 1)
    binomials: NDArray[Any] = np.array(  # entry [dice, count]: the ways to choose so many of the dice
        [[math.comb(dice, count) for count in dice_range] for dice in dice_range], dtype=dtype
    )
    weights: NDArray[Any] = np.ones(len(counts), dtype=dtype)
    remaining_dice = np.full(len(counts), n)
    for face_counts, face_weight in zip(counts.T, face_weights, strict=True):
        powers: NDArray[Any] = np.array([int(face_weight) ** dice for dice in dice_range], dtype=dtype)
        weights = weights * binomials[remaining_dice, face_counts] * powers[face_counts]
        remaining_dice = remaining_dice - face_counts
    return weights
