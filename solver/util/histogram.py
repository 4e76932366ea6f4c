"""Histograms in few lines of text: ranges of values with the amount in each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeVar

Amount = TypeVar("Amount", int, float)

MAX_BARS = 24


def histogram(counts: Mapping[float, Amount], max_bars: int = MAX_BARS) -> list[tuple[str, Amount]]:
    """Return a histogram as pairs of a label and an amount.

    Args:
        counts: the amount of each value: a number of games, or a share of them.
        max_bars: the number of values up to which each has its own bar. With more values, a bar is a range of values,
            whose width is 1, 2 or 5 times a power of ten. There may be one bar more if the ranges do not begin at the
            smallest value.
    """
    if len(counts) <= max_bars:
        return [(f"{value:,g}", count) for value, count in counts.items()]
    lowest, highest = min(counts), max(counts)
    width = _round_up((highest - lowest + 1) / max_bars)
    bars: dict[int, Amount] = {}
    for value, count in counts.items():
        index = math.floor(value / width)
        bars[index] = bars.get(index, 0) + count
    is_whole = all(float(value).is_integer() for value in counts)
    lines = []
    for index in range(min(bars), max(bars) + 1):
        begin, end = index * width, (index + 1) * width
        last = end - 1 if is_whole else end
        label = f"{begin:,g}" if is_whole and width <= 1 else f"{begin:,g} to {last:,g}"
        lines.append((label, bars.get(index, 0)))
    return lines


def _round_up(width: float) -> float:
    """Return the next of 1, 2, 5, 10, ..."""
    unit = 10.0 ** math.floor(math.log10(width))
    return next(step * unit for step in (1, 2, 5, 10) if step * unit >= width * (1 - 1e-9))
