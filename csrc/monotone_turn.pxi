# The monotone turn of monotone_turn.h for Cython: race.pyx and seats.pyx include this file.

include "arrays.pxi"

cdef extern from "monotone_turn.h":
    int KW_MAX_MODES

    ctypedef struct kw_monotone_turn:
        int32_t modes
        uint64_t start_modes
        int32_t forbid_above_cap
        int32_t max_added_points
        int32_t forced_passes
        uint64_t bank_modes
        const int32_t *class_start
        const double *weight
        const int32_t *choice_start
        const int32_t *choice_offset
        const double *bust_weight
        const double *win_weight
        const double *wipe_weight
        const double *total_weight
        const int32_t *edge_start
        const int32_t *edge_points
        const uint64_t *edge_modes
        const int32_t *shared_start
        const int32_t *shared_offset
        const int32_t *run_start
        const int32_t (*run)[5]
        const double *run_weight
        const int32_t *term

    ctypedef struct kw_certain_stops:
        int32_t width
        int32_t is_wide
        void *stop_modes
        double *max_bust
        const uint64_t *always_stop
        double tolerance


# The pointer to an array of sets of modes.
cdef const uint64_t *mode_sets(const uint64_t[::1] array) except NULL:
    return &array[0]


cdef class Turn:
    """A monotone turn as the kernels read it.

    It keeps a reference to the ``keepwise.turns.monotone_turn.MonotoneTurn`` that has its arrays.
    """

    cdef kw_monotone_turn turn
    cdef object source

    def __init__(self, source):
        self.source = source
        self.turn.modes = source.modes
        self.turn.start_modes = source.start_modes
        self.turn.forbid_above_cap = source.forbid_above_cap
        self.turn.max_added_points = max(source.edge_points)
        self.turn.forced_passes = source.forced_passes
        self.turn.bank_modes = source.bank_modes
        self.turn.class_start = ints(source.class_start)
        self.turn.weight = doubles(source.weight)
        self.turn.choice_start = ints(source.choice_start)
        self.turn.choice_offset = ints(source.choice_offset)
        self.turn.bust_weight = doubles(source.bust_weight)
        self.turn.win_weight = doubles(source.win_weight)
        self.turn.wipe_weight = doubles(source.wipe_weight)
        self.turn.total_weight = doubles(source.total_weight)
        self.turn.edge_start = ints(source.edge_start)
        self.turn.edge_points = ints(source.edge_points)
        self.turn.edge_modes = mode_sets(source.edge_modes)
        self.turn.term = NULL
        if source.shared_maxima is not None:
            self.turn.shared_start = ints(source.shared_maxima.choice_start)
            self.turn.shared_offset = ints(source.shared_maxima.choice_offset)
            self.turn.run_start = ints(source.shared_maxima.run_start)
            self.turn.run = <const int32_t (*)[5]>ints(source.shared_maxima.run.reshape(-1))
            self.turn.run_weight = doubles(source.shared_maxima.weight)
            self.turn.term = ints(source.shared_maxima.term)


cdef class Stops:
    """Certain stops as the kernels read and write them: modes in which stopping is known to be optimal, by row and total.

    A row is the scores of the opponents, and a total the score with turn points added. A set of modes is a bit set.

    Args:
        stop_modes: (rows, totals) uint16 or uint64, the modes in which stopping is optimal if the value of a bust is at
            most ``max_bust`` of the row; written.
        max_bust: (rows,) written.
        always_stop: (totals,) the modes in which stopping is optimal whatever a bust is worth.
        tolerance: a bust may be worth so much more than ``max_bust``; the error bounds allow for it.
    """

    cdef kw_certain_stops stops
    cdef object stop_modes, max_bust, always_stop

    def __init__(self, stop_modes, max_bust, always_stop, double tolerance):
        self.stop_modes, self.max_bust, self.always_stop = stop_modes, max_bust, always_stop
        self.stops.width = len(always_stop)
        self.stops.is_wide = stop_modes.itemsize == 8
        self.stops.always_stop = mode_sets(always_stop)
        self.stops.stop_modes = <void *><size_t>stop_modes.ctypes.data
        self.stops.max_bust = writable_doubles(max_bust)
        self.stops.tolerance = tolerance

    def forget(self):
        """Mark no stop as certain."""
        self.stop_modes[:] = 0
        self.max_bust[:] = -np.inf
