"""States of a card between turns, and the options for entering dice in each of them.

A state is a set of used categories, a number of saved rolls and, if it matters, whether the Yahtzee box holds points.
States are numbered by saved rolls first: index = base index + saved rolls * number of base states, where a base state
is a set and a flag.

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
from ...games.cards import Card
from ...turns.keep_turn import EntryOptions, Ints, Longs

SAMPLED_SETS = 32  # sets of boxes whose options are counted to estimate the mean


class _StateOptions(NamedTuple):
    """Options of base states, one entry per option: the state, its successor, and as in ``EntryOptions`` the rest."""

    state: Longs
    successor: Longs
    column: Ints
    first: Ints
    last: Ints

    def sorted_by_state(self) -> _StateOptions:
        """Return the options by state; those of one state stay in order of preference."""
        order = np.argsort(self.state, kind="stable")
        state, successor, column, first, last = self
        return _StateOptions(state[order], successor[order], column[order], first[order], last[order])


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
        sets = sets[popcount(sets ^ used) % card.boxes == 0]
        self._base_sets, self._base_flags = _add_flags(card, sets, used, flag)
        self._keys = self._base_sets + self._base_flags * (card.full + 1)  # rising

    def __len__(self) -> int:
        return len(self._keys) * (self.card.saved + 1)

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
        return np.repeat(np.arange(self.card.saved + 1), len(self._keys))

    @cached_property
    def used_counts(self) -> Longs:
        """The number of used categories of each state."""
        return popcount(self.sets)

    def state_index(self, used: int, flag: int, saved: int = 0) -> int:
        """Return the index of a state."""
        return int(self.state_indices(np.array(used), np.array(flag), saved))

    def state_indices(self, used: Longs, flags: Longs, saved: Longs | int = 0) -> Longs:
        """Return the indices of states."""
        indices: Longs = np.searchsorted(self._keys, used + flags * (self.card.full + 1)) + saved * len(self._keys)
        return indices

    def successor_rows(self, used: Longs, flags: Longs) -> Longs:
        """Return the rows by which options name these states, without saved rolls."""
        return self.state_indices(used, flags)

    def option_sets(self, states: Longs, throw: int) -> Longs:
        """Return the option sets of dice entered after roll number ``throw`` of turns that begin in ``states``."""
        saved_after = np.minimum(self.card.throws + self.saved_rolls[states] - throw, self.card.saved)
        served_offset = len(self) if self.card.served and throw == 1 else 0
        option_sets: Longs = states + (saved_after - self.saved_rolls[states]) * len(self._keys) + served_offset
        return option_sets

    def early_option_sets(self, states: Longs, throws: int) -> Longs | None:
        """Return the option sets of all rolls before the last of ``throws``: (rolls - 1, states).

        None if dice score alike after every roll.
        """
        if not self.card.by_throw:
            return None
        option_sets = [self.option_sets(states, throw) for throw in range(1, throws)]
        return np.array(option_sets, dtype=np.int64).reshape(throws - 1, len(states))

    # --- options

    @cached_property
    def entry_options(self) -> EntryOptions:
        """The options of all option sets; the row of an option is the state that it leads to."""
        counts, parts = list[Longs](), list[_StateOptions]()
        for served in range(1 + self.card.served):
            find_options = self._forced_zero_options if self.card.forced_zeros else self._options
            options = find_options(bool(served)).sorted_by_state()
            count = np.bincount(options.state, minlength=len(self._keys))
            for saved in range(self.card.saved + 1):
                counts.append(count)
                parts.append(options._replace(successor=options.successor + saved * len(self._keys)))
        start = np.cumsum(np.concatenate(([0], *counts)))
        row, column, first, last = (
            np.concatenate(arrays) for arrays in zip(*(part[1:] for part in parts), strict=True)
        )
        return EntryOptions(start, column, row, first, last)

    def _options(self, served: bool) -> _StateOptions:
        """Return the options of base states, entry by entry."""
        states, successors = list[Longs](), list[Longs]()
        sets, flags = self._base_sets, self._base_flags
        entries = [entry for entry in self.card.entries() if entry.served == served]
        for entry in entries:
            allowed = (sets & entry.open == 0) & (sets & entry.used == entry.used)
            if entry.flag is not None:
                allowed &= flags == entry.flag
            state = np.flatnonzero(allowed)
            states.append(state)
            successors.append(self.successor_rows(sets[state] | entry.fills, np.maximum(flags[state], entry.sets)))
        fields = np.array([(entry.column, entry.first, entry.last) for entry in entries], dtype=np.int32)
        column, first, last = np.repeat(fields.T, [len(state) for state in states], axis=1)
        return _StateOptions(np.concatenate(states), np.concatenate(successors), column, first, last)

    def _forced_zero_options(self, served: bool) -> _StateOptions:
        """Return the options of base states, set by set.

        With forced zeros, the rolls that may be entered for no points depend on all open categories.
        """
        parts = []
        for state, used in enumerate(self._base_sets.tolist()):
            if not (entries := self.card.opened(used, served)):
                continue
            entry, first, last = self.card.runs(entries)
            fills, column = np.array([(entry.fills, entry.column) for entry in entries]).T[:, entry]
            parts.append(np.stack((np.full_like(column, state), used | fills, column, first, last)))
        state, used_after, *fields = np.concatenate(parts, axis=1)
        column, first, last = np.array(fields).astype(np.int32)
        return _StateOptions(state, self.successor_rows(used_after, self._base_flags[state]), column, first, last)

    @cached_property
    def mean_option_count(self) -> float:
        """An estimate of the mean number of options of a state.

        There is one option for each open box; with forced zeros, one for each run of rolls.
        """
        if not self.card.forced_zeros:
            return len(self.card.categories) / 2
        sample = self._base_sets[:: 1 + len(self._base_sets) // SAMPLED_SETS].tolist()
        mean = sum(self.card.runs(self.card.opened(used, False)).shape[1] for used in sample) / len(sample)
        return float(mean * (1 + self.card.served))

    # --- layers and blocks

    def layers(self) -> Iterator[Longs]:
        """Yield the states that still have a turn to play, by number of used categories from the most to the fewest."""
        for size in sorted({*self.used_counts.tolist()}, reverse=True)[1:]:
            yield np.flatnonzero(self.used_counts == size)

    @cached_property
    def block_starts(self) -> dict[int, list[int]]:
        """By used upper categories, the first lanes of blocks that cover all representative upper totals."""
        starts_by_set = dict[int, list[int]]()
        for used, representatives in zip(*self._representatives, strict=True):
            starts = starts_by_set[int(used)] = list[int]()
            for total in sorted({*representatives[self.card.uppers[int(used)]].tolist()}):
                if not starts or total >= starts[-1] + LANES:
                    starts.append(total)
        return starts_by_set

    def blocks(self, states: Longs) -> tuple[Longs, Longs]:
        """Return blocks of lanes that cover the representative upper totals of states: (state, first total) of each.

        Upper totals are those of the first column if a card has several.
        """
        starts = [self.block_starts[used] for used in (self.sets[states] & self.card.columns[0]).tolist()]
        first_totals = np.array([total for totals in starts for total in totals])
        return np.repeat(states, [len(totals) for totals in starts]), first_totals

    def copy_equal_futures(self, worth: NDArray[Any], states: Longs) -> None:
        """Copy the values (states, width) of representative upper totals to the totals that they stand for."""
        if self.card.upper_mask:
            sets, representatives = self._representatives
            totals = representatives[np.searchsorted(sets, self.sets[states] & self.card.columns[0])]
            worth[states] = np.take_along_axis(worth[states], totals, axis=1)

    @cached_property
    def _representatives(self) -> tuple[Longs, Longs]:
        """Sets of used upper categories, rising, and for each the representatives of all lanes: (sets, lanes).

        Upper totals have equal futures if the same bonus is certain for them, whatever is rolled. The largest of them
        represents them: only its values are computed.
        """
        card, sets = self.card, np.array(sorted({*(self._base_sets & self.card.columns[0]).tolist()}))
        total = np.minimum(np.arange(card.base + LANES), card.bonus_at)
        is_certain = np.array([card.sure(used, total) for used in sets.tolist()])
        representatives = np.tile(total, (len(sets), 1))
        for bonus in {*card.bonuses.tolist()}:
            is_equal = is_certain & (card.bonuses[total] == bonus)
            largest = np.where(is_equal, total, 0).max(axis=1, keepdims=True)
            representatives = np.where(is_equal, largest, representatives)
        return sets, representatives


def _add_flags(card: Card, sets: Longs, used: int, flag: int) -> tuple[Longs, Longs]:
    """Return the sets and flags of all base states: sets with the Yahtzee box have both flags, if flags matter."""
    if card.flags != 2:
        return sets, np.zeros_like(sets)
    yahtzee_box = card.mask([card.again])
    if used & yahtzee_box:
        return sets, np.full_like(sets, flag)
    flagged = sets[sets & yahtzee_box != 0]
    return np.concatenate((sets, flagged)), np.concatenate((np.zeros_like(sets), np.ones_like(flagged)))


def turn_option_sets(card: Card, turns: Longs, count: int) -> tuple[Longs, Longs | None]:
    """Return the option sets of the last roll and of the earlier rolls, for turns numbered from 0 to ``count``.

    If dice score differently after the first roll, the option sets for it follow after those of all turns.

    Returns:
        (turns,) of the last roll and (rolls - 1, turns) of the earlier rolls; None if dice score alike.
    """
    if not card.served:
        return turns, None
    served = turns + count
    return served if card.throws == 1 else turns, np.array([served, *[turns] * card.throws])[: card.throws - 1]


def select_options(options: EntryOptions, option_sets: Longs) -> tuple[Longs, Longs]:
    """Return where the options of each selected option set begin, and the indices of all these options."""
    count = options.option_start[option_sets + 1] - options.option_start[option_sets]
    start = np.concatenate(([0], np.cumsum(count)))
    return start, np.repeat(options.option_start[option_sets] - start[:-1], count) + np.arange(start[-1])


def popcount(masks: Longs) -> Longs:
    """Return the number of bits set in each mask."""
    count = np.zeros_like(masks)
    for bit in range(int(masks.max(initial=0)).bit_length()):
        count += masks >> bit & 1
    return count
