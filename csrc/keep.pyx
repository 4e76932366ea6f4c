# cython: language_level=3, boundscheck=False, wraparound=False
"""Arrays in, arrays out around keep_kernel.c: one turn of keeping dice, for many lanes at once. See keep_kernel.h."""

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
        int32_t throws
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
        int32_t most_kinds
        const double *gain
        const int32_t *shift
        const int32_t *hop

    ctypedef struct kw_keep_job:
        int64_t width
        const double *after
        const int64_t *option_start
        const int32_t *column
        const int64_t *row
        const int64_t *place
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

LANES = KW_LANES  # lanes come in blocks of this many


cdef const uint16_t *kinds(const uint16_t[::1] told) except NULL:
    return &told[0]


cdef class KeepKernel:
    """A turn's arrays, held for the kernel. Their shapes and meaning: keep_kernel.h; ``keepwise.turns.keep_turn`` makes them."""

    cdef kw_keep_turn turn
    cdef object held

    def __init__(self, lattice, int throws, kind, kind_start, gain, shift, hop):
        self.held = lattice, kind, kind_start, gain, shift, hop
        self.turn.throws = throws
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
        self.turn.kind = kinds(flat(kind))
        self.turn.kind_start = ints(kind_start)
        self.turn.most_kinds = max(np.diff(kind_start))
        self.turn.gain = doubles(gain)
        self.turn.shift = ints(shift)
        self.turn.hop = NULL if hop is None else ints(hop)

    def solve(
        self,
        const double[:, ::1] after,
        const int64_t[::1] option_start,
        const int32_t[::1] column,
        const int64_t[::1] row,
        const int64_t[::1] place,
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
        """Solve blocks without the interpreter's lock; shapes as in keep_kernel.h, which the caller has checked."""
        cdef kw_keep_job job
        job.width = after.shape[1]
        job.after = &after[0, 0]
        job.option_start = &option_start[0]
        job.column = &column[0]
        job.row = &row[0]
        job.place = NULL if place is None else &place[0]
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
        """Write the chances of the full throws at the end of a turn of best keeps; ``inner`` is that of one block."""
        cdef double[::1] scratch = np.empty(3 * self.turn.nodes)
        with nogil:
            kw_keep_flow(&self.turn, &inner[0, 0, 0], lane, tie, &chances[0], &scratch[0])
