"""Straight Scarney for the win: matches of frames, two players.

A frame is a turn. Its payoff: for points, t where t points are entered. In a match of two players, with k frames left
after this one and the mover ahead by d (behind: below 0),

    first shooter:   P[enter t] = 1 - S_k(-(d + t)),    S_k: chance of the second shooter to win
    second shooter:  P[enter t] = 1 - F_(k-1)(-(d + t)) for k > 0; in the last frame 1, 0 or, with the totals level,
                     1 - F_0(0), an extra frame in the same order,

and Big Scarney pays 1. Frames only pass, so the S and F are solved from the last frame to the first, each for all d as
one batch of lanes. The level extra frame is a cycle of one unknown, x = F_0(0) = f(x), f contracting and monotone as
``shooting`` says: repeating it leads there, and f on both sides of it proves how close (``_extra_frame``). An extra
frame is the last frame once more, from level totals on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from ...core.push import LANES
from ...ground.errors import SolveError
from ...ground.threads import ThreadPoolExecutor
from ...turns.push import Decisions, Doubles
from ..contract import Array, Solved
from .frame import Extent, Frame, FrameMatch, Lane, Solving, extent, frame_rounding, steps
from .shooting import shoot

MOST_ROUNDS = 200
FOLLOWED = 8 * LANES  # lanes of a policy's frames at a time
Decided = Callable[..., Decisions]


class Win(FrameMatch):
    """The chance to win of two players who both play their best."""

    seats = (2, 2)

    @cached_property
    def extent(self) -> Extent:
        """How far tables go."""
        return extent(self.rules.turn, self.rules.frames)

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every lead: ``first`` and ``second`` (frames, 2 farthest + 1), the chance to win of the shooter to
        move, by frames left after this one and lead from -farthest to farthest.
        """
        frames, farthest = self.rules.frames, self.extent.far
        error = frame_rounding(self.rules.turn) + self.extent.cost
        first, second = np.empty((frames, 2 * farthest + 1)), np.empty((frames, 2 * farthest + 1))
        level, within = self._extra_frame(error)
        with ThreadPoolExecutor(threads) as pool:
            for left in range(frames):
                after = 1 - first[left - 1, ::-1] if left else self._last(1 - level)
                second[left] = self._shot(after, -farthest, farthest, pool, threads)
                progress((2 * left + 1) / (2 * frames))
                first[left] = self._shot(1 - second[left, ::-1], -farthest, farthest, pool, threads)
                progress((2 * left + 2) / (2 * frames))
        return Solved({"first": first, "second": second}, 2 * frames * error + within)

    def _last(self, level: float) -> Doubles:
        """Worth of every lead once the last frame is over; a level one leads to an extra frame."""
        leads = np.arange(-self.extent.far, self.extent.far + 1)
        return np.where(leads == 0, level, (leads > 0).astype(float))

    def _extra_frame(self, error: float) -> tuple[float, float]:
        """F_0(0), and how far from the true one it can be if a frame is computed within ``error``."""
        level = 0.5
        for _ in range(MOST_ROUNDS):
            before, level = level, self._after_level(level)
            if abs(level - before) <= error:
                break
        within = 8 * error
        above, below = self._after_level(level + within), self._after_level(level - within)
        if above + 2 * error > level + within or below - 2 * error < level - within:
            raise SolveError("the extra frames did not settle")
        return level, within

    def _after_level(self, level: float) -> float:
        """Chance of the first shooter of an extra frame, if that of the next one is ``level``."""
        second = self._shot(self._last(1 - level), -self.extent.cap, 0)
        return float(self._shot(1 - second[::-1], 0, 0)[self.extent.far])

    def _shot(
        self, after: Doubles, low: int, high: int, pool: ThreadPoolExecutor | None = None, threads: int = 1
    ) -> Doubles:
        """A frame shot from the leads from ``low`` to ``high``, others standing as the nearest; ``after`` is the worth
        of every lead once it is over, as it is returned.
        """
        cap, far = self.extent.cap, self.extent.far
        leads = np.clip(np.arange(low, high + cap + 1), -far, far) + far
        found = shoot(self.rules.turn, after[None, None, leads], cap, 1.0, pool=pool, threads=threads).value
        shot: Doubles = found[0, np.clip(np.arange(-far, far + 1), low, high) - low]
        return shot

    def against_best(self, solved: Solved, decided: Decided, seat: int) -> float:
        """The chance to win of a player in ``seat`` who follows a policy against the solved best: ``decided(rows)`` of
        the frame, and with ``missing`` of the last one shot by the second, by how far behind.

        An extra frame is the last frame from level totals on, and worth a line in what the next one is worth.
        """
        lost, won = (self._following(solved, decided, seat, 1, tie) for tie in (0.0, 1.0))
        return self._following(solved, decided, seat, self.rules.frames, lost / (1 - (won - lost)))

    def _following(self, solved: Solved, decided: Decided, seat: int, frames: int, tie: float) -> float:
        """The same with so many frames left and level totals, where an extra frame is worth ``tie``."""
        first, second = solved.arrays["first"], solved.arrays["second"]
        far = self.extent.far
        ahead = np.arange(-far, far + 1) * (1 if seat else -1)  # how far the policy's player is, by the second's lead
        ours = (ahead > 0) + tie * (ahead == 0)
        for left in range(frames):
            best = 1 - first[left - 1, ::-1] if left else self._last(1 - float(first[0, far]))
            ours = self._followed(best, ours, decided if seat == 1 else None, last=left == 0)[::-1]
            ours = self._followed(1 - second[left, ::-1], ours, decided if seat == 0 else None)[::-1]
        return float(ours[far])

    def _followed(self, best: Doubles, ours: Doubles, decided: Decided | None, last: bool = False) -> Doubles:
        """By the shooter's lead what the policy's player gets of a frame that a policy or the other shoots, both told
        by the lead once it is over.
        """
        cap, far, turn = self.extent.cap, self.extent.far, self.rules.turn
        found, rows = np.empty(2 * far + 1), turn.rows(cap)
        plain = None if decided is None else decided(rows)
        for begin in range(0, len(found), FOLLOWED):
            leads = np.arange(begin, begin + FOLLOWED) - far
            after = np.clip(leads + np.arange(cap + 1)[:, None], -far, far) + far
            payoff = np.zeros((2, turn.specials + cap + 1, FOLLOWED))
            for channel, paid in enumerate((best, ours)):
                payoff[channel, turn.specials :] = paid[after]
            payoff[:, 0] = payoff[:, turn.specials]
            payoff[0, 1], payoff[1, 1] = 1.0, float(decided is not None)  # Big Scarney
            nodes = None if plain is None else np.repeat(plain[:, :, None], FOLLOWED, axis=2)
            if decided is not None and last:
                nodes = np.stack([decided(rows, missing=-lead) for lead in leads.tolist()], axis=2)
            if nodes is not None:
                payoff = payoff[1:]
            value = turn.solve(payoff, np.full(FOLLOWED, cap, dtype=np.int32), follow=nodes).value[-1]
            found[begin : begin + FOLLOWED] = value[: len(found) - begin]
        return found

    def doubt(self, solved: Solved) -> float:
        """How far such a chance may be off: two channels of every frame, and what the extra frames make of that."""
        error = frame_rounding(self.rules.turn) + self.extent.cost
        return solved.error_bound + 16 * self.rules.frames * error

    def arrays(self) -> dict[str, Array]:
        """By frames left and lead."""
        return dict.fromkeys(("first", "second"), Array((self.rules.frames, 2 * self.extent.far + 1)))

    def beginnings(self, solved: Solved, frames: Sequence[Frame]) -> tuple[Doubles, Doubles]:
        """The chance of the shooter, by seat, frames left and lead."""
        tables = np.stack((solved.arrays["first"], solved.arrays["second"]))
        seat, left, lead = np.array([(one.seat, self.rules.frames - one.number, one.lead) for one in frames]).T
        far = self.extent.far
        return tables[seat, left, np.clip(lead, -far, far) + far], np.full(len(frames), solved.error_bound)

    def solving(self, solved: Solved, frame: Frame, held: int = 0) -> Solving:
        """The frame against what follows it: the other's frame, the next, or an extra one."""
        left, centre = self.rules.frames - frame.number, self.extent.far
        first, second = solved.arrays["first"], solved.arrays["second"]
        if frame.seat == 0:
            after = 1 - second[left, ::-1]
        else:
            after = 1 - first[left - 1, ::-1] if left else self._last(1 - float(first[0, centre]))
        points = np.arange(self.extent.cap + steps(held) + 1)
        enter = after[np.clip(frame.lead + points, -centre, centre) + centre]
        return Solving(self.rules.turn, Lane(enter[None], 1.0), solved.error_bound)
