"""Repeated stretches are stored once, and a plain reader restores every byte."""

import random
import struct

import pytest

from keepwise.output.adviser_page.long_copies import pack_long_copies

RANDOM = random.Random(1).randbytes(5_000)


def restored(packed):
    """The bytes, by the format alone: a copy may run into itself."""
    (count,) = struct.unpack_from("<I", packed)
    data, place = bytearray(), 4 + 12 * count
    for number in range(count):
        new_count, source, copied_count = struct.unpack_from("<3I", packed, 4 + 12 * number)
        data += packed[place : place + new_count]
        place += new_count
        for offset in range(copied_count):
            data.append(data[source + offset])
    assert place == len(packed)
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "most"),
    [
        (b"", 16),
        (b"short", 21),
        (RANDOM, 5_016),
        (RANDOM + b"between" + RANDOM, 5_200),
        (bytes(10_000), 200),
        (RANDOM[:63] + RANDOM[:63], 142),
        (RANDOM + RANDOM[1:900] + RANDOM[30:4000] + b"end", 5_300),
    ],
)
def test_every_byte_is_restored(data, most):
    packed = pack_long_copies(data)
    assert restored(packed) == data
    assert len(packed) <= most
