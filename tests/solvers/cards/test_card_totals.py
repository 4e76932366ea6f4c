"""Cards that are played for points which their total gives in the end."""

from __future__ import annotations

import random
from bisect import bisect
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, pairwise, permutations, product

import pytest
from cards_reference import PlainCard
from referee_checks import check_each
from small_cards import ONE_BOX, ONE_THROW, TWO_BOXES, UPPER, alike

import keepwise as kw
from keepwise.games import own_game
from keepwise.games.rulefile.description import describe_game
from keepwise.output.sheets import make_sheet
from keepwise.solvers import make_problem as ask
from keepwise.util.errors import HouseRuleError, InputError


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


def test_payoff_of_one_step_equals_reach():
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
    assert "What the card is worth depends on its total: -1 from 0 on, 2 from 5 on." in [*describe_game(game)]
    with pytest.raises(InputError, match="score is required"):
        kw.solve(game, "points").value(used=["choice"])
    with pytest.raises(InputError, match="strategy sheets are not available for a scorecard with a table"):
        make_sheet(kw.solve(game, "points"))
    assert game.objectives == ("points", "reach")


@pytest.mark.parametrize(
    ("total", "said"),
    [
        ({"at": [1, 5], "points": [0, 1]}, "total.at must list whole numbers in ascending order, starting with 0"),
        ({"at": [0, 5, 5], "points": [0, 1, 2]}, "the totals in 'at' must be in ascending order"),
        ({"at": [0, 5], "points": [0]}, "'at' lists 2 totals, but 'points' lists 1: both lists must be equally long"),
        ({"at": [0], "points": [0.5]}, "points must be a list of whole numbers"),
        ({"at": [0], "points": [0], "from": 1}, "from"),
        (3, "total must be a table"),
    ],
)
def test_bad_ranges(total, said):
    with pytest.raises(HouseRuleError, match=said):
        own_game({**UPPER.rules, "total": total})


def split_freely(rules, greedy):
    """The most expected points of a card of two boxes a turn, two throws at most: every split, or those alone that
    bring the two boxes most; by plain recursion over throws in order.
    """
    faces, dice = range(1, rules["faces"] + 1), rules["dice"]
    boxes = [one["face"] for one in rules["category"]]
    at, points = rules["total"]["at"], rules["total"]["points"]

    @cache
    def splits(fell, first, second):
        halves = {(order[: dice // 2], order[dice // 2 :]) for order in permutations(fell)}
        found = {first * one.count(first) + second * other.count(second) for one, other in halves}
        return {max(found)} if greedy else found

    @cache
    def entered(fell, left, total):
        ways = [(a, b, more) for a, b in permutations(left, 2) for more in splits(fell, a, b)]
        return max(begun(tuple(one for one in left if one not in (a, b)), total + more) for a, b, more in ways)

    @cache
    def thrown(kept, left, total, throws):
        fell = [(*kept, *more) for more in product(faces, repeat=dice - len(kept))]
        return Fraction(sum(kept_or_entered(tuple(sorted(one)), left, total, throws) for one in fell), len(fell))

    @cache
    def kept_or_entered(fell, left, total, throws):
        again = [(), *(one for size in range(1, dice) for one in combinations_with_replacement(faces, size))]
        keeps = [kept for kept in again if all(kept.count(face) <= fell.count(face) for face in kept)]
        more = [thrown(kept, left, total, throws - 1) for kept in keeps] if throws > 1 else []
        return max(entered(fell, left, total), *more) if more else entered(fell, left, total)

    @cache
    def begun(left, total):
        return thrown((), left, total, rules["throws"]) if left else points[bisect(at, total) - 1]

    return begun(tuple(boxes), 0)


def test_two_boxes_a_turn_allow_nondecreasing_total_points():
    """Random small cards: solved, to what any split can bring, or refused, where another split is often better."""
    better = []
    for seed in range(40):
        rng = random.Random(seed)
        faces = rng.choice((2, 3, 4))
        rules = {"name": "split", "dice": rng.choice((2, 4)), "faces": faces, "throws": rng.choice((1, 2)), "boxes": 2}
        named = rng.sample(range(1, faces + 1), 2 if faces < 4 else rng.choice((2, 4)))
        rules["category"] = [{"name": f"face {face}", "face": face} for face in named]
        steps = sorted(rng.sample(range(1, 9), rng.randint(1, 3)))
        rules["total"] = {"at": [0, *steps], "points": [rng.randint(-2, 3) for _ in (0, *steps)]}
        if all(before <= after for before, after in pairwise(rules["total"]["points"])):
            value = kw.solve(own_game(rules), "points", fresh=True).value()
            assert abs(Fraction(value) - split_freely(rules, False)) < Fraction(1, 10**12)
        else:
            with pytest.raises(HouseRuleError, match="must not fall as totals rise"):
                own_game(rules)
            better.append(split_freely(rules, False) > split_freely(rules, True))
    assert 0 < len(better) < 40
    assert sum(better) > len(better) // 4


@pytest.mark.slow
def test_positions_of_a_large_card_are_read_at_once():
    """Sums of many boxes of many points, each counted ten times; minutes, where sums are added to sums."""
    rng = random.Random(1)
    boxes = [{"name": f"box {one}", "scores": [rng.randint(0, 10_000) for _ in range(252)]} for one in range(24)]
    upper = {"categories": [box["name"] for box in boxes[:12]], "at": 500, "bonus": 10}
    rules = {"name": "large", "dice": 5, "throws": 1, "order": "down", "columns": [10], "category": boxes}
    playable = ask(own_game({**rules, "upper": upper}), "reach", goal=10_000).playable
    used = [f"{box['name']}={10 * box['scores'][0]}" if number % 6 else box["name"] for number, box in enumerate(boxes)]
    for left in (1, 12):
        held = sum(10 * box["scores"][0] for box in boxes[:-left])
        assert playable.position(used=used[:-left], upper=5000, score=held).own_card.score == held
        with pytest.raises(kw.InputError, match=f"cannot add up to {held + 1} points with 5000 in the upper ones"):
            playable.position(used=used[:-left], upper=5000, score=held + 1)


def test_the_box_of_all_alike_may_count_towards_the_bonus():
    """It is told with its points, and the upper total as far as it counts: positions are read as they are told."""
    boxes = [{"name": "ones", "face": 1}, {"name": "all", "groups": [2], "points": 50}, {"name": "any", "chance": True}]
    rules = {"name": "card", "dice": 2, "category": boxes, "again": {"category": "all", "bonus": 5}}
    playable = ask(
        own_game({**rules, "upper": {"categories": ["ones", "all"], "at": 20, "bonus": 3}}), "points"
    ).playable
    for used, upper in ((["all=50"], 20), (["all=0"], 0), (["ones=2", "all=50"], 20)):
        position = playable.position(used=used)
        assert position.own_card.upper == upper
        assert playable.position(**playable.to_dict(position)) == position
    with pytest.raises(kw.InputError, match="upper must be 50, the points of the upper boxes in used, not 21"):
        playable.position(used=["all=50"], upper=21)
