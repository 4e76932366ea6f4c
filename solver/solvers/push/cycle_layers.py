"""The cycles of a race of three or more players, layer by layer from the highest total of the scores down.

A *cycle* is the lines that zero turns lead to from each other (``cycle_solver``). A *layer* is all cycles with one sum
of the players' sort keys, which grow with their scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..model import Ints
from .cycle_solver import Cycles
from .model import group_by_descending_keys


class CycleLayers(Protocol):
    """The cycles of every layer of a race."""

    def stages(self, count: int) -> Iterator[list[Cycles]]:
        """Yield the cycles of each layer that has any, in ``count`` stages from the highest total down."""


class UnlikeLayers:
    """The cycles of every layer of a race whose players have rules of their own: each combination of states is one.

    Attributes:
        shape: by seat, the number of states.
        layers: by layer, the numbers of its cycles: the states of the seats, seat 0 first, as digits.
    """

    def __init__(self, scores: Sequence[Ints]) -> None:
        """Sort the cycles by total.

        Args:
            scores: for each seat, (states,) the score of each state in units of the seat.
        """
        self.shape = tuple(map(len, scores))
        totals = np.zeros(1, dtype=np.int64)
        for scores_of_seat in scores:
            totals = np.add.outer(totals, scores_of_seat).ravel()
        self.layers = group_by_descending_keys(totals)

    def stages(self, count: int) -> Iterator[list[Cycles]]:
        """Yield the cycles of each layer, in ``count`` stages from the highest total down: (cycles, seats) each."""
        for stage in range(count):
            first = len(self.layers) * stage // count
            end = len(self.layers) * (stage + 1) // count
            yield [self._states_of(numbers) for numbers in self.layers[first:end]]

    def _states_of(self, numbers: Ints) -> Cycles:
        """Return the states of the seats of some cycles: (cycles, seats)."""
        states = np.stack(np.unravel_index(numbers, self.shape), axis=1)
        return np.ascontiguousarray(states, dtype=np.int32)


class Layers:
    """The cycles of every layer, each listed once, by its smallest rotation in lexicographic order.

    Each own state has a sort key that grows with its score, and a layer is all cycles with one sum of keys. With own
    states 0, 1 and 2, for example, (0, 1, 2) and (0, 2, 1) are listed, but not (1, 2, 0), a rotation of the first.

    A *row* is a combination of the opponents' states; with the sum of the keys it leaves one key for the mover.

    Attributes:
        seats: the number of players.
        max_total: the sum of keys of the highest layer.
        opponents: (seats - 1, rows), the state of each opponent, the next player first.
        opponent_totals: (rows,), the sum of the opponents' keys.
        lowest_opponent: (rows,), the lowest of their states.
        state_by_key: by key, its state; -1 if no state has this key.
    """

    def __init__(self, keys: Ints, seats: int) -> None:
        """List the rows, from which ``layer`` selects.

        Args:
            keys: (states,) ascending sort keys of the states of one player (``RaceModel.sort_keys``).
            seats: the number of players.
        """
        largest_key = int(keys[-1])
        self.seats = seats
        self.max_total = seats * largest_key
        self.state_by_key = np.full(largest_key + 1, -1)
        self.state_by_key[keys] = np.arange(len(keys))
        opponent_count = seats - 1
        opponents = np.indices((len(keys),) * opponent_count).reshape(opponent_count, -1)  # (opponents, rows)
        self.opponents = opponents.astype(np.int32)
        self.opponent_totals = keys[opponents].sum(axis=0)
        self.lowest_opponent = opponents.min(axis=0)

    def stages(self, count: int) -> Iterator[list[Cycles]]:
        """Split the layers, from the highest total down, into stages of about as many totals each.

        Args:
            count: the number of stages.

        Yields:
            By stage, the cycles of each layer that has any.
        """
        total_count = self.max_total + 1  # totals 0, 1, ..., max_total
        for stage in range(count):
            # How many totals are in the stages before this one, and before the next one.
            totals_before = total_count * stage // count
            totals_before_next = total_count * (stage + 1) // count
            layers = [self.layer(self.max_total - number) for number in range(totals_before, totals_before_next)]
            yield [cycles for cycles in layers if len(cycles)]

    def layer(self, total: int) -> Cycles:
        """List the cycles whose sort keys add up to a total, each by its smallest rotation in lexicographic order.

        Args:
            total: the sum of the sort keys of all players' states.

        Returns:
            (cycles, seats) the players' states.
        """
        mover_keys = total - self.opponent_totals  # by row
        is_in_range = (mover_keys >= 0) & (mover_keys < len(self.state_by_key))
        rows = np.flatnonzero(is_in_range)
        movers = self.state_by_key[mover_keys[rows]]  # the mover's state, or -1 if no state has the key
        # The smallest rotation begins with a smallest state.
        is_candidate = (movers >= 0) & (movers <= self.lowest_opponent[rows])
        rows = rows[is_candidate]
        movers = movers[is_candidate].astype(np.int32)
        cycles = np.column_stack([movers, self.opponents[:, rows].T])
        return np.ascontiguousarray(cycles[self._is_smallest_rotation(cycles)])

    def _is_smallest_rotation(self, cycles: Cycles) -> NDArray[np.bool_]:
        """Return by cycle whether none of its rotations comes before it in lexicographic order.

        Args:
            cycles: (cycles, seats) states; the first state of each cycle is a smallest one of it.
        """
        # Another rotation can only be smaller if it begins with the same state, so that state has to occur twice.
        occurs_again = (cycles[:, 1:] == cycles[:, :1]).any(axis=1)
        numbers_to_compare = np.flatnonzero(occurs_again)
        compared = cycles[numbers_to_compare]
        is_smallest = np.ones(len(cycles), dtype=bool)
        for shift in range(1, self.seats):
            differences = np.roll(compared, -shift, axis=1) - compared  # of the rotation from the cycle, by seat
            # The first difference decides; if there is none, argmax is 0, where the difference is 0.
            first_different_seat = (differences != 0).argmax(axis=1)
            deciding_difference = differences[np.arange(len(compared)), first_different_seat]
            is_smallest[numbers_to_compare] &= deciding_difference >= 0
        return is_smallest
