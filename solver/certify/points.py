"""Lines of one turn for points, which nothing bounds: a few states, each a turn by itself, and a cut (T4).

From a level on, l, whoever may stop does: t points in hand are worth no more than max(t, l) and g of the mode, if for
every throw of every mode, 0 for whatever ends a turn without points,

    sum of kept classes  w max(points added, 0 if taken off, + g of the next mode)  <=  l sum of lost classes  w  +  W g

(docs/exactness.md, Lemma C). g is 0 but where nothing can be lost; level and g are found in floating point,
told a little too large, and held against this in fractions.
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import InputError, SolveError
from ..games.unlike import UnlikeRules
from ..matches.contract import Solved
from ..matches.push.points import Points
from ..turns.push import Throw
from .lines import MOST_BITS, Lines
from .turn import NEVER, Ints, WholeTurn

TOLD = 1000  # g is told in so many parts of a point
PASSES = 200
THROWS = 3  # beyond the level, that are worked out in any case


class PointsProver:
    """The lines of turns for points: before the first bank and after it, and by busts in a row where they cost."""

    def __init__(self, match: Points) -> None:
        if match.rules.best == "lowest":
            raise InputError(f"{match.game.id}: the lowest points cannot be certified yet")
        self.match, self.rules, self.turn = match, match.rules, match.rules.turn
        self.grain, self.whole = self.rules.grain, WholeTurn(self.turn)
        self.states = [
            (opened, *([count] if self.rules.costs else [])) for opened in (0, 1) for count in range(match.counts)
        ]
        self.level, self.more = self._cut()
        goes_on = match.longest_cut(Solved({}, 0.0)) - self.level  # where throws must be made, or cannot bust
        self.past = max(0, goes_on) + THROWS * self.turn.max_add * self.grain

    def cut(self) -> dict[str, Any]:
        """What the header says of it."""
        named = {"null": self.turn.start}  # the turn begins
        for dice in range(1, self.rules.dice + 1):
            named |= {json.dumps([[dice], must]): self.rules.mode(dice) for must in (False, True)}
        gamma = {name: [round(self.more[mode] * TOLD), TOLD] for name, mode in named.items() if self.more[mode]}
        if gamma and isinstance(self.rules, UnlikeRules):
            raise InputError(f"{self.match.game.id}: dice unlike one another cannot be certified for points yet")
        return {"level": self.level, "past": self.past, "gamma": gamma}

    def _brought(self, throw: Throw, more: list[Any]) -> tuple[Any, int]:
        """What the kept classes of a throw bring, times their weights; and the weight of the lost ones."""
        brings, lost = more[0] * 0, 0
        for offered, weight in throw.classes:
            kept = [max(0, one.add) * self.grain + more[one.next] for one in offered if one.next >= 0]
            brings += weight * max(kept) if kept else 0
            lost += 0 if kept else weight
        return brings, lost

    def _cut(self) -> tuple[int, list[Fraction]]:
        """The level, and g of every mode."""
        level, more = 1.0, [0.0] * len(self.turn.modes)
        throws = [(number, throw) for number, mode in enumerate(self.turn.modes) for throw in mode.throws]
        for _ in range(PASSES):
            for number, throw in throws:
                brings, lost = self._brought(throw, more)
                if lost:
                    level = max(level, brings / lost)
                else:
                    more[number] = max(more[number], brings / sum(weight for _, weight in throw.classes))
        told = [Fraction(math.ceil(one * TOLD * 1.0001), TOLD) for one in more]
        stops = math.floor(level * 1.0001) + 2
        for number, throw in throws:
            found, lost = self._brought(throw, told)
            if found > stops * lost + sum(weight for _, weight in throw.classes) * told[number]:
                raise SolveError("no points are found from which stopping is best")
        return stops, told

    def prove(self) -> Lines:
        """The lines of all states."""
        most = max(self.level, self.match.states.least(0) * self.grain) + self.past + self.turn.max_add * self.grain
        most += math.ceil(max(self.more))
        bits = MOST_BITS - max([most, *self.rules.costs]).bit_length()
        ends = [self._turn(state, bits, most << bits) for state in self.states]
        return Lines(np.array(ends).T, bits, (np.arange(len(ends)),))

    def _turn(self, state: tuple[int, ...], bits: int, most: int) -> Ints:
        """Lower and upper number of one turn, strict by a unit."""
        cap, past = (-(-points // self.grain) for points in (self.level, self.past))
        cap = max(cap, self.match.states.least(state[0]))
        paid = self.match.turn_lane(bool(state[0]), cap + past, *state[1:]).payoff[0]
        whole = np.ldexp(np.where(np.isneginf(paid), 0.0, paid), bits).astype(np.int64)
        payoff = np.repeat(np.where(np.isneginf(paid), NEVER, whole), 2, axis=1)
        more = [math.ceil(one * (1 << bits)) for one in self.more]
        low, high = self.whole.value(
            payoff, np.array([cap, cap]), np.array([0, 1]), int(payoff[:2].min()), most, past, more
        )
        return np.array([low - 1, high + 1])
