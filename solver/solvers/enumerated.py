"""Any small acyclic game, solved by retrograde analysis over its enumerated positions.

A new game needs no equations of its own: its rules and how it is played are enough. Enumerated are chance
positions, terminal positions, decisions that begin a turn, and decisions that follow another decision.

With rolls r of weight w_r and the choices c after them, V = sum_r w_r max_c V[c] / sum_r w_r. For two players V is the
value of seat 0, and seat 1 takes the minimum: the two values always have the same sum.

*Rounding.* Let u = 2^-53, and let M be the largest absolute value that is reached. A mean of k terms adds at most
(k + 2) u M to the error of its terms. A turn that is counted adds u M, and so does an outcome that no float equals.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from ..play.table import Choice
from ..play.walk import counts_as_turn, open_choices
from ..util import progress_reporting
from ..util.errors import InputError
from ..util.progress_reporting import OpenEndedProgress
from .cost_estimates import SolveCost, check_cost
from .distribution import Distribution
from .problem import ArraySpec, Floats, PositionListing, Problem, Progress, SeatValues, ValueTable

Position = TypeVar("Position", bound=Hashable)
RollWeights: TypeAlias = dict[tuple[int, tuple[Position, ...]], int]  # by mover and successors of a roll: its weight
ChoiceFunction: TypeAlias = Callable[[Position], Choice[Position]]

MAX_POSITIONS = 1_000_000
TYPICAL_TURN_POSITIONS = 1_000
ENUMERATION_SECONDS, SOLVE_SECONDS, POSITION_BYTES = 3e-4, 2e-5, 2000.0  # for each position
ROUNDING_UNIT = 2.0**-53


class RollOutcome(NamedTuple):
    """All rolls after which the same mover chooses between the same successors.

    Attributes:
        weight: the sum of their weights.
        mover: the seat that chooses.
        successors: indices of the positions to choose from.
        ends_turn: for each successor, whether it ends a turn that counts (objective ``turns``).
    """

    weight: int
    mover: int
    successors: tuple[int, ...]
    ends_turn: tuple[bool, ...]


class BoundedValue(NamedTuple):
    """A value and the bound of its error."""

    value: float
    error_bound: float


class EnumeratedProblem(Problem[Position]):
    """A game that is solved by enumerating the positions that can follow its start.

    Positions are numbered so that each comes after all its successors. A value table holds the positions that can
    follow the start, in this order; others are enumerated behind them when a question needs them.
    """

    is_quick = True

    def __init__(self, table: Any) -> None:
        super().__init__(table)
        self._indices: dict[Position, int] = {}  # in the order of solving
        self._outcomes: list[list[RollOutcome]] = []  # by index; empty for terminal positions
        self._visited: dict[Position, RollWeights[Position]] = {}  # by the estimate of the number of positions
        self._sign = -1 if table.fewer_is_better else 1

    # --- enumeration

    @cached_property
    def _stored_positions(self) -> list[Position]:
        """The positions that can follow from the start, which the value table holds."""
        task = f"listing the positions of {self.game.title}"
        with progress_reporting.start_progress(f"{task}, a turn") as progress:
            estimate = self._estimate_position_count(OpenEndedProgress(progress, TYPICAL_TURN_POSITIONS))
        check_cost(task, SolveCost(POSITION_BYTES * estimate, ENUMERATION_SECONDS * estimate), anyway=True)
        with progress_reporting.start_progress(task) as progress:
            self._enumerate(self.playable.start(), lambda count: progress(min(0.99, count / estimate)))
        return [*self._indices]

    def _estimate_position_count(self, report_step: OpenEndedProgress) -> int:
        """Estimate the number of positions: those of the first turn, and as many for each way in which it can end."""
        next_turns, pending = set[Position](), [self.playable.start()]
        while pending:
            position = pending.pop()
            report_step()
            self._visited[position] = self._roll_weights(position)
            successors = {successor for _, choices in self._visited[position] for successor in choices}
            new = successors - self._visited.keys() - next_turns
            next_turns |= {successor for successor in new if self.playable.turn_begins(successor)}
            pending += new - next_turns
            if len(self._visited) + len(pending) > MAX_POSITIONS:
                break  # _enumerate raises the error
        return len(self._visited) * (1 + len(next_turns))

    def _enumerate(self, start: Position, progress: Progress = lambda count: None) -> None:
        """Give numbers to a position and to all that can follow it, by a depth-first search with an explicit stack.

        Args:
            start: the position.
            progress: called with the number of positions that have been numbered.
        """
        entered: dict[Position, RollWeights[Position]] = {}
        stack = [start]
        while stack:
            position = stack[-1]
            if position in self._indices:
                stack.pop()
            elif position in entered:
                rolls = entered.pop(stack.pop())
                self._outcomes.append(
                    [self._roll_outcome(weight, mover, successors) for (mover, successors), weight in rolls.items()]
                )
                self._indices[position] = len(self._indices)
                progress(len(self._indices))
            else:
                entered[position] = (
                    self._visited.pop(position) if position in self._visited else self._roll_weights(position)
                )
                new = {
                    successor
                    for _, choices in entered[position]
                    for successor in choices
                    if successor not in self._indices
                }
                if not new.isdisjoint(entered):
                    raise InputError(
                        f"{self.game.id} can come back to where it was: listing positions does not solve it"
                    )
                stack += new
            if len(stack) + len(self._indices) > MAX_POSITIONS:
                raise InputError(f"{self.game.id} has more than {MAX_POSITIONS:,} positions: too many to be listed")

    def _roll_weights(self, position: Position) -> RollWeights[Position]:
        """Return the weights of the rolls of a position, by mover and successors."""
        playable = self.playable
        if playable.stage(position) == "over":
            return {}
        weights: RollWeights[Position] = {}
        for weight, rolled in self._rolls(position):
            successors: tuple[Position, ...] = (rolled,)
            if self._is_inner_decision(rolled, position):
                successors = tuple(dict.fromkeys(choice.after for choice in open_choices(playable, rolled)))
            key = playable.mover(rolled), successors
            weights[key] = weights.get(key, 0) + weight
        return weights

    def _rolls(self, position: Position) -> list[tuple[int, Position]]:
        """Return the rolls of a chance position with their weights; a decision counts as one roll to itself."""
        is_decision = self.playable.stage(position) == "choose"
        return [(1, position)] if is_decision else list(self.playable.throws(position))

    def _is_inner_decision(self, rolled: Position, position: Position) -> bool:
        """Return True if a roll of ``position`` leads to a decision that is not enumerated itself."""
        playable = self.playable
        return playable.stage(rolled) == "choose" and (rolled == position or not playable.turn_begins(rolled))

    def _roll_outcome(self, weight: int, mover: int, successors: Sequence[Position]) -> RollOutcome:
        ends_turn = tuple(counts_as_turn(self.playable, successor) for successor in successors)
        return RollOutcome(weight, mover, tuple(self._indices[successor] for successor in successors), ends_turn)

    # --- solving

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Compute the array ``worth``: the values of seat 0, by the index of a position."""
        size = len(self._stored_positions)
        values = self._extend_values([])[:size]
        worth = np.array([value for value, _ in values]) * self._sign
        return ValueTable({"worth": worth}, max(bound for _, bound in values))

    def _extend_values(self, values: list[BoundedValue]) -> list[BoundedValue]:
        """Append the values of seat 0 for all positions from index ``len(values)`` on."""
        for position, outcomes in islice(zip(self._indices, self._outcomes, strict=True), len(values), None):
            values.append(self._mean_value(outcomes, values) if outcomes else self._terminal_value(position))
        return values

    def _terminal_value(self, position: Position) -> BoundedValue:
        payoff = 0 if self.objective == "turns" else self.playable.outcome(position)[0]
        return BoundedValue(float(payoff), ROUNDING_UNIT * abs(float(payoff)) * (float(payoff) != payoff))

    @staticmethod
    def _mean_value(outcomes: Sequence[RollOutcome], values: Sequence[BoundedValue]) -> BoundedValue:
        """Return the mean over rolls of the best choice after each."""
        total, bound, largest = 0.0, 0.0, 0.0
        for weight, mover, successors, ends_turn in outcomes:
            reached = [
                values[successor].value - is_end for successor, is_end in zip(successors, ends_turn, strict=True)
            ]
            total += weight * (min(reached) if mover else max(reached))
            bound = max(bound, *(values[successor].error_bound for successor in successors))
            largest = max(largest, *map(abs, reached))
        rounding = (len(outcomes) + 3) * ROUNDING_UNIT * largest
        return BoundedValue(total / sum(outcome.weight for outcome in outcomes), bound + rounding)

    def evaluate_policy(self, solved: ValueTable, choose: ChoiceFunction[Position]) -> list[tuple[float, float]]:
        """Evaluate a policy against optimal play of the other seat.

        Returns:
            For each seat that the policy may play: the value of seat 0, and the bound of its error.
        """
        optimal = dict(zip(self._stored_positions, (solved.arrays["worth"] * self._sign).tolist(), strict=True))
        values: dict[Position, list[tuple[float, float]]] = {}
        seats = range(self.playable.players)
        for position in self._stored_positions:
            if self.playable.stage(position) == "over":
                payoff = float(self.playable.outcome(position)[0])
                values[position] = [(payoff, ROUNDING_UNIT * abs(payoff)) for _ in seats]
                continue
            rolls = [
                (weight, self._followed_choices(rolled, position, choose, optimal))
                for weight, rolled in self._rolls(position)
            ]
            total_weight, values[position] = sum(weight for weight, _ in rolls), []
            for seat in seats:
                reached = [(weight, *values[successors[seat]][seat]) for weight, successors in rolls]
                largest = max(abs(value) for _, value, _ in reached)
                bound = max(bound for _, _, bound in reached) + (len(rolls) + 3) * ROUNDING_UNIT * largest
                values[position].append((sum(weight * value for weight, value, _ in reached) / total_weight, bound))
        return values[self.playable.start()]

    def _followed_choices(
        self,
        rolled: Position,
        position: Position,
        choose: ChoiceFunction[Position],
        optimal: dict[Position, float],
    ) -> list[Position]:
        """Return the successor of a roll, for each seat that the policy may play."""
        playable = self.playable
        if not self._is_inner_decision(rolled, position):
            return [rolled] * playable.players
        mover = playable.mover(rolled)
        successors = [choose(rolled).after] * playable.players
        if playable.players > 1:
            best = min if mover else max
            choices = (choice.after for choice in open_choices(playable, rolled))
            successors[1 - mover] = best(choices, key=optimal.__getitem__)
        return successors

    def estimate_cost(self, threads: int) -> SolveCost:
        """Return the cost by the number of positions, which enumerates them first."""
        size = len(self._stored_positions)
        return SolveCost(POSITION_BYTES * size, SOLVE_SECONDS * size)

    @cached_property
    def _final_outcomes(self) -> list[tuple[Fraction, ...]]:
        """The outcomes of all terminal positions, by seat."""
        pairs = zip(self._stored_positions, self._outcomes, strict=False)
        return [self.playable.outcome(position) for position, rolls in pairs if not rolls]

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the spec of ``worth``: between the extreme outcomes of seat 0, or a number of turns."""
        shape = (len(self._stored_positions),)
        if self.objective == "turns":
            return {"worth": ArraySpec(shape, 0.0, float(len(self._stored_positions)))}
        payoffs = sorted(self._sign * float(outcome[0]) for outcome in self._final_outcomes)
        return {"worth": ArraySpec(shape, payoffs[0], payoffs[-1])}

    # --- values of positions

    def seat_values(self, solved: ValueTable, positions: Sequence[Position]) -> SeatValues:
        """Return the values of all seats; positions that cannot follow from the start are enumerated now."""
        values = self._values_with(solved, positions)
        selected = [values[self._indices[position]] for position in positions]
        first, bounds = (np.array(column) for column in zip(*selected, strict=True)) if selected else (np.empty(0),) * 2
        return self._all_seats(first * self._sign, bounds)

    def _values_with(self, solved: ValueTable, positions: Sequence[Position]) -> list[BoundedValue]:
        """Return the values of seat 0 by index, once these positions are enumerated too."""
        for position in (self._stored_positions[-1], *positions):  # the positions of the table come first
            self._enumerate(position)
        stored = (solved.arrays["worth"] * self._sign).tolist()
        return self._extend_values([BoundedValue(value, solved.error_bound) for value in stored])

    @abstractmethod
    def _all_seats(self, first: Floats, bounds: Floats) -> SeatValues:
        """Return the values of all seats, from those of seat 0 and their error bounds."""

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[Position]:
        """List all positions between turns, the start first."""
        starts = [position for position in reversed(self._stored_positions) if self.playable.turn_begins(position)]
        return PositionListing(len(starts), starts)


class EnumeratedSoloProblem(EnumeratedProblem[Position]):
    """An enumerated game of one player."""

    def require_distribution(self) -> None:
        """Raise InputError unless the objective is ``points``."""
        if self.objective != "points":
            super().require_distribution()

    def distribution(
        self, solved: ValueTable, position: Position, progress: Progress = lambda fraction: None
    ) -> Distribution:
        """Return the exact distribution of the points under optimal play, with the first choice among ties."""
        if self.playable.stage(position) == "choose" and not self.playable.turn_begins(position):
            raise InputError("a distribution is asked for before a throw; leave the roll out")
        values = [value for value, _ in self._values_with(solved, [position])]
        reached = {self._indices[position]: Fraction(1)}  # probabilities of positions, by index
        totals: dict[int, Fraction] = {}
        positions = [*self._indices]
        for index in range(self._indices[position], -1, -1):  # predecessors have larger indices
            if (probability := reached.pop(index, None)) is None:
                continue
            outcomes = self._outcomes[index]
            if not outcomes:
                total = int(self._sign * self.playable.outcome(positions[index])[0])
                totals[total] = totals.get(total, Fraction(0)) + probability
            total_weight = sum(outcome.weight for outcome in outcomes)
            for outcome in outcomes:
                best = max(values[successor] for successor in outcome.successors)
                choice = next(
                    successor for successor in outcome.successors if best - values[successor] <= 2 * solved.error_bound
                )
                reached[choice] = reached.get(choice, Fraction(0)) + probability * outcome.weight / total_weight
        return Distribution.from_probabilities(totals)

    def _all_seats(self, first: Floats, bounds: Floats) -> SeatValues:
        return SeatValues(first[:, None], bounds)


class EnumeratedTwoPlayerProblem(EnumeratedProblem[Position]):
    """An enumerated game of two players whose outcomes always have the same sum.

    With more players it would matter to the others how a mover breaks ties.
    """

    player_range = (2, 2)

    def _all_seats(self, first: Floats, bounds: Floats) -> SeatValues:
        sums = {sum(outcome) for outcome in self._final_outcomes}
        if len(sums) > 1:
            raise InputError(f"{self.game.id}: what two players get must always add up to the same")
        second = float(sums.pop()) - first
        return SeatValues(np.stack([first, second], axis=1), bounds + ROUNDING_UNIT * np.abs(second))
