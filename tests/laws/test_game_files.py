"""A game that is written down is read back as the same game; its throws and choices as they are told at the table."""

from __future__ import annotations

import random

import pytest
import subjects
from random_games import played_at_random

from keepwise.play.gamefile import parse
from keepwise.play.spoken import read_choice, read_fall, spell_fall

LINES = 60  # of a game


@pytest.mark.cases(fast=90)
@subjects.each(subjects.tiny())
def test_a_game_written_is_read_back(question):
    game = played_at_random(question.table, 5, LINES * question.patience)
    again = parse(game.text().splitlines(), "game.kw")
    assert again.table.question == game.table.question
    assert (again.seats, again.seed, again.dice, again.start) == (game.seats, 5, "program", game.start)
    assert [step.after for step in again.steps] == [step.after for step in game.steps]
    assert again.text() == game.text()


@subjects.each(subjects.tiny())
def test_throws_and_choices_are_read_as_they_are_told(question):
    table, rng = question.table, random.Random(str(question))
    for here in question.positions(6):
        if table.stage(here) == "throw":
            falls = [after for _, after in table.throws(here)]
            for after in rng.sample(falls, min(2, len(falls))):
                assert read_fall(table, here, spell_fall(table, here, after)) == after
        else:
            choices = table.choices(here)
            for number, choice in enumerate(choices[:40], 1):
                assert read_choice(table, here, str(number)) == choice
                assert read_choice(table, here, choice.action) == choice
