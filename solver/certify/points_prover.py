"""Certified bounds of one push-your-luck turn for points, which nothing limits.

There are few states and one truncation (T4). From a stopping level l on, a player banks wherever that is allowed. Then
t turn points in mode m are worth no more than max(t, l) + gamma_m if for every roll of every mode

    sum of kept classes  w max(points added, 0 if taken off, + gamma of the next mode)
        <=  (l - z) sum of lost classes  w  +  W gamma_m

A roll class is kept if a choice of it goes on with the turn, otherwise it is lost. Here w are the weights of the roll
classes and W is their sum. z is the value of a bust, or 0 if that is negative (docs/exactness.md, Lemma C). gamma is 0
except where nothing can be lost. The level and gamma are found in floating point, rounded up, and verified in
fractions.

*Objective points*: every state is a turn of its own. *Objective rate*: a bust leads to the next count of busts in a
row. For any numbers h, the gains of the turns over h bound the average (Theorem 6). The prover takes the solved values
for h, which become the midpoints of the bounds. A bust leads to the next count, to the same count, or to count 0, whose
h is 0. Bounds are therefore found from the last count backwards.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..games.push_rules import WIN
from ..solvers.problem import ValueTable
from ..solvers.push.points import PushPointsProblem, PushRateProblem
from ..turns.push_turn import BUST, PushTurn, Roll
from ..util.errors import SolveError
from .transition_prover import MAX_BITS, MAX_GAP, MAX_SWEEPS, NO_BOUNDS, OUTWARD_SIGNS, CertifiedBounds, Doubles
from .whole_turn import FORBIDDEN, IntegerPushTurn, Ints, ceil_divide

GAMMA_DENOMINATOR = 1000  # gamma is a multiple of 1 / 1000 of a point
GAMMA_PASSES = 200  # over all rolls, to estimate the level and gamma
ROUNDING_ALLOWANCE = 1.0001  # factor by which the level and gamma are rounded up before they are verified
LEVEL_ALLOWANCE = 2  # points by which the level is rounded up on top of that
# The indices of a bust and of a win at once in a payoff: a choice states an ending e as next mode -1 - e.
BUST_ENDING, WIN_ENDING = -1 - BUST.next_mode, -1 - WIN.next_mode
MIN_ROLLS_PAST_LEVEL = 3  # rolls beyond the level that the table contains in any case


class _Scale(NamedTuple):
    """The unit of a proof in whole numbers, and the range of its amounts.

    Attributes:
        bits: a unit is 2 ** -bits of a point.
        max_points: no turn is worth more points.
    """

    bits: int
    max_points: int


class _RollSums(NamedTuple):
    """The sums over the roll classes of one roll that the inequality of a truncation compares.

    A class is kept if a choice of it goes on with the turn, otherwise it is lost.

    Attributes:
        kept_gain: over the kept classes, weight times the most points that a choice brings, gamma of the next mode
            included; a float in an estimate, a fraction in a proof.
        lost_weight: the sum of the weights of the lost classes.
    """

    kept_gain: Any
    lost_weight: int


class PushPointsProver:
    """Prover of certified bounds of turns for points.

    States are turns before the first bank and after it, for each count of busts in a row if these cost points. For the
    objective rate they are the turns after the first bank only.

    Attributes:
        turn, grain: the compiled turn, and the points that it counts as one.
        states: the names of the states: (1 once a bank has counted, else 0), then the busts in a row if they cost.
        level: the turn points from which a player who may stop does so in the proof.
        points_past_level: the points beyond the level up to which the table of turn points goes on.
        gamma: by mode, what the turn is worth at most beyond its turn points, or beyond the level if that is larger.
        max_bust_value: what a bust is worth at most, in points: what follows it, less its cost.
        problem, rules: the problem to prove, and the rules of its game.
        is_rate: whether the objective is ``rate``.
        stops_from: the turn points from which it is best to stop where points can be lost; ``level`` is this or more.
        integer_turn: the turn in integer arithmetic.
    """

    def __init__(self, problem: PushPointsProblem) -> None:
        """Find the truncation of the turn: the level from which the player stops, gamma, and how far the table goes.

        Args:
            problem: the problem to prove, for the objective points or rate.

        Raises:
            SolveError: no stopping level was found.
        """
        self.problem = problem
        self.rules = problem.rules
        self.turn = problem.rules.turn
        self.grain = problem.rules.grain  # the compiled turn counts points divided by it
        self.integer_turn = IntegerPushTurn(self.turn)
        self.is_rate = isinstance(problem, PushRateProblem)
        self.states = self._list_states()
        # The value of a bust in points, rounded up: a proof for a larger value holds for a smaller one too.
        self.max_bust_value = math.ceil(problem.max_bust_value)
        self.stops_from, self.gamma = self._find_stopping_points()
        # The turn points up to which the solver follows a turn. They do not depend on the values, so an empty table
        # will do.
        solver_level = problem.max_stopping_points(ValueTable({}, 0.0))
        self.level = self._choose_level(solver_level)
        self.points_past_level = self._choose_points_past_level(solver_level)

    def _choose_level(self, solver_level: int) -> int:
        """Return the turn points from which a player who may stop does so in the proof.

        It is ``stops_from``, where it is best to stop if points can be lost. But where nothing can be lost, the solver
        goes on up to its own level. If a player may stop there, the proof goes on as far, so that the bounds are close.

        Args:
            solver_level: the turn points up to which the solver follows a turn.
        """
        if self._can_bank_where_nothing_is_lost():
            return max(self.stops_from, solver_level)
        return self.stops_from

    def _choose_points_past_level(self, solver_level: int) -> int:
        """Return the points beyond ``level`` up to which the table of turn points goes on.

        They are for players who have to roll, or lose nothing by it: at least some rolls, and the way to the level of
        the solver. If ``level`` is that of the solver, this way is not needed, but a longer table does no harm.

        Args:
            solver_level: the turn points up to which the solver follows a turn.
        """
        points_to_solver_level = max(0, solver_level - self.stops_from)
        points_of_rolls = MIN_ROLLS_PAST_LEVEL * self.turn.max_added_points * self.grain
        return points_to_solver_level + points_of_rolls

    def _list_states(self) -> list[tuple[int, ...]]:
        """Return the names of all states: 1 once a bank has counted, else 0; then busts in a row if they cost."""
        first_numbers = (1,) if self.is_rate else (0, 1)
        if not self.rules.bust_costs:
            return [(has_banked,) for has_banked in first_numbers]
        bust_counts = range(self.problem.bust_count_limit)
        return [(has_banked, busts) for has_banked in first_numbers for busts in bust_counts]

    def _can_bank_where_nothing_is_lost(self) -> bool:
        """Return whether a mode with a positive gamma offers a bank.

        Gamma is positive only in a mode with a roll that cannot bust.
        """
        modes = zip(self.turn.modes, self.gamma, strict=True)
        return any(mode.bank_ending is not None and gamma > 0 for mode, gamma in modes)

    def truncation_data(self) -> dict[str, Any]:
        """Return the truncation of the turn as data for the header of a certificate.

        Keys are ``level``; ``past``, the points beyond it up to which the table goes on; and ``gamma``, which gives a
        numerator and a denominator by name of a mode. Modes whose gamma is 0 are left out.
        """
        gamma_data = {}
        for name, mode in self._modes_by_name().items():
            gamma = self.gamma[mode]  # a multiple of 1 / GAMMA_DENOMINATOR
            if gamma:
                gamma_data[name] = [round(gamma * GAMMA_DENOMINATOR), GAMMA_DENOMINATOR]
        return {"level": self.level, "past": self.points_past_level, "gamma": gamma_data}

    def _modes_by_name(self) -> dict[str, int]:
        """Return the modes of the compiled turn by their names in a certificate.

        A name is the JSON text of [dice by kind, whether they must be rolled, then each face that makes the roll void],
        or "null" where the turn begins. Several names can stand for one mode.
        """
        rules = self.rules
        mode_of_name = {"null": self.turn.start}
        # A hand is the dice to be rolled: how many there are of each kind. The rules number hands from 1 on, and call
        # the number of a hand ``dice``, because with dice of one kind it is how many dice are rolled. The number
        # ``rules.dice`` is that of the fresh hand, which is the largest.
        for hand_number, dice_by_kind in enumerate(rules.hands[: rules.dice], 1):
            # Gamma bounds what rolling is worth. That is the same whether or not the player may stop instead.
            for must_roll in (False, True):
                mode_of_name[json.dumps([dice_by_kind, must_roll])] = rules.hand_mode(hand_number)
            # Modes in which points still have to be confirmed by a roll, which some faces make void.
            for confirming in rules.confirmation_rolls:
                if confirming.dice == hand_number:
                    name = json.dumps([dice_by_kind, True, *confirming.rerolled_faces])
                    mode_of_name[name] = rules.mode_of(confirming)
        return mode_of_name

    def _roll_sums(self, roll: Roll, gamma: Sequence[Any]) -> _RollSums:
        """Return the sums over the classes of a roll that the inequality of ``_find_stopping_points`` compares.

        A class is kept if a choice of it goes on with the turn. Otherwise it is lost: all its choices are special
        endings, because a stop is a choice of a mode, not of a class. The sums are, over the kept classes, weight times
        the most points that a choice brings with gamma; and over the lost classes, the weight.

        Args:
            roll: the roll.
            gamma: by mode, what a turn may be worth beyond its points: floats in an estimate, fractions in a proof.
        """
        kept_gain = gamma[0] * 0  # 0 of the same type as gamma: a float or a fraction
        lost_weight = 0
        for choices, weight in roll.classes:
            gains = []  # of the choices that go on with the turn
            for choice in choices:
                goes_on = choice.next_mode >= 0
                if goes_on:
                    added_points = max(0, choice.added_points) * self.grain  # points that are deducted count as 0
                    gains.append(added_points + gamma[choice.next_mode])
            if gains:
                kept_gain += weight * max(gains)
            else:
                lost_weight += weight
        return _RollSums(kept_gain, lost_weight)

    def _find_stopping_points(self) -> tuple[int, list[Fraction]]:
        """Return ``stops_from`` in points, and gamma by mode, verified in fractions.

        With t turn points in mode m, a turn is then worth at most max(t, stops_from) + gamma[m]. That holds if for
        every roll of every mode (Lemma C of docs/exactness.md)

            kept gain  <=  (stops_from - value of a bust) * lost weight + total weight * gamma of the mode

        A larger number in place of ``stops_from`` only raises the right-hand side. So the same holds for ``level``.

        Raises:
            SolveError: no such number was found.
        """
        estimated_level, estimates = self._estimate_level()
        # Both are rounded up, so that the inequality below holds with some room.
        stops_from = math.floor(estimated_level * ROUNDING_ALLOWANCE) + LEVEL_ALLOWANCE
        gamma: list[Fraction] = []
        for estimate in estimates:
            numerator = math.ceil(estimate * GAMMA_DENOMINATOR * ROUNDING_ALLOWANCE)
            gamma.append(Fraction(numerator, GAMMA_DENOMINATOR))
        loss_by_bust = stops_from - self.max_bust_value
        for mode, roll in rolls_by_mode(self.turn):
            sums = self._roll_sums(roll, gamma)
            if sums.kept_gain > loss_by_bust * sums.lost_weight + total_weight(roll) * gamma[mode]:
                raise SolveError("no bounds can be proved: found no turn points from which stopping is always best")
        return stops_from, gamma

    def _estimate_level(self) -> tuple[float, list[float]]:
        """Return floating-point estimates of ``stops_from``, here called the level, and of gamma by mode.

        They have to satisfy the inequality of ``_find_stopping_points`` for every roll. If a roll can lose points, the
        level alone can satisfy it: level >= bust value + kept gain / lost weight. Otherwise gamma has to: gamma >= kept
        gain / total weight.

        Gamma of one mode is part of the kept gain in others, so several passes over all rolls raise both. The caller
        rounds the estimates up and checks the inequality.
        """
        level = 1.0
        gamma = [0.0] * len(self.turn.modes)
        rolls = list(rolls_by_mode(self.turn))
        for _ in range(GAMMA_PASSES):
            before = level, gamma.copy()
            for mode, roll in rolls:
                sums = self._roll_sums(roll, gamma)
                if sums.lost_weight:
                    level = max(level, self.max_bust_value + sums.kept_gain / sums.lost_weight)
                else:
                    gamma[mode] = max(gamma[mode], sums.kept_gain / total_weight(roll))
            if (level, gamma) == before:  # so no further pass would change anything
                break
        return level, gamma

    def prove(self, value_table: ValueTable) -> tuple[CertifiedBounds, list[int]]:
        """Return the bounds of all states, and of a rate its lower and upper bound in the same units.

        Args:
            value_table: the solved values; for points only their range matters, which sets the scale.

        Raises:
            SolveError: no bounds were found.
        """
        values = value_table.arrays[self.problem.objective].ravel()
        scale = self._scale(values)
        blocks = (np.arange(len(self.states)),)  # one block with all states
        if self.is_rate:
            bounds, rate = self._prove_rate(values, scale)
            return CertifiedBounds(bounds, scale.bits, blocks), rate
        no_bust_values = np.zeros(2, dtype=np.int64)  # a bust only ends the turn, and costs what it costs
        turn_bounds = np.array([self._turn_bounds(state, no_bust_values, scale) for state in self.states])
        # OUTWARD_SIGNS is -1 for lower and 1 for upper bounds: one unit outward makes the bounds strict.
        strict_bounds = turn_bounds.T + OUTWARD_SIGNS  # (2, states)
        return CertifiedBounds(strict_bounds, scale.bits, blocks), []

    def _prove_rate(self, values: Doubles, scale: _Scale) -> tuple[Ints, list[int]]:
        """Return bounds of the relative values by count of busts (2, counts), and of the rate, all in units.

        The rate is the average of points per turn. For any relative values h, it lies between the least and the largest
        gain over all counts: what a turn comes to with h, less h of its count (Theorem 6 of exactness).

        Args:
            values: (counts,) the solved rate plus the relative value of every count of busts in a row.
            scale: the integer scale.

        Raises:
            SolveError: the bounds are too far apart.
        """
        # Relative to no busts in a row, in units.
        relative_values = np.rint(np.ldexp(values - values[0], scale.bits)).astype(np.int64)
        counts = range(len(values))  # of busts in a row
        turn_bounds = [self._bounds_after_busts(busts, relative_values, scale) for busts in counts]
        gains = np.array([turn_bounds[busts] - relative_values[busts] for busts in counts])  # (counts, 2)
        least_gain = int(gains[:, 0].min())  # of the lower bounds
        largest_gain = int(gains[:, 1].max())  # of the upper bounds
        rate = [least_gain, largest_gain]
        max_gap = np.ldexp(MAX_GAP, scale.bits)
        bounds = np.tile(relative_values, (2, 1))  # both bounds begin at the solved values
        # A bust leads to the next count, to the same one or to count 0, so the last count comes first. Count 0 is left
        # out: all values are relative to it, so its own is 0 exactly.
        for busts in reversed(counts[1:]):
            self._widen(bounds, busts, rate, relative_values, scale)
        # ``_widen`` moves both bounds equally far, so the lower gaps are as wide.
        upper_gaps = bounds[1] - relative_values
        if (upper_gaps > max_gap).any() or largest_gain - least_gain > max_gap:
            raise SolveError(NO_BOUNDS)
        return bounds, rate

    def _scale(self, values: Doubles) -> _Scale:
        """Return the finest scale in which all amounts fit MAX_BITS.

        The largest amount is either the cost of a bust, or a sum: the turn points at the end of the table, one roll
        more, the largest gamma, and the largest difference of two solved values, which a bust may add.

        Args:
            values: (counts,) the solved values, in points.
        """
        # With a score of 0 a bank may demand more points than the level.
        min_first_bank = self.problem.states.min_bank(score=0) * self.grain
        table_end = max(self.level, min_first_bank) + self.points_past_level
        max_roll = self.turn.max_added_points * self.grain
        max_points = table_end + max_roll + math.ceil(max(self.gamma))
        max_value = max_points + math.ceil(np.ptp(values))
        max_amount = max([max_value, *self.rules.bust_costs])
        return _Scale(MAX_BITS - max_amount.bit_length(), max_points)

    def _widen(self, bounds: Ints, busts: int, rate: list[int], relative_values: Ints, scale: _Scale) -> None:
        """Widen the bounds of one count of busts symmetrically about its value, until they are strict or too wide.

        The equation of the relative values h is h = turn(h) - rate. So the lower bound is compared with the turn less
        the upper bound of the rate. The upper bound is compared with the turn less the lower bound of the rate.

        The caller checks the width.

        Args:
            bounds: (2, counts) lower and upper bounds in units, final for higher counts; those of this count are
                written.
            busts: the count of busts in a row.
            rate: the lower and upper bound of the rate, in units.
            relative_values: (counts,) the relative values h, in units.
            scale: the integer scale.

        Raises:
            SolveError: the bounds are still not strict after MAX_SWEEPS sweeps.
        """
        center = relative_values[busts]
        outward = OUTWARD_SIGNS[:, 0]  # (2,) -1 for the lower and 1 for the upper bound
        max_gap = np.ldexp(MAX_GAP, scale.bits)  # from the center to either bound
        rate_gap = rate[1] - rate[0]
        upper_then_lower_rate = rate[::-1]
        for _ in range(MAX_SWEEPS):
            right_hand_side = self._bounds_after_busts(busts, bounds, scale) - upper_then_lower_rate  # (2,)
            # The larger distance by which the lower right-hand side lies below the center, or the upper one above it.
            needed_gap = (outward * (right_hand_side - center)).max()
            gap = bounds[1, busts] - center
            is_strict = needed_gap < gap
            is_too_wide = max(gap, rate_gap) > max_gap
            if is_strict or is_too_wide:
                return
            # One unit makes it strict. The gap of the rate is added as room: if a bust leads to this count again, wider
            # bounds also move what they are compared with.
            bounds[:, busts] = center + outward * (needed_gap + 1 + rate_gap)
        raise SolveError(NO_BOUNDS)

    def _bounds_after_busts(self, busts: int, relative_values: Ints, scale: _Scale) -> Ints:
        """Return the lower and the upper bound of a turn that begins after some busts in a row, (2,) in units.

        This is for the objective rate. There busts cost points, and the states are the counts of busts in a row.

        The turn pays its points. A bust pays minus its cost, and the relative value of the count of busts that follows:
        one more, or after the last cost the same count or 0, as the rules say.

        Args:
            busts: the number of busts in a row before the turn.
            relative_values: the relative value of every count of busts, in units: (counts,) one number each, or
                (2, counts) lower and upper bounds.
            scale: the integer scale.

        Raises:
            SolveError: a bust is worth more than was assumed when the stopping level was found.
        """
        _, busts_after_bust = self.rules.after_bust(score=0, busts=busts)  # any score will do
        bounds_by_count = np.broadcast_to(relative_values, (2, len(self.states)))
        bust_values = bounds_by_count[:, busts_after_bust]  # (2,) without the cost, which is subtracted later
        # ``max_bust_value``, which the stopping level assumes, is what a bust is worth less its cost.
        max_value_before_cost = self.max_bust_value + self.rules.bust_costs[busts]
        if (bust_values > max_value_before_cost << scale.bits).any():
            raise SolveError(
                "no bounds can be proved: a bust is worth more than was assumed where the turn was truncated"
            )
        return self._turn_bounds(self.states[busts], bust_values, scale)

    def _turn_bounds(self, state: tuple[int, ...], bust_values: Ints, scale: _Scale) -> Ints:
        """Return the lower and the upper bound of one turn, (2,) in units.

        Args:
            state: the name of the state in which the turn begins: 1 if a bank has counted, else 0; then busts in a row
                if they cost points.
            bust_values: (2,) lower and upper bound of what follows a bust, in units; the cost of the bust is subtracted
                here.
            scale: the integer scale.
        """
        has_banked, *busts = state
        # The row r of the table is for r times the grain as turn points. Levels are points, ``min_bank`` returns rows.
        level_row = ceil_divide(self.level, self.grain)
        score = 1 if has_banked else 0  # 1 stands for every score above 0
        cap = max(level_row, self.problem.states.min_bank(score))
        rows_past_cap = ceil_divide(self.points_past_level, self.grain)  # from the level on, and so from the cap on
        lane = self.problem.make_lane(bool(has_banked), cap + rows_past_cap, *busts)
        points = lane.payoff[0]  # (endings, 1) in points, of channel 0; a bust pays minus its cost
        payoff = np.repeat(_payoff_units(points, scale.bits), 2, axis=1)  # (endings, 2): a lane for each bound
        payoff[BUST_ENDING] += bust_values
        # A win at once pays 0 here, and a bank pays 0 or more. So every ending pays at least as much as a bust or a win
        # at once, whichever pays less. The same holds for a turn, which is a mean of endings.
        min_value = int(payoff[[BUST_ENDING, WIN_ENDING]].min())
        gamma_units = [math.ceil(gamma * (1 << scale.bits)) for gamma in self.gamma]  # by mode, rounded up
        bounds, _ = self.integer_turn.solve(
            payoff,
            caps=np.array([cap, cap]),
            round_up=np.array([0, 1]),
            min_value=min_value,
            max_value=scale.max_points << scale.bits,
            rows_past_cap=rows_past_cap,
            gain_past_cap=np.array(gamma_units)[:, None],  # (modes, 1), for both lanes
        )
        return bounds


def _payoff_units(points: Doubles, bits: int) -> Ints:
    """Return what endings pay in units of 2 ** -bits; FORBIDDEN for an ending that is not allowed.

    Args:
        points: what they pay, whole numbers of points; minus infinity for an ending that is not allowed.
        bits: the number of bits of the unit.
    """
    is_forbidden = np.isneginf(points)
    units = np.ldexp(np.where(is_forbidden, 0.0, points), bits).astype(np.int64)
    return np.where(is_forbidden, FORBIDDEN, units)


def rolls_by_mode(turn: PushTurn) -> Iterator[tuple[int, Roll]]:
    """Yield every roll of a compiled turn with the number of the mode that offers it."""
    for mode_number, mode in enumerate(turn.modes):
        for roll in mode.rolls:
            yield mode_number, roll


def total_weight(roll: Roll) -> int:
    """Return the sum of the weights of a roll's classes."""
    return sum(weight for _, weight in roll.classes)
