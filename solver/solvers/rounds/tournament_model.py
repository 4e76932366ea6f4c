"""Rounds of several players: states, transitions and terminal payoffs.

A state is (round, seat to play, totals of all seats); its value is a vector by seat, seat 0 being the first in every
round. There are two kinds of match:

- ``match=rounds``: a fixed number of rounds. Only the differences of the totals to that of seat 0 matter.
- ``match=first_to``: rounds go on until a total has reached the target. All rounds are alike, and are written as round
  0. A round in which nobody scores is a zero turn: it leads back to its own start.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import product

import numpy as np

from ...games.rounds import RoundTurn
from ...play.rounds import Play, RoundsPosition
from .playoff import PlayoffSolver, PlayoffState
from .problem import Floats, Ints

Arrays = Mapping[str, Floats]


class TournamentModel:
    """The chance to win of every seat.

    Attributes:
        rules: the compiled turn.
        players: the number of players.
        rounds: the number of rounds, for ``match=rounds``.
        target: the total to reach, for ``match=first_to``.
        is_first_to: True for ``match=first_to``.
    """

    def __init__(self, playable: Play, rules: RoundTurn) -> None:
        self.rules, self.players = rules, playable.players
        self.rounds, self.target, self.is_first_to = playable.rounds, playable.target, playable.first_to

    @cached_property
    def playoffs(self) -> PlayoffSolver:
        """The playoffs between tied players."""
        return PlayoffSolver(self.rules, self.players)

    # --- value arrays

    def array_name(self, round_: int, seat: int) -> str:
        """Return the name of the array of values before ``seat`` plays in a round counted from 0."""
        return f"seat{seat}" if self.is_first_to else f"round{round_}seat{seat}"

    def array_shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of all arrays.

        ``match=rounds``: (players, differences, ..., differences) to the total of seat 0, from ``-max_difference`` to
        ``max_difference``. ``match=first_to``: (players, totals, ..., totals).
        """
        players, rounds = self.players, 1 if self.is_first_to else self.rounds
        shapes: dict[str, tuple[int, ...]] = {}
        for round_, seat in product(range(rounds), range(players)):
            if self.is_first_to:
                shape = [self.target + self.rules.most] * players
            else:
                shape = [2 * self.max_difference(round_, seat) + 1] * (players - 1)
            shapes[self.array_name(round_, seat)] = (players, *shape)
        return shapes

    def max_difference(self, round_: int, seat: int) -> int:
        """Return the largest difference of totals before ``seat`` plays in a round counted from 0."""
        return self.rules.most * (round_ + (seat > 0))

    def state_values(self, arrays: Arrays, round_: int, seat: int, totals: Ints) -> Floats:
        """Return the values before ``seat`` plays.

        Args:
            arrays: the value arrays.
            round_: the round, counted from 0.
            seat: the seat to play.
            totals: (players, lanes).

        Returns:
            (players, lanes).
        """
        array = arrays[self.array_name(round_, seat)]
        if self.is_first_to:
            return array[(slice(None), *totals)]
        differences = totals[1:] - totals[0] + self.max_difference(round_, seat)
        indices = np.clip(differences, 0, array.shape[1] - 1)
        return array[(slice(None), *indices)]  # differences that were clipped cannot occur

    # --- transitions

    def values_after(self, arrays: Arrays, round_: int, seat: int, totals: Ints) -> Floats:
        """Return the values (players, lanes) after ``seat`` has played, with these totals."""
        if seat + 1 < self.players:
            return self.state_values(arrays, round_, seat + 1, totals)
        if not self.is_first_to:
            is_last = round_ + 1 == self.rounds
            return self.final_values(totals) if is_last else self.state_values(arrays, round_ + 1, 0, totals)
        is_over = totals.max(axis=0) >= self.target
        next_totals = np.minimum(totals, self.target - 1)
        return np.where(is_over, self.final_values(totals), self.state_values(arrays, round_, 0, next_totals))

    def score_payoffs(
        self, arrays: Arrays, round_: int, seat: int, totals: Ints, zero_payoff: Floats | None = None
    ) -> Floats:
        """Return what each score of ``seat`` pays every seat.

        Args:
            arrays: the value arrays.
            round_: the round, counted from 0.
            seat: the seat to play.
            totals: (players, lanes), before it plays.
            zero_payoff: (players, lanes), the payoff of score 0, if the arrays do not hold it yet.

        Returns:
            (players, scores, lanes).
        """
        payoffs = [self.values_after(arrays, round_, seat, totals) if zero_payoff is None else zero_payoff]
        next_totals = totals.copy()
        for _ in range(self.rules.most):
            next_totals[seat] += 1
            payoffs.append(self.values_after(arrays, round_, seat, next_totals))
        return np.stack(payoffs, axis=1)

    # --- terminal payoffs

    def final_values(self, totals: Ints) -> Floats:
        """Return the values (players, lanes) of final totals; ties are played off."""
        best = totals.max(axis=0)
        has_best = totals == best
        values = np.zeros(totals.shape)
        tie_codes = (has_best * (1 << np.arange(self.players))[:, None]).sum(axis=0)  # bit i is set if seat i has it
        prizes = self._prizes(totals, best)
        for code in np.unique(tie_codes).tolist():
            lanes = tie_codes == code
            tied_seats = [seat for seat in range(self.players) if code >> seat & 1]
            for seat, chance in zip(tied_seats, self.playoffs.equity(len(tied_seats)), strict=True):
                values[seat, lanes] = chance * prizes[seat, lanes]
        return values + self._payments(totals, best)

    def _prizes(self, totals: Ints, best: Ints) -> Floats:
        """Return what each seat gets if it wins: (players, lanes)."""
        return np.ones(totals.shape)

    def _payments(self, totals: Ints, best: Ints) -> Floats:
        """Return what each seat gets in any case: (players, lanes)."""
        return np.zeros(totals.shape)

    # --- playoffs

    def playoff_values(self, position: RoundsPosition) -> Floats:
        """Return the values of all seats (players,) before a turn in a playoff."""
        state, tables = self._playoff_state(position)
        return self._payoffs_from_chances(position, state.seat_values(tables, self.players))

    def playoff_score_payoffs(self, position: RoundsPosition) -> Floats:
        """Return what each score of the mover in a playoff pays every seat: (players, scores)."""
        state, tables = self._playoff_state(position)
        return self._payoffs_from_chances(position, state.score_values(tables, self.players))

    def _playoff_state(self, position: RoundsPosition) -> tuple[PlayoffState, list[Floats]]:
        """Return the state of a playoff, and the tables that hold its values."""
        seats = position.playoff
        played = seats[: seats.index(position.seat)]
        best = max((position.scores[seat] for seat in played), default=0)
        holders = tuple(seat for seat in played if position.scores[seat] == best)
        return PlayoffState(seats, len(played), best, holders), self.playoffs.with_players(len(seats)).tables

    def _payoffs_from_chances(self, position: RoundsPosition, chances: Floats) -> Floats:
        """Return payoffs from the probabilities to win a playoff: (players, ..)."""
        return chances

    # --- the range of values

    @property
    def scale(self) -> float:
        """The largest possible value, by which rounding errors are multiplied."""
        return 1.0

    @property
    def value_range(self) -> tuple[float, float]:
        """The smallest and the largest entry of a value array."""
        return 0.0, 1.0


class MarginModel(TournamentModel):
    """Expected payoff of every seat if each loser pays the winner one for each point of difference."""

    def _prizes(self, totals: Ints, best: Ints) -> Floats:
        prizes: Floats = np.broadcast_to((best - totals).sum(axis=0).astype(float), totals.shape)
        return prizes

    def _payments(self, totals: Ints, best: Ints) -> Floats:
        return (totals - best).astype(float)

    def _payoffs_from_chances(self, position: RoundsPosition, chances: Floats) -> Floats:
        losses = np.array([0 if seat in position.playoff else -total for seat, total in enumerate(position.scores)])
        payoffs: Floats = ((chances * losses.sum()).T - losses).T
        return payoffs

    @property
    def scale(self) -> float:
        """The largest sum of differences."""
        max_total = self.target + self.rules.most if self.is_first_to else self.rules.most * self.rounds
        return float(max_total * self.players)

    @property
    def value_range(self) -> tuple[float, float]:
        """A range that also holds for entries of totals that cannot occur together.

        One total may be ``max_difference`` above that of seat 0 and another as far below, and a score is added.
        """
        return -3 * self.scale, 3 * self.scale
