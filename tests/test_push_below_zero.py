"""Sets that take points off those in hand, down to none: before the referee."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest
from test_referee import check

import keepwise as kw
from keepwise.games import own_game

SMALL = {
    "name": "small",
    "dice": 2,
    "faces": 4,
    "singles": {"1": 2, "2": -1, "3": 1},
    "target": 4,
    "hot_dice": "none",
}
ONCE = {**SMALL, "once": True, "set_aside": "all-or-none", "hot_dice": "free"}
RULES = [
    SMALL,
    {**SMALL, "minimum": 2},
    {**SMALL, "set_aside": "all"},
    {**SMALL, "set_aside": "all-or-none"},
    {**SMALL, "alike": {"2": {"4": 3, "2": -5}}},
    {**SMALL, "pattern": [{"dice": "14", "points": -1}]},
    {**SMALL, "special": [{"throw": "44", "effect": "score", "points": -2}]},
    {**SMALL, "special": [{"throw": "44", "effect": "wipe"}], "target": 3},
    {**SMALL, "take_over": "free", "set_aside": "all-or-none"},
    ONCE,
    {**ONCE, "choose": True},
]
ASKED = [("win", {}), ("turns", {}), ("reach", {"turns": 3}), ("points", {"cut": 40})]


@pytest.mark.parametrize(("objective", "more"), ASKED)
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_before_the_referee(rules, objective, more):
    assert check(own_game(rules), objective, rolls=100, **more) > 0


def test_a_turn_for_points_equals_plain_enumeration():
    # Three dice, all that is thrown counts: 1 = +3, 2 = +1, 3 = -4, 4 busts; nobody throws the same dice again.
    worths = {1: 3, 2: 1, 3: -4}

    @cache
    def worth(held, dice):
        total = 0.0
        for throw in product(range(1, 5), repeat=dice):
            sets = {kept for size in range(1, dice + 1) for kept in sub(throw, size)}
            after = [(max(0, held + sum(worths[face] for face in kept)), dice - len(kept)) for kept in sets]
            total += max((max(points, worth(points, left) if left else 0) for points, left in after), default=0)
        return total / 4**dice

    def sub(throw, size):
        chosen = (tuple(sorted(one)) for one in product(*[throw] * size))
        return {one for one in chosen if all(one.count(face) <= throw.count(face) for face in one) and 4 not in one}

    rules = {"name": "small", "dice": 3, "faces": 4, "singles": {"1": 3, "2": 1, "3": -4}, "target": 50}
    solution = kw.solve(own_game({**rules, "hot_dice": "none"}), "points", fresh=True)
    assert solution.value() == pytest.approx(worth(0, 3), abs=1e-12)


def test_points_in_hand_do_not_fall_below_none():
    table = kw.play(own_game({**SMALL, "dice": 3, "target": 12}))
    rolled = table.read(turn=1, roll="22")
    assert {choice.points for choice in table.choices(rolled)} == {0}


BAD = {
    "nothing above": ({"singles": {"2": -1, "1": 0}}, "nothing scores"),
    "hot dice": ({"hot_dice": "free"}, "sets below 0 go with hot_dice=none or once"),
    "stop": ({"stop": "all"}, "sets below 0 go with stop=free only"),
    "finish": ({"finish": "last_round"}, "sets below 0 go with finish=at_least only"),
    "costs": ({"bust": {"costs": [1]}}, "do not go with sets of 0 points or less"),
    "too low": ({"singles": {"1": -1_000_001}}, "must be a whole number from -1,000,000"),
}


@pytest.mark.parametrize(("rules", "says"), BAD.values(), ids=BAD)
def test_what_cannot_be_is_refused(rules, says):
    with pytest.raises(kw.InputError, match=says):
        own_game({**SMALL, **rules})
