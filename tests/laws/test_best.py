"""Whoever is told or makes the best choice is told or makes the same one; of three and more players it is the choice
that values and ``regret`` are of, the largest number as computed, and not the first within the bound.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import subjects

from keepwise.answers.positions import BestPlay, advise, gain_sign
from keepwise.answers.trace import trace
from keepwise.solvers import ValueTable

WIDE = 2.0**-7  # as if no more were known: then choices tie that differ


@pytest.mark.checks(share=0.85)
@pytest.mark.cases(fast=45, slow=60)
@subjects.each(subjects.tiny())
def test_the_best_choice_is_the_same_for_all(question, tally):
    problem, playable, sign = question.problem, question.playable, gain_sign(question.problem)
    for position in question.positions(6):
        choices = playable.choices(position) if playable.stage(position) == "choose" else ()
        if not choices:
            continue
        found = question.solution.restricted_to(position)
        table = found.value_table
        wide_table = ValueTable(table.arrays, max(table.error_bound, WIDE))
        wide = () if problem.solves_on_demand else (replace(found, value_table=wide_table),)
        for solved in (found, *wide):
            advice = advise(solved, position)
            (event,) = trace(solved, position, choices[-1:]).events
            best = {advice.best.action, BestPlay(solved)(position).action, event.best.action}
            assert len(best) == 1
            tally.add()
            worth = {choice.action: sign * choice.value for choice in advice.choices}
            within = 0.0 if playable.players > 2 else 2 * advice.error_bound
            most = max(worth.values())
            assert best == {next(one.action for one in choices if most - worth[one.action] <= within)}
            equal = {one for one in worth if most - worth[one] <= 2 * advice.error_bound}
            assert {choice.action for choice in advice.choices if choice.tie} == equal
