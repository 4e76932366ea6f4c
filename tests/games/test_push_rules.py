"""What push-your-luck rule files can say beyond singles and triples: published numbers, and the referee."""

from __future__ import annotations

import json
import math
from functools import cache
from itertools import product

import pytest
from referee_checks import check
from rule_schema import fits

import keepwise as kw
from keepwise.games import RULE_FILES, own_game
from keepwise.games.rulefile.description import describe_game
from keepwise.games.rulefile.loader import TEMPLATES, tomllib
from keepwise.games.ruleset import Rules

SMALL = {"name": "small", "dice": 2, "faces": 3, "singles": {"1": 1}, "target": 3}
HOG = {
    "name": "small",
    "dice": 3,
    "faces": 3,
    "target": 7,
    "then.set": "end",
    "then.dice": "chosen",
    "special": [{"shows": "1", "then": "bust"}, {"only": "23", "points": "sum"}],
}
NO_DIE = {"of": 2, "scoreless": True, "points": 1, "name": "nothing"}
ASIDE = {"then.set": "must", "then.all": "end"}
SAME = {"of": [1, 2], "only": "3", "then": "roll", "dice": "same", "points": 2, "name": "threes"}
ENDS = {"groups": [2], "points": 2, "then": "end"}
OUT = {**ASIDE, "set_aside": "all", "singles": {"1": 1, "2": 1}, "special": [SAME]}

VOID = {"special": [{"only": "2", "then": "void"}]}
ABOVE = {"finish": "one_turn_shared", "bust": {"above": 4}, "singles": {"1": 1, "2": 2, "3": 3}}

UNLIKE = {
    "name": "small",
    "faces": 3,
    "target": 4,
    "singles": {"1": 1},
    "die": [{}, {"name": "lucky", "weights": [3, 1, 0]}],
}

RULES = [
    {"bust": {"costs": [0, 1]}},
    {"bust": {"costs": [1], "floor": -1}},
    {**VOID, "then.all": "end"},
    {**VOID, "then.all": "end", "set_aside": "all"},
    {"then.all": "end", "special": [{"of": 2, "shows": "23", "then": "void"}]},
    {"bust": {"costs": [0, 1], "floor": -1, "count": "stays"}},
    {"bust": {"costs": [0, 1], "floor": -1}, "stop.at_least": 2, "stop.below": "must"},
    {"stop.at_least": 2, "stop.below": "must"},
    {"special": [NO_DIE]},
    {"special": [NO_DIE], "then.all": "end"},
    {"special": [NO_DIE], "bust": {"costs": [0, 1], "floor": -1}},
    {"pattern": [{"pairs": 1, "points": 2}]},
    {"then.set": "end", "singles": {"1": 1, "2": 2}},
    {"then.set": "end", "singles": {"1": 1, "2": 2}, "finish": "last_round"},
    {"then.all": "end", "singles": {"1": 1, "2": 0, "3": 2}, "target": 5},
    {"then.all": "end", "singles": {"1": 1, "2": 0}, "stop.below": "must"},
    {**ASIDE, "singles": {"1": 1, "2": 0, "3": 3}, "target": 6},
    {**ASIDE, "singles": {"1": 1, "2": 2}, "target": 4},
    HOG,
    {**HOG, "then.dice": "all"},
    {"then.set": "end", "then.dice": "chosen", "special": [NO_DIE]},
    {**HOG, "special": [], "set_aside": "all-or-none", "singles": {"2": 2, "3": 3}},
    {"then.set": "end", "set_aside": "all-or-none", "singles": {"1": 0, "2": 1}, "alike": {"2": {"3": 2}}},
    {"special": [SAME], "target": 5},
    {"special": [SAME], "target": 5, "then.all": "end", "stop.below": "must"},
    {"special": [SAME], "target": 5, "then.all": "must", "finish": "exact"},
    {**SMALL, **OUT, "dice": 1, "special": [{**SAME, "of": 1}], "finish": "exact", "target": 5},
    {"finish": "exact", "stop.below": "must", "then.all": "roll"},
    {"finish": "exact", "stop.below": "must", "then.all": "must", "set_aside": "all"},
    {"special": [SAME], "stop.at_least": 2, "stop.below": "must", "bust": {"costs": [0, 1], "floor": -1}},
    {"bust": {"costs": [2], "count": "stays", "floor": -1}, "set_aside": "all-or-none", "singles": {"3": 2}},
    {"special": [ENDS]},
    {"special": [ENDS], "stop": {"at_least": 3}, "target": 5},
    {"special": [ENDS], "target": 6, "finish": "exact"},
    {"special": [{**ENDS, "then": "roll"}], "then": {"all": "end"}, "target": 5},
    {"special": [{**ENDS, "then": "roll"}], "then": {"all": "must"}, "target": 5, "bust": {"costs": [1]}},
    {**UNLIKE, "special": [ENDS], "target": 5},
    UNLIKE,
    {**UNLIKE, "bust": {"costs": [0, 1]}, "target": 2},
    {**UNLIKE, "then.all": "end"},
    {**UNLIKE, "special": [{**SAME, "of": 1}], "target": 5},
    {**UNLIKE, "die": [{"count": 2}, {"name": "lucky", "weights": [3, 1, 1]}], "alike": {"2": {"2": 2}}, "target": 2},
]


@pytest.mark.cases(fast=20)
@pytest.mark.parametrize(("objective", "more"), [("win", {}), ("turns", {}), ("reach", {"turns": 3})])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_before_the_referee(rules, objective, more):
    assert (
        check(own_game(rules if {"dice", "die"} & set(rules) else {**SMALL, **rules}), objective, rolls=40, **more) > 0
    )


POINTS = [
    ({"then.set": "end", "then.dice": "chosen", "special": [NO_DIE]}, None),  # two dice cannot bust, one can
    ({"bust": {"costs": [0, 1]}}, 12),
    ({"then.all": "end", "special": [NO_DIE]}, None),
    ({**ASIDE, "singles": {"1": 1, "2": 0, "3": 3}}, None),
    ({"then.set": "end", "singles": {"1": 1, "2": 2}}, None),
    ({"then.all": "end", "stop.below": "must", "singles": {"1": 0, "2": 1}}, None),
    ({"then.all": "end", "special": [SAME]}, 60),
    ({"then.all": "end", "singles": {"1": 1, "2": 2, "3": 1}, "dice": 5}, None),
    ({**ASIDE, "best": "lowest", "singles": {"1": 1, "2": 0, "3": 3}}, None),
    ({**ASIDE, "best": "lowest", "dice": 3, "singles": {"1": 1, "2": 0, "3": 3}, "alike": {"2": {"3": 1}}}, None),
]


@pytest.mark.parametrize(("rules", "cut"), POINTS, ids=str)
def test_points_before_the_referee(rules, cut):
    assert check(own_game({**SMALL, **rules}), "points", cut=cut, rolls=100) > 0


@pytest.mark.parametrize("rules", [{"dice": 1}, {"then.all": "must", "singles": {"1": 1, "2": 2}}], ids=str)
@pytest.mark.parametrize("objective", ["points", "win"])
def test_hands_that_are_lost_above_some_points(rules, objective):
    assert check(own_game({**SMALL, **ABOVE, **rules}), objective, rolls=20) > 0


def test_twenty_one_equals_plain_recursion():
    @cache
    def held(points):
        thrown = sum(held(points + spots) for spots in range(1, 7) if points + spots <= 21) / 6
        return max(points, thrown)

    solution = kw.solve(kw.load_rules("twenty-one"), "points", fresh=True)
    assert abs(solution.value() - held(0)) <= solution.error_bound
    assert abs(solution.value(turn=15, dice=1) - 18.5) <= solution.error_bound  # nothing from 22 on: 111 / 6


def test_toss_up_equals_plain_recursion():
    # Greens of a throw, k of d; all yellow and the throw is made again, or what is in hand is banked.
    @cache
    def thrown(points, dice):
        greens = sum(math.comb(dice, k) * 0.5**dice * held(points + k, dice - k or 10) for k in range(1, dice + 1))
        return max(greens / (1 - 3.0**-dice), greens + 3.0**-dice * points)

    @cache
    def held(points, dice):
        return points if points >= 150 else max(points, thrown(points, dice))  # beyond where stopping is best

    solution = kw.solve(kw.load_rules("toss-up"), "points", fresh=True)
    assert abs(solution.value() - thrown(0, 10)) <= solution.error_bound + 1e-13


def test_facebook_farkle_for_points():
    # Busche, Maximizing Win Probability in the Game of Farkle, 2016: six dice are thrown up to 16,350 and no further.
    solution = kw.solve(kw.load_rules("farkle-facebook"), "points", fresh=True)
    assert solution.advise(turn=16350, dice=6).best.follow_up == "roll"
    assert solution.advise(turn=16400, dice=6).best.follow_up == "bank"


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, 620.855),
        ({"pattern": [{"dice": "123456", "points": 1500}, {"dice": "aabbcc", "points": 1500}]}, 611.794),
        ({"bust": {"costs": [0, 0, 500], "count": "stays"}}, 620.555),
    ],
)
def test_zilch_in_the_long_run(changes, expected):
    # Busche, Maximizing Expected Scores in the Game of Zilch, 2010.
    solution = kw.solve(kw.load_rules("zilch", **changes), "rate", fresh=True)
    assert solution.value() == pytest.approx(expected, abs=5e-4)
    assert solution.error_bound < 1e-6


def test_the_rate_equals_that_of_every_policy_tried():
    # One die; a 1 scores a point, and any number of them ends: the policies are how many points to throw for, by count.
    rules = {"name": "small", "dice": 1, "faces": 2, "singles": {"2": 1}, "target": 9, "bust": {"costs": [0, 2]}}
    solution = kw.solve(own_game(rules), "rate", fresh=True)

    def rate(stops):
        banks = [0.5**stop for stop in stops]  # chance to get there
        share = 1 / (2 - banks[0])  # of turns that begin after no bust: the others follow a bust
        after = 1 - share
        return share * banks[0] * stops[0] + after * (banks[1] * stops[1] - 2 * (1 - banks[1]))

    best = max(rate((one, other)) for one in range(1, 6) for other in range(1, 6))
    assert solution.value() == pytest.approx(best, abs=1e-9)


def test_drop_dead():
    # The means of turns with 1 to 6 dice, as published.
    for dice, mean in enumerate((7, 11.2, 13.70526, 15.19028, 16.06466, 16.57583), 1):
        solution = kw.solve(kw.load_rules("drop-dead", dice=dice), "points", fresh=True)
        assert solution.value() == pytest.approx(mean, abs=5.1e-6)
    playable = kw.playable(kw.load_rules("drop-dead"), objective="points")
    (only,) = playable.choices(playable.position(turn=8, roll="134"))
    assert (only.action, only.points, only.dice_left) == ("roll 3 dice", 16, 3)
    (only,) = playable.choices(playable.position(turn=8, roll="12534"))
    assert only.action == "keep 2 5, roll 3 dice"


def test_throws_that_must_be_made_again_have_no_bound():
    # V(t) = ((t + 1) + V(t + 2) + 0) / 3 on a die that shows 1, 3 or a bust: V(t) = t / 2 + 1.
    again = {"throw": "3", "then": "must", "points": 2}
    solution = kw.solve(own_game({**SMALL, **ASIDE, "dice": 1, "special": [again]}), "points", fresh=True)
    assert abs(solution.value() - 1) <= solution.value_table.error_bound


def test_hog():
    # Neller and others: five and six dice tie; alone to 100.
    game = kw.load_rules("hog", dice=10)
    choices = kw.solve(game, "points", fresh=True).advise().choices
    assert [choice.action for choice in choices if choice.tie] == ["roll 5 dice", "roll 6 dice"]
    assert choices[0].value == pytest.approx(8.037551, abs=1e-6)
    assert kw.solve(game, "turns", fresh=True).value() == pytest.approx(13.038906, abs=1e-6)


@pytest.mark.slow
def test_hog_for_two():
    # Neller and others: with up to 25 dice, as an independent sweep over the sums of 1 to 25 dice finds as well:
    # 0.5299301442532267 with 20 dice, 0.5298692189132923 with 25, 0.5298653942965936 with 26 and more.
    solution = kw.solve(kw.load_rules("hog"), "win", fresh=True)
    assert solution.value() == pytest.approx(0.529869, abs=5e-7)
    assert abs(solution.value() - 0.5298692189132923) <= solution.error_bound + 1e-14


def test_kingdom_come():
    solution = kw.solve(kw.load_rules("kingdom-come"), "points", fresh=True)
    assert solution.value() == pytest.approx(564.4376204, abs=1e-7)


def test_singles_and_triples():
    # The best turn of Farkle with singles and triples only, as published for these rules.
    solution = kw.solve(kw.load_rules("farkle-busche-neller"), "points", fresh=True)
    assert solution.value() == pytest.approx(446.5714403437, abs=1e-9)


def test_pass_the_pigs():
    # Batten, Optimal Pass the Pigs Strategy, 2015: throw while below 22.5 points in hand.
    solution = kw.solve(kw.load_rules("pass-the-pigs"), "points", fresh=True)
    assert solution.advise(turn=22, dice=1).best.follow_up == "roll"
    assert solution.advise(turn=23, dice=1).best.follow_up == "bank"


def test_threes_equals_plain_enumeration():
    # At least one of the dice thrown is set aside, the lowest of them first: no other choice of as many is as low.
    spots = [1, 2, 0, 4, 5, 6]
    best = [0.0]
    for dice in range(1, 6):
        total = 0.0
        for throw in product(spots, repeat=dice):
            low = sorted(throw)
            total += min(sum(low[:kept]) + best[dice - kept] for kept in range(1, dice + 1))
        best.append(total / 6**dice)
    solution = kw.solve(kw.load_rules("threes"), fresh=True)
    assert abs(solution.value() - best[5]) <= solution.error_bound + 1e-13
    assert abs(solution.value(turn=6, dice=2) - 6 - best[2]) <= solution.error_bound + 1e-13


def test_dice_unlike_one_another_equal_plain_enumeration():
    # Every ordered throw of every hand, every subset of it; 1s score one point, two 2s three.
    sides = {"plain": (1, 1, 2, 3), "odd": (1, 2, 2, 2, 3)}  # as weights: 2 1 1 and 1 3 1
    rules = {"name": "unlike", "faces": 3, "target": 50, "singles": {"1": 1}, "alike": {"2": {"2": 3}}}
    rules["die"] = [{"weights": [2, 1, 1], "count": 2}, {"name": "odd", "weights": [1, 3, 1]}]
    whole = ("odd", "plain", "plain")

    def worth(faces):
        ones, twos = faces.count(1), faces.count(2)
        return ones + 3 * (twos == 2) if faces and ones + twos == len(faces) and twos in (0, 2) else 0

    @cache
    def before(points, hand):
        return points if points >= 60 else max(points, throw(points, hand))  # beyond where stopping is best

    @cache
    def throw(points, hand):
        total = 0.0
        for faces in product(*(sides[die] for die in hand)):
            best = 0.0
            for taken in product((0, 1), repeat=len(hand)):
                part = tuple(face for face, take in zip(faces, taken, strict=True) if take)
                if gain := worth(part):
                    left = tuple(die for die, take in zip(hand, taken, strict=True) if not take)
                    best = max(best, before(points + gain, left or whole))
            total += best
        return total / math.prod(len(sides[die]) for die in hand)

    solution = kw.solve(own_game(rules), "points", fresh=True)
    assert solution.value() == pytest.approx(throw(0, whole), abs=1e-12)
    deep = solution.playable.position(turn=4, dice="odd,plain")
    assert solution.playable.from_id(solution.playable.id(deep)) == deep
    assert solution.value(deep) == pytest.approx(before(4, ("odd", "plain")), abs=1e-12)


def test_a_hand_of_equal_dice_is_that_of_the_plain_game():
    rules = {key: value for key, value in Rules(kw.load_rules("kingdom-come").rules).plain().items() if key != "dice"}
    game = own_game({**rules, "name": "six", "die": [{"count": 4}, {"count": 2, "weights": [1] * 6}]})
    assert kw.solve(game, "points", fresh=True).value() == pytest.approx(564.4376204, abs=1e-7)


@pytest.mark.slow
def test_dice_of_several_kinds_are_named_by_face_and_kind(run):
    playable = kw.playable(kw.load_rules("kingdom-come-loaded"), objective="points")
    told = [choice.action for choice in playable.choices(playable.position(roll="1 2 2 3 5-lucky 3-lucky"))]
    assert "keep 1 5-lucky, roll 4 dice (3 plain, 1 lucky)" in told
    with pytest.raises(kw.InputError, match="cannot be rolled together"):
        playable.position(roll="5-lucky 5-lucky 5-lucky")
    assert "2 lucky, weighted 6 1 2 3 4 6." in run("rules --rules kingdom-come-loaded").out
    assert "this policy costs" in run("evaluate --rules kingdom-come-loaded --policy hold:300").out


OWN = """
[[die]]
count = 2

[[die]]
name = "lucky"
weights = [6, 1, 2, 3, 4, 6]

[[die]]
name = "even"
weights = [1, 9, 1, 9, 1, 9]
"""


def test_the_best_hand_of_the_dice_one_owns(run, tmp_path):
    rules = tmp_path / "ours.toml"
    rules.write_text('name = "ours"\ndice = 2\ntarget = 1000\n\n[singles]\n1 = 100\n5 = 50\n')
    own = tmp_path / "own.toml"
    own.write_text(OWN)
    found = json.loads(run("best-dice", "--rules", str(rules), "--own", str(own), "--json").out)
    assert found["hands"] == 4
    assert found["best"][0]["dice"] == {"plain": 1, "lucky": 1}
    game = kw.load_rules(rules)
    plain = next(hand for hand in found["best"] if hand["dice"] == {"plain": 2})
    assert plain["points"] == pytest.approx(kw.solve(game, "points", fresh=True).value(), abs=1e-9)
    assert "1 plain, 1 lucky" in run("best-dice", "--rules", str(rules), "--own", str(own)).out
    own.write_text(OWN.replace("9, 1, 9]", "9, 1]"))
    assert f"{own}:11: weights must be 6" in run("best-dice", "--rules", str(rules), "--own", str(own)).err
    own.write_text("[[die]]\n")
    assert "a hand requires 2 dice" in run("best-dice", "--rules", str(rules), "--own", str(own)).err


def test_names_of_sets_appear_in_choices():
    playable = kw.playable(kw.load_rules("zilch"), objective="points")
    told = {choice.action for roll in ("223344", "223346") for choice in playable.choices(playable.position(roll=roll))}
    assert "keep 2 2 3 3 4 4 (three pairs), bank 1,500" in told
    assert "keep 2 2 3 3 4 6 (no scoring dice), roll 6 fresh dice" in told
    bust = playable.choices(playable.position(roll="23", turn=400, busts=2))[0]
    assert bust.action == "bust: the turn ends and costs 500 points, 3 busts in a row"


def test_positions_with_busts_round_trip_as_ids():
    playable = kw.playable(kw.load_rules("zilch"))
    position = playable.position(score=-500, opponents=[1000], busts=2, opponents_busts=[1])
    assert playable.from_id(playable.id(position)) == position
    assert playable.to_dict(position)["busts"] == 2
    with pytest.raises(kw.InputError, match="busts must be at most 2"):
        playable.position(busts=3)
    with pytest.raises(kw.InputError, match="-2,500"):
        playable.position(score=-3000)


def test_push_game_scores_by_a_function():
    def score(dice):
        return 10 * dice.count("1") + 5 * dice.count("5") if set(dice) <= {"1", "5"} else None

    ours = kw.push_game("ours", score, dice=3, target=60)
    theirs = own_game({"name": "theirs", "dice": 3, "target": 60, "singles": {"1": 10, "5": 5}})
    for objective in ("points", "win"):
        values = [kw.solve(game, objective, fresh=True).value() for game in (ours, theirs)]
        assert values[0] == values[1]
    least = {"dice": 2, "faces": 3, "target": 20, "then": {"set": "end"}, "set_aside": "all-or-none"}
    ours = kw.push_game("ours", lambda dice: sum({"1": -4, "2": 0, "3": 5}[face] for face in dice), **least)
    theirs = own_game({"name": "theirs", "singles": {"1": -4, "2": 0, "3": 5}, **least})
    values = [kw.solve(game, "turns", fresh=True).value() for game in (ours, theirs)]
    assert values[0] == pytest.approx(values[1], rel=1e-14)
    with pytest.raises(kw.InputError, match="must return a whole number up to 1,000,000 or None"):
        kw.push_game("ours", lambda dice: 0.5, dice=3)
    with pytest.raises(kw.InputError, match="must return"):
        kw.push_game("ours", lambda dice: 10**7, dice=3)
    with pytest.raises(kw.InputError, match="the function scores nothing"):
        kw.push_game("ours", lambda dice: None, dice=3)


def test_rules_new_prints_a_valid_template(run):
    out = run("rules --new push").out
    assert out == (TEMPLATES / "push.toml").read_text()
    assert (
        'When all dice are set aside: "roll": the player may roll all of them again; "must": has to; "end": the' in out
    )
    assert "no scoring dice: a roll of 6 dice" in run("rules", "--rules", str(TEMPLATES / "push.toml")).out


def test_the_schema_knows_every_key(run):
    whole = json.loads(run("rules --schema push").out)
    schema, _ = whole["anyOf"]
    files = [tomllib.loads(path.read_text()) for path in (*RULE_FILES.glob("*.toml"), TEMPLATES / "push.toml")]
    files = [file for file in files if not {"category", "game"} & set(file)]
    assert len(files) >= 15
    assert all(fits(file, schema) for file in files)
    assert not fits({**files[0], "stop": "never"}, schema)
    for entry in ({"throw": "11", "sum": 2, "then": "win"}, {"then": "win"}, {"sum": 2, "at_least": 1, "then": "win"}):
        assert not fits({**SMALL, "special": [entry]}, schema)
        with pytest.raises(kw.InputError):
            own_game({**SMALL, "special": [entry]})
    for wrong in ({"pattern": [{"pairs": 1, "of": 2, "points": 1}]}, {"scores": [1]}, {"die": [{}], "weights": [1]}):
        assert not fits({**SMALL, **wrong}, schema)
    assert fits({"game": "5000", "minimum": 250}, whole)


def test_pairs_of_a_whole_roll_equal_groups_of_two():
    four = {"name": "four", "dice": 4, "target": 9, "singles": {"1": 1}}
    pairs = own_game({**four, "special": [{"pairs": 2, "then": "win"}]})
    groups = own_game({**four, "special": [{"groups": [2, 2], "all_alike": True, "of": 4, "then": "win"}]})
    assert pairs.data == groups.data
    assert "A roll of 2 pairs, where four alike count as two, wins the game at once." in [*describe_game(pairs)]
    for more in ({"of": 4}, {"scoreless": True}, {"throw": "aabb"}):
        with pytest.raises(kw.InputError, match="leave"):
            own_game({**four, "special": [{"pairs": 2, "then": "win", **more}]})


def test_without_a_stop_no_roll_is_called_a_choice():
    again = own_game({**SMALL, **ASIDE, "special": [{"throw": "11", "points": 5, "then": "roll"}]})
    assert "1 1 as the whole roll scores 5, and all dice are rolled again." in [*describe_game(again)]
    for more in (ASIDE, {"then.set": "end"}, {}):
        void = own_game({**SMALL, **more, "special": [{"throw": "11", "then": "void"}]})
        banked = any(
            "counts for nothing" in line and "the player may bank or roll again" in line for line in describe_game(void)
        )
        assert banked == (not more)


COSTS = """name = "mine"
dice = 2
[singles]
1 = 100
[bust]
"""


def test_all_that_was_understood_is_printed(run, tmp_path):
    out = run("rules --rules zilch").out
    for line in (
        "three pairs: 3 pairs, where four alike count as two, on one roll: 1,500.",
        "no scoring dice: a roll of 6 dice with no scoring die scores 500, and all dice count as set aside.",
        "A bank must be worth at least 300 points; stopping with fewer points is not allowed.",
        "The third bust in a row costs 500 points; then the count starts again. No score goes below -2,500.",
        "A player with at least 10,000 wins at once.",
    ):
        assert line in out
    for costs, words in (("[10]", "A bust costs 10 points"), ("[0, 10]", "The second bust in a row costs 10 points")):
        (tmp_path / "mine.toml").write_text(f"{COSTS}costs = {costs}\n")
        assert words in run("rules", "--rules", str(tmp_path / "mine.toml")).out
    out = run("rules --rules threes").out
    assert "The player may not stop before." in out
    assert "the fewest points win, and tied players play again" in out


def test_rate_refuses_commands_that_need_an_end(run):
    assert "never ends" in run("simulate --rules zilch --objective rate").err
    assert "use --objective points" in run("export --rules zilch --objective rate -f drn -o x.drn").err
    assert "requires rules that let a player stop" in run("evaluate --rules threes --policy hold:3").err


BAD = {
    "passing": ({"bust": {"costs": [1]}, "stop.at_least": 2}, "could stop without points"),
    "waived": ({"bust": {"costs": [1]}, "stop.at_least": 2, "finish": "exact"}, "but finish=exact waives it"),
    "no costs": ({"bust": {"costs": [0, 0]}}, "costs must not all be 0"),
    "unknown key": ({"bust": {"cost": [1]}}, "did you mean costs?"),
    "floor above": ({"bust": {"costs": [1], "floor": 5}}, "floor must be a whole number"),
    "endless": ({"singles": {"1": 1, "2": 1, "3": 1}}, "a turn may never end"),
    "circle": ({"singles": {"1": 1, "2": 0}}, "could form a cycle"),
    "lowest": ({"best": "lowest"}, "requires then.set=must"),
    "lowest busts": ({**ASIDE, "best": "lowest"}, "requires that every roll scores"),
    "choose": ({"then.dice": "chosen"}, "requires then.set=end"),
    "stop": ({"then.set": "must"}, "requires then.all=end"),
    "scored anyway": (
        {"special": [{"name": "nothing", "scoreless": True, "shows": "1", "of": 1, "then": "bust"}]},
        "the special roll 'nothing' never occurs, because every roll that it names has dice that score",
    ),
    "no such throw": ({"special": [{"sum": 5, "of": 1, "then": "bust"}]}, "no roll meets this condition"),
    "too high": ({"special": [{"sum": 99, "then": "bust"}]}, "sum must be no more than 6, not 99"),
    "named faces": (
        {"faces": ["a1", "b1"], "singles": {"a1": 1}, "special": [{"sum": 3, "then": "bust"}]},
        "numbers",
    ),
    "a pattern of no size": ({"pattern": [{"sum": 3, "points": 9}]}, "missing required key 'of'"),
    "alike": ({"pattern": [{"groups": [2], "points": 9}]}, "the condition matches 2 dice alike: write .alike.2"),
    "both": ({"special": [{"throw": "11", "sum": 2, "then": "bust"}]}, "leave sum out"),
    "too many pairs": ({"pattern": [{"pairs": 2, "points": 1}]}, "show at most 1 pair, not 2"),
    "die and dice": ({"die": [{"count": 3}]}, "add up to 3 dice, but dice is 2: change a count"),
    "above in a race": ({"bust": {"above": 4}}, "requires finish=one_turn"),
    "above, tied again": ({**ABOVE, "finish": "one_turn"}, "one_turn_shared"),
    "all void": ({"special": [{"of": 1, "only": "123", "then": "void"}]}, "counts for nothing and would be repeated"),
    "dice without names": ({"die": [{}, {"weights": [1, 2, 3]}]}, "need different names"),
    "scores": ({"scores": [1, 2], "singles": {"1": 1}}, "leave singles out"),
    "no table of faces": ({"singles": "1"}, "write one line for each face below it: 1 = 100"),
    "no table": ({"bust": "true"}, 'bust must be a table, .bust., not "true"'),
    "no costs told": ({**ABOVE, "bust": {"above": 4, "floor": -1}}, "floor requires costs"),
    "two before": (
        {
            "special": [
                {"throw": "11", "then": "bust"},
                {"throw": "22", "then": "bust"},
                {"throw": "33", "then": "bust"},
                {"groups": [2], "then": "win"},
            ]
        },
        "earlier entries match all its dice and the first match counts: leave it out",
    ),
}


def test_own_game_accepts_explicit_defaults():
    spelled = {**ABOVE, "bust": {"above": 4, "floor": 0, "count": "anew"}}
    assert own_game({**SMALL, **spelled}) == own_game({**SMALL, **ABOVE})


@pytest.mark.parametrize(("rules", "says"), BAD.values(), ids=BAD)
def test_own_game_refuses_contradictory_push_rules(rules, says):
    with pytest.raises(kw.InputError, match=says.replace("?", "[?]")):
        own_game({**SMALL, **rules})


# What dice show is asked in the same words of patterns and of special throws as of the boxes of cards.
ALIKE = {
    "a row": ({"straight": 3}, [{"dice": dice} for dice in ("123", "234", "345", "456")]),
    "a row of these": ({"straight": [1, 3, 5]}, [{"dice": "135"}]),
    "a full house": ({"groups": [3, 2]}, [{"dice": "aaabb"}]),
    "of so many dice": ({"of": 3, "sum": 4}, [{"dice": "112"}]),
    "no others": ({"of": 3, "only": "16", "shows": [1, 6]}, [{"dice": "116"}, {"dice": "166"}]),
}


@pytest.mark.parametrize(("asked", "told"), ALIKE.values(), ids=ALIKE)
def test_pattern_words_equal_their_listed_patterns(asked, told):
    def made(entries):
        return own_game({"name": "ours", "dice": 5, "singles": {"1": 10}, "pattern": entries})

    ours, theirs = made([{**asked, "points": 90}]), made([{**one, "points": 90} for one in told])
    assert {*ours.data.patterns} == {*theirs.data.patterns}
    assert own_game(Rules(ours.rules).plain()) == ours


def test_a_pattern_may_show_alike_dice_among_others():
    game = own_game({**SMALL, "pattern": [{"of": 2, "sum": 4, "points": 9}]})
    assert {pattern.dice for pattern in game.data.patterns if pattern.points == 9} == {(1, 0, 1), (0, 2, 0)}


def test_a_row_as_a_whole_throw():
    rules = {"name": "ours", "dice": 4, "singles": {"1": 10}}
    special = [{"straight": 4, "then": "win"}, {"groups": [2, 2], "all_alike": True, "then": "wipe"}]
    game = own_game({**rules, "special": special})
    for dice in product(range(1, 7), repeat=4):
        counts = tuple(dice.count(face) for face in range(1, 7))
        row, pairs = len({*dice}) == 4 and max(dice) - min(dice) == 3, sorted(counts)[-2:] in ([2, 2], [0, 4])
        assert game.data.special_effect(counts) == ("win" if row else "wipe" if pairs else "")
    words = " ".join(describe_game(game))
    assert "A roll with 1-2-3-4 or 2-3-4-5 or 3-4-5-6 wins the game at once" in words
    assert "A roll with 2 alike and 2 alike, or all alike ends the turn and loses" in words


@pytest.mark.parametrize("set_aside", ["free", "all", "all-or-none"])
def test_scoreless_throws_hold_no_die_that_scores(set_aside):
    rules = {
        "name": "ours",
        "dice": 2,
        "singles": {"1": 10},
        "alike": {"2": {"3": 20}},
        "set_aside": set_aside,
        "then.all": "end",
    }
    special = [{"scoreless": True, "points": 5}]
    game = own_game({**rules, "special": special, "target": 100})
    playable = kw.playable(game, objective="points")

    def brings(roll):
        return max(choice.points for choice in playable.choices(playable.position(roll=roll)))

    assert brings("25") == brings("23") == 5
    assert brings("33") == 20
    assert brings("15") == brings("12") == (0 if set_aside == "all-or-none" else 10)  # a die of it scores
    assert any("no scoring die" in line for line in describe_game(game))


def test_players_choose_among_equal_faces_of_unlike_dice():
    rules = {"name": "ours", "faces": 4, "alike": {"3": {"4": 40}}, "set_aside": "all", "target": 100}
    game = own_game({**rules, "die": [{"count": 3}, {"name": "lucky", "weights": [1, 1, 1, 5]}]})
    playable = kw.playable(game, objective="points")
    kept = {choice.keep for choice in playable.choices(playable.position(roll="4 4 4 4-lucky"))}
    assert kept == {("4", "4", "4"), ("4", "4", "4-lucky")}
    assert any("the player chooses which" in line for line in describe_game(game))


@pytest.mark.parametrize(("dice", "sixes", "chance"), [(3, 3, 1 / 216), (3, 2, 0), (8, 5, 1 / 7776)])
def test_the_chance_to_win_at_once_is_that_of_the_dice_chosen(dice, sixes, chance):
    """Best for points are three dice of three; of eight five, which bring 8.04 points as six do and are named first."""
    singles = {str(face): face for face in range(2, 7)}
    told = {"name": "chosen", "dice": dice, "target": 50, "set_aside": "all-or-none", "singles": singles}
    wins = {"throw": ["6"] * sixes, "then": "win"}
    game = own_game({**told, "then": {"set": "end", "dice": "chosen"}, "special": [wins]})
    worth = kw.solve(game, "points", fresh=True).position_value()
    assert worth.extra["wins_at_once"] == pytest.approx(chance, rel=1e-12)


def _points_of_one_die(sides: int, worths: dict[int, int]) -> float:
    """Return the points of a turn of one die by value iteration: a roll of 0 points is rolled again, others bust."""
    best = [float(points) for points in range(400)]
    for points in range(300, -1, -1):
        again = sum(worth == 0 for worth in worths.values())
        on = sum(best[points + worth] for worth in worths.values() if worth) / (sides - again)
        best[points] = max(float(points), on)
    return best[0]


@pytest.mark.parametrize("worths", [{1: 2, 2: 0}, {1: 3, 2: 0, 3: 0, 4: 1}, {1: 1, 2: 0, 3: 4}])
@pytest.mark.parametrize("sides", [5, 8])
def test_a_set_of_no_points_beside_a_roll_that_wins(worths, sides):
    singles = {str(face): points for face, points in worths.items()}
    wins = [{"throw": str(face), "then": "win"} for face, points in worths.items() if points == 0]
    game = own_game({"name": "zero", "dice": 1, "faces": sides, "target": 6, "singles": singles, "special": wins})
    solution = kw.solve(game, "points")
    assert solution.value() == pytest.approx(_points_of_one_die(sides, worths), abs=1e-12)
    check(game, "points", cut=24)
    check(game, "win")


def test_commands_accept_a_set_of_no_points_and_a_winning_roll(tmp_path, run):
    path = tmp_path / "three.toml"
    path.write_text(
        'name = "three"\ndice = 1\nfaces = 3\ntarget = 4\n[singles]\n1 = 2\n2 = 0\n'
        '[[special]]\nthrow = "2"\nthen = "win"\n'
    )
    question = f"--rules {path} --objective points"
    assert "1 die with the faces 1 2 3" in run(f"rules --rules {path}").out
    told = run(
        f"value {question}"
    ).out  # 2/3 of the rolls count: 1 brings 2 points, 3 loses them; 4 points are no better
    assert "1.0 points" in told
    assert "wins at once: 33.3%" in told
    assert "in fractions 1\n" in run(f"value {question} --exact").out
    assert "keep 1, bank 4" in run(f"advise {question} --turn 2 --roll 1").out
    for line in (
        f"solve {question} -o {tmp_path}/x.npz",
        f"export {question} -o {tmp_path}/x.csv",
        f"export {question} --sheet 1",
        f"export {question} -f prism -o {tmp_path}/x.prism",
        f"evaluate {question} --policy hold:2",
        f"simulate {question} --games 50",
        f"certify {question} -o {tmp_path}/x.cert",
        f"verify {tmp_path}/x.cert",
    ):
        assert run(line).status == 0, line


def test_points_are_refused_if_sets_of_no_points_repeat(tmp_path, run):
    path = tmp_path / "twod.toml"
    path.write_text(
        'name = "twod"\ndice = 2\nfaces = 3\ntarget = 6\n[singles]\n1 = 2\n2 = 0\n'
        '[[special]]\nshows = "2"\nthen = "win"\n'
    )
    assert "Objectives: win, turns, reach." in run(f"rules --rules {path}").out
    assert "sets of 0 points could follow each other forever" in run(f"value --rules {path} --objective points").err
    assert run(f"value --rules {path}").status == 0


def test_a_turn_that_passed_the_limit_is_not_a_result():
    playable = kw.playable(kw.load_rules("twenty-one"), objective="points")
    with pytest.raises(kw.InputError, match="a turn cannot score 22 points: a turn with more than 21 points is lost"):
        playable.play_whole_turn(playable.start(), "22")
    with pytest.raises(kw.InputError, match="turn must be at most 21, not 30: a turn with more points is lost"):
        playable.position(turn=30, roll=[3])
    assert playable.payoffs(playable.play_whole_turn(playable.start(), "21")) == (21,)
