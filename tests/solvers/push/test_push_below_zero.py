"""Sets that score nothing or take points off those in hand, down to none: before the referee."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from house_rules import rules_with_nothing_in_hand
from referee_checks import check

import keepwise as kw
from keepwise.games import own_game

SMALL = {
    "name": "small",
    "dice": 2,
    "faces": 4,
    "singles": {"1": 2, "2": -1, "3": 1},
    "target": 4,
    "then.all": "end",
}
ONCE = {**SMALL, "then.set": "end", "set_aside": "all-or-none", "then.all": "roll"}
RULES = [
    SMALL,
    {**SMALL, "stop.at_least": 2},
    {**SMALL, "set_aside": "all"},
    {**SMALL, "set_aside": "all-or-none"},
    {**SMALL, "alike": {"2": {"4": 3, "2": -5}}},
    {**SMALL, "pattern": [{"dice": "14", "points": -1}]},
    {**SMALL, "special": [{"throw": "44", "points": -2}]},
    {**SMALL, "special": [{"throw": "44", "then": "wipe"}], "target": 3},
    {**SMALL, "take_over": "free", "set_aside": "all-or-none"},
    ONCE,
    {**ONCE, "then.dice": "chosen"},
]
ASKED = [("win", {}), ("turns", {}), ("reach", {"turns": 3}), ("points", {"cut": 40})]


@pytest.mark.cases(fast=12)
@pytest.mark.parametrize(("objective", "more"), ASKED)
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_before_the_referee(rules, objective, more):
    assert check(own_game(rules), objective, rolls=100, **more) > 0


def test_stopping_without_turn_points_can_be_best():
    """One point is missing, two turns are left: a turn that has set aside a 2, for nothing, had better end, since the
    die left shows a 1 once in three and loses the score once in three.
    """
    rules = {"name": "small", "dice": 2, "faces": 3, "singles": {"1": 1, "2": 0}, "target": 2, "then.all": "end"}
    game = own_game({**rules, "special": [{"throw": "3", "then": "wipe"}]})
    solution = kw.solve(game, "reach", turns=2, fresh=True)
    assert abs(Fraction(solution.value(score=1)) - Fraction(23, 27)) <= solution.error_bound
    assert solution.advise(score=1, roll="23").best.action == "keep 2, stop and score nothing"
    longer = kw.playable(game, objective="reach", turns=3)
    assert kw.referee(longer).value(longer.position(score=1, turns_left=2)) == Fraction(23, 27)


def check_random(seeds):
    """Compare with the referee what of these rules makes a game that is solved and small enough."""
    compared = 0
    for seed in seeds:
        rng = random.Random(seed)
        rules, turns = rules_with_nothing_in_hand(rng), {"turns": rng.randint(1, 3)}
        objective, more = rng.choice((("win", {}), ("win", {}), ("turns", {}), ("reach", turns), ("points", {})))
        if objective == "points" and any(one.get("dice") == "same" for one in rules["special"]):
            continue  # nothing bounds the points of a turn
        # Throws that must be made and bring points go on without end: nobody needs more than these.
        goes_on = rules.get("then.set") == "must" and any(one.get("dice") == "same" for one in rules["special"])
        try:
            compared += check(own_game(rules), objective, rolls=40, cut=60 if goes_on else None, **more) > 0
        except (kw.InputError, kw.SolveError):
            continue
    return compared


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("first", range(0, 200, 50))
def test_random_rules_before_the_referee(first):
    assert check_random(range(first, first + 50)) >= 10


@pytest.mark.cases(slow=3)
@pytest.mark.parametrize("first", range(200, 1400, 100))
def test_more_random_rules_before_the_referee(first):
    assert check_random(range(first, first + 100)) >= 20


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
    solution = kw.solve(own_game({**rules, "then.all": "end"}), "points", fresh=True)
    assert solution.value() == pytest.approx(worth(0, 3), abs=1e-12)


def test_points_in_hand_do_not_fall_below_none():
    playable = kw.playable(own_game({**SMALL, "dice": 3, "target": 12}))
    rolled = playable.position(turn=1, roll="22")
    assert {choice.points for choice in playable.choices(rolled)} == {0}


BAD = {
    "nothing above": ({"singles": {"2": -1, "1": 0}}, "no dice score above 0"),
    "hot dice": ({"then.all": "roll"}, "negative points require then.all=end or then.set=end"),
    "stop": ({"then.set": "must"}, "negative points cannot be combined with then.set=must"),
    "finish": ({"finish": "last_round"}, "negative points require finish=at_least"),
    "costs": ({"bust": {"costs": [1]}}, "cannot be combined with sets of 0 points or less"),
    "too low": ({"singles": {"1": -1_000_001}}, "must be a whole number from -1,000,000"),
}


@pytest.mark.parametrize(("rules", "says"), BAD.values(), ids=BAD)
def test_own_game_refuses_bad_rules_below_zero(rules, says):
    with pytest.raises(kw.InputError, match=says):
        own_game({**SMALL, **rules})
