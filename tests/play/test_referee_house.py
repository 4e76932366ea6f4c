"""House rules before the referee: dice set aside, special throws, forced throws, last rounds, on few dice.

Where nobody may stop, points grow past any target, so throws that must be made come with an exact finish here.
"""

from __future__ import annotations

import pytest
from referee_checks import check

from keepwise.games import own_game

BASE = {"name": "small", "dice": 2, "faces": 3, "singles": {"1": 1}, "target": 3}
PAIR = {"alike": {"2": {"2": 2}}}

RULES = [
    ({}, "win", {}),
    (PAIR, "win", {}),
    ({**PAIR, "then.all": "must", "finish": "exact"}, "win", {}),
    ({**PAIR, "then.all": "end"}, "win", {}),
    ({**PAIR, "then.all": "end", "finish": "last_round"}, "win", {}),
    ({**PAIR, "then.all": "end", "finish": "last_round", "stop.opening": 2, "stop.at_least": 1}, "win", {}),
    ({**PAIR, "then.all": "end", "finish": "last_round", "stop.opening": 2, "stop.on_win": False}, "win", {}),
    ({"weights": [1, 2, 3], "stop.opening": 2, "set_aside": "all"}, "win", {}),
    ({"special": [{"throw": "33", "then": "win"}]}, "win", {}),
    ({"special": [{"throw": "33", "then": "bust"}]}, "turns", {}),
    ({"special": [{"throw": "33", "then": "wipe"}]}, "turns", {}),
    ({"special": [{"throw": "33", "then": "wipe"}], "target": 2}, "win", {}),
    ({"special": [{"throw": "22", "then": "must", "points": 1}], "finish": "exact"}, "win", {}),
    ({"special": [{"throw": "22", "then": "must", "points": 1}], "finish": "exact"}, "reach", {"turns": 2}),
    ({"pattern": [{"dice": "23", "points": 2}]}, "reach", {"turns": 3, "goal": 2}),
    ({"dice": 1, "singles": {"1": 1, "2": 2}, "target": 6}, "win", {}),
    ({"singles": {"1": 1, "2": 0}, "then.all": "end", "special": [{"throw": "33", "then": "wipe"}]}, "win", {}),
]


@pytest.mark.cases(fast=6)
@pytest.mark.parametrize(("rules", "objective", "more"), RULES)
def test_house_rules(rules, objective, more):
    assert check(own_game({**BASE, **rules}), objective, **more) > 0
