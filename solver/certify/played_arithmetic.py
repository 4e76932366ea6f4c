"""Bounds of a walked turn in integer arithmetic, from the bounds of the states that it leads to.

All rows alternate lower and upper bounds of units 2 ** -bits. Sums and maxima are exact; lower bounds are rounded down,
and upper bounds up.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, floor
from operator import mul

from .turn_walk import ChanceNode, ChoiceNode, GameWalk, Landing

Row = tuple[int, ...]
NO_CHANGES: Mapping[int, int] = {}


def _rounded_division(sums: Sequence[int], divisor: int) -> Row:
    """Divide lower bounds, at even places, rounding down, and upper bounds rounding up."""
    return tuple(-(-value // divisor) if place % 2 else value // divisor for place, value in enumerate(sums))


class TurnArithmetic(ABC):
    """Evaluation of the turns of a walked game.

    Args:
        walk: the walked game.
        bits: the number of bits of the unit.
    """

    def __init__(self, walk: GameWalk, bits: int) -> None:
        self.walk, self.bits = walk, bits
        self._payoff_units: dict[tuple[Fraction, ...], Row] = {}

    @abstractmethod
    def evaluate(self, state: int, bounds: Sequence[Row]) -> Row:
        """Return the bounds of a state's turn, rounded outward.

        Args:
            state: the number of the state.
            bounds: by state, the lower and upper bound of every seat that has bounds, from the mover on.
        """

    @abstractmethod
    def _ending(self, landing: Landing, bounds: Sequence[Row], changed_values: Mapping[int, int]) -> Row:
        """Return the row of an ending."""

    @abstractmethod
    def _best(self, rows: list[Row]) -> Row:
        """Return the row of a decision from those of its choices."""

    def _evaluate_row(self, state: int, bounds: Sequence[Row], changed_values: Mapping[int, int] = NO_CHANGES) -> Row:
        """Return the row of a state's turn; ``changed_values`` replace decision values of states."""
        endings = [self._ending(landing, bounds, changed_values) for landing in self.walk.landings[state]]
        rows: list[Row] = []
        for node in self.walk.turns[state].nodes:
            if isinstance(node, ChanceNode):
                columns = zip(*(rows[successor] for successor in node.nodes), strict=True)
                sums = [sum(map(mul, node.weights, column)) for column in columns]
                rows.append(_rounded_division(sums, sum(node.weights)))
            elif isinstance(node, ChoiceNode):
                rows.append(self._best([rows[successor] for successor in node.nodes]))
            else:
                rows.append(endings[node.ending])
        return rows[-1]

    def _to_units(self, payoff: tuple[Fraction, ...]) -> Row:
        """Return the lower and upper bound of every payoff in units."""
        if payoff not in self._payoff_units:
            units = [amount * (1 << self.bits) for amount in payoff]
            self._payoff_units[payoff] = tuple(rounded(amount) for amount in units for rounded in (floor, ceil))
        return self._payoff_units[payoff]


class MoverArithmetic(TurnArithmetic):
    """Turns of one or two players. A row is the lower and the upper bound of the mover.

    Args:
        walk: the walked game.
        bits: the number of bits of the unit.
        stake: of two players, the units that both get together.
    """

    def __init__(self, walk: GameWalk, bits: int, stake: int) -> None:
        super().__init__(walk, bits)
        self.stake = stake

    def evaluate(self, state: int, bounds: Sequence[Row]) -> Row:
        """Return the bounds of the mover."""
        return self._evaluate_row(state, bounds)

    def _ending(self, landing: Landing, bounds: Sequence[Row], changed_values: Mapping[int, int]) -> Row:
        """Return the payoff and the bounds of the next state, seen by the mover."""
        paid_lower, paid_upper, *_ = self._to_units(landing.payoff)
        lower, upper = bounds[landing.state] if landing.state >= 0 else (0, 0)
        if landing.seats_on:
            lower, upper = self.stake - upper, self.stake - lower
        return paid_lower + lower, paid_upper + upper

    def _best(self, rows: list[Row]) -> Row:
        return max(row[0] for row in rows), max(row[1] for row in rows)


class PolicyArithmetic(TurnArithmetic):
    """Turns of three or more players who follow stored policies.

    Every state has a decision value for each seat, by which the stored policies compare choices. A row is the lower
    and upper bound of the mover's decision value, then those of all seats from the mover on. The mover's lower bound is
    that of the stored policies, its upper bound that of the best response.

    Args:
        walk: the walked game.
        bits: the number of bits of the unit.
        decision_values: by state, the decision value of every seat from the mover on, in units.
        tie: the stored policies may make any choice whose decision value is at most this below the best.
        prefers_first: if nothing can be gained, exactly, the first choice listed is made.
        mixed_actions: by state with a mixed action, four numbers: the state that its zero turn leads to; the share of
            the second turn, in units; the decision value of that state for the first turn; that for the second turn.
    """

    def __init__(
        self,
        walk: GameWalk,
        bits: int,
        decision_values: Sequence[Row],
        tie: int,
        prefers_first: bool,
        mixed_actions: Mapping[int, Row],
    ) -> None:
        super().__init__(walk, bits)
        self.decision_values, self.tie, self.prefers_first = decision_values, tie, prefers_first
        self.mixed_actions = mixed_actions

    def evaluate(self, state: int, bounds: Sequence[Row]) -> Row:
        """Return the bounds of all seats from the mover on."""
        if state not in self.mixed_actions:
            return self._evaluate_row(state, bounds)[2:]
        zero_turn_state, share, *values = self.mixed_actions[state]
        first, second = (self._evaluate_row(state, bounds, {zero_turn_state: value})[2:] for value in values)
        sums = [(low << self.bits) + share * (high - low) for low, high in zip(first, second, strict=True)]
        return _rounded_division(sums, 1 << self.bits)

    def _ending(self, landing: Landing, bounds: Sequence[Row], changed_values: Mapping[int, int]) -> Row:
        """Return the payoff, or the bounds of the next state, with the mover's decision value in front."""
        if landing.state < 0:
            payoff = self._to_units(landing.payoff)
            return (*payoff[:2], *payoff)
        row, players, shift = bounds[landing.state], self.walk.players, landing.seats_on
        rotated = [row[2 * ((seat - shift) % players) + side] for seat in range(players) for side in (0, 1)]
        mover_value = self.decision_values[landing.state][-shift % players]
        value = changed_values.get(landing.state, mover_value)
        return (value, value, *rotated)

    def _best(self, rows: list[Row]) -> Row:
        """Return the bounds over all choices that the stored policy may make; for the mover the best response."""
        best_lower, best_upper = max(row[0] for row in rows), max(row[1] for row in rows)
        possible = [row for row in rows if row[1] + self.tie >= best_lower]
        if self.prefers_first and all(row[0] == row[1] == row[3] == 0 for row in rows):
            possible = possible[:1]
        columns = zip(*possible, strict=True)
        bounds = [max(column) if place % 2 else min(column) for place, column in enumerate(columns)]
        best_response = max(row[3] for row in rows)
        return best_lower, best_upper, bounds[2], best_response, *bounds[4:]
