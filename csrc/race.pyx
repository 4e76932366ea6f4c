# cython: language_level=3, boundscheck=False, wraparound=False
"""Arrays in, arrays out around race_kernel.c: pairs of positions of a two-player race, solved to an enclosure."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t

import numpy as np

include "climb.pxi"

cdef extern from "lanes.h":
    int KW_LANES

cdef extern from "race_kernel.h":
    ctypedef struct kw_race:
        kw_stops known
        int32_t end_of_scores
        double *pay
        double *gap
        const int32_t *counts
        const int32_t *caps
        const int32_t *last
        const int32_t *above
        const double *wiped
        double settled[2]
        double widen[2]

    int KW_SOLVED
    int KW_UNSETTLED
    int KW_HOPELESS
    int KW_LOOSE

    int64_t kw_race_scratch(const kw_climb *turn, const kw_race *race) nogil
    void kw_race_solve(
        const kw_climb *turn, kw_race *race, const int32_t (*pairs)[2], const int64_t *unit_start, const int64_t *ready,
        int64_t last, int64_t *shared, int64_t *work, double *scratch
    ) nogil

LANES = KW_LANES  # pairs of scores that are solved together
UNSETTLED, HOPELESS, LOOSE = KW_UNSETTLED, KW_HOPELESS, KW_LOOSE  # how a unit fails


cdef class RaceKernel(Climb):
    """A turn's and a race's arrays, held for the kernel; see race_kernel.h for their meaning.

    Their shapes are checked by ``keepwise.turns.climb``, which makes them. ``pay`` and ``gap`` are written.
    """

    cdef kw_race race
    cdef Stops known
    cdef const int32_t[::1] counts, caps, last, above
    cdef const double[:, ::1] wiped
    cdef double[:, ::1] pay, gap
    cdef const int32_t[:, ::1] pairs
    cdef const int64_t[::1] unit_start, ready
    cdef int64_t[::1] shared

    def __init__(
        self, *, pay, gap, ends, counts, caps, last, above, wiped, pairs, unit_start, ready, double certain, **turn
    ):
        super().__init__(**turn)
        self.pay, self.gap, self.counts, self.caps = pay, gap, counts, caps
        self.last, self.above, self.wiped = last, above, wiped
        self.pairs, self.unit_start, self.ready = pairs, unit_start, ready
        self.known = Stops(len(pay), ends, certain)
        self.shared = np.array([0, 0, -1, KW_SOLVED], dtype=np.int64)
        self.race.known = self.known.known
        self.race.end_of_scores = <int32_t>self.pay.shape[0]
        self.race.pay = &self.pay[0, 0]
        self.race.gap = &self.gap[0, 0]
        self.race.counts = &self.counts[0]
        self.race.caps = &self.caps[0]
        self.race.last = &self.last[0]
        self.race.above = &self.above[0]
        self.race.wiped = &self.wiped[0, 0]

    def restart(self, settled, widen):
        """Begin at the first unit, with these tolerances and for ``wiped`` as it is now."""
        self.race.settled[0], self.race.settled[1] = settled
        self.race.widen[0], self.race.widen[1] = widen
        self.shared[0], self.shared[1] = 0, 0
        self.known.forget()

    @property
    def stops(self):
        """What is certain so far: by opponent's score and total the modes in which stopping is best, as bits, and by
        opponent's score the bust up to which it is.
        """
        return np.asarray(self.known.stops), np.asarray(self.known.stops_for)

    @property
    def failed(self):
        """The first unit that failed and how (UNSETTLED, HOPELESS, LOOSE), or None."""
        return None if self.shared[2] < 0 else (int(self.shared[2]), int(self.shared[3]))

    def solve(self, int64_t last):
        """Solve on to unit ``last`` together with the other threads that call this; returns what it took, in choices
        weighed for a block of lanes and passes over a unit.
        """
        cdef int64_t work[2]
        cdef double[::1] scratch = np.empty(kw_race_scratch(&self.turn, &self.race))
        work[0] = work[1] = 0
        with nogil:
            kw_race_solve(
                &self.turn, &self.race, <const int32_t (*)[2]>&self.pairs[0, 0], &self.unit_start[0], &self.ready[0],
                last, &self.shared[0], work, &scratch[0]
            )
        return work[0], work[1]
