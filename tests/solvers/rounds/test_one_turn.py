"""Push-your-luck games of one turn each, Threes among them: before the referee, and told as positions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from referee_checks import check

import keepwise as kw
from keepwise.games import own_game
from keepwise.play.one_turn import turn_state_of
from keepwise.solvers import make_problem
from keepwise.solvers.rounding_bounds import turn_rounding_bound
from keepwise.solvers.rounds.problem import longest_turn, round_rounding_bound

THREES = {
    "name": "small",
    "dice": 2,
    "faces": 4,
    "singles": {"1": 1, "2": 2, "3": 0, "4": 4},
    "then.all": "end",
    "then.set": "must",
    "best": "lowest",
    "finish": "one_turn",
}
HIGH = {"name": "high", "dice": 2, "faces": 3, "singles": {"1": 1, "2": 2}, "then.all": "end", "finish": "one_turn"}
ONCE = {**HIGH, "set_aside": "all-or-none", "then.set": "end", "then.all": "roll"}
RULES = [THREES, HIGH, {**HIGH, "stop.at_least": 2}, {**HIGH, "singles": {"1": 2, "2": -1}}, ONCE]
SHARED = {**HIGH, "then.all": "must", "finish": "one_turn_shared", "bust": {"above": 5}}
SPECIALS = [("11", {"then": "end", "points": 4}), ("12", {"then": "void"}), ("22", {"then": "bust"})]
SPECIAL = {"special": [{"throw": throw, **does} for throw, does in [*SPECIALS, ("33", {"points": 1})]]}


@pytest.mark.cases(fast=5)
@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_before_the_referee(rules, players):
    assert check(own_game(rules), "win", players=players, rolls=100) > 0


@pytest.mark.parametrize("goal", [1, 3, 4, 5])
@pytest.mark.parametrize("rules", [*RULES[1:], {**HIGH, **SPECIAL}], ids=str)
def test_reach_before_the_referee(rules, goal):
    assert check(own_game(rules), "reach", goal=goal, turns=1) > 0


def test_reach_in_the_only_turn_equals_plain_enumeration():
    """Three dice, at least one set aside after each roll: every goal, by ordered rolls and sets of dice."""

    @cache
    def chance(left, needed):
        if not left:
            return Fraction(needed <= 0)
        taken = range(1, left + 1)  # of so many dice, the highest are the best to take
        rolls = [sorted(roll, reverse=True) for roll in product(range(1, 7), repeat=left)]
        return sum(max(chance(left - count, needed - sum(roll[:count])) for count in taken) for roll in rolls) / 6**left

    singles = {str(face): face for face in range(1, 7)}
    rules = {**HIGH, "dice": 3, "faces": 6, "singles": singles, "then.set": "must"}
    for goal in range(1, 20):
        solution = kw.solve(own_game(rules), "reach", goal=goal, fresh=True)  # turns=1 is the default
        assert abs(Fraction(solution.value()) - chance(3, goal)) <= solution.error_bound
    assert kw.solve(own_game(rules), "reach", goal=15, turns=1).position_value(exact=True).exact == (chance(3, 15),)


def test_reach_that_is_refused(refused):
    refused("the objective reach requires --goal, the points to reach", "value 1-4-24 --objective reach")
    reach = "value 1-4-24 --objective reach --goal 20"
    refused("--turns must be 1, not 2, because every player has one turn", f"{reach} --turns 2")
    why = "it is not solved for turns that are lost above a number of points"
    refused(f"not available for twenty-one: {why}", "value twenty-one --objective reach --goal 20")
    why = "a total is to be reached, but with best=lowest fewer points are better"
    refused(f"the objective reach is not available for threes: {why}", "value threes --objective reach --goal 3")


@pytest.mark.parametrize("rules", [*RULES, SHARED, {**SHARED, **SPECIAL}, {**HIGH, **SPECIAL}], ids=str)
def test_a_turn_walked_by_numbers_is_that_of_positions(rules):
    playable = make_problem(own_game(rules), "win").playable
    todo, met = [playable.solo_game.start()], set()
    for position in todo:
        ways = Counter()
        for weight, fallen in playable.solo_game.rolls(position):
            afters = [choice.after for choice in playable.solo_game.choices(fallen)]
            todo += [after for after in afters if not after.ended and turn_state_of(after) not in met]
            met |= {turn_state_of(after) for after in afters if not after.ended}
            leads = (playable.turn_total(after) if after.ended else turn_state_of(after) for after in afters)
            ways[tuple(dict.fromkeys(leads))] += weight
        counted = Counter()
        for weight, leads in playable.turn_graph[turn_state_of(position)]:
            counted[leads] += weight
        assert counted == ways
    assert {*playable.turn_graph} == {turn_state_of(playable.solo_game.start()), *met}


def test_ties_that_are_likely_before_the_referee():
    # Plain iteration would take hundreds of passes, and thousands.
    for weights in ([1, 40], [1, 1000]):
        likely = {**HIGH, "faces": 2, "dice": 1, "weights": weights, "singles": {"1": 1, "2": 2}}
        assert check(own_game(likely), "win", players=3) > 0
    with pytest.raises(kw.InputError, match="all players can tie almost always"):
        kw.solve(own_game({**HIGH, "dice": 1, "singles": {"1": 1, "2": 1, "3": 1}}), "win")


def test_threes_on_two_dice_equal_hand_calculation():
    # Of one die each: 3, 1, 2, 4 in that order are the best, no choice; two players win by a half each.
    solution = kw.solve(own_game({**THREES, "dice": 1}), "win", fresh=True)
    assert solution.value() == pytest.approx(0.5, abs=solution.value_table.error_bound)
    # Who must beat a 2: a 3 or a 1 wins, a 2 plays again, a 4 loses.
    truth = Fraction(2, 4) + Fraction(1, 4) / 2
    assert solution.value(beat=2) == pytest.approx(float(truth), abs=1e-12)


@pytest.mark.slow
def test_threes_five_dice():
    solution = kw.solve(kw.load_rules("threes"), "win", fresh=True)
    assert 0.45 < solution.value() < 0.5  # who plays later knows what to beat
    assert solution.value(beat=0) == pytest.approx(solution.value(beat=0, tied=1))
    seat = solution.simulate(games=20_000, seed=3).seats[0]
    assert abs(seat.outcome.mean - seat.start) < 4 * seat.outcome.se
    points = kw.solve(kw.load_rules("threes"), "points", fresh=True).value()
    assert points == pytest.approx(6.2539785259, abs=1e-9)  # by enumeration


@pytest.mark.slow
def test_advice_for_the_lowest_points_uses_the_best_total(run, refused):
    out = run("advise --rules threes --objective win --beat 6 --turn 1 --roll 2345").out
    assert "keep 3" in out
    assert "the fewest points win, and tied players play again" in run("rules --rules threes").out
    refused("the total to beat cannot be 99", "value --rules threes --objective win --beat 99")


def test_a_total_to_beat_where_there_is_one_only():
    playable = kw.playable(
        own_game({**HIGH, "dice": 1, "singles": {"1": 1, "2": 1, "3": 1}, "finish": "one_turn_shared"}), 2
    )
    with pytest.raises(kw.InputError, match=r"the total to beat cannot be 2; the nearest possible are 1$"):
        playable.position(seat=1, beat=2)


RUN = {"name": "run", "dice": "12", "points": 3}
BAD = {
    "unbounded": ({"then.all": "roll", "then.set": "roll"}, "requires a bounded turn"),
    "win": (
        {"special": [{"throw": "11", "then": "win"}]},
        "or with rolls that win",
    ),
    "lowest to be confirmed": ({**THREES, "pattern": [{**RUN, "then": "must"}]}, "cannot be combined with special"),
    "taken over": ({"take_over": "free"}, "take_over requires a race"),
}


@pytest.mark.parametrize(("rules", "says"), BAD.values(), ids=BAD)
def test_own_game_refuses_bad_rules_of_one_turn(rules, says):
    with pytest.raises(kw.InputError, match=says):
        own_game({**HIGH, **rules})


@pytest.mark.slow
def test_turns_of_too_many_choices_are_refused_with_their_number():
    with pytest.raises(kw.InputError, match="with 8 dice makes turns of 8,104,464 choices, more than 5,000,000"):
        kw.load_rules("threes", dice=8)


def test_missing_sheets_name_the_objective_with_one():
    with pytest.raises(kw.InputError, match="cannot be evaluated for the objective win; use objective points"):
        kw.solve(kw.load_rules("threes"), "win").sheet()


def test_the_rounding_bound_covers_the_longest_turn():
    """A turn of 201 rolls, each of which adds a point or two: more roundings than the number of bits of its modes."""
    singles = {"1": 1, "2": 2}
    rules = {
        "name": "long",
        "dice": 1,
        "faces": 2,
        "singles": singles,
        "bust": {"above": 200},
        "finish": "one_turn_shared",
    }
    problem = make_problem(own_game(rules), "win", 2)
    assert longest_turn(problem.rules.turn) == 201
    assert round_rounding_bound(problem.rules) >= turn_rounding_bound(problem.rules.turn, 200)
