"""Bounds of rounding errors; tests/laws/test_rounding.py compares them with the worst play."""

from __future__ import annotations

import keepwise as kw
from keepwise.solvers.rounding_bounds import turn_rounding_bound


def test_the_bound_of_a_turn_is_computed_once():
    turn = kw.game("pig").data.turn
    turn_rounding_bound.cache_clear()
    assert turn_rounding_bound(turn, 20) == turn_rounding_bound(turn, 20)
    assert turn_rounding_bound.cache_info().hits == 1
