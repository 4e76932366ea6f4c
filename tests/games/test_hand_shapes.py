"""Hands of unlike dice: compiled from the table of rolls, and compared with plain enumeration."""

from dataclasses import replace
from itertools import product
from math import prod

import pytest

import keepwise as kw
from keepwise.games import own_game
from keepwise.games.push_rules import DieKind, NextRoll, PushRules
from keepwise.games.ruleset import Rules

WEIGHTS = {
    "weighted": (10, 1, 1, 1, 1, 1),
    "odd": (4, 1, 4, 1, 4, 1),
    "lucky": (6, 1, 2, 3, 4, 6),
    "ordinary": (1, 1, 1, 1, 1, 1),
    "even": (1, 4, 1, 4, 1, 4),
    "pie": (6, 1, 3, 3, 0, 0),
}
STRAIGHTS = ((1, 2, 3, 4, 5), 500), ((2, 3, 4, 5, 6), 750), ((1, 2, 3, 4, 5, 6), 1500)


def hand_game(hand, **rules):
    """Return the game of Kingdom Come with a hand of these dice."""
    file = Rules(kw.load_rules("kingdom-come").rules).plain()
    plain = {key: value for key, value in file.items() if key not in ("dice", "die", "weights")}
    if sum(hand.values()) < 6:
        sizes = range(3, sum(hand.values()) + 1)
        plain |= {"pattern": [], "alike": {str(size): plain["alike"][str(size)] for size in sizes}}
    dice = [{"name": name, "count": count, "weights": list(WEIGHTS[name])} for name, count in hand.items()]
    return own_game({**plain, **rules, "die": dice})


def score(dice):
    """Return the most points of dice that all score, and None if some do not; dice: the faces, sorted."""
    if not dice:
        return 0
    face, rest = dice[0], dice[1:]
    found = []
    for count in range(1, dice.count(face) + 1):
        single = {1: 100, 5: 50}.get(face) if count == 1 else None
        alike = (1000 if face == 1 else 100 * face) * 2 ** (count - 3) if count >= 3 else None
        found += [(points, rest[count - 1 :]) for points in (single, alike) if points]
    for straight, points in STRAIGHTS:
        if all(number in dice for number in straight):
            left = list(dice)
            for number in straight:
                left.remove(number)
            found.append((points, tuple(left)))
    totals = [points + after for points, left in found if (after := score(left)) is not None]
    return max(totals, default=None)


def plain_points(weights, cap):
    """Return the expected points of a turn: every ordered roll and every subset of dice; it stops at ``cap``."""
    size = len(weights)
    every = (1 << size) - 1
    rolls = {}
    for left in range(1, every + 1):
        dice = [die for die in range(size) if left >> die & 1]
        rolls[left] = []
        for faces in product(range(1, 7), repeat=len(dice)):
            weight = prod(weights[die][face - 1] for die, face in zip(dice, faces, strict=True))
            choices = []
            for chosen in range(1, 1 << len(dice)):
                taken = [place for place in range(len(dice)) if chosen >> place & 1]
                points = score(tuple(sorted(faces[place] for place in taken)))
                if points is not None:
                    choices.append((left - sum(1 << dice[place] for place in taken) or every, points))
            rolls[left].append((weight, choices))
    values = {}
    for points in range(cap + 5000, -1, -50):
        for left in rolls:
            values[left, points] = points
            if points < cap:
                total = sum(
                    weight * max((values[after, points + more] for after, more in choices), default=0)
                    for weight, choices in rolls[left]
                )
                rolling = total / prod(sum(weights[die]) for die in range(size) if left >> die & 1)
                values[left, points] = rolling if points == 0 else max(points, rolling)
    return values[every, 0]


@pytest.mark.parametrize("hand", [{"odd": 1, "pie": 1, "even": 1}, {"weighted": 2, "lucky": 1}])
def test_unlike_dice_equal_plain_enumeration_for_points(hand):
    solution = kw.solve(hand_game(hand), "points", fresh=True)
    weights = [WEIGHTS[name] for name, count in hand.items() for _ in range(count)]
    assert solution.value() == pytest.approx(plain_points(weights, 40_000), abs=1e-7)


# A plain program in C, which lists all ordered rolls and all subsets, gives 974.4522578130 if turns stop at 20,000
# points, and this value if they stop at 40,000. The second value is of the same program at 40,000.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("hand", "points"),
    [
        (dict.fromkeys(WEIGHTS, 1), 974.4522580722),
        ({"weighted": 1, "odd": 1, "lucky": 1, "ordinary": 2, "even": 1}, 816.2592037443),
    ],
)
def test_six_unlike_dice_are_solved_for_points(hand, points):
    assert kw.solve(hand_game(hand), "points", fresh=True).value() == pytest.approx(points, abs=1e-9)


@pytest.mark.parametrize(
    "hand", [{"odd": 2, "pie": 1}, {"weighted": 2, "pie": 2}, dict.fromkeys(("odd", "even", "pie"), 1)]
)
@pytest.mark.parametrize("rules", [{}, {"set_aside": "all"}, {"set_aside": "all-or-none"}, {"then_all": "must"}])
def test_tabulated_rolls_equal_listed_rolls(hand, rules):
    tabulated = replace(hand_game(hand).data, **rules)
    listed = replace(tabulated)
    vars(listed)["tabulates_rolls"] = False  # as for hands that are too large for a table
    assert tabulated.tabulates_rolls
    for number in range(1, tabulated.dice + 1):
        assert tabulated.compile_roll(number) == listed.compile_roll(number)
        offers = tabulated.all_offers(NextRoll(number))
        assert offers
        assert offers == listed.all_offers(NextRoll(number))


def test_faces_that_are_rolled_again_have_no_weight():
    kinds = (DieKind("a", 2, WEIGHTS["odd"]), DieKind("b", 1, WEIGHTS["pie"]))
    data: PushRules = replace(kw.load_rules("kingdom-come").data, kinds=kinds, dice=5)
    listed = replace(data)
    vars(listed)["tabulates_rolls"] = False
    assert data.compile_roll(5, (0, 2)) == listed.compile_roll(5, (0, 2))
    roll = NextRoll(5, rerolled_faces=(0, 2))
    assert data.all_offers(roll) == listed.all_offers(roll)
