"""Two players race to a target: the chance to win from every pair of scores.

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

the chances being those of the choices that f made, carried along as another channel. So hi > f(1 - lo(b, .)), with room
to spare. And those choices, made against 1 - hi(b, .) instead, would be paid less by the sum in the second line, so
what is best there is worth at least as much: f(1 - hi(b, .)) > lo(a, b). Now let V be any solution of the equations,
and suppose that somewhere V > hi or V < lo; take the position where this is worst, by m, say V = hi + m. The payoffs 1
- V(b, .) are at most m above 1 - lo(b, .), and f rises by no more than its payoffs do: V = f(1 - V(b, .)) is at most
f(1 - lo(b, .)) + m, which is below hi + m. The same holds for lo. So lo <= V <= hi is proved for every solution there
is, with no assumption about the length of the game, and two solutions differ by no more than the gap. That there is one
follows from monotony: repeated from lo and hi, f comes to solutions. The value kept is the middle, the error bound half
the widest gap and one turn's rounding more. The four unknowns of a pair, hi and w of either side, are linear in each
other along the lines in force, so one pass serves all of them. Choices that tie have different gaps, though, and passes
may take now one, now another. The proof asks no more than that w is at least the second line. So where a pair has not
settled after some passes its gaps stay until the values stand, and grow only where they fall short.

Where a pair of zero turns comes back with a chance that double precision cannot tell from 1 (an opening of 10,000 in
one turn), or where neither player would rather score (with an exact finish fewer points can be better), there is no
such bound, and the solve says so. With an exact finish a score may be *dead*: no turns lead from it to the target. Who
is there cannot win, and two who are there never end; such rules are refused, naming the score.

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
evaluated either. The reasoning needs points that only grow until the turn ends: ``turns.climb`` refuses any other turn.

Where z' is exceeded by less than CERTAIN (plateaus, where more points are worth nothing), the certificate is used all
the same; a stop taken wrongly ends the turn and loses less than that once, which d covers.

Where a throw can wipe the whole score, the race is one component: V(b, 0) lies in a layer that is solved later. Sweeps
over all layers repeat until hi(b, 0) and lo(b, 0) come out between what was put in, but for what d allows for
(``wiped``). Such a throw pays what was put in, one number for each b in all of a sweep, whatever the mover's score, 0
too: it counts as no zero turn there. So C is one function of m, T and z for all scores of the mover, and stops that are
certain are shared among them, 0 included; each sweep begins with none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.race import HOPELESS, LANES, LOOSE, RaceKernel
from ...errors import SolveError
from ...games.pushluck import WIN, WIPE
from ...play.push import Play, PushPosition
from ...threads import ThreadPoolExecutor
from ...turns.climb import climb
from ...turns.push import Doubles
from ..contract import Range, Solved
from ..costs import Cost
from .ladder import LISTED, Ladder, Scores, turn_rounding
from .lastround import TRUNCATION, LastRound
from .pushmatch import Lane, PushMatch
from .wiped import enclose_wiped

SETTLED = 2.0**-50  # a zero turn is settled when a pass moves it by no more, if rounding lets it
CERTAIN = 2.0**-51  # what a stop may lose by being taken as certain from a bust worth this much less
CHOICE_SECONDS = 1e-9  # for each choice, points in hand and pair of scores, passes included
PAST_SECONDS = 1.5e-8  # for each row past the cap that a throw may lead to
CHOICES_BESIDE = 60  # what laying out payoffs costs, counted in choices
WORTH_SHARING = 20_000_000  # choices in a race from which threads gain more than they cost
AT_ONCE = 200_000_000  # choices solved between two reports of progress, where the solve can be interrupted
MOST_BOUND = 2.0**-20  # a bound that is not worth stating
NO_BOUND = "turns change so little under these rules that no bound worth stating can be proved"


@dataclass(frozen=True)
class RaceValues:
    """``win[i, j]``: chance to win of the player to move with ``scores[i]`` (units) against ``scores[j]``.

    ``weighed`` counts the choices that were weighed for a block of lanes, ``passes`` the passes over a unit.
    """

    scores: Scores
    win: Doubles
    error_bound: float
    weighed: int
    passes: int


def solve_race(
    ladder: Ladder,
    *,
    threads: int = 1,
    progress: Callable[[float], None] = lambda done: None,
) -> RaceValues:
    """Solve every position of the race.

    The result has the same bits for any number of threads. ``progress`` is called with the share done.

    Raises:
        SolveError: the zero turns of a layer, or the wiped scores of the race, did not settle.
    """
    sweep = _Sweep(ladder, threads, progress)
    with ThreadPoolExecutor(threads) as pool:
        if ladder.rules.wipes:
            enclose_wiped(lambda middle, gap: sweep.from_wiped(pool, middle, gap), ladder.target, sweep.settled_wiped)
        else:
            sweep.run(pool)
    low, gap = 1 - sweep.pay[:, ladder.scores], sweep.gap[:, ladder.scores]
    low, gap = low[ladder.scores], gap[ladder.scores]
    # An answer inside a turn is one more turn away from the table.
    bound = float(gap.max()) / 2 + sweep.widen[1]
    if not bound <= MOST_BOUND:
        raise SolveError(NO_BOUND)
    return RaceValues(ladder.scores, low + gap / 2, bound, sweep.weighed, sweep.passes)


class _Sweep:
    """All layers of a race, highest total first. ``pay[b, T]`` is 1 - lo(b, T), what a bank that leads to T pays
    against b, and ``gap[b, T]`` is hi(b, T) - lo(b, T); ``wiped`` stands for pay[b, 0] and gap[b, 0].
    """

    def __init__(self, ladder: Ladder, threads: int, progress: Callable[[float], None]) -> None:
        rules, target, scores = ladder.rules, ladder.target, ladder.scores
        self.progress = progress
        turn = climb(rules.turn, WIN, WIPE)
        last_round = LastRound(ladder) if rules.finish == "last_round" else None
        last = last_round.last_totals if last_round else np.zeros(target, dtype=np.int32)
        width = max(target + 1 + ladder.exact, int(last.max()) + 1)
        totals = np.arange(width)
        self.pay, self.gap = np.ones((target, width)), np.zeros((target, width))
        ends = np.zeros(width, dtype=np.uint16)
        if last_round:
            for score in scores.tolist():
                self.pay[score, target:] = 1 - last_round.against(score, totals[target:])
        else:
            ends[target:] = turn["banks"]
        if ladder.exact:  # one point more may not be held
            self.pay[:, target + 1] = -np.inf
            ends[target + 1] = (1 << turn["modes"]) - 1
        above = np.arange(target)  # the next score that can occur, for first guesses
        above[scores[:-1]] = scores[1:]
        top = max(int(ladder.caps.max()), int(last.max()))
        rounding = turn_rounding(rules.turn, top)
        self.settled_wiped = rounding if rules.wipes else 0.0
        # What d has to cover besides settled turns: stops taken as certain, sums with d, the last turns.
        self.slack = rounding + CERTAIN + 2.0**-51
        if last_round:
            self.slack += 4 * TRUNCATION + last_round.rounding
        self.settled = (max(SETTLED, rounding / 8), max(SETTLED, rounding))
        self.wiped = np.zeros((2, target))
        pairs, self.unit_start, ready = _units(scores)
        self.kernel = RaceKernel(
            **turn,
            pay=self.pay,
            gap=self.gap,
            ends=ends,
            counts=ladder.counting_from.astype(np.int32),
            caps=ladder.caps,
            last=last,
            above=above.astype(np.int32),
            wiped=self.wiped,
            pairs=pairs,
            unit_start=self.unit_start,
            ready=ready,
            certain=CERTAIN,
        )
        self.ladder, self.pairs = ladder, pairs
        work = len(scores) ** 2 * rules.turn.choices * top / 2
        self.threads = threads if work >= WORTH_SHARING else 1
        self.parts = math.ceil(work / AT_ONCE)
        self.weighed = self.passes = 0

    @property
    def widen(self) -> tuple[float, float]:
        """d, where zero turns have settled closely and where not."""
        return self.slack + self.settled_wiped + self.settled[0], self.slack + self.settled_wiped + self.settled[1]

    def run(self, pool: ThreadPoolExecutor) -> None:
        """Solve every layer with the wiped scores as they are."""
        self.kernel.restart(self.settled, self.widen)
        units = len(self.unit_start) - 1
        for part in range(1, self.parts + 1):
            last = units * part // self.parts
            if self.threads == 1:
                work = [self.kernel.solve(last)]
            else:
                futures = [pool.submit(self.kernel.solve, last) for _ in range(self.threads)]
                work = [future.result() for future in futures]
            self.weighed += sum(weighed for weighed, _ in work)
            self.passes += sum(passes for _, passes in work)
            if self.kernel.failed:
                self._refuse(*self.kernel.failed)
            self.progress(part / self.parts)

    def from_wiped(self, pool: ThreadPoolExecutor, middle: Doubles, gap: Doubles) -> tuple[Doubles, Doubles]:
        """Solve every layer if facing wiped scores is worth so much, within half the gap; returns what comes out."""
        pay = 1 - (middle - gap / 2).clip(0.0, 1.0)
        self.wiped[:] = pay, np.minimum(gap, pay)
        self.run(pool)
        return 1 - self.pay[:, 0] + self.gap[:, 0] / 2, self.gap[:, 0].copy()

    def _refuse(self, unit: int, how: int) -> None:
        total = int(self.pairs[self.unit_start[unit]].sum()) * self.ladder.rules.grain
        if how == LOOSE:
            raise SolveError(NO_BOUND)
        if how == HOPELESS:
            chance = "a pair of turns, played best, changes anything with a chance below 1e-12"
            raise SolveError(f"with {total} points in all {chance}, too small to compute with")
        raise SolveError(f"the zero turns with {total} points in all did not settle")


def _units(scores: Scores) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Return all pairs of scores, layers of equal total from the highest down, cut into units of a block of lanes: the
    pairs, where each unit starts, and how many units must be done before it begins.
    """
    mine, theirs = (scores[index] for index in np.tril_indices(len(scores)))
    order = np.lexsort((mine, -(mine + theirs)))
    pairs = np.stack([mine, theirs], axis=1)[order].astype(np.int32)
    total = pairs.sum(axis=1)
    layer = np.flatnonzero(np.diff(total, prepend=-1))
    sizes = np.diff(layer, append=len(total))
    units = -(-sizes // LANES)
    first = np.cumsum(units) - units
    ready = np.repeat(first, units)
    within = np.arange(len(ready)) - ready
    starts = np.append(np.repeat(layer, units) + within * LANES, len(total))
    return pairs, starts, ready


class Race(PushMatch):
    """The chance to win of two players who both play their best."""

    seats = (2, 2)

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self.ladder.refuse_dead("a race from there could last for ever")

    def cost(self, threads: int) -> Cost:
        """What grows: the pairs of scores, and with each the points that a turn can bring."""
        ladder, turn = self.ladder, self.ladder.rules.turn
        caps = ladder.caps.astype(float)
        if ladder.target <= LISTED:
            caps = caps[ladder.scores]
        past = PAST_SECONDS * len(caps) ** 2 * turn.max_add
        tables = 16.0 * ladder.target * (ladder.target + float(caps.max()))
        layer = 8.0 * 2 * len(caps) * float(caps.max()) * 6
        seconds = CHOICE_SECONDS * (turn.choices + CHOICES_BESIDE) * len(caps) * float(caps.sum())
        if ladder.rules.finish == "last_round":  # what a turn can bring past the target, by itself
            layer += 8.0 * 2 * (4.0 * ladder.target) ** 2
            seconds *= 4
        layer += 16.0 * LANES * len(turn.modes) * (float(caps.max()) + turn.max_add)
        return Cost(tables + layer, (seconds + past) / threads)

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every pair of scores: ``scores`` (n,) in points, ``win`` (n, n) by mover's and opponent's score."""
        values = solve_race(self.ladder, threads=threads, progress=progress)
        grain = self.ladder.rules.grain
        return Solved({"scores": values.scores * grain, "win": values.win}, values.error_bound)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        scores = len(self.ladder.scores)
        return {"scores": (scores,), "win": (scores, scores)}

    def ranges(self) -> dict[str, Range]:
        """The least and the greatest that each solved array can hold."""
        return {"win": (0, 1)}

    def axes(self) -> dict[str, Any]:
        """Return the solved arrays that the question alone decides."""
        return {"scores": self.ladder.scores * self.ladder.rules.grain}

    def beginning(self, solved: Solved, position: PushPosition) -> float | None:
        """V, but in the last turn, which is no longer than a lane."""
        mine, theirs = self._units(position)
        return None if theirs >= self.ladder.target else float(self._win(solved, mine, np.array([theirs]))[0])

    def bound(self, solved: Solved, lane: Lane) -> float:
        """A last round's longer table may round more often than those solved between turns."""
        longer = turn_rounding(self.ladder.rules.turn, lane.cap) if self._last_round else 0.0
        return solved.error_bound + longer

    def cut(self, solved: Solved, start: PushPosition) -> int:
        """The fewest points that win or, with an exact finish, one more than may be held."""
        return self.lane(solved, start).cap * self.rules.grain

    def longest_cut(self, solved: Solved) -> int:
        """The cut of who is furthest behind."""
        behind = (0, int(self.ladder.scores[-1]) * self.rules.grain)
        return self.cut(solved, self.table.begin(behind, 0, 0))

    def _units(self, position: PushPosition) -> tuple[int, int]:
        return position.score // self.rules.grain, position.opponents[0] // self.rules.grain

    @cached_property
    def _last_round(self) -> LastRound | None:
        return LastRound(self.ladder) if self.ladder.rules.finish == "last_round" else None

    def _win(self, solved: Solved, mover: int, totals: Scores) -> Doubles:
        """V of the mover against each of the opponent's totals, in units."""
        ladder = self.ladder
        row = np.zeros(max(ladder.target, int(totals.max()) + 1))
        row[ladder.scores] = solved.arrays["win"][np.searchsorted(ladder.scores, mover)]
        if self._last_round:
            beyond = np.arange(ladder.target, len(row))
            row[ladder.target :] = self._last_round.against(mover, beyond)
        result: Doubles = row[totals]
        return result

    def lane(self, solved: Solved, position: PushPosition, held: int = 0) -> Lane:
        """The lane of a turn of the mover against the opponent's score."""
        ladder = self.ladder
        mine, theirs = self._units(position)
        if theirs >= ladder.target:  # the last turn
            least = self._last_round.least(mine) if self._last_round else 0
            cap = max(theirs - mine + 1, least)
            points = np.arange(cap + 1)
            banks = ((mine + points > theirs) + 0.5 * (mine + points == theirs)) * (points >= least)
            return Lane(banks, cap, bust=0.0, win=1.0, wipe=0.0)
        cap = int(ladder.caps[mine])
        if self._last_round:
            cap = int(self._last_round.caps(np.array([mine]), np.array([theirs]), held)[0])
        points = np.arange(cap + 1)
        zero, wiped = (1 - self._win(solved, theirs, np.array([mine, 0]))).tolist()
        banks = np.where(points >= ladder.counting_from[mine], 1 - self._win(solved, theirs, mine + points), zero)
        return Lane(banks, cap, zero, win=1.0, wipe=wiped)
