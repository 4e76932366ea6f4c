"""Decisions of many games at once, with the best choice of each and the loss of every choice."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..answers.advice import tie_tolerance
from .turns import Floats, Ints, TurnArrays


class DecisionBatch:
    """Decisions of several games, one row each, with the best choice and the loss of every choice.

    Attributes:
        turns: the arrays in which starts, nodes and cells are numbered.
        starts, nodes: the start of the turn and the decision node, by row.
        mover: the seat that decides, by row.
        choice_count: number of choices, by row.
        cells: the cell that each choice leads to, by row and choice.
        best: index of the best choice, by row. Ties go to the first choice in the documented order; after
            the draw of a mixed action it is the choice of the drawn turn.
    """

    def __init__(self, turns: TurnArrays, starts: Ints, nodes: Ints) -> None:
        """Compute the values of all choices, and find the best choice of each decision.

        Args:
            turns: the arrays in which starts and nodes are numbered.
            starts: (decisions,) the start of each decision's turn.
            nodes: (decisions,) the decision nodes, whose choices have been listed.
        """
        self.turns = turns
        self.starts = starts
        self.nodes = nodes
        self.mover = turns.mover.entries.take(starts)
        self.choice_count = turns.branch_count.entries.take(nodes)
        choice = np.arange(int(self.choice_count.max()))
        is_legal = choice < self.choice_count[:, None]
        branches = turns.first_branch.entries.take(nodes)[:, None] + np.where(is_legal, choice, 0)
        self.cells = turns.first_cell.entries.take(starts)[:, None] + turns.choice_place.entries.take(branches)
        mover_cells = self.cells * turns.seats + self.mover[:, None]  # index of the mover's value among all values
        mover_values = turns.values.entries.take(mover_cells)
        if np.isnan(mover_values).any():
            turns.fill_values(np.broadcast_to(starts[:, None], self.cells.shape).ravel(), self.cells.ravel())
            mover_values = turns.values.entries.take(mover_cells)
        utilities = np.where(is_legal, turns.sign * mover_values, -np.inf)
        self._loss_before_ties = utilities.max(axis=1, keepdims=True) - utilities
        # Both values may be off by the error bound, so smaller differences prove nothing.
        self._is_tie = self._loss_before_ties <= 2 * turns.solved.error_bound
        self.best = (self._loss_before_ties <= tie_tolerance(turns.seats, turns.solved.error_bound)).argmax(axis=1)
        for row in np.flatnonzero(turns.second_probability.entries.take(starts)).tolist():
            self.best[row] = turns.drawn_choice(int(starts[row]), int(nodes[row]))

    @cached_property
    def loss(self) -> Floats:
        """The loss of each choice, by row and choice: 0 for ties, infinite beyond the last choice of a row."""
        return np.where(self._is_tie, 0.0, self._loss_before_ties)
