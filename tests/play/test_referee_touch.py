"""Booby Trap against the referee (see test_referee.py): touched but not felt, taking, and every run of passes."""

from __future__ import annotations

from fractions import Fraction

import pytest
from referee_checks import check
from small_boards import ODDS, small

SAFE = [[(Fraction(1, 3), Fraction(0)), (Fraction(2, 3), Fraction(1))]] * 3

CASES = [
    ((1, 1, 1), "win", {}, None),
    ((1, 1, 2), "win", {"penalty": 0, "large_points": 0}, ODDS),
    ((2, 1, 1), "win", {"variant": "in_order"}, None),
    ((1, 2, 1), "win", {"variant": "no_pass"}, ODDS),
    ((1, 1, 1), "margin", {}, ODDS),
    ((2, 1, 1), "margin", {"variant": "in_order", "penalty": 2}, ODDS),
    ((1, 1, 2), "margin", {"variant": "no_pass"}, None),
    ((0, 2, 2), "margin", {}, SAFE),
    ((1, 1, 1), "reach", {"variant": "solitaire", "trips": 0}, None),
    ((2, 1, 1), "reach", {"variant": "solitaire", "trips": 2}, ODDS),
]


@pytest.mark.cases(fast=5)
@pytest.mark.parametrize(("board", "objective", "rules", "odds"), CASES)
def test_small_boards(board, objective, rules, odds):
    assert check(small(board, odds, **rules), objective) > 50


@pytest.mark.cases(slow=3)
@pytest.mark.parametrize("objective", ["win", "margin"])
@pytest.mark.parametrize("variant", ["standard", "in_order", "no_pass"])
@pytest.mark.parametrize("odds", [None, ODDS])
def test_larger_boards(objective, variant, odds):
    assert check(small((2, 2, 2), odds, variant=variant), objective) > 1000


@pytest.mark.slow
@pytest.mark.parametrize("trips", [0, 1, 3])
def test_larger_boards_alone(trips):
    assert check(small((3, 2, 3), ODDS, variant="solitaire", trips=trips), "reach") > 500
