"""Every solver against the referee, a plain exact solver over the game as it is played: values and advised choices.

Nothing is shared with the solvers but the rule data. A case is a game at a reduced size under some options; at every
position that play can reach the value must lie within the stated bound of the referee's fraction, and every choice that
is advised must be one that nothing beats (within what the bound leaves open).
"""

from __future__ import annotations

import pytest
from referee_checks import check

import keepwise as kw

PUSH = [
    ("pig", {"target": 12}, "win", {}),
    ("pig", {"target": 15}, "turns", {}),
    ("pig", {"target": 12}, "reach", {"goal": 12, "turns": 3}),
    ("pig", {"faces": 2, "points": "one", "target": 4}, "win", {}),
    ("pig", {"faces": 9, "target": 14}, "win", {}),
    ("pig", {}, "points", {"cut": 60}),
    ("5000", {"target": 400, "opening": 200, "minimum": 100}, "win", {}),
    ("5000", {"target": 400, "opening": 200, "minimum": 100, "minimum_on_win": False}, "win", {}),
    ("5000", {"target": 350, "opening": 200, "minimum": 100, "finish": "exact"}, "win", {}),
    ("5000", {"target": 500, "set_aside": "all"}, "turns", {}),
    ("5000", {"target": 500, "kinds": "doubling", "straight": 400}, "reach", {"goal": 450, "turns": 2}),
    ("beartrap", {"target": 400, "opening": 200}, "win", {}),
    ("beartrap", {"target": 250, "opening": 100, "finish": "at_least", "five_ones": "points"}, "win", {}),
    ("farkle", {"target": 300}, "turns", {}),
]


@pytest.mark.cases(fast=1, slow=7)
@pytest.mark.parametrize(("game", "rules", "objective", "more"), PUSH)
def test_push_your_luck(game, rules, objective, more):
    assert check(kw.game(game, **rules), objective, **more) > 0
