"""Every stage may follow every other: a throw may end a turn or the game or lead to a throw, a choice to a choice.

Checked where that happens most, on graphs drawn by seeds, against the referee: values, advice, luck and errors of
games, simulations and quizzes.
"""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

import pytest
import question_checks
import subjects

from keepwise.answers.positions import gain_sign
from keepwise.quiz.questions import make_quiz
from keepwise.util.errors import InputError

SEEDS = range(1, 13)
DRAWN = [
    subjects.Question(subjects.Subject("game", "graph", (("seed", seed),)), objective, players)
    for seed in SEEDS
    for objective, players in (("win", 2), ("points", 1), ("turns", 1))
]


def test_every_stage_follows_every_other(tally):
    met = set()
    for question in DRAWN:
        playable = question.playable
        for position in question.referee.positions:
            stage = playable.stage(position)
            if stage == "over":
                continue
            falls = [after for _, after in playable.rolls(position)] if stage == "throw" else []
            for after in falls or [choice.after for choice in playable.choices(position)]:
                met.add((stage, playable.is_turn_start(after), playable.stage(after)))
    assert len(met) == 2 * (2 * 2 + 1)
    tally.add(len(met))


@subjects.each(DRAWN)
def test_values_and_advice(question, tally):
    playable, exact, sign = question.playable, question.referee, gain_sign(question.problem)
    for position in exact.positions:
        if playable.stage(position) == "over":
            continue
        value, mover = question.solution.value(position), playable.player_to_move(position)
        assert abs(value - exact.value(position)) < 1e-12
        tally.add()
        if playable.stage(position) == "choose":
            truth = {choice.action: sign * exact.choice_value(choice)[mover] for choice in exact.choices(position)}
            for choice in question.solution.advise(position).choices:  # beside a certain win nothing is looked at
                assert abs(Fraction(choice.value) - truth.get(choice.action, Fraction(choice.value))) < 1e-12


@subjects.each(DRAWN)
def test_games(question, tally):
    question_checks.check_mean_of_games(question, tally)
    question_checks.check_luck_of_mistaken_players(question, tally)
    playable, rng = question.playable, random.Random(str(question))
    path = [*subjects.played(playable, rng)]
    trace = question.solution.trace(path[0], path[1:])
    for event, (here, then) in zip(trace.events, pairwise(path), strict=True):
        assert (event.position, event.after) == (here, then)
        assert playable.stage(here) == "choose" or event.error == 0
    for number, seat in enumerate(trace.seats):
        others = sum(one.change_by_seat[number] for one in trace.events if one.kind == "choice" and one.seat != number)
        assert seat.outcome == pytest.approx(seat.start + seat.luck - seat.own_errors + others, abs=1e-12)


@subjects.each(DRAWN)
def test_game_files(question, tally):
    question_checks.check_game_is_read_back(question, tally)
    question_checks.check_rolls_and_choices_are_parsed(question, tally)


@pytest.mark.checks(share=0.8)
@subjects.each(DRAWN)
def test_quizzes(question, tally):
    playable, rng = question.playable, random.Random(str(question))
    try:
        found = make_quiz(
            question.solution, lambda position: rng.choice(playable.choices(position)), count=3, games=200
        )
    except InputError:  # every choice is as good as the best
        return
    for asked in found:
        assert asked.loss > 0
        tally.add()
        assert asked.policy_action in [choice.action for choice in playable.choices(playable.from_id(asked.id))]
