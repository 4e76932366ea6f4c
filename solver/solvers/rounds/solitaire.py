"""Games by the round for one player: points of a round, probability to reach a total, rounds to reach a total."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...play.rounds import Play, RoundsPosition
from ...play.showdown import ShowdownPosition
from ...turns.exact_turn import solve_turn_exactly
from ...util.errors import InputError
from ..distribution import Distribution
from ..problem import ArraySpec, PositionListing, Progress, ValuesAndBounds, ValueTable
from .problem import Floats, Ints, RoundProblem, round_rounding_bound, solve_lanes

SoloPosition = RoundsPosition | ShowdownPosition


class RoundPointsProblem(RoundProblem[SoloPosition]):
    """Largest expected points of one round, or of one turn in a game for a pot; also as an exact fraction."""

    has_distribution = True

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve the round: array ``points`` (1,)."""
        value = solve_lanes(self.rules, self._scores[None, :, None])
        return ValueTable({"points": value[0]}, round_rounding_bound(self.rules) * self.rules.most)

    @property
    def _scores(self) -> Floats:
        return np.arange(self.rules.most + 1, dtype=float)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the spec of ``points``, a single number."""
        return {"points": ArraySpec((1,), 0, self.rules.most)}

    def state_values(self, solved: ValueTable, positions: Sequence[SoloPosition]) -> ValuesAndBounds:
        """Return the expected points; all rounds begin in the same state."""
        return np.tile(solved.arrays["points"], (len(positions), 1)), solved.error_bound

    def score_payoffs(self, solved: ValueTable, starts: Sequence[SoloPosition]) -> Floats:
        """Return the scores themselves."""
        return np.tile(self._scores[None, :, None], (1, 1, len(starts)))

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[SoloPosition]:
        """List the beginning of the round."""
        return PositionListing(1, (self.playable.start(),))

    def extra_results(self, solved: ValueTable, position: SoloPosition) -> Mapping[str, Any]:
        """Return the expected points as a fraction at the beginning of the round."""
        if not self.playable.turn_begins(position):
            return {}
        return {"fraction": str(solve_turn_exactly(self.rules.turn, range(self.rules.most + 1))[0])}

    def distribution(
        self, solved: ValueTable, position: SoloPosition, progress: Progress = lambda fraction: None
    ) -> Distribution:
        """Return the exact distribution of a round's points under the policy with the largest mean."""
        if not self.playable.turn_begins(position):
            raise InputError("a distribution is asked for before the first throw; leave the roll out")
        return Distribution.from_probabilities(solve_turn_exactly(self.rules.turn, range(self.rules.most + 1))[1])


class SoloRoundsProblem(RoundProblem[RoundsPosition]):
    """Rounds of one player up to a total; the base of ``reach`` and ``turns``."""

    playable: Play

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[RoundsPosition]:
        """List every total below the target."""
        totals = self.playable.totals(self.playable.target - 1)
        positions = (RoundsPosition((total,), turns_left=self.playable.turns) for total in totals)
        return PositionListing(len(totals), positions)

    def points_needed(self, positions: Sequence[RoundsPosition]) -> Ints:
        """Return the points still needed after a round of 0, 1, ... points: (scores, positions)."""
        points_left = self.playable.target - np.array([position.score for position in positions])
        return np.maximum(points_left - np.arange(self.rules.most + 1)[:, None], 0)


class RoundsReachProblem(SoloRoundsProblem):
    """Largest probability to reach ``goal`` points within ``turns`` rounds."""

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve all states by retrograde analysis: array ``reach`` (rounds left, points needed)."""
        goal, turns, max_score = self.playable.target, self.playable.turns, self.rules.most
        reach = np.zeros((turns + 1, goal + 1))
        reach[:, 0] = 1
        for turns_left in range(1, turns + 1):
            points_left = np.arange(goal + 1)[None] - np.arange(max_score + 1)[:, None]
            payoffs = reach[turns_left - 1][np.maximum(points_left, 0)]
            reach[turns_left, 1:] = solve_lanes(self.rules, payoffs[None])[0, 1:]
        return ValueTable({"reach": reach}, turns * round_rounding_bound(self.rules))

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the spec of ``reach``, by rounds left and points needed."""
        return {"reach": ArraySpec((self.playable.turns + 1, self.playable.target + 1))}

    def state_values(self, solved: ValueTable, positions: Sequence[RoundsPosition]) -> ValuesAndBounds:
        """Return the probability to reach the goal with the rounds left, this one included."""
        turns_left = np.array([position.turns_left for position in positions])
        return solved.arrays["reach"][turns_left, self.points_needed(positions)[0], None], solved.error_bound

    def score_payoffs(self, solved: ValueTable, starts: Sequence[RoundsPosition]) -> Floats:
        """Return the probability to reach the goal after each score, with one round fewer."""
        turns_left = np.array([start.turns_left for start in starts])
        payoffs: Floats = solved.arrays["reach"][turns_left - 1, self.points_needed(starts)][None]
        return payoffs


class RoundsTurnsProblem(SoloRoundsProblem):
    """Smallest expected number of rounds to reach the target."""

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve all states in the order of the points needed: array ``turns`` (target + 1,).

        A round without points is a zero turn. Its probability p is the same for every policy, because a trio scores at
        least two. So E[n] = (1 + sum over other scores s of P(s) E[n - s]) / (1 - p).
        """
        is_zero = np.zeros((1, self.rules.most + 1, 1))
        is_zero[0, 0] = 1
        zero_probability = float(solve_lanes(self.rules, is_zero)[0, 0])
        turns = np.zeros(self.playable.target + 1)
        for points_left in range(1, self.playable.target + 1):
            payoffs = -turns[np.maximum(points_left - np.arange(self.rules.most + 1), 0)]
            payoffs[0] = 0
            turns[points_left] = (1 - float(solve_lanes(self.rules, payoffs[None, :, None])[0, 0])) / (
                1 - zero_probability
            )
        max_turns = float(turns.max())
        return ValueTable({"turns": turns}, (max_turns + 1) ** 2 * 2 * round_rounding_bound(self.rules))

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the spec of ``turns``, by points needed."""
        return {"turns": ArraySpec((self.playable.target + 1,), 0, np.inf)}

    def state_values(self, solved: ValueTable, positions: Sequence[RoundsPosition]) -> ValuesAndBounds:
        """Return the expected rounds, this one included."""
        return solved.arrays["turns"][self.points_needed(positions)[0], None], solved.error_bound

    def score_payoffs(self, solved: ValueTable, starts: Sequence[RoundsPosition]) -> Floats:
        """Return minus the expected rounds after each score, this one included."""
        payoffs: Floats = -1 - solved.arrays["turns"][self.points_needed(starts)][None]
        return payoffs

    def values_from_payoffs(self, payoffs: Floats) -> Floats:
        """Return numbers of rounds from their negatives, which are maximized."""
        return -payoffs
