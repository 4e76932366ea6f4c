"""What a level is found to bring is what playing by it brings, and no other of its form is told to bring less."""

from __future__ import annotations

import pytest
import subjects
from tallies import Reason, skip

from keepwise.policies.levels import LEVELS, at_level
from keepwise.util.errors import InputError

BOTH = "the win, both seats taken together"


@pytest.mark.checks(share=0.5)
@pytest.mark.cases(slow=40)
@subjects.each(
    [one for one in subjects.tiny() if one.players < 3 and one.objective in ("points", "win") and not one.capped]
)
def test_level_policies_reach_their_stated_values(question, told, tally):
    solution = question.solution
    bound = 1e-9  # levels are found by plain sums; the prices that are told carry bounds of their own
    at_level.cache_clear()
    for number in range(1, len(LEVELS) + 1):
        try:
            level = at_level(question.game, number, question.objective)
            found = solution.evaluate(f"sheet:{number}")
        except InputError as refused:
            skip(Reason.NO_SHEET, refused)
        assert found.loss >= -bound
        tally.add()
        assert level.upper_bound is None or level.upper_bound >= level.value - bound
        if level.objective_words == BOTH:
            assert level.value == pytest.approx((found.value + found.second[0]) / 2, abs=bound)
    assert all(0 <= share <= 1 for shares in told.values() for share in shares)
