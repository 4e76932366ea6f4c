"""Every choice has a kind, and its words are for people only: other words for it change nothing that programs do."""

from __future__ import annotations

import pickle
import random
from copy import copy
from dataclasses import replace
from itertools import islice

import pytest
import subjects
import toys
from random_games import played_at_random

from keepwise.answers.explanation import why
from keepwise.answers.positions import advise, choices_of
from keepwise.play import ChoiceKind, playable_game
from keepwise.play.choice_text import format_choice
from keepwise.play.game_file import parse
from keepwise.play.input_parser import format_turn, parse_choice, split_roll_and_choice, spoken_form

STEPS = 24
ENDS = (ChoiceKind.BANK, ChoiceKind.STOP, ChoiceKind.ENTER, ChoiceKind.SCORE, ChoiceKind.BUST, ChoiceKind.WIPE)


def decisions(playable, rng):
    """Some positions of a game played at random in which something is chosen."""
    met = islice(subjects.played(playable, rng), STEPS)
    return [position for position in met if playable.stage(position) == "choose"]


@pytest.fixture
def reworded(monkeypatch):
    """A function that makes a table anew, whose choices have other words."""

    def rewords(kind, data):
        return f"({format_choice(kind, data)[::-1]})"

    def make(playable):
        monkeypatch.setattr(playable_game, "format_choice", rewords)
        return pickle.loads(pickle.dumps(playable))

    return make


@pytest.mark.cases(fast=1000, slow=60)
@subjects.each(subjects.questions())
def test_every_choice_of_a_registered_game_has_a_kind_and_data(question, tally):
    playable, is_own_family = question.playable, question.problem_key[0] in toys.FAMILIES
    for position in decisions(playable, random.Random(str(question))):
        choices = playable.choices(position)
        assert len({choice.meaning for choice in choices}) == len(choices)
        tally.add(len(choices))
        if is_own_family:  # its choices may be of any kind
            continue
        for choice in choices:
            assert choice.kind is not ChoiceKind.OTHER
            assert choice.action == format_choice(choice.kind, choice.data)
            is_end = playable.is_turn_start(choice.after) or playable.stage(choice.after) == "over"
            assert is_end or choice.kind not in ENDS
        assert all(choice.kind is not ChoiceKind.OTHER for choice in choices_of(playable, position))


@pytest.mark.cases(fast=10, slow=60)
@subjects.each(subjects.tiny())
def test_other_words_change_no_game_and_no_line_of_its_file(question, reworded, tally):
    plain = played_at_random(question.playable, 3, STEPS)
    game = played_at_random(reworded(question.playable), 3, STEPS)
    assert game.to_text() == plain.to_text()
    assert parse(game.to_text().splitlines(), "game").position == plain.position
    told = [[(step.line_text, step.choice) for step in one.steps] for one in (plain, game)]
    assert format_turn(plain.playable, told[0]) == format_turn(game.playable, told[1])
    for step, other in zip(plain.steps, game.steps, strict=True):
        if step.choice is not None:
            assert (step.choice.kind, step.choice.data) == (other.choice.kind, other.choice.data)
            assert parse_choice(game.playable, step.position, spoken_form(other.choice)) == other.choice
            assert game.playable.explain_no_bank(step.position) == plain.playable.explain_no_bank(step.position)
            assert game.playable.note(step.position) == plain.playable.note(step.position)
            assert game.playable.classify_roll(step.position, 1) == plain.playable.classify_roll(step.position, 1)
            tally.add()


@pytest.mark.checks(share=0.6)
@pytest.mark.cases(fast=3, slow=12)
@subjects.each(subjects.tiny())
def test_other_words_change_no_value_and_no_reason(question, reworded, tally):
    positions = question.positions(2)
    problem, solution = question.problem, question.solution
    other = copy(problem)
    other.playable = reworded(problem.playable)
    for position in positions:
        solved = solution.restricted_to(position)
        reworded_solved = replace(solved, problem=other)
        advice, found = advise(solved, position), advise(reworded_solved, position)
        ranked = [[(one.meaning, one.value, one.loss, one.tie) for one in each.choices] for each in (advice, found)]
        assert ranked[0] == ranked[1]
        for choice in advice.choices[:2]:
            best, second = why(solved, position, choice), why(reworded_solved, position, choice)
            assert (best.best.value, best.best.ends) == (second.best.value, second.best.ends)
            assert (best.other and best.other.value) == (second.other and second.other.value)
        tally.add()


@pytest.mark.cases(fast=30, slow=60)
@subjects.each(subjects.questions())
def test_no_typed_line_is_a_roll_where_none_is_waited_for(question, tally):
    """Two words that are no choice and no result are refused there, whatever they are, and never read as a roll."""
    playable = question.playable
    for position in decisions(playable, random.Random(str(question))):
        for line in ("small loose", "large, tripped", "6 6 keep", "55523, bank 500"):
            assert split_roll_and_choice(playable, position, line) is None
            tally.add()
