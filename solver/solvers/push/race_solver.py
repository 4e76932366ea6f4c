"""RaceModel players race to a target: the chance to win from every pair of scores.

Let V(a, b) be the chance to win of the player to move, who has a points against b. Banking t points hands the move to
the opponent, so the payoff of a turn is

    P[bank t] = 1 - V(b, a + t);   P[bust] = z = 1 - V(b, a),

where V(b, x) = 0 for a total x that has won: the opponent has no chance any more. With finish=last_round it is the
chance of b's last turn against x (see LastTurn).

A turn either adds to the total a + b or leaves it alone (a *zero turn*), so layers of equal total are solved from the
highest down. What is left within a layer is the pair

    x = f(1 - y),  y = g(1 - x)     with x = V(a, b), y = V(b, a) and f, g the turn's value as a function of z.

f and g are maxima over policies of straight lines in z, whose slope is the chance of a zero turn. Newton's method on
intercept and slope solves the lines now in force; plain iteration stands behind it. A first guess by differences of
the second order along both scores is nearly always on the right lines, so that the second pass confirms it. (Fang,
Glenn & Kruskal, Retrograde Approximation Algorithms for Jeopardy Stochastic Games, ICGA J. 2008; Crocce & Mordecki, A
Non-Iterative Algorithm for Generalized Pig Games, J. Dynamics & Games 2018.)

The bound. Found are not V but hi and the gap w down to lo = hi - w. With d more than the rounding of one turn plus what
a settled zero turn may still move,

    hi(a, b) = f(1 - lo(b, .)) + d,
    w(a, b) = 2 d + sum over the totals T that the turn banks of  chance(T) w(b, T) + chance(zero turn) w(b, a),

the chances being those of the choices that f made, carried along as another channel. So lo <= V <= hi
(docs/exactness.md, "How a solver finds them"). The value kept is the middle, the error bound half the widest gap and
one turn's rounding more. The four unknowns of a pair, hi and w of either side, are linear in each other along the lines
in force, so one pass serves all of them. Choices that tie have different gaps, though, and passes may take now one, now
another. The proof asks no more than that w is at least the second line. So where a pair has not settled after some
passes its gaps stay until the values stand, and grow only where they fall short.

Where a pair of zero turns comes back with a chance that double precision cannot tell from 1 (an opening of 10,000 in
one turn), or where neither player would rather score (with an exact finish fewer points can be better), there is no
such bound, and the solve says so.

Stopping that is already certain. Against one opponent's score b, all that a mover's turn in mode m with total T = a + t
in hand depends on is T, but for the worth z of a bust: a bank pays 1 - V(b, T), what may be taken before an exact
target hangs on T, and so does where the table ends. Let C(m, T; z) be the worth of throwing on. It is a maximum over
policies of lines that rise in z, so it rises in z, and stopping does not depend on z where the bank counts. Hence if
stopping was best at (m, T) for a bust worth z', 1 - V(b, T) >= C(m, T; z') >= C(m, T; z) for every z <= z': stopping is
best there too, and there is nothing to evaluate. It holds bit for bit as computed, since sums, products and quotients
of positive numbers round monotonously. A higher score a' of the same mover has the same b, comes earlier, and has
nearly always the larger z', its opponent being the worse off; the solve compares the two and falls back on evaluating
where not. A bank that counts from a' counts from a: the points in hand are more. Only the opening asks for more from a
= 0, and there the mode is evaluated until the bank counts. What the turn cannot come to past certain stops is not
evaluated either. The reasoning needs points that only grow until the turn ends: ``turns.monotone_turn`` refuses any
other turn.

Where z' is exceeded by less than CERTAIN (plateaus, where more points are worth nothing), the certificate is used all
the same; a stop taken wrongly ends the turn and loses less than that once, which d covers.

Where a throw can wipe the whole score or busts cost points, the race is one component: what is lost leads to a layer
that is solved later. Sweeps over all layers repeat until hi and lo come out between what was put in, but for what d
allows for (``mixing``). A throw that wipes the score pays what was put in, one number for each b in all of a sweep. So
C is one function of m, T and z for all scores of the mover above 0, and stops that are certain are shared among them;
each sweep begins with none. Of choices that lead to certain stops only the one of most points is weighed in sweeps for
the middle, where who holds more is no worse off; the gaps are proved by a sweep that weighs them all. With nothing to
lose such a throw is a zero turn, and below 0 it pays what has been solved: who stands there asks anew. Where turns may
be taken over, what a bank pays hangs on more than its total, and nothing is certain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.race import HOPELESS, LANES, LOOSE, RaceKernel
from ...games.pushluck import WIN, WIPE
from ...turns.monotone_turn import MonotoneTurn
from ...turns.push_turn import Doubles
from ...util.errors import SolveError
from ..anderson import LATE, Mixture, mix
from ..model import Ints
from ..reference_solver import LOST, MOST_BOUND, MOST_SWEEPS, NO_BOUND, SETTLED, SPARE
from ..rounding_bounds import turn_rounding
from .model import RaceModel, in_order

if TYPE_CHECKING:
    from ...util.threads import ThreadPool

WIDER = 2.25  # times the gaps of a race with nothing to lose that are tried first
QUICK = 8  # sweeps for gaps about a middle that hardly moves
CERTAIN = 2.0**-51  # what a stop may lose by being taken as certain from a bust worth this much less
WORTH_SHARING = 20_000_000  # choices in a race from which threads gain more than they cost
AT_ONCE = 200_000_000  # choices solved between two reports of progress, where the solve can be interrupted


class RaceStates(NamedTuple):
    """The arrays that the kernel reads, each with one number for every state (``csrc/race_kernel.h``)."""

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


class RaceSweep:
    """All layers of a race, highest total first, and what the kernel is told of them (``csrc/race_kernel.h``).

    ``pay[b, T]`` is 1 - lo(b, T), what a bank that leads to T pays against b, and ``gap[b, T]`` is hi(b, T) - lo(b, T):
    a column for every total from the lowest score on, then one for every state with some busts. ``weighed`` counts the
    choices that were weighed for a block of lanes, ``passes`` the passes over a unit.

    Once it is solved ``win[i, j]`` is the chance to win of the player to move in state i against one in state j, within
    ``error_bound``; ``taken`` the same where dice may be taken over, by the mover's state, what is offered
    (``RaceModel.offered``) and the dice left over less 1.
    """

    win: Doubles
    taken: Doubles | None = None
    error_bound: float
    known: tuple[NDArray[Any], Doubles]
    certain = CERTAIN

    def __init__(self, race: RaceModel, threads: int, progress: Callable[[float], None]) -> None:
        # With a last round it can be better not to reach the target yet, and what is taken over is not one's own.
        turn = MonotoneTurn(
            race.states.turn,
            WIN,
            WIPE,
            race.has_cyclic_components and not (race.last or race.dice or race.states.exact),
        )
        self.race, self.progress = race, progress
        self.top, self.may_pass = race.max_cap, race.states.rules.passes
        self._lay_out(turn)
        self.kernel = RaceKernel(turn, self)
        rounding = turn_rounding(race.states.turn, race.max_cap)
        # What d has to cover: stops taken as certain, sums with d, the last turns, what sweeps may still move.
        self.allowed = rounding if race.has_cyclic_components else 0.0
        slack = rounding + CERTAIN + 2.0**-51 + race.constant_error + self.allowed
        self.settled = (max(SETTLED, rounding / 8), max(SETTLED, rounding))
        self.widen = (slack + self.settled[0], slack + self.settled[1])
        work = len(race.states) ** 2 * race.states.turn.choices * race.max_cap / 2
        self.threads = threads if work >= WORTH_SHARING else 1
        self.parts = math.ceil(work / AT_ONCE)
        self.weighed = self.passes = 0
        self.fewer = True

    def _lay_out(self, turn: MonotoneTurn) -> None:
        """Make the kernel's arrays."""
        race, states = self.race, self.race.states
        low, count, exact = states.low, len(states), states.exact
        width = states.target - low + max(1 + exact, race.past_totals)
        own = np.where(states.busts == 0, states.score - low, width + np.arange(count))
        columns = width + count * (states.kinds > 1)
        self.pay, self.gap = np.ones((count, columns)), np.zeros((count, columns))
        self.ends = np.zeros(width, dtype=np.uint64)
        if race.last:
            totals = np.arange(states.target, low + width)
            self.pay[:, totals - low] = 1 - race.last.against(states.score[:, None], totals)
        else:
            self.ends[states.target - low :] = turn.banks
        if exact:  # one point more may not be held
            self.pay[:, states.target - low + 1] = -np.inf
            self.ends[states.target - low + 1] = (1 << turn.modes) - 1
        # The next score that can occur, for first guesses.
        above = np.minimum(np.arange(count) + states.kinds, count - 1)
        above[-states.kinds :] = np.arange(count)[-states.kinds :]
        self.offered = np.zeros((2, count, race.offers, race.dice)) if race.dice else None
        self.last_offered = 1 - race.last_taken if race.dice and race.last else None
        arrays: dict[str, NDArray[Any]] = {
            "total": states.score - low,
            "column": own,
            "bust_column": own[states.bust],
            "wipe_column": own[states.wipe],
            "bust_count": states.busts,
            "min_bank": states.counts,
            "cap": states.caps,
            "last_total": race.last_totals - low,
            "next_state": above,
            "max_takeover": np.minimum(race.takes, 2**31 - 1),
            "has_score": states.score > 0,
        }
        self.states = RaceStates(**{name: array.astype(np.int32) for name, array in arrays.items()})
        self.known = np.zeros((count * states.kinds, width), dtype=turn.mode_set_dtype), np.zeros(count * states.kinds)
        self.units = _units(race)

    def run(self, pool: ThreadPool, rough: bool = False) -> None:
        """Solve every layer, with what the tables hold where scores were lost; ``rough``: without gaps."""
        self.kernel.restart(self.settled, self.widen, rough, self.fewer)
        units = len(self.units[1]) - 1
        for part in range(1, self.parts + 1):
            self._solve(pool, units * part // self.parts)
            if not self.race.has_cyclic_components:
                self.progress(part / self.parts)

    def _solve(self, pool: ThreadPool, last: int) -> None:
        """Solve on to a unit."""
        if self.threads == 1:
            work = [self.kernel.solve(last)]
        else:
            work = [future.result() for future in [pool.submit(self.kernel.solve, last) for _ in range(self.threads)]]
        self.weighed += sum(weighed for weighed, _ in work)
        self.passes += sum(passes for _, passes in work)
        if self.kernel.failed:
            self._refuse(*self.kernel.failed)

    def _refuse(self, unit: int, how: int) -> None:
        pairs, starts, _ = self.units
        states = self.race.states
        total = int(states.score[pairs[starts[unit]]].sum()) * states.rules.grain
        if how == LOOSE:
            raise SolveError(NO_BOUND)
        if how == HOPELESS:
            chance = "a pair of turns, played best, changes anything with a chance below 1e-12"
            waits = "to wait for the other is as good there as to stop, or hardly anything else can happen"
            raise SolveError(f"with {total} points in all {chance}, too small to compute with: {waits}")
        raise SolveError(f"the zero turns with {total} points in all did not settle")

    @property
    def own(self) -> Ints:
        """The column of every state."""
        own: Ints = self.states.column.astype(np.int64)
        return own

    def low(self) -> Doubles:
        """V, but for half the gap, by the mover's and the opponent's state."""
        found: Doubles = 1 - self.pay[:, self.own]
        return found

    # --- where scores can be lost

    def enclose(self, pool: ThreadPool) -> None:
        """Sweep until what is read before it is solved comes out as it went in, first its middle and then with a gap
        around it that holds.
        """
        self.pay[:, self.own], first_gap = self._guessed(pool)
        rows, states = self._held()
        columns, sweeps = self.own[states], 0

        def sweep(middle: Doubles, gap: Doubles | None = None) -> tuple[Doubles, Doubles]:
            nonlocal sweeps
            sweeps += 1
            pay = 1 - middle if gap is None else 1 - (middle - gap / 2).clip(0.0, 1.0)
            self.pay[rows, columns], self.gap[rows, columns] = pay, 0.0 if gap is None else np.minimum(gap, pay)
            self.run(pool, gap is None)
            self.progress(min(0.99, sweeps / 10))
            made = self.gap[rows, columns]
            return 1 - self.pay[rows, columns] + made / 2, made

        self._foresee(pool)
        best, gap = 1 - self.pay[rows, columns], first_gap[rows, states] * WIDER
        for allowed, tries in ((float(first_gap.max()), QUICK), (0.0, MOST_SWEEPS)):  # as close as it needs to be
            best, off = mix(lambda middle: sweep(middle)[0], best, max(self.allowed / 4, allowed), patience=LATE)
            mixture, gap, spare = Mixture(), gap + off / 4, SPARE
            for _ in range(tries):
                middle = best.clip(gap / 2, 1 - gap / 2)  # what is certain is enclosed from one side
                made, needed = sweep(middle, gap)
                if float((np.abs(made - middle) + (needed - gap) / 2).max(initial=0.0)) <= self.allowed:
                    return
                if (needed <= gap).all():
                    spare *= 2
                gap = mixture.next(needed, needed - gap).clip(0.0, 1.0) * (1 + spare)
            self.fewer = False
        raise SolveError(LOST)

    def _guessed(self, pool: ThreadPool) -> tuple[Doubles, Doubles]:
        """First guesses of pay and gap: those of the race with nothing to lose, if there is such a race."""
        plain, like = self.race.lossless()
        count = len(self.race.states)
        start = RaceSweep(plain, self.threads, lambda done: None)
        try:
            start.run(pool)
        except SolveError:
            return np.full((count, count), 0.5), np.zeros((count, count))
        mine, theirs = np.divmod(like[: self.race.lines].reshape(count, -1)[:, :count], plain.width)
        return start.pay[mine, start.own[theirs]], start.gap[mine, start.own[theirs]]

    def _foresee(self, pool: ThreadPool) -> None:
        """Solve every layer without gaps, and after each total move what falls will read next as what stands above it
        has moved since the last sweep: by differences of the first order.
        """
        states, before = self.race.states, self.pay.copy()
        self.kernel.restart(self.settled, self.widen, True, self.fewer)
        pairs, starts, _ = self.units
        totals = states.score[pairs[starts[:-1]]].sum(axis=1)
        ends = np.append(np.flatnonzero(np.diff(totals)) + 1, len(totals)).tolist()
        falls = [
            (int(states.score[-1] - states.score[to]) + 1, states.busts[to]) for to in states.bust[-states.kinds :]
        ]
        for last in ends:
            self._solve(pool, last)
            for drop, busts in (fall for fall in falls if fall[0] > 1):
                to = totals[last - 1] - drop - states.score
                rows = np.flatnonzero((to >= states.low) & (to + drop < states.goal))
                column, above, twice = (
                    self.own[states.first[np.minimum(to[rows] + step * drop, states.goal - 1) - states.low] + busts]
                    for step in range(3)
                )
                moved, more = (self.pay[rows, one] - before[rows, one] for one in (above, twice))
                more[to[rows] + 2 * drop >= states.goal] = 0.0
                self.pay[rows, column] = (before[rows, column] + 2 * moved - more).clip(0.0, 1.0)

    def _held(self) -> tuple[Ints, Ints]:
        """The states, of who moves next and of who has lost, that are read before they are solved."""
        count, lost = len(self.race.states), self.race.states.lost([])
        return np.repeat(np.arange(count), len(lost)), np.tile(lost, count)


def solve_race(
    race: RaceModel, *, threads: int = 1, progress: Callable[[float], None] = lambda done: None
) -> RaceSweep:
    """Solve every position of a race whose turn ``climbs``; the same bits for any number of threads.

    Raises:
        SolveError: the zero turns of a layer, or the scores that are lost, did not settle.
    """
    from ...util.threads import ThreadPool

    sweep = RaceSweep(race, threads, progress)
    with ThreadPool(threads) as pool:
        if race.has_cyclic_components:
            sweep.enclose(pool)
        else:
            sweep.run(pool)
    gap, widest = sweep.gap[:, sweep.own], float(sweep.gap[:, sweep.own].max())
    if sweep.offered is not None:
        widest = max(widest, float(sweep.offered[1].max(initial=0.0)))
        for part in zip(*sweep.offered, strict=True):  # in place: they are large
            np.clip(1 - part[0] + part[1] / 2, 0.0, 1.0, out=part[0])
        sweep.taken = sweep.offered[0]
    # An answer inside a turn is one more turn away from the table.
    sweep.error_bound = widest / 2 + sweep.widen[1]
    if not sweep.error_bound <= MOST_BOUND:
        raise SolveError(NO_BOUND)
    sweep.win = np.ascontiguousarray(1 - sweep.pay[:, sweep.own] + gap / 2)
    return sweep


def _units(race: RaceModel) -> tuple[NDArray[np.int32], Ints, Ints]:
    """Return all pairs of states in the order of solving, cut into units of a block of lanes: the pairs, where each
    unit starts, and how many units must be done before it begins.
    """
    states, pairs = race.states, np.stack(np.tril_indices(len(race.states)), axis=1)
    layers = in_order(states.score[pairs].sum(axis=1), states.busts[pairs].sum(axis=1))
    sizes = np.array([len(layer) for layer in layers])
    units = -(-sizes // LANES)
    ready = np.repeat(np.cumsum(units) - units, units)
    starts = np.repeat(np.cumsum(sizes) - sizes, units) + (np.arange(len(ready)) - ready) * LANES
    return pairs[np.concatenate(layers)].astype(np.int32), np.append(starts, len(pairs)), ready
