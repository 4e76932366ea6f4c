"""Turns that share a key share a walk: whichever of them is walked first, the values of all are those of advice.

In some turns several choices lead to one position, as totals do that all lose. In other turns of the same key they do
not. So a walk must not be made of what happens to be equal in the turn that is walked.
"""

from __future__ import annotations

import random

import pytest
import subjects

from keepwise.answers.decisions import Decider
from keepwise.answers.positions import advise

GAMES = 4  # played at random, for turns that begin late in a game
TURNS = 3  # of a key, which are compared
DECISIONS = 6  # of a turn and a kind, which are compared


def turns_by_key(question, rng):
    """Starts of turns by what decides which walk they share, the latest of a game first."""
    playable, solution = question.playable, question.solution
    found = {}
    for _ in range(GAMES):
        for position in reversed(list(subjects.played(playable, rng))):
            if playable.is_turn_start(position):
                solved = solution.restricted_to(position)
                key = playable.turn_key(position), id(solved.value_table)
                found.setdefault(key, (solved, {}))[1][position] = None
    return [(solved, [*starts]) for solved, starts in found.values()]


@pytest.mark.checks(share=0.6)
@pytest.mark.cases(fast=60, slow=60)
@subjects.each(subjects.tiny())
def test_values_of_shared_walks_are_those_of_advice(question, tally):
    playable, rng = question.playable, random.Random(str(question))
    turns = turns_by_key(question, rng)
    for before in (False, True):
        for solved, starts in turns:
            decider = Decider(solved, before)
            for start in [*starts[:1], *starts[-TURNS:]]:
                decided = decider.decide(start)
                walk = decided.walk
                for number in rng.sample(range(len(walk.decisions)), min(DECISIONS, len(walk.decisions))):
                    first, last = walk.begin[number : number + 2].tolist()
                    advice = advise(solved, playable.move_to_turn(walk.decisions[number], start))
                    advised = {choice.meaning: choice.value for choice in advice.choices}
                    for choice, value in zip(walk.choices[first:last], decided.values[first:last], strict=True):
                        assert abs(advised[choice.meaning] - value) <= advice.error_bound + decided.error_bound
                    tally.add()
