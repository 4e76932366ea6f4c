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

from dataclasses import dataclass
from functools import partial
from operator import methodcaller

import numpy as np

from ...games.scarney import DICE
from ...turns.push_turn import Doubles, TurnValue
from ...util.progress_reporting import ProgressCallback
from ...util.threads import ThreadPool
from .frame_solver import BOUND_MARGIN, SlidingFrames, bound_fixed_point
from .two_player_frames import TwoPlayerFrames

INITIAL_REACH = 128  # points that the first shooter of an extra frame is assumed to enter at most
FIRST_GUESS = 0.4  # the first shooter's value as a share of the pot, before larger pots are solved


@dataclass(frozen=True)
class ExtraFrames:
    """The values of extra frames by pot.

    Attributes:
        lowest: the first pot.
        first: (pots,) the first shooter's values.
        second: (pots, leads) the second shooter's values.
        bound: the error bound of values that are read from them.
    """

    lowest: int
    first: Doubles
    second: Doubles
    bound: float


def bound_extra_frames(
    frames: TwoPlayerFrames, pots: range, pool: ThreadPool, report: ProgressCallback
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
        bounds = _bound_with_reach(frames, pots, reach, pool, report)
        if bounds is not None:
            return bounds
        reach *= 2


def _bound_with_reach(
    frames: TwoPlayerFrames, pots: range, reach: int, pool: ThreadPool, report: ProgressCallback
) -> tuple[Doubles, Doubles] | None:
    """Compute the bounds of ``bound_extra_frames``, if nobody who shoots first enters more points than assumed.

    A table of lower and one of upper bounds are carried down from the highest pot side by side.

    Args:
        frames: the frames of two players.
        pots: consecutive pots; nothing is assumed of larger ones.
        reach: the most points that the first shooter is assumed to enter.
        pool: threads that solve both tables.
        report: called with shares of the work.

    Returns:
        (pots or more,) the lower and the upper bounds; None if somebody may enter more points.
    """
    tables = list(pool.map(partial(_BoundTable, frames, pots, reach), (False, True)))
    for pot in reversed(pots):
        is_reach_enough = list(pool.map(methodcaller("solve_pot", pot), tables))
        if not all(is_reach_enough):
            return None
        report(1 / len(pots))
    lower, upper = tables
    return lower.bounds, upper.bounds


class _BoundTable:
    """Lower or upper bounds of the first shooter's values, solved pot by pot from the highest down.

    Args:
        frames: the frames of two players.
        pots: consecutive pots.
        reach: the most points that the first shooter is assumed to enter.
        is_upper: whether the bounds are upper ones.

    Attributes:
        bounds: (more than pots,) the bounds by pot, from the lowest on. Those beyond the highest pot are certain.
        is_reach_enough: False once somebody might enter more points than ``reach``.
    """

    def __init__(self, frames: TwoPlayerFrames, pots: range, reach: int, is_upper: bool) -> None:
        """Begin with certain bounds beyond the highest pot, and solve the second shooter's frames there.

        Args:
            frames: the frames of two players.
            pots: consecutive pots.
            reach: the most points that the first shooter is assumed to enter.
            is_upper: whether the bounds are upper ones.
        """
        self.frames = frames
        self.pots = pots
        self.is_upper = is_upper
        self.reach = min(reach, frames.extent.cap)
        self.is_reach_enough = True
        # Each of the two shooters can add up to ``levels`` - 1 chips, so pots beyond the highest one are read. Their
        # bounds are what is certain: nothing, or the whole pot.
        whole_pots = np.arange(pots.start, pots.stop - 1 + 2 * frames.levels)
        self.bounds = whole_pots.astype(float) if is_upper else np.zeros(len(whole_pots))
        # The second shooter's values and slopes by deficit: (pots, value and slope, deficits).
        self._second = np.zeros((len(self.bounds), 2, self.reach + 1))
        first_pot_beyond = pots.stop
        last_pot_beyond = pots.stop + frames.levels - 2  # after the first shooter of the highest pot
        for pot in range(last_pot_beyond, first_pot_beyond - 1, -1):
            self._solve_second(pot)

    def solve_pot(self, pot: int) -> bool:
        """Find the bound of one pot; return whether nobody who shoots first enters more points than the reach."""
        index = pot - self.pots.start
        bounds = self.bounds
        are_next_pots_solved = pot + 2 <= self.pots[-1]
        # Bounds are nearly linear in the pot, so those of the next two pots are extrapolated.
        guess = 2 * bounds[index + 1] - bounds[index + 2] if are_next_pots_solved else FIRST_GUESS * pot
        error = self.frames.error(pot)
        bounds[index] = bound_fixed_point(partial(self._evaluate, pot), guess, error, self.is_upper)
        return self.is_reach_enough

    def _solve_second(self, pot: int) -> None:
        """Solve the second shooter's frame for a pot, by how far behind.

        Channel 1 is the derivative with respect to the value of the next extra frame. The payoff falls by as much if
        all is level and no chips are spent; with chips the next extra frame has another pot.
        """
        payoffs = self.frames.payoffs_after_last(self.bounds, self.pots.start, pot)  # (chips spent, leads)
        slope = np.zeros_like(payoffs)
        no_lead_column = self.frames.extent.max_lead  # leads begin at -max_lead
        slope[0, no_lead_column] = -1.0
        leads_before = range(-self.reach, 1)
        values = self.frames.solve_leads(pot, np.stack([payoffs, slope]), leads_before)  # (value and slope, leads)
        self._second[pot - self.pots.start] = values[:, ::-1]  # leads from -reach to 0 become deficits from 0 on

    def _evaluate(self, pot: int, guess: float) -> tuple[float, float]:
        """Compute f(guess) and its slope: the first shooter's value if the next extra frame is worth ``guess``.

        Args:
            pot: the pot before both frames.
            guess: the value of the next extra frame for whoever shoots first in it.
        """
        frames = self.frames
        index = pot - self.pots.start
        self.bounds[index] = guess
        self._solve_second(pot)  # writes self._second: (pots, value and slope, deficits)
        # Whoever enters t points leaves the opponent a deficit of t; payoffs are the pot less the opponent's value.
        opponent_values = self._second[index : index + frames.levels].transpose(1, 0, 2)
        payoffs = -opponent_values  # (value and slope, chips spent, points)
        payoffs[0] += pot
        payoffs[1, 1:] = 0.0  # chips lead to another pot
        solved = SlidingFrames(frames.sliding_turn, payoffs, self.reach, pot).solve(inner=True)
        if self.reach == frames.extent.cap:
            self.is_reach_enough = True
        else:
            points = self.reach - frames.turn.max_added_points
            self.is_reach_enough = self._is_entering_best(solved, payoffs[0], pot, points)
        return float(solved.value[0, 0]), float(solved.value[1, 0])

    def _is_entering_best(self, frame: TurnValue, enter: Doubles, pot: int, points: int) -> bool:
        """Return whether entering points pays no less than any roll that wins the pot unless a die is dead.

        Args:
            frame: the solved frame.
            enter: (levels, points) the payoffs of entering points, by chips spent.
            pot: the pot before the frame.
            points: the points that are held.
        """
        rules = self.frames.rules
        margin = BOUND_MARGIN * self.frames.error(pot)  # for rounding
        has_points = True
        for live in range(1, DICE + 1):  # dice that are rolled
            for spent in range(rules.max_spent(live, has_points) + 1):
                roll_value = self._optimistic_roll_value(frame, enter, pot, live, spent)
                if enter[spent, points] < roll_value + margin:
                    return False
        return True

    def _optimistic_roll_value(self, frame: TurnValue, enter: Doubles, pot: int, live: int, spent: int) -> float:
        """Return the value of a roll if every roll without a dead die wins the pot.

        Args:
            frame: the solved frame.
            enter: (levels, points) the payoffs of entering points, by chips spent.
            pot: the pot before the frame.
            live: the dice that are rolled.
            spent: the chips spent in the frame before.
        """
        rules = self.frames.rules
        inner = frame.inner  # (channels, modes, turn points, lanes)
        assert inner is not None
        weighted_sum = 0.0
        total_weight = 0
        is_doubled = False
        for (choice,), weight in rules.compile_roll(live, is_doubled, spent).classes:
            # If some dice are dead, the others go on without points.
            are_some_dice_dead = choice.next_mode >= 0 and not choice.keeps_points and choice.added_points == 0
            if choice == rules.crap_out(spent):  # all dice are dead
                value = float(enter[spent, 0])
            elif are_some_dice_dead:
                value = float(inner[0, choice.next_mode, 0, 0])
            else:
                value = pot
            weighted_sum += weight * value
            total_weight += weight
        return weighted_sum / total_weight
