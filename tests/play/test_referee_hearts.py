"""Hearts Due against the referee: every score of every player, before a throw and once it lies."""

from __future__ import annotations

import pytest
from referee_checks import check

import keepwise as kw

CASES = [
    ({}, "points", {}),
    ({"wipe": "exactly_3", "full": 50}, "points", {}),
    ({"target": 100}, "turns", {}),
    ({"target": 45, "wipe": "exactly_3"}, "turns", {}),
    ({"target": 23, "full": 7}, "turns", {}),
    ({"target": 30}, "reach", {"turns": 5}),
    ({"target": 30, "wipe": "exactly_3"}, "reach", {"turns": 3, "goal": 25}),
    ({"target": 15}, "win", {}),
    ({"target": 11, "full": 7, "wipe": "exactly_3"}, "win", {}),
    ({"target": 10}, "win", {"players": 3}),
]

MANY = [
    ({"target": 30}, "win", {}),
    ({"target": 30, "wipe": "exactly_3"}, "win", {}),
    ({"target": 13, "full": 12}, "win", {"players": 3}),
    ({"target": 10}, "win", {"players": 4}),
]


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize(("rules", "objective", "more"), CASES)
def test_hearts_due(rules, objective, more):
    assert check(kw.game("hearts-due", **rules), objective, **more) > 0


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "objective", "more"), MANY)
def test_hearts_due_at_length(rules, objective, more):
    assert check(kw.game("hearts-due", **rules), objective, **more) > 0
