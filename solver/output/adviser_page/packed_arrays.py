"""The arrays of a page as bytes, in forms that compress well.

Exact numbers keep all their bits. Chances to win that would make a page too large are rounded to whole multiples of a
unit, 2 ** -bits. They change smoothly with the scores of all players, so repeated differences along the scores are
small numbers.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

ARRAY_ALIGNMENT = 8  # bytes
TYPE_CODES = {np.dtype(np.float64): "d", np.dtype(np.int32): "i", np.dtype(np.uint8): "b"}
# Bytes that the chances of a page may take when compressed: of two players, of more. Base64 adds a third, and the rest
# of such a page takes about 225,000. So a page of two players stays below 600 kB, of more below 3 MB.
MAX_CHANCE_BYTES = (255_000, 2_100_000)
UNIT_BITS = (24, 21, 18)  # the finest of these units for which chances are small enough; the last one if none is
MAX_ORDER = 2  # of differences along an axis


class RoundedChances(NamedTuple):
    """Rounded chances as differences.

    Attributes:
        differences: the chances in units, after differences along the axes.
        bits: the unit is 2 ** -bits.
        orders: how often differences were taken along each axis.
    """

    differences: NDArray[np.int32]
    bits: int
    orders: tuple[int, ...]

    def pack(self) -> bytes:
        """Return the bytes of the differences as a page reads them: the sign of each is its lowest bit."""
        return _byte_planes((self.differences << 1) ^ (self.differences >> 31))


class StoredChances(NamedTuple):
    """Chances as a page stores them.

    Attributes:
        arrays: by name, the chances, exact or rounded.
        rounding: by how much a chance may be off.
    """

    arrays: dict[str, NDArray[np.float64] | RoundedChances]
    rounding: float


def pack_arrays(arrays: Mapping[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Pack arrays one after another, each at a multiple of eight bytes.

    Arrays of floats are stored as the first bytes of all numbers, then their second bytes, and so on. Similar bytes
    stand together then, and compress better. If it compresses better still, the bytes are those of differences: the
    bits are read as whole numbers, and each but the first is replaced by its difference from the one before, modulo
    2 ** 64. The type code is "D" then instead of "d". That of rounded chances is "r".

    Returns:
        The type code, offset and shape of each array, and the bytes. Rounded chances have the bits of their unit and
        the orders of their differences besides.
    """
    index, blob = {}, bytearray()
    for name, array in arrays.items():
        if isinstance(array, RoundedChances):
            plain = array.pack()
            index[name] = ["r", len(blob), list(array.differences.shape), array.bits, list(array.orders)]
        else:
            type_code = TYPE_CODES[array.dtype]
            plain = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()
            if type_code == "d":
                type_code, plain = _pack_floats(array)
            index[name] = [type_code, len(blob), list(array.shape)]
        blob += plain
        blob += bytes(-len(blob) % ARRAY_ALIGNMENT)
    return index, bytes(blob)


def store_chances(chances: Mapping[str, NDArray[np.float64]], players: int) -> StoredChances:
    """Return chances exact if they are small enough for a page, else rounded.

    Args:
        chances: by name, the chances to win of a mover, or of several seats by a last axis, without the last seat. The
            other axes are scores, differences of scores, or numbers of busts.
        players: how many players there are.
    """
    max_bytes = MAX_CHANCE_BYTES[players > 2]
    arrays = {name: np.ascontiguousarray(array) for name, array in chances.items()}
    if _compressed_size(_pack_floats(array)[1] for array in arrays.values()) <= max_bytes:
        return StoredChances(dict(arrays), 0.0)
    for bits in UNIT_BITS:
        rounded = {name: _round(array, bits) for name, array in arrays.items()}
        if _compressed_size(array.pack() for array in rounded.values()) <= max_bytes:
            break
    # The last of several players gets what the others leave, with the errors of all of them.
    return StoredChances(dict(rounded), max(1, players - 1) * 2.0 ** -(bits + 1))


def _pack_floats(array: NDArray[np.float64]) -> tuple[str, bytes]:
    """Return the type code and the bytes of an array of floats, in the form that compresses better."""
    bits = np.ascontiguousarray(array).reshape(-1).view(np.uint64)
    packed = {"d": _byte_planes(bits), "D": _byte_planes(np.diff(bits, prepend=np.uint64(0)))}
    type_code = min(packed, key=lambda code: len(zlib.compress(packed[code], 1)))
    return type_code, packed[type_code]


def _round(array: NDArray[np.float64], bits: int) -> RoundedChances:
    """Return rounded chances, with the differences that need the fewest bits."""
    whole = np.rint(np.ldexp(array, bits)).astype(np.int32)
    axes = [axis for axis, length in enumerate(whole.shape) if length > MAX_ORDER + 1]
    candidates = []
    for axis_orders in product(range(1, MAX_ORDER + 1), repeat=len(axes)):
        orders = [0] * whole.ndim
        for axis, order in zip(axes, axis_orders, strict=True):
            orders[axis] = order
        candidates.append(RoundedChances(_differences(whole, orders), bits, tuple(orders)))
    return min(candidates, key=lambda rounded: _bit_lengths(rounded.differences).sum())


def _bit_lengths(numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return how many bits the absolute value of each number has; 0 has none."""
    _, exponents = np.frexp(np.abs(numbers).astype(np.float64))
    return exponents


def _differences(whole: NDArray[np.int32], orders: Sequence[int]) -> NDArray[np.int32]:
    """Return differences along each axis, so often; what is before the first number counts as 0."""
    for axis, order in enumerate(orders):
        for _ in range(order):
            whole = np.diff(whole, axis=axis, prepend=np.int32(0))
    return whole


def _byte_planes(numbers: NDArray[Any]) -> bytes:
    """Return the lowest bytes of all numbers, then their second bytes, and so on."""
    size = numbers.dtype.itemsize
    plain = np.ascontiguousarray(numbers).astype(numbers.dtype.newbyteorder("<")).reshape(-1)
    return plain.view(np.uint8).reshape(-1, size).T.tobytes()


def _compressed_size(parts: Iterable[bytes]) -> int:
    """Return how many bytes all parts take when they are compressed quickly."""
    return sum(len(zlib.compress(part, 1)) for part in parts)
