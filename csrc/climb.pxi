# The arrays of a climbing turn, held for a kernel: included by race.pyx and seats.pyx.

include "arrays.pxi"

cdef extern from "climb.h":
    int KW_MOST_MODES

    ctypedef struct kw_climb:
        int32_t modes
        uint64_t starts
        int32_t forbid
        int32_t max_add
        int32_t over_passes
        uint64_t banks
        const int32_t *class_start
        const double *weight
        const int32_t *choice_start
        const int32_t *leads
        const double *bust
        const double *win
        const double *wipe
        const double *total
        const int32_t *edge_start
        const int32_t *edge_add
        const uint64_t *edge_modes

    ctypedef struct kw_stops:
        int32_t width
        int32_t wide
        void *stops
        double *stops_for
        const uint64_t *ends
        double certain


cdef const uint64_t *sets(const uint64_t[::1] told) except NULL:
    return &told[0]


cdef class Turn:
    """A climbing turn; ``keepwise.turns.monotone_turn`` makes its arrays and checks them."""

    cdef kw_climb turn
    cdef object told

    def __init__(self, told):
        self.told = told
        self.turn.modes = told.modes
        self.turn.starts = told.starts
        self.turn.forbid = told.forbid
        self.turn.max_add = max(told.edge_add)
        self.turn.over_passes = told.over_passes
        self.turn.banks = told.banks
        self.turn.class_start = ints(told.class_start)
        self.turn.weight = doubles(told.weight)
        self.turn.choice_start = ints(told.choice_start)
        self.turn.leads = ints(told.leads)
        self.turn.bust = doubles(told.bust)
        self.turn.win = doubles(told.win)
        self.turn.wipe = doubles(told.wipe)
        self.turn.total = doubles(told.total)
        self.turn.edge_start = ints(told.edge_start)
        self.turn.edge_add = ints(told.edge_add)
        self.turn.edge_modes = sets(told.edge_modes)


cdef class Stops:
    """Where stopping is certain, by row of opponents' scores and total: bits of modes (``wide``: 64 of them, else 16), and by
    row the bust that they hold for.
    """

    cdef kw_stops known
    cdef object stops, stops_for, ends

    def __init__(self, told, ends, double certain):
        self.stops, self.stops_for = told
        self.ends = ends
        self.known.width = len(ends)
        self.known.wide = self.stops.itemsize == 8
        self.known.ends = sets(ends)
        self.known.stops = <void *><size_t>self.stops.ctypes.data
        self.known.stops_for = written(self.stops_for)
        self.known.certain = certain

    def forget(self):
        self.stops[:] = 0
        self.stops_for[:] = -np.inf
