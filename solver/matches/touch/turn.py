"""The board of a touch game as arrays, solved by the touch kernel.

A position is the pieces left by size, the place on an axis and the passes in a row. The axis is the lead of the player
to move, or, alone, the trips so far. The opponent's value is the negative of the mover's. Equations: csrc/touch.pyx.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...core.touch import FEELS, TouchKernel
from ...games.booby_trap import TouchRules

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Node:
    """One position of the board. ``take`` (sizes, feels, places), ``run`` (passes in a row, places): see ``touch.pyx``.

    ``origin``: the index of place 0.
    """

    take: Floats
    run: Floats
    origin: int


class TouchBoard:
    """All positions that can follow from ``left`` pieces (default: the whole board) and a place on the axis.

    ``chance`` and ``trip`` (sizes, feels) replace those of the rules.
    """

    def __init__(
        self,
        rules: TouchRules,
        left: tuple[int, int, int] | None = None,
        place: int = 0,
        chance: Floats | None = None,
        trip: Floats | None = None,
    ) -> None:
        self.rules, self.board = rules, rules.board if left is None else left
        alone = rules.players == 1
        step = 1 if alone else max(*rules.points, rules.penalty)
        high = place if alone else abs(place)
        reach = high + step * sum(self.board)
        self.origin = 0 if alone else reach
        self.width = self.origin + reach + 1
        self.chance = floats(rules.odds.chance) if chance is None else chance
        trips = floats(rules.odds.trip) if trip is None else trip
        exact = held(rules.odds.trip)
        self.kernel = TouchKernel(
            board=self.board,
            last=rules.last,
            limit=rules.limit,
            in_order=rules.in_order,
            sign=1 if alone else -1,
            gain=(0, 0, 0) if alone else rules.points,
            trip=1 if alone else -rules.penalty,
            low=0 if alone else -high,
            high=high,
            down=0 if alone else step,
            up=step,
            origin=self.origin,
            width=self.width,
            chance=self.chance,
            holds=exact if trip is None else 1 - trip,
            trips=trips,
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the solved array: pieces left by size, places."""
        return (*(count + 1 for count in self.board), self.width)

    @property
    def places(self) -> NDArray[np.int64]:
        """The places of the axis."""
        return np.arange(self.width) - self.origin

    def solve(self, end: Floats) -> Floats:
        """What every position is worth to whoever has just moved; ``end`` (places,) is that of the game's end."""
        after = np.zeros(self.shape)
        self.kernel.solve(np.ascontiguousarray(end, dtype=np.float64), after)
        return after

    def node(self, after: Floats, left: tuple[int, int, int]) -> Node:
        """Return one position's values; the game goes on there."""
        feels = len(self.rules.odds.feels)
        take = np.zeros((3, FEELS, self.width))
        run = np.zeros((self.rules.limit + 1, self.width))
        self.kernel.node(after, np.array(left, dtype=np.int32), take, run)
        return Node(take[:, :feels], run, self.origin)


def rounding(rules: TouchRules) -> float:
    """Bound of the rounding errors in a game, for payoffs up to 1.

    A touch sums one product for each of f feels, of rounded chances, after a take of two products: f + 6 roundings at
    most. 2 f + 8 are counted, a third more: n roundings compound to less than 4/3 n u as long as n u < 1/2. A piece is
    touched at most once more than the passes allow before it is taken.
    """
    touches = (sum(rules.board) - rules.last) * (rules.limit + 1)
    return touches * (2 * len(rules.odds.feels) + 8) * 2.0**-53


def held(trips: tuple[tuple[Fraction, ...], ...]) -> Floats:
    """The chances that the bar holds, from those that it trips: rounded once."""
    return floats(tuple(tuple(1 - one for one in row) for row in trips))


def floats(rows: tuple[tuple[Fraction, ...], ...]) -> Floats:
    """Fractions by size and feel as numbers."""
    return np.array([[float(one) for one in row] for row in rows])
