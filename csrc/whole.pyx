# cython: language_level=3, boundscheck=False, wraparound=False
"""Turns in exact integer arithmetic, rounded down or up: the interface to ``whole_kernel.c``, for certificates.

``whole_kernel.h`` explains how amounts are stored and where rounding occurs.
"""

from libc.stdint cimport int32_t, int64_t

import numpy as np

include "push_turn.pxi"

cdef extern from "lanes.h":
    int KW_LANES

cdef extern from "whole_kernel.h":
    int64_t KW_WHOLE_ZERO

    ctypedef struct kw_whole_push_job:
        const int64_t *total_weight
        const int64_t *weight[2]
        int32_t max_deduction
        int64_t lanes
        const int64_t *payoff
        const int32_t *cap
        const int64_t *round_up
        const int64_t *end_bound
        const int64_t *cap_bonus
        int32_t rows_past_cap
        int32_t inner_rows
        int64_t *value
        int64_t *inner

    int64_t kw_whole_push_scratch(const kw_push_turn *turn, const kw_whole_push_job *job, int64_t max_cap)
    void kw_whole_push_solve(
        const kw_push_turn *turn, const kw_whole_push_job *job, int64_t first, int64_t step, int64_t *scratch
    ) nogil

    ctypedef struct kw_whole_keep:
        int32_t nodes
        int32_t first_full
        int32_t faces
        int32_t rolls
        const int32_t *child
        const int32_t *parent_start
        const int32_t *parent
        const int64_t *weight
        int64_t total_weight
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
        int32_t round_up
        int64_t *value

    void kw_whole_keep_solve(
        const kw_whole_keep *turn, const kw_whole_keep_job *job, int64_t first, int64_t step, int64_t *scratch
    ) nogil

LANES = KW_LANES  # lanes in a block
ZERO = KW_WHOLE_ZERO  # the stored form of the amount 0


cdef class WholePush(Turn):
    """A push-your-luck turn over integers, ready to solve.

    The arrays are those of ``PushKernel``, except three: ``total`` (rolls,) and ``weight`` (2, classes), for lanes that
    round down and up, are int64; ``keeps`` holds masks, -1 or 0.
    """

    cdef kw_whole_push_job job

    def __init__(self, **arrays):
        super().__init__(arrays)
        self.job.total_weight = longs(arrays["total"])
        self.job.weight[0], self.job.weight[1] = longs(arrays["weight"][0]), longs(arrays["weight"][1])
        self.job.max_deduction = max(0, -min(arrays["add"]))

    def solve(
        self,
        const int64_t[:, ::1] payoff,
        const int32_t[::1] cap,
        const int64_t[::1] round_up,
        const int64_t[::1] end_bound,
        const int64_t[:, ::1] cap_bonus,
        int rows_past_cap,
        int64_t[::1] value,
        int64_t[:, :, ::1] inner=None,
        int64_t first=0,
        int64_t step=1,
    ):
        """Solve the blocks ``first``, ``first + step``, ... without the GIL. The caller checks the shapes.

        Args:
            payoff: (endings, lanes) stored amounts, 0 for an ending that is not allowed.
            cap: (lanes,) with so many turn points a mode that may bank does so.
            round_up: (lanes,) 1 to round up, 0 to round down.
            end_bound: (lanes,) stored bound for the end of the table in modes that cannot bank.
            cap_bonus: (modes, lanes) bound for what going on beyond the cap can add to a bank.
            rows_past_cap: by how much the table goes on beyond the caps.
            value: (lanes,) written: stored amounts.
            inner: (modes, rows, lanes) written: stored amounts.
        """
        cdef kw_whole_push_job job = self.job
        job.lanes = cap.shape[0]
        job.payoff = &payoff[0, 0]
        job.cap = &cap[0]
        job.round_up = &round_up[0]
        job.end_bound = &end_bound[0]
        job.cap_bonus = &cap_bonus[0, 0]
        job.rows_past_cap = rows_past_cap
        job.inner_rows = 0
        job.value = &value[0]
        job.inner = NULL
        if inner is not None:
            job.inner_rows = <int32_t>inner.shape[1]
            job.inner = &inner[0, 0, 0]
        cdef int64_t[::1] scratch = np.empty(kw_whole_push_scratch(&self.turn, &job, max(cap)), dtype=np.int64)
        with nogil:
            kw_whole_push_solve(&self.turn, &job, first, step, &scratch[0])


cdef class WholeKeep:
    """A turn of keeping dice over integers, ready to solve. ``whole_kernel.h`` has the shapes of its arrays."""

    cdef kw_whole_keep turn
    cdef object arrays

    def __init__(self, **arrays):
        self.arrays = arrays
        self.turn.rolls = arrays["throws"]
        self.turn.nodes = len(arrays["parent_start"]) - 1
        self.turn.first_full, self.turn.faces = arrays["child"].shape
        self.turn.child = ints(flat(arrays["child"]))
        self.turn.parent_start = ints(arrays["parent_start"])
        self.turn.parent = ints(arrays["parent"])
        self.turn.weight = longs(arrays["weight"])
        self.turn.total_weight = sum(arrays["weight"])
        self.turn.gain = longs(flat(arrays["gain"]))
        self.turn.shift = ints(flat(arrays["shift"]))

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
        int round_up,
        int64_t[:, ::1] value,
        int64_t first=0,
        int64_t step=1,
    ):
        """Solve the blocks ``first``, ``first + step``, ... without the GIL. The caller checks the shapes.

        Args:
            after: (rows, width) the values that options lead to.
            option_start: (problems + 1,) the first option of each problem.
            column, row, from_, to: (options,) the column, the row of ``after``, and the full rolls from .. to - 1.
            problem: (blocks,) the options for the last roll.
            early: (rolls - 1, blocks) problems for ending the turn with an earlier roll, or None.
            lane: (blocks,) the place of the first lane on the axis.
            round_up: 1 to round up, 0 to round down.
            value: (blocks, LANES) written; -1 in the first lane if some full roll has no option.
        """
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
        job.round_up = round_up
        job.value = &value[0, 0]
        cdef int64_t[::1] scratch = np.empty((self.turn.nodes + 1) * LANES, dtype=np.int64)
        with nogil:
            kw_whole_keep_solve(&self.turn, &job, first, step, &scratch[0])
