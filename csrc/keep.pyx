# cython: language_level=3, boundscheck=False, wraparound=False
"""One turn of keeping dice, solved for many lanes at once: the interface to ``keep_kernel.c``.

A turn rolls all dice, keeps any of them and rolls the others again, a fixed number of times. The last roll is entered with
one of the options of an option set. ``keep_kernel.h`` has the equations on the keep lattice, the multisets of dice ordered by
inclusion, and the shapes of all arrays. ``keepwise.turns.keep_turn`` checks all arguments.
"""

from libc.stdint cimport int32_t, int64_t, uint16_t

import numpy as np

include "arrays.pxi"

cdef extern from "lanes.h":
    int KW_LANES

cdef extern from "keep_kernel.h":
    ctypedef struct kw_keep_turn:
        int32_t nodes
        int32_t first_full
        int32_t faces
        int32_t rolls
        const int32_t *child
        int32_t runs
        const int32_t *rising
        const int32_t *run_end
        const int32_t *run_parents
        const int32_t *parent
        const double *chance
        const double *weight
        const uint16_t *kind
        const int32_t *kind_start
        int32_t max_kinds
        const double *gain
        const int32_t *shift
        const int32_t *hop

    ctypedef struct kw_keep_job:
        int64_t width
        const double *after
        const int64_t *option_start
        const int32_t *column
        const int64_t *row
        const int64_t *row_of_place
        const int32_t *from_ "from"
        const int32_t *to
        const int64_t *problem
        const int64_t *early
        int64_t blocks
        const int64_t *lane
        double *value
        double *inner

    int64_t kw_keep_scratch(const kw_keep_turn *turn) nogil
    void kw_keep_solve(
        const kw_keep_turn *turn, const kw_keep_job *job, int64_t first, int64_t last, int64_t step, double *scratch
    ) nogil
    void kw_keep_flow(
        const kw_keep_turn *turn, const double *inner, int32_t lane, double tie, double *chances, double *scratch
    ) nogil

LANES = KW_LANES  # lanes in a block


cdef const uint16_t *shorts(const uint16_t[::1] array) except NULL:
    return &array[0]


cdef class KeepKernel:
    """A turn of keeping dice, ready to solve. The kernel keeps references to all arrays, not copies.

    A column is a way to enter a full roll. It distinguishes few kinds of rolls, and all rolls of a kind have one gain, one
    shift and one hop there. The arrays by kind list the kinds of all columns, column by column.

    Args:
        lattice: the ``KeepLattice`` of the dice.
        rolls: the number of rolls of a turn.
        kind: (columns, full rolls) the kind of each roll, counted from 0 in its column.
        kind_start: (columns + 1,) the first kind of each column.
        gain: (kinds,) the value that entering a roll adds; -inf if it may not be entered.
        shift: (kinds,) the places by which entering a roll moves along the axis of lanes.
        hop: (kinds,) by how many places it moves on from the place that an option names; None if options name rows.
    """

    cdef kw_keep_turn turn
    cdef object references

    def __init__(self, lattice, int rolls, kind, kind_start, gain, shift, hop):
        self.references = lattice, kind, kind_start, gain, shift, hop
        self.turn.rolls = rolls
        self.turn.nodes = len(lattice.rising) + 1
        self.turn.first_full = lattice.child.shape[0]  # every node but the full rolls has children
        self.turn.faces = lattice.child.shape[1]
        self.turn.child = ints(flat(lattice.child))
        self.turn.rising = ints(lattice.rising)
        self.turn.runs = len(lattice.run_end)
        self.turn.run_end = ints(lattice.run_end)
        self.turn.run_parents = ints(lattice.run_parents)
        self.turn.parent = ints(lattice.parent)
        self.turn.chance = doubles(lattice.chance)
        self.turn.weight = doubles(lattice.weight)
        self.turn.kind = shorts(flat(kind))
        self.turn.kind_start = ints(kind_start)
        self.turn.max_kinds = max(np.diff(kind_start))
        self.turn.gain = doubles(gain)
        self.turn.shift = ints(shift)
        self.turn.hop = NULL if hop is None else ints(hop)

    def solve(
        self,
        const double[:, ::1] next_values,
        const int64_t[::1] option_start,
        const int32_t[::1] column,
        const int64_t[::1] row,
        const int64_t[::1] row_of_place,
        const int32_t[::1] first_roll,
        const int32_t[::1] end_roll,
        const int64_t[::1] option_set,
        const int64_t[:, ::1] early_option_sets,
        const int64_t[::1] first_lane,
        double[:, ::1] value,
        double[:, :, :, ::1] inner=None,
        int64_t first=0,
        int64_t last=0,
        int64_t step=1,
    ):
        """Solve the blocks ``first``, ``first + step``, ... below ``last`` without the GIL. The caller checks the shapes.

        Every block is one turn in LANES adjacent lanes, places of an axis along which all rows of values run.

        Args:
            next_values: (rows, width) the values that options lead to.
            option_start: (option sets + 1,) the first option of each option set.
            column: (options,) the column in which an option enters a roll.
            row: (options,) the row of ``next_values`` that it leads to; with hops, a place.
            first_roll, end_roll: (options,) the full rolls that it is for: ``first_roll`` .. ``end_roll`` - 1.
            row_of_place: (places,) the row of each place that a hop leads to; None for turns without hops.
            option_set: (blocks,) the option set of the last roll.
            early_option_sets: (rolls - 1, blocks) option sets for ending the turn with an earlier roll; None if an earlier
                roll is worth what it is worth as the last one.
            first_lane: (blocks,) the place of the first lane.
            value: (blocks, LANES) written: the value of each turn.
            inner: (blocks, rolls, nodes, LANES) written: at index t, the values of dice that are kept after roll t, and of
                full rolls as the result of roll t + 1.
            first, last, step: the blocks to solve. Threads share the blocks by ``step``.
        """
        cdef kw_keep_job job
        job.width = next_values.shape[1]
        job.after = &next_values[0, 0]
        job.option_start = &option_start[0]
        job.column = &column[0]
        job.row = &row[0]
        job.row_of_place = NULL if row_of_place is None else &row_of_place[0]
        job.from_ = &first_roll[0]
        job.to = &end_roll[0]
        job.problem = &option_set[0]
        job.early = NULL if early_option_sets is None else &early_option_sets[0, 0]
        job.blocks = option_set.shape[0]
        job.lane = &first_lane[0]
        job.value = &value[0, 0]
        job.inner = NULL if inner is None else &inner[0, 0, 0, 0]
        cdef double[::1] scratch = np.empty(kw_keep_scratch(&self.turn))
        with nogil:
            kw_keep_solve(&self.turn, &job, first, last, step, &scratch[0])

    def flow(self, const double[:, :, ::1] inner, int lane, double tie, double[::1] chances):
        """Compute the probabilities of the full rolls at the end of a turn in which the best dice are kept.

        Args:
            inner: (rolls, nodes, LANES) the values inside the turns of one block, as ``solve`` writes them.
            lane: the lane of the turn in its block.
            tie: sets of dice to keep that are at most so much worse than the best count as equal; the last node of them is
                kept, which has the most dice, and of several with so many the higher faces.
            chances: (full rolls,) written: the probabilities.
        """
        cdef double[::1] scratch = np.empty(3 * self.turn.nodes)  # as keep_kernel.h demands
        with nogil:
            kw_keep_flow(&self.turn, &inner[0, 0, 0], lane, tie, &chances[0], &scratch[0])
