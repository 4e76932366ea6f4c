"""A card of several columns, each with its own upper bonus, filled by one player for the most expected points.

The upper total of the first column is the axis of the kernel. The upper totals of the other columns are part of a
state. They are the digits of one *number* to the base ``Card.column_gain_base``. The second column has the lowest
digit.

The final roll decides these totals. So an option leads to a *place*, a set of used categories with a number, and the
roll moves on from there: it *hops*. ``ColumnStates.row_of_place`` maps places to states. Upper totals with equal
futures are one state.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...core.keep import LANES
from ...games.card_rules import Card
from ...play.card import CardPosition
from ...turns.keep_turn import Longs
from ..problem import ArraySpec
from ..solve_costs import SolveCost
from .cost_estimates import block_seconds
from .model import CardStates
from .points import OPTION_BYTES, TABLE_COPIES, CardPointsProblem

PLACE_BYTES = 8.0  # of the state that belongs to one place


class ColumnTotals(NamedTuple):
    """Upper totals of one column of a card, and which of them have equal futures, by set of used categories.

    Two upper totals have equal futures if the same bonus is certain for both. The smallest represents them.

    Attributes:
        column_set_index: (sets,) for each set of used categories, an index of those categories that are in this column.
        representatives: by that index, (upper totals that a roll may lead to,) the total that represents each of them;
            -1 for totals that cannot occur.
    """

    column_set_index: Longs
    representatives: list[Longs]

    def representatives_of_set(self, set_index: int) -> Longs:
        """Return the upper total that represents each upper total, for one set of used categories: (upper totals,).

        Args:
            set_index: the index of the set.
        """
        return self.representatives[int(self.column_set_index[set_index])]


class ColumnStates(CardStates):
    """All states of a card of several columns: a set of used categories, and the upper totals after the first column.

    These totals are the digits of one *number*, which is stored where other cards store a flag. Every set has one
    *place* for each number, and the places of a set follow those of the set before it. Totals with equal futures have
    one state, so fewer states than places exist. The final roll raises the number: it *hops* from a place to a later
    one.

    Args:
        card: the rules of the card.
        columns: the upper totals of each column after the first.

    Attributes:
        sets, flags: by state, the used categories as a mask, and the number.
        row_of_place: (places,) the index of the state at each place, which is also its row of values; -1 if the place
            has no state.
        _sets: (sets,) the sets of used categories, as masks, rising.
        _places_per_set: how many places each set has, one for each number.
    """

    def __init__(self, card: Card, columns: Sequence[ColumnTotals]) -> None:
        """List the states of each set of used categories: the numbers that represent others or themselves.

        Args:
            card: the rules of the card.
            columns: the upper totals of each column after the first.
        """
        super().__init__(card)
        self._sets = self._base_sets
        base = card.column_gain_base  # of the numbers
        self._places_per_set = base ** len(columns)
        # The state of each set and number, or -1. The last row belongs to no set and has no states: a hop from the last
        # set may lead beyond the places of that set.
        no_state = -1
        states = np.full((len(self._sets) + 1, self._places_per_set), no_state, dtype=np.int64)
        numbers_by_set = list[Longs]()
        state_count = 0
        for set_index in range(len(self._sets)):
            representatives = [column.representatives_of_set(set_index) for column in columns]
            # By number, the rank of the number that represents it, or -1 if it cannot occur; and the number of each
            # rank.
            ranks, numbers = _rank_totals(representatives, base)
            # The states of a set are numbered by rank, after those of the sets before it.
            states[set_index] = np.where(ranks < 0, no_state, state_count + ranks)
            numbers_by_set.append(numbers)
            state_count += len(numbers)
        self.row_of_place = states.ravel()
        # The base class has listed sets with flags. They are replaced by the states: sets with numbers.
        self._base_sets = np.repeat(self._sets, [len(numbers) for numbers in numbers_by_set])
        self._base_flags = np.concatenate(numbers_by_set)

    def option_rows(self, used: Longs, flags: Longs) -> Longs:
        """Return the ``row`` of options in ``EntryOptions``: here a place, from which the final roll hops on.

        Args:
            used: (options,) the used categories after the option, as masks.
            flags: (options,) the upper totals after the first column before the final roll, as the digits of a number.
        """
        return self._places(used, flags)

    def _places(self, used: Longs, flags: Longs) -> Longs:
        """Return the places of sets of used categories with numbers: (places,).

        Args:
            used: (places,) the used categories, as masks.
            flags: (places,) the numbers.
        """
        set_indices = np.searchsorted(self._sets, used)
        places: Longs = set_indices * self._places_per_set + flags
        return places

    def state_indices(self, used: Longs, flags: Longs, saved: Longs | int = 0) -> Longs:
        """Return the indices of states: (states,); -1 for states that cannot occur.

        Args:
            used: (states,) the used categories, as masks.
            flags: (states,) the upper totals after the first column, as the digits of a number.
            saved: not used; cards of several columns save no rolls.
        """
        return self.row_of_place[self._places(used, flags)]


def _rank_totals(representatives: Sequence[Longs], base: int) -> tuple[Longs, Longs]:
    """Find the combinations of upper totals, one of each column, that represent all others, and rank them.

    A combination is a number whose digits are the totals; the first column has the lowest digit. Take two columns and
    the base 3. In both of them the total 1 represents 2 too, so the representatives are [0, 1, 1]. Then the numbers
    [0, 1, 3, 4] represent all nine, and the ranks by number are [0, 1, 1, 2, 3, 3, 2, 3, 3].

    Args:
        representatives: by column, (base,) the representative of each upper total, or -1 for one that cannot occur.
        base: the base of the numbers.

    Returns:
        (base ** columns,) by number, the rank of the number that represents it, or -1 for one that cannot occur; and
        by rank, the numbers that represent others or themselves, rising.
    """
    number = np.arange(base ** len(representatives))
    representative = np.zeros_like(number)  # without a meaning where a total cannot occur
    can_occur = np.ones(len(number), dtype=bool)
    for column, totals in enumerate(representatives):
        place_value = base**column
        represented_digit = totals[number // place_value % base]
        representative += represented_digit * place_value
        can_occur &= represented_digit >= 0
    # What represents other numbers represents itself, too.
    numbers_by_rank = np.flatnonzero(can_occur & (representative == number))
    ranks = np.searchsorted(numbers_by_rank, representative)
    return np.where(can_occur, ranks, -1), numbers_by_rank


def _smallest_representatives(card: Card, used: int, column: int) -> Longs:
    """Return the representative of each upper total that a roll may lead to, -1 for those that cannot occur.

    The bonus of a total is certain if it is the same whatever is rolled later. Let it be certain for the total t, and
    let s be a smaller total with the same bonus. Whatever number x is scored later, it holds that

        bonus(s)  <=  bonus(s + x)  <=  bonus(t + x)  =  bonus(t)  =  bonus(s)

    because the bonus never falls. So the bonus of s is certain, too. The smallest such total s represents t. A total
    whose bonus is not certain represents itself.

    Args:
        card: the rules of the card.
        used: the categories of the column that are used after the roll, as a mask.
        column: the column.

    Returns:
        (``card.column_gain_base``,) by upper total. No total plus the gain of one roll reaches that number.
    """
    possible_totals = card.upper_totals[used]  # rising
    bonuses = card.bonuses[possible_totals]  # rising, so the first total with the same bonus is the smallest
    smallest = possible_totals[np.searchsorted(bonuses, bonuses)]  # by possible total, the smallest with its bonus
    is_bonus_certain = card.is_bonus_certain(used, possible_totals, column)
    representatives = np.full(card.max_upper + 1, -1)
    representatives[possible_totals] = np.where(is_bonus_certain, smallest, possible_totals)
    # The bonus grows no more beyond the largest total, so larger ones count as that.
    total_after_roll = np.minimum(np.arange(card.column_gain_base), card.max_upper)
    return representatives[total_after_roll]


def _distinct_representatives(representatives: Longs) -> Longs:
    """Return the different upper totals that represent others, rising, without the -1 of totals that cannot occur."""
    return np.unique(representatives[representatives >= 0])


class ColumnCardPointsProblem(CardPointsProblem):
    """Expected points of one player on several columns.

    Each column has an upper total and an upper bonus of its own. The points and the bonus of column i count
    ``card.factors[i]`` times. The array ``points`` (states, width) of the value table holds the expected points still
    to come, by upper total of the first column.

    Attributes:
        states: the states: a set of used categories with the upper totals after the first column. They are the rows of
            ``points``. ``states.flags`` holds a number for each state, whose digits in base ``card.column_gain_base``
            are these upper totals, the second column's as the lowest digit.
        set_states: the sets of used categories, without upper totals.
        _column_totals: by column after the first, its upper totals, with those that have equal futures.
        _states_per_set: (sets,) the number of states of each set.
    """

    has_distribution = False

    @cached_property
    def states(self) -> ColumnStates:
        """The states between turns, as rows of the value table."""
        return ColumnStates(self.card, self._column_totals)

    @cached_property
    def set_states(self) -> CardStates:
        """The states of a card of one column: the sets of used categories, without upper totals."""
        return CardStates(self.card)

    @cached_property
    def _column_totals(self) -> list[ColumnTotals]:
        """The upper totals of each column after the first, with those that have equal futures."""
        columns = list[ColumnTotals]()
        for column, mask in enumerate(self.card.columns[1:], 1):  # the categories of each column, as a mask
            # Sets with the same used categories in this column get the same index.
            used_sets, column_set_index = np.unique(self.set_states.sets & mask, return_inverse=True)
            representatives = [_smallest_representatives(self.card, used, column) for used in used_sets.tolist()]
            columns.append(ColumnTotals(column_set_index, representatives))
        return columns

    @cached_property
    def _states_per_set(self) -> Longs:
        """The number of states of each set of used categories (sets,).

        A state has one representative total of each column after the first, so the numbers of these are multiplied.
        """
        count = np.ones(len(self.set_states.sets), dtype=np.int64)
        for column in self._column_totals:
            representative_counts = np.array(
                [len(_distinct_representatives(totals)) for totals in column.representatives]
            )
            count *= representative_counts[column.column_set_index]
        return count

    @property
    def row_of_place(self) -> Longs:
        """The row of the value table for each place (a set of used categories with a number): (places,).

        -1 stands for a place that cannot occur.
        """
        return self.states.row_of_place

    @property
    def bonuses(self) -> Longs:
        """The sum of the bonuses of all columns, for full cards: (full cards, width).

        There is a full card for each combination of upper totals after the first column. The axis of width is the upper
        total of the first column.
        """
        card = self.card
        # The table has LANES entries more than upper totals, for a block of lanes that begins at the highest total. The
        # further entries count as ``max_upper``. No card has a higher total in any of its other columns.
        width = self.array_specs()["points"].shape[1]
        first_totals = np.minimum(np.arange(width), card.max_upper)[None]  # (1, width)
        bonus = card.factors[0] * card.bonuses[first_totals]
        is_full = self.states.sets == card.full_mask
        numbers = self.states.flags[is_full][:, None]  # (full cards, 1), with the upper totals as digits
        base = card.column_gain_base
        for column, factor in enumerate(card.factors[1:], 1):
            digit = numbers // base ** (column - 1) % base  # the second column, column 1, has the lowest digit
            bonus = bonus + factor * card.bonuses[digit]
        return bonus

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate the cost of solving all states.

        A state is a set of used categories with the upper totals after the first column. It is solved in one block of
        lanes for every ``LANES`` upper totals of the first column. The time is that of a block times their number.
        """
        card = self.card
        sets = self.set_states
        set_of_block, _ = sets.blocks(np.arange(len(sets)))  # of the first column
        blocks_per_set = np.bincount(set_of_block)
        block_count = float((blocks_per_set * self._states_per_set).sum())
        # A place is a set with a number, whose digits are the upper totals of the columns after the first.
        values_of_digit = card.column_gain_base
        later_columns = len(self._column_totals)
        places = len(sets) * values_of_digit**later_columns
        max_options = self._states_per_set.sum() * len(card.names)  # at most one option for each category
        model_bytes = PLACE_BYTES * places + OPTION_BYTES * max_options
        table_bytes = TABLE_COPIES * self.table_bytes
        return SolveCost(bytes=table_bytes + model_bytes, seconds=block_count * block_seconds(card) / threads)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the shape and the range of the array ``points``: (states, upper totals of the first column)."""
        width = self.card.upper_base + LANES  # the last block of lanes may begin at the highest total
        shape = (int(self._states_per_set.sum()), width)
        return {"points": ArraySpec(shape, 0, self._max_points)}

    def table_indices(self, positions: Sequence[CardPosition]) -> tuple[Longs, Longs]:
        """Return where the array ``points`` holds the values of positions: (positions,) rows and (positions,) columns.

        The row belongs to the used categories and the upper totals after the first column, which are the digits of a
        number. The column is the upper total of the first column.
        """
        totals = np.array([self.card.upper_by_column(position.own_card.upper) for position in positions])
        first_totals, further_totals = totals[:, 0], totals[:, 1:]  # of the first column, and (positions, columns - 1)
        place_values = self.card.column_gain_base ** np.arange(len(self._column_totals))  # of the digits
        numbers = (further_totals * place_values).sum(axis=1)
        used = np.array([position.own_card.used for position in positions])
        return self.states.state_indices(used, numbers), first_totals
