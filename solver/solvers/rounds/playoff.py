"""Playoffs: players take one turn each, the highest score wins, and ties play again in the same order or share.

A state is (players who have played, best score so far, number of players who hold it). Its value is a vector: the
probabilities to win of the holders in order, then of the players still to come. All other players have lost.

States are solved by retrograde analysis over the players who have played. If all m players tie, their playoff leads to
itself, so its values are a fixed point. It is found by iteration, which converges fast because such ties are rare.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...games.rounds import RoundTurn
from ...util.errors import InputError, SolveError
from .problem import Floats, round_rounding_bound, solve_lanes

MAX_PLAYERS = 8
MAX_ITERATIONS = 1000
EXTRAPOLATION_INTERVAL = 50  # iterations after which the geometric series of the steps is summed
CONVERGED_CHANGE = 4e-16
MIN_DECISIVE_PROBABILITY = 1e-6  # values of a playoff that is tied more surely cannot be computed


class PlayoffSolver:
    """The solved playoff of some number of players, and of all smaller numbers.

    Attributes:
        players: the number of players.
        shares_ties: tied players share the win and do not play again.
        start: (players,), the probabilities to win by seat at the beginning.
        tables: by the number of players who have played, the values of the states (best + 1, tied + 1, players). The
            last axis holds the holders of the best score, then the players to come. Before anybody has played, best
            and tied are 0.
        error_bound: a bound of the error of all values.
    """

    def __init__(self, rules: RoundTurn, players: int, shares_ties: bool = False) -> None:
        self.rules, self.players, self.shares_ties = rules, players, shares_ties
        self._smaller = [PlayoffSolver(rules, players - 1)] if players > 2 and not shares_ties else []
        self.error_bound = 0.0
        self.tables: list[Floats] = []
        self.chances: Floats = np.full(players, 1 / players)
        if players == 1:
            self.chances = np.ones(1)
        elif shares_ties:
            self.tables = self._solve_states(self.chances)
            self.chances, self.error_bound = self.tables[0][0, 0], 2 * players * round_rounding_bound(rules)
        else:
            self._iterate()

    def _iterate(self) -> None:
        """Solve the fixed point of a playoff that all players may tie."""
        # No score can be made more probable than this, so neither can a tie of all.
        tie_probability = float(solve_lanes(self.rules, np.eye(self.rules.most + 1)[None]).max())
        if tie_probability > 1 - MIN_DECISIVE_PROBABILITY:
            raise InputError("every player can all but always tie, so a game may never be decided")
        guess, change = self.chances, math.inf
        for iteration in range(1, MAX_ITERATIONS):
            self.tables = self._solve_states(guess)
            step, last_change = self.tables[0][0, 0] - guess, change
            guess, change = self.tables[0][0, 0].copy(), float(np.abs(step).max())
            if change <= CONVERGED_CHANGE:
                break
            if iteration % EXTRAPOLATION_INTERVAL == 0 and change < last_change:
                guess += step * change / (last_change - change)
        else:
            raise SolveError("the playoffs did not settle")
        self.chances = guess
        # If the guess is wrong by e, an iteration returns values wrong by at most tie_probability * e + rounding.
        self.error_bound = (change + 2 * self.players * round_rounding_bound(self.rules)) / (1 - tie_probability)
        self.error_bound += self._smaller[0].error_bound if self._smaller else 0.0

    def with_players(self, players: int) -> PlayoffSolver:
        """Return the playoff of this many of the players."""
        return self if players == self.players else self._smaller[0].with_players(players)

    def equity(self, tied: int) -> Floats:
        """Return the probabilities to win, by seat, of ``tied`` players who have the highest score."""
        return np.full(tied, 1 / tied) if tied == 1 or self.shares_ties else self.with_players(tied).chances

    def _solve_states(self, guess: Floats) -> list[Floats]:
        """Return the tables of all states if a tie of all players has the values ``guess``."""
        players, max_score = self.players, self.rules.most
        tables: list[Floats] = [np.zeros(0)] * (players + 1)
        final = np.zeros((max_score + 1, players + 1, players))
        for tied in range(1, players + 1):
            final[:, tied, :tied] = guess if tied == players else self.equity(tied)
        tables[players] = final
        for played in range(players - 1, -1, -1):
            table = np.zeros((max_score + 1, played + 1, players))
            for tied in range(1 if played else 0, played + 1):
                later = players - played - 1
                by_best = [
                    score_payoffs(max_score, tables[played + 1], best, tied, later) for best in range(max_score + 1)
                ]
                values = solve_lanes(self.rules, np.stack(by_best, axis=2))
                table[:, tied, tied : tied + 1 + later] = values[: 1 + later].T
                table[:, tied, :tied] = values[1 + later :].T
            tables[played] = table
        return tables


def score_payoffs(max_score: int, next_table: Floats, best: int, tied: int, later: int) -> Floats:
    """Return what each score of the mover pays.

    Args:
        max_score: the highest possible score.
        next_table: the table after the mover has played.
        best: the best score so far.
        tied: the number of players who hold it; 0 if nobody has played.
        later: the number of players who play after the mover.

    Returns:
        (channels, scores); the channels are the mover, the later players in order, and the holders in order.
    """
    scores = max_score + 1
    payoffs = np.zeros((1 + later + tied, scores))
    for score in range(scores):
        if tied and score < best:
            values = next_table[best, tied]
            payoffs[1 : 1 + later, score] = values[tied : tied + later]
            payoffs[1 + later :, score] = values[:tied]
        elif tied and score == best:
            values = next_table[best, tied + 1]
            payoffs[0, score] = values[tied]
            payoffs[1 : 1 + later, score] = values[tied + 1 : tied + 1 + later]
            payoffs[1 + later :, score] = values[:tied]
        else:
            values = next_table[score, 1]
            payoffs[: 1 + later, score] = values[: 1 + later]
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
        """Return the probabilities to win of all seats (players,), from the tables of ``PlayoffSolver``."""
        order = [*self.holders, *self.seats[self.played :]]
        values = np.zeros(players)
        values[order] = tables[self.played][self.best, len(self.holders), : len(order)]
        return values

    def score_values(self, tables: Sequence[Floats], players: int) -> Floats:
        """Return the probabilities to win of all seats after each score of the mover: (players, scores)."""
        next_table, later = tables[self.played + 1], self.seats[self.played + 1 :]
        max_score = len(next_table) - 1
        values = np.zeros((players, max_score + 1))
        order = [self.seats[self.played], *later, *self.holders]
        values[order] = score_payoffs(max_score, next_table, self.best, len(self.holders), len(later))
        return values
