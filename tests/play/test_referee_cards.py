"""Cards against the referee (see test_referee.py): every state of small cards, and the dice kept before each throw."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from test_cards import ONE_BOX, TWO_BOXES, tiny
from test_referee import check, check_advice

import keepwise as kw
from keepwise.games import own_game
from keepwise.play import playable
from keepwise.play.referee import referee

UPPER = tiny(
    1,
    [{"name": "ones", "face": 1}, {"name": "twos", "face": 2}, {"name": "choice", "chance": True}],
    dice=2,
    faces=2,
    throws=2,
    upper={"categories": ["ones", "twos"], "at": 4, "bonus": 3},
)


def alike(joker, bonus):
    """Two dice of three faces, a category of all alike, and what later throws of all alike may do."""
    categories = [
        {"name": "ones", "face": 1},
        {"name": "twos", "face": 2},
        {"name": "pair", "groups": [2], "points": 9},
        {"name": "run", "straight": 2, "points": 5},
    ]
    more = {"category": "pair", "joker": joker} | ({"bonus": bonus} if bonus else {})
    return tiny(1, categories, dice=2, faces=3, throws=2, again=more)


SHORT = tiny(
    2, [{"name": name, "face": face} for face, name in enumerate(("ones", "twos", "threes", "fours"), 1)],
    dice=2, faces=4, throws=2,
)  # fmt: skip
ONE_THROW = tiny(1, ONE_BOX.rules["category"], dice=3, faces=3, throws=1)
THREE_THROWS = tiny(1, ONE_BOX.rules["category"][:2], dice=3, faces=3, throws=3)

CASES = [
    (ONE_BOX, "points", {}),
    (TWO_BOXES, "points", {}),
    (UPPER, "points", {}),
    (ONE_THROW, "points", {}),
    (THREE_THROWS, "points", {}),
    *[(alike(joker, bonus), "points", {}) for joker in ("free", "forced", "none") for bonus in (0, 4)],
    pytest.param(SHORT, "win", {}, marks=pytest.mark.slow),
    (THREE_THROWS, "win", {}),
]
ON_DEMAND = [
    (ONE_BOX, 9),
    (TWO_BOXES, 9),
    (UPPER, 5),
    (UPPER, 8),
    (ONE_THROW, 4),
    (alike("free", 4), 14),
    (alike("forced", 0), 11),
]


@pytest.mark.cases(fast=2, slow=6)
@pytest.mark.parametrize(("game", "objective", "more"), CASES)
def test_small_cards(game, objective, more):
    assert check(game, objective, **more) > 30


def check_each(game, objective, step, **parameters):
    """Compare positions one by one, each solved for when it is asked about, in any order; return how many."""
    table = playable(game, objective=objective, **parameters)
    exact, solution = referee(table), kw.solve(game, objective, **parameters)
    asked = [position for position in exact.positions if table.stage(position) != "over"]
    rolled = [after for one in asked if table.stage(one) == "throw" for _, after in table.rolls(one)]
    asked = asked[::step] + rolled[:: 3 * step]
    for position in random.Random(1).sample(asked, len(asked)):
        found, seats = solution.position_value(position), exact.seat_payoffs(position)
        told = [seats[seat] for seat in table.seats_from(table.player_to_move(position))]
        for value, truth in zip(found.seats or (found.value,), told, strict=True):
            assert abs(Fraction(value) - truth) <= found.error_bound, table.id(position)
        if table.stage(position) == "choose":
            check_advice(solution, exact, position, 1)
    return len(asked)


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(("game", "goal"), ON_DEMAND)
def test_totals_to_reach(game, goal):
    assert check_each(game, "reach", 3, goal=goal) > 20


def test_two_players_without_a_table_whatever_was_asked_before():
    two = tiny(1, [{"name": "choice", "chance": True}, {"name": "threes", "face": 3}], dice=1, faces=3, throws=1)
    assert check_each(two, "win", 1) > 40


@pytest.mark.slow
def test_two_players_without_a_table():
    assert check_each(SHORT, "win", 60) > 20


@pytest.mark.cases(slow=4)
@pytest.mark.parametrize(("game", "goal"), [(one, goal) for one, _ in ON_DEMAND for goal in (1, 3, 7, 12)])
def test_more_totals_to_reach(game, goal):
    assert check_each(game, "reach", 1, goal=goal) > 30


@pytest.mark.patient
def test_two_players():
    assert check(own_game({**ONE_BOX.rules, "dice": 2, "category": ONE_BOX.rules["category"][:3]}), "win") > 400
