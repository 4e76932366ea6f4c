"""Two players race to a target, and a turn may be taken over where the one before ended.

Who banks p points and leaves d dice unthrown offers them: the next player begins anew, or throws those d dice with the
p points in hand. So a turn begins at two scores and at what is offered, (p, d) or nothing. From a points against b, let
C(m, t) be the worth of throwing on in mode m with t points in hand. Then

    V(a, b, nothing) = C(all dice, 0),   V(a, b, (p, d)) = max(C(all dice, 0), C(d, p)),

all of them from one table of the turn from (a, b): taking over is one more mode for each number of dice, which throws
and cannot stop. A bank of t with d dice left over pays 1 - V(b, a + t, (t, d)), so the endings of a turn are a block
for each number of dice left over, and one for none. Banks lead to higher totals of the scores, so totals are solved
from the highest down, as in ``race``; the pairs that are left there, of (a, b) and (b, a) with nothing offered,

    x = f(1 - y),  y = g(1 - x),

are solved by Newton's method on the lines that f and g are: their slope, the chance of a turn that changes no score, is
carried along as a channel. Where that goes round, or both would rather change no score, half a step of plain iteration
stands behind it.

The bound is the one of ``race``: found are hi and the gap w down to lo = hi - w, with

    hi = f(1 - lo) + d,   w = 2 d + the gaps of what f's choices lead to, by their chances,

where d is more than the rounding of a turn and what the last pass moved. To take over or not is one more choice of a
turn. Once the values of a total stand its gaps only grow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.push import LANES
from ...errors import SolveError
from ...games.pushluck import SPECIALS, WIN
from ...play.push import Play, PushPosition
from ...play.table import Choice
from ...threads import ThreadPoolExecutor
from ...turns.push import Doubles, PushTurn, pad
from ..contract import Listing, Range, Solved
from ..costs import Cost
from .ladder import Scores, turn_rounding
from .pushmatch import Lane, PushMatch

SETTLED = 2.0**-46  # a pass that moves nothing by more is the last
STANDS = 2.0**-40  # from here on gaps only grow
NEWTON_PASSES, MOST_PASSES = 20, 2000
HOPELESS = 1e-12  # a pair of turns that changes anything with a smaller chance
MOST_BOUND = 2.0**-20
CHOICE_SECONDS = 2e-9  # for each choice, points in hand and lane, and each pass
PASSES = 5  # that many are usual
VALUE, GAP, ZERO = range(3)  # channels: what is won, the gaps of banks, the chance of a turn that changes no score


class Race(PushMatch):
    """The chance to win of two players who both play their best."""

    seats = (2, 2)

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self.ladder.refuse_dead("a race from there could last for ever")

    @property
    def dice(self) -> int:
        """How many dice are thrown at most, and so can be left over."""
        return self.rules.dice

    @property
    def block(self) -> int:
        """Endings of a block: the banks of 0 points up to the target."""
        return self.ladder.target + 1

    @cached_property
    def caps(self) -> NDArray[np.int32]:
        """By score, with how many points in hand whoever may stop does. Dice taken over must be thrown, so where a set
        takes points off it matters how many more than enough are in hand.
        """
        caps = self.ladder.caps
        return np.full_like(caps, self.ladder.target) if min(self.rules.worths) < 0 else caps

    @cached_property
    def turn(self) -> PushTurn:
        """The turn of the rules, with a block of endings by the dice left over, and modes for what is taken over."""
        plain = self.rules.turn
        modes = [
            mode._replace(bank=(number + 1) * self.block) if number < self.dice else mode
            for number, mode in enumerate(plain.modes)
        ]
        taken = [mode._replace(name=f"{mode.name} taken over", bank=None) for mode in plain.modes[: self.dice]]
        groups = [*plain.groups, range(len(modes), len(modes) + self.dice)]
        return PushTurn([*modes, *taken], groups, plain.start, SPECIALS, plain.forbid)

    def cost(self, threads: int) -> Cost:
        """What grows: the pairs of scores, and with each the points that a turn can bring and may hand on."""
        scores, caps = len(self.ladder.scores), self.caps[self.ladder.scores].astype(float)
        choices = CHOICE_SECONDS * self.turn.choices * scores * float(caps.sum()) * PASSES
        tables = 8.0 * 2 * scores * self._offers * self.dice
        inner = 8.0 * 3 * scores * (len(self.turn.modes) + self.dice) * (float(caps.max()) + self.turn.max_add)
        return Cost(2 * tables + 4 * inner, choices / threads)

    @property
    def _offers(self) -> int:
        """How many pairs there are of the opponent's score and the points that its last bank brought."""
        return self.ladder.target * (self.ladder.target - 1) // 2

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every pair of scores: ``scores`` (n,) in points, ``win`` (n, n) by mover's and opponent's score, and
        ``taken`` (n, offers, dice) by mover's score, what is offered (see ``_offer``), and the dice left over less 1.
        """
        sweep = _Sweep(self)
        with ThreadPoolExecutor(threads) as pool:
            totals = range(2 * int(self.ladder.scores[-1]), -1, -1)
            for number, total in enumerate(totals):
                sweep.solve(total, pool, threads)
                progress(min(0.99, (number / len(totals)) ** 2))
        bound = sweep.widest / 2 + sweep.widen
        if not bound <= MOST_BOUND:
            raise SolveError("turns change so little under these rules that no bound worth stating can be proved")
        scores = self.ladder.scores
        win = (1 - sweep.pay + sweep.gap / 2)[np.ix_(scores, scores)]
        for part, gap in zip(sweep.pay_taken, sweep.gap_taken, strict=True):  # in place: they are large
            np.clip(1 - part + gap / 2, 0.0, 1.0, out=part)
        grain = self.rules.grain
        return Solved({"scores": scores * grain, "win": win.clip(0.0, 1.0), "taken": sweep.pay_taken}, bound)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        scores = len(self.ladder.scores)
        return {"scores": (scores,), "win": (scores, scores), "taken": (scores, self._offers, self.dice)}

    def ranges(self) -> dict[str, Range]:
        """The least and the greatest that each solved array can hold."""
        return {"win": (0, 1), "taken": (0, 1)}

    def axes(self) -> dict[str, Any]:
        """Return the solved arrays that the question alone decides."""
        return {"scores": self.ladder.scores * self.ladder.rules.grain}

    def may_take(self, score: int) -> bool:
        """Whether who has this score may take over anything."""
        return self.rules.take_over == "free" or score > 0

    def bound(self, solved: Solved, lane: Lane) -> float:
        """That of the table."""
        return solved.error_bound

    def beginning(self, solved: Solved, position: PushPosition) -> float:
        """V."""
        mine, theirs = self._units(position)
        scores = self.ladder.scores
        row = np.searchsorted(scores, mine)
        if not position.offered:
            return float(solved.arrays["win"][row, np.searchsorted(scores, theirs)])
        points, dice = position.offered
        offer = offers(np.array(theirs), np.array(points // self.rules.grain))
        return float(solved.arrays["taken"][row, offer, dice - 1])

    def cut(self, solved: Solved, start: PushPosition) -> int:
        """The fewest points that win or, with an exact finish, one more than may be held."""
        return int(self.ladder.caps[self._units(start)[0]]) * self.rules.grain

    def longest_cut(self, solved: Solved) -> int:
        """The cut from no points."""
        return int(self.ladder.caps.max()) * self.rules.grain

    def _units(self, position: PushPosition) -> tuple[int, int]:
        return position.score // self.rules.grain, position.opponents[0] // self.rules.grain

    def lane(self, solved: Solved, position: PushPosition, held: int = 0) -> Lane:
        """The lane of a turn of the mover against the opponent's score."""
        mine, theirs = self._units(position)
        scores, target = self.ladder.scores, self.ladder.target
        row = np.searchsorted(scores, theirs)
        win = np.zeros(target)
        win[scores] = solved.arrays["win"][row]
        banks = self.banks(1 - win, 1 - solved.arrays["taken"][row], mine, theirs, 1.0)
        zero = float(1 - win[mine])
        banks[:, : self.ladder.counting_from[mine]] = zero
        return Lane(banks.reshape(-1), int(self.caps[mine]), zero, win=1.0, wipe=0.0)

    def banks(self, plain: Doubles, taken: Doubles, mine: int, theirs: int, won: float) -> Doubles:
        """What banks from ``mine`` lead to, by the dice left over and points: (dice + 1, block).

        ``plain`` tells it by the total where nothing may be taken over, ``taken`` by what is offered and the dice.
        """
        points = np.arange(self.block)
        totals = mine + points
        goes_on = totals < self.ladder.target
        found = np.full((self.dice + 1, self.block), won)
        found[:, goes_on] = plain[totals[goes_on]]
        if self.may_take(theirs):
            fits = goes_on & (points >= 1)
            if self.ladder.exact:
                fits &= theirs + points <= self.ladder.target
            found[1:, fits] = taken[offers(totals[fits], points[fits])].T
        return found

    def _ending(self, choice: Choice[PushPosition], top: int) -> int:
        """The place of a choice that ends the turn in its payoff: banks stand by the dice left over."""
        left = choice.after.offered[1] if choice.after.offered else 0
        return super()._ending(choice, top) + left * self.block * (choice.then == "bank")

    def positions(self, told: Mapping[str, Any]) -> Listing[PushPosition]:
        """Every pair of scores with nothing to take over; what is offered makes too many, so those are told."""
        if "offered" in told:
            return Listing(1, [self.table.read(**told)], told=True)
        return super().positions(told)


def offers(theirs: Scores, points: Scores) -> Scores:
    """The number of an offer: of ``points`` from 1 on by a player who has ``theirs`` now, in units."""
    found: Scores = theirs * (theirs - 1) // 2 + points - 1
    return found


class _Sweep:
    """All totals of a race, highest first. ``pay[b, T]`` is 1 - lo(b, T), what a turn pays that leads to T against b
    with nothing to take over, ``gap[b, T]`` is hi(b, T) - lo(b, T); ``pay_taken`` and ``gap_taken`` are the same by the
    place of b among the scores, what is offered, and the dice left over less 1. ``widest`` is the widest gap.
    """

    def __init__(self, match: Race) -> None:
        self.match, self.ladder, self.turn = match, match.ladder, match.turn
        target = self.ladder.target
        self.settled = max(SETTLED, turn_rounding(self.turn, int(match.caps.max())))
        self.widen = self.settled + 2.0**-50 + 4 * self.settled
        self.widest = 0.0
        self.pay, self.gap = np.full((target, target), 0.5), np.zeros((target, target))
        scores = self.ladder.scores
        shape = match.shapes()["taken"]
        self.pay_taken, self.gap_taken = np.zeros(shape), np.zeros(shape)
        self.above = np.arange(target)  # the next score that can occur, for first guesses
        self.above[scores[:-1]] = scores[1:]
        self.place = np.zeros(target, dtype=np.int64)
        self.place[scores] = np.arange(len(scores))
        self.counts = np.zeros(target, dtype=np.bool_)
        self.counts[scores] = True

    def solve(self, total: int, pool: ThreadPoolExecutor, threads: int) -> None:
        """Solve the pairs of one total."""
        mine = np.arange(max(0, total - self.ladder.target + 1), min(total, self.ladder.target - 1) + 1)
        mine = mine[self.counts[mine] & self.counts[total - mine]]
        if not len(mine):
            return
        theirs, lanes = mine[::-1], len(mine)
        caps = np.full(pad(lanes), self.match.caps[mine[0]], dtype=np.int32)
        caps[:lanes] = self.match.caps[mine]
        payoff = self._payoff(mine, theirs)
        idle = payoff[ZERO] > 0  # endings that change no score
        scratch = self.turn.scratch(payoff, caps, min(threads, len(caps) // LANES))
        low = 1 - self.pay[mine, self.above[theirs]]  # first guesses
        gaps = np.zeros(lanes)
        for passes in range(MOST_PASSES):
            payoff[VALUE][idle] = np.broadcast_to(self._padded(1 - low[::-1]), idle.shape)[idle]
            came = self.turn.solve(payoff, caps, pool=pool, scratch=scratch).value[:, :lanes]
            lines = self._along_lines(came, 1 - low[::-1]) if passes < NEWTON_PASSES else None
            high, wide = self._half_way(came, low, gaps) if lines is None else lines
            moved = float(np.abs(high - wide - low).max())
            if passes and moved <= STANDS:
                wide = np.maximum(wide, gaps)
            grown = float((wide - gaps).max())
            low, gaps = high - wide, wide
            if max(moved, grown) <= self.settled:
                break
        else:
            grain = self.ladder.rules.grain
            raise SolveError(f"with {total * grain} points in all the turns that change no score did not settle")
        self.pay[mine, theirs], self.gap[mine, theirs] = 1 - low, gaps
        self.widest = max(self.widest, float(gaps.max()))
        payoff[VALUE][idle] = np.broadcast_to(self._padded(1 - low[::-1]), idle.shape)[idle]
        self._take_over(payoff, caps, mine, theirs, pool, scratch)

    def _padded(self, values: Doubles) -> Doubles:
        return np.append(values, np.repeat(values[:1], pad(len(values)) - len(values)))

    def _payoff(self, mine: Scores, theirs: Scores) -> Doubles:
        """The endings of turns: what they win and the gaps of banks, and a 1 for those that change no score."""
        match, block, lanes = self.match, self.match.block, len(mine)
        found = np.zeros((3, SPECIALS + (match.dice + 1) * block, pad(lanes)))
        found[VALUE, -1 - WIN.next] = 1.0
        found[ZERO, 0] = 1.0
        tables = ((VALUE, self.pay, self.pay_taken, 1.0), (GAP, self.gap, self.gap_taken, 0.0))
        for lane, (a, b) in enumerate(zip(mine.tolist(), theirs.tolist(), strict=True)):
            least = self.ladder.counting_from[a]
            for channel, plain, taken, won in tables:
                banks = match.banks(plain[b], taken[self.place[b]], a, b, won)
                banks[:, :least] = 0.0
                found[channel, SPECIALS:, lane] = banks.reshape(-1)
            idle = np.broadcast_to(np.arange(block) < least, (match.dice + 1, block))
            found[ZERO, SPECIALS:, lane] = idle.reshape(-1)
        found[:, :, lanes:] = found[:, :, :1]
        return found

    def _half_way(self, came: Doubles, low: Doubles, gaps: Doubles) -> tuple[Doubles, Doubles]:
        """Half way from hi and w as they are to what turns make of them: hi and w by lane."""
        wide = came[GAP] + came[ZERO] * gaps[::-1] + 2 * self.widen
        return (came[VALUE] + self.widen + low + gaps) / 2, (wide + gaps) / 2

    def _along_lines(self, came: Doubles, zero: Doubles) -> tuple[Doubles, Doubles] | None:
        """Solve both unknowns of every pair along the lines in force: hi and w by lane; None where they do not meet.

        ``came``: value, gap and slope of turns whose zero turns were worth ``zero``; the partner of a pair stands as
        far from the end as it from the beginning.
        """
        slope, both = came[ZERO], 1 - came[ZERO] * came[ZERO][::-1]
        if both.min() < HOPELESS:
            return None
        own = came[GAP] + 2 * self.widen
        wide = (own + slope * own[::-1]) / both
        line = came[VALUE] - slope * zero + self.widen + slope * (1 + wide[::-1])  # hi = line - slope x the other's hi
        return (line - slope * line[::-1]) / both, wide

    def _take_over(
        self,
        payoff: Doubles,
        caps: NDArray[np.int32],
        mine: Scores,
        theirs: Scores,
        pool: ThreadPoolExecutor,
        scratch: list[Doubles],
    ) -> None:
        """Enter what every offer is worth, now that zero turns are known."""
        dice, modes = self.match.dice, len(self.turn.modes)
        inner = self.turn.solve(payoff, caps, inner=True, pool=pool, scratch=scratch).inner
        assert inner is not None
        other = self.gap[theirs, mine]
        for lane, (a, b) in enumerate(zip(mine.tolist(), theirs.tolist(), strict=True)):
            if not b or not self.match.may_take(a):
                continue
            points = np.arange(1, b + 1)
            held = np.minimum(points, caps[lane])
            taken = inner[:, modes - dice :, held, lane]
            anew = inner[:, self.turn.start, 0, lane][:, None, None]
            best = np.where(taken[VALUE] > anew[VALUE], taken, anew)
            wide = best[GAP] + best[ZERO] * other[lane] + 2 * self.widen
            place, first = self.place[a], int(offers(np.array(b), np.array(1)))
            self.pay_taken[place, first : first + b] = (1 - (best[VALUE] + self.widen - wide)).T
            self.gap_taken[place, first : first + b] = wide.T
            self.widest = max(self.widest, float(wide.max()))
