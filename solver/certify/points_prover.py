"""Certified bounds of one push-your-luck turn for points, which nothing limits.

There are few states and one truncation (T4). From a level l on, a player banks wherever that is allowed. Then t turn
points in mode m are worth no more than max(t, l) + gamma_m if for every roll of every mode

    sum of kept classes  w max(points added, 0 if taken off, + gamma of the next mode)
        <=  (l - z) sum of lost classes  w  +  W gamma_m

Here z is the value of a bust, or 0 if that is negative (docs/exactness.md, Lemma C). gamma is 0 except where nothing
can be lost. The level and gamma are found in floating point, rounded up, and verified in fractions.

*Objective points*: every state is a turn of its own. *Objective rate*: a bust leads to the next count of busts in a
row. For any numbers h, the gains of the turns over h bound the average (Theorem 6). The prover takes the solved values
for h, which become the midpoints of the bounds. A bust leads to the next count, to the same count, or to count 0, whose
h is 0. Bounds are therefore found from the last count backwards.
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..solvers.problem import ValueTable
from ..solvers.push.points import PushPointsProblem, PushRateProblem
from ..turns.push_turn import BUST, Roll
from ..util.errors import SolveError
from .prover import MAX_BITS, MAX_GAP, MAX_SWEEPS, NO_BOUNDS, OUTWARD_SIGNS, CertifiedBounds, Doubles
from .whole_turn import FORBIDDEN, IntegerPushTurn, Ints

GAMMA_DENOMINATOR = 1000  # gamma is a multiple of 1 / 1000 of a point
GAMMA_PASSES = 200
ROUNDING_ALLOWANCE = 1.0001  # factor by which the level and gamma are rounded up before they are verified
MIN_ROLLS_PAST_LEVEL = 3  # rolls beyond the level that the table contains in any case


class _Scale(NamedTuple):
    """The integer scale of a proof: units are 2 ** -bits, and no turn is worth more than ``max_points``."""

    bits: int
    max_points: int


class PushPointsProver:
    """Prover of certified bounds of turns for points.

    States are turns before the first bank and after it, for each count of busts in a row if these cost points. For the
    objective rate they are the turns after the first bank only.
    """

    def __init__(self, problem: PushPointsProblem) -> None:
        self.problem, self.rules, self.turn = problem, problem.rules, problem.rules.turn
        self.grain, self.integer_turn = self.rules.grain, IntegerPushTurn(self.turn)
        self.is_rate = isinstance(problem, PushRateProblem)
        self.states = [
            (has_opened, *([busts] if self.rules.costs else []))
            for has_opened in ((1,) if self.is_rate else (0, 1))
            for busts in range(problem.bust_count_limit)
        ]
        self.max_bust_value = math.ceil(problem.max_bust_value)  # z
        self.stops_from, self.gamma = self._find_level()
        self.level = self.stops_from
        modes = zip(self.turn.modes, self.gamma, strict=True)
        points_past_level = problem.max_stopping_points(ValueTable({}, 0.0)) - self.level
        if any(mode.bank_ending is not None and gamma for mode, gamma in modes):
            # In such a mode no roll can bust, so banking is never best there.
            self.level += max(0, points_past_level)
        self.points_past_level = (
            max(0, points_past_level) + MIN_ROLLS_PAST_LEVEL * self.turn.max_added_points * self.grain
        )

    def truncation_data(self) -> dict[str, Any]:
        """Return the truncation as data for the header of a certificate."""
        rules, mode_of_name = self.rules, {"null": self.turn.start}  # null: the turn begins
        for dice in range(1, rules.dice + 1):
            hand = rules.hands[dice - 1]
            mode_of_name |= {json.dumps([hand, is_forced]): rules.mode(dice) for is_forced in (False, True)}
            mode_of_name |= {
                json.dumps([hand, True, *following.over]): rules.mode_of(following)
                for following in rules.confirming
                if following.dice == dice
            }
        gamma = {
            name: [round(self.gamma[mode] * GAMMA_DENOMINATOR), GAMMA_DENOMINATOR]
            for name, mode in mode_of_name.items()
            if self.gamma[mode]
        }
        return {"level": self.level, "past": self.points_past_level, "gamma": gamma}

    def _kept_and_lost(self, roll: Roll, gamma: list[Any]) -> tuple[Any, int]:
        """Return the weighted sum of the most that kept classes bring, and the weight of the lost classes."""
        kept_sum, lost_weight = gamma[0] * 0, 0
        for choices, weight in roll.classes:
            gains = [
                max(0, choice.added_points) * self.grain + gamma[choice.next_mode]
                for choice in choices
                if choice.next_mode >= 0
            ]
            kept_sum += weight * max(gains) if gains else 0
            lost_weight += 0 if gains else weight
        return kept_sum, lost_weight

    def _find_level(self) -> tuple[int, list[Fraction]]:
        """Return the level l and gamma of every mode, verified in fractions.

        Raises:
            SolveError: no level was found.
        """
        level, estimates = 1.0, [0.0] * len(self.turn.modes)
        rolls = [(mode_number, roll) for mode_number, mode in enumerate(self.turn.modes) for roll in mode.rolls]
        for _ in range(GAMMA_PASSES):
            for mode_number, roll in rolls:
                kept_sum, lost_weight = self._kept_and_lost(roll, estimates)
                if lost_weight:
                    level = max(level, self.max_bust_value + kept_sum / lost_weight)
                else:
                    estimates[mode_number] = max(estimates[mode_number], kept_sum / total_weight(roll))
        gamma = [
            Fraction(math.ceil(estimate * GAMMA_DENOMINATOR * ROUNDING_ALLOWANCE), GAMMA_DENOMINATOR)
            for estimate in estimates
        ]
        stops_from = math.floor(level * ROUNDING_ALLOWANCE) + 2
        for mode_number, roll in rolls:
            kept_sum, lost_weight = self._kept_and_lost(roll, gamma)
            if kept_sum > (stops_from - self.max_bust_value) * lost_weight + total_weight(roll) * gamma[mode_number]:
                raise SolveError("no points are found from which stopping is best")
        return stops_from, gamma

    def prove(self, value_table: ValueTable) -> tuple[CertifiedBounds, list[int]]:
        """Return the bounds of all states, and of a rate its lower and upper bound in the same units.

        Raises:
            SolveError: no bounds were found.
        """
        values = value_table.arrays[self.problem.objective].ravel()
        scale = self._scale(values)
        blocks = (np.arange(len(self.states)),)
        if not self.is_rate:
            zeros = np.zeros(2, dtype=np.int64)
            bounds = np.array([self._turn_bounds(state, zeros, scale) for state in self.states])
            return CertifiedBounds(bounds.T + OUTWARD_SIGNS, scale.bits, blocks), []
        h = np.rint(np.ldexp(values - values[0], scale.bits)).astype(np.int64)
        gains = np.array([self._bounds_after_busts(busts, h, scale) - h[busts] for busts in range(len(values))])
        rate = [int(gains[:, 0].min()), int(gains[:, 1].max())]
        max_gap = np.ldexp(MAX_GAP, scale.bits)
        bounds = np.tile(h, (2, 1))
        for busts in range(len(values) - 1, 0, -1):
            self._widen(bounds, busts, rate, h, scale)
        if (bounds[1] - h > max_gap).any() or rate[1] - rate[0] > max_gap:
            raise SolveError(NO_BOUNDS)
        return CertifiedBounds(bounds, scale.bits, blocks), rate

    def _scale(self, values: Doubles) -> _Scale:
        """Return the finest scale in which all amounts fit."""
        max_points = max(self.level, self.problem.states.min_bank(0) * self.grain) + self.points_past_level
        max_points += self.turn.max_added_points * self.grain + math.ceil(max(self.gamma))
        largest = max_points + math.ceil(np.ptp(values))
        return _Scale(MAX_BITS - max([largest, *self.rules.costs]).bit_length(), max_points)

    def _widen(self, bounds: Ints, busts: int, rate: list[int], h: Ints, scale: _Scale) -> None:
        """Widen the bounds of one count symmetrically about h until they are strict, or too wide."""
        max_gap, rate_gap = np.ldexp(MAX_GAP, scale.bits), rate[1] - rate[0]
        for _ in range(MAX_SWEEPS):
            excess = self._bounds_after_busts(busts, bounds, scale) - rate[::-1] - h[busts]
            needed_gap = (OUTWARD_SIGNS[:, 0] * excess).max()
            gap = bounds[1, busts] - h[busts]
            if needed_gap < gap or max(gap, rate_gap) > max_gap:
                return
            bounds[:, busts] = h[busts] + OUTWARD_SIGNS[:, 0] * (needed_gap + 1 + rate_gap)

    def _bounds_after_busts(self, busts: int, count_values: Ints, scale: _Scale) -> Ints:
        """Return the lower and upper bound of the turn after so many busts in a row.

        Args:
            busts: the count of busts in a row.
            count_values: (counts,) the value of every count, or (2, counts) its lower and upper bound.
            scale: the integer scale.
        """
        _, next_count = self.rules.busted(0, busts)
        bust_values = np.broadcast_to(count_values, (2, len(self.states)))[:, next_count]
        if (bust_values > self.max_bust_value + self.rules.costs[busts] << scale.bits).any():
            raise SolveError("a bust is worth more than the turn was cut for")
        return self._turn_bounds(self.states[busts], bust_values, scale)

    def _turn_bounds(self, state: tuple[int, ...], bust_values: Ints, scale: _Scale) -> Ints:
        """Return the lower and upper bound of one turn; a bust pays ``bust_values`` by side, less what it costs."""
        cap, rows_past_cap = (-(-points // self.grain) for points in (self.level, self.points_past_level))
        cap = max(cap, self.problem.states.min_bank(state[0]))
        points = self.problem.make_lane(bool(state[0]), cap + rows_past_cap, *state[1:]).payoff[0]
        units = np.ldexp(np.where(np.isneginf(points), 0.0, points), scale.bits).astype(np.int64)
        payoff = np.repeat(np.where(np.isneginf(points), FORBIDDEN, units), 2, axis=1)
        payoff[-1 - BUST.next_mode] += bust_values
        gamma = np.array([[math.ceil(mode_gamma * (1 << scale.bits))] for mode_gamma in self.gamma])
        caps, round_up = np.array([cap, cap]), np.array([0, 1])
        min_value, max_value = int(payoff[:2].min()), scale.max_points << scale.bits
        return self.integer_turn.solve(payoff, caps, round_up, min_value, max_value, rows_past_cap, gamma)[0]


def total_weight(roll: Roll) -> int:
    """Return the sum of the weights of a roll's classes."""
    return sum(weight for _, weight in roll.classes)
