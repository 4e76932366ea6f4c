"""Beartrap against enumeration, the rules' own examples, and the exact finish; last rounds in every race."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
import reference

import keepwise as kw
from keepwise.play.position_fields import parse_dice

RULE_SETS = {
    "default": {},
    "opening": {"opening": 500},
    "minimum": {"opening": 500, "minimum": 200},
    "at_least": {"finish": "at_least"},
    "all": {"set_aside": "all"},
    "all, at_least": {"set_aside": "all", "finish": "at_least"},
    "no straight": {"straight": 0},
    "straight": {"straight": 600},
    "five ones score": {"five_ones": "points"},
    "doubling": {"kinds": "doubling"},
}


def counts(rules, dice):
    """How often each face shows."""
    shown = parse_dice(dice, rules.faces)
    return tuple(shown.count(face) for face in rules.faces)


def both(target: int, **options):
    game = kw.game("beartrap", target=target, **options)
    rules = game.rules
    plain = reference.Rules(
        target=target,
        opening=rules["opening"],
        minimum=rules["minimum"],
        minimum_on_win=rules["finish"] != "exact",
        exact=rules["finish"] == "exact",
        last_round=rules["finish"] == "last_round",
        take_all=rules["set_aside"] == "all",
        straight=rules["straight"],
        doubling=rules["kinds"] == "doubling",
        five_ones=rules["five_ones"] == "win",
    )
    return game, plain


@pytest.mark.cases(fast=1, slow=5)
@pytest.mark.parametrize("options", RULE_SETS.values(), ids=RULE_SETS)
def test_win_equals_enumeration(options):
    game, plain = both(900, **options)
    solution = kw.solve(game, "win", fresh=True)
    expected = reference.win_chances(plain, 50)
    for i, score in enumerate(solution.value_table.arrays["scores"].tolist()):
        for j, opponent in enumerate(solution.value_table.arrays["scores"].tolist()):
            exact = float(expected[score, opponent])
            assert abs(solution.value_table.arrays["win"][i, j] - exact) <= min(1e-12, solution.error_bound)


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("options", RULE_SETS.values(), ids=RULE_SETS)
def test_turns_and_reach_equal_enumeration(options):
    game, plain = both(900, **options)
    turns = kw.solve(game, "turns", fresh=True)
    for score, exact in reference.fewest_turns(plain, 50).items():
        if score in turns.value_table.arrays["scores"]:
            assert abs(turns.value(score=score) - float(exact)) <= min(1e-11, turns.error_bound)
    reach = kw.solve(game, "reach", turns=3, fresh=True)
    for score, exact in reference.reach_chances(plain, 50, 900, 3).items():
        if score in reach.value_table.arrays["scores"]:
            assert abs(reach.value(score=score) - float(exact)) <= min(1e-12, reach.error_bound)


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("options", RULE_SETS.values(), ids=RULE_SETS)
def test_points_score_five_ones_as_dice(options):
    game, plain = both(10_000, **options)
    solution = kw.solve(game, "points", fresh=True)
    ordinary = reference.Rules(**{**vars(plain), "exact": False, "five_ones": False})
    for opened in (False, True):
        expected = float(reference.turn_points(ordinary, opened, 6000))
        assert abs(solution.value_table.arrays["points"][int(opened)] - expected) <= solution.error_bound <= 1e-8


def test_value_states_the_probability_to_win_at_once(run):
    answer = json.loads(run("value beartrap --objective points --json").out)
    # At least the first throw's 1/7776, and little more: the other throws of five come after all five dice scored.
    assert 1 / 7776 < answer["wins_at_once"] < 2 / 7776
    assert "wins_at_once" not in json.loads(run("value beartrap --objective points --rule five_ones=points --json").out)


LAST_ROUNDS = {
    "beartrap": ("beartrap", {"opening": 200, "five_ones": "points", "straight": 0}),
    "5000": ("5000", {"target": 250, "opening": 250, "minimum": 150}),
    "beartrap, five ones": ("beartrap", {"target": 100, "opening": 0}),
}


@pytest.mark.cases(slow=2)
@pytest.mark.parametrize(("game_id", "options"), LAST_ROUNDS.values(), ids=LAST_ROUNDS)
def test_last_round_equals_enumeration(game_id, options):
    game = kw.game(game_id, **{"target": 200, **options}, finish="last_round")
    solution = kw.solve(game, "win", fresh=True)
    rules = game.rules
    plain = reference.Rules(
        target=rules["target"],
        opening=rules["opening"],
        minimum=rules["minimum"],
        straight=rules["straight"],
        five_ones=rules.get("five_ones") == "win",
        last_round=True,
    )
    # Whoever holds 1,500 points would be beaten by the last turn with a chance that is lost in the comparison.
    expected = reference.last_round_chances(plain, 50, 1500)
    worst = max(
        abs(solution.value(score=score, opponents=[opponent]) - expected[score, opponent])
        for score in solution.value_table.arrays["scores"].tolist()
        for opponent in solution.value_table.arrays["scores"].tolist()
    )
    assert worst < 1e-9
    assert solution.error_bound < 1e-11
    total = rules["target"] + 150
    last = solution.value(score=0, opponents=[total])
    assert last == pytest.approx(reference.last_turn(plain, 0, total, 10**6), abs=1e-12)


@pytest.mark.slow
def test_a_last_round_helps_the_second_player():
    for game_id in ("5000", "farkle"):
        at_once = kw.solve(kw.game(game_id, target=2000), "win", fresh=True).value()
        last_round = kw.solve(kw.game(game_id, target=2000, finish="last_round"), "win", fresh=True).value()
        assert last_round < at_once


def test_sets_of_the_source():
    rules = kw.game("beartrap").data
    best = {"44451": 550, "11224": 200, "12345": 1000, "23456": 1000, "11114": 1100, "66662": 600}
    for roll, points in best.items():
        assert max(rules.set_points(taken) for taken in rules.sets_of(counts(rules, roll))) == points
    taken = {rules.set_points(part) for part in rules.sets_of(counts(rules, "12345"))}
    assert taken == {1000, 150, 100, 50}, "the 1 and the 5 of a straight may be taken at their own value"


def test_two_ones_and_then_one_make_300(run):
    first = json.loads(run("advise beartrap --roll 11224 --json").out)
    assert ["1", "1"] in [choice["keep"] for choice in first["choices"]]
    then = json.loads(run("advise beartrap --turn 200 --roll 134 --json").out)
    assert {choice["points"] for choice in then["choices"]} == {300}


def test_five_ones_win_before_the_opening_too(run):
    for position in ("--roll 11111", "--score 9950 --opponents 9950 --roll 11111", "--turn 550 --roll 11111"):
        answer = json.loads(run(f"advise beartrap {position} --json").out)
        assert [(choice["then"], choice["value"]) for choice in answer["choices"]] == [("win", 1.0)]
    points = json.loads(run("advise beartrap --objective points --roll 11111 --json").out)
    assert points["choices"][0]["points"] == 1200


def test_opening_of_700(run):
    below = json.loads(run("advise beartrap --turn 600 --roll 522 --json").out)["choices"]
    assert {choice["then"] for choice in below if choice["points"] == 650} == {"stop", "roll"}
    enough = json.loads(run("advise beartrap --turn 600 --roll 122 --json").out)["choices"]
    assert {choice["then"] for choice in enough if choice["points"] == 700} == {"bank", "roll"}


def test_at_9950_only_a_single_five_helps(run):
    solution = kw.solve("beartrap")
    for roll, keeps in {"15532": {("5",)}, "13312": set(), "11234": set(), "55512": {("5",)}, "22234": set()}.items():
        choices = solution.advise(score=9950, opponents=[5000], roll=roll).choices
        assert {choice.keep for choice in choices if choice.follow_up != "end"} == keeps
    turns = kw.solve("beartrap", "turns")
    # Alone: a turn succeeds where a 5 can be taken by itself: 1 - (5/6)^5, five 1s besides.
    success = 1 - Fraction(5, 6) ** 5 + Fraction(1, 7776)
    assert abs(turns.value(score=9950) - float(1 / success)) <= turns.error_bound


def test_taking_less_can_be_better():
    """At 9,800, 1 1 wins at once; holding 100 with a 1 and a 5 thrown, the 5 alone leaves 50 to a fresh die."""
    solution = kw.solve("beartrap", "turns")
    found = False
    for score in range(9000, 10_000, 50):
        for roll in ("11532", "15532", "11552", "15234"):
            choices = solution.advise(score=score, roll=roll).choices
            most = max(choice.points for choice in choices)
            found |= choices[0].points < most and choices[0].follow_up == "roll"
    assert found


@pytest.mark.slow
def test_an_exact_finish_is_harder_and_five_ones_help():
    def turns(**options):
        return kw.solve(kw.game("beartrap", target=3000, **options), "turns", fresh=True).value()

    assert turns() > turns(finish="at_least")
    assert turns(five_ones="points") > turns()
    assert turns(straight=0) > turns()
    assert turns(opening=900) > turns() > turns(opening=300)
    assert turns(minimum=200) > turns()
    assert turns(set_aside="all") > turns()
    assert turns(kinds="doubling") < turns()


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("value beartrap --score 725", "must be a multiple of 50"),
        ("value beartrap --score 650", "at least 700"),
        ("value beartrap --score 10000", "must be below the target"),
        ("value beartrap --opponents 10000", "must be below the target"),
        ("value beartrap --rule straight=975", "multiple of 50"),
        ("value beartrap --rule five_ones=no", "unknown value"),
    ],
)
def test_bad_input(run, command, says):
    answer = run(command)
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert says in answer.err
