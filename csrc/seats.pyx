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

    ctypedef struct kw_seat:
        const kw_monotone_turn *turn
        int32_t scores
        const int32_t *score_total
        const int32_t *score_number
        int32_t target
        int32_t has_wipe
        int32_t can_pass
        const int32_t *min_bank
        const int32_t *cap
        double *tables[2]
        kw_certain_stops stops[2]

    int KW_EQUILIBRIUM
    int KW_REPLIES

    ctypedef struct kw_seats:
        int32_t seats
        int32_t rows
        const double *past_target
        int64_t past_width
        int32_t has_old_values
        double tolerance[2]
        double margin
        kw_seat seat[1]  # KW_MAX_SEATS of them

    int KW_SEATS_UNSETTLED
    int KW_SEATS_HOPELESS

    int64_t kw_seats_scratch(const kw_seats *race) nogil
    void kw_seats_guess(
        const kw_seats *race, const int32_t *cycles, const int64_t *rows, int64_t count, double *z
    ) nogil
    void kw_seats_solve(
        kw_seats *race, const int32_t *cycles, const int64_t *rows, const double *z, int64_t count, int64_t *next,
        uint8_t *status, int64_t *work, double *scratch, int with_replies
    ) nogil

LANES = KW_LANES  # cycles that are solved together
MOST_SEATS = KW_MAX_SEATS

# The reasons why a cycle fails.
UNSETTLED = KW_SEATS_UNSETTLED  # the value of a zero turn did not converge
HOPELESS = KW_SEATS_HOPELESS  # a round of turns changes the scores with too small a probability


cdef class RaceSeat(Turn):
    """A seat of a race: its rules, its monotone turn and its tables, as the kernel reads and writes them.

    A position after the seat's turn is the scores of all seats, that of the next seat first and its own last. A row is the
    scores of the others that the seat faces. The seat keeps references to all arrays, not copies; ``seats_kernel.h``
    explains them.

    Args:
        turn: the monotone turn.
        rules: the rules of the seat, with these attributes:

            - ``target``; ``can_pass``: whether a player who may not bank may end the turn.
            - ``score_totals``, ``min_bank``, ``cap`` (scores,): by number of a score, the score, the fewest turn points that
              may be banked with it, and the turn points at which the table of a turn ends.
            - ``score_numbers`` (totals,): the number of each score; -1 from the target on.
            - ``always_stop``, ``stop_tolerance``: as in ``Stops``.
        table: win probabilities, which the kernel writes. From ``first_entry`` on it has those after the seat's turn:
            (rows x scores x seats,).
        stops: ``stop_modes`` and ``max_bust`` of ``Stops`` for the equilibrium, which the kernel writes.
        first_entry: where the positions after the seat's turn begin in ``table``.
    """

    cdef kw_seat seat
    cdef int32_t max_rows
    cdef int64_t first_entry
    cdef Stops equilibrium_stops, reply_stops
    cdef object references, reply_bound
    cdef double tolerance

    def __init__(self, turn, rules, table, stops, first_entry=0):
        super().__init__(turn)
        self.references = table, rules.score_totals, rules.score_numbers, rules.min_bank, rules.cap
        self.tolerance = rules.stop_tolerance
        self.first_entry = first_entry
        self.max_rows = max(rules.cap) + self.turn.max_added_points + 1
        self.seat.turn = &self.turn
        self.seat.scores = len(rules.score_totals)
        self.seat.score_total = ints(rules.score_totals)
        self.seat.score_number = ints(rules.score_numbers)
        self.seat.target = rules.target
        self.seat.has_wipe = np.any(turn.wipe_weight)
        self.seat.can_pass = rules.can_pass
        self.seat.min_bank = ints(rules.min_bank)
        self.seat.cap = ints(rules.cap)
        self.seat.tables[KW_EQUILIBRIUM] = writable_doubles(table) + self.first_entry
        self.seat.tables[KW_REPLIES] = NULL
        self.equilibrium_stops = Stops(*stops, rules.always_stop, rules.stop_tolerance)
        self.reply_stops = None
        self.seat.stops[KW_EQUILIBRIUM] = self.equilibrium_stops.stops

    cdef add_replies(self, bounds, stops):
        """Add the table of upper bounds and the certain stops of best responses, which the kernel writes."""
        self.reply_bound = bounds
        self.seat.tables[KW_REPLIES] = writable_doubles(bounds) + self.first_entry
        self.reply_stops = Stops(*stops, self.equilibrium_stops.always_stop, self.tolerance)
        self.seat.stops[KW_REPLIES] = self.reply_stops.stops

    cdef forget_stops(self):
        """Mark no stop as certain, neither of the equilibrium nor of best responses."""
        self.equilibrium_stops.forget()
        if self.reply_stops is not None:
            self.reply_stops.forget()


cdef class SeatsKernel:
    """A race of several players whose turns are monotone, ready to solve cycle by cycle.

    A cycle is the positions that zero turns lead through: all with the same scores, one for each seat to move.

    Args:
        race: the race, with these attributes:

            - ``seats``: the number of players.
            - ``tolerances``: how closely the value of a zero turn is found: in the first passes, and in later ones.
            - ``response_margin``: by how much bounds of best responses are raised, to cover rounding.
        seats: the ``RaceSeat`` of each player in the order of play, or a single one if all players are alike.
        past: (rows, totals, seats - 1) what the other seats get in a last round, if the mover banks a total from the target
            on; None if the target ends the game. A last round requires players who are alike.
    """

    cdef kw_seats race
    cdef object references, side_objects
    cdef int with_replies

    def __init__(self, race, seats, past=None):
        self.references = past
        self.side_objects = seats
        self.with_replies = False
        self.race.seats = race.seats
        self.race.rows = 0
        self.race.past_target = NULL
        if past is not None:
            self.race.past_target = doubles(flat(past))
            self.race.past_width = past.shape[1]
        self.race.has_old_values = False
        self.race.tolerance[0], self.race.tolerance[1] = race.tolerances
        self.race.margin = race.response_margin
        self.copy_seats()

    cdef copy_seats(self):
        """Copy the pointers of all seats to the race."""
        cdef RaceSeat side
        for number in range(self.race.seats):
            side = self.side_objects[number % len(self.side_objects)]
            self.race.seat[number] = side.seat
            self.race.rows = max(self.race.rows, side.max_rows)

    def start_from_table(self):
        """Read the first guesses for zero turns from the table from now on: it holds an earlier solution."""
        self.race.has_old_values = True

    def bound_best_responses(self, bounds, stops):
        """Bound best responses from now on: what each seat can reach against the turns of the others.

        Args:
            bounds: upper bounds of the win probabilities, which the kernel writes; an array like the table.
            stops: for each ``RaceSeat``, ``stop_modes`` and ``max_bust`` of ``Stops`` for best responses, which the kernel
                writes.
        """
        cdef RaceSeat side
        for side, stops_of_side in zip(self.side_objects, stops, strict=True):
            side.add_replies(bounds, stops_of_side)
        self.with_replies = True
        self.copy_seats()

    def forget_certain_stops(self):
        """Mark no stop as certain, neither of the equilibrium nor of best responses."""
        cdef RaceSeat side
        for side in self.side_objects:
            side.forget_stops()

    def guess_zero_values(self, const int32_t[:, ::1] cycles, const int64_t[:, ::1] rows):
        """Return first guesses for the value of a zero turn to each mover: (cycles, seats). The table must hold all rows.

        Args:
            cycles: (cycles, seats) the numbers of the scores, as one position of each cycle lists them: that of seat 0
                first, if players are not alike.
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
            cycles: (cycles, seats) the numbers of the scores, as one position of each cycle lists them: that of seat 0
                first, if players are not alike.
            rows: (cycles, seats) the row that each mover faces.
            zero_values: (cycles, seats) first guesses for the value of a zero turn, or None if the table holds all rows.
            next: (1,) the first cycle that no thread has taken yet; the threads count it up.
            status: (cycles,) written: 0 if the cycle is solved, else UNSETTLED or HOPELESS.

        Returns:
            The work of this thread: choices evaluated per block of lanes, and passes over a block.
        """
        cdef int64_t work[2]
        cdef double[::1] scratch = np.empty(kw_seats_scratch(&self.race))
        cdef const double *z = NULL
        if zero_values is not None:
            z = &zero_values[0, 0]
        work[0] = 0
        work[1] = 0
        with nogil:
            kw_seats_solve(
                &self.race, &cycles[0, 0], &rows[0, 0], z, cycles.shape[0], &next[0], &status[0], work, &scratch[0],
                self.with_replies
            )
        return work[0], work[1]
