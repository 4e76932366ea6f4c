"""Graded players whose size of mistakes is shipped, and the everyday names of grades.

``python tests/simulation/test_measured_grades.py GAME [OBJECTIVE]`` measures the grades of a game and prints its
line of ``solver/simulation/measured_grades.py``.
"""

from __future__ import annotations

import io
import math
import re
import sys
from pathlib import Path

import pytest

import keepwise as kw
from keepwise.api import ask
from keepwise.games import FILES
from keepwise.policies.registry import EVERYDAY_GRADES, MISTAKE_SHARES, PolicyContext, list_policy_names, parse_policy
from keepwise.simulation import grades
from keepwise.simulation.measured_grades import TEMPERATURES
from keepwise.solving.table_store import table_file_name


def key_of(problem):
    return Path(table_file_name(problem)).stem


def shipped_games():
    """Return game and objective of each problem with shipped temperatures."""
    return [tuple(re.fullmatch(r"(.+)-([a-z]+)-[0-9a-f]+", key).groups()) for key in TEMPERATURES]


def shipped_game(name):
    """Return a built-in game, or that of a shipped rule file."""
    return kw.playable(name).game if name in FILES else kw.load_rules(name)


def measured(solution):
    """Return the temperatures of all grades, measured."""
    trials = grades.MistakeTrials(solution, grades.GAMES, grades.SEED)
    return {name: grades.calibrate(trials, name, share, 0.0, lambda share: None) for name, share in SHARES}


SHARES = sorted(MISTAKE_SHARES.items(), key=lambda item: -item[1])


@pytest.mark.parametrize(("game", "objective"), shipped_games())
def test_the_shipped_problems_are_those_of_the_rules_today(game, objective):
    """A rule set or a fingerprint that changes needs new constants."""
    problem = ask(shipped_game(game), objective)
    assert set(TEMPERATURES[key_of(problem)]) == set(MISTAKE_SHARES)
    temperatures = [TEMPERATURES[key_of(problem)][name] for name, _ in SHARES]
    assert temperatures == sorted(temperatures, reverse=True), "a smaller loss needs a lower temperature"


@pytest.mark.slow
@pytest.mark.parametrize(("grade", "share"), SHARES)
def test_a_shipped_temperature_is_measured_again(grade, share):
    """Its mean loss in Pig is the stated share of that of blind play, in the games that measured it."""
    solution = kw.solve("pig")
    trials = grades.MistakeTrials(solution, grades.GAMES, grades.SEED)
    blind = trials.loss(math.inf)
    loss = trials.loss(TEMPERATURES[key_of(solution.problem)][grade])
    assert abs(loss - share * blind) <= grades.LOSS_TOLERANCE * share * blind


@pytest.mark.patient
@pytest.mark.parametrize(("game", "objective"), shipped_games())
def test_every_shipped_temperature_is_measured_again(game, objective):
    solution = kw.solve(shipped_game(game), objective)
    assert measured(solution) == TEMPERATURES[key_of(solution.problem)]


def test_the_time_of_measuring_is_announced_after_a_round(monkeypatch):
    announced_shares, shares = list[float](), list[float]()
    monkeypatch.setattr(
        grades, "announce_cost", lambda *_, **__: announced_shares.append(shares[-1] if shares else 0.0)
    )
    trials = grades.MistakeTrials(kw.solve("pig", "win"), 200, grades.SEED)
    grades.calibrate(trials, "weak", 0.3, 0.0, shares.append)
    assert announced_shares == [1 / (grades.USUAL_TRIES + 1)]
    assert shares[0] < announced_shares[0] < shares[-1]


def test_shipped_grades_are_not_measured(monkeypatch):
    monkeypatch.setattr(grades, "calibrate", lambda *_: pytest.fail("measured"))
    solution = kw.solve("pig")
    for name in (*MISTAKE_SHARES, *EVERYDAY_GRADES):
        player = grades.make_mistake_player(solution, name)
        grade = EVERYDAY_GRADES.get(name, name)
        assert player.temperature == TEMPERATURES[key_of(solution.problem)][grade]


def test_other_games_and_numbers_of_games_are_measured(monkeypatch, tmp_path):
    monkeypatch.setattr(grades, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(grades, "calibrate", lambda *_: 0.25)
    solution = kw.solve(kw.load_rules("hog"))
    assert grades.make_mistake_player(solution, "easy").temperature == 0.25
    solution = kw.solve("pig")
    assert grades.make_mistake_player(solution, "easy", games=9).temperature == 0.25
    assert grades.make_mistake_player(solution, "loses:0.03").temperature == 0.25


@pytest.mark.parametrize(("name", "grade"), EVERYDAY_GRADES.items())
def test_easy_medium_and_hard_are_grades(name, grade):
    for game in FILES:
        context = PolicyContext(kw.playable(game))
        assert parse_policy(name, context) == parse_policy(grade, context)
        assert name in list_policy_names(context)


def test_an_unknown_opponent_lists_them(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    seen = run("play pig --opponent middling").err
    assert "strong, average, weak, easy, medium, hard, " in " ".join(seen.split())


@pytest.mark.parametrize("opponent", ["easy", "hard"])
def test_an_everyday_opponent_plays(run, monkeypatch, tmp_path, opponent):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("bank\nquit\n"))
    seen = run(f"play pig --opponent {opponent} --seed 4")
    assert seen.status == 0, seen.err
    assert "Engine: " in seen.out
    assert "measuring" not in seen.err


def test_a_graded_player_of_a_card_for_two_plays_for_points(run, monkeypatch, tmp_path):
    """Yahtzee has no exact values for two: the mistakes are those of play for points, and this is said."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(grades, "calibrate", lambda *_: 3.0)
    monkeypatch.setattr(grades, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("a\na\na\nquit\n"))
    seen = run("play yahtzee --players 2 --opponent easy --seed 4")
    out = " ".join(seen.out.split())
    assert seen.status == 0, seen.err
    assert "Yahtzee has no exact values for 2 players: advice is for the most points on a card." in out
    assert re.search(r"Engine: .* enters \d+ in ", out)
    refused = run("play yahtzee --players 2 --opponent loses:0.01 --seed 4 -o other.kw")
    assert "policy loses:0.01 requires exact values to measure its mistakes" in refused.err


if __name__ == "__main__":
    name, *objective = sys.argv[1:]
    to_measure = kw.solve(shipped_game(name), *objective)
    print(f'    "{key_of(to_measure.problem)}": {measured(to_measure)!r},'.replace("'", '"'))
