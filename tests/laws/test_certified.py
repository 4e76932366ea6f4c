"""What solving states with a value is proved: no line of a certificate is further from a solved value than the stated
bound, and of three and more nobody gains more by leaving the play than the stated regret.
"""

from __future__ import annotations

import pytest
import subjects

from keepwise.certify import certify, played
from keepwise.ground.errors import InputError

MOST_NODES = 20_000  # choices and falls of games that are proved as they are played
SOUGHT = "more can happen|around in circles|in circles under|lines worth stating|hardly ever ends"


@pytest.mark.cases(fast=60, slow=200)
@subjects.each(subjects.questions())
def test_values_lie_as_close_to_the_true_ones_as_is_stated(question, monkeypatch):
    monkeypatch.setattr(played, "MOST_NODES", MOST_NODES)
    try:
        certificate = certify(question.solution, threads=1)
    except InputError as refused:
        pytest.skip(str(refused))
    stated = question.solution.error_bound
    if question.players > 2:
        assert certificate.width <= question.solution.regret
    assert certificate.off <= max(stated, question.solution.regret if question.players > 2 else 0)
