"""States of a card between turns, and the options for entering dice in each of them.

A state is a set of used categories, a number of saved rolls and, if it matters, whether the Yahtzee box holds points
(the *flag*). Sets of categories are masks: bit i stands for category i. States are numbered by saved rolls first:
index = base index + saved rolls * number of base states, where a *base state* is a set and a flag.

The options for entering dice form *option sets* (see ``EntryOptions``). Rolls that a turn does not take are saved. So
the option set of dice entered early is that of the state with the same boxes and more saved rolls. If early rolls of a
turn score differently (the first roll is "served", or rolls cost points), option sets for each of them follow after
those of all states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
        first_roll, end_roll: it is for the full rolls from ``first_roll`` to ``end_roll`` - 1.
    """

    state: Longs
    successor: Longs
    column: Ints
    first_roll: Ints
    end_roll: Ints

    @classmethod
    def concatenate(cls, parts: Sequence[_StateOptions]) -> _StateOptions:
        """Return the options of all parts, one part after another."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def sorted_by_state(self) -> _StateOptions:
        """Return the options sorted by state; those of one state keep their order."""
        order = np.argsort(self.state, kind="stable")
        return _StateOptions(
            state=self.state[order],
            successor=self.successor[order],
            column=self.column[order],
            first_roll=self.first_roll[order],
            end_roll=self.end_roll[order],
        )


class CardStates:
    """The states of a card that can follow from a set of used categories.

    Args:
        card: the rules of the card.
        used: the categories used at the start, as a mask.
        flag: whether the Yahtzee box holds its points, if it is among ``used``.

    Attributes:
        card: the rules of the card.
        sets, flags, saved_rolls: by state, the used categories as a mask, 1 if the Yahtzee box holds its points (the
            *flag*), and the saved rolls.
        used_counts: by state, the number of used categories.
        _base_sets, _base_flags: by base state (see below), the used categories as a mask, and the flag.
        _base_count: the number of base states.
        _keys: by base state, a number that identifies it; these numbers rise.
        block_starts: by mask of used upper categories, the first upper total of each block. Together these blocks
            cover the upper totals that are solved.
        _representatives: (sets,) masks of used upper categories, and (sets, upper totals + LANES) the total that is
            solved for each total.

    A *base state* is a set and a flag. The states are all base states without saved rolls, then all of them with one
    saved roll, and so on.

    An *option set* belongs to a base state, in which a turn begins, and to a number of rolls that the turn saves. It
    has the number of the state with that base state and so many saved rolls.
    """

    def __init__(self, card: Card, used: int = 0, flag: int = 0) -> None:
        """List the base states: the sets of used categories that can follow, each with the flags that it can have.

        Args:
            card: the rules of the card.
            used: the categories used at the start, as a mask.
            flag: 1 if the Yahtzee box holds its points at the start, else 0; it matters only if that box is used.
        """
        self.card = card
        sets = card.used_sets(used)  # masks of all sets that contain the start's set, rising
        filled_since_start = popcount(sets ^ used)
        boxes_per_turn = card.boxes
        sets = sets[filled_since_start % boxes_per_turn == 0]  # only whole turns have been played
        self._base_sets, self._base_flags = _add_flags(card, sets, used, flag)

    @cached_property
    def _keys(self) -> Longs:
        """The keys of the base states, (base states,), which rise, so that a state is found by search.

        They rise because masks rise, and states whose flag is 1 follow those whose flag is 0.
        """
        return self._state_keys(self._base_sets, self._base_flags)

    def _state_keys(self, sets: Longs, flags: Longs) -> Longs:
        """Return the number that identifies each base state: the mask of its set with the flag as the highest bit.

        Args:
            sets: (base states,) the used categories, as masks.
            flags: (base states,) 1 if the Yahtzee box holds its points, else 0.
        """
        return sets + flags * (self.card.full_mask + 1)

    @property
    def _base_count(self) -> int:
        """The number of base states."""
        return len(self._base_sets)

    def __len__(self) -> int:
        return self._base_count * (self.card.saved_throws + 1)

    @cached_property
    def sets(self) -> Longs:
        """(states,) the used categories of each state, as masks."""
        return np.tile(self._base_sets, self.card.saved_throws + 1)

    @cached_property
    def flags(self) -> Longs:
        """(states,) 1 for each state in which the Yahtzee box holds its points, else 0."""
        return np.tile(self._base_flags, self.card.saved_throws + 1)

    @cached_property
    def saved_rolls(self) -> Longs:
        """(states,) the number of saved rolls of each state."""
        return np.repeat(np.arange(self.card.saved_throws + 1), self._base_count)

    @cached_property
    def used_counts(self) -> Longs:
        """(states,) the number of used categories of each state."""
        return popcount(self.sets)

    def state_index(self, used: int, flag: int, saved: int = 0) -> int:
        """Return the index of a state.

        Args:
            used: its used categories, as a mask.
            flag: 1 if the Yahtzee box holds its points, else 0.
            saved: its number of saved rolls.
        """
        return int(self.state_indices(np.array(used), np.array(flag), saved))

    def state_indices(self, used: Longs, flags: Longs, saved: Longs | int = 0) -> Longs:
        """Return the indices of states: (states,).

        Args:
            used: (states,) the used categories, as masks.
            flags: (states,) 1 if the Yahtzee box holds its points, else 0.
            saved: (states,) the numbers of saved rolls, or one number for all.
        """
        # States are numbered by saved rolls first: all base states (sets with flags) without one, with one, and so on.
        base_indices = np.searchsorted(self._keys, self._state_keys(used, flags))  # the keys of base states, rising
        indices: Longs = base_indices + saved * self._base_count
        return indices

    def option_rows(self, used: Longs, flags: Longs) -> Longs:
        """Return the ``row`` of options in ``EntryOptions``: here the index of the state that each leads to.

        Args:
            used: (options,) the used categories after the option, as masks.
            flags: (options,) 1 if the Yahtzee box then holds its points, else 0. No rolls are saved.
        """
        return self.state_indices(used, flags)

    def option_sets(self, states: Longs, roll_number: int) -> Longs:
        """Return the option sets for entering dice after some roll of a turn: (states,).

        An option set belongs to a base state and to the rolls that are saved once the turn has ended. It is numbered
        like the state of that base state with so many saved rolls. If early rolls score differently, the option sets
        for each of them follow after those.

        Args:
            states: (states,) the indices of the states in which the turns begin.
            roll_number: the number of the roll in its turn, from 1.
        """
        saved_before = self.saved_rolls[states]
        rolls_left = self.card.throws + saved_before - roll_number
        max_saved = self.card.saved_throws
        saved_after = np.minimum(rolls_left, max_saved)
        early_roll = roll_number if roll_number <= self.card.early_roll_count else 0
        base_states = states - saved_before * self._base_count
        option_sets: Longs = base_states + saved_after * self._base_count + early_roll * len(self)
        return option_sets

    def early_option_sets(self, states: Longs, roll_count: int) -> Longs | None:
        """Return the option sets for entering dice before the last roll of a turn.

        Args:
            states: (states,) the indices of the states in which the turns begin.
            roll_count: the number of rolls of these turns.

        Returns:
            (rolls - 1, states); None if dice score alike after every roll.
        """
        scores_differ_by_roll = self.card.depends_on_roll_number
        if not scores_differ_by_roll:
            return None
        option_sets = [self.option_sets(states, roll_number) for roll_number in range(1, roll_count)]
        # The shape is given for turns of one roll: they have no earlier rolls, and the list is empty.
        return np.array(option_sets, dtype=np.int64).reshape(roll_count - 1, len(states))

    # --- options

    @cached_property
    def entry_options(self) -> EntryOptions:
        """The options of all option sets, one set after another.

        There is an option set for each base state (used categories and flag), for each number of saved rolls, and
        again for each early roll that scores differently. The option ``row`` is the index of the state it leads to.
        """
        option_counts = list[Longs]()  # by part, (base states,) the number of options of each option set
        parts = list[_StateOptions]()
        for early_roll in range(1 + self.card.early_roll_count):  # 0: the last roll and all that score alike
            find_options = self._forced_zero_options if self.card.has_forced_zeros else self._options
            options = find_options(early_roll).sorted_by_state()
            counts = np.bincount(options.state, minlength=self._base_count)
            # With any number of saved rolls the same boxes are open, so the options are the same. They lead to states
            # that have this number of saved rolls, which lie ``saved`` runs of all base states further on.
            for saved in range(self.card.saved_throws + 1):
                option_counts.append(counts)
                parts.append(options._replace(successor=options.successor + saved * self._base_count))
        all_options = _StateOptions.concatenate(parts)
        return EntryOptions(
            option_start=np.cumsum(np.concatenate(([0], *option_counts))),
            column=all_options.column,
            row=all_options.successor,
            first_roll=all_options.first_roll,
            end_roll=all_options.end_roll,
        )

    def _options(self, early_roll: int) -> _StateOptions:
        """Return the options for entering dice in base states, entry by entry.

        An entry is one way to score some full rolls in a category. A base state is a set of used categories (a mask)
        with a flag: 1 if the Yahtzee box holds its points, else 0.

        Args:
            early_roll: the number of the roll that they are for, if it scores differently; else 0.
        """
        sets = self._base_sets  # (base states,)
        flags = self._base_flags  # (base states,)
        entries = [entry for entry in self.card.entries() if entry.early_roll == early_roll]
        states_by_entry = list[Longs]()  # the base states in which the entry is allowed
        successors_by_entry = list[Longs]()  # where it leads from each of them
        for entry in entries:
            # An entry demands that some categories are open, that others are used and, perhaps, a flag.
            is_open = sets & entry.open_mask == 0
            has_required = sets & entry.used_mask == entry.used_mask
            allowed = is_open & has_required
            if entry.flag is not None:
                allowed &= flags == entry.flag
            states = np.flatnonzero(allowed)
            used_after = sets[states] | entry.fills
            flags_after = np.maximum(flags[states], entry.sets_flag)  # 1 if the entry gives the Yahtzee box its points
            states_by_entry.append(states)
            successors_by_entry.append(self.option_rows(used_after, flags_after))
        # An entry is an option of each of these states, with the same column and full rolls.
        fields = np.array([(entry.column, entry.first_roll, entry.end_roll) for entry in entries], dtype=np.int32)
        state_counts = [len(states) for states in states_by_entry]
        column, first_roll, end_roll = np.repeat(fields.T, state_counts, axis=1)  # (3, entries) to (3, options)
        return _StateOptions(
            np.concatenate(states_by_entry), np.concatenate(successors_by_entry), column, first_roll, end_roll
        )

    def _forced_zero_options(self, early_roll: int) -> _StateOptions:
        """Return the options for entering dice in base states, state by state, for cards with forced zeros.

        With forced zeros, the rolls that may be entered for no points depend on all open categories. So an entry (a way
        to score a roll in a category) gives several options, one for each run of consecutive full rolls that it is for.

        Args:
            early_roll: the number of the roll that they are for, if it scores differently; else 0.
        """
        options_by_state = list[_StateOptions]()
        for state, used in enumerate(self._base_sets.tolist()):
            entries = self.card.open_entries(used, early_roll)
            if not entries:
                continue
            # By run: the index of its entry, its first full roll, and the roll after its last one.
            entry_index, first_roll, end_roll = self.card.allowed_runs(entries)
            used_after = used | np.array([entry.fills for entry in entries])[entry_index]  # (runs,) masks
            state_of_run = np.full(len(entry_index), state)
            flags_after = self._base_flags[state_of_run]  # unchanged: a card with forced zeros has no Yahtzee box
            options = _StateOptions(
                state=state_of_run,
                successor=self.option_rows(used_after, flags_after),
                column=np.array([entry.column for entry in entries], dtype=np.int32)[entry_index],
                first_roll=first_roll.astype(np.int32),
                end_roll=end_roll.astype(np.int32),
            )
            options_by_state.append(options)
        return _StateOptions.concatenate(options_by_state)

    @cached_property
    def mean_option_count(self) -> float:
        """An estimate of the mean number of options of a state, in all its option sets."""
        # A state has one option set more for each early roll that scores differently.
        option_sets_per_state = 1 + self.card.early_roll_count
        if not self.card.has_forced_zeros:
            mean = len(self.card.categories) / 2  # one option for each open box, and half of the boxes are open
            return mean * option_sets_per_state
        # With forced zeros, a box may be entered for 0 only after some full rolls. There is one option for each run of
        # such rolls. Runs are counted for a sample of the sets.
        step = 1 + len(self._base_sets) // SAMPLED_SETS
        sample = self._base_sets[::step].tolist()
        no_early_roll = 0  # the last roll, and all that score alike
        run_counts = []
        for used in sample:
            open_entries = self.card.open_entries(used, no_early_roll)
            runs = self.card.allowed_runs(open_entries)  # (3, runs)
            run_counts.append(runs.shape[1])
        return float(sum(run_counts) / len(sample) * option_sets_per_state)

    # --- layers and blocks

    def layers(self) -> Iterator[Longs]:
        """Yield layers: the indices of states with equally many used categories, from the most categories down.

        Full cards, which have no turn to play, are left out.
        """
        used_counts = sorted({*self.used_counts.tolist()}, reverse=True)
        for used_count in used_counts[1:]:  # the first are full cards
            yield np.flatnonzero(self.used_counts == used_count)

    @cached_property
    def block_starts(self) -> dict[int, list[int]]:
        """By mask of used upper categories, the first lanes of blocks that cover all upper totals that are solved.

        A lane is an upper total, and a block has ``LANES`` lanes. Upper totals have equal futures if the same bonus is
        certain for them. Only one of them, their representative, is solved.
        """
        starts_by_set = dict[int, list[int]]()
        sets, representatives = self._representatives
        for used, representative_of_total in zip(sets.tolist(), representatives, strict=True):
            possible_totals = self.card.upper_totals[used]
            starts = list[int]()
            for total in np.unique(representative_of_total[possible_totals]).tolist():  # the totals to solve, rising
                is_past_last_block = not starts or total >= starts[-1] + LANES
                if is_past_last_block:
                    starts.append(total)
            starts_by_set[used] = starts
        return starts_by_set

    def blocks(self, states: Longs) -> tuple[Longs, Longs]:
        """Return blocks of lanes that cover the upper totals to be solved in some states.

        A block is a run of consecutive lanes, and a lane is an upper total. A card of several columns has one upper
        total by column; its lanes are those of the first column.

        Args:
            states: the indices of the states.

        Returns:
            (blocks,) the state of each block, and (blocks,) the upper total of its first lane.
        """
        first_column_mask = self.card.columns[0]  # the upper categories of the first column
        upper_sets = self.sets[states] & first_column_mask
        starts_by_state = [self.block_starts[used] for used in upper_sets.tolist()]  # by state, its blocks' first lanes
        block_counts = [len(starts) for starts in starts_by_state]
        first_totals = np.array([total for starts in starts_by_state for total in starts])
        return np.repeat(states, block_counts), first_totals

    def copy_equal_futures(self, values: NDArray[Any], states: Longs) -> None:
        """Copy the values of representative upper totals to the totals that they stand for.

        Upper totals have equal futures if the same bonus is certain for them; only a representative of them is solved.
        On a card of several columns the axis is the upper total of the first column. Those of the others are part of
        the state.

        Args:
            values: (all states, upper totals) the values, which are changed.
            states: the indices of the states whose values are copied.
        """
        has_upper_bonus = bool(self.card.upper_mask)
        if not has_upper_bonus:
            return
        sets, representatives = self._representatives  # (sets,) masks, and (sets, upper totals)
        first_column_mask = self.card.columns[0]  # the upper categories of the first column
        upper_sets = self.sets[states] & first_column_mask
        representative_of_total = representatives[np.searchsorted(sets, upper_sets)]  # (states, upper totals)
        values[states] = np.take_along_axis(values[states], representative_of_total, axis=1)

    @cached_property
    def _representatives(self) -> tuple[Longs, Longs]:
        """The sets of used upper categories (sets,), rising, and representatives (sets, upper totals + LANES).

        Only the values of representatives are computed. ``_largest_representatives`` says why there are LANES more.
        """
        first_column_mask = self.card.columns[0]  # the upper categories of the first column
        sets = np.unique(self._base_sets & first_column_mask)
        representatives = [_largest_representatives(self.card, used) for used in sets.tolist()]
        return sets, np.array(representatives)


def _largest_representatives(card: Card, used: int) -> Longs:
    """Return the representative of each upper total of the first column.

    Of all totals for which the same bonus is certain, whatever is rolled, the largest is the representative. Every
    other total represents itself.

    Args:
        card: the rules of the card.
        used: the used upper categories of the first column, as a mask.

    Returns:
        (upper totals + LANES,), because a block of ``LANES`` totals may begin at the last one. Those beyond it count as
        the last one, from which on the bonus grows no more.
    """
    total = np.minimum(np.arange(card.upper_base + LANES), card.max_upper)
    bonus = card.bonuses[total]
    is_bonus_certain = card.is_bonus_certain(used, total)
    representatives = total.copy()
    for certain_bonus in set(bonus[is_bonus_certain].tolist()):
        have_equal_futures = is_bonus_certain & (bonus == certain_bonus)
        representatives[have_equal_futures] = total[have_equal_futures].max()
    return representatives


def _add_flags(card: Card, sets: Longs, used: int, flag: int) -> tuple[Longs, Longs]:
    """Combine sets of used categories with the flag of the Yahtzee box to base states.

    Args:
        card: the rules of the card.
        sets: the sets, as masks.
        used: the categories used at the start, which all sets contain.
        flag: the flag at the start, if the Yahtzee box is used there.

    Returns:
        (base states,) the set and (base states,) the flag of each base state. The flag is 1 if the Yahtzee box holds
        its points. If flags matter, sets with the Yahtzee box occur with both.
    """
    has_flags = card.flag_count == 2  # the number of values that the flag can have
    if not has_flags:
        return sets, np.zeros_like(sets)
    yahtzee_box = card.mask_of([card.again_category])  # ``again`` names the box for all dice alike
    if used & yahtzee_box:
        return sets, np.full_like(sets, flag)  # the box was used before the start, so its flag stays
    flagged_sets = sets[sets & yahtzee_box != 0]
    flags = np.concatenate((np.zeros_like(sets), np.ones_like(flagged_sets)))
    return np.concatenate((sets, flagged_sets)), flags


def turn_option_sets(card: Card, turns: Longs, count: int) -> tuple[Longs, Longs | None]:
    """Return the option sets of every roll, for turns that are numbered from 0.

    The option set of a turn has the number of the turn. If dice score differently after early rolls, there are as many
    option sets again for each of them, after those of all turns.

    Args:
        card: the rules of the card.
        turns: (turns,) the numbers of the turns.
        count: the number of all turns that have an option set, among them ``turns``.

    Returns:
        (turns,) the option sets of the last roll, and (rolls - 1, turns) those of the earlier rolls. The second is None
        if dice score alike after every roll.
    """
    if not card.early_roll_count:
        return turns, None
    # By roll of a turn, from the first on: its number if it is an early roll, 0 if it scores like the last one.
    early_rolls = [roll if roll <= card.early_roll_count else 0 for roll in range(1, card.throws + 1)]
    *earlier_sets, last_sets = [turns + early_roll * count for early_roll in early_rolls]
    return last_sets, np.array(earlier_sets, dtype=np.int64).reshape(card.throws - 1, len(turns))


def select_options(options: EntryOptions, option_sets: Longs) -> tuple[Longs, Longs]:
    """Select the options of some option sets, and number them anew, set by set.

    The options of set i have the old numbers from ``option_start[i]`` to ``option_start[i + 1]`` - 1.

    Args:
        options: the options of all option sets.
        option_sets: (selected sets,) the sets to select; a set may occur repeatedly.

    Returns:
        (selected sets + 1,) where the options of each selected set begin in the new numbering; and by new number, the
        index of the option in ``options``.
    """
    old_start = options.option_start[option_sets]
    count = options.option_start[option_sets + 1] - old_start
    new_start = np.concatenate(([0], np.cumsum(count)))
    # Within one set old and new numbers rise together, so they differ by a constant.
    old_minus_new = np.repeat(old_start - new_start[:-1], count)  # (selected options,)
    new_numbers = np.arange(new_start[-1])
    return new_start, old_minus_new + new_numbers


def popcount(masks: Longs) -> Longs:
    """Return the number of bits set in each mask."""
    count = np.zeros_like(masks)
    for bit in range(int(masks.max(initial=0)).bit_length()):
        count += masks >> bit & 1
    return count
