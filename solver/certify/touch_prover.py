"""Lines of a touch game, Booby Trap, for whole boards: piece by piece, by all leads at once, in whole numbers.

    take[size, feel]  = ((T - t) after[holds] + t after[trips]) / T        t / T: the chance that the bar trips
    V[passes]         = max over sizes of  sum over feels  c max(take, what V[passes + 1] leaves) / C

A state is the pieces left by size, the mover's lead (alone: the trips so far) and the passes in a row. What it leads to
has fewer pieces, or as many and one pass more; so every line is its turn of lines found before, rounded outward. Some
states are held against the game as it is played.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any

import numpy as np

from ..play.touch import Left, TouchPosition
from ..solvers import ValueTable
from ..solvers.touch.problem import TouchMatch
from ..solvers.touch.score_axis import Axis
from ..util.errors import SolveError
from .game_descriptions import State, state_of
from .prover import Lines
from .whole_turn import Crew, Ints

UP = np.array([[0], [1]])  # the lower line is rounded down, the upper one up
COMPARED = 40  # boards that are held against the game as it is played


class BoardProver:
    """The lines of a board, for one player or two."""

    def __init__(self, match: TouchMatch, crew: Crew, progress: Callable[[float], None]) -> None:
        self.match, self.rules, self.progress = match, match.rules, progress
        assert isinstance(match.whole, Axis)
        self.board = match.whole
        odds, self.alone = match.rules.odds, match.players == 1
        wholes = [lcm(*(chance.denominator for chance in row)) for row in odds.chance]
        self.feels = [[int(one * whole) for one in row] for row, whole in zip(odds.chance, wholes, strict=True)]
        trips = [one.denominator for row in odds.trip for one in row]
        self.margin = match.objective == "margin"
        most = int(self.board.places[-1]) if self.margin else 1
        self.bits = 62 - int(most * max(*wholes, *trips)).bit_length()
        self.stake = 0 if self.margin else 1 << self.bits
        self.after = np.zeros((2, *self.board.shape), dtype=np.int64)  # to who has just moved, by their own lead

    def prove(self, solved: ValueTable) -> tuple[Ints, Lines, Any]:
        """What names the states, their lines, and the values that were solved, in the same order."""
        names, ends, values, blocks = list[Any](), list[Any](), list[Any](), list[Ints]()
        boards: list[Any] = list(product(*(range(count + 1) for count in self.board.left)))
        begun, limit, rng = 0, self.rules.limit, random.Random(0)
        compared = {*rng.sample(boards, min(len(boards), COMPARED))}
        for pieces in range(sum(self.board.left) + 1):
            block: list[list[Ints]] = [[] for _ in range(limit + 1)]
            for left in (left for left in boards if sum(left) == pieces):
                if pieces <= self.rules.last:
                    self.after[(slice(None), *left)] = self._end()
                    continue
                here, run = self._run(left)
                low, high = here.start - self.board.origin, here.stop - self.board.origin
                self.after[(slice(None), *left, here)] = self._turned(run[0])
                tabled = solved.arrays["after"][(*left, here)]  # to who has just moved; turns after passes are not
                turns = self.board.along(solved.arrays["after"], left, np.arange(low, high)).run()
                told = np.array([turns[passes][:, 0] for passes in range(limit + 1)])
                told[0] = tabled if self.alone else -tabled[::-1]
                for passes in range(limit + 1):
                    block[passes].append(begun + passes * (high - low) + np.arange(high - low))
                places = np.tile(np.arange(low, high), limit + 1)
                passed = np.repeat(np.arange(limit + 1), high - low)
                sizes = np.broadcast_to(np.array(left), (len(places), 3))
                names.append(np.column_stack([sizes, places, passed]).astype(np.int16))
                ends.append(run.transpose(1, 0, 2).reshape(2, -1))
                values.append((told if self.alone or self.margin else (told + 1) / 2).ravel())
                begun += len(places)
                if left in compared:
                    self._agree(left, rng.randrange(low, high), rng.randrange(limit + 1))
            blocks += [np.concatenate(some) for some in reversed(block) if some]  # passes lead to one more
            self.progress(pieces / sum(self.board.left))
        return np.concatenate(names), Lines(np.hstack(ends), self.bits, tuple(blocks)), np.concatenate(values)

    def _end(self) -> Ints:
        """What the end is worth to who has just moved."""
        places = self.board.places
        if self.margin:
            return places << self.bits
        if self.alone:
            return (places <= self.rules.trips).astype(np.int64) << self.bits
        return np.sign(places) + 1 << self.bits - 1

    def _turned(self, lines: Ints) -> Ints:
        """What lines of the mover leave to the other, by the other's lead: (.., lower and upper, leads)."""
        return lines if self.alone else self.stake - lines[..., ::-1, ::-1]

    def _run(self, left: Left) -> tuple[slice, Ints]:
        """The leads that there can be, as places, and the lines of the states there: (passes, sides, leads)."""
        gone, board = sum(self.board.left) - sum(left), self.board
        reach = min(gone, self.rules.trips) if self.alone else gone * max(*self.rules.points, self.rules.penalty)
        here = slice(board.origin - (0 if self.alone else reach), board.origin + reach + 1)
        takes = {
            size: [self._take(left, size, feel, here) for feel in range(len(self.feels[size]))]
            for size in self._sizes(left)
        }
        runs = [self._touch(takes, None)]
        for _ in range(self.rules.limit):
            runs.insert(0, self._touch(takes, self._turned(runs[0])))
        return here, np.stack(runs)

    def _sizes(self, left: Left) -> list[int]:
        """The sizes that may be touched."""
        there = [size for size in range(3) if left[size]]
        return there[-1:] if self.rules.in_order else there

    def _take(self, left: Left, size: int, feel: int, here: slice) -> Ints:
        """What taking a piece is worth, by sides and leads."""
        (holds, _, shift), (trips, _, lost) = self._falls(size, feel)
        number: Any = (slice(None), *(count - (one == size) for one, count in enumerate(left)))
        fewer = self.after[number]
        kept, gone = (fewer[:, here.start + by : here.stop + by] for by in (shift, lost))
        return np.asarray((holds * kept + trips * gone + UP * (holds + trips - 1)) // (holds + trips))

    def _falls(self, size: int, feel: int) -> tuple[tuple[int, bool, int], tuple[int, bool, int]]:
        """In how many ways a piece holds and trips, and by how much either moves the lead, or the trips."""
        trip: Fraction = self.rules.odds.trip[size][feel]
        holds, trips = (0, 1) if self.alone else (self.rules.points[size], -self.rules.penalty)
        return (trip.denominator - trip.numerator, False, holds), (trip.numerator, True, trips)

    def _touch(self, takes: dict[int, list[Ints]], passed: Ints | None) -> Ints:
        """What touching the best size is worth, where a piece may be left for ``passed``."""
        best: Ints | None = None
        for size, taken in takes.items():
            total, whole = np.zeros_like(taken[0]), sum(self.feels[size])
            for ways, worth in zip(self.feels[size], taken, strict=True):
                total += ways * (worth if passed is None else np.maximum(worth, passed))
            mean = (total + UP * (whole - 1)) // whole
            best = mean if best is None else np.maximum(best, mean)
        assert best is not None
        return best

    # --- both readings

    def _agree(self, left: Left, place: int, passes: int) -> None:
        """Hold a state against the game as it is played."""
        table, scores = self.match.playable, () if self.alone else (place, 0)
        start = TouchPosition(left, scores, place if self.alone else 0, passes=passes)
        compiled = {
            (size, ways, passes < self.rules.limit, way, after)
            for size in self._sizes(left)
            for feel, ways in enumerate(self.feels[size])
            for way, tripped, by in self._falls(size, feel)
            for after in [self._follows(left, size, place + by)]
            if ways and way
        }
        if compiled != set(self._played(start)):
            raise SolveError(f"the board is compiled otherwise than it is played: {table.id(start)}")

    def _follows(self, left: Left, size: int, place: int) -> State | str:
        """The state once a piece is gone, and this place is that of who took it; or that it is over."""
        fewer = tuple(count - (one == size) for one, count in enumerate(left))
        if sum(fewer) <= self.rules.last or (self.alone and place > self.rules.trips):
            return "over"
        return *fewer, place if self.alone else -place, 0

    def _played(self, start: TouchPosition) -> Iterator[tuple[int, int, bool, int, State | str]]:
        """What can follow, as it is played."""
        table = self.match.playable
        for touched in table.choices(start):
            size = touched.after.size
            assert size is not None
            for ways, felt in table.throws(touched.after):
                may = {one.then: one.after for one in table.choices(felt)}
                for way, fallen in table.throws(may["take"]):
                    (end,) = table.choices(fallen)
                    over = table.stage(end.after) == "over"
                    yield size, ways, "pass" in may, way, "over" if over else state_of(table, end.after)
