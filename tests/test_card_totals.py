"""Cards that are played for points which their total gives in the end."""

from __future__ import annotations

from fractions import Fraction

import pytest
from cards_reference import PlainCard
from test_cards import ONE_BOX, TWO_BOXES
from test_referee_cards import ONE_THROW, UPPER, alike, check_each

import keepwise as kw
from keepwise.games import own_game
from keepwise.games.language.words import in_words
from keepwise.ground.errors import HouseRuleError, InputError
from keepwise.sheets import make_sheet


def ranged(game, at, points):
    """A card whose total gives points."""
    return own_game({**game.rules, "total": {"at": at, "points": points}})


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(
    ("game", "at", "points"),
    [
        (ONE_BOX, [0, 4, 9], [-2, 0, 3]),
        (UPPER, [0, 3, 5, 7], [5, -1, 8, 2]),  # more is not always better
        (UPPER, [0, 9], [1, 0]),
        (alike("free", 4), [0, 6, 20], [0, 1, 4]),
        (TWO_BOXES, [0, 5, 8], [-1, 0, 2]),
        (ONE_THROW, [0, 5], [-3, 7]),
    ],
)
def test_against_the_referee(game, at, points):
    assert check_each(ranged(game, at, points), "points", 7) > 20


def test_one_step_is_the_chance_of_a_total():
    game = ranged(ONE_BOX, [0, 9], [0, 1])
    assert kw.solve(game, "points").value() == pytest.approx(kw.solve(ONE_BOX, "reach", goal=9).value(), abs=1e-14)
    assert kw.solve(game, "reach", goal=9).value() == kw.solve(ONE_BOX, "reach", goal=9).value()


def test_against_plain_recursion():
    """Expected points are those of the first range and, for each step, its rise times the chance to get there, where
    one step alone is played for; both in fractions that share nothing with the engine."""
    names = ("ones", "twos")
    plain = PlainCard(2, (1, 2), 2, names, lambda name, dice: sum(d for d in dice if d == names.index(name) + 1))
    game = own_game(
        {
            "name": "two",
            "dice": 2,
            "faces": 2,
            "weights": [1, 2],
            "throws": 2,
            "category": [{"name": name, "face": face} for face, name in enumerate(names, 1)],
            "total": {"at": [0, 5], "points": [-2, 5]},
        }
    )
    truth = -2 + 7 * plain.reach(5)
    assert abs(Fraction(kw.solve(game, "points").value()) - truth) < Fraction(1, 10**13)


def test_in_words_and_refused():
    game = ranged(UPPER, [0, 5], [-1, 2])
    assert "The total gives the points that the card is played for: -1 from 0 on, 2 from 5 on." in [*in_words(game)]
    with pytest.raises(InputError, match="the score must be given"):
        kw.solve(game, "points").value(used=["choice"])
    with pytest.raises(InputError, match="no sheet is made of a card whose total gives the points"):
        make_sheet(kw.solve(game, "points"))
    assert game.objectives == ("points", "reach")


@pytest.mark.parametrize(
    ("total", "said"),
    [
        ({"at": [1, 5], "points": [0, 1]}, "total.at must list rising whole numbers, the first 0"),
        ({"at": [0, 5, 5], "points": [0, 1, 2]}, "total.at must list rising"),
        ({"at": [0, 5], "points": [0]}, "at tells 2 totals, points 1: each needs both"),
        ({"at": [0], "points": [0.5]}, "points must be a list of whole numbers"),
        ({"at": [0], "points": [0], "from": 1}, "from"),
        (3, "total must be a table"),
    ],
)
def test_bad_ranges(total, said):
    with pytest.raises(HouseRuleError, match=said):
        own_game({**UPPER.rules, "total": total})
