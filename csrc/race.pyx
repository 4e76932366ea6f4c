# cython: language_level=3, boundscheck=False, wraparound=False
"""Bounds for the values of a two-player race whose turns are monotone: the interface to ``race_kernel.c``.

The equations stand in ``race_kernel.h``, their proof in ``keepwise.solvers.push.race_solver``, and the algorithm for one
turn in ``monotone_turn.h``.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

include "monotone_turn.pxi"

cdef extern from "lanes.h":
    int KW_LANES

cdef extern from "race_kernel.h":
    ctypedef struct kw_race:
        int32_t states
        int32_t columns
        int32_t rows
        int32_t bust_counts
        kw_certain_stops stops
        double *pay
        double *gap
        const int32_t *total
        const int32_t *column
        const int32_t *bust_column
        const int32_t *wipe_column
        const int32_t *bust_count
        const int32_t *min_bank
        const int32_t *cap
        const int32_t *last_total
        const int32_t *next_state
        int32_t has_wipe
        int32_t can_pass
        int32_t takeover_dice
        double *takeover[2]
        int64_t takeover_offers
        const int32_t *max_takeover
        int32_t no_gaps
        int32_t prune_choices
        double tolerance[2]
        double margin[2]
        const int32_t *has_score
        const double *last_takeover
        int64_t lead_span
        int64_t last_points
        double *slope

    int KW_SOLVED
    int KW_UNSETTLED
    int KW_HOPELESS
    int KW_LOOSE

    ctypedef struct kw_race_side:
        const kw_monotone_turn *turn
        kw_race *race

    int64_t kw_race_scratch(const kw_race_side *sides) nogil
    void kw_race_solve(
        const kw_race_side *sides, const int32_t (*pairs)[2], const int64_t *unit_start, const int64_t *ready,
        int64_t last, int64_t *shared, int64_t *work, double *scratch
    ) nogil

LANES = KW_LANES  # pairs of states in a unit
MOST_MODES = KW_MAX_MODES  # modes of a turn

# The reasons why a unit fails.
UNSETTLED = KW_UNSETTLED  # the value of a zero turn did not converge
HOPELESS = KW_HOPELESS  # the scores of the pair change with too small a probability
LOOSE = KW_LOOSE  # the gap is too wide to be useful

# The entries of the array that all threads share.
cdef enum:
    NEXT_UNIT
    UNITS_DONE
    FAILED_UNIT  # -1 if none failed
    FAILURE  # the reason


cdef class RaceSide(Turn):
    """The race as one player sees it, the mover, with this player's turn; both as the kernel reads them.

    It keeps references to all arrays, not copies; ``race_kernel.h`` explains them.

    Args:
        turn: the player's monotone turn.
        race: the race, with these attributes:

            - ``states``: by name, an array (states,) for each property of a state of the player.
            - ``pay``, ``gap`` (opponent's states, columns): tables that the kernel writes. ``pay`` is 1 minus the lower
              bound of the opponent's value, and ``gap`` the upper minus the lower bound, by the state of the opponent, who
              moves next, and by what the mover leaves.
            - ``takeover`` (2, states, offers, dice): the same of banks whose dice the opponent may take over; written. None
              if dice are not taken over.
            - ``last_takeover`` (2, leads, points, dice): payoffs of banks that are taken over in a last turn, or None.
            - ``certain_stops``: the arrays of ``Stops`` that the kernel writes; ``always_stop`` and ``stop_tolerance``:
              those that it reads.
            - ``slope`` like ``pay``: the slopes of turns, if zero turns are to be found with secants; written. Otherwise
              None.
            - ``max_cap``: the most turn points at which the table of a turn ends.
            - ``can_pass``: whether a player who may not bank may end the turn.
    """

    cdef kw_race race
    cdef Stops stops
    cdef object references
    cdef bint has_dominated_choices

    def __init__(self, turn, race):
        super().__init__(turn)
        states = race.states
        self.references = states, race.pay, race.gap, race.takeover, race.last_takeover, race.slope
        self.has_dominated_choices = len(turn.class_start) > self.turn.modes + 1
        self.stops = Stops(*race.certain_stops, race.always_stop, race.stop_tolerance)
        self.race.stops = self.stops.stops
        self.race.states = race.pay.shape[0]
        self.race.columns = race.pay.shape[1]
        self.race.rows = race.max_cap + self.turn.max_added_points + 1
        self.race.bust_counts = len(race.certain_stops[1]) // self.race.states
        self.race.pay = writable_doubles(flat(race.pay))
        self.race.gap = writable_doubles(flat(race.gap))
        self.race.slope = NULL if race.slope is None else writable_doubles(flat(race.slope))
        self.race.total = ints(states.total)
        self.race.column = ints(states.column)
        self.race.bust_column = ints(states.bust_column)
        self.race.wipe_column = ints(states.wipe_column)
        self.race.bust_count = ints(states.bust_count)
        self.race.min_bank = ints(states.min_bank)
        self.race.cap = ints(states.cap)
        self.race.last_total = ints(states.last_total)
        self.race.next_state = ints(states.next_state)
        self.race.max_takeover = ints(states.max_takeover)
        self.race.has_score = ints(states.has_score)
        self.race.has_wipe = np.any(turn.wipe_weight)
        self.race.can_pass = race.can_pass
        self.race.takeover_dice = 0
        if race.takeover is not None:
            self.race.takeover_offers = race.takeover.shape[2]
            self.race.takeover_dice = race.takeover.shape[3]
            self.race.takeover[0] = writable_doubles(flat(race.takeover[0]))
            self.race.takeover[1] = writable_doubles(flat(race.takeover[1]))
        self.race.last_takeover = NULL
        if race.last_takeover is not None:
            self.race.lead_span = (race.last_takeover.shape[1] + 1) // 2  # leads go from 1 - span to span - 1
            self.race.last_points = race.last_takeover.shape[2]
            self.race.last_takeover = doubles(flat(race.last_takeover))


cdef class RaceKernel:
    """A race whose turns are monotone, ready to solve unit by unit.

    A unit is up to LANES pairs of states of one layer, that of the first side and that of the second, which are solved
    together. The position in which the second side moves is solved with that in which the first moves.

    Args:
        units: three arrays: the pairs (pairs, 2), as the states of the two sides; where the pairs of each unit begin,
            (units + 1,); and the number of units that must be done before each unit, (units,).
        sides: the race as each of the two players sees it, or only one side if both players have the same rules.
    """

    cdef kw_race_side sides[2]
    cdef object side_objects
    cdef const int32_t[:, ::1] pairs
    cdef const int64_t[::1] unit_start, ready
    cdef int64_t[::1] shared

    def __init__(self, units, *sides):
        cdef RaceSide side
        self.side_objects = sides
        self.pairs, self.unit_start, self.ready = units
        self.shared = np.array([0, 0, -1, KW_SOLVED], dtype=np.int64)  # NEXT_UNIT, UNITS_DONE, FAILED_UNIT, FAILURE
        for number in range(2):
            side = sides[number % len(sides)]
            self.sides[number].turn = &side.turn
            self.sides[number].race = &side.race

    def restart(self, tolerances, margins, no_gaps, prune_choices):
        """Begin again at the first unit, with the current contents of the tables and no certain stops.

        Args:
            tolerances: how closely the value of a zero turn is found: in the first passes, and in later ones.
            margins: by how much the value of a turn is raised, for each tolerance.
            no_gaps: leave out gaps and margins, for sweeps that only approach the values.
            prune_choices: skip dominated choices, if the turn lists them; with gaps, only where the payoffs grow.
        """
        cdef RaceSide side
        for side in self.side_objects:
            side.race.no_gaps = no_gaps
            side.race.prune_choices = prune_choices and side.has_dominated_choices
            side.race.tolerance[0], side.race.tolerance[1] = tolerances
            side.race.margin[0], side.race.margin[1] = margins
            side.stops.forget()
        self.shared[NEXT_UNIT] = 0
        self.shared[UNITS_DONE] = 0

    @property
    def failed(self):
        """The first unit that failed and the reason (UNSETTLED, HOPELESS or LOOSE), or None."""
        if self.shared[FAILED_UNIT] < 0:
            return None
        return int(self.shared[FAILED_UNIT]), int(self.shared[FAILURE])

    def solve(self, int64_t last):
        """Solve units together with all other threads that call this, without the GIL.

        Args:
            last: the units before this one are solved.

        Returns:
            The work of this thread: choices evaluated per block of lanes, and passes over a unit.
        """
        cdef int64_t work[2]
        cdef double[::1] scratch = np.empty(kw_race_scratch(self.sides))
        work[0] = 0
        work[1] = 0
        with nogil:
            kw_race_solve(
                self.sides, <const int32_t (*)[2]>&self.pairs[0, 0], &self.unit_start[0], &self.ready[0], last,
                &self.shared[0], work, &scratch[0]
            )
        return work[0], work[1]
