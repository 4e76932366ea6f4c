"""Games by the thousand come to the solved value, and throws are neither lucky nor unlucky in the mean.

Of every single game, whoever plays: outcome = start + luck - own errors + what the others' errors did, to the bound.
"""

from __future__ import annotations

import pytest
import question_checks
import subjects


@pytest.mark.checks(share=0.85)
@pytest.mark.cases(fast=22, slow=60)
@subjects.each(subjects.tiny())
def test_the_mean_is_the_solved_value(question, tally):
    question_checks.check_mean_of_games(question, tally)


@pytest.mark.checks(share=0.85)
@pytest.mark.cases(fast=22, slow=60)
@subjects.each(subjects.tiny())
def test_luck_averages_zero_for_all_players(question, tally):
    question_checks.check_luck_of_mistaken_players(question, tally)
