"""Numbers that come out of a sweep over everything and are needed to begin it: guesses, mixed of the last results.

As long as the choices stand a sweep is linear. So the next guess is that mixture of the last sweeps' results that would
have moved least if it were (Anderson, Iterative procedures for nonlinear integral equations, J. ACM 1965).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..turns.push_turn import Doubles

PATIENCE = 8  # sweeps in which a guess does not come to stand half as close as it ever did
LATE = 256  # the same where what is lost may come round late
MEMORY = 8  # sweeps that the next guess is drawn from
ROW = 512


def mix(
    sweep: Callable[[Doubles], Doubles],
    guess: Doubles,
    allowed: float,
    least: Doubles | float = 0.0,
    most: Doubles | float = 1.0,
    patience: int = PATIENCE,
) -> tuple[Doubles, float]:
    """Sweep from guesses, each from ``least`` to ``most``, until one comes out as it went in, within what is allowed,
    or in so many sweeps no closer; returns the best, and how far it moved (in parts of numbers above 1).
    """
    mixture, best = Mixture(), guess
    closest, stalled = np.inf, 0
    while stalled < patience and closest > allowed:
        made = sweep(guess)
        off = float(np.abs(made - guess).max(initial=0.0)) / max(1.0, float(np.abs(made).max(initial=0.0)))
        stalled = 0 if off < closest / 2 else stalled + 1
        if off < closest:
            closest, best = off, guess
        guess = mixture.next(made, made - guess).clip(least, most)
    return guess if closest <= allowed else best, closest


class Mixture:
    """The last results and how far each had moved."""

    def __init__(self) -> None:
        self.before: list[tuple[Doubles, Doubles]] = []

    def next(self, made: Doubles, moved: Doubles) -> Doubles:
        """The mixture of results whose moves cancel best: least squares by orthogonal differences."""
        basis: list[tuple[Doubles, Doubles]] = []
        for earlier_made, earlier_moved in reversed(self.before):
            step, change = made - earlier_made, moved - earlier_moved
            size = _inner(change, change)
            for other_step, other_change in basis:
                share = _inner(change, other_change) / _inner(other_change, other_change)
                step, change = step - share * other_step, change - share * other_change
            if _inner(change, change) > 2.0**-30 * size:  # else it says nothing new
                basis.append((step, change))
        self.before = [*self.before[1 - MEMORY :], (made, moved)]
        for step, change in basis:
            share = _inner(moved, change) / _inner(change, change)
            made, moved = made - share * step, moved - share * change
        return made


def _inner(one: Doubles, other: Doubles) -> float:
    """The inner product, the same on every machine: long ones row by row first, numbers of a column in their order."""
    products = one * other
    if len(products) > 8 * ROW:
        whole = len(products) // ROW * ROW
        products = np.concatenate([products[:whole].reshape(-1, ROW).sum(axis=0), products[whole:]])
    return math.fsum(products.tolist())
