"""Turns of a race of several players by hand: for answers, and for cycles that the seats kernel does not settle."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...games.pushluck import SPECIALS, WIN
from ...turns.push import Doubles, pad
from .ladder import Ladder


class SeatsTurns:
    """Turns by hand, for the few cycles that the seats kernel does not settle: by the push kernel, one at a time."""

    def __init__(self, ladder: Ladder, seats: int) -> None:
        self.ladder, self.seats, self.count = ladder, seats, len(ladder.scores)
        self.numbers = np.zeros(ladder.target, dtype=np.int64)
        self.numbers[ladder.scores] = np.arange(self.count)

    def place(self, line: Sequence[int]) -> int:
        """The place of a position: its scores' numbers as digits."""
        place = 0
        for number in line:
            place = place * self.count + int(number)
        return place

    def paid(self, table: Doubles, line: Sequence[int], cap: int) -> tuple[Doubles, NDArray[np.bool_]]:
        """What banking 0, 1, .. cap points pays the seats from the mover on by a table (places, seats), and where it
        does not count: (seats, cap + 1), (cap + 1,).
        """
        ladder = self.ladder
        mine, row = int(ladder.scores[line[0]]), self.place(line[1:])
        points = np.arange(cap + 1)
        totals = mine + points
        won = totals >= ladder.target
        after = row * self.count + self.numbers[np.where(won, 0, totals)]
        shares = np.roll(table[after], 1, axis=1).T
        shares[:, won] = 0.0
        shares[0, won] = 1.0
        nothing = points < ladder.counting_from[mine]
        shares[:, nothing] = 0.0
        return shares, nothing

    def turn(
        self, line: Sequence[int], decides: tuple[Doubles, Doubles], carried: Doubles
    ) -> tuple[Doubles, Doubles, Doubles]:
        """Turns for several worths of a bust: their values to who decides, the chances of a zero turn, and what else
        comes by the ``carried`` table to the seats from the mover on: (busts,), (busts,), (seats, busts).

        ``decides``: the table of who decides, and the busts.
        """
        table, busts = decides
        cap, lanes = int(self.ladder.caps[self.ladder.scores[line[0]]]), len(busts)
        own, nothing = self.paid(table, line, cap)
        shares, _ = self.paid(carried, line, cap)
        payoff = np.zeros((self.seats + 2, SPECIALS + cap + 1, pad(lanes)))
        payoff[0, 0, :lanes] = busts
        payoff[0, SPECIALS:, :lanes] = np.where(nothing[:, None], busts, own[0][:, None])
        payoff[1, 0] = 1.0
        payoff[1, SPECIALS:] = nothing[:, None]
        payoff[2:, SPECIALS:] = shares[:, :, None]
        payoff[0, -1 - WIN.next] = payoff[2, -1 - WIN.next] = 1.0
        value = self.ladder.rules.turn.solve(payoff, np.full(pad(lanes), cap, dtype=np.int32)).value[:, :lanes]
        return value[0], value[1], value[2:]
