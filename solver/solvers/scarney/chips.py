"""Straight Scarney for chips: a double-down costs one chip, which swells the pot that the winner takes."""

from __future__ import annotations

import numpy as np

from ...games.scarney import DICE
from ...play.scarney import Play
from ...util.threads import ThreadPool
from ..problem import ValueTable
from .two_player import TwoPlayerScarneyProblem
from .two_player_extra_frames import ExtraFrames

POTS_PER_SOLVE = 32  # extra frames of pots beyond the table are solved so many together


class ScarneyChipsProblem(TwoPlayerScarneyProblem):
    """Expected chips won from the pot less chips still to be paid in."""

    max_frame_chips = DICE
    pots_beyond = 45  # each halves the gap at the highest pot that is needed

    def __init__(self, playable: Play) -> None:
        super().__init__(playable)
        self.min_pot = playable.antes
        self._extra_by_lowest: dict[int, ExtraFrames] = {}

    def extra(self, solved: ValueTable, pot: int, pots: int) -> ExtraFrames:
        """Return the extra frames of at least ``pots`` pots from ``pot`` on; those beyond the table are solved here."""
        if pot - self.min_pot + pots <= self.pot_count:
            return super().extra(solved, pot, pots)
        lowest = self.min_pot + (pot - self.min_pot) // POTS_PER_SOLVE * POTS_PER_SOLVE
        if lowest not in self._extra_by_lowest:
            self._extra_by_lowest[lowest] = self._solve_extra(lowest)
        return self._extra_by_lowest[lowest]

    def _solve_extra(self, lowest: int) -> ExtraFrames:
        """Solve the extra frames of pots from ``lowest`` on."""
        model, levels = self.model, self.rules.levels
        pots_needed = POTS_PER_SOLVE + 2 * levels
        with ThreadPool(1) as pool:
            level, gap = self._extra_frames(pool, lowest, pots_needed, lambda share: None)
        second = np.array(
            [
                model.solve_leads(pot, model.payoffs_after_last(level, lowest, pot)[None])[0]
                for pot in range(lowest, lowest + POTS_PER_SOLVE + levels)
            ]
        )
        bound = 2 * model.error(self._highest_pot(lowest, pots_needed)) + gap
        return ExtraFrames(lowest, level, second, bound)

    def listed_pots(self, number: int, seat: int, is_extra: bool) -> range:
        """Return the pots before a frame: the antes, and what earlier frames can have cost."""
        if is_extra:
            return range(self.min_pot, self.min_pot + self.pot_count - self.rules.levels + 1)
        return range(self.min_pot, self.min_pot + DICE * (2 * (number - 1) + seat) + 1)
