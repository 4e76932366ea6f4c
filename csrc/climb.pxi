# The arrays of a climbing turn, held for a kernel: included by race.pyx and seats.pyx.

cdef extern from "climb.h":
    ctypedef struct kw_climb:
        int32_t modes
        int32_t start
        int32_t forbid
        int32_t max_add
        int32_t over_passes
        uint32_t banks
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
        const uint16_t *edge_modes

    ctypedef struct kw_stops:
        int32_t width
        uint16_t *stops
        double *stops_for
        const uint16_t *ends
        double certain


cdef class Climb:
    """A climbing turn; ``keepwise.turns.climb`` makes its arrays and checks them."""

    cdef kw_climb turn
    cdef const int32_t[::1] class_start, choice_start, leads, edge_start, edge_add
    cdef const double[::1] weight, bust, win, wipe, total
    cdef const uint16_t[::1] edge_modes

    def __init__(
        self, *, int modes, int start, bint forbid, int over_passes, int banks, class_start, weight, choice_start,
        leads, bust, win, wipe, total, edge_start, edge_add, edge_modes
    ):
        self.class_start, self.weight, self.choice_start, self.leads = class_start, weight, choice_start, leads
        self.bust, self.win, self.wipe, self.total = bust, win, wipe, total
        self.edge_start, self.edge_add, self.edge_modes = edge_start, edge_add, edge_modes
        self.turn.modes = modes
        self.turn.start = start
        self.turn.forbid = forbid
        self.turn.max_add = max(edge_add)
        self.turn.over_passes = over_passes
        self.turn.banks = banks
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
    """Where stopping is certain, by row of opponents' scores and total: nowhere yet, or as told in arrays to be kept."""

    cdef kw_stops known
    cdef const uint16_t[::1] ends
    cdef uint16_t[:, ::1] stops
    cdef double[::1] stops_for

    def __init__(self, int64_t rows, const uint16_t[::1] ends, double certain, told=None):
        self.ends = ends
        if told is None:
            told = np.zeros((rows, ends.shape[0]), dtype=np.uint16), np.full(rows, -np.inf)
        self.stops, self.stops_for = told
        self.known.width = <int32_t>ends.shape[0]
        self.known.ends = &self.ends[0]
        self.known.stops = &self.stops[0, 0]
        self.known.stops_for = &self.stops_for[0]
        self.known.certain = certain

    def forget(self):
        np.asarray(self.stops)[:] = 0
        np.asarray(self.stops_for)[:] = -np.inf
