"""Lines of turns for points, which nothing bounds: a few states, and a cut (T4).

From a level on, l, whoever may stop does: t points in hand are worth no more than max(t, l) and g of the mode, if for
every throw of every mode, z being what a bust is worth, or 0 where that is less,

    sum of kept classes  w max(points added, 0 if taken off, + g of the next mode)
        <=  (l - z) sum of lost classes  w  +  W g

(docs/exactness.md, Lemma C). g is 0 but where nothing can be lost; level and g are found in floating point,
told a little too large, and held against this in fractions.

For ``points`` every state is a turn by itself. For ``rate`` a bust leads on to the next count. What its turns gain over
any numbers h bounds the average (Theorem 6): h are those that were solved, which lie halfway between the lines. These
are found last count first, since a bust leads to the next one, to itself, or to none, which is worth 0.
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np

from ..solvers.problem import ValueTable
from ..solvers.push.points import Points, Rate
from ..turns.push_turn import BUST, Roll
from ..util.errors import SolveError
from .prover import MOST_BITS, MOST_GAP, MOST_SWEEPS, NO_LINES, OUTWARD, Lines
from .whole_turn import NEVER, Ints, WholeTurn

TOLD = 1000  # g is told in so many parts of a point
PASSES = 200
THROWS = 3  # beyond the level, that are worked out in any case


class PointsProver:
    """The lines of turns for points: before the first bank and after it, and by busts in a row where they cost; for
    their average after it only.
    """

    def __init__(self, match: Points) -> None:
        self.match, self.rules, self.turn = match, match.rules, match.rules.turn
        self.grain, self.whole, self.averaged = self.rules.grain, WholeTurn(self.turn), isinstance(match, Rate)
        self.states = [
            (opened, *([count] if self.rules.costs else []))
            for opened in ((1,) if self.averaged else (0, 1))
            for count in range(match.counts)
        ]
        self.bust = math.ceil(match.best_bust)  # a bust is worth no more: z
        self.stops_from, self.more = self._cut()
        self.level = self.stops_from
        goes_on = (
            match.max_stopping_points(ValueTable({}, 0.0)) - self.level
        )  # where throws must be made, or cannot bust
        if any(mode.bank_ending is not None and more for mode, more in zip(self.turn.modes, self.more, strict=True)):
            self.level += max(0, goes_on)  # throwing cannot bust there, and stopping is never best
        self.past = max(0, goes_on) + THROWS * self.turn.max_add * self.grain

    def cut(self) -> dict[str, Any]:
        """What the header says of it."""
        rules, named = self.rules, {"null": self.turn.start}  # the turn begins
        for dice in range(1, rules.dice + 1):
            hand = rules.hands[dice - 1]
            named |= {json.dumps([hand, must]): rules.mode(dice) for must in (False, True)}
            named |= {
                json.dumps([hand, True, *one.over]): rules.mode_of(one) for one in rules.confirming if one.dice == dice
            }
        gamma = {name: [round(self.more[mode] * TOLD), TOLD] for name, mode in named.items() if self.more[mode]}
        return {"level": self.level, "past": self.past, "gamma": gamma}

    def _brought(self, throw: Roll, more: list[Any]) -> tuple[Any, int]:
        """What the kept classes of a throw bring, times their weights; and the weight of the lost ones."""
        brings, lost = more[0] * 0, 0
        for offered, weight in throw.classes:
            kept = [
                max(0, one.added_points) * self.grain + more[one.next_mode] for one in offered if one.next_mode >= 0
            ]
            brings += weight * max(kept) if kept else 0
            lost += 0 if kept else weight
        return brings, lost

    def _cut(self) -> tuple[int, list[Fraction]]:
        """The level, and g of every mode."""
        level, more = 1.0, [0.0] * len(self.turn.modes)
        throws = [(number, throw) for number, mode in enumerate(self.turn.modes) for throw in mode.rolls]
        for _ in range(PASSES):
            for number, throw in throws:
                brings, lost = self._brought(throw, more)
                if lost:
                    level = max(level, self.bust + brings / lost)
                else:
                    more[number] = max(more[number], brings / sum(weight for _, weight in throw.classes))
        told = [Fraction(math.ceil(one * TOLD * 1.0001), TOLD) for one in more]
        stops = math.floor(level * 1.0001) + 2
        for number, throw in throws:
            found, lost = self._brought(throw, told)
            if found > (stops - self.bust) * lost + sum(weight for _, weight in throw.classes) * told[number]:
                raise SolveError("no points are found from which stopping is best")
        return stops, told

    def prove(self, solved: ValueTable) -> tuple[Lines, list[int]]:
        """The lines of all states; of an average its lower and upper number, in the same units.

        Raises:
            SolveError: none were found.
        """
        values = solved.arrays[self.match.objective].ravel()
        top = max(self.level, self.match.states.least(0) * self.grain) + self.past + self.turn.max_add * self.grain
        self.most = top + math.ceil(max(self.more))
        largest = self.most + math.ceil(np.ptp(values))
        self.bits = MOST_BITS - max([largest, *self.rules.costs]).bit_length()
        blocks = (np.arange(len(self.states)),)
        if not self.averaged:
            found = np.array([self._turn(state, np.zeros(2, dtype=np.int64)) for state in self.states])
            return Lines(found.T + OUTWARD, self.bits, blocks), []
        beyond = np.rint(np.ldexp(values - values[0], self.bits)).astype(np.int64)
        gains = np.array([self._after(count, beyond) - beyond[count] for count in range(len(values))])
        rate, widest = [int(gains[:, 0].min()), int(gains[:, 1].max())], np.ldexp(MOST_GAP, self.bits)
        ends = np.tile(beyond, (2, 1))
        for count in range(len(values) - 1, 0, -1):
            for _ in range(MOST_SWEEPS):  # alike on both sides, so that the middle stays
                needed = (OUTWARD[:, 0] * (self._after(count, ends) - rate[::-1] - beyond[count])).max()
                gap = ends[1, count] - beyond[count]
                if needed < gap or max(gap, rate[1] - rate[0]) > widest:
                    break
                ends[:, count] = beyond[count] + OUTWARD[:, 0] * (needed + 1 + rate[1] - rate[0])
        if (ends[1] - beyond > widest).any() or rate[1] - rate[0] > widest:
            raise SolveError(NO_LINES)
        return Lines(ends, self.bits, blocks), rate

    def _after(self, count: int, beyond: Ints) -> Ints:
        """The turn after so many busts, lower and upper, by what counts are worth, one number or a lower and an upper
        one.
        """
        _, following = self.rules.busted(0, count)
        paid = np.broadcast_to(beyond, (2, len(self.states)))[:, following]
        if (paid > self.bust + self.rules.costs[count] << self.bits).any():
            raise SolveError("a bust is worth more than the turn was cut for")
        return self._turn(self.states[count], paid)

    def _turn(self, state: tuple[int, ...], follows: Ints) -> Ints:
        """Lower and upper number of one turn; a bust pays so much besides what it costs, by side."""
        cap, past = (-(-points // self.grain) for points in (self.level, self.past))
        cap = max(cap, self.match.states.least(state[0]))
        paid = self.match.turn_lane(bool(state[0]), cap + past, *state[1:]).payoff[0]
        whole = np.ldexp(np.where(np.isneginf(paid), 0.0, paid), self.bits).astype(np.int64)
        payoff = np.repeat(np.where(np.isneginf(paid), NEVER, whole), 2, axis=1)
        payoff[-1 - BUST.next_mode] += follows
        more = np.array([[math.ceil(one * (1 << self.bits))] for one in self.more])
        caps, least, most = np.array([cap, cap]), int(payoff[:2].min()), self.most << self.bits
        return self.whole.solve(payoff, caps, np.array([0, 1]), least, most, past, more)[0]
