"""finish=last_round: once somebody holds at least the target, the opponent has one last turn; highest total wins.

The player who reaches the target need not stop: more points make the last turn harder. Let L(d) be the chance of the
last turn of a player who is d behind: of banking more than d points, plus half that of banking exactly d. It needs no
match, only the turn: payoff 1 above d, 1/2 at d, 0 below.

Points have no bound here, so the table of a turn must end somewhere. Let A(s) be the greatest chance to ever add s
points (``reaching``). Whoever stops at c points with a against b gives up at most L(a + c - b), and comes there from t
points with chance at most A(c - t), so ending the table at c costs at most A(c - t) L(a + c - b). ``cap`` takes the
first c where that is at most TRUNCATION, which enters the error bound; answers about a position that holds t points
take a table of their own. Where dice left over may be taken over with the points in hand the opponent is never far
behind: then only A(c - t) counts, and t may be anything below the target when a turn begins.

*Last turns that take over.* The player before stood at s, banked t points and left dice over. Who takes them over from
b needs more than s - b points on top of these t, however large t is, and s and b are below the target. So the chances
are tabled by s - b and t, not by every b and total: ``taken_over``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...turns.push_turn import Doubles, PushTurn
from ...util.errors import SolveError
from ..model import Ints, split_lanes
from ..rounding_bounds import turn_rounding
from .reachability import ever_adds, inside, shifts
from .states import States

TRUNCATION = 2.0**-52
MOST_STEPS = 1 << 16
AT_ONCE = 256  # turns solved in one call
MOST_INSIDE = 1 << 23  # doubles: values inside turns that are held at once
TO_WIN = np.array([0.0, 1.0, 0.0])  # what the special endings pay


class LastRound:
    """The last turns of players. ``chance[opened, d]`` is L(d) before the first bank (0) and after it (1), for
    d < ``size``; ``adds[s]`` is A(s), and ``rounding`` bounds the rounding error of each.
    """

    def __init__(self, states: States) -> None:
        self.states, self.turn = states, states.turn
        self.span = span = states.target - states.low
        self.size = 4 * span
        while True:
            self.adds = ever_adds(self.turn, self.size - 2 * span + 1)
            if self.adds[-1] <= TRUNCATION:
                break
            if self.size > MOST_STEPS:
                raise SolveError("the points of a turn reach too far for a last round to be solved under these rules")
            self.size += self.size // 2
        self.chance = np.array([self._solve(self.least(opened)) for opened in (0, 1)])
        self.rounding = turn_rounding(self.turn, self.size)

    def least(self, score: int) -> int:
        """Fewest points of a bank that counts in a last turn; what beats the other total reaches the target as well."""
        return self.states.least(score) if self.states.rules.minimum_on_win else 1

    def _solve(self, least: int) -> Doubles:
        """L(d) for d < ``size``, with that least number of points to bank.

        What is missing decides, so one table of a turn that is size - 1 behind holds the L of all, but of those who are
        less behind than a bank must bring, or not behind.
        """
        top, chance = self.size - 1, np.empty(self.size)
        near = np.arange(min(least + 1, self.size) if shifts(self.turn) else self.size)
        if len(near) < self.size:
            banks = np.append(np.zeros(top), (0.5, 1.0))
            chance[:] = inside(self.turn, TO_WIN, banks)[self.turn.start, top::-1]
        for behind in split_lanes(near, AT_ONCE):
            chance[behind] = self._solve_near(behind, least)
        return chance

    def _solve_near(self, behind: Ints, least: int) -> Doubles:
        """Chance to bank more than each number of points, plus half that of exactly so many."""
        cap = np.maximum(behind + 1, least).astype(np.int32)
        points = np.arange(int(cap.max()) + 1)[:, None]
        specials = np.repeat(TO_WIN[:, None], len(behind), axis=1)
        payoff = np.concatenate([specials, self.paid(points, behind, least)])[None]
        return np.asarray(self.turn.solve(payoff, cap).value[0])

    @staticmethod
    def paid(points: Ints, behind: Ints, least: Ints | int) -> Doubles:
        """What banks pay who is so far behind."""
        found: Doubles = ((points > behind) + 0.5 * (points == behind)) * (points >= least)
        return found

    def against(self, score: Ints, totals: Ints) -> Doubles:
        """Chance of the last turn from a score against totals; too far ahead is as far as tabled."""
        result: Doubles = self.chance[(score > 0).astype(np.int64), np.minimum(totals - score, self.size - 1)]
        return result

    def cap(self, ahead: int, held: int) -> int:
        """Return the points at which the table of a turn ends that has come to ``held``, by the mover's lead."""
        more = np.arange(len(self.adds))
        lost = self.adds * self.chance[1, np.clip(held + more + ahead, 0, self.size - 1)]
        return held + (self.further if self.handed_on else int(np.flatnonzero(lost <= TRUNCATION)[0]))

    def taken_over(self, turn_to: Callable[[int], PushTurn], dice: int, most: int) -> Doubles:
        """Return the chance of last turns that take over 0, 1, .. ``most`` points: (2, 2 span - 1, most + 1, dice).

        The axes are: before the mover's first bank (0) or after it (1); how far the player before was ahead of the
        mover before that bank, plus span - 1; the points taken over; the dice taken over less 1.

        Args:
            turn_to: the turn for tables up to so many points; its last modes are those of 1, 2, .. dice taken over.
            dice: the largest number of dice that may be left over.
            most: the largest number of points that may be taken over.
        """
        ahead = np.arange(1 - self.span, self.span)
        behind = ahead[:, None] + np.arange(most + 1)
        found = np.zeros((2, len(ahead), most + 1, dice))
        for opened in (0, 1):
            least, near = self.least(opened), behind > 0
            if shifts(self.turn):
                near &= behind < least
                found[opened] = self._taken_far(turn_to(self.span + 1), dice)[:, None]
            if near.any():
                self._take_near(turn_to, dice, least, np.argwhere(near), found[opened])
        return found

    def _taken_far(self, turn: PushTurn, dice: int) -> Doubles:
        """Chances by how far the player before was ahead, where whoever catches up may bank: (2 span - 1, dice).

        Only what is missing decides, so one table that ends one point past the largest lead holds them all.
        """
        banks = np.tile(np.append(np.zeros(self.span), (0.5, 1.0)), dice + 1)
        payoff = np.append(TO_WIN, banks)[None, :, None]
        inner = turn.solve(payoff, np.array([self.span + 1], dtype=np.int32), inner=True).inner
        assert inner is not None
        held = np.clip(self.span - np.arange(1 - self.span, self.span), 0, self.span + 1)
        return inner[0, -dice:, held, 0]

    def _take_near(
        self, turn_to: Callable[[int], PushTurn], dice: int, least: int, places: Ints, found: Doubles
    ) -> None:
        """Fill in the chances at ``places`` of ``found`` (lead, points) by a turn for every number of points behind."""
        points = places[:, 1]
        behind = places[:, 0] + 1 - self.span + points
        top = max(int(behind.max()) + 1, least)
        turn = turn_to(top)
        at_once = max(1, MOST_INSIDE // (len(turn.modes) * turn.rows(top)))
        for some in split_lanes(np.unique(behind), at_once):
            caps = np.maximum(some + 1, least) if self.turn.keeps else np.full(len(some), top)
            banks = self.paid(np.arange(top + 1)[:, None], some, least)
            payoff = np.concatenate([np.repeat(TO_WIN[:, None], len(some), axis=1), *[banks] * (dice + 1)])[None]
            inner = turn.solve(payoff, caps.astype(np.int32), inner=True).inner
            assert inner is not None
            here = np.flatnonzero(np.isin(behind, some))
            lane = np.searchsorted(some, behind[here])
            found[tuple(places[here].T)] = inner[0, -dice:, np.minimum(points[here], caps[lane]), lane]

    @property
    def handed_on(self) -> bool:
        """Whether dice left over may be taken over."""
        return self.states.rules.take_over != "none"

    @property
    def further(self) -> int:
        """So many points hardly any turn ever adds."""
        return int((self.adds > TRUNCATION).sum())

    @cached_property
    def last_totals(self) -> NDArray[np.int32]:
        """By the opponent's score from the lowest on, the total at which every turn's table may end: it loses most from
        the highest score.
        """
        states = self.states
        if self.handed_on:  # whatever was in hand at first
            return np.full(self.span, 2 * states.target - states.low - 1 + self.further, dtype=np.int32)
        totals = states.target - 1 + np.arange(1, len(self.adds))
        lost = self.adds[1:] * self.chance[1, totals - np.arange(states.low, states.target)[:, None]]
        found: NDArray[np.int32] = totals[(lost <= TRUNCATION).argmax(axis=1)].astype(np.int32)
        return found
