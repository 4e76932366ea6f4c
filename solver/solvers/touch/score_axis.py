"""The boards of two players, or of one, on an axis, solved by the touch kernel.

A turn's worth hangs on one number: the lead of the player to move, or, alone, the trips so far. What one of two gets
the other pays, so one value does. Kernel: csrc/touch.pyx; it makes the turns of ``turn.Turns``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...core.touch import TouchKernel
from ...games.booby_trap import TouchRules
from ...play.touch import Left
from .model import TRIPPED, End, Floats, Ints, Stand, Turns


class Axis(Stand):
    """All boards that can follow from ``left`` pieces (default: the whole board) and a place on the axis. The table
    holds what a turn is worth to whoever has just moved, by their own place.
    """

    def __init__(
        self,
        rules: TouchRules,
        end: End,
        left: Left | None = None,
        place: int = 0,
        chance: Floats | None = None,
        trip: Floats | None = None,
    ) -> None:
        super().__init__(rules, rules.board if left is None else left, end, chance, trip)
        alone = rules.players == 1
        high = place if alone else abs(place)
        reach = high + self.step * sum(self.left)
        self.sign = 1 if alone else -1  # what is worth 1 to a player is worth so much to the next
        self.origin = 0 if alone else reach
        self.width = self.origin + reach + 1
        self.kernel = TouchKernel(
            board=self.left,
            last=rules.last,
            limit=rules.limit,
            in_order=rules.in_order,
            sign=self.sign,
            gain=self.gains[:TRIPPED].tolist(),
            trip=int(self.gains[TRIPPED]),
            low=0 if alone else -high,
            high=high,
            down=0 if alone else self.step,
            up=self.step,
            origin=self.origin,
            width=self.width,
            chance=self.chance,
            holds=self.holds,
            trips=self.trips,
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """Pieces left by size, places."""
        return (*(count + 1 for count in self.left), self.width)

    @property
    def places(self) -> Ints:
        """The places of the axis."""
        return np.arange(self.width) - self.origin

    def solve(self, threads: int, progress: Callable[[float], None]) -> Floats:
        """The whole board, on one processor."""
        table = np.zeros(self.shape)
        self.kernel.solve(np.ascontiguousarray(self.end(self._scores(self.places))[:, 0]), table)
        return table

    def _scores(self, places: Ints) -> Ints:
        """Scores that show places: those with nothing beside."""
        return np.column_stack([places, 0 * places])[:, : self.rules.players]

    def along(self, table: Floats, left: Left, places: Ints) -> Turns:
        """The turns of a board by the equations, at some places in a row; of two, with their opposites."""
        following = np.arange(len(places))[:: self.sign]
        after = self.after(self._scores(places), sum(left))
        return self.turns(table, np.array(left), self.sizes(left), after, following)

    def lanes(self, scores: Ints, pieces: int | Ints) -> Ints:
        """By the place of whoever has just moved."""
        lanes: Ints = self.origin + (scores[..., 0] if self.sign > 0 else scores[..., 1] - scores[..., 0])
        return lanes

    def read(self, table: Floats, left: Ints, lanes: Ints) -> Floats:
        """The one value, and what the other gets."""
        moved = table[(*left.T, lanes)]
        return np.stack([self.sign * moved, moved][: self.rules.players], axis=-1)
