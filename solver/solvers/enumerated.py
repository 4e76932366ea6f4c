"""Any small acyclic game, solved by retrograde analysis over its enumerated positions.

A new game needs no equations of its own: its rules and how it is played are enough. Enumerated are chance
positions, terminal positions, decisions that begin a turn, and decisions that follow another decision. A decision after
a roll is not: its choices belong to the roll.

With rolls r of weight w_r and the choices c after them, V = sum_r w_r max_c V[c] / sum_r w_r. For two players V is the
value of seat 0, and seat 1 takes the minimum: the two values always have the same sum.

*Rounding.* Let u = 2^-53, and let M be the largest absolute value that is reached. A mean of k terms adds at most
(k + 2) u M to the error of its terms. A turn that is counted adds u M, and so does an outcome that no float equals.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from ..play.playable_game import Choice, Stage
from ..play.walk import counts_as_turn, list_relevant_choices
from ..util import progress_reporting
from ..util.errors import InputError, abbreviate, argument
from ..util.progress_reporting import OpenEndedProgress, ProgressCallback
from .distribution import Distribution
from .problem import ArraySpec, Floats, PositionListing, Problem, SeatValues, ValueTable
from .solve_costs import SolveCost, check_cost

Position = TypeVar("Position", bound=Hashable)
ChoiceFunction: TypeAlias = Callable[[Position], Choice[Position]]

MAX_POSITIONS = 1_000_000
TYPICAL_TURN_POSITIONS = 1_000  # half of the progress of the estimate is reported after so many
MAX_ENUMERATION_PROGRESS = 0.99  # reported while positions are still enumerated, since their number is estimated
ROUNDING_UNIT = 2.0**-53

# Cost of one position, measured with Shut the Box.
ENUMERATION_SECONDS = 3e-4  # to find its choices and to give it an index
SOLVE_SECONDS = 2e-5  # to compute its value
POSITION_BYTES = 2000.0  # the position, its choices and its value as Python objects


class Decision(NamedTuple):
    """A choice between positions. A roll that leaves nothing to choose has a decision with one successor.

    Attributes:
        mover: the seat that chooses.
        successors: the positions to choose from, without repetitions.
    """

    mover: int
    successors: tuple[Any, ...]


# The decisions that the rolls of a position lead to, each with the total weight of these rolls. Empty if the game is
# over. In a game of one player, {(0, (p, q)): 2, (0, (r,)): 1} is one of three rolls twice the choice of p or q.
DecisionWeights: TypeAlias = dict[Decision, int]


class RollOutcome(NamedTuple):
    """All rolls after which the same mover chooses between the same successors.

    Attributes:
        weight: the sum of their weights.
        mover: the seat that chooses.
        successors: indices of the positions to choose from.
        turns_spent: for each successor, 1 if going there ends a turn that counts (objective ``turns``), else 0.
    """

    weight: int
    mover: int
    successors: tuple[int, ...]
    turns_spent: tuple[int, ...]


class _Branch(NamedTuple):
    """What may happen next to a player alone who plays optimally: the game ends with a total, or a position follows.

    Attributes:
        probability: the probability of this branch.
        total: the points with which the game ends; None if it goes on.
        successor: the index of the position that follows; None if the game ends.
    """

    probability: Fraction
    total: int | None
    successor: int | None


class BoundedValue(NamedTuple):
    """A value and the bound of its error."""

    value: float
    error_bound: float


class EnumeratedProblem(Problem[Position]):
    """A game that is solved by enumerating the positions that can follow its start.

    Positions are numbered so that each comes after all its successors; its number is its *index*. A value table holds
    the positions that can follow the start, in this order. Others are enumerated behind them when a question needs
    them. A decision after a roll has no index: its choices belong to the roll.

    Attributes:
        playable, objective: the game as people play it, and what is optimized.
        _indices: the index of every enumerated position, in ascending order.
        _outcomes: by index, the outcomes of a position's roll; none for a terminal position.
        _first_turn: the decisions of positions that the estimate has searched and that have no index yet.
        _sign: -1 if fewer points are better: payoffs are then negative, and the table holds absolute values. Else 1.
        _stored_positions: the positions in the value table, by index; the start is the last.
        _final_outcomes: the payoffs of all seats at each terminal position in the table.
    """

    is_quick = True

    def __init__(self, playable: Any) -> None:
        """Keep a game as people play it; nothing is enumerated yet."""
        super().__init__(playable)
        self._indices: dict[Position, int] = {}
        self._outcomes: list[list[RollOutcome]] = []
        self._first_turn: dict[Position, DecisionWeights] = {}
        self._sign = -1 if playable.fewer_is_better else 1

    # --- enumeration

    @cached_property
    def _stored_positions(self) -> list[Position]:
        """The positions that can follow from the start, which the value table holds, by index."""
        task = f"listing the positions of {self.game.title}"
        with progress_reporting.start_progress(f"listing the positions of a turn of {self.game.title}") as progress:
            estimate = self.estimate_position_count(OpenEndedProgress(progress, TYPICAL_TURN_POSITIONS))
        # Long work is announced but never refused, because ``_enumerate`` stops at MAX_POSITIONS.
        check_cost(
            task, SolveCost(bytes=POSITION_BYTES * estimate, seconds=ENUMERATION_SECONDS * estimate), anyway=True
        )
        with progress_reporting.start_progress(task) as progress:

            def report_count(count: int) -> None:
                """Report how many positions have an index, as a share of the estimate."""
                progress(min(MAX_ENUMERATION_PROGRESS, count / estimate))

            self._enumerate(self.playable.start(), report_count)
        # No other position has an index yet, because every caller of ``_enumerate`` reads this property first.
        return list(self._indices)

    def estimate_position_count(self, report_step: Callable[[], None]) -> int:
        """Estimate the number of positions of the whole game by a search of its first turn.

        If the first turn has T positions and can end in E ways, the estimate is T + E T: a turn of the same size
        follows each ending. Later turns are left out, because most of their positions occur after several endings.

        The positions of the first turn are stored with their decisions for ``_enumerate``.

        Args:
            report_step: called for each position of the first turn.
        """
        start = self.playable.start()
        visited = {start}
        unsearched = [start]
        next_turn_count = 0
        # With too many positions the search is cut short, and _enumerate raises the error.
        while unsearched and len(visited) <= MAX_POSITIONS:
            position = unsearched.pop()
            report_step()
            decisions = self._decision_weights(position)
            self._first_turn[position] = decisions
            for decision in decisions:
                for successor in decision.successors:
                    if successor in visited:
                        continue
                    visited.add(successor)
                    if self.playable.is_turn_start(successor):
                        next_turn_count += 1
                    else:
                        unsearched.append(successor)
        turn_size = len(self._first_turn)
        return turn_size + next_turn_count * turn_size

    def _enumerate(self, start: Position, report_count: Callable[[int], None] = lambda count: None) -> None:
        """Give an index to a position and to all that can follow it, successors first.

        This is a depth-first search with an explicit stack. A position stays on the stack while its successors are
        searched, and gets its index when it is on top again.

        Args:
            start: the position.
            report_count: called with the number of positions that have an index.

        Raises:
            InputError: a position can follow itself, or there are more than ``MAX_POSITIONS``.
        """
        # By position from ``start`` to the one whose successors are searched, the decisions after its rolls.
        path: dict[Position, DecisionWeights] = {}
        stack = [start]
        while stack:
            position = stack[-1]
            if position in self._indices:  # it was reached in another way since it was put on the stack
                stack.pop()
            elif position in path:  # all its successors have an index
                stack.pop()
                self._append_position(position, path.pop(position))  # gives it the next index
                report_count(len(self._indices))
            else:
                decisions = self._pop_decision_weights(position)  # from the estimate, or computed now
                path[position] = decisions
                new_positions = self._new_successors(decisions)
                if not new_positions.isdisjoint(path):
                    repeated = next(earlier for earlier in path if earlier in new_positions)
                    raise InputError(
                        f"{self.game.id} can return to an earlier position, {abbreviate(repeated)}, so it cannot be"
                        " solved by listing positions; keepwise.referee solves such games, if they end"
                    )
                stack += new_positions
            if len(stack) + len(self._indices) > MAX_POSITIONS:
                raise InputError(
                    f"{self.game.id} has more than {MAX_POSITIONS:,} positions, too many to list: make the game"
                    " smaller, for example by a lower target"
                )

    def _pop_decision_weights(self, position: Position) -> DecisionWeights:
        """Return the decisions of a position that is enumerated now, from the estimate if it has found them."""
        if position in self._first_turn:
            return self._first_turn.pop(position)
        return self._decision_weights(position)

    def _new_successors(self, decisions: DecisionWeights) -> set[Position]:
        """Return the successors that have no index yet."""
        new_positions = set[Position]()
        for decision in decisions:
            for successor in decision.successors:
                if successor not in self._indices:
                    new_positions.add(successor)
        return new_positions

    def _append_position(self, position: Position, decisions: DecisionWeights) -> None:
        """Give the next index to a position whose successors all have one."""
        outcomes = [self._roll_outcome(decision, weight) for decision, weight in decisions.items()]
        self._outcomes.append(outcomes)
        self._indices[position] = len(self._indices)

    def _decision_weights(self, position: Position) -> DecisionWeights:
        """Return the decisions after the rolls of a position, with the total weight of the rolls that lead to each.

        A decision is a seat and the positions that it may choose from. A roll after which nobody chooses within the
        turn leads to a decision with a single position, the one after the roll. Its seat then does not matter.

        Args:
            position: a position that has an index: a chance position, a decision that begins a turn, or the end.
        """
        playable = self.playable
        playable.check_position(position)
        if playable.stage(position) == "over":
            return {}
        weights: DecisionWeights = {}
        for weight, rolled in self._rolls(position):
            successors: tuple[Position, ...] = (rolled,)
            if self._chooses_within_turn(rolled, position):
                playable.check_position(rolled)
                choices = list_relevant_choices(playable, rolled)
                successors = tuple(dict.fromkeys(choice.after for choice in choices))  # without repetitions, in order
            decision = Decision(playable.player_to_move(rolled), successors)
            weights[decision] = weights.get(decision, 0) + weight
        return weights

    def _rolls(self, position: Position) -> list[tuple[int, Position]]:
        """Return the weight of every roll of a chance position and the position after it.

        A decision counts as one roll to itself.
        """
        if self.playable.stage(position) == "choose":
            return [(1, position)]
        return list(self.playable.rolls(position))

    def _chooses_within_turn(self, after_roll: Position, position: Position) -> bool:
        """Return whether a player chooses after a roll before the turn ends; these choices belong to the roll.

        Otherwise the game is over, another roll follows, or a decision that begins a turn, which has an index of its
        own.

        Args:
            after_roll: the position after the roll.
            position: the position before it. A decision that begins a turn counts as one roll to itself, so both
                positions are this decision, and its choices belong to that roll.
        """
        if self.playable.stage(after_roll) != "choose":
            return False
        is_roll_to_itself = after_roll == position
        return is_roll_to_itself or not self.playable.is_turn_start(after_roll)

    def _roll_outcome(self, decision: Decision, weight: int) -> RollOutcome:
        """Return a decision with the indices of its successors, which must have them, and the turns that each costs.

        Args:
            decision: the seat that chooses, and the positions to choose from.
            weight: the total weight of the rolls that lead to the decision.
        """
        indices = tuple(self._indices[successor] for successor in decision.successors)
        turns_spent = tuple(int(counts_as_turn(self.playable, successor)) for successor in decision.successors)
        return RollOutcome(weight, decision.mover, indices, turns_spent)

    # --- solving

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Compute the array ``worth``: the value of seat 0 at every position that can follow the start, by index.

        If fewer points or turns are better, ``worth`` holds absolute values.

        Args:
            threads: not used; one thread enumerates and solves the positions.
            progress: not called. Most of the time is for ``_stored_positions``, which reports its own progress.
        """
        position_count = len(self._stored_positions)
        values = self._extend_values([])[:position_count]  # of all positions, from none known; then those of the table
        worth = np.array([bounded.value for bounded in values]) * self._sign
        return ValueTable({"worth": worth}, max(bounded.error_bound for bounded in values))

    def _extend_values(self, values: list[BoundedValue]) -> list[BoundedValue]:
        """Append the values of seat 0 at all further positions to those at the first ones.

        Args:
            values: the values at the positions with an index below ``len(values)``. The list is extended.

        Returns:
            The same list, with the values at all enumerated positions by index.
        """
        # Both run by index: positions, and the outcomes of the roll in each. A terminal position has no outcomes.
        positions_and_outcomes = zip(self._indices, self._outcomes, strict=True)
        for position, outcomes in islice(positions_and_outcomes, len(values), None):
            is_terminal = not outcomes
            values.append(self._terminal_value(position) if is_terminal else self._value_before_roll(outcomes, values))
        return values

    def _terminal_value(self, position: Position) -> BoundedValue:
        """Return the value of seat 0 at a terminal position: its payoff, or 0 turns still to take."""
        if self.objective == "turns":
            return BoundedValue(0.0, 0.0)
        exact_payoff = self._first_seat_payoff(position)
        payoff = float(exact_payoff)
        is_rounded = payoff != exact_payoff
        return BoundedValue(payoff, ROUNDING_UNIT * abs(payoff) if is_rounded else 0.0)

    def _first_seat_payoff(self, position: Position) -> Fraction:
        """Return the exact payoff of seat 0 at a terminal position."""
        first_payoff, *_ = self.playable.payoffs(position)
        return first_payoff

    @staticmethod
    def _value_before_roll(outcomes: Sequence[RollOutcome], values: Sequence[BoundedValue]) -> BoundedValue:
        """Return the value of seat 0 before a roll: the mean of the best choices after it.

        Seat 0 chooses the largest value and seat 1 the smallest. The error of a mean is at most the largest error of
        its terms, plus rounding.

        Args:
            outcomes: the outcomes of the roll, each a decision with its weight.
            values: the values of seat 0, by the index of a position. For ``turns`` they are minus the turns still to
                take.
        """
        weighted_sum = 0.0
        successor_bound = 0.0  # the largest error bound of a successor
        largest = 0.0  # absolute value of a successor
        for weight, mover, successors, turns_spent in outcomes:
            # For the objective ``turns``, a choice that ends a turn costs 1; else ``turns_spent`` is 0.
            choice_values = [
                values[successor].value - turns for successor, turns in zip(successors, turns_spent, strict=True)
            ]
            best = max(choice_values) if mover == 0 else min(choice_values)
            weighted_sum += weight * best
            successor_bound = max(successor_bound, max(values[successor].error_bound for successor in successors))
            largest = max(largest, max(map(abs, choice_values)))
        # A mean of k outcomes has at most k + 2 relative errors of u = 2^-53: of a product, of k - 1 additions, of the
        # total weight as a float, and of the quotient. One more where a turn is subtracted.
        rounding_bound = (len(outcomes) + 3) * ROUNDING_UNIT * largest
        total_weight = sum(outcome.weight for outcome in outcomes)
        return BoundedValue(weighted_sum / total_weight, successor_bound + rounding_bound)

    def evaluate_policy(self, value_table: ValueTable, choose: ChoiceFunction[Position]) -> list[BoundedValue]:
        """Evaluate a policy against optimal play of the other seat.

        What the game pays must depend on its end only, so the objective must not be ``turns``.

        Args:
            value_table: the values of optimal play.
            choose: the policy: returns the choice that it makes in a decision position.

        Returns:
            The value of seat 0 at the start if the policy plays seat 0, and for two players that if it plays seat 1.
        """
        # The table holds absolute values if fewer is better; ``_sign`` makes them negative again.
        stored_values = (value_table.arrays["worth"] * self._sign).tolist()
        optimal_values = dict(zip(self._stored_positions, stored_values, strict=True))
        values: dict[Position, list[BoundedValue]] = {}  # of seat 0, by position and by the seat that the policy plays
        for position in self._stored_positions:  # each after its successors
            if self.playable.stage(position) == "over":
                payoff = float(self._first_seat_payoff(position))
                values[position] = [BoundedValue(payoff, ROUNDING_UNIT * abs(payoff))] * self.playable.players
            else:
                values[position] = self._values_by_policy_seat(position, values, choose, optimal_values)
        return values[self.playable.start()]

    def _values_by_policy_seat(
        self,
        position: Position,
        values: Mapping[Position, list[BoundedValue]],
        choose: ChoiceFunction[Position],
        optimal_values: Mapping[Position, float],
    ) -> list[BoundedValue]:
        """Return the values of seat 0 at a position that is not terminal, one for each seat that the policy may play.

        Args:
            position: the position.
            values: those of its successors, by position and by the seat that the policy plays.
            choose: the policy.
            optimal_values: the values of seat 0 under optimal play.
        """
        rolls = self._rolls(position)
        weights = [weight for weight, _ in rolls]
        # By roll, the positions that follow it: one for each seat that the policy may play.
        successors_by_roll = [
            self._followed_successors(after_roll, position, choose, optimal_values) for _, after_roll in rolls
        ]
        mean_values = []
        for policy_seat in range(self.playable.players):
            values_after = [values[successors[policy_seat]][policy_seat] for successors in successors_by_roll]
            mean_values.append(_mean_of_rolls(weights, values_after))
        return mean_values

    def _followed_successors(
        self,
        after_roll: Position,
        position: Position,
        choose: ChoiceFunction[Position],
        optimal_values: Mapping[Position, float],
    ) -> list[Position]:
        """Return where a roll leads if the policy plays seat 0, and for two players also if it plays seat 1.

        The mover follows the policy if it plays the mover's seat; otherwise the mover plays optimally.

        Args:
            after_roll: the position after the roll.
            position: the position before it.
            choose: the policy.
            optimal_values: the values of seat 0 under optimal play.

        Returns:
            One position for each seat that the policy may play.
        """
        playable = self.playable
        if not self._chooses_within_turn(after_roll, position):
            return [after_roll] * playable.players
        by_policy = choose(after_roll).after
        if playable.players == 1:
            return [by_policy]
        mover = playable.player_to_move(after_roll)
        best = max if mover == 0 else min  # seat 1 wants a small value of seat 0
        choices = list_relevant_choices(playable, after_roll)
        by_optimal_play = best((choice.after for choice in choices), key=optimal_values.__getitem__)
        return [by_policy, by_optimal_play] if mover == 0 else [by_optimal_play, by_policy]

    def estimate_cost(self, threads: int) -> SolveCost:
        """Return the cost of ``solve`` from the number of positions, all of which are enumerated for it.

        Args:
            threads: not used; one thread solves.
        """
        position_count = len(self._stored_positions)
        return SolveCost(bytes=POSITION_BYTES * position_count, seconds=SOLVE_SECONDS * position_count)

    @cached_property
    def _final_outcomes(self) -> list[tuple[Fraction, ...]]:
        """The payoffs of all terminal positions that can follow from the start: each a payoff for every seat."""
        # Positions that were enumerated later stand behind the stored ones and are left out.
        pairs = zip(self._stored_positions, self._outcomes, strict=False)
        return [self.playable.payoffs(position) for position, outcomes in pairs if not outcomes]

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the spec of ``worth``: numbers between the extreme payoffs of seat 0, or numbers of turns."""
        position_count = len(self._stored_positions)
        shape = (position_count,)
        if self.objective == "turns":  # no position occurs twice, so there are fewer turns than positions
            return {"worth": ArraySpec(shape, 0.0, float(position_count))}
        payoffs = [self._sign * float(first_payoff) for first_payoff, *_ in self._final_outcomes]
        return {"worth": ArraySpec(shape, min(payoffs), max(payoffs))}

    # --- values of positions

    def seat_values(self, value_table: ValueTable, positions: Sequence[Position]) -> SeatValues:
        """Return the values of all seats at some positions, and their error bounds.

        Positions that are not in the table, because they cannot follow from the start, are enumerated and solved now.
        """
        values = self._values_with(value_table, positions)
        selected = [values[self._indices[position]] for position in positions]
        first_seat_values = np.array([bounded.value for bounded in selected])
        error_bounds = np.array([bounded.error_bound for bounded in selected])
        return self._all_seats(first_seat_values * self._sign, error_bounds)

    def _values_with(self, value_table: ValueTable, positions: Sequence[Position]) -> list[BoundedValue]:
        """Enumerate some positions, and return the values of seat 0 at all enumerated positions, by index.

        Values of positions in the table are read from it, and the others are computed from them.

        Args:
            value_table: the value table, which holds the positions that can follow the start.
            positions: any positions of the game.
        """
        # The stored positions must have the smallest indices. They are enumerated here at the latest, all from the
        # start, which follows all others.
        start = self._stored_positions[-1]
        for position in (start, *positions):
            self._enumerate(position)
        stored_values = (value_table.arrays["worth"] * self._sign).tolist()
        return self._extend_values([BoundedValue(value, value_table.error_bound) for value in stored_values])

    @abstractmethod
    def _all_seats(self, first_seat_values: Floats, error_bounds: Floats) -> SeatValues:
        """Return the values of all seats at some positions.

        Args:
            first_seat_values: (positions,), the values of seat 0.
            error_bounds: (positions,), their error bounds.
        """

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[Position]:
        """List all positions between turns, the start first, whatever the fields are."""
        starts = [position for position in reversed(self._stored_positions) if self.playable.is_turn_start(position)]
        return PositionListing(len(starts), starts)


def _mean_of_rolls(weights: Sequence[int], values: Sequence[BoundedValue]) -> BoundedValue:
    """Return the weighted mean of the values after some rolls, with a bound of its error.

    Args:
        weights: by roll, its weight.
        values: by roll, the value after it.
    """
    largest = max(abs(bounded.value) for bounded in values)
    largest_bound = max(bounded.error_bound for bounded in values)
    # A mean of k terms has at most k + 2 relative errors of the rounding unit: of a product, of k - 1 additions, of the
    # total weight as a float, and of the quotient. One more is a reserve.
    rounding_bound = (len(values) + 3) * ROUNDING_UNIT * largest
    weighted_sum = sum(weight * bounded.value for weight, bounded in zip(weights, values, strict=True))
    return BoundedValue(weighted_sum / sum(weights), largest_bound + rounding_bound)


class EnumeratedSoloProblem(EnumeratedProblem[Position]):
    """An enumerated game of one player.

    Attributes:
        playable, objective: the game as people play it, and what is optimized.
        _indices: the index of every enumerated position, larger than those of all its successors.
        _outcomes: by index, the outcomes of a position's roll; none for a terminal position.
        _sign: -1 if fewer points are better, because payoffs are then negative; otherwise 1.
    """

    def require_distribution(self) -> None:
        """Raise InputError unless the objective is ``points``, or ``reach`` in a game that tells its final points."""
        if self.objective != "points" and not (self.objective == "reach" and self.playable.tells_final_points):
            super().require_distribution()

    def distribution(
        self, value_table: ValueTable, position: Position, progress: ProgressCallback = lambda fraction: None
    ) -> Distribution:
        """Return the exact distribution of the points under optimal play, with the first choice among ties.

        For ``reach`` these are the points with which the game ends if it is played to reach the goal.

        Args:
            value_table: the value table.
            position: the position from which points are counted; not a decision inside a turn.
            progress: not called.

        Raises:
            InputError: the position is a decision inside a turn.
        """
        if self.playable.stage(position) == "choose" and not self.playable.is_turn_start(position):
            raise InputError(f"a distribution requires a position before a roll; leave out {argument('roll')}")
        values = self._values_with(value_table, [position])
        start_index = self._indices[position]
        positions = list(self._indices)  # by index
        # A branch has a ``total`` if the game ends with these points, else a ``successor``. For points, the payoff of a
        # terminal position is the total. For ``reach`` the payoff is only 0 or 1, so totals are read from the choices.
        list_branches = self._branches_by_choices if self.objective == "reach" else self._branches_by_payoffs
        reach_probabilities = {start_index: Fraction(1)}  # by the index of a position that is still to be examined
        total_probabilities: dict[int, Fraction] = {}
        # Successors have smaller indices. So from larger to smaller indices, the probabilities of all ways into a
        # position are added up before it is examined.
        for index in range(start_index, -1, -1):
            reach_probability = reach_probabilities.pop(index, None)
            if reach_probability is None:
                continue
            for branch in list_branches(positions[index], values, value_table.error_bound):
                probability = reach_probability * branch.probability
                if branch.total is not None:
                    total_probabilities[branch.total] = total_probabilities.get(branch.total, Fraction(0)) + probability
                else:
                    assert branch.successor is not None
                    earlier_probability = reach_probabilities.get(branch.successor, Fraction(0))
                    reach_probabilities[branch.successor] = earlier_probability + probability
        return Distribution.from_probabilities(total_probabilities)

    def _branches_by_payoffs(
        self, position: Position, values: Sequence[BoundedValue], error_bound: float
    ) -> Iterator[_Branch]:
        """Yield what follows a position under optimal play for points, which are the payoff of a terminal position.

        Args:
            position: an enumerated position.
            values: the values of seat 0, by the index of a position.
            error_bound: that of the value table, which decides what ties. Positions outside the table may have more.
        """
        outcomes = self._outcomes[self._indices[position]]
        if not outcomes:  # the game is over
            total = int(self._sign * self._first_seat_payoff(position))
            yield _Branch(Fraction(1), total=total, successor=None)
            return
        total_weight = sum(outcome.weight for outcome in outcomes)
        for outcome in outcomes:
            successor = self._first_best(outcome.successors, values, error_bound)
            yield _Branch(Fraction(outcome.weight, total_weight), total=None, successor=successor)

    def _branches_by_choices(
        self, position: Position, values: Sequence[BoundedValue], error_bound: float
    ) -> Iterator[_Branch]:
        """Yield what follows a position under optimal play for another objective than points.

        With such an objective a terminal position does not tell the final points. So these are read from the ``points``
        of the choice that ends the game. A roll alone never ends it (``PlayableGame.tells_final_points``).

        Args:
            position: an enumerated position.
            values: the values of seat 0, by the index of a position.
            error_bound: that of the value table, which decides what ties. Positions outside the table may have more.
        """
        rolls = self._rolls(position)
        total_weight = sum(weight for weight, _ in rolls)
        for weight, rolled in rolls:
            probability = Fraction(weight, total_weight)
            if not self._chooses_within_turn(rolled, position):
                assert self.playable.stage(rolled) is not Stage.TERMINAL
                yield _Branch(probability, total=None, successor=self._indices[rolled])
                continue
            choices = list_relevant_choices(self.playable, rolled)
            successors = [self._indices[choice.after] for choice in choices]
            successor = self._first_best(successors, values, error_bound)
            # Choices may share a successor, such as a lost end. Then all of them tie, and ties go to the first choice.
            choice = choices[successors.index(successor)]
            if self.playable.stage(choice.after) is Stage.TERMINAL:
                yield _Branch(probability, total=choice.points, successor=None)
            else:
                yield _Branch(probability, total=None, successor=successor)

    @staticmethod
    def _first_best(successors: Sequence[int], values: Sequence[BoundedValue], error_bound: float) -> int:
        """Return the first of several positions whose value ties with the largest one.

        Two values with this error bound are a tie if they differ by no more than twice the bound.

        Args:
            successors: the indices of the positions, in the order of the choices that lead there.
            values: the values of seat 0, by the index of a position.
            error_bound: that of the value table, which decides what ties. Positions outside the table may have more.

        Returns:
            The index of the position.
        """
        best = max(values[successor].value for successor in successors)
        return next(successor for successor in successors if best - values[successor].value <= 2 * error_bound)

    def _all_seats(self, first_seat_values: Floats, error_bounds: Floats) -> SeatValues:
        return SeatValues(first_seat_values[:, None], error_bounds)


class EnumeratedTwoPlayerProblem(EnumeratedProblem[Position]):
    """An enumerated game of two players whose payoffs always have the same sum.

    So one value for each position suffices, that of seat 0. With more players it would matter to the others which of
    two equally good choices a mover makes.

    Attributes:
        _final_outcomes: the payoffs of both seats at each terminal position that can follow the start.
    """

    player_range = (2, 2)

    def _all_seats(self, first_seat_values: Floats, error_bounds: Floats) -> SeatValues:
        """Return the values of both seats; that of seat 1 is the sum of both payoffs minus that of seat 0.

        Args:
            first_seat_values: (positions,), the values of seat 0.
            error_bounds: (positions,), their error bounds.

        Raises:
            InputError: the sum differs between terminal positions.
        """
        outcome_sums = {sum(outcome) for outcome in self._final_outcomes}  # an outcome is a payoff for each seat
        if len(outcome_sums) > 1:
            raise InputError(f"{self.game.id}: the results of the two players must always have the same sum")
        (outcome_sum,) = outcome_sums
        second_seat_values = float(outcome_sum) - first_seat_values
        subtraction_bounds = ROUNDING_UNIT * np.abs(second_seat_values)
        values = np.stack([first_seat_values, second_seat_values], axis=1)
        return SeatValues(values, error_bounds + subtraction_bounds)
