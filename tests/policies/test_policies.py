"""Policies of people: the plain function, the compiled decisions and the chain of the game as it is played are one."""

from __future__ import annotations

import random

import pytest

import keepwise as kw
from keepwise.answers.positions import BestPlay
from keepwise.games import FILES, own_game
from keepwise.output.exports.process import build_process
from keepwise.play.push import PushPosition
from keepwise.policies.family_evaluation import plan_family_evaluation
from keepwise.policies.levels import touch as touch_levels
from keepwise.policies.levels.touch import most_common_policy
from keepwise.policies.push_policies import LimitPolicy
from keepwise.policies.registry import parse_choice_function, parse_rule_policy
from keepwise.policies.touch_evaluation import TouchPolicy, evaluate_touches, list_boards
from keepwise.solvers import ValueTable
from keepwise.solvers.push.states import States
from keepwise.util.errors import InputError

DICE_2 = {"name": "two-dice", "dice": 2, "target": 500, "singles": {"1": 100, "5": 50}}
# A pair is worth more than may be in hand: one die of it is set aside then.
FEW = {"name": "few", "dice": 2, "faces": 2, "singles": {"2": 1}, "alike": {"2": {"2": 4}}}
HIT = {**FEW, "target": 3, "finish": "exact", "then": {"set": "end", "dice": "chosen"}}
BELOW = {**FEW, "finish": "one_turn_shared", "bust": {"above": 3}}
LOW = {"name": "low", "dice": 2, "faces": 3, "singles": {"1": 0, "2": 1, "3": 2}, "best": "lowest"}
WHOLE = {**LOW, "finish": "one_turn", "set_aside": "all-or-none", "then": {"set": "must", "all": "end"}}


def classes(rules):
    """By mode, the place of every class of its throw among the decisions, by what it offers."""
    place, found = len(rules.turn.modes), []
    for mode in rules.turn.modes:
        here = {}
        for throw in mode.rolls:
            for offered, _ in throw.classes:
                here[offered] = place
                place += 1
        found.append(here)
    return found


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(
    ("game", "rules", "objective"),
    [
        ("5000", {"target": 1500}, "turns"),
        ("5000", {}, "points"),
        ("5000", {"finish": "exact", "target": 1000}, "turns"),
        ("5000", {"minimum_on_win": False, "target": 1000}, "turns"),
        ("farkle", {"hot_dice": "must", "target": 1000}, "turns"),
        ("beartrap", {}, "points"),
        ("pig", {}, "turns"),
        ("zilch", {}, "points"),
    ],
)
def test_limits_compiled_are_limits_played(game, rules, objective):
    """At every decision that a turn can bring, from some scores, with limits and sets to keep drawn at random."""
    made = kw.game(game, **rules) if game in FILES else kw.load_rules(game, **rules)
    playable = kw.playable(made, objective=objective)
    compiled, turn, rng = playable.rules, playable.rules.turn, random.Random(game)
    states, places = States(compiled), classes(compiled)
    grain = compiled.grain
    for score in rng.sample(states.scores.tolist(), min(2, len(states.scores))):
        limits = {dice: grain * rng.randrange(30) for dice in range(1, compiled.dice + 1)}
        offers = [offered for here in places for offered in here if len(offered) > 1]
        keep = {offered: rng.randrange(len(offered)) for offered in rng.sample(offers, len(offers) // 2)}
        policy = LimitPolicy(limits, keep)
        alone = objective == "points"
        cap = 40 if alone else int(states.caps_by_score[score])
        rows = turn.row_count(cap)
        to_win = rows if alone else states.target - score
        nodes = policy.decisions(compiled, turn, rows, cap, int(states.min_banks_by_score[score]), to_win)[:, :, 0]
        seen, held = 0, turn.reachable_points_by_mode(cap - 1)
        for dice in range(1, compiled.dice + 1):
            mode = compiled.hand_mode(dice)
            units = [unit for unit in range(cap) if held[mode] >> unit & 1]
            for unit in rng.sample(units, min(5, len(units))):
                here = PushPosition((score * grain,), 0, dice, turn=unit * grain)
                if unit:
                    assert (policy.choose(playable, here).follow_up != "roll") == (nodes[unit, mode] == 0)
                for _, fallen in playable.rolls(here):
                    offered, choice = compiled.turn_choices(dice, fallen.roll), None
                    chosen = offered[nodes[unit, places[mode][offered]]]
                    if chosen.next_mode < 0 or nodes[unit, places[mode][offered]] < 0:
                        continue  # nothing to choose
                    choice = policy.choose(playable, fallen)
                    if compiled.special_roll(fallen.roll) is None:
                        taken = tuple(choice.keep.count(face) for face in compiled.faces)
                        assert compiled.set_choice(dice, taken) == chosen
                    after = min(unit + chosen.added_points, cap)
                    stops = nodes[after, chosen.next_mode] == 0 or (
                        after == cap and turn.modes[chosen.next_mode].bank_ending is not None
                    )
                    assert (choice.follow_up != "roll") == stops, (fallen, choice)
                    seen += 1
        assert seen > 10


def chance_or_total(process):
    """Value of the initial state of a chain, by plain iteration."""
    value = [0.0] * len(process.names)
    if not process.reward:
        value[process.goal_state] = 1.0
    for _ in range(100_000):
        moved = 0.0
        for state in range(len(value) - 1, -1, -1):
            if state != process.goal_state:
                (action,) = process.actions[state]
                after = sum(weight * value[to] for weight, to in action.branches) / action.total
                moved, value[state] = max(moved, abs(action.reward + after - value[state])), action.reward + after
        if moved < 1e-14:
            return value[0]
    raise AssertionError("the chain did not settle")


@pytest.mark.cases(fast=4)
@pytest.mark.parametrize(
    ("game", "objective", "policy"),
    [
        (kw.game("pig"), "points", "hold:15"),
        (kw.game("pig"), "points", "hold:60"),
        (kw.game("pig", target=40), "turns", "hold:15"),
        (kw.game("5000"), "points", "hold:5=500,4=400,3=350,2=350"),
        (own_game(DICE_2), "turns", "hold:150"),
        (own_game(DICE_2), "turns", "hold:2=300,1=100"),
        (own_game(HIT), "turns", "roll:2"),
        (own_game(BELOW), "points", "hold:2"),
        (own_game(BELOW), "points", "sheet:3"),
        (own_game(WHOLE), "points", "sheet:2"),
        (kw.game("battleship"), "points", "source"),
        (kw.game("battleship", crew="hybrid"), "points", "above-seven"),
    ],
)
def test_the_chain_of_a_policy_has_its_value(game, objective, policy):
    solution = kw.solve(game, objective, fresh=True)
    chain = build_process(solution.playable, parse_choice_function(solution.playable, policy))
    found = solution.evaluate(policy)
    assert abs(chance_or_total(chain)) == pytest.approx(found.value, abs=1e-10)
    assert found.loss >= 0


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(
    ("game", "policy"),
    [
        (kw.game("pig", target=12), "hold:5"),
        (own_game({**DICE_2, "target": 200}), "hold:2=100,1=50"),
        (own_game(HIT), "roll:2"),
        (kw.game("battleship", rounds=1, crew="both"), "source"),
    ],
)
def test_the_chain_of_a_policy_against_the_best_has_its_chances(game, policy):
    solution = kw.solve(game, "win", 2, fresh=True)
    choose, best = parse_choice_function(solution.playable, policy), BestPlay(solution)
    found = solution.evaluate(policy)
    chances = []
    for seat in (0, 1):

        def decide(position, seat=seat):
            return choose(position) if solution.playable.player_to_move(position) == seat else best(position)

        chances.append(chance_or_total(build_process(solution.playable, decide)))
    assert chances[0] == pytest.approx(found.value, abs=1e-10)
    assert 1 - chances[1] == pytest.approx(found.second[0], abs=1e-10)


def test_the_chain_of_a_page_of_booby_trap_has_its_margin():
    """The page's policy against the best on a small board, with all scores."""
    solution = kw.solve(kw.game("booby-trap", large=1, medium=2, small=1), "margin", fresh=True)
    problem, playable = solution.problem, solution.playable
    best, perfect = list(list_boards(problem, solution.value_table)), BestPlay(solution)
    policy = most_common_policy(best, problem.rules.max_passes)
    worse = TouchPolicy(policy.touch[::-1], policy.take | {(0, 0, 0), (1, 2, 0)})
    for judged in (policy, worse):

        def decide(position, judged=judged):
            return judged.choose(playable, position) if playable.player_to_move(position) == 0 else perfect(position)

        found = evaluate_touches(problem, solution.value_table, best, judged)
        assert chance_or_total(build_process(playable, decide)) == pytest.approx(found.value, abs=1e-10)
    assert found.loss > 0


def test_a_booby_trap_page_has_the_values_of_its_solution():
    game = kw.game("booby-trap", large=1, medium=2, small=1)
    asked, other = (kw.solve(game, "margin", fresh=True) for _ in range(2))
    policy = most_common_policy(list_boards(asked.problem, asked.value_table), asked.problem.rules.max_passes)
    told = touch_levels.evaluate(asked.problem, asked.value_table, policy)
    assert told == evaluate_touches(
        asked.problem, asked.value_table, list_boards(asked.problem, asked.value_table), policy
    )
    blind = ValueTable({"after": -other.value_table.arrays["after"]}, 0.0)  # the others do their worst
    assert touch_levels.evaluate(asked.problem, blind, policy).value > told.value


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize(
    ("game", "objective"),
    [
        (kw.game("shut-the-box", tiles=5), "reach"),
        (kw.game("shut-the-box", tiles=4), "win"),
        pytest.param(kw.game("battleship", rounds=1), "win", marks=pytest.mark.patient),
        (kw.game("booby-trap", large=1, medium=2, small=1), "margin"),
        (kw.game("boston"), "points"),
        (kw.game("pig", target=8), "win"),
    ],
)
def test_the_chain_of_every_level_has_its_value(game, objective):
    """The policy of a level against the best of the table, in a chain of all that can follow."""
    solution = kw.solve(game, objective, fresh=True)
    best = BestPlay(solution)
    for level in (1, 2, 3, 4):
        choose, found, chances = (
            parse_choice_function(solution.playable, f"sheet:{level}"),
            solution.evaluate(f"sheet:{level}"),
            [],
        )
        for seat in range(solution.problem.players):

            def decide(position, seat=seat, choose=choose):
                return choose(position) if solution.playable.player_to_move(position) == seat else best(position)

            chances.append(chance_or_total(build_process(solution.playable, decide)))
        assert abs(chances[0]) == pytest.approx(abs(found.value), abs=1e-9)
        if found.second:
            assert 1 - chances[1] == pytest.approx(found.second[0], abs=1e-9)


def test_unknown_policies_are_refused_with_the_known_ones():
    with pytest.raises(InputError, match=r"unknown policy 'hold:3'.* policies of boston: sheet, sheet:1 to sheet:4"):
        parse_choice_function(kw.playable("boston"), "hold:3")
    unlike = [{"name": "fair"}, {"name": "lucky", "weights": [1, 2]}]
    with pytest.raises(
        InputError, match="requires identical dice, and this game mixes dice; use sheet:1 to sheet:4"
    ):  # two single dice, and both
        parse_rule_policy(
            kw.playable(own_game({**{key: HIT[key] for key in HIT if key != "dice"}, "die": unlike})), "roll:2"
        )
    with pytest.raises(InputError, match="a limit must be at most 100,000"):
        parse_rule_policy(kw.playable("pig"), "hold:100001")
    with pytest.raises(InputError, match="only be evaluated for the objective points, or for win with 2 players"):
        plan_family_evaluation(
            kw.solve("battleship", "reach").problem, parse_rule_policy(kw.playable("battleship"), "source")
        )
