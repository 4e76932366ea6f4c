"""What a page needs to know of Booby Trap: a turn in words, and the board, which the page's kernel solves itself."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ...play.choice_kinds import ChoiceKind
from ...play.playable_game import Choice
from ...play.touch import TouchPosition
from ...solvers import Problem, ValueTable
from ...solvers.touch.problem import TouchProblem
from ...solvers.touch.score_axis import ScoreAxisBoards
from .graph import walked

SIZES = 3


def refused(match: Problem[Any]) -> dict[str, bool]:
    """What no page is made for."""
    return {"Booby Trap with three and more players": match.players > 2}


def parts(match: TouchProblem, solved: ValueTable) -> dict[str, Any]:
    """The turn in words, by which sizes are left and whether a piece must be taken, and the odds."""
    table, rules, board = match.playable, match.rules, match.whole_board
    assert isinstance(board, ScoreAxisBoards)
    begin = table.start()
    starts = {}
    for there in product((0, 1), repeat=SIZES):
        for must in (False, True):
            left = (9 * there[0], 9 * there[1], 9 * there[2])
            if any(there):
                starts[there, must] = TouchPosition(left, begin.scores, passes=rules.limit * must)

    def ending(here: TouchPosition, one: Choice[TouchPosition]) -> tuple[str, int, int]:
        if one.kind is ChoiceKind.PASS:
            return "pass", 0, 0
        assert here.size is not None
        return "gone", 0 if match.players == 1 else one.points, 2 * here.size + bool(here.tripped)

    graph, roots = walked(table, starts.values(), lambda here: (0, 0), ending)
    return {
        "family": "touch",
        "kernel": "touch",
        "channels": "seats",
        "match": {
            "board": list(rules.board),
            "last": rules.last,
            "limit": rules.limit,
            "in_order": int(rules.in_order),
            "points": list(rules.points),
            "penalty": rules.penalty,
            "trips": rules.trips,
            "passes": rules.passes,
            "feels": list(rules.odds.feels),
            "width": board.width,
            "origin": board.origin,
            "step": board.step,
            "roots": [["".join(map(str, there)), must, *roots[start]] for (there, must), start in starts.items()],
        },
        "graph": graph.as_json(),
        "arrays": {
            "chance": np.ascontiguousarray(board.feel_chance),
            "holds": np.ascontiguousarray(board.hold_chance),
            "trip": np.ascontiguousarray(board.trip_chance),
        },
    }
