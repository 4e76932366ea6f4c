"""Turns in lanes, with the payoffs of their endings: one kernel call evaluates positions inside all of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..turns.push_turn import Caps, Doubles, PushTurn, TurnValue
from .problem import group_by_key


class PendingRoll(NamedTuple):
    """A roll that is about to be made.

    Attributes:
        mode: the index of the mode in which it is made.
        roll: the index of the roll among those of the mode.
        turn_points: the turn points before it.
    """

    mode: int
    roll: int
    turn_points: int


class TurnLanes(NamedTuple):
    """Turns that share a turn model, in lanes, with the payoffs of their endings.

    A turn is one lane, or a mixture of several neighboring lanes, of which one is drawn before the turn begins.

    Attributes:
        turn: the turn model.
        payoff: (channels, endings, lanes). Channel 0 is maximized. The special endings, such as the bust, come first,
            then the bank endings of every mode by turn points.
        caps: (lanes,), the turn points at which the tables end.
        bank_count: the number of bank endings of one mode.
        first_lanes: the first lane of each turn if there are mixtures, else ().
        lane_probabilities: (lanes,), the probability of each lane within its turn if there are mixtures, else empty.
        cap: the largest of the caps.
    """

    turn: PushTurn
    payoff: Doubles
    caps: Caps
    bank_count: int
    first_lanes: Sequence[int] = ()
    lane_probabilities: Doubles = np.zeros(0)

    @property
    def bank_payoffs(self) -> Doubles:
        """Payoffs of the bank endings of the first mode in the first lane, by turn points: (bank_count,)."""
        first_ending = self.turn.special_count
        payoffs: Doubles = self.payoff[0, first_ending : first_ending + self.bank_count, 0]
        return payoffs

    @property
    def cap(self) -> int:
        """The largest cap of any lane."""
        return int(self.caps.max())

    def solve(self) -> TurnValue:
        """Solve the turns of all lanes, with the values inside them; the result of a single lane is cached."""
        if len(self.caps) > 1:
            return self.turn.solve(self.payoff, self.caps, inner=True)
        channels_and_endings = self.payoff.shape[:2]
        return _solve_lane(self.turn, channels_and_endings, self.payoff.tobytes(), self.cap)

    def roll_values(self, rolls: Sequence[PendingRoll]) -> Doubles:
        """Return the values of positions before some rolls inside the turns, in every lane.

        Args:
            rolls: the rolls that are about to be made. More turn points than the largest cap count as that cap.

        Returns:
            (channels, rolls, lanes).
        """
        solved_turns = self.solve()
        channel_count, _, lane_count = self.payoff.shape
        values = np.empty((channel_count, len(rolls), lane_count))
        roll_indices = group_by_key((roll.mode, roll.roll) for roll in rolls)
        for (mode, roll_number), indices in roll_indices.items():  # the same roll with different turn points
            turn_points = [rolls[index].turn_points for index in indices]
            capped_points = np.minimum(turn_points, self.cap)
            roll_model = self.turn.modes[mode].rolls[roll_number]
            values[:, indices] = self.turn.roll_value(solved_turns, self.payoff, roll_model, capped_points)
        return values


def join_lanes(lanes: Sequence[TurnLanes]) -> TurnLanes:
    """Join several solves of one lane each into one of all lanes, in their order.

    The tables of the turns may differ in length. Payoffs past the end of a shorter one repeat its last payoff.

    Args:
        lanes: the turns, all with the same turn model and without mixtures.
    """
    ending_count = max(lane.payoff.shape[1] for lane in lanes)
    padded_payoffs = []
    for lane in lanes:
        missing_endings = ending_count - lane.payoff.shape[1]
        padded_payoffs.append(np.pad(lane.payoff, ((0, 0), (0, missing_endings), (0, 0)), "edge"))
    payoff = np.concatenate(padded_payoffs, axis=2)
    caps = np.concatenate([lane.caps for lane in lanes])
    bank_count = max(lane.bank_count for lane in lanes)
    turn = lanes[0].turn
    return TurnLanes(turn, payoff, caps, bank_count)


@lru_cache(maxsize=2)
def _solve_lane(turn: PushTurn, channels_and_endings: tuple[int, int], payoff_bytes: bytes, cap: int) -> TurnValue:
    """Solve one turn. The result is cached because answers often ask about the same turn several times in a row.

    Args:
        turn: the turn model.
        channels_and_endings: the first two axes of the payoff; there is one lane.
        payoff_bytes: the numbers of the payoff. Bytes can be a key of the cache, unlike an array.
        cap: the turn points at which the table of the turn ends.
    """
    payoff = np.frombuffer(payoff_bytes).reshape(*channels_and_endings, 1)
    caps = np.array([cap], dtype=np.int32)
    return turn.solve(payoff, caps, inner=True)
