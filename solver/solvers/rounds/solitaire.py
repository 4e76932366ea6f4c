"""Games by the round for one player: points of a round, probability to reach a total, rounds to reach a total."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...play.rounds import RoundsGame, RoundsPosition
from ...play.three_dice import ThreeDicePosition
from ...turns.exact_turn import solve_turn_exactly
from ...util.errors import InputError, argument
from ...util.progress_reporting import ProgressCallback
from ..distribution import Distribution
from ..problem import ArraySpec, PositionListing, ValuesAndBounds, ValueTable
from .problem import Floats, Ints, RoundProblem, round_rounding_bound, solve_lanes, zero_score_probability

SoloPosition = RoundsPosition | ThreeDicePosition


class RoundPointsProblem(RoundProblem[SoloPosition]):
    """Largest expected points of one round, or of one turn in a game for a pot; also as an exact fraction."""

    has_distribution = True
    value_span = " a turn"

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Solve the round: array ``points`` (1,)."""
        payoffs = self._scores[None, :, None]  # (channels, scores, lanes)
        points = solve_lanes(self.rules, payoffs)[0]
        return ValueTable({"points": points}, round_rounding_bound(self.rules) * self.rules.max_score)

    @property
    def _scores(self) -> Floats:
        """All scores of a turn from 0 on: (scores,). A score pays itself."""
        return np.arange(self.rules.max_score + 1, dtype=float)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the spec of ``points``, a single number."""
        return {"points": ArraySpec((1,), 0, self.rules.max_score)}

    def state_values(self, value_table: ValueTable, positions: Sequence[SoloPosition]) -> ValuesAndBounds:
        """Return the expected points, (positions, 1), and one error bound; all rounds begin in the same state."""
        return np.tile(value_table.arrays["points"], (len(positions), 1)), value_table.error_bound

    def score_payoffs(self, value_table: ValueTable, starts: Sequence[SoloPosition]) -> Floats:
        """Return the scores themselves, which are what they pay: (1, scores, starts)."""
        return np.tile(self._scores[None, :, None], (1, 1, len(starts)))

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[SoloPosition]:
        """List the only state, the beginning of the round.

        Args:
            fields: not used.
        """
        return PositionListing(1, (self.playable.start(),))

    def extra_results(self, value_table: ValueTable, position: SoloPosition) -> Mapping[str, Any]:
        """Return the exact expected points as a fraction at the beginning of the round; nothing inside it."""
        if not self.playable.is_turn_start(position):
            return {}
        mean, _ = solve_turn_exactly(self.rules.turn, range(self.rules.max_score + 1))
        return {"fraction": str(mean)}

    def distribution(
        self, value_table: ValueTable, position: SoloPosition, progress: ProgressCallback = lambda fraction: None
    ) -> Distribution:
        """Return the exact distribution of a round's points under the policy with the largest mean.

        Args:
            value_table: the value table; the round is solved in fractions instead.
            position: the beginning of the round.
            progress: not called.

        Raises:
            InputError: the position lies inside the round.
        """
        if not self.playable.is_turn_start(position):
            raise InputError(f"a distribution requires a position before the first roll; leave out {argument('roll')}")
        _, probabilities = solve_turn_exactly(self.rules.turn, range(self.rules.max_score + 1))
        return Distribution.from_probabilities(probabilities)


class SoloRoundsProblem(RoundProblem[RoundsPosition]):
    """Rounds of one player up to a total; the base of ``reach`` and ``turns``.

    Attributes:
        playable, rules: the game as people play it, and its compiled turn.
    """

    playable: RoundsGame

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[RoundsPosition]:
        """List the states with all turns left: every total below the target that can occur.

        Args:
            fields: not used; all these states are listed.
        """
        totals = self.playable.possible_totals(self.playable.target - 1)
        positions = (RoundsPosition((total,), turns_left=self.playable.turns) for total in totals)
        return PositionListing(len(totals), positions)

    def points_needed(self, positions: Sequence[RoundsPosition]) -> Ints:
        """Return the points still needed before a round: (positions,).

        Args:
            positions: positions before the round, in which the target is not reached.
        """
        scores = np.array([position.score for position in positions])
        needed: Ints = self.playable.target - scores
        return needed

    def points_needed_after(self, positions: Sequence[RoundsPosition]) -> Ints:
        """Return the points still needed after a round with each score: (scores, positions); 0 at the target.

        Args:
            positions: positions before the round.
        """
        scores = np.arange(self.rules.max_score + 1)
        needed: Ints = np.maximum(self.points_needed(positions) - scores[:, None], 0)
        return needed


class RoundsReachProblem(SoloRoundsProblem):
    """Largest probability to reach ``goal`` points within ``turns`` rounds.

    Attributes:
        playable, rules: the game as people play it, and its compiled turn.
    """

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Solve all states by retrograde analysis: array ``reach`` (rounds left, points needed).

        Both axes count from 0. Each solve of turns has one lane for each number of points needed.
        """
        goal = self.playable.target
        turns = self.playable.turns
        needed_before = np.arange(goal + 1)
        scores = np.arange(self.rules.max_score + 1)
        needed_after = np.maximum(needed_before[None] - scores[:, None], 0)  # (scores, points needed before)
        reach = np.zeros((turns + 1, goal + 1))
        reach[:, 0] = 1  # no points are needed: the goal is reached
        for turns_left in range(1, turns + 1):
            payoffs = reach[turns_left - 1][needed_after]
            probabilities = solve_lanes(self.rules, payoffs[None])[0]  # by the points needed before
            reach[turns_left, 1:] = probabilities[1:]
        return ValueTable({"reach": reach}, turns * round_rounding_bound(self.rules))

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the spec of ``reach``: (turns + 1, target + 1), by rounds left and points needed."""
        return {"reach": ArraySpec((self.playable.turns + 1, self.playable.target + 1))}

    def state_values(self, value_table: ValueTable, positions: Sequence[RoundsPosition]) -> ValuesAndBounds:
        """Return the probability to reach the goal with the rounds left, the next one included.

        Returns:
            (positions, 1) the probabilities, and one error bound for all.
        """
        turns_left = np.array([position.turns_left for position in positions])
        reach = value_table.arrays["reach"]
        return reach[turns_left, self.points_needed(positions), None], value_table.error_bound

    def score_payoffs(self, value_table: ValueTable, starts: Sequence[RoundsPosition]) -> Floats:
        """Return the probability to reach the goal after each score, with one round fewer: (1, scores, starts)."""
        turns_left = np.array([start.turns_left for start in starts])
        payoffs: Floats = value_table.arrays["reach"][turns_left - 1, self.points_needed_after(starts)][None]
        return payoffs


class RoundsTurnsProblem(SoloRoundsProblem):
    """Smallest expected number of rounds to reach the target.

    Attributes:
        playable, rules: the game as people play it, and its compiled turn.
    """

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Solve all states in the order of the points needed: array ``turns`` (target + 1,).

        A round without points is a zero turn. Its probability p is the same for every policy
        (``zero_score_probability``). The expected number of rounds with n points needed is 1 for this round, p E[n]
        after a zero turn, and S = sum over the other scores s of P(s) E[n - s]. So E[n] = (1 + S) / (1 - p), and as p
        is fixed, the policy that minimizes S also minimizes E[n].

        Let M be the largest E. Each round rounds numbers of up to M + 1, and there are up to M of them on average. So
        the error is at most (M + 1)^2 times the relative error of a round. It is doubled, since p is rounded too.
        """
        zero_probability = zero_score_probability(self.rules)
        scores = np.arange(self.rules.max_score + 1)
        turns = np.zeros(self.playable.target + 1)
        for points_needed in range(1, self.playable.target + 1):
            needed_after = np.maximum(points_needed - scores, 0)
            payoffs = -turns[needed_after]  # by score; negative, because payoffs are maximized
            payoffs[0] = 0  # zero turns are not part of S
            one_channel_one_lane = payoffs[None, :, None]  # (1, scores, 1)
            turns_after_scores = -float(solve_lanes(self.rules, one_channel_one_lane)[0, 0])  # S
            turns[points_needed] = (1 + turns_after_scores) / (1 - zero_probability)
        max_turns = float(turns.max())
        error_bound = (max_turns + 1) ** 2 * 2 * round_rounding_bound(self.rules)
        return ValueTable({"turns": turns}, error_bound)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the spec of ``turns``, (target + 1,), by points needed."""
        return {"turns": ArraySpec((self.playable.target + 1,), 0, np.inf)}

    def state_values(self, value_table: ValueTable, positions: Sequence[RoundsPosition]) -> ValuesAndBounds:
        """Return the expected rounds to the target, the next one included: (positions, 1), and one error bound."""
        return value_table.arrays["turns"][self.points_needed(positions), None], value_table.error_bound

    def score_payoffs(self, value_table: ValueTable, starts: Sequence[RoundsPosition]) -> Floats:
        """Return minus the expected rounds to the target after each score of a round: (1, scores, starts).

        The round with the score is counted too. Payoffs are maximized, so numbers of rounds are negative.
        """
        payoffs: Floats = -1 - value_table.arrays["turns"][self.points_needed_after(starts)][None]
        return payoffs

    def values_from_payoffs(self, payoffs: Floats) -> Floats:
        """Return numbers of rounds from their negatives, which are maximized."""
        return -payoffs
