"""Playoffs: players take one turn each, the highest score wins, and ties play again in the same order or share.

A state is (players who have played, best score so far, number of holders). A *holder* is a player who has the best
score so far. The value of a state is a vector: the probabilities to win of the holders in order, then of the players
still to come. All other players have lost.

States are solved by retrograde analysis over the players who have played. If all m players tie, their playoff leads to
itself, so its values are a fixed point. It is found by iteration, which converges fast because such ties are rare.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...games.round_rules import RoundTurn
from ...util.errors import InputError, SolveError
from .problem import Floats, round_rounding_bound, solve_lanes

MAX_PLAYERS = 8
MAX_ITERATIONS = 1000
EXTRAPOLATION_INTERVAL = 50  # iterations after which the geometric series of the steps is summed
CONVERGED_CHANGE = 4e-16  # of a probability by an iteration: about the rounding error
MIN_DECISIVE_PROBABILITY = 1e-6  # values of a playoff that is tied more surely cannot be computed


class PlayoffSolver:
    """The solved playoff of some number of players, and of all smaller numbers.

    Attributes:
        players: the number of players.
        shares_ties: tied players share the win and do not play again.
        chances: (players,), the probabilities to win by seat at the beginning.
        tables: by the number of players who have played, an array (best scores, numbers of holders, players). The first
            two axes run from 0: the best score so far, and how many players hold it; both are 0 before anybody has
            played. The last axis has the probabilities to win of the holders, then of the players to come, then zeros.
        error_bound: a bound of the error of all values.
        rules: the compiled turn.
        _smaller: the solved playoff of one player fewer; None if no tie leads to it.
        _start_values: (players,) the probabilities before anybody has played, as they are in ``tables`` now.
        _rounding_bound: a bound of the rounding error of ``tables``, for given values of a tie.
    """

    def __init__(self, rules: RoundTurn, players: int, shares_ties: bool = False) -> None:
        """Solve the playoff, and first the playoffs of fewer players that ties lead to.

        Args:
            rules: the compiled turn.
            players: the number of players.
            shares_ties: tied players share the win and do not play again.

        Raises:
            InputError: the players can almost always tie, so that a game may never be decided.
            SolveError: the values of the playoff do not converge.
        """
        self.rules = rules
        self.players = players
        self.shares_ties = shares_ties
        # The playoff of one player fewer, which solves that of two fewer, and so on. Nobody needs it if ties share.
        self._smaller = PlayoffSolver(rules, players - 1) if players > 2 and not shares_ties else None
        self.error_bound = 0.0
        self.tables: list[Floats] = []
        equal_chances: Floats = np.full(players, 1 / players)
        if players == 1:
            self.chances = equal_chances  # the only player wins
        elif shares_ties:
            self.tables = self._solve_states(tie_chances=equal_chances)
            self.chances = self._start_values
            self.error_bound = self._rounding_bound
        else:
            self._solve_repeated_ties(first_guess=equal_chances)  # sets tables, chances and error_bound

    @property
    def _start_values(self) -> Floats:
        """The probabilities to win by seat before anybody has played: (players,), from ``tables``."""
        nobody_has_played = self.tables[0]
        best_score, holder_count = 0, 0
        start_values: Floats = nobody_has_played[best_score, holder_count]
        return start_values

    @property
    def _rounding_bound(self) -> float:
        """A bound of the rounding error of ``_solve_states``: twice that of a turn for each player."""
        return 2 * self.players * round_rounding_bound(self.rules)

    def _solve_repeated_ties(self, first_guess: Floats) -> None:
        """Solve a playoff that begins again if all players tie; set ``tables``, ``chances`` and ``error_bound``.

        Args:
            first_guess: (players,) the probabilities to win by seat, from which the iteration begins.

        Raises:
            InputError: the players can almost always tie.
            SolveError: the iteration did not converge.
        """
        tie_probability = self._max_score_probability()  # an upper bound of the probability that all tie
        if tie_probability > 1 - MIN_DECISIVE_PROBABILITY:
            raise InputError("all players can tie almost always, so a game might never be decided")
        change = self._iterate(first_guess)
        self.chances = self._start_values.copy()
        # Let e be the error of the guess that the last step began with, q the probability that all players tie, and s
        # the error of the playoffs of fewer players, which follow with probability at most 1 - q. The values after that
        # step are wrong by at most q e + (1 - q) s + rounding, and differ from the guess by at most ``change``. So
        #
        #     e <= change + q e + (1 - q) s + rounding,  hence  e <= (change + rounding) / (1 - q) + s.
        #
        # The error of the values after the step is no larger.
        self.error_bound = (change + self._rounding_bound) / (1 - tie_probability)
        if self._smaller is not None:
            self.error_bound += self._smaller.error_bound

    def _iterate(self, guess: Floats) -> float:
        """Find the fixed point of a playoff that begins again if all players tie, and write ``tables``.

        The guess is what such a tie is worth to each player. It is replaced by the values at the beginning that follow
        from it, until it does not change any more.

        Args:
            guess: (players,) the first guess.

        Returns:
            The largest change of a value by the last step.

        Raises:
            SolveError: the iteration did not converge.
        """
        change = math.inf
        for iteration in range(1, MAX_ITERATIONS):
            self.tables = self._solve_states(tie_chances=guess)
            step = self._start_values - guess
            previous_change = change
            change = float(np.abs(step).max())
            if change <= CONVERGED_CHANGE:
                return change
            guess = self._start_values.copy()
            if iteration % EXTRAPOLATION_INTERVAL == 0 and change < previous_change:
                # If steps go on to shrink by q = change / previous_change, the further ones add up to step q / (1 - q).
                guess += step * change / (previous_change - change)
        raise SolveError("the values of the playoffs did not converge")

    def _max_score_probability(self) -> float:
        """Return the largest probability that a player can give to any one score.

        All players tie only if the last one makes a given score, so no tie of all is more probable.
        """
        score_count = self.rules.max_score + 1
        # (1, scores, lanes): in lane s only score s pays, and it pays 1. So the value is the largest probability of s.
        pays_one_score = np.eye(score_count)[None]
        probabilities = solve_lanes(self.rules, pays_one_score)
        return float(probabilities.max())

    def with_players(self, players: int) -> PlayoffSolver:
        """Return the solved playoff of a number of players, at most that of this playoff."""
        if players == self.players:
            return self
        assert self._smaller is not None
        return self._smaller.with_players(players)

    def win_probabilities_of_holders(self, holder_count: int) -> Floats:
        """Return the holders' probabilities to win once all have played, in the order of play: (holders,).

        A single holder has won. Several share the win, or play again.

        Args:
            holder_count: the number of players who have the best score.
        """
        if holder_count == 1 or self.shares_ties:
            return np.full(holder_count, 1 / holder_count)
        return self.with_players(holder_count).chances

    def _solve_states(self, tie_chances: Floats) -> list[Floats]:
        """Solve all states by retrograde analysis, for given values of a tie of all players.

        Args:
            tie_chances: (players,), the probabilities to win by seat after a tie of all.

        Returns:
            By the number of players who have played, the values of the states: (best scores, numbers of holders,
            players), as in the attribute ``tables``.
        """
        players = self.players
        all_have_played = np.zeros((self.rules.max_score + 1, players + 1, players))
        for holder_count in range(1, players + 1):
            all_players_tie = holder_count == players
            win_probabilities = tie_chances if all_players_tie else self.win_probabilities_of_holders(holder_count)
            # What a tie is worth does not depend on the best score.
            all_have_played[:, holder_count, :holder_count] = win_probabilities
        tables = [all_have_played]  # in descending order of the players who have played
        for seats_played in reversed(range(players)):
            tables.append(self._solve_layer(seats_played, next_table=tables[-1]))
        return tables[::-1]

    def _solve_layer(self, seats_played: int, next_table: Floats) -> Floats:
        """Return the values of all states after a given number of players have played.

        Args:
            seats_played: the number of players who have played.
            next_table: (best scores, numbers of holders, players), the values after one player more.

        Returns:
            (best scores, numbers of holders, players), as in the attribute ``tables``.
        """
        max_score = self.rules.max_score
        later_count = self.players - seats_played - 1  # players after the mover
        table = np.zeros((max_score + 1, seats_played + 1, self.players))
        min_holders = 1 if seats_played else 0  # nobody holds the best score before anybody has played
        for holder_count in range(min_holders, seats_played + 1):
            payoffs = [  # (channels, scores) for each best score
                score_payoffs(
                    max_score, next_table, best_score=best_score, holder_count=holder_count, later_count=later_count
                )
                for best_score in range(max_score + 1)
            ]
            values = solve_lanes(self.rules, np.stack(payoffs, axis=2))  # (channels, best scores): a lane for each
            # The channels are the mover, the later players, and the holders. In the table the holders come first.
            mover_and_later = values[: 1 + later_count]
            holders = values[1 + later_count :]
            contender_values = np.concatenate((holders, mover_and_later))
            table[:, holder_count, : len(contender_values)] = contender_values.T
        return table


def score_payoffs(
    max_score: int, next_table: Floats, *, best_score: int, holder_count: int, later_count: int
) -> Floats:
    """Return the probabilities to win after each score of the mover: (channels, scores).

    The channels are the mover, the later players in order, and the present holders in order. A player who has played
    and does not hold the best score has lost. The tables have no entry for such a player.

    Args:
        max_score: the highest possible score.
        next_table: (best scores, numbers of holders, players), the values after the mover has played: of the holders,
            then of the later players (see ``PlayoffSolver``).
        best_score: the best score before the mover's turn.
        holder_count: the number of players who hold it; 0 if nobody has played.
        later_count: the number of players who play after the mover.
    """
    payoffs = np.zeros((1 + later_count + holder_count, max_score + 1))
    mover_payoffs = payoffs[0]
    later_payoffs = payoffs[1 : 1 + later_count]
    holder_payoffs = payoffs[1 + later_count :]
    for score in range(max_score + 1):
        if holder_count and score < best_score:  # the mover has lost, and the holders remain
            values = next_table[best_score, holder_count]
            holder_payoffs[:, score] = values[:holder_count]
            later_payoffs[:, score] = values[holder_count : holder_count + later_count]
        elif holder_count and score == best_score:  # the mover becomes the last of the holders
            values = next_table[best_score, holder_count + 1]
            holder_payoffs[:, score] = values[:holder_count]
            mover_payoffs[score] = values[holder_count]
            later_payoffs[:, score] = values[holder_count + 1 : holder_count + 1 + later_count]
        else:  # the mover becomes the only holder, and the former holders have lost
            values = next_table[score, 1]
            mover_payoffs[score] = values[0]
            later_payoffs[:, score] = values[1 : 1 + later_count]
    return payoffs


@dataclass(frozen=True)
class PlayoffState:
    """A state of a playoff between given seats.

    Attributes:
        seats: the seats that take part, in the order of play.
        played: the number of them that have played.
        best: the best score so far.
        holders: the seats that have it, in the order of play.
    """

    seats: tuple[int, ...]
    played: int
    best: int
    holders: tuple[int, ...]

    def seat_values(self, tables: Sequence[Floats], players: int) -> Floats:
        """Return the probabilities to win of all seats of the game before the mover's turn: (players,).

        Args:
            tables: ``PlayoffSolver.tables`` of the seats that take part.
            players: the number of players of the game. Seats that do not take part, or have lost, have 0.
        """
        seats_to_play = self.seats[self.played :]
        contenders = [*self.holders, *seats_to_play]  # in the order of the tables' last axis
        values = np.zeros(players)
        values[contenders] = tables[self.played][self.best, len(self.holders), : len(contenders)]
        return values

    def score_values(self, tables: Sequence[Floats], players: int) -> Floats:
        """Return the probabilities to win of all seats after each score of the mover: (players, scores).

        Args:
            tables: ``PlayoffSolver.tables`` of the seats that take part.
            players: the number of players of the game. Seats that do not take part, or have lost, have 0.
        """
        next_table = tables[self.played + 1]
        max_score = len(next_table) - 1
        mover = self.seats[self.played]
        later = self.seats[self.played + 1 :]
        channel_seats = [mover, *later, *self.holders]  # in the order of the channels of ``score_payoffs``
        values = np.zeros((players, max_score + 1))
        values[channel_seats] = score_payoffs(
            max_score,
            next_table,
            best_score=self.best,
            holder_count=len(self.holders),
            later_count=len(later),
        )
        return values
