"""What policies of people are worth in matches, before the referee: it plays the game with their choices only.

The other player makes one of the choices that the solved table says are best. Where several are as good the referee
takes what is worst for the policy, and the value may be more.
"""

from __future__ import annotations

import copy
from fractions import Fraction

import pytest
from toys import PUSH, TWO

import keepwise as kw
from keepwise.answers.policies import named_policy
from keepwise.answers.positions import worth_of
from keepwise.errors import InputError
from keepwise.games import own_game
from keepwise.play.referee import referee

LIMITS = ("hold:2", "hold:2=3,1=1")
TIE = 1e-9
TOYS = {
    **PUSH,
    "costs three": {**TWO, "singles": {"1": 2, "2": 1}, "bust": {"costs": [0, 1, 2], "then": "anew", "floor": -1}},
    "wiped, weights": {
        **TWO,
        "weights": [2, 1, 1],
        "singles": {"1": 1},
        "special": [{"throw": "33", "effect": "wipe"}],
    },
}


def told(game, objective, **parameters):
    """The solution, where such policies are evaluated."""
    try:
        solution = kw.solve(game, objective, fresh=True, **parameters)
        solution.evaluate(LIMITS[0])
    except InputError:
        return None
    except kw.SolveError:
        pass
    return solution


def with_choices(table, choices):
    """The game with some of its choices."""
    given = copy.copy(table)
    object.__setattr__(given, "choices", choices)
    return given


def cut_of(game):
    """Points that are enough, where throws that must be made go on without end."""
    return 4 * game.data.target if game.data.finish == "at_least" else None


@pytest.mark.parametrize("objective", ["turns", "reach"])
def test_alone(objective):
    compared = 0
    for name, rules in TOYS.items():
        game = own_game({"name": "small", **rules})
        parameters = {"turns": 3} if objective == "reach" else {}
        if objective not in game.objectives or not (solution := told(game, objective, **parameters)):
            continue
        table = solution.match.table
        for policy in LIMITS:
            try:
                found = solution.evaluate(policy)
            except kw.SolveError as error:
                assert "gets anywhere" in str(error)
                continue
            choose = named_policy(table, policy)
            exact = referee(with_choices(table, lambda position, choose=choose: (choose(position),)), cut=cut_of(game))
            value = exact.seats(table.start())[0]
            assert abs(Fraction(found.value) - (-value if objective == "turns" else value)) <= found.error_bound, name
            compared += 1
    assert compared > 15


@pytest.mark.slow
def test_races():
    compared = 0
    for name, rules in TOYS.items():
        game = own_game({"name": "small", **rules})
        if "win" not in game.objectives or not (solution := told(game, "win")):
            continue
        table, match = solution.match.table, solution.match
        for policy in LIMITS:
            try:
                found = solution.evaluate(policy)
            except kw.SolveError as error:
                assert "gets anywhere" in str(error)
                continue
            choose = named_policy(table, policy)
            for seat, value in enumerate((found.value, found.second[0])):

                def choices(position, seat=seat, choose=choose):
                    if table.mover(position) == seat:
                        return (choose(position),)
                    mine = table.choices(position)
                    worth = worth_of(match, solution.solved, [one.after for one in mine]).by_seat[:, 1 - seat]
                    return tuple(one for one, of in zip(mine, worth, strict=True) if of >= max(worth) - TIE)

                worst = referee(with_choices(table, choices), cut=cut_of(game)).seats(table.start())[seat]
                assert Fraction(value) >= worst - Fraction(found.error_bound), (name, policy, seat)
                compared += abs(Fraction(value) - worst) <= found.error_bound
    assert compared > 25
