# cython: language_level=3, boundscheck=False, wraparound=False
"""Arrays in, arrays out around race_kernel.c: pairs of positions of a two-player race, solved to an enclosure."""

from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

include "climb.pxi"

cdef extern from "lanes.h":
    int KW_LANES

cdef extern from "race_kernel.h":
    ctypedef struct kw_race:
        int32_t states
        int32_t columns
        int32_t rows
        int32_t kinds
        kw_stops known
        double *pay
        double *gap
        const int32_t *totals
        const int32_t *own
        const int32_t *bust
        const int32_t *wipe
        const int32_t *busts
        const int32_t *counts
        const int32_t *caps
        const int32_t *last
        const int32_t *above
        int32_t wipes
        int32_t passes
        int32_t dice
        double *offered[2]
        int64_t offers
        const int32_t *takes
        const int32_t *opened
        const double *last_offered
        int64_t span
        int64_t last_points
        int32_t rough
        int32_t fewer
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

LANES = KW_LANES  # pairs of states that are solved together
MOST_MODES = KW_MOST_MODES  # of a turn
UNSETTLED, HOPELESS, LOOSE = KW_UNSETTLED, KW_HOPELESS, KW_LOOSE  # how a unit fails


cdef class RaceKernel(Turn):
    """A turn's and a race's arrays, held for the kernel; see race_kernel.h for their meaning.

    ``race`` holds an array for each state in ``states``, by name; ``pay``, ``gap`` and ``offered``, which
    are written; ``last_offered``, for last turns that take over; ``known``, for what is known of certain stops, and
    ``units``: the pairs, where each unit starts, and when it is ready.
    """

    cdef kw_race race
    cdef Stops known
    cdef object held
    cdef const int32_t[:, ::1] pairs
    cdef const int64_t[::1] unit_start, ready
    cdef int64_t[::1] shared

    def __init__(self, turn, race):
        super().__init__(turn)
        self.held = race.states, race.pay, race.gap, race.offered, race.last_offered
        self.pairs, self.unit_start, self.ready = race.units
        self.known = Stops(race.known, race.ends, race.certain)
        self.shared = np.array([0, 0, -1, KW_SOLVED], dtype=np.int64)
        self.race.known = self.known.known
        self.race.states, self.race.columns = race.pay.shape
        self.race.rows = race.top + self.turn.max_add + 1
        self.race.kinds = len(race.known[1]) // self.race.states
        self.race.pay = written(flat(race.pay))
        self.race.gap = written(flat(race.gap))
        self.race.totals = ints(race.states.total)
        self.race.own = ints(race.states.column)
        self.race.bust = ints(race.states.bust_column)
        self.race.wipe = ints(race.states.wipe_column)
        self.race.busts = ints(race.states.bust_count)
        self.race.counts = ints(race.states.min_bank)
        self.race.caps = ints(race.states.cap)
        self.race.last = ints(race.states.last_total)
        self.race.above = ints(race.states.next_state)
        self.race.takes = ints(race.states.max_takeover)
        self.race.opened = ints(race.states.has_score)
        self.race.wipes = np.any(turn.wipe)
        self.race.passes = race.may_pass
        self.race.dice = 0
        if race.offered is not None:
            self.race.offers, self.race.dice = race.offered.shape[2:]
            self.race.offered[0] = written(flat(race.offered[0]))
            self.race.offered[1] = written(flat(race.offered[1]))
        self.race.last_offered = NULL
        if race.last_offered is not None:
            self.race.span = (race.last_offered.shape[1] + 1) // 2
            self.race.last_points = race.last_offered.shape[2]
            self.race.last_offered = doubles(flat(race.last_offered))

    def restart(self, settled, widen, rough, fewer):
        """Begin at the first unit, with these tolerances and with what the tables hold now; ``rough``: without gaps, and
        ``fewer``: from fewer choices where the turn tells them.
        """
        self.race.rough = rough
        self.race.fewer = fewer and len(self.told.class_start) > self.turn.modes + 1
        self.race.settled[0], self.race.settled[1] = settled
        self.race.widen[0], self.race.widen[1] = widen
        self.shared[0], self.shared[1] = 0, 0
        self.known.forget()

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
