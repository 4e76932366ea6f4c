# cython: language_level=3, boundscheck=False, wraparound=False
"""Arrays in, arrays out around push_kernel.c: one turn of a push-your-luck game, for many lanes at once.

The equation, for mode m with t points in hand, throws a of total weight W_a, classes c of weight w_c and choices j:

    V[m, t] = max( payoff[bank_m + t],  max_a  sum_c w_c / W_a  max_j V[next_j, keeps_j t + add_j] )

for channel 0; the other channels follow the choices made for channel 0. The value of the turn is V[start, 0].
"""

from libc.stdint cimport int16_t, int32_t, int64_t

import numpy as np

include "push_turn.pxi"

cdef extern from "lanes.h":
    int KW_LANES

cdef extern from "push_kernel.h":
    int KW_CHANNELS

    ctypedef struct kw_push_job:
        const double *payoff
        const int32_t *cap
        int64_t stride
        int32_t channels
        int32_t endings
        int32_t rows
        double *value
        double *inner
        int16_t *decision
        int32_t follow
        const double *slide
        int64_t width

    int64_t kw_push_scratch(const kw_push_turn *turn, const kw_push_job *job) nogil
    void kw_push_solve(
        const kw_push_turn *turn, const kw_push_job *job, int64_t first, int64_t step, double *scratch
    ) nogil
    int kw_push_registers()

cdef extern from "push_walk.h":
    ctypedef struct kw_push_path:
        const int16_t *decision
        const int32_t *cap
        int64_t lanes
        int64_t stride
        int32_t told
        int32_t rows
        double *visits
        double *ends

    int64_t kw_push_walk_scratch(const kw_push_turn *turn, const kw_push_path *path) nogil
    int kw_push_walk(const kw_push_turn *turn, const kw_push_path *path, double *scratch) nogil

LANES = KW_LANES  # lanes come in blocks of this many
MAX_CHANNELS = KW_CHANNELS


def registers():
    """Bytes of the registers that kernels work with on this processor."""
    return kw_push_registers()


cdef class PushKernel(Turn):
    """A turn's numbers and arrays by name, held for the kernel. Shapes and meaning: ``keepwise.turns.push_turn.PushTurn``, which
    checks them.

    All arrays are int32 except ``weight`` and ``total``, which are float64 holding exact integers.
    """

    def __init__(self, **told):
        super().__init__(told)
        self.turn.total = doubles(told["total"])
        self.turn.weight = doubles(told["weight"])

    def solve(
        self,
        const double[:, :, ::1] payoff,
        const int32_t[::1] cap,
        int rows,
        double[:, ::1] value,
        double[:, :, :, ::1] inner=None,
        int16_t[:, :, ::1] decision=None,
        bint follow=False,
        const double[:, ::1] slide=None,
        int64_t first=0,
        int64_t step=1,
    ):
        """Solve blocks ``first``, ``first + step``, ... without the interpreter's lock.

        ``payoff`` (channels, endings, lanes), or of the special endings only with ``slide`` (channels, banks + lanes),
        ``cap`` (lanes,), lanes a multiple of LANES, rows > max(cap) + max(add); ``value`` (channels, lanes) and the
        optional ``inner`` (channels, modes, rows, lanes) and ``decision`` (rows, modes + classes, lanes) are written;
        with ``follow`` the decisions are read and made instead.
        """
        cdef kw_push_job job
        job.payoff = &payoff[0, 0, 0]
        job.cap = &cap[0]
        job.stride = payoff.shape[2]
        job.channels = <int32_t>payoff.shape[0]
        job.endings = <int32_t>payoff.shape[1]
        job.rows = rows
        job.value = &value[0, 0]
        job.inner = NULL if inner is None else &inner[0, 0, 0, 0]
        job.decision = NULL if decision is None else &decision[0, 0, 0]
        job.follow = follow
        job.slide, job.width = NULL, 0
        if slide is not None:
            job.slide, job.width = &slide[0, 0], slide.shape[1]
        cdef double[::1] scratch = np.empty(kw_push_scratch(&self.turn, &job))
        with nogil:
            kw_push_solve(&self.turn, &job, first, step, &scratch[0])

    def walk(
        self,
        const int16_t[:, :, ::1] decision,
        const int32_t[::1] cap,
        int rows,
        double[:, ::1] ends,
        double[:, :, ::1] visits=None,
    ):
        """Walk forwards by ``decision`` (rows or fewer, modes + classes, lanes or 1), without the interpreter's lock: add to
        ``ends`` (endings, lanes) the chance of each ending and to ``visits`` (modes, rows, lanes) that of coming to each
        decision; rows > max(cap) + max(add). False where a decision is none of the choices there are.
        """
        cdef kw_push_path path
        path.decision = &decision[0, 0, 0]
        path.cap = &cap[0]
        path.lanes = cap.shape[0]
        path.stride = decision.shape[2]
        path.told = <int32_t>decision.shape[0]
        path.rows = rows
        path.visits = NULL if visits is None else &visits[0, 0, 0]
        path.ends = &ends[0, 0]
        cdef double[::1] scratch = np.empty(kw_push_walk_scratch(&self.turn, &path))
        cdef bint told
        with nogil:
            told = kw_push_walk(&self.turn, &path, &scratch[0])
        return told
