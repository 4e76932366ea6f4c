"""Turns in which dice are drawn from a cup, against plain enumeration that shares no code with the package."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from cup_reference import ZOMBIE_CUP, Cup, race
from referee_checks import check

import keepwise as kw
from keepwise.certify import exact_values
from keepwise.games import own_game
from keepwise.games.cup_rules import CupRules
from keepwise.solvers import make_problem
from keepwise.solvers.push import multiplayer_problem as push_problem
from keepwise.solvers.push.points import stopping_level
from keepwise.solvers.rounding_bounds import turn_rounding_bound
from keepwise.turns.push_turn import PushTurn
from keepwise.turns.single_choice_turn import SingleChoiceClasses, SingleChoiceTurn
from keepwise.util.errors import InputError

ZOMBIE_TURN = 2.259149860603517  # by tests/helpers/cup_reference.py; published as 2.259149860603
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


def test_a_turn_for_points_agrees_with_enumeration_in_fractions():
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


def test_positions_of_random_games_are_read_back_from_their_ids():
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


def test_cup_rolls_set_aside_their_dice():
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
        "green dice: brain on 3 of 6 sides, feet on 2, shotgun on 1.",
        "3 dice that show shotgun end the turn without points.",
    ):
        assert line in text


def test_rules_are_printed_without_compiling_the_turn(run, monkeypatch):
    monkeypatch.setattr(CupRules, "compile_turn", lambda rules: pytest.fail("the turn was compiled"))
    out = run("rules zombies --rule target=17").out
    assert "Zombie Dice (zombie-dice)" in out


def test_the_shipped_table_to_win_is_read_at_once():
    solution = kw.solve(kw.load_rules("zombie-dice"), "win")
    assert solution.value_table.arrays["win"][0, 0] == pytest.approx(0.5592051116281141, abs=1e-12)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"brains": "4 red"}, "4 red dice are on the table, but there are 3"),
        ({"shotguns": "red red red"}, "end the turn: shotguns must list fewer, not 3"),
        ({"brains": "2 green 1 red", "turn": 2}, "score 3 already"),
        ({"brains": "2 green 1 red", "turn": 4}, "give the dice that showed brain with brains"),
        ({"brains": "green"}, "no turn leads to these dice"),
        ({"turn": 5000}, "turn must be at most 200, not 5000"),
        (
            {"brains": "2 green", "feet": "red", "roll": "gb gb gb"},
            "must include the red dice that are rolled again, at least 1, not 0",
        ),
        ({"brains": "2 red", "feet": "red", "roll": "rb rb rb"}, "at most 1 red dice, not 3"),
        ({"roll": "gb gb"}, "expected 3 dice, got 2"),
        ({"roll": "gb gb gb", "throwing": True}, "throwing cannot be combined with roll"),
    ],
)
def test_positions_that_cannot_occur_are_refused(fields, message):
    playable = kw.playable(kw.load_rules("zombie-dice"), objective="points")
    with pytest.raises(InputError, match=message):
        playable.position(**fields)


def test_exact_points_of_zombie_dice_are_refused_at_once(monkeypatch):
    """Its turn has more roll classes than the referee may follow steps; to prove a truncation takes minutes."""
    monkeypatch.setattr(exact_values, "PushPointsProver", lambda _: pytest.fail("a proof was begun"))
    solution = kw.solve(kw.load_rules("zombie-dice"), "points")
    with pytest.raises(InputError, match=r"too large for exact fractions: a turn has \d+,\d+ roll classes; the limit"):
        solution.position_value(exact=True)


def test_certificates_are_refused(refused):
    refused(
        "certificates do not support set_aside=cup, because the format has no turns in which dice are drawn",
        "certify --rules zombie-dice -o x",
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alike": {"3": {"brain": 3}}}, "alike cannot be combined with set_aside=cup"),
        ({"stop.opening": 2}, "stop.opening cannot be combined"),
        ({"finish": "exact"}, "finish must be at_least or last_round with set_aside=cup, not exact"),
        ({"faces": ["brain", "feet", "shotgun", "cup"], "die": [], "dice": 5}, "requires 3 faces"),
        ({"die": [], "dice": 5}, "requires [[die]] entries"),
        ({"die": [{"count": 5, "weights": [3, 2, 1]}]}, "the dice of a cup need names"),
        ({"die": [{"name": "a", "count": 5, "weights": [0, 2, 1]}]}, "no die shows brain"),
        ({"die": [{"name": "a", "count": 5, "weights": [3, 2, 0]}]}, "every die needs a side with shotgun"),
        ({"die": [{"name": "a", "count": 2, "weights": [3, 2, 1]}]}, "a cup of 2 dice is too small"),
        ({"singles": {"brain": 1, "feet": 1}}, "feet cannot score"),
        ({"singles": {}}, "brain = 1 in [singles]"),
        ({"singles": {"brian": 1}}, "did you mean brain"),
        ({"cup": {"hand": 2, "again": "feet", "bust": "feet", "limit": 2}}, "must be two different faces"),
        ({"cup": {"hand": 2, "again": "foot", "bust": "shotgun", "limit": 2}}, "must name a face"),
        ({"cup": {"hand": 2, "again": "feet", "bust": "shotgun", "limit": 3}}, "at most the hand of 2"),
        ({"cup": {"hand": 2, "again": "feet", "bust": "shotgun"}}, "limit"),
        ({"set_aside": "free"}, "requires set_aside=cup"),
    ],
)
def test_rules_that_make_no_game_are_refused(changes, message):
    with pytest.raises(InputError, match=message.replace("[", r"\[").replace("]", r"\]")):
        own_game({**RULES, **changes})


@pytest.mark.parametrize("cap", [5, 20, 90])  # 90: the kernel's table holds a window of the rows
def test_a_turn_of_arrays_is_that_of_its_modes_as_objects(cap):
    turn = small_game(cup={"hand": 2, "again": "feet", "bust": "shotgun", "limit": 2}).data.turn
    by_objects = PushTurn(turn.modes, turn.groups, turn.start, turn.special_count)
    earlier = [mode for mode in turn.groups[0] if "shotgun" in turn.modes[mode].name]
    later = [mode for mode in turn.groups[0] if "shotgun" not in turn.modes[mode].name]
    in_two_groups = PushTurn(turn.modes, (earlier, later), turn.start, turn.special_count)
    lanes = np.arange(1, 12)
    payoff = np.stack([np.append([0.0, 0, 0], np.arange(cap + 1.0) ** (1 + 1 / lane)) for lane in lanes], axis=1)[None]
    caps = (cap - lanes % 4).astype(np.int32)
    solved = turn.solve(payoff, caps, inner=True, decisions=True)
    for other in (by_objects, in_two_groups):
        expected = other.solve(payoff, caps, inner=True, decisions=True)
        for part in ("value", "inner", "decisions"):
            assert np.array_equal(getattr(solved, part), getattr(expected, part))
    assert turn.rolls_per_point == by_objects.rolls_per_point
    assert turn.riskless_modes == by_objects.riskless_modes
    assert turn.class_choices == by_objects.class_choices
    assert stopping_level(turn) == stopping_level(by_objects)
    assert turn_rounding_bound(turn, cap) == pytest.approx(turn_rounding_bound(by_objects, cap), rel=1e-12)


def test_weights_beyond_64_bits_are_summed_exactly():
    dice = [
        {"name": "green", "count": 3, "weights": [10_000, 9_999, 4]},
        {"name": "red", "count": 2, "weights": [9_973, 9_000, 1]},
    ]
    rules = small_game(die=dice, cup={"hand": 3, "again": "feet", "bust": "shotgun", "limit": 3}).data
    first_mode = rules.turn.modes[rules.turn.start]
    total = sum(rules.side_weights[0])
    assert sum(weight for _, weight in first_mode.rolls[0].classes) == math.comb(5, 3) * total**3
    assert total**3 > 2**64


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"order": [0, 0]}, "every mode once"),
        ({"weight": [1, 0]}, "positive whole weight"),
        ({"next_mode": [1, 0]}, "could form a cycle"),
    ],
)
def test_arrays_that_make_no_turn_are_refused(broken, message):
    arrays = {"order": [0, 1], "start": [0, 1, 2], "next_mode": [-1, -1], "added": [0, 0], "weight": [1, 1], **broken}
    order, *classes = (np.array(arrays[name]) for name in ("order", "start", "next_mode", "added", "weight"))
    with pytest.raises(ValueError, match=message):
        SingleChoiceTurn(SingleChoiceClasses(*classes), order, 0, 3)


# --- three players and more


def count_table_entries(playable_game, players, monkeypatch):
    """Return the choices that a solve weighs, counted for each channel and number of turn points; last turns twice."""
    counted = list[float]()
    solve = SingleChoiceTurn.solve

    def counting(turn, payoff, caps, **options):
        copies = push_problem.INNER_VALUES_SLOWDOWN if options.get("inner") and payoff.shape[1] > 4 else 1
        counted.append(copies * len(payoff) * int(caps.sum()) * turn.choice_count)
        return solve(turn, payoff, caps, **options)

    problem = make_problem(playable_game, "win", players)
    estimated = problem.estimate_cost(1).seconds / push_problem.SECONDS_PER_TABLE_ENTRY
    monkeypatch.setattr(SingleChoiceTurn, "solve", counting)
    shares = list[float]()
    problem.solve(1, shares.append)
    return estimated, sum(counted), shares


@pytest.mark.parametrize(("target", "players"), [(4, 3), (8, 3), (3, 4)])
def test_the_estimate_for_more_players_counts_operations(target, players, monkeypatch):
    estimated, counted, shares = count_table_entries(small_game(target=target), players, monkeypatch)
    assert counted / 2 < estimated < 2 * counted
    assert shares == sorted(shares)
    assert 0 < shares[0] <= 0.05  # last turns are reported, too
    assert shares[-1] == pytest.approx(1)


def test_zombie_dice_for_four_is_refused_and_for_three_announced(run):
    refused = run("value zombie-dice --players 4")
    assert refused.status == 2
    assert "the limit is an hour" in refused.err
    assert "--anyway" in refused.err
    cost = make_problem(kw.load_rules("zombie-dice"), "win", 3).estimate_cost(2)
    assert 5 * 60 < cost.seconds < 20 * 60  # measured: about 12 minutes of one processor
    assert not cost.is_too_much


def test_a_race_of_three_equals_the_referee():
    dice = [{**RULES["die"][0], "count": 2}, {**RULES["die"][1], "count": 1}]
    assert check(small_game(target=2, finish="at_least", die=dice), "win", players=3, rolls=50) > 0
