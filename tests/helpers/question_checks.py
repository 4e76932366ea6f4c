"""Checks of one question that several laws make: of the games of the question, simulated or written down."""

from __future__ import annotations

import math
import random

import numpy as np
from random_games import played_at_random
from tallies import Reason, skip

from keepwise.answers.positions import gain_sign
from keepwise.play.game_file import parse
from keepwise.play.input_parser import format_roll, parse_choice, parse_roll
from keepwise.simulation import plan_simulation, summarize_games
from keepwise.simulation.games import LockstepGames
from keepwise.simulation.seats import MistakePlayer, OptimalPlayer
from keepwise.util.errors import InputError, TooMuchError

LINES = 60  # of a game
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


def check_mean_of_games(question, tally):
    """The mean of games that are played optimally is the solved value, and luck is nothing in the mean."""
    games, close = 200 * question.patience, question.solution.error_bound + 1e-12
    for seat in simulated(question, OptimalPlayer(), games):
        assert abs(seat.outcome.mean - seat.start) <= ERRORS * spread(seat, question, games) + close
        assert abs(seat.luck.mean) <= ERRORS * spread(seat, question, games) + close
        assert seat.errors.mean == seat.others.mean == 0
        tally.add()


def check_luck_of_mistaken_players(question, tally):
    """Luck is nothing in the mean if every player chooses anything."""
    games, close = 50 * question.patience, question.solution.error_bound + 1e-12
    for seat in simulated(question, MistakePlayer("anything", math.inf), games):
        assert abs(seat.luck.mean) <= ERRORS * max(seat.luck.se, spread(seat, question, games)) + close
        assert seat.errors.mean >= 0
        tally.add()


def check_game_is_read_back(question, tally):
    """A game that is written down is read back as the same game."""
    game = played_at_random(question.playable, 5, LINES * question.patience)
    again = parse(game.to_text().splitlines(), "game.kw")
    assert again.playable.problem_key == game.playable.problem_key
    assert (again.seats, again.seed, again.dice, again.start) == (game.seats, 5, "program", game.start)
    assert [step.after for step in again.steps] == [step.after for step in game.steps]
    assert again.to_text() == game.to_text()
    tally.add(len(game.steps))


def check_rolls_and_choices_are_parsed(question, tally):
    """Rolls and choices are parsed from the words in which they are formatted."""
    playable, rng = question.playable, random.Random(str(question))
    for here in question.positions(6):
        if playable.stage(here) == "throw":
            falls = [after for _, after in playable.rolls(here)]
            for after in rng.sample(falls, min(2, len(falls))):
                assert parse_roll(playable, here, format_roll(playable, here, after)) == after
                tally.add()
        else:
            choices = playable.choices(here)
            for number, choice in enumerate(choices[:40], 1):
                assert parse_choice(playable, here, str(number)) == choice
                assert parse_choice(playable, here, choice.action) == choice
                tally.add()
