"""Turns in which dice are drawn from a cup, against plain enumeration that shares no code with the package."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from cup_reference import ZOMBIE_CUP, Cup, race

import keepwise as kw
from keepwise.games import own_game
from keepwise.solvers import rounding_bounds
from keepwise.util.errors import InputError

ZOMBIE_TURN = 2.259149860603517  # by tests/cup_reference.py; published as 2.259149860603
ENOUGH = 60  # points in one turn of a small cup: more have no part in double precision
RULES = {
    "name": "toy",
    "faces": ["brain", "feet", "shotgun"],
    "set_aside": "cup",
    "target": 3,
    "finish": "last_round",
    "singles": {"brain": 1},
    "die": [
        {"name": "green", "count": 3, "weights": [3, 2, 1]},
        {"name": "red", "count": 2, "weights": [1, 2, 3]},
    ],
    "cup": {"hand": 2, "again": "feet", "bust": "shotgun", "limit": 2},
}
SMALL_CUP = Cup({"g": ("BBBFFS", 3), "r": ("BFFSSS", 2)}, 2, 2)


def small_game(**changes):
    """Return a game with five dice in the cup and two in a hand."""
    return own_game({**RULES, **changes})


def walk(playable, seed, steps):
    """Yield positions of a game that is played at random."""
    generator, position = random.Random(seed), playable.start()
    for _ in range(steps):
        yield position
        stage = playable.stage(position)
        if stage is kw.Stage.TERMINAL:
            return
        options = playable.choices(position) if stage is kw.Stage.DECISION else [*playable.rolls(position)]
        chosen = generator.choice(options)
        position = chosen.after if stage is kw.Stage.DECISION else chosen[1]


def test_a_turn_for_points_is_that_of_plain_enumeration_in_fractions():
    # From 36 points on stopping is best: two green dice bust with 1/36 and bring 1 point on average.
    exact = SMALL_CUP.best_turn(lambda points: points, 0, 37, Fraction)
    solution = kw.solve(small_game(), "points", fresh=True)
    assert solution.value() == pytest.approx(float(exact), abs=1e-13)
    assert abs(solution.value() - float(exact)) <= solution.position_value().error_bound


@pytest.mark.parametrize(("hand", "limit"), [(1, 1), (2, 1), (3, 3)])
def test_other_hands_and_limits_are_those_of_plain_enumeration(hand, limit):
    game = small_game(cup={"hand": hand, "again": "feet", "bust": "shotgun", "limit": limit})
    expected = Cup(SMALL_CUP.dice, hand, limit).best_turn(lambda points: points, 0, ENOUGH)
    assert kw.solve(game, "points", fresh=True).value() == pytest.approx(expected, abs=1e-12)


def test_dice_with_other_numbers_of_sides_are_drawn_alike():
    dice = [{"name": "coin", "count": 2, "weights": [1, 0, 1]}, {"name": "red", "count": 2, "weights": [1, 2, 3]}]
    game = small_game(die=dice)
    expected = Cup({"c": ("BS", 2), "r": ("BFFSSS", 2)}, 2, 2).best_turn(lambda points: points, 0, ENOUGH)
    assert kw.solve(game, "points", fresh=True).value() == pytest.approx(expected, abs=1e-12)


def test_a_race_of_two_is_that_of_plain_value_iteration():
    game = small_game(die=[{**RULES["die"][0], "count": 2}, RULES["die"][1]])
    solution = kw.solve(game, "win", fresh=True)
    cup = Cup({"g": ("BBBFFS", 2), "r": ("BFFSSS", 2)}, 2, 2)
    assert solution.value() == pytest.approx(race(cup, 3, 24), abs=1e-10)


@pytest.mark.slow
def test_the_turn_of_zombie_dice_is_that_of_plain_enumeration():
    game = kw.load_rules("zombie-dice")
    assert len(game.data.states) == 10_516
    solution = kw.solve(game, "points", fresh=True)
    assert solution.value() == pytest.approx(ZOMBIE_TURN, abs=1e-12)
    assert Cup(ZOMBIE_CUP, 3, 3).best_turn(lambda points: points, 0, 45) == pytest.approx(ZOMBIE_TURN, abs=1e-6)


def test_a_limit_is_evaluated_as_it_is_simulated():
    generator, turns = random.Random(7), 20_000
    points = [SMALL_CUP.hold_turn(2, generator) for _ in range(turns)]
    mean = sum(points) / turns
    deviation = (sum((each - mean) ** 2 for each in points) / turns) ** 0.5
    evaluated = kw.solve(small_game(), "points").evaluate("hold:2")
    assert evaluated.value == pytest.approx(mean, abs=4 * deviation / turns**0.5)


def test_positions_of_a_game_at_random_are_read_back_from_their_ids():
    playable = kw.playable(small_game(), objective="win", players=2)
    ended = 0
    for seed in range(12):
        for position in walk(playable, seed, 400):
            if playable.stage(position) is kw.Stage.TERMINAL:
                ended += 1
                assert sum(playable.payoffs(position)) == 1
            else:
                assert playable.from_id(playable.id(position)) == position
                assert playable.position(**playable.to_dict(position)) == position
    assert ended == 12


def test_brains_go_back_once_the_cup_is_short_of_dice():
    playable = kw.playable(kw.load_rules("zombie-dice"), objective="points")
    before = {"brains": "5 green 4 yellow", "shotguns": "red red"}  # a green and a red die are left: one too few
    position = playable.position(**before, throwing=True)
    assert playable.to_dict(position) == {"score": 0, "shotguns": ["red"] * 2, "turn": 9, "throwing": True}
    assert playable.note(position) == "In the cup: 6 green 4 yellow 1 red."
    with_feet = playable.position(**before, feet="green")  # two dice are needed, and one is in the cup
    assert with_feet.turn == 9
    assert with_feet.scored == (0, 0, 0)
    enough = playable.position(brains="4 green 3 yellow", feet="green", shotguns="red")
    assert enough.scored == (4, 3, 0)


def test_a_roll_sets_aside_what_it_shows():
    playable = kw.playable(kw.load_rules("zombie-dice"), objective="points")
    position = playable.position(brains="green", shotguns="red", feet="yellow", roll="gb, yf, rs")
    bank, roll = playable.choices(position)
    assert (bank.action, bank.points) == ("bank 2", 2)
    assert roll.action == "roll 3 dice"
    after = playable.to_dict(roll.after)
    assert after == {
        "score": 0,
        "brains": ["green", "green"],
        "feet": ["yellow"],
        "shotguns": ["red", "red"],
        "throwing": True,
    }
    (end,) = playable.choices(playable.position(shotguns="red yellow", feet="green", roll="green-shotgun gb gf"))
    assert end.kind is kw.ChoiceKind.BUST


def test_the_chance_to_bust_is_that_of_plain_enumeration():
    playable = kw.playable(small_game(), objective="points")
    results = SMALL_CUP.results(("g", "r", "g"))
    position = playable.position(brains="green", feet="red", shotguns="green", throwing=True)
    assert playable.mishap_probability(position) == results[None, 0]


def test_rules_in_words(run):
    text = run("rules --rules zombie-dice").out
    for line in (
        "13 dice in a cup: 6 green, 4 yellow and 3 red.",
        "green dice have brain on 3 sides of 6, feet on 2, shotgun on 1.",
        "3 shotgun in a turn end it without points.",
    ):
        assert line in text


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"brains": "4 red"}, "4 red dice are on the table, but there are 3"),
        ({"shotguns": "red red red"}, "end the turn: at most 2"),
        ({"brains": "2 green 1 red", "turn": 2}, "score 3 already"),
        ({"brains": "2 green 1 red", "turn": 4}, "add the dice that lie aside"),
        ({"brains": "green"}, "no turn leads to these dice"),
        ({"turn": 5000}, "turn must be at most 200, not 5000"),
        ({"brains": "2 green", "feet": "red", "roll": "gb gb gb"}, "must include the 1 red dice"),
        ({"brains": "2 red", "feet": "red", "roll": "rb rb rb"}, "3 red dice, but only 1 could be rolled"),
        ({"roll": "gb gb"}, "expected 3 dice, got 2"),
        ({"roll": "gb gb gb", "throwing": True}, "throwing cannot be combined with a roll"),
    ],
)
def test_positions_that_cannot_occur_are_refused(fields, message):
    playable = kw.playable(kw.load_rules("zombie-dice"), objective="points")
    with pytest.raises(InputError, match=message):
        playable.position(**fields)


def test_certificates_are_refused(refused):
    refused("certificates do not support set_aside=cup", "certify --rules zombie-dice -o x")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alike": {"3": {"brain": 3}}}, "alike cannot be combined with set_aside=cup"),
        ({"stop.opening": 2}, "stop.opening cannot be combined"),
        ({"finish": "exact"}, "requires finish=at_least or last_round, not exact"),
        ({"faces": ["brain", "feet", "shotgun", "cup"], "die": [], "dice": 5}, "requires 3 faces"),
        ({"die": [], "dice": 5}, "requires [[die]] entries"),
        ({"die": [{"count": 5, "weights": [3, 2, 1]}]}, "the dice of a cup need names"),
        ({"die": [{"name": "a", "count": 5, "weights": [0, 2, 1]}]}, "no die shows brain"),
        ({"die": [{"name": "a", "count": 5, "weights": [3, 2, 0]}]}, "every die needs a side with shotgun"),
        ({"die": [{"name": "a", "count": 2, "weights": [3, 2, 1]}]}, "a cup of 2 dice is too small"),
        ({"singles": {"brain": 1, "feet": 1}}, "feet cannot score"),
        ({"singles": {}}, "brain = 1 in [singles]"),
        ({"singles": {"brian": 1}}, "did you mean brain"),
        ({"cup": {"hand": 2, "again": "feet", "bust": "feet", "limit": 2}}, "must be two faces"),
        ({"cup": {"hand": 2, "again": "foot", "bust": "shotgun", "limit": 2}}, "must name a face"),
        ({"cup": {"hand": 2, "again": "feet", "bust": "shotgun", "limit": 3}}, "at most the hand of 2"),
        ({"cup": {"hand": 2, "again": "feet", "bust": "shotgun"}}, "limit"),
        ({"set_aside": "free"}, "requires set_aside=cup"),
    ],
)
def test_rules_that_make_no_game_are_refused(changes, message):
    with pytest.raises(InputError, match=message.replace("[", r"\[").replace("]", r"\]")):
        own_game({**RULES, **changes})


def test_rounding_errors_of_many_modes_are_computed_alike_by_arrays(monkeypatch):
    turn = small_game().data.turn
    one_by_one = rounding_bounds.turn_rounding_bound.__wrapped__(turn, 20)
    monkeypatch.setattr(rounding_bounds, "MODES_BY_ARRAYS", 1)
    assert rounding_bounds.turn_rounding_bound.__wrapped__(turn, 20) == pytest.approx(one_by_one, rel=1e-12)
