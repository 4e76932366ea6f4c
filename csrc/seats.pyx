# cython: language_level=3, boundscheck=False, wraparound=False
"""Equilibria and best responses of a race of three and more players: the interface to ``seats_kernel.c``.

The algorithm for a cycle of positions stands in ``seats_kernel.h``, the equations of all layers in
``keepwise.solvers.push.multiplayer_sweep``, and the algorithm for one turn in ``monotone_turn.h``.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

import numpy as np

include "monotone_turn.pxi"

cdef extern from "lanes.h":
    int KW_LANES

cdef extern from "seats_kernel.h":
    int KW_MAX_SEATS

    ctypedef struct kw_seats:
        int32_t seats
        int32_t scores
        int32_t rows
        double *win
        double *reply_bound
        const int32_t *score_total
        const int32_t *score_number
        int32_t target
        const double *past_target
        int64_t past_width
        int32_t has_wipe
        int32_t can_pass
        int32_t has_old_values
        const int32_t *min_bank
        const int32_t *cap
        double tolerance[2]
        double margin
        kw_certain_stops stops[2]

    int KW_SEATS_UNSETTLED
    int KW_SEATS_HOPELESS

    int64_t kw_seats_scratch(const kw_monotone_turn *turn, const kw_seats *race) nogil
    void kw_seats_guess(
        const kw_seats *race, const int32_t *cycles, const int64_t *rows, int64_t count, double *z
    ) nogil
    void kw_seats_solve(
        const kw_monotone_turn *turn, kw_seats *race, const int32_t *cycles, const int64_t *rows, const double *z,
        int64_t count, int64_t *next, uint8_t *status, int64_t *work, double *scratch, int with_replies
    ) nogil

LANES = KW_LANES  # cycles that are solved together
MOST_SEATS = KW_MAX_SEATS

# The reasons why a cycle fails.
UNSETTLED = KW_SEATS_UNSETTLED  # the value of a zero turn did not converge
HOPELESS = KW_SEATS_HOPELESS  # a round of turns changes the scores with too small a probability


cdef class SeatsKernel(Turn):
    """A race of several players and its monotone turn, ready to solve cycle by cycle.

    A position is the scores of all seats from the mover on. A cycle is the positions that zero turns lead through: the
    rotations of one position. A row is the scores of the others that a mover faces. The kernel keeps references to all
    arrays, not copies; ``seats_kernel.h`` explains them.

    Args:
        turn: the monotone turn.
        race: the race, with these attributes:

            - ``seats``, ``target``; ``can_pass``: whether a player who may not bank may end the turn.
            - ``score_totals``, ``min_bank``, ``cap`` (scores,): by number of a score, the score, the fewest turn points that
              may be banked with it, and the turn points at which the table of a turn ends.
            - ``score_numbers`` (totals,): the number of each score; -1 from the target on.
            - ``tolerances``: how closely the value of a zero turn is found: in the first passes, and in later ones.
            - ``response_margin``: by how much bounds of best responses are raised, to cover rounding.
            - ``always_stop``, ``stop_tolerance``: as in ``Stops``.
        table: (rows x scores x seats,) win probabilities, which the kernel writes.
        past: (rows, totals, seats - 1) what the other seats get in a last round, if the mover banks a total from the target
            on; None if the target ends the game.
        stops: ``stop_modes`` and ``max_bust`` of ``Stops`` for the equilibrium, which the kernel writes.
    """

    cdef kw_seats race
    cdef Stops equilibrium_stops, reply_stops
    cdef object references, reply_bound
    cdef double tolerance

    def __init__(self, turn, race, table, past, stops):
        super().__init__(turn)
        self.references = table, past, race.score_totals, race.score_numbers, race.min_bank, race.cap
        self.tolerance = race.stop_tolerance
        self.race.seats = race.seats
        self.race.scores = len(race.score_totals)
        self.race.rows = max(race.cap) + self.turn.max_added_points + 1
        self.race.win = writable_doubles(table)
        self.race.reply_bound = NULL
        self.race.score_total = ints(race.score_totals)
        self.race.score_number = ints(race.score_numbers)
        self.race.target = race.target
        self.race.past_target = NULL
        if past is not None:
            self.race.past_target = doubles(flat(past))
            self.race.past_width = past.shape[1]
        self.race.has_wipe = np.any(turn.wipe_weight)
        self.race.can_pass = race.can_pass
        self.race.has_old_values = False
        self.race.min_bank = ints(race.min_bank)
        self.race.cap = ints(race.cap)
        self.race.tolerance[0], self.race.tolerance[1] = race.tolerances
        self.race.margin = race.response_margin
        self.equilibrium_stops = Stops(*stops, race.always_stop, race.stop_tolerance)
        self.reply_stops = None
        self.race.stops[0] = self.equilibrium_stops.stops

    def start_from_table(self):
        """Read the first guesses for zero turns from the table from now on: it holds an earlier solution."""
        self.race.has_old_values = True

    def bound_best_responses(self, bounds, stops):
        """Bound best responses from now on: what each seat can reach against the turns of the others.

        Args:
            bounds: (rows x scores x seats,) upper bounds of the win probabilities, which the kernel writes.
            stops: ``stop_modes`` and ``max_bust`` of ``Stops`` for best responses, which the kernel writes.
        """
        self.reply_bound = bounds
        self.race.reply_bound = writable_doubles(bounds)
        self.reply_stops = Stops(*stops, self.equilibrium_stops.always_stop, self.tolerance)
        self.race.stops[1] = self.reply_stops.stops

    def forget_certain_stops(self):
        """Mark no stop as certain, neither of the equilibrium nor of best responses."""
        self.equilibrium_stops.forget()
        if self.reply_stops is not None:
            self.reply_stops.forget()

    def guess_zero_values(self, const int32_t[:, ::1] cycles, const int64_t[:, ::1] rows):
        """Return first guesses for the value of a zero turn to each mover: (cycles, seats). The table must hold all rows.

        Args:
            cycles: (cycles, seats) the numbers of the scores, as one position of each cycle lists them.
            rows: (cycles, seats) the row that each mover faces.
        """
        guesses = np.empty((cycles.shape[0], cycles.shape[1]))
        cdef double[:, ::1] z = guesses
        with nogil:
            kw_seats_guess(&self.race, &cycles[0, 0], &rows[0, 0], cycles.shape[0], &z[0, 0])
        return guesses

    def solve(
        self, const int32_t[:, ::1] cycles, const int64_t[:, ::1] rows, const double[:, ::1] zero_values, int64_t[::1] next,
        uint8_t[::1] status
    ):
        """Solve cycles of one layer together with all other threads that call this with the same ``next``.

        The GIL is released.

        Args:
            cycles: (cycles, seats) the numbers of the scores, as one position of each cycle lists them.
            rows: (cycles, seats) the row that each mover faces.
            zero_values: (cycles, seats) first guesses for the value of a zero turn, or None if the table holds all rows.
            next: (1,) the first cycle that no thread has taken yet; the threads count it up.
            status: (cycles,) written: 0 if the cycle is solved, else UNSETTLED or HOPELESS.

        Returns:
            The work of this thread: choices evaluated per block of lanes, and passes over a block.
        """
        cdef int64_t work[2]
        cdef double[::1] scratch = np.empty(kw_seats_scratch(&self.turn, &self.race))
        cdef int with_replies = self.race.reply_bound != NULL
        cdef const double *z = NULL
        if zero_values is not None:
            z = &zero_values[0, 0]
        work[0] = 0
        work[1] = 0
        with nogil:
            kw_seats_solve(
                &self.turn, &self.race, &cycles[0, 0], &rows[0, 0], z, cycles.shape[0], &next[0], &status[0], work,
                &scratch[0], with_replies
            )
        return work[0], work[1]
