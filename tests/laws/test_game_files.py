"""A game that is written down is read back as the same game; its throws and choices as they are told at the table."""

from __future__ import annotations

import random

import pytest
import question_checks
import subjects
from random_games import played_at_random

from keepwise.play.input_parser import format_roll
from keepwise.util.errors import InputError


@pytest.mark.cases(fast=90, slow=60)
@subjects.each(subjects.tiny())
def test_a_game_written_is_read_back(question, tally):
    question_checks.check_game_is_read_back(question, tally)


@pytest.mark.cases(fast=90, slow=60)
@subjects.each(subjects.tiny())
def test_fix_replays_all_lines_that_still_fit(question, tally):
    """What came after is told again, said to be lost, or waits for the end of the turn; lost is what the game does not
    offer. Told as it was, all is as before.
    """
    playable, rng = question.playable, random.Random(str(question))
    for seed in range(4):
        game = played_at_random(playable, seed, question_checks.LINES)
        text, number = game.to_text(), rng.choice([number for number, one in enumerate(game.steps, 1) if one.line_text])
        assert game.fix(number, game.steps[number - 1].line_text)[1:] == ([], "", [])
        assert game.to_text() == text
        step, *after = (one for one in game.steps[number - 1 :] if one.line_text)
        ways = [one.action for one in playable.choices(step.position)] if step.choice else []
        falls = [] if step.choice else [fall for _, fall in playable.rolls(step.position)]
        again = game.fix(
            number, rng.choice(ways or [format_roll(playable, step.position, fall) for fall in falls[:100]])
        )
        waits = [id(one) for _, one in again.later]
        gone = [*map(id, again.lost), *waits]
        told = [one for one in after if id(one) not in gone]
        fresh = game.written_steps[len(game.written_steps) - len(told) :]
        assert [(one.kind, one.seat) for one in fresh] == [(one.kind, one.seat) for one in told]
        assert len(again.lines) == 2 + len(told)
        assert len(gone) + len(told) == len(after)
        tally.add()
        stage = {"throw": "throw", "choice": "choose"}[again.lost[0].kind] if again.lost else ""
        stuck = stage == playable.stage(game.position) and not playable.is_turn_start(game.position)
        if stuck and after[len(told)] is again.lost[0]:
            with pytest.raises(InputError):
                game.play_line(again.lost[0].line_text)
        if waits:
            rest = again
            while rest.later == again.later and not game.is_over:
                choices = playable.choices(game.position) if playable.stage(game.position) == "choose" else ()
                game.choose(rng.choice(choices)) if choices else game.roll()
                rest = game.replay(again.later)
            assert len(rest.lines) + len(rest.lost) + len(rest.later) == len(waits)


@subjects.each(subjects.tiny())
def test_printed_rolls_and_choices_parse_back(question, tally):
    question_checks.check_rolls_and_choices_are_parsed(question, tally)
