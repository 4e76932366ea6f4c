"""Hands of dice against hands."""

from __future__ import annotations

import itertools
import json
import re

import numpy as np
import pytest

import keepwise as kw
from keepwise.dice_matchups import Matchups, load_hands, solve_matchups
from keepwise.games import own_game
from keepwise.output.charts.draw import write_chart
from keepwise.output.charts.terminal import draw_text
from keepwise.util import optional_imports

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


def skewed(advantages: dict[tuple[int, int], float], size: int) -> np.ndarray:
    """Return chances in which the hand of a pair has so much more than one half against the other."""
    chances = np.full((size, size), 0.5)
    for (row, column), advantage in advantages.items():
        chances[row, column] += advantage
        chances[column, row] -= advantage
    return chances


def test_a_mix_of_three_hands_is_the_known_solution():
    """If 1 beats 2 by a, 3 beats 1 by b and 2 beats 3 by c, the hands are played in the ratio c : b : a."""
    pytest.importorskip("scipy")
    first = skewed({(0, 1): 0.1, (2, 0): 0.2, (1, 2): 0.3}, 3)
    weights, guarantee = Matchups(("1", "2", "3"), first, 0.0).best_mix()
    assert weights == pytest.approx([0.5, 1 / 3, 1 / 6])
    assert guarantee == pytest.approx(0.5)


def test_no_mix_in_steps_of_a_tenth_guarantees_more():
    pytest.importorskip("scipy")
    rng = np.random.default_rng(52)
    pairs = itertools.combinations(range(4), 2)
    matchups = Matchups(tuple("abcd"), skewed({pair: rng.uniform(-0.4, 0.4) for pair in pairs}, 4), 0.0)
    weights, guarantee = matchups.best_mix()
    assert guarantee == pytest.approx(min(weights @ matchups.even))
    steps = (np.array(step) / 10 for step in itertools.product(range(11), repeat=4) if sum(step) == 10)
    assert max(min(step @ matchups.even) for step in steps) <= guarantee + 1e-9


def test_a_hand_that_beats_all_others_is_the_whole_mix(matchups):
    pytest.importorskip("scipy")
    weights, guarantee = matchups.best_mix()
    assert weights == pytest.approx([0, 1, 0])
    assert guarantee == pytest.approx(0.5)


def test_an_interrupted_table_is_resumed(tmp_path, matchups):
    output = tmp_path / "table.csv"
    shares = list[float]()

    def interrupt(share):
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_matchups(own_game(RULES), HANDS, checkpoint=output, progress=interrupt)
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv.races.part"]
    with pytest.raises(kw.TableError, match=r"checkpoint of another problem; delete it"):
        solve_matchups(own_game({**RULES, "target": 450}), HANDS, checkpoint=output)
    resumed = solve_matchups(own_game(RULES), HANDS, checkpoint=output, progress=shares.append)
    assert resumed.first.tolist() == matchups.first.tolist()
    assert shares[-1] == 1
    assert not list(tmp_path.iterdir())


def test_the_chart_has_the_best_hand_first(matchups, tmp_path):
    chart = matchups.chart("Three")
    assert chart.labels[0] == "lucky"
    assert chart.grid.diagonal().tolist() == pytest.approx([0.5] * 3)
    assert chart.grid[0, 2] == matchups.even[1, matchups.names.index(chart.labels[2])]
    lines = draw_text(chart).splitlines()
    assert lines[0] == "Three: hands against hands"
    assert lines[3].split()[:3] == ["1", "lucky", "50%"]
    assert all(len(line) <= 40 for line in draw_text(chart, 40).splitlines())
    pytest.importorskip("matplotlib")
    write_chart(chart, tmp_path / "chart.svg")
    assert "hands against hands" in (tmp_path / "chart.svg").read_text()


HAND_LINES = """# our dice
plain: ordinary*6

Lucky*3, odd * 3  # the best
"""
KCD2 = "kingdom-come-2 --rule target=300"


@pytest.fixture
def hands_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hands.txt").write_text(HAND_LINES)
    return tmp_path / "hands.txt"


def test_a_file_of_hands(hands_file):
    hands = load_hands(hands_file, kw.game("kingdom-come-2"))
    assert hands == {"plain": {"hand": "ordinary*6"}, "lucky*3, odd*3": {"hand": "lucky*3, odd*3"}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "lists no hands: write one a line, such as lucky*3, odd*3"),
        ("lucky*5", "hands.txt:1: a hand must have 6 dice, but 'lucky*5' has 5 dice"),
        ("odd*6\nodds*6", "hands.txt:2: unknown die 'odds'; did you mean odd?"),
        ("odd*6\nodd*3, odd*3", "hands.txt:2: the hand odd*6 is also in line 1"),
        (": odd*6", "hands.txt:1: the name of a hand is missing before the colon"),
    ],
)
def test_a_wrong_file_of_hands_is_refused(hands_file, content, message):
    hands_file.write_text(content)
    with pytest.raises(kw.InputError, match=re.escape(message)):
        load_hands(hands_file, kw.game("kingdom-come-2"))


def test_export_writes_the_table_of_hands(run, hands_file):
    game = kw.game("kingdom-come-2", target=300)
    expected = solve_matchups(game, load_hands(hands_file, game))
    assert run(f"export {KCD2} --hands hands.txt -f csv").out == expected.to_csv()
    report = run(f"export {KCD2} --hands hands.txt -o table.csv").out
    assert (hands_file.parent / "table.csv").read_text() == expected.to_csv()
    assert "wrote table.csv\nagainst an unknown hand: lucky*3, odd*3, at least 50.0% to win" in report
    found = json.loads(run(f"export {KCD2} --hands hands.txt -f json").out)
    assert found["first"] == expected.first.tolist()
    assert found["least_chances"] == expected.least_chances().tolist()
    assert draw_text(expected.chart(game.title)) in run(f"export {KCD2} --hands hands.txt -f text").out
    assert run(f"chart {KCD2} matchups --hands hands.txt").out == draw_text(expected.chart(game.title), 80)
    # As a race of unlike seats, which is solved by itself.
    race = kw.game("kingdom-come-2", target=300, hand="ordinary*6", seats={2: {"hand": "lucky*3, odd*3"}})
    assert expected.first[0, 1] == pytest.approx(kw.solve(race, fresh=True).value(), abs=1e-9)


def test_export_reports_the_best_mix(run, hands_file, monkeypatch):
    command = f"export {KCD2} --hands hands.txt --mix -f"
    monkeypatch.setattr(optional_imports, "find_spec", lambda library: None)
    refused = run(f"{command} json")
    assert refused.status == 2
    assert "the best mix of hands requires SciPy: " in refused.err
    assert "[mix]" in refused.err
    monkeypatch.undo()
    pytest.importorskip("scipy")
    monkeypatch.chdir(hands_file.parent)
    mix = json.loads(run(f"{command} json").out)["mix"]
    assert mix["weights"] == pytest.approx([0, 1])
    assert "best mix, at least 50.0% to win: 100.0% lucky*3, odd*3\n" in run(f"{command} text").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("value kingdom-come-2 --hands hands.txt", "--hands hands.txt is a file, which only keepwise export"),
        ("export pig --hands hands.txt -f csv", "pig has no catalogue of dice, which a hand requires"),
        ("export kingdom-come-2 --hands none.txt -f csv", "cannot read none.txt: file not found"),
        (
            "export kingdom-come-2 --hands hands.txt -f drn",
            "a table of hands has the formats csv, json, text, not 'drn'",
        ),
        ("export kingdom-come-2 --hands hands.txt -f csv --mix", "--mix requires -f text, -f json or -o FILE"),
        ("export kingdom-come-2 --hands hands.txt -f csv --json", "--json cannot be combined with a table of hands"),
        (
            "export kingdom-come-2 --hands hands.txt -f csv --score 50",
            "--score cannot be combined with a table of hands",
        ),
        ("export kingdom-come-2 --hands hands.txt --players 3", "--players cannot be combined with a file of hands"),
        ("export kingdom-come-2 --hands hands.txt --seat-rule 2:target=900", "rules by seat cannot be combined with a"),
        ("export kingdom-come-2 --hands hands.txt --hand odd*6", "--hand cannot be combined with --hands"),
        ("export pig -f csv --mix", "--mix requires --hands FILE with a hand in each line"),
        ("chart kingdom-come-2 matchups", "the chart matchups requires --hands FILE with a hand in each line"),
        ("chart kingdom-come-2 surface --hands hands.txt", "--hands FILE requires the chart matchups, not surface"),
        (
            "chart kingdom-come-2 matchups --hands hands.txt --vary target",
            "--vary cannot be combined with the chart matchups",
        ),
    ],
)
def test_matchups_refuse_bad_hand_tables(refused, hands_file, words, message):
    refused(message, words)


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
        ("--objective turns --goal 100", "goal requires the objective points"),
        ("--objective win --against {0}/own.toml", "against must list 2 dice"),
    ],
)
def test_options_of_best_dice_that_contradict_each_other(run, files, options, message):
    found = run(f"best-dice --rules {files}/ours.toml --own {files}/own.toml {options.format(files)}")
    assert found.status == 2
    assert message in found.err
