"""Shut the Box: published chances in fractions, the referee, and what listing a game's positions refuses."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

import keepwise as kw
from keepwise.play.input_parser import parse_roll
from keepwise.solvers.enumerated import EnumeratedSoloProblem
from keepwise.solvers.rounds.tiles import TilesWinProblem
from keepwise.util.errors import InputError

# UnaryPlus, shut-the-box-strategy: the chance to shut the box alone.
PUBLISHED = [
    ({}, Fraction(956177159, 9795520512)),
    ({"one_die": "never"}, Fraction(466473281, 6530347008)),
    pytest.param({"tiles": 12}, Fraction(60300072913, 12694994583552), marks=pytest.mark.slow),
]


@pytest.mark.cases(fast=1, slow=1)
@pytest.mark.parametrize(("rules", "chance"), PUBLISHED)
def test_shut_the_box_chance_equals_published_values(rules, chance):
    solution = kw.solve(kw.game("shut-the-box", **rules), "reach")
    assert abs(Fraction(solution.value()) - chance) <= solution.error_bound


@pytest.mark.cases(fast=3)
@pytest.mark.parametrize("objective", ["points", "reach", "win"])
@pytest.mark.parametrize(
    "rules", [{}, {"one_die": "never"}, {"one_die": "sum", "most_tiles": 2, "score": "digits"}], ids=str
)
def test_shut_the_box_positions_equal_the_referee(objective, rules):
    solution = kw.solve(kw.game("shut-the-box", tiles=4 if objective == "win" else 7, **rules), objective)
    exact, sign = kw.referee(solution.playable), -1 if solution.playable.fewer_is_better else 1
    for position in (one for one in exact.positions if solution.playable.stage(one) != "over"):
        found = solution.position_value(position)
        assert abs(Fraction(found.value) - sign * exact.value(position)) <= found.error_bound


# By enumeration of all boxes, rolls and sets of tiles in fractions, in a program that shares no code with Keepwise:
# the largest number of tiles at once, when one die may be thrown, the score; the chance to shut all, the points left.
AS_IT_IS_PLAYED = [
    ({"most_tiles": 2, "one_die": "sum"}, 0.074194347426, 11.839350661),
    ({"most_tiles": 2}, 0.078754971645, 11.743019563),
    ({"one_die": "sum", "score": "digits"}, 0.097613716170, 14761.790728091),
    ({"most_tiles": 2, "one_die": "never", "score": "digits"}, 0.053488289199, 15353.521971936),
]


@pytest.mark.parametrize(("rules", "chance", "points"), AS_IT_IS_PLAYED)
def test_the_options_that_people_play_have_the_enumerated_values(rules, chance, points):
    game = kw.game("shut-the-box", **rules)
    assert kw.solve(game, "reach").value() == pytest.approx(chance, abs=1e-12)
    assert kw.solve(game, "points").value() == pytest.approx(points, abs=1e-9)


def test_options_at_their_default_keep_ids_and_fingerprints():
    """The id was printed before ``most_tiles`` and ``score`` existed."""
    game = kw.game("shut-the-box", most_tiles=0, score="sum")
    assert kw.playable(game, objective="reach").id_prefix == "shut-the-box:reach:8ae51204"
    assert kw.playable(game, objective="points").id_prefix == "shut-the-box:points:a96ee422"
    assert kw.playable(kw.game("shut-the-box", most_tiles=2)).id_prefix != "shut-the-box:points:a96ee422"


TOTALS = [
    ({"roll": "7"}, ("1", "6")),
    ({"roll": 10}, ("4", "6")),
    ({"roll": "total 11"}, ("5", "6")),
    ({"roll": "Total 12"}, ("6", "6")),
    ({"roll": "11"}, ("1", "1")),  # two dice
    ({"roll": "2"}, ("1", "1")),
    ({"up": "1,2,5", "roll": "7"}, ("1", "6")),  # more than one die shows
    ({"up": "1,2,5", "roll": "5"}, ("5",)),
    ({"up": "1,2,5", "dice": 2, "roll": "5"}, ("1", "4")),
]


@pytest.mark.parametrize(("fields", "dice"), TOTALS)
def test_totals_are_read_as_their_lowest_roll(fields, dice):
    playable = kw.playable("shut-the-box")
    assert playable.position(**fields).roll == tuple(map(int, dice))


def test_a_total_is_typed_at_the_prompt_too():
    playable = kw.playable("shut-the-box")
    assert parse_roll(playable, playable.start(), "9").roll == (3, 6)
    assert parse_roll(playable, playable.start(), "total 12").roll == (6, 6)
    assert parse_roll(playable, playable.start(), "12").roll == (1, 2)


def test_totals_that_no_dice_show_are_refused(refused):
    refused("must be between 1 and 12, not 13", "advise", "shut-the-box", "--roll", "total 13")
    refused(
        "the roll of one die must be between 1 and 6, not 7",
        "advise",
        "shut-the-box",
        "--up",
        "1,5",
        "--dice",
        "1",
        "--roll",
        "7",
    )
    refused("expected 2 dice, got 1: 1", "advise", "shut-the-box", "--roll", "1")


def points_left_by_first_best(game, goal):
    """Return the chances of the points left, by playing the referee's best choices, the first of several."""
    playable = kw.playable(game, objective="reach", goal=goal)
    exact, chances = kw.referee(playable), Counter()

    def follow(position, chance):
        rolls = [*playable.rolls(position)] if playable.stage(position) == "throw" else [(1, position)]
        for weight, rolled in rolls:
            best = exact.best_choices(rolled)[0] if playable.stage(rolled) == "choose" else None
            share = chance * Fraction(weight, sum(ways for ways, _ in rolls))
            if playable.stage(best.after) == "over":
                chances[best.points] += share
            else:
                follow(best.after, share)

    follow(playable.start(), Fraction(1))
    return chances


@pytest.mark.parametrize("goal", [0, 4])
def test_the_distribution_for_reach_is_that_of_playing_to_reach(goal):
    game = kw.game("shut-the-box", tiles=5, one_die="sum")
    solution = kw.solve(game, "reach", goal=goal)
    found = solution.distribution()
    assert dict(zip(found.totals, found.chances, strict=True)) == points_left_by_first_best(game, goal)
    assert 1 - found.at_least(goal + 1) == kw.referee(solution.playable).value(solution.playable.start())


@pytest.mark.slow
def test_the_points_left_are_distributed_to_the_exact_mean(run):
    """In fractions; whatever is chosen among ties, the mean is what the referee says."""
    game = kw.game("shut-the-box", tiles=5)
    whole = kw.solve(game, "points").distribution()
    assert sum(whole.chances) == 1
    assert -whole.mean == kw.referee(kw.playable(game, objective="points")).value(
        kw.playable(game, objective="points").start()
    )
    assert set(whole.totals) <= set(game.data.final_points)
    shown = run("chart shut-the-box distribution --show terminal --rule tiles=5").out
    assert f"0   {100 * float(whole.chances[0]):.1f}%  ####" in shown
    assert "leave out --roll" in run("value shut-the-box --distribution --roll 46").err


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("rules", [{}, {"one_die": "sum", "most_tiles": 2, "score": "digits"}], ids=str)
def test_the_win_of_three_agrees_with_the_referee_for_every_seat(rules):
    solution = kw.solve(kw.game("shut-the-box", tiles=3, **rules), "win", 3)
    exact = kw.referee(solution.playable)
    for position in (one for one in exact.positions if solution.playable.stage(one) != "over"):
        values, (bound,) = solution.problem.seat_values(solution.value_table, [position])
        for value, worth in zip(values[0], exact.seat_payoffs(position), strict=True):
            assert abs(Fraction(value) - worth) <= bound


def test_two_solvers_agree_on_the_win_of_two():
    """The turn of three and more players, compiled for two, against all positions of two."""
    game = kw.game("shut-the-box", tiles=5)
    playable = kw.playable(game, 2, objective="win")
    by_turns = TilesWinProblem(playable)
    solved = by_turns.solve(1, lambda share: None)
    values, bounds = by_turns.seat_values(
        solved, [playable.start(), playable.position(left=[4]), playable.position(left=[0])]
    )
    listed = kw.solve(game, "win", 2)
    for left, value, bound in zip(([], [4], [0]), values, bounds, strict=True):
        assert value[len(left)] == pytest.approx(listed.value(left=left), abs=bound + listed.error_bound)


def test_of_equals_those_are_shut_whose_lowest_is_the_highest():
    best, other = kw.solve("shut-the-box", "points").advise(up=[1, 2, 3, 4], dice=1, roll=[5]).choices
    assert (best.action, other.action, other.tie) == ("shut 2 3", "shut 1 4", True)


def test_impossible_tiles_and_dice_are_refused(refused):
    refused("no sequence of rolls leaves these tiles", "value", "shut-the-box", "--up", "2,3,4,5,6,7,8,9")
    refused(
        "dice must be 2 with these tiles, not 1", "advise", "shut-the-box", "--up", "1,9", "--dice", "1", "--roll", "5"
    )
    refused(
        "--left cannot be 46; the nearest possible are", "value", "shut-the-box", "--objective", "win", "--left", "46"
    )
    refused(
        "turns cannot be combined with shut-the-box", "value", "shut-the-box", "--objective", "reach", "--turns", "3"
    )
    refused("add --sheet 1, 2, 3 or 4", "export", "shut-the-box", "-f", "text")


def test_a_game_that_comes_back_is_not_listed():
    playable = kw.playable("pig", 2)  # a bust may follow a bust
    with pytest.raises(InputError, match="return to an earlier position"):
        EnumeratedSoloProblem(playable).array_specs()


def test_rows_are_the_throws_of_the_turn():
    """Of a match of which nothing was asked before."""
    rows = kw.solve(kw.game("shut-the-box", tiles=3)).policy()
    assert {row["up"] for row in rows} == {"1, 2, 3", "1, 2", "1, 3", "2, 3", "1", "2", "3"}
    assert [row["action"] for row in rows if (row["up"], row["roll"]) == ("1, 2, 3", "1 2")] == ["shut 3"]


def test_payoffs_of_two_must_add_up(monkeypatch):
    solution = kw.solve(kw.game("shut-the-box", tiles=4), "win", fresh=True)
    outcome = type(solution.playable).payoffs
    monkeypatch.setattr(type(solution.playable), "payoffs", lambda *asked: (outcome(*asked)[0], 1))
    with pytest.raises(InputError, match="the results of the two players must always have the same sum"):
        solution.value()
