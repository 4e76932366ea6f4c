"""A new family gets advice, rows, a model, ids and its page of help by its rules, its play and its match alone."""

from __future__ import annotations

import sys

import coin_game
import pytest

import keepwise as kw
from keepwise import games
from keepwise.games.families import FAMILIES, Family
from keepwise.play.referee import referee


@pytest.fixture
def coin(monkeypatch):
    for place in ("games", "play", "solvers"):
        monkeypatch.setitem(sys.modules, f"keepwise.{place}.coin", coin_game)
    monkeypatch.setitem(games.FILES, "coin", "coin")
    monkeypatch.setitem(FAMILIES, "coin", Family("play.coin", {"points": ("solvers.coin.Points",)}))
    return kw.game("coin")


def test_new_family_is_solved_as_by_the_referee(coin, run, tmp_path):
    solution = kw.solve(coin, "points", fresh=True)
    exact = referee(solution.playable)
    for position in exact.positions:
        if solution.playable.stage(position) != "over":
            assert solution.value(position) == float(exact.value(position))
    advice = solution.advise(heads=1)
    assert advice.best.action == "stop with 1"
    assert advice.choices[1].tie  # a toss doubles it or takes it all
    told = solution.why(heads=1)
    assert told.best.endings == told.other.endings == ()  # tails end the turn without a choice
    assert [row["heads"] for row in solution.policy()] == [0, 1, 2, 3]  # with none yet, the toss must be made
    process = solution.model(tmp_path / "coin.drn")
    assert process.names[0] == "start"
    assert (tmp_path / "coin.drn").read_text().count("state ") == len(process.names)
    assert solution.playable.from_id(
        solution.playable.id(solution.playable.position(heads=2))
    ) == solution.playable.position(heads=2)


def test_new_families_refuse_missing_parts(coin, refused):
    refused("Coin has no strategy sheet", "export", "coin", "-f", "text")
    refused("coin has no distribution", "value", "coin", "--distribution")
    refused("coin has none", "advise", "coin", "--heads", "1", "--draws", "5")
    for policy in ("sheet", "hold:2"):
        refused("", "simulate", "coin", "--policy", policy, "--games", "2")
        refused("", "play", "coin", "--players", "1", "--seat", f"Ann={policy}")


@pytest.mark.parametrize("quick", [False, True])
def test_quick_problems_are_not_cached(coin, own_cache, monkeypatch, quick):
    monkeypatch.setattr(coin_game.Points, "is_quick", quick)
    kw.solve(coin)
    assert own_cache.exists() is not quick


def test_a_new_family_on_the_command_line(coin, run):
    helped = run("advise coin --help")
    assert "--heads" in helped.out
    assert "--tossing" in helped.out
    assert "--score POINTS" not in helped.out
    told = run("advise coin --heads 1")
    assert told.status == 0, told.err
    assert "stop with 1: 1.0 points; just as good: toss" in told.out
    refused = run("advise coin --heads 7")
    assert refused.status == 2
    assert "everybody stops at 3" in refused.err
