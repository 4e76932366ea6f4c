"""5000 against an independent enumeration in fractions, the rules' own examples, and simulation."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import reference

import keepwise as kw
from keepwise.play.position_fields import parse_dice
from keepwise.solvers.push.model import RaceModel
from keepwise.solvers.push.race_solver import solve_race
from keepwise.solvers.push.states import States

GRAIN = 50
# Every option once, alone and together with others, on a target that plain Python can enumerate.
RULE_SETS = {
    "default": {},
    "target": {"target": 750},
    "opening": {"opening": 350},
    "no opening": {"opening": 0, "minimum": 150},
    "no minimum": {"minimum": 0, "opening": 350},
    "minimum_on_win": {"minimum_on_win": False},
    "exact": {"finish": "exact"},
    "all": {"set_aside": "all"},
    "straight": {"straight": 700},
    "small straight": {"straight": 100, "set_aside": "all"},
    "doubling": {"kinds": "doubling"},
    "exact, all": {"finish": "exact", "set_aside": "all"},
    "many": {"kinds": "doubling", "straight": 450, "minimum_on_win": False, "minimum": 150, "opening": 400},
}


def counts(rules, dice):
    """How often each face shows."""
    shown = parse_dice(dice, rules.faces)
    return tuple(shown.count(face) for face in rules.faces)


def both(**options):
    """The engine's game and the reference's rules."""
    game = kw.game("5000", **options)
    rules = game.rules
    plain = reference.Rules(
        target=rules["target"],
        opening=rules["opening"],
        minimum=rules["minimum"],
        minimum_on_win=rules["minimum_on_win"],
        exact=rules["finish"] == "exact",
        take_all=rules["set_aside"] == "all",
        straight=rules["straight"],
        doubling=rules["kinds"] == "doubling",
    )
    return game, plain


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("options", RULE_SETS.values(), ids=RULE_SETS)
def test_win_equals_enumeration(options):
    game, plain = both(**{"target": 700, **options})
    solution = kw.solve(game, "win", fresh=True)
    expected = reference.win_chances(plain, GRAIN)
    scores = solution.value_table.arrays["scores"]
    assert set(scores.tolist()) <= {score for score, _ in expected}
    for i, score in enumerate(scores.tolist()):
        for j, opponent in enumerate(scores.tolist()):
            exact = float(expected[score, opponent])
            assert abs(solution.value_table.arrays["win"][i, j] - exact) <= min(1e-12, solution.error_bound)


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("options", RULE_SETS.values(), ids=RULE_SETS)
def test_turns_equal_enumeration(options):
    game, plain = both(**{"target": 1000, **options})
    solution = kw.solve(game, "turns", fresh=True)
    expected = reference.fewest_turns(plain, GRAIN)
    for score in solution.value_table.arrays["scores"].tolist():
        assert abs(solution.value(score=score) - float(expected[score])) <= min(1e-12, solution.error_bound)


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("options", RULE_SETS.values(), ids=RULE_SETS)
def test_points_equal_enumeration(options):
    game, plain = both(**options)
    solution = kw.solve(game, "points", fresh=True)
    for opened in (False, True):
        # No target: an exact finish forbids nothing here.
        expected = reference.turn_points(reference.Rules(**{**vars(plain), "exact": False}), opened, 5000)
        value = solution.value_table.arrays["points"][int(opened)]
        assert abs(value - float(expected)) <= solution.error_bound <= 1e-8


@pytest.mark.cases(fast=4)
@pytest.mark.parametrize("options", RULE_SETS.values(), ids=RULE_SETS)
@pytest.mark.parametrize("goal", [700, 650])
def test_reach_equals_enumeration(options, goal):
    game, plain = both(**{"target": 700, **options})
    solution = kw.solve(game, "reach", goal=goal, turns=3, fresh=True)
    expected = reference.reach_chances(plain, GRAIN, goal, 3)
    for score in solution.value_table.arrays["scores"].tolist():
        assert abs(solution.value(score=score) - float(expected[score])) <= min(1e-12, solution.error_bound)


@pytest.mark.slow
def test_inside_a_turn_equals_enumeration():
    """Every roll of every number of dice with some points in hand: the best choice's value."""
    game, plain = both(target=800)
    solution = kw.solve(game, "win", fresh=True)
    win = reference.win_chances(plain, GRAIN)
    score, opponent = 500, 550

    def pay(total):
        return Fraction(1) if total >= 800 else 1 - win[opponent, total]

    zero = 1 - win[opponent, score]

    @cache
    def before(points: int, dice: int) -> Fraction:
        stop = pay(score + points) if reference.banks(plain, score, points) else zero
        return max(stop, throw(points, dice))

    @cache
    def throw(points: int, dice: int) -> Fraction:
        total = Fraction(0)
        for offers, ways in reference.throw_table(plain, dice).items():
            total += ways * max(
                (before(points + more, dice - taken or 5) if points < 2000 else pay(9999) for more, taken in offers),
                default=zero,
            )
        return total / 6**dice

    advice = solution.advise(score=score, opponents=[opponent], turn=100, dice=4)
    assert advice.choices[0].value == pytest.approx(float(before(100, 4)), abs=1e-12)
    rolled = solution.advise(score=score, opponents=[opponent], turn=100, roll="1556")
    expected = {
        (("1",), "roll"): throw(200, 3),
        (("5",), "roll"): throw(150, 3),
        (("1", "5"), "roll"): throw(250, 2),
        (("5", "5"), "roll"): throw(200, 2),
        (("1", "5", "5"), "roll"): throw(300, 1),
        (("1", "5", "5"), "bank"): pay(800),
    }
    for choice in rolled.choices:
        exact = expected.get((choice.keep, choice.follow_up), zero)
        assert choice.value == pytest.approx(float(exact), abs=1e-12), choice.action
    assert len(rolled.choices) == 10


# --- the source's own examples ---


def choices(roll, turn=0, **rules):
    """keep -> (points in hand, dice of the next throw, what may follow), at 0 points, alone and by expected points."""
    advice = kw.solve(kw.game("5000", **rules), "points").advise(turn=turn, roll=roll, score=rules.pop("score", 0))
    found: dict[str, tuple[int, set[str]]] = {}
    for choice in advice.choices:
        points, then = found.setdefault("".join(choice.keep), (choice.points, set()))
        assert points == choice.points
        then.add(choice.follow_up)
    return found, advice


def test_player_a():
    found, _ = choices("53246")
    assert found == {"5": (50, {"stop", "roll"})}
    found, _ = choices("4344", turn=50)
    assert found["444"] == (450, {"stop", "roll"}), "below the opening of 500 there is no bank"
    found, _ = choices("5", turn=450)
    assert found["5"] == (500, {"bank", "roll"})


def test_player_b():
    found, _ = choices("15154")
    assert found["1155"] == (300, {"stop", "roll"})
    _, advice = choices("6", turn=300)
    assert [choice.follow_up for choice in advice.choices] == ["end"]
    assert advice.best.value == 0


def test_player_c():
    found, _ = choices("15154")
    assert found["11"][0] == 200, "not all scored dice must be set aside"
    found, advice = choices("333", turn=200)
    assert found["333"][0] == 500
    assert {choice.dice_left for choice in advice.choices if choice.follow_up == "roll"} == {5}
    found, _ = choices("56122", turn=500)
    assert found["15"] == (650, {"bank", "roll"})


def test_a_set_is_worth_its_own_value():
    rules = kw.game("5000").data
    worths = {"111": 1000, "11": 200, "1111": 1100, "5555": 550, "444": 400, "11555": 700, "222": 200, "666": 600}
    for dice, points in worths.items():
        assert rules.set_points(counts(rules, dice)) == points
    for dice in ("4444", "2", "14", "12345", "33"):
        assert rules.set_points(counts(rules, dice)) == 0, "a die that adds nothing may not be set aside"


def test_stops_below_the_minimum_score_zero():
    solution = kw.solve("5000", "win")
    stay = 1 - solution.value(score=0, opponents=[0])
    first = solution.advise(turn=400, roll="5")
    assert {choice.follow_up: choice.value for choice in first.choices}["stop"] == stay
    stay = 1 - solution.value(score=0, opponents=[2000])
    later = solution.advise(score=2000, opponents=[0], turn=200, roll="5")
    assert {choice.follow_up: choice.value for choice in later.choices}["stop"] == stay


# --- each option moves the value the way reason demands ---


def alone(**rules) -> float:
    return kw.solve(kw.game("5000", **rules), "turns", fresh=True).value()


@pytest.mark.slow
def test_each_option_moves_the_value_as_it_must():
    default = alone()
    assert alone(target=6000) > default > alone(target=4000)
    assert alone(opening=700) > default > alone(opening=300)
    assert alone(minimum=400) > default > alone(minimum=200)
    assert alone(minimum_on_win=False) < default
    assert alone(finish="exact") > alone(minimum_on_win=False), "exact waives the minimum on the winning turn"
    assert alone(set_aside="all") > default
    assert alone(straight=1000) < alone(straight=600) < default
    assert alone(kinds="doubling") < default


def test_even_a_small_straight_helps_who_may_choose():
    """It frees five dice; but where the highest score must be taken, it may take dice out of the player's hand."""
    assert alone(straight=50) < alone()


def test_seats_add_up_to_one_everywhere():
    solution = kw.solve("5000", "win", fresh=True)
    win = solution.value_table.arrays["win"]
    for score, opponent, turn in ((0, 0, 0), (500, 4950, 0), (2000, 3500, 350)):
        position = {"score": score, "opponents": [opponent], **({"turn": turn, "dice": 3} if turn else {})}
        seats = solution.position_value(**position).seats
        assert sum(seats) == 1.0
    assert ((win > 0) & (win < 1)).all()


def test_more_points_never_hurt_and_the_opponents_never_help():
    win = kw.solve("5000", "win").value_table.arrays["win"]
    bound = kw.solve("5000", "win").error_bound
    # From 500 on: below the opening a player is in another situation, and there the comparison is with 0 alone.
    assert (np.diff(win[1:], axis=0) >= -bound).all()
    assert (np.diff(win[:, 1:], axis=1) <= bound).all()
    assert (win[1:] >= win[:1] - bound).all()


def test_points_past_an_exact_target_cannot_be_in_hand(run):
    for command in (
        "advise 5000 --rule finish=exact --score 4900 --opponents 3000 --turn 350 --dice 3",
        "advise 5000 --rule finish=exact --objective turns --score 4900 --turn 350 --dice 3",
        "advise 5000 --rule finish=exact --objective reach --turns 3 --score 4900 --turn 350 --dice 3",
        "advise beartrap --score 9900 --turn 400 --roll 11532",
    ):
        answer = run(command)
        assert answer.status == 2
        assert "turn must be at most 100 with a score of " in answer.err
        assert "no set may be taken that would pass the target" in answer.err


def test_a_winning_bank_of_a_last_turn_needs_no_waived_minimum():
    for waived, chance in ((True, 1.0), (False, 0.0)):
        game = kw.game("5000", target=1500, finish="last_round", minimum_on_win=not waived)
        solution = kw.solve(game, fresh=True)
        bank = solution.advise(score=1400, opponents=[1500], turn=150, dice=3).choices
        assert next(choice.value for choice in bank if choice.dice_left == 0) == chance


def test_races_with_rare_banks_converge():
    """One turn must bring 5,000, a chance of about 1e-5: both go on and on, and going first hardly helps."""
    solution = kw.solve(kw.game("5000", target=5000, minimum=5000), fresh=True)
    success = kw.solve(kw.game("5000", target=5000, minimum=5000), "turns", fresh=True).value() ** -1
    assert abs(solution.value() - 1 / (2 - success)) <= solution.error_bound < 1e-6


def test_rules_without_a_winner_are_refused(run):
    answer = run("value farkle --rule hot_dice=none --rule target=2500 --rule minimum=2500")
    assert (answer.status, answer.err.count("\n")) == (2, 1)
    assert "no turn can bank 2500" in answer.err
    assert "minimum must be at most the target of 5,000, not 20000" in run("value 5000 --rule minimum=20000").err
    hopeless = run("value 5000 --rule target=10000 --rule opening=10000 --objective turns")
    assert (hopeless.status, hopeless.err.count("\n")) == (1, 1)


@pytest.mark.slow
def test_same_bits_for_any_number_of_threads():
    tables = [
        kw.solve("5000", "win", fresh=True, threads=threads).value_table.arrays["win"].tobytes()
        for threads in (1, 2, 3)
    ]
    assert len(set(tables)) == 1


def test_symmetric_faces_may_be_relabelled():
    """2, 3, 4 and 6 matter only through their triples: naming the faces in another order changes nothing."""
    rules = kw.game("5000", target=1500).data
    order = [3, 0, 5, 4, 1, 2]
    patterns = tuple(one._replace(dice=tuple(one.dice[i] for i in order)) for one in rules.patterns)
    shuffled = replace(rules, faces=tuple(rules.faces[i] for i in order), patterns=patterns)
    plain, other = solve_race(RaceModel(States(rules), 2)), solve_race(RaceModel(States(shuffled), 2))
    assert abs(plain.win - other.win).max() <= plain.error_bound


# --- simulation of the engine's own policy ---


def play_turn(solution, rng: random.Random, score: int, **others) -> int:
    """One turn by the advice, thrown die by die; returns the points banked."""
    turn, dice = 0, 5
    while True:
        roll = [rng.randint(1, 6) for _ in range(dice)]
        best = solution.advise(score=score, turn=turn, roll=roll, **others).best
        if best.follow_up != "roll":
            return best.points if best.follow_up == "bank" else 0
        turn, dice = best.points, best.dice_left


@pytest.mark.slow
def test_simulated_turns_agree_with_the_value():
    solution = kw.solve(kw.game("5000", target=2000), "turns", fresh=True)
    rng, games = random.Random(5000), 500
    lengths = []
    for _ in range(games):
        score = turns = 0
        while score < 2000:
            score += play_turn(solution, rng, score)
            turns += 1
        lengths.append(turns)
    error = np.std(lengths) / games**0.5
    assert abs(np.mean(lengths) - solution.value()) < 4 * error


@pytest.mark.patient
def test_simulated_matches_agree_with_the_win_chance():
    solution = kw.solve(kw.game("5000", target=1500), "win", fresh=True)
    rng, games, wins = random.Random(15), 500, 0
    for _ in range(games):
        scores, mover = [0, 0], 0
        while True:
            scores[mover] += play_turn(solution, rng, scores[mover], opponents=[scores[1 - mover]])
            if scores[mover] >= 1500:
                wins += mover == 0
                break
            mover = 1 - mover
    chance = solution.value()
    assert abs(wins / games - chance) < 4 * (chance * (1 - chance) / games) ** 0.5
