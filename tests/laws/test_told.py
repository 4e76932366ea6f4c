"""Searches that may take long say how far they are to whoever listens: shares that move, between 0 and 1."""

from __future__ import annotations

import pytest

import keepwise as kw
from keepwise.policies.levels import at_level
from keepwise.solvers import make_problem

SEARCHES = [
    (kw.game("pig", target=30), 4, "win"),
    (kw.game("5000", target=1000, opening=300), 3, "points"),
    (kw.game("booby-trap", large=2, medium=2, small=2), 2, "margin"),
    (kw.game("shut-the-box", tiles=5), 2, "points"),
    (kw.game("battleship", crew="both"), 2, "points"),
]


@pytest.mark.parametrize(("game", "level", "objective"), SEARCHES)
def test_level_searches_report_progress(game, level, objective, told, tally):
    at_level.cache_clear()
    at_level(game, level, objective)
    at_level.cache_clear()
    shares = told[f"computing sheet {level} of {game.id}"]
    assert len(set(shares)) > 2
    assert all(0 <= share <= 1 for many in told.values() for share in many)
    tally.add(len(shares))


def test_enumerations_report_progress(told, tally):
    question = make_problem(kw.game("shut-the-box", tiles=4), "win", 2)
    question.solve(1, lambda done: None)
    assert [len(set(shares)) > 5 and 0 <= min(shares) <= max(shares) < 1 for shares in told.values()] == [True, True]
    tally.add(2)
