"""Search for limits to win a race in which scores can fall, with few evaluations of strategies.

An evaluation takes sweeps over all pairs of scores there. After each the search knows what every ending leads to, and
how often every turn is played (``ChangingLimitsRace``). With these weights fixed, the value of other limits is a sum
over turns, which only the own score and the band of the opponent's score name. The search finds limits that are best
for fixed weights, verifies them by an evaluation, and repeats. If they are worse, only the bands that gain most change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from ...solvers.model import Ints
from ...solvers.push.changing_limits import ChangingLimitsRace
from ...solvers.reference_solver import COMPONENT_TOLERANCE, LOST_SCORES_MESSAGE, MAX_ERROR_BOUND
from ...solving.solved_problem import cpu_count
from ...turns.push_turn import Doubles
from ...util.errors import SolveError
from ...util.progress_reporting import ProgressCallback
from ...util.threads import ThreadPool
from ..push_policies import LimitPolicy
from .push_search import Cells, Change, Estimate, Groups, Turns, changes, improve_policy, policy_decisions, shorter
from .win_evaluation import Sides, Winning

TOLERANCE = 1e-10  # the largest change of a value at which the sweeps of an evaluation end
LEAST_GAIN = 1e-9  # changes that gain less for fixed weights are not tried
ROUGH_TOLERANCE = 1e-4  # the same, for numbers of which only the best are evaluated again
NUMBERS_TRIED = 16  # as the one limit of sheet 1, from the least bank to the target
PEAKS_CLIMBED = 2  # of these numbers, from which steps lead on
NEAR = 0.95  # share of the best of these values from which on steps lead on
MAX_STEPS = 12  # times that weights are computed for one strategy sheet
MAX_WALKED = 60_000  # turns whose probabilities are kept
LANES_PER_WALK = 16  # turns that are walked in one call, so that their decisions fit into the cache


class LimitsSearch:
    """Evaluates and improves limits in a race in which scores can fall.

    Attributes:
        race: the race, with what does not depend on limits.
        equations: the equations of the race, with the turns of the opponent.
        sides: the numbers of bands of the own score and of the opponent's.
    """

    def __init__(self, race: Winning, progress: ProgressCallback) -> None:
        """Walk the turns of the opponent.

        Args:
            race: a race of two in which scores can fall.
            progress: called with the share that is done.
        """
        self.race, self.rules = race, race.problem.rules
        model = race.plain
        values = partial(race.problem.read, race.value_table)
        self.equations = ChangingLimitsRace(model, values, cpu_count(), progress)
        state = race.problem.states.number(0)
        self._start = int(model.number(state, state))
        self._pool = ThreadPool(cpu_count())
        self._walked = dict[tuple[object, ...], Doubles]()  # the probabilities of endings by limits and kind of turn
        self.set_sides((1, 1))

    def set_sides(self, sides: Sides) -> None:
        """Set the numbers of bands of the own score and of the opponent's."""
        self.sides = sides
        states = self.race.problem.states
        turns, _ = self.race.lanes(sides)  # by own state, then by band of the opponent's score, last turns after all
        self.equations.set_bands(sides[1], self.race.bands(sides[1])[states.score - states.lowest_score])
        # Turns that differ only in busts in a row are played alike.
        kinds = np.stack([turns.caps, turns.least, turns.wins, turns.cell])
        _, first, self._kind = np.unique(kinds, axis=1, return_index=True, return_inverse=True)
        self._kind = self._kind.reshape(-1)
        self._turns = turns.part(first)

    # --- One strategy

    def estimate(self, cells: Cells, tolerance: float = TOLERANCE) -> Estimate:
        """Return the probability to win with a strategy, the mean of both seats, with a bound of its error.

        Args:
            cells: the strategy.
            tolerance: the largest change of a value at which sweeps end.
        """
        value, change = self._solve(cells, tolerance)
        return Estimate(value, self.equations.error_bound(change))

    def _solve(self, cells: Cells, tolerance: float) -> tuple[float, float]:
        """Return the probability to win, without a bound, and the last change of a value."""
        return self.equations.solve(self._ending_probabilities(cells)[self._kind], self._start, tolerance)

    def _ending_probabilities(self, cells: Cells, turns: Turns | None = None) -> Doubles:
        """Return the probabilities of endings by kind of turn: (kinds, endings)."""
        turns = turns or self._turns
        if len(self._walked) > MAX_WALKED:
            self._walked.clear()
        names = list[tuple[object, ...]]()
        for limits in cells:
            assert isinstance(limits, LimitPolicy)
            names.append((tuple(sorted(limits.by_dice.items())), frozenset(limits.keep.items())))
        kinds = zip(*(column.tolist() for column in turns[1:]), strict=True)
        keys = [(cap, least, wins, names[cell]) for cap, least, wins, cell in kinds]
        new = np.array([index for index, key in enumerate(keys) if key not in self._walked], dtype=np.int64)
        parts = np.split(new, range(LANES_PER_WALK, len(new), LANES_PER_WALK)) if len(new) else []

        def walk(part: Ints) -> Doubles:
            lanes = turns.part(part)
            decisions = policy_decisions(self.rules, lanes, cells)
            return self.rules.turn.reach_probabilities(decisions, lanes.caps, self.race.endings)[0]

        for part, probabilities in zip(parts, self._pool.map(walk, parts), strict=True):
            for index, column in zip(part.tolist(), probabilities.T, strict=True):
                self._walked[keys[index]] = column.copy()
        return np.array([self._walked[key] for key in keys])

    def weigh(self) -> Turns:
        """Return the turns of the last strategy evaluated, with the payoffs of endings times how often they occur."""
        payoffs = self.equations.weighted_payoffs(self.equations.visits(self._start))
        sums = np.zeros((payoffs.shape[0], len(self._turns.cell)))
        np.add.at(sums.T, self._kind, payoffs.T)
        return self._turns._replace(payoff=sums)

    def settle(self, cells: Cells) -> tuple[float, list[int]]:
        """Return the value of a strategy as accurately as it can be had, and the cells that the strategy reaches.

        Raises:
            SolveError: the game does not end, or hardly ever.
        """
        estimate = self.estimate(cells, COMPONENT_TOLERANCE)
        if not estimate.error <= MAX_ERROR_BOUND:
            raise SolveError(LOST_SCORES_MESSAGE)
        turns = self.weigh()
        reached: list[int] = np.unique(turns.cell[turns.payoff.any(axis=0)]).tolist()
        return estimate.value, reached

    # --- The search

    def improve(
        self, cells: Cells, together: Groups, sets: bool, count_trial: Callable[[], None]
    ) -> tuple[Cells, Estimate]:
        """Return a strategy that is at least as good, and its value. Gains within the errors of values do not count.

        Args:
            cells: the strategy to begin with.
            together: numbers of dice, or hands, that have one limit together.
            sets: also change which sets are kept of a roll; only without bands.
            count_trial: called at every evaluation.
        """
        best = self.estimate(cells)
        for _ in range(MAX_STEPS):
            turns = self.weigh()
            count_trial()
            for candidate in self._candidates(cells, turns, together, sets):
                estimate = self.estimate(candidate)
                count_trial()
                if estimate.surely_exceeds(best):
                    cells, best = candidate, estimate
                    break
            else:
                break
        return cells, best

    def best_number(self, cells: Cells, count_trial: Callable[[], None]) -> tuple[Cells, Estimate]:
        """Return the best limit for all numbers of dice that a search finds, and its value.

        First some numbers up to the target are tried, each larger than the one before by the same factor. From the best
        of them, and from the number to begin with, steps lead to better ones.

        Args:
            cells: the strategy to begin with, without bands.
            count_trial: called at every evaluation.
        """
        grain, (start,) = self.rules.grain, cells
        assert isinstance(start, LimitPolicy)
        estimates = dict[int, Estimate]()

        def number(units: int) -> LimitPolicy:
            return replace(start, by_dice=dict.fromkeys(start.by_dice, units * grain))

        def estimate(units: int) -> Estimate:
            if units not in estimates:
                estimates[units] = self.estimate((number(units),))
                count_trial()
            return estimates[units]

        first = max(start.by_dice.values()) // grain
        least, most = max(1, self.rules.minimum // grain), self.rules.target // grain
        tried = sorted({first, *np.geomspace(least, max(least, most), NUMBERS_TRIED).round().astype(int).tolist()})
        rough = list[float]()
        for units in tried:
            rough.append(self._solve((number(units),), ROUGH_TOLERANCE)[0])
            count_trial()
        # Numbers that win at least as often as those beside them, the best first, and the number to begin with.
        sides = [-np.inf, *rough, -np.inf]
        peaks = [place for place, value in enumerate(rough) if value >= max(sides[place], sides[place + 2])]
        peaks = sorted(peaks, key=lambda place: -rough[place])[:PEAKS_CLIMBED]
        good_peaks = [place for place in peaks if rough[place] >= NEAR * max(rough)]
        starts = list(dict.fromkeys((*good_peaks, tried.index(first))))
        best = tried[starts[0]]
        for place in starts:
            gap = max(np.diff(tried[max(0, place - 1) : place + 2]), default=1)
            climbed = _climb(tried[place], int(gap) // 2, estimate)
            if estimate(climbed).surely_exceeds(estimate(best)):
                best = climbed
        return (number(best),), estimate(best)

    def _candidates(self, cells: Cells, turns: Turns, together: Groups, sets: bool) -> Iterator[Cells]:
        """Yield better strategies for these weights: all bands changed, then ever fewer of those that gain most."""
        gains = dict[int, float]()
        changed = list(cells)
        for cell in range(len(cells)):
            part = turns.part(np.flatnonzero((turns.cell == cell) & turns.payoff.any(axis=0)))
            if not len(part.cell):
                continue
            better, gain = self._best_for_weights(cells, cell, part, together, sets)
            if gain > LEAST_GAIN:
                changed[cell], gains[cell] = better[cell], gain
        chosen = sorted(gains, key=lambda cell: -gains[cell])
        while chosen:
            yield tuple(changed[cell] if cell in chosen else limits for cell, limits in enumerate(cells))
            chosen = chosen[: len(chosen) // 2]

    def _best_for_weights(
        self, cells: Cells, cell: int, turns: Turns, together: Groups, sets: bool
    ) -> tuple[Cells, float]:
        """Return the strategy with better limits in one cell, for fixed weights, and what it gains."""
        one = turns._replace(cell=np.zeros_like(turns.cell))
        before = (cells[cell],)

        def estimate(limits: Cells) -> Estimate:  # of a sum for fixed weights, which has no other errors than rounding
            return Estimate(float((self._ending_probabilities(limits, one).T * one.payoff).sum()))

        def find_changes(limits: Cells, sets: bool) -> list[Change]:
            return [*changes(self.rules, one, limits, together, sets)]

        better, best = improve_policy(before, estimate, lambda limits: find_changes(limits, sets))
        short = shorter(better, lambda limits: find_changes(limits, sets))
        if short != better:
            better, best = improve_policy(short, estimate, lambda limits: find_changes(limits, False))
        return (*cells[:cell], *better, *cells[cell + 1 :]), best.value - estimate(before).value


def _climb(units: int, step: int, estimate: Callable[[int], Estimate]) -> int:
    """Return a number of units that no step of one or two units improves.

    Args:
        units: the number to begin with.
        step: the first step, which is halved whenever neither direction is better.
        estimate: returns the value of a number of units.
    """
    while True:
        steps = (-step, step) if step > 2 else (-1, 1, -2, 2)
        near = [changed for by in steps if (changed := units + by) > 0]
        better = max(near, key=lambda changed: estimate(changed).value)
        if estimate(better).surely_exceeds(estimate(units)):
            units = better
        elif step <= 2:
            return units
        else:
            step //= 2
