"""The turn of keeping dice: throw, keep any, throw the rest again; the last throw is entered in some column.

With P[m] the best that the full throw m can be entered for, the turn is solved on the lattice of partial throws:

    E[k] = sum_f chance[f] E[k + f]   what keeping k is worth before the rest is thrown (E[m] = P[m] for a full throw)
    B[m] = max over k within m of E[k], found as max(E[m], B[m - f] for every face f of m)

and B takes the place of P for the throw before. No table of throws by keeps is ever needed: ten dice have 8,008 nodes.

Entering full throw m by an option of column c that leads to row r is worth
``gain[c, m] + after[r, lane + shift[c, m]]``: a lane is one place on an axis of rows of values (an opponent's lead, an
upper total). Reading stops at a row's ends, so the first and last ``LANES`` places of a row must each repeat one value
wherever reading goes past them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.keep import LANES, KeepKernel
from ..util import multiset
from ..util.threads import ThreadPool

Doubles = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Counts = NDArray[np.uint8]


class KeepLattice:
    """All multisets of up to ``dice`` dice with the given face weights, by size, then in the order of ``multisets``.

    ``counts`` (nodes, faces); ``first_full``: where the full throws begin; ``chance`` (faces,) of one die and
    ``weight`` (full throws,) of a throw of all dice.
    """

    def __init__(self, dice: int, weights: Sequence[int]) -> None:
        self.dice, self.faces = dice, len(weights)
        sizes = [multiset.list_multisets(size, self.faces) for size in range(dice + 1)]
        starts = np.cumsum([0] + [len(size) for size in sizes])
        self.counts: Counts = np.concatenate(sizes)
        self.first_full = int(starts[dice])
        self.nodes = len(self.counts)
        total = sum(weights)
        self.chance: Doubles = np.array(weights, dtype=np.float64) / total
        ways = multiset.multiset_weights(sizes[dice], weights)
        self.weight: Doubles = np.array([int(way) / total**dice for way in ways])
        child = []
        for size in range(dice):
            for face in range(self.faces):
                more = sizes[size].copy()
                more[:, face] += 1
                child.append(multiset.multiset_indices(more) + starts[size + 1])
        sized = [np.stack(child[i : i + self.faces], axis=1) for i in range(0, len(child), self.faces)]
        self.child: Ints = np.ascontiguousarray(np.concatenate(sized), dtype=np.int32)
        order = np.argsort(self.child, axis=None, kind="stable")
        ends = np.flatnonzero(np.diff(self.child.ravel()[order])) + 1
        parent = np.split((order // self.faces).astype(np.int32), ends)
        size, parents = self.counts[1:].sum(axis=1), (self.counts[1:] > 0).sum(axis=1)
        rising = np.lexsort((parents, size))  # all but the empty one
        self.rising: Ints = (rising + 1).astype(np.int32)
        self.run_end: Ints = np.append(np.flatnonzero(np.diff(parents[rising])) + 1, len(rising)).astype(np.int32)
        self.run_parents: Ints = parents[rising][self.run_end - 1].astype(np.int32)
        self.parent: Ints = np.concatenate([parent[node] for node in rising])
        self.starts = starts

    @property
    def full_rolls(self) -> Counts:
        """The full throws (full throws, faces)."""
        return self.counts[self.first_full :]

    def node_indices(self, counts: Sequence[Sequence[int]]) -> Longs:
        """Return the nodes of partial or full throws."""
        rows = np.array(counts, dtype=np.uint8)
        nodes: Longs = multiset.multiset_indices(rows) + self.starts[rows.sum(axis=1)]
        return nodes


@dataclass(frozen=True)
class EntryOptions:
    """What a batch of turns may do with a final throw: for each problem its options, in order of preference.

    Shapes: ``start`` (problems + 1,), the others (options,): the column entered, the row of values that it leads to,
    and the full throws ``first`` .. ``last`` - 1 that it is for.
    """

    start: Longs
    column: Ints
    row: Longs
    first: Ints
    last: Ints


@dataclass(frozen=True)
class KeepValue:
    """A solved batch. ``value`` has the shape (blocks, LANES); ``inner``, when asked for, (blocks, throws, nodes,
    LANES): after throw t, what keeping each partial throw is worth, and what each full throw is worth
    as throw t + 1.
    """

    value: Doubles
    inner: Doubles | None


class KeepTurn:
    """A compiled turn of ``throws`` throws.

    Args:
        lattice: the dice.
        throws: number of throws of a turn.
        gain: (columns, full throws) what entering a throw adds at once; -inf where it may not be entered.
        shift: (columns, full throws) places by which entering it moves along the axis.
        hop: (columns, full throws) rows by which entering it moves on from the row that the option names.
    """

    def __init__(self, lattice: KeepLattice, throws: int, gain: Doubles, shift: Ints, hop: Ints | None = None) -> None:
        self.lattice, self.throws = lattice, throws
        self.hop = None if hop is None else np.ascontiguousarray(hop, dtype=np.int32)
        self.gain = np.ascontiguousarray(gain, dtype=np.float64)
        self.shift = np.ascontiguousarray(shift, dtype=np.int32)
        if self.gain.shape != self.shift.shape or self.gain.shape[1:] != (len(lattice.weight),) or throws < 1:
            raise ValueError(f"gains {gain.shape} and shifts {shift.shape} do not fit {len(lattice.weight)} throws")
        self._kernel = KeepKernel(lattice, throws, *self._roll_kinds())

    def _roll_kinds(self) -> tuple[NDArray[np.uint16], Ints, Doubles, Ints, Ints | None]:
        """The throws that a column does not tell apart: (columns, full throws) the kind of each, where the kinds of
        each column begin, and what each of them gains, shifts and hops.
        """
        told: list[NDArray[Any]] = [self.gain, self.shift, *([] if self.hop is None else [self.hop])]
        key = self.gain
        for more in told[1:]:
            key = key * (int(more.max()) - int(more.min()) + 1) + (more - more.min())
        rising = np.sort(key, axis=1)
        each = [row[np.append(True, row[1:] != row[:-1])] for row in rising]
        kind = np.array([np.searchsorted(kinds, row) for kinds, row in zip(each, key, strict=True)], dtype=np.uint16)
        start = np.cumsum([0, *map(len, each)], dtype=np.int32)
        here, one = kind + start[:-1, None], np.empty(start[-1], dtype=np.int64)
        one[here] = np.arange(here.size).reshape(here.shape)  # some throw of each kind
        gain, shift, *hop = (values.ravel()[one] for values in told)
        allowed = self.gain > -np.inf
        if not all(np.array_equal(values.ravel()[one[here]][allowed], values[allowed]) for values in told):
            raise ValueError("gains and shifts are too fine to be told apart")
        return kind, start, gain, shift, hop[0] if hop else None

    @cached_property
    def rounding_bound(self) -> float:
        """Largest relative error of a turn's value through rounding, values between 0 and 1 taken.

        Every node adds at most one rounding for each face's product and sum; a walk passes ``dice`` nodes, and the
        first throw is one sum over all full throws. The chances themselves are rounded once.
        """
        steps = (self.throws - 1) * self.lattice.dice * (self.lattice.faces + 2) + len(self.lattice.weight) + 3
        return steps * 2.0**-53 * 1.01

    def solve(
        self,
        after: Doubles,
        problems: EntryOptions,
        problem: Longs,
        lane: Longs,
        *,
        early: Longs | None = None,
        place: Longs | None = None,
        inner: bool = False,
        pool: ThreadPool | None = None,
        threads: int = 1,
    ) -> KeepValue:
        """Solve one turn for every block of ``LANES`` lanes.

        Args:
            after: (rows, width) values that endings lead to, along the axis.
            problems: the options.
            problem, lane: (blocks,) each block's problem and the place of its first lane on the axis.
            early: (throws - 1, blocks) problems for ending the turn with a throw before the last; nothing: a throw that
                is kept as it lies is entered as the last one.
            place: with hops: the rows of ``after`` that places stand for; an option's ``row`` is a place, and a hop
                moves on among the places (-1: never reached).
            inner: also return the values inside the turn.
            pool, threads: threads that share the blocks.

        Raises:
            ValueError: arrays that do not fit.
        """
        rows, width = after.shape
        blocks = len(problem)
        if width < LANES or len(lane) != blocks:
            raise ValueError(f"values of the shape {after.shape} do not fit {blocks} blocks")
        asked = problem if early is None else np.append(early, problem)
        if early is not None and early.shape != (self.throws - 1, blocks):
            raise ValueError(f"early endings of the shape {early.shape} do not fit {self.throws} throws")
        if blocks and (asked.min() < 0 or asked.max() >= len(problems.start) - 1):
            raise ValueError("a block has no problem")
        places = rows if place is None else len(place) - int(0 if self.hop is None else self.hop.max())
        if (place is None) != (self.hop is None) or (place is not None and place.max() >= rows):
            raise ValueError("places are for turns with hops")
        if len(problems.column) and (
            problems.row.min() < 0
            or problems.row.max() >= places
            or problems.column.min() < 0
            or problems.column.max() >= len(self.gain)
            or problems.first.min() < 0
            or problems.last.max() > len(self.lattice.weight)
            or problems.start[-1] != len(problems.column)
        ):
            raise ValueError("an option leads nowhere")
        value = np.empty((blocks, LANES))
        table = np.empty((blocks, self.throws, self.lattice.nodes, LANES)) if inner else None
        args = (
            np.ascontiguousarray(after),
            problems.start,
            problems.column,
            problems.row,
            place,
            problems.first,
            problems.last,
            problem,
            None if early is None or self.throws == 1 else np.ascontiguousarray(early),
            lane,
            value,
            table,
        )
        if pool is None or threads == 1:
            self._kernel.solve(*args, 0, blocks, 1)
        else:
            work = [pool.submit(self._kernel.solve, *args, first, blocks, threads) for first in range(threads)]
            for future in work:
                future.result()
        return KeepValue(value, table)

    def entry_values(
        self, after: Doubles, problems: EntryOptions, problem: int, lane: int, throws: Longs, place: Longs | None = None
    ) -> Doubles:
        """What full throws are worth that lie to be entered, in one lane: ``after`` (rows, width)."""
        best = np.full(len(throws), -np.inf)
        for option in range(int(problems.start[problem]), int(problems.start[problem + 1])):
            column, row = int(problems.column[option]), problems.row[option]
            if place is not None and self.hop is not None:
                row = place[row + self.hop[column, throws]]
            at = np.clip(lane + self.shift[column, throws], 0, after.shape[1] - LANES)
            mine = (problems.first[option] <= throws) & (throws < problems.last[option])
            best = np.maximum(best, np.where(mine, self.gain[column, throws] + after[row, at], -np.inf))
        return best

    def ending_probabilities(self, solved: KeepValue, block: int, lane: int, tie: float) -> Doubles:
        """Chances of the full throws that end the turn when every keep is the best.

        Of those worth the best less ``tie`` the one that is listed first: the most dice, of these the higher faces.
        """
        assert solved.inner is not None
        chances = np.empty(len(self.lattice.weight))
        self._kernel.flow(solved.inner[block], lane, tie, chances)
        return chances
