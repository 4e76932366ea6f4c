"""Size and time are judged before work starts: nobody's memory or evening is spent unasked."""

from __future__ import annotations

import logging
import time

import numpy as np
import pytest

import keepwise as kw
from keepwise.games import own_game
from keepwise.games.card_rules import Category
from keepwise.games.dice_matcher import DiceCondition
from keepwise.policies import levels
from keepwise.policies.levels import Level, card_levels, push, tiles
from keepwise.solvers import SolveCost, make_problem, solve_costs
from keepwise.solvers.cards import two_player
from keepwise.solvers.solve_costs import check_cost
from keepwise.util.errors import HouseRuleError, InputError, TooMuchError
from keepwise.util.progress_reporting import OpenEndedProgress

AT_ONCE = 60  # seconds of this process, on however slow a machine

ODD = {"name": "odd", "dice": 1, "singles": {"1": 1_000_000, "2": 3}}
MILLION = {"name": "far", "dice": 2, "target": 1_000_000, "singles": {"1": 1, "5": 2}}
RARE = {"name": "rare", "dice": 2, "faces": 2, "weights": [5, 2_000_000], "singles": {"2": 50}}


@pytest.fixture(autouse=True)
def at_once():
    begun = time.process_time()
    yield
    assert time.process_time() - begun < AT_ONCE


@pytest.mark.parametrize(
    ("rules", "objective", "parameters"),
    [
        (ODD, "win", {}),
        (MILLION, "win", {}),
        (MILLION, "turns", {}),
        (MILLION, "reach", {"turns": 10}),
        (RARE, "points", {}),
    ],
    ids=lambda one: one["name"] if "name" in one else str(one),
)
def test_house_rules_too_large_are_refused_at_once(rules, objective, parameters):
    with pytest.raises(TooMuchError, match=r"takes about .* and .* \(the limit is an hour or 8.0 GiB\); "):
        kw.solve(own_game(rules), objective, **parameters)


@pytest.mark.slow
def test_house_rules_that_only_look_large_are_solved():
    # A turn of one die: 1,000,000 with chance 1/6 or 3 with 1/6; a player stops from 250,001 points on.
    assert kw.solve(own_game(ODD), "points", fresh=True).value() == pytest.approx(200_000.12, abs=1e-2)
    assert kw.solve(own_game(MILLION), "points", fresh=True).value() > 1
    assert kw.solve(own_game({**RARE, "target": 1000}), "turns", fresh=True).value() == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"dice": 8, "faces": 20}, "8 dice with 20 faces make 3,108,104 sets to compare"),
        ({"dice": 6, "faces": 20, "pattern": [{"dice": "abcdef", "points": 5}]}, "too many rolls to list"),
        ({"dice": 8, "faces": 10, "pattern": [{"dice": "abcde", "points": 5}]}, "sets to compare"),
        (
            {"dice": 25, "set_aside": "all-or-none", "special": [{"scoreless": True, "points": 50}]},
            "25 dice with 6 faces make 2,945,120 sets to compare",
        ),
    ],
)
def test_rules_too_large_to_compile_are_refused_before(changes, said):
    with pytest.raises(HouseRuleError, match=said):
        own_game({"name": "x", "singles": {"1": 100, "5": 50}, **changes})


def test_cards_too_large_to_compile_are_refused_before():
    with pytest.raises(HouseRuleError, match="12 dice with 8 faces can be kept in 125,970 ways, more than 40,000"):
        own_game({"name": "x", "dice": 12, "faces": 8, "category": [{"name": "pairs", "groups": [2] * 6}]})


def test_groups_on_many_faces_are_counted_fast():
    own_game(
        {"name": "x", "dice": 9, "faces": 8, "category": [{"name": "a", "groups": [3, 2, 2, 2], "points": "groups"}]}
    )
    pairs = Category("pairs", "groups", DiceCondition((2, 2)))
    assert pairs.score(np.array([(2, 0, 2, 0, 3, 0)])) == 2 * 3 + 2 * 5
    full = Category("full house", "groups", DiceCondition((3, 2)))
    assert full.score(np.array([(3, 0, 0, 0, 0, 3), (0, 4, 0, 0, 1, 1)])).tolist() == [3 * 6 + 2 * 1, 0]


def test_rules_with_many_faces_print_fast(run, tmp_path):
    file = tmp_path / "many.toml"
    file.write_text('name="many"\ndice=2\nfaces=20\n[singles]\n1=10\n[[pattern]]\ndice="ab"\npoints=5\n')
    assert "a b (two different faces) on one roll: 5." in run(f"rules --rules {file}").out


@pytest.mark.slow
def test_yacht_for_two_names_a_command_that_works(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    found = run("advise --rules yacht --objective win --rule title=Yacht --roll 11234")
    assert found.status == 2
    assert "requires the whole value table, which takes about" in found.err
    assert "15.6 GiB" in found.err
    command = found.err.split("solve it once with keepwise ")[1].strip()
    assert command == "solve --rules yacht --rule title=Yacht --objective win --anyway -o yacht-win.npz"
    monkeypatch.setattr(
        two_player.CardWinProblem, "solve_with_checkpoint", lambda *args: (_ for _ in ()).throw(InputError("begun"))
    )
    assert run(command).err.endswith("; begun\n")
    small = run("value double-cameroon --objective win --rule five_kind_full_house=true")
    assert small.err.endswith(
        "solve it once with keepwise solve double-cameroon --rule five_kind_full_house=true --objective win -o"
        " double-cameroon-win.npz\n"
    )
    refused = run(command.replace(" --anyway", ""))
    assert refused.status == 2
    assert "add --anyway to allow it" in refused.err
    assert refused.err.count("\n") == 1


def test_tables_without_values_name_the_solve_command(run, tmp_path):
    """What was kept of a question before it was solved whole holds no values, and says what would make them."""
    file, rules = tmp_path / "early.npz", {"five_kind_full_house": True}
    kw.solve(kw.game("double-cameroon", **rules), "win").save(file)
    assert run(f"value {file}").err.endswith(
        "solve it once with keepwise solve double-cameroon --rule five_kind_full_house=true --objective win -o"
        " double-cameroon-win.npz\n"
    )


def test_only_long_work_is_announced(caplog):
    with caplog.at_level(logging.WARNING, "keepwise"):
        check_cost("solving it", SolveCost(2 << 30, 2.0), anyway=False)
        assert not caplog.text
        check_cost("solving it", SolveCost(2 << 30, 300.0), anyway=False, faster_hint="; that is sooner")
        assert "solving it takes about 5 minutes and 2.0 GiB; that is sooner" in caplog.text
        check_cost("solving that", SolveCost(9 << 30, 7200.0), anyway=True)
        assert "solving that takes about 2 hours and 9.0 GiB" in caplog.text
    with pytest.raises(TooMuchError, match=r"; pass anyway=True to allow it$"):
        check_cost("solving it", SolveCost(9 << 30, 1.0), anyway=False)
    with pytest.raises(TooMuchError):
        check_cost("solving it", SolveCost(1.0, float("nan")), anyway=False)


def test_estimated_cost_shares_kernels_between_threads():
    """Facebook's Farkle took 69 seconds of one core, nearly all of them the kernel's, which threads share."""
    asked = make_problem(kw.load_rules("farkle-facebook"), "win")
    assert 69 < asked.estimate_cost(1).seconds < 2 * 69
    assert asked.estimate_cost(2).seconds == asked.estimate_cost(1).seconds / 2


# Seconds that solving took one core of 2026.
TAKEN = [
    ("hog", "win", 0.06),
    ("drop-dead", "win", 0.65),
    ("sevens-out", "win", 0.5),
    ("zilch", "rate", 0.35),
    ("zehntausend", "win", 3.0),
    ("kingdom-come-loaded", "win", 0.8),
    ("cosmic-wimpout", "win", 5.2),
    ("yatzy", "points", 1.3),
]


@pytest.mark.cases(fast=4)
@pytest.mark.parametrize(("name", "objective", "seconds"), TAKEN)
def test_estimates_are_within_a_factor_of_two(name, objective, seconds):
    """Modes that are come to without points alone, throws past the cap, the plain path, long tables of a turn."""
    assert seconds / 2 < make_problem(kw.load_rules(name), objective).estimate_cost(1).seconds < 2 * seconds


# Seconds that computing sheets 1 to 4 took one core of 2026, all together (`at_level` in a fresh process).
SEARCHED = [
    (("shut-the-box", 9), 9.2),
    (("shut-the-box", 10), 14.1),
    (("shut-the-box", 12), 111),
    ("cheerio", 41.6),
    ("yacht", 90.7),
]


@pytest.mark.parametrize(("name", "seconds"), SEARCHED)
def test_estimates_of_level_searches_are_within_a_factor_of_two(name, seconds):
    game = kw.load_rules(name) if isinstance(name, str) else kw.game(name[0], tiles=name[1])
    assert seconds / 2 < levels.search_cost(game, "points").seconds < 2 * seconds


def test_estimate_of_changed_limits_is_within_a_factor_of_two(monkeypatch):
    """Facebook's Farkle took 69 seconds to walk, on two processors, and 43 for a level, on a busy machine."""
    monkeypatch.setattr(push, "cpu_count", lambda: 2)
    race = push.two_player_race(kw.load_rules("farkle-facebook"))
    seconds = 69 / 2 + 43
    assert seconds / 2 < push.changing_cost(race, 3).seconds < 2 * seconds
    assert push.estimate_cost(race, 4) == push.changing_cost(race, 4)


def test_a_long_level_search_is_announced_before_it_starts(monkeypatch):
    warnings = list[str]()
    monkeypatch.setattr("keepwise.util.progress_reporting.warn", warnings.append)
    monkeypatch.setattr(
        tiles, "at_level", lambda game, level, objective, progress: Level((level, tuple(warnings)), 0.0)
    )
    levels.at_level.cache_clear()
    found = levels.at_level(kw.game("shut-the-box", tiles=12), 2, "points")
    levels.at_level.cache_clear()
    assert found.policy == (2, ("computing sheet 2 of Shut the Box takes about 30 seconds",))
    assert sum(card_levels.level_seconds(kw.game("yahtzee"))) == 0  # its lists are stored


@pytest.mark.slow
def test_position_count_is_estimated_before_enumeration():
    """Of 30,556 positions, some 9 seconds."""
    two = make_problem(kw.game("shut-the-box"), "win")
    assert 0.9 < two.estimate_position_count(OpenEndedProgress(lambda share: None, 1)) / 30_556 < 1.1


def test_an_answer_on_demand_is_judged_too(monkeypatch):
    solution = kw.solve("yahtzee", "reach", goal=200)
    monkeypatch.setattr("keepwise.solvers.solve_costs.MAX_SECONDS", 1e-9)
    with pytest.raises(TooMuchError, match="an answer in Yahtzee takes about"):
        solution.value(used="ones,twos,threes,fours,fives,sixes,chance,yahtzee=50,full house", score=150, upper=60)


QUESTIONS = [
    ("5000", "win", {}),
    ("5000", "turns", {}),
    ("pig", "reach", {"turns": 30}),
    ("farkle", "points", {}),
    ("battleship", "win", {"players": 3}),
    ("double-cameroon", "points", {}),
]


@pytest.mark.cases(fast=3)
@pytest.mark.parametrize(("game", "objective", "asked"), QUESTIONS)
def test_estimates_are_of_the_right_size(game, objective, asked):
    of = make_problem(kw.game(game), objective, asked.pop("players", None), **asked)
    said = of.estimate_cost(1)
    begun = time.process_time()
    solved = of.solve(1, lambda done: None)
    seconds = time.process_time() - begun
    assert said.seconds / 20 < seconds + 0.2
    assert seconds < 20 * (said.seconds + 0.2)
    assert sum(array.nbytes for array in solved.arrays.values()) <= said.bytes * 1.1


def test_four_players_of_battleship_may_be_solved():
    said = make_problem(kw.game("battleship"), "win", 4).estimate_cost(1)
    assert not said.is_too_much
    assert said.seconds > 60
    assert make_problem(kw.game("battleship"), "win", 5).estimate_cost(1).is_too_much
    assert make_problem(kw.game("battleship", match="first_to"), "win", 4).estimate_cost(1).is_too_much


@pytest.mark.parametrize("name", ["generala", "escalero"])
def test_the_cost_of_uncounted_cards_is_judged_as_if_counted(name, monkeypatch):
    """Space too: a table that no machine holds must not be begun."""
    judged = make_problem(kw.load_rules(name), "win", 2)
    counted = judged.estimate_cost(1)
    monkeypatch.setattr(two_player, "MAX_COUNTED_PAIRS", 0)
    rough = judged.estimate_cost(1)
    assert 0.8 < rough.seconds / counted.seconds < 1.25
    assert 0.8 < rough.bytes / counted.bytes < 1.25


def test_no_solve_is_proposed_that_no_computer_finishes(run):
    """Booby Trap for five takes months and more memory than computers have; the remedy is a smaller game."""
    refused = run("simulate booby-trap --players 5 --games 1")
    assert refused.status == 2
    assert refused.err.endswith("; use fewer players or rules that make the game smaller\n")


def test_a_proposed_solve_is_for_as_many_players(run, monkeypatch):
    """The command that solves a game once names its number of players unless it is two."""
    monkeypatch.setattr(SolveCost, "is_out_of_reach", False)
    assert (
        "keepwise solve booby-trap --objective win --players 5" in run("simulate booby-trap --players 5 --games 1").err
    )


@pytest.mark.parametrize(("seconds", "shown"), [(3601.0, "more than an hour"), (7200.0, "about 2 hours")])
def test_a_refusal_does_not_show_the_limit_as_the_estimate(seconds, shown):
    with pytest.raises(TooMuchError, match=f"^solving it takes {shown} and 1 MiB .the limit is an hour or"):
        check_cost("solving it", SolveCost(1.0, seconds), anyway=False)


def test_solve_with_anyway_allows_long_evaluations(monkeypatch):
    """A stored table allows them too, and the message names the function that has the argument."""

    def first_choice(playable, position):
        return playable.choices(position)[0]

    monkeypatch.setattr(solve_costs, "MAX_SECONDS", 1e-6)
    with pytest.raises(
        TooMuchError,
        match=r"; pass anyway=True to keepwise\.solve, keepwise\.solve_playable or keepwise\.load to allow it$",
    ):
        kw.solve("pig", objective="win", players=2).evaluate(first_choice)
    allowed = kw.solve("pig", objective="win", players=2, anyway=True)
    assert allowed.source == "shipped"
    assert allowed.evaluate(first_choice).loss > 0
