"""Positions of one or two players that are listed: every board with every possible lead, or number of trips."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from ...games.booby_trap import TouchRules
from ...play.touch import Left, TouchPosition
from ..problem import PositionListing


def list_board_positions(rules: TouchRules, board: Left | None) -> PositionListing[TouchPosition]:
    """Return the positions of one board, or of all boards on which the game goes on.

    Every lead (alone: number of trips) is listed with every number of passes.
    """
    boards = [board] if board else _boards(rules)
    passes = range(rules.limit + 1)
    positions = (
        TouchPosition(left, scores, trips, passes=passed)
        for left in boards
        for shown_leads in (list(_scores_and_trips(rules, left)),)
        for passed in passes
        for scores, trips in shown_leads
    )
    return PositionListing(sum(_lead_count(rules, left) for left in boards) * len(passes), positions)


def _boards(rules: TouchRules) -> list[Left]:
    """Return the boards on which the game goes on, more pieces before fewer."""
    large, medium, small = (range(count, -1, -1) for count in rules.board)
    boards = product(large, medium, small)
    return [left for left in boards if rules.can_be(left, rules.board) and sum(left) > rules.last]


def _removed_pieces(rules: TouchRules, left: Left) -> Left:
    large, medium, small = (total - count for total, count in zip(rules.board, left, strict=True))
    return large, medium, small


def _lead_count(rules: TouchRules, left: Left) -> int:
    """Return an upper bound of the number of leads, or the number of trips that can be."""
    removed = sum(_removed_pieces(rules, left))
    if rules.players == 1:
        return min(removed, rules.trips) + 1
    return 2 * max(*rules.points, rules.penalty) * removed + 1


def _scores_and_trips(rules: TouchRules, left: Left) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield every possible lead, shown by the possible scores nearest to zero; or every number of trips."""
    if rules.players == 1:
        yield from (((), trips) for trips in range(_lead_count(rules, left)))
        return
    pairs, max_score = reachable_score_pairs(rules, _removed_pieces(rules, left))
    width = 2 * max_score + 1
    for lead in range(-max_score, max_score + 1):
        own_scores = range(max(-max_score, lead - max_score), min(max_score, lead + max_score) + 1)
        for own in sorted(own_scores, key=abs):
            other = own - lead
            if pairs >> ((own + max_score) * width + other + max_score) & 1:
                yield (own, other), 0
                break


def reachable_score_pairs(rules: TouchRules, removed: Left) -> tuple[int, int]:
    """Return the scores of two players that can be reached, as a bit set, and the largest score m in size.

    Each removed piece brought its points or a penalty to one player, or jumped out. Bit (a + m) * (2 m + 1) + b + m
    stands for the scores a and b. So adding p to a score shifts the set: by p for b, by p (2 m + 1) for a.
    """
    max_score = sum(removed) * max(*rules.points, rules.penalty)
    width = 2 * max_score + 1  # no score exceeds max_score, so shifts do not run into the next row
    pairs = 1 << (max_score * width + max_score)
    for count, points in zip(removed, rules.points, strict=True):
        for _ in range(count):
            scored = pairs << points | pairs << points * width
            lost = pairs >> rules.penalty | pairs >> rules.penalty * width
            pairs |= scored | lost
    return pairs, max_score
