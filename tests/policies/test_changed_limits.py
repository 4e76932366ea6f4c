"""The search for limits where scores can fall: against equations that share no sweep with it, and other searches."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import keepwise as kw
from keepwise.games import own_game
from keepwise.policies import levels
from keepwise.policies.levels import push
from keepwise.policies.levels.changed_limits import LimitsSearch
from keepwise.policies.push_evaluation import evaluate_limits
from keepwise.policies.push_policies import LimitPolicy, ScoreBandPolicy
from keepwise.solvers.push.changing_limits import VISITS_LEFT

TWO_DICE = {"dice": 2, "faces": 3, "singles": {"1": 2, "2": 1}}
COSTS = own_game({**TWO_DICE, "name": "costs", "target": 6, "bust": {"costs": [0, 2], "floor": -2}})
WIPES = own_game(
    {**TWO_DICE, "name": "wipes", "target": 5, "finish": "exact", "special": [{"throw": "33", "then": "wipe"}]}
)
LAST = own_game(
    {**TWO_DICE, "name": "last", "target": 6, "finish": "last_round", "bust": {"costs": [0, 2], "floor": -2}}
)
GAMES = [COSTS, WIPES, LAST]


def limits(one, two):
    return LimitPolicy({1: one, 2: two})


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("game", GAMES)
def test_values_and_gains_equal_other_evaluations(game):
    """Gains: with the visits under new limits and the values under old ones, they add up to the change of the value."""
    race = push.two_player_race(game)
    search, sides = LimitsSearch(race, lambda share: None), (2, 2)
    search.set_sides(sides)
    old, new = (tuple(limits(*pair) for pair in pairs) for pairs in ([(2, 3)] * 4, [(1, 3), (4, 2), (3, 1), (2, 2)]))
    new_value = search.estimate(new).value
    new_visits = search.equations.visits(search._start)
    old_value = search.estimate(old).value
    assert np.abs(np.subtract([old_value, new_value], race.values([old, new], sides))).max() < 1e-9
    solution = kw.solve(game, "win", 2, fresh=True)
    policy = ScoreBandPolicy(race.begins(2), race.begins(2), (new[:2], new[2:]))
    evaluation = evaluate_limits(solution.problem, solution.value_table, policy)
    assert abs((evaluation.value + evaluation.second[0]) / 2 - new_value) < 1e-9
    payoffs = search.equations.weighted_payoffs(new_visits)
    probabilities = [search._ending_probabilities(cells)[search._kind].T for cells in (old, new)]
    gain = float((payoffs * (probabilities[1] - probabilities[0])).sum())
    assert abs(gain - (new_value - old_value)) < 2 * VISITS_LEFT
    assert abs(gain) > 1e-3


@pytest.fixture
def changed(monkeypatch):
    """Finds levels by this search only."""
    monkeypatch.setattr(push, "PATIENT", 0.0)
    levels.at_level.cache_clear()
    yield levels.at_level
    levels.at_level.cache_clear()


def test_the_search_is_dropped_once_a_level_is_found(changed):
    """It keeps the opponent's turns: up to a gibibyte."""
    changed(COSTS, 1, "win")
    assert COSTS not in push.LIMITS_SEARCHES


@pytest.mark.slow
def test_no_number_wins_more_than_sheet_1(changed):
    """All numbers are tried here. Steps from the number for points ended at 7, with 0.44498 instead of 0.48128."""
    rules = {"dice": 2, "faces": 4, "singles": {"3": 3, "4": 2}, "alike": {"2": {"4": 3}}, "target": 12}
    game = own_game({**rules, "name": "far", "bust": {"costs": [0, 1]}})
    race, found = push.two_player_race(game), changed(game, 1, "win")
    estimates = race.estimates([(limits(number, number),) for number in range(1, 13)])
    best = max(estimates, key=lambda estimate: estimate.value)
    assert abs(best.value - found.value) <= best.error + 1e-8  # the bound of the search itself
    assert found.policy.by_dice == {1: 12, 2: 12}


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("game", GAMES)
def test_no_single_change_of_limits_improves_the_level(game, changed):
    """All limits are tried in each band; none wins more, and none of sheets 1 to 4 wins less than that for points."""
    race, found = push.two_player_race(game), [changed(game, level, "win") for level in (1, 2, 3, 4)]
    values = [level.value for level in found]
    assert np.diff(values).min() > -1e-9
    for level, sides in zip(found[1:], [(1, 1), (1, 1), (4, 4)], strict=True):
        cells = push._split(level.policy, sides, race)
        assert abs(race.values([cells], sides)[0] - level.value) < 1e-9
        for_points = push._split(changed(game, min(3, sides[0] + 1), "points").policy, sides, race)
        assert race.values([for_points], sides)[0] < level.value + 1e-9
    pairs = [limits(*pair) for pair in product(range(1, 8), repeat=2)]
    assert max(race.values([(pair,) for pair in pairs])) < found[1].value + 1e-9
    tried = [(*cells[:cell], pair, *cells[cell + 1 :]) for cell in range(len(cells)) for pair in pairs]
    assert max(race.values(tried, sides)) < found[3].value + 1e-3
