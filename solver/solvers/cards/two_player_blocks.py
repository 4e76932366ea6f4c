"""Parts of a layer of two players' cards that another process or another machine solves.

A part carries the rows of values that its turns lead to. To solve it takes only the problem besides, as JSON.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ...turns.keep_turn import Doubles, EntryOptions, KeepTurn, Longs
from .. import problem_from_key
from .model import select_options


@dataclass(frozen=True)
class LayerBlock:
    """Turns as arguments of ``KeepTurn.solve``. Each turn is solved in one run of ``LANES`` consecutive lanes.

    Attributes:
        rows: (rows, width) the values that the options of these turns lead to, and no others.
        options: the options of these turns.
        option_set: (turns,) the option sets of the last roll.
        lane: (turns,) the column of ``rows`` at which the lanes of each turn begin.
        early_option_sets: (rolls - 1, turns) the option sets of earlier rolls; None if dice score alike after every
            roll.
    """

    rows: Doubles
    options: EntryOptions
    option_set: Longs
    lane: Longs
    early_option_sets: Longs | None = None


def extract_block(
    rows: Doubles, options: EntryOptions, *, option_set: Longs, early_option_sets: Longs | None, lane: Longs
) -> LayerBlock:
    """Copy some turns of a layer, with only the options and values that they read.

    Each turn is solved in one run of ``LANES`` consecutive lanes. The option sets and rows that the turns read are
    numbered anew, from 0 on, in the order of their old numbers.

    Args:
        rows: (rows, width) the values of the next layer.
        options: the options for entering dice of all turns of the layer, set by set.
        option_set: (turns,) the option sets of the turns' last rolls.
        early_option_sets: (rolls - 1, turns) the option sets of their earlier rolls; None if dice score alike after
            every roll.
        lane: (turns,) the column of ``rows`` at which the lanes of each turn begin.
    """
    last_roll_sets = option_set[None]  # (1, turns)
    # (rolls, turns), or (1, turns) if only the last roll has sets.
    sets_by_roll = last_roll_sets if early_option_sets is None else np.concatenate((early_option_sets, last_roll_sets))
    # First renumbering: of the option sets. The new number of a set is its index among the sets that are read.
    # NumPy may return the new numbers as one flat array, so they get the shape of the old ones.
    used_sets, new_set_numbers = np.unique(sets_by_roll, return_inverse=True)
    new_sets_by_roll = new_set_numbers.reshape(sets_by_roll.shape).astype(np.int64)
    # Where the options of each set begin in the new numbering, and the old number of each option.
    option_start, selected = select_options(options, used_sets)
    # Second renumbering: of the rows of values that these options read.
    used_rows, new_rows = np.unique(options.row[selected], return_inverse=True)
    new_options = EntryOptions(
        option_start=option_start,
        column=options.column[selected],
        row=new_rows.reshape(-1).astype(np.int64),
        first_roll=options.first_roll[selected],
        end_roll=options.end_roll[selected],
    )
    return LayerBlock(
        rows=rows[used_rows],
        options=new_options,
        option_set=new_sets_by_roll[-1],
        lane=lane,
        early_option_sets=None if early_option_sets is None else new_sets_by_roll[:-1],
    )


def solve_block(question: str, block: LayerBlock) -> Doubles:
    """Solve some turns of a layer. A worker process runs this, so the problem is passed as text.

    Each turn is solved in one run of ``LANES`` consecutive lanes, the mover's leads.

    Args:
        question: the problem as JSON (see ``problem_from_key``).
        block: the turns, with the options and values that they read.

    Returns:
        (turns, LANES) the mover's values.
    """
    turn = _compiled_turn(question)
    solved = turn.solve(
        block.rows, block.options, block.option_set, block.lane, early_option_sets=block.early_option_sets
    )
    return solved.value


@lru_cache(maxsize=4)
def _compiled_turn(question: str) -> KeepTurn:
    """Return the compiled turn of a problem of cards, which is compiled once for all of its blocks.

    Args:
        question: the problem as JSON (see ``problem_from_key``).
    """
    problem: Any = problem_from_key(json.loads(question))
    turn: KeepTurn = problem.turn
    return turn
