"""Cards against the referee (see test_referee.py): every state of small cards, and the dice kept before each throw."""

from __future__ import annotations

import pytest
from referee_checks import check, check_each
from small_cards import ONE_BOX, ONE_THROW, TWO_BOXES, UPPER, alike, tiny

from keepwise.games import own_game

SHORT = tiny(
    2, [{"name": name, "face": face} for face, name in enumerate(("ones", "twos", "threes", "fours"), 1)],
    dice=2, faces=4, throws=2,
)  # fmt: skip
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


@pytest.mark.slow
@pytest.mark.parametrize(("game", "goal"), ON_DEMAND)
def test_totals_to_reach(game, goal):
    assert check_each(game, "reach", 3, goal=goal) > 20


def test_on_demand_cards_of_two_equal_the_referee_in_any_order():
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
