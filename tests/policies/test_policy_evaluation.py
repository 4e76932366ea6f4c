"""Exact values of policies as chains of the game as it is played: names, functions, and functions in files."""

from __future__ import annotations

import copy
import json
from fractions import Fraction

import pytest

import keepwise as kw
from keepwise import api
from keepwise.answers.positions import BestPlay, seat_values_of
from keepwise.play.referee import referee
from keepwise.policies.policy import NamedPolicy, OtherObjectivePolicy
from keepwise.policies.registry import PolicyContext, list_policy_names, parse_choice_function
from keepwise.simulation import policy_evaluation
from keepwise.simulation.policy_evaluation import turn_positions
from keepwise.solvers import make_problem
from keepwise.solving.solve import solve_problem

MINE = """
def careful(playable, position):
    return playable.choices(position)[0]

def fails(playable, position):
    raise KeyError("no idea")

def by_position(position):
    return 1
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Enter a folder with a file of policies."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)


@pytest.mark.parametrize(
    ("game", "rules", "objective", "players", "policy"),
    [
        ("pig", {"target": 15}, "win", 2, "hold:6"),
        ("pig", {"target": 6, "faces": 3}, "win", 3, "hold:3"),
        ("pig", {"faces": 3, "target": 14}, "win", 3, "hold:8"),  # the best play of the others mixes turns
        ("pig", {}, "points", None, "hold:15"),
        ("pig", {"target": 40}, "turns", None, "hold:20"),
        ("battleship", {}, "points", None, "source"),
        pytest.param("battleship", {"rounds": 1}, "win", 2, "above-seven", marks=pytest.mark.slow),
        pytest.param("5000", {}, "points", None, "hold:300", marks=pytest.mark.slow),
        ("shut-the-box", {"tiles": 4}, "win", 2, "sheet:2"),
        ("booby-trap", {"large": 1, "medium": 2, "small": 1}, "margin", 2, "sheet:2"),
        ("boston", {}, "points", None, "sheet:1"),
        ("scarney", {}, "points", None, "sheet:2"),
    ],
)
def test_a_function_has_the_value_of_the_name_of_the_same_policy(game, rules, objective, players, policy):
    solution = kw.solve(kw.game(game, **rules), objective, players, fresh=True)
    by_name = solution.evaluate(policy)
    by_function = solution.evaluate(parse_choice_function(solution.playable, policy))
    assert abs(by_function.value - by_name.value) <= by_function.error_bound + by_name.error_bound
    assert by_function.optimal == pytest.approx(by_name.optimal, abs=1e-12)
    assert by_function.error_bound < 1e-8
    if by_name.second is not None:
        assert by_function.second == pytest.approx(by_name.second, abs=1e-10)
    for mine, theirs in zip(by_function.later, by_name.later, strict=True):
        assert mine == pytest.approx(theirs, abs=1e-10)


@pytest.mark.parametrize(
    ("game", "rules", "objective", "parameters"),
    [
        ("pig", {"target": 6, "faces": 3}, "win", {}),
        ("pig", {"target": 8}, "turns", {}),
        ("pig", {"target": 8}, "reach", {"goal": 6, "turns": 2}),
        ("battleship", {}, "reach", {"goal": 9, "turns": 2}),
        ("battleship", {"target": 6}, "turns", {}),
        ("multiplication", {}, "points", {}),
        ("booby-trap", {"large": 1, "medium": 1, "small": 1}, "win", {}),
        ("shut-the-box", {"tiles": 4}, "reach", {"goal": 0}),
    ],
)
def test_the_referee_confirms_the_value_of_a_function(game, rules, objective, parameters):
    """The referee solves the game in fractions with the choices of the policy, and the best of the others."""
    solution = kw.solve(kw.game(game, **rules), objective, fresh=True, **parameters)
    playable = solution.playable

    def bold(position):
        return playable.choices(position)[0 if playable.to_dict(position).get("turn", 0) >= 3 else -1]

    def choices(position):
        if playable.player_to_move(position) == 0:
            return (bold(position),)
        every = playable.choices(position)
        values = seat_values_of(solution.problem, solution.value_table, [choice.after for choice in every]).values
        best = values[:, playable.player_to_move(position)].argmax()
        return (every[int(best)],)

    with_choices = copy.copy(playable)
    object.__setattr__(with_choices, "choices", choices)
    cut = solution.problem.max_stopping_points(solution.value_table)
    exact = referee(with_choices, cut=cut).seat_payoffs(playable.start())[0]
    found = solution.evaluate(bold)
    value = -exact if playable.fewer_is_better else exact
    assert abs(Fraction(found.value) - value) <= Fraction(found.error_bound) + Fraction(1, 10**12)


def test_simulated_games_agree_with_the_exact_value():
    solution = kw.solve(kw.game("pig", target=30), "win")

    def at_most_three_rolls(playable, position):
        return playable.choices(position)[0 if playable.to_dict(position).get("turn", 0) >= 9 else -1]

    exact = solution.evaluate(at_most_three_rolls)
    simulated = solution.simulate(at_most_three_rolls, games=4000, seed=5).seats[0].outcome
    assert abs(simulated.mean - exact.value) < 4 * simulated.se
    assert exact.loss > 0


def test_best_policy_has_no_loss_and_best_for_points_has():
    solution = kw.solve(kw.game("pig", target=20), "win")
    assert solution.evaluate("best").loss == 0.0
    assert solution.evaluate("best:points").loss > 0
    optimal = solution.evaluate(lambda position: solution.advise(position).best.action)
    assert optimal.value == pytest.approx(optimal.optimal, abs=1e-12)


@pytest.mark.parametrize("target", [20, 60, 100])
def test_the_estimate_follows_the_best_of_another_objective(target, monkeypatch):
    """For points a turn of Pig stops at 20: it rolls from 0 and from 2 to 19, with six results of each roll."""
    counts = []

    def count(*asked):
        found = turn_positions(*asked)
        counts.append(len(found[0]))
        return found

    monkeypatch.setattr(policy_evaluation, "turn_positions", count)
    api.plan_evaluation(make_problem(kw.game("pig", target=target), "win", 2), "best:points")
    assert counts == [19 + 19 * 6]


def test_the_estimate_stops_where_best_play_stops():
    """Not all turns count, but those of the policy: fewer positions than with every choice."""
    other = make_problem(kw.game("5000"), "points", 1)
    start = other.playable.start()
    best = BestPlay(solve_problem(other))
    assert len(turn_positions(other, start, best)[0]) < len(turn_positions(other, start, None)[0]) / 10


# Seconds that evaluating best:points took one core of 2026, beside other work.
TAKEN = [
    ("pig", 60, 0.8),
    ("pig", 100, 8.0),
    ("pig", 200, 59),
    pytest.param("5000", 600, 12.4, marks=pytest.mark.slow),
    pytest.param("5000", 1000, 52, marks=pytest.mark.slow),
    pytest.param("farkle", 600, 211, marks=pytest.mark.patient),
]


@pytest.mark.parametrize(("name", "target", "seconds"), TAKEN)
def test_the_estimate_is_within_a_factor_of_two(name, target, seconds):
    """A turn of Pig brings 20 to 25 points, which lead to few of the scores below 60."""
    problem = make_problem(kw.game(name, target=target), "win", 2)
    plan = policy_evaluation.plan_chain_evaluation(
        problem, NamedPolicy("best:points", OtherObjectivePolicy("points")), None, anyway=True
    )
    cost = policy_evaluation.estimate_chain_cost(problem, plan.named, plan.start, plan.other_problem)
    assert seconds / 2 < cost.seconds < 2 * seconds


def test_a_function_in_a_file_is_evaluated_at_the_command_line(run, mine):
    told = run("evaluate", "pig", "--rule", "target=12", "--policy", "mine.py:careful", "--json")
    shape = json.loads(told.out)
    assert shape["policy"] == "mine.py:careful"
    assert 0 < shape["value"] < shape["optimal"]
    assert shape["loss"] == shape["optimal"] - shape["value"]
    by_position = run("evaluate", "pig", "--rule", "target=12", "--policy", "mine.py:by_position", "--json")
    assert json.loads(by_position.out)["value"] == shape["value"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("evaluate pig --rule target=9 --policy mine.py:fails", "mine.py:fails fails at pig:win2:"),
        ("evaluate pig --policy mine.py:other", "mine.py does not have a function other"),
        (
            "evaluate pig --policy average",
            "policy average cannot be used here: it chooses at random; use keepwise simulate",
        ),
        ("evaluate pig --policy holt:20", "unknown policy 'holt:20'; did you mean hold:POINTS? Policies of pig: best,"),
        ("evaluate yahtzee --objective points --policy mine.py:careful", "takes about"),
        ("evaluate pig --policy mine.py:careful --score 5", "leave out --score"),
    ],
)
def test_evaluate_refuses_policies_in_one_line(refused, mine, words, message):
    refused(message, words)


def test_every_game_lists_the_policies_that_it_knows():
    assert list_policy_names(PolicyContext(kw.playable("boston"))) == [
        "best", "best:OBJECTIVE", "duel", "sheet", "sheet:1 to sheet:4", "strong", "average", "weak",
        "easy", "medium", "hard", "loses:LOSS",
        "careless", "FILE.py:FUNCTION",
    ]  # fmt: skip
    assert "source" in list_policy_names(PolicyContext(kw.playable("battleship")))
    assert "hold:DICE=POINTS,..." in list_policy_names(PolicyContext(kw.playable("5000")))
