"""Booby Trap by plain recursion in fractions, both seats' values side by side; shares nothing with the engine."""

from __future__ import annotations

from functools import lru_cache


def two_players(odds, payoff, *, points=(3, 2, 1), penalty=3, limit=4, in_order=False, last=2):
    """Return ``value(left, scores, passes)``: what the position is worth to (the player to move, the other).

    ``odds[size]`` lists (chance of the feel, chance to trip); ``payoff(mine, theirs)`` is the worth of final scores.
    """

    @lru_cache(None)
    def value(left, scores, passes=0):
        if sum(left) <= last:
            return payoff(scores[0], scores[1]), payoff(scores[1], scores[0])
        return max(touch(left, scores, passes, size) for size in sizes(left))

    def sizes(left):
        there = [size for size in range(3) if left[size]]
        return there[-1:] if in_order else there

    @lru_cache(None)
    def touch(left, scores, passes, size):
        mine = theirs = 0
        for feel, (chance, _) in enumerate(odds[size]):
            found = held(left, scores, passes, size, feel)
            mine += chance * found[0]
            theirs += chance * found[1]
        return mine, theirs

    def held(left, scores, passes, size, feel):
        """A piece is between the fingers."""
        options = [take(left, scores, size, feel)]
        if passes < limit:
            options.append(swapped(value(left, scores[::-1], passes + 1)))
        return max(options)

    def take(left, scores, size, feel):
        trip = odds[size][feel][1]
        fewer = tuple(count - (one == size) for one, count in enumerate(left))
        won = swapped(value(fewer, (scores[1], scores[0] + points[size])))
        lost = swapped(value(fewer, (scores[1], scores[0] - penalty)))
        return tuple((1 - trip) * a + trip * b for a, b in zip(won, lost, strict=True))

    value.touch, value.held, value.take = touch, held, take
    return value


def swapped(pair):
    return pair[1], pair[0]


def alone(odds, allowed, *, limit=2, last=1):
    """Return ``value(left, trips, passes)``: the chance to take all but ``last`` pieces with so many trips."""

    @lru_cache(None)
    def value(left, trips=0, passes=0):
        if trips > allowed:
            return 0
        if sum(left) <= last:
            return 1
        found = []
        for size in range(3):
            if not left[size]:
                continue
            fewer = tuple(count - (one == size) for one, count in enumerate(left))
            worth = 0
            for chance, trip in odds[size]:
                taken = (1 - trip) * value(fewer, trips) + trip * value(fewer, trips + 1)
                worth += chance * (max(taken, value(left, trips, passes + 1)) if passes < limit else taken)
            found.append(worth)
        return max(found)

    return value
