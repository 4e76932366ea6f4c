"""The score of one player of Hearts Due as a Markov chain; wipes lead from every score back to 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...games.hearts_due import ROLL_COUNT, HeartsRules
from ...util.errors import InputError

Floats = NDArray[np.float64]

NEGLIGIBLE_PROBABILITY = 2.0**-60  # a chain is followed until it is unfinished with no more than this probability
MAX_EXPECTED_TURNS = 5000  # 2 E turns at least halve the probability to be unfinished, and 120 E leave 2**-60
UNIT_ROUNDOFF = 2.0**-53
EXTRA_ROUNDINGS = 5  # counted for a sum over outcomes beside one for each outcome


class ScoreChain:
    """The Markov chain of one player's score below the target.

    A state is the index of a score in ``scores``. One more state, the last, is the target or beyond: there the player
    has *finished*. The outcomes of a turn are the points that one roll can score, then the wipe. Every sum over
    outcomes is made in this order, so the values have the same bits on every machine.

    Attributes:
        scores: (states - 1,), the scores below the target that can occur, in ascending order.
        next_states: (outcomes, states), the state after each outcome of a turn.
        probabilities: (outcomes,), the probability of each outcome.
        rounding: a bound of the relative rounding error of one sum over outcomes of terms that are not negative.
    """

    def __init__(self, rules: HeartsRules, target: int) -> None:
        """Find the scores that can occur, and where the outcomes of a turn lead from each.

        Args:
            rules: ``rules.weight_by_points`` has, by the points that a roll can score, the number of rolls that score
                them; ``rules.wipe_weight`` is the number of rolls that lose the whole score.
            target: the score to reach.
        """
        scores = _possible_scores(rules, target)
        self.scores = np.array(scores)
        state_of_score = {score: state for state, score in enumerate(scores)}
        finished = len(scores)  # the last state, which is never left
        wipe = len(rules.weight_by_points)  # the last outcome
        self.next_states = np.full((wipe + 1, finished + 1), finished)
        for outcome, points in enumerate(rules.weight_by_points):
            self.next_states[outcome, :finished] = [state_of_score.get(score + points, finished) for score in scores]
        self.next_states[wipe, :finished] = 0  # the state of score 0
        weights = [*rules.weight_by_points.values(), rules.wipe_weight]
        self.probabilities = [weight / ROLL_COUNT for weight in weights]

    @property
    def rounding(self) -> float:
        """A bound of the relative rounding error of one sum over outcomes of terms that are not negative."""
        return (len(self.probabilities) + EXTRA_ROUNDINGS) * UNIT_ROUNDOFF

    def states(self, scores: Sequence[int]) -> list[int]:
        """Return the states of scores that can occur; scores from the target on are the last state."""
        states: list[int] = np.searchsorted(self.scores, scores).tolist()
        return states

    def values_before_turn(self, values: Floats) -> Floats:
        """Return the expected value before a turn in every state: (states,).

        Args:
            values: (states,), the value of every state after the turn.
        """
        expected = np.zeros(len(values))
        for next_states, probability in zip(self.next_states, self.probabilities, strict=True):
            expected += probability * values[next_states]
        return expected

    def expected_turns(self) -> Floats:
        """Return the expected number of turns to reach the target, from every score below it: (states - 1,).

        Scores only rise or are wiped, so E(s) = a(s) + (1 - d(s)) E(0). Here a(s) is the expected number of turns until
        the target is reached or the score is wiped, and d(s) is the probability that the target comes first. With s = 0
        that is E(0) = a(0) / d(0).
        """
        turns_to_end, success = self._until_target_or_wipe()  # a and d
        turns_from_zero = turns_to_end[0] / success[0]  # E(0)
        expected: Floats = turns_to_end + (1 - success) * turns_from_zero
        return expected[:-1]  # without the last state, in which the player has finished

    def _until_target_or_wipe(self) -> tuple[Floats, Floats]:
        """Follow the chain from every state until the target is reached or the score is wiped.

        A turn from score s scores 0 points with the probability q, and stays in s. Outcome r leads to the score s_r
        with the probability p_r. So a(s) = (1 + sum_r p_r a(s_r)) / (1 - q) and d(s) = (sum_r p_r d(s_r)) / (1 - q),
        by back substitution from the largest score down. There is no cancellation, because all terms are positive.

        Returns:
            The expected number of turns a(s), and the probability d(s) that the target comes first: (states,) each.
        """
        finished = len(self.scores)
        turns_to_end = np.zeros(finished + 1)  # a
        success = np.zeros(finished + 1)  # d
        success[finished] = 1
        without_wipe = self.next_states[:-1]  # (outcomes - 1, states)
        for state in reversed(range(finished)):
            stay_probability = 0.0
            turns_sum = 1.0
            success_sum = 0.0
            next_states = without_wipe[:, state].tolist()
            for next_state, probability in zip(next_states, self.probabilities[:-1], strict=True):
                if next_state == state:
                    stay_probability += probability
                else:
                    turns_sum += probability * float(turns_to_end[next_state])
                    success_sum += probability * float(success[next_state])
            turns_to_end[state] = turns_sum / (1 - stay_probability)
            success[state] = success_sum / (1 - stay_probability)
        return turns_to_end, success

    def finish_probabilities(self, turns: int) -> Iterator[Floats]:
        """Yield the probabilities to reach the target within 0 turns, 1 turn, ..., ``turns`` turns: (states,) each."""
        finished = len(self.scores)
        probabilities = np.zeros(finished + 1)
        probabilities[finished] = 1
        yield probabilities
        for _ in range(turns):
            probabilities = self.values_before_turn(probabilities)
            probabilities[finished] = 1  # exactly; the sum over outcomes is rounded
            yield probabilities

    @cached_property
    def unfinished_probabilities(self) -> Floats:
        """The probabilities (turns, states) not to have reached the target after 0, 1, ... turns.

        All entries of the last row are at most ``NEGLIGIBLE_PROBABILITY``.

        Raises:
            InputError: games take too many turns to be followed.
        """
        turns_from_zero = self.expected_turns()[0]
        if turns_from_zero > MAX_EXPECTED_TURNS:
            raise InputError(
                f"the target takes {turns_from_zero:,.0f} turns on average, more than the limit of"
                f" {MAX_EXPECTED_TURNS:,}: use a smaller target"
            )
        finished = len(self.scores)  # the last state
        unfinished = np.ones(finished + 1)
        unfinished[finished] = 0
        rows = [unfinished]  # by the number of turns
        while unfinished.max() > NEGLIGIBLE_PROBABILITY:
            unfinished = self.values_before_turn(unfinished)  # 0 again in the last state, which is never left
            rows.append(unfinished)
        return np.array(rows)


def _possible_scores(rules: HeartsRules, target: int) -> list[int]:
    """Return all scores below the target that sums of the points of rolls reach, in ascending order.

    Args:
        rules: the keys of ``rules.weight_by_points`` are the points that one roll can score.
        target: the score to reach.
    """
    scores = {0}
    unexamined = [0]
    while unexamined:
        score = unexamined.pop()
        for points in rules.weight_by_points:
            next_score = score + points
            if next_score < target and next_score not in scores:
                scores.add(next_score)
                unexamined.append(next_score)
    return sorted(scores)
