"""One player's score in Hearts Due, turn by turn: no decisions, but wipes, so every score leads to every other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...games.hearts_due import ROLLS, HeartsRules
from ...util.errors import InputError

Floats = NDArray[np.float64]

LEFT = 2.0**-60  # chance of not being done after which a chain is not followed
MOST_TURNS = 5000  # expected turns of a game that is followed; 2E turns at least halve what is left, 120E leave 2**-60


class Chain:
    """One player's score below the target: ``scores`` that can be, and what one throw makes of each.

    ``to[k]`` is where the k-th outcome of a throw leads from every place and ``chance[k]`` its chance; the last place
    is being done. The last outcome is the wipe. A turn is one sum over the outcomes, always in this order, so it has
    the same bits on every machine.
    """

    def __init__(self, rules: HeartsRules, target: int) -> None:
        reached, front = {0}, [0]
        while front:
            score = front.pop()
            for points in rules.ways:
                if points and score + points < target and score + points not in reached:
                    reached.add(score + points)
                    front.append(score + points)
        self.scores = np.array(sorted(reached))
        places = {score: place for place, score in enumerate(self.scores.tolist())}
        size = len(places)
        self.to = np.full((len(rules.ways) + 1, size + 1), size)
        for outcome, points in enumerate(rules.ways):
            self.to[outcome, :size] = [places.get(score + points, size) for score in places]
        self.to[-1, :size] = 0
        self.chance = [ways / ROLLS for ways in (*rules.ways.values(), rules.wiped)]

    def before(self, worth: Floats) -> Floats:
        """What every place is worth before a turn that leads to places of so much worth."""
        total = np.zeros(len(worth))
        for to, chance in zip(self.to, self.chance, strict=True):
            total += chance * worth[to]
        return total

    def places(self, scores: Sequence[int]) -> list[int]:
        """The places of scores; one that has reached the target is done."""
        found: list[int] = np.searchsorted(self.scores, scores).tolist()
        return found

    def expected(self) -> Floats:
        """Expected turns to be done, by place.

        Scores only rise or are wiped, so E(s) = a(s) + (1 - d(s)) E(0), with a(s) the turns until being done or wiped
        and d(s) the chance of being done before a wipe; both follow from the scores above, and E(0) = a(0) / d(0).
        Nothing is subtracted from what is nearly the same: a and d are sums of positive numbers.
        """
        size = len(self.scores)
        lasts, done = np.zeros(size + 1), np.zeros(size + 1)
        done[size] = 1
        for place in range(size - 1, -1, -1):
            stays, turns, ends = 0.0, 1.0, 0.0
            for to, chance in zip(self.to[:-1, place].tolist(), self.chance, strict=False):
                if to == place:
                    stays += chance
                else:
                    turns += chance * float(lasts[to])
                    ends += chance * float(done[to])
            lasts[place], done[place] = turns / (1 - stays), ends / (1 - stays)
        found: Floats = (lasts + (1 - done) * (lasts[0] / done[0]))[:size]
        return found

    @property
    def rounding(self) -> float:
        """Relative error of one turn's sum, for numbers from 0 on: chances, products, as many sums as outcomes."""
        return (len(self.chance) + 5) * 2.0**-53

    def done(self, turns: int) -> Iterator[Floats]:
        """Chance to be done within 0, 1, ... ``turns`` turns, by place."""
        chance = np.zeros(len(self.scores) + 1)
        chance[-1] = 1
        yield chance
        for _ in range(turns):
            chance = self.before(chance)
            chance[-1] = 1
            yield chance

    @cached_property
    def not_done(self) -> Floats:
        """Chance of not being done after 0, 1, ... turns from each place (turns, places), until it is negligible."""
        if self.expected()[0] > MOST_TURNS:
            raise InputError(
                f"the target is so far that a player needs {self.expected()[0]:,.0f} turns on average:"
                f" games are followed up to {MOST_TURNS:,}"
            )
        found = [np.ones(len(self.scores) + 1)]
        found[0][-1] = 0
        while found[-1].max() > LEFT:
            left = self.before(found[-1])
            left[-1] = 0
            found.append(left)
        return np.array(found)
