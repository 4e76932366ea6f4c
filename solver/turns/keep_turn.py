"""The turn of games in which dice are kept: roll, keep any dice, roll the rest again, and enter the last roll.

Let P[m] be the best value for which the full roll m can be entered. A set of kept dice k is a node of the *keep
lattice*, the multisets of dice ordered by inclusion. The turn is solved on that lattice:

    E[k] = sum over faces f of p_f E[k + f]                the value of k before the other dice are rolled; E[m] = P[m]
    B[m] = max over k within m of E[k] = max( E[m], max over faces f of m of B[m - f] )

For the roll before, B takes the place of P. No table of rolls by kept dice is needed: ten dice have 8,008 nodes.

A full roll m is entered by an *option*, which has a column c and leads to a row r of values. In a lane it is worth

    gain[c, m] + next_values[r, lane + shift[c, m]].

A lane is one place on an axis along which all rows run, such as an opponent's lead or the total of the upper section.
The index is clipped to the row. So the first and the last ``LANES`` entries of a row must each repeat one value
if some index passes that end.
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
    """All multisets of up to ``dice`` dice: the sets of dice that can be kept, ordered by inclusion.

    Nodes are sorted by size, and within a size as in ``list_multisets``. The full rolls are the nodes from
    ``first_full`` on.

    * ``counts`` (nodes, faces): how many dice show each face.
    * ``chance`` (faces,): the probability of each face of one die.
    * ``weight`` (full rolls,): the probability of each roll of all dice.
    * ``child`` (nodes but the full rolls, faces): the node with one die more of each face.
    * ``rising``, ``parent``: all nodes but the empty one in the kernel's order, by size and number of parents; and the
      parents of each, the nodes with one die less.
    * ``run_end``, ``run_parents``: the runs of that order whose nodes have equally many parents, and how many.

    Args:
        dice: number of dice.
        weights: positive whole weights of the faces.
    """

    def __init__(self, dice: int, weights: Sequence[int]) -> None:
        self.dice, self.faces = dice, len(weights)
        multisets = [multiset.list_multisets(size, self.faces) for size in range(dice + 1)]
        self.size_start = np.cumsum([0] + [len(rows) for rows in multisets])
        self.counts: Counts = np.concatenate(multisets)
        self.first_full = int(self.size_start[dice])
        self.node_count = len(self.counts)
        total_weight = sum(weights)
        self.chance: Doubles = np.array(weights, dtype=np.float64) / total_weight
        roll_weights = multiset.multiset_weights(multisets[dice], weights)
        self.weight: Doubles = np.array([int(weight) / total_weight**dice for weight in roll_weights])
        self.child: Ints = self._children(multisets)
        self.rising, self.run_end, self.run_parents, self.parent = self._parents()

    def _children(self, multisets: Sequence[Counts]) -> Ints:
        """Return the nodes with one die more of each face."""
        by_size = []
        for size, counts in enumerate(multisets[:-1]):
            columns = []
            for face in range(self.faces):
                child_counts = counts.copy()
                child_counts[:, face] += 1
                columns.append(multiset.multiset_indices(child_counts) + self.size_start[size + 1])
            by_size.append(np.stack(columns, axis=1))
        return np.ascontiguousarray(np.concatenate(by_size), dtype=np.int32)

    def _parents(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Return ``rising``, ``run_end``, ``run_parents`` and ``parent``."""
        edge_order = np.argsort(self.child, axis=None, kind="stable")
        node_ends = np.flatnonzero(np.diff(self.child.ravel()[edge_order])) + 1
        parents = np.split((edge_order // self.faces).astype(np.int32), node_ends)
        size, parent_count = self.counts[1:].sum(axis=1), (self.counts[1:] > 0).sum(axis=1)
        order = np.lexsort((parent_count, size))  # all nodes but the empty one
        run_end = np.append(np.flatnonzero(np.diff(parent_count[order])) + 1, len(order)).astype(np.int32)
        run_parents = parent_count[order][run_end - 1].astype(np.int32)
        return (order + 1).astype(np.int32), run_end, run_parents, np.concatenate([parents[node] for node in order])

    @property
    def full_rolls(self) -> Counts:
        """The full rolls (full rolls, faces)."""
        return self.counts[self.first_full :]

    def node_indices(self, counts: Sequence[Sequence[int]]) -> Longs:
        """Return the nodes of sets of dice, given as counts by face."""
        rows = np.array(counts, dtype=np.uint8)
        nodes: Longs = multiset.multiset_indices(rows) + self.size_start[rows.sum(axis=1)]
        return nodes


@dataclass(frozen=True)
class EntryOptions:
    """The options of entering a final roll, in sets: each turn of a batch has one set, in order of preference.

    ``option_start`` (sets + 1,) says where the options of each set begin. All other arrays have one entry per option:
    the column entered, the row of values that it leads to, and the full rolls that it is for, which are
    ``first_roll`` .. ``end_roll`` - 1.
    """

    option_start: Longs
    column: Ints
    row: Longs
    first_roll: Ints
    end_roll: Ints


@dataclass(frozen=True)
class KeepValue:
    """A solved batch of turns.

    * ``value`` (blocks, LANES): the value of each turn at its start.
    * ``inner`` (blocks, rolls, nodes, LANES), if requested: at index t, the value of each set of dice that is kept from
      roll t, and of each full roll as roll t + 1.
    """

    value: Doubles
    inner: Doubles | None


class KeepTurn:
    """A compiled turn of keeping dice, which is solved for batches of turns at once.

    Args:
        lattice: the dice.
        roll_count: number of rolls in a turn.
        gain: (columns, full rolls) value that entering a roll adds at once; -inf if it may not be entered.
        shift: (columns, full rolls) places by which entering a roll moves along the axis.
        hop: (columns, full rolls) places by which entering a roll moves on from the option's row.
    """

    def __init__(
        self, lattice: KeepLattice, roll_count: int, gain: Doubles, shift: Ints, hop: Ints | None = None
    ) -> None:
        self.lattice, self.roll_count = lattice, roll_count
        self.hop = None if hop is None else np.ascontiguousarray(hop, dtype=np.int32)
        self.gain = np.ascontiguousarray(gain, dtype=np.float64)
        self.shift = np.ascontiguousarray(shift, dtype=np.int32)
        if self.gain.shape != self.shift.shape or self.gain.shape[1:] != (len(lattice.weight),) or roll_count < 1:
            raise ValueError(f"gains {gain.shape} and shifts {shift.shape} do not fit {len(lattice.weight)} throws")
        self._kernel = KeepKernel(lattice, roll_count, *self._roll_kinds())

    def _roll_kinds(self) -> tuple[NDArray[np.uint16], Ints, Doubles, Ints, Ints | None]:
        """Group the rolls that a column treats alike into kinds, so that the kernel evaluates each kind once.

        Returns:
            The kind of each roll (columns, full rolls), where the kinds of each column begin (columns + 1,), and the
            gain, shift and hop of each kind.

        Raises:
            ValueError: rolls with different gains, shifts or hops would be of one kind.
        """
        attributes: list[NDArray[Any]] = [self.gain, self.shift, *([] if self.hop is None else [self.hop])]
        key = self.gain
        for moves in attributes[1:]:  # rolls of one kind have one key
            key = key * (int(moves.max()) - int(moves.min()) + 1) + (moves - moves.min())
        sorted_keys = np.sort(key, axis=1)
        distinct_keys = [row[np.append(True, row[1:] != row[:-1])] for row in sorted_keys]
        kind = np.array(
            [np.searchsorted(keys, row) for keys, row in zip(distinct_keys, key, strict=True)], dtype=np.uint16
        )
        kind_start = np.cumsum([0, *map(len, distinct_keys)], dtype=np.int32)
        kind_index, example = kind + kind_start[:-1, None], np.empty(kind_start[-1], dtype=np.int64)
        example[kind_index] = np.arange(kind_index.size).reshape(kind_index.shape)  # some roll of each kind
        gain, shift, *hop = (values.ravel()[example] for values in attributes)
        allowed = self.gain > -np.inf
        if not all(
            np.array_equal(values.ravel()[example[kind_index]][allowed], values[allowed]) for values in attributes
        ):
            raise ValueError("gains and shifts are too fine to be told apart")
        return kind, kind_start, gain, shift, hop[0] if hop else None

    @cached_property
    def rounding_bound(self) -> float:
        """The largest relative rounding error of a turn's value, for values between 0 and 1.

        Every node adds at most one rounding for the product and the sum of each face. A walk passes ``dice`` nodes, and
        the first roll is one sum over all full rolls. The probabilities themselves are rounded once.
        """
        steps = (self.roll_count - 1) * self.lattice.dice * (self.lattice.faces + 2) + len(self.lattice.weight) + 3
        return steps * 2.0**-53 * 1.01

    def solve(
        self,
        next_values: Doubles,
        options: EntryOptions,
        option_set: Longs,
        first_lane: Longs,
        *,
        early_option_sets: Longs | None = None,
        row_of_place: Longs | None = None,
        inner: bool = False,
        pool: ThreadPool | None = None,
        threads: int = 1,
    ) -> KeepValue:
        """Solve one turn for every block of ``LANES`` lanes.

        Args:
            next_values: (rows, width) values that endings lead to, along the axis.
            options: the sets of options.
            option_set: (blocks,) the options of each block, as the index of a set.
            first_lane: (blocks,) the place of each block's first lane on the axis.
            early_option_sets: (rolls - 1, blocks) option sets for ending the turn with a roll before the last. If None,
                an earlier roll can only be kept as it is and entered as the last one.
            row_of_place: the row of ``next_values`` for each place, for turns with hops; -1 if it is never reached.
                The ``row`` of an option is then a place, and a hop moves on from there.
            inner: also return the values inside the turn.
            pool: threads that share the blocks.
            threads: how many of them.

        Raises:
            ValueError: arrays that do not fit each other.
        """
        self._validate_batch(next_values, option_set, first_lane, early_option_sets)
        self._validate_options(
            next_values,
            options,
            option_set if early_option_sets is None else np.append(early_option_sets, option_set),
            row_of_place,
        )
        blocks = len(option_set)
        value = np.empty((blocks, LANES))
        inner_values = np.empty((blocks, self.roll_count, self.lattice.node_count, LANES)) if inner else None
        args = (
            np.ascontiguousarray(next_values),
            options.option_start,
            options.column,
            options.row,
            row_of_place,
            options.first_roll,
            options.end_roll,
            option_set,
            None if early_option_sets is None or self.roll_count == 1 else np.ascontiguousarray(early_option_sets),
            first_lane,
            value,
            inner_values,
        )
        if pool is None or threads == 1:
            self._kernel.solve(*args, 0, blocks, 1)
        else:
            futures = [pool.submit(self._kernel.solve, *args, first, blocks, threads) for first in range(threads)]
            for future in futures:
                future.result()
        return KeepValue(value, inner_values)

    def _validate_batch(self, next_values: Doubles, option_set: Longs, first_lane: Longs, early: Longs | None) -> None:
        blocks = len(option_set)
        if next_values.shape[1] < LANES or len(first_lane) != blocks:
            raise ValueError(f"values of the shape {next_values.shape} do not fit {blocks} blocks")
        if early is not None and early.shape != (self.roll_count - 1, blocks):
            raise ValueError(f"early endings of the shape {early.shape} do not fit {self.roll_count} throws")

    def _validate_options(self, next_values: Doubles, options: EntryOptions, sets: Longs, place: Longs | None) -> None:
        if len(sets) and (sets.min() < 0 or sets.max() >= len(options.option_start) - 1):
            raise ValueError("a block has no problem")
        rows = len(next_values)
        if (place is None) != (self.hop is None) or (place is not None and place.max() >= rows):
            raise ValueError("places are for turns with hops")
        row_limit = rows if place is None else len(place) - int(0 if self.hop is None else self.hop.max())
        if len(options.column) and (
            options.row.min() < 0
            or options.row.max() >= row_limit
            or options.column.min() < 0
            or options.column.max() >= len(self.gain)
            or options.first_roll.min() < 0
            or options.end_roll.max() > len(self.lattice.weight)
            or options.option_start[-1] != len(options.column)
        ):
            raise ValueError("an option leads nowhere")

    def entry_values(
        self,
        next_values: Doubles,
        options: EntryOptions,
        option_set: int,
        lane: int,
        rolls: Longs,
        row_of_place: Longs | None = None,
    ) -> Doubles:
        """Return the best values of entering full rolls, in one lane.

        Args:
            next_values: (rows, width) values that endings lead to, as in ``solve``.
            options: the sets of options.
            option_set: the index of the set to choose from.
            lane: the place on the axis.
            rolls: full rolls, numbered from 0.
            row_of_place: the row of each place, as in ``solve``.

        Returns:
            One value per roll; -inf if no option allows it.
        """
        best = np.full(len(rolls), -np.inf)
        for option in range(int(options.option_start[option_set]), int(options.option_start[option_set + 1])):
            column, row = int(options.column[option]), options.row[option]
            if row_of_place is not None and self.hop is not None:
                row = row_of_place[row + self.hop[column, rolls]]
            index = np.clip(lane + self.shift[column, rolls], 0, next_values.shape[1] - LANES)
            is_allowed = (options.first_roll[option] <= rolls) & (rolls < options.end_roll[option])
            best = np.maximum(best, np.where(is_allowed, self.gain[column, rolls] + next_values[row, index], -np.inf))
        return best

    def ending_probabilities(self, solved: KeepValue, block: int, lane: int, tie: float) -> Doubles:
        """Return the probability of each full roll at the end of an optimally played turn.

        Of the sets to keep that are at most ``tie`` worse than the best, the first one listed is kept: that with the
        most dice, and of these the one with the higher faces.
        """
        assert solved.inner is not None
        probabilities = np.empty(len(self.lattice.weight))
        self._kernel.flow(solved.inner[block], lane, tie, probabilities)
        return probabilities
