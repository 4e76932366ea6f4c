# cython: language_level=3, boundscheck=False, wraparound=False
"""One turn of keeping dice, solved for many lanes at once: the interface to ``keep_kernel.c``.

``keep_kernel.h`` has the equations on the keep lattice and the shapes of all arrays.
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
    """A turn, ready to solve. ``keepwise.turns.keep_turn`` makes its arrays; the kernel keeps references, not copies."""

    cdef kw_keep_turn turn
    cdef object references

    def __init__(self, lattice, int rolls, kind, kind_start, gain, shift, hop):
        self.references = lattice, kind, kind_start, gain, shift, hop
        self.turn.rolls = rolls
        self.turn.nodes = len(lattice.rising) + 1
        self.turn.first_full, self.turn.faces = lattice.child.shape
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
        const double[:, ::1] after,
        const int64_t[::1] option_start,
        const int32_t[::1] column,
        const int64_t[::1] row,
        const int64_t[::1] row_of_place,
        const int32_t[::1] from_,
        const int32_t[::1] to,
        const int64_t[::1] problem,
        const int64_t[:, ::1] early,
        const int64_t[::1] lane,
        double[:, ::1] value,
        double[:, :, :, ::1] inner=None,
        int64_t first=0,
        int64_t last=0,
        int64_t step=1,
    ):
        """Solve the blocks ``first``, ``first + step``, ... below ``last`` without the GIL. The caller checks the shapes.

        Args:
            after: (rows, width) the values that options lead to.
            option_start: (problems + 1,) the first option of each problem.
            column, row, from_, to: (options,) the column, the row of ``after``, and the full rolls from .. to - 1.
            row_of_place: with hops, the rows of ``after`` by place; ``row`` is then a place. Otherwise None.
            problem: (blocks,) the options for the last roll.
            early: (rolls - 1, blocks) problems for ending the turn with an earlier roll, or None.
            lane: (blocks,) the place of the first lane on the axis.
            value: (blocks, LANES) written.
            inner: (blocks, rolls, nodes, LANES) written.
        """
        cdef kw_keep_job job
        job.width = after.shape[1]
        job.after = &after[0, 0]
        job.option_start = &option_start[0]
        job.column = &column[0]
        job.row = &row[0]
        job.row_of_place = NULL if row_of_place is None else &row_of_place[0]
        job.from_ = &from_[0]
        job.to = &to[0]
        job.problem = &problem[0]
        job.early = NULL if early is None else &early[0, 0]
        job.blocks = problem.shape[0]
        job.lane = &lane[0]
        job.value = &value[0, 0]
        job.inner = NULL if inner is None else &inner[0, 0, 0, 0]
        cdef double[::1] scratch = np.empty(kw_keep_scratch(&self.turn))
        with nogil:
            kw_keep_solve(&self.turn, &job, first, last, step, &scratch[0])

    def flow(self, const double[:, :, ::1] inner, int lane, double tie, double[::1] chances):
        """Write the probabilities of the full rolls at the end of a turn in which the best dice are kept.

        Args:
            inner: (rolls, nodes, LANES) of one block, as ``solve`` writes it.
            lane: the lane to use.
            tie: keeps whose value is within this much of the best are equal.
            chances: (full rolls,) written.
        """
        cdef double[::1] scratch = np.empty(3 * self.turn.nodes)
        with nogil:
            kw_keep_flow(&self.turn, &inner[0, 0, 0], lane, tie, &chances[0], &scratch[0])
