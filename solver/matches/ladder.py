"""The ladder of scores a player climbs by banking: which scores can occur, which banks count, what wins.

Everything here is in units of the rules' grain (5000: 50 points), which keeps arrays dense.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..games.pushluck import PushRules
from ..turns.push import PushTurn

Scores = NDArray[np.int64]


class Ladder:
    """Scores of one player under the given rules."""

    def __init__(self, rules: PushRules) -> None:
        self.rules = rules
        self.target = -(-rules.target // rules.grain)
        self.exact = rules.finish == "exact"
        least = max(self.least(0), self.least(1))
        if not rules.minimum_on_win:
            least = min(least, self.target)
        turn = rules.turn
        banks = [
            held for held, mode in zip(turn.reachable(least + turn.max_add), turn.modes, strict=True) if mode.bank == 0
        ]
        if not any(held >> least for held in banks):
            raise InputError(
                f"no turn can bank {least * rules.grain} points under these rules, so nobody could ever win"
            )

    def least(self, score: int) -> int:
        """Fewest points of a bank that counts from this score, the winning one aside."""
        rules = self.rules
        points = rules.minimum if score else max(rules.opening, rules.minimum)
        return max(1, -(-points // rules.grain))

    @cached_property
    def counting_from(self) -> Scores:
        """By score, the fewest points whose bank counts: other stops score nothing. Shape (target,)."""
        least = np.full(self.target, self.least(1))
        least[0] = self.least(0)
        if not self.rules.minimum_on_win:
            least = np.minimum(least, self.target - np.arange(self.target))
        return least

    def counts(self, score: int, points: int) -> bool:
        """Whether banking so many points changes the score."""
        return bool(points >= self.counting_from[score])

    @cached_property
    def caps(self) -> NDArray[np.int32]:
        """By score, where the turn's table ends: the fewest points that win or, with an exact finish, one more than may
        be held. Shape (target,).
        """
        need = self.target - np.arange(self.target)
        return (need + 1 if self.exact else np.maximum(need, self.counting_from)).astype(np.int32)

    @cached_property
    def scores(self) -> Scores:
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


def turn_rounding(turn: PushTurn, cap: int) -> float:
    """Bound of the rounding error of one turn's value, for payoffs between 0 and 1.

    A throw with n classes adds at most (n + 3) rounding errors of its value; errors further on are averaged. A turn
    makes at most as many throws as there are points up to the cap and, where it cannot stop, on average a few beyond;
    or on average at most 1 / (least chance to bust). What the passes beyond the cap leave out is below 2**-59.
    """
    throws = [throw for mode in turn.modes for throw in mode.throws]
    most = max(len(throw.classes) for throw in throws) + 3
    safest = min(turn.bust_chance(throw) for throw in throws)
    longest = cap + 1 / (1 - turn.forced_again)
    return float(min(longest, 1 / safest if safest else np.inf) * most * 2.0**-53 + 2.0**-59)
