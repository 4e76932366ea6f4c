"""Matches of two players, for the win or for chips: a game of constant sum once the pot is part of the state.

The payoffs of frames are described in ``two_player_frames.py``, extra frames in ``two_player_extra_frames.py``. Frames
only pass, so they are solved by retrograde analysis, each for all leads as one batch of lanes. An extra frame has the
middle of its bounds as its value; half the widest gap enters the error bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from ...turns.push_turn import Doubles
from ...util.threads import ThreadPool
from ..cost_estimates import SolveCost
from ..problem import ArraySpec, Progress, ValueTable
from .problem import (
    Frame,
    FrameTurn,
    ScarneyProblem,
    TableExtent,
    WorkProgress,
    frame_lane,
    round_up_points,
    table_extent,
)
from .two_player_extra_frames import ExtraFrames, bound_extra_frames
from .two_player_frames import TwoPlayerFrames

FRAME_SECONDS = 0.06  # for all leads of one pot in one frame


class TwoPlayerScarneyProblem(ScarneyProblem):
    """Value of a player: what they still win of the pot less what they still pay.

    Attributes:
        min_pot: the pot at the start.
        max_frame_chips: the most chips that a player can pay in a frame.
        pots_beyond: pots beyond the highest one needed for which extra frames are solved.
    """

    player_range = (2, 2)
    min_pot, max_frame_chips, pots_beyond = 1, 0, 0

    @cached_property
    def extent(self) -> TableExtent:
        """The ends of tables, which do not depend on chips."""
        return table_extent(
            (replace(self.rules, chips=False) if self.rules.chips else self.rules).turn, self.rules.frames
        )

    @cached_property
    def model(self) -> TwoPlayerFrames:
        """The frames of two players."""
        return TwoPlayerFrames(self.rules, self.extent)

    @property
    def pot_count(self) -> int:
        """The number of pots that a game without extra frames can have, from ``min_pot`` on."""
        return 2 * self.max_frame_chips * self.rules.frames + 1

    # --- solving

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate the cost from the pots and the frames in which each can occur."""
        extra_pots, frames = self.pot_count + self.pots_beyond, self.rules.frames
        solved = extra_pots / 4 + 2 * frames * (1 + self.max_frame_chips * (frames + 2))
        return SolveCost(2 * self.table_bytes, FRAME_SECONDS * solved / threads)

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve every pot and lead.

        Returns:
            ``first`` and ``second`` (frames, pots, leads), for the win (frames, leads): what the shooter still wins, by
            frames left after this one, chips in the pot beyond the antes, and lead; ``level`` (pots,): the same of the
            first shooter of an extra frame.
        """
        model, frames, pots, chips = self.model, self.rules.frames, self.pot_count, self.max_frame_chips
        first, second = np.zeros((2, frames, pots, len(model.leads)))
        work = WorkProgress(progress, pots + pots * frames)
        with ThreadPool(threads) as pool:
            pots_needed = pots + model.levels - 1
            level, gap = self._extra_frames(pool, self.min_pot, pots_needed, lambda share: work.add(share * pots))
            # The leads of a single pot are shared by threads, else pots are.
            solve_leads = partial(model.solve_leads, pool=pool, threads=threads) if pots == 1 else model.solve_leads

            def solve_frame(table: Doubles, count: int, payoffs: Callable[[int], Doubles]) -> None:
                """Write the values of a frame for the first ``count`` pots to a table (pots, leads)."""
                range_ = range(self.min_pot, self.min_pot + count)
                values = (map if pots == 1 else pool.map)(lambda pot: solve_leads(pot, payoffs(pot)[None])[0], range_)
                for row, of_pot in enumerate(values):
                    table[row] = of_pot
                    work.add()

            for frames_left in range(frames):
                earlier_chips = 2 * chips * (frames - 1 - frames_left)  # the most that frames before can have cost
                after_second = partial(model.payoffs_after, self.min_pot, second[frames_left])
                if frames_left:
                    after_first = partial(model.payoffs_after, self.min_pot, first[frames_left - 1])
                    solve_frame(second[frames_left], earlier_chips + chips + 1, after_first)
                    solve_frame(first[frames_left], earlier_chips + 1, after_second)
                else:  # the last frame also serves as an extra one, with any pot
                    solve_frame(second[0], pots, partial(model.payoffs_after_last, level, self.min_pot))
                    solve_frame(first[0], pots - chips, after_second)
        tables = {"first": first, "second": second, "level": level[:pots]}
        arrays = {name: tables[name].reshape(spec.shape) for name, spec in self.array_specs().items()}
        highest = self._highest_pot(self.min_pot, pots_needed)
        return ValueTable(arrays, 2 * frames * model.error(highest) + gap)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the arrays by frames left, pot and lead: what a player still wins of the pot, which only grows."""
        pot, leads = self.min_pot + np.arange(self.pot_count), len(self.model.leads)
        shape = (self.rules.frames, self.pot_count, leads) if self.max_frame_chips else (self.rules.frames, leads)
        frames = ArraySpec(shape, 0, pot[:, None])
        return {"first": frames, "second": frames, "level": ArraySpec((self.pot_count,), 0, pot)}

    def _highest_pot(self, lowest: int, pots_needed: int) -> int:
        """Return the highest pot for which extra frames are solved to know ``pots_needed`` of them."""
        return lowest + pots_needed + self.pots_beyond - 1

    def _extra_frames(
        self, pool: ThreadPool, lowest: int, pots_needed: int, report: Callable[[float], None]
    ) -> tuple[Doubles, float]:
        """Return the first shooter's values of extra frames, and their error, for ``pots_needed`` pots from ``lowest``.

        ``report`` is called with shares of the work.
        """
        pots = range(lowest, self._highest_pot(lowest, pots_needed) + 1)
        lower, upper = (bounds[:pots_needed] for bounds in bound_extra_frames(self.model, pots, pool, report))
        return (lower + upper) / 2, float((upper - lower).max()) / 2

    # --- values of positions

    def extra(self, solved: ValueTable, pot: int, pots: int) -> ExtraFrames:
        """Return the extra frames of at least ``pots`` pots from ``pot`` on."""
        return ExtraFrames(self.min_pot, solved.arrays["level"], self.tables(solved)[1][0], solved.error_bound)

    def tables(self, solved: ValueTable) -> tuple[Doubles, Doubles]:
        """Return the frames of both shooters: (frames, pots, leads)."""
        shape = self.rules.frames, self.pot_count, -1
        return solved.arrays["first"].reshape(shape), solved.arrays["second"].reshape(shape)

    def frame_values(self, solved: ValueTable, frames: Sequence[Frame]) -> tuple[Doubles, Doubles]:
        """Return what the shooter still wins, and the error bounds."""
        far, values, bounds = self.extent.max_lead, np.empty(len(frames)), np.full(len(frames), solved.error_bound)
        tables = self.tables(solved)
        for index, frame in enumerate(frames):
            lead, pot = min(max(frame.lead, -far), far) + far, max(frame.pot, self.min_pot)
            if frame.playoff:
                extra = self.extra(solved, pot, 1)
                chips, bounds[index] = pot - extra.lowest, extra.bound
                values[index] = extra.second[chips, lead] if frame.seat else extra.level[chips]
            else:
                values[index] = tables[frame.seat][self.rules.frames - frame.number, pot - self.min_pot, lead]
        return values, bounds

    def frame_turn(self, solved: ValueTable, frame: Frame, turn_points: int = 0) -> FrameTurn:
        """Return a frame with the payoffs of what follows it, by chips spent in it."""
        model, far, pot = self.model, self.extent.max_lead, max(frame.pot, self.min_pot)
        frames_left = self.rules.frames - frame.number
        extra = self.extra(solved, pot if frame.playoff else self.min_pot, model.levels)
        if frames_left:
            first, second = self.tables(solved)
            following = first[frames_left - 1] if frame.seat else second[frames_left]
            payoffs = model.payoffs_after(self.min_pot, following, pot)
        elif frame.seat:
            payoffs = model.payoffs_after_last(extra.level, extra.lowest, pot)
        else:
            payoffs = model.payoffs_after(extra.lowest, extra.second, pot)
        cap = self.extent.cap + round_up_points(turn_points)
        leads = np.clip(frame.lead + np.arange(cap + 1), -far, far) + far
        return FrameTurn(frame_lane(model.turn_with_cap(cap), payoffs[None, :, leads], float(pot)), extra.bound)
