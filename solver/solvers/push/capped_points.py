"""The greatest expected points of one turn that count towards a goal: a bank is worth no more than what is missing.

With s points and the goal g a bank of t points is worth min(t, g - s) if it counts, otherwise 0, and a bust 0 or its
cost. So the best turn depends on the score. Once g - s points are held nothing can be gained. There the table of the
turn ends, and it is exact: points beyond count as these (``turns.push_turn``).

Start reading at ``CappedPointsProblem.solve``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...play.push import PushGame, PushPosition
from ...util.errors import InputError, argument
from ...util.progress_reporting import ProgressCallback
from ..problem import ArraySpec, ValueTable
from ..rounding_bounds import turn_rounding_bound
from ..solve_costs import SolveCost
from ..turn_lanes import TurnLanes, join_lanes
from .problem import TURNS_PER_CALL, PushProblem

CHOICE_SECONDS = 1.5e-9  # empirical: a choice at one number of turn points
VALUE_BYTES = 8  # of one double


class CappedPointsProblem(PushProblem):
    """The greatest expected points of one turn, of which no more count than are missing to the goal.

    Attributes:
        playable: the game of one player, with its goal in points.
        rules: the rules of the turn.
        states: the states of the player on the way to the goal.
        scores: (scores,), the scores below the goal, in points.
    """

    value_span = " a turn"

    def __init__(self, playable: PushGame) -> None:
        """Set up the problem of a game with a goal.

        Args:
            playable: the game as it is played, with its goal.

        Raises:
            InputError: the lowest points are best.
        """
        if playable.rules.best == "lowest":
            raise InputError(f"{argument('goal')} requires best=highest; leave {argument('goal')} out")
        super().__init__(playable)

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Solve the turns from all scores below the goal.

        Args:
            threads: not used, because the turns of all scores are solved side by side.
            progress: called with the fraction of the scores that are solved.

        Returns:
            A value table with the arrays ``scores`` (scores,) in points, and ``points``, (scores,) or (scores, busts
            in a row): the expected points, of a turn from this score, that count towards the goal.
        """
        starts = self._list_starts()
        values = list[float]()  # by start
        bound = 0.0
        for first in range(0, len(starts), TURNS_PER_CALL):
            part = starts[first : first + TURNS_PER_CALL]
            lanes = join_lanes([self._make_lane(start, min_points=0) for start in part])
            values += lanes.solve().value[0].tolist()  # channel 0, by lane
            bound = max(bound, self._bound_rounding(lanes))
            progress(len(values) / len(starts))
        points = np.array(values).reshape(self.array_specs()["points"].shape)
        return ValueTable({"scores": self.scores, "points": points}, bound)

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate time and memory of a solve: of one turn for each score, as if all were as long as the longest.

        Args:
            threads: not used, because one call solves the turns of all scores.
        """
        turn = self.rules.turn
        start_count = len(self._list_starts())
        longest_cap = int(self.states.goal - self.states.lowest_score)  # the units missing at the lowest score
        point_counts = turn.row_count(longest_cap)  # in the longest table
        seconds = CHOICE_SECONDS * turn.choice_count * point_counts * start_count
        turns_in_memory = min(start_count, TURNS_PER_CALL)
        # For each number of turn points: two numbers for each mode, and the payoff of a bank.
        doubles_per_points = 2 * len(turn.modes) + 1
        return SolveCost(bytes=VALUE_BYTES * point_counts * turns_in_memory * doubles_per_points, seconds=seconds)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return by name the shape and range of the arrays of a value table; ``solve`` says what they hold.

        A turn loses at most the largest cost of a bust. No more points count than are missing from the lowest score.
        """
        shape = (len(self.scores), self._bust_count_limit) if self.rules.bust_costs else (len(self.scores),)
        max_bust_cost = max(self.rules.bust_costs, default=0)
        lowest_score = self.rules.bust_floor
        max_missing_points = self.playable.goal - lowest_score
        return {
            "scores": ArraySpec.fixed(self.scores),
            "points": ArraySpec(shape, -float(max_bust_cost), float(max_missing_points)),
        }

    def start_values(self, value_table: ValueTable, position: PushPosition) -> list[float]:
        """Return the expected points that a turn from its start on counts, from the value table: for the only seat."""
        score_index = int(np.searchsorted(value_table.arrays["scores"], position.score))
        index = (score_index, position.bust_count) if self.rules.bust_costs else (score_index,)
        return [float(value_table.arrays["points"][index])]

    def lanes(self, value_table: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> TurnLanes:
        """Return the turns that begin at some positions, one lane for each.

        Args:
            value_table: not needed, because the payoffs follow from the rules.
            starts: positions at the start of a turn.
            min_points: turn points, in units, that the tables of the turns have to include.
        """
        return join_lanes([self._make_lane(start, min_points) for start in starts])

    def turn_error_bound(self, value_table: ValueTable, lanes: TurnLanes) -> float:
        """Return the error bound of values inside turns: that of rounding, because the tables are exact."""
        return self._bound_rounding(lanes)

    def stopping_points(self, value_table: ValueTable, start: PushPosition) -> int:
        """Return the turn points, in points, from which on nothing can be gained: those missing to the goal."""
        return self._missing_units(start) * self.rules.grain

    def max_stopping_points(self, value_table: ValueTable | None = None) -> int:
        """Return the turn points, in points, from which on nothing can be gained, whatever the score."""
        max_units = max(self.states.goal - self.states.lowest_score, self.states.min_bank(0))
        return int(max_units) * self.rules.grain

    @property
    def _bust_count_limit(self) -> int:
        """How many numbers of busts in a row are told apart (0, 1, ...); 1 if busts cost nothing."""
        return len(self.rules.bust_costs) or 1

    def _list_starts(self) -> list[PushPosition]:
        """Return the position at the start of a turn for every score and, if they count, number of busts in a row."""
        # A position has the busts in a row of each seat, of which there is one; or none if they do not count.
        busts_by_seat: list[tuple[int, ...]] = [()]
        if self.rules.bust_costs:
            busts_by_seat = [(busts,) for busts in range(self._bust_count_limit)]
        seat, turns_left = 0, 0  # the only seat; turns are not counted
        return [
            self.playable.turn_start((score,), seat, turns_left, busts)
            for score in self.scores.tolist()
            for busts in busts_by_seat
        ]

    def _missing_units(self, start: PushPosition) -> int:
        """Return the fewest turn points, in units, that reach the goal by a bank that counts."""
        missing = -(-(self.playable.goal - start.score) // self.rules.grain)  # rounded up
        return max(missing, self.states.min_bank(start.score))

    def _make_lane(self, start: PushPosition, min_points: int) -> TurnLanes:
        """Return one turn with the payoffs of its endings: the points that count towards the goal.

        Args:
            start: the beginning of the turn.
            min_points: turn points, in units, that the table has to include.
        """
        rules = self.rules
        cap = max(self._missing_units(start), min_points)
        bank_count = cap + 1
        banked_units = np.arange(bank_count)
        bank_points = rules.bank_values(banked_units)  # in points
        missing_points = self.playable.goal - start.score
        counted_points = np.minimum(bank_points, missing_points)
        payoff_of_small_bank = 0.0 if rules.can_end_with_nothing else -np.inf  # -inf: it is not allowed
        banks = np.where(banked_units >= self.states.min_bank(start.score), counted_points, payoff_of_small_bank)
        bust = -float(rules.bust_costs[start.bust_count]) if rules.bust_costs else 0.0
        win = 0.0  # in a turn for points a roll that wins a race scores as ordinary dice, so no turn ends in a win
        wipe = 0.0  # the turn scores nothing; the score that is lost does not count
        special_endings = [bust, win, wipe]
        payoff = np.append(special_endings, banks)[None, :, None]  # (1 channel, endings, 1 lane)
        return TurnLanes(rules.turn, payoff, np.array([cap], dtype=np.int32), bank_count)

    def _bound_rounding(self, lanes: TurnLanes) -> float:
        """Return the bound of the rounding error of values from some lanes; it grows with the largest payoff."""
        allowed_payoffs = lanes.payoff[np.isfinite(lanes.payoff)]  # -inf: an ending that is not allowed
        largest_payoff = float(np.abs(allowed_payoffs).max())
        return largest_payoff * turn_rounding_bound(self.rules.turn, lanes.cap)
