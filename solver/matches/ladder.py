"""The ladder of scores a player climbs by banking: which scores can occur, which banks count, what wins.

Everything here is in units of the rules' grain (5000: 50 points), which keeps arrays dense.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..games.pushluck import PushRules


class Ladder:
    """Scores of one player under the given rules."""

    def __init__(self, rules: PushRules) -> None:
        self.rules = rules
        self.target = (
            rules.target // rules.grain if rules.target % rules.grain == 0 else -(-rules.target // rules.grain)
        )
        self.exact = rules.finish == "exact"

    def least(self, score: int) -> int:
        """Fewest points of a bank that counts from this score, the winning one aside."""
        rules = self.rules
        points = rules.minimum if score else max(rules.opening, rules.minimum)
        return max(1, -(-points // rules.grain))

    def counts(self, score: int, points: int) -> bool:
        """Whether banking so many points changes the score; otherwise stopping with them scores nothing."""
        if score + points >= self.target and not self.rules.minimum_on_win:
            return points > 0
        return points >= self.least(score)

    def cap(self, score: int) -> int:
        """Points in hand where the turn's table ends: the least that win or, exactly, one more than may be held."""
        need = self.target - score
        if self.exact:
            return need + 1
        return max(need, self.least(score)) if self.rules.minimum_on_win else need

    @cached_property
    def scores(self) -> NDArray[np.int64]:
        """Every score below the target that a player can hold, ascending from 0."""
        held = 0
        for points in self.rules.turn.reachable(self.target):
            held |= points
        mask = (1 << self.target) - 1
        banks = [points for points in range(1, self.target) if held >> points & 1]
        reached = 0
        for points in banks:
            if points >= self.least(0):
                reached |= 1 << points
        later = [points for points in banks if points >= self.least(1)]
        while True:
            before = reached
            for points in later:
                reached |= reached << points & mask
            if reached == before:
                break
        return np.array([0] + [score for score in range(1, self.target) if reached >> score & 1])

    @cached_property
    def top(self) -> int:
        """The largest cap."""
        return max(self.cap(int(score)) for score in self.scores)

    @cached_property
    def counting(self) -> NDArray[np.bool_]:
        """``counts`` as a table of shape (target, top + 1)."""
        table = np.zeros((self.target, self.top + 1), dtype=bool)
        for score in self.scores:
            table[score, self.least(int(score)) :] = True
            if not self.rules.minimum_on_win:
                table[score, max(1, self.target - int(score)) :] = True
        return table

    def turn_rounding(self) -> float:
        """Bound of the rounding error of one turn's value, for payoffs between 0 and 1.

        A throw with n classes adds at most (n + 3) rounding errors of its value; errors further on are averaged. A turn
        makes at most ``top`` throws, and on average at most 1 / (least chance to bust) of them.
        """
        turn = self.rules.turn
        throws = [throw for mode in turn.modes for throw in mode.throws]
        most = max(len(throw.classes) for throw in throws) + 3
        safest = min(turn.bust_chance(throw) for throw in throws)
        return min(float(self.top), 1 / safest if safest else np.inf) * most * 2.0**-53
