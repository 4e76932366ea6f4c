"""A bonus for each of several columns, against plain recursion over whole cards that shares no code with the engine."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import pytest
from referee_checks import check

import keepwise as kw
from keepwise.games import own_game

BOXES = [{"name": "ones", "face": 1}, {"name": "twos", "face": 2}, {"name": "pair", "groups": [2], "points": 7}]


def card(columns, order, at=3, bonus=5, **more):
    """Two dice of three faces, two throws: ones, twos and a pair in each column."""
    rules = {"name": "columns", "dice": 2, "faces": 3, "throws": 2, "columns": columns, "order": order}
    upper = {"categories": ["ones", "twos"], "at": at, "bonus": bonus}
    return own_game({**rules, "category": BOXES, "upper": upper, **more})


def worth(columns, order, steps):
    """The most expected points, by what every box of every column holds."""
    shown = (lambda dice: dice.count(1), lambda dice: 2 * dice.count(2), lambda dice: 7 * (dice[0] == dice[1]))

    def total(boxes):
        return sum(boxes) + max((bonus for at, bonus in steps if boxes[0] + boxes[1] >= at), default=0)

    @lru_cache(None)
    def best(cards):
        if all(None not in boxes for boxes in cards):
            return sum(factor * total(boxes) for factor, boxes in zip(columns, cards, strict=True))

        def entered(dice):
            for place, boxes in enumerate(cards):
                for box in range(3):
                    if boxes[box] is None and not (order == "down" and None in boxes[:box]):
                        filled = (*boxes[:box], shown[box](dice), *boxes[box + 1 :])
                        yield best((*cards[:place], filled, *cards[place + 1 :]))

        ends = {dice: max(entered(dice)) for dice in product((1, 2, 3), repeat=2)}
        one = {kept: sum(ends[kept, other] for other in (1, 2, 3)) / 3 for kept in (1, 2, 3)}
        none = sum(ends.values()) / 9
        return sum(max(none, one[a], one[b], ends[a, b]) for a, b in ends) / 9

    return best(((None,) * 3,) * len(columns))


@pytest.mark.parametrize(
    ("columns", "order", "at", "bonus"),
    [
        ([1, 2], "down", 3, 5),
        ([1, 2], "free", 3, 5),
        ([2, 1], "free", [2, 4], [3, 9]),
        ([1, 2, 3], "down", 3, 50),
        ([3, 1, 2], "down", [1, 4], [5, 11]),
    ],
)
def test_each_column_has_a_bonus(columns, order, at, bonus):
    steps = [*zip(at, bonus, strict=True)] if isinstance(at, list) else [(at, bonus)]
    assert kw.solve(card(columns, order, at, bonus), "points").value() == pytest.approx(
        worth(columns, order, steps), abs=1e-11
    )


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"zeros": "forced"},
        {"weights": [1, 2, 3]},
        # a box that never holds 0 or 1
        {"at": [1, 10], "bonus": [1, 10], "category": [{"name": "ones", "chance": True}, BOXES[1]]},
    ],
)
def test_every_position_of_a_small_card(more):
    assert check(card([1, 2], "down", **more), "points") > 0


def test_column_that_counts_twice_doubles_its_bonus():
    """Its bonus does too."""
    assert check(card([2], "down"), "points") > 0
    assert card([2], "down").with_rules() == card([2], "down")
    once, twice = (kw.solve(card(columns, "down"), "points").value() for columns in ([1], [2]))
    assert twice == pytest.approx(2 * once, abs=1e-11)


def test_positions_hold_the_upper_totals_of_all_columns():
    solution = kw.solve(card([1, 2], "down"), "points")
    asked = {"used": ["ones x1", "ones x2"], "throw": 2, "roll": "22"}
    by_total = solution.advise(**asked, upper=[1, 2])
    assert by_total.choices == solution.advise(**{**asked, "used": ["ones x1=1", "ones x2=4"]}).choices
    with pytest.raises(kw.InputError, match="upper: expected 2 totals, one for each column, got 1"):
        solution.advise(**asked, upper=1)
