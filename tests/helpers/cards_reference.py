"""Cards solved again, sharing nothing with the engine: small ones in fractions by plain recursion over ordered throws,
whole ones in floats by a matrix of chances.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, combinations_with_replacement, product

import numpy as np


def subsets(throw):
    """Every way to keep dice of a throw, as sorted tuples."""
    found = {()}
    for size in range(1, len(throw) + 1):
        found |= set(combinations(sorted(throw), size))
    return found


class PlainCard:
    """``score(category, dice)`` scores a part; the payoff of a state is what a turn is worth once it is over."""

    def __init__(self, dice, weights, throws, categories, score, boxes=1):
        self.dice, self.weights, self.throws = dice, weights, throws
        self.categories, self.score, self.boxes = categories, score, boxes
        total = sum(weights)
        self.faces = [(face, Fraction(w, total)) for face, w in enumerate(weights, 1)]

    def rolls(self, dice):
        for faces in product(self.faces, repeat=dice):
            chance = Fraction(1)
            for _, one in faces:
                chance *= one
            yield tuple(face for face, _ in faces), chance

    def entries(self, throw, open_):
        """(categories filled, points) for every way to enter a final throw."""
        if self.boxes == 1:
            for category in open_:
                yield (category,), self.score(category, throw)
            return
        half = len(throw) // 2
        for first in combinations(range(len(throw)), half):
            a = tuple(throw[i] for i in first)
            b = tuple(throw[i] for i in range(len(throw)) if i not in first)
            for one, two in product(open_, repeat=2):
                if one != two:
                    yield (one, two), self.score(one, a) + self.score(two, b)

    def turn(self, payoff):
        """Value of a turn with the payoff of every final throw (sorted): expectation over all ordered throws."""
        worth = payoff
        for _ in range(self.throws - 1):
            keep = lru_cache(None)(lambda kept, worth=worth: self._keep(kept, worth))
            worth = lru_cache(None)(lambda throw, keep=keep: max(keep(kept) for kept in subsets(throw)))
        return sum(chance * worth(tuple(sorted(throw))) for throw, chance in self.rolls(self.dice))

    def _keep(self, kept, worth):
        more = self.rolls(self.dice - len(kept))
        return sum(chance * worth(tuple(sorted(kept + throw))) for throw, chance in more)

    def points(self):
        """Value of the empty card, by sets of open categories."""

        @lru_cache(None)
        def value(open_):
            if not open_:
                return Fraction(0)
            payoff = lru_cache(None)(
                lambda throw: max(points + value(open_ - set(filled)) for filled, points in self.entries(throw, open_))
            )
            return self.turn(payoff)

        return value(frozenset(self.categories))

    def reach(self, goal):
        """Greatest chance of a total of at least ``goal``."""

        @lru_cache(None)
        def value(open_, need):
            if not open_:
                return Fraction(need <= 0)
            payoff = lru_cache(None)(
                lambda throw: max(
                    value(open_ - set(filled), need - points) for filled, points in self.entries(throw, open_)
                )
            )
            return self.turn(payoff)

        return value(frozenset(self.categories), goal)

    def win(self, mine=None, theirs=None, lead=0):
        """Chance to win of the player to move, two players, a tie half."""
        everything = frozenset(self.categories)
        return self.win_from()(everything if mine is None else mine, everything if theirs is None else theirs, lead)

    def win_from(self):
        """That chance as a function of both open sets and the lead, which remembers what it has found."""

        @lru_cache(None)
        def value(mine, theirs, lead):
            if not mine and not theirs:
                return Fraction(1 + (lead > 0) - (lead < 0), 2)
            payoff = lru_cache(None)(
                lambda throw: max(
                    1 - value(theirs, mine - set(filled), -lead - points)
                    for filled, points in self.entries(throw, mine)
                )
            )
            return self.turn(payoff)

        return value


class WholeCard:
    """A whole card of one box a turn, for points: all sets of boxes at once, keeps by a dense matrix of chances.

    ``boxes`` score sorted dice; the first ``upper`` of them count towards ``bonus`` at ``at``.
    """

    def __init__(self, dice, faces, throws, boxes, upper=0, at=0, bonus=0):
        self.throws, self.boxes, self.upper, self.at, self.bonus = throws, boxes, upper, at, bonus
        self.rolls = list(combinations_with_replacement(range(1, faces + 1), dice))
        self.points = np.array([[box(roll) for roll in self.rolls] for box in boxes])
        keeps = sorted({kept for roll in self.rolls for kept in subsets(roll)})
        number = {roll: i for i, roll in enumerate(self.rolls)}
        self.chance = np.zeros((len(keeps), len(self.rolls)))
        for row, kept in enumerate(keeps):
            for rest in product(range(1, faces + 1), repeat=dice - len(kept)):
                self.chance[row, number[tuple(sorted(kept + rest))]] += faces ** (len(kept) - dice)
        self.first = keeps.index(())
        of = {kept: i for i, kept in enumerate(keeps)}
        within = [[of[kept] for kept in subsets(roll)] for roll in self.rolls]
        self.within, self.begins = np.concatenate(within), np.cumsum([0, *map(len, within)])[:-1]

    def mean(self, lanes=2048):
        """The most expected points of the empty card."""
        count = len(self.boxes)
        totals = np.arange(self.at + 1)
        worth = np.zeros((1 << count, self.at + 1))
        worth[-1] = self.bonus * (totals >= self.at) if self.upper else 0
        sizes = np.array([used.bit_count() for used in range(1 << count)])
        for size in range(count - 1, -1, -1):
            used, total = (side.ravel() for side in np.meshgrid(np.flatnonzero(sizes == size), totals, indexing="ij"))
            can = np.array([self.reachable[one & ((1 << self.upper) - 1)] for one in used[:: self.at + 1]]).ravel()
            used, total = used[can], total[can]
            for begin in range(0, len(used), lanes):
                here, upper = used[begin : begin + lanes], total[begin : begin + lanes]
                worth[here, upper] = self._turn(worth, here, upper)
        return float(worth[0, 0])

    @cached_property
    def reachable(self):
        """By upper boxes used, which upper totals there can be."""
        found = np.zeros((1 << self.upper, self.at + 1), dtype=bool)
        found[0, 0] = True
        for used in range(1, 1 << self.upper):
            box = used.bit_length() - 1
            for total in np.flatnonzero(found[used ^ 1 << box]):
                found[used, np.minimum(total + np.unique(self.points[box]), self.at)] = True
        return found

    def _turn(self, worth, used, upper):
        best = np.full((len(self.rolls), len(used)), -np.inf)
        for box, points in enumerate(self.points):
            open_ = np.flatnonzero(used >> box & 1 == 0)
            to = upper[open_] + (points[:, None] if box < self.upper else 0)
            value = points[:, None] + worth[used[open_] | 1 << box, np.minimum(to, self.at)]
            best[:, open_] = np.maximum(best[:, open_], value)
        for _ in range(self.throws - 1):
            best = np.maximum.reduceat((self.chance @ best)[self.within], self.begins)
        return self.chance[self.first] @ best
