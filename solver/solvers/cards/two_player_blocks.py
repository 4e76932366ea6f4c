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
    """Turns as arguments of ``KeepTurn.solve``, one entry for each block of lanes.

    Attributes:
        rows: (rows, width) the values that the options of these turns lead to, and no others.
        options: the options of these turns.
        option_set: the option sets of the last roll.
        lane: the first lanes.
        early: (rolls - 1, blocks of lanes) the option sets of earlier rolls, if dice score differently then.
    """

    rows: Doubles
    options: EntryOptions
    option_set: Longs
    lane: Longs
    early: Longs | None = None


def extract_block(
    rows: Doubles, options: EntryOptions, option_set: Longs, early: Longs | None, lane: Longs
) -> LayerBlock:
    """Return some turns of a layer as a block of their own, without the rest of the layer.

    Args:
        rows: (rows, width) the rows of the next layer.
        options: the options of all turns of the layer.
        option_set: (blocks of lanes,) the option sets of the turns' last rolls.
        early: (rolls - 1, blocks of lanes) those of their earlier rolls, or None.
        lane: (blocks of lanes,) the first lanes.
    """
    # The option sets and rows that these turns use are numbered anew, from 0 on, in the order of their old numbers.
    by_roll = option_set[None] if early is None else np.concatenate((early, option_set[None]))
    used_sets, own_sets = np.unique(by_roll, return_inverse=True)
    own_sets = own_sets.reshape(by_roll.shape).astype(np.int64)
    start, selected = select_options(options, used_sets)
    used_rows, own_rows = np.unique(options.row[selected], return_inverse=True)
    own_options = EntryOptions(
        option_start=start,
        column=options.column[selected],
        row=own_rows.reshape(-1).astype(np.int64),
        first_roll=options.first_roll[selected],
        end_roll=options.end_roll[selected],
    )
    own_early = None if early is None else own_sets[:-1]
    return LayerBlock(rows[used_rows], own_options, own_sets[-1], lane, own_early)


def solve_block(question: str, block: LayerBlock) -> Doubles:
    """Solve a block in any process.

    Args:
        question: the problem as JSON (see ``problem_from_question``).
        block: the turns.

    Returns:
        (blocks of lanes, LANES) the mover's values.
    """
    turn = _turn(question)
    solved = turn.solve(block.rows, block.options, block.option_set, block.lane, early_option_sets=block.early)
    return solved.value


@lru_cache(maxsize=4)
def _turn(question: str) -> KeepTurn:
    """Return the compiled turn of a question, compiled once for all of its blocks."""
    from .. import problem_from_question

    problem: Any = problem_from_question(json.loads(question))
    turn: KeepTurn = problem.turn
    return turn
