"""Hearts Due: nobody decides anything, but scores can be wiped, so every score leads to every other.

No roll changes the score of another player, so the scores are independent Markov chains. The winner is the player whose
chain reaches the target first. One chain is followed turn by turn until it is finished with all but negligible
probability. The probabilities to win of any number of players are sums over the turn in which a player finishes. So the
linear system over all combinations of scores is never formed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from ...games.hearts_due import ROLL_COUNT, HeartsRules
from ...play import MAX_PLAYERS
from ...play.hearts import HeartsGame, HeartsPosition
from ...play.playable_game import PlayableGame
from ...util.errors import InputError, argument
from ...util.progress_reporting import ProgressCallback
from ..distribution import Distribution
from ..problem import ArraySpec, PositionListing, Problem, ValuesAndBounds, ValueTable, rotate_to_seats
from .score_chain import NEGLIGIBLE_PROBABILITY, Floats, ScoreChain

POINTS_ERROR_BOUND = 1e-14  # more than the rounding of a fraction below 64 to a float


class HeartsProblem(Problem[HeartsPosition]):
    """Base of the problems of Hearts Due. Positions inside a turn are terminal, so only states have values.

    Attributes:
        rules: the points that a roll can score, each with the number of such rolls, and that of wipes.
        chain: the Markov chain of one player's score.
        playable, players, objective: the game as people play it, the number of players, and what is optimized.
    """

    playable: HeartsGame

    def __init__(self, playable: PlayableGame[HeartsPosition]) -> None:
        """Build the chain of one player's score from the rules and the target of a game as it is played."""
        super().__init__(playable)
        self.rules: HeartsRules = playable.game.data
        self.chain = ScoreChain(self.rules, self.playable.target)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the specs of two arrays (scores,): ``scores``, and the values, under the name of the objective.

        ``scores`` has fixed contents: the scores below the target that can occur.
        """
        scores = self.chain.scores
        if self.objective == "turns":
            values_spec = ArraySpec(scores.shape, lower=1.0, upper=np.inf)
        else:
            values_spec = ArraySpec(scores.shape, lower=0.0, upper=1.0)
        return {"scores": ArraySpec.fixed(scores), self.objective: values_spec}

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[HeartsPosition]:
        """List the states: all combinations of the players' scores, from the mover on, with all turns left.

        Args:
            fields: not used; all states are listed.
        """
        possible_scores = self.chain.scores.tolist()
        positions = (
            HeartsPosition(scores, turns_left=self.playable.turns)
            for scores in product(possible_scores, repeat=self.players)
        )
        return PositionListing(len(possible_scores) ** self.players, positions)


class HeartsPointsProblem(HeartsProblem):
    """Expected points of one roll; a wipe counts as 0 points."""

    has_distribution = True
    value_span = " a turn"

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Compute the expected points: array ``points`` (1,)."""
        return ValueTable({"points": np.array([float(self._point_distribution().mean)])}, POINTS_ERROR_BOUND)

    def _point_distribution(self) -> Distribution:
        """Return the exact distribution of the points of one roll; a wipe counts as 0 points."""
        probabilities = {
            points: Fraction(roll_count, ROLL_COUNT) for points, roll_count in self.rules.weight_by_points.items()
        }
        probabilities[0] = probabilities.get(0, Fraction(0)) + Fraction(self.rules.wipe_weight, ROLL_COUNT)
        return Distribution.from_probabilities(probabilities)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the spec of ``points``, a single number."""
        return {"points": ArraySpec((1,), 0, max(self.rules.weight_by_points))}

    def state_values(self, value_table: ValueTable, positions: Sequence[HeartsPosition]) -> ValuesAndBounds:
        """Return the expected points, (positions, 1), and one error bound for all; there is only one state."""
        return np.tile(value_table.arrays["points"], (len(positions), 1)), value_table.error_bound

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[HeartsPosition]:
        """List the only state, the position before the roll.

        Args:
            fields: not used.
        """
        return PositionListing(1, (self.playable.start(),))

    def extra_results(self, value_table: ValueTable, position: HeartsPosition) -> Mapping[str, Any]:
        """Return, before the roll, the expected points as a fraction and the probability of a wipe."""
        if not self.playable.is_turn_start(position):
            return {}
        return {"fraction": str(self._point_distribution().mean), "wiped": self.rules.wipe_weight / ROLL_COUNT}

    def distribution(
        self, value_table: ValueTable, position: HeartsPosition, progress: ProgressCallback = lambda fraction: None
    ) -> Distribution:
        """Return the exact distribution of the points of one roll.

        Args:
            value_table: the value table, which is not needed.
            position: the position before the roll.
            progress: not called.

        Raises:
            InputError: the dice have been rolled.
        """
        if not self.playable.is_turn_start(position):
            raise InputError(f"a distribution requires a position before the roll; leave out {argument('roll')}")
        return self._point_distribution()


class HeartsTurnsProblem(HeartsProblem):
    """Expected number of turns to reach the target."""

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Compute the expected turns from every score: arrays ``scores`` and ``turns``.

        ``ScoreChain.expected_turns`` computes E(s) = a(s) + (1 - d(s)) E(0) from three quantities: a(s), d(s) and E(0).
        Each is found by sums over the larger scores. So its relative error is at most that of one sum for each score,
        and one more.
        """
        turns = self.chain.expected_turns()
        relative_bound = 3 * (len(turns) + 1) * self.chain.rounding
        return ValueTable({"scores": self.chain.scores, "turns": turns}, relative_bound * float(turns.max()))

    def state_values(self, value_table: ValueTable, positions: Sequence[HeartsPosition]) -> ValuesAndBounds:
        """Return the expected turns to the target, the next one included: (positions, 1), and one error bound."""
        states = self.chain.states([position.score for position in positions])
        return value_table.arrays["turns"][states][:, None], value_table.error_bound


class HeartsReachProblem(HeartsProblem):
    """Probability to reach ``goal`` points within ``turns`` turns.

    Attributes:
        playable: the game as people play it; its ``turns`` are those at the start.
        chain: the Markov chain of the player's score.
    """

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Compute the probability to reach the goal from every score with all turns left: ``scores`` and ``reach``."""
        *_, with_all_turns = self.chain.finish_probabilities(self.playable.turns)
        reach = with_all_turns[:-1]  # without the last state, in which the goal is reached
        bound = self.playable.turns * self.chain.rounding  # every turn adds one rounded sum
        return ValueTable({"scores": self.chain.scores, "reach": reach}, bound)

    def state_values(self, value_table: ValueTable, positions: Sequence[HeartsPosition]) -> ValuesAndBounds:
        """Return the probabilities to reach the goal; those with fewer turns left than at the start are computed now.

        Args:
            value_table: the value table, which has the probabilities with all turns left.
            positions: positions between turns.

        Returns:
            The values (positions, 1), and one error bound for all.
        """
        probabilities_by_turns_left = {self.playable.turns: value_table.arrays["reach"]}  # each by state
        missing_turns = {position.turns_left for position in positions} - {self.playable.turns}
        if missing_turns:
            rows = list(self.chain.finish_probabilities(max(missing_turns)))  # row n: with n turns left
            probabilities_by_turns_left |= {turns_left: rows[turns_left] for turns_left in missing_turns}
        values = []
        for position in positions:
            states = self.chain.states(position.scores)  # of the only player
            values.append(probabilities_by_turns_left[position.turns_left][states])
        return np.array(values), value_table.error_bound


class HeartsWinProblem(HeartsProblem):
    """Probability of every player to reach the target first.

    No values are stored: they are computed for each position in milliseconds.

    Attributes:
        players: the number of players.
    """

    player_range = (2, MAX_PLAYERS)
    is_quick = True

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Return a table without arrays, which only states an error bound.

        A probability to win is a sum over the turns that are followed, of products of one factor for each player. Its
        error is at most the rounding of these turns and factors, plus the probability that a player is unfinished after
        the last turn. The sum of that over all players is stated.
        """
        turns = len(self.chain.unfinished_probabilities)
        rounding_bound = (turns + self.players) * self.chain.rounding
        return ValueTable({}, self.players * (rounding_bound + NEGLIGIBLE_PROBABILITY))

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return no specs, because nothing is stored."""
        return {}

    def state_values(self, value_table: ValueTable, positions: Sequence[HeartsPosition]) -> ValuesAndBounds:
        """Return the probabilities to win of all seats.

        Args:
            value_table: the value table, which has no arrays.
            positions: positions between turns.

        Returns:
            The values (positions, seats), and one error bound for all.
        """
        values = [rotate_to_seats(position.seat, self._win_probabilities(position)) for position in positions]
        return np.array(values), value_table.error_bound

    def _win_probabilities(self, position: HeartsPosition) -> list[float]:
        """Return the probabilities to win of all players, from the mover on.

        A player wins in turn n by finishing in it, under two conditions. No earlier player in the order of play has
        finished by turn n, and no later player by turn n - 1. The players finish independently of each other.

        Args:
            position: a position between turns.
        """
        unfinished = self._unfinished(position)  # (turns, players), by the turns of each player so far, from 0 on
        # By turn n from 1 on: the probabilities to be unfinished before and after it, and to finish in it.
        before_turn = unfinished[:-1]
        after_turn = unfinished[1:]
        finishes_in_turn = before_turn - after_turn
        win_probabilities = []
        for player in range(self.players):
            no_earlier_player = after_turn[:, :player].prod(axis=1)
            no_later_player = before_turn[:, player + 1 :].prod(axis=1)
            wins_in_turn = finishes_in_turn[:, player] * no_earlier_player * no_later_player
            win_probabilities.append(float(wins_in_turn.sum()))
        return win_probabilities

    def _unfinished(self, position: HeartsPosition) -> Floats:
        """Return the probabilities to be unfinished after 0, 1, ... turns: (turns, players from the mover on).

        The last row is the first in which they are negligible for all players.
        """
        states = self.chain.states((position.score, *position.opponents))
        unfinished = self.chain.unfinished_probabilities[:, states]
        is_negligible = unfinished.max(axis=1) <= NEGLIGIBLE_PROBABILITY
        first_negligible = int(np.argmax(is_negligible))
        return unfinished[: first_negligible + 1]
