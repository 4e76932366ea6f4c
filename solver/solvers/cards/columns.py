"""A card of several columns, each with its own upper bonus, filled by one player for the most expected points.

The upper total of the first column is the axis of the kernel. The upper totals of the other columns are part of a
state. The final roll decides them, so an option leads to a *place* and the roll moves on from there: it *hops*.
``ColumnStates.place`` maps places to states. Upper totals with equal futures are one state.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...core.keep import LANES
from ...games.cards import Card
from ...play.card import CardPosition
from ...turns.keep_turn import Longs
from ..cost_estimates import SolveCost
from ..problem import ArraySpec
from .cost_estimates import block_seconds
from .model import CardStates
from .points import OPTION_BYTES, CardPointsProblem


class ColumnTotals(NamedTuple):
    """Upper totals of one column by set of used categories, with those that have equal futures.

    Attributes:
        group: (sets,) the group of each set: sets in which the same categories of this column are used.
        representatives: by group, (hop_base,) the smallest upper total that can occur and has the same future as each
            upper total that a roll may lead to; -1 if there is none.
    """

    group: Longs
    representatives: list[Longs]

    def of_set(self, index: int) -> Longs:
        """Return the representatives of upper totals for one set."""
        return self.representatives[int(self.group[index])]


class ColumnStates(CardStates):
    """All states of a card, by the upper totals of the columns after the first.

    These totals are the digits of a number to the base ``Card.hop_base``. The number stands in place of the flag.

    Attributes:
        place: (places,) the state for each set of used categories and number; -1 if it cannot occur.
    """

    def __init__(self, card: Card, columns: Sequence[ColumnTotals]) -> None:
        super().__init__(card)
        self._sets, self._places_per_set = self._base_sets, card.hop_base ** len(columns)
        places = (len(self._sets) + 1) * self._places_per_set  # with room for hops from the last set
        self.place = np.full(places, -1, dtype=np.int64)
        numbers_by_set, first_state = list[Longs](), 0
        for index in range(len(self._sets)):
            state, numbers = _rank_totals([column.of_set(index) for column in columns], card.hop_base)
            first_place = index * self._places_per_set
            self.place[first_place : first_place + self._places_per_set] = np.where(state < 0, -1, state + first_state)
            numbers_by_set.append(numbers)
            first_state += len(numbers)
        self._base_sets = np.repeat(self._sets, [len(numbers) for numbers in numbers_by_set])
        self._base_flags = np.concatenate(numbers_by_set)
        self._keys = np.arange(first_state)

    def successor_rows(self, used: Longs, flags: Longs) -> Longs:
        """Return the places from which the options that lead to these states hop on."""
        places: Longs = np.searchsorted(self._sets, used) * self._places_per_set + flags
        return places

    def state_indices(self, used: Longs, flags: Longs, saved: Longs | int = 0) -> Longs:
        """Return the indices of states; these cards save no rolls."""
        return self.place[self.successor_rows(used, flags)]


def _rank_totals(representatives: Sequence[Longs], base: int) -> tuple[Longs, Longs]:
    """Rank the combinations of the representative upper totals of columns.

    Args:
        representatives: by column, as in ``ColumnTotals``.
        base: the base of the numbers whose digits are upper totals.

    Returns:
        By number of upper totals, the rank of its combination or -1; by rank, the number of the combination.
    """
    ranks, numbers = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for column, totals in enumerate(representatives):
        distinct, total = _distinct(totals), totals[:, None]
        rank = np.searchsorted(distinct, total)
        ranks = np.where((total < 0) | (ranks < 0), -1, rank * len(numbers) + ranks).ravel()
        numbers = (distinct[:, None] * base**column + numbers).ravel()
    return ranks, numbers


def _distinct(representatives: Longs) -> Longs:
    """Return the different representatives, rising."""
    return np.unique(representatives[representatives >= 0])


class ColumnCardPointsProblem(CardPointsProblem):
    """Expected points of one player on several columns.

    The array ``points`` (states, width) of the value table holds the expected points still to come, by upper total of
    the first column.
    """

    has_distribution = False

    @cached_property
    def states(self) -> ColumnStates:
        """The states between turns, as rows of the value table."""
        return ColumnStates(self.card, self._column_totals)

    @cached_property
    def set_states(self) -> CardStates:
        """The sets of used categories, without any upper totals."""
        return CardStates(self.card)

    @cached_property
    def _column_totals(self) -> list[ColumnTotals]:
        """The upper totals of each column after the first."""
        card, columns = self.card, list[ColumnTotals]()
        total = np.minimum(np.arange(card.hop_base), card.bonus_at)
        for column, mask in enumerate(card.columns[1:], 1):
            used_sets, group = np.unique(self.set_states.sets & mask, return_inverse=True)
            representatives = []
            for used in used_sets.tolist():
                occurring = card.uppers[used]
                index = np.searchsorted(card.bonuses[occurring], card.bonuses[total])
                smallest = occurring[index.clip(max=len(occurring) - 1)]
                same_future = np.where(card.sure(used, total, column), smallest, total)
                representatives.append(np.where(np.isin(total, occurring), same_future, -1))
            columns.append(ColumnTotals(group, representatives))
        return columns

    @cached_property
    def _states_per_set(self) -> Longs:
        """The number of states of each set of used categories."""
        count = np.ones(len(self.set_states.sets), dtype=np.int64)
        for column in self._column_totals:
            count *= np.array([len(_distinct(totals)) for totals in column.representatives])[column.group]
        return count

    @property
    def place(self) -> Longs:
        """The row of the value table for each place."""
        return self.states.place

    @property
    def bonuses(self) -> Longs:
        """The bonuses of all columns of full cards: (upper totals after the first column, upper total of the first)."""
        card, width = self.card, self.array_specs()["points"].shape[1]
        bonus = card.factors[0] * card.bonuses[np.minimum(np.arange(width), card.bonus_at)][None]
        numbers = self.states.flags[self.states.sets == card.full][:, None]
        for column, factor in enumerate(card.factors[1:]):
            bonus = bonus + factor * card.bonuses[numbers // card.hop_base**column % card.hop_base]
        return bonus

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate the cost from the numbers of states and of upper totals of the first column."""
        card, sets = self.card, self.set_states
        blocks = np.bincount(sets.blocks(np.arange(len(sets)))[0])
        place_bytes = 8.0 * len(sets) * card.hop_base ** len(self._column_totals)
        model_bytes = place_bytes + OPTION_BYTES * self._states_per_set.sum() * len(card.names)
        seconds = float((blocks * self._states_per_set).sum()) * block_seconds(card) / threads
        return SolveCost(2 * self.table_bytes + model_bytes, seconds)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the array ``points``: by state and upper total of the first column."""
        shape = int(self._states_per_set.sum()), self.card.base + LANES
        return {"points": ArraySpec(shape, 0, self._max_points)}

    def table_indices(self, positions: Sequence[CardPosition]) -> tuple[Longs, Longs]:
        """Return the rows and columns of the value table that hold the values of positions."""
        totals = np.array([self.card.by_column(position.own.upper) for position in positions])
        numbers = (totals[:, 1:] * self.card.hop_base ** np.arange(len(self._column_totals))).sum(axis=1)
        used = np.array([position.own.used for position in positions])
        return self.states.state_indices(used, numbers), totals[:, 0]
