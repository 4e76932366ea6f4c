"""Levels of push-your-luck games: no limits that were tried by themselves bring more, and pages say what is played."""

from __future__ import annotations

import json
import random
import re
from itertools import product

import pytest

import keepwise as kw
from keepwise.games import FILES, own_game
from keepwise.output.sheets import make_sheet
from keepwise.policies.levels import at_level, push
from keepwise.policies.registry import parse_choice_function

TOYS = {
    "hot dice": {"dice": 2, "faces": 3, "target": 30, "singles": {"1": 2, "2": 1}},
    "pairs": {"dice": 2, "faces": 4, "target": 30, "singles": {"1": 1}, "alike": {"2": {"2": 4}}},
    "no hot dice": {"dice": 2, "faces": 3, "target": 30, "weights": [2, 1, 1], "singles": {"1": 3}, "then.all": "end"},
    "must throw": {"dice": 2, "faces": 3, "target": 30, "singles": {"1": 2}, "then.all": "must", "stop.at_least": 4},
    "three dice": {"dice": 3, "faces": 4, "target": 60, "singles": {"1": 5}, "alike": {"2": {"3": 10}}},
}
LIMITS = 16


@pytest.mark.parametrize("name", TOYS)
def test_levels_are_the_best_of_their_kind(name):
    game = own_game({"name": "small", **TOYS[name]})
    solution = kw.solve(game, "points")
    score = int(solution.problem.states.scores[1]) * game.data.grain  # after the first bank
    bound = solution.error_bound * 4

    def brings(policy):
        return solution.evaluate(policy, score=score).value

    one, several, page = (at_level(game, level, "points") for level in (1, 2, 3))
    tried = [brings(f"hold:{limit}") for limit in range(1, LIMITS)]
    assert one.value == pytest.approx(max(tried), abs=bound)
    assert brings("sheet:1") == pytest.approx(one.value, abs=bound)
    dice = range(1, game.data.dice + 1)
    every = product(range(1, LIMITS, 1 if len(dice) == 2 else 5), repeat=len(dice))
    best = max(brings("hold:" + ",".join(f"{d}={n}" for d, n in zip(dice, one, strict=True))) for one in every)
    assert several.upper_bound >= best - bound
    assert brings("sheet:2") == pytest.approx(several.value, abs=bound)
    assert several.value == pytest.approx(several.upper_bound, abs=bound)  # limits are the best form here
    assert one.value - bound <= several.value <= page.value + bound <= solution.value(score=score) + 2 * bound


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("objective", ["points", "turns", pytest.param("win", marks=pytest.mark.patient)])
def test_printed_levels_equal_their_policies(objective):
    solution = kw.solve("5000", objective)
    one, several, _ = (make_sheet(solution, level=level) for level in (1, 2, 3))
    number = re.search(r"Bank with ([\d,]+) turn points", " ".join(one.lines))[1].replace(",", "")
    rows = ",".join(f"{dice}={points.replace(',', '')}" for dice, points, _ in several.tables[0].rows)
    for sheet, policy in ((one, f"hold:{number}"), (several, f"hold:{rows}")):
        loss = float(re.search(r"In full, the sheet costs ([\d.e+-]+)", sheet.facts[1])[1])
        assert loss == solution.evaluate(policy).loss
        if objective != "win":
            assert "No other sheet of this form is better for the points of a turn" in sheet.cost[-1]
    if objective == "win":  # of all single numbers; of limits by dice left that is not proved
        assert "No other sheet of this form is better for the win, both seats taken together" in one.cost[-1]
    assert not one.tables
    assert len(several.tables) == 1


@pytest.mark.slow
def test_from_the_command_line(run):
    assert "Bank with 20 turn points or more" in run("export pig -f text --sheet 1").out
    assert "Sheet 1 is the same strategy" in run("export pig -f text --sheet 3").out
    assert (
        run("evaluate pig --policy sheet:1").out.splitlines()[1:]
        == run("evaluate pig --policy hold:25").out.splitlines()[1:]
    )
    assert "1 (a sentence), 2 (a line of numbers), 3 (a page), 4 (" in run("export pig -f text --sheet 5").err
    assert "the level of a sheet must be between 1 and 4, not 9" in run("evaluate pig --policy sheet:9").err
    assert "depend on the number of rolls" in run("export --rules generala --objective points -f text --sheet 2").err
    assert "--sheet requires the format" in run("export pig -f csv --sheet 2").err
    assert "sheet:2" in run("simulate pig --objective points --policy sheet:2 --games 50").out


RACE = kw.game("pig", target=24)


@pytest.mark.slow
def test_no_number_wins_more_often():
    """All are tried here too, each by itself with its bounds; so is every change of one number of level 2."""
    solution = kw.solve(RACE, "win", 2, fresh=True)

    def wins(policy):
        found = solution.evaluate(policy)
        return found.value + found.second[0]

    assert wins("sheet:1") == pytest.approx(max(wins(f"hold:{limit}") for limit in range(1, 25)), abs=1e-9)
    assert wins("sheet:2") == wins("sheet:1")  # of one die, and proved with it
    assert at_level(RACE, 2, "win").upper_bound == at_level(RACE, 1, "win").value
    assert wins("sheet:4") >= wins("sheet:3") - 1e-9


@pytest.mark.slow
def test_numbers_that_no_way_to_stop_can_save_are_not_tried():
    """Where scores are lost: what is left out is tried here."""
    wiped = {"special": [{"throw": "33", "then": "wipe"}], "singles": {"1": 1, "2": 2}}
    game = own_game({"name": "wiped", "dice": 2, "target": 24, **wiped})
    race, tried = push.two_player_race(game), list[float]()
    level = push.best_number_to_win(race, tried.append)
    every = race.values([(push.uniform_policy(game.data, number),) for number in range(1, 25)])
    assert len(tried) == push.TOGETHER
    assert level.value == level.upper_bound == pytest.approx(max(every), abs=1e-11)


def test_the_quick_chances_are_those_within_bounds():
    """With two dice, by numbers that differ: what the search adds up is what the equations enclose."""
    game = own_game({"name": "small", "dice": 2, "target": 600, "singles": {"1": 100, "5": 50}})
    solution = kw.solve(game, "win", 2, fresh=True)
    for level in (1, 2, 3, 4):
        found = solution.evaluate(f"sheet:{level}")
        assert at_level(game, level, "win").value == pytest.approx((found.value + found.second[0]) / 2, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    "more",
    [
        {},
        *(
            pytest.param(one, marks=pytest.mark.patient)
            for one in ({"special": [{"throw": "33", "then": "wipe"}]}, {"bust": {"costs": [2]}})
        ),
    ],
)
@pytest.mark.parametrize("dice", [2, pytest.param(3, marks=pytest.mark.patient)])
def test_no_limits_win_more_than_the_bound(dice, more):
    """All limits are tried, each within its bounds; and where all that scores is kept by the best play too, as with so
    few dice, the bound is what that wins: scores that are lost or fall make it no less.
    """
    game = own_game({"name": "small", "dice": dice, "faces": 5, "target": 10, "singles": {"1": 4, "2": 1}, **more})
    solution = kw.solve(game, "win", 2, fresh=True)
    level, wins = at_level(game, 2, "win"), []
    for line in product(range(1, 11) if dice == 2 else (2, 4, 5, 6, 8, 10), repeat=dice):
        found = solution.evaluate("hold:" + ",".join(f"{d}={limit}" for d, limit in enumerate(line, 1)))
        wins.append((found.value + found.second[0]) / 2)
    most = (found.optimal + found.second[1]) / 2
    assert max(wins) <= level.upper_bound + 1e-9
    assert level.value <= level.upper_bound
    assert level.upper_bound == pytest.approx(most, abs=1e-5) if dice == 2 else level.upper_bound < most - 1e-3


@pytest.mark.slow
def test_printed_full_table_equals_its_policy():
    """Pig by the printed table, to a target that is not always gone for at once."""
    solution = kw.solve(kw.game("pig", target=80), "win", 2, fresh=True)
    (table,) = make_sheet(solution, level=4).tables
    begins = [int(band.split(" to ")[0]) for band in table.columns[2:]]
    limits = [[80 if one == "to win" else int(one) for one in row[2:]] for row in table.rows]

    def by_the_page(position):
        mine, theirs = (sum(score >= begin for begin in begins) - 1 for score in (position.score, *position.opponents))
        stop, throw = solution.playable.choices(position)
        enough = throw.points >= limits[mine][theirs] or position.score + throw.points >= 80
        return stop if enough else throw

    choose, rng = parse_choice_function(solution.playable, "sheet:4"), random.Random(4)
    for _ in range(300):
        scores = (rng.randrange(80), rng.randrange(80))
        start = solution.playable.turn_start(scores, 0, 0)
        for _, fallen in solution.playable.rolls(start):
            if len(solution.playable.choices(fallen)) > 1:
                assert choose(fallen) == by_the_page(fallen)


@pytest.mark.parametrize("name", [pytest.param("5000", marks=pytest.mark.patient), "farkle"])
def test_the_lines_that_ship_are_of_these_games(name, monkeypatch, tmp_path):
    """They are found at once; those of 5000 once more."""
    game = kw.game(name)
    kept = [at_level(game, level, "win") for level in (1, 2)]
    assert [one.objective_words for one in kept] == [push.WINS] * 2
    assert kept[0].value <= kept[1].value
    race = push.two_player_race(game)
    told = json.loads(push.KEPT.read_text())[race.problem.playable.id_prefix][:2]
    held = [[one.policy.by_dice[dice] // game.data.grain for dice in range(1, game.data.dice + 1)] for one in kept]
    assert [lines for lines, *_ in told] == [[line] for line in held]
    assert "solved" not in vars(race)  # nothing was asked of it
    if name == "5000":
        (tmp_path / "lines.json").write_text("{}")
        monkeypatch.setattr(push, "KEPT", tmp_path / "lines.json")
        at_level.cache_clear()
        found = [at_level(game, level, "win") for level in (1, 2)]
        assert [one.policy for one in found] == [one.policy for one in kept]
        for one, other in zip(found, kept, strict=True):
            assert (one.value, one.upper_bound) == pytest.approx((other.value, other.upper_bound), abs=1e-12)
        at_level.cache_clear()


SHIPPED = json.loads(push.KEPT.read_text())
LONG = (
    "dix-mille",
    "zehntausend",
    "kingdom-come-loaded",
    "hog",
    "pig-two-dice",
    "skunk",
    "farkle",
    "zonk",
    "cosmic-wimpout",
    "toss-up",
    "beartrap",
    "zilch",
)  # with many ways to throw or scores that are lost


def known_as(name):
    return kw.game(name) if name in FILES else kw.load_rules(name)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.patient) if one.startswith(LONG) else one for one in SHIPPED]
)
def test_the_prices_that_ship_are_those_that_evaluate_finds(name):
    """The equations of who follows the sheet enclose them; the search that found it has no part in that."""
    solution = kw.solve(known_as(name.partition(":")[0]), "win", 2)
    assert solution.problem.playable.id_prefix == name  # nobody finds it otherwise
    for number, (_, _, value, most) in enumerate(SHIPPED[name], 1):
        found = solution.evaluate(f"sheet:{number}")
        assert value == pytest.approx((found.value + found.second[0]) / 2, rel=0, abs=found.error_bound + 1e-11)
        assert most is None or most >= value - 1e-11


def test_unreachable_limits_are_simplified():
    """Two-Dice Pig throws both dice always, 5000 counts from 300 on, and with 2 of 6 dice left some points are held."""
    pig, thousand, farkle = (
        at_level(game, 2, "points").policy for game in map(known_as, ("pig-two-dice", "5000", "farkle"))
    )
    assert len(set(pig.by_dice.values())) == 1
    assert min(thousand.by_dice.values()) == 300
    assert farkle.by_dice[1] >= 250


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(
    "more",
    [
        {"then.all": "end"},
        {"then.all": "must"},
        {"finish": "exact"},
        {"finish": "last_round"},
        {"special": [{"throw": "33", "then": "wipe"}]},
        {"bust": {"costs": [1, 2], "count": "anew", "floor": -2}},
    ],
)
def test_every_turn_is_walked(more):
    """Dice that must be thrown or are all set aside, scores that are lost, and ends of other kinds."""
    rules = {"name": "small", "dice": 2, "faces": 3, "target": 6, "singles": {"1": 2, "2": 1}, **more}
    game = own_game(rules)
    solution = kw.solve(game, "win", 2, fresh=True)
    for number in (1, 2, 3, 4):
        level, found = at_level(game, number, "win"), solution.evaluate(f"sheet:{number}")
        assert level.objective_words == push.WINS
        assert level.value == pytest.approx((found.value + found.second[0]) / 2, abs=1e-9)
        assert level.upper_bound is None or level.upper_bound >= level.value - 1e-9


def test_how_many_dice_are_rolled():
    """Of one number all are tried here too; pages by scores bring more, and what they say."""
    rules = {"name": "small", "dice": 4, "faces": 4, "target": 12, "set_aside": "all-or-none"}
    game = own_game({**rules, "then": {"set": "end", "dice": "chosen"}, "singles": {"2": 2, "3": 3, "4": 4}})
    solution = kw.solve(game, "win", 2, fresh=True)

    def wins(policy):
        found = solution.evaluate(policy)
        return (found.value + found.second[0]) / 2

    levels = [at_level(game, level, "win") for level in (1, 2, 3, 4)]
    assert levels[0].value == pytest.approx(max(wins(f"roll:{dice}") for dice in range(1, 5)), abs=1e-9)
    assert [one.value for one in levels] == pytest.approx([wins(f"sheet:{level}") for level in (1, 2, 3, 4)], abs=1e-9)
    assert levels[0].value <= levels[1].value <= levels[3].value + 1e-9
    points = kw.solve(game, "points")
    assert points.evaluate("sheet:1").loss == pytest.approx(0, abs=1e-9)  # one number is all there is


def test_limits_where_one_set_is_worth_more_than_the_target():
    """For points there is no target, and who holds nine decides like anybody; to win nobody does."""
    rules = {"name": "short", "dice": 3, "faces": 3, "target": 5, "set_aside": "all-or-none", "singles": {"1": 3}}
    game = own_game({**rules, "weights": [3, 1, 2]})
    for objective, players in (("points", 1), ("turns", 1), ("win", 2)):
        solution = kw.solve(game, objective, players, fresh=True)
        for level in (1, 2, 3, 4):
            assert solution.evaluate(f"sheet:{level}").loss == pytest.approx(0, abs=1e-12)


def test_levels_for_the_lowest_points_are_the_best_of_all(refused):
    """Threes with three dice: no number of dice's points to set aside is better than those of levels 1 and 2."""
    rules = {"name": "small", "dice": 2, "faces": 4, "finish": "one_turn", "best": "lowest"}
    game = own_game({**rules, "then": {"set": "must", "all": "end"}, "singles": {"1": 1, "2": 2, "3": 0, "4": 4}})
    solution = kw.solve(game, "points")
    losses = [solution.evaluate(f"sheet:{level}").loss for level in (1, 2, 3)]
    assert losses == sorted(losses, reverse=True)
    assert losses[2] == pytest.approx(0, abs=1e-9)
    refused(
        "requires rules that let a player stop",
        "evaluate",
        "--rules",
        "threes",
        "--objective",
        "points",
        "--policy",
        "hold:3",
    )


def test_where_no_policies_are_played(refused):
    one_turn = "policies are not available when each player has one turn"
    refused(one_turn, "simulate", "--rules", "twenty-one", "--objective", "win", "--policy", "sheet:1")
