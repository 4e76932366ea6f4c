"""Wild faces of push-your-luck files, against a plain program that tries every face for every wild die."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations, product

import pytest

import keepwise as kw
from keepwise.games import own_game
from keepwise.util.errors import InputError

FACES = ("1", "2", "3", "4", "D")
SINGLES = {"1": 100, "4": 50}
ALIKE = {3: {"1": 1000, "2": 200, "3": 300, "4": 400}}
STRAIGHT = ("1", "2", "3")
STRAIGHT_POINTS = 250
DICE = 3


def rules(**changes):
    """Return a game of three dice with one wild face."""
    return {
        "name": "wild-toy",
        "dice": DICE,
        "faces": list(FACES),
        "target": 1000,
        "wild": "D",
        "singles": SINGLES,
        "alike": {str(size): points for size, points in ALIKE.items()},
        "pattern": [{"dice": "123", "points": STRAIGHT_POINTS}],
        **changes,
    }


def group_points(dice, alone):
    """Return the most points of dice as one set, with each wild die shown as every face in turn; None: no set."""
    shown = [face for face in dice if face != "D"]
    if len(dice) == 1:
        return SINGLES.get(dice[0])
    if not shown and not alone:
        return None
    found = []
    for stand_ins in product("1234", repeat=len(dice) - len(shown)):
        full = sorted((*shown, *stand_ins))
        if len(set(full)) == 1 and len(full) in ALIKE:
            found.append(ALIKE[len(full)][full[0]])
        if tuple(full) == STRAIGHT:
            found.append(STRAIGHT_POINTS)
    return max(found, default=None)


def set_points(dice, alone):
    """Return the most points of dice split into sets so that each die is in one; None: not possible."""
    if not dice:
        return 0
    first, rest = dice[0], dice[1:]
    found = []
    for size in range(len(rest) + 1):
        for places in combinations(range(len(rest)), size):
            points = group_points((first, *(rest[place] for place in places)), alone)
            others = set_points(tuple(die for place, die in enumerate(rest) if place not in places), alone)
            if points is not None and others is not None:
                found.append(points + others)
    return max(found, default=None)


def turn_value(dice, alone, cap):
    """Return the most expected points of a turn that banks at ``cap``, over all ordered rolls."""
    rolls = {count: list(product(FACES, repeat=count)) for count in range(1, dice + 1)}

    @cache
    def options(roll):
        subsets = {roll_set for size in range(1, len(roll) + 1) for roll_set in combinations(sorted(roll), size)}
        points = ((len(roll_set), set_points(roll_set, alone)) for roll_set in subsets)
        return tuple({(size, scored) for size, scored in points if scored is not None})

    @cache
    def value(count, points):
        if points >= cap:
            return Fraction(points)
        total = Fraction(0)
        for roll in rolls[count]:
            ways = options(tuple(sorted(roll)))
            total += max((max(Fraction(points + p), value(count - n or dice, points + p)) for n, p in ways), default=0)
        return total / len(rolls[count])

    return value(dice, 0)


@pytest.mark.parametrize("alone", [False, True])
def test_wild_sets_score_as_the_best_of_all_faces(alone):
    data = own_game(rules(wild_alone=alone)).data
    for size in range(1, DICE + 1):
        for dice in product(FACES, repeat=size):
            counts = tuple(map(dice.count, FACES))
            reading = data.reading(counts)
            assert (reading.points if reading else None) == set_points(dice, alone), dice


@pytest.mark.parametrize("alone", [False, True])
def test_wild_turn_values_equal_plain_enumeration(alone):
    cap = 5000  # far above the points from which banking is best, so the plain program loses nothing by it
    solved = kw.solve(own_game(rules(wild_alone=alone)), "points")
    assert float(turn_value(DICE, alone, cap)) == pytest.approx(solved.value(), rel=0, abs=solved.error_bound)


def test_a_devils_head_and_five_ordinary_dice():
    """654.2175983 points a turn: a plain program over all rolls, made apart from this package."""
    file = kw.load_rules("kingdom-come")
    changed = {key: value for key, value in file.rules.items() if key not in ("dice", "weights", "faces")}
    devil = {"name": "devil", "count": 1, "weights": [0, 1, 1, 1, 1, 1, 1]}
    ordinary = {"count": 5, "weights": [1, 1, 1, 1, 1, 1, 0]}
    game = own_game({**changed, "name": "devil-toy", "faces": [*"123456", "D"], "wild": "D", "die": [ordinary, devil]})
    assert kw.solve(game, "points").value() == pytest.approx(654.2175983, rel=0, abs=5e-8)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"wild": "X"}, "wild must list faces"),
        ({"wild": list(FACES)}, "wild must leave at least one face"),
        ({"wild": None, "wild_alone": True}, "requires wild"),
        ({"pattern": [{"groups": [3], "only": ["D"], "points": 5}]}, "only dice with wild faces match this pattern"),
    ],
)
def test_wild_faces_that_make_no_game_are_refused(changes, message):
    values = {key: value for key, value in rules(**changes).items() if value is not None}
    with pytest.raises(InputError, match=message):
        own_game(values)
