"""Straight Scarney of two players for the win, and what a fixed policy wins against the optimal one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

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
# A policy: ``decide(rows)`` returns its decisions in a frame, (rows, modes + roll classes); a row is for one number of
# turn points. ``decide(rows, missing=n)`` returns those of the last frame's second shooter, who needs n points to draw
# level: 0 or less if not behind.
DecideFrame = Callable[..., Decisions]


class ScarneyWinProblem(TwoPlayerScarneyProblem):
    """Probability of winning if both players play optimally.

    Arrays (leads,) are by the lead of the player who shoots, from ``-extent.max_lead`` to ``extent.max_lead``. Read
    backwards, they are by the lead of the other player.

    Attributes:
        rules, model: the rules of a frame, and the frames of two players.
        extent: where tables end: ``cap`` in points, ``max_lead`` in leads.
    """

    def against_best(self, value_table: ValueTable, decide: DecideFrame, seat: int) -> float:
        """Return the probability of winning with a fixed policy against optimal play.

        An extra frame is the last frame from equal totals on. Let v(t) be its value to the policy if a tie after it is
        worth t. Neither player's choices depend on t: the optimal player chooses by the value table. So v is linear.
        A tie is worth the value x of the next extra frame. So x = v(x) gives x = v(0) + (v(1) - v(0)) x, and
        x = v(0) / (1 - (v(1) - v(0))).

        Args:
            value_table: the value table.
            decide: the policy, see ``DecideFrame``.
            seat: the seat of the policy's player.
        """
        if_tie_loses = self._policy_value(value_table, decide, seat, frames=1, tie_value=0.0)  # v(0)
        if_tie_wins = self._policy_value(value_table, decide, seat, frames=1, tie_value=1.0)  # v(1)
        extra_frame_value = if_tie_loses / (1 - (if_tie_wins - if_tie_loses))  # x
        return self._policy_value(value_table, decide, seat, self.rules.frames, extra_frame_value)

    def _policy_value(
        self, value_table: ValueTable, decide: DecideFrame, seat: int, frames: int, tie_value: float
    ) -> float:
        """Return a policy's probability of winning against optimal play, from equal totals on.

        Frames are evaluated by retrograde analysis. In each frame of the opponent, the choices are those that are best
        by the value table.

        Args:
            value_table: the value table.
            decide: the policy, see ``DecideFrame``.
            seat: the seat of the policy's player.
            frames: the frames of each player that are left.
            tie_value: the policy's probability of winning if totals are equal after the last frame.
        """
        # The policy's probability of winning, by the lead of the shooter: first after the last frame, which seat 1
        # shoots, and then before one frame after another, from the last to the first.
        shooter_leads = np.arange(-self.extent.max_lead, self.extent.max_lead + 1)
        policy_leads = shooter_leads if seat == 1 else -shooter_leads
        probability = (policy_leads > 0) + tie_value * (policy_leads == 0)
        for frames_left, shooter in product(range(frames), (1, 0)):
            if shooter == seat:
                is_last = frames_left == 0 and shooter == 1
                probability = self._follow_policy(decide, probability, is_last)
            else:
                payoffs = self._best_payoffs(value_table, frames_left, shooter)
                probability = self._follow_best(payoffs, probability)
            # The other player shoots the frame before this one, and has this lead with the opposite sign.
            probability = probability[::-1]
        no_lead = self.extent.max_lead  # the index of lead 0
        return float(probability[no_lead])

    def _best_payoffs(self, value_table: ValueTable, frames_left: int, shooter: int) -> Doubles:
        """Return what a frame's ending is worth to its shooter if both players play optimally: (leads,).

        Args:
            value_table: the value table.
            frames_left: the frames of each player after this one.
            shooter: 0 for the player who shoots each frame first, 1 for the other.

        Returns:
            The payoffs by the shooter's lead after the frame.
        """
        model = self.model
        first, second = self.tables(value_table)  # optimal values by shooter: (frames left, pots, leads)
        pot = lowest_pot = 1  # the win itself; nobody adds to it, so it is also the lowest and only pot of the tables
        if shooter == 0:
            payoffs = model.payoffs_after(lowest_pot, second[frames_left], pot)
        elif frames_left:
            payoffs = model.payoffs_after(lowest_pot, first[frames_left - 1], pot)
        else:
            payoffs = model.payoffs_after_last(lowest_pot, value_table.arrays["level"], pot)
        by_lead: Doubles = payoffs[0]  # the only row, because no chips are spent
        return by_lead

    def _follow_best(self, payoffs: Doubles, probability: Doubles) -> Doubles:
        """Return the policy's probability of winning before a frame that the optimal player shoots: (leads,).

        Args:
            payoffs: (leads,) what the frame's ending is worth to the shooter, by the shooter's lead after it.
            probability: (leads,) the policy's probability after the frame, by the shooter's lead.
        """
        # The choices maximize channel 0, the shooter's payoffs. Channel 1 is evaluated along them.
        channels = np.stack([payoffs, probability])
        return self._evaluate_leads(channels, lambda leads: None)  # None: no decisions are prescribed

    def _follow_policy(self, decide: DecideFrame, probability: Doubles, is_last: bool) -> Doubles:
        """Return the policy's probability of winning before a frame that its player shoots: (leads,).

        Args:
            decide: the policy, see ``DecideFrame``.
            probability: (leads,) its probability after the frame, by the shooter's lead.
            is_last: whether no frame follows, so that the policy may depend on the points that are missing.
        """
        rows = self.model.sliding_turn.row_count(self.extent.cap)  # of a table of decisions
        payoffs = probability[None]  # (1, leads): the only channel
        if is_last:
            return self._evaluate_leads(payoffs, partial(_last_frame_decisions, decide, rows))
        decisions = decide(rows)  # (rows, modes + roll classes)
        same_in_every_lane = np.repeat(decisions[:, :, None], LANES_PER_CALL, axis=2)
        return self._evaluate_leads(payoffs, lambda leads: same_in_every_lane)

    def _evaluate_leads(self, payoffs: Doubles, decisions_of: Callable[[range], Decisions | None]) -> Doubles:
        """Evaluate a frame from every lead, one lane for each, and return the last channel: (leads,).

        Args:
            payoffs: (channels, leads) the payoffs by the shooter's lead after the frame. Big Scarney pays 1 in channel
                0 only.
            decisions_of: maps consecutive leads before the frame to the decisions that are made from them: (rows,
                modes + roll classes, leads), or None for decisions that maximize channel 0.
        """
        cap = self.extent.cap
        max_lead = self.extent.max_lead
        payoffs_by_chips = payoffs[:, None]  # (channels, 1, leads): no chips are spent
        values = np.empty(2 * max_lead + 1)  # by lead before the frame
        # The last batch goes on to leads beyond the largest, whose values are dropped at the end.
        for begin in range(0, len(values), LANES_PER_CALL):
            leads_before = range(begin - max_lead, begin - max_lead + LANES_PER_CALL)
            # Lane l begins with the lead ``leads_before[l]``. With 0, ..., ``cap`` points entered, it reads the payoffs
            # of ``leads_after`` from index l on. So ``cap`` leads follow those before the frame.
            leads_after = np.arange(leads_before.start, leads_before.stop + cap)
            columns = np.clip(leads_after, -max_lead, max_lead) + max_lead  # a lead beyond the largest counts as that
            frames = SlidingFrames(self.model.sliding_turn, payoffs_by_chips[..., columns], cap, big_scarney_payoff=1.0)
            lane_values = frames.solve(follow=decisions_of(leads_before)).value[-1]
            values[begin : begin + LANES_PER_CALL] = lane_values[: len(values) - begin]
        return values

    def against_best_error_bound(self, value_table: ValueTable) -> float:
        """Return the error bound of ``against_best``."""
        return value_table.error_bound + ERRORS_PER_FRAME * self.rules.frames * self.model.frame_error(1)


def _last_frame_decisions(decide: DecideFrame, rows: int, leads: range) -> Decisions:
    """Return a policy's decisions in the last frame of the second shooter: (rows, modes + roll classes, leads).

    Args:
        decide: the policy, see ``DecideFrame``.
        rows: the number of rows of a table of decisions.
        leads: the second shooter's leads before the frame; minus a lead is the points that are missing to draw level.
    """
    return np.stack([decide(rows, missing=-lead) for lead in leads], axis=2)
