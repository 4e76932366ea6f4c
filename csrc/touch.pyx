# cython: language_level=3, boundscheck=False, wraparound=False
"""Arrays in, arrays out around touch_kernel.c: touch, then take or pass. See touch_kernel.h.

With A the value of a take that holds, B of one that trips, x the place on the axis and p the passes in a row:

    take[z, f, x] = (1 - trip[z, f]) A[x + gain_z] + trip[z, f] B[x + trip]
    run[limit, x] = max_z sum_f chance[z, f] take[z, f, x]
    run[p, x]     = max_z sum_f chance[z, f] max(take[z, f, x], sign run[p + 1, sign x])
"""

from libc.stdint cimport int32_t, int64_t

import numpy as np

cdef extern from "touch_kernel.h":
    int KW_SIZES
    int KW_FEELS

    ctypedef struct kw_touch_game:
        int32_t board[3]
        int32_t last
        int32_t limit
        int32_t in_order
        int32_t sign
        int32_t feels
        int32_t gain[3]
        int32_t trip
        int32_t low
        int32_t high
        int32_t down
        int32_t up
        int64_t origin
        int64_t width
        double chance[3][8]
        double holds[3][8]
        double trips[3][8]

    int64_t kw_touch_scratch(const kw_touch_game *game) nogil
    void kw_touch_solve(const kw_touch_game *game, const double *end, double *after, double *scratch) nogil

FEELS = KW_FEELS  # most feels


cdef class TouchKernel:
    """A board's numbers, held for the kernel. ``keepwise.solvers.touch.score_axis`` makes and checks them."""

    cdef kw_touch_game game

    def __init__(
        self, *, board, int last, int limit, bint in_order, int sign, gain, int trip, int low, int high, int down,
        int up, int origin, int width, const double[:, ::1] chance, const double[:, ::1] holds,
        const double[:, ::1] trips
    ):
        self.game.last, self.game.limit, self.game.in_order, self.game.sign = last, limit, in_order, sign
        self.game.trip, self.game.low, self.game.high = trip, low, high
        self.game.down, self.game.up, self.game.origin, self.game.width = down, up, origin, width
        self.game.feels = <int32_t>chance.shape[1]
        cdef int size, feel
        for size in range(KW_SIZES):
            self.game.board[size] = board[size]
            self.game.gain[size] = gain[size]
            for feel in range(chance.shape[1]):
                self.game.chance[size][feel] = chance[size, feel]
                self.game.holds[size][feel] = holds[size, feel]
                self.game.trips[size][feel] = trips[size, feel]

    def solve(self, const double[::1] end, double[:, :, :, ::1] after):
        """Write every position's worth to the player who has just moved; without the interpreter's lock."""
        cdef double[::1] scratch = np.empty(kw_touch_scratch(&self.game))
        with nogil:
            kw_touch_solve(&self.game, &end[0], &after[0, 0, 0, 0], &scratch[0])
