"""Base of the races whose players have rules of their own: each question goes to the turns of the seat to move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ...play.playable_game import Choice
from ...play.push import PushPosition
from ...play.unlike_seats import UnlikeSeatsGame
from ...turns.monotone_turn import is_monotone
from ...turns.push_turn import Doubles
from ...util.errors import InputError
from ..model import Ints
from ..problem import PositionListing, Problem, ValuesAndBounds, ValueTable
from .problem import PushProblem
from .states import States


class UnlikeSeatsProblem(Problem[PushPosition]):
    """The chance to win a race whose players have rules of their own.

    Attributes:
        playable: the game as it is played, with the rules of each seat.
        states: by seat, the states of its player.
        seat_problems: by seat, the turns of that seat.
    """

    playable: UnlikeSeatsGame
    states: Sequence[States]
    seat_problems: Sequence[PushProblem]

    def _scores_by_seat(self) -> list[Ints]:
        """Return the scores of each seat, in points."""
        return [states.scores * states.rules.grain for states in self.states]

    # --- values of positions

    def state_values(self, value_table: ValueTable, positions: Sequence[PushPosition]) -> ValuesAndBounds:
        """Return the chances of all seats at positions where a turn begins, from the value table.

        Returns:
            (positions, seats) the values, and their error bound.
        """
        values = [self.seat_problems[position.seat].start_values(value_table, position) for position in positions]
        return np.array(values), value_table.error_bound

    def has_state(self, value_table: ValueTable, position: PushPosition) -> bool:
        """Return True if a turn begins at the position, so that the value table has its value."""
        is_last_turn = self.seat_problems[position.seat]._is_last(position)
        return self.playable.is_turn_start(position) and not is_last_turn

    def turn_values(self, value_table: ValueTable, positions: Sequence[PushPosition]) -> ValuesAndBounds:
        """Return the chances of all seats at positions before a roll.

        Returns:
            (positions, seats) the values, and (positions,) their error bounds.
        """
        values = np.empty((len(positions), self.players))
        bounds = np.empty(len(positions))
        for seat, problem in enumerate(self.seat_problems):
            indices = [index for index, position in enumerate(positions) if position.seat == seat]
            if indices:
                values[indices], bounds[indices] = problem.turn_values(
                    value_table, [positions[index] for index in indices]
                )
        return values, bounds

    def continuation_values(
        self,
        value_table: ValueTable,
        starts: Sequence[PushPosition],
        continuations: Sequence[PushPosition | Choice[PushPosition]],
    ) -> Doubles:
        """Return the values of continuations in many turns of one seat: (starts, continuations, seats).

        Args:
            value_table: the value table.
            starts: positions at which turns of one and the same seat begin.
            continuations: rolls to make and choices that end the turn; each is valued in every turn.
        """
        return self.seat_problems[starts[0].seat].continuation_values(value_table, starts, continuations)

    def stopping_points(self, value_table: ValueTable, start: PushPosition) -> int | None:
        """Return the turn points, in points, at which the table of a turn ends.

        These are the fewest that win or, with an exact finish, one more than the player may hold.
        """
        problem = self.seat_problems[start.seat]
        if problem.rules.finish == "last_round":
            return problem.lanes(value_table, [start]).cap * problem.rules.grain
        return int(problem.states.caps[problem.states.number(start.score)]) * problem.rules.grain

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[PushPosition]:
        """List the positions at the start of a turn, for all scores of all seats and each seat to move."""
        scores_by_seat = [scores.tolist() for scores in self._scores_by_seat()]
        starts = (
            self.playable.turn_start(scores, seat, 0)
            for seat in range(self.players)
            for scores in product(*scores_by_seat)
        )
        return PositionListing(self.players * prod(map(len, scores_by_seat)), starts)


def list_seat_states(playable: UnlikeSeatsGame) -> tuple[States, ...]:
    """Return by seat the states of its player.

    Raises:
        InputError: the turns of a seat are not monotone, or its target cannot be reached from some of its scores.
    """
    states_by_seat = tuple(
        States(game.rules, head_starts=[head_start])
        for game, head_start in zip(playable.seat_games, playable.head_starts, strict=True)
    )
    for seat, states in enumerate(states_by_seat, 1):
        states.refuse_dead_scores("a race from there could last forever")
        if not is_monotone(states.turn):
            raise InputError(
                f"seat {seat}: rules by seat require that every set adds points, but these rules have sets of 0 points"
                " or less"
            )
    return states_by_seat
