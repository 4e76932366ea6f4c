"""Levels of one-face games, and of games in which any dice are set aside, for the points of a turn.

    1  a worth for each die left, what is taken off for what is still needed, and one limit to bank;
    2  the same with a limit for each number of dice left, or for each number of faces used up; if nobody may stop, a
       worth for each number of dice left;
    3  the same with a limit for each pair of these numbers; if nobody may stop, a worth for every ``Outlook``.

The numbers are found by coordinate search: one number is changed as long as that brings more points. If nobody may
stop, level 3 begins with the worths of level 2. Then every worth becomes the mean points that the turn still brings
from there if the player goes on by the sheet, and this is repeated; the best sheet on the way is taken. All values are
those of the policy itself. Nothing is fitted to optimal play. A fourth level, by the scores, is not searched for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from ...games import Game
from ...games.one_face_rules import OneFaceRules
from ...solvers import make_problem
from ...solvers.push.points import PushPointsProblem
from ...turns.push_turn import Decisions
from ...util.progress_reporting import OpenEndedProgress, ProgressCallback
from ..aside_policy import HUNDREDTHS, AsidePolicy, LimitKey, Penalties, mode_table
from ..bank_limits import decisions_of_policy
from . import DEFAULT_LEVEL, Level
from . import at_level as find

TENTHS = 10
RATES, PENALTIES = range(11), range(51)  # for each die left and for what is needed, in tenths of the best face's points
WORTH_STEPS = (-5, -2, -1, 1, 2, 5)  # by which a worth is changed, likewise
FIRST_RATE, FIRST_PENALTY = 2, 10  # with which the search begins, likewise
FITS = 30  # rounds of level 3 if nobody may stop
POLICIES_PER_CALL = 8  # that are evaluated together
MIN_GAIN = 1e-9  # points; a change that brings no more is rounding
SECONDS_PER_CELL = 6e-8  # of a call, for each roll class of the turn and each row of its table; as measured
ROUNDS = 3  # of changes that a coordinate search takes, roughly
Change = Callable[[AsidePolicy], list[AsidePolicy]]  # returns policies that differ in one number


def at_level(game: Game, level: int, objective: str, progress: ProgressCallback) -> Level:
    """Return the strategy of a level for the points of a turn, whatever the objective."""
    if level > DEFAULT_LEVEL:
        return find(game, DEFAULT_LEVEL, "points")
    search = _search(game)
    counter = OpenEndedProgress(progress, search.call_counts[level - 1])
    if level == 1:
        return search.first_level(counter)
    before = find(game, level - 1, "points")
    more_numbers = search.second_level if level == 2 else search.third_level
    return max((before, *more_numbers(before.policy, counter)), key=lambda candidate: candidate.value)


def level_seconds(game: Game) -> tuple[float, ...]:
    """Estimate the seconds that each level adds to the search."""
    search = _search(game)
    call_seconds = SECONDS_PER_CELL * search.rules.turn.class_count * search.row_count
    return (*(calls * call_seconds for calls in search.call_counts), 0.0)


def numbers(policy: AsidePolicy) -> int:
    """Return how many numbers a person has to remember to follow a policy."""
    worth_count = len(policy.listed_worths) or len(policy.dice_worths)
    penalty_count = 0 if policy.listed_worths else sum(map(bool, policy.penalties))
    return (1 if policy.rate is not None else worth_count) + penalty_count + len(set(policy.limits.values()))


@lru_cache(maxsize=4)
def _search(game: Game) -> _AsideSearch:
    problem = make_problem(game, "points")
    assert isinstance(problem, PushPointsProblem)
    return _AsideSearch(problem)


class _AsideSearch:
    """The search for policies of one game.

    Attributes:
        rules: the rules of the turn.
        lane: the turn for points.
        row_count: the number of rows of its table, one for each number of turn points.
        limits: all limits that are tried, in points: the totals that bring more, or all points from the fewest on.
        table: the modes and choices of the turn.
        outlooks: all outlooks, fewer dice before more.
        limit_keys: the keys of all limits; empty if nobody may stop.
    """

    def __init__(self, problem: PushPointsProblem) -> None:
        assert isinstance(problem.rules, OneFaceRules)
        rules = problem.rules
        self.rules = rules
        self.lane = problem.make_lane(True, 0)
        self.row_count = rules.turn.row_count(self.lane.cap)
        every_limit = [units * rules.grain for units in range(rules.min_bank_units, rules.max_turn_units + 1)]
        self.limits = [least for least, value in rules.totals if value] or every_limit
        self.table = mode_table(rules)
        self.outlooks = sorted({cell for cell in self.table.outlooks if cell})
        self.limit_keys = [] if rules.never_stops else sorted({key for key in self.table.limit_keys if key})

    @property
    def call_counts(self) -> tuple[int, int, int]:
        """How many calls of the kernel the search of each level takes, roughly."""
        rates, limits = len(RATES) + len(PENALTIES), len(self.limits)
        if self.rules.never_stops:
            candidates = rates, len(WORTH_STEPS) * self.rules.dice, FITS
        else:
            groups = sum(len({key[place] for key in self.limit_keys}) for place in range(len(LimitKey._fields)))
            candidates = rates + limits, 2 * rates + groups * limits, len(self.limit_keys) * limits
        first, second, third = (math.ceil(ROUNDS * count / POLICIES_PER_CALL) for count in candidates)
        return first, second, third

    # The levels

    def first_level(self, counter: OpenEndedProgress) -> Level:
        """Return the best policy with one worth for each die left, and one limit."""
        needs = bool(self.rules.needed_faces), bool(self.rules.covers)
        penalties = Penalties(*(self._hundredths(FIRST_PENALTY) * need for need in needs))
        limits = dict.fromkeys(self.limit_keys, self.limits[0])
        policy = AsidePolicy(self._equal_worths(FIRST_RATE), penalties, limits)
        return self._climbed(policy, [*self._changes_of_rates(), *self._changes_of_limits([self.limit_keys])], counter)

    def second_level(self, policy: AsidePolicy, counter: OpenEndedProgress) -> list[Level]:
        """Return policies with a limit for each number of dice left, or of faces used up, or with a worth for each."""
        if self.rules.never_stops:
            return [self._climbed(policy, [*self._changes_of_worths(), *self._changes_of_penalties()], counter)]
        levels = list[Level]()
        for place in range(len(LimitKey._fields)):
            groups = [
                [key for key in self.limit_keys if key[place] == number]
                for number in sorted({key[place] for key in self.limit_keys})
            ]
            changes = [*self._changes_of_limits(groups), *self._changes_of_rates()]
            levels.append(self._climbed(policy, changes, counter))
        return levels

    def third_level(self, policy: AsidePolicy, counter: OpenEndedProgress) -> list[Level]:
        """Return policies with a limit for each pair of numbers, or with a worth for every outlook."""
        if not self.rules.never_stops:
            changes = [*self._changes_of_limits([[key] for key in self.limit_keys]), *self._changes_of_penalties()]
            return [self._climbed(policy, changes, counter)]
        levels = list[Level]()
        for _ in range(FITS):
            policy = self._fitted(policy)
            levels.append(Level(policy, self._values([policy], counter)[0]))
        return levels

    # Changes

    def _changes_of_rates(self) -> list[Change]:
        """Return the changes of the worth of each die left, and of what is taken off."""

        def with_rates(policy: AsidePolicy) -> list[AsidePolicy]:
            return [replace(policy, dice_worths=self._equal_worths(rate)) for rate in RATES]

        return [with_rates, *self._changes_of_penalties()]

    def _changes_of_penalties(self) -> list[Change]:
        """Return the changes of what is taken off for what is still needed."""

        def with_penalties(policy: AsidePolicy, kind: str) -> list[AsidePolicy]:
            amounts = map(self._hundredths, PENALTIES)
            return [replace(policy, penalties=policy.penalties._replace(**{kind: amount})) for amount in amounts]

        needs = {"missing": self.rules.needed_faces, "short": self.rules.covers}
        return [partial(with_penalties, kind=kind) for kind, faces in needs.items() if faces]

    def _changes_of_worths(self) -> list[Change]:
        """Return the changes of the worth of each number of dice left."""

        def with_worths(policy: AsidePolicy, dice: int) -> list[AsidePolicy]:
            worths = [policy.dice_worths[dice] + self._hundredths(step) for step in WORTH_STEPS]
            return [replace(policy, dice_worths={**policy.dice_worths, dice: worth}) for worth in worths]

        return [partial(with_worths, dice=dice) for dice in range(1, self.rules.dice)]

    def _changes_of_limits(self, groups: Sequence[Sequence[LimitKey]]) -> list[Change]:
        """Return the changes of limits, one for each group of keys with the same limit."""

        def with_limits(policy: AsidePolicy, keys: Sequence[LimitKey]) -> list[AsidePolicy]:
            return [replace(policy, limits={**policy.limits, **dict.fromkeys(keys, limit)}) for limit in self.limits]

        return [partial(with_limits, keys=keys) for keys in groups if keys]

    def _equal_worths(self, rate: int) -> dict[int, int]:
        """Return the worths by dice left with the same for each die, in tenths of the best face's points."""
        return {dice: dice * self._hundredths(rate) for dice in range(1, self.rules.dice + 1)}

    def _hundredths(self, tenths: int) -> int:
        """Return tenths of the best face's points in hundredths of a point."""
        return round(tenths * max(self.rules.face_points) * HUNDREDTHS / TENTHS)

    # Values

    def _climbed(self, policy: AsidePolicy, changes: Sequence[Change], counter: OpenEndedProgress) -> Level:
        """Return the policy of a coordinate search: the best of each change is taken until none brings more points."""
        best_value = self._values([policy], counter)[0]
        improves = True
        while improves:
            improves = False
            for change in changes:
                candidates = change(policy)
                values = self._values(candidates, counter)
                if max(values) > best_value + MIN_GAIN:
                    best_value, improves = max(values), True
                    policy = candidates[values.index(best_value)]
        return Level(policy, best_value)

    def _fitted(self, policy: AsidePolicy) -> AsidePolicy:
        """Return the policy whose worths are the means of what this one still brings, in tenths of a point.

        The means are over all visits of the modes with an outlook. An outlook without visits keeps its worth. With
        ``totals`` these means are not in points; such a sheet is hardly ever the best, and then it is not taken.
        """
        lane, turn = self.lane, self.rules.turn
        decisions = self._decisions([policy])
        inner = turn.solve(lane.payoff, lane.caps, inner=True, fixed_decisions=decisions).inner
        _, visits = turn.reach_probabilities(decisions, lane.caps, lane.payoff.shape[1], visits=True)
        assert inner is not None
        assert visits is not None
        modes, units = np.nonzero(visits[..., 0] > 0)
        weights = visits[modes, units, 0]
        gains = weights * (inner[0, modes, units, 0] - units * float(self.rules.grain))
        worths = {}
        for cell in self.outlooks:
            is_seen = np.array([self.table.outlooks[mode] == cell for mode in modes.tolist()])
            tenths = round(gains[is_seen].sum() / weights[is_seen].sum() * TENTHS) if is_seen.any() else None
            worths[cell] = policy.worth(cell) if tenths is None else tenths * HUNDREDTHS // TENTHS
        return replace(policy, listed_worths=worths)

    def _values(self, policies: Sequence[AsidePolicy], counter: OpenEndedProgress) -> list[float]:
        """Return the mean payoffs of policies; the counter counts the calls."""
        values = list[float]()
        for first in range(0, len(policies), POLICIES_PER_CALL):
            batch = policies[first : first + POLICIES_PER_CALL]
            payoff = np.repeat(self.lane.payoff, len(batch), axis=-1)
            caps = np.repeat(self.lane.caps, len(batch))
            solved = self.rules.turn.solve(payoff, caps, fixed_decisions=self._decisions(batch))
            values += solved.value[0].tolist()
            counter()
        return values

    def _decisions(self, policies: Sequence[AsidePolicy]) -> Decisions:
        """Return the decisions of policies, one lane for each."""
        lanes = [decisions_of_policy(self.rules, self.lane, policy) for policy in policies]
        return np.concatenate(lanes, axis=-1)
