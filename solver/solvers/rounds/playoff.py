"""Showdowns: players in turn, one score each, the highest wins; those tied for it play again, in the same seating, or
share.

A state is (players who have played, best score so far, how many hold it). What a state is worth is a vector: for those
who hold the best score by their order, then for the players still to come. Everybody else has lost. A playoff of all m
players leads to itself when all tie again; its values are the fixed point, found by iteration, for the chance of that
is small.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...games.rounds import RoundTurn
from ...util.errors import InputError, SolveError
from .problem import Floats, solve_lanes, turn_rounding

MOST_PLAYERS = 8
PASSES, AT_ONCE = 1000, 50  # so many passes, and after each 50 of them a step all the way
NEVER = 1e-6  # a chance not to tie that values cannot be computed with


class Showdown:
    """The showdown of ``players``: ``start`` (players,) their chances by seat, ``table`` the states' values; ``share``:
    those tied share and do not play again.
    """

    def __init__(self, rules: RoundTurn, players: int, share: bool = False) -> None:
        self.rules, self.players, self.share = rules, players, share
        self.smaller = [Showdown(rules, players - 1)] if players > 2 and not share else []
        self.error = 0.0
        self.table: list[Floats] = []
        if players == 1:
            self.start: Floats = np.ones(1)
            return
        if share:
            self.table = self._solve(np.full(players, 1 / players))
            self.start, self.error = self.table[0][0, 0], 2 * players * turn_rounding(rules)
            return
        again = float(solve_lanes(rules, np.eye(rules.most + 1)[None]).max())  # no score is likelier, however played
        if again > 1 - NEVER:
            raise InputError("every player can all but always tie, so a game may never be decided")
        guess, moved = np.full(players, 1 / players), math.inf
        for number in range(1, PASSES):
            self.table = self._solve(guess)
            step, before = self.table[0][0, 0] - guess, moved
            guess, moved = self.table[0][0, 0].copy(), float(np.abs(step).max())
            if moved <= 4e-16:
                break
            if number % AT_ONCE == 0 and moved < before:
                guess += step * moved / (before - moved)
        else:
            raise SolveError("the playoffs did not settle")
        self.start = guess
        # One pass maps values that are wrong by e to values wrong by at most (chance that all tie) e + rounding.
        self.error = (moved + 2 * players * turn_rounding(rules)) / (1 - again)
        self.error += self.smaller[0].error if self.smaller else 0.0

    def of(self, players: int) -> Showdown:
        """The showdown of so many of the players."""
        return self if players == self.players else self.smaller[0].of(players)

    def equity(self, tied: int) -> Floats:
        """Chances by seat of a playoff of ``tied`` players (1: the winner)."""
        return np.full(tied, 1 / tied) if tied == 1 or self.share else self.of(tied).start

    def _solve(self, guess: Floats) -> list[Floats]:
        """By players who have played: (best + 1, tied + 1, tied + those to come) values; with nobody tied best is 0."""
        players, most = self.players, self.rules.most
        tables: list[Floats] = [np.zeros(0)] * (players + 1)
        last = np.zeros((most + 1, players + 1, players))
        for tied in range(1, players + 1):
            last[:, tied, :tied] = guess if tied == players else self.equity(tied)
        tables[players] = last
        for played in range(players - 1, -1, -1):
            table = np.zeros((most + 1, played + 1, players))
            for tied in range(1 if played else 0, played + 1):
                later = players - played - 1
                after = tables[played + 1]
                each = [worth_of_scores(most, after, best, tied, later) for best in range(most + 1)]
                worth = np.stack(each, axis=2)
                value = solve_lanes(self.rules, worth)  # the mover first, then later seats, then those tied
                table[:, tied, tied : tied + 1 + later] = value[: 1 + later].T
                table[:, tied, :tied] = value[1 + later :].T
            tables[played] = table
        return tables


def worth_of_scores(most: int, after: Floats, best: int, tied: int, later: int) -> Floats:
    """What each score of the mover is worth: (mover, those to come, those tied; scores); ``after`` one player on."""
    scores = most + 1
    worth = np.zeros((1 + later + tied, scores))
    for score in range(scores):
        if tied and score < best:
            values = after[best, tied]
            worth[1 : 1 + later, score] = values[tied : tied + later]
            worth[1 + later :, score] = values[:tied]
        elif tied and score == best:
            values = after[best, tied + 1]
            worth[0, score] = values[tied]
            worth[1 : 1 + later, score] = values[tied + 1 : tied + 1 + later]
            worth[1 + later :, score] = values[:tied]
        else:
            values = after[score, 1]
            worth[: 1 + later, score] = values[: 1 + later]
    return worth


@dataclass(frozen=True)
class Standing:
    """Where a showdown stands: the seats that play it, how many of them have played, the best score so far and the
    seats that hold it, in order.
    """

    seats: tuple[int, ...]
    played: int
    best: int
    holders: tuple[int, ...]

    def chances(self, table: Sequence[Floats], players: int) -> Floats:
        """Chances of all ``players`` by seat, read from the showdown's ``table``."""
        order = [*self.holders, *self.seats[self.played :]]
        found = np.zeros(players)
        found[order] = table[self.played][self.best, len(self.holders), : len(order)]
        return found

    def worth(self, table: Sequence[Floats], players: int) -> Floats:
        """What each score of the player to move is worth to all ``players``: (players, scores)."""
        after, later = table[self.played + 1], self.seats[self.played + 1 :]
        most = len(after) - 1
        found = np.zeros((players, most + 1))
        order = [self.seats[self.played], *later, *self.holders]
        found[order] = worth_of_scores(most, after, self.best, len(self.holders), len(later))
        return found
