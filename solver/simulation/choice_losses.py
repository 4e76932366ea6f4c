"""Decisions of many games at once, with what every choice loses."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..answers.advice import leeway
from .turns import Floats, Ints, Turns


class Offer:
    """Decisions of some games: by row, ``cells`` that choices lead to and what they lose (``loss``, infinite where
    there is no such choice); ``best``, the number of the best choice: among ties by the documented rule (``leeway``),
    but the one that was drawn where two turns are mixed.
    """

    def __init__(self, turns: Turns, starts: Ints, nodes: Ints) -> None:
        self.turns, self.starts, self.nodes = turns, starts, nodes
        self.mover, self.count = turns.mover.all.take(starts), turns.count.all.take(nodes)
        place = np.arange(int(self.count.max()))
        there = place < self.count[:, None]
        choices = turns.begin.all.take(nodes)[:, None] + np.where(there, place, 0)
        self.cells = turns.offset.all.take(starts)[:, None] + turns.leads.all.take(choices)
        mine = self.cells * turns.seats + self.mover[:, None]
        worth = turns.worth.all.take(mine)
        if np.isnan(worth).any():
            turns.fill(np.broadcast_to(starts[:, None], self.cells.shape).ravel(), self.cells.ravel())
            worth = turns.worth.all.take(mine)
        gains = np.where(there, turns.sign * worth, -np.inf)
        self._less = gains.max(axis=1, keepdims=True) - gains
        self._ties = self._less <= 2 * turns.solved.error_bound
        self.best = (self._less <= leeway(turns.seats, turns.solved.error_bound)).argmax(axis=1)
        for row in np.flatnonzero(turns.share.all.take(starts)).tolist():
            self.best[row] = turns.made(int(starts[row]), int(nodes[row]))

    @cached_property
    def loss(self) -> Floats:
        """What choices lose."""
        return np.where(self._ties, 0.0, self._less)
