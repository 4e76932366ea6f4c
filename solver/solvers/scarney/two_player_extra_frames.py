"""Extra frames of two players: interval iteration over the pot.

An extra frame is the last frame once more, from level totals on. The first shooter's value is an unknown of its own for
every pot, a fixed point (see ``frame_solver.py``). Extra frames never shrink the pot, so pots are solved from a highest
one H down. Beyond H only 0 <= G <= P is known, because a player who never doubles down pays nothing. A table of lower
bounds and one of upper bounds are carried down side by side. At each pot f(L) >= L and f(U) <= U, with errors counted
against both, so the true value is between L and U. For the win H is the only pot.

The second shooter is solved for leads from -r to 0 only, and the first shooter's table ends at r points, the *reach*.
Let a be the most points that a roll adds. Suppose that every roll without a dead die won the pot. If r - a points pay
no less than such a roll, they are entered. More points pay no less, so they are entered too. If this fails, the reach
is doubled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import methodcaller

import numpy as np

from ...games.scarney import DICE
from ...turns.push_turn import Doubles, TurnValue
from ...util.threads import ThreadPool
from .frame_solver import BOUND_MARGIN, SlidingFrames, bound_fixed_point
from .two_player_frames import TwoPlayerFrames

INITIAL_REACH = 128  # points that the first shooter of an extra frame is assumed to enter at most


@dataclass(frozen=True)
class ExtraFrames:
    """The values of extra frames by pot.

    Attributes:
        lowest: the first pot.
        level: (pots,) the first shooter's values.
        second: (pots, leads) the second shooter's values.
        bound: the error bound of values that are read from them.
    """

    lowest: int
    level: Doubles
    second: Doubles
    bound: float


def bound_extra_frames(
    frames: TwoPlayerFrames, pots: range, pool: ThreadPool, report: Callable[[float], None]
) -> tuple[Doubles, Doubles]:
    """Return lower and upper bounds of the first shooter's values for pots from ``pots.start`` on.

    Args:
        frames: the frames of two players.
        pots: consecutive pots; nothing is assumed of larger ones.
        pool: threads that solve both tables.
        report: called with shares of the work, which add up to 1 or more.
    """
    reach = INITIAL_REACH
    while True:
        lower, upper = pool.map(partial(_BoundTable, frames, pots, reach), (False, True))
        for pot in reversed(pots):
            if not all(list(pool.map(methodcaller("solve_pot", pot), (lower, upper)))):
                break
            report(1 / len(pots))
        else:
            return lower.level, upper.level
        reach *= 2


class _BoundTable:
    """Lower or upper bounds of the first shooter's values, solved pot by pot from the highest down."""

    def __init__(self, frames: TwoPlayerFrames, pots: range, reach: int, is_upper: bool) -> None:
        self.frames, self.pots, self.is_upper = frames, pots, is_upper
        self.reach = min(reach, frames.extent.cap)
        self.is_reach_enough = True
        # Beyond the highest pot the bounds are what is certain: nothing, or the whole pot.
        certain = np.arange(pots.start, pots.stop - 1 + 2 * frames.levels)
        self.level = certain * np.float64(is_upper)
        # The second shooter's values and slopes by deficit: (pots, value and slope, deficits).
        self._second = np.zeros((len(self.level), 2, self.reach + 1))
        for pot in range(pots.stop + frames.levels - 2, pots.stop - 1, -1):
            self._solve_second(pot)

    def solve_pot(self, pot: int) -> bool:
        """Find the bound of one pot; return whether nobody who shoots first enters more points than the reach."""
        index, level = pot - self.pots.start, self.level
        guess = 2 * level[index + 1] - level[index + 2] if pot + 1 < self.pots[-1] else 0.4 * pot
        error = self.frames.error(pot)
        level[index] = bound_fixed_point(partial(self._evaluate, pot), guess, error, self.is_upper)
        return self.is_reach_enough

    def _solve_second(self, pot: int) -> None:
        """Solve the second shooter's frame for a pot, by how far behind."""
        last = self.frames.payoffs_after_last(self.level, self.pots.start, pot)
        slope = np.zeros_like(last)
        slope[0, self.frames.extent.max_lead] = -1.0
        values = self.frames.solve_leads(pot, np.stack([last, slope]), range(-self.reach, 1))
        self._second[pot - self.pots.start] = values[:, ::-1]

    def _evaluate(self, pot: int, guess: float) -> tuple[float, float]:
        """Return the first shooter's value and slope if the next extra frame is worth ``guess`` to who begins it."""
        frames, index = self.frames, pot - self.pots.start
        self.level[index] = guess
        self._solve_second(pot)
        payoffs = -self._second[index : index + frames.levels].transpose(1, 0, 2)
        payoffs[0] += pot
        payoffs[1, 1:] = 0.0  # chips lead to another pot
        solved = SlidingFrames(frames.sliding_turn, payoffs, self.reach, pot).solve(inner=True)
        self.is_reach_enough = self.reach == frames.extent.cap or self._is_entering_best(
            solved, payoffs[0], pot, self.reach - frames.turn.max_added_points
        )
        return float(solved.value[0, 0]), float(solved.value[1, 0])

    def _is_entering_best(self, frame: TurnValue, enter: Doubles, pot: int, points: int) -> bool:
        """Return whether entering points pays no less than any roll that wins the pot unless a die is dead.

        Args:
            frame: the solved frame.
            enter: (levels, points) the payoffs of entering points, by chips spent.
            pot: the pot before the frame.
            points: the points that are held.
        """
        rules, margin = self.frames.rules, BOUND_MARGIN * self.frames.error(pot)
        for live in range(1, DICE + 1):
            for spent in range(rules.most_spent(live, True) + 1):
                if enter[spent, points] < self._optimistic_roll(frame, enter, pot, (live, spent)) + margin:
                    return False
        return True

    def _optimistic_roll(self, frame: TurnValue, enter: Doubles, pot: int, dice: tuple[int, int]) -> float:
        """Return the value of a roll of (live dice, chips spent) if every roll without a dead die wins the pot."""
        (live, spent), rules, inner = dice, self.frames.rules, frame.inner
        assert inner is not None
        value, total = 0.0, 0
        for (choice,), weight in rules.throw(live, False, spent).classes:
            if choice == rules.crapped(spent):
                value += weight * float(enter[spent, 0])
            elif choice.next_mode >= 0 and not choice.keeps_points and choice.added_points == 0:
                value += weight * float(inner[0, choice.next_mode, 0, 0])
            else:
                value += weight * pot
            total += weight
        return value / total
