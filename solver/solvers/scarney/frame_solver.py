"""A frame from many leads side by side, and bounds of a fixed point.

Points add to the lead: the *place* of a standing on one axis. So the payoffs of all places are one row of values, along
which the kernel slides. No payoffs are written out for each place.

*An extra frame* has one unknown, x = f(x). Here f(x) is the first shooter's value if the next extra frame is worth x to
whoever begins it. The first roll of every frame is Big Scarney with probability 1/216, so f is a contraction and x is
unique. f is a maximum of straight lines. The slope of the current one is the probability that all is level again. It is
computed along with the value, so Newton's method takes a step or two. f is also monotone. So the solution is between
x - e and x + e if f(x + e) <= x + e and f(x - e) >= x - e, with the errors of f counted against them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...turns.push_turn import Decisions, Doubles, PushTurn, TurnValue, round_up_to_blocks
from ...util.errors import SolveError
from ...util.threads import ThreadPool

MAX_ROUNDS = 100
BOUND_MARGIN = 8  # errors of a frame between a proved bound and the computed value
LANES_PER_THREAD = 64


class SlidingFrames(NamedTuple):
    """Frames from consecutive places, with the payoffs of their endings.

    Attributes:
        turn: the frame, compiled for tables that slide along all places.
        after: (channels, levels, places + cap) the payoffs of entering points, by chips spent in the frame. Entering t
            points at place p pays ``payoffs[:, spent, p + t]``; t = 0 is crapping out.
        cap: the points at which the tables end.
        big: the payoff of Big Scarney in channel 0.
    """

    turn: PushTurn
    payoffs: Doubles
    cap: int
    big: float

    def solve(
        self,
        *,
        inner: bool = False,
        follow: Decisions | None = None,
        threads: int = 1,
        pool: ThreadPool | None = None,
    ) -> TurnValue:
        """Solve the frames; the arguments are those of ``PushTurn.solve``."""
        turn, payoffs = self.turn, self.payoffs
        channels, levels, width = payoffs.shape
        lanes = round_up_to_blocks(width - self.cap)
        block = max(mode.bank_ending or 0 for mode in turn.modes) // max(levels - 1, 1) or self.cap + 1 + lanes
        slide = np.repeat(payoffs[:, :, -1:], block, axis=2)
        slide[:, :, :width] = payoffs
        special = np.zeros((channels, turn.special_count, lanes))
        special[:, :levels] = slide[:, :, :lanes]
        special[0, levels] = self.big
        caps = np.full(lanes, self.cap, dtype=np.int32)
        threads = min(threads, lanes // LANES_PER_THREAD + 1)
        return turn.solve(
            special,
            caps,
            sliding_payoff=slide.reshape(channels, -1),
            inner=inner,
            fixed_decisions=follow,
            pool=pool,
            threads=threads,
        )


def bound_fixed_point(
    evaluate: Callable[[float], tuple[float, float]], guess: float, error: float, is_upper: bool
) -> float:
    """Return a close upper or lower bound of a fixed point, by Newton's method.

    Args:
        evaluate: returns the value and the slope of a contraction at a point, computed within twice ``error``.
        guess: the first point.
        error: half the error of values.
        is_upper: whether an upper bound is needed.

    Raises:
        SolveError: no bound was found.
    """
    side = 1 if is_upper else -1
    for _ in range(MAX_ROUNDS):
        value, slope = evaluate(guess)
        if 2 * error <= (guess - value) * side <= 2 * BOUND_MARGIN * error:
            return guess
        guess += (value - guess) / (1 - min(max(slope, 0.0), 0.99)) + side * BOUND_MARGIN * error
    raise SolveError("the extra frames did not settle")
