"""Histograms in few lines of text: ranges of values with the amount in each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeVar

Amount = TypeVar("Amount", int, float)

MAX_BARS = 24
WIDTH_TOLERANCE = 1e-9  # relative: a width that is 2 but for rounding stays 2


def histogram(counts: Mapping[float, Amount], max_bars: int = MAX_BARS) -> list[tuple[str, Amount]]:
    """Return the bars of a histogram, in ascending order of values.

    Up to ``max_bars`` values have a bar each. With more values, a bar is a range of values, whose width is 1, 2 or 5
    times a power of ten. Ranges begin at multiples of their width, so there may be one bar more than ``max_bars``.

    Args:
        counts: by value, in ascending order: how often it occurs, or its share.
        max_bars: the number of bars.

    Returns:
        Pairs of a label and the amount in the bar: ``("7", 12)``, or ``("10 to 14", 12)`` for a range.
    """
    if len(counts) <= max_bars:
        return [(f"{value:,g}", count) for value, count in counts.items()]
    covered_values = max(counts) - min(counts) + 1  # from the least to the largest, if all values are whole numbers
    width = _next_round_number(covered_values / max_bars)
    bars: dict[int, Amount] = {}  # bar i is the range from i * width up to, but without, (i + 1) * width
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
            label = f"{begin:,g} to {end - 1:,g}"  # the whole numbers in the range; the next bar begins at ``end``
        else:
            label = f"{begin:,g} to {end:,g}"
        rows.append((label, bars.get(index, 0)))
    return rows


def _next_round_number(width: float) -> float:
    """Return the smallest number of .., 0.5, 1, 2, 5, 10, 20, .. that is at least ``width``, up to rounding errors."""
    power_of_ten = 10.0 ** math.floor(math.log10(width))  # the largest that is not above the width
    rounded_width = width * (1 - WIDTH_TOLERANCE)
    return next(step * power_of_ten for step in (1, 2, 5, 10) if step * power_of_ten >= rounded_width)
