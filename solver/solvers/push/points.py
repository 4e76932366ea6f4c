"""The greatest expected points of one turn, and of turns on average in the long run.

- ``points``: the payoff of a bank of t points is t if the bank counts, otherwise 0. Points have no bound, but from some
  level on stopping is optimal (``stopping_level``). The table of the turn ends a few rolls beyond that level.
- ``rate``: the average points of a turn if busts in a row cost points. This is an average-reward Markov decision
  process. Let h_k be the relative value of a turn that begins after k busts in a row, with h_0 = 0, and g the rate:

      g + h_k = f(h_next(k) - cost_k),  f(z) the value of a turn for points with a bust worth z.

  A bust can be worth more than nothing if the next ones cost less. The stopping level rises with z;
  ``PushRateProblem.max_bust_value`` bounds z in advance. f is a maximum of linear functions whose slope is the
  probability of a bust. The solver is policy iteration. For any h the rate lies between the minimum and the maximum
  over k of f(...) - h_k (Odoni 1969), which gives the error bound.

Start reading at ``PushPointsProblem.solve``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...core.push import LANES
from ...games.pushluck import WIPE
from ...play.push import Play, PushPosition
from ...turns.push_turn import BUST, Doubles, PushTurn, TurnValue
from ...turns.push_turn import TurnChoice as TurnChoice
from ...util.errors import InputError, SolveError
from ..cost_estimates import SolveCost
from ..problem import ArraySpec, Progress, ValueTable
from ..rounding_bounds import turn_rounding_bound
from ..turn_lanes import TurnLanes, join_lanes
from .problem import PushProblem

MAX_POLICIES = 200  # of policy iteration
TYPICAL_POLICIES = 8  # of policy iteration for the rate, its bound included, to estimate its time
FORCED_ROLLS = 40  # rolls in a row beyond the stopping level, in modes that cannot stop
CHOICE_SECONDS = 1.5e-9  # a choice, by turn points, all passes included
ROW_SECONDS = 7e-7  # a row of a turn's table
CLASS_SECONDS = 6e-7  # a roll class, by turn points, if a roll can win at once
MIN_PROGRESS = 2.0**-40  # least probability that a turn changes anything, for doubles to resolve it
SPARE = 1e-6  # points added to the value of a bust, to bound the probability of a bust
HARDLY_ENDS = "throws that cannot bust follow each other almost always, so a turn hardly ever ends: let more bust"
MAX_GOING_ON = Fraction(99, 100)  # probability that a roll that cannot bust leads to another such roll


class _WinningClass(NamedTuple):
    """A roll class with the rolls in it that would win at once.

    Attributes:
        weight: the weight of the class.
        wins: the weight of the winning rolls in it.
        choices: the choices that go on with the turn.
    """

    weight: int
    wins: int
    choices: list[TurnChoice]


class PushPointsProblem(PushProblem):
    """The greatest expected points of one turn, before the first bank and after it; no target and no opponents.

    A roll that wins at once scores as ordinary dice here. Its probability is a separate result.
    """

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self.wins = [special for special in table.game.data.specials if special.effect == "win"]
        self.bust_count_limit = max(1, len(self.rules.costs))

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate time and memory from the cap, which is high if rolls hardly ever bust."""
        turn, rows = self.rules.turn, float(self._longest_cap)
        rows += turn.max_added_points
        seconds = rows * (2 * CHOICE_SECONDS * turn.choice_count + ROW_SECONDS)
        seconds += 2 * self.bust_count_limit * CLASS_SECONDS * rows * turn.class_count if self.wins else 0.0
        return SolveCost(8 * LANES * rows * (2 * len(turn.modes) + 3), seconds)

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve the turn.

        Returns:
            A value table with the array ``points``, (2,) or (2, busts in a row): before the first bank and after it. If
            a roll can win at once, ``wins_at_once`` of the same shape is its probability in a turn.
        """
        shape = self.array_specs()["points"].shape
        lanes = [
            self.make_lane(has_banked, 0, count)
            for has_banked in (False, True)
            for count in range(self.bust_count_limit)
        ]
        solved = [lane.solve() for lane in lanes]
        arrays = {"points": self.seat_shares(np.array([turn.value[0, 0] for turn in solved])).reshape(shape)}
        if self.wins:
            wins = list[float]()
            for lane, turn in zip(lanes, solved, strict=True):
                wins.append(self._wins_at_once(lane, turn, lambda done: progress((len(wins) + done) / len(lanes))))
            arrays["wins_at_once"] = np.array(wins).reshape(shape)
        return ValueTable(arrays, max(self._rounding(lane) for lane in lanes))

    def turn_error_bound(self, solved: ValueTable, lanes: TurnLanes) -> float:
        """Return the error bound of values inside the turns of some lanes."""
        return self._rounding(lanes)

    @cached_property
    def max_bust_value(self) -> float:
        """The greatest possible value of a bust, in points."""
        return 0.0

    def _rounding(self, lane: TurnLanes) -> float:
        """Return the error bound of values from a lane; rounding grows with the largest points in it."""
        max_points = max(float(lane.bank_payoffs[-1]), -float(lane.payoff[0, 0].min()))
        return max_points * turn_rounding_bound(self.rules.turn, lane.cap) + self._truncation()

    def _truncation(self) -> float:
        """Return a bound of the points that modes without a stop gain beyond the end of the table."""
        q, runs = self._going_on, len(self._runs)
        if not q:
            return 0.0
        return float(self.rules.turn.max_added_points * self.rules.grain * runs**2 * q**self._more_rolls / (1 - q))

    @cached_property
    def _runs(self) -> list[frozenset[int]]:
        """Modes that cannot stop, or need not, by group; a turn that leaves a group never returns to it."""
        turn = self.rules.turn
        if self.rules.above:
            return []  # turn points have a limit
        return [run for group in turn.groups if (run := turn.modes_without_stop & set(group))]

    @cached_property
    def _going_on(self) -> Fraction:
        """The greatest probability that a roll in such a mode leads to a mode of the same run."""
        greatest = max((chance for run in self._runs for chance in self._chances_to_stay(run)), default=Fraction(0))
        if greatest > MAX_GOING_ON:
            raise InputError(HARDLY_ENDS)
        return greatest

    def _chances_to_stay(self, modes: frozenset[int]) -> list[Fraction]:
        """Return the probability that a roll in one of the modes leads to another of them, by roll."""
        return [
            Fraction(
                sum(weight for offered, weight in roll.classes if any(choice.next_mode in modes for choice in offered)),
                sum(weight for _, weight in roll.classes),
            )
            for number in modes
            for roll in self.rules.turn.modes[number].rolls
        ]

    @cached_property
    def _more_rolls(self) -> int:
        """Rolls in a row of such modes that the table covers beyond the stopping level."""
        q = float(self._going_on)
        return max(FORCED_ROLLS, math.ceil(40 * math.log(2) / -math.log(q))) if q else 0

    # --- Rolls that win at once

    def _wins_at_once(self, lane: TurnLanes, solved: TurnValue, progress: Progress) -> float:
        """Return the probability that a turn, played for points, rolls a combination that wins at once."""
        assert solved.inner is not None
        rules, turn, inner = self.rules, self.rules.turn, solved.inner[0, :, :, 0]
        classes, void_wins, totals = self._winning_classes()
        values = inner.tolist()  # lists are faster than arrays to read single numbers from
        banks = lane.bank_payoffs.tolist()
        chance = [[0.0] * (lane.cap + turn.max_added_points + 1) for _ in turn.modes]

        def chance_of_roll(mode: int, points: int) -> float:
            wins = float(void_wins[mode])
            for weight, class_wins, choices in classes[mode]:
                wins += class_wins
                if choices and weight > class_wins:
                    best = choices[0]
                    if len(choices) > 1:
                        best = max(choices, key=lambda choice: values[choice.next_mode][choice.points_after(points)])
                    wins += (weight - class_wins) * chance[best.next_mode][best.points_after(points)]
            return wins / totals[mode]

        for points in range(lane.cap - 1, -1, -1):
            progress(1 - points / lane.cap)
            for number, mode in enumerate(turn.modes):
                can_stop = mode.bank_ending is not None and points >= mode.min_bank
                if mode.rolls and not (can_stop and banks[points] >= values[number][points]):
                    chance[number][points] = chance_of_roll(number, points)
        if rules.choose:  # the turn begins with the best number of dice
            roll_values = turn.roll_values(solved, lane.payoff, rules.chosen, np.zeros(1, dtype=np.int64))
            return chance_of_roll(rules.mode(int(roll_values[:, 0, 0, 0].argmax()) + 1), 0)
        return chance[turn.start][0]

    def _winning_classes(self) -> tuple[list[list[_WinningClass]], list[int], list[int]]:
        """Return, by mode, the roll classes that win or go on, the winning weight of void rolls, and the total weight.

        A void roll counts for nothing and is made again, so it is not part of the mode's roll classes.
        """
        rules, turn = self.rules, self.rules.turn
        winning = {special.throw for special in self.wins}
        wins_by_class: dict[tuple[int, tuple[TurnChoice, ...]], int] = {}
        void_wins = [0] * len(turn.modes)
        for throw in rules.throw_modes:
            mode = rules.mode_of(throw)
            if not throw.over:
                void_wins[mode] = sum(
                    weight
                    for roll, weight in rules.throws(throw.dice)
                    if rules.effect(roll) == "void" and rules.folded(roll) in winning
                )
            for roll, weight in rules.throws_of(throw):
                if rules.folded(roll) in winning:
                    key = (mode, rules.choices(throw.dice, roll))
                    wins_by_class[key] = wins_by_class.get(key, 0) + weight
        classes = [
            [
                _WinningClass(
                    weight,
                    wins_by_class.get((number, offered), 0),
                    [choice for choice in offered if choice.next_mode >= 0],
                )
                for offered, weight in (mode.rolls[0].classes if mode.rolls else ())
            ]
            for number, mode in enumerate(turn.modes)
        ]
        totals = [
            sum(entry.weight for entry in of_mode) + void for of_mode, void in zip(classes, void_wins, strict=True)
        ]
        relevant = [[entry for entry in of_mode if entry.wins or entry.choices] for of_mode in classes]
        return relevant, void_wins, totals

    # --- The problem

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the arrays of the value table (``solve``)."""
        shape = (2, self.bust_count_limit) if self.rules.costs else (2,)
        points = ArraySpec(shape, -self._max_cost, float(self._longest_cap * self.rules.grain))
        return {"points": points, **({"wins_at_once": ArraySpec(shape)} if self.wins else {})}

    @property
    def _max_cost(self) -> float:
        return float(max(self.rules.costs, default=0))

    def seat_shares(self, values: Doubles) -> Doubles:
        """Return points; if the lowest are best, the turn counts what each die scores less than the dearest face."""
        return values if self.rules.best == "highest" else self.rules.dearest * self.rules.dice - values

    def start_values(self, solved: ValueTable, position: PushPosition) -> list[float]:
        """Return the expected points at the start of a turn, from the value table."""
        return [float(solved.arrays["points"][self._row(position)])]

    def _row(self, position: PushPosition) -> tuple[int, ...]:
        """Return the index of a position in the arrays."""
        has_banked = int(position.score > 0)
        return (has_banked, position.count) if self.rules.costs else (has_banked,)

    def extra_results(self, solved: ValueTable, position: PushPosition) -> Mapping[str, Any]:
        """Return the probability that the turn rolls a combination that wins at once, if there is one."""
        if not self.wins or not self.playable.turn_begins(position):
            return {}
        return {"wins_at_once": float(solved.arrays["wins_at_once"][self._row(position)])}

    def stopping_points(self, solved: ValueTable, start: PushPosition) -> int:
        """Return one step more than the level from which stopping is best; at that level, rolling can be as good."""
        return (self._level(start.score > 0, self.lanes(solved, [start]).payoff[0, 0, 0]) + 1) * self.rules.grain

    def max_stopping_points(self, solved: ValueTable) -> int:
        """Return the stopping points before the first bank.

        If a turn may have to roll again, or some rolls cannot bust, it is the cap.
        """
        needs_cap = not self.rules.above and (self.playable.held.can_be_forced or self.rules.turn.riskless_modes)
        units = self._cap(False, 0, self.max_bust_value) if needs_cap else self._level(False, self.max_bust_value) + 1
        return units * self.rules.grain

    def listed_scores(self) -> list[int]:
        """Return a score before the first bank and one after it, because only that matters."""
        scores: list[int] = self.states.scores[self.states.scores >= 0].tolist()
        return scores[:1] if self.states.min_bank(0) == self.states.min_bank(1) else scores[:2]

    def lanes(self, solved: ValueTable, starts: Sequence[PushPosition], held: int = 0) -> TurnLanes:
        """Return the turns that begin at ``starts``, with tables that include ``held`` turn points."""
        return join_lanes([self.make_lane(start.score > 0, held, start.count) for start in starts])

    def make_lane(self, has_banked: bool, min_points: int, count: int = 0) -> TurnLanes:
        """Return a turn after ``count`` busts in a row, with a table that includes ``held`` turn points."""
        return self._lane_for(-float(self.rules.costs[count]) if self.rules.costs else 0.0, has_banked, min_points)

    def _lane_for(self, bust_value: float, has_banked: bool, points: int) -> TurnLanes:
        """Return a turn in which a bust is worth ``bust_value`` points."""
        rules, min_bank = self.rules, self.states.min_bank(int(has_banked))
        cap = self._cap(has_banked, points, bust_value)
        banked = np.arange(cap + 1)
        banks = np.where(banked >= min_bank, banked * rules.grain, 0.0 if rules.passes else -np.inf)
        payoff = np.append([bust_value, 0.0, 0.0], banks)[None, :, None]
        return TurnLanes(rules.turn, payoff, np.array([cap], dtype=np.int32), cap + 1)

    def _level(self, has_banked: bool, bust_value: float) -> int:
        """Return the units from which stopping is optimal, or the last but one that may be held."""
        if self.rules.above:
            return self.rules.above // self.rules.grain - 1
        bust_units = math.ceil(min(max(0.0, bust_value), self.max_bust_value) / self.rules.grain)
        return max(self._stopping_level + bust_units, self.states.min_bank(int(has_banked)))

    @cached_property
    def _stopping_level(self) -> int:
        return stopping_level(self.rules.turn)

    @property
    def _longest_cap(self) -> int:
        return max(self._cap(has_banked, 0, self.max_bust_value) for has_banked in (False, True))

    def _cap(self, has_banked: bool, points: int, bust_value: float) -> int:
        """Return a cap some rolls beyond ``points`` and beyond the stopping level."""
        turn = self.rules.turn
        if self.rules.above:
            return self._level(has_banked, bust_value) + 2  # one more than may be held
        if self.rules.stop == "all":
            rolls = self.rules.dice + len(self._runs) * self._more_rolls
            return max(points, self.states.min_bank(int(has_banked))) + rolls * turn.max_added_points
        rolls = 3 + max(0, len(self._runs) - 1) + len(self._runs) * self._more_rolls
        return max(self._level(has_banked, bust_value), points) + rolls * turn.max_added_points


class PushRateProblem(PushPointsProblem):
    """The greatest average points of a turn in the long run, if busts in a row cost points."""

    @cached_property
    def max_bust_value(self) -> float:
        """The greatest possible value of a bust: a bound of h_next(k) - cost_k over all k, for the optimal h.

        A player with no busts can copy a player with k busts, roll by roll and choice by choice. Both score the same
        points, and have the same count after the first turn without a bust. Until then they bust together, and the copy
        pays other costs. So h_k is at most the most that the copy ever pays more, over any number of busts. After
        ``counts`` busts both pay the same costs, or begin anew.
        """
        costs, rules = self.rules.costs, self.rules
        greatest = 0.0
        for count, cost in enumerate(costs):
            original, copy, extra_cost = rules.busted(0, count)[1], 0, 0.0
            extra_costs = [0.0]
            for _ in costs:
                extra_cost += costs[copy] - costs[original]
                extra_costs.append(extra_cost)
                original, copy = rules.busted(0, original)[1], rules.busted(0, copy)[1]
            greatest = max(greatest, max(extra_costs) - cost)
        return greatest

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate the cost of solving a turn for each count of busts and each policy."""
        one_turn = super().estimate_cost(threads)
        return SolveCost(one_turn.bytes, one_turn.seconds * self.bust_count_limit * TYPICAL_POLICIES)

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve for the rate by policy iteration.

        Returns:
            A value table with the array ``rate``, (busts in a row,): the rate plus the relative value h.
        """
        relative = np.zeros(self.bust_count_limit)  # h
        best = -math.inf
        for _ in range(MAX_POLICIES):
            value, bust_chance = self._turns(relative, 0.0)
            banked = value - bust_chance * self._bust_values(relative)
            rate, next_relative = self._evaluate(banked, bust_chance)
            if rate <= best:
                break
            best, relative = rate, next_relative
        else:
            raise SolveError("the average in the long run did not settle")
        value, _ = self._turns(relative, 0.0)
        gains = value - relative
        # The probability of a bust rises with its value. At a slightly larger value it bounds that of optimal play.
        max_bust_chance = float(self._turns(relative, SPARE)[1].max())
        rounding = max(self._rounding(self._lane_of(relative, count, 0)) for count in range(self.bust_count_limit))
        spread = float(gains.max() - gains.min()) + 2 * rounding
        if not max_bust_chance < 1 - MIN_PROGRESS or spread / (1 - max_bust_chance) > SPARE:
            raise SolveError("busts follow each other almost always: the average cannot be computed with")
        bound = rounding + spread + spread / (1 - max_bust_chance)
        return ValueTable({"rate": float(gains.min() + gains.max()) / 2 + relative}, bound)

    def _bust_values(self, relative: Doubles) -> Doubles:
        """Return the value of a bust, h_next(k) - cost_k, by busts in a row before it."""
        next_counts = [self.rules.busted(0, count)[1] for count in range(self.bust_count_limit)]
        return np.array(relative[next_counts] - np.array(self.rules.costs, dtype=float))

    def _lane_of(self, relative: Doubles, count: int, points: int) -> TurnLanes:
        return self._lane_for(float(self._bust_values(relative)[count]), True, points)

    def _turns(self, relative: Doubles, extra: float) -> tuple[Doubles, Doubles]:
        """Return f and the probability of a bust by busts in a row, if a bust is worth ``extra`` points more."""
        values, chances = np.empty(self.bust_count_limit), np.empty(self.bust_count_limit)
        for count in range(self.bust_count_limit):
            lane = self._lane_of(relative, count, 0)
            payoff = np.concatenate([lane.payoff, np.zeros_like(lane.payoff)])
            payoff[0, 0] += extra
            payoff[1, 0] = 1.0
            values[count], chances[count] = self.rules.turn.solve(payoff, lane.caps).value[:, 0]
        return values, chances

    def _evaluate(self, banked: Doubles, bust_chance: Doubles) -> tuple[float, Doubles]:
        """Return rate and h of a policy, from its average banks and bust probabilities by busts in a row.

        Backward substitution writes h_k = constant_k - share_k * rate; h_0 = 0 gives the rate.
        """
        costs, last = self.rules.costs, self.bust_count_limit - 1
        constant, share = np.zeros(self.bust_count_limit), np.zeros(self.bust_count_limit)
        for count in range(last, -1, -1):
            constant[count], share[count] = banked[count] - bust_chance[count] * costs[count], 1.0
            if count < last:
                constant[count] += bust_chance[count] * constant[count + 1]
                share[count] += bust_chance[count] * share[count + 1]
            elif self.rules.costs_then == "stays" and last:
                constant[count] /= 1 - bust_chance[count]
                share[count] /= 1 - bust_chance[count]
        rate = float(constant[0] / share[0])
        return rate, np.append(0.0, constant[1:] - share[1:] * rate)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the array of the value table (``solve``)."""
        return {"rate": ArraySpec((self.bust_count_limit,), -math.inf, float(self._longest_cap * self.rules.grain))}

    def start_values(self, solved: ValueTable, position: PushPosition) -> list[float]:
        """Return the rate plus the relative value of a turn, from the value table."""
        return [float(solved.arrays["rate"][position.count])]

    def terminal_values(self, solved: ValueTable, position: PushPosition) -> list[float]:
        """Return the points of the turn plus the relative value of the busts in a row after it."""
        return [float(position.ended[0]) + float(solved.arrays["rate"][position.count] - solved.arrays["rate"][0])]

    def extra_results(self, solved: ValueTable, position: PushPosition) -> Mapping[str, Any]:
        """Return nothing besides the value."""
        return {}

    def turn_error_bound(self, solved: ValueTable, lanes: TurnLanes) -> float:
        """Return the error bound of the solve, plus the rounding of longer tables."""
        return solved.error_bound + self._rounding(lanes)

    def lanes(self, solved: ValueTable, starts: Sequence[PushPosition], held: int = 0) -> TurnLanes:
        """Return the turns that begin at ``starts``, with tables that include ``held`` turn points."""
        relative = solved.arrays["rate"] - solved.arrays["rate"][0]
        return join_lanes([self._lane_of(relative, start.count, held) for start in starts])


def stopping_level(turn: PushTurn) -> int:
    """Return the units from which stopping is optimal in every mode, if a bust is worth 0.

    If a bust is worth z > 0 it is optimal from z more on. Let F(m) bound the points that rolls of a mode m which cannot
    bust bring on average, until a roll can; F is 0 in all other modes. Let another roll gain g on average, F included,
    and bust with probability p. Then V(m, t) <= t + F(m) for every t from the largest z + g / p on (docs/exactness.md,
    "Points without bound"). So in a mode that can bust nothing is worth more than t, and stopping is optimal if it is
    allowed and counts. A mode has both kinds of rolls only if the number of dice is chosen there, at 0 points.
    """
    safe_gains = _safe_gains(turn)
    level = 0
    for number, mode in enumerate(turn.modes):
        for roll in mode.rolls if number not in turn.riskless_modes else ():
            gain: int | float = sum(
                weight * max(max(0, choice.added_points) + safe_gains.get(choice.next_mode, 0) for choice in offered)
                for offered, weight in roll.classes
            )
            bust_weight = sum(weight for offered, weight in roll.classes if offered in ((BUST,), (WIPE,)))
            if bust_weight:  # otherwise it is the only roll of a turn for which more dice could have been chosen
                level = max(
                    level, math.ceil(gain / bust_weight) if turn.riskless_modes else int(-(-gain // bust_weight))
                )
    return level


def _safe_gains(turn: PushTurn) -> dict[int, float]:
    """Return upper bounds of F by mode: the average points of rolls that cannot bust, until one can.

    Value iteration finds F approximately. A slightly larger function that one more step does not raise is a bound.
    """
    if turn.endless_modes:
        raise InputError("the throws of a turn can score for ever, so there is no best number of points to stop at")
    gains = dict.fromkeys(turn.riskless_modes, 0.0)
    for _ in range(MAX_POLICIES * 50):
        before = gains
        gains = {mode: _gain(turn, mode, before) for mode in turn.riskless_modes}
        if all(gains[mode] <= before[mode] * (1 + 1e-9) for mode in gains):
            gains = {mode: 1.01 * gain for mode, gain in gains.items()}
            if all(_gain(turn, mode, gains) <= gains[mode] for mode in gains):
                return gains
    raise InputError(HARDLY_ENDS)


def _gain(turn: PushTurn, mode: int, safe_gains: Mapping[int, float]) -> float:
    """Return the average points of the best roll in a mode, given F of the next modes."""
    return max(
        sum(
            weight * max(max(0, choice.added_points) + safe_gains.get(choice.next_mode, 0.0) for choice in offered)
            for offered, weight in roll.classes
        )
        / sum(weight for _, weight in roll.classes)
        for roll in turn.modes[mode].rolls
    )
