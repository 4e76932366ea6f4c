# cython: language_level=3, boundscheck=False, wraparound=False
"""Turns in exact integer arithmetic, rounded down or up: the interface to ``whole_kernel.c``, for certificates.

Values are whole numbers of some small unit. An amount x of a push-your-luck turn is stored as x + ZERO, and 0 stands for
-infinity, an ending that is not allowed. ``whole_kernel.h`` explains where rounding occurs.
"""

from libc.stdint cimport int32_t, int64_t

import numpy as np

include "push_turn.pxi"

cdef extern from "lanes.h":
    int KW_LANES

cdef extern from "whole_kernel.h":
    int KW_WHOLE_LANES
    int64_t KW_WHOLE_ZERO
    int64_t KW_WHOLE_LIMIT

    ctypedef struct kw_whole_push_job:
        const int64_t *total_weight
        const int64_t *weight[2]
        int32_t max_deduction
        int64_t lanes
        int64_t endings
        int64_t payoff_stride
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

LANES = KW_LANES  # lanes in a block of turns of keeping dice
PUSH_LANES = KW_WHOLE_LANES  # lanes in a block of push-your-luck turns
ZERO = KW_WHOLE_ZERO  # the stored form of the amount 0
LIMIT = KW_WHOLE_LIMIT  # the largest stored amount


cdef class WholePush(Turn):
    """A push-your-luck turn over integers, ready to solve. The kernel keeps references to all arrays, not copies.

    Args:
        arrays: those of ``PushKernel``, except three: ``total`` (rolls,) and ``weight`` (2, classes), for lanes that round
            down and up, are int64; ``keeps`` (choices,) holds masks, -1 if the turn points are kept and else 0.
    """

    cdef kw_whole_push_job job

    def __init__(self, **arrays):
        super().__init__(arrays)
        self.job.total_weight = longs(arrays["total"])
        self.job.weight[0] = longs(arrays["weight"][0])
        self.job.weight[1] = longs(arrays["weight"][1])
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
            payoff: (endings, at least lanes) what each ending is worth, in units, not as stored amounts.
            cap: (lanes,) with so many turn points a mode that may bank does so.
            round_up: (lanes,) 1 to round up, 0 to round down.
            end_bound: (lanes,) stored bound of the value at the end of the table, in modes that cannot bank.
            cap_bonus: (modes, lanes) bound of what going on beyond the cap can add to a bank.
            rows_past_cap: by how many turn points the table goes on beyond the caps.
            value: (lanes,) written: the value of each turn, as a stored amount.
            inner: (modes, rows, lanes) written: the values by mode and turn points, as stored amounts.
        """
        cdef kw_whole_push_job job = self.job
        job.lanes = cap.shape[0]
        job.endings = payoff.shape[0]
        job.payoff_stride = payoff.shape[1]
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
    """A turn of keeping dice over integers, ready to solve. The kernel keeps references to all arrays, not copies.

    Amounts are stored as they are, and -1 stands for what is not allowed.

    Args:
        arrays: by name, the number of rolls ``throws`` and the arrays of ``kw_whole_keep``; ``whole_kernel.h`` has their
            shapes.
    """

    cdef kw_whole_keep turn
    cdef object arrays

    def __init__(self, **arrays):
        self.arrays = arrays
        self.turn.rolls = arrays["throws"]
        self.turn.nodes = len(arrays["parent_start"]) - 1
        self.turn.first_full = arrays["child"].shape[0]  # every node but the full rolls has children
        self.turn.faces = arrays["child"].shape[1]
        self.turn.child = ints(flat(arrays["child"]))
        self.turn.parent_start = ints(arrays["parent_start"])
        self.turn.parent = ints(arrays["parent"])
        self.turn.weight = longs(arrays["weight"])
        self.turn.total_weight = sum(arrays["weight"])
        self.turn.gain = longs(flat(arrays["gain"]))
        self.turn.shift = ints(flat(arrays["shift"]))

    def solve(
        self,
        const int64_t[:, ::1] next_values,
        const int64_t[::1] option_start,
        const int32_t[::1] column,
        const int64_t[::1] row,
        const int32_t[::1] first_roll,
        const int32_t[::1] end_roll,
        const int64_t[::1] option_set,
        const int64_t[:, ::1] early_option_sets,
        const int64_t[::1] first_lane,
        int round_up,
        int64_t[:, ::1] value,
        int64_t first=0,
        int64_t step=1,
    ):
        """Solve the blocks ``first``, ``first + step``, ... without the GIL. The caller checks the shapes.

        Every block is one turn in LANES adjacent lanes, places of an axis along which all rows of values run.

        Args:
            next_values: (rows, width) the values that options lead to.
            option_start: (option sets + 1,) the first option of each option set.
            column: (options,) the column in which an option enters a roll.
            row: (options,) the row of ``next_values`` that it leads to.
            first_roll, end_roll: (options,) the full rolls that it is for: ``first_roll`` .. ``end_roll`` - 1.
            option_set: (blocks,) the option set of the last roll.
            early_option_sets: (rolls - 1, blocks) option sets for ending the turn with an earlier roll; None if an earlier
                roll is worth what it is worth as the last one.
            first_lane: (blocks,) the place of the first lane.
            round_up: 1 to round up, 0 to round down.
            value: (blocks, LANES) written: the value of each turn; -1 in the first lane if some full roll has no option.
        """
        cdef kw_whole_keep_job job
        job.width = next_values.shape[1]
        job.after = &next_values[0, 0]
        job.option_start = &option_start[0]
        job.column = &column[0]
        job.row = &row[0]
        job.from_ = &first_roll[0]
        job.to = &end_roll[0]
        job.blocks = option_set.shape[0]
        job.problem = &option_set[0]
        job.early = NULL if early_option_sets is None else &early_option_sets[0, 0]
        job.lane = &first_lane[0]
        job.round_up = round_up
        job.value = &value[0, 0]
        cdef int64_t[::1] scratch = np.empty((self.turn.nodes + 1) * LANES, dtype=np.int64)
        with nogil:
            kw_whole_keep_solve(&self.turn, &job, first, step, &scratch[0])
