"""Straight Scarney of two players for the win, and what a fixed policy wins against the optimal one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...core.push import LANES
from ...turns.push_turn import Decisions, Doubles
from ..problem import ValueTable
from .frame_solver import SlidingFrames
from .two_player import TwoPlayerScarneyProblem

LANES_PER_CALL = 8 * LANES  # of a policy's frames
DecideFrame = Callable[..., Decisions]  # a policy's decisions by rows; in the last frame also by points missing


class ScarneyWinProblem(TwoPlayerScarneyProblem):
    """Probability of winning if both players play optimally."""

    def against_best(self, solved: ValueTable, decide: DecideFrame, seat: int) -> float:
        """Return the probability of winning with a fixed policy against optimal play.

        An extra frame is the last frame from level totals on. Its value is linear in the value of the next one.

        Args:
            solved: the value table.
            decide: ``decide(rows)`` returns the policy's decisions of a frame. With ``missing=points`` it returns
                those of the last frame's second shooter who is so far behind.
            seat: the seat of the policy's player.
        """
        lost, won = (self._policy_value(solved, decide, seat, 1, tie) for tie in (0.0, 1.0))
        return self._policy_value(solved, decide, seat, self.rules.frames, lost / (1 - (won - lost)))

    def _policy_value(self, solved: ValueTable, decided: DecideFrame, seat: int, frames: int, tie: float) -> float:
        """Return the policy's probability with so many frames left and level totals, if a tie is worth ``tie``."""
        (first, second), model = self.tables(solved), self.model
        ahead = np.arange(-self.extent.max_lead, self.extent.max_lead + 1) * (
            1 if seat else -1
        )  # of the policy's player
        policy = (ahead > 0) + tie * (ahead == 0)
        for frames_left in range(frames):
            if frames_left:
                best = model.payoffs_after(1, first[frames_left - 1], 1)
            else:
                best = model.payoffs_after_last(solved.arrays["level"], 1, 1)
            decide = decided if seat == 1 else None
            policy = self._follow_frame(best[0], policy, decide, is_last=frames_left == 0)[::-1]
            best = model.payoffs_after(1, second[frames_left], 1)
            decide = decided if seat == 0 else None
            policy = self._follow_frame(best[0], policy, decide)[::-1]
        return float(policy[self.extent.max_lead])

    def _follow_frame(
        self, best: Doubles, policy: Doubles, decide: DecideFrame | None, is_last: bool = False
    ) -> Doubles:
        """Return the policy's probability before a frame, by the shooter's lead.

        Args:
            best: the optimal player's value after the frame, if that player shoots, by the shooter's lead.
            policy: the policy's probability after the frame.
            decide: the policy if its player shoots, else None.
            is_last: whether the frame is the last one, in which the policy knows how much is missing.
        """
        cap, far, turn = self.extent.cap, self.extent.max_lead, self.model.sliding_turn
        values, rows, nodes = np.empty(2 * far + 1), turn.row_count(cap), None
        payoffs = np.stack([best, policy] if decide is None else [policy])[:, None]  # Big Scarney is the shooter's
        decisions = None if decide is None else decide(rows)
        for begin in range(0, len(values), LANES_PER_CALL):
            leads = np.arange(begin, begin + LANES_PER_CALL + cap) - far
            if decide is not None and is_last:
                by_lead = [decide(rows, missing=-lead) for lead in leads[:LANES_PER_CALL].tolist()]
                nodes = np.stack(by_lead, axis=2)
            elif decisions is not None:
                nodes = np.repeat(decisions[:, :, None], LANES_PER_CALL, axis=2)
            frames = SlidingFrames(turn, payoffs[..., np.clip(leads, -far, far) + far], cap, 1.0)
            values[begin : begin + LANES_PER_CALL] = frames.solve(follow=nodes).value[-1][: len(values) - begin]
        return values

    def against_best_error_bound(self, solved: ValueTable) -> float:
        """Return the error bound of ``against_best``: two channels of every frame, and the extra frames."""
        return solved.error_bound + 16 * self.rules.frames * self.model.error(1)
