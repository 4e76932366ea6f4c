"""The positions between turns of rounds of several players, in the order in which rows are printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from ...play.rounds import MAX_CREW, RoundsGame
from .problem import Ints
from .tournament_model import TournamentModel


class ListingPart(NamedTuple):
    """Positions that differ only in their totals.

    Attributes:
        round: the round, counted from 1; 0 if rounds are not counted.
        seat: the mover.
        playoff: the seats that play off a tie, else ().
        totals: (positions, players), by seat.
    """

    round: int
    seat: int
    playoff: tuple[int, ...]
    totals: Ints


class PositionLister:
    """Lists the positions between turns that may agree with given field values.

    Fields leave out whole parts, and totals of rounds. The caller checks all fields of the positions that are listed.

    Attributes:
        playable: the game, which knows which totals can occur.
        model: the states of the game: its players, rounds and target.
        is_margin: whether the objective is ``margin``.
    """

    def __init__(self, playable: RoundsGame, model: TournamentModel) -> None:
        """Take a game as it is played, and its model.

        Args:
            playable: the game, which knows which totals can occur.
            model: the states of the game.
        """
        self.playable = playable
        self.model = model
        self.is_margin = playable.objective == "margin"

    def parts(self, fields: Mapping[str, Any], only_differences: bool) -> Iterator[ListingPart]:
        """Yield the positions between turns, then those of playoffs.

        Args:
            fields: parsed field values by name; they select positions.
            only_differences: list each difference of totals once, with the smallest totals that have it.
        """
        if "playoff" not in fields:
            yield from self._regular_parts(fields, only_differences)
        if "round" not in fields:  # positions in a playoff do not have this field
            yield from self._playoff_parts(fields)

    def _regular_parts(self, fields: Mapping[str, Any], only_differences: bool) -> Iterator[ListingPart]:
        """Yield the positions between the turns of the rounds.

        Args:
            fields: parsed field values by name; they select positions.
            only_differences: list each difference of totals once, with the smallest totals that have it; only if
                rounds are counted.
        """
        rounds = range(1, self.model.rounds + 1) if self.model.rounds else (0,)  # 0 stands for all if not counted
        for round_, mover in product(rounds, range(self.model.players)):
            is_round_selected = fields.get("round", round_) == round_
            is_mover_selected = fields.get("seat", mover) == mover
            if not (is_round_selected and is_mover_selected):
                continue
            if only_differences:
                totals = self._smallest_totals(round_, mover)
            else:
                totals = self._all_totals(round_, mover, fields)
            yield ListingPart(round_, mover, (), totals)

    def _playoff_parts(self, fields: Mapping[str, Any]) -> Iterator[ListingPart]:
        """Yield the positions between the turns of playoffs of two and more seats.

        Args:
            fields: parsed field values by name. Only ``playoff`` is looked at.
        """
        players = self.model.players
        last_round = self.model.rounds  # a playoff keeps the number of the last round: 0 if rounds are not counted
        # For the margin a playoff of all players decides nothing: nobody has lost by any points.
        max_size = players - 1 if self.is_margin else players
        for size in range(2, max_size + 1):
            for seats in combinations(range(players), size):
                is_selected = tuple(fields.get("playoff", seats)) == seats
                if is_selected:
                    for mover in seats:
                        yield ListingPart(last_round, mover, seats, self._playoff_totals(seats, mover))

    def _max_total(self, round_: int, seat: int, mover: int) -> int:
        """Return the largest total of ``seat`` before ``mover`` plays in a round counted from 1."""
        max_score = self.model.rules.max_score
        score_in_this_round = max_score if seat < mover else 0
        if self.model.is_first_to:
            return self.model.target - 1 + score_in_this_round
        return max_score * (round_ - 1) + score_in_this_round

    def _all_totals(self, round_: int, mover: int, fields: Mapping[str, Any]) -> Ints:
        """Return all totals that agree with the fields ``score`` and ``opponents``.

        Args:
            round_: the round, counted from 1; 0 if rounds are not counted.
            mover: the seat to play.
            fields: parsed field values by name; ``score`` is the total of the mover, and ``opponents`` are the others.

        Returns:
            (positions, players), by seat.
        """
        seats = self.playable.seats_from(mover)  # as in the fields, from the mover on
        unknown_opponents = [None] * (self.model.players - 1)
        required_totals = [fields.get("score"), *fields.get("opponents", unknown_opponents)]
        axes = []  # the totals of each seat
        for seat, required in zip(seats, required_totals, strict=True):
            possible = self.playable.possible_totals(self._max_total(round_, seat, mover))
            if required is None:
                axes.append(possible)
            else:
                axes.append([total for total in possible if total == required])
        return _by_seat(_combinations(axes), seats)

    def _smallest_totals(self, round_: int, mover: int) -> Ints:
        """Return the smallest possible totals for each combination of differences to the mover's total.

        A total of 1 cannot occur, every other one can. So the smallest total of a combination is 0, or 2 if with 0
        another total would be 1. Combinations whose smallest totals are too large for the round are left out.

        Args:
            round_: the round, counted from 1.
            mover: the seat to play.

        Returns:
            (positions, players), by seat.
        """
        seats = self.playable.seats_from(mover)
        max_difference = self.model.max_difference(round_ - 1, mover)
        opponent_differences = [range(-max_difference, max_difference + 1)] * (self.model.players - 1)
        differences = _combinations([[0], *opponent_differences])  # to the mover's total, from the mover on
        totals = differences - differences.min(axis=1, keepdims=True)  # the smallest of each combination is 0
        has_a_one = (totals == 1).any(axis=1)
        totals[has_a_one] += 2
        max_totals = [self._max_total(round_, seat, mover) for seat in seats]
        can_occur = (totals <= max_totals).all(axis=1)
        return _by_seat(totals[can_occur], seats)

    def _playoff_totals(self, seats: tuple[int, ...], mover: int) -> Ints:
        """Return all totals in a playoff before ``mover`` plays.

        Seats that have played in it have their scores, the others 0. For the margin the seats that are out have minus
        the points by which they lost.

        Args:
            seats: the seats that play off the tie.
            mover: one of them, which plays next.

        Returns:
            (positions, players), by seat.
        """
        players = self.model.players
        losers = [seat for seat in range(players) if seat not in seats]
        played_seats = seats[: seats.index(mover)]
        possible_losses = range(1, self.model.max_total + 1) if self.is_margin else (0,)
        possible_scores = self.playable.possible_totals(MAX_CREW)  # of one turn, which brings at most that
        totals = []
        for losses in product(possible_losses, repeat=len(losers)):
            if self.is_margin and not self.playable.are_possible_losses(losses):
                continue
            totals_of_losers = {loser: -loss for loser, loss in zip(losers, losses, strict=True)}
            for scores in product(possible_scores, repeat=len(played_seats)):
                totals_of_seats = totals_of_losers | dict(zip(played_seats, scores, strict=True))
                totals.append([totals_of_seats.get(seat, 0) for seat in range(players)])
        return np.array(totals, dtype=np.int64).reshape(-1, players)


def _combinations(axes: Sequence[Sequence[int]]) -> Ints:
    """Return all combinations of one number from each axis: (combinations, axes), the last axis runs fastest."""
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))


def _by_seat(totals: Ints, seats: Sequence[int]) -> Ints:
    """Return totals with one column for each seat, in the order of the seats.

    Args:
        totals: (positions, players), with columns in another order.
        seats: the seat that each column of ``totals`` belongs to.
    """
    by_seat = np.empty_like(totals)
    by_seat[:, seats] = totals
    return by_seat
