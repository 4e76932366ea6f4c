# cython: language_level=3, boundscheck=False, wraparound=False
"""Arrays in, arrays out around whole_kernel.c: turns in whole numbers, for many lanes at once. See whole_kernel.h."""

from libc.stdint cimport int32_t, int64_t

import numpy as np

cdef extern from "lanes.h":
    int KW_LANES

cdef extern from "whole_kernel.h":
    int64_t KW_WHOLE_ZERO

    ctypedef struct kw_whole_push:
        int32_t modes
        int32_t specials
        int32_t groups
        int32_t start
        int32_t forbid
        int32_t max_add
        int32_t most_off
        int32_t passes
        const int32_t *group_start
        const int32_t *order
        const int32_t *bank
        const int32_t *bank_from
        const int32_t *most
        const int32_t *throw_start
        const int32_t *class_start
        const int64_t *total
        const int64_t *weight[2]
        const int32_t *choice_start
        const int32_t *next
        const int32_t *add
        const int32_t *keeps

    ctypedef struct kw_whole_push_job:
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

    int64_t kw_whole_push_scratch(const kw_whole_push *turn, int64_t top, int64_t past)
    void kw_whole_push_solve(
        const kw_whole_push *turn, const kw_whole_push_job *job, int64_t first, int64_t step, int64_t *scratch
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


cdef class WholePush:
    """A turn's arrays, held for the kernel; int32 but for ``total`` and ``weight``, int64."""

    cdef kw_whole_push turn
    cdef const int32_t[::1] group_start, order, bank, bank_from, most, throw_start, class_start, choice_start, next, add, keeps
    cdef const int64_t[::1] total
    cdef const int64_t[:, ::1] weight

    def __init__(
        self, *, int specials, int start, bint forbid, int passes, group_start, order, bank, bank_from, most,
        throw_start, class_start, total, weight, choice_start, next, add, keeps
    ):
        self.group_start, self.order, self.bank, self.bank_from = group_start, order, bank, bank_from
        self.most = most
        self.throw_start, self.class_start, self.total, self.weight = throw_start, class_start, total, weight
        self.choice_start, self.next, self.add, self.keeps = choice_start, next, add, keeps
        self.turn.modes = <int32_t>self.order.shape[0]
        self.turn.specials = specials
        self.turn.groups = <int32_t>self.group_start.shape[0] - 1
        self.turn.start = start
        self.turn.forbid = forbid
        self.turn.passes = passes
        self.turn.max_add = max(0, max(add))
        self.turn.most_off = max(0, -min(add))
        self.turn.group_start = &self.group_start[0]
        self.turn.order = &self.order[0]
        self.turn.bank = &self.bank[0]
        self.turn.bank_from = &self.bank_from[0]
        self.turn.most = &self.most[0]
        self.turn.throw_start = &self.throw_start[0]
        self.turn.class_start = &self.class_start[0]
        self.turn.total = &self.total[0]
        self.turn.weight[0], self.turn.weight[1] = &self.weight[0, 0], &self.weight[1, 0]
        self.turn.choice_start = &self.choice_start[0]
        self.turn.next = &self.next[0]
        self.turn.add = &self.add[0]
        self.turn.keeps = &self.keeps[0]

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
        cdef kw_whole_push_job job
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
        cdef int64_t[::1] scratch = np.empty(kw_whole_push_scratch(&self.turn, max(cap), past), dtype=np.int64)
        with nogil:
            kw_whole_push_solve(&self.turn, &job, first, step, &scratch[0])


cdef class WholeKeep:
    """A turn of keeping dice, held for the kernel; shapes as in whole_kernel.h."""

    cdef kw_whole_keep turn
    cdef const int32_t[:, ::1] child, shift
    cdef const int64_t[:, ::1] gain
    cdef const int32_t[::1] parent_start, parent
    cdef const int64_t[::1] weight

    def __init__(self, *, int throws, child, parent_start, parent, weight, gain, shift):
        self.child, self.parent_start, self.parent, self.weight = child, parent_start, parent, weight
        self.gain, self.shift = gain, shift
        self.turn.throws = throws
        self.turn.nodes = <int32_t>self.parent_start.shape[0] - 1
        self.turn.first_full = <int32_t>self.child.shape[0]
        self.turn.faces = <int32_t>self.child.shape[1]
        self.turn.child = &self.child[0, 0]
        self.turn.parent_start = &self.parent_start[0]
        self.turn.parent = &self.parent[0]
        self.turn.weight = &self.weight[0]
        self.turn.total = sum(weight)
        self.turn.gain = &self.gain[0, 0]
        self.turn.shift = &self.shift[0, 0]

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
        job.early = NULL
        if early is not None:
            job.early = &early[0, 0]
        job.lane = &lane[0]
        job.up = up
        job.value = &value[0, 0]
        cdef int64_t[::1] scratch = np.empty((self.turn.nodes + 1) * LANES, dtype=np.int64)
        with nogil:
            kw_whole_keep_solve(&self.turn, &job, first, step, &scratch[0])
