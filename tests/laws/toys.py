"""Tiny rule sets for what the shipped games do not do, each a mix of what rule files can say; families for laws only.

``RULES`` is keyed by what is unusual. A family is a module that states its rules, its play and its matches (see
``graph_game.py``), with ``MATCHES`` from objectives to the names of its classes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import coin_game
import graph_game
import pytest

from keepwise import games, play, solvers
from keepwise.games import families

FAMILIES = {"coin": coin_game, "graph": graph_game}

TWO = {"dice": 2, "faces": 3, "target": 4}
# A coin that busts or adds a point: of three with 3 points each the mover and the last seat mix two turns.
MIXED = {"name": "coin", "dice": 1, "faces": 2, "weights": [14, 16], "singles": {"2": 1}, "target": 6}
ODD = {"faces": 3, "target": 3, "die": [{}, {"name": "odd", "weights": [2, 0, 1]}]}
PAIR, RUN = {"2": {"2": 3}}, [{"name": "run", "dice": "23", "points": 2}]
SAME = {"of": 1, "shows": "3", "then": "roll", "dice": "same", "points": 1}
PUSH = {
    "leave a loaded die": {**ODD, "set_aside": "all", "then.leave": ["1"], "singles": {"1": 1, "3": 2}},
    "run to be confirmed": {
        **TWO,
        "singles": {"1": 1},
        "pattern": [{**RUN[0], "then": "must"}],
        "finish": "exact",
        "take_over": "free",
    },
    "unlike, a bust costs": {**ODD, "singles": {"1": 1, "3": 1}, "bust": {"costs": [1, 0], "floor": -2}, "target": 2},
    "unlike, same dice": {**ODD, "singles": {"1": 1}, "special": [SAME], "then.all": "end"},
    "taken over, negative": {**TWO, "singles": {"1": 1, "2": -1}, "then.all": "end", "take_over": "free"},
    "taken over, same dice": {**TWO, "singles": {"1": 1}, "special": [SAME], "take_over": "opened", "stop.at_least": 2},
    "taken over, must throw": {
        **TWO,
        "singles": {"1": 1},
        "take_over": "free",
        "stop.opening": 2,
        "stop.below": "must",
    },
    "taken over, run": {**TWO, "singles": {"1": 1}, "pattern": RUN, "take_over": "free", "set_aside": "all"},
    "zeros cost nothing": {
        **TWO,
        "singles": {"1": 0, "2": 1},
        "then.all": "end",
        "stop.at_least": 2,
        "set_aside": "all",
    },
    "zeros and wipes": {
        **TWO,
        "singles": {"1": 0, "2": 2},
        "then.all": "end",
        "special": [{"throw": "33", "then": "wipe"}],
    },
    "zeros, below throws": {
        **TWO,
        "singles": {"1": 0, "2": 2},
        "then.all": "end",
        "stop.below": "must",
        "special": [{"throw": "3", "then": "wipe"}],
    },
    "stop with all aside": {
        "dice": 2,
        "faces": 2,
        "singles": {"2": 3},
        "then": {"set": "must", "all": "end"},
        "target": 12,
    },
    "wipes by a sum": {
        **TWO,
        "singles": {"1": 1},
        "special": [{"of": 2, "at_least": 5, "then": "wipe"}],
        "target": 2,
    },
    "wipe, again, must": {
        "dice": 3,
        "faces": 4,
        "weights": [1, 2, 1, 1],
        "target": 4,
        "singles": {"1": 2, "2": 1},
        "alike": {"3": {"3": 4}},
        "special": [
            {"throw": "444", "then": "wipe"},
            {"throw": "333", "then": "must", "points": 3},
        ],
        "then.all": "must",
    },
    "win by a pair": {
        **TWO,
        "singles": {"1": 1},
        "special": [{"of": 2, "groups": [2], "then": "win"}],
        "stop.opening": 2,
    },
    "again, exact": {
        **TWO,
        "singles": {"1": 1},
        "special": [{"of": 2, "sum": 5, "then": "must", "points": 1}],
        "finish": "exact",
    },
    "exact, below throws": {
        "dice": 1,
        "faces": 3,
        "singles": {"3": 1},
        "target": 2,
        "finish": "exact",
        "stop.below": "must",
    },
    "scores its sum": {
        **TWO,
        "singles": {"1": 1},
        "special": [{"of": 1, "only": "23", "points": "sum"}],
    },
    "costs and stays": {
        **TWO,
        "singles": {"1": 2},
        "bust": {"costs": [0, 1, 2], "count": "stays", "floor": -1},
        "target": 3,
    },
    "costs, below throws": {
        **TWO,
        "singles": {"1": 1},
        "stop.at_least": 2,
        "stop.below": "must",
        "bust": {"costs": [0, 2], "floor": -1},
    },
    "all or none, hot": {
        **TWO,
        "singles": {"1": 1},
        "alike": PAIR,
        "set_aside": "all-or-none",
        "then.all": "roll",
        "target": 3,
    },
    "last round, weights": {
        **TWO,
        "singles": {"1": 1},
        "alike": PAIR,
        "finish": "last_round",
        "weights": [1, 2, 2],
        "then.all": "end",
    },
    "choose, last round": {
        **TWO,
        "then.set": "end",
        "then.dice": "chosen",
        "set_aside": "all-or-none",
        "singles": {"2": 1, "3": 2},
        "weights": [6, 1, 1],  # one die is the best last throw against one or two points
        "finish": "last_round",
        "target": 1,
    },
    "choose, zeros": {
        **TWO,
        "then.set": "end",
        "then.dice": "chosen",
        "set_aside": "all-or-none",
        "singles": {"1": 0, "2": 1},
    },
    "one turn, run": {
        **TWO,
        "singles": {"1": 1},
        "pattern": RUN,
        "then.all": "end",
        "finish": "one_turn",
        "stop.opening": 2,
    },
    "one turn, lowest": {
        "dice": 2,
        "faces": 3,
        "singles": {"1": 0, "2": 2, "3": 1},
        "then": {"set": "must", "all": "end"},
        "best": "lowest",
        "finish": "one_turn",
    },
}


def enough(game: Any) -> int | None:
    """Points in hand that nobody needs more than, of a toy whose throws that must be made go on without end."""
    return 4 * game.data.target if game.data.finish == "at_least" else None


CARD = {"dice": 2, "faces": 3, "throws": 2}
ONES, PAIRS, ANY = (
    {"name": "ones", "face": 1},
    {"name": "pair", "groups": [2], "points": "groups"},
    {"name": "any", "chance": True},
)
RUNS = {"name": "run", "straight": 2, "points": 4}
CARDS = {
    "served, saved": {**CARD, "category": [{**PAIRS, "first": 9}, RUNS, ANY], "saved_throws": True},
    "forced, served wins": {**CARD, "category": [{**RUNS, "first": "win"}, PAIRS, ONES], "zeros": "forced"},
    "in order, bonus": {
        **CARD,
        "category": [ONES, RUNS, ANY],
        "order": "down",
        "upper": {"categories": ["ones"], "at": [1, 2], "bonus": [1, 3]},
    },
    "columns, forced": {**CARD, "category": [PAIRS, RUNS], "columns": [1, 2], "zeros": "forced"},
    "columns in order": {**CARD, "category": [ONES, RUNS], "columns": [1, 3], "order": "down", "weights": [1, 2, 3]},
    "columns, a bonus each": {
        **CARD,
        "category": [ONES, PAIRS],
        "columns": [1, 2],
        "upper": {"categories": ["ones"], "at": [1, 2], "bonus": [1, 3]},
    },
    "repeated, saved": {
        **CARD,
        "category": [{**PAIRS, "times": 2}, {"name": "odd", "only": [1, 3], "plus": 1}],
        "saved_throws": 1,
    },
    "rolls cost points": {**CARD, "category": [{**PAIRS, "first": 9}, ANY], "throws": 3, "throw_costs": [1, 3]},
    "total, forced": {
        **CARD,
        "category": [PAIRS, ANY, RUNS],
        "zeros": "forced",
        "total": {"at": [0, 5, 9], "points": [-1, 3, 1]},
    },
    "total, served": {**CARD, "category": [{**PAIRS, "first": 6}, ANY], "total": {"at": [0, 6], "points": [0, 2]}},
    "joker": {
        **CARD,
        "category": [ONES, RUNS, {"name": "all", "groups": [2], "points": 6}],
        "again": {"category": "all", "bonus": 2, "joker": "forced"},
    },
    "two boxes": {
        "dice": 4,
        "faces": 2,
        "throws": 2,
        "boxes": 2,
        "category": [ONES, PAIRS, ANY, {"name": "low", "at_most": 3, "points": 5}],
    },
}


ONE_FACE = {  # a family of their own, which no certificate can state
    "one face, covered": {
        "dice": 3,
        "faces": 4,
        "weights": [1, 2, 1, 1],
        "target": 4,
        "set_aside": "one-face",
        "singles": {"3": 1, "4": 1},
        "one_face": {"forced": "1", "repeatable": "2", "covers": {"2": "1"}, "bonus": 2, "stuck": "score"},
        "finish": "last_round",
    },
    "one face, needed": {
        **TWO,
        "set_aside": "one-face",
        "singles": {"1": 1, "2": 2, "3": 2},
        "one_face": {"needed": "3"},
    },
    "one face, by total": {
        "dice": 3,
        "faces": 3,
        "set_aside": "one-face",
        "singles": {"1": 1, "2": 2, "3": 2},
        "one_face": {"needed": ["2", "3"], "forced": "1", "totals": {"3": 1, "5": 3}},
    },
}
CUP = {  # likewise
    "zombie cup": {
        "faces": ["brain", "feet", "shotgun"],
        "target": 3,
        "set_aside": "cup",
        "die": [
            {"name": "green", "count": 2, "weights": [3, 2, 1]},
            {"name": "red", "count": 2, "weights": [1, 2, 3]},
        ],
        "singles": {"brain": 1},
        "cup": {"hand": 2, "again": "feet", "bust": "shotgun", "limit": 2},
        "finish": "last_round",
    },
}
UNLIKE_SEATS = {
    "unlike seats": {**TWO, "singles": {"1": 1, "2": 2}, "seat": {"2": {"target": 5, "head_start": 1}}},
    "badges": {**TWO, "singles": {"1": 1, "2": 2}, "warlord": 50, "resurrection": 1},
}
RULES: dict[str, dict[str, Any]] = {
    name: {"name": "toy", **rules} for name, rules in {**PUSH, **ONE_FACE, **CUP, **UNLIKE_SEATS, **CARDS}.items()
}


def rules(name: str) -> dict[str, Any]:
    """The rules of a toy, as a rule file tells them."""
    return RULES[name]


@contextmanager
def registered() -> Iterator[None]:
    """Make the families known, beside those of the program."""
    with pytest.MonkeyPatch.context() as patch:
        for name, module in FAMILIES.items():
            for place in (games, play, solvers):
                patch.setitem(sys.modules, f"{place.__name__}.{name}", module)
            patch.setitem(games.FILES, name, name)
            solved = {objective: (f"solvers.{name}.{kind}",) for objective, kind in module.MATCHES.items()}
            patch.setitem(families.FAMILIES, module.FAMILY, families.Family(f"play.{name}", solved))
        yield
