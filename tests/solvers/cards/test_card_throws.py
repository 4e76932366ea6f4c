"""Cards that count the throws of a turn: points after the first one, throws saved for later; and forced zeros."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import product

import numpy as np
import pytest
from cards_reference import WholeCard, subsets
from referee_checks import check, check_each
from small_cards import ONE_BOX, ONE_THROW, UPPER, alike

import keepwise as kw
from keepwise.games import own_game
from keepwise.games.rulefile.description import describe_game
from keepwise.output.sheets import make_sheet
from keepwise.solvers import make_problem
from keepwise.util.errors import HouseRuleError, InputError


def with_first(first, **more):
    """Two dice of three faces, where a pair and a run may be served."""
    categories = [
        {"name": "ones", "face": 1},
        {"name": "pair", "groups": [2], "points": 5, "first": first},
        {"name": "run", "straight": 2, "points": 4, "first": 6},
    ]
    return own_game({"name": "served", "dice": 2, "faces": 3, "throws": 3, "category": categories} | more)


def changed(game, **more):
    """The same card with more rules."""
    return own_game({**game.rules, **more})


BONUS = {"categories": ["ones"], "at": 2, "bonus": 3}
POINTS = [
    with_first(9),
    with_first("win"),
    with_first(9, throws=1),
    with_first(9, upper=BONUS),
    with_first(9, order="down"),
    with_first(9, zeros="forced"),
    with_first(7, saved_throws=True),
    with_first(9, columns=[1, 3], category=with_first(9).rules["category"][:2]),  # also where points count three times
    changed(UPPER, saved_throws=True),
    changed(UPPER, saved_throws=1, throws=3),
    changed(UPPER, zeros="forced", saved_throws=2),
    changed(ONE_BOX, zeros="forced", dice=2, category=ONE_BOX.rules["category"][:3]),
    changed(ONE_THROW, zeros="forced"),
]
BY_TOTAL = [
    (with_first(9), 11),
    (with_first(9, upper=BONUS, zeros="forced"), 14),
    (with_first(9, throws=1), 7),
    (changed(UPPER, zeros="forced"), 6),
]
TWO = [
    pytest.param(with_first(9, throws=2), marks=pytest.mark.slow),
    pytest.param(with_first("win"), marks=pytest.mark.slow),
    pytest.param(with_first("win", zeros="forced", throws=2), marks=pytest.mark.slow),
    with_first("win", throws=1),
]


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("game", POINTS)
def test_points(game):
    assert check(game, "points") > 20


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize(("game", "goal"), BY_TOTAL)
def test_by_total(game, goal):
    assert check_each(game, "reach", 5, goal=goal) > 10
    ranges = {"at": [0, goal - 4, goal], "points": [-1, 1, 3]}
    assert check_each(changed(game, total=ranges), "points", 5) > 10


@pytest.mark.cases(fast=1, slow=2)
@pytest.mark.parametrize("game", TWO)
def test_two_players(game):
    assert check(game, "win") > 100


def test_saved_throws_by_plain_recursion():
    """Two boxes, a coin of 1 and 2 with two dice, in fractions that share nothing with the engine or its table."""
    rolls = [list(product((1, 2), repeat=dice)) for dice in range(3)]

    def points(box, dice):
        return sum(face for face in dice if face == box)

    @lru_cache(None)
    def turn(open_, saved):
        if not open_:
            return Fraction(0)
        throws = 2 + saved

        @lru_cache(None)
        def kept(dice, throw):  # before this throw
            more = rolls[2 - len(dice)]
            return sum(lies(tuple(sorted(dice + one)), throw) for one in more) / Fraction(len(more))

        @lru_cache(None)
        def lies(dice, throw):
            left = throws - throw
            worth = [points(box, dice) + turn(open_ - {box}, left) for box in open_]
            worth += [kept(some, throw + 1) for some in subsets(dice) if left and len(some) < 2]
            return max(worth)

        return kept((), 1)

    boxes = [{"name": "ones", "face": 1}, {"name": "twos", "face": 2}]
    game = own_game({"name": "coins", "dice": 2, "faces": 2, "throws": 2, "saved_throws": True, "category": boxes})
    truth = turn(frozenset((1, 2)), 0)
    assert abs(Fraction(kw.solve(game, "points", fresh=True).value()) - truth) < Fraction(1, 10**13)
    assert truth > kw.solve(changed(game, saved_throws=False), "points").value()


class ServedCard(WholeCard):
    """A whole card whose boxes score sorted dice otherwise after the first throw: ``served``."""

    def __init__(self, dice, faces, throws, boxes, served):
        super().__init__(dice, faces, throws, boxes)
        self.served = np.array([[box(roll) for roll in self.rolls] for box in served])

    def _turn(self, worth, used, upper):
        def entered(points):
            values = [np.where(used >> box & 1, -np.inf, row[:, None] + worth[used | 1 << box, 0])
                      for box, row in enumerate(points)]  # fmt: skip
            return np.max(values, axis=0)

        best = entered(self.points)
        for _ in range(self.throws - 1):
            best = np.maximum.reduceat((self.chance @ best)[self.within], self.begins)
        return self.chance[self.first] @ np.maximum(best, entered(self.served))


def test_generala_by_a_matrix_of_chances():
    def generala(more):
        def made(shape, points):
            return lambda roll: points * (sorted(map(roll.count, set(roll)), reverse=True)[: len(shape)] >= shape)

        faces = [lambda roll, face=face: face * roll.count(face) for face in range(1, 7)]
        straight = lambda roll: (20 + more) * (len(set(roll)) == 5 and max(roll) - min(roll) == 4)  # noqa: E731
        house = lambda roll: (30 + more) * (sorted(map(roll.count, set(roll))) == [2, 3])  # noqa: E731
        return [*faces, straight, house, made([4], 40 + more), made([5], 50)]

    exact = ServedCard(5, 6, 3, generala(0), generala(5)).mean()
    assert kw.solve(kw.load_rules("generala"), "points").value() == pytest.approx(exact, abs=1e-9)


def test_chicago_is_the_mean_of_two_dice():
    """Each round scores its number with its chance: together the mean of a throw."""
    game = kw.load_rules("chicago")
    solution = kw.solve(game, "points")
    assert solution.value() == pytest.approx(7, abs=1e-11)
    for level in (1, 2, 3):  # nothing is kept, and each throw fits one box
        assert solution.evaluate(f"sheet:{level}").loss == 0.0
        assert not any("After each roll" in line for line in solution.sheet(level=level).lines)


def test_saved_rolls_are_fields_of_positions():
    game = changed(UPPER, saved_throws=True)
    solution = kw.solve(game, "points")
    told = {"used": ["choice"], "saved": 1, "throw": 2, "roll": "1 2"}
    assert kw.playable(game, objective="points").position(**told, entering=True).entering
    assert [choice.follow_up for choice in solution.advise(**told).choices].count("end") == 1
    assert {choice.action for choice in solution.advise(**told, entering=True).choices} == {
        "enter 1 in ones",
        "enter 2 in twos",
    }
    with pytest.raises(InputError, match="must be between 0 and 0 after this number of turns"):
        solution.value(saved=1)
    with pytest.raises(InputError, match="throw must be between 1 and 3, not 4"):
        solution.value(used=["choice"], saved=1, throw=4, roll="1 2")
    with pytest.raises(InputError, match="entering requires roll, and throw below"):
        solution.value(throw=2, roll="1 2", entering=True)
    with pytest.raises(InputError, match="strategy sheets are not available for a scorecard whose points depend"):
        make_sheet(solution)
    with pytest.raises(InputError, match="a card whose points depend on the number of rolls"):
        solution.distribution()


def test_whole_turns_state_saved_rolls():
    playable = kw.playable(changed(UPPER, saved_throws=True), objective="points")
    after = playable.play_whole_turn(playable.start(), "choice 3, saved 1")
    assert (after.own_card.score, after.own_card.saved) == (3, 1)
    with pytest.raises(InputError, match="add the number of saved rolls at the end"):
        playable.play_whole_turn(playable.start(), "choice 3")
    served = kw.playable(with_first(9), objective="points")
    assert served.play_whole_turn(served.start(), "pair 9").own_card.score == 9


def test_forced_zeros_count_in_the_estimated_cost():
    """Options are runs of throws then, many more than boxes; what solving takes counts them."""
    game = kw.load_rules("cheerio", zeros="forced")
    asked = make_problem(game, "points")
    rows = len(asked.states.entry_options.row)
    assert rows / 2 < asked.states.mean_option_count * len(asked.states) < 2 * rows
    assert (
        asked.estimate_cost(1).bytes
        > 20 * rows
        > 10 * make_problem(kw.load_rules("cheerio"), "points").estimate_cost(1).bytes
    )


def test_in_words():
    words = "\n".join(describe_game(with_first("win", zeros="forced")))
    assert "pair: 2 alike: 5; after the first roll it wins the game" in words
    assert "run: 1-2 or 2-3: 4; after the first roll 6" in words
    assert "a zero may be entered only if the roll scores in no open box" in words
    saved = "\n".join(describe_game(changed(UPPER, saved_throws=True)))
    assert "Rolls that a turn does not use may be used in later turns; up to 2 can be saved." in saved


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"saved_throws": 0}, "must be true or false or a whole number from 1 to 100"),
        ({"saved_throws": "all"}, "must be true or false or a whole number"),
        ({"saved_throws": 1, "throws": 1}, "saved_throws requires throws = 2 or more"),
        ({"saved_throws": 1, "total": {"at": [0], "points": [0]}}, "saved_throws cannot be combined with .total"),
        ({"zeros": "never"}, 'zeros must be "free" or "forced"'),
    ],
)
def test_bad_rules(more, said):
    with pytest.raises(HouseRuleError, match=said):
        with_first(9, **more)
    for key, value in (("zeros", "forced"), ("saved_throws", True)):
        with pytest.raises(HouseRuleError, match=r"cannot be combined with \[again\]"):
            changed(alike("free", 4), **{key: value})
    with pytest.raises(HouseRuleError, match='first must be "win" or a whole number'):
        with_first(0)
    faces = [{"name": "ones", "face": 1, "first": 5}]
    with pytest.raises(HouseRuleError, match="face cannot be combined with first: leave first out"):
        own_game({"name": "served", "dice": 2, "category": faces})
