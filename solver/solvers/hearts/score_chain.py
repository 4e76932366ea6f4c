"""The score of one player of Hearts Due as a Markov chain; wipes lead from every score back to 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...games.hearts_due import ROLLS, HeartsRules
from ...util.errors import InputError

Floats = NDArray[np.float64]

NEGLIGIBLE_PROBABILITY = 2.0**-60  # a chain is followed until it is unfinished with no more than this probability
MAX_EXPECTED_TURNS = 5000  # 2 E turns at least halve the probability to be unfinished, and 120 E leave 2**-60
UNIT_ROUNDOFF = 2.0**-53


class ScoreChain:
    """The Markov chain of one player's score below the target.

    A state is the index of a score; the last state is the target or beyond. The outcomes of a turn are the points that
    one roll can score, then the wipe. Every sum over outcomes is made in this order, so the values have the same bits
    on every machine.

    Attributes:
        scores: (states - 1,), the scores that can occur, in ascending order.
        to: (outcomes, states), the state after each outcome.
        chance: the probability of each outcome.
    """

    def __init__(self, rules: HeartsRules, target: int) -> None:
        scores = _possible_scores(rules, target)
        self.scores = np.array(scores)
        indices = {score: index for index, score in enumerate(scores)}
        size = len(scores)
        self.next_states = np.full((len(rules.ways) + 1, size + 1), size)
        for outcome, points in enumerate(rules.ways):
            self.next_states[outcome, :size] = [indices.get(score + points, size) for score in scores]
        self.next_states[-1, :size] = 0
        self.probabilities = [ways / ROLLS for ways in (*rules.ways.values(), rules.wiped)]

    @property
    def rounding(self) -> float:
        """A bound of the relative rounding error of one turn's sum of terms that are not negative."""
        return (len(self.probabilities) + 5) * UNIT_ROUNDOFF

    def states(self, scores: Sequence[int]) -> list[int]:
        """Return the states of scores; scores from the target on are the last state."""
        states: list[int] = np.searchsorted(self.scores, scores).tolist()
        return states

    def values_before_turn(self, values: Floats) -> Floats:
        """Return the expected value before a turn in every state, from the values after it."""
        total = np.zeros(len(values))
        for next_states, chance in zip(self.next_states, self.probabilities, strict=True):
            total += chance * values[next_states]
        return total

    def expected_turns(self) -> Floats:
        """Return the expected number of turns to reach the target, by state.

        Scores only rise or are wiped, so E(s) = a(s) + (1 - d(s)) E(0). Here a(s) is the expected number of turns until
        the target is reached or the score is wiped, and d(s) is the probability that the target comes first.
        Both follow from larger scores by back substitution, and E(0) = a(0) / d(0). There is no cancellation, because
        a and d are sums of positive numbers.
        """
        size = len(self.scores)
        turns, success = np.zeros(size + 1), np.zeros(size + 1)  # a and d
        success[size] = 1
        for state in range(size - 1, -1, -1):
            stays, turns_sum, success_sum = 0.0, 1.0, 0.0
            for next_state, chance in zip(self.next_states[:-1, state].tolist(), self.probabilities, strict=False):
                if next_state == state:
                    stays += chance
                else:
                    turns_sum += chance * float(turns[next_state])
                    success_sum += chance * float(success[next_state])
            turns[state], success[state] = turns_sum / (1 - stays), success_sum / (1 - stays)
        expected: Floats = (turns + (1 - success) * (turns[0] / success[0]))[:size]
        return expected

    def finish_probabilities(self, turns: int) -> Iterator[Floats]:
        """Yield the probabilities to reach the target within 0, 1, ... ``turns`` turns, by state."""
        probabilities = np.zeros(len(self.scores) + 1)
        probabilities[-1] = 1
        yield probabilities
        for _ in range(turns):
            probabilities = self.values_before_turn(probabilities)
            probabilities[-1] = 1
            yield probabilities

    @cached_property
    def unfinished_probabilities(self) -> Floats:
        """The probabilities (turns, states) not to have reached the target after 0, 1, ... turns.

        The last row is negligible.

        Raises:
            InputError: games take too many turns to be followed.
        """
        if self.expected_turns()[0] > MAX_EXPECTED_TURNS:
            raise InputError(
                f"the target is so far that a player needs {self.expected_turns()[0]:,.0f} turns on average:"
                f" games are followed up to {MAX_EXPECTED_TURNS:,}"
            )
        rows = [np.ones(len(self.scores) + 1)]
        rows[0][-1] = 0
        while rows[-1].max() > NEGLIGIBLE_PROBABILITY:
            row = self.values_before_turn(rows[-1])
            row[-1] = 0
            rows.append(row)
        return np.array(rows)


def _possible_scores(rules: HeartsRules, target: int) -> list[int]:
    """Return all scores below the target that sums of the points of rolls reach, in ascending order."""
    reached, pending = {0}, [0]
    while pending:
        score = pending.pop()
        for points in rules.ways:
            if points and score + points < target and score + points not in reached:
                reached.add(score + points)
                pending.append(score + points)
    return sorted(reached)
