"""Limits against optimal play where scores can fall: against a plain recursion over the game as it is played, against
the equations that solve every turn in every sweep, and against walks with fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import keepwise as kw
from keepwise.games import own_game
from keepwise.play import playable as make_playable
from keepwise.play.walk import list_relevant_choices
from keepwise.policies import fixed_opponents
from keepwise.policies.policy import OptimalPolicy
from keepwise.policies.push_evaluation import evaluate_limits
from keepwise.policies.push_policies import LimitPolicy, ScoreBandPolicy
from keepwise.policies.registry import parse_choice_function
from keepwise.solvers import make_problem
from keepwise.solvers.push.fixed_policies import FixedPolicyModel
from keepwise.solvers.push.limits_race import LimitsRace, is_walked
from keepwise.solvers.reference_solver import ReferenceSolver
from keepwise.solvers.rounding_bounds import walk_rounding_bound

ONE_DIE = {"dice": 1, "faces": 3, "singles": {"2": 1, "3": 2}, "target": 3}
TWO_DICE = {"dice": 2, "faces": 3, "singles": {"1": 2, "2": 1}, "target": 4}
COSTS = own_game({**ONE_DIE, "name": "costs", "bust": {"costs": [0, 1], "floor": -1}})
EVERY_BUST = own_game({**ONE_DIE, "name": "every", "bust": {"costs": [1], "floor": -1}})  # at the floor a zero turn
WIPES = own_game({**TWO_DICE, "name": "wipes", "finish": "exact", "special": [{"throw": "33", "then": "wipe"}]})
LAST = own_game({**TWO_DICE, "name": "last", "finish": "last_round", "bust": {"costs": [0, 2], "floor": -2}})
GAMES = [COSTS, EVERY_BUST, WIPES, LAST]


def values_as_played(game, policy):
    """What seat 0 gets by a policy against optimal play, by the place in the round: a recursion over positions."""
    playable = make_playable(game, 2)
    choose = parse_choice_function(playable, policy)
    starts = [playable.turn_start((0, 0), seat, 0, (0, 0) if game.data.bust_costs else ()) for seat in (0, 1)]
    branches, todo = {}, list(starts)
    while todo:
        position = todo.pop()
        if position in branches:
            continue
        if playable.stage(position) == "over":
            branches[position] = []
        elif playable.stage(position) == "throw":
            branches[position] = list(playable.rolls(position))
        else:
            branches[position] = [(0, choice.after) for choice in list_relevant_choices(playable, position, None)]
        todo += [after for _, after in branches[position]]
    optimal = {position: 0.0 if after else float(playable.payoffs(position)[0]) for position, after in branches.items()}
    followed = dict(optimal)
    is_ours = {
        position: after and not after[0][0] and playable.player_to_move(position) == 0
        for position, after in branches.items()
    }
    chosen = {position: choose(position).after for position in branches if is_ours[position]}
    order = [position for position, after in branches.items() if after][::-1]
    for values, is_followed in ((optimal, False), (followed, True)):
        moved = 1.0
        while moved > 1e-14:
            moved = 0.0
            for position in order:
                after = branches[position]
                if after[0][0]:
                    now = sum(weight * values[end] for weight, end in after) / sum(weight for weight, _ in after)
                elif not is_ours[position]:  # the opponent decides by the optimal values
                    now = values[min((end for _, end in after), key=optimal.__getitem__)]
                elif is_followed:
                    now = values[chosen[position]]
                else:
                    now = max(values[end] for _, end in after)
                moved, values[position] = max(moved, abs(now - values[position])), now
    return [followed[start] for start in starts]


def values_by_sweeps(solution, policy):
    """The same by the equations that solve every turn in every sweep, with their error bound."""
    problem, table = solution.problem, solution.value_table
    policies = [fixed_opponents._fixed_policy(problem, table, each) for each in (policy, OptimalPolicy())]
    solver = ReferenceSolver(FixedPolicyModel(problem.model, policies))
    values = solver.solve()
    start = problem.state_number(problem.playable.start())
    return [values[start], values[problem.model.state_count + start]], solver.error_bound(values)


@pytest.mark.cases(fast=4)
@pytest.mark.parametrize("policy", ["hold:2", "hold:1", "hold:3"])
@pytest.mark.parametrize("game", GAMES[:-1])  # in a last round turn points have no end, so there are no lists of them
def test_limits_equal_a_plain_recursion(game, policy):
    evaluation = kw.solve(game, "win", 2, fresh=True).evaluate(policy)
    values = [evaluation.value, evaluation.second[0]]
    assert evaluation.error_bound < 1e-11
    assert np.abs(np.subtract(values, values_as_played(game, policy))).max() <= 1e-12


@pytest.mark.parametrize("game", GAMES)
def test_limits_by_both_scores_equal_sweeps_over_all_turns(game):
    solution = kw.solve(game, "win", 2, fresh=True)
    assert is_walked(solution.problem.model)
    limits = [LimitPolicy(dict.fromkeys(range(1, game.data.dice + 1), limit)) for limit in (1, 2, 3)]
    policy = ScoreBandPolicy((0, 1), (0, 2), ((limits[0], limits[1]), (limits[2], limits[0])))
    found = evaluate_limits(solution.problem, solution.value_table, policy)
    values, bound = values_by_sweeps(solution, policy)
    assert np.abs(np.subtract([found.value, found.second[0]], values)).max() <= bound + found.error_bound
    assert np.abs(np.subtract([found.value, found.second[0]], values)).max() <= 1e-13


def test_games_of_hundreds_of_turns_are_evaluated():
    """A 3 scores, and two of three rolls cost a point: some 680 turns. The value is that of sweeps over all turns."""
    rules = {
        "name": "slow",
        "dice": 1,
        "faces": 3,
        "singles": {"3": 1},
        "target": 6,
        "bust": {"costs": [1], "floor": -1},
    }
    solution = kw.solve(own_game(rules), "win", 2, fresh=True)
    policy = LimitPolicy({1: 1})
    found = evaluate_limits(solution.problem, solution.value_table, policy)
    values, bound = values_by_sweeps(solution, policy)
    assert np.abs(np.subtract([found.value, found.second[0]], values)).max() <= bound + found.error_bound


def test_the_number_of_threads_changes_no_bit():
    solution = kw.solve(LAST, "win", 2, fresh=True)
    problem = solution.problem
    policy = LimitPolicy({1: 2, 2: 3})
    limits, table = (
        fixed_opponents._fixed_policy(problem, solution.value_table, each) for each in (policy, OptimalPolicy())
    )
    start = problem.state_number(problem.playable.start())
    one, two = (LimitsRace(problem.model, limits, table, threads).evaluate(start) for threads in (1, 2))
    assert one == two


def exact_ending_probabilities(turn, decisions, cap, endings):
    """Probabilities of endings as fractions: every path of a turn is followed, the most turn points last."""
    arrivals = {(turn.start, 0): Fraction(1)}
    probabilities = [Fraction(0)] * endings
    while arrivals:
        mode_number, points = min(arrivals, key=lambda cell: (cell[1], -turn.groups[0].index(cell[0])))
        probability = arrivals.pop((mode_number, points))
        mode = turn.modes[mode_number]
        action = decisions[points, mode_number, 0]
        if mode.bank_ending is not None and (action == 0 or points >= cap):
            probabilities[turn.special_count + mode.bank_ending + points] += probability
            continue
        roll = turn.roll_start[mode_number] + action - 1
        classes = range(turn.class_start[roll], turn.class_start[roll + 1])
        offers = mode.rolls[action - 1].classes
        total = sum(weight for _, weight in offers)
        for class_number, (choices, weight) in zip(classes, offers, strict=True):
            choice = choices[decisions[points, len(turn.modes) + class_number, 0]]
            share = probability * weight / total
            if choice.next_mode < 0:
                probabilities[-1 - choice.next_mode] += share
            else:
                cell = choice.next_mode, min(cap, choice.points_after(points))
                arrivals[cell] = arrivals.get(cell, Fraction(0)) + share
    return probabilities


@pytest.mark.parametrize("limit", [300, 1000])
def test_walks_are_within_their_rounding_bound(limit):
    rules = make_problem(kw.load_rules("zilch", target=2000), "win").rules
    turn, cap = rules.turn, 40
    policy = LimitPolicy(dict.fromkeys(range(1, 7), limit))
    decisions = policy.decisions(rules, turn, turn.row_count(cap), cap, 6, cap)
    endings = turn.special_count + cap + 1
    walked = turn.reach_probabilities(decisions, np.array([cap], dtype=np.int32), endings)[0][:, 0]
    exact = exact_ending_probabilities(turn, decisions, cap, endings)
    assert sum(exact) == 1
    error = float(sum(abs(Fraction(float(a)) - b) for a, b in zip(walked, exact, strict=True)))
    assert error <= walk_rounding_bound(turn, cap) < 1e-12
