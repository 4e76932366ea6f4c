"""Extra frames of two players: interval iteration over the pot.

An extra frame is the last frame once more, from equal totals on. The first shooter's value is an unknown of its own for
every pot, a fixed point (see ``frame_solver.py``). Extra frames never shrink the pot, so pots are solved from a highest
one H down. Beyond H only 0 <= G <= P is known, because a player who never doubles down pays nothing. A table of lower
bounds and one of upper bounds are carried down side by side. At each pot f(L) >= L and f(U) <= U, with errors counted
against both, so the true value is between L and U. For the win H is the only pot.

The second shooter is solved for leads from -r to 0 only, and the first shooter's table ends at r points, the *points
limit*. Let a be the most points that a roll adds. Suppose that every roll without a dead die won the pot. If r - a
points pay no less than such a roll, they are entered. More points pay no less, so they are entered too. If this fails,
the limit is doubled.
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

INITIAL_POINTS_LIMIT = 128  # points that the first shooter of an extra frame is assumed to enter at most
FIRST_GUESS = 0.4  # the first shooter's value as a share of the pot, before larger pots are solved


@dataclass(frozen=True)
class ExtraFrames:
    """The values of extra frames of two players, for consecutive pots. An extra frame begins with equal totals.

    Attributes:
        lowest_pot: the pot to which index 0 of both tables belongs.
        first_shooter: (pots,) the first shooter's values before the extra frame.
        second_shooter: (pots, leads) the second shooter's values after the first shooter's frame, by the second
            shooter's lead.
        bound: the error bound of values that are read from them.
    """

    lowest_pot: int
    first_shooter: Doubles
    second_shooter: Doubles
    bound: float


def bound_extra_frames(
    frames: TwoPlayerFrames, pots: range, pool: ThreadPool, report: ProgressCallback
) -> tuple[Doubles, Doubles]:
    """Return lower and upper bounds of the first shooter's values of extra frames, by pot.

    Tables of frames end at a limit of points. It is doubled until it is proved that no optimal first shooter enters
    more, and each time all is solved again.

    Args:
        frames: the frames of two players.
        pots: consecutive pots; of larger ones only trivial bounds are used.
        pool: threads that solve both tables.
        report: called with fractions of the work, which add up to 1 or, if the limit has to be doubled, to more.

    Returns:
        The lower and the upper bounds, each (pots or more,). Index 0 is the pot ``pots.start``. Entries beyond ``pots``
        are trivial bounds.
    """
    points_limit = INITIAL_POINTS_LIMIT
    while True:
        bounds = _bound_with_points_limit(frames, pots, points_limit, pool, report)
        if bounds is not None:
            return bounds
        points_limit *= 2


def _bound_with_points_limit(
    frames: TwoPlayerFrames, pots: range, points_limit: int, pool: ThreadPool, report: ProgressCallback
) -> tuple[Doubles, Doubles] | None:
    """Compute bounds of the first shooter's values of extra frames, if a first shooter enters few enough points.

    The limit is assumed, and for each pot it is proved that an optimal first shooter keeps to it. A table of lower and
    a table of upper bounds are solved side by side, pot by pot from the highest down.

    Args:
        frames: the frames of two players.
        pots: consecutive pots, whose bounds are computed. Larger pots, which these lead to, have trivial bounds.
        points_limit: the most points that the first shooter is assumed to enter.
        pool: threads that solve both tables.
        report: called with fractions of the work.

    Returns:
        The lower and the upper bounds, each (pots or more,): first those for ``pots``, then the trivial ones. None if
        a first shooter may enter more points.
    """
    make_table = partial(_BoundTable, frames, pots, points_limit)
    is_upper_by_table = (False, True)
    tables = list(pool.map(make_table, is_upper_by_table))
    for pot in reversed(pots):
        # ``solve_pot`` writes the bound of the pot, and returns whether the limit is proved for it.
        is_limit_proved = list(pool.map(methodcaller("solve_pot", pot), tables))
        if not all(is_limit_proved):
            return None
        report(1 / len(pots))
    lower, upper = tables
    return lower.bounds, upper.bounds


class _BoundTable:
    """Lower or upper bounds of the first shooter's values of extra frames, solved pot by pot from the highest down.

    The bound for a pot is close to the fixed point of f. Here f(x) is the first shooter's value of an extra frame if
    the next extra frame with the same pot is worth x to its first shooter. *Slopes* are derivatives in x.

    Attributes:
        frames: the frames of two players.
        pots: consecutive pots, whose bounds are solved.
        is_upper: whether the bounds are upper ones.
        points_limit: the most points that the first shooter is assumed to enter.
        bounds: (pots and larger ones,) the bounds by pot, from the lowest on. Those beyond the highest pot are trivial.
        is_limit_proved: whether the last evaluation proved that the first shooter enters no more than ``points_limit``.
        second_shooter: (pots and larger ones, 2, deficits) the second shooter's values and their slopes, by how many
            points the second shooter is behind. Pots that a first shooter's frame cannot lead to have no values.
    """

    def __init__(self, frames: TwoPlayerFrames, pots: range, points_limit: int, is_upper: bool) -> None:
        """Begin with trivial bounds beyond the highest pot, and solve the second shooter's frames there.

        Args:
            frames: the frames of two players.
            pots: consecutive pots, whose bounds ``solve_pot`` finds.
            points_limit: the most points that the first shooter is assumed to enter.
            is_upper: whether the bounds are upper ones.
        """
        self.frames = frames
        self.pots = pots
        self.is_upper = is_upper
        self.points_limit = min(points_limit, frames.extent.cap)
        self.is_limit_proved = False  # until ``solve_pot`` evaluates a frame
        # A shooter adds at most ``max_chips`` to the pot within a frame.
        max_chips = frames.levels - 1
        highest_pot = pots[-1]
        highest_after_first_shooter = highest_pot + max_chips
        highest_after_both = highest_after_first_shooter + max_chips
        # The bounds are trivial at first: a value is at least 0, and at most the whole pot.
        pots_with_bounds = np.arange(pots.start, highest_after_both + 1)
        self.bounds = pots_with_bounds.astype(float) if is_upper else np.zeros(len(pots_with_bounds))
        self.second_shooter = np.zeros((len(self.bounds), 2, self.points_limit + 1))
        for pot in range(highest_after_first_shooter, highest_pot, -1):  # ``solve_pot`` solves the others
            self._solve_second_shooter(pot)

    def solve_pot(self, pot: int) -> bool:
        """Write the bound of the first shooter's value for one pot, by Newton's method.

        The bounds of all larger pots must be there already.

        Returns:
            Whether it is proved that an optimal first shooter enters no more points than ``points_limit``.
        """
        index = pot - self.pots.start
        bounds = self.bounds
        are_next_pots_solved = pot + 2 <= self.pots[-1]
        # Bounds are nearly linear in the pot, so those of the next two pots are extrapolated.
        guess = 2 * bounds[index + 1] - bounds[index + 2] if are_next_pots_solved else FIRST_GUESS * pot
        frame_error = self.frames.frame_error(pot)  # of one evaluation of a frame: rounding, and the ends of tables
        bounds[index] = bound_fixed_point(partial(self._evaluate, pot), guess, frame_error, self.is_upper)
        return self.is_limit_proved  # set by ``_evaluate``, which was called last with the bound itself

    def _solve_second_shooter(self, pot: int) -> None:
        """Write the second shooter's values and slopes for a pot into ``second_shooter``; ``bounds`` are read.

        Payoffs depend on the value x of the next extra frame with the same pot only if the totals are equal and no
        chips are spent. Then they fall by as much as x rises, because x belongs to the opponent. With chips spent the
        next extra frame has another pot, so the slope is 0.

        Args:
            pot: the pot before the frame.
        """
        payoffs = self.frames.payoffs_after_last(self.pots.start, self.bounds, pot)  # (chips spent, leads)
        slope = np.zeros_like(payoffs)
        no_chips = 0
        no_lead_column = self.frames.extent.max_lead  # leads begin at -max_lead
        slope[no_chips, no_lead_column] = -1.0
        leads_before = range(-self.points_limit, 1)
        values = self.frames.solve_leads(pot, np.stack([payoffs, slope]), leads_before)  # (value and slope, leads)
        values_by_deficit = values[:, ::-1]  # the leads end with 0, the deficits begin with 0
        self.second_shooter[pot - self.pots.start] = values_by_deficit

    def _evaluate(self, pot: int, guess: float) -> tuple[float, float]:
        """Return f(guess) and the slope of f there, by solving the frames of both shooters with this pot.

        It overwrites the bound and the second shooter's values for the pot, and ``is_limit_proved``.

        Args:
            pot: the pot before both frames.
            guess: the value of the next extra frame with the same pot.
        """
        self.bounds[pot - self.pots.start] = guess
        self._solve_second_shooter(pot)  # reads ``bounds``
        payoffs = self._first_shooter_payoffs(pot)  # (value and slope, chips spent, points)
        solved = SlidingFrames(self.frames.sliding_turn, payoffs, self.points_limit, pot).solve(inner=True)
        self.is_limit_proved = self._prove_limit(solved, payoffs[0], pot)
        value, slope = solved.value[:, 0].tolist()  # in lane 0: the first shooter begins with equal totals
        return value, slope

    def _first_shooter_payoffs(self, pot: int) -> Doubles:
        """Return what entering points is worth to the first shooter, and its slopes, once the second one is solved.

        Args:
            pot: the pot before the first shooter's frame.

        Returns:
            (value and slope, chips spent in the frame, points entered).
        """
        index = pot - self.pots.start
        # Each chip raises the pot of the second shooter's frame by 1. Entering t points leaves a deficit of t.
        values_by_chips = self.second_shooter[index : index + self.frames.levels]
        payoffs = -values_by_chips.transpose(1, 0, 2)
        # The first shooter gets the pot of the second one's frame less the second one's value, and has paid the chips
        # spent, which are in it: together the pot before both frames less that value.
        payoffs[0] += pot
        payoffs[1, 1:] = 0.0  # with chips spent, the next extra frame with the same pot is never reached
        return payoffs

    def _prove_limit(self, frame: TurnValue, bank_payoffs: Doubles, pot: int) -> bool:
        """Return whether it is proved that the first shooter enters no more than ``points_limit`` points.

        That is so if it is best to enter from one roll below the limit on: no roll then leads beyond the limit.

        Args:
            frame: the first shooter's frame, solved with the values before each roll.
            bank_payoffs: (levels, points) the payoffs of entering points, by chips spent.
            pot: the pot before the frame.
        """
        if self.points_limit == self.frames.extent.cap:
            return True  # all tables end at the cap
        one_roll_below_limit = self.points_limit - self.frames.turn.max_added_points
        return self._is_entering_best(frame, bank_payoffs, pot, one_roll_below_limit)

    def _is_entering_best(self, frame: TurnValue, bank_payoffs: Doubles, pot: int, points: int) -> bool:
        """Return whether entering ``points`` pays no less than a roll would if every roll without a dead die won.

        Such a roll is worth at least as much as the true one. So True proves that the points are entered, with any
        number of dice left and of chips spent. The value of such a roll does not depend on ``points``: a roll with a
        dead die loses them, and a roll without one is taken to win the pot. More points pay no less when they are
        entered. So True proves the same for all larger numbers of points.

        Args:
            frame: the solved frame, with the values before each roll.
            bank_payoffs: (levels, points) the payoffs of entering points, by chips spent.
            pot: the pot before the frame.
            points: the turn points of the player who enters them or rolls.
        """
        rules = self.frames.rules
        margin = BOUND_MARGIN * self.frames.frame_error(pot)  # for rounding
        has_points = True
        for live in range(1, DICE + 1):  # dice that are rolled
            for spent in range(rules.max_spent(live, has_points) + 1):
                roll_value = self._optimistic_roll_value(frame, bank_payoffs, pot, live, spent)
                if bank_payoffs[spent, points] < roll_value + margin:
                    return False
        return True

    def _optimistic_roll_value(self, frame: TurnValue, bank_payoffs: Doubles, pot: int, live: int, spent: int) -> float:
        """Return the value of a roll to a shooter with points if every roll without a dead die wins the pot.

        It is an upper bound of the true value. If some dice are dead, the others go on without points, and if all are
        dead, the shooter craps out. The values of these two cases are read from the solved frame. A shooter with points
        cannot double down. A winner gets the chips spent back with the pot, so the win is worth the pot before the
        frame.

        Args:
            frame: the solved frame, with the values before each roll.
            bank_payoffs: (levels, points) the payoffs of entering points, by chips spent.
            pot: the pot before the frame.
            live: the dice that are rolled.
            spent: the chips spent in this frame so far, before the roll.
        """
        rules = self.frames.rules
        inner = frame.inner  # (channels, modes, turn points, lanes)
        assert inner is not None
        weighted_sum = 0.0
        total_weight = 0
        is_doubled = False
        for (choice,), weight in rules.compile_roll(live, is_doubled, spent).classes:  # each class has one choice
            goes_on_without_points = choice.next_mode >= 0 and not choice.keeps_points and choice.added_points == 0
            if choice == rules.crap_out(spent):  # all dice are dead
                value = float(bank_payoffs[spent, 0])
            elif goes_on_without_points:  # some dice are dead
                value = float(inner[0, choice.next_mode, 0, 0])  # only channel, no turn points, only lane
            else:  # no die is dead: a win
                value = pot
            weighted_sum += weight * value
            total_weight += weight
        return weighted_sum / total_weight
