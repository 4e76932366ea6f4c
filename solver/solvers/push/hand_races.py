"""Races of two players with hands of dice, for many pairs of hands.

The turn model of a hand is compiled once, for all of its races. The equations are those of ``unlike_race``.

Start reading at ``HandRaces.solve``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...games import Game
from ...turns.monotone_turn import is_monotone
from ...util.errors import InputError
from ..solve_costs import SolveCost
from .states import States
from .unlike_race import estimate_race_cost, solve_unlike_race


class RaceChances(NamedTuple):
    """The chances of two hands against each other.

    Attributes:
        first: the chance of the first hand if its player begins.
        second: the chance of the second hand if its player begins.
        error_bound: the largest possible error of a chance.
    """

    first: float
    second: float
    error_bound: float


class HandRaces:
    """Solver of races between hands of dice; what is compiled for a hand is kept for its later races.

    Attributes:
        games: by number of the hand, the game in which both players have this hand.
        states_by_hand: by number of the hand, the states of its player, once they are made.
    """

    def __init__(self, games: Sequence[Game]) -> None:
        """Take the game of each hand; nothing is compiled yet.

        Args:
            games: by number of the hand, the game in which both players have this hand.
        """
        self.games = games
        self.states_by_hand: dict[int, States] = {}

    def estimate_cost(self, first: int, second: int, threads: int) -> SolveCost:
        """Estimate the cost of the race between two hands.

        Args:
            first: the number of one hand.
            second: the number of the other hand.
            threads: the number of threads.
        """
        return estimate_race_cost((self._get_states(first), self._get_states(second)), threads)

    def solve(self, first: int, second: int, threads: int) -> RaceChances:
        """Solve the race between two hands, for either of them beginning.

        Args:
            first: the number of one hand.
            second: the number of the other hand.
            threads: the number of threads.

        Raises:
            InputError: the race of a hand cannot be solved.
            SolveError: the values did not settle, or their error bound is too large.
        """
        states = (self._get_states(first), self._get_states(second))
        # Each table is the chance of one player when it is to move, by its own state and the opponent's.
        (first_moves, second_moves), error_bound = solve_unlike_race(states, threads=threads)
        start = (0, 0)  # both have score 0, the lowest state
        return RaceChances(first=float(first_moves[start]), second=float(second_moves[start]), error_bound=error_bound)

    def _get_states(self, hand: int) -> States:
        """Return the states of the player with a hand, which are made at the first call.

        Args:
            hand: the number of the hand.

        Raises:
            InputError: the target cannot be reached from some scores, or sets can score 0 points or less.
        """
        if hand not in self.states_by_hand:
            states = States(self.games[hand].data)
            states.refuse_dead_scores("a race from there could last forever")
            if not is_monotone(states.turn):
                raise InputError("hands cannot be compared if sets can score 0 points or less")
            self.states_by_hand[hand] = states
        return self.states_by_hand[hand]
