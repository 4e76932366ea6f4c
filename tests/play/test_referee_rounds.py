"""Battleship, Going to Boston and Multiplication against the referee, playoffs and casts in between too."""

from __future__ import annotations

import pytest
from referee_checks import check

import keepwise as kw

CREWS = ("each", "both", "hybrid")

ALONE = [
    *(("battleship", {"crew": crew}, "points", {}) for crew in CREWS),
    *(("battleship", {"crew": crew, "target": 9}, "turns", {}) for crew in CREWS),
    *(("battleship", {"crew": crew}, "reach", {"goal": 14, "turns": 2}) for crew in CREWS),
    *((game, {"keep": keep}, "points", {}) for game in ("boston", "multiplication") for keep in ("forced", "any")),
]

FEW = [
    ("battleship", {"rounds": 1, "crew": "both"}, "win", {}),
    ("battleship", {"rounds": 1}, "margin", {}),
    ("boston", {}, "win", {}),
    ("boston", {"keep": "any"}, "win", {}),
    ("multiplication", {}, "win", {}),
]

FIRST_TO = {"match": "first_to"}
MANY = [
    *(("battleship", {"rounds": 1, "crew": crew}, "win", {}) for crew in ("each", "hybrid")),
    *(("battleship", {"rounds": 1, "crew": crew}, "margin", {}) for crew in ("both", "hybrid")),
    *(("battleship", {"rounds": 1, "crew": crew}, "win", {"players": 3}) for crew in CREWS),
    ("battleship", {"rounds": 1, "crew": "both"}, "margin", {"players": 3}),
    ("battleship", {"rounds": 2}, "win", {}),
    ("battleship", {"rounds": 2, "crew": "both"}, "margin", {}),
    *(("battleship", {**FIRST_TO, "target": 3, "crew": crew}, one, {}) for crew in CREWS for one in ("win", "margin")),
    *(("battleship", {**FIRST_TO, "target": 2}, one, {"players": 3}) for one in ("win", "margin")),
    ("multiplication", {"keep": "any"}, "win", {}),
    *((game, {"keep": "forced"}, "win", {"players": 3}) for game in ("boston", "multiplication")),
    ("boston", {"keep": "any"}, "win", {"players": 3}),
    ("multiplication", {"keep": "any"}, "win", {"players": 3}),
    ("boston", {}, "win", {"players": 4}),
]


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(("game", "rules", "objective", "more"), ALONE)
def test_alone(game, rules, objective, more):
    assert check(kw.game(game, **rules), objective, **more) > 0


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(("game", "rules", "objective", "more"), FEW)
def test_several(game, rules, objective, more):
    assert check(kw.game(game, **rules), objective, rolls=100, **more) > 0


@pytest.mark.cases(slow=2)
@pytest.mark.parametrize(("game", "rules", "objective", "more"), MANY)
def test_several_at_length(game, rules, objective, more):
    assert check(kw.game(game, **rules), objective, **more) > 0
