"""Whole distributions: what a total comes to, with every chance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Distribution:
    """Chances of whole numbers: ``totals`` ascending and their ``chances``, floats or, where exact, fractions."""

    totals: tuple[int, ...]
    chances: tuple[float | Fraction, ...]

    @classmethod
    def of(cls, chances: Mapping[int, float | Fraction]) -> Distribution:
        """Make one from a mapping; totals that cannot occur are left out."""
        found = sorted((total, chance) for total, chance in chances.items() if chance)
        return cls(tuple(total for total, _ in found), tuple(chance for _, chance in found))

    @property
    def mean(self) -> float | Fraction:
        """Expected total; a fraction where the chances are."""
        return sum(total * chance for total, chance in zip(self.totals, self.chances, strict=True))

    @property
    def standard_deviation(self) -> float:
        """Root of the expected square of the distance from the mean."""
        mean = self.mean
        return math.sqrt(sum(float((t - mean) ** 2 * c) for t, c in zip(self.totals, self.chances, strict=True)))

    def at_least(self, total: int) -> float | Fraction:
        """Chance of at least this total."""
        return sum(chance for t, chance in zip(self.totals, self.chances, strict=True) if t >= total)

    def quantile(self, share: float) -> int:
        """The least total that is not passed with a chance of at least ``share``, to ``SLACK``."""
        below: float | Fraction = 0
        for total, chance in zip(self.totals, self.chances, strict=True):
            below += chance
            if below >= share - SLACK:
                return total
        return self.totals[-1]

    def as_json(self) -> dict[str, Any]:
        """The distribution in the shape that scripts rely on; fractions as text beside the floats."""
        shape: dict[str, Any] = {
            "mean": float(self.mean),
            "standard_deviation": self.standard_deviation,
            "totals": list(self.totals),
            "chances": [float(chance) for chance in self.chances],
        }
        if all(isinstance(chance, Fraction) for chance in self.chances):
            shape["mean_fraction"] = str(self.mean)
            shape["fractions"] = [str(chance) for chance in self.chances]
        return shape


QUANTILES: Sequence[float] = (0.05, 0.25, 0.5, 0.75, 0.95)
SLACK = 2.0**-40  # no float is 1/20, and sums of chances round: what misses a share by no more has come to it
