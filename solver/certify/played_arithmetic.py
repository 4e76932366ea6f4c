"""Bounds of a walked turn in integer arithmetic, from the bounds of the states that it leads to.

A *row* is a tuple in which lower and upper bounds alternate, in units of 2 ** -bits: (3, 5, -2, 0) are the bounds 3 and
5 of one number, and -2 and 0 of another. Sums and maxima are exact; lower bounds are rounded down, and upper bounds up.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, floor
from operator import mul
from typing import NamedTuple

from .turn_walk import ChanceNode, ChoiceNode, GameWalk, Landing
from .whole_turn import ceil_divide

Row = tuple[int, ...]
NO_CHANGES: Mapping[int, int] = {}


class WalkedMix(NamedTuple):
    """A mixed action in a state: a turn drawn from two, which differ in what a zero turn is taken to be worth.

    Attributes:
        zero_turn_state: the state that a zero turn leads to.
        share_of_second: the probability of the second turn, in units.
        value_of_first: the decision value of that state by which the first turn is played, in units.
        value_of_second: that by which the second turn is played.
    """

    zero_turn_state: int
    share_of_second: int
    value_of_first: int
    value_of_second: int


def _divide_outward(sums: Sequence[int], divisor: int) -> Row:
    """Divide a row: lower bounds, at even places, are rounded down, and upper bounds up."""
    return tuple(ceil_divide(value, divisor) if place % 2 else value // divisor for place, value in enumerate(sums))


class TurnArithmetic(ABC):
    """Evaluation of the turns of a walked game.

    Args:
        walk: the walked game.
        bits: the number of bits of the unit.
    """

    def __init__(self, walk: GameWalk, bits: int) -> None:
        """Begin with a walked game and a unit of 2 ** -bits."""
        self.walk = walk
        self.bits = bits
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
        """Return the row of an ending of a turn: a tuple in which lower and upper bounds alternate, in units.

        Args:
            landing: where the ending leads.
            bounds: by state, as in ``evaluate``.
            changed_values: by state, a decision value that replaces the stored one.
        """

    @abstractmethod
    def _best(self, rows: list[Row]) -> Row:
        """Return the row of a decision from those of its choices."""

    def _evaluate_row(self, state: int, bounds: Sequence[Row], changed_values: Mapping[int, int] = NO_CHANGES) -> Row:
        """Return the row of a state's turn, evaluated node by node from the endings to the whole turn.

        Args:
            state: the number of the state.
            bounds: by state, as in ``evaluate``.
            changed_values: by state, a decision value that replaces the stored one.
        """
        endings = [self._ending(landing, bounds, changed_values) for landing in self.walk.landings[state]]
        rows: list[Row] = []  # by node; every node comes after those it leads to
        for node in self.walk.turns[state].nodes:
            if isinstance(node, ChanceNode):
                columns = zip(*(rows[successor] for successor in node.nodes), strict=True)
                sums = [sum(map(mul, node.weights, column)) for column in columns]
                rows.append(_divide_outward(sums, sum(node.weights)))
            elif isinstance(node, ChoiceNode):
                rows.append(self._best([rows[successor] for successor in node.nodes]))
            else:
                rows.append(endings[node.ending])
        return rows[-1]

    def _to_units(self, payoff: tuple[Fraction, ...]) -> Row:
        """Return the row of a payoff: every amount in units, rounded down and up."""
        if payoff not in self._payoff_units:
            row: list[int] = []
            for amount in payoff:
                units = amount * (1 << self.bits)
                row += [floor(units), ceil(units)]
            self._payoff_units[payoff] = tuple(row)
        return self._payoff_units[payoff]


class MoverArithmetic(TurnArithmetic):
    """Turns of one or two players. A row is the lower and the upper bound of the mover.

    Args:
        walk: the walked game.
        bits: the number of bits of the unit.
        stake: of two players, the units that both get together.
    """

    def __init__(self, walk: GameWalk, bits: int, stake: int) -> None:
        """Begin with a walked game, a unit of 2 ** -bits, and the units that two players get together."""
        super().__init__(walk, bits)
        self.stake = stake

    def evaluate(self, state: int, bounds: Sequence[Row]) -> Row:
        """Return the bounds of the mover."""
        return self._evaluate_row(state, bounds)

    def _ending(self, landing: Landing, bounds: Sequence[Row], changed_values: Mapping[int, int]) -> Row:
        """Return the payoff and the bounds of the next state, seen by the mover."""
        paid_lower, paid_upper, *_ = self._to_units(landing.payoff)
        is_over = landing.state < 0
        lower, upper = (0, 0) if is_over else bounds[landing.state]
        if landing.seats_on:  # the opponent moves next, and the mover gets the rest of the stake
            lower, upper = self.stake - upper, self.stake - lower
        return paid_lower + lower, paid_upper + upper

    def _best(self, rows: list[Row]) -> Row:
        """Return the largest lower bound and the largest upper bound."""
        best_lower = max(row[0] for row in rows)
        best_upper = max(row[1] for row in rows)
        return best_lower, best_upper


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
        mixed_actions: the mixed actions by state.
    """

    def __init__(
        self,
        walk: GameWalk,
        bits: int,
        decision_values: Sequence[Row],
        tie: int,
        prefers_first: bool,
        mixed_actions: Mapping[int, WalkedMix],
    ) -> None:
        """Begin with a walked game and stored policies.

        Args:
            walk: the walked game.
            bits: the number of bits of the unit.
            decision_values: by state, the decision value of every seat from the mover on, in units.
            tie: the stored policies may make any choice whose decision value is at most so many units below the best.
            prefers_first: whether the first choice listed is made if nothing can be gained, exactly.
            mixed_actions: the mixed actions by state.
        """
        super().__init__(walk, bits)
        self.decision_values = decision_values
        self.tie = tie
        self.prefers_first = prefers_first
        self.mixed_actions = mixed_actions

    def evaluate(self, state: int, bounds: Sequence[Row]) -> Row:
        """Return the bounds of all seats from the mover on.

        Bounds of a mixed action are the mean of both turns, weighted by the probability with which each is drawn.
        """
        if state not in self.mixed_actions:
            return _without_decision_value(self._evaluate_row(state, bounds))
        mix = self.mixed_actions[state]
        first_row = self._evaluate_row(state, bounds, {mix.zero_turn_state: mix.value_of_first})
        second_row = self._evaluate_row(state, bounds, {mix.zero_turn_state: mix.value_of_second})
        pairs = zip(_without_decision_value(first_row), _without_decision_value(second_row), strict=True)
        sums = [(first << self.bits) + mix.share_of_second * (second - first) for first, second in pairs]
        return _divide_outward(sums, 1 << self.bits)

    def _ending(self, landing: Landing, bounds: Sequence[Row], changed_values: Mapping[int, int]) -> Row:
        """Return the payoff, or the bounds of the next state, with the mover's decision value in front."""
        if landing.state < 0:
            payoff = self._to_units(landing.payoff)
            return (*payoff[:2], *payoff)
        players = self.walk.players
        row = bounds[landing.state]  # from the next mover on, who sits ``seats_on`` seats after this mover
        rotated: list[int] = []
        for seats_from_mover in range(players):
            place = 2 * ((seats_from_mover - landing.seats_on) % players)
            rotated += row[place : place + 2]
        mover_place = -landing.seats_on % players
        stored_value = self.decision_values[landing.state][mover_place]
        value = changed_values.get(landing.state, stored_value)
        return (value, value, *rotated)

    def _best(self, rows: list[Row]) -> Row:
        """Return the bounds over all choices that the stored policy may make; for the mover the best response above.

        Places of a row: 0 and 1 are the bounds of the mover's decision value, 2 and 3 those of the mover.
        """
        best_lower = max(row[0] for row in rows)
        best_upper = max(row[1] for row in rows)
        possible = [row for row in rows if row[1] + self.tie >= best_lower]
        if self.prefers_first and all(row[0] == row[1] == row[3] == 0 for row in rows):
            possible = possible[:1]
        columns = zip(*possible, strict=True)
        bounds = [max(column) if place % 2 else min(column) for place, column in enumerate(columns)]
        best_response = max(row[3] for row in rows)
        return best_lower, best_upper, bounds[2], best_response, *bounds[4:]


def _without_decision_value(row: Row) -> Row:
    """Return a row of three or more players without the bounds of the mover's decision value."""
    return row[2:]
