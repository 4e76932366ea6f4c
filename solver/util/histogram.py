"""Many values in few lines: ranges of them, with how many fall in each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeVar

Amount = TypeVar("Amount", int, float)

MAX_BARS = 24


def histogram(counts: Mapping[float, Amount], max_bars: int = MAX_BARS) -> list[tuple[str, Amount]]:
    """A histogram in no more than so many lines: what they stand for, and how many games, or what share of them."""
    if len(counts) <= max_bars:
        return [(f"{value:,g}", count) for value, count in counts.items()]
    low, high = min(counts), max(counts)
    wide = _round_up((high - low + 1) / max_bars)
    bins: dict[int, Amount] = {}
    for value, count in counts.items():
        place = math.floor(value / wide)
        bins[place] = bins.get(place, 0) + count
    first, last = min(bins), max(bins)
    whole = all(float(value).is_integer() for value in counts)
    lines = []
    for place in range(first, last + 1):
        begin, end = place * wide, (place + 1) * wide
        to = end - 1 if whole else end
        told = f"{begin:,g}" if whole and wide <= 1 else f"{begin:,g} to {to:,g}"
        lines.append((told, bins.get(place, 0)))
    return lines


def _round_up(width: float) -> float:
    """The next of 1, 2, 5, 10, ..."""
    unit = 10.0 ** math.floor(math.log10(width))
    return next(step * unit for step in (1, 2, 5, 10) if step * unit >= width * (1 - 1e-9))
