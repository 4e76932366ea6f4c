"""Bounds of a walked turn in integer arithmetic, from the bounds of the states that it leads to.

*Seat bounds* are a tuple in which lower and upper bounds alternate, in units of 2 ** -bits: (3, 5, -2, 0) are the
bounds 3 and 5 of one number, and -2 and 0 of another. Sums and maxima are exact; lower bounds are rounded down, and
upper bounds up.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from math import ceil, floor
from operator import mul
from typing import NamedTuple

from .turn_walk import ChanceNode, ChoiceNode, EndingNode, GameWalk, Landing, Payoff
from .whole_turn import ceil_divide

SeatBounds = tuple[int, ...]  # lower and upper bound in turn, a pair for each seat
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


def _divide_outward(sums: Sequence[int], divisor: int) -> SeatBounds:
    """Return bounds divided by a number: lower bounds are rounded down and upper bounds up.

    Args:
        sums: lower bounds at even indices, and upper bounds at odd ones.
        divisor: a number above 0.
    """
    quotients: list[int] = []
    for index, value in enumerate(sums):
        is_upper = index % 2 == 1
        quotients.append(ceil_divide(value, divisor) if is_upper else value // divisor)
    return tuple(quotients)


class TurnArithmetic(ABC):
    """Evaluation of the turns of a walked game, from the bounds of the states that they lead to.

    Bounds are tuples of whole units in which lower and upper bounds alternate, rounded outward: those of the mover, or
    of every seat from the mover on.

    Args:
        walk: the walked game.
        bits: the number of bits of the unit.

    Attributes:
        _payoff_units: by payoff, its amounts in units, as far as they have been converted.
    """

    def __init__(self, walk: GameWalk, bits: int) -> None:
        """Begin with a walked game and a unit of 2 ** -bits."""
        self.walk = walk
        self.bits = bits
        self._payoff_units: dict[Payoff, SeatBounds] = {}

    @abstractmethod
    def evaluate(self, state: int, bounds: Sequence[SeatBounds]) -> SeatBounds:
        """Return the bounds of a state's turn, rounded outward.

        Args:
            state: the number of the state.
            bounds: by state, the lower and upper bound of every seat that has bounds, from the mover on.
        """

    def _to_units(self, payoff: Payoff) -> SeatBounds:
        """Return a payoff in units, every amount rounded down and up: (down, up, down, up, ...), a pair for each seat.

        Args:
            payoff: what each seat is paid, from the mover on.
        """
        if payoff not in self._payoff_units:  # results are stored, because few different payoffs occur
            units_of_payoff: list[int] = []
            for amount in payoff:
                units = amount * (1 << self.bits)
                units_of_payoff += [floor(units), ceil(units)]
            self._payoff_units[payoff] = tuple(units_of_payoff)
        return self._payoff_units[payoff]


class MoverArithmetic(TurnArithmetic):
    """Turns of one or two players. Bounds are the lower and the upper bound of the mover.

    Args:
        walk: the walked game.
        bits: the number of bits of the unit.
        stake: of two players, the units that both get together.
    """

    def __init__(self, walk: GameWalk, bits: int, stake: int) -> None:
        """Begin with a walked game, a unit of 2 ** -bits, and the units that two players get together."""
        super().__init__(walk, bits)
        self.stake = stake

    def evaluate(self, state: int, bounds: Sequence[SeatBounds]) -> SeatBounds:
        """Return the lower and the upper bound of a state's turn for its mover, in units, rounded outward.

        Args:
            state: the number of the state.
            bounds: by state, the lower and the upper bound of the player who moves there.
        """
        ending_bounds = [self._ending(landing, bounds) for landing in self.walk.landings[state]]
        lowers: list[int] = []  # by node; every node comes after those that it leads to
        uppers: list[int] = []
        for node in self.walk.turns[state].nodes:
            if isinstance(node, EndingNode):
                lower, upper = ending_bounds[node.ending]
                lowers.append(lower)
                uppers.append(upper)
                continue
            next_lowers = map(lowers.__getitem__, node.nodes)
            next_uppers = map(uppers.__getitem__, node.nodes)
            if isinstance(node, ChoiceNode):
                lowers.append(max(next_lowers))
                uppers.append(max(next_uppers))
            else:  # the mean of the outcomes by weight
                total_weight = sum(node.weights)
                lowers.append(sum(map(mul, node.weights, next_lowers)) // total_weight)
                uppers.append(ceil_divide(sum(map(mul, node.weights, next_uppers)), total_weight))
        return lowers[-1], uppers[-1]  # the last node is the whole turn

    def _ending(self, landing: Landing, bounds: Sequence[SeatBounds]) -> tuple[int, int]:
        """Return the lower and the upper bound of an ending for the mover: its payoff plus the next state's bounds.

        Args:
            landing: what is paid to each seat from the mover on, the next state, and the seats on to its mover.
            bounds: by state, the lower and the upper bound of the player who moves there, in units.
        """
        paid_lower, paid_upper, *_of_opponent = self._to_units(landing.payoff)  # a pair for each seat
        if landing.state < 0:  # the game is over
            return paid_lower, paid_upper
        lower, upper = bounds[landing.state]
        if landing.seats_on > 0:  # the opponent moves next, and leaves the mover the rest of the stake
            lower, upper = self.stake - upper, self.stake - lower
        return paid_lower + lower, paid_upper + upper


class PolicyArithmetic(TurnArithmetic):
    """Turns of three or more players who follow stored policies.

    Every state has a decision value for each seat, by which the stored policies compare choices. Inside a turn,
    bounds are the lower and upper bound of the mover's decision value, then those of all seats from the mover on. The
    mover's lower bound is that of the stored policies, its upper bound that of the best response.

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
        decision_values: Sequence[SeatBounds],
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

    def evaluate(self, state: int, bounds: Sequence[SeatBounds]) -> SeatBounds:
        """Return the bounds of all seats from the mover on: lower and upper bounds in turn.

        Bounds of a mixed action are the mean of both turns, weighted by the probability with which each is drawn.

        Args:
            state: the number of the state.
            bounds: by state, the lower and upper bound of every seat, from the mover on.
        """
        if state not in self.mixed_actions:
            return _without_decision_value(self._evaluate_turn(state, bounds))
        mix = self.mixed_actions[state]
        # The two turns differ in the decision value that the state after a zero turn is taken to have.
        first_turn = self._evaluate_turn(state, bounds, {mix.zero_turn_state: mix.value_of_first})
        second_turn = self._evaluate_turn(state, bounds, {mix.zero_turn_state: mix.value_of_second})
        first_bounds = _without_decision_value(first_turn)
        second_bounds = _without_decision_value(second_turn)
        # first + share * (second - first), where a share of 1 is 2 ** bits units
        sums = []
        for first, second in zip(first_bounds, second_bounds, strict=True):
            sums.append((first << self.bits) + mix.share_of_second * (second - first))
        return _divide_outward(sums, 1 << self.bits)

    def _evaluate_turn(
        self, state: int, bounds: Sequence[SeatBounds], changed_values: Mapping[int, int] = NO_CHANGES
    ) -> SeatBounds:
        """Return the bounds of a state's turn, evaluated node by node from the endings to the whole turn.

        Args:
            state: the number of the state.
            bounds: by state, the lower and upper bound of every seat that has bounds, from the mover on.
            changed_values: by state, a decision value that replaces the stored one: that of the mover of this turn.

        Returns:
            A tuple in which lower and upper bounds alternate, in units, rounded outward: those of the mover's decision
            value, then those of all seats.
        """
        ending_bounds = [self._ending(landing, bounds, changed_values) for landing in self.walk.landings[state]]
        node_bounds: list[SeatBounds] = []  # every node comes after those that it leads to
        for node in self.walk.turns[state].nodes:
            if isinstance(node, ChanceNode):
                # The mean of the outcomes by weight, bound by bound.
                outcomes_by_bound = zip(*(node_bounds[successor] for successor in node.nodes), strict=True)
                sums = [sum(map(mul, node.weights, outcomes)) for outcomes in outcomes_by_bound]
                node_bounds.append(_divide_outward(sums, sum(node.weights)))
            elif isinstance(node, ChoiceNode):
                node_bounds.append(self._best_of_mover([node_bounds[successor] for successor in node.nodes]))
            else:
                node_bounds.append(ending_bounds[node.ending])
        return node_bounds[-1]  # the last node is the whole turn

    def _ending(self, landing: Landing, bounds: Sequence[SeatBounds], changed_values: Mapping[int, int]) -> SeatBounds:
        """Return the bounds of an ending: those of the mover's decision value, then of every seat from the mover on.

        If the game is over they are those of the payoff, otherwise those of the next state: games of three or more
        players pay nothing before their end.

        Args:
            landing: what is paid to each seat from the mover on, the next state, and the seats on to its mover.
            bounds: by state, the lower and upper bound of every seat, from the player who moves there on.
            changed_values: by state, a decision value of this mover that replaces the stored one.
        """
        is_over = landing.state < 0
        if is_over:
            payoff = self._to_units(landing.payoff)  # lower and upper bound of every seat from the mover on
            mover_payoff = payoff[:2]  # what is paid at the end is also the decision value
            return (*mover_payoff, *payoff)
        players = self.walk.players
        from_next_mover = bounds[landing.state]  # who sits ``seats_on`` seats after this mover
        from_this_mover: list[int] = []
        for seats_from_mover in range(players):
            seats_from_next_mover = (seats_from_mover - landing.seats_on) % players
            lower_index = 2 * seats_from_next_mover  # each seat has a lower and an upper bound
            from_this_mover += from_next_mover[lower_index : lower_index + 2]
        mover_from_next_mover = -landing.seats_on % players  # where this mover sits, counted from the next mover
        stored_value = self.decision_values[landing.state][mover_from_next_mover]
        value = changed_values.get(landing.state, stored_value)
        return (value, value, *from_this_mover)  # a decision value is exact, so both of its bounds are equal

    def _best_of_mover(self, choices: list[SeatBounds]) -> SeatBounds:
        """Return the bounds of a decision of a mover who follows the stored policy.

        The policy makes the choice with the best decision value. If several can be the best, bounds hold for any of
        them. The mover's upper bound is that of the best response instead, which may make any choice.

        Args:
            choices: for each choice the lower and upper bound of the mover's decision value, then those of every seat
                from the mover on.
        """
        # Indices in the bounds of a choice; from ``opponents`` on stand the lower and upper bounds of the other seats.
        decision_lower, decision_upper, mover_lower, mover_upper, opponents = range(5)
        best_lower = max(choice[decision_lower] for choice in choices)
        best_upper = max(choice[decision_upper] for choice in choices)
        # The policy may make a choice that can be as good as the best one, up to ``tie`` units (H10 of exactness).
        possible = [choice for choice in choices if choice[decision_upper] + self.tie >= best_lower]
        if self.prefers_first:
            # If no choice can bring the mover anything, the first one listed is made.
            has_nothing_to_gain = all(
                choice[decision_lower] == choice[decision_upper] == choice[mover_upper] == 0 for choice in choices
            )
            possible = possible[:1] if has_nothing_to_gain else possible
        policy_bounds = _bounds_of_any(possible)
        best_response_upper = max(choice[mover_upper] for choice in choices)
        return best_lower, best_upper, policy_bounds[mover_lower], best_response_upper, *policy_bounds[opponents:]


def _bounds_of_any(choices: Sequence[SeatBounds]) -> SeatBounds:
    """Return bounds that hold whichever of some choices is made: the least lower and the greatest upper bounds.

    Args:
        choices: for each choice its bounds: lower bounds at even indices, and upper bounds at odd ones.
    """
    by_index = zip(*choices, strict=True)  # at each index the bounds of all choices
    return tuple(max(bounds) if index % 2 == 1 else min(bounds) for index, bounds in enumerate(by_index))


def _without_decision_value(bounds: SeatBounds) -> SeatBounds:
    """Return bounds of three or more players without those of the mover's decision value, which are the first two."""
    return bounds[2:]
