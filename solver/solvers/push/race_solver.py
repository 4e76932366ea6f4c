"""Retrograde analysis of a race of two players: the chance to win from every pair of scores.

Let V(a, b) be the chance to win of the player to move, who has a points against b. A turn passes the move to the
opponent, so its payoffs are

    P[bank t] = 1 - V(b, a + t);   P[bust] = z = 1 - V(b, a),

where V(b, x) = 0 for a total x that wins. With ``finish=last_round`` it is the chance of the opponent's last turn
against x (``last_round``). In the code ``pay[b, T]`` is the payoff of a bank that leads to the total T against b.

*Zero turns.* A turn adds to the total a + b, or it is a zero turn. So layers of equal total are solved from the highest
down. Within a layer each pair has to satisfy

    x = f(1 - y),  y = g(1 - x)     with x = V(a, b), y = V(b, a) and f, g the values of the turns as functions of z.

f and g are maxima over policies of linear functions of z; the slope is the probability of a zero turn. Newton's method
solves the linear equations of the current policies, and fixed-point iteration is the fallback. The first guess comes
from second differences along both scores. It nearly always selects the final policies, so the second pass confirms it.
(Fang, Glenn & Kruskal, Retrograde Approximation Algorithms for Jeopardy Stochastic Games, ICGA J. 2008; Crocce &
Mordecki, A Non-Iterative Algorithm for Generalized Pig Games, J. Dynamics & Games 2018.)

*Error bound.* The solve computes an upper bound hi and the gap w, so that lo = hi - w is a lower bound. Let d exceed
the rounding error of one turn plus the tolerance of zero turns:

    hi(a, b) = f(1 - lo(b, .)) + d,
    w(a, b) = 2 d + sum over the totals T that the turn banks of  P(T) w(b, T) + P(zero turn) w(b, a).

The probabilities are those of the choices that f makes, from a second channel. Then lo <= V <= hi (docs/exactness.md,
"How a solver finds them"). The table holds the midpoints. An answer inside a turn is one turn away from the table, so
the error bound is half the largest gap plus the rounding of one turn. The four unknowns of a pair (hi and w of both
sides) are linear in each other for fixed policies, so one pass serves all of them. Choices that tie can have different
gaps, though, and passes may alternate between them. The proof only needs w to be at least the right side of the second
equation. So if a pair has not settled after some passes, its gaps are frozen until the values settle. Then they grow
only where they are too small.

Two kinds of races have no such bound, and the solve raises SolveError. In one, a pair of zero turns recurs with a
probability that double precision cannot tell from 1 (an opening of 10,000 in one turn). In the other, neither player
wants to score (with an exact finish fewer points can be better).

*Certain stops.* For one opponent's score b, a turn in mode m with the mover's total T = a + t depends on T and on the
value z of a bust only. A bank pays 1 - V(b, T); the choices before an exact target and the cap depend on T. Let
C(m, T; z) be the value of rolling. It is a maximum of linear functions that rise with z, so it rises with z. If
stopping was best at (m, T) for a bust worth z', then for every z <= z'

    1 - V(b, T) >= C(m, T; z') >= C(m, T; z),

so stopping is best for z too, and need not be evaluated. This holds bit for bit, because rounded sums, products and
quotients of positive numbers are monotone. A higher score a' of the mover has the same b, is solved earlier and nearly
always has the larger z'; the solve compares the two, and evaluates if it does not. A bank that counts from a' also
counts from a, except for the opening at a = 0: there the mode is evaluated until the bank counts. Points past certain
stops are not evaluated either. The argument requires turn points that only grow until the turn ends;
``turns.monotone_turn`` refuses other turns. If z exceeds z' by less than CERTAIN (on plateaus, where more points are
worth nothing), the stop still counts as certain. A wrong stop ends the turn and loses less than CERTAIN once, which d
includes.

*Losses.* If a roll can wipe the score or busts cost points, the race is one component: a loss leads to a layer that is
solved later. Sweeps over all layers repeat until hi and lo lie between their guesses, up to d (``anderson``). In one
sweep the payoff of a wipe is a constant for each b. So C is one function of m, T and z for all scores of the mover
above 0, and certain stops are shared among them; each sweep begins without any. Among choices that lead to certain
stops, and among those that lead to the same mode, sweeps for the midpoint compare only the one with the most points, if
more points are never worse. The sweep that proves the gaps does so from the turn points on from which payoffs grow in
the table. From there the value of every mode grows too, by induction over the rows. So the choices that are left out
cannot exceed the maximum of the others. From a score of 0 a wipe is a zero turn, and below 0 it leads to a solved
state; such scores share no certain stops. With take-over the payoff of a bank depends on more than the total: no stop
is certain.

Start reading at ``solve_race``, then ``RaceSolver.solve_layers``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.race import HOPELESS, LANES, LOOSE, RaceKernel, RaceSide
from ...games.push_rules import WIN, WIPE
from ...turns.monotone_turn import MonotoneTurn
from ...turns.push_turn import Doubles
from ...util.errors import SolveError
from ...util.progress_reporting import ProgressCallback
from ..anderson import LATE_PATIENCE, AndersonMixing, iterate_to_fixed_point
from ..model import Ints
from ..reference_solver import (
    INITIAL_GAP_SLACK,
    LOST_SCORES_MESSAGE,
    MAX_ERROR_BOUND,
    MAX_SWEEPS,
    NO_BOUND_MESSAGE,
    zero_turn_tolerances,
)
from ..rounding_bounds import turn_rounding_bound
from .model import RaceModel, group_by_descending_keys

if TYPE_CHECKING:
    from ...util.threads import ThreadPool

FIRST_GAP_FACTOR = 2.25  # first gaps of a race with losses, as a multiple of the gaps of the same race without losses
FEW_SWEEPS = 8  # sweeps to prove gaps around a midpoint that has hardly settled
CERTAIN_STOP_LOSS = 2.0**-51  # largest loss of a stop that counts as certain although its bust is worth a little more
MIN_CHOICES_FOR_THREADS = 20_000_000  # empirical: choices in a race from which threads gain more than they cost
CHOICES_PER_PART = 200_000_000  # choices between two progress reports, at which a solve can be interrupted
SUM_ROUNDING = 2.0**-51  # more than sums with d round, for values up to 1
GUESS_TOLERANCE = 2.0**-20  # change at which zero turns count as settled in the race without losses, a first guess
FIRST_TOTALS = 0.3  # empirical: share of the totals, from the highest on, that are swept alone before the first sweep
FIRST_SWEEPS = 3  # over these totals
TYPICAL_SWEEPS = 10  # over a race with losses, for the progress display

# Maps midpoints and gaps of the values that are read early to those that follow from them.
Sweep = Callable[[Doubles, Doubles], tuple[Doubles, Doubles]]


class RaceStates(NamedTuple):
    """Arrays that the race kernel reads, each with one number for every own state (``csrc/race_kernel.h``).

    A column is an index in the second axis of ``RaceSolver.pay``: the total that a player leaves, from the lowest score
    on, or a state with busts in a row.

    Attributes:
        total: the column of the state's score, with no busts in a row.
        column: the column of the state itself.
        bust_column, wipe_column: the column of the state after a bust, and after a wipe.
        bust_count: busts in a row.
        min_bank: the fewest points of a bank that counts.
        cap: the cap of a turn that begins in the state.
        last_total: the total up to which the table of a turn against an opponent in the state goes at least.
        next_state: the state with the next higher score and the same busts in a row, for first guesses.
        max_takeover: the most turn points that the player may take over.
        has_score: 1 if the score is above 0.
    """

    total: NDArray[np.int32]
    column: NDArray[np.int32]
    bust_column: NDArray[np.int32]
    wipe_column: NDArray[np.int32]
    bust_count: NDArray[np.int32]
    min_bank: NDArray[np.int32]
    cap: NDArray[np.int32]
    last_total: NDArray[np.int32]
    next_state: NDArray[np.int32]
    max_takeover: NDArray[np.int32]
    has_score: NDArray[np.int32]


class RaceUnits(NamedTuple):
    """All pairs of states in the order of solving, cut into units that the race kernel solves in one call.

    A unit is up to LANES pairs of one layer. A pair is the own states of both players, either of whom may be to move.

    Attributes:
        pairs: (pairs, 2), the two states of each pair.
        starts: (units + 1,), the index of the first pair of each unit, and the number of pairs.
        ready: (units,), for each unit, how many units must be solved before it: those of all earlier layers.
    """

    pairs: NDArray[np.int32]
    starts: Ints
    ready: Ints


class _EarlyCells(NamedTuple):
    """Where the values of early states, which are read before they are solved, stand in the tables ``pay`` and ``gap``.

    Attributes:
        rows: (cells,), the own state of the next mover, which is the index in the first axis.
        states: (cells,), the own state of the player who has lost points.
        columns: (cells,), the columns of these states, the indices in the second axis.
    """

    rows: Ints
    states: Ints
    columns: Ints


class RaceSolver:
    """Solution of all layers of a race, the highest total first, with the arrays that the kernel works on.

    What a mover leaves is a *column* of the tables: its total T, from the lowest score on. If busts in a row count, a
    column for every own state follows, which is used by states with such busts. The chance of the opponent b, who moves
    next, lies between lo(b, T) and hi(b, T). *Early* values are read before they are solved, because scores can be
    lost.

    Attributes:
        race: the equations of a race of two; ``race.states`` are the states of one player.
        pay: (opponent's states, columns), 1 - lo(b, T): an upper bound of the mover's chance.
        gap: (opponent's states, columns), hi(b, T) - lo(b, T).
        states: what the kernel reads of each state.
        state_columns: by state, its column.
        order: all pairs of states in the order of solving, cut into units of up to LANES pairs.
        kernel: the compiled solver of units, which reads and writes these tables.
        certain_stops: by row, sets of modes by total, and the value of a bust for which they were proved.
        always_stop: by total, the modes, as bits, in which a turn has to stop.
        last_takeover: what banks pay that can be taken over in a last turn; None if there are none.
        max_cap, can_pass: the largest cap of a turn, and whether a player who may not bank may end the turn; both are
            for the kernel.
        threads: the number of threads.
        part_count: the number of parts of a solve; progress is reported after each.
        progress: called with the share of the work that is done.
        tolerances: the change at which a zero turn's value counts as settled, in the first passes and in later ones.
        margins: by how much a turn's upper bound is raised, in the first passes and in later ones.
        allowed_change: what sweeps may still change once gaps are proved, in a race with losses.
        prunes_choices: whether sweeps may leave out dominated choices, where more points are worth more. It has no
            effect if the turn has no lists without them.
        takeover: (2, states, offers, dice), pay (index 0) and gap (index 1) of banks that the opponent may take over;
            None if nothing can be.
        choice_count: the number of choices compared; a choice in a block of lanes is counted once.
        pass_count: the number of passes over a unit of pairs.
        sweep_count: the number of sweeps over all layers, in a race with losses.
        win: once solved, the mover's chance to win by the mover's and the opponent's state, within ``error_bound``.
        taken: the same for offers to take over: by the mover's state, the offer (``RaceModel.offer_states``), and the
            dice left less 1.
        slope: None, because the kernel finds slopes with the values; other races of two give it a table of them.
        error_bound: a bound of the error of ``win`` and ``taken``, and of values inside turns.
    """

    win: Doubles
    taken: Doubles | None = None
    slope: Doubles | None = None
    error_bound: float
    certain_stops: tuple[NDArray[Any], Doubles]
    stop_tolerance = CERTAIN_STOP_LOSS

    def __init__(self, race: RaceModel, threads: int, progress: ProgressCallback, is_first_guess: bool = False) -> None:
        """Allocate the tables and find the tolerances.

        Args:
            race: the equations of a race of two.
            threads: the largest number of threads to use.
            progress: called with the fraction of the work that is done.
            is_first_guess: whether the values are only a first guess for a race with losses, and need not settle
                closely.
        """
        self.race = race
        self.progress = progress
        self.max_cap = race.max_cap
        self.can_pass = race.states.rules.can_end_with_nothing
        # A choice is dominated by one with more points, unless more points can be worse. With a last round it can be
        # better not to reach the target yet, points that are left with dice help the next player, and an exact target
        # can be missed.
        more_points_are_never_worse = not (race.last_round or race.dice or race.states.is_exact)
        # The lists without dominated choices pay in the sweeps of races with losses, which have cyclic components.
        # Classes have another order in them, so sums round differently: other races do without.
        is_swept = race.has_cyclic_components or is_first_guess
        lists_undominated_choices = is_swept and more_points_are_never_worse
        turn = MonotoneTurn(race.states.turn, win=WIN, wipe=WIPE, lists_undominated_choices=lists_undominated_choices)
        self._allocate(turn)
        self.kernel = RaceKernel(self.order, RaceSide(turn, self))  # reads and writes the arrays allocated before
        self._set_margins(is_first_guess)
        # There is a turn for each pair of states. It compares all choices at each number of turn points up to its cap.
        mean_cap = race.max_cap / 2
        estimated_choices = len(race.states) ** 2 * race.states.turn.choice_count * mean_cap
        self.threads = threads if estimated_choices >= MIN_CHOICES_FOR_THREADS else 1
        self.part_count = math.ceil(estimated_choices / CHOICES_PER_PART)
        self.choice_count = 0
        self.pass_count = 0
        self.sweep_count = 0
        self.prunes_choices = True  # until ``solve_with_losses`` makes its second try

    def _set_margins(self, is_first_guess: bool) -> None:
        """Set the tolerances of zero turns and the margins of upper bounds, for the first passes and for later ones.

        A tolerance is the change at which the value of a zero turn counts as settled. The first passes ask for a
        smaller change than later ones, because rounding may keep a value from settling more closely. A margin exceeds
        all errors of one turn, its tolerance included; each upper bound is raised by it. Values that are only a first
        guess have a larger tolerance, which their margins leave out.

        Args:
            is_first_guess: whether the values are only a first guess.
        """
        race = self.race
        rounding = turn_rounding_bound(race.states.turn, race.max_cap)
        # In a race with losses, sweeps end at changes of the size of rounding errors: they need not get smaller.
        self.allowed_change = rounding if race.has_cyclic_components else 0.0
        margin_without_tolerance = (
            rounding + CERTAIN_STOP_LOSS + SUM_ROUNDING + race.constant_error + self.allowed_change
        )
        strict, relaxed = zero_turn_tolerances(rounding)
        self.tolerances = (GUESS_TOLERANCE, GUESS_TOLERANCE) if is_first_guess else (strict, relaxed)
        self.margins = (margin_without_tolerance + strict, margin_without_tolerance + relaxed)

    def _allocate(self, turn: MonotoneTurn) -> None:
        """Allocate the arrays that the kernel reads and writes, and fill in the values of totals that end the race.

        Args:
            turn: the turn in the form that the kernel reads.
        """
        race = self.race
        states = race.states  # of one player
        state_count = len(states)
        # How many totals from the target on have a column: the target itself; with an exact finish one more, for totals
        # that are not allowed; with a last round all that the opponent may have to beat.
        totals_from_target = max(2 if states.is_exact else 1, race.past_totals)
        total_count = states.target - states.lowest_score + totals_from_target
        column_count = total_count
        if states.bust_count_limit > 1:
            column_count += state_count
        self.pay = np.ones((state_count, column_count))
        self.gap = np.zeros((state_count, column_count))
        self._set_end_of_race(turn, total_count)
        self.states = self._make_states(total_count)
        self.takeover = np.zeros((2, state_count, race.offers, race.dice)) if race.dice else None
        has_last_takeover = race.dice and race.last_round
        self.last_takeover = 1 - race.last_takeover_chances if has_last_takeover else None  # what such banks pay
        # Certain stops have a row for each opponent's state and each number of the mover's busts in a row. It holds a
        # set of modes for each total, and the value of a bust for which the stops were proved.
        stop_rows = state_count * states.bust_count_limit
        mode_sets = np.zeros((stop_rows, total_count), dtype=turn.mode_set_dtype)
        proved_bust_values = np.zeros(stop_rows)
        self.certain_stops = mode_sets, proved_bust_values
        self.order = _list_units(race)

    def _make_states(self, total_count: int) -> RaceStates:
        """Return what the kernel reads of each state.

        Args:
            total_count: the number of columns that are totals; they come first.
        """
        race = self.race
        states = race.states  # of one player
        lowest = states.lowest_score
        column_of_total = states.score - lowest
        column_with_busts = total_count + np.arange(len(states))
        # A state without busts in a row is its total. Only other states need the columns that follow those of totals.
        own_column = np.where(states.busts == 0, column_of_total, column_with_busts)  # by state
        arrays: dict[str, NDArray[Any]] = {
            "total": column_of_total,
            "column": own_column,
            "bust_column": own_column[states.after_bust],
            "wipe_column": own_column[states.after_wipe],
            "bust_count": states.busts,
            "min_bank": states.min_banks,
            "cap": states.caps,
            "last_total": race.end_totals - lowest,
            "next_state": self._find_next_states(),
            "max_takeover": np.minimum(race.max_takeover_points, np.iinfo(np.int32).max),  # cast to 32 bits below
            "has_score": states.score > 0,
        }
        return RaceStates(**{name: array.astype(np.int32) for name, array in arrays.items()})

    def _set_end_of_race(self, turn: MonotoneTurn, total_count: int) -> None:
        """Set the payoffs of totals from the target on in ``pay``, and ``always_stop``.

        A total wins, which pays 1, or the opponent has a last turn against it. Then the payoff is 1 minus the chance to
        win of that turn.

        Args:
            turn: the turn in the form that the kernel reads.
            total_count: the number of columns that are totals.
        """
        race = self.race
        states = race.states  # of one player
        target_column = states.target - states.lowest_score
        self.always_stop = np.zeros(total_count, dtype=np.uint64)  # by total, a set of modes as bits
        if race.last_round:
            totals = np.arange(states.target, states.lowest_score + total_count)
            opponent_chances = race.last_round.win_chance(states.score[:, None], totals)  # (opponent's states, totals)
            self.pay[:, target_column:total_count] = 1 - opponent_chances
        else:  # ``pay`` was filled with 1; a turn stops from the target on in all modes that offer a bank
            self.always_stop[target_column:] = turn.bank_modes  # as bits
        if states.is_exact:
            # The column after the target stands for all totals that are not allowed. A turn that gets there is over.
            all_modes = (1 << turn.modes) - 1  # as bits
            self.pay[:, target_column + 1] = -np.inf
            self.always_stop[target_column + 1] = all_modes

    def _find_next_states(self) -> Ints:
        """Return by state the one with the next higher score and as many busts in a row; itself if there is none."""
        bust_counts = self.race.states.bust_count_limit  # this many consecutive states have the same score
        numbers = np.arange(len(self.race.states))
        has_higher_score = numbers < len(numbers) - bust_counts
        return np.where(has_higher_score, numbers + bust_counts, numbers)

    def solve_layers(self, pool: ThreadPool, without_gaps: bool = False) -> None:
        """Solve every layer, the highest total first; the tables hold guesses for values that are read early.

        Args:
            pool: the threads.
            without_gaps: compute the values only, without a lower and an upper bound, to approach them faster.
        """
        self._restart_kernel(without_gaps)
        # A unit is up to LANES pairs of states of one layer, which the kernel solves together.
        unit_count = len(self.order.starts) - 1
        for part in range(1, self.part_count + 1):  # between two parts, progress is reported
            self._solve_up_to(pool, unit_count * part // self.part_count)
            if not self.race.has_cyclic_components:
                self.progress(part / self.part_count)

    def _restart_kernel(self, without_gaps: bool) -> None:
        """Let the kernel begin again at the first pairs, with the current tables and no certain stops.

        Args:
            without_gaps: compute the values only, without a lower and an upper bound.
        """
        self.kernel.restart(
            tolerances=self.tolerances,
            margins=self.margins,
            no_gaps=without_gaps,
            prune_choices=self.prunes_choices,
        )

    def _solve_up_to(self, pool: ThreadPool, end_unit: int) -> None:
        """Continue the solve from the pairs of states where it stopped, in the order of solving.

        Args:
            pool: the threads, all of which take units from the kernel until none before ``end_unit`` is left.
            end_unit: the number of the unit to stop before. A unit is up to LANES pairs of one layer.

        Raises:
            SolveError: the zero turns of a layer did not settle.
        """
        if self.threads == 1:
            work_by_thread = [self.kernel.solve(end_unit)]
        else:
            futures = [pool.submit(self.kernel.solve, end_unit) for _ in range(self.threads)]
            work_by_thread = [future.result() for future in futures]
        for choice_count, pass_count in work_by_thread:
            self.choice_count += choice_count
            self.pass_count += pass_count
        if self.kernel.failed:
            unit, status = self.kernel.failed
            self._raise_failure(unit, status)

    def _raise_failure(self, unit: int, status: int) -> None:
        """Raise the SolveError for pairs of states that could not be solved.

        Args:
            unit: the number of a unit, up to LANES pairs of the same total.
            status: why the kernel failed. LOOSE: the gaps between bounds are too wide. HOPELESS: zero turns follow each
                other almost always. Otherwise values did not settle.
        """
        states = self.race.states
        first_pair = self.order.pairs[self.order.starts[unit]]  # two states
        total = int(states.score[first_pair].sum()) * states.rules.grain  # in points
        if status == LOOSE:
            raise SolveError(NO_BOUND_MESSAGE)
        if status == HOPELESS:
            chance = "two turns under best play change a score with a probability below 1e-12, too small to solve"
            # Either a zero turn is as good as any bank, so that players choose it, or nearly all turns are zero turns.
            reason = "either scoring nothing is as good as any bank, or almost no turn can score"
            remedy = "use rules under which turns score more often"
            raise SolveError(f"at scores that add up to {total}, {chance}: {reason}; {remedy}")
        raise SolveError(f"the zero turns at scores that add up to {total} did not converge")

    @property
    def state_columns(self) -> Ints:
        """By state, its column in the tables ``pay`` and ``gap``."""
        columns: Ints = self.states.column.astype(np.int64)
        return columns

    def store_results(self) -> None:
        """Set ``win``, ``taken`` and ``error_bound`` from the solved tables.

        The opponent b of the tables moves next, so b is the mover of the results. The player who leaves a column is the
        opponent there. By definition of ``pay`` and ``gap``, the chance of b has the bounds

            lo = 1 - pay    and    hi = lo + gap

        The results are the midpoints. Only the columns of states are needed, because turns begin in states.

        Raises:
            SolveError: the error bound is too large.
        """
        gap = self.gap[:, self.state_columns]  # (states of b, states of the player who leaves the column)
        max_gap = float(gap.max())
        if self.takeover is not None:
            pay_of_offers, gap_of_offers = self.takeover  # (states, offers, dice) each
            max_gap = max(max_gap, float(gap_of_offers.max(initial=0.0)))
            # In place and state by state, because these arrays are large.
            for pay_of_state, gap_of_state in zip(pay_of_offers, gap_of_offers, strict=True):
                np.clip(1 - pay_of_state + gap_of_state / 2, 0.0, 1.0, out=pay_of_state)
            self.taken = pay_of_offers
        # Values inside a turn are computed from the table by solving one turn. That adds the errors of one turn, which
        # the relaxed margin exceeds.
        _, relaxed_margin = self.margins
        self.error_bound = max_gap / 2 + relaxed_margin
        if not self.error_bound <= MAX_ERROR_BOUND:
            raise SolveError(NO_BOUND_MESSAGE)
        lower_bound = 1 - self.pay[:, self.state_columns]
        self.win = np.ascontiguousarray(lower_bound + gap / 2)

    # --- Races with losses

    def solve_with_losses(self, pool: ThreadPool) -> None:
        """Solve a race in which scores can be lost: sweep until the values of early states are a fixed point.

        Early states are read before they are solved. Their values, the unknowns, are found by Anderson mixing first,
        without bounds. Then gaps around these midpoints grow until a sweep returns bounds within them, which proves
        them (``_prove_gaps``). If they do not, a second attempt goes on from the last midpoints and gaps.

        Raises:
            SolveError: no enclosure was found.
        """
        first_pay, first_gaps = self._make_first_guess(pool)  # (states, states)
        self.pay[:, self.state_columns] = first_pay
        cells = self._list_early_cells()  # where the unknowns stand in the tables
        self._extrapolate(pool)  # one sweep, which improves the guesses of early values
        middle = 1 - self.pay[cells.rows, cells.columns]  # by cell, the chance of the player who moves next
        gap = first_gaps[cells.rows, cells.states] * FIRST_GAP_FACTOR  # the width between lower and upper bounds
        sweep = partial(self._sweep, pool, cells)
        next_middle = partial(self._sweep_midpoints, pool, cells)
        attempts = (
            (float(first_gaps.max()), FEW_SWEEPS),  # midpoints no more accurate than the race without losses
            (0.0, MAX_SWEEPS),  # as accurate as possible, and with all choices
        )
        for tolerance, max_tries in attempts:
            # Both quarters are rules of thumb. Midpoints settle to a quarter of the change that the proof allows, so
            # that its sweeps have the rest. Gaps begin wider by a quarter of the last change of the midpoints, which
            # are off by some such amount; the proof widens them further if needed.
            settled_change = max(self.allowed_change / 4, tolerance)
            middle, change = iterate_to_fixed_point(next_middle, middle, settled_change, patience=LATE_PATIENCE)
            first_gap = gap + change / 4
            is_proved, gap = self._prove_gaps(sweep, middle, first_gap, max_tries)
            if is_proved:
                return  # the tables hold the bounds of the last sweep
            self.prunes_choices = False  # compare all choices in the second try
        raise SolveError(LOST_SCORES_MESSAGE)

    def _sweep_midpoints(self, pool: ThreadPool, cells: _EarlyCells, middle: Doubles) -> Doubles:
        """Solve all layers without gaps from guesses of the early values; return the early values that follow.

        Args:
            pool: the threads.
            cells: where the values stand in the tables.
            middle: (cells,), the guesses.
        """
        new_middle, _ = self._sweep(pool, cells, middle)
        return new_middle

    def _sweep(
        self, pool: ThreadPool, cells: _EarlyCells, middle: Doubles, gap: Doubles | None = None
    ) -> tuple[Doubles, Doubles]:
        """Solve all layers from guesses of the early values, and return the early values that follow.

        An early value is the chance of the player who moves next. The guesses are written to the tables ``pay`` and
        ``gap`` first.

        Args:
            pool: the threads.
            cells: where the values stand in both tables.
            middle: (cells,), the midpoints of their bounds.
            gap: (cells,), the gaps between their bounds; None to solve without gaps.

        Returns:
            The midpoints and the gaps of the values after the sweep; without gaps these are 0.
        """
        if gap is None:
            pay = 1 - middle
            table_gap = np.zeros(len(middle))  # the lower bound is the midpoint itself
        else:
            pay = 1 - (middle - gap / 2).clip(0.0, 1.0)
            table_gap = np.minimum(gap, pay)  # the upper bound, 1 - pay + gap, is at most 1
        self.pay[cells.rows, cells.columns] = pay
        self.gap[cells.rows, cells.columns] = table_gap
        self.solve_layers(pool, without_gaps=gap is None)
        self.sweep_count += 1
        self.progress(min(0.99, self.sweep_count / TYPICAL_SWEEPS))
        new_gap = self.gap[cells.rows, cells.columns]
        new_middle = 1 - self.pay[cells.rows, cells.columns] + new_gap / 2
        return new_middle, new_gap

    def _prove_gaps(self, sweep: Sweep, middle: Doubles, gap: Doubles, max_tries: int) -> tuple[bool, Doubles]:
        """Widen gaps around fixed midpoints until a sweep returns bounds within them.

        A gap is the width between a lower and an upper bound, each half a gap from the midpoint. Bounds are proved if a
        sweep that reads them returns bounds within them. A returned bound may even lie outside by ``allowed_change``:
        the kernel has widened it by more than that (``margins``), so without the widening it would lie within.

        Args:
            sweep: solves all layers once, given midpoints and gaps of the unknowns; returns those that follow.
            middle: (unknowns,), their midpoints. Where a bound would be below 0 or above 1, the midpoint is moved.
            gap: (unknowns,), the first guesses of their gaps.
            max_tries: the largest number of sweeps.

        Returns:
            Whether such gaps were found, and the last gaps. If they were, the tables hold the bounds of the last sweep.
        """
        mixture = AndersonMixing()
        slack = INITIAL_GAP_SLACK  # share by which the next gap exceeds the predicted one
        for _ in range(max_tries):
            possible_middle = middle.clip(gap / 2, 1 - gap / 2)  # so that both bounds are from 0 to 1
            next_middle, next_gap = sweep(possible_middle, gap)
            shift = np.abs(next_middle - possible_middle)
            growth = next_gap - gap
            # One bound has moved outward by growth / 2 - shift, the other one by more: growth / 2 + shift.
            outward_move = growth / 2 + shift
            if float(outward_move.max(initial=0.0)) <= self.allowed_change:
                return True, gap
            if (growth <= 0).all():  # the gaps are wide enough, but the midpoints move too far
                slack *= 2
            predicted_gap = mixture.next_guess(next_gap, growth)  # a fixed point: the gaps before and after are equal
            gap = predicted_gap.clip(0.0, 1.0) * (1 + slack)
        return False, gap

    def _make_first_guess(self, pool: ThreadPool) -> tuple[Doubles, Doubles]:
        """Return first guesses of payoffs and gaps: those of the lossless race, in which no score can fall.

        If that race cannot be solved, all payoffs are 1/2 and all gaps 0.

        Returns:
            Two arrays (states, states), by the state of the player who moves next and that of the other. A payoff is 1
            minus the lower bound of the chance of the former; a gap is the width between lower and upper bound.
        """
        lossless, matching_states = self.race.lossless()  # the second by state of this race: a state of that race
        state_count = len(self.race.states)  # own states of one player
        solver = RaceSolver(lossless, self.threads, progress=lambda share: None, is_first_guess=True)  # it reports none
        try:
            solver.solve_layers(pool)
        except SolveError:
            return np.full((state_count, state_count), 0.5), np.zeros((state_count, state_count))
        # The first states are the lines: by the own state of the player who moves next, and by the own state of the
        # other player, followed by the totals of one who has finished.
        matching_lines = matching_states[: self.race.lines].reshape(state_count, self.race.width)
        matching_lines = matching_lines[:, :state_count]  # of two own states
        next_movers, others = np.divmod(matching_lines, lossless.width)  # their digits in the lossless race
        columns = solver.state_columns[others]
        return solver.pay[next_movers, columns], solver.gap[next_movers, columns]

    def _extrapolate(self, pool: ThreadPool) -> None:
        """Sweep over all layers without gaps, and improve the guesses of early values shortly before they are read.

        An early value is read after a bust, before it is solved. Its layer lies below those that are solved already.
        How much this sweep changed the values of the layers above is known. The change is extrapolated linearly to the
        values that busts from the next layer lead to. Above the highest totals there is nothing to extrapolate from, so
        they are swept alone first. They are a small part of the work, since few points are left to the target.
        """
        states = self.race.states  # of one player
        earlier_pay = self.pay.copy()
        # A unit is up to LANES pairs of states of one layer, which are solved together. Its first pair tells its total.
        first_pairs = self.order.pairs[self.order.starts[:-1]]  # (units, 2)
        total_by_unit = states.score[first_pairs].sum(axis=1)  # descending
        last_first_total = total_by_unit[0] - FIRST_TOTALS * (total_by_unit[0] - total_by_unit[-1])
        for _ in range(FIRST_SWEEPS):
            self._restart_kernel(without_gaps=True)
            self._solve_up_to(pool, int(np.count_nonzero(total_by_unit >= last_first_total)))
        self._restart_kernel(without_gaps=True)
        last_units = np.flatnonzero(np.diff(total_by_unit))  # the last unit of each total, but for the last total
        layer_ends = np.append(last_units + 1, len(total_by_unit)).tolist()  # by total, the unit after its last one
        losses = self._list_losses_by_bust()
        for end_unit in layer_ends:
            self._solve_up_to(pool, end_unit)
            solved_total = int(total_by_unit[end_unit - 1])
            for lost_points, busts_after in losses:
                # The next total to solve is less by 1, and a bust loses these points from there.
                drop = 1 + lost_points
                if solved_total - drop < last_first_total:
                    self._extrapolate_layer(earlier_pay, solved_total, drop, busts=busts_after)

    def _list_losses_by_bust(self) -> list[tuple[int, int]]:
        """Return what busts that lose points lead to: the points lost, in units, and the busts in a row afterwards.

        There is an entry for each number of busts in a row before the bust, if that bust loses points. Where the lowest
        score does not limit the loss, it is the same for all scores. The highest score, which the last states have,
        stands for these.
        """
        states = self.race.states  # of one player
        losses = []
        for state_after in states.after_bust[-states.bust_count_limit :]:  # of the highest score, by busts in a row
            lost_points = int(states.score[-1] - states.score[state_after])
            if lost_points > 0:
                losses.append((lost_points, int(states.busts[state_after])))
        return losses

    def _extrapolate_layer(self, earlier_pay: Doubles, solved_total: int, drop: int, busts: int) -> None:
        """Guess the early values of one layer in ``pay``, by extrapolating the changes at higher scores.

        A player has lost points, down to a score s, and the opponent b moves next. Let c(s) be the change in this sweep
        of the entry of ``pay`` in row b and the column of s. With the same b, linear extrapolation gives
        c(s) = 2 c(s + drop) - c(s + 2 drop).

        Args:
            earlier_pay: ``pay`` as it was before this sweep.
            solved_total: the total of the layer that has just been solved, in units.
            drop: the layer that is extrapolated has the total ``solved_total - drop``.
            busts: busts in a row of the player who has lost points.
        """
        states = self.race.states
        layer_total = solved_total - drop  # the sum of both players' scores
        score_by_opponent = layer_total - states.score  # s, by the opponent's state b
        # Only scores that exist, and only if s + drop is not a win: then there would be no change to extrapolate from.
        # At s + 2 drop a win is possible. Its change is 0.
        is_extrapolated = (score_by_opponent >= states.lowest_score) & (score_by_opponent + drop < states.goal)
        opponents = np.flatnonzero(is_extrapolated)  # b of each entry that is guessed
        scores = score_by_opponent[opponents]  # s of each
        change_above = self._find_changes(earlier_pay, opponents, scores + drop, busts)
        change_twice_above = self._find_changes(earlier_pay, opponents, scores + 2 * drop, busts)
        columns = self._find_columns(scores, busts)
        extrapolated = earlier_pay[opponents, columns] + 2 * change_above - change_twice_above
        self.pay[opponents, columns] = extrapolated.clip(0.0, 1.0)

    def _find_changes(self, earlier_pay: Doubles, opponents: Ints, scores: Ints, busts: int) -> Doubles:
        """Return by how much entries of ``pay`` have changed in this sweep; 0 for a win, whose value never changes.

        Args:
            earlier_pay: ``pay`` as it was before this sweep.
            opponents: (entries,) the opponent's state.
            scores: (entries,) the score of the player who leaves the column. From the goal on it is a win.
            busts: busts in a row of that player.
        """
        columns = self._find_columns(scores, busts)  # of a win some column, whose change is not used
        changes = self.pay[opponents, columns] - earlier_pay[opponents, columns]
        is_win = scores >= self.race.states.goal
        return np.where(is_win, 0.0, changes)

    def _find_columns(self, scores: Ints, busts: int) -> Ints:
        """Return the columns in ``pay`` of scores with ``busts`` busts in a row; higher ones have that of goal - 1."""
        states = self.race.states  # of one player
        scores_below_goal = np.minimum(scores, states.goal - 1)
        numbers = states.first_state_by_score[scores_below_goal - states.lowest_score] + busts
        return np.asarray(self.state_columns[numbers])

    def _list_early_cells(self) -> _EarlyCells:
        """Return the cells of the tables that are read before they are solved.

        These are the cells for each own state to which a loss leads, and for every own state of the next mover.
        """
        state_count = len(self.race.states)
        # Of the player who has just lost points, by a bust or a wipe. No other ending that the kernel reads leads to a
        # lower state, so there are no further successors.
        states_after_losses = self.race.states.states_after_losses(successors=[])
        rows = np.repeat(np.arange(state_count), len(states_after_losses))
        states = np.tile(states_after_losses, state_count)
        return _EarlyCells(rows=rows, states=states, columns=self.state_columns[states])


def solve_race(race: RaceModel, *, threads: int = 1, progress: ProgressCallback = lambda share: None) -> RaceSolver:
    """Solve every state of a race; the bits do not depend on the number of threads.

    Args:
        race: the equations of a race of two. Its turn is a ``MonotoneTurn``: no choice takes turn points away.
        threads: the largest number of threads to use.
        progress: called with the fraction of the work that is done.

    Returns:
        The solver, with the results ``win``, ``taken`` and ``error_bound``.

    Raises:
        SolveError: the zero turns of a layer or the values after losses did not settle.
    """
    from ...util.threads import ThreadPool  # here, because some modules need only constants of this one

    solver = RaceSolver(race, threads, progress)  # it also takes the result
    with ThreadPool(threads) as pool:
        if race.has_cyclic_components:
            solver.solve_with_losses(pool)
        else:
            solver.solve_layers(pool)
    solver.store_results()
    return solver


def _list_units(race: RaceModel) -> RaceUnits:
    """List all pairs of own states in the order of solving, cut into units that the kernel solves together.

    All pairs of a layer have the same sum of scores, and the same sum of busts in a row. The highest sums come first.
    Each unordered pair occurs once, because both positions of a pair are solved together.
    """
    states = race.states  # of one player
    pairs = np.stack(np.tril_indices(len(states)), axis=1)  # (pairs, 2)
    totals = states.score[pairs].sum(axis=1)
    busts = states.busts[pairs].sum(axis=1)
    return cut_into_units(pairs, layers=group_by_descending_keys(totals, busts))


def cut_into_units(pairs: Ints, layers: Sequence[Ints]) -> RaceUnits:
    """Put pairs in the order of solving, and cut each layer into units of LANES pairs; its last unit may be smaller.

    Args:
        pairs: (pairs, 2), the two states of each pair, in any order.
        layers: the layers in the order of solving; each is the indices of its pairs.
    """
    starts = list[int]()  # the index of the first pair of each unit; at last the number of pairs
    ready = list[int]()  # by unit, how many units must be solved before it
    pairs_before = 0  # in earlier layers
    for layer in layers:
        starts_of_layer = range(pairs_before, pairs_before + len(layer), LANES)
        units_before = len(ready)
        starts += starts_of_layer
        ready += [units_before] * len(starts_of_layer)
        pairs_before += len(layer)
    starts.append(pairs_before)
    pairs_in_order = np.ascontiguousarray(pairs[np.concatenate(layers)].astype(np.int32))
    return RaceUnits(pairs_in_order, starts=np.array(starts), ready=np.array(ready))
