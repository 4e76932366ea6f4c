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
from ...util.errors import InputError
from ...util.progress_reporting import ProgressCallback
from ..problem import ArraySpec, ValueTable
from ..rounding_bounds import turn_rounding_bound
from ..solve_costs import SolveCost
from ..turn_lanes import TurnLanes, join_lanes
from .problem import TURNS_PER_CALL, PushProblem

CHOICE_SECONDS = 1.5e-9  # empirical: a choice at one number of turn points
VALUE_BYTES = 8  # of one double


class CappedPointsProblem(PushProblem):
    """The greatest expected points of one turn, of which no more count than are missing to the goal."""

    def __init__(self, playable: PushGame) -> None:
        """Take over a game with a goal.

        Raises:
            InputError: the lowest points are best.
        """
        if playable.rules.best == "lowest":
            raise InputError("a goal requires best=highest: leave the goal out")
        super().__init__(playable)

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Solve the turns from all scores below the goal.

        Args:
            threads: not used, because the turns of all scores are solved side by side.
            progress: called with the fraction of the scores that are solved.

        Returns:
            A value table with the arrays ``scores`` (n,) in points, and ``points``, (n,) or (n, busts in a row): the
            points that a turn from this score counts.
        """
        starts = self._starts()
        values = list[float]()
        bound = 0.0
        for first in range(0, len(starts), TURNS_PER_CALL):
            part = starts[first : first + TURNS_PER_CALL]
            lanes = join_lanes([self._lane(start, 0) for start in part])
            values += lanes.solve().value[0].tolist()  # channel 0
            bound = max(bound, self._rounding(lanes))
            progress(len(values) / len(starts))
        points = np.array(values).reshape(self.array_specs()["points"].shape)
        return ValueTable({"scores": self.scores, "points": points}, bound)

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate time and memory from the scores and the longest turn."""
        turn, start_count = self.rules.turn, len(self._starts())
        rows = turn.row_count(int(self.states.goal - self.states.lowest_score))
        seconds = CHOICE_SECONDS * turn.choice_count * rows * start_count
        return SolveCost(VALUE_BYTES * rows * min(start_count, TURNS_PER_CALL) * (2 * len(turn.modes) + 1), seconds)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the arrays of the value table (``solve``)."""
        shape = (len(self.scores), self._bust_counts) if self.rules.bust_costs else (len(self.scores),)
        min_points = -float(max(self.rules.bust_costs, default=0))
        return {
            "scores": ArraySpec.fixed(self.scores),
            "points": ArraySpec(shape, min_points, float(self.playable.goal - self.rules.bust_floor)),
        }

    def start_values(self, value_table: ValueTable, position: PushPosition) -> list[float]:
        """Return the points that count at the start of a turn, from the value table."""
        place = int(np.searchsorted(value_table.arrays["scores"], position.score))
        index = (place, position.bust_count) if self.rules.bust_costs else (place,)
        return [float(value_table.arrays["points"][index])]

    def lanes(self, value_table: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> TurnLanes:
        """Return the turns that begin at ``starts``, with tables that include ``min_points`` turn points (in units)."""
        return join_lanes([self._lane(start, min_points) for start in starts])

    def turn_error_bound(self, value_table: ValueTable, lanes: TurnLanes) -> float:
        """Return the error bound of values inside the turns of some lanes."""
        return self._rounding(lanes)

    def stopping_points(self, value_table: ValueTable, start: PushPosition) -> int:
        """Return the turn points from which nothing can be gained."""
        return self._missing_units(start) * self.rules.grain

    def max_stopping_points(self, value_table: ValueTable | None = None) -> int:
        """Return the turn points from which nothing can be gained, whatever the score."""
        max_units = max(self.states.goal - self.states.lowest_score, self.states.min_bank(0))
        return int(max_units) * self.rules.grain

    @property
    def _bust_counts(self) -> int:
        return max(1, len(self.rules.bust_costs))

    def _starts(self) -> list[PushPosition]:
        """Return the beginning of the turn from every score and number of busts in a row."""
        busts = [(count,) for count in range(self._bust_counts)] if self.rules.bust_costs else [()]
        return [self.playable.turn_start((score,), 0, 0, count) for score in self.scores.tolist() for count in busts]

    def _missing_units(self, start: PushPosition) -> int:
        """Return the fewest turn points, in units, that are worth as much as any."""
        missing = -(-(self.playable.goal - start.score) // self.rules.grain)  # rounded up
        return max(missing, self.states.min_bank(start.score))

    def _lane(self, start: PushPosition, min_points: int) -> TurnLanes:
        """Return one turn with the payoffs of its endings.

        Args:
            start: the beginning of the turn.
            min_points: turn points, in units, that the table has to include.
        """
        rules = self.rules
        cap = max(self._missing_units(start), min_points)
        units = np.arange(cap + 1)
        payoff_of_small_bank = 0.0 if rules.can_end_with_nothing else -np.inf
        worth = np.minimum(rules.bank_values(units), self.playable.goal - start.score)
        banks = np.where(units >= self.states.min_bank(start.score), worth, payoff_of_small_bank)
        bust = -float(rules.bust_costs[start.bust_count]) if rules.bust_costs else 0.0
        payoff = np.append([bust, 0.0, 0.0], banks)[None, :, None]  # bust, win, wipe
        return TurnLanes(rules.turn, payoff, np.array([cap], dtype=np.int32), cap + 1)

    def _rounding(self, lanes: TurnLanes) -> float:
        """Return the error bound of values from some lanes: rounding grows with the largest payoff."""
        largest = float(np.abs(lanes.payoff[np.isfinite(lanes.payoff)]).max())
        return largest * turn_rounding_bound(self.rules.turn, lanes.cap)
