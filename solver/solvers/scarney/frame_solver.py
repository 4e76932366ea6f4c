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

MAX_ROUNDS = 100  # of Newton's method; two or three are usual
MAX_SLOPE = 0.99  # slopes are below 1; this keeps Newton steps finite if rounding says otherwise
BOUND_MARGIN = 8  # errors of a frame between a proved bound and the computed value
LANES_PER_THREAD = 64  # fewer are not worth another thread


class SlidingFrames(NamedTuple):
    """Frames from consecutive places, with the payoffs of their endings.

    Attributes:
        turn: the frame, compiled for tables that slide along all places.
        payoffs: (channels, levels, places + cap) the payoffs of entering points, by chips spent in the frame. Entering
            t points at place p pays ``payoffs[:, spent, p + t]``; t = 0 is crapping out, a frame without points.
        cap: the points at which the tables end.
        big: the payoff of Big Scarney, five alike at once, in channel 0. The other channels get 0.
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
        """Solve the frames, one lane for each place.

        Args:
            inner: also return the values inside the frames.
            follow: decisions to follow instead of the best ones, as ``PushTurn.solve`` takes them.
            threads: the largest number of threads.
            pool: threads that share the lanes.
        """
        channels, levels, width = self.payoffs.shape  # ``levels`` is how many numbers of chips can be spent, from 0 on
        lanes = round_up_to_blocks(width - self.cap)
        # The kernel reads the payoff of a bank at ending + lane: one row for each number of chips spent, side by side.
        row_length = self._bank_row_length(lanes)
        bank_payoffs = np.repeat(self.payoffs[:, :, -1:], row_length, axis=2)  # rows end in copies of their last payoff
        bank_payoffs[:, :, :width] = self.payoffs
        # The special endings are crapping out, by chips spent, and then Big Scarney. Crapping out pays what entering no
        # points does.
        special_payoffs = np.zeros((channels, self.turn.special_count, lanes))
        special_payoffs[:, :levels] = bank_payoffs[:, :, :lanes]
        special_payoffs[0, levels] = self.big
        return self.turn.solve(
            special_payoffs,
            np.full(lanes, self.cap, dtype=np.int32),
            sliding_payoff=bank_payoffs.reshape(channels, -1),
            inner=inner,
            fixed_decisions=follow,
            pool=pool,
            threads=min(threads, lanes // LANES_PER_THREAD + 1),
        )

    def _bank_row_length(self, lanes: int) -> int:
        """Return the distance between the banks with some number of chips spent and those with one more.

        The frame was compiled for it (see ``ScarneyRules.compile_frame``), so its last banks tell it.

        Args:
            lanes: the number of lanes.
        """
        levels = self.payoffs.shape[1]
        if levels == 1:
            return self.cap + 1 + lanes
        # The banks with k chips spent begin at k times this distance, those with the most at levels - 1 times.
        last_bank = max(mode.bank_ending for mode in self.turn.modes if mode.bank_ending is not None)
        length: int = last_bank // (levels - 1)
        return length


def bound_fixed_point(
    evaluate: Callable[[float], tuple[float, float]], guess: float, error: float, is_upper: bool
) -> float:
    """Find a close upper or lower bound of a fixed point x = f(x), by Newton's method.

    An upper bound b is proved by f(b) <= b, a lower bound by f(b) >= b.

    Args:
        evaluate: returns the value f(b) and the slope of f at a point b. f is monotone and a contraction, and the value
            is computed within twice ``error``.
        guess: the first point.
        error: half the error of values.
        is_upper: whether an upper bound is needed.

    Raises:
        SolveError: no bound was found.
    """
    outward = 1 if is_upper else -1
    for _ in range(MAX_ROUNDS):
        value, slope = evaluate(guess)
        margin = (guess - value) * outward  # by which the computed value fulfils the inequality
        # The computed value may be wrong by twice the error, so a margin of as much proves the inequality. A much
        # larger margin would be proved too, but the bound would not be close.
        if 2 * error <= margin <= 2 * BOUND_MARGIN * error:
            return guess
        # Newton's step leads to where the line with this slope meets its own value. Some errors outward of there the
        # inequality holds with a margin.
        newton_step = (value - guess) / (1 - min(max(slope, 0.0), MAX_SLOPE))
        guess += newton_step + outward * BOUND_MARGIN * error
    raise SolveError("the values of the extra frames did not converge")
