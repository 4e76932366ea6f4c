"""A frame from many leads side by side, and bounds of a fixed point.

Entered points add to the shooter's lead. So the payoffs for all leads are one row of values by the lead after the
frame, along which the kernel slides. No payoffs are written out for each lead.

*An extra frame* has one unknown, x = f(x). Here f(x) is the first shooter's value if the next extra frame is worth x to
whoever begins it. The first roll of every frame is Big Scarney with probability 1/216, so f is a contraction and x is
unique. f is a maximum of straight lines. The slope of the current one is the probability that totals are equal again.
It is computed along with the value, so Newton's method takes a step or two. f is also monotone. So the solution is
between x - e and x + e if f(x + e) <= x + e and f(x - e) >= x - e, with the errors of f counted against them.
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
    """The same frame from consecutive leads, with one row of payoffs that serves all of them.

    Attributes:
        turn: the frame, compiled for one row of payoffs that all lanes share.
        payoffs: (channels, levels, leads + cap) the payoffs by the lead after the frame, and by chips spent in it.
            Entering t points from the lead with index p pays ``payoffs[:, spent, p + t]``. t = 0 is crapping out, a
            frame without points.
        cap: the points at which the tables end.
        big_scarney_payoff: the payoff of Big Scarney, five alike at once, in channel 0. The other channels get 0.
    """

    turn: PushTurn
    payoffs: Doubles
    cap: int
    big_scarney_payoff: float

    def solve(
        self,
        *,
        inner: bool = False,
        follow: Decisions | None = None,
        threads: int = 1,
        pool: ThreadPool | None = None,
    ) -> TurnValue:
        """Solve the frame from every lead, one lane for each; lanes are filled up to whole blocks.

        Args:
            inner: also return the values inside the frames.
            follow: decisions to follow instead of the best ones, as ``PushTurn.solve`` takes them.
            threads: the largest number of threads.
            pool: threads that share the lanes.
        """
        channels, levels, payoff_count = self.payoffs.shape
        lead_count = payoff_count - self.cap
        lanes = round_up_to_blocks(lead_count)
        # Bank payoffs are one row for each number of chips spent, side by side. In the row, the payoff of entering t
        # points in lane i is at t + i. The lanes of the padding read copies of the last payoff.
        row_length = self._bank_row_length(lanes)
        bank_payoffs = np.repeat(self.payoffs[:, :, -1:], row_length, axis=2)
        bank_payoffs[:, :, :payoff_count] = self.payoffs
        # The special endings are crapping out with 0, 1, ... chips spent (``levels`` endings), and then Big Scarney.
        # Crapping out pays what entering no points does.
        special_payoffs = np.zeros((channels, self.turn.special_count, lanes))
        special_payoffs[:, :levels] = bank_payoffs[:, :, :lanes]
        big_scarney = levels  # the index of this ending
        special_payoffs[0, big_scarney] = self.big_scarney_payoff
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
        """Return the length of the row of bank payoffs that belongs to one number of chips spent.

        If chips count, the frame was compiled for a certain length (see ``ScarneyRules.compile_frame``). It is read
        from the index at which the last row begins.

        Args:
            lanes: the number of lanes.
        """
        levels = self.payoffs.shape[1]
        if levels == 1:  # chips do not count, so there is one row
            bank_endings = self.cap + 1  # 0, 1, ..., cap points entered
            return bank_endings + lanes  # the length that ``PushTurn.solve`` requires; it does not read the last entry
        # In the compiled frame the row for k chips begins at k times the length. The last row is that for levels - 1.
        last_row_start = max(mode.bank_ending for mode in self.turn.modes if mode.bank_ending is not None)
        length: int = last_row_start // (levels - 1)
        return length


def bound_fixed_point(
    evaluate: Callable[[float], tuple[float, float]], guess: float, error: float, is_upper: bool
) -> float:
    """Find a close upper or lower bound of a fixed point x = f(x), by Newton's method.

    f is monotone and a contraction. So b is an upper bound if f(b) <= b, and a lower bound if f(b) >= b.

    Args:
        evaluate: returns f(b) and the slope of f at a point b. The computed f(b) is wrong by at most twice ``error``.
        guess: the first point.
        error: the rounding and truncation error of one frame; f(b) takes two frames.
        is_upper: True for an upper bound, False for a lower one.

    Raises:
        SolveError: no bound was found.
    """
    outward = 1 if is_upper else -1  # the sign of a change that makes a bound weaker
    value_error = 2 * error  # of the computed f(b)
    for _ in range(MAX_ROUNDS):
        value, slope = evaluate(guess)
        margin = (guess - value) * outward  # by which the computed value fulfils the inequality
        # A margin of at least the error proves the inequality. A much larger one means that the bound is not close.
        if value_error <= margin <= BOUND_MARGIN * value_error:
            return guess
        # Newton's step leads to the fixed point of the straight line through this value. The next guess is d outward of
        # there, with d = BOUND_MARGIN ``error``. On the line the margin is d (1 - slope). As the slope is small, that
        # exceeds ``value_error``.
        newton_step = (value - guess) / (1 - min(max(slope, 0.0), MAX_SLOPE))
        guess += newton_step + outward * BOUND_MARGIN * error
    raise SolveError("the values of the extra frames did not converge")
