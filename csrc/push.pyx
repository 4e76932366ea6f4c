# cython: language_level=3, boundscheck=False, wraparound=False
"""One turn of a push-your-luck game, solved or walked for many lanes at once: the interface to ``push_kernel.c``.

For mode m with t turn points, rolls a with total weight W_a, their classes c with weight w_c, and choices j,

    V[m, t] = max( payoff[bank_m + t],  max_a  sum_c w_c / W_a  max_j V[next_j, keeps_j t + add_j] )

in channel 0; the other channels are evaluated along the choices made for channel 0. The value of the turn is V[start, 0].
``push_kernel.h`` has the order of solving, ``push_walk.h`` the forward pass.
"""

from libc.stdint cimport int16_t, int32_t, int64_t

import numpy as np

include "push_turn.pxi"

cdef extern from "lanes.h":
    int KW_LANES

cdef extern from "push_kernel.h":
    int KW_MAX_CHANNELS

    ctypedef struct kw_push_job:
        const double *payoff
        const int32_t *cap
        int64_t lanes
        int32_t channels
        int32_t endings
        int32_t rows
        double *value
        double *inner
        int16_t *decisions
        int32_t follow
        const double *sliding
        int64_t sliding_width

    int64_t kw_push_scratch(const kw_push_turn *turn, const kw_push_job *job) nogil
    void kw_push_solve(
        const kw_push_turn *turn, const kw_push_job *job, int64_t first, int64_t step, double *scratch
    ) nogil
    int kw_push_registers()

cdef extern from "push_walk.h":
    ctypedef struct kw_push_path:
        const int16_t *decisions
        const int32_t *cap
        int64_t lanes
        int64_t decision_lanes
        int32_t decision_rows
        int32_t rows
        double *visits
        double *ends

    int64_t kw_push_walk_scratch(const kw_push_turn *turn, const kw_push_path *path) nogil
    int kw_push_walk(const kw_push_turn *turn, const kw_push_path *path, double *scratch) nogil

LANES = KW_LANES  # lanes in a block
MAX_CHANNELS = KW_MAX_CHANNELS


def registers():
    """Return the size in bytes of the SIMD registers that the kernels use on this processor."""
    return kw_push_registers()


cdef class PushKernel(Turn):
    """A push-your-luck turn, ready to solve. The kernel keeps references to all arrays, not copies.

    Args:
        arrays: the turn's numbers and arrays by name, as ``keepwise.turns.push_turn.PushTurn`` makes and checks them. All
            arrays are int32, except ``weight`` (classes,) and ``total`` (rolls,), which hold whole numbers as float64.
    """

    def __init__(self, **arrays):
        super().__init__(arrays)
        self.turn.total_weight = doubles(arrays["total"])
        self.turn.weight = doubles(arrays["weight"])

    def solve(
        self,
        const double[:, :, ::1] payoff,
        const int32_t[::1] cap,
        int rows,
        double[:, ::1] value,
        double[:, :, :, ::1] inner=None,
        int16_t[:, :, ::1] decisions=None,
        bint follow=False,
        const double[:, ::1] sliding=None,
        int64_t first=0,
        int64_t step=1,
    ):
        """Solve the blocks ``first``, ``first + step``, ... without the GIL. The caller checks the shapes.

        Args:
            payoff: (channels, endings, lanes) what each ending is worth; with ``sliding`` the special endings only. The
                number of lanes is a multiple of LANES.
            cap: (lanes,) turn points at which the table ends: with so many, a mode that may bank does so.
            rows: turn points of the table, from 0 on: more than the largest cap and the most points of one choice.
            value: (channels, lanes) written: the value of each turn.
            inner: (channels, modes, rows, lanes) written: V by mode and turn points.
            decisions: (rows, modes + classes, lanes) written: the best decisions. That of a mode is 0 to bank, or the number
                of a roll from 1 on; that of a class is the index of a choice.
            follow: read the decisions and follow them instead.
            sliding: (channels, banks + lanes) payoffs of bank endings, if lanes are adjacent places on an axis that points
                move along: bank ending e pays lane l the entry e + l.
            first, step: the blocks to solve. Threads share the blocks by ``step``.
        """
        cdef kw_push_job job
        job.payoff = &payoff[0, 0, 0]
        job.cap = &cap[0]
        job.lanes = payoff.shape[2]
        job.channels = <int32_t>payoff.shape[0]
        job.endings = <int32_t>payoff.shape[1]
        job.rows = rows
        job.value = &value[0, 0]
        job.inner = NULL if inner is None else &inner[0, 0, 0, 0]
        job.decisions = NULL if decisions is None else &decisions[0, 0, 0]
        job.follow = follow
        job.sliding = NULL
        job.sliding_width = 0
        if sliding is not None:
            job.sliding = &sliding[0, 0]
            job.sliding_width = sliding.shape[1]
        cdef double[::1] scratch = np.empty(kw_push_scratch(&self.turn, &job))
        with nogil:
            kw_push_solve(&self.turn, &job, first, step, &scratch[0])

    def walk(
        self,
        const int16_t[:, :, ::1] decisions,
        const int32_t[::1] cap,
        int rows,
        double[:, ::1] ends,
        double[:, :, ::1] visits=None,
    ):
        """Compute the probabilities of endings and decision points under given decisions, without the GIL.

        Args:
            decisions: (rows or fewer, modes + classes, lanes or 1) as ``solve`` writes them. Rows past the last are like
                it, and a single lane is for all lanes.
            cap: (lanes,) turn points at which the table ends; more points count as the cap.
            rows: turn points of the table, as in ``solve``.
            ends: (endings, lanes) written: the probability of each ending is added.
            visits: (modes, rows, lanes) written: the probability of each decision point is added.

        Returns:
            Whether every decision that is reached is a legal choice; if not, the results are incomplete.
        """
        cdef kw_push_path path
        path.decisions = &decisions[0, 0, 0]
        path.cap = &cap[0]
        path.lanes = cap.shape[0]
        path.decision_lanes = decisions.shape[2]
        path.decision_rows = <int32_t>decisions.shape[0]
        path.rows = rows
        path.visits = NULL if visits is None else &visits[0, 0, 0]
        path.ends = &ends[0, 0]
        cdef double[::1] scratch = np.empty(kw_push_walk_scratch(&self.turn, &path))
        cdef bint is_legal
        with nogil:
            is_legal = kw_push_walk(&self.turn, &path, &scratch[0])
        return is_legal
