"""The positions between turns that are listed for one and two players: every board with every possible lead.

Values depend on the mover's lead alone, so one pair of scores stands for all pairs with that lead. A solitaire has no
scores; its boards are listed with every number of trips, the takes that have tripped the bar.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

from ...games.booby_trap import TouchRules
from ...play.touch import PiecesLeft, TouchPosition
from ..problem import PositionListing


class BetweenTurns(NamedTuple):
    """The scores of the players between turns.

    Attributes:
        scores: the scores of the mover and of the opponent; () in a solitaire.
        trips: the trips so far in a solitaire, else 0.
    """

    scores: tuple[int, ...]
    trips: int


def list_board_positions(rules: TouchRules, board: PiecesLeft | None) -> PositionListing[TouchPosition]:
    """List the positions between turns on one board, or on all boards on which the game goes on.

    A board is listed with every number of passes in a row, and with every possible lead of the mover (in a solitaire:
    number of trips).

    Args:
        rules: the rules for one or two players.
        board: the pieces left (large, medium, small); None for all boards.

    Returns:
        The positions, made one by one as they are read. The ``count`` is an upper bound, because not every lead that it
        counts can occur.
    """
    boards = _unfinished_boards(rules) if board is None else [board]
    max_count_on_board = _count_trip_numbers if rules.players == 1 else _max_lead_count
    max_count = sum(max_count_on_board(rules, left) for left in boards)  # of leads, or in a solitaire numbers of trips
    pass_counts = rules.max_passes + 1  # from 0 passes up to the limit, at which a piece must be taken
    return PositionListing(max_count * pass_counts, _positions(rules, boards))


def _positions(rules: TouchRules, boards: Iterable[PiecesLeft]) -> Iterator[TouchPosition]:
    """Yield the positions of boards, by board, then passes in a row, then lead or trips."""
    for left in boards:
        scores_by_lead = list(_scores_by_lead(rules, left))
        for passes in range(rules.max_passes + 1):
            for between_turns in scores_by_lead:
                yield TouchPosition(left, between_turns.scores, between_turns.trips, passes=passes)


def _unfinished_boards(rules: TouchRules) -> list[PiecesLeft]:
    """Return the boards on which the game goes on, more pieces before fewer."""
    large, medium, small = (range(count, -1, -1) for count in rules.board)
    boards = product(large, medium, small)
    return [left for left in boards if rules.can_occur(left, rules.board) and sum(left) > rules.last_pieces]


def _removed_pieces(rules: TouchRules, left: PiecesLeft) -> PiecesLeft:
    """Return how many pieces of each size (large, medium, small) are gone from the board."""
    large, medium, small = (total - count for total, count in zip(rules.board, left, strict=True))
    return large, medium, small


def _count_trip_numbers(rules: TouchRules, left: PiecesLeft) -> int:
    """Return how many different numbers of trips a solitaire can have had on a board, 0 included.

    Args:
        rules: the rules for one player; ``rules.trips`` are allowed, and with one more the game is lost.
        left: the pieces left (large, medium, small).
    """
    removed = sum(_removed_pieces(rules, left))  # each of these pieces has tripped the bar at most once
    max_trips = min(removed, rules.trips)
    return max_trips + 1


def _max_lead_count(rules: TouchRules, left: PiecesLeft) -> int:
    """Return an upper bound of how many different leads the mover can have on a board.

    Args:
        rules: the rules for two players.
        left: the pieces left (large, medium, small).
    """
    removed = sum(_removed_pieces(rules, left))
    # Each removed piece moved the lead by its points or by the penalty, in either direction.
    max_lead = max(*rules.points, rules.penalty) * removed
    return 2 * max_lead + 1  # from -max_lead to max_lead


def _scores_by_lead(rules: TouchRules, left: PiecesLeft) -> Iterator[BetweenTurns]:
    """Yield the scores for every lead that the mover can have on a board, from the lowest lead on.

    One pair of scores stands for all with the same lead: that in which the mover's score is nearest to zero. In a
    solitaire every number of trips is yielded instead.

    Args:
        rules: the rules for one or two players.
        left: the pieces left (large, medium, small).
    """
    if rules.players == 1:
        for trips in range(_count_trip_numbers(rules, left)):
            yield BetweenTurns((), trips)
        return
    pairs, max_score = reachable_score_pairs(rules, _removed_pieces(rules, left))
    for lead in range(-max_score, max_score + 1):
        scores = _scores_nearest_zero(pairs, max_score=max_score, lead=lead)
        if scores is not None:
            yield BetweenTurns(scores, 0)


def _scores_nearest_zero(pairs: int, *, max_score: int, lead: int) -> tuple[int, int] | None:
    """Find two reachable scores with a given lead, of which the mover's is as near to zero as possible.

    Args:
        pairs: the scores that can be reached, as the bit set of ``reachable_score_pairs``.
        max_score: the largest score in size.
        lead: the mover's score minus the opponent's.

    Returns:
        The scores of the mover and of the opponent; None if no reachable scores have this lead.
    """
    # Both scores lie between -max_score and max_score. The opponent's is lower by the lead.
    lowest = max(-max_score, -max_score + lead)
    highest = min(max_score, max_score + lead)
    for score in sorted(range(lowest, highest + 1), key=abs):
        opponent_score = score - lead
        if pairs >> _bit_of_pair(score, opponent_score, max_score) & 1:
            return score, opponent_score
    return None


def _bit_of_pair(mover_score: int, opponent_score: int, max_score: int) -> int:
    """Return the bit that stands for two scores in the bit set of ``reachable_score_pairs``.

    The bit set has a row of bits for each score of the mover, from -max_score to max_score. The row has a bit for each
    score of the opponent, in the same order.

    Args:
        mover_score, opponent_score: the two scores.
        max_score: the largest score in size.
    """
    bits_per_row = 2 * max_score + 1
    row = mover_score + max_score
    column = opponent_score + max_score
    return row * bits_per_row + column


def reachable_score_pairs(rules: TouchRules, removed: PiecesLeft) -> tuple[int, int]:
    """Compute which scores the mover and the opponent can have once some pieces are gone.

    Each removed piece brought its points or the penalty to one of the players, or jumped out and brought nothing.

    Args:
        rules: the points of a piece of each size, and the penalty of a trip.
        removed: how many pieces of each size are gone.

    Returns:
        The reachable pairs of scores as a bit set, whose bits ``_bit_of_pair`` numbers; and the largest score in size.
    """
    max_score = sum(removed) * max(*rules.points, rules.penalty)
    # The bit set is shifted to change a score in all pairs at once: the opponent's by bits, the mover's by whole rows.
    # No score exceeds max_score in size, so no bit leaves its row.
    bits_per_row = 2 * max_score + 1
    pairs = 1 << _bit_of_pair(0, 0, max_score)
    for count, points in zip(removed, rules.points, strict=True):
        for _ in range(count):
            mover_gains = pairs << points * bits_per_row
            opponent_gains = pairs << points
            mover_pays = pairs >> rules.penalty * bits_per_row
            opponent_pays = pairs >> rules.penalty
            pairs |= mover_gains | opponent_gains | mover_pays | opponent_pays
    return pairs, max_score
