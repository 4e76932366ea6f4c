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
    """The races of hands against each other."""

    def __init__(self, games: Sequence[Game]) -> None:
        """Keep the game of each hand; nothing is compiled yet.

        Args:
            games: the game with each hand, for both players alike.
        """
        self._games = games
        self._states: dict[int, States] = {}

    def estimate_cost(self, first: int, second: int, threads: int) -> SolveCost:
        """Estimate the cost of the race of two hands, given by their numbers."""
        return estimate_race_cost((self._states_of(first), self._states_of(second)), threads)

    def solve(self, first: int, second: int, threads: int) -> RaceChances:
        """Solve the race of two hands, given by their numbers, for both orders of play.

        Raises:
            InputError: the race of a hand cannot be solved.
            SolveError: the values did not settle, or their error bound is too large.
        """
        tables, error_bound = solve_unlike_race((self._states_of(first), self._states_of(second)), threads=threads)
        return RaceChances(float(tables[0][0, 0]), float(tables[1][0, 0]), error_bound)

    def _states_of(self, hand: int) -> States:
        """Return the states of the player with a hand.

        Raises:
            InputError: the target cannot be reached from some scores, or sets can score 0 points or less.
        """
        if hand not in self._states:
            states = States(self._games[hand].data)
            states.refuse_dead_scores("a race from there could last forever")
            if not is_monotone(states.turn):
                raise InputError("hands cannot be compared if sets can score 0 points or less")
            self._states[hand] = states
        return self._states[hand]
