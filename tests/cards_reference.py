"""Small cards solved in fractions by plain recursion over ordered throws; shares nothing with the engine."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product


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

        everything = frozenset(self.categories)
        return value(everything if mine is None else mine, everything if theirs is None else theirs, lead)
