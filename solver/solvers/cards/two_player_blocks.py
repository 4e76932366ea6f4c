"""Blocks of a layer of two players' cards, solved apart from it, in another process or on another machine.

A block carries the rows that its turns lead to; whoever solves it needs nothing else but the question.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ...turns.keep_turn import Doubles, EntryOptions, KeepTurn, Longs
from .model import picked


@dataclass(frozen=True)
class Block:
    """Turns as ``KeepTurn.solve`` takes them, with the ``rows`` (rows, width) that their options lead to."""

    rows: Doubles
    problems: EntryOptions
    problem: Longs
    lane: Longs
    early: Longs | None = None


def cut(rows: Doubles, problems: EntryOptions, problem: Longs, early: Longs | None, lane: Longs) -> Block:
    """Cut some turns from a layer; ``rows`` are those of the layer that they lead to."""
    ends = problem[None] if early is None else np.concatenate((early, problem[None]))
    asked, own = np.unique(ends, return_inverse=True)
    own = own.reshape(ends.shape).astype(np.int64)
    start, options = picked(problems, asked)
    leads_to, numbers = np.unique(problems.row[options], return_inverse=True)
    mine = EntryOptions(
        start,
        problems.column[options],
        numbers.reshape(-1).astype(np.int64),
        problems.first[options],
        problems.last[options],
    )
    return Block(rows[leads_to], mine, own[-1], lane, None if early is None else own[:-1])


def solve_block(question: str, block: Block) -> Doubles:
    """Solve a block of a question (as JSON), wherever this runs: values (blocks, LANES)."""
    return _turn(question).solve(block.rows, block.problems, block.problem, block.lane, early=block.early).value


@lru_cache(maxsize=4)
def _turn(question: str) -> KeepTurn:
    """A question compiled: once, for all blocks that come."""
    from .. import problem_from_question

    match: Any = problem_from_question(json.loads(question))
    turn: KeepTurn = match.turn
    return turn
