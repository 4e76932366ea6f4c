"""Rules of cards from files and functions: what boxes score, bonuses in steps, the cards that ship, their words."""

from __future__ import annotations

import json
import pickle
import re
import sys
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, combinations_with_replacement, product

import pytest
from card_entries import compare_entries
from cards_reference import WholeCard
from referee_checks import check, check_each
from rule_schema import fits

import keepwise as kw
from keepwise.games import own_game
from keepwise.games.card_rules import Category, score_one_roll
from keepwise.games.rulefile import card_schema
from keepwise.games.rulefile.description import describe_game
from keepwise.games.rulefile.loader import shipped_rule_files
from keepwise.play import playable
from keepwise.solvers import make_problem
from keepwise.util.errors import InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def alike(roll, *sizes):
    """The greatest spots of groups of these sizes, each of another face; None where there are none."""
    if not sizes:
        return 0
    found = [
        face * sizes[0] + rest
        for face in set(roll)
        if roll.count(face) >= sizes[0]
        and (rest := alike([one for one in roll if one != face], *sizes[1:])) is not None
    ]
    return max(found, default=None)


def test_a_box_of_dice_all_different():
    entry = {"name": "none alike", "groups": [1, 1, 1, 1], "points": 30}
    told = own_game({"name": "ours", "dice": 4, "category": [entry, {"name": "choice", "chance": True}]})
    scored = kw.card_game("other", lambda dice: {"none alike": 30 * (len({*dice}) == 4), "choice": sum(dice)}, dice=4)
    assert kw.solve(told, "points").value() == kw.solve(scored, "points").value()
    assert "  none alike: 4 different faces: 30" in [*describe_game(told)]
    one = own_game({"name": "ours", "dice": 4, "category": [{"name": "any", "groups": [1], "points": 30}]})
    said = [*describe_game(one)]
    assert said[1].startswith("1 box, each filled once;")
    assert said[2] == "  any: 1 different face: 30"


def test_box_points_must_be_possible():
    boxes = [{"name": "low", "sum": 4}, {"name": "choice", "chance": True}]
    told = own_game(
        {"name": "ours", "dice": 3, "category": boxes, "upper": {"categories": ["low"], "at": 4, "bonus": 5}}
    )
    with pytest.raises(InputError, match="write low=4, for example, or give the total of the upper boxes with upper"):
        kw.solve(told, "points").value(used="low")


def row(roll, length):
    return any(set(range(low, low + length)) <= set(roll) for low in range(1, 7))


def spots(roll, *sizes):
    return alike(roll, *sizes) or 0


def whole(roll, *sizes):
    return sum(roll) if alike(roll, *sizes) is not None else 0


FACES = [lambda roll, face=face: face * roll.count(face) for face in range(1, 7)]


# --- what categories ask for

ASKED = [
    ({"groups": [2], "points": "groups"}, lambda roll: spots(roll, 2)),
    ({"groups": [2, 2], "points": "groups"}, lambda roll: spots(roll, 2, 2)),
    ({"groups": [3]}, lambda roll: whole(roll, 3)),
    ({"groups": [3], "points": "groups", "plus": 4}, lambda roll: spots(roll, 3) + 4 * (alike(roll, 3) is not None)),
    ({"groups": [3, 2], "all_alike": True}, lambda roll: sum(roll) * (len(set(roll)) == 1) or whole(roll, 3, 2)),
    ({"groups": [3, 2], "all_alike": False}, lambda roll: whole(roll, 3, 2)),
    ({"groups": [5], "plus": 20}, lambda roll: (sum(roll) + 20) * (len(set(roll)) == 1)),
    ({"sum": 13, "points": 26}, lambda roll: 26 * (sum(roll) == 13)),
    ({"sum": 13, "groups": [2], "points": 50}, lambda roll: 50 * (sum(roll) == 13 and len(set(roll)) < 5)),
    ({"at_least": 22}, lambda roll: sum(roll) * (sum(roll) >= 22)),
    ({"at_most": 9, "points": 30}, lambda roll: 30 * (sum(roll) <= 9)),
    ({"at_least": 10, "at_most": 12}, lambda roll: sum(roll) * (10 <= sum(roll) <= 12)),
    ({"only": [1, 3, 5]}, lambda roll: sum(roll) * all(die % 2 for die in roll)),
    ({"only": [2, 4, 6], "straight": [2, 4, 6], "points": 9}, lambda roll: 9 * (set(roll) == {2, 4, 6})),
    ({"shows": [6, 6, 1]}, lambda roll: sum(roll) * (roll.count(6) > 1 and 1 in roll)),
    ({"straight": 4, "at_most": 15}, lambda roll: sum(roll) * (row(roll, 4) and sum(roll) <= 15)),
]


@pytest.mark.parametrize(("asked", "score"), ASKED, ids=lambda one: str(one) if isinstance(one, dict) else "")
def test_categories_score_every_roll_as_a_plain_reference(asked, score):
    card = own_game({"name": "x", "dice": 5, "category": [{"name": "a", **asked}]}).data
    for counts in product(range(6), repeat=6):
        if sum(counts) == 5:
            roll = [face for face, count in enumerate(counts, 1) for _ in range(count)]
            assert score_one_roll(card.categories[0].score, counts) == score(roll), roll


# --- the language against the referee, and both readings of the rules

SMALL = {
    "name": "small",
    "dice": 3,
    "faces": 3,
    "throws": 2,
    "category": [
        {"name": "ones", "face": 1},
        {"name": "pair of five", "groups": [2], "sum": 5, "points": 4},
        {"name": "odd", "only": [1, 3], "at_least": 5},
        {"name": "three", "groups": [3], "points": 6},
    ],
}
STEPS = {"upper": {"categories": ["ones", "odd"], "at": [3, 7, 8], "bonus": [1, 2, 8]}}
AGAIN = {"again": {"category": "three", "bonus": 2, "joker": "free"}}


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("more", [{}, STEPS, {**STEPS, **AGAIN}], ids=["plain", "steps", "steps and jokers"])
def test_small_cards_agree_with_the_referee(more):
    game = own_game({**SMALL, **more})
    assert check(game, "points") > 30
    cards = playable(game, objective="points")
    assert (
        compare_entries(cards, lambda states: range(len(states.sets)), range(len(cards.card.lattice.full_rolls))) > 300
    )


def test_a_bonus_in_steps_counts_for_totals_and_distributions():
    game = own_game({**SMALL, **STEPS})
    solution = kw.solve(game, "points", fresh=True)
    found = solution.distribution()
    assert found.mean == pytest.approx(solution.value(), abs=1e-12)
    assert game.data.max_points(game.data.full_mask) == found.totals[-1] == 3 + 4 + 9 + 6 + 8


ORDERS = {
    "down": {"order": "down"},
    "columns": {"columns": [1, 3], "category": SMALL["category"][:2]},
    "columns down": {"columns": [1, 2], "order": "down", "category": SMALL["category"][:3]},
    "times": {"category": [{**SMALL["category"][0], "times": 3}, SMALL["category"][2]], **STEPS},
    "times down": {"order": "down", "category": [SMALL["category"][1], {**SMALL["category"][0], "times": 2}]},
}


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("changes", ORDERS.values(), ids=ORDERS)
def test_boxes_in_order_agree_with_the_referee(changes):
    game = own_game({**SMALL, **changes})
    assert check(game, "points") > 10
    cards = playable(game, objective="points")
    assert (
        compare_entries(cards, lambda states: range(len(states.sets)), range(len(cards.card.lattice.full_rolls))) >= 30
    )


@pytest.mark.slow
def test_two_players_fill_boxes_in_order():
    assert check(own_game({**SMALL, "order": "down", "category": SMALL["category"][:3]}), "win") > 100


@pytest.mark.slow
def test_a_total_of_boxes_in_order():
    game = own_game({**SMALL, **ORDERS["times"]})
    assert check_each(game, "reach", 2, goal=8) > 20


def test_alike_boxes_are_worth_the_same_in_any_order():
    once = own_game({**SMALL, "category": [{**one, "times": 2} for one in SMALL["category"]]})
    names = [{**one, "name": f"{one['name']} {copy}"} for one in SMALL["category"] for copy in "ab"]
    assert once.data.names[:3] == ("ones 1", "ones 2", "pair of five 1")
    assert solved(once) == pytest.approx(solved(own_game({**SMALL, "category": names})), abs=1e-12)


def test_boxes_that_are_not_open_yet():
    game = own_game({**SMALL, "order": "down"})
    solution = kw.solve(game, "points", fresh=True)
    assert [choice.action for choice in solution.advise(used=["ones"], throw=2, roll="113").choices] == [
        "enter 4 in pair of five"
    ]
    with pytest.raises(InputError, match="pair of five requires ones, because the boxes are filled in order"):
        solution.value(used=["pair of five"])


def test_boxes_too_many_for_two_are_refused_with_their_size(run):
    for words in ("value --rules balut --objective win", "solve --rules balut --objective win -o x.npz"):
        told = run(words)
        assert (told.status, told.err.count("\n")) == (2, 1)
        assert "TiB" in told.err or "GiB" in told.err


def test_unlimited_saved_rolls_are_judged_before_listing_states():
    card = make_problem(kw.load_rules("maxi-yatzy", saved_throws=True), "points")
    assert card.estimate_cost(1).is_too_much
    assert "sets" not in vars(card.states)


# --- a function


def small_score(roll):
    odd = sum(roll) if set(roll) <= {1, 3} and sum(roll) >= 5 else 0
    five = 4 * (sum(roll) == 5 and len(set(roll)) < 3)
    return {"ones": roll.count(1), "pair of five": five, "odd": odd, "three": 6 * (len(set(roll)) == 1)}


def test_a_function_gives_the_same_bits_as_a_file(tmp_path):
    asked = []

    def score(roll):
        asked.append(roll)
        return small_score(roll)

    ours = kw.card_game("small", score, dice=3, faces=3, throws=2, **STEPS)
    theirs = own_game({**SMALL, **STEPS})
    assert sorted(asked) == sorted(combinations_with_replacement((1, 2, 3), 3))
    one, other = (kw.solve(game, "points", fresh=True) for game in (ours, theirs))
    assert (one.value_table.arrays["points"] == other.value_table.arrays["points"]).all()
    assert pickle.loads(pickle.dumps(ours)) == ours
    one.save(tmp_path / "ours.npz")
    assert kw.load(tmp_path / "ours.npz").value() == one.value()
    again = kw.card_game("small", lambda roll: small_score(roll), dice=3, faces=3, throws=2, **STEPS)
    assert kw.solve(again, "points").fingerprint == one.fingerprint
    changed = kw.card_game("small", lambda roll: {**small_score(roll), "ones": 1}, dice=3, faces=3, throws=2, **STEPS)
    assert kw.solve(changed, "points").fingerprint != one.fingerprint


def enumerated(score, dice, faces, throws, forced):
    """The most expected points of a small card, in fractions: every throw, every set of dice kept, every box."""
    names = tuple(score((1,) * dice))

    @cache
    def card(open_):
        return best((), throws, open_) if open_ else Fraction(0)

    @cache
    def best(kept, left, open_):
        falls = [tuple(sorted(kept + fall)) for fall in product(range(1, faces + 1), repeat=dice - len(kept))]
        return sum(after(roll, left - 1, open_) for roll in falls) / Fraction(len(falls))

    @cache
    def after(roll, left, open_):
        worth = {one: score(roll)[one] for one in open_}
        may = [one for one in open_ if worth[one] or not (forced and any(worth.values()))]
        found = [worth[one] + card(tuple(other for other in open_ if other != one)) for one in may]
        kept = {some for size in range(dice) for some in combinations(roll, size)} if left else ()
        return max([*found, *(best(some, left, open_) for some in kept)])

    return card(names)


WORTHLESS = {
    "a list of zeros": {"name": "bin", "scores": [0] * 6},
    "a fixed number": {"name": "bin", "groups": [1], "points": 0},
}


@pytest.mark.parametrize("bin_", WORTHLESS.values(), ids=WORTHLESS)
@pytest.mark.parametrize("more", [{}, {"zeros": "forced"}], ids=["any zeros", "forced zeros"])
def test_boxes_without_points_are_solved(bin_, more):
    boxes = [{"name": "pair", "groups": [2], "points": 7}, {"name": "choice", "chance": True}, bin_]
    game = own_game({"name": "ours", "dice": 2, "faces": 3, "throws": 2, "category": boxes, **more})

    def score(roll):
        return {"pair": 7 * (roll[0] == roll[1]), "choice": sum(roll), "bin": 0}

    best = kw.solve(game, "points", fresh=True)
    assert abs(best.value() - enumerated(score, 2, 3, 2, bool(more))) <= best.error_bound
    ours = kw.card_game("theirs", score, dice=2, faces=3, throws=2, **more)
    assert kw.solve(ours, "points", fresh=True).value() == best.value()
    assert 0.4 < kw.solve(game, "win", fresh=True).value() < 0.6
    assert any(
        line.startswith("  bin: ") and line.rstrip(".").endswith((": 0", ": 0 for all")) for line in describe_game(game)
    )


def test_card_of_one_box_without_points_is_solved(run, tmp_path):
    file = tmp_path / "bin.toml"
    file.write_text('name = "nought"\ndice = 1\n[[category]]\nname = "bin"\nscores = [0, 0, 0, 0, 0, 0]\n')
    assert "0.0 points" in run(f"value --rules {file}").out
    for command in ("advise --roll 3", "export -f text", "rules"):
        assert run(*f"{command} --rules {file}".split()).status == 0


@pytest.mark.parametrize(
    ("score", "rules", "message"),
    [
        (lambda roll: {"a": 0.5}, {}, "category 'a' must be a whole number from 0 to 10,000, not 0.5 (roll (1,"),
        (lambda roll: {"a": -1}, {}, "category 'a' must be a whole number from 0 to 10,000, not -1"),
        (lambda roll: {"a": 0, "b": 0}, {}, "the function scores nothing"),
        (lambda roll: {}, {}, "the function scores nothing"),
        (lambda roll: {str(roll[0]): 1}, {}, "it did not for (2, "),
        (lambda roll: sum(roll), {}, "must return the same categories for every roll"),
        (lambda roll: {"a": 1}, {"category": []}, "leave category out"),
        (lambda roll: {"a": 1}, {"dice": 99}, "dice must be a whole number from 1 to 12"),
        (lambda roll: {"a": 1}, {"trows": 2}, "unknown key 'trows'; did you mean throws?"),
        (
            lambda roll: {"a": 1},
            {"dice": 12, "faces": 8},
            "can be kept in 125,970 ways, more than 40,000",
        ),
    ],
)
def test_functions_that_describe_no_card(score, rules, message):
    with pytest.raises(InputError, match=re.escape(message)):
        kw.card_game("x", score, **{"dice": 3, "faces": 2, **rules})


# --- the cards that ship

YATZY = [
    *FACES,
    lambda roll: spots(roll, 2),
    lambda roll: spots(roll, 2, 2),
    lambda roll: spots(roll, 3),
    lambda roll: spots(roll, 4),
    lambda roll: 15 * (roll == (1, 2, 3, 4, 5)),
    lambda roll: 20 * (roll == (2, 3, 4, 5, 6)),
    lambda roll: whole(roll, 3, 2),
    sum,
    lambda roll: 50 * (len(set(roll)) == 1),
]
KOREAN = [
    *FACES,
    sum,
    lambda roll: whole(roll, 4),
    lambda roll: sum(roll) if len(set(roll)) == 1 else whole(roll, 3, 2),
    lambda roll: 15 * row(roll, 4),
    lambda roll: 30 * row(roll, 5),
    lambda roll: 50 * (len(set(roll)) == 1),
]
CRAG = [
    *FACES,
    *(lambda roll, run=run: 20 * (roll == run) for run in ((1, 3, 5), (2, 4, 6), (1, 2, 3), (4, 5, 6))),
    lambda roll: 25 * (len(set(roll)) == 1),
    lambda roll: 26 * (sum(roll) == 13),
    lambda roll: 50 * (sum(roll) == 13 and len(set(roll)) == 2),
]
YACHT = [
    *FACES,
    lambda roll: 30 * (roll == (1, 2, 3, 4, 5)),
    lambda roll: 30 * (roll == (2, 3, 4, 5, 6)),
    lambda roll: whole(roll, 3, 2),
    lambda roll: spots(roll, 4),
    sum,
    lambda roll: 50 * (len(set(roll)) == 1),
]
BALUT = [
    *FACES[3:],
    lambda roll: sum(roll) * row(roll, 5),
    lambda roll: whole(roll, 3, 2),
    sum,
    lambda roll: (20 + sum(roll)) * (len(set(roll)) == 1),
]
MAXI = [
    *FACES,
    *(lambda roll, sizes=sizes: spots(roll, *sizes) for sizes in ((2,), (2, 2), (2, 2, 2), (3,), (4,), (5,))),
    lambda roll: 15 * ({1, 2, 3, 4, 5} <= set(roll)),
    lambda roll: 20 * ({2, 3, 4, 5, 6} <= set(roll)),
    lambda roll: 21 * (len(set(roll)) == 6),
    lambda roll: spots(roll, 3, 2),
    lambda roll: whole(roll, 3, 3),
    lambda roll: whole(roll, 4, 2),
    sum,
    lambda roll: 100 * (len(set(roll)) == 1),
]


@pytest.mark.parametrize(
    ("name", "dice", "boxes"),
    [
        ("crag", 3, CRAG),
        ("yacht", 5, YACHT),
        ("korean-yacht", 5, KOREAN),
        ("yatzy", 5, YATZY),
        ("maxi-yatzy", 6, MAXI),
        ("balut", 5, BALUT),
    ],
)
def test_every_box_of_the_cards_that_ship(name, dice, boxes):
    card = (without_copies if name == "balut" else kw.load_rules)(name).data
    assert len(card.categories) == len(boxes)
    for roll in combinations_with_replacement(range(1, 7), dice):
        counts = tuple(roll.count(face) for face in range(1, 7))
        assert [score_one_roll(one.score, counts) for one in card.categories] == [box(roll) for box in boxes], roll


def without_copies(name, times=1):
    """The card with so many boxes of each kind."""
    rules = kw.load_rules(name).rules.plain()
    rules["category"] = [{**one, "times": times} for one in rules["category"]]
    return own_game(rules)


def solved(game):
    return kw.solve(game, "points", fresh=True).value()


@pytest.mark.slow
def test_kniffel_is_yahtzee_without_bonus_and_jokers():
    # 245.8707745141: Glenn, CS-TR-0002, 2006; digits: public solvers.
    kniffel = solved(kw.load_rules("kniffel"))
    assert kniffel == pytest.approx(245.8707745141, abs=6e-11)
    assert kniffel == solved(kw.game("yahtzee", joker="none", yahtzee_bonus=False))


def test_korean_yacht_without_five_alike_as_full_house():
    rules = kw.load_rules("korean-yacht").rules.plain()
    (full,) = (one for one in rules["category"] if one["name"] == "full house")
    assert full.pop("all_alike") is True
    assert solved(own_game(rules)) == pytest.approx(191.7608797522, abs=6e-11)  # public solvers


def without(name, *boxes):
    """The rules of a card that ships, with fewer boxes."""
    rules = kw.load_rules(name).rules.plain()
    rules["category"] = [one for one in rules["category"] if one["name"] not in boxes]
    if "upper" in rules:
        rules["upper"]["categories"] = [one for one in rules["upper"]["categories"] if one not in boxes]
        rules["upper"]["at"] = 45
    return own_game(rules)


@pytest.mark.cases(fast=3, slow=2)
@pytest.mark.parametrize(
    ("game", "card"),
    [
        (partial(kw.load_rules, "crag"), (3, 6, 2, CRAG)),
        (partial(kw.load_rules, "yacht"), (5, 6, 3, YACHT)),
        (partial(without_copies, "balut"), (5, 6, 3, BALUT)),
        pytest.param(partial(without_copies, "balut", 2), (5, 6, 3, [*BALUT, *BALUT]), marks=pytest.mark.slow),
        pytest.param(
            partial(without, "yatzy", "ones", "twos", "threes", "fours"),
            (5, 6, 3, YATZY[4:], 2, 45, 50),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            partial(without, "korean-yacht", "ones", "twos"),
            (5, 6, 3, KOREAN[2:], 4, 45, 35),
            marks=pytest.mark.slow,
        ),
    ],
    ids=["crag", "yacht", "balut once", "balut twice", "yatzy", "korean-yacht"],
)
def test_whole_cards_agree_with_a_probability_matrix(game, card):
    assert solved(game()) == pytest.approx(WholeCard(*card).mean(), abs=1e-9)


# The numbers are those of ``WholeCard`` on the whole cards; for Yatzy, which takes it four minutes, run once.
@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(("name", "mean"), [("korean-yacht", 191.77436918834), ("yatzy", 248.43998937785)])
def test_means_of_whole_cards(name, mean):
    assert solved(kw.load_rules(name)) == pytest.approx(mean, abs=1e-10)


# --- words and refusals

CARD = """\
name = "mine"
dice = 5

[[category]]
name = "ones"
face = 1

[[category]]
name = "five"
groups = [5]
points = 50
"""


def printed(run, tmp_path, text):
    file = tmp_path / "mine.toml"
    file.write_text(text)
    return run("rules", "--rules", str(file)).out


def test_rules_print_everything_in_a_card_file(run, tmp_path):
    more = """
[[category]]
name = "low"
groups = [3, 2]
all_alike = true
only = [1, 3, 5]
at_most = 12
plus = 7

[[category]]
name = "high"
straight = 3
at_least = 20
points = 9

[[category]]
name = "thirteen"
sum = 13
points = 26

[upper]
categories = ["ones", "low"]
at = [3, 9]
bonus = [35, 50]
"""
    out = printed(run, tmp_path, CARD + more)
    assert (
        "low: 3 alike and 2 alike, or all alike, and also no faces other than 1 3 5, and also a sum of at most 12: all"
        " spots and 7 more" in out
    )
    assert "high: 1-2-3 or 2-3-4 or 3-4-5 or 4-5-6, and also a sum of at least 20: 9" in out
    assert "thirteen: a sum of 13: 26" in out
    assert "A bonus of 35 points if ones, low add up to at least 3.\n" in out
    assert "A bonus of 50 points in all if ones, low add up to at least 9." in out


def test_files_that_differ_print_differently(run, tmp_path):
    again = '\n[again]\ncategory = "five"\n'
    changes = ["", again, f'{again}joker = "free"\n', f'{again}joker = "forced"\n', f"{again}bonus = 10\n"]
    told = [printed(run, tmp_path, CARD + one) for one in changes]
    assert len(set(told)) == len(told)
    assert "Once the box five is filled: a later roll with all dice alike must be entered in the box of" in told[3]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("face = 1", "face = 1\ngroups = [2]", 7, "face cannot be combined with groups: leave groups out"),
        ("face = 1", "face = 1\nplus = 2", 7, "leave plus out"),
        ("face = 1", 'sum = 13\npoints = 0\nfirst = "win"', 7, 'first = "win" requires points above 0'),
        ("points = 50", 'points = 0\n[again]\ncategory = "five"', 13, "score a fixed number of points above 0"),
        ("dice = 5", "dice = 5\n[bonus]\nat = 63", 3, "unknown key 'bonus': write [upper] for"),
        ("face = 1", "face = 1\n[triples]\n3 = 1", 7, "write groups = [3] below a [[category]]"),
        ("face = 1", "sum = 31", 6, "sum must be no more than 30, not 31"),
        ("face = 1", "sum = 13\nat_most = 20", 7, "sum cannot be combined with at_most: leave at_most out"),
        ("face = 1", "at_least = 20\nat_most = 10", 4, "no roll scores in ones"),
        ("face = 1", "only = [7]", 6, "'only' must list faces, not 7: use 1, 2, 3, 4, 5, 6"),
        ("face = 1", "straight = [1, 1]", 6, "or a list of different whole numbers"),
        ("face = 1", "straight = 3\nall_alike = true", 7, "all_alike requires groups"),
        ("face = 1", "groups = [3]\nall_alike = 1", 7, "all_alike must be true or false"),
        ("face = 1", 'sum = 13\npoints = "groups"', 7, 'points="groups" requires groups'),
        ("face = 1", "sum = 13\npoints = 5\nplus = 5", 8, "cannot be combined with fixed points"),
        ("face = 1", "scores = [1, 2]", 6, "scores must list the points of all 252 rolls"),
        ("face = 1", "face = 9", 6, "category.face must be a whole number from 1 to 6, not 9"),
        ("face = 1", "points = 5", 4, "category ones requires one of face, chance, scores, groups"),
        (
            "points = 50",
            'points = 50\n[upper]\ncategories = ["ones"]\nat = [3, 5]\nbonus = 3',
            15,
            "'at' lists 2 steps, but 'bonus' lists 1",
        ),
        (
            "points = 50",
            'points = 50\n[upper]\ncategories = ["ones"]\nat = [5, 3]\nbonus = [1, 2]',
            14,
            "must be in ascending order",
        ),
        ("points = 50", 'points = 50\n[upper]\ncategories = ["ones"]\nat = []\nbonus = []', 14, "at must be a whole"),
        ("face = 1", "face = 1\ntimes = 0", 7, "times must be a whole number from 1 to 60"),
        ("face = 1", "face = 1\ntimes = 60", 4, "61 boxes"),
        ("dice = 5", 'dice = 5\norder = "up"', 3, 'order must be "free" or "down", not "up"'),
        ("dice = 5", "dice = 5\ncolumns = [1, 1]", 3, "columns must be a list of different whole numbers"),
        ("dice = 5", 'dice = 5\norder = "down"\n[again]\ncategory = "five"', 4, "cannot be combined with [again]"),
        (
            "dice = 5",
            "dice = 5\nsaved_throws = 1\ncolumns = [1, 2]\n[upper]\ncategories = ['ones']\nat = 3\nbonus = 5",
            5,
            "an upper bonus for each of several columns cannot be combined with saved_throws or [total]",
        ),
        (
            "dice = 5",
            "dice = 5\ncolumns = [1, 2, 3, 4]\n[upper]\ncategories = ['ones']\nat = 500\nbonus = 5",
            4,
            "combinations of column totals, more than 67,108,864: use fewer columns or boxes",
        ),
        (
            "face = 1",
            'face = 1\ntimes = 2\n[[category]]\nname = "ones 1"\nface = 1',
            4,
            "two boxes could not be told apart when typed: ones 1",
        ),
        ("points = 50", 'points = 50\nsum = 30\n[again]\ncategory = "five"', 14, "must require all dice alike"),
        (
            "points = 50",
            'points = 50\n[[category]]\nname = "more"\nface = 1\n[again]\ncategory = "five"\njoker = "free"',
            17,
            "no two boxes may count the same face",
        ),
    ],
)
def test_card_files_report_errors_with_file_and_line(run, tmp_path, old, new, line, message):
    file = tmp_path / "mine.toml"
    file.write_text(CARD.replace(old, new))
    told = run("rules", "--rules", str(file))
    assert (told.status, told.out, told.err.count("\n")) == (2, "", 1)
    assert f"mine.toml:{line}: " in told.err, told.err
    assert message in told.err, told.err


def test_boxes_of_one_kind_are_scored_once(monkeypatch):
    asked = []
    score = Category.score
    monkeypatch.setattr(Category, "score", lambda self, rows: asked.append(len(rows)) or score(self, rows))
    own_game({"name": "many", "dice": 4, "category": [{"name": "pairs", "groups": [2, 2], "times": 60}]})
    assert asked == [126]


def test_as_many_boxes_as_there_may_be(run, tmp_path):
    boxes = "".join(f'[[category]]\nname = "box {i}"\nat_least = {i}\n' for i in range(1, 22))
    file = tmp_path / "many.toml"
    file.write_text(f'name = "many"\ndice = 4\n{boxes}')
    assert (
        "21 boxes with 2,097,152 possible sets of used boxes are too many: up to 60 boxes and 1,048,576 sets"
        in run("rules", "--rules", str(file)).err
    )


# --- files to begin from, and those that ship


def test_a_new_file_is_a_card_that_can_be_solved(run, tmp_path):
    new = run("rules --new card")
    assert (new.status, new.err) == (0, "")
    file = tmp_path / "mine.toml"
    file.write_text(new.out)
    told = run("rules", "--rules", str(file)).out
    for name in kw.load_rules(file).data.names:
        assert f"  {name}: " in told
    assert "100 more for every later roll with all dice alike" in told


def test_every_file_that_ships_is_listed_with_a_line(run):
    listed = run("rules --list").out
    told = json.loads(run("rules --list --json").out)["rule files"]
    assert list(told) == shipped_rule_files()
    assert all(f"\n{name} " in f"\n{listed}" and len(line) > 20 for name, line in told.items())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--list pig", "--list cannot be combined"),
        ("--new card --rules yacht", "--new cannot be combined"),
        ("--new card --list", "--list cannot be combined"),
        ("--new card --json", "--json cannot be combined with --new"),
        ("--schema card pig", "--schema cannot be combined"),
        ("--new boat", "unknown rule file 'boat'; did you mean"),
    ],
)
def test_rules_lists_refuse_further_arguments(run, words, message):
    told = run(f"rules {words}")
    assert (told.status, told.out, told.err.count("\n")) == (2, "", 1)
    assert message in told.err


# --- the schema for editors


@pytest.mark.slow
def test_the_schema_knows_the_cards_that_ship(run, schema):
    rules = [kw.load_rules(name).rules.plain() for name in shipped_rule_files()]
    cards = [one for one in rules if "category" in one]
    assert len(cards) >= 7
    assert all(
        fits(one, schema) for one in [*cards, tomllib.loads(run("rules --new card").out), {**SMALL, **STEPS, **AGAIN}]
    )
    described = [
        schema,
        *(schema["properties"][key] for key in ("upper", "again")),
        schema["properties"]["category"]["items"],
    ]
    assert set(described[-1]["properties"]) == {
        "name",
        *card_schema.SCORED_ALONE,
        *card_schema.DICE_CONDITIONS,
        "all_alike",
        "points",
        "plus",
        "first",
        "times",
    }
    assert all(len(one["description"]) > 5 for table in described for one in table["properties"].values())


@pytest.mark.parametrize(
    "changes",
    [
        {"dice": 13},
        {"trows": 3},
        {"order": "up"},
        {"columns": []},
        {"category": []},
        {"name": "No Name"},
        {"weights": [0]},
    ]
    + [
        {"category": [{"name": "a", **one}]}
        for one in (
            {"face": 9},
            {"points": "all"},
            {"chance": False},
            {"straight": "5"},
            {"face": 1, "groups": [2]},
            {"plus": 3},
            {"sum": 5, "all_alike": True},
            {"sum": 5, "at_most": 6},
        )
    ],
    ids=str,
)
def test_own_game_refuses_what_the_schema_refuses(schema, changes):
    rules = {**SMALL, **changes}
    assert not fits(rules, schema)
    with pytest.raises(InputError):
        own_game(rules)


def test_which_dice_the_spots_of_groups_are():
    def score(entry, dice):
        category = {"name": "box", "points": "groups", **entry}
        game = own_game({"name": "ours", "dice": len(dice), "category": [category, {"name": "rest", "chance": True}]})
        playable = kw.playable(game, objective="points")
        throw = playable.position(throw=3, roll=dice)
        (points,) = (one.points for one in playable.choices(throw) if one.action.endswith("in box"))
        return points, " ".join(describe_game(game))

    assert score({"groups": [2]}, "444")[0] == 8
    assert score({"groups": [2]}, "6655")[0] == 12  # the highest that there are
    assert score({"groups": [3, 2]}, "66655")[0] == score({"groups": [2, 3]}, "66655")[0] == 28
    assert "the sum of the matching dice only" in score({"groups": [2]}, "444")[1]
    points, words = score({"groups": [2], "all_alike": True}, "444")
    assert points == 12
    assert "or of all dice if they are alike" in words
    assert score({"groups": [2], "all_alike": True}, "443")[0] == 8


# --- which parts of a card go together

PARTS = {
    "bonus": {"upper": {"categories": ["ones", "pair"], "at": 2, "bonus": 3}},
    "order": {"order": "down"},
    "columns": {"columns": [1, 2]},
    "times": {"times": 2},
    "again": {"again": {"category": "pair", "bonus": 3, "joker": "free"}},
    "two boxes": {"boxes": 2},
    "saved": {"saved_throws": 1},
    "zeros": {"zeros": "forced"},
    "first": {"first": 4},
    "total": {"total": {"at": [0, 4], "points": [0, 1]}},
    "colours": {"colours": ["red", "black", "black"]},
}
ALONE = {"again": ("bonus", "total", "colours"), "two boxes": ("total", "colours")}  # what goes with them


def goes(one, other):
    """Whether two parts of a card go together, as docs/rules.md says."""
    apart = ({"saved", "total"},)
    return {one, other} not in apart and all(b in ALONE.get(a, PARTS) for a, b in ((one, other), (other, one)))


def with_parts(*parts):
    """A small card with these parts."""
    rules = {"name": "small", "dice": 2, "faces": 3, "throws": 2}
    boxes = [{"name": "ones", "face": 1}, {"name": "pair", "groups": [2], "points": 5}]
    if "two boxes" in parts:
        boxes[1] = {"name": "pair", "only": [2], "points": 5}
    for part in parts:
        key, value = next(iter(PARTS[part].items()))
        (boxes[0] if key == "times" else boxes[1] if key == "first" else rules)[key] = value
    if "colours" in parts:
        boxes[0] = {**boxes[0], "name": "ones"} if "two boxes" in parts else {"name": "ones", "one_colour": True}
    return own_game({**rules, "category": boxes})


@pytest.mark.cases(slow=25)
@pytest.mark.parametrize(("one", "other"), [*combinations(PARTS, 2)])
def test_parts_of_cards_go_together(one, other):
    if not goes(one, other):
        with pytest.raises(InputError):
            with_parts(one, other)
    elif "total" in (one, other):
        assert check_each(with_parts(one, other), "points", 20) > 0
    else:
        assert check(with_parts(one, other), "points") > 0


def test_dice_are_split_for_most_points_if_totals_never_pay_less():
    """With 4 points below 4 and none from there on, 1 2 3 3 would rather be split for the fewest."""
    rules = {"name": "split", "dice": 4, "faces": 3, "boxes": 2, "throws": 1}
    rules["category"] = [{"name": "threes", "face": 3}, {"name": "twos", "face": 2}]
    with pytest.raises(InputError, match="must not fall as totals rise"):
        own_game({**rules, "total": {"at": [0, 4], "points": [4, 0]}})
    assert own_game({**rules, "total": {"at": [0, 4], "points": [0, 0]}}).data.boxes == 2
