"""A value is the mean over throws and the best over choices; the seats' values add up; advice says what values say.

Each is held to the bounds that are stated for the positions, and the rounding of the sum that is made here.
"""

from __future__ import annotations

import math
from copy import copy

import numpy as np
import pytest
import subjects

from keepwise.answers.positions import gain_sign, seat_values_of
from keepwise.play.walk import counts_as_turn

ROUNDING = 4e-16  # of sums, relative


def reached(question, position, afters):
    """What is reached is worth to every seat, and the bounds, from the values that answer about the position."""
    problem, solved = question.problem, question.solution.value_table_for(position)
    worth = seat_values_of(problem, solved, afters)
    return worth.values + np.array([[counts_as_turn(problem.playable, after)] for after in afters]), worth.error_bounds


def close(mine, theirs, bound):
    assert abs(mine - theirs) <= bound + ROUNDING * max(1.0, abs(theirs)), (mine, theirs, bound)


@pytest.mark.checks(share=0.85)
@pytest.mark.cases(fast=126, slow=60)
@subjects.each(subjects.questions())
def test_roll_values_are_means_over_their_results(question, tally):
    playable = question.playable
    for position in question.positions(6):
        if playable.stage(position) != "throw":
            continue
        (value,), (bound,) = reached(question, position, [position])
        weights, afters = zip(*playable.rolls(position), strict=True)
        seats, bounds = reached(question, position, afters)
        here = (
            [playable.player_to_move(position)] if playable.players > 2 else range(playable.players)
        )  # ties move the rest
        for seat in here:
            told = (value[seat] - counts_as_turn(question.playable, position)) * 1.0
            mean = math.fsum(weight * float(one) for weight, one in zip(weights, seats[:, seat], strict=True))
            close(told, mean / sum(weights), bound + bounds.max())
            tally.add()


@pytest.mark.cases(fast=1000, slow=60)
@pytest.mark.checks(share=0.85)
@subjects.each(subjects.questions())
def test_a_choice_has_the_value_of_its_successor(question, tally):
    playable, sign = question.playable, gain_sign(question.problem)
    for position in question.positions(6):
        choices = playable.choices(position) if playable.stage(position) == "choose" else ()
        if not choices:
            continue
        advice, found = question.solution.advise(position), question.solution.position_value(position)
        seats, bounds = reached(question, position, [choice.after for choice in choices])
        worth = dict(
            zip(
                [choice.action for choice in choices], seats[:, playable.player_to_move(position)].tolist(), strict=True
            )
        )
        assert sorted(worth) == sorted(choice.action for choice in advice.choices)
        best = max(sign * choice.value for choice in advice.choices)
        close(sign * found.value, best, found.error_bound + advice.error_bound)
        for choice in advice.choices:
            close(choice.value, worth[choice.action], advice.error_bound + bounds.max())
            assert choice.loss == best - sign * choice.value >= 0
            assert choice.tie == (choice.loss <= 2 * advice.error_bound)
            assert choice.bust is None or 0 <= choice.bust <= 1
            tally.add()
        losses = [choice.certain_loss for choice in advice.choices]
        assert advice.best.tie
        assert losses == sorted(losses)


@pytest.mark.cases(fast=105, slow=60)
@subjects.each(subjects.questions())
def test_the_start_is_among_the_positions_that_are_listed(question, tally):
    asked_first = copy(question.problem)  # compiled anew: nothing was asked of it before
    assert question.playable.start() in asked_first.list_positions({}).positions
    tally.add()


@pytest.mark.cases(fast=1000, slow=60)
@pytest.mark.checks(share=0.4)
@subjects.each(subjects.questions())
def test_the_values_of_all_seats_add_up(question, tally):
    for position in question.positions(6):
        found = question.solution.position_value(position)
        if question.objective in ("win", "reach"):
            assert all(0 <= one <= 1 for one in (found.value, *found.seats))
            tally.add()
        if found.seats:
            assert found.seats[0] == found.value
            whole = {"win": 1.0, "margin": 0.0}.get(question.objective)
            if whole is not None:
                close(sum(found.seats), whole, question.players * found.error_bound)
                tally.add()
