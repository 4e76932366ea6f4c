"""Scores that a throw can lose as a whole: what it is worth to face a wiped score, enclosed.

A race with such throws is one component: what faces a wiped score is worth is needed from the first layer on and comes
out of the last. A *sweep* over all layers takes a guess, middle m and gap g, and says what then comes out, m' and g'.
An enclosure is found where what comes out lies within what went in,

    |m' - m| + (g' - g) / 2 <= what the sweep's own d allows for.

First the middle is settled, without a gap, down to the rounding of a whole sweep. Then it stays, and the gap is found,
with some room: as much as it takes for the middle's noise and for choices that tie, which may have different gaps.

As long as the choices stand a sweep is linear. So the next guess is that mixture of the last sweeps' results that would
have moved least if it were (Anderson, Iterative procedures for nonlinear integral equations, J. ACM 1965).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...errors import SolveError
from ...turns.push import Doubles

MOST_SWEEPS = 400
PATIENCE = 8  # sweeps in which the middle does not come to stand half as close as it ever did
MEMORY = 8  # sweeps that the next guess is drawn from
SPARE = 2.0**-6  # room for the gap at first


def enclose_wiped(sweep: Callable[[Doubles, Doubles], tuple[Doubles, Doubles]], size: int, allowed: float) -> None:
    """Sweep until middle and gap, of so many scores, enclose what comes out.

    Raises:
        SolveError: they do not come to that.
    """
    gap = np.zeros(size)
    best, _ = settle_wiped(lambda middle: sweep(middle, gap)[0], np.full(size, 0.5), allowed / 4)
    mixture, spare = Mixture(), SPARE
    for _ in range(MOST_SWEEPS):
        made, needed = sweep(best, gap)
        if float((np.abs(made - best) + (needed - gap) / 2).max()) <= allowed:
            return
        if (needed <= gap).all():
            spare *= 2
        gap = mixture.next(needed, needed - gap).clip(0.0, 1.0) * (1 + spare)
    raise SolveError("the scores that are lost as a whole did not settle")


def settle_wiped(
    sweep: Callable[[Doubles], Doubles],
    guess: Doubles,
    allowed: float,
    most: Doubles | float = 1.0,
    patience: int = PATIENCE,
) -> tuple[Doubles, float]:
    """Sweep from guesses, each from 0 to ``most``, until one comes out as it went in, within what is allowed, or in so
    many sweeps no closer; returns the best, and how far it moved.
    """
    mixture, best = Mixture(), guess
    least, stalled = np.inf, 0
    while stalled < patience and least > allowed:
        made = sweep(guess)
        off = float(np.abs(made - guess).max())
        stalled = 0 if off < least / 2 else stalled + 1
        if off < least:
            least, best = off, guess
        guess = mixture.next(made, made - guess).clip(0.0, most)
    return best, least


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
    """The inner product, the same on every machine."""
    return math.fsum((one * other).tolist())
