"""Rule files that ship, against values that others found from their own files, or plain counting."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from math import factorial, prod

import pytest
from referee_checks import check

import keepwise as kw
from keepwise.games import own_game

UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")


@pytest.mark.cases(fast=4)
# Values that users found, from files of their own, of which a second program checked what it could; the files here are
# ours: those that ship.
@pytest.mark.parametrize(
    ("name", "objective", "changes", "expected"),
    [
        ("fifty", "turns", {}, 67.90742),
        ("farkle-patch", "points", {}, 510.19531),
        ("zonk", "points", {}, 542.86437),
        ("escalero", "points", {}, 149.28526),
        ("cheerio", "points", {}, 141.95451),
        ("yamb", "points", {}, 140.93034),
        ("triple-yahtzee", "points", {}, 1183.55918),
        ("yatzy", "points", {"order": "down"}, 122.55853),
    ],
)
def test_values_of_users(name, objective, changes, expected):
    solution = kw.solve(kw.load_rules(name, **changes), objective, fresh=True)
    assert solution.value() == pytest.approx(expected, abs=5.1e-6)


def test_turns_without_a_choice():
    # What all throws of a turn bring, by how many of them end it.
    sevens = sum((a + b) * (1 + (a == b)) for a, b in product(range(1, 7), repeat=2) if a + b != 7) / 6
    throws = [Counter(dice) for dice in product(range(1, 7), repeat=3)]
    points = [21 if dice[1] == 3 else 5 if len(dice) == 1 else dice[1] for dice in throws]
    for name, mean in (("sevens-out", sevens), ("bunco", sum(points) / points.count(0))):
        solution = kw.solve(kw.load_rules(name), "points", fresh=True)
        assert abs(solution.value() - mean) <= solution.error_bound


def best_turn(worth, dice, most):
    """Greatest mean points of a turn from every throw and every part of it; who holds ``most`` stops."""

    @cache
    def offers(left):
        found = Counter()
        for throw in combinations_with_replacement(range(1, 7), left):
            parts = {part for size in range(1, left + 1) for part in combinations(throw, size) if worth(part)}
            ways = factorial(left) // prod(map(factorial, Counter(throw).values()))
            found[frozenset((worth(part), left - len(part) or dice) for part in parts)] += ways
        return found

    @cache
    def held(points, left):
        return points if points >= most else max(points, thrown(points, left))

    def thrown(points, left):
        each = (
            (max((held(points + more, rest) for more, rest in some), default=0), ways)
            for some, ways in offers(left).items()
        )
        return sum(value * ways for value, ways in each) / 6**left

    for points in range(most, 0, -50):  # so that nothing is asked too deep
        held(points, dice)
    return thrown(0, dice)


def test_dix_mille_equals_plain_enumeration():
    @cache
    def worth(dice):
        if not dice or dice == (1, 2, 3, 4, 5, 6):
            return 3000 * bool(dice)
        found = [1500] if len(dice) == 6 and all(count % 2 == 0 for count in Counter(dice).values()) else []
        first = dice[0]
        for size, points in ((1, {1: 100, 5: 50}.get(first)), (3, 1000 if first == 1 else 100 * first)):
            if points and dice[:size] == (first,) * size and (rest := worth(dice[size:])) is not None:
                found.append(points + rest)
        return max(found, default=None)

    solution = kw.solve(kw.load_rules("dix-mille"), "points", fresh=True)
    assert abs(solution.value() - best_turn(worth, 6, 30_000)) <= solution.error_bound
    assert solution.value() == pytest.approx(576.7566389, abs=5e-8)


def test_boese_eins_is_pig():
    assert kw.load_rules("boese-eins").data.turn.modes == kw.load_rules("pig").data.turn.modes


def test_kismet_equals_a_function_that_scores_it():
    colours = {1: "black", 2: "red", 3: "green", 4: "green", 5: "red", 6: "black"}

    def score(dice):
        count = Counter(dice)
        alike, one, spots = sorted(count.values()), len({colours[face] for face in dice}) == 1, sum(dice)
        pairs = Counter(colours[face] for face in count if count[face] > 1)
        return {
            **{name: face * count[face] for face, name in enumerate(UPPER, 1)},
            "two pairs": spots * (2 in pairs.values()),
            "three": spots * (alike[-1] > 2),
            "straight": 30 * (len(count) == 5 and max(dice) - min(dice) == 4),
            "flush": 35 * one,
            "full house": (spots + 15) * (alike == [2, 3]),
            "in one colour": (spots + 20) * (alike == [2, 3] and one),
            "four": (spots + 25) * (alike[-1] > 3),
            "yarborough": spots,
            "kismet": (spots + 50) * (alike == [5]),
        }

    upper = {"categories": list(UPPER), "at": [63, 71, 78], "bonus": [35, 55, 75]}
    ours, theirs = kw.load_rules("kismet"), kw.card_game("other", score, dice=5, upper=upper)
    assert (ours.data.part_scores == theirs.data.part_scores).all()
    assert ours.data.upper_steps == theirs.data.upper_steps


# Whoever scores with one die has to begin with two others: nobody sets all dice aside, so the referee comes to an end.
OPENED = {
    "name": "small",
    "dice": 2,
    "faces": 3,
    "singles": {"1": 1, "2": 2},
    "target": 3,
    "stop.opening": 2,
    "stop.below": "must",
    "special": [{"throw": throw, "then": "bust"} for throw in ("1", "2", "11", "12", "22")],
}


@pytest.mark.parametrize("costs", [{"costs": [0, 1], "floor": -1}, {"costs": [1]}], ids=str)
@pytest.mark.parametrize("finish", ["at_least", "last_round"])
def test_openings_costs_and_last_rounds_before_the_referee(costs, finish):
    assert check(own_game({**OPENED, "finish": finish, "bust": costs}), "win", rolls=20) > 0


def test_of_entries_that_match_the_first_counts():
    first, second = {"throw": "11", "then": "win"}, {"shows": "1", "then": "wipe"}
    rules = {"name": "small", "dice": 2, "faces": 3, "singles": {"2": 1}, "target": 3}
    meant = {one.throw: one.effect for one in own_game({**rules, "special": [first, second]}).data.specials}
    assert meant == {(2, 0, 0): "win", (1, 0, 0): "wipe", (1, 1, 0): "wipe", (1, 0, 1): "wipe"}
    with pytest.raises(kw.InputError, match="never counts, because an earlier special roll matches all its dice"):
        own_game({**rules, "special": [second, first]})
