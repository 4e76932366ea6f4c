# cython: language_level=3, boundscheck=False, wraparound=False
"""Games of touching a piece, then taking or passing it: the interface to ``touch_kernel.c``.

With A the values of the board after a take, x the place on the axis and p the passes in a row,

    take[z, f, x]      = hold_chance[z, f] A[x + gain_z] + trip_chance[z, f] A[x + trip_shift]
    run[max_passes, x] = max_z sum_f chance[z, f] take[z, f, x]
    run[p, x]          = max_z sum_f chance[z, f] max(take[z, f, x], sign run[p + 1, sign x])

for sizes z and feels f. A value is the payoff to the player to move; A, that to the player who has just moved. ``sign`` is -1
if players take turns and 1 in a solitaire. ``touch_kernel.h`` explains the equations.
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

MAX_FEELS = KW_MAX_FEELS  # the most feels of a game


cdef class TouchKernel:
    """A game of touching, ready to solve. ``keepwise.solvers.touch.score_axis`` makes and checks the arguments.

    Args:
        board, gain: (sizes,) pieces at the start; places that a take moves if the bar holds.
        end_pieces: the game ends when so many pieces are left.
        max_passes: passes in a row after which the piece must be taken.
        in_order: only the smallest size left may be touched.
        sign: -1 if players take turns, 1 for a solitaire.
        trip_shift: places that a trip moves.
        min_place, max_place: the places to solve for the whole board. Each piece that is gone widens this range.
        max_down, max_up: the most places that one piece moves, in either direction.
        origin, width: index of place 0 on the axis, and its length.
        chance, hold_chance, trip_chance: (sizes, feels) probabilities of a feel, and that the bar holds or trips.
    """

    cdef kw_touch_game game

    def __init__(
        self, *, board, int end_pieces, int max_passes, bint in_order, int sign, gain, int trip_shift, int min_place,
        int max_place, int max_down, int max_up, int origin, int width, const double[:, ::1] chance,
        const double[:, ::1] hold_chance, const double[:, ::1] trip_chance
    ):
        self.game.end_pieces = end_pieces
        self.game.max_passes = max_passes
        self.game.in_order = in_order
        self.game.sign = sign
        self.game.trip_shift = trip_shift
        self.game.min_place = min_place
        self.game.max_place = max_place
        self.game.max_down = max_down
        self.game.max_up = max_up
        self.game.origin = origin
        self.game.width = width
        self.game.feels = <int32_t>chance.shape[1]
        cdef int size, feel
        for size in range(KW_SIZES):
            self.game.board[size] = board[size]
            self.game.gain[size] = gain[size]
            for feel in range(chance.shape[1]):
                self.game.chance[size][feel] = chance[size, feel]
                self.game.hold_chance[size][feel] = hold_chance[size, feel]
                self.game.trip_chance[size][feel] = trip_chance[size, feel]

    def solve(self, const double[::1] end, double[:, :, :, ::1] after):
        """Solve all boards by retrograde analysis, without the GIL.

        Args:
            end: (width,) payoff of the end of the game to the player who has just moved.
            after: (large, medium, small, width) written: the value of every position to the player who has just moved.
        """
        cdef double[::1] scratch = np.empty(kw_touch_scratch(&self.game))
        with nogil:
            kw_touch_solve(&self.game, &end[0], &after[0, 0, 0, 0], &scratch[0])
