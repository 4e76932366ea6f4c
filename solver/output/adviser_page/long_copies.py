"""Repeated stretches of bytes, written once: what zlib cannot do, which looks back 32 kB only.

A page holds many turns that are nearly alike. Each takes about 60 kB of JSON, so zlib does not meet the one before.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BLOCK = 64  # bytes; shorter stretches are left to zlib
WORD = 8  # bytes
FACTORS = [pow(0x9E3779B97F4A7C15, power, 1 << 64) for power in range(1, BLOCK // WORD + 1)]  # odd: golden ratio
HASH_BITS = 24
PLACES_AT_ONCE = 1 << 20  # a multiple of BLOCK


class CopyStep(NamedTuple):
    """A step of unpacking: take new bytes, then copy a stretch of what is unpacked already, from a place on."""

    new_count: int
    source: int
    copied_count: int


def pack_long_copies(data: bytes) -> bytes:
    """Return bytes without the stretches that stood before.

    The result is the number of steps, the steps, each with three numbers of four bytes, and then all new bytes.
    """
    steps, new_bytes = list[CopyStep](), bytearray()
    places: dict[bytes, int] = {}  # of the blocks at multiples of BLOCK
    start = end = next_block = 0
    for place in _places_to_try(data):
        if place < end:
            continue
        for block_place in range(next_block, place, BLOCK):
            places.setdefault(data[block_place : block_place + BLOCK], block_place)
            next_block = block_place + BLOCK
        source = places.get(data[place : place + BLOCK])
        if source is not None:
            end = _match_end(data, source, place)
            steps.append(CopyStep(place - start, source, end - place))
            new_bytes += data[start:place]
            start = end
    steps.append(CopyStep(len(data) - start, 0, 0))
    numbers = chain.from_iterable(steps)
    return struct.pack(f"<I{3 * len(steps)}I", len(steps), *numbers) + bytes(new_bytes + data[start:])


def _places_to_try(data: bytes) -> Iterator[int]:
    """Yield the places from which BLOCK bytes have the hash of a block, in order; all copies of blocks are there.

    The hash of a place is a sum of the eight words of eight bytes from there on, each times a number of its own,
    modulo 2 ** 64. A table has a bit for each hash without its last bits.
    """
    last = len(data) - BLOCK
    if last < 0:
        return
    has_block = np.zeros(1 << HASH_BITS, dtype=bool)
    chunks = [range(first, min(first + PLACES_AT_ONCE, last + 1)) for first in range(0, last + 1, PLACES_AT_ONCE)]
    for chunk in chunks:
        has_block[_hashes(data, chunk)[::BLOCK]] = True
    for chunk in chunks:
        yield from (np.flatnonzero(has_block[_hashes(data, chunk)]) + chunk.start).tolist()


def _hashes(data: bytes, places: range) -> NDArray[np.int64]:
    """Return the hash of the BLOCK bytes from each of some consecutive places on."""
    bytes_read = np.frombuffer(data, np.uint8, len(places) + BLOCK - 1, places.start)
    words = np.zeros(len(places) + BLOCK - WORD, dtype=np.uint64)
    for shift in range(WORD):
        words |= bytes_read[shift : shift + len(words)].astype(np.uint64) << np.uint64(8 * shift)
    hashes = np.zeros(len(places), dtype=np.uint64)
    for number, factor in enumerate(FACTORS):
        hashes += words[number * WORD : number * WORD + len(places)] * np.uint64(factor)
    return (hashes >> np.uint64(64 - HASH_BITS)).astype(np.int64)


def _match_end(data: bytes, source: int, place: int) -> int:
    """Return where the stretch from `place` on stops repeating the bytes from `source` on, of which BLOCK are equal."""
    end = place + BLOCK
    while end < len(data) and data[source + end - place] == data[end]:
        end += 1
    return end
