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
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core.keep import LANES, KeepKernel
from ..util import multiset
from ..util.threads import ThreadPool

Doubles = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Counts = NDArray[np.uint8]
Number = TypeVar("Number", bound=np.generic)

UNIT_ROUNDOFF = 2.0**-53
ROUNDING_MARGIN = 1.01  # covers products of rounding errors, which a sum of them leaves out


class _ParentOrder(NamedTuple):
    """The nodes of a keep lattice in the kernel's order, with their parents: the nodes with one die less.

    Attributes:
        rising: (nodes - 1,) all nodes but the empty one, by size and then by number of parents.
        run_end: (runs,) where each run ends in ``rising``. The nodes of a run have equally many parents.
        run_parents: (runs,) how many parents each node of a run has.
        parent: the parents of the nodes of ``rising``, one node after another.
    """

    rising: Ints
    run_end: Ints
    run_parents: Ints
    parent: Ints


class _RollKinds(NamedTuple):
    """Kinds of full rolls, in each column: the rolls of one kind have the same gain, shift and hop.

    Attributes:
        kind: (columns, full rolls), the kind of each roll, numbered from 0 within its column.
        kind_start: (columns + 1,), where the kinds of each column begin in the three arrays by kind.
        gain: (kinds of all columns,), what entering a roll of the kind adds; -inf if it may not be entered.
        shift: (kinds of all columns,), by how many entries of the axis it moves.
        hop: (kinds of all columns,), by how many places it moves on to another row; None for turns without hops.
    """

    kind: NDArray[np.uint16]
    kind_start: Ints
    gain: Doubles
    shift: Ints
    hop: Ints | None


class KeepLattice:
    """All multisets of up to ``dice`` dice, as nodes: the sets of dice that can be kept, ordered by inclusion.

    Nodes are sorted by size, and within a size as in ``list_multisets``. The full rolls are the nodes from
    ``first_full`` on. The *parents* of a node are the nodes with one die less.

    * ``node_count``, ``faces``: the numbers of nodes, and of faces of a die.
    * ``size_start`` (dice + 2,): where the nodes of each size begin, and the number of all nodes.
    * ``counts`` (nodes, faces): how many dice show each face.
    * ``chance`` (faces,): the probability of each face of one die.
    * ``weight`` (full rolls,): the probability of each roll of all dice.
    * ``child`` (nodes but the full rolls, faces): the node with one die more of each face.
    * ``rising``: all nodes but the empty one in the kernel's order, by size and number of parents.
    * ``parent``: the parents of each of these nodes, one node after another.
    * ``run_end``, ``run_parents``: the runs of that order whose nodes have equally many parents, and how many.
    """

    def __init__(self, dice: int, weights: Sequence[int]) -> None:
        """List the nodes, which are sets of dice that can be kept, and the nodes with one die more or less.

        Args:
            dice: number of dice.
            weights: by face, a positive whole number. The probability of a face is its weight divided by their sum.
        """
        self.dice = dice
        self.faces = len(weights)
        # By number of dice from 0 on, all sets of so many dice as counts of each face: (sets, faces).
        multisets = [multiset.list_multisets(size, self.faces) for size in range(dice + 1)]
        self.size_start = np.cumsum([0] + [len(sets) for sets in multisets])  # the first node of each size
        self.counts: Counts = np.concatenate(multisets)  # (nodes, faces)
        self.first_full = int(self.size_start[dice])
        self.node_count = len(self.counts)
        total_weight = sum(weights)
        self.chance: Doubles = np.array(weights, dtype=np.float64) / total_weight
        roll_weights = multiset.multiset_weights(multisets[dice], weights)
        self.weight: Doubles = np.array([int(weight) / total_weight**dice for weight in roll_weights])
        self.child: Ints = self._children(multisets)
        self.rising, self.run_end, self.run_parents, self.parent = self._order_by_parents()

    def _children(self, multisets: Sequence[Counts]) -> Ints:
        """Return the nodes with one die more of each face, for all nodes but the full rolls: (nodes, faces).

        Nodes are numbered by size, and within a size as ``multiset_indices`` numbers the multisets of that size.

        Args:
            multisets: for each number of dice from 0 on, its nodes as counts of each face: (nodes of that size, faces).
        """
        children_by_size = []
        for size, counts in enumerate(multisets[:-1]):
            children_by_face = []  # (nodes of this size,) each
            for face in range(self.faces):
                child_counts = counts.copy()
                child_counts[:, face] += 1
                children_by_face.append(multiset.multiset_indices(child_counts) + self.size_start[size + 1])
            children_by_size.append(np.stack(children_by_face, axis=1))  # (nodes of this size, faces)
        return np.ascontiguousarray(np.concatenate(children_by_size), dtype=np.int32)

    def _order_by_parents(self) -> _ParentOrder:
        """Sort all nodes but the empty one by size, and within a size by their number of parents.

        A parent of a node has one die less. Neighbors in this order with equally many parents are a run. The kernel
        solves a run in one loop, because the number of parents is then constant. A node is solved after its parents,
        since these are smaller.
        """
        # ``child`` (nodes, faces) has an entry for each edge from a node to a node with one die more. Sorted by child,
        # the edges of each child stand together. Every node but the empty one is a child.
        edge_order = np.argsort(self.child, axis=None, kind="stable")
        child_of_edge = self.child.ravel()[edge_order]
        parent_of_edge = (edge_order // self.faces).astype(np.int32)  # the flat index of an edge is node * faces + face
        first_edge_of_next_child = np.flatnonzero(np.diff(child_of_edge)) + 1
        parents_by_node = np.split(parent_of_edge, first_edge_of_next_child)  # entry i is for node i + 1
        # A node has one parent for each face that it shows. ``counts`` (nodes, faces) is how often it shows each. The
        # arrays below leave out the empty node, number 0, so their entry i is for node i + 1.
        size = self.counts[1:].sum(axis=1)
        parent_count = (self.counts[1:] > 0).sum(axis=1)
        order = np.lexsort((parent_count, size))  # by size, then by number of parents: the last key counts first
        ordered_parent_count = parent_count[order]
        first_of_next_run = np.flatnonzero(np.diff(ordered_parent_count)) + 1  # where the number of parents changes
        run_end = np.append(first_of_next_run, len(order)).astype(np.int32)
        return _ParentOrder(
            rising=(order + 1).astype(np.int32),
            run_end=run_end,
            run_parents=ordered_parent_count[run_end - 1].astype(np.int32),
            parent=np.concatenate([parents_by_node[index] for index in order]),
        )

    @property
    def full_rolls(self) -> Counts:
        """The full rolls as how many dice show each face: (full rolls, faces)."""
        return self.counts[self.first_full :]

    def node_indices(self, counts: Sequence[Sequence[int]]) -> Longs:
        """Return the numbers of the nodes that are some sets of dice.

        Args:
            counts: (sets, faces) how many dice of each set show each face.
        """
        counts_of_sets = np.array(counts, dtype=np.uint8)
        sizes = counts_of_sets.sum(axis=1)
        nodes: Longs = multiset.multiset_indices(counts_of_sets) + self.size_start[sizes]
        return nodes


@dataclass(frozen=True)
class EntryOptions:
    """The options of entering a full roll, in sets: each turn has one set, in order of preference.

    * ``option_start`` (sets + 1,): where the options of each set begin in the other arrays, which are by option.
    * ``column``: the column that the roll is entered in, such as a box of a scorecard.
    * ``row``: the row of values that this leads to.
    * ``first_roll``, ``end_roll``: the option is for the full rolls number ``first_roll`` to ``end_roll`` - 1.
    """

    option_start: Longs
    column: Ints
    row: Longs
    first_roll: Ints
    end_roll: Ints


@dataclass(frozen=True)
class KeepValue:
    """A solved batch of turns.

    * ``value`` (blocks, LANES): the value of each turn at its start. A block is LANES turns that are solved together.
    * ``inner`` (blocks, rolls, nodes, LANES): values inside the turn; None if not requested. At index t of the second
      axis a full roll has its value as the result of roll t + 1, where rolls count from 1. For t > 0 a set of kept dice
      has its value after roll t, before the other dice are rolled; at index 0 only the full rolls have a meaning.
    """

    value: Doubles
    inner: Doubles | None


class KeepTurn:
    """A compiled turn of keeping dice: roll, keep any dice, roll the rest again, and enter the last roll.

    One call solves it for many lanes: turns that differ in their options and in the values that these lead to. A
    *column* is a way to enter a full roll, such as a box of a scorecard. The value after the turn is read from a row of
    values along an axis, such as an opponent's lead. A *kind* is all full rolls of a column that have the same gain,
    shift and hop, and so the same worth.

    Attributes:
        lattice: the dice, and all sets of them that can be kept.
        roll_count: the number of rolls.
        gain: (columns, full rolls) value that entering a roll adds at once; -inf if it may not be entered.
        shift: (columns, full rolls) by how many entries of the axis entering a roll moves.
        hop: (columns, full rolls) by how many places entering a roll moves on from the place of its option. A place
            names a row of values. None if an option alone decides the row.
    """

    def __init__(
        self, lattice: KeepLattice, roll_count: int, gain: Doubles, shift: Ints, hop: Ints | None = None
    ) -> None:
        """Compile a turn.

        Args:
            lattice: the dice.
            roll_count: number of rolls in a turn.
            gain: (columns, full rolls) see ``KeepTurn``.
            shift: (columns, full rolls) see ``KeepTurn``.
            hop: (columns, full rolls) see ``KeepTurn``; None if an option alone decides the row.

        Raises:
            ValueError: the arrays do not fit the dice, or have too many different entries to be told apart.
        """
        self.lattice = lattice
        self.roll_count = roll_count
        self.gain = np.ascontiguousarray(gain, dtype=np.float64)
        self.shift = np.ascontiguousarray(shift, dtype=np.int32)
        self.hop = None if hop is None else np.ascontiguousarray(hop, dtype=np.int32)
        full_roll_count = len(lattice.weight)
        if self.gain.shape != self.shift.shape or self.gain.shape[1:] != (full_roll_count,) or roll_count < 1:
            raise ValueError(f"gains {gain.shape} and shifts {shift.shape} do not match {full_roll_count} rolls")
        kinds = self._roll_kinds()
        self._kernel = KeepKernel(lattice, roll_count, kinds.kind, kinds.kind_start, kinds.gain, kinds.shift, kinds.hop)

    def _roll_keys(self) -> Doubles:
        """Return a number for each column and full roll that combines its gain, shift and hop: (columns, full rolls).

        Gain is what entering the roll adds; shift and hop say where it leads. Rolls with different gains, shifts or
        hops have different keys if the gains are whole numbers. Otherwise, or by rounding, some could have the same
        key; the caller checks that none do.
        """
        # As in a number with mixed bases, the gain is the leading part, and shift and hop are digits appended to it.
        appended = [self.shift] if self.hop is None else [self.shift, self.hop]  # (columns, full rolls) each
        keys = self.gain
        for numbers in appended:
            smallest = numbers.min()
            base = int(numbers.max()) - int(smallest) + 1
            digits = numbers - smallest  # 0, ..., base - 1
            keys = keys * base + digits
        return keys

    def _roll_kinds(self) -> _RollKinds:
        """Group the full rolls of each column into kinds with equal gain, shift and hop.

        The kernel evaluates an option once for each kind, as all rolls of a kind are worth the same.

        Raises:
            ValueError: rolls with different gains, shifts or hops would be of one kind.
        """
        kinds_by_column = []  # (full rolls,) each, numbered within the column
        kind_counts = []
        for keys_of_column in self._roll_keys():  # rolls with equal gain, shift and hop have equal keys
            distinct_keys = _sorted_distinct(keys_of_column)
            kinds_by_column.append(np.searchsorted(distinct_keys, keys_of_column))
            kind_counts.append(len(distinct_keys))
        kind = np.array(kinds_by_column, dtype=np.uint16)  # (columns, full rolls)
        kind_start = np.cumsum([0, *kind_counts], dtype=np.int32)  # the first kind of each column, and their number
        kind_index = kind + kind_start[:-1, None]  # (columns, full rolls), numbered over all columns
        kind_count = int(kind_start[-1])
        return _RollKinds(
            kind=kind,
            kind_start=kind_start,
            gain=self._by_kind(self.gain, kind_index, kind_count),
            shift=self._by_kind(self.shift, kind_index, kind_count),
            hop=None if self.hop is None else self._by_kind(self.hop, kind_index, kind_count),
        )

    def _by_kind(self, values: NDArray[Number], kind_index: Ints, kind_count: int) -> NDArray[Number]:
        """Return, by kind, the value that all rolls of the kind have: (kinds of all columns,).

        Rolls are sorted into kinds by a *key*: one floating-point number made of gain, shift and hop (``_roll_keys``).
        Fractions or rounding could give different rolls the same key, so the values of each kind are compared.

        Args:
            values: (columns, full rolls) the gains, shifts or hops.
            kind_index: (columns, full rolls) the kind of each roll, numbered over all columns.
            kind_count: the number of kinds of all columns.

        Raises:
            ValueError: rolls of one kind have different values.
        """
        by_kind = np.empty(kind_count, dtype=values.dtype)
        by_kind[kind_index] = values  # the last roll of a kind counts; the others are checked below
        # The rolls of a column that may not be entered are of one kind, and their shifts and hops do not matter.
        is_allowed = self.gain > -np.inf
        if not np.array_equal(by_kind[kind_index][is_allowed], values[is_allowed]):
            raise ValueError("gains and shifts of some rolls differ too little")
        return by_kind

    @cached_property
    def rounding_bound(self) -> float:
        """The largest rounding error of a turn's value, divided by the largest value of any of its endings.

        It counts the roundings that a value passes through. The kernel rolls dice one by one: the value of kept dice, a
        node, is the average over the faces of the next die. That is one rounding for each face in the sum, one for the
        product and one for the probability. Each roll but the first rolls at most ``dice`` dice. The first roll is one
        sum over all full rolls, with three more roundings.
        """
        roundings_per_node = self.lattice.faces + 2
        roundings_of_later_rolls = (self.roll_count - 1) * self.lattice.dice * roundings_per_node
        roundings_of_first_roll = len(self.lattice.weight) + 3
        return (roundings_of_later_rolls + roundings_of_first_roll) * UNIT_ROUNDOFF * ROUNDING_MARGIN

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
        """Solve blocks of turns. The turns of a block are ``LANES`` neighbouring entries of an axis.

        Args:
            next_values: (rows, width) values after the turn. A row is for one state, and its entries run along the axis
                of what a score shifts, such as the lead over an opponent.
            options: the sets of options of entering a full roll.
            option_set: (blocks,) the options of each block, as the index of a set.
            first_lane: (blocks,) the entry of the axis that is each block's first lane.
            early_option_sets: (rolls - 1, blocks) the index of a set, for entering a roll before the last in another
                way than the last. If None, an earlier roll can only be kept as it is and entered as the last one.
            row_of_place: (places,) the row of ``next_values`` that each place names, or -1 if it is never reached. Only
                for turns with hops: there the ``row`` of an option is a place, and a roll hops on from it.
            inner: also return the values inside the turn.
            pool: threads that share the blocks; None to use the calling thread only.
            threads: how many of them.

        Raises:
            ValueError: arrays that do not fit each other.
        """
        self._validate_batch(next_values, option_set, first_lane, early_option_sets)
        all_option_sets = option_set if early_option_sets is None else np.append(early_option_sets, option_set)
        self._validate_options(next_values, options, all_option_sets, row_of_place)
        block_count = len(option_set)
        value = np.empty((block_count, LANES))
        inner_values = None
        if inner:
            inner_values = np.empty((block_count, self.roll_count, self.lattice.node_count, LANES))
        has_early_endings = early_option_sets is not None and self.roll_count > 1
        solve_blocks = partial(
            self._kernel.solve,
            np.ascontiguousarray(next_values),
            options.option_start,
            options.column,
            options.row,
            row_of_place,
            options.first_roll,
            options.end_roll,
            option_set,
            np.ascontiguousarray(early_option_sets) if has_early_endings else None,
            first_lane,
            value,  # written, as are the inner values
            inner_values,
        )
        if pool is None or threads == 1:
            first_block, block_step = 0, 1
            solve_blocks(first_block, block_count, block_step)
        else:  # of n threads, thread k solves the blocks k, k + n, k + 2 n, ...
            futures = [pool.submit(solve_blocks, first_block, block_count, threads) for first_block in range(threads)]
            for future in futures:
                future.result()  # waits, and raises what the thread raised
        return KeepValue(value, inner_values)

    def _validate_batch(
        self, next_values: Doubles, option_set: Longs, first_lane: Longs, early_option_sets: Longs | None
    ) -> None:
        """Raise ValueError unless the arrays of ``solve`` are for the same number of blocks and rolls.

        Args:
            next_values: (rows, width) values after the turn.
            option_set: (blocks,) the options of each block, as the index of a set.
            first_lane: (blocks,) the entry of a row that is each block's first lane.
            early_option_sets: (rolls - 1, blocks) the options of entering each roll before the last, or None.
        """
        blocks = len(option_set)
        # Each block reads LANES neighbouring values of a row, so rows cannot be shorter.
        if next_values.shape[1] < LANES or len(first_lane) != blocks:
            raise ValueError(f"values of shape {next_values.shape} do not match {blocks} blocks")
        if early_option_sets is not None and early_option_sets.shape != (self.roll_count - 1, blocks):
            raise ValueError(f"early endings of shape {early_option_sets.shape} do not match {self.roll_count} rolls")

    def _validate_options(
        self, next_values: Doubles, options: EntryOptions, option_sets: Longs, row_of_place: Longs | None
    ) -> None:
        """Raise ValueError unless all indices in the options of a batch of turns are within their arrays.

        Args:
            next_values: (rows, width) values after the turn.
            options: the sets of options of entering a full roll.
            option_sets: indices of the sets in use, those for rolls before the last included.
            row_of_place: (places,) the row that each place names, for turns with hops; None for other turns.
        """
        set_count = len(options.option_start) - 1
        if len(option_sets) and not _are_indices(option_sets, set_count):
            raise ValueError("a block has an option set that does not exist")
        row_count = len(next_values)
        if self.hop is None:
            if row_of_place is not None:
                raise ValueError("row_of_place requires turns with hops")
            row_limit = row_count
        else:
            if row_of_place is None or row_of_place.max() >= row_count:
                raise ValueError("turns with hops require row_of_place, with rows that exist")
            # The ``row`` of an option is then a place, and a hop from it must not leave the array.
            row_limit = len(row_of_place) - int(self.hop.max())
        if not len(options.column):
            return
        are_valid = (
            _are_indices(options.row, row_limit)
            and _are_indices(options.column, len(self.gain))
            and options.first_roll.min() >= 0
            and options.end_roll.max() <= len(self.lattice.weight)
            and options.option_start[-1] == len(options.column)
        )
        if not are_valid:
            raise ValueError("an option leads to a row, column or roll that does not exist")

    def entry_values(
        self,
        next_values: Doubles,
        options: EntryOptions,
        option_set: int,
        lane: int,
        rolls: Longs,
        row_of_place: Longs | None = None,
    ) -> Doubles:
        """Return the value of entering each of some full rolls in the best way, in one lane.

        Args:
            next_values: (rows, width) values after the turn. A row is for one state, and the second axis for what a
                score shifts, such as the lead.
            options: the sets of options. An option is a column that some full rolls may be entered in, and the row that
                this leads to.
            option_set: the index of the set to choose from.
            lane: the entry of the second axis that the turn is at before its score shifts it.
            rolls: (rolls,) numbers of full rolls.
            row_of_place: (places,) the row that each place names, for turns with hops: the ``row`` of an option is then
                a place, and a roll hops from there to another place.

        Returns:
            One value per roll; -inf if no option allows it.
        """
        best = np.full(len(rolls), -np.inf)
        # Indices are clipped as in the kernel, which reads LANES values from an index on. So a row ends with LANES
        # equal values.
        last_index = next_values.shape[1] - LANES
        first_option = int(options.option_start[option_set])
        first_of_next_set = int(options.option_start[option_set + 1])
        for option in range(first_option, first_of_next_set):
            column = int(options.column[option])
            row = options.row[option]
            if row_of_place is not None and self.hop is not None:
                place = row + self.hop[column, rolls]
                row = row_of_place[place]
            index = np.clip(lane + self.shift[column, rolls], 0, last_index)
            entered = self.gain[column, rolls] + next_values[row, index]
            # The option is for the full rolls first_roll, ..., end_roll - 1.
            is_allowed = (options.first_roll[option] <= rolls) & (rolls < options.end_roll[option])
            best = np.maximum(best, np.where(is_allowed, entered, -np.inf))
        return best

    def ending_probabilities(self, solved: KeepValue, block: int, lane: int, tie: float) -> Doubles:
        """Return the probability of each full roll at the end of an optimally played turn: (full rolls,).

        Sets of dice to keep that are at most ``tie`` worse than the best count as equally good. Of these the set with
        the most dice is kept, and of several with so many dice the one with the higher faces.

        Args:
            solved: solved turns with inner values.
            block: the index of the block that the turn is in.
            lane: the lane of the turn within its block, from 0 on.
            tie: a difference of values.
        """
        assert solved.inner is not None
        probabilities = np.empty(len(self.lattice.weight))
        self._kernel.flow(solved.inner[block], lane, tie, probabilities)
        return probabilities


def _sorted_distinct(numbers: Doubles) -> Doubles:
    """Return the different numbers of an array, ascending."""
    ascending = np.sort(numbers)
    is_first = np.append(True, ascending[1:] != ascending[:-1])
    distinct: Doubles = ascending[is_first]
    return distinct


def _are_indices(numbers: NDArray[Any], length: int) -> bool:
    """Return whether all numbers are indices of an array of some length: between 0 and ``length`` - 1."""
    return bool(numbers.min() >= 0 and numbers.max() < length)
