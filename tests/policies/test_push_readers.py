"""Pages of all push-your-luck games that ship: read by somebody who knows the page alone."""

from __future__ import annotations

import json

import pytest
import toys
from random_games import decisions_by_chance
from sheet_readers import hand_in_words, hog, scoring, setting_aside, table_of

import keepwise as kw
from keepwise.games import FILES, own_game, shipped_rule_files
from keepwise.output.sheets import make_sheet, push
from keepwise.output.sheets.render import render_text as sheet_text
from keepwise.policies.evaluation import Evaluation
from keepwise.policies.levels.push import KEPT
from keepwise.policies.registry import parse_choice_function

SMALL_HOG = {"name": "small", "dice": 4, "faces": 4, "target": 16, "set_aside": "all-or-none"}
SMALL_HOG |= {"then": {"set": "end", "dice": "chosen"}, "singles": {"2": 2, "3": 3, "4": 4}}
SMALL_UNLIKE = {
    "name": "small",
    "faces": 4,
    "target": 40,
    "die": [{"count": 1, "weights": [1, 1, 1, 1]}, {"name": "lucky", "count": 2, "weights": [3, 1, 1, 2]}],
    "singles": {"1": 3, "2": 1},
    "alike": {"2": {"1": 5, "3": 8}, "3": {"4": 20}},
}
READERS = {
    "small hog": (lambda: own_game(SMALL_HOG), "win", hog),
    "threes": (lambda: kw.load_rules("threes"), "points", setting_aside),
    "small unlike": (lambda: own_game(SMALL_UNLIKE), "points", scoring),
    "kingdom-come-loaded": (lambda: kw.load_rules("kingdom-come-loaded"), "points", scoring),
}


def read_and_played(game, objective, reader, level, enough=300):
    """Whoever reads the page does in so many positions what the policy does."""
    solution = kw.solve(game, objective, fresh=game.id == "small")
    playable, target = solution.playable, game.data.target if objective == "win" else None
    read, player = reader(make_sheet(solution, level=level), target), parse_choice_function(playable, f"sheet:{level}")
    for position, choices, said in decisions_by_chance(playable, player, level, enough):
        if len(choices) > 1:
            at = {**playable.to_dict(position), "hand": hand_in_words(playable, position)}
            assert said.action == read(at, choices), at


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("level", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.patient) if one.startswith("kingdom") else one for one in READERS]
)
def test_push_sheet_readers_play_as_the_level_policy(name, level):
    game, objective, reader = READERS[name]
    read_and_played(game(), objective, reader, level)


def known_as(name):
    return kw.game(name) if name in FILES else kw.load_rules(name)


NO_CHOICE = ("bunco", "drop-dead", "fifty", "sevens-out")
LONG = ("cosmic-wimpout", "hog", "zilch")  # many ways to throw, or not of a moment to solve
PLAYED = [
    pytest.param(name, marks=pytest.mark.patient) if name in LONG else name
    for name in (*FILES, *(one for one in shipped_rule_files() if one not in FILES))
    if name not in (*READERS, *NO_CHOICE) and known_as(name).family == "push"
]


@pytest.mark.cases(fast=2, slow=20)
@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("name", PLAYED)
def test_every_page_for_points_is_read(name, level):
    """Of all push-your-luck games that ship and let anybody choose; there is no page 4 for points."""
    read_and_played(known_as(name), "points", hog if name == "hog" else scoring, level, 100)


@pytest.mark.cases(fast=0, slow=6)
@pytest.mark.parametrize("level", [1, 2, 3, 4])
@pytest.mark.parametrize("name", [one.partition(":")[0] for one in json.loads(KEPT.read_text())])
def test_every_page_to_win_that_ships_is_read(name, level, monkeypatch):
    """What it costs is another test's."""
    monkeypatch.setattr(push, "evaluate_limits", lambda *told, **more: Evaluation(0.0, 0.0, 0.0, 0.0, (0.0, 0.0)))
    read_and_played(known_as(name), "win", hog if name == "hog" else scoring, level, 100)


SUM = {"name": "sum", "dice": 4, "singles": {str(face): face for face in range(1, 7)}}
SUM["then"] = {"set": "must", "all": "end"}
PAIRS = {**SUM, "dice": 3, "faces": 4, "singles": {"1": 1}, "alike": {"2": {"2": 3, "3": 5, "4": 8}}}


@pytest.mark.cases(fast=3)
@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("finish", ["at_least", "one_turn"])
@pytest.mark.parametrize("rules", [SUM, PAIRS], ids=["singles", "pairs"])
def test_sheets_omit_stopping_where_no_stop_is_offered(rules, finish, level):
    """Nothing is said of stopping; which dice are set aside is read from the sheet."""
    game = own_game({**rules, "finish": finish})
    solution = kw.solve(game, "points", fresh=True)
    sheet = make_sheet(solution, level=level)
    words = " ".join([*sheet.lines, *(table.heading for table in sheet.tables)])
    assert "ank" not in words
    assert "you may not stop" in words
    read, player = setting_aside(sheet, None), parse_choice_function(solution.playable, f"sheet:{level}")
    for position, choices, said in decisions_by_chance(solution.playable, player, level, 100):
        if len(choices) > 1:
            at = {**solution.playable.to_dict(position), "hand": hand_in_words(solution.playable, position)}
            assert said.action == read(at, choices), at


def test_a_sheet_of_sets_alone_loses_little():
    """Of 18.8436 points (The Riddler, see test_fractions.py) the shortest sheet keeps all but 0.1218.

    It sets aside 5s and 6s, else one highest die: a 4 of the last two dice is thrown again.
    """
    solution = kw.solve(own_game(SUM), "points", fresh=True)
    losses = [solution.evaluate(f"sheet:{level}").loss for level in (1, 2, 3)]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] < 0.13
    assert "at least 5;" in make_sheet(solution, level=1).lines[0]


@pytest.mark.parametrize(
    ("game", "worths"),
    [
        # 7/2, 593/72 and 13049/972, the mean points of one, two and three dice: The Riddler, see test_fractions.py.
        (lambda: own_game(SUM), {"1": "3.50", "2": "8.24", "3": "13.42"}),
        # Of one die (0 + 1 + 2 + 4 + 5 + 6) / 6; of more dice by plain enumeration.
        (lambda: kw.load_rules("threes"), {"1": "3.00", "2": "4.39", "3": "5.23", "4": "5.83"}),
    ],
    ids=["sum", "threes"],
)
def test_the_largest_sheet_is_optimal_where_no_stop_is_offered(game, worths):
    solution = kw.solve(game(), "points")
    assert abs(solution.evaluate("sheet:3").loss) <= 1e-11
    sheet = make_sheet(solution, level=3)
    assert dict(table_of(sheet, "What the dice left are worth").rows) == worths


def test_hold_is_refused_where_no_stop_is_offered(run, tmp_path):
    path = tmp_path / "sum.toml"
    singles = "\n".join(f"{face} = {face}" for face in range(1, 7))
    path.write_text(f'name = "sum"\ndice = 4\nthen.set = "must"\nthen.all = "end"\n[singles]\n{singles}\n')
    seen = run("evaluate", "--rules", str(path), "--objective", "points", "--policy", "hold:20")
    assert (seen.status, "requires rules that let a player stop" in seen.err) == (2, True)


@pytest.mark.cases(fast=1, slow=3)
@pytest.mark.parametrize("name", NO_CHOICE)
def test_sheets_of_games_without_choices_have_one_line(name):
    solution = kw.solve(kw.load_rules(name), "points")
    for level in (1, 2, 3):
        sheet = make_sheet(solution, level=level)
        assert sheet.lines == ("There is nothing to choose: roll as the rules say until the turn ends.",)
        assert not sheet.tables
        assert "costs nothing" in " ".join(sheet.cost)


def test_sheets_never_stop_before_a_roll_that_cannot_bust():
    solution = kw.solve(own_game({"name": "safe", **toys.rules("scores its sum")}), "points", fresh=True)
    table = table_of(make_sheet(solution, level=2), "Bank")
    assert {row[0]: row[1] for row in table.rows}["1"] == "never"


@pytest.mark.slow
def test_limits_are_stated_beside_those_of_best_play():
    """Farkle: best play banks from 2,900 points with five dice left, and from 10,050 with six; this sheet earlier."""
    sheet = make_sheet(kw.solve("farkle", "points"), level=3)
    table = table_of(sheet, "Bank")
    assert {row[0]: row[1] for row in table.rows}["6"] == "8,400"
    assert table.note == (
        "These numbers are best for this sheet's way of keeping dice."
        " Best play banks from 10,050 with 6 dice and from 2,900 with 5 dice."
    )
    assert "Best play banks" in sheet_text(sheet)
    pig = make_sheet(kw.solve("pig", "points"), level=3)
    assert all("Best play" not in table.note for table in pig.tables)
