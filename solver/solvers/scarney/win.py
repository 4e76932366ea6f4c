"""Straight Scarney for the win of two players (``two``), and what a policy of people wins."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...core.push import LANES
from ...turns.push_turn import Decisions, Doubles
from ..problem import ValueTable
from .frame_solver import shoot
from .two_player import Two

FOLLOWED = 8 * LANES  # lanes of a policy's frames at a time
Decided = Callable[..., Decisions]


class Win(Two):
    """The chance to win of two players who both play their best."""

    def against_best(self, solved: ValueTable, decided: Decided, seat: int) -> float:
        """The chance to win of a player in ``seat`` who follows a policy against the solved best: ``decided(rows)`` of
        the frame, and with ``missing`` of the last one shot by the second, by how far behind.

        An extra frame is the last frame from level totals on, and worth a line in what the next one is worth.
        """
        lost, won = (self._following(solved, decided, seat, 1, tie) for tie in (0.0, 1.0))
        return self._following(solved, decided, seat, self.rules.frames, lost / (1 - (won - lost)))

    def _following(self, solved: ValueTable, decided: Decided, seat: int, frames: int, tie: float) -> float:
        """The same with so many frames left and level totals, where an extra frame is worth ``tie``."""
        (first, second), far = self.tables(solved), self.extent.far
        ahead = np.arange(-far, far + 1) * (1 if seat else -1)  # how far the policy's player is, by the second's lead
        ours = (ahead > 0) + tie * (ahead == 0)
        for left in range(frames):
            best = self.after(1, first[left - 1], 1) if left else self.last(solved.arrays["level"], 1, 1)
            ours = self._followed(best[0], ours, decided if seat == 1 else None, last=left == 0)[::-1]
            ours = self._followed(self.after(1, second[left], 1)[0], ours, decided if seat == 0 else None)[::-1]
        return float(ours[far])

    def _followed(self, best: Doubles, ours: Doubles, decided: Decided | None, last: bool = False) -> Doubles:
        """By the shooter's lead what the policy's player gets of a frame that a policy or the other shoots, both told
        by the lead once it is over.
        """
        cap, far = self.extent.cap, self.extent.far
        found, rows, nodes = np.empty(2 * far + 1), self._wide.rows(cap), None
        worth = np.stack([best, ours] if decided is None else [ours])[:, None]  # Big Scarney is the shooter's
        plain = None if decided is None else decided(rows)
        for begin in range(0, len(found), FOLLOWED):
            leads = np.arange(begin, begin + FOLLOWED + cap) - far
            if decided is not None and last:
                nodes = np.stack([decided(rows, missing=-lead) for lead in leads[:FOLLOWED].tolist()], axis=2)
            elif plain is not None:
                nodes = np.repeat(plain[:, :, None], FOLLOWED, axis=2)
            value = shoot(self._wide, worth[..., np.clip(leads, -far, far) + far], cap, 1.0, follow=nodes).value[-1]
            found[begin : begin + FOLLOWED] = value[: len(found) - begin]
        return found

    def doubt(self, solved: ValueTable) -> float:
        """How far such a chance may be off: two channels of every frame, and what the extra frames make of that."""
        return solved.error_bound + 16 * self.rules.frames * self.error(1)
