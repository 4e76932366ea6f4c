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

from ...games.hearts_due import ROLLS, HeartsRules
from ...play import MOST_PLAYERS
from ...play.hearts import HeartsPosition, Play
from ...play.playable_game import Table
from ...util.errors import InputError
from ..distribution import Distribution
from ..problem import ArraySpec, PositionListing, Problem, Progress, ValuesAndBounds, ValueTable, rotate_to_seats
from .score_chain import NEGLIGIBLE_PROBABILITY, Floats, ScoreChain

POINTS_ERROR_BOUND = 1e-14


class HeartsProblem(Problem[HeartsPosition]):
    """Base of the problems of Hearts Due. Positions inside a turn are terminal, so only states have values.

    Attributes:
        chain: the Markov chain of one player's score.
    """

    playable: Play

    def __init__(self, table: Table[HeartsPosition]) -> None:
        super().__init__(table)
        self.rules: HeartsRules = table.game.data
        self.chain = ScoreChain(self.rules, self.playable.target)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the specs of ``scores`` and, by score, of the array that has the name of the objective."""
        scores = self.chain.scores
        lower, upper = (1.0, np.inf) if self.objective == "turns" else (0.0, 1.0)
        return {"scores": ArraySpec.fixed(scores), self.objective: ArraySpec(scores.shape, lower, upper)}

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[HeartsPosition]:
        """List all combinations of scores."""
        scores = self.chain.scores.tolist()
        combinations = product(scores, repeat=self.players)
        positions = (HeartsPosition(line, turns_left=self.playable.turns) for line in combinations)
        return PositionListing(len(scores) ** self.players, positions)


class HeartsPointsProblem(HeartsProblem):
    """Expected points of one roll; a wipe counts as 0 points."""

    has_distribution = True

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Compute the expected points: array ``points`` (1,)."""
        return ValueTable({"points": np.array([float(self._point_distribution().mean)])}, POINTS_ERROR_BOUND)

    def _point_distribution(self) -> Distribution:
        chances = {points: Fraction(ways, ROLLS) for points, ways in self.rules.ways.items()}
        chances[0] = chances.get(0, Fraction(0)) + Fraction(self.rules.wiped, ROLLS)
        return Distribution.from_probabilities(chances)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the spec of ``points``, a single number."""
        return {"points": ArraySpec((1,), 0, max(self.rules.ways))}

    def state_values(self, solved: ValueTable, positions: Sequence[HeartsPosition]) -> ValuesAndBounds:
        """Return the expected points; there is only one state."""
        return np.tile(solved.arrays["points"], (len(positions), 1)), solved.error_bound

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[HeartsPosition]:
        """List the only state."""
        return PositionListing(1, (self.playable.start(),))

    def extra_results(self, solved: ValueTable, position: HeartsPosition) -> Mapping[str, Any]:
        """Return, before the roll, the expected points as a fraction and the probability of a wipe."""
        if not self.playable.turn_begins(position):
            return {}
        return {"fraction": str(self._point_distribution().mean), "wiped": self.rules.wiped / ROLLS}

    def distribution(
        self, solved: ValueTable, position: HeartsPosition, progress: Progress = lambda fraction: None
    ) -> Distribution:
        """Return the exact distribution of the points of one roll."""
        if not self.playable.turn_begins(position):
            raise InputError("a distribution is asked for before the throw; leave the roll out")
        return self._point_distribution()


class HeartsTurnsProblem(HeartsProblem):
    """Expected number of turns to reach the target."""

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Compute the expected turns from every score: arrays ``scores`` and ``turns``.

        ``ScoreChain.expected_turns`` combines a(s), d(s) and E(0) = a(0) / d(0). Each score adds the relative rounding
        error of one sum to each of these three.
        """
        turns = self.chain.expected_turns()
        bound = 3 * (len(turns) + 1) * self.chain.rounding * float(turns.max())
        return ValueTable({"scores": self.chain.scores, "turns": turns}, bound)

    def state_values(self, solved: ValueTable, positions: Sequence[HeartsPosition]) -> ValuesAndBounds:
        """Return the expected turns, this one included."""
        states = self.chain.states([position.score for position in positions])
        return solved.arrays["turns"][states][:, None], solved.error_bound


class HeartsReachProblem(HeartsProblem):
    """Probability to reach ``goal`` points within ``turns`` turns."""

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Compute the probability from every score with all turns left: arrays ``scores`` and ``reach``."""
        *_, reach = self.chain.finish_probabilities(self.playable.turns)
        bound = self.playable.turns * self.chain.rounding
        return ValueTable({"scores": self.chain.scores, "reach": reach[:-1]}, bound)

    def state_values(self, solved: ValueTable, positions: Sequence[HeartsPosition]) -> ValuesAndBounds:
        """Return the probabilities; those with fewer turns left than at the start are computed now."""
        by_turns_left = {self.playable.turns: solved.arrays["reach"]}
        if missing := {position.turns_left for position in positions} - set(by_turns_left):
            rows = enumerate(self.chain.finish_probabilities(max(missing)))
            by_turns_left |= {turns_left: row for turns_left, row in rows if turns_left in missing}
        values = [by_turns_left[position.turns_left][self.chain.states(position.scores)] for position in positions]
        return np.array(values), solved.error_bound


class HeartsWinProblem(HeartsProblem):
    """Probability of every player to reach the target first.

    No values are stored: they are computed for each position in milliseconds.
    """

    player_range = (2, MOST_PLAYERS)
    is_quick = True

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Return a table without arrays. Its error bound is the rounding of all turns plus the neglected rest."""
        turns = len(self.chain.unfinished_probabilities)
        rounding = (turns + self.players) * self.chain.rounding
        return ValueTable({}, self.players * (rounding + NEGLIGIBLE_PROBABILITY))

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return no specs, because nothing is stored."""
        return {}

    def state_values(self, solved: ValueTable, positions: Sequence[HeartsPosition]) -> ValuesAndBounds:
        """Return the probabilities to win of all seats.

        A player wins in turn n by finishing in it, under two conditions. No earlier player in the order of play has
        finished by turn n, and no later player by turn n - 1.
        """
        values = []
        for position in positions:
            unfinished = self._unfinished(position)
            finishes_now = unfinished[:-1] - unfinished[1:]
            chances = []
            for place in range(self.players):  # in the order of play, from the mover on
                earlier = unfinished[1:, :place].prod(axis=1)
                later = unfinished[:-1, place + 1 :].prod(axis=1)
                chances.append(float((finishes_now[:, place] * earlier * later).sum()))
            values.append(rotate_to_seats(position.seat, chances))
        return np.array(values), solved.error_bound

    def _unfinished(self, position: HeartsPosition) -> Floats:
        """Return the probabilities to be unfinished after 0, 1, ... turns: (turns, players from the mover on)."""
        states = self.chain.states((position.score, *position.opponents))
        unfinished = self.chain.unfinished_probabilities[:, states]
        return unfinished[: int(np.argmax(unfinished.max(axis=1) <= NEGLIGIBLE_PROBABILITY)) + 1]
