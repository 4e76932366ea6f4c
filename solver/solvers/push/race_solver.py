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
stops, sweeps for the midpoint compare only the one with the most points, if more points are never worse. The sweep that
proves the gaps compares them all. From a score of 0 a wipe is a zero turn, and below 0 it leads to a solved state; such
scores share no certain stops. With take-over the payoff of a bank depends on more than the total: no stop is certain.

Start reading at ``solve_race``, then ``RaceSolver.run``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.race import HOPELESS, LANES, LOOSE, RaceKernel
from ...games.push_rules import WIN, WIPE
from ...turns.monotone_turn import MonotoneTurn
from ...turns.push_turn import Doubles
from ...util.errors import SolveError
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
MIN_CHOICES_FOR_THREADS = 20_000_000  # choices in a race from which threads gain more than they cost
CHOICES_PER_PART = 200_000_000  # choices between two progress reports, at which a solve can be interrupted


class RaceStates(NamedTuple):
    """Arrays that the kernel reads, each with one number for every state (``csrc/race_kernel.h``)."""

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


class RaceSolver:
    """Solution of all layers of a race, the highest total first, with the arrays that the kernel works on.

    Args:
        race: the equations of a race of two.
        threads: the largest number of threads to use.
        progress: called with the fraction of the work that is done.

    Attributes:
        pay: 1 - lo(b, T), by the opponent's state b and a column. Columns are the totals from the lowest score on, then
            one column for every state if busts in a row count.
        gap: hi(b, T) - lo(b, T), with the same axes.
        weighed: the number of choices compared, for a block of lanes each.
        passes: the number of passes over a unit.
        win: once solved, the mover's chance to win by the mover's and the opponent's state, within ``error_bound``.
        taken: the same for offers to take over: by the mover's state, the offer (``RaceModel.offer_states``), and the
            dice left less 1.
        error_bound: a bound of the error of ``win`` and ``taken``, and of values inside turns.
    """

    win: Doubles
    taken: Doubles | None = None
    error_bound: float
    certain_stops: tuple[NDArray[Any], Doubles]
    stop_tolerance = CERTAIN_STOP_LOSS

    def __init__(self, race: RaceModel, threads: int, progress: Callable[[float], None]) -> None:
        # With a last round it can be better not to reach the target yet, and points taken over are not one's own. Then
        # certain stops are not shared among scores.
        turn = MonotoneTurn(
            race.states.turn,
            WIN,
            WIPE,
            race.has_cyclic_components and not (race.last_round or race.dice or race.states.is_exact),
        )
        self.race, self.progress = race, progress
        self.max_cap, self.can_pass = race.max_cap, race.states.rules.passes
        self._allocate(turn)
        self.kernel = RaceKernel(turn, self)
        rounding = turn_rounding_bound(race.states.turn, race.max_cap)
        # d includes certain stops, sums with d, the constants of last turns, and what further sweeps may still change.
        self.allowed = rounding if race.has_cyclic_components else 0.0
        margin = rounding + CERTAIN_STOP_LOSS + 2.0**-51 + race.constant_error + self.allowed
        self.settled = zero_turn_tolerances(rounding)
        self.widen = (margin + self.settled[0], margin + self.settled[1])
        work = len(race.states) ** 2 * race.states.turn.choice_count * race.max_cap / 2
        self.threads = threads if work >= MIN_CHOICES_FOR_THREADS else 1
        self.parts = math.ceil(work / CHOICES_PER_PART)
        self.choice_count = self.pass_count = 0
        self.fewer = True  # compare only the choice of most points among those that lead to certain stops

    def _allocate(self, turn: MonotoneTurn) -> None:
        """Allocate the kernel's arrays, with the values of totals that end the race."""
        race, states = self.race, self.race.states
        low, count, exact = states.lowest_score, len(states), states.is_exact
        width = states.target - low + max(1 + exact, race.past_totals)
        own_column = np.where(states.busts == 0, states.score - low, width + np.arange(count))
        columns = width + count * (states.bust_count_limit > 1)
        self.pay, self.gap = np.ones((count, columns)), np.zeros((count, columns))
        self.always_stop = np.zeros(width, dtype=np.uint64)
        if race.last_round:
            totals = np.arange(states.target, low + width)
            self.pay[:, totals - low] = 1 - race.last_round.win_chance(states.score[:, None], totals)
        else:
            self.always_stop[states.target - low :] = turn.bank_modes
        if exact:  # one point more is not allowed
            self.pay[:, states.target - low + 1] = -np.inf
            self.always_stop[states.target - low + 1] = (1 << turn.modes) - 1
        # The next higher score that can occur, for first guesses.
        next_state = np.minimum(np.arange(count) + states.bust_count_limit, count - 1)
        next_state[-states.bust_count_limit :] = np.arange(count)[-states.bust_count_limit :]
        self.takeover = np.zeros((2, count, race.offers, race.dice)) if race.dice else None
        self.last_takeover = 1 - race.last_takeover_chances if race.dice and race.last_round else None
        arrays: dict[str, NDArray[Any]] = {
            "total": states.score - low,
            "column": own_column,
            "bust_column": own_column[states.after_bust],
            "wipe_column": own_column[states.after_wipe],
            "bust_count": states.busts,
            "min_bank": states.min_banks,
            "cap": states.caps,
            "last_total": race.end_totals - low,
            "next_state": next_state,
            "max_takeover": np.minimum(race.max_takeover_points, 2**31 - 1),
            "has_score": states.score > 0,
        }
        self.states = RaceStates(**{name: array.astype(np.int32) for name, array in arrays.items()})
        self.certain_stops = (
            np.zeros((count * states.bust_count_limit, width), dtype=turn.mode_set_dtype),
            np.zeros(count * states.bust_count_limit),
        )
        self.units = _units(race)

    def solve_layers(self, pool: ThreadPool, rough: bool = False) -> None:
        """Solve every layer, given the values after losses in the table; ``rough``: without gaps."""
        self.kernel.restart(self.settled, self.widen, rough, self.fewer)
        units = len(self.units[1]) - 1
        for part in range(1, self.parts + 1):
            self._solve(pool, units * part // self.parts)
            if not self.race.has_cyclic_components:
                self.progress(part / self.parts)

    def _solve(self, pool: ThreadPool, last_unit: int) -> None:
        """Continue the solve up to a unit.

        Raises:
            SolveError: the zero turns of a layer did not settle.
        """
        if self.threads == 1:
            work = [self.kernel.solve(last_unit)]
        else:
            futures = [pool.submit(self.kernel.solve, last_unit) for _ in range(self.threads)]
            work = [future.result() for future in futures]
        self.choice_count += sum(weighed for weighed, _ in work)
        self.pass_count += sum(passes for _, passes in work)
        if self.kernel.failed:
            self._raise_failure(*self.kernel.failed)

    def _raise_failure(self, unit: int, status: int) -> None:
        pairs, starts, _ = self.units
        states = self.race.states
        total = int(states.score[pairs[starts[unit]]].sum()) * states.rules.grain
        if status == LOOSE:
            raise SolveError(NO_BOUND_MESSAGE)
        if status == HOPELESS:
            chance = "a pair of turns, played best, changes anything with a chance below 1e-12"
            waits = "to wait for the other is as good there as to stop, or hardly anything else can happen"
            raise SolveError(f"with {total} points in all {chance}, too small to compute with: {waits}")
        raise SolveError(f"the zero turns with {total} points in all did not settle")

    @property
    def state_columns(self) -> Ints:
        """Column of every state."""
        columns: Ints = self.states.column.astype(np.int64)
        return columns

    # --- Races with losses

    def solve_with_losses(self, pool: ThreadPool) -> None:
        """Solve a race with losses: sweep until the values after losses are a fixed point, enclosed by gaps.

        The unknowns are the states that are read before they are solved. Anderson mixing finds their midpoints without
        gaps first. Then gaps around fixed midpoints grow until a sweep returns no larger gaps.

        Raises:
            SolveError: no enclosure was found.
        """
        self.pay[:, self.state_columns], first_gap = self._first_guess(pool)
        rows, states = self._read_early()
        columns, sweeps = self.state_columns[states], 0

        def sweep(middle: Doubles, gap: Doubles | None = None) -> tuple[Doubles, Doubles]:
            nonlocal sweeps
            sweeps += 1
            pay = 1 - middle if gap is None else 1 - (middle - gap / 2).clip(0.0, 1.0)
            self.pay[rows, columns], self.gap[rows, columns] = pay, 0.0 if gap is None else np.minimum(gap, pay)
            self.solve_layers(pool, gap is None)
            self.progress(min(0.99, sweeps / 10))
            new_gap = self.gap[rows, columns]
            return 1 - self.pay[rows, columns] + new_gap / 2, new_gap

        self._extrapolate(pool)
        best, gap = 1 - self.pay[rows, columns], first_gap[rows, states] * FIRST_GAP_FACTOR
        # The midpoint need not be more accurate than the gaps of the race without losses, unless those fail.
        for tolerance, tries in ((float(first_gap.max()), FEW_SWEEPS), (0.0, MAX_SWEEPS)):
            best, change = iterate_to_fixed_point(
                lambda middle: sweep(middle)[0], best, max(self.allowed / 4, tolerance), patience=LATE_PATIENCE
            )
            mixture, gap, spare = AndersonMixing(), gap + change / 4, INITIAL_GAP_SLACK
            for _ in range(tries):
                middle = best.clip(gap / 2, 1 - gap / 2)  # a certain win or loss has a one-sided enclosure
                new_middle, needed = sweep(middle, gap)
                outside = np.abs(new_middle - middle) + (needed - gap) / 2
                if float(outside.max(initial=0.0)) <= self.allowed:
                    return
                if (needed <= gap).all():
                    spare *= 2
                gap = mixture.next_guess(needed, needed - gap).clip(0.0, 1.0) * (1 + spare)
            self.fewer = False
        raise SolveError(LOST_SCORES_MESSAGE)

    def _first_guess(self, pool: ThreadPool) -> tuple[Doubles, Doubles]:
        """Return first guesses of pay and gap: those of the race without losses, if it can be solved."""
        lossless, matching = self.race.lossless()
        count = len(self.race.states)
        start = RaceSolver(lossless, self.threads, lambda done: None)
        try:
            start.solve_layers(pool)
        except SolveError:
            return np.full((count, count), 0.5), np.zeros((count, count))
        mine, theirs = np.divmod(matching[: self.race.lines].reshape(count, -1)[:, :count], lossless.width)
        return start.pay[mine, start.state_columns[theirs]], start.gap[mine, start.state_columns[theirs]]

    def _extrapolate(self, pool: ThreadPool) -> None:
        """Solve every layer without gaps, and extrapolate the values that later layers read after busts.

        The change since the last sweep is known for the states above. It is extrapolated linearly to the states that
        busts will read next.
        """
        states, before = self.race.states, self.pay.copy()
        self.kernel.restart(self.settled, self.widen, True, self.fewer)
        pairs, starts, _ = self.units
        totals = states.score[pairs[starts[:-1]]].sum(axis=1)
        ends = np.append(np.flatnonzero(np.diff(totals)) + 1, len(totals)).tolist()
        losses = [
            (int(states.score[-1] - states.score[after]) + 1, states.busts[after])
            for after in states.after_bust[-states.bust_count_limit :]
        ]
        for last_unit in ends:
            self._solve(pool, last_unit)
            for drop, busts in (loss for loss in losses if loss[0] > 1):
                target = totals[last_unit - 1] - drop - states.score
                rows = np.flatnonzero((target >= states.lowest_score) & (target + drop < states.goal))
                column, above, twice_above = (
                    self.state_columns[
                        states.first_state_by_score[
                            np.minimum(target[rows] + step * drop, states.goal - 1) - states.lowest_score
                        ]
                        + busts
                    ]
                    for step in range(3)
                )
                change, change_above = (
                    self.pay[rows, neighbor] - before[rows, neighbor] for neighbor in (above, twice_above)
                )
                change_above[target[rows] + 2 * drop >= states.goal] = 0.0
                self.pay[rows, column] = (before[rows, column] + 2 * change - change_above).clip(0.0, 1.0)

    def _read_early(self) -> tuple[Ints, Ints]:
        """Return the pairs that are read early: own states of the next mover, and of the player who lost points."""
        count, lost = len(self.race.states), self.race.states.states_after_losses([])
        return np.repeat(np.arange(count), len(lost)), np.tile(lost, count)


def solve_race(
    race: RaceModel, *, threads: int = 1, progress: Callable[[float], None] = lambda done: None
) -> RaceSolver:
    """Solve every state of a race whose turn is monotone; the bits do not depend on the number of threads.

    Raises:
        SolveError: the zero turns of a layer or the values after losses did not settle.
    """
    from ...util.threads import ThreadPool

    sweep = RaceSolver(race, threads, progress)
    with ThreadPool(threads) as pool:
        if race.has_cyclic_components:
            sweep.solve_with_losses(pool)
        else:
            sweep.solve_layers(pool)
    gap = sweep.gap[:, sweep.state_columns]
    max_gap = float(gap.max())
    if sweep.takeover is not None:
        max_gap = max(max_gap, float(sweep.takeover[1].max(initial=0.0)))
        for row in zip(*sweep.takeover, strict=True):  # in place, because these arrays are large
            np.clip(1 - row[0] + row[1] / 2, 0.0, 1.0, out=row[0])
        sweep.taken = sweep.takeover[0]
    # An answer inside a turn is one more turn away from the table.
    sweep.error_bound = max_gap / 2 + sweep.widen[1]
    if not sweep.error_bound <= MAX_ERROR_BOUND:
        raise SolveError(NO_BOUND_MESSAGE)
    sweep.win = np.ascontiguousarray(1 - sweep.pay[:, sweep.state_columns] + gap / 2)
    return sweep


def _units(race: RaceModel) -> tuple[NDArray[np.int32], Ints, Ints]:
    """Return all pairs of states in the order of solving, cut into units of at most LANES pairs.

    Returns:
        The pairs, the index of the first pair of each unit, and the number of units that must be solved before each.
    """
    states, pairs = race.states, np.stack(np.tril_indices(len(race.states)), axis=1)
    layers = group_by_descending_keys(states.score[pairs].sum(axis=1), states.busts[pairs].sum(axis=1))
    sizes = np.array([len(layer) for layer in layers])
    units = -(-sizes // LANES)
    ready = np.repeat(np.cumsum(units) - units, units)
    starts = np.repeat(np.cumsum(sizes) - sizes, units) + (np.arange(len(ready)) - ready) * LANES
    return pairs[np.concatenate(layers)].astype(np.int32), np.append(starts, len(pairs)), ready
