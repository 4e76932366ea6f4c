"""Shut the Box: published chances in fractions, the referee, and what listing a game's positions refuses."""

from __future__ import annotations

from fractions import Fraction

import pytest

import keepwise as kw
from keepwise.solvers.enumerated import EnumeratedSoloProblem
from keepwise.util.errors import InputError

# UnaryPlus, shut-the-box-strategy: the chance to shut the box alone.
PUBLISHED = [
    ({}, Fraction(956177159, 9795520512)),
    ({"one_die": "never"}, Fraction(466473281, 6530347008)),
    pytest.param({"tiles": 12}, Fraction(60300072913, 12694994583552), marks=pytest.mark.slow),
]


@pytest.mark.cases(fast=1, slow=1)
@pytest.mark.parametrize(("rules", "chance"), PUBLISHED)
def test_the_chance_to_shut_the_box_is_the_published_one(rules, chance):
    solution = kw.solve(kw.game("shut-the-box", **rules), "reach")
    assert abs(Fraction(solution.value()) - chance) <= solution.error_bound


@pytest.mark.cases(fast=3)
@pytest.mark.parametrize("objective", ["points", "reach", "win"])
@pytest.mark.parametrize("one_die", ["high", "never"])
def test_every_position_is_worth_what_the_referee_says(objective, one_die):
    solution = kw.solve(kw.game("shut-the-box", tiles=4 if objective == "win" else 7, one_die=one_die), objective)
    exact, sign = kw.referee(solution.playable), -1 if solution.playable.fewer_is_better else 1
    for position in (one for one in exact.positions if solution.playable.stage(one) != "over"):
        found = solution.position_value(position)
        assert abs(Fraction(found.value) - sign * exact.value(position)) <= found.error_bound


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
    assert f"0   {100 * float(whole.chances[0]):.1f} %  ####" in shown
    assert "leave the roll out" in run("value shut-the-box --distribution --roll 46").err


def test_of_equals_those_are_shut_whose_lowest_is_the_highest():
    best, other = kw.solve("shut-the-box", "points").advise(up=[1, 2, 3, 4], dice=1, roll=[5]).choices
    assert (best.action, other.action, other.tie) == ("shut 2 3", "shut 1 4", True)


def test_what_cannot_be_told_is_refused(refused):
    refused("cannot be those that stand before a throw", "value", "shut-the-box", "--up", "2,3,4,5,6,7,8,9")
    refused("1 dice cannot be thrown here", "advise", "shut-the-box", "--up", "1,9", "--dice", "1", "--roll", "5")
    refused("no turn ends with 46", "value", "shut-the-box", "--objective", "win", "--left", "46")
    refused("reach takes no turns", "value", "shut-the-box", "--objective", "reach", "--turns", "3")
    refused("add --sheet 1, 2, 3 or 4", "export", "shut-the-box", "-f", "text")
    refused("there is no adviser page for shut-the-box yet", "page", "shut-the-box")


def test_a_game_that_comes_back_is_not_listed():
    table = kw.playable("pig", 2)  # a bust may follow a bust
    with pytest.raises(InputError, match="come back to where it was"):
        EnumeratedSoloProblem(table).array_specs()


def test_rows_are_the_throws_of_the_turn():
    """Of a match of which nothing was asked before."""
    rows = kw.solve(kw.game("shut-the-box", tiles=3)).policy()
    assert {row["up"] for row in rows} == {"1, 2, 3", "1, 2", "1, 3", "2, 3", "1", "2", "3"}
    assert [row["action"] for row in rows if (row["up"], row["roll"]) == ("1, 2, 3", "1 2")] == ["shut 3"]


def test_what_two_get_must_add_up(monkeypatch):
    solution = kw.solve(kw.game("shut-the-box", tiles=4), "win", fresh=True)
    outcome = type(solution.playable).payoffs
    monkeypatch.setattr(type(solution.playable), "payoffs", lambda *asked: (outcome(*asked)[0], 1))
    with pytest.raises(InputError, match="what two players get must always add up to the same"):
        solution.value()
