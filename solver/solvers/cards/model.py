"""States of a card between turns, and the options for entering dice in each of them.

A state is a set of used categories, a number of saved rolls and, if it matters, whether the Yahtzee box holds points
(the *flag*). Sets of categories are masks: bit i stands for category i. States are numbered by saved rolls first:
index = base index + saved rolls * number of base states, where a *base state* is a set and a flag.

The options for entering dice form *option sets* (see ``EntryOptions``). Rolls that a turn does not take are saved. So
the option set of dice entered early is that of the state with the same boxes and more saved rolls. If the first roll of
a turn scores differently ("served"), option sets for it follow after those of all states.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.keep import LANES
from ...games.card_rules import Card
from ...turns.keep_turn import EntryOptions, Ints, Longs

SAMPLED_SETS = 32  # sets of boxes whose options are counted to estimate the mean


class _StateOptions(NamedTuple):
    """Options of base states: arrays with one entry per option.

    Attributes:
        state: the base state in which the option can be chosen.
        successor: the state that it leads to.
        column: the column of ``Card.scores`` that scores it.
        first, last: the full rolls that it is for are ``first`` .. ``last`` - 1.
    """

    state: Longs
    successor: Longs
    column: Ints
    first: Ints
    last: Ints

    def sorted_by_state(self) -> _StateOptions:
        """Return the options by state; those of one state stay in order of preference."""
        order = np.argsort(self.state, kind="stable")
        return _StateOptions(
            self.state[order], self.successor[order], self.column[order], self.first[order], self.last[order]
        )


class CardStates:
    """The states of a card that can follow from a set of used categories.

    Args:
        card: the rules of the card.
        used: the categories used at the start, as a mask.
        flag: whether the Yahtzee box holds its points, if it is among ``used``.

    Attributes:
        sets, flags, saved_rolls: by state, the used categories, the flag of the Yahtzee box and the saved rolls.
    """

    def __init__(self, card: Card, used: int = 0, flag: int = 0) -> None:
        self.card = card
        sets = card.sets(used)
        filled_since_start = popcount(sets ^ used)
        sets = sets[filled_since_start % card.boxes == 0]  # every turn fills as many boxes
        self._base_sets, self._base_flags = _add_flags(card, sets, used, flag)
        self._keys = self._state_keys(self._base_sets, self._base_flags)  # rising, so that states can be searched

    def _state_keys(self, sets: Longs, flags: Longs) -> Longs:
        """Return the number that identifies each base state: the mask of its set with the flag as the highest bit."""
        return sets + flags * (self.card.full + 1)

    @property
    def _base_count(self) -> int:
        """The number of base states."""
        return len(self._keys)

    def __len__(self) -> int:
        return self._base_count * (self.card.saved + 1)

    @cached_property
    def sets(self) -> Longs:
        """The used categories of each state, as masks."""
        return np.tile(self._base_sets, self.card.saved + 1)

    @cached_property
    def flags(self) -> Longs:
        """1 for each state in which the Yahtzee box holds its points, else 0."""
        return np.tile(self._base_flags, self.card.saved + 1)

    @cached_property
    def saved_rolls(self) -> Longs:
        """The number of saved rolls of each state."""
        return np.repeat(np.arange(self.card.saved + 1), self._base_count)

    @cached_property
    def used_counts(self) -> Longs:
        """The number of used categories of each state."""
        return popcount(self.sets)

    def state_index(self, used: int, flag: int, saved: int = 0) -> int:
        """Return the index of a state; the arguments are those of ``state_indices`` for one state."""
        return int(self.state_indices(np.array(used), np.array(flag), saved))

    def state_indices(self, used: Longs, flags: Longs, saved: Longs | int = 0) -> Longs:
        """Return the indices of states.

        Args:
            used: the used categories, as masks.
            flags: 1 if the Yahtzee box holds its points, else 0.
            saved: the numbers of saved rolls.
        """
        base_indices = np.searchsorted(self._keys, self._state_keys(used, flags))
        indices: Longs = base_indices + saved * self._base_count
        return indices

    def successor_rows(self, used: Longs, flags: Longs) -> Longs:
        """Return the rows of values by which options name states without saved rolls.

        Args:
            used, flags: the states, as in ``state_indices``.
        """
        return self.state_indices(used, flags)

    def option_sets(self, states: Longs, roll_number: int) -> Longs:
        """Return the option sets for entering dice after some roll of a turn.

        Args:
            states: the indices of the states in which the turns begin.
            roll_number: the number of the roll in its turn, from 1.
        """
        saved_before = self.saved_rolls[states]
        rolls_left = self.card.throws + saved_before - roll_number
        saved_after = np.minimum(rolls_left, self.card.saved)
        is_served = self.card.served and roll_number == 1
        served_offset = len(self) if is_served else 0
        option_sets: Longs = states + (saved_after - saved_before) * self._base_count + served_offset
        return option_sets

    def early_option_sets(self, states: Longs, throws: int) -> Longs | None:
        """Return the option sets for entering dice before the last roll of a turn.

        Args:
            states: the indices of the states in which the turns begin.
            throws: the number of rolls of these turns.

        Returns:
            (rolls - 1, states); None if dice score alike after every roll.
        """
        if not self.card.by_throw:
            return None
        option_sets = [self.option_sets(states, roll_number) for roll_number in range(1, throws)]
        return np.array(option_sets, dtype=np.int64).reshape(throws - 1, len(states))

    # --- options

    @cached_property
    def entry_options(self) -> EntryOptions:
        """The options of all option sets; the row of an option is the state that it leads to."""
        option_counts = list[Longs]()  # of the option sets, in their order
        parts = list[_StateOptions]()
        for served in range(1 + self.card.served):
            find_options = self._forced_zero_options if self.card.forced_zeros else self._options
            options = find_options(bool(served)).sorted_by_state()
            counts = np.bincount(options.state, minlength=self._base_count)
            # The same boxes are open with any number of saved rolls; only the successor saves as many.
            for saved in range(self.card.saved + 1):
                option_counts.append(counts)
                parts.append(options._replace(successor=options.successor + saved * self._base_count))
        return EntryOptions(
            option_start=np.cumsum(np.concatenate(([0], *option_counts))),
            column=np.concatenate([part.column for part in parts]),
            row=np.concatenate([part.successor for part in parts]),
            first_roll=np.concatenate([part.first for part in parts]),
            end_roll=np.concatenate([part.last for part in parts]),
        )

    def _options(self, served: bool) -> _StateOptions:
        """Return the options of base states, entry by entry.

        Args:
            served: whether they are for the first roll of a turn, if it scores differently.
        """
        sets = self._base_sets
        flags = self._base_flags
        entries = [entry for entry in self.card.entries() if entry.served == served]
        states = list[Longs]()  # by entry
        successors = list[Longs]()  # by entry
        for entry in entries:
            # An entry demands that some categories are open, that others are used and, perhaps, a flag.
            is_open = sets & entry.open == 0
            has_required = sets & entry.used == entry.used
            allowed = is_open & has_required
            if entry.flag is not None:
                allowed &= flags == entry.flag
            state = np.flatnonzero(allowed)
            used_after = sets[state] | entry.fills
            flags_after = np.maximum(flags[state], entry.sets)
            states.append(state)
            successors.append(self.successor_rows(used_after, flags_after))
        fields = np.array([(entry.column, entry.first, entry.last) for entry in entries], dtype=np.int32)
        state_counts = [len(state) for state in states]
        column, first, last = np.repeat(fields.T, state_counts, axis=1)  # one entry per option
        return _StateOptions(np.concatenate(states), np.concatenate(successors), column, first, last)

    def _forced_zero_options(self, served: bool) -> _StateOptions:
        """Return the options of base states, set by set.

        With forced zeros, the rolls that may be entered for no points depend on all open categories.

        Args:
            served: whether they are for the first roll of a turn, if it scores differently.
        """
        parts = []
        for state, used in enumerate(self._base_sets.tolist()):
            entries = self.card.opened(used, served)
            if not entries:
                continue
            entry, first, last = self.card.runs(entries)  # by run of full rolls
            fills = np.array([entry.fills for entry in entries])[entry]
            column = np.array([entry.column for entry in entries])[entry]
            parts.append(np.stack((np.full_like(column, state), used | fills, column, first, last)))
        state, used_after, *fields = np.concatenate(parts, axis=1)
        column, first, last = np.array(fields).astype(np.int32)
        return _StateOptions(state, self.successor_rows(used_after, self._base_flags[state]), column, first, last)

    @cached_property
    def mean_option_count(self) -> float:
        """An estimate of the mean number of options of a state."""
        if not self.card.forced_zeros:
            return len(self.card.categories) / 2  # one option for each open box, and half of the boxes are open
        # With forced zeros there is one option for each run of full rolls.
        step = 1 + len(self._base_sets) // SAMPLED_SETS
        sample = self._base_sets[::step].tolist()
        run_counts = [self.card.runs(self.card.opened(used, False)).shape[1] for used in sample]
        mean = sum(run_counts) / len(sample)
        return float(mean * (1 + self.card.served))

    # --- layers and blocks

    def layers(self) -> Iterator[Longs]:
        """Yield the states that still have a turn to play, by number of used categories from the most to the fewest."""
        used_counts = sorted({*self.used_counts.tolist()}, reverse=True)
        for used_count in used_counts[1:]:  # the first are full cards
            yield np.flatnonzero(self.used_counts == used_count)

    @cached_property
    def block_starts(self) -> dict[int, list[int]]:
        """By used upper categories, the first lanes of blocks that cover all representative upper totals."""
        starts_by_set = dict[int, list[int]]()
        for used, representatives in zip(*self._representatives, strict=True):
            possible_totals = self.card.uppers[int(used)]
            starts = list[int]()
            for total in sorted({*representatives[possible_totals].tolist()}):
                if not starts or total >= starts[-1] + LANES:
                    starts.append(total)
            starts_by_set[int(used)] = starts
        return starts_by_set

    def blocks(self, states: Longs) -> tuple[Longs, Longs]:
        """Return blocks of lanes that cover the representative upper totals of states.

        Upper totals are those of the first column if a card has several.

        Args:
            states: the indices of the states.

        Returns:
            (blocks,) the state of each block, and (blocks,) the upper total of its first lane.
        """
        upper_sets = self.sets[states] & self.card.columns[0]
        starts = [self.block_starts[used] for used in upper_sets.tolist()]
        first_totals = np.array([total for totals in starts for total in totals])
        return np.repeat(states, [len(totals) for totals in starts]), first_totals

    def copy_equal_futures(self, values: NDArray[Any], states: Longs) -> None:
        """Copy the values of representative upper totals to the totals that they stand for.

        Args:
            values: (all states, upper totals) the values, which are changed.
            states: the indices of the states whose values are copied.
        """
        if not self.card.upper_mask:
            return
        sets, representatives = self._representatives
        upper_sets = self.sets[states] & self.card.columns[0]
        totals = representatives[np.searchsorted(sets, upper_sets)]
        values[states] = np.take_along_axis(values[states], totals, axis=1)

    @cached_property
    def _representatives(self) -> tuple[Longs, Longs]:
        """The upper total that represents each upper total, because both have equal futures.

        Upper totals have equal futures if the same bonus is certain for them, whatever is rolled. The largest of them
        represents them: only its values are computed.

        (sets,) the sets of used upper categories, rising; and (sets, upper totals) the representative of each total.
        """
        card = self.card
        sets = np.array(sorted({*(self._base_sets & card.columns[0]).tolist()}))
        total = np.minimum(np.arange(card.base + LANES), card.bonus_at)
        is_certain = np.array([card.sure(used, total) for used in sets.tolist()])
        representatives = np.tile(total, (len(sets), 1))
        for bonus in {*card.bonuses.tolist()}:
            is_equal = is_certain & (card.bonuses[total] == bonus)
            largest = np.where(is_equal, total, 0).max(axis=1, keepdims=True)
            representatives = np.where(is_equal, largest, representatives)
        return sets, representatives


def _add_flags(card: Card, sets: Longs, used: int, flag: int) -> tuple[Longs, Longs]:
    """Combine sets of used categories with the flag of the Yahtzee box to base states.

    Args:
        card: the rules of the card.
        sets: the sets, as masks.
        used: the categories used at the start, which all sets contain.
        flag: the flag at the start, if the Yahtzee box is used there.

    Returns:
        The set and the flag of each base state. If flags matter, sets with the Yahtzee box occur with both.
    """
    has_flags = card.flags == 2
    if not has_flags:
        return sets, np.zeros_like(sets)
    yahtzee_box = card.mask([card.again])
    if used & yahtzee_box:
        return sets, np.full_like(sets, flag)
    flagged_sets = sets[sets & yahtzee_box != 0]
    flags = np.concatenate((np.zeros_like(sets), np.ones_like(flagged_sets)))
    return np.concatenate((sets, flagged_sets)), flags


def turn_option_sets(card: Card, turns: Longs, count: int) -> tuple[Longs, Longs | None]:
    """Return the option sets of every roll, for turns that are numbered from 0.

    The option set of a turn has the number of the turn. If dice score differently after the first roll, the option sets
    for it follow after those of all turns.

    Args:
        card: the rules of the card.
        turns: (turns,) the numbers of the turns.
        count: the number of turns that have an option set.

    Returns:
        (turns,) of the last roll and (rolls - 1, turns) of the earlier rolls; None for these if dice score alike.
    """
    if not card.served:
        return turns, None
    first_roll = turns + count
    later_rolls = [turns] * (card.throws - 1)
    *early_rolls, last_roll = [first_roll, *later_rolls]
    return last_roll, np.array(early_rolls, dtype=np.int64).reshape(card.throws - 1, len(turns))


def select_options(options: EntryOptions, option_sets: Longs) -> tuple[Longs, Longs]:
    """Select the options of some option sets, and number them anew, set by set.

    Args:
        options: the options of all option sets.
        option_sets: (selected sets,) the sets to select; a set may occur repeatedly.

    Returns:
        (selected sets + 1,) where the options of each selected set begin in the new numbering; and by new number, the
        index of the option in ``options``.
    """
    first = options.option_start[option_sets]
    count = options.option_start[option_sets + 1] - first
    start = np.concatenate(([0], np.cumsum(count)))
    # Within one set old and new numbers rise together, so they differ by a constant.
    offset = np.repeat(first - start[:-1], count)
    return start, offset + np.arange(start[-1])


def popcount(masks: Longs) -> Longs:
    """Return the number of bits set in each mask."""
    count = np.zeros_like(masks)
    for bit in range(int(masks.max(initial=0)).bit_length()):
        count += masks >> bit & 1
    return count
