"""Chances as a page stores them: exact while they are small, else within half a unit, and small enough."""

import zlib

import numpy as np
import pytest

from keepwise.output.adviser_page.packed_arrays import (
    MAX_CHANCE_BYTES,
    UNIT_BITS,
    RoundedChances,
    pack_arrays,
    store_chances,
)


def smooth_chances(*shape):
    """Return chances that rise with the first score and fall with the others, with some noise."""
    axes = np.meshgrid(*(np.linspace(0.0, 1.0, length) for length in shape), indexing="ij")
    lead = axes[0] - sum(axes[1:])
    noise = np.random.default_rng(1).uniform(-1e-5, 1e-5, shape)
    return np.clip(1.0 / (1.0 + np.exp(-3.0 * lead)) + noise, 0.0, 1.0)


def unpacked(index, blob):
    """Return a rounded array as a page reads it."""
    code, offset, shape, bits, orders = index
    assert code == "r"
    size = int(np.prod(shape))
    planes = np.frombuffer(blob, np.uint8, 4 * size, offset).reshape(4, size).astype(np.int64)
    unsigned = sum(256**number * plane for number, plane in enumerate(planes))
    whole = np.where(unsigned % 2, -(unsigned + 1) // 2, unsigned // 2).reshape(shape)
    for axis, order in enumerate(orders):
        for _ in range(order):
            whole = whole.cumsum(axis=axis)
    return whole / 2.0**bits


def test_small_chances_stay_exact_bit_for_bit():
    chances = smooth_chances(60, 60)
    stored = store_chances({"win": chances}, 2)
    assert stored.rounding == 0.0
    assert np.array_equal(stored.arrays["win"], chances)


@pytest.mark.parametrize(("shape", "players"), [((200, 3, 200, 3), 2), ((75, 75, 75, 2), 3)])
def test_large_chances_are_within_the_rounding_and_the_limit(shape, players):
    chances = smooth_chances(*shape)
    stored = store_chances({"win": chances}, players)
    rounded = stored.arrays["win"]
    assert isinstance(rounded, RoundedChances)
    assert rounded.bits in UNIT_BITS
    index, blob = pack_arrays({"first": np.arange(3, dtype=np.int32), **stored.arrays})
    assert len(zlib.compress(blob, 7)) <= MAX_CHANCE_BYTES[players > 2]
    error = np.abs(unpacked(index["win"], blob) - chances).max()
    assert error <= 2.0 ** -(rounded.bits + 1)
    assert stored.rounding == (players - 1) * 2.0 ** -(rounded.bits + 1)


def test_the_finest_unit_that_fits_is_used():
    """Noise leaves nothing to predict: each number takes its bits. All seats share the limit."""
    noise = np.random.default_rng(2).uniform(size=90_000)
    count = MAX_CHANCE_BYTES[0] * 8 // UNIT_BITS[1]  # too many for the finest unit
    some = noise[: count * 9 // 10].reshape(-1, 1)
    assert store_chances({"win": some}, 2).arrays["win"].bits == UNIT_BITS[1]
    halves = np.array_split(some, 2)
    assert store_chances({"win1": halves[0], "win2": halves[1]}, 2).arrays["win2"].bits == UNIT_BITS[1]
