# cython: language_level=3, boundscheck=False, wraparound=False
"""Arrays in, arrays out around whole_kernel.c: turns in whole numbers, for many lanes at once. See whole_kernel.h."""

from libc.stdint cimport int32_t, int64_t

import numpy as np

include "push_turn.pxi"

cdef extern from "lanes.h":
    int KW_LANES

cdef extern from "whole_kernel.h":
    int64_t KW_WHOLE_ZERO

    ctypedef struct kw_whole_push_job:
        const int64_t *total
        const int64_t *weight[2]
        int32_t most_off
        int64_t stride
        const int64_t *payoff
        const int32_t *cap
        const int64_t *up
        const int64_t *open
        const int64_t *more
        int32_t past
        int32_t rows
        int64_t *value
        int64_t *inner

    int64_t kw_whole_push_scratch(const kw_push_turn *turn, const kw_whole_push_job *job, int64_t top)
    void kw_whole_push_solve(
        const kw_push_turn *turn, const kw_whole_push_job *job, int64_t first, int64_t step, int64_t *scratch
    ) nogil

    ctypedef struct kw_whole_keep:
        int32_t nodes
        int32_t first_full
        int32_t faces
        int32_t throws
        const int32_t *child
        const int32_t *parent_start
        const int32_t *parent
        const int64_t *weight
        int64_t total
        const int64_t *gain
        const int32_t *shift

    ctypedef struct kw_whole_keep_job:
        int64_t width
        const int64_t *after
        const int64_t *option_start
        const int32_t *column
        const int64_t *row
        const int32_t *from_ "from"
        const int32_t *to
        int64_t blocks
        const int64_t *problem
        const int64_t *early
        const int64_t *lane
        int32_t up
        int64_t *value

    void kw_whole_keep_solve(
        const kw_whole_keep *turn, const kw_whole_keep_job *job, int64_t first, int64_t step, int64_t *scratch
    ) nogil

LANES = KW_LANES  # lanes come in blocks of this many
ZERO = KW_WHOLE_ZERO  # how an amount of 0 is told


cdef class WholePush(Turn):
    """A turn, held for the kernel, with its weights in whole numbers: ``total`` and ``weight``, int64."""

    cdef kw_whole_push_job job

    def __init__(self, **told):
        super().__init__(told)
        self.job.total = longs(told["total"])
        self.job.weight[0], self.job.weight[1] = longs(told["weight"][0]), longs(told["weight"][1])
        self.job.most_off = max(0, -min(told["add"]))

    def solve(
        self,
        const int64_t[:, ::1] payoff,
        const int32_t[::1] cap,
        const int64_t[::1] up,
        const int64_t[::1] open_,
        const int64_t[:, ::1] more,
        int past,
        int64_t[::1] value,
        int64_t[:, :, ::1] inner=None,
        int64_t first=0,
        int64_t step=1,
    ):
        """Solve blocks ``first``, ``first + step``, ... without the interpreter's lock; shapes as in whole_kernel.h,
        which the caller has checked.
        """
        cdef kw_whole_push_job job = self.job
        job.stride = cap.shape[0]
        job.payoff = &payoff[0, 0]
        job.cap = &cap[0]
        job.up = &up[0]
        job.open = &open_[0]
        job.more = &more[0, 0]
        job.past = past
        job.rows = 0
        job.value = &value[0]
        job.inner = NULL
        if inner is not None:
            job.rows = <int32_t>inner.shape[1]
            job.inner = &inner[0, 0, 0]
        cdef int64_t[::1] scratch = np.empty(kw_whole_push_scratch(&self.turn, &job, max(cap)), dtype=np.int64)
        with nogil:
            kw_whole_push_solve(&self.turn, &job, first, step, &scratch[0])


cdef class WholeKeep:
    """A turn of keeping dice, held for the kernel; shapes as in whole_kernel.h."""

    cdef kw_whole_keep turn
    cdef object told

    def __init__(self, **told):
        self.told = told
        self.turn.throws = told["throws"]
        self.turn.nodes = len(told["parent_start"]) - 1
        self.turn.first_full, self.turn.faces = told["child"].shape
        self.turn.child = ints(flat(told["child"]))
        self.turn.parent_start = ints(told["parent_start"])
        self.turn.parent = ints(told["parent"])
        self.turn.weight = longs(told["weight"])
        self.turn.total = sum(told["weight"])
        self.turn.gain = longs(flat(told["gain"]))
        self.turn.shift = ints(flat(told["shift"]))

    def solve(
        self,
        const int64_t[:, ::1] after,
        const int64_t[::1] option_start,
        const int32_t[::1] column,
        const int64_t[::1] row,
        const int32_t[::1] from_,
        const int32_t[::1] to,
        const int64_t[::1] problem,
        const int64_t[:, ::1] early,
        const int64_t[::1] lane,
        int up,
        int64_t[:, ::1] value,
        int64_t first=0,
        int64_t step=1,
    ):
        """Solve blocks ``first``, ``first + step``, ... without the interpreter's lock."""
        cdef kw_whole_keep_job job
        job.width = after.shape[1]
        job.after = &after[0, 0]
        job.option_start = &option_start[0]
        job.column = &column[0]
        job.row = &row[0]
        job.from_ = &from_[0]
        job.to = &to[0]
        job.blocks = problem.shape[0]
        job.problem = &problem[0]
        job.early = NULL if early is None else &early[0, 0]
        job.lane = &lane[0]
        job.up = up
        job.value = &value[0, 0]
        cdef int64_t[::1] scratch = np.empty((self.turn.nodes + 1) * LANES, dtype=np.int64)
        with nogil:
            kw_whole_keep_solve(&self.turn, &job, first, step, &scratch[0])
