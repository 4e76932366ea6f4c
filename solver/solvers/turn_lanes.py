"""Turns and what their endings pay: what an answer inside a turn is read from, by one kernel call for many of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..turns.push_turn import Caps, Doubles, PushTurn, TurnValue
from .problem import group_by_key


class Throwing(NamedTuple):
    """A throw that is about to be made: the mode, which of its throws, and the points in hand."""

    mode: int
    throw: int
    held: int


class Lanes(NamedTuple):
    """Turns and what their endings pay: ``payoff`` (channels, endings, lanes), whose first channel decides, and where
    their tables end. Banks stand in blocks of so many. Where ``shares`` are told each turn is made of the lanes from
    its number in ``begins`` to the next, so often each.
    """

    turn: PushTurn
    payoff: Doubles
    caps: Caps
    block: int
    begins: Sequence[int] = ()
    shares: Doubles = np.zeros(0)

    @property
    def banks(self) -> Doubles:
        """What the first turn's banks pay."""
        found: Doubles = self.payoff[0, self.turn.specials : self.turn.specials + self.block, 0]
        return found

    @property
    def cap(self) -> int:
        """Where the longest table ends."""
        return int(self.caps.max())

    def solve(self) -> TurnValue:
        """Solve the turns, with everything inside them."""
        if len(self.caps) > 1:
            return self.turn.solve(self.payoff, self.caps, inner=True)
        return _solve(self.turn, self.payoff.shape[:2], self.payoff.tobytes(), self.cap)

    def throws(self, asked: Sequence[Throwing]) -> Doubles:
        """What throws pay by every channel: (channels, throws, lanes)."""
        solved, found = self.solve(), np.empty((len(self.payoff), len(asked), self.payoff.shape[2]))
        for (mode, throw), numbers in group_by_key((one.mode, one.throw) for one in asked).items():
            held = np.minimum([asked[number].held for number in numbers], self.cap)
            made = self.turn.modes[mode].rolls[throw]
            found[:, numbers] = self.turn.throw_value(solved, self.payoff, made, held)
        return found


def together(lanes: Sequence[Lanes]) -> Lanes:
    """Lanes of one turn each, side by side: those that end earlier stay as they end."""
    size = max(one.payoff.shape[1] for one in lanes)
    payoff = [np.pad(one.payoff, ((0, 0), (0, size - one.payoff.shape[1]), (0, 0)), "edge") for one in lanes]
    caps = np.concatenate([one.caps for one in lanes])
    return Lanes(lanes[0].turn, np.concatenate(payoff, axis=2), caps, max(one.block for one in lanes))


@lru_cache(maxsize=2)
def _solve(turn: PushTurn, shape: tuple[int, int], payoff: bytes, cap: int) -> TurnValue:
    """The same turn is often asked about more than once in a row."""
    return turn.solve(np.frombuffer(payoff).reshape(*shape, 1), np.array([cap], dtype=np.int32), inner=True)
