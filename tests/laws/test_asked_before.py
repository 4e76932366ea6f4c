"""What is answered hangs on the position alone: whatever the same solution was asked before, and in which order, it
gives the bits that one gives which was asked nothing else.
"""

from __future__ import annotations

import random
from contextlib import suppress
from copy import copy
from dataclasses import replace
from itertools import pairwise

import pytest
import subjects

from keepwise.api import Solution
from keepwise.util.errors import InputError

ORDERS = 2
FEW, MORE = 2, 16  # positions; more where they are solved for when they are asked about


def unasked(question, problem) -> Solution:
    """The question without the values that were found for single positions."""
    solved = problem.empty_table() if problem.solves_on_demand else question.solution.value_table
    return replace(question.solution, problem=problem, value_table=solved, _recent_tables=[])


def answer(solution: Solution, position) -> object:
    """All that is told of a position; its bound aside where that is of what was solved, which may be of more."""
    try:
        found = solution.position_value(position)
        if solution.playable.stage(position) != "choose":
            return found.value, found.seats
        advice = solution.advise(position)
    except InputError as refused:
        if not solution.problem.solves_on_demand:
            raise
        return str(refused)
    return found.value, found.seats, [(one.action, one.value, one.loss, one.bust) for one in advice.choices]


def with_other_scores(question, positions) -> list:
    """The positions, each with the scores of the one before it, where they can stand there."""
    found = []
    for before, position in pairwise(positions):
        scores = {key: told for key, told in question.playable.to_dict(before).items() if key in ("score", "opponents")}
        with suppress(InputError):
            found.append(question.playable.position(**{**question.playable.to_dict(position), **scores}))
    return [one for one in found if question.playable.stage(one) != "over" and question.is_answered_soon(one)]


@pytest.mark.checks(share=0.85)
@pytest.mark.cases(fast=126, slow=60)
@subjects.each(subjects.questions())
def test_answers_do_not_depend_on_earlier_questions(question, tally):
    asked, on_demand = question.positions(FEW), question.problem.solves_on_demand
    if on_demand:
        asked = question.positions(MORE)
        asked = list(dict.fromkeys([*asked, *with_other_scores(question, asked)]))
    alone = {position: answer(unasked(question, copy(question.problem)), position) for position in asked}
    solution = unasked(question, question.problem)  # asked by other laws too
    for seed in range(ORDERS):
        for position in random.Random(seed).sample(asked, len(asked)):
            assert answer(solution, position) == alone[position], (seed, question.playable.id(position))
            tally.add(not isinstance(alone[position], str))
    for first in asked if on_demand else ():  # all that was solved for it may be what is needed
        kept = [replace(solution, _recent_tables=[]).value_table_for(first)]
        for position in asked:
            if solution.problem.covers(kept[0], position):
                then = answer(replace(solution, _recent_tables=kept), position)
                assert then == alone[position], [question.playable.id(one) for one in (first, position)]
