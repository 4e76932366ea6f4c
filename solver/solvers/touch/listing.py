"""The positions of two players, or of one, that rows list: every board with every lead (alone: trips) that can be."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from ...games.booby_trap import TouchRules
from ...play.touch import Left, TouchPosition
from ..problem import PositionListing


def listing(rules: TouchRules, only: Left | None) -> PositionListing[TouchPosition]:
    """Every board on which the game goes on, or ``only`` one, with every lead or number of trips and of passes."""
    boards = (
        [only] if only else [one for one in _down(rules) if rules.can_be(one, rules.board) and sum(one) > rules.last]
    )
    passes = range(rules.limit + 1)
    listed = (
        TouchPosition(left, scores, trips, passes=passed)
        for left in boards
        for places in (list(_told(rules, left)),)
        for passed in passes
        for scores, trips in places
    )
    return PositionListing(sum(_places(rules, left) for left in boards) * len(passes), listed)


def _down(rules: TouchRules) -> Iterator[Left]:
    """All numbers of pieces, more before fewer."""
    large, medium, small = (range(count, -1, -1) for count in rules.board)
    return product(large, medium, small)


def _gone(rules: TouchRules, left: Left) -> Left:
    large, medium, small = (most - count for most, count in zip(rules.board, left, strict=True))
    return large, medium, small


def _places(rules: TouchRules, left: Left) -> int:
    """How many leads there can be at most, or trips."""
    gone = sum(_gone(rules, left))
    if rules.players == 1:
        return min(gone, rules.trips) + 1
    return 2 * max(*rules.points, rules.penalty) * gone + 1


def _told(rules: TouchRules, left: Left) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every lead that can be, with the scores nearest to none that show it; or trips."""
    if rules.players == 1:
        yield from (((), trips) for trips in range(_places(rules, left)))
        return
    pairs, reach = score_pairs(rules, _gone(rules, left))
    for lead in range(-reach, reach + 1):
        for mine in sorted(range(max(-reach, lead - reach), min(reach, lead + reach) + 1), key=abs):
            theirs = mine - lead
            if pairs >> ((mine + reach) * (2 * reach + 1) + theirs + reach) & 1:
                yield (mine, theirs), 0
                break


def score_pairs(rules: TouchRules, gone: Left) -> tuple[int, int]:
    """The scores of two players that can come from the pieces gone: each brought its points or a penalty, or it jumped
    out. A bit for every pair, and the largest score: bit ``(mine + largest) * (2 * largest + 1) + theirs + largest``.
    """
    reach = sum(gone) * max(*rules.points, rules.penalty)
    width = 2 * reach + 1  # no score passes the reach, so no row runs into the next
    pairs = 1 << (reach * width + reach)
    for count, points in zip(gone, rules.points, strict=True):
        for _ in range(count):
            won = pairs << points | pairs << points * width
            pairs |= won | pairs >> rules.penalty | pairs >> rules.penalty * width
    return pairs, reach
