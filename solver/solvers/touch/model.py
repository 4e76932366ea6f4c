"""Turns of a touch game, for any number of players: the equations, on lanes of scores.

With A what is left of a piece that holds, B of one that trips, both as the next player finds them, and p the passes in
a row; who moves plays for the own share, the first:

    take[z, f]  = (1 - trip[z, f]) A[z] + trip[z, f] B
    run[limit]  = the best z of  sum over f of  chance[z, f] take[z, f]
    run[p]      = the best z of  sum over f of  chance[z, f] (the better of take[z, f] and run[p + 1], turned)

Passes end in a take and takes in fewer pieces, so all is solved backwards. With equal choices the one that is listed
first is made. ``Stand``: where boards are tabled, and what positions are worth by that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...games.booby_trap import TouchRules
from ...play.touch import Left, TouchPosition

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]  # scores (.., players), told from the mover on (alone: the trips); or places in a table
End = Callable[[Ints], Floats]  # what scores at the end are worth to their seats

Number = TypeVar("Number", np.float64, np.int64)

TRIPPED = -1  # beside the sizes: what a piece brings that trips


class Stand(ABC):
    """The boards that can follow from ``left`` pieces, with tables of what turns on them are worth.

    ``chance`` and ``trip`` (sizes, feels) replace those of the rules.
    """

    def __init__(
        self, rules: TouchRules, left: Left, end: End, chance: Floats | None = None, trip: Floats | None = None
    ) -> None:
        self.rules, self.left, self.end, alone = rules, left, end, rules.players == 1
        self.gains = np.array([0, 0, 0, 1] if alone else [*rules.points, -rules.penalty])
        self.step = int(abs(self.gains).max())
        self.chance = floats(rules.odds.chance) if chance is None else chance
        self.trips = floats(rules.odds.trip) if trip is None else trip
        self.holds = held(rules.odds.trip) if trip is None else 1 - trip

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape of the table."""

    @abstractmethod
    def solve(self, threads: int, progress: Callable[[float], None]) -> Floats:
        """The table: what turns on every board are worth before any pass."""

    def tells(self, left: Left, apart: int) -> bool:
        """Whether the table tells this board, with scores so far apart."""
        return True

    @abstractmethod
    def lanes(self, scores: Ints, pieces: int | Ints) -> Ints:
        """Where a table tells scores on boards of so many pieces."""

    @abstractmethod
    def read(self, table: Floats, left: Ints, lanes: Ints) -> Floats:
        """What those are worth to every seat from the mover on, on the boards ``left`` (.., 3)."""

    def sizes(self, left: Sequence[int]) -> list[int]:
        """The sizes that may be touched, large ones first."""
        there = [size for size, count in enumerate(left) if count]
        return there[-1:] if self.rules.in_order else there

    def after(self, scores: Ints, pieces: int | Ints) -> list[Ints]:
        """The lanes of who is next, once a piece of each size has been taken, and once one has tripped."""
        mine = np.arange(scores.shape[-1]) == 0
        return [self.lanes(np.roll(scores + gain * mine, -1, axis=-1), pieces - 1) for gain in self.gains.tolist()]

    def turns(self, table: Floats, left: Ints, sizes: Iterable[int], after: Sequence[Ints], turned: Ints) -> Turns:
        """The turns on boards where these sizes may be touched."""
        take = {}
        for size in sizes:
            fewer = left - (np.arange(3) == size)
            kept, lost = (np.roll(self.read(table, fewer, after[one]), 1, axis=-1) for one in (size, TRIPPED))
            odds = zip(self.holds[size], self.trips[size], strict=True)
            take[size] = np.array([holds * kept + trips * lost for holds, trips in odds])
        return Turns(self.chance, self.rules.limit, take, turned)

    def worth(self, table: Floats, positions: Sequence[TouchPosition]) -> Floats:
        """What positions are worth to every seat: read from the table where a turn begins without passes, else from the
        turns of all boards where the same sizes may be touched.
        """
        told = np.array([one.scores or (one.trips,) for one in positions], dtype=np.int64)
        seats, left = np.array([one.seat for one in positions]), np.array([one.left for one in positions])
        scores = turned(told, seats)
        found = self.read(table, left, self.lanes(scores, left.sum(axis=1)))
        lines: dict[tuple[Left, tuple[int, ...], int, int], list[int]] = {}
        for number, one in enumerate(positions):
            if one.passes or one.size is not None:
                lines.setdefault((one.left, one.scores, one.trips, one.seat), []).append(number)
        alike: dict[tuple[int, ...], list[list[int]]] = {}
        for (at, *_), numbers in lines.items():
            alike.setdefault(tuple(self.sizes(at)), []).append(numbers)
        for sizes, groups in alike.items():
            first = [numbers[0] for numbers in groups]
            turns = self._around(table, left[first], sizes, scores[first])
            run, touched = turns.run(), dict[tuple[int, int], Floats]()
            for group, numbers in enumerate(groups):
                lane = group * scores.shape[1]
                for number in numbers:
                    one = positions[number]
                    size, passes = one.size, one.passes
                    if size is None:
                        found[number] = run[passes][lane]
                    elif one.taking:
                        found[number] = turns.take[size][one.feel or 0, lane]
                    else:
                        if (size, passes) not in touched:
                            touched[size, passes] = turns.touched(size, turns.passed(run, passes))
                        found[number] = touched[size, passes][lane]
        return turned(found, -seats)

    def _around(self, table: Floats, left: Ints, sizes: Iterable[int], scores: Ints) -> Turns:
        """The turns of some boards and scores, each told by all players one after the other."""
        players, lanes = scores.shape[1], np.arange(scores.size)
        around = np.stack([np.roll(scores, -one, axis=1) for one in range(players)], axis=1).reshape(-1, players)
        boards = left.repeat(players, axis=0)
        following = lanes - lanes % players + (lanes + 1) % players
        return self.turns(table, boards, sizes, self.after(around, boards.sum(axis=1)), following)


class Turns:
    """Turns on some lanes: ``take``, what taking a piece is worth to every seat from the mover on, by size (feels,
    lanes, players); ``turned``: the lane of the next player where nothing has been taken.
    """

    def __init__(self, chance: Floats, limit: int, take: Mapping[int, Floats], turned: Ints) -> None:
        self.chance, self.limit, self.take, self.turned = chance, limit, take, turned

    def run(self) -> dict[int, Floats]:
        """What turns are worth after so many passes in a row, the most first: (lanes, players) each."""
        found: dict[int, Floats] = {}
        for passes in range(self.limit, -1, -1):
            passed = self.passed(found, passes)
            first, *others = (self.touched(size, passed) for size in self.take)
            for value in others:
                first = np.where(value[:, :1] > first[:, :1], value, first)
            found[passes] = first
        return found

    def passed(self, run: Mapping[int, Floats], passes: int) -> Floats | None:
        """What passing is worth after so many passes; None where nobody may."""
        return np.roll(run[passes + 1][self.turned], 1, axis=1) if passes < self.limit else None

    def touched(self, size: int, passed: Floats | None) -> Floats:
        """What touching a piece of a size is worth, where it may be passed or (None) must be taken."""
        value = np.zeros(self.take[size].shape[1:])
        for chance, taken in zip(self.chance[size].tolist(), self.take[size], strict=True):
            value += chance * (taken if passed is None else np.where(taken[:, :1] > passed[:, :1], taken, passed))
        return value


def turned(told: NDArray[Number], seats: Ints) -> NDArray[Number]:
    """What is told by seat, told from these seats on: (positions, players)."""
    return np.take_along_axis(told, (np.arange(told.shape[1]) + seats[:, None]) % told.shape[1], axis=1)


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
