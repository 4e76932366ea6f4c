"""Values of strategy sheets for the win if busts cost points: within their bounds, against plain value iteration."""

from __future__ import annotations

import pytest
from costly_busts import win_chances

import keepwise as kw
from keepwise.games import own_game
from keepwise.policies.levels import push
from keepwise.policies.levels.changed_limits import LimitsSearch
from keepwise.policies.push_evaluation import evaluate_limits
from keepwise.policies.push_policies import LimitPolicy


def race_of(target):
    """Return a race with one die, half of whose faces score: sweeps over its values settle slowly."""
    rules = {"name": "slow", "dice": 1, "singles": {"2": 1, "3": 1, "4": 1}, "target": target}
    game = own_game({**rules, "bust": {"costs": [0, 2], "floor": -4}})
    return game, push.two_player_race(game)


def test_values_of_sheets_are_within_their_bounds():
    """Sweeps that ended once the residual was no longer halved had an error of 5e-7 with limit 3, 3e-4 to 12 points."""
    game, race = race_of(8)
    solution, search = kw.solve(game, "win", 2, fresh=True), LimitsSearch(race, lambda share: None)
    for limit in (3, 5):
        policy = LimitPolicy({1: limit})
        evaluation = evaluate_limits(solution.problem, solution.value_table, policy)
        expected = (evaluation.value + evaluation.second[0]) / 2
        for estimate in (race.estimates([(policy,)])[0], search.estimate((policy,))):
            assert estimate.error < 1e-8
            assert abs(estimate.value - expected) <= estimate.error + evaluation.error_bound


@pytest.mark.slow
def test_values_of_sheets_equal_plain_value_iteration():
    _, race = race_of(8)
    estimates = race.estimates([(LimitPolicy({1: limit}),) for limit in (2, 3)])
    for estimate, expected in zip(estimates, win_chances(8, -4, 2, [2, 3]), strict=True):
        assert abs(estimate.value - expected) <= estimate.error + 1e-12  # of the plain passes, 100 turns of 1e-14


def test_a_gain_within_the_errors_of_both_values_does_not_count():
    estimate = push.Estimate(0.5, 1e-6)
    assert not push.Estimate(0.5 + 3e-6, 2e-6).surely_exceeds(estimate)
    assert push.Estimate(0.5 + 3.1e-6, 2e-6).surely_exceeds(estimate)
    assert not push.Estimate(0.6, float("inf")).surely_exceeds(estimate)
