"""Straight Scarney of two players for the win, and what a fixed policy wins against the optimal one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...core.push import LANES
from ...turns.push_turn import Decisions, Doubles
from ..problem import ValueTable
from .frame_solver import SlidingFrames
from .two_player import TwoPlayerScarneyProblem

LANES_PER_CALL = 8 * LANES  # leads for which a policy is evaluated at a time, so that its decisions fit in memory
# Errors of one frame that a policy's value contains for each frame of the match: 4 for both shooters in two channels,
# and a reserve for the extra frames.
ERRORS_PER_FRAME = 16
# A policy: ``decide(rows)`` returns its decisions in a frame, as a table of so many rows. ``decide(rows, missing=n)``
# returns those of the last frame's second shooter, who needs n points to draw level.
DecideFrame = Callable[..., Decisions]


class ScarneyWinProblem(TwoPlayerScarneyProblem):
    """Probability of winning if both players play optimally."""

    def against_best(self, value_table: ValueTable, decide: DecideFrame, seat: int) -> float:
        """Return the probability of winning with a fixed policy against optimal play.

        An extra frame is the last frame from equal totals on. Its value x is linear in the value of the next one:
        x = v(0) + (v(1) - v(0)) x, so x = v(0) / (1 - (v(1) - v(0))).

        Args:
            value_table: the value table.
            decide: ``decide(rows)`` returns the policy's decisions of a frame. With ``missing=points`` it returns
                those of the last frame's second shooter who is so far behind.
            seat: the seat of the policy's player.
        """
        # v(0) and v(1): one frame of each player, after which a tie is worth 0 or 1.
        if_tie_loses = self._policy_value(value_table, decide, seat, frames=1, tie=0.0)
        if_tie_wins = self._policy_value(value_table, decide, seat, frames=1, tie=1.0)
        extra_frame = if_tie_loses / (1 - (if_tie_wins - if_tie_loses))
        return self._policy_value(value_table, decide, seat, self.rules.frames, extra_frame)

    def _policy_value(self, value_table: ValueTable, decide: DecideFrame, seat: int, frames: int, tie: float) -> float:
        """Return a policy's probability of winning against optimal play, from equal totals on.

        Frames are evaluated by retrograde analysis. The optimal player maximizes the values of the table.

        Args:
            value_table: the value table.
            decide: the policy, as in ``against_best``.
            seat: the seat of the policy's player.
            frames: the frames of each player that are left.
            tie: the policy's probability of winning if totals are equal after the last frame.
        """
        model = self.model
        first, second = self.tables(value_table)  # optimal values by shooter: (frames left, pots, leads)
        decide_first = decide if seat == 0 else None
        decide_second = decide if seat == 1 else None
        # The policy's probability after the last frame, by the lead of the second shooter.
        leads = np.arange(-self.extent.max_lead, self.extent.max_lead + 1)
        own_leads = leads if seat == 1 else -leads
        probability = (own_leads > 0) + tie * (own_leads == 0)
        pot = 1  # the win itself; nobody adds to it, so it is the only pot of the tables
        for frames_left in range(frames):
            is_last = frames_left == 0
            # The second shooter's frame comes last, so it is evaluated first. Payoffs are (chips spent, leads) with no
            # chips to spend.
            if is_last:
                best_payoffs = model.payoffs_after_last(value_table.arrays["level"], pot, pot)
            else:
                best_payoffs = model.payoffs_after(pot, first[frames_left - 1], pot)
            # The lead of one shooter is that of the other with the opposite sign, so the order is reversed.
            probability = self._follow_frame(best_payoffs[0], probability, decide_second, is_last)[::-1]
            best_payoffs = model.payoffs_after(pot, second[frames_left], pot)
            probability = self._follow_frame(best_payoffs[0], probability, decide_first, is_last=False)[::-1]
        no_lead = self.extent.max_lead  # the index of lead 0
        return float(probability[no_lead])

    def _follow_frame(self, best: Doubles, probability: Doubles, decide: DecideFrame | None, is_last: bool) -> Doubles:
        """Return a policy's probability of winning before a frame, by the shooter's lead: (leads,).

        If the policy's player shoots, its decisions are followed. Otherwise the shooter plays optimally.

        Args:
            best: (leads,) the optimal player's payoffs after the frame, by the shooter's lead; used if that player
                shoots.
            probability: (leads,) the policy's probability after the frame, by the shooter's lead.
            decide: the policy if its player shoots, else None.
            is_last: whether no frame follows, so that the policy may depend on the points that are missing.
        """
        cap = self.extent.cap
        max_lead = self.extent.max_lead
        turn = self.model.sliding_turn
        rows = turn.row_count(cap)  # of the table of decisions
        # The frame's choices maximize channel 0; other channels are evaluated along these choices. Channel 0 is the
        # shooter's: of the optimal player, or of the policy if it shoots. Big Scarney pays the win to channel 0 only.
        channels = [best, probability] if decide is None else [probability]
        payoffs = np.stack(channels)[:, None]  # (channels, 1, leads after the frame): no chips are spent
        decisions_at_any_lead = None if decide is None or is_last else decide(rows)
        values = np.empty(2 * max_lead + 1)  # by lead before the frame
        for begin in range(0, len(values), LANES_PER_CALL):
            # Each lane begins with another lead. The leads after the frame are these and up to ``cap`` points more.
            leads_before = np.arange(begin, begin + LANES_PER_CALL) - max_lead
            leads_after = np.arange(begin, begin + LANES_PER_CALL + cap) - max_lead
            decisions: Decisions | None = None  # (.., .., lanes), to be followed in place of the best ones
            if decisions_at_any_lead is not None:
                decisions = np.repeat(decisions_at_any_lead[:, :, None], LANES_PER_CALL, axis=2)
            elif decide is not None:
                by_lead = [decide(rows, missing=-lead) for lead in leads_before.tolist()]
                decisions = np.stack(by_lead, axis=2)
            columns = np.clip(leads_after, -max_lead, max_lead) + max_lead  # a lead beyond the largest counts as that
            frames = SlidingFrames(turn, payoffs[..., columns], cap, big=1.0)
            policy_values = frames.solve(follow=decisions).value[-1]  # the last channel, by lane
            values[begin : begin + LANES_PER_CALL] = policy_values[: len(values) - begin]
        return values

    def against_best_error_bound(self, value_table: ValueTable) -> float:
        """Return the error bound of ``against_best``."""
        return value_table.error_bound + ERRORS_PER_FRAME * self.rules.frames * self.model.error(1)
