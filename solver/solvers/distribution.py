"""Probability distributions over whole numbers of points."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

QUANTILES: Sequence[float] = (0.05, 0.25, 0.5, 0.75, 0.95)
QUANTILE_TOLERANCE = 2.0**-40  # for rounding: no float equals 1/20, and sums of probabilities round


@dataclass(frozen=True)
class Distribution:
    """A probability distribution over totals, which are whole numbers of points.

    Attributes:
        totals: the totals with a positive probability, in ascending order.
        chances: the probability of each of them: fractions if they are exact, else floats.
        mean, standard_deviation: of the distribution; the mean is a fraction if the probabilities are.
    """

    totals: tuple[int, ...]
    chances: tuple[float | Fraction, ...]

    @classmethod
    def from_probabilities(cls, chances: Mapping[int, float | Fraction]) -> Distribution:
        """Return the distribution in which each key of ``chances``, a total, has its value as the probability.

        Totals of probability 0 are left out.
        """
        totals = tuple(sorted(total for total, chance in chances.items() if chance))
        return cls(totals, tuple(chances[total] for total in totals))

    @property
    def mean(self) -> float | Fraction:
        """The expected total, as a fraction if the probabilities are fractions."""
        return sum(total * chance for total, chance in zip(self.totals, self.chances, strict=True))

    @property
    def standard_deviation(self) -> float:
        """The square root of the variance."""
        mean = self.mean
        squared_deviations = [(total - mean) ** 2 for total in self.totals]
        variance = sum(float(square * chance) for square, chance in zip(squared_deviations, self.chances, strict=True))
        return math.sqrt(variance)

    def at_least(self, total: int) -> float | Fraction:
        """Return the probability of ``total`` or more."""
        first = bisect_left(self.totals, total)  # the index of the first total that is large enough
        return sum(self.chances[first:])

    def quantile(self, share: float) -> int:
        """Return a quantile: the smallest total t such that the probability of t or less is at least ``share``.

        A probability that falls short by no more than ``QUANTILE_TOLERANCE`` counts too, because of rounding.

        Args:
            share: a probability; 0.5 asks for the median.
        """
        cumulative: float | Fraction = 0
        for total, chance in zip(self.totals, self.chances, strict=True):
            cumulative += chance
            if cumulative >= share - QUANTILE_TOLERANCE:
                return total
        return self.totals[-1]

    def as_json(self) -> dict[str, Any]:
        """Return the distribution as JSON data; exact fractions are added as text beside the floats.

        The lists ``totals``, ``chances`` and ``fractions`` have one entry for each total that can occur.
        """
        data: dict[str, Any] = {
            "mean": float(self.mean),
            "standard_deviation": self.standard_deviation,
            "totals": list(self.totals),
            "chances": [float(chance) for chance in self.chances],
        }
        if all(isinstance(chance, Fraction) for chance in self.chances):
            data["mean_fraction"] = str(self.mean)
            data["fractions"] = [str(chance) for chance in self.chances]
        return data
