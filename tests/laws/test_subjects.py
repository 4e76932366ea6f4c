"""What laws are checked for is everything that is registered."""

from __future__ import annotations

import pytest
import subjects
import toys

from keepwise.games.families import CAPPED_POINTS, FAMILIES
from keepwise.solvers import Problem
from keepwise.util.errors import InputError


def test_every_family_and_every_match_has_a_question(tally):
    asked = {one.problem_key for one in subjects.questions()}
    with toys.registered():
        known = {(name, objective) for name, one in FAMILIES.items() for objective in one.problem_classes}
        assert not known - asked
        tally.add(len(known))
        assert {one.subject.game.family for one in subjects.questions()} == set(FAMILIES)


@pytest.mark.cases(fast=211, slow=60)
@subjects.each(subjects.questions())
def test_law_questions_have_small_games(question, tally):
    assert isinstance(question.problem, Problem)
    assert question.playable.stage(question.playable.start()) != "over"
    assert len(question.positions(4)) > 0
    tally.add()


def test_every_command_is_known(tally):
    assert ("advise",) in subjects.commands()
    tally.add()


def test_toys_are_known_only_while_a_law_runs(tally):
    assert not set(toys.FAMILIES) - set(FAMILIES)
    tally.add()


@pytest.mark.checks(share=0.6)
@pytest.mark.parametrize("game", subjects.games(), ids=str)
def test_an_objective_of_other_games_is_refused_with_the_reason(game, tally):
    """Families are of a kind where they are played by the same file; what a game is asked is refused to nobody."""
    one = game.game
    kind = [family for family in FAMILIES.values() if family.play == one.parts.play]
    refused = {objective for family in kind for objective in family.problem_classes} - {*one.objectives, CAPPED_POINTS}
    assert not {*getattr(one.data, "unsupported_objectives", {})} & {*one.objectives}
    for objective in refused:
        with pytest.raises(InputError, match=f"the objective {objective} is not available for .*: .*; use "):
            one.check_objective(objective)
        tally.add()
