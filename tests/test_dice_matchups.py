"""Hands of dice against hands."""

from __future__ import annotations

import json

import numpy as np
import pytest

import keepwise as kw
from keepwise.dice_matchups import Matchups, solve_matchups
from keepwise.games import own_game

RULES = {
    "name": "three",
    "dice": 3,
    "target": 400,
    "singles": {"1": 100, "5": 50},
    "alike": {"3": {"2": 200, "1": 1000}},
}
HANDS = {
    "fair": {"die": [{"count": 3, "weights": [1, 1, 1, 1, 1, 1]}]},
    "lucky": {"die": [{"name": "lucky", "count": 3, "weights": [6, 1, 2, 3, 4, 6]}]},
    "mixed": {"die": [{"count": 2, "weights": [1] * 6}, {"name": "even", "count": 1, "weights": [1, 9, 1, 9, 1, 9]}]},
}


@pytest.fixture(scope="module")
def matchups() -> Matchups:
    return solve_matchups(own_game(RULES), HANDS)


def test_every_chance_is_that_of_its_race(matchups):
    """Each pair is solved once for both orders; here every order is solved by itself."""
    for row, first in enumerate(HANDS.values()):
        for column, second in enumerate(HANDS.values()):
            race = own_game(RULES).with_rules(**first).with_rules(seat={"2": second})
            assert matchups.first[row, column] == pytest.approx(kw.solve(race, "win", fresh=True).value(), abs=1e-9)
    assert matchups.second[0, 1] == pytest.approx(1 - matchups.first[1, 0], abs=1e-15)
    assert matchups.even.diagonal().tolist() == pytest.approx([0.5] * 3, abs=1e-12)
    assert matchups.least_chances().argmax() == 1  # lucky dice beat the others


def test_the_table_has_a_row_for_every_pair(matchups):
    lines = matchups.to_csv().splitlines()
    assert lines[0] == "hand,opponent,first,second"
    assert len(lines) == 10
    assert lines[2] == f"fair,lucky,{matchups.first[0, 1]},{matchups.second[0, 1]}"


def test_a_mix_of_hands_that_beat_each_other_in_a_circle():
    """Rock, paper, scissors: each hand a third of the time guarantees one half."""
    pytest.importorskip("scipy")
    chances = np.array([[0.5, 0.2, 0.8], [0.8, 0.5, 0.2], [0.2, 0.8, 0.5]])
    weights, guarantee = Matchups(("rock", "paper", "scissors"), chances, 0.0).best_mix()
    assert weights == pytest.approx([1 / 3] * 3)
    assert guarantee == pytest.approx(0.5)


def test_no_hands_are_refused():
    with pytest.raises(kw.InputError, match="hands must contain at least one hand"):
        solve_matchups(own_game(RULES), {})


INVENTORY = """
[[die]]
count = 2

[[die]]
name = "lucky"
weights = [6, 1, 2, 3, 4, 6]

[[die]]
name = "even"
weights = [1, 9, 1, 9, 1, 9]
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "ours.toml").write_text('name = "ours"\ndice = 2\ntarget = 300\n\n[singles]\n1 = 100\n5 = 50\n')
    (tmp_path / "own.toml").write_text(INVENTORY)
    (tmp_path / "theirs.toml").write_text('[[die]]\nname = "even"\ncount = 2\nweights = [1, 9, 1, 9, 1, 9]\n')
    return tmp_path


def test_best_dice_against_any_hand_writes_the_table(run, files):
    command = f"best-dice --rules {files}/ours.toml --own {files}/own.toml --objective win --against any"
    found = json.loads(run(f"{command} --json -o {files}/table.csv").out)
    assert found["hands"] == 4
    assert found["best"][0]["hand"] == "1 plain, 1 lucky"
    assert found["best"][0]["least_chance"] == pytest.approx(0.5, abs=1e-9)  # against itself: no hand beats it
    lines = (files / "table.csv").read_text().splitlines()
    assert len(lines) == 17
    assert "at least  1 plain, 1 lucky; worst against 1 plain, 1 lucky" in run(command).out


def test_best_dice_for_the_win_against_a_file_of_dice(run, files):
    command = f"best-dice --rules {files}/ours.toml --own {files}/own.toml"
    found = json.loads(run(f"{command} --objective win --against {files}/theirs.toml --json --most 1").out)
    own_hand = [{"count": 1, "weights": [1] * 6}, {"name": "lucky", "count": 1, "weights": [6, 1, 2, 3, 4, 6]}]
    their_hand = [{"name": "even", "count": 2, "weights": [1, 9, 1, 9, 1, 9]}]
    race = kw.load_rules(files / "ours.toml").with_rules(die=own_hand).with_rules(seat={"2": {"die": their_hand}})
    assert found["best"][0]["win"] == pytest.approx(kw.solve(race, "win", fresh=True).value(), abs=1e-9)
    assert "turns  1 plain, 1 lucky" in run(f"{command} --objective turns").out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--against any", "--against requires --objective win"),
        ("-o x.csv", "-o requires --against any"),
        ("--objective win --against any --goal 100", "--goal cannot be combined with --against any"),
        ("--objective turns --goal 100", "goal requires objective=points"),
        ("--objective win --against {0}/own.toml", "against must list 2 dice"),
    ],
)
def test_options_of_best_dice_that_contradict_each_other(run, files, options, message):
    found = run(f"best-dice --rules {files}/ours.toml --own {files}/own.toml {options.format(files)}")
    assert found.status == 2
    assert message in found.err
