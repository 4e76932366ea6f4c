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
from numpy.typing import NDArray

from ...turns.push_turn import Doubles
from ...util.progress_reporting import ProgressCallback
from ...util.threads import ThreadPool
from ..problem import ArraySpec, ValueTable
from ..solve_costs import SolveCost
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

FRAME_SECONDS = 0.06  # measured: all leads of one pot in one frame
EXTRA_FRAME_SHARE = 1 / 4  # the part of that time which an extra frame of one pot takes, because it has fewer leads
TABLE_COPIES = 2  # the value table, and copies of its parts while it is solved


class TwoPlayerScarneyProblem(ScarneyProblem):
    """Scarney of two players, for the win or for chips: a value is what a player still wins of the pot less payments.

    The value table has three arrays. ``first`` and ``second`` (frames left after this one, pots, leads) are the values
    of the first and of the second shooter of a frame, by the shooter's lead; for the win they have no axis of pots.
    ``level`` (pots,) is the value of the first shooter of an extra frame. Pots count from ``min_pot`` on.

    Attributes:
        model: the frames of two players; ``levels`` is how many numbers of chips can be spent in a frame, from 0 on.
        pot_count: how many pots the match can have, from ``min_pot`` on.
        min_pot: the pot at the start; 1 if the win itself is at stake.
        max_frame_chips: the most chips that a player can pay in a frame; 0 if chips do not count.
        pots_beyond: how many pots beyond the highest one needed extra frames are solved for, to make bounds close.
        rules: the rules of a frame; ``frames`` is their number in a match.
        extent: where the tables of points and leads end.
    """

    player_range = (2, 2)
    min_pot = 1
    max_frame_chips = 0
    pots_beyond = 0

    @cached_property
    def extent(self) -> TableExtent:
        """Where tables end, in points and in leads; the same with and without chips."""
        rules = replace(self.rules, counts_chips=False) if self.rules.counts_chips else self.rules
        return table_extent(rules.turn, self.rules.frames)

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
        """Estimate the cost of ``solve`` from the number of pots that each frame is solved for.

        With c chips at most in a frame, frame k of n can have 2 c (k - 1) + 1 pots for the first shooter and c more for
        the second. The last frame is solved for all pots. Over all frames that is about 2 n (1 + c (n + 2)) pots.

        Args:
            threads: number of threads.
        """
        frames = self.rules.frames
        pots_of_regular_frames = 2 * frames * (1 + self.max_frame_chips * (frames + 2))
        pots_of_extra_frames = self.pot_count + self.pots_beyond
        frame_count = pots_of_extra_frames * EXTRA_FRAME_SHARE + pots_of_regular_frames
        return SolveCost(bytes=TABLE_COPIES * self.table_bytes, seconds=FRAME_SECONDS * frame_count / threads)

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Solve every pot and lead: the extra frames, then the regular ones from the last to the first.

        Args:
            threads: number of threads. The result has the same bits for every number.
            progress: called with the fraction that is done.

        Returns:
            A value table of three arrays. ``first`` and ``second`` (frames, pots, leads): what the first or the second
            shooter of a frame still wins before it. The axes are the frames left after this one, the chips in the pot
            beyond the antes, and the shooter's lead. For the win the axis of the pots is left out. ``level`` (pots,):
            what the first shooter of an extra frame still wins before it.
        """
        frames = self.rules.frames
        pots = self.pot_count
        # The second shooter's last frame is solved for all ``pots``, and adds up to ``levels`` - 1 chips.
        pots_needed = pots + self.model.levels - 1
        work = WorkProgress(progress, pots + pots * frames)
        with ThreadPool(threads) as pool:
            extra_values, extra_error = self.solve_extra_frames(
                pool, self.min_pot, pots_needed, lambda fraction: work.add(fraction * pots)
            )
            first, second = self._solve_regular_frames(extra_values, pool, threads, work)
        tables = {"first": first, "second": second, "level": extra_values[:pots]}
        arrays = {name: tables[name].reshape(spec.shape) for name, spec in self.array_specs().items()}
        highest_pot = self._highest_pot(self.min_pot, pots_needed)
        errors_of_frames = 2 * frames * self.model.frame_error(highest_pot)  # each player shoots every frame
        return ValueTable(arrays, errors_of_frames + extra_error)

    def _solve_regular_frames(
        self, extra_values: Doubles, pool: ThreadPool, threads: int, work: WorkProgress
    ) -> tuple[Doubles, Doubles]:
        """Compute what the first and the second shooter still win before each frame of the match.

        Args:
            extra_values: (pots,) the first shooter's values of extra frames.
            pool, threads: threads that share the pots or leads.
            work: progress, counted in pots.

        Returns:
            The values of the first and of the second shooter, each (frames left, pots, leads).
        """
        model = self.model
        first = np.zeros((self.rules.frames, self.pot_count, len(model.leads)))
        second = np.zeros_like(first)
        solve_frame = partial(self._solve_frame, pool=pool, threads=threads, work=work)
        # From the last frame to the first, and the second shooter before the first, who reads the second's values.
        # ``after_second`` and ``after_first`` map the pot before a frame to the payoffs of its endings.
        for frames_left in range(self.rules.frames):
            if frames_left == 0:
                after_second = partial(model.payoffs_after_last, self.min_pot, extra_values)
            else:
                after_second = partial(model.payoffs_after, self.min_pot, first[frames_left - 1])
            after_first = partial(model.payoffs_after, self.min_pot, second[frames_left])
            solve_frame(second[frames_left], self._solved_pots(frames_left, seat=1), after_second)
            solve_frame(first[frames_left], self._solved_pots(frames_left, seat=0), after_first)
        return first, second

    def _solved_pots(self, frames_left: int, seat: int) -> int:
        """Return for how many pots, from ``min_pot`` on, one shooter's frame is solved.

        Those are the pots that earlier frames can leave. But the last frames also serve as extra frames, which can
        begin with larger pots, so they are solved for more:

        - the second shooter's for all pots of the table;
        - the first shooter's for all pots whose successors the table holds: the second shooter's frame, which follows,
          begins with up to ``max_frame_chips`` chips more.

        Args:
            frames_left: the frames of each player after this one.
            seat: the shooter.
        """
        is_last_frame = frames_left == 0
        if is_last_frame:
            return self.pot_count if seat == 1 else self.pot_count - self.max_frame_chips
        earlier_frames = 2 * (self.rules.frames - 1 - frames_left) + seat  # of both players
        # Each of them adds between no chips and the most.
        return self.max_frame_chips * earlier_frames + 1

    def _solve_frame(
        self,
        table: Doubles,
        pot_count: int,
        payoffs: Callable[[int], Doubles],
        *,
        pool: ThreadPool,
        threads: int,
        work: WorkProgress,
    ) -> None:
        """Write the values of one shooter's frame into a table, for all pots and leads.

        Args:
            table: (pots, leads) written for the first ``pot_count`` pots.
            pot_count: the number of pots, from ``min_pot`` on.
            payoffs: maps the pot before the frame to what the shooter's banks are worth: (levels, leads), by chips
                spent in the frame and by the shooter's lead after it.
            pool, threads: threads that share the pots or, if there is only one pot, its leads.
            work: progress, counted in pots.
        """
        pots = range(self.min_pot, self.min_pot + pot_count)
        has_single_pot = self.pot_count == 1  # the match is for the win, and not for chips
        if has_single_pot:  # the threads share the leads
            (pot,) = pots
            table[0] = self.model.solve_shooter(pot, payoffs(pot), pool, threads)
            work.add()
            return
        values_by_pot = pool.map(lambda pot: self.model.solve_shooter(pot, payoffs(pot)), pots)
        for row, values in enumerate(values_by_pot):
            table[row] = values
            work.add()

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the shapes and ranges of the three arrays of values, which lie between 0 and the pot.

        The pot never shrinks. A shooter who never doubles down pays nothing more, so no value is negative.
        """
        pots = self.min_pot + np.arange(self.pot_count)
        leads = len(self.model.leads)
        has_chips = self.max_frame_chips > 0
        shape = (self.rules.frames, self.pot_count, leads) if has_chips else (self.rules.frames, leads)
        frames = ArraySpec(shape, 0, pots[:, None])  # at most the pot, whatever the frame and the lead
        return {"first": frames, "second": frames, "level": ArraySpec((self.pot_count,), 0, pots)}

    def _highest_pot(self, lowest: int, pots_needed: int) -> int:
        """Return the highest pot for which extra frames are solved, which is ``pots_beyond`` above the highest needed.

        Args:
            lowest: the lowest pot.
            pots_needed: the number of pots, from the lowest on, whose extra frames are needed.
        """
        return lowest + pots_needed + self.pots_beyond - 1

    def solve_extra_frames(
        self, pool: ThreadPool, lowest: int, pots_needed: int, report: ProgressCallback
    ) -> tuple[Doubles, float]:
        """Compute the first shooter's values of extra frames: the middle of their lower and upper bounds.

        Args:
            pool: threads that share the work.
            lowest: the lowest pot.
            pots_needed: the number of pots, from the lowest on, whose values are returned.
            report: called with fractions of the work, which add up to 1 or more.

        Returns:
            (pots_needed,) the values; and the largest error of one of them, half the widest gap of the bounds.
        """
        pots = range(lowest, self._highest_pot(lowest, pots_needed) + 1)
        all_lower, all_upper = bound_extra_frames(self.model, pots, pool, report)
        lower = all_lower[:pots_needed]
        upper = all_upper[:pots_needed]
        return (lower + upper) / 2, float((upper - lower).max()) / 2

    # --- values of positions

    def extra_frames(self, value_table: ValueTable, pot: int, pots_needed: int) -> ExtraFrames:
        """Return the solved extra frames of consecutive pots; there may be more than are needed.

        Args:
            value_table: the value table, which holds all pots here.
            pot: the lowest pot that is needed.
            pots_needed: the number of pots, from this one on.
        """
        _, second = self.tables(value_table)
        last_frame = second[0]  # no frames left; for the second shooter an extra frame is the last one once more
        return ExtraFrames(self.min_pot, value_table.arrays["level"], last_frame, value_table.error_bound)

    def tables(self, value_table: ValueTable) -> tuple[Doubles, Doubles]:
        """Return the tables of the first and of the second shooter's values, each (frames left, pots, leads).

        For the win, whose arrays have no axis of pots, an axis of one pot is added.
        """
        shape = (self.rules.frames, self.pot_count, -1)
        return value_table.arrays["first"].reshape(shape), value_table.arrays["second"].reshape(shape)

    def frame_values(self, value_table: ValueTable, frames: Sequence[Frame]) -> tuple[Doubles, Doubles]:
        """Return what the shooters still win when their frames begin, and the error bounds: (frames,) each.

        Args:
            value_table: the value table.
            frames: the frames.
        """
        values = np.empty(len(frames))
        bounds = np.full(len(frames), value_table.error_bound)
        tables = self.tables(value_table)  # of the first and of the second shooter: (frames left, pots, leads) each
        for index, frame in enumerate(frames):
            lead_column = int(self._lead_columns(np.array(frame.lead)))
            pot = max(frame.pot, self.min_pot)  # without chips the pot of a frame is 0, and the win counts as 1
            if frame.playoff:
                extra = self.extra_frames(value_table, pot, pots_needed=1)
                pot_row = pot - extra.lowest_pot
                if frame.seat == 0:  # begins with equal totals, so there is one value for each pot
                    values[index] = extra.first_shooter[pot_row]
                else:
                    values[index] = extra.second_shooter[pot_row, lead_column]
                bounds[index] = extra.bound
            else:
                frames_left = self.rules.frames - frame.number
                pot_row = pot - self.min_pot
                values[index] = tables[frame.seat][frames_left, pot_row, lead_column]
        return values, bounds

    def _lead_columns(self, leads: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the columns of tables for leads; a lead beyond the largest that is tabled counts as that."""
        max_lead = self.extent.max_lead
        columns: NDArray[np.int64] = np.clip(leads, -max_lead, max_lead) + max_lead
        return columns

    def frame_turn(self, value_table: ValueTable, frame: Frame, turn_points: int = 0) -> FrameTurn:
        """Return a frame as one lane, with what its endings are worth to the shooter, by chips spent in it.

        Args:
            value_table: the value table.
            frame: the frame.
            turn_points: turn points from which the frame is to be examined; its table is extended by as many.
        """
        pot = max(frame.pot, self.min_pot)  # without chips the pot of a frame is 0, and the win counts as 1
        # The frame raises the pot by the chips spent in it, 0 to levels - 1. So extra frames of ``levels`` pots can
        # follow an extra frame, from this pot on. Those that follow the match are in the table, from ``min_pot`` on.
        lowest_extra_pot = pot if frame.playoff else self.min_pot
        extra = self.extra_frames(value_table, lowest_extra_pot, pots_needed=self.model.levels)
        payoffs = self._payoffs_by_lead_after(value_table, frame, pot, extra)
        cap = self.extent.cap + round_up_points(turn_points)
        leads_after = frame.lead + np.arange(cap + 1)  # by points entered
        bank_payoffs = payoffs[None, :, self._lead_columns(leads_after)]  # (1, levels, points)
        lane = frame_lane(self.model.turn_with_cap(cap), bank_payoffs, big_scarney_payoff=float(pot))
        return FrameTurn(lane, extra.bound)

    def _payoffs_by_lead_after(self, value_table: ValueTable, frame: Frame, pot: int, extra: ExtraFrames) -> Doubles:
        """Return what a frame's ending is worth to the shooter: (levels, leads), by chips spent and the lead after it.

        Args:
            value_table: the value table.
            frame: the frame.
            pot: the pot before the frame.
            extra: the extra frames that can follow.
        """
        model = self.model
        frames_left = self.rules.frames - frame.number
        # The last regular frame is decided like an extra frame: by the total, or by one more frame for each player. So
        # the values of extra frames serve for both.
        if frames_left == 0 and frame.seat == 1:  # the game is decided, unless totals are equal
            return model.payoffs_after_last(extra.lowest_pot, extra.first_shooter, pot)
        if frames_left == 0:  # the second shooter follows
            return model.payoffs_after(extra.lowest_pot, extra.second_shooter, pot)
        first, second = self.tables(value_table)
        # After the second shooter the first one begins the next frame.
        opponent_values = first[frames_left - 1] if frame.seat == 1 else second[frames_left]
        return model.payoffs_after(self.min_pot, opponent_values, pot)
