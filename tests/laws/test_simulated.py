"""Games by the thousand come to the solved value, and throws are neither lucky nor unlucky in the mean.

Of every single game, whoever plays: outcome = start + luck - own errors + what the others' errors did, to the bound.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
import subjects
from tallies import Reason, skip

from keepwise.answers.positions import gain_sign
from keepwise.simulation import plan_simulation, summarize_games
from keepwise.simulation.games import LockstepGames
from keepwise.simulation.seats import MistakePlayer, OptimalPlayer
from keepwise.util.errors import InputError, TooMuchError

ERRORS = 4  # standard errors that a mean may be off


def simulated(question, seat, games):
    """Every seat over so many games, once those add up; nothing where games of the question are not simulated."""
    try:
        plan_simulation(question.problem, [], games, 3)
    except InputError:
        return ()
    solution = question.solution
    try:
        played = LockstepGames(solution, [seat] * question.players, 3).play(games)
    except TooMuchError as error:  # where the whole table was judged to take long
        skip(Reason.LONG, error)
    worth = solution.position_value()
    start = np.array(worth.seats or (worth.value,))
    sign = gain_sign(question.problem)
    told = start + sign * (played.luck - played.errors + played.others)
    events = 1 + played.decisions.sum() + 30 * played.turns.sum(axis=1, keepdims=True)
    assert (abs(played.outcome - told) <= (2 * solution.error_bound + 1e-13 * np.abs(told).max()) * events).all()
    return summarize_games(solution.head, start.tolist(), [seat.name] * question.players, played).seats


def spread(seat, question, games):
    """The standard error of what a seat gets; what is hardly ever won may not be won at all."""
    if question.objective in ("win", "reach"):
        return max(seat.outcome.se, math.sqrt(seat.start * (1 - seat.start) / games))
    return seat.outcome.se


@pytest.mark.checks(share=0.85)
@pytest.mark.cases(fast=22, slow=60)
@subjects.each(subjects.tiny())
def test_the_mean_is_the_solved_value(question, tally):
    games, close = 200 * question.patience, question.solution.error_bound + 1e-12
    for seat in simulated(question, OptimalPlayer(), games):
        assert abs(seat.outcome.mean - seat.start) <= ERRORS * spread(seat, question, games) + close
        assert abs(seat.luck.mean) <= ERRORS * spread(seat, question, games) + close
        assert seat.errors.mean == seat.others.mean == 0
        tally.add()


@pytest.mark.checks(share=0.85)
@pytest.mark.cases(fast=22, slow=60)
@subjects.each(subjects.tiny())
def test_luck_is_nothing_in_the_mean_whoever_plays(question, tally):
    games, close = 50 * question.patience, question.solution.error_bound + 1e-12
    for seat in simulated(question, MistakePlayer("anything", math.inf), games):
        assert abs(seat.luck.mean) <= ERRORS * max(seat.luck.se, spread(seat, question, games)) + close
        assert seat.errors.mean >= 0
        tally.add()
