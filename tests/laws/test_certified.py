"""What solving states with a value is proved: no line of a certificate is further from a solved value than the stated
bound, and of three and more nobody gains more by leaving the play than the stated regret.
"""

from __future__ import annotations

import pytest
import subjects
from tallies import Reason, skip

from keepwise.certify import certify, turn_walk
from keepwise.util.errors import InputError

MOST_NODES = 10_000  # choices and falls of games that are proved as they are played


@pytest.mark.checks(share=0.4)
@pytest.mark.cases(fast=60, slow=60)
@subjects.each(subjects.questions())
def test_values_are_as_close_to_the_true_ones_as_is_stated(question, monkeypatch, tally):
    monkeypatch.setattr(turn_walk, "MAX_NODES", MOST_NODES)
    solution = question.solution
    try:
        if question.problem.estimate_cost(1).seconds > subjects.MOST_WAIT:
            skip(Reason.LONG)
        certificate = certify(solution, threads=1)
    except InputError as refused:
        skip(Reason.UNPROVED, refused)
    stated = solution.error_bound
    if question.players > 2:
        stated = max(stated, question.problem.extra_results(solution.value_table, question.playable.start())["regret"])
        assert certificate.max_gap <= stated
    assert certificate.max_error <= stated
    tally.add()
