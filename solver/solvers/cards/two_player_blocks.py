"""Blocks of a layer of two players' cards that another process or another machine solves.

A block carries the rows of values that its turns lead to. Whoever solves it needs only the question besides.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ...turns.keep_turn import Doubles, EntryOptions, KeepTurn, Longs
from .model import select_options


@dataclass(frozen=True)
class LayerBlock:
    """Turns as arguments of ``KeepTurn.solve``, with only the ``rows`` (rows, width) that their options lead to."""

    rows: Doubles
    options: EntryOptions
    option_set: Longs
    lane: Longs
    early: Longs | None = None


def extract_block(
    rows: Doubles, options: EntryOptions, option_set: Longs, early: Longs | None, lane: Longs
) -> LayerBlock:
    """Return some turns of a layer as a block of their own.

    Args:
        rows: (rows, width) the rows of the next layer.
        options: the options of all turns of the layer.
        option_set, early, lane: the turns, as ``KeepTurn.solve`` takes them.
    """
    option_sets = option_set[None] if early is None else np.concatenate((early, option_set[None]))
    used_sets, own = np.unique(option_sets, return_inverse=True)
    own = own.reshape(option_sets.shape).astype(np.int64)
    start, selected = select_options(options, used_sets)
    used_rows, row = np.unique(options.row[selected], return_inverse=True)
    own_options = EntryOptions(
        start,
        options.column[selected],
        row.reshape(-1).astype(np.int64),
        options.first_roll[selected],
        options.end_roll[selected],
    )
    return LayerBlock(rows[used_rows], own_options, own[-1], lane, None if early is None else own[:-1])


def solve_block(question: str, block: LayerBlock) -> Doubles:
    """Solve a block of a question (as JSON) in any process: values (blocks, LANES)."""
    return (
        _turn(question)
        .solve(block.rows, block.options, block.option_set, block.lane, early_option_sets=block.early)
        .value
    )


@lru_cache(maxsize=4)
def _turn(question: str) -> KeepTurn:
    """Return the compiled turn of a question, compiled once for all of its blocks."""
    from .. import problem_from_question

    problem: Any = problem_from_question(json.loads(question))
    turn: KeepTurn = problem.turn
    return turn
