"""The states of a cup as arrays: which rolls lead where, and with what weight (``cup_rules``).

A state has a *code*: its dice that scored as digits of one number, then its hand by index, then its dice that have
shown the bust face as digits. So a roll adds to the code, and all states with the same hand are computed at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .push_rules import Counts, DieKind

Ints = NDArray[np.int64]
BUST_CODE = -1
MAX_INT64_WEIGHT = 2**62  # weights from here on are held as objects


class CupState(NamedTuple):
    """The dice on the table before a roll, as counts by kind; the other dice are in the cup.

    Attributes:
        scored: the dice that scored and have not gone back into the cup.
        hand: the dice that are rolled again.
        busted: the dice that have shown the bust face.
    """

    scored: Counts
    hand: Counts
    busted: Counts


class HandRoll(NamedTuple):
    """The roll of a full hand, as counts.

    Attributes:
        scored: the dice that score, by kind.
        hand: the dice that stay in the hand, by kind.
        busted: the dice that show the bust face, by kind.
        symbols: counts of the symbols.
        weight: the number of ways in which the sides can fall, if all dice had the same number of sides.
        scored_count: how many dice score.
        busted_count: how many dice show the bust face.
    """

    scored: Counts
    hand: Counts
    busted: Counts
    symbols: Counts
    weight: int
    scored_count: int
    busted_count: int


class CupDice(Protocol):
    """The rules that the states depend on: the dice, and how they are rolled (``CupRules``)."""

    @property
    def dice(self) -> int:
        """The size of a full hand."""

    @property
    def bust_limit(self) -> int:
        """The number of dice with the bust face that end a turn."""

    @property
    def cup(self) -> tuple[DieKind, ...]:
        """The dice that are in the cup when a turn begins, by kind."""

    @property
    def die_count(self) -> int:
        """The number of dice."""

    @property
    def side_weights(self) -> tuple[Counts, ...]:
        """By kind, the weights of the faces, scaled so that those of every die add up to the same."""

    @property
    def first_state(self) -> CupState:
        """The state in which a turn begins."""

    def hand_rolls(self, hand: Counts) -> tuple[HandRoll, ...]:
        """Return the rolls of a full hand."""


class CupEdges(NamedTuple):
    """The results of all rolls, by state, then by the state that they lead to, then by dice that score.

    Attributes:
        state: (edges,) the code of the state before the roll.
        after: (edges,) that of the state after it; BUST_CODE for a bust.
        scored: (edges,) how many dice score; 0 for a bust.
        weight: (edges,) the weight of all rolls with this result.
    """

    state: Ints
    after: Ints
    scored: Ints
    weight: NDArray[Any]


class CupCodes:
    """The codes of the states of a cup, and of the states that a turn can lead to.

    Attributes:
        hands: the dice that may be in the hand, by kind.
    """

    def __init__(self, rules: CupDice) -> None:
        """List all hands, and find the place values of the digits.

        Args:
            rules: the rules of the turn.
        """
        self.rules = rules
        kind_counts = [kind.count for kind in rules.cup]
        ranges = [range(min(count, rules.dice) + 1) for count in kind_counts]
        self.hands = [hand for hand in product(*ranges) if sum(hand) <= rules.dice]
        self._hand_index = {hand: index for index, hand in enumerate(self.hands)}
        busted_places = _places([rules.bust_limit] * len(kind_counts), 1)
        self._hand_place = rules.bust_limit ** len(kind_counts)
        scored_places = _places([count + 1 for count in kind_counts], self._hand_place * len(self.hands))
        self._busted_places, self._scored_places = busted_places, scored_places
        # All dice that may have scored, and all that may have shown the bust face: (sets, kinds) each.
        self._scored_sets = np.array([*product(*(range(count + 1) for count in kind_counts))])
        busted_ranges = [range(min(count, rules.bust_limit - 1) + 1) for count in kind_counts]
        self._busted_sets = np.array([dice for dice in product(*busted_ranges) if sum(dice) < rules.bust_limit])

    def code(self, state: CupState) -> int | None:
        """Return the code of a state; None if so many dice cannot be in the hand."""
        hand = self._hand_index.get(state.hand)
        if hand is None:
            return None
        scored, busted = _number(state.scored, self._scored_places), _number(state.busted, self._busted_places)
        return int(scored + hand * self._hand_place + busted)

    def state(self, code: int) -> CupState:
        """Return the state of a code."""
        limit = self.rules.bust_limit
        busted = tuple(code // int(place) % limit for place in self._busted_places)
        hand = self.hands[code // self._hand_place % len(self.hands)]
        digits = zip(self._scored_places.tolist(), self.rules.cup, strict=True)
        return CupState(tuple(code // place % (kind.count + 1) for place, kind in digits), hand, busted)

    def busted_counts(self, codes: Ints) -> Ints:
        """Return how many dice have shown the bust face."""
        limit = self.rules.bust_limit
        return np.asarray(sum(codes // place % limit for place in self._busted_places.tolist()))

    def have_full_hand(self, codes: Ints) -> NDArray[np.bool_]:
        """Return whether no dice are drawn before the next roll."""
        is_full = np.array([sum(hand) == self.rules.dice for hand in self.hands])
        return np.asarray(is_full[codes // self._hand_place % len(self.hands)])

    @cached_property
    def edges(self) -> CupEdges:
        """The results of the rolls of all states that a turn can lead to."""
        parts = [part for hand in self.hands for part in self._edges_of_hand(hand)]
        state, after, scored, weight = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        # Join the rolls of a state with the same result.
        order = np.lexsort((scored, after, state))
        state, after, scored = state[order], after[order], scored[order]
        is_first = np.ones(len(order), dtype=np.bool_)
        is_first[1:] = (state[1:] != state[:-1]) | (after[1:] != after[:-1]) | (scored[1:] != scored[:-1])
        first = np.flatnonzero(is_first)
        edges = CupEdges(state[first], after[first], scored[first], np.add.reduceat(weight[order], first))
        is_reached = self._is_reached(edges)[edges.state]
        return CupEdges(*(column[is_reached] for column in edges))

    def _is_reached(self, edges: CupEdges) -> NDArray[np.bool_]:
        """Return, by code, whether a turn can lead to a state."""
        first_code = self.code(self.rules.first_state)
        assert first_code is not None
        is_reached = np.zeros(int(edges.state.max()) + 1, dtype=np.bool_)
        is_reached[first_code] = True
        goes_on = edges.after >= 0
        states, after = edges.state[goes_on], edges.after[goes_on]
        while True:
            count = np.count_nonzero(is_reached)
            is_reached[after[is_reached[states]]] = True
            if np.count_nonzero(is_reached) == count:
                return is_reached

    def _edges_of_hand(self, hand: Counts) -> Iterator[CupEdges]:
        """Yield the results of the rolls of all states with a hand, roll by roll."""
        rules = self.rules
        kind_counts = np.array([kind.count for kind in rules.cup])
        hand_counts = np.array(hand)
        # All pairs of dice that scored and dice that have shown the bust face, for which the dice suffice.
        in_cup = kind_counts - hand_counts - self._scored_sets[:, None] - self._busted_sets
        scored_count, busted_count = self._scored_sets.sum(axis=1), self._busted_sets.sum(axis=1)
        is_normal = rules.die_count - scored_count[:, None] - busted_count >= rules.dice
        scored_index, busted_index = np.nonzero((in_cup >= 0).all(axis=2) & is_normal)
        in_cup = in_cup[scored_index, busted_index]
        scored_count, busted_count = scored_count[scored_index], busted_count[busted_index]
        busted_code = _number(self._busted_sets[busted_index], self._busted_places)
        scored_code = _number(self._scored_sets[scored_index], self._scored_places)
        codes = scored_code + self._hand_index[hand] * self._hand_place + busted_code
        for selection in _selections_of(kind_counts - hand_counts, rules.dice - sum(hand)):
            ways = self._ways_to_draw(in_cup, selection)
            can_draw = np.flatnonzero(ways > 0)
            if not len(can_draw):
                continue
            for roll in rules.hand_rolls(tuple((hand_counts + selection).tolist())):
                busted = busted_count[can_draw] + roll.busted_count
                is_bust = busted >= rules.bust_limit
                is_short = rules.die_count - scored_count[can_draw] - roll.scored_count - busted < rules.dice
                scored_after = np.where(is_short, 0, scored_code[can_draw] + _number(roll.scored, self._scored_places))
                after = scored_after + self._hand_index[roll.hand] * self._hand_place
                after += busted_code[can_draw] + _number(roll.busted, self._busted_places)
                yield CupEdges(
                    codes[can_draw],
                    np.where(is_bust, BUST_CODE, after),
                    np.where(is_bust, 0, roll.scored_count),
                    ways[can_draw] * roll.weight,
                )

    def _ways_to_draw(self, in_cup: Ints, selection: Ints) -> NDArray[Any]:
        """Return by state the number of ways to draw dice, (states,), given those in the cup, (states, kinds)."""
        is_large = self._max_weight >= MAX_INT64_WEIGHT
        ways: NDArray[Any] = np.ones(len(in_cup), dtype=object if is_large else np.int64)
        for kind, count in enumerate(selection.tolist()):
            combinations = [math.comb(available, count) for available in range(self.rules.cup[kind].count + 1)]
            ways = ways * np.array(combinations, dtype=ways.dtype)[in_cup[:, kind]]
        return ways

    @cached_property
    def _max_weight(self) -> int:
        """More than the weight of all rolls of a state."""
        sides: int = max(sum(weights) for weights in self.rules.side_weights)
        return math.comb(self.rules.die_count, self.rules.dice) * int(sides**self.rules.dice)


def _places(sizes: Sequence[int], unit: int) -> Ints:
    """Return the place values of digits that have so many values each; the last digit counts ``unit``."""
    places = [unit]
    for size in reversed(sizes[1:]):
        places.append(places[-1] * size)
    return np.array(places[::-1])


def _number(digits: Ints | Counts, places: Ints) -> Ints:
    """Return the numbers with these digits, by the place values of the last axis."""
    return np.asarray((np.asarray(digits) * places).sum(axis=-1))


def _selections_of(available: Ints, size: int) -> Iterator[Ints]:
    """Yield the ways to take ``size`` dice, as counts by kind."""
    for counts in product(*(range(min(count, size) + 1) for count in available.tolist())):
        if sum(counts) == size:
            yield np.array(counts)
