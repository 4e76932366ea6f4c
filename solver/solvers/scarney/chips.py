"""Straight Scarney for chips: a double-down costs one chip, which swells the pot that the winner takes (``two``)."""

from __future__ import annotations

import numpy as np

from ...games.scarney import DICE
from ...play.scarney import Play
from ...util.threads import ThreadPool
from ..problem import ValueTable
from .two_player import Extra, Two

POTS = 32  # of extra frames beyond the table, solved together when one is asked about


class Chips(Two):
    """Expected chips won from the pot less chips still to be paid in."""

    paid = DICE
    more = 45  # each halves what is still open at the highest that is wanted

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self.smallest = table.antes
        self._far: dict[int, Extra] = {}

    def extra(self, solved: ValueTable, pot: int, pots: int) -> Extra:
        """Of pots that the tables do not hold those around them."""
        if pot - self.smallest + pots <= self.pots:
            return super().extra(solved, pot, pots)
        lowest, levels = self.smallest + (pot - self.smallest) // POTS * POTS, self.rules.levels
        if lowest not in self._far:
            wanted = POTS + 2 * levels
            with ThreadPool(1) as pool:
                level, within = self._extra_frames(pool, lowest, wanted, lambda share: None)
            chosen = range(lowest, lowest + POTS + levels)
            second = np.array([self._shot(one, self.last(level, lowest, one)[None])[0] for one in chosen])
            bound = 2 * self.error(self._highest(lowest, wanted)) + within
            self._far[lowest] = Extra(lowest, level, second, bound)
        return self._far[lowest]

    def listed_pots(self, number: int, seat: int, extra: bool) -> range:
        """The antes, and what earlier frames can have cost."""
        if extra:
            return range(self.smallest, self.smallest + self.pots - self.rules.levels + 1)
        return range(self.smallest, self.smallest + DICE * (2 * (number - 1) + seat) + 1)
