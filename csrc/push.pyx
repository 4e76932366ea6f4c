# cython: language_level=3, boundscheck=False, wraparound=False
"""Arrays in, arrays out around push_kernel.c: one turn of a push-your-luck game, for many lanes at once.

The equation, for mode m with t points in hand, throws a of total weight W_a, classes c of weight w_c and choices j:

    V[m, t] = max( payoff[bank_m + t],  max_a  sum_c w_c / W_a  max_j V[next_j, keeps_j t + add_j] )

for channel 0; the other channels follow the choices made for channel 0. The value of the turn is V[start, 0].
"""

from libc.stdint cimport int16_t, int32_t, int64_t

import numpy as np

cdef extern from "lanes.h":
    int KW_LANES

cdef extern from "push_kernel.h":
    int KW_CHANNELS

    ctypedef struct kw_push_turn:
        int32_t modes
        int32_t specials
        int32_t groups
        int32_t start
        int32_t forbid
        int32_t max_add
        int32_t over_passes
        const int32_t *group_start
        const int32_t *order
        const int32_t *bank
        const int32_t *bank_from
        const int32_t *most
        const int32_t *throw_start
        const int32_t *class_start
        const double *total
        const double *weight
        const int32_t *choice_start
        const int32_t *next
        const int32_t *add
        const int32_t *keeps

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

LANES = KW_LANES  # lanes come in blocks of this many
MAX_CHANNELS = KW_CHANNELS


def registers():
    """Bytes of the registers that kernels work with on this processor."""
    return kw_push_registers()


cdef class PushKernel:
    """A turn's arrays, held for the kernel. Their shapes and meaning: ``keepwise.turns.push.PushTurn``, which checks them.

    All arrays are int32 except ``weight`` and ``total``, which are float64 holding exact integers.
    """

    cdef kw_push_turn turn
    cdef const int32_t[::1] group_start, order, bank, bank_from, most, throw_start, class_start, choice_start, next, add, keeps
    cdef const double[::1] weight, total

    def __init__(
        self, *, int specials, int start, bint forbid, int over_passes, group_start, order, bank, bank_from,
        most, throw_start, class_start, total, weight, choice_start, next, add, keeps
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
        self.turn.over_passes = over_passes
        self.turn.max_add = max(add)
        self.turn.group_start = &self.group_start[0]
        self.turn.order = &self.order[0]
        self.turn.bank = &self.bank[0]
        self.turn.bank_from = &self.bank_from[0]
        self.turn.most = &self.most[0]
        self.turn.throw_start = &self.throw_start[0]
        self.turn.class_start = &self.class_start[0]
        self.turn.total = &self.total[0]
        self.turn.weight = &self.weight[0]
        self.turn.choice_start = &self.choice_start[0]
        self.turn.next = &self.next[0]
        self.turn.add = &self.add[0]
        self.turn.keeps = &self.keeps[0]

    cdef kw_push_job job(self, const double[:, :, ::1] payoff, const int32_t[::1] cap, int rows):
        cdef kw_push_job job
        job.payoff = &payoff[0, 0, 0]
        job.cap = &cap[0]
        job.stride = payoff.shape[2]
        job.channels = <int32_t>payoff.shape[0]
        job.endings = <int32_t>payoff.shape[1]
        job.rows = rows
        job.value = NULL
        job.inner = NULL
        job.decision = NULL
        job.follow = 0
        job.slide = NULL
        job.width = 0
        return job

    def scratch(self, const double[:, :, ::1] payoff, const int32_t[::1] cap, int rows):
        """Return a scratch array for one thread working on such a job."""
        cdef kw_push_job job = self.job(payoff, cap, rows)
        return np.empty(kw_push_scratch(&self.turn, &job))

    def solve(
        self,
        const double[:, :, ::1] payoff,
        const int32_t[::1] cap,
        int rows,
        double[::1] scratch,
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
        cdef kw_push_job job = self.job(payoff, cap, rows)
        job.value = &value[0, 0]
        if inner is not None:
            job.inner = &inner[0, 0, 0, 0]
        if decision is not None:
            job.decision = &decision[0, 0, 0]
        job.follow = follow
        if slide is not None:
            job.slide, job.width = &slide[0, 0], slide.shape[1]
        with nogil:
            kw_push_solve(&self.turn, &job, first, step, &scratch[0])
