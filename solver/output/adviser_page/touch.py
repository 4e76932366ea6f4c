"""Page data of Booby Trap: a turn in words, and the board, whose values the page's kernel computes itself."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ...games.touch_odds import ILLUSTRATIVE, SIZES
from ...play.choice_kinds import ChoiceKind, PieceChoice
from ...play.playable_game import Choice
from ...play.touch import TouchPosition
from ...solvers import Problem, ValueTable
from ...solvers.touch.problem import TouchProblem
from ...solvers.touch.score_axis import ScoreAxisBoards
from ...storage.table_files import FORMAT
from .choice_data import EncodedChoice, encode_choice, encode_roll
from .graph import KernelNode, PageTurnEnding, walk_turns

SIZE_COUNT = 3
MANY_PIECES = 9  # of a size: enough that the turn does not depend on their number


def unsupported_properties(problem: Problem[Any]) -> dict[str, bool]:
    """Return whether a problem has each of the properties for which there is no page."""
    return {"Booby Trap with three or more players": problem.players > 2}


def parts(problem: TouchProblem, value_table: ValueTable) -> dict[str, Any]:
    """Return the data and arrays of a page that depend on the family.

    The turn in words depends on which sizes are left, and on whether a piece must be taken.
    """
    playable, rules, board = problem.playable, problem.rules, problem.whole_board
    assert isinstance(board, ScoreAxisBoards)
    scores = playable.start().scores
    starts = {}
    for sizes_left in product((0, 1), repeat=SIZE_COUNT):
        if not any(sizes_left):
            continue
        large, medium, small = (MANY_PIECES * is_left for is_left in sizes_left)
        for must_take in (False, True):
            position = TouchPosition((large, medium, small), scores, passes=rules.max_passes * must_take)
            starts[sizes_left, must_take] = position

    def ending(position: TouchPosition, choice: Choice[TouchPosition]) -> PageTurnEnding:
        if choice.kind is ChoiceKind.PASS:
            return PageTurnEnding("pass", 0, 0)
        assert position.size is not None
        points = 0 if problem.players == 1 else choice.points
        return PageTurnEnding("gone", points, 2 * position.size + bool(position.tripped))

    graph, roots = walk_turns(playable, starts.values(), lambda position: KernelNode(0, 0), ending, _roll_act)
    return {
        "family": "touch",
        "kernel": "touch",
        "channels": "seats",
        "match": {
            "board": list(rules.board),
            "last": rules.last_pieces,
            "limit": rules.max_passes,
            "in_order": int(rules.is_in_order),
            "points": list(rules.points),
            "penalty": rules.penalty,
            "trips": rules.trips,
            "passes": rules.can_pass,
            "feels": list(rules.odds.feels),
            "example_odds": rules.odds.name == ILLUSTRATIVE,
            "question": {"format": FORMAT, **playable.problem_key},
            "width": board.width,
            "origin": board.origin,
            "step": board.step,
            "roots": [
                ["".join(map(str, sizes_left)), must_take, *roots[start]]
                for (sizes_left, must_take), start in starts.items()
            ],
        },
        "graph": graph.as_json(),
        "arrays": {
            "chance": np.ascontiguousarray(board.feel_chance),
            "holds": np.ascontiguousarray(board.hold_chance),
            "trip": np.ascontiguousarray(board.trip_chance),
        },
    }


def _roll_act(position: TouchPosition) -> EncodedChoice:
    """Return what happens by chance: a piece is taken, or it is felt after the touch."""
    if position.taking:
        return encode_choice(ChoiceKind.TAKE, PieceChoice())
    return encode_roll("PieceFeel", size=SIZES[position.size or 0])
