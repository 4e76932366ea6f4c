# cython: language_level=3, boundscheck=False, wraparound=False
"""Games of touching a piece, then taking or passing it: the interface to ``touch_kernel.c``.

With A the values of the board after a take, x the place on the axis and p the passes in a row,

    take[z, f, x] = holds[z, f] A[x + gain_z] + trips[z, f] A[x + trip]
    run[limit, x] = max_z sum_f chance[z, f] take[z, f, x]
    run[p, x]     = max_z sum_f chance[z, f] max(take[z, f, x], sign run[p + 1, sign x])

for sizes z and feels f; ``touch_kernel.h`` explains them.
"""

from libc.stdint cimport int32_t, int64_t

import numpy as np

cdef extern from "touch_kernel.h":
    int KW_SIZES
    int KW_MAX_FEELS

    ctypedef struct kw_touch_game:
        int32_t board[3]
        int32_t end_pieces
        int32_t max_passes
        int32_t in_order
        int32_t sign
        int32_t feels
        int32_t gain[3]
        int32_t trip_shift
        int32_t min_place
        int32_t max_place
        int32_t max_down
        int32_t max_up
        int64_t origin
        int64_t width
        double chance[3][8]
        double hold_chance[3][8]
        double trip_chance[3][8]

    int64_t kw_touch_scratch(const kw_touch_game *game) nogil
    void kw_touch_solve(const kw_touch_game *game, const double *end, double *after, double *scratch) nogil

FEELS = KW_MAX_FEELS  # the most feels of a game


cdef class TouchKernel:
    """A game of touching, ready to solve. ``keepwise.solvers.touch.score_axis`` makes and checks the arguments.

    Args:
        board, gain: (sizes,) pieces at the start; places that a take moves if the bar holds.
        last: the game ends when so many pieces are left.
        limit: passes in a row after which the piece must be taken.
        in_order: only the smallest size left may be touched.
        sign: -1 if players take turns, 1 for a solitaire.
        trip: places that a trip moves.
        low, high: the places to solve for the whole board.
        down, up: the most places that one piece moves, in either direction.
        origin, width: index of place 0 on the axis, and its length.
        chance, holds, trips: (sizes, feels) probabilities of a feel, and that the bar holds or trips.
    """

    cdef kw_touch_game game

    def __init__(
        self, *, board, int last, int limit, bint in_order, int sign, gain, int trip, int low, int high, int down,
        int up, int origin, int width, const double[:, ::1] chance, const double[:, ::1] holds,
        const double[:, ::1] trips
    ):
        self.game.end_pieces, self.game.max_passes = last, limit
        self.game.in_order, self.game.sign = in_order, sign
        self.game.trip_shift, self.game.min_place, self.game.max_place = trip, low, high
        self.game.max_down, self.game.max_up, self.game.origin, self.game.width = down, up, origin, width
        self.game.feels = <int32_t>chance.shape[1]
        cdef int size, feel
        for size in range(KW_SIZES):
            self.game.board[size] = board[size]
            self.game.gain[size] = gain[size]
            for feel in range(chance.shape[1]):
                self.game.chance[size][feel] = chance[size, feel]
                self.game.hold_chance[size][feel] = holds[size, feel]
                self.game.trip_chance[size][feel] = trips[size, feel]

    def solve(self, const double[::1] end, double[:, :, :, ::1] after):
        """Solve all boards without the GIL.

        Args:
            end: (width,) payoff of the end of the game to the player who has just moved.
            after: (large, medium, small, width) written: the value of every position to the player who has just moved.
        """
        cdef double[::1] scratch = np.empty(kw_touch_scratch(&self.game))
        with nogil:
            kw_touch_solve(&self.game, &end[0], &after[0, 0, 0, 0], &scratch[0])
