"""Every solver against the referee, a plain exact solver over the game as it is played: values and advised choices.

Nothing is shared with the solvers but the rule data. A case is a game at a reduced size under some options; at every
position that play can reach the value must lie within the stated bound of the referee's fraction, and every choice that
is advised must be one that nothing beats (within what the bound leaves open).
"""

from __future__ import annotations

from fractions import Fraction

import pytest

import keepwise as kw
from keepwise.answers.positions import gain_sign, seat_values_of
from keepwise.play import playable
from keepwise.play.referee import referee

ROLLS = 400  # rolled positions of a case that are asked about
COUNTS = []  # of each case that was compared: game, objective, players, positions; printed with --counts


def check(game, objective, *, cut=None, players=None, rolls=ROLLS, **parameters):
    """Compare the values of all seats, and choices, at every position; return how many positions were compared."""
    table = playable(game, players, objective=objective, **parameters)
    exact = referee(table, cut=cut)
    solution = kw.solve(game, objective, players, fresh=True, **parameters)
    asked = [position for position in exact.positions if table.stage(position) != "over"]
    rolled = [after for one in asked if table.stage(one) == "throw" for _, after in table.rolls(one)]
    asked += [after for after in rolled[:: max(1, len(rolled) // rolls)] if table.stage(after) == "choose"]
    worth = seat_values_of(solution.problem, solution.value_table, asked)
    sign = gain_sign(solution.problem)
    for position, seats, bound in zip(asked, worth.values.tolist(), worth.error_bounds.tolist(), strict=True):
        for found, truth in zip(seats, exact.seat_payoffs(position), strict=True):
            assert abs(Fraction(found) - sign * truth) <= bound, (
                table.id(position),
                seats,
                exact.seat_payoffs(position),
            )
        if table.stage(position) == "choose":
            check_advice(solution, exact, position, sign)
    COUNTS.append((game.id, objective, table.players, len(asked)))
    return len(asked)


def check_advice(solution, exact, position, sign):
    """What each choice is worth, and that nothing beats the one that is advised."""
    table, advice = exact.table, solution.advise(position)
    mover, bound = table.player_to_move(position), Fraction(advice.error_bound)
    truth = {choice.action: sign * exact.choice_value(choice)[mover] for choice in exact.choices(position)}
    for choice in advice.choices:  # the referee leaves out what wins no more than what it weighs
        assert choice.action not in truth or abs(Fraction(choice.value) - truth[choice.action]) <= bound, (
            table.id(position),
            choice,
        )
    best = advice.best.action
    assert best not in truth or max(sign * one for one in truth.values()) - sign * truth[best] <= 2 * bound, table.id(
        position
    )


PUSH = [
    ("pig", {"target": 12}, "win", {}),
    ("pig", {"target": 15}, "turns", {}),
    ("pig", {"target": 12}, "reach", {"goal": 12, "turns": 3}),
    ("pig", {"faces": 2, "points": "one", "target": 4}, "win", {}),
    ("pig", {"faces": 9, "target": 14}, "win", {}),
    ("pig", {}, "points", {"cut": 60}),
    ("5000", {"target": 400, "opening": 200, "minimum": 100}, "win", {}),
    ("5000", {"target": 400, "opening": 200, "minimum": 100, "minimum_on_win": False}, "win", {}),
    ("5000", {"target": 350, "opening": 200, "minimum": 100, "finish": "exact"}, "win", {}),
    ("5000", {"target": 500, "set_aside": "all"}, "turns", {}),
    ("5000", {"target": 500, "kinds": "doubling", "straight": 400}, "reach", {"goal": 450, "turns": 2}),
    ("beartrap", {"target": 400, "opening": 200}, "win", {}),
    ("beartrap", {"target": 250, "opening": 100, "finish": "at_least", "five_ones": "points"}, "win", {}),
    ("farkle", {"target": 300}, "turns", {}),
]


@pytest.mark.cases(fast=1, slow=7)
@pytest.mark.parametrize(("game", "rules", "objective", "more"), PUSH)
def test_push_your_luck(game, rules, objective, more):
    assert check(kw.game(game, **rules), objective, **more) > 0
