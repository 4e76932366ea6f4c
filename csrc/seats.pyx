# cython: language_level=3, boundscheck=False, wraparound=False
"""Arrays in, arrays out around seats_kernel.c: cycles of positions of a race of several players."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

import numpy as np

include "climb.pxi"

cdef extern from "lanes.h":
    int KW_LANES

cdef extern from "seats_kernel.h":
    int KW_MOST_SEATS

    ctypedef struct kw_seats:
        int32_t seats
        int32_t scores
        int32_t rows
        double *win
        double *most
        const int32_t *points
        const int32_t *number
        int32_t target
        const double *past
        int64_t past_width
        int32_t wipes
        int32_t passes
        int32_t again
        const int32_t *counts
        const int32_t *caps
        double settled[2]
        double widen
        kw_stops known[2]

    int KW_SEATS_SOLVED
    int KW_SEATS_OPEN
    int KW_SEATS_HOPELESS

    int64_t kw_seats_scratch(const kw_climb *turn, const kw_seats *race) nogil
    void kw_seats_guess(
        const kw_seats *race, const int32_t *cycles, const int64_t *rows, int64_t count, double *busts
    ) nogil
    void kw_seats_solve(
        const kw_climb *turn, kw_seats *race, const int32_t *cycles, const int64_t *rows, const double *busts,
        int64_t count, int64_t *next, uint8_t *status, int64_t *work, double *scratch, int reply
    ) nogil

LANES = KW_LANES  # cycles that are solved together
MOST_SEATS = KW_MOST_SEATS
OPEN, HOPELESS = KW_SEATS_OPEN, KW_SEATS_HOPELESS  # how a cycle fails


cdef class SeatsKernel(Turn):
    """A turn's and a race's arrays, held for the kernel; see seats_kernel.h for their meaning.

    ``race`` holds what the kernel is told of scores; ``table``, and ``most`` where best replies are found, are written: flat,
    (rows x scores x seats,). ``past`` (rows, totals, seats - 1) or None. ``known``, of either pass, is written too.
    """

    cdef kw_seats race
    cdef Stops first, second
    cdef object held, most
    cdef double certain

    def __init__(self, turn, race, table, past, known):
        super().__init__(turn)
        self.held = table, past, race.points, race.number, race.counts, race.caps
        self.certain = race.certain
        self.race.seats = race.seats
        self.race.scores = len(race.points)
        self.race.rows = max(race.caps) + self.turn.max_add + 1
        self.race.win = written(table)
        self.race.most = NULL
        self.race.points = ints(race.points)
        self.race.number = ints(race.number)
        self.race.target = race.target
        self.race.past = NULL
        if past is not None:
            self.race.past = doubles(flat(past))
            self.race.past_width = past.shape[1]
        self.race.wipes = np.any(turn.wipe)
        self.race.passes = race.may_pass
        self.race.again = False
        self.race.counts = ints(race.counts)
        self.race.caps = ints(race.caps)
        self.race.settled[0], self.race.settled[1] = race.settled
        self.race.widen = race.widen
        self.first = Stops(known, race.ends, race.certain)
        self.second = None
        self.race.known[0] = self.first.known

    def again(self):
        """Begin from what the table holds from now on, which a solve before came to."""
        self.race.again = True

    def judge(self, most, known):
        """Go over to best replies: their bounds are written to ``most``."""
        self.most = most
        self.race.most = written(most)
        self.second = Stops(known, self.first.ends, self.certain)
        self.race.known[1] = self.second.known

    def forget(self):
        """Forget where stopping is certain."""
        self.first.forget()
        if self.second is not None:
            self.second.forget()

    def guess(self, const int32_t[:, ::1] cycles, const int64_t[:, ::1] rows):
        """What a zero turn is taken to be worth to each mover of cycles before they are solved, by a whole table."""
        busts = np.empty((cycles.shape[0], cycles.shape[1]))
        cdef double[:, ::1] guessed = busts
        with nogil:
            kw_seats_guess(&self.race, &cycles[0, 0], &rows[0, 0], cycles.shape[0], &guessed[0, 0])
        return busts

    def solve(
        self, const int32_t[:, ::1] cycles, const int64_t[:, ::1] rows, const double[:, ::1] busts, int64_t[::1] next,
        uint8_t[::1] status
    ):
        """Solve cycles of one layer, from the rows that their movers face, together with the other threads that call this
        with the same ``next``; returns what it took, in choices weighed for a block of lanes and passes over a block.
        ``busts``: as guessed; None where the table is whole.
        """
        cdef int64_t work[2]
        cdef double[::1] scratch = np.empty(kw_seats_scratch(&self.turn, &self.race))
        cdef int reply = self.race.most != NULL
        cdef const double *guessed = NULL
        if busts is not None:
            guessed = &busts[0, 0]
        work[0] = work[1] = 0
        with nogil:
            kw_seats_solve(
                &self.turn, &self.race, &cycles[0, 0], &rows[0, 0], guessed, cycles.shape[0], &next[0], &status[0],
                work, &scratch[0], reply
            )
        return work[0], work[1]
