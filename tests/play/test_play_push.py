"""Push-your-luck games as they are played: walked at random, and what is said of what cannot be."""

from __future__ import annotations

import random
import re

import pytest
import subjects
from playwalk import refused, walk

import keepwise as kw
from keepwise.games import own_game
from keepwise.games.rulefile.description import describe_game

GAMES = [
    ("5000", {"target": 1000}, 2),
    ("5000", {"target": 800, "finish": "last_round"}, 3),
    ("5000", {"target": 700, "finish": "exact"}, 2),
    ("beartrap", {"target": 2000}, 4),
    ("farkle", {"target": 1500, "hot_dice": "must"}, 2),
    ("pig", {"target": 20}, 2),
    ("pig", {"faces": 2, "points": "one", "target": 3}, 5),
]


@pytest.mark.parametrize(("game", "rules", "players"), GAMES)
def test_walks(game, rules, players):
    playable = kw.playable(kw.game(game, **rules), players)
    assert any(playable.stage(position) == "over" for position in walk(playable, 1, 3))


@pytest.mark.cases(fast=3)
@pytest.mark.parametrize(("game", "rules", "players"), GAMES)
def test_choices_state_the_points_and_dice_after_them(game, rules, players):
    playable, told = kw.playable(kw.game(game, **rules), players), set()
    for position in walk(playable, 3, 3):
        for choice in playable.choices(position) if playable.stage(position) == "choose" else ():
            after, lead = choice.after, (0, 0)
            if choice.follow_up == "roll":
                lead = after.turn, after.dice
            elif choice.follow_up == "bank":
                lead = after.scores[position.seat] - position.score, 0
            elif choice.follow_up == "stop":
                assert after.scores[position.seat] == position.score
                lead = choice.points, 0
            assert (choice.points, choice.dice_left) == lead
            told.add(choice.follow_up)
    assert {"roll", "bank", "end"} <= told


def test_a_roll_that_ends_the_turn_leaves_no_points_and_no_dice():
    special = [{"throw": throw, "then": effect} for throw, effect in (("22", "win"), ("33", "bust"), ("44", "wipe"))]
    rules = {"name": "ends", "dice": 2, "faces": 4, "singles": {"1": 1}, "target": 9, "special": special}
    playable = kw.playable(own_game(rules))
    for roll in ("22", "33", "44"):
        (only,) = playable.choices(playable.position(turn=2, roll=roll))
        assert (only.points, only.dice_left) == (0, 0)


@pytest.mark.parametrize(
    ("score", "floor", "words"),
    [
        (0, 0, "without points, 2 busts in a row (the cost is 5, but the score can go no lower)"),
        (3, 0, "and costs 3 points, 2 busts in a row (the cost is 5, but the score can go no lower)"),
        (6, 0, "and costs 5 points, 2 busts in a row"),
        (0, -9, "and costs 5 points, 2 busts in a row"),
    ],
)
def test_a_bust_says_what_it_takes_from_the_score(score, floor, words):
    bust = {"costs": [0, 5], "floor": floor}
    rules = {"name": "costly", "dice": 1, "faces": 4, "singles": {"1": 1}, "target": 9, "bust": bust}
    playable = kw.playable(own_game(rules))
    position = playable.position(score=score, roll="4", busts=1)
    (only,) = playable.choices(position)
    assert only.action == f"bust: the turn ends {words}"
    assert only.after.scores[0] == max(floor, score - 5)


def test_a_whole_turn_says_what_its_bust_costs():
    rules = {"name": "costly", "dice": 1, "faces": 4, "singles": {"1": 1}, "target": 9, "bust": {"costs": [0, 5]}}
    playable = kw.playable(own_game(rules))
    assert playable.explain_result(playable.position(score=6), "bust") == ""
    assert playable.explain_result(playable.position(score=6, busts=1), "0") == "costs 5 points, 2 busts in a row"
    assert playable.explain_result(playable.position(score=6, busts=1), "3") == ""


def test_rules_say_what_a_lost_score_means_later():
    """The opening and the count of busts after a wipe, as docs/rules.md has them."""
    special = [{"throw": "4", "then": "wipe"}]
    limits = {"stop": {"opening": 3, "below": "must"}, "bust": {"costs": [0, 5]}}
    rules = {"name": "costly", "dice": 1, "faces": 4, "singles": {"1": 1}, "target": 9, "special": special, **limits}
    lines = [*describe_game(own_game(rules))]
    assert "A player whose score falls back to 0 needs 3 points again." in lines
    assert "A roll that loses the whole score starts the count of busts again." in lines


@pytest.mark.parametrize("objective", ["points", "turns", "reach"])
def test_walks_alone(objective):
    more = {"goal": 700, "turns": 2} if objective == "reach" else {}
    playable = kw.playable(kw.game("5000", target=1000), 1, objective=objective, **more)
    for position in walk(playable, 2, 2):
        if playable.stage(position) == "over":
            assert len(playable.payoffs(position)) == 1


def test_push_position_refuses_impossible_fields():
    playable = kw.playable("5000")
    assert "the nearest possible value is 200" in refused(playable, turn=75 * 2, dice=1)
    assert "throwing cannot be combined with roll" in refused(playable, turn=300, roll="11532", throwing=True)
    assert "unknown field 'forced'" in refused(playable, turn=300, dice=5, forced=True)
    assert "first bank" in refused(playable, score=100)
    assert "1 score" in refused(playable, opponents=[500, 600])


def test_wipes_end_as_busts_only_from_a_score_of_zero():
    """Turns with one key end alike; a throw that loses the score ends where a bust does from 0 points only."""
    rules = {"name": "ours", "dice": 2, "target": 30, "singles": {"2": 2}}
    rules |= {"special": [{"throw": "11", "then": "wipe"}]}
    playable = kw.playable(own_game(rules), 2, objective="win")
    keys = [playable.turn_key(playable.turn_start((score, 4), 0, 0)) for score in (0, 2, 6)]
    assert keys[0] != keys[1] == keys[2]


def test_roll_at_equals_the_listed_rolls():
    playable, hog = kw.playable("5000"), kw.playable(kw.load_rules("hog"))
    for one, thrown in ((playable, playable.start()), (hog, hog.choices(hog.start())[3].after)):
        falls = [after for _, after in one.rolls(thrown)]
        assert [one.roll_at(thrown, number) for number in range(len(falls))] == falls


def test_describe_progress_states_the_turns_left():
    playable = kw.playable("pig", objective="reach", turns=3)
    told = [playable.describe_progress(playable.position(turns_left=count)) for count in (1, 2, 3)]
    assert told == ["1 turn left", "2 turns left", "3 turns left"]
    assert playable.describe_progress(kw.playable("pig").start()) == ""


@pytest.mark.parametrize("objective", ["win", "points", "turns"])
def test_dice_field_is_optional_with_one_die(objective):
    playable = kw.playable("pig", objective=objective)
    assert playable.position(score=20, turn=15) == playable.position(score=20, turn=15, dice=1)
    assert "turn cannot be 1 before a roll of 1 die; the nearest possible values are 0 and 2" in refused(
        playable, turn=1
    )


@pytest.mark.cases(fast=10)
@pytest.mark.parametrize(
    "subject",
    [
        one
        for one in subjects.games()
        if not one.changes and hasattr(one.game.data, "patterns") and "points" in one.game.objectives
    ],
    ids=str,
)
def test_the_only_dice_that_can_be_thrown_are_taken(subject):
    """Dice that are left out are the only ones that can be thrown, or are asked for."""
    playable, rng = kw.playable(subject.game, objective="points"), random.Random(str(subject))
    met = [position for _ in range(10) for position in subjects.played(playable, rng)]
    before = [one for one in met if one.turn and one.roll is None and not one.forced]
    for position in before:
        told = {name: value for name, value in playable.to_dict(position).items() if name != "dice"}
        if message := refusal_of(playable, **told):
            assert re.fullmatch(r"turn \d+ also requires roll, or dice \(the (number of )?dice to roll next\)", message)
            assert playable.rules.dice > 1
        else:
            assert playable.position(**told).dice == position.dice


def refusal_of(playable, **told):
    try:
        playable.position(**told)
    except kw.InputError as error:
        return str(error)
    return ""
