"""Games by the round for several players: each in turn in every round, the highest total wins, ties are played off.

Every seat maximizes its own value: the probability to win, or its margin. ``tournament_model`` has the equations,
``tournament_solver`` the algorithm and ``tournament_listing`` the positions; here they become a ``Problem``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ...games.round_rules import RoundTurn
from ...play.playable_game import PlayableGame
from ...play.rounds import RoundsGame, RoundsPosition
from ...util.progress_reporting import ProgressCallback
from ..problem import ArraySpec, PositionListing, ValuesAndBounds, ValueTable, group_by_key
from ..solve_costs import SolveCost
from .playoff import MAX_PLAYERS
from .problem import Floats, RoundProblem, round_rounding_bound
from .tournament_listing import ListingPart, PositionLister
from .tournament_model import MarginModel, TournamentModel
from .tournament_solver import evaluate_policy, solve_first_to, solve_rounds

SECONDS_PER_SCORE = 3e-8  # measured: one score of a round, evaluated for one number of the tables
GRIDS_OF_LARGEST_ARRAY = 4  # copies of its size while it is solved: totals, payoffs and values of its states
BYTES_PER_NUMBER = 8


class RoundsWinProblem(RoundProblem[RoundsPosition]):
    """Probability to win of every seat.

    Attributes:
        rules, playable, players: the compiled turn, the game as people play it, and the number of players.
        model, model_class: the states between turns, and where scores lead from them; the class of the model.
        first_to, rounds: whether the match is played to a target, and the number of its rounds if it is not.
        table_bytes: the size of the value table.
        _lister, _all_parts: lists positions that agree with field values, in parts; the parts with all positions.
    """

    player_range = (2, MAX_PLAYERS)
    playable: RoundsGame
    model_class: ClassVar[type[TournamentModel]] = TournamentModel

    def __init__(self, playable: PlayableGame[RoundsPosition]) -> None:
        """Take over a game as people play it, and make the model of its states."""
        super().__init__(playable)
        self.rounds = self.playable.rounds
        self.first_to = self.playable.first_to
        self.model = self.model_class(self.playable, self.rules)

    # --- solving

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Solve all states; ``TournamentModel.array_shapes`` describes the arrays.

        Rounding adds up over the turns of a game. With a target, these are at most ``target`` of each player on
        average: a turn scores with a probability of 54 %, and then at least 2 points.

        Args:
            threads: not used; one thread solves.
            progress: called with the fraction that is done.
        """
        model = self.model
        if self.first_to:
            arrays = solve_first_to(model, progress)
            turns = self.players * model.target
        else:
            arrays = solve_rounds(model, progress)
            turns = self.players * self.rounds
        # To be safe, one turn more is counted, and the sum is doubled.
        rounding_bound = (turns + 1) * round_rounding_bound(self.rules) * 2
        # Both bounds are relative to the largest value, ``scale``: 1 for a probability.
        return ValueTable(arrays, model.scale * (rounding_bound + model.playoffs.error_bound))

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate the cost from the size of the arrays.

        Args:
            threads: not used; one thread solves.
        """
        table_bytes = float(self.table_bytes)
        number_count = table_bytes / BYTES_PER_NUMBER
        largest_number_count = max(math.prod(spec.shape) for spec in self.array_specs().values())
        largest_bytes = float(BYTES_PER_NUMBER) * largest_number_count
        # Each number is the value of a turn, which is a sum over the scores that the turn can bring.
        seconds = number_count * self.rules.max_score * SECONDS_PER_SCORE
        # While an array is solved, there are further arrays of its size: totals, payoffs and values of its states.
        return SolveCost(bytes=table_bytes + GRIDS_OF_LARGEST_ARRAY * largest_bytes, seconds=seconds)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the specs of the arrays; their first axis is the seat."""
        lower, upper = self.model.value_range
        shapes = self.model.array_shapes()
        return {name: ArraySpec(shape, lower, upper, seat_axis=0) for name, shape in shapes.items()}

    # --- values of positions

    def state_values(self, value_table: ValueTable, positions: Sequence[RoundsPosition]) -> ValuesAndBounds:
        """Read the values from the arrays, or from the tables of playoffs.

        Positions that are read from one array are read together.

        Args:
            value_table: the value table.
            positions: positions between turns.

        Returns:
            The values of all seats (positions, seats), and one error bound for all.
        """
        values = np.empty((len(positions), self.players))
        for (round_, seat, playoff), indices in _group_by_state(positions).items():
            group = [positions[index] for index in indices]
            if playoff:
                values[indices] = [self.model.playoff_values(position) for position in group]
            else:
                totals = np.array([position.scores for position in group]).T
                # Positions count rounds from 1, the model from 0.
                values[indices] = self.model.state_values(value_table.arrays, round_ - 1, seat, totals).T
        return values, value_table.error_bound

    def score_payoffs(self, value_table: ValueTable, starts: Sequence[RoundsPosition]) -> Floats:
        """Return the value of every seat after each score of the mover: (seats, scores, starts).

        Args:
            value_table: the value table.
            starts: positions between turns, in which the turns begin.
        """
        payoffs = np.empty((self.players, self.rules.max_score + 1, len(starts)))
        for (round_, seat, playoff), indices in _group_by_state(starts).items():
            group = [starts[index] for index in indices]
            if playoff:
                payoffs_by_start = [self.model.playoff_score_payoffs(start) for start in group]  # (seats, scores) each
                payoffs[:, :, indices] = np.stack(payoffs_by_start, axis=2)
            else:
                totals = np.array([start.scores for start in group]).T  # (seats, starts)
                # Positions count rounds from 1, the model from 0.
                payoffs[:, :, indices] = self.model.score_payoffs(value_table.arrays, round_ - 1, seat, totals)
        return payoffs

    def evaluate_policy(
        self, value_table: ValueTable, policy: RoundTurn, seat: int, last_turns: Mapping[int, RoundTurn]
    ) -> float:
        """Return the probability to win of a policy against optimal play, for two players and ``match=rounds``.

        Args:
            value_table: the values of optimal play.
            policy: the turn as the policy plays it: a compiled turn in which no choice is left.
            seat: the seat that plays the policy.
            last_turns: turns that seat 1 plays instead of ``policy`` in the last turn of the game, by its deficit.
        """
        return evaluate_policy(self.model, value_table.arrays, policy, seat, last_turns)

    # --- positions

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[RoundsPosition]:
        """List the positions between turns, then those of playoffs.

        With ``match=rounds`` only differences of totals matter. So each difference is listed once, with the smallest
        totals that have it, unless the fields contain totals.

        Args:
            fields: field values by name, as users enter them; positions that agree with them are listed.
        """
        field_of_name = {field.name: field for field in self.playable.fields}
        parsed_fields = {name: field_of_name[name].parse(value) for name, value in fields.items()}
        gives_totals = "score" in parsed_fields or "opponents" in parsed_fields
        only_differences = not self.first_to and not gives_totals
        parts = list(self._lister.parts(parsed_fields, only_differences)) if parsed_fields else self._all_parts
        count = sum(len(part.totals) for part in parts)
        positions = (
            RoundsPosition(tuple(totals), part.seat, part.round, part.playoff)
            for part in parts
            for totals in part.totals.tolist()
        )
        truncation = ""
        if only_differences:
            truncation = "each difference of totals is listed once, with the lowest totals that have it"
        return PositionListing(count, positions, truncation)

    @cached_property
    def _lister(self) -> PositionLister:
        """The lister of positions that agree with given fields."""
        return PositionLister(self.playable, self.model)

    @cached_property
    def _all_parts(self) -> list[ListingPart]:
        """All positions between turns, as they are listed if no fields are given."""
        return list(self._lister.parts({}, only_differences=not self.first_to))


class RoundsMarginProblem(RoundsWinProblem):
    """Expected payoff of every seat if each loser pays the winner one for each point of difference."""

    model_class = MarginModel


def _group_by_state(positions: Iterable[RoundsPosition]) -> dict[tuple[int, int, tuple[int, ...]], list[int]]:
    """Return the indices of positions by round, seat and playoff: those that are read from one array."""
    return group_by_key((position.round, position.seat, position.playoff) for position in positions)
