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

from ...games.round_rules import RoundTurn
from ...play.rounds import RoundsGame, RoundsPosition
from .playoff import PlayoffSolver, PlayoffState
from .problem import Floats, Ints

Arrays = Mapping[str, Floats]

ANY_ROUND = 0  # the number that stands for every round of ``match=first_to``, because all have the same values


class TournamentModel:
    """The probability to win of every seat.

    A *value array* holds the values of all seats before one seat plays in one round. It is named by ``array_name``. Its
    first axis is the seats, and the others are totals or differences of totals (see ``array_shapes``).

    Attributes:
        rules: the compiled turn.
        players: the number of players.
        rounds: the number of rounds, for ``match=rounds``; otherwise 0.
        target: the total to reach; only read for ``match=first_to``.
        is_first_to: True for ``match=first_to``.
        playoffs: the solved playoffs between tied players. They are solved when they are first read.
    """

    def __init__(self, playable: RoundsGame, rules: RoundTurn) -> None:
        """Take the number of players and the kind of match from a game as it is played.

        Args:
            playable: the game.
            rules: its compiled turn.
        """
        self.rules = rules
        self.players = playable.players
        self.rounds = playable.rounds
        self.target = playable.target
        self.is_first_to = playable.first_to

    @cached_property
    def playoffs(self) -> PlayoffSolver:
        """The playoffs between tied players."""
        return PlayoffSolver(self.rules, self.players)

    # --- value arrays

    def array_name(self, round_: int, seat: int) -> str:
        """Return the name of the array of values before ``seat`` plays in a round counted from 0."""
        return f"seat{seat}" if self.is_first_to else f"round{round_}seat{seat}"

    def array_shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of all value arrays, by name.

        - ``match=rounds``: (players, differences, ..., differences), one axis for each seat but seat 0: the total of
          the seat minus that of seat 0, from ``-max_difference`` to ``max_difference``.
        - ``match=first_to``: (players, totals, ..., totals), one axis for each seat: its total, from 0 on.
        """
        round_count = 1 if self.is_first_to else self.rounds
        shapes: dict[str, tuple[int, ...]] = {}
        for round_, seat in product(range(round_count), range(self.players)):
            if self.is_first_to:
                max_total = self.target - 1 + self.rules.max_score  # of a seat that has played in this round
                axes = [max_total + 1] * self.players
            else:
                axes = [2 * self.max_difference(round_, seat) + 1] * (self.players - 1)
            shapes[self.array_name(round_, seat)] = (self.players, *axes)
        return shapes

    def max_difference(self, round_: int, seat: int) -> int:
        """Return the largest difference of totals before ``seat`` plays in a round counted from 0.

        One seat may have the highest score in each of its turns so far, and another one no points. Seat 0 has had one
        turn in each earlier round, and one more in this round unless it plays now.
        """
        max_turns = round_ if seat == 0 else round_ + 1
        max_score = self.rules.max_score  # of one turn
        return max_score * max_turns

    def state_values(self, arrays: Arrays, round_: int, seat: int, totals: Ints) -> Floats:
        """Return the values of all seats before ``seat`` plays.

        Args:
            arrays: the value arrays, by name.
            round_: the round, counted from 0.
            seat: the seat to play.
            totals: (players, lanes), the totals of all seats in each of some states.

        Returns:
            (players, lanes).
        """
        array = arrays[self.array_name(round_, seat)]
        all_seats = slice(None)
        if self.is_first_to:  # the axes are the totals of all seats
            return array[(all_seats, *totals)]
        # The axes are the differences to seat 0. Index 0 is -max_difference.
        differences = totals[1:] - totals[0]
        # Larger differences than the largest are only read for totals that cannot occur together. Any value will do.
        max_difference = self.max_difference(round_, seat)
        indices = np.clip(differences, -max_difference, max_difference) + max_difference
        return array[(all_seats, *indices)]

    # --- transitions

    def values_after(self, arrays: Arrays, round_: int, seat: int, totals: Ints) -> Floats:
        """Return the values of all seats after ``seat`` has played.

        Args:
            arrays: the value arrays, by name.
            round_: the round, counted from 0; any number for ``match=first_to``.
            seat: the seat that has played.
            totals: (players, lanes), the totals with its score.

        Returns:
            (players, lanes).
        """
        first_seat, next_seat = 0, seat + 1
        if next_seat < self.players:
            return self.state_values(arrays, round_, next_seat, totals)
        if self.is_first_to:
            is_over = totals.max(axis=0) >= self.target
            # If the game is over, the arrays may lack the totals. Then smaller ones are read, whose values are not
            # used.
            tabled_totals = np.minimum(totals, self.target - 1)
            next_round_values = self.state_values(arrays, ANY_ROUND, first_seat, tabled_totals)
            return np.where(is_over, self.final_values(totals), next_round_values)
        next_round = round_ + 1
        if next_round == self.rounds:
            return self.final_values(totals)
        return self.state_values(arrays, next_round, first_seat, totals)

    def score_payoffs(
        self, arrays: Arrays, round_: int, seat: int, totals: Ints, zero_payoff: Floats | None = None
    ) -> Floats:
        """Return the value of every seat after each score of ``seat``: (players, scores, lanes).

        Args:
            arrays: the value arrays, by name.
            round_: the round, counted from 0.
            seat: the seat to play.
            totals: (players, lanes), before it plays.
            zero_payoff: (players, lanes), the values after score 0, if the arrays do not have them yet: with a target
                a round without points can be repeated. None to read them from the arrays.
        """
        if zero_payoff is None:
            zero_payoff = self.values_after(arrays, round_, seat, totals)
        payoffs = [zero_payoff]  # by score
        totals_after = totals.copy()
        for score in range(1, self.rules.max_score + 1):
            totals_after[seat] = totals[seat] + score
            payoffs.append(self.values_after(arrays, round_, seat, totals_after))
        return np.stack(payoffs, axis=1)

    # --- terminal payoffs

    def final_values(self, totals: Ints) -> Floats:
        """Return the values of all seats at the end of the last round; ties for the best total are played off.

        The value of a seat is its probability to win a playoff times its prize, plus its payment. For ``win`` every
        prize is 1 and every payment 0. For ``margin`` a seat's payment is minus what it is behind, and the prize is
        what all seats pay.

        Args:
            totals: (players, lanes), the final totals.

        Returns:
            (players, lanes).
        """
        best = totals.max(axis=0)  # by lane
        is_best = totals == best  # (players, lanes)
        # Lanes with the same seats at the best total are evaluated together. These seats are a bit set.
        seat_bits = 1 << np.arange(self.players)
        best_seats = (is_best * seat_bits[:, None]).sum(axis=0)  # by lane
        prizes = self._prizes(totals, best)
        values = np.zeros(totals.shape)
        for bit_set in np.unique(best_seats).tolist():
            lanes = best_seats == bit_set
            tied_seats = [seat for seat in range(self.players) if bit_set & (1 << seat)]
            win_probabilities = self.playoffs.win_probabilities_of_holders(len(tied_seats))
            for seat, win_probability in zip(tied_seats, win_probabilities, strict=True):
                values[seat, lanes] = win_probability * prizes[seat, lanes]
        return values + self._payments(totals, best)

    def _prizes(self, totals: Ints, best: Ints) -> Floats:
        """Return what each seat gets if it wins: (players, lanes), here 1.

        Args:
            totals: (players, lanes), the final totals.
            best: (lanes,), the best of them.
        """
        return np.ones(totals.shape)

    def _payments(self, totals: Ints, best: Ints) -> Floats:
        """Return what each seat gets whether it wins or not: (players, lanes), here nothing.

        Args:
            totals: (players, lanes), the final totals.
            best: (lanes,), the best of them.
        """
        return np.zeros(totals.shape)

    # --- playoffs

    def playoff_values(self, position: RoundsPosition) -> Floats:
        """Return the values of all seats (players,) before a turn in a playoff."""
        state, tables = self._playoff_state(position)
        win_probabilities = state.seat_values(tables, self.players)
        return self._payoffs_from_chances(position, win_probabilities)

    def playoff_score_payoffs(self, position: RoundsPosition) -> Floats:
        """Return the value of every seat after each score of the mover in a playoff: (players, scores)."""
        state, tables = self._playoff_state(position)
        win_probabilities = state.score_values(tables, self.players)
        return self._payoffs_from_chances(position, win_probabilities)

    def _playoff_state(self, position: RoundsPosition) -> tuple[PlayoffState, list[Floats]]:
        """Return the state of the playoff before the mover's turn, and the tables that hold the values of such states.

        Args:
            position: a position in the playoff. The scores of the seats that have played in it are their results there.

        Returns:
            The state, and ``PlayoffSolver.tables`` for the seats that play the playoff.
        """
        seats = position.playoff
        played_seats = seats[: seats.index(position.seat)]
        best = max((position.scores[seat] for seat in played_seats), default=0)
        holders = tuple(seat for seat in played_seats if position.scores[seat] == best)
        state = PlayoffState(seats, len(played_seats), best, holders)
        return state, self.playoffs.with_players(len(seats)).tables

    def _payoffs_from_chances(self, position: RoundsPosition, chances: Floats) -> Floats:
        """Return the expected payoffs of all seats, from their probabilities to win a playoff: here these themselves.

        Args:
            position: a position in the playoff. Not used here; ``MarginModel`` reads the losses from it.
            chances: (players, ..), the probabilities to win.

        Returns:
            (players, ..).
        """
        return chances

    # --- the range of values

    @property
    def max_total(self) -> int:
        """An upper bound of all totals."""
        if self.is_first_to:
            return self.target + self.rules.max_score
        return self.rules.max_score * self.rounds

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
        """Return what each seat gets if it wins: the points by which all seats are behind, (players, lanes)."""
        all_losses = (best - totals).sum(axis=0).astype(float)
        prizes: Floats = np.broadcast_to(all_losses, totals.shape)
        return prizes

    def _payments(self, totals: Ints, best: Ints) -> Floats:
        """Return minus what each seat pays: the points by which it is behind, (players, lanes)."""
        return (totals - best).astype(float)

    def _payoffs_from_chances(self, position: RoundsPosition, chances: Floats) -> Floats:
        """Return the expected payoffs of all seats in a playoff: probability to win * sum of all losses - own loss.

        Every seat pays its loss, and the winner of the playoff gets the losses of all seats together.

        Args:
            position: a position in the playoff. The scores of seats that are out are minus their losses.
            chances: (players, ..), the probabilities to win.

        Returns:
            (players, ..).
        """
        losses = np.array([0 if seat in position.playoff else -score for seat, score in enumerate(position.scores)])
        expected_prizes = chances * losses.sum()
        # Subtract each seat's loss. Seats are the first axis, so both are transposed to make it the last.
        payoffs: Floats = (expected_prizes.T - losses).T
        return payoffs

    @property
    def scale(self) -> float:
        """The largest sum of differences, which no seat can win or lose more than."""
        return float(self.max_total * self.players)

    @property
    def value_range(self) -> tuple[float, float]:
        """A range that also holds for entries of totals that cannot occur together.

        In such an entry one total may be ``max_difference`` above that of seat 0 and another one as far below it. The
        turn may add as much again. So two totals differ by up to 3 ``max_difference`` there, but by at most
        ``max_difference`` in a game. ``scale`` bounds what is paid in a game, so 3 ``scale`` bounds it there.
        """
        return -3 * self.scale, 3 * self.scale
