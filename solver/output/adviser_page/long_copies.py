"""Repeated stretches of bytes, written once: what zlib cannot do, which looks back 32 kB only.

A page holds many turns that are nearly alike. Each takes about 60 kB of JSON, so zlib does not meet the one before.
"""

from __future__ import annotations

import struct
from itertools import chain
from typing import NamedTuple

BLOCK = 64  # bytes; shorter stretches are left to zlib


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
    place = start = next_block = 0
    while place <= len(data) - BLOCK:
        source = places.get(data[place : place + BLOCK])
        end = place + 1 if source is None else _match_end(data, source, place)
        if source is not None:
            steps.append(CopyStep(place - start, source, end - place))
            new_bytes += data[start:place]
            start = end
        while next_block < end:
            places.setdefault(data[next_block : next_block + BLOCK], next_block)
            next_block += BLOCK
        place = end
    steps.append(CopyStep(len(data) - start, 0, 0))
    numbers = chain.from_iterable(steps)
    return struct.pack(f"<I{3 * len(steps)}I", len(steps), *numbers) + bytes(new_bytes + data[start:])


def _match_end(data: bytes, source: int, place: int) -> int:
    """Return where the stretch from `place` on stops repeating the bytes from `source` on, of which BLOCK are equal."""
    end = place + BLOCK
    while end < len(data) and data[source + end - place] == data[end]:
        end += 1
    return end
