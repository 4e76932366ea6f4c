"""Rule files that ship, against values that others found from their own files, or plain counting."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from test_referee import check

import keepwise as kw
from keepwise.games import own_game

UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")


@pytest.mark.cases(fast=4)
# Found from files that users wrote of the documentation alone, of which a second program checked what it could.
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
    assert ours.data.steps == theirs.data.steps


# Whoever scores with one die has to begin with two others: nobody sets all dice aside, so the referee comes to an end.
OPENED = {
    "name": "small",
    "dice": 2,
    "faces": 3,
    "singles": {"1": 1, "2": 2},
    "target": 3,
    "opening": 2,
    "below": "throw",
    "special": [{"throw": throw, "effect": "bust"} for throw in ("1", "2", "11", "12", "22")],
}


@pytest.mark.parametrize("costs", [{"costs": [0, 1], "floor": -1}, {"costs": [1]}], ids=str)
@pytest.mark.parametrize("finish", ["at_least", "last_round"])
def test_openings_costs_and_last_rounds_before_the_referee(costs, finish):
    assert check(own_game({**OPENED, "finish": finish, "bust": costs}), "win", rolls=20) > 0


def test_of_entries_that_match_the_first_counts():
    first, second = {"throw": "11", "effect": "win"}, {"shows": "1", "effect": "wipe"}
    rules = {"name": "small", "dice": 2, "faces": 3, "singles": {"2": 1}, "target": 3}
    meant = {throw: effect for throw, effect, _ in own_game({**rules, "special": [first, second]}).data.specials}
    assert meant == {(2, 0, 0): "win", (1, 0, 0): "wipe", (1, 1, 0): "wipe", (1, 0, 1): "wipe"}
    with pytest.raises(kw.InputError, match="overlaps an earlier special throw, of which the first counts"):
        own_game({**rules, "special": [second, first]})
