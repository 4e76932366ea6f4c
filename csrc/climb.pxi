# The arrays of a climbing turn, held for a kernel: included by race.pyx and seats.pyx.

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


cdef class Turn:
    """A climbing turn; ``keepwise.turns.climb`` makes its arrays and checks them."""

    cdef kw_climb turn
    cdef const int32_t[::1] class_start, choice_start, leads, edge_start, edge_add
    cdef const double[::1] weight, bust, win, wipe, total
    cdef const uint64_t[::1] edge_modes

    def __init__(self, told):
        self.class_start, self.weight, self.choice_start, self.leads = told.class_start, told.weight, told.choice_start, told.leads
        self.bust, self.win, self.wipe, self.total = told.bust, told.win, told.wipe, told.total
        self.edge_start, self.edge_add, self.edge_modes = told.edge_start, told.edge_add, told.edge_modes
        self.turn.modes = told.modes
        self.turn.starts = told.starts
        self.turn.forbid = told.forbid
        self.turn.max_add = max(self.edge_add)
        self.turn.over_passes = told.over_passes
        self.turn.banks = told.banks
        self.turn.class_start = &self.class_start[0]
        self.turn.weight = &self.weight[0]
        self.turn.choice_start = &self.choice_start[0]
        self.turn.leads = &self.leads[0]
        self.turn.bust = &self.bust[0]
        self.turn.win = &self.win[0]
        self.turn.wipe = &self.wipe[0]
        self.turn.total = &self.total[0]
        self.turn.edge_start = &self.edge_start[0]
        self.turn.edge_add = &self.edge_add[0]
        self.turn.edge_modes = &self.edge_modes[0]


cdef class Stops:
    """Where stopping is certain, by row of opponents' scores and total: bits of modes (``wide``: 64 of them, else 16), and by
    row the bust that they hold for.
    """

    cdef kw_stops known
    cdef const uint64_t[::1] ends
    cdef object stops, stops_for

    def __init__(self, told, const uint64_t[::1] ends, double certain):
        self.stops, self.stops_for = told
        self.ends = ends
        self.known.width = <int32_t>ends.shape[0]
        self.known.wide = self.stops.itemsize == 8
        self.known.ends = &self.ends[0]
        self.known.stops = <void *><size_t>self.stops.ctypes.data
        self.known.stops_for = <double *><size_t>self.stops_for.ctypes.data
        self.known.certain = certain

    def forget(self):
        self.stops[:] = 0
        self.stops_for[:] = -np.inf
