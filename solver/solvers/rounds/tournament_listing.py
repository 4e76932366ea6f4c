"""The positions between turns of rounds of several players, in the order in which rows are printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from ...play.rounds import MOST_CREW, Play
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
    """Lists the positions that agree with given field values."""

    def __init__(self, playable: Play, model: TournamentModel) -> None:
        self.playable, self.model = playable, model
        self.is_margin = playable.objective == "margin"

    def parts(self, fields: Mapping[str, Any], only_differences: bool) -> Iterator[ListingPart]:
        """Yield the positions between turns, then those of playoffs.

        Args:
            fields: parsed field values by name; they select positions.
            only_differences: list each difference of totals once, with the smallest totals that have it.
        """
        if "playoff" not in fields:
            yield from self._regular_parts(fields, only_differences)
        if "round" not in fields:
            yield from self._playoff_parts(fields)

    def _regular_parts(self, fields: Mapping[str, Any], only_differences: bool) -> Iterator[ListingPart]:
        rounds = range(1, self.model.rounds + 1) if self.model.rounds else (0,)
        for round_, mover in product(rounds, range(self.model.players)):
            if fields.get("round", round_) == round_ and fields.get("seat", mover) == mover:
                if only_differences:
                    totals = self._smallest_totals(round_, mover)
                else:
                    totals = self._all_totals(round_, mover, fields)
                yield ListingPart(round_, mover, (), totals)

    def _playoff_parts(self, fields: Mapping[str, Any]) -> Iterator[ListingPart]:
        # A playoff of all players has no margin: nobody has lost.
        sizes = range(2, self.model.players + (not self.is_margin))
        for seats in (seats for size in sizes for seats in combinations(range(self.model.players), size)):
            if tuple(fields.get("playoff", seats)) == seats:
                for mover in seats:
                    yield ListingPart(self.model.rounds, mover, seats, self._playoff_totals(seats, mover))

    def _max_total(self, round_: int, seat: int, mover: int) -> int:
        """Return the largest total of ``seat`` before ``mover`` plays in a round counted from 1."""
        if self.model.is_first_to:
            return self.model.target - 1 + self.model.rules.most * (seat < mover)
        return self.model.rules.most * (round_ - 1 + (seat < mover))

    def _all_totals(self, round_: int, mover: int, fields: Mapping[str, Any]) -> Ints:
        """Return all totals (positions, players) that agree with the fields ``score`` and ``opponents``."""
        players = self.model.players
        order = self.playable.seats_from(mover)
        required = [fields.get("score"), *fields.get("opponents", [None] * (players - 1))]
        axes = []
        for seat, total in zip(order, required, strict=True):
            possible = self.playable.totals(self._max_total(round_, seat, mover))
            axes.append(possible if total is None else [value for value in possible if value == total])
        return _by_seat(np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, players), order)

    def _smallest_totals(self, round_: int, mover: int) -> Ints:
        """Return each difference to the mover's total once, with the smallest totals (positions, players) that have it.

        A total of 1 cannot occur, so totals that contain it are raised by 2: with 1 point more, a 0 would become 1.
        """
        players = self.model.players
        order, max_difference = self.playable.seats_from(mover), self.model.max_difference(round_ - 1, mover)
        axes = [[0], *[range(-max_difference, max_difference + 1)] * (players - 1)]
        totals = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, players)
        totals = totals - totals.min(axis=1, keepdims=True)
        totals[(totals == 1).any(axis=1)] += 2
        max_totals = [self._max_total(round_, seat, mover) for seat in order]
        return _by_seat(totals[(totals <= max_totals).all(axis=1)], order)

    def _playoff_totals(self, seats: tuple[int, ...], mover: int) -> Ints:
        """Return all totals (positions, players) in a playoff before ``mover`` plays.

        Seats that have played in it have their scores, the others 0. For the margin the seats that are out have minus
        the points by which they lost.
        """
        players, model = self.model.players, self.model
        losers = [seat for seat in range(players) if seat not in seats]
        max_loss = model.target + model.rules.most if model.is_first_to else model.rules.most * model.rounds
        losses = range(1, max_loss + 1) if self.is_margin else (0,)
        totals = []
        for lost in product(losses, repeat=len(losers)):
            if self.is_margin and not self.playable.can_lose_by(lost):
                continue
            for scores in product(self.playable.totals(MOST_CREW), repeat=seats.index(mover)):
                by_seat = dict(zip(losers, (-loss for loss in lost), strict=True))
                by_seat |= dict(zip(seats, scores, strict=False))
                totals.append([by_seat.get(seat, 0) for seat in range(players)])
        return np.array(totals, dtype=np.int64).reshape(-1, players)


def _by_seat(totals: Ints, order: Sequence[int]) -> Ints:
    """Return totals (positions, players) whose columns are in the given order of seats, with columns by seat."""
    ordered = np.empty_like(totals)
    ordered[:, order] = totals
    return ordered
