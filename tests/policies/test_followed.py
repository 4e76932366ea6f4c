"""What policies of people are worth in matches, before the referee: it plays the game with their choices only.

The other player makes one of the choices that the solved table says are best. Where several are as good the referee
takes what is worst for the policy, and the value may be more.
"""

from __future__ import annotations

import copy
from contextlib import suppress
from fractions import Fraction

import pytest
from toys import PUSH, TWO, enough

import keepwise as kw
from keepwise.answers.positions import seat_values_of
from keepwise.games import own_game
from keepwise.play.referee import referee
from keepwise.policies.registry import parse_choice_function

LIMITS = ("hold:2", "hold:2=3,1=1")
TIE = 1e-9
WIPED = [{"throw": "33", "then": "wipe"}]
TOYS = {
    **PUSH,
    "costs three": {**TWO, "singles": {"1": 2, "2": 1}, "bust": {"costs": [0, 1, 2], "count": "anew", "floor": -1}},
    "wiped, weights": {
        **TWO,
        "weights": [2, 1, 1],
        "singles": {"1": 1},
        "special": [{"throw": "33", "then": "wipe"}],
    },
}


def questions(objective, reach=None):
    """The solved toys and limits in question, and what they are found to be worth.

    ``reach`` holds parameters of games that have a target; a game of one turn is given a goal.
    """
    for name, rules in TOYS.items():
        game = own_game({"name": "small", **rules})
        if objective not in game.objectives:
            continue
        parameters = {"goal": 3} if reach and game.data.is_one_turn else reach or {}
        solution = kw.solve(game, objective, fresh=True, **parameters)
        for policy in LIMITS:
            with suppress(kw.InputError, kw.SolveError):  # not told by limits, or nobody gets anywhere
                found = solution.evaluate(policy)
                yield name, solution, policy, found


def with_choices(playable, choices):
    """The game with some of its choices."""
    given = copy.copy(playable)
    object.__setattr__(given, "choices", choices)
    return given


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("objective", ["turns", "reach"])
def test_alone(objective):
    compared = 0
    for name, solution, policy, found in questions(objective, {"turns": 3} if objective == "reach" else None):
        playable = solution.problem.playable
        choose = parse_choice_function(playable, policy)
        exact = referee(with_choices(playable, lambda here, choose=choose: (choose(here),)), cut=enough(solution.game))
        value = exact.seat_payoffs(playable.start())[0]
        assert abs(Fraction(found.value) - (-value if objective == "turns" else value)) <= found.error_bound, name
        compared += 1
    assert compared > 15


def answered(solution, choose, seat):
    """The choices of the policy for one seat, and the best by the solved table for the other."""
    playable, problem, solved = solution.problem.playable, solution.problem, solution.value_table

    def choices(position):
        if playable.player_to_move(position) == seat:
            return (choose(position),)
        mine = playable.choices(position)
        worth = seat_values_of(problem, solved, [one.after for one in mine]).values[:, 1 - seat]
        return tuple(one for one, of in zip(mine, worth, strict=True) if of >= max(worth) - TIE)

    return choices


@pytest.mark.patient
def test_races():
    compared = 0
    for name, solution, policy, found in questions("win"):
        playable = solution.problem.playable
        choose, cut = parse_choice_function(playable, policy), enough(solution.game)
        for seat, value in enumerate((found.value, found.second[0])):
            exact = referee(with_choices(playable, answered(solution, choose, seat)), cut=cut)
            worst = exact.seat_payoffs(playable.start())[seat]
            assert Fraction(value) >= worst - Fraction(found.error_bound), (name, policy, seat)
            compared += abs(Fraction(value) - worst) <= found.error_bound
    assert compared > 25
