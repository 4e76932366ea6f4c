"""The best expected points of one turn, and of turns on average in the long run.

Both put a payoff on the endings of the turn:

- points: P[bank t] = t where the bank counts, else 0. Nothing bounds t, but from some level on stopping is best (see
  ``stopping_level``), and the table runs that far and some throws further.
- rate: the average points of a turn in the long run, where busts in a row cost points. With h_k what a turn is worth
  that begins after k busts in a row, against one that begins after none (h_0 = 0), and g the rate,

      g + h_k = f(h_next(k) - cost_k),  f(z) the turn's value for points with a bust worth z.

  A bust is worth more than nothing where those that follow it cost less; the level from which stopping is best rises
  with it, and how much it can be worth at most is known beforehand (``Rate.best_bust``).
  f is a maximum of lines whose slope is the chance to bust; policies are improved until none is better. For any h the
  rate lies between the least and the greatest of f(...) - h_k (Odoni 1969), and that is the bound stated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ...core.push import LANES
from ...games.pushluck import WIPE
from ...play.push import Play, PushPosition
from ...turns.push_turn import BUST, Doubles, PushTurn, TurnValue
from ...turns.push_turn import TurnChoice as TurnChoice
from ...util.errors import InputError, SolveError
from ..cost_estimates import SolveCost
from ..problem import ArraySpec, Progress, ValueTable
from ..rounding_bounds import turn_rounding
from ..turn_lanes import Lanes, together
from .problem import PushMatch

NEWTON_PASSES = 200
USUAL_POLICIES = 8  # rate: policies until none is better, and those of the bound
FORCED_THROWS = 40  # throws in a row, beyond the level from which stopping is best, of modes that cannot stop
CHOICE_SECONDS = 1.5e-9  # for each choice and points in hand, passes included
ROW_SECONDS = 7e-7  # for each row of the table beside
CLASS_SECONDS = 6e-7  # for each class of throws and points in hand, where a throw can win at once
HOPELESS = 2.0**-40  # a chance to change anything in a turn that double precision cannot work with
SPARE = 1e-6  # points by which a bust is taken to be worth more, for a bound of the chance to bust
HARDLY_ENDS = "throws that cannot bust follow each other almost always, so a turn hardly ever ends: let more bust"
MOST_GOING_ON = Fraction(99, 100)  # chance of a throw that cannot bust to lead to another one


class Points(PushMatch):
    """Greatest expected points of one turn, before and after the opening. No target, no opponents.

    A throw that wins at once has no meaning here and is scored as ordinary dice; its chance is told beside the value.
    """

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self.wins = [special for special in table.game.data.specials if special.effect == "win"]
        self.counts = max(1, len(self.rules.costs))

    def estimate_cost(self, threads: int) -> SolveCost:
        """What grows: the points from which stopping is best, where throws hardly ever bust."""
        turn, rows = self.rules.turn, float(self._longest_cap)
        rows += turn.max_add
        seconds = rows * (2 * CHOICE_SECONDS * turn.choices + ROW_SECONDS)
        seconds += 2 * self.counts * CLASS_SECONDS * rows * turn.classes if self.wins else 0.0
        return SolveCost(8 * LANES * rows * (2 * len(turn.modes) + 3), seconds)

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve the turn: ``points`` (2,), before the first bank and after it, or (2, busts counted); ``wins_at_once``
        of the same shape where it can.
        """
        shape = self.array_specs()["points"].shape
        lanes = [self.turn_lane(opened, 0, count) for opened in (False, True) for count in range(self.counts)]
        solved = [lane.solve() for lane in lanes]
        arrays = {"points": self.by_seats(np.array([turn.value[0, 0] for turn in solved])).reshape(shape)}
        if self.wins:
            wins = list[float]()
            for pair in zip(lanes, solved, strict=True):
                wins.append(self._wins_at_once(*pair, lambda done: progress((len(wins) + done) / len(lanes))))
            arrays["wins_at_once"] = np.array(wins).reshape(shape)
        return ValueTable(arrays, max(self._rounding(lane) for lane in lanes))

    def bound(self, solved: ValueTable, lanes: Lanes) -> float:
        """That of the lanes."""
        return self._rounding(lanes)

    @cached_property
    def best_bust(self) -> float:
        """The most that a bust can be worth."""
        return 0.0

    def _rounding(self, lane: Lanes) -> float:
        """The bound of answers from a lane: with more points in hand numbers are larger, and so is their rounding."""
        most = max(float(lane.banks[-1]), -float(lane.payoff[0, 0].min()))
        return most * turn_rounding(self.rules.turn, lane.cap) + self._truncation()

    def _truncation(self) -> float:
        """What the modes that do not stop may gain beyond the table."""
        q, runs = self._going_on, len(self._runs)
        if not q:
            return 0.0
        return float(self.rules.turn.max_add * self.rules.grain * runs**2 * q**self._more_throws / (1 - q))

    @cached_property
    def _runs(self) -> list[frozenset[int]]:
        """The modes that cannot stop, or have no reason to, by group: who leaves a group never comes back to it."""
        turn = self.rules.turn
        if self.rules.above:
            return []  # nothing goes on beyond what may be held
        return [run for group in turn.groups if (run := turn.unstopped & set(group))]

    @cached_property
    def _going_on(self) -> Fraction:
        """The greatest chance of a throw, in a mode that cannot stop or has no reason to, to lead to one of its run."""
        most = max((chance for run in self._runs for chance in self._staying(run)), default=Fraction(0))
        if most > MOST_GOING_ON:
            raise InputError(HARDLY_ENDS)
        return most

    def _staying(self, modes: frozenset[int]) -> list[Fraction]:
        """The chances of throws in some modes to lead to another of these."""
        return [
            Fraction(
                sum(
                    weight for offered, weight in throw.classes if any(choice.next_mode in modes for choice in offered)
                ),
                sum(weight for _, weight in throw.classes),
            )
            for number in modes
            for throw in self.rules.turn.modes[number].rolls
        ]

    @cached_property
    def _more_throws(self) -> int:
        """Throws in a row of such modes that the table goes on for beyond the level from which stopping is best."""
        q = float(self._going_on)
        return max(FORCED_THROWS, math.ceil(40 * math.log(2) / -math.log(q))) if q else 0

    def _wins_at_once(self, lane: Lanes, solved: TurnValue, progress: Progress) -> float:
        """Chance that the turn, played for points, throws what wins at once."""
        assert solved.inner is not None
        rules, turn, inner = self.rules, self.rules.turn, solved.inner[0, :, :, 0]
        wins_in: dict[tuple[int, tuple[TurnChoice, ...]], int] = {}  # winning throws by mode and what they offer else
        winning = {special.throw for special in self.wins}
        made_again = [0] * len(turn.modes)  # winning rolls that count for nothing otherwise, by mode
        for throw in rules.throw_modes:
            if not throw.over:
                lost = [
                    ways
                    for roll, ways in rules.throws(throw.dice)
                    if rules.effect(roll) == "void" and rules.folded(roll) in winning
                ]
                made_again[rules.mode_of(throw)] = sum(lost)
            for roll, ways in rules.throws_of(throw):
                if rules.folded(roll) in winning:
                    key = (rules.mode_of(throw), rules.choices(throw.dice, roll))
                    wins_in[key] = wins_in.get(key, 0) + ways
        classes = [
            [
                (weight, wins_in.get((mode, offered), 0), [choice for choice in offered if choice.next_mode >= 0])
                for offered, weight in (here.rolls[0].classes if here.rolls else ())
            ]
            for mode, here in enumerate(turn.modes)
        ]
        goes_on = [[entry for entry in of_mode if entry[1] or entry[2]] for of_mode in classes]
        totals = [
            sum(weight for weight, _, _ in of_mode) + again for of_mode, again in zip(classes, made_again, strict=True)
        ]
        values = inner.tolist()  # lists are read faster, one number at a time
        banks = lane.banks.tolist()
        chance = [[0.0] * (lane.cap + turn.max_add + 1) for _ in turn.modes]

        def thrown(mode: int, points: int) -> float:
            wins = float(made_again[mode])
            for weight, won, offered in goes_on[mode]:
                wins += won
                if offered and weight > won:
                    best = offered[0]
                    if len(offered) > 1:
                        best = max(offered, key=lambda c: values[c.next_mode][c.points_after(points)])
                    wins += (weight - won) * chance[best.next_mode][best.points_after(points)]
            return wins / totals[mode]

        for points in range(lane.cap - 1, -1, -1):
            progress(1 - points / lane.cap)
            for mode, here in enumerate(turn.modes):
                may = here.bank_ending is not None and points >= here.min_bank
                if here.rolls and not (may and banks[points] >= values[mode][points]):
                    chance[mode][points] = thrown(mode, points)
        if rules.choose:  # as many dice as bring most
            brings = turn.throw_values(solved, lane.payoff, rules.chosen, np.zeros(1, dtype=np.int64))
            return thrown(rules.mode(int(brings[:, 0, 0, 0].argmax()) + 1), 0)
        return chance[turn.start][0]

    def array_specs(self) -> dict[str, ArraySpec]:
        """See ``solve``."""
        shape = (2, self.counts) if self.rules.costs else (2,)
        points = ArraySpec(shape, -self._most_lost, float(self._longest_cap * self.rules.grain))
        return {"points": points, **({"wins_at_once": ArraySpec(shape)} if self.wins else {})}

    @property
    def _most_lost(self) -> float:
        return float(max(self.rules.costs, default=0))

    def by_seats(self, values: Doubles) -> Doubles:
        """Points; where the lowest are best the turn has counted what every die has less than the dearest."""
        return values if self.rules.best == "highest" else self.rules.dearest * self.rules.dice - values

    def known(self, solved: ValueTable, position: PushPosition) -> list[float]:
        """Expected points before the first bank, or after it."""
        return [float(solved.arrays["points"][self._row(position)])]

    def _row(self, position: PushPosition) -> tuple[int, ...]:
        opened = int(position.score > 0)
        return (opened, position.count) if self.rules.costs else (opened,)

    def extra_results(self, solved: ValueTable, position: PushPosition) -> Mapping[str, Any]:
        """The chance that the turn throws what wins at once."""
        if not self.wins or not self.playable.turn_begins(position):
            return {}
        return {"wins_at_once": float(solved.arrays["wins_at_once"][self._row(position)])}

    def stopping_points(self, solved: ValueTable, start: PushPosition) -> int:
        """One step past the level from which stopping is best (with it, throwing can be as good)."""
        return (self._level(start.score > 0, self.lanes(solved, [start]).payoff[0, 0, 0]) + 1) * self.rules.grain

    def max_stopping_points(self, solved: ValueTable) -> int:
        """The cut before the opening; where throws must be made, or cannot bust, as far as they hardly ever lead."""
        goes_on = not self.rules.above and (self.playable.held.can_be_forced or self.rules.turn.safe)
        units = self._cap(False, 0, self.best_bust) if goes_on else self._level(False, self.best_bust) + 1
        return units * self.rules.grain

    def listed(self) -> list[int]:
        """Of the score only matters whether the opening is done: 0, and the first score above it."""
        scores: list[int] = self.states.scores[self.states.scores >= 0].tolist()
        return scores[:1] if self.states.least(0) == self.states.least(1) else scores[:2]

    def lanes(self, solved: ValueTable, starts: Sequence[PushPosition], held: int = 0) -> Lanes:
        """The turns that begin at some positions: what matters is whether the opening is done."""
        return together([self.turn_lane(start.score > 0, held, start.count) for start in starts])

    def _level(self, opened: bool, bust: float) -> int:
        """Units in hand from which stopping is best where a bust is worth so many points, or the last but one that
        may be held.
        """
        if self.rules.above:
            return self.rules.above // self.rules.grain - 1
        more = math.ceil(min(max(0.0, bust), self.best_bust) / self.rules.grain)
        return max(self._stops_from + more, self.states.least(int(opened)))

    @cached_property
    def _stops_from(self) -> int:
        return stopping_level(self.rules.turn)

    def turn_lane(self, opened: bool, held: int, count: int = 0) -> Lanes:
        """The endings of a turn after so many busts, its table long enough for ``held`` units in hand."""
        return self._lane_for(-float(self.rules.costs[count]) if self.rules.costs else 0.0, opened, held)

    def _lane_for(self, bust: float, opened: bool, held: int) -> Lanes:
        """The endings of a turn whose bust is worth so many points."""
        rules, least, cap = self.rules, self.states.least(int(opened)), self._cap(opened, held, bust)
        points = np.arange(cap + 1)
        banks = np.where(points >= least, points * rules.grain, 0.0 if rules.passes else -np.inf)
        payoff = np.append([bust, 0.0, 0.0], banks)[None, :, None]
        return Lanes(rules.turn, payoff, np.array([cap], dtype=np.int32), cap + 1)

    @property
    def _longest_cap(self) -> int:
        return max(self._cap(opened, 0, self.best_bust) for opened in (False, True))

    def _cap(self, opened: bool, held: int, bust: float) -> int:
        """Some throws further than the asked position or the level from which stopping is best, whichever is higher."""
        turn = self.rules.turn
        if self.rules.above:
            return self._level(opened, bust) + 2  # one more than may be held
        if self.rules.stop == "all":
            throws = self.rules.dice + len(self._runs) * self._more_throws
            return max(held, self.states.least(int(opened))) + throws * turn.max_add
        throws = 3 + max(0, len(self._runs) - 1) + len(self._runs) * self._more_throws
        return max(self._level(opened, bust), held) + throws * turn.max_add


class Rate(Points):
    """Greatest average points of a turn in the long run, where busts in a row cost points."""

    @cached_property
    def best_bust(self) -> float:
        """The most that a bust can be worth: h_next(k) - cost_k, for any k, for the best h.

        Who has busted k times may be copied, throw by throw and choice by choice, by somebody who has not: the same
        points, and after the first turn that is no bust the same count. Until then they bust together, and the copy
        pays another row of costs. So h_k is at most the most that the copy ever pays more, by any number of busts; from
        ``counts`` of them on both rows are the same, or begin anew.
        """
        costs, rules = self.rules.costs, self.rules
        found = 0.0
        for count, cost in enumerate(costs):
            mine, copy, more = rules.busted(0, count)[1], 0, 0.0
            rows = [0.0]
            for _ in costs:
                more += costs[copy] - costs[mine]
                rows.append(more)
                mine, copy = rules.busted(0, mine)[1], rules.busted(0, copy)[1]
            found = max(found, max(rows) - cost)
        return found

    def estimate_cost(self, threads: int) -> SolveCost:
        """That of a turn, for every count and every policy that is improved."""
        one = super().estimate_cost(threads)
        return SolveCost(one.bytes, one.seconds * self.counts * USUAL_POLICIES)

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve for ``rate`` (busts counted,): the rate, and what a turn after so many busts brings more or less."""
        beyond = np.zeros(self.counts)  # h
        best = -math.inf
        for _ in range(NEWTON_PASSES):
            value, busts = self._turns(beyond, 0.0)
            lost = self._lost(beyond)
            rate, following = self._followed(value - busts * lost, busts)
            if rate <= best:
                break
            best, beyond = rate, following
        else:
            raise SolveError("the average in the long run did not settle")
        value, _ = self._turns(beyond, 0.0)
        gains = value - beyond
        # The chance to bust rises with what a bust is worth: that of a little more bounds those of the best play.
        most = float(self._turns(beyond, SPARE)[1].max())
        rounding = max(self._rounding(self._lane_of(beyond, count, 0)) for count in range(self.counts))
        spread = float(gains.max() - gains.min()) + 2 * rounding
        if not most < 1 - HOPELESS or spread / (1 - most) > SPARE:
            raise SolveError("busts follow each other almost always: the average cannot be computed with")
        bound = rounding + spread + spread / (1 - most)
        return ValueTable({"rate": float(gains.min() + gains.max()) / 2 + beyond}, bound)

    def _lost(self, beyond: Doubles) -> Doubles:
        """What a bust after so many is worth, by the following counts."""
        following = [self.rules.busted(0, count)[1] for count in range(self.counts)]
        return np.array(beyond[following] - np.array(self.rules.costs, dtype=float))

    def _lane_of(self, beyond: Doubles, count: int, held: int) -> Lanes:
        return self._lane_for(float(self._lost(beyond)[count]), True, held)

    def _turns(self, beyond: Doubles, spare: float) -> tuple[Doubles, Doubles]:
        """f, and the chance to bust, by busts before; with a bust worth ``spare`` more."""
        values, chances = np.empty(self.counts), np.empty(self.counts)
        for count in range(self.counts):
            lane = self._lane_of(beyond, count, 0)
            payoff = np.concatenate([lane.payoff, np.zeros_like(lane.payoff)])
            payoff[0, 0] += spare
            payoff[1, 0] = 1.0
            values[count], chances[count] = self.rules.turn.solve(payoff, lane.caps).value[:, 0]
        return values, chances

    def _followed(self, banked: Doubles, busts: Doubles) -> tuple[float, Doubles]:
        """Rate and h of a policy that banks so much on average and busts with these chances, by busts before."""
        costs, last = self.rules.costs, self.counts - 1
        constant, share = np.zeros(self.counts), np.zeros(self.counts)  # h_k = constant_k - share_k * rate
        for count in range(last, -1, -1):
            constant[count], share[count] = banked[count] - busts[count] * costs[count], 1.0
            if count < last:
                constant[count] += busts[count] * constant[count + 1]
                share[count] += busts[count] * share[count + 1]
            elif self.rules.costs_then == "stays" and last:
                constant[count] /= 1 - busts[count]
                share[count] /= 1 - busts[count]
        rate = float(constant[0] / share[0])
        return rate, np.append(0.0, constant[1:] - share[1:] * rate)

    def array_specs(self) -> dict[str, ArraySpec]:
        """By busts counted."""
        return {"rate": ArraySpec((self.counts,), -math.inf, float(self._longest_cap * self.rules.grain))}

    def known(self, solved: ValueTable, position: PushPosition) -> list[float]:
        """The rate, and what a turn after so many busts brings more or less than one after none."""
        return [float(solved.arrays["rate"][position.count])]

    def terminal_values(self, solved: ValueTable, position: PushPosition) -> list[float]:
        """Points of the turn, and what the busts counted from now on cost."""
        return [float(position.ended[0]) + float(solved.arrays["rate"][position.count] - solved.arrays["rate"][0])]

    def extra_results(self, solved: ValueTable, position: PushPosition) -> Mapping[str, Any]:
        """Nothing beside the value."""
        return {}

    def bound(self, solved: ValueTable, lanes: Lanes) -> float:
        """That of the solution, and of a longer table's rounding."""
        return solved.error_bound + self._rounding(lanes)

    def lanes(self, solved: ValueTable, starts: Sequence[PushPosition], held: int = 0) -> Lanes:
        """The turns that begin at some positions: what matters is the busts in a row."""
        beyond = solved.arrays["rate"] - solved.arrays["rate"][0]
        return together([self._lane_of(beyond, start.count, held) for start in starts])


def stopping_level(turn: PushTurn) -> int:
    """Return the units in hand from which stopping is best, in any mode, where a bust is worth nothing; where it is
    worth z > 0 it is best from z more on.

    Let F be a bound of what throws that cannot bust, and so may be made whatever is in hand, bring on average until one
    can: F(m) is at least what any of the throws of a mode m without a bust brings, F of where it leads included, and 0
    in the other modes. Let such another throw bring g on average, F included, and bust with chance p. Then for every t
    from the largest z + g / p on, V(m, t) <= t + F(m) (docs/exactness.md, "Points without bound"). So in a mode that
    can bust nothing is worth more than the t in hand, and stopping is best where it is offered and counts. A mode of
    which only some throws can bust is that in which the number of dice is chosen, with nothing in hand.
    """
    further = _safe_gains(turn)
    level = 0
    for number, mode in enumerate(turn.modes):
        for throw in mode.rolls if number not in turn.safe else ():
            gain: int | float = sum(
                weight * max(max(0, choice.added_points) + further.get(choice.next_mode, 0) for choice in offered)
                for offered, weight in throw.classes
            )
            lost = sum(weight for offered, weight in throw.classes if offered in ((BUST,), (WIPE,)))
            if lost:  # or it is the only throw of a turn for which more dice could have been chosen
                level = max(level, math.ceil(gain / lost) if turn.safe else int(-(-gain // lost)))
    return level


def _safe_gains(turn: PushTurn) -> dict[int, float]:
    """Bounds of the points that throws which cannot bust bring on average until one can, by mode."""
    if turn.endless:
        raise InputError("the throws of a turn can score for ever, so there is no best number of points to stop at")
    gains = dict.fromkeys(turn.safe, 0.0)
    for _ in range(NEWTON_PASSES * 50):
        before = gains
        gains = {mode: _gain(turn, mode, before) for mode in turn.safe}
        if all(gains[mode] <= before[mode] * (1 + 1e-9) for mode in gains):
            gains = {mode: 1.01 * gain for mode, gain in gains.items()}
            if all(_gain(turn, mode, gains) <= gains[mode] for mode in gains):  # so no more than that is ever gained
                return gains
    raise InputError(HARDLY_ENDS)


def _gain(turn: PushTurn, mode: int, further: Mapping[int, float]) -> float:
    return max(
        sum(
            weight * max(max(0, choice.added_points) + further.get(choice.next_mode, 0.0) for choice in offered)
            for offered, weight in throw.classes
        )
        / sum(weight for _, weight in throw.classes)
        for throw in turn.modes[mode].rolls
    )
