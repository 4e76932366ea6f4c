"""Histograms in few lines of text: ranges of values with the amount in each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeVar

Amount = TypeVar("Amount", int, float)

MAX_BARS = 24
WIDTH_TOLERANCE = 1e-9  # relative: a width that is 2 but for rounding stays 2


def histogram(counts: Mapping[float, Amount], max_bars: int = MAX_BARS) -> list[tuple[str, Amount]]:
    """Return a histogram as pairs of a label and an amount.

    Args:
        counts: the amount of each value: a number of games, or a share of them.
        max_bars: the number of values up to which each has its own bar. With more values, a bar is a range of values,
            whose width is 1, 2 or 5 times a power of ten. There may be one bar more if the ranges do not begin at the
            smallest value.

    Returns:
        Pairs such as ``("7", 12)``, or ``("10 to 14", 12)`` for a range.
    """
    if len(counts) <= max_bars:
        return [(f"{value:,g}", count) for value, count in counts.items()]
    width = _round_up((max(counts) - min(counts) + 1) / max_bars)
    bars: dict[int, Amount] = {}  # bar i is the range from i width to (i + 1) width
    for value, count in counts.items():
        index = math.floor(value / width)
        bars[index] = bars.get(index, 0) + count
    has_whole_values = all(float(value).is_integer() for value in counts)
    rows = []
    for index in range(min(bars), max(bars) + 1):
        begin = index * width
        end = (index + 1) * width
        if has_whole_values and width <= 1:
            label = f"{begin:,g}"
        elif has_whole_values:
            label = f"{begin:,g} to {end - 1:,g}"  # the next bar begins at ``end``
        else:
            label = f"{begin:,g} to {end:,g}"
        rows.append((label, bars.get(index, 0)))
    return rows


def _round_up(width: float) -> float:
    """Return the smallest of .., 0.5, 1, 2, 5, 10, 20, .. that is not below a width."""
    power_of_ten = 10.0 ** math.floor(math.log10(width))
    smallest = width * (1 - WIDTH_TOLERANCE)
    return next(step * power_of_ten for step in (1, 2, 5, 10) if step * power_of_ten >= smallest)
