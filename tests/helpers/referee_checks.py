"""Compare solved games with the referee, an exact solver that shares nothing with the solvers but the rule data."""

from __future__ import annotations

import random
from fractions import Fraction

import keepwise as kw
from keepwise.answers.positions import gain_sign, seat_values_of
from keepwise.play import playable as make_playable
from keepwise.play.referee import referee

ROLLS = 400  # rolled positions of a case that are asked about


COUNTS = []  # of each case that was compared: game, objective, players, positions; printed with --counts


def check(game, objective, *, cut=None, players=None, rolls=ROLLS, **parameters):
    """Compare the values of all seats, and choices, at every position; return how many positions were compared."""
    playable = make_playable(game, players, objective=objective, **parameters)
    exact = referee(playable, cut=cut)
    solution = kw.solve(game, objective, players, fresh=True, **parameters)
    asked = [position for position in exact.positions if playable.stage(position) != "over"]
    rolled = [after for one in asked if playable.stage(one) == "throw" for _, after in playable.rolls(one)]
    asked += [after for after in rolled[:: max(1, len(rolled) // rolls)] if playable.stage(after) == "choose"]
    worth = seat_values_of(solution.problem, solution.value_table, asked)
    sign = gain_sign(solution.problem)
    for position, seats, bound in zip(asked, worth.values.tolist(), worth.error_bounds.tolist(), strict=True):
        for found, truth in zip(seats, exact.seat_payoffs(position), strict=True):
            assert abs(Fraction(found) - sign * truth) <= bound, (
                playable.id(position),
                seats,
                exact.seat_payoffs(position),
            )
        if playable.stage(position) == "choose":
            check_advice(solution, exact, position, sign)
    COUNTS.append((game.id, objective, playable.players, len(asked)))
    return len(asked)


def check_advice(solution, exact, position, sign):
    """What each choice is worth, and that nothing beats the one that is advised."""
    playable, advice = exact.playable, solution.advise(position)
    mover, bound = playable.player_to_move(position), Fraction(advice.error_bound)
    truth = {choice.action: sign * exact.choice_value(choice)[mover] for choice in exact.choices(position)}
    for choice in advice.choices:  # the referee leaves out what wins no more than what it weighs
        assert choice.action not in truth or abs(Fraction(choice.value) - truth[choice.action]) <= bound, (
            playable.id(position),
            choice,
        )
    best = advice.best.action
    assert best not in truth or max(sign * one for one in truth.values()) - sign * truth[best] <= 2 * bound, (
        playable.id(position)
    )


def check_each(game, objective, step, **parameters):
    """Compare positions one by one, each solved for when it is asked about, in any order; return how many."""
    playable = make_playable(game, objective=objective, **parameters)
    exact, solution = referee(playable), kw.solve(game, objective, **parameters)
    asked = [position for position in exact.positions if playable.stage(position) != "over"]
    rolled = [after for one in asked if playable.stage(one) == "throw" for _, after in playable.rolls(one)]
    asked = asked[::step] + rolled[:: 3 * step]
    for position in random.Random(1).sample(asked, len(asked)):
        found, seats = solution.position_value(position), exact.seat_payoffs(position)
        told = [seats[seat] for seat in playable.seats_from(playable.player_to_move(position))]
        for value, truth in zip(found.seats or (found.value,), told, strict=True):
            assert abs(Fraction(value) - truth) <= found.error_bound, playable.id(position)
        if playable.stage(position) == "choose":
            check_advice(solution, exact, position, 1)
    return len(asked)
