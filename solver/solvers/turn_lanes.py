"""Turns with the payoffs of their endings, from which positions inside turns are valued by one kernel call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..turns.push_turn import Caps, Doubles, PushTurn, TurnValue
from .problem import group_by_key


class PendingRoll(NamedTuple):
    """A roll that is about to be made: the mode, the index of the roll among those of the mode, and the turn points."""

    mode: int
    roll: int
    turn_points: int


class TurnLanes(NamedTuple):
    """Turns side by side with the payoffs of their endings.

    Attributes:
        turn: the turn model.
        payoff: (channels, endings, lanes). Channel 0 is maximized.
        caps: (lanes,), the turn points at which the tables end.
        block: the number of bank endings of one mode.
        begins: the first lane of each turn, if a turn is a mixture of several lanes, else ().
        shares: (lanes,), the probability of each lane within its turn, if there are mixtures.
    """

    turn: PushTurn
    payoff: Doubles
    caps: Caps
    bank_count: int
    first_lanes: Sequence[int] = ()
    shares: Doubles = np.zeros(0)

    @property
    def bank_payoffs(self) -> Doubles:
        """Payoffs of the bank endings of the first mode in the first lane, by turn points."""
        payoffs: Doubles = self.payoff[0, self.turn.special_count : self.turn.special_count + self.bank_count, 0]
        return payoffs

    @property
    def cap(self) -> int:
        """The largest cap of any lane."""
        return int(self.caps.max())

    def solve(self) -> TurnValue:
        """Solve the turns, with the values inside them."""
        if len(self.caps) > 1:
            return self.turn.solve(self.payoff, self.caps, inner=True)
        return _solve_lane(self.turn, self.payoff.shape[:2], self.payoff.tobytes(), self.cap)

    def roll_values(self, rolls: Sequence[PendingRoll]) -> Doubles:
        """Return the values before some rolls: (channels, rolls, lanes)."""
        solved, values = self.solve(), np.empty((len(self.payoff), len(rolls), self.payoff.shape[2]))
        for (mode, number), indices in group_by_key((roll.mode, roll.roll) for roll in rolls).items():
            points = np.minimum([rolls[index].turn_points for index in indices], self.cap)
            roll_model = self.turn.modes[mode].rolls[number]
            values[:, indices] = self.turn.roll_value(solved, self.payoff, roll_model, points)
        return values


def join_lanes(lanes: Sequence[TurnLanes]) -> TurnLanes:
    """Join lanes of one turn each; payoffs past the end of a shorter lane repeat its last one."""
    size = max(lane.payoff.shape[1] for lane in lanes)
    payoff = [np.pad(lane.payoff, ((0, 0), (0, size - lane.payoff.shape[1]), (0, 0)), "edge") for lane in lanes]
    caps = np.concatenate([lane.caps for lane in lanes])
    return TurnLanes(lanes[0].turn, np.concatenate(payoff, axis=2), caps, max(lane.bank_count for lane in lanes))


@lru_cache(maxsize=2)
def _solve_lane(turn: PushTurn, shape: tuple[int, int], payoff: bytes, cap: int) -> TurnValue:
    """Solve one turn. The result is cached because answers often ask about the same turn several times in a row."""
    return turn.solve(np.frombuffer(payoff).reshape(*shape, 1), np.array([cap], dtype=np.int32), inner=True)
