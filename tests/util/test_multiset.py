"""Multisets of dice against itertools, and properties of any dice."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepwise.util import multiset

DICE = st.integers(0, 7)
FACES = st.integers(1, 7)


def as_counts(roll: tuple[int, ...], k: int) -> list[int]:
    return [roll.count(face) for face in range(k)]


@given(DICE, FACES)
def test_order_is_that_of_sorted_rolls(n, k):
    expected = [as_counts(roll, k) for roll in combinations_with_replacement(range(k), n)]
    assert multiset.list_multisets(n, k).tolist() == expected


@given(DICE, FACES)
def test_indices_count_in_the_order(n, k):
    rows = multiset.list_multisets(n, k)
    assert (multiset.multiset_indices(rows) == np.arange(len(rows))).all()


def test_weights_count_ordered_rolls():
    for n, k in ((1, 6), (3, 4), (5, 6)):
        roll_counts = Counter(tuple(as_counts(roll, k)) for roll in product(range(k), repeat=n))
        rows = multiset.list_multisets(n, k)
        assert multiset.multiset_weights(rows, [1] * k).tolist() == [roll_counts[tuple(row)] for row in rows.tolist()]


@given(DICE, st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_weights_of_loaded_dice_sum_to_the_whole(n, sides):
    rows = multiset.list_multisets(n, len(sides))
    assert multiset.multiset_weights(rows, sides).sum() == sum(sides) ** n


def test_weights_past_64_bits_stay_exact():
    rows = multiset.list_multisets(40, 6)[:3]
    assert multiset.multiset_weights(rows, [10**6] * 6).tolist() == [10**240, 40 * 10**240, 40 * 10**240]
    all_rows = multiset.list_multisets(30, 3)
    assert sum(multiset.multiset_weights(all_rows, [5, 7, 11]).tolist()) == 23**30


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: multiset.list_multisets(-1, 6), "between 0 and 255"),
        (lambda: multiset.list_multisets(3, 0), "at least one face"),
        (lambda: multiset.list_multisets(100, 100), "too many to list"),
        (lambda: multiset.multiset_weights(multiset.list_multisets(2, 3), [1, 2]), "3 faces need 3 weights"),
        (lambda: multiset.multiset_weights(multiset.list_multisets(2, 3), [1, 0, 2]), "positive integers"),
    ],
)
def test_multiset_errors_state_the_fault(call, message):
    with pytest.raises(ValueError, match=message):
        call()
