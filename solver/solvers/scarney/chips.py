"""Straight Scarney for chips: a double-down costs one chip, which swells the pot that the winner takes."""

from __future__ import annotations

import numpy as np

from ...games.scarney import DICE
from ...play.scarney import ScarneyGame
from ...util.threads import ThreadPool
from ..problem import ValueTable
from .two_player import TwoPlayerScarneyProblem
from .two_player_extra_frames import ExtraFrames

POTS_PER_SOLVE = 32  # extra frames of pots beyond the table are solved so many together


class ScarneyChipsProblem(TwoPlayerScarneyProblem):
    """Straight Scarney of two players for chips: chips won from the pot less chips still to be paid in, on average.

    Attributes:
        rules, model: the rules of a frame, and the frames of two players.
        min_pot, pot_count: the pot at the start (the antes), and how many pots the value table has from there on.
        max_frame_chips: the most chips that a player can pay in a frame, ``rules.chip_levels`` - 1.
        _extra_by_lowest_pot: solved extra frames beyond the value table, by the lowest pot of each solve.
    """

    max_frame_chips = DICE  # between two double-downs a die is lost at least, so there is at most one for each die
    pots_beyond = 45  # each halves the gap at the highest pot that is needed

    def __init__(self, playable: ScarneyGame) -> None:
        """Take over the game; the pot at the start is the antes of both players."""
        super().__init__(playable)
        self.min_pot = playable.antes
        self._extra_by_lowest_pot: dict[int, ExtraFrames] = {}  # solved extra frames beyond the value table

    def extra_frames(self, value_table: ValueTable, pot: int, pots_needed: int) -> ExtraFrames:
        """Return the solved extra frames of consecutive pots; there may be more than are needed.

        Pots beyond the value table are solved when they are needed first, and kept. The result begins with
        ``ExtraFrames.lowest_pot``, which may be less than ``pot``.

        Args:
            value_table: the value table.
            pot: the lowest pot that is needed.
            pots_needed: the number of pots, from this one on; at most ``rules.chip_levels``.
        """
        chips_added = pot - self.min_pot
        is_in_table = chips_added + pots_needed <= self.pot_count
        if is_in_table:
            return super().extra_frames(value_table, pot, pots_needed)
        # Pots are solved POTS_PER_SOLVE at a time; this is the lowest of those that are solved together with ``pot``.
        # ``rules.chip_levels`` pots beyond these are solved too, so all that are needed are among them.
        lowest_pot = self.min_pot + chips_added // POTS_PER_SOLVE * POTS_PER_SOLVE
        if lowest_pot not in self._extra_by_lowest_pot:
            self._extra_by_lowest_pot[lowest_pot] = self._solve_pots_from(lowest_pot)
        return self._extra_by_lowest_pot[lowest_pot]

    def _solve_pots_from(self, lowest_pot: int) -> ExtraFrames:
        """Solve the extra frames of ``POTS_PER_SOLVE`` pots from ``lowest_pot`` on."""
        model = self.model
        levels = self.rules.chip_levels  # how many numbers of chips a shooter can spend in a frame, from 0 on
        # Each shooter raises the pot of an extra frame by fewer than ``levels`` chips. So no more than these numbers of
        # pots, from the lowest on, can be on the table after the first shooter's frame, and after both.
        pot_count_after_first = POTS_PER_SOLVE + levels
        pot_count_after_both = POTS_PER_SOLVE + 2 * levels
        # The frame of the second shooter leads to the next extra frame, so the first shooter's values of extra frames
        # are needed for all pots after both.
        with ThreadPool(1) as pool:
            # The first shooter's values by pot, and the largest error of them.
            first, first_error = self.solve_extra_frames(pool, lowest_pot, pot_count_after_both, lambda fraction: None)
        second = []  # the second shooter's values (leads,), by pot after the first shooter's frame
        for pot in range(lowest_pot, lowest_pot + pot_count_after_first):
            payoffs = model.payoffs_after_last(lowest_pot, first, pot)
            second.append(model.solve_shooter(pot, payoffs))
        # The second shooter's values add the error of one frame to the error of the first shooter's. Values inside a
        # frame add that of another.
        error_of_two_frames = 2 * model.frame_error(self._highest_pot(lowest_pot, pot_count_after_both))
        return ExtraFrames(lowest_pot, first, np.array(second), error_of_two_frames + first_error)

    def listed_pots(self, number: int, seat: int, is_extra: bool) -> range:
        """Return the pots that can be on the table before a frame: the antes and the chips of earlier frames.

        Before an extra frame there is no largest pot. Those pots are listed whose values are in the value table.

        Args:
            number: the number of the frame, from 1.
            seat: the shooter.
            is_extra: whether it is an extra frame.
        """
        if is_extra:
            # Pots that the shooter's own chips cannot take beyond the largest pot of the table.
            largest_pot = self.min_pot + self.pot_count - 1
            last_pot = largest_pot - self.max_frame_chips
        else:
            earlier_frames = 2 * (number - 1) + seat  # of both players
            last_pot = self.min_pot + self.max_frame_chips * earlier_frames
        return range(self.min_pot, last_pot + 1)
