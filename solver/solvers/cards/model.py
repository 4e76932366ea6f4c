"""The states of a card between turns, and what a turn may do in each: which box a throw fills, and where that leads.

A state is a set of used categories, the throws saved and, where it matters, whether the Yahtzee box holds its points.

Entering dice is a problem of its own for the throws that are saved then: its number is that of the state with the same
set and so many saved throws. Those of dice entered after the first throw, where that matters, follow after all these.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.keep import LANES
from ...games.cards import Card
from ...turns.keep_turn import EntryOptions, Ints, Longs

SAMPLED = 32  # sets of boxes looked at to tell how many options there are


class CardStates:
    """All states of a card that follow from ``used`` (a mask), by number: ``sets``, ``flags``, ``saved`` (states,)."""

    def __init__(self, card: Card, used: int = 0, flag: int = 0) -> None:
        self.card = card
        sets = card.sets(used)
        sets = sets[popcount(sets ^ used) % card.boxes == 0]
        again = card.mask([card.again]) if card.again else 0
        flags = [np.zeros_like(sets)]
        if card.flags == 2:
            if used & again:
                flags = [np.full_like(sets, flag)]
            else:
                sets, flags = np.concatenate((sets, sets[sets & again != 0])), [np.zeros_like(sets)]
                flags.append(np.ones(len(sets) - len(flags[0]), dtype=sets.dtype))
        self._once = sets, np.concatenate(flags)
        self._keys = sets + self._once[1] * (card.full + 1)  # rising

    def __len__(self) -> int:
        return len(self._keys) * (self.card.saved + 1)

    @cached_property
    def sets(self) -> Longs:
        """The used categories of each state."""
        return np.tile(self._once[0], self.card.saved + 1)

    @cached_property
    def flags(self) -> Longs:
        """Whether the Yahtzee box holds its points in each state."""
        return np.tile(self._once[1], self.card.saved + 1)

    @cached_property
    def saved(self) -> Longs:
        """The throws saved in each state."""
        return np.repeat(np.arange(self.card.saved + 1), len(self._keys))

    @cached_property
    def sizes(self) -> Longs:
        """How many categories are used in each state."""
        return popcount(self.sets)

    def number(self, used: int, flag: int, saved: int = 0) -> int:
        """Return the number of a state."""
        return int(self.numbers(np.array(used), np.array(flag), saved))

    def numbers(self, used: Longs, flags: Longs, saved: Longs | int = 0) -> Longs:
        """Return the numbers of states."""
        found: Longs = np.searchsorted(self._keys, used + flags * (self.card.full + 1)) + saved * len(self._keys)
        return found

    def leads(self, used: Longs, flags: Longs) -> Longs:
        """What options tell that lead to these states, with no throws saved."""
        return self.numbers(used, flags)

    def ends(self, states: Longs, throw: int) -> Longs:
        """The problems of entering dice after so many throws of turns that begin in these states."""
        left = np.minimum(self.card.throws + self.saved[states] - throw, self.card.saved)
        served = len(self) if self.card.served and throw == 1 else 0
        problems: Longs = states + (left - self.saved[states]) * len(self._keys) + served
        return problems

    def early(self, states: Longs, throws: int) -> Longs | None:
        """Those of the throws before the last of ``throws``, as ``KeepTurn.solve`` takes them."""
        if not self.card.by_throw:
            return None
        problems = [self.ends(states, throw) for throw in range(1, throws)]
        return np.array(problems, dtype=np.int64).reshape(throws - 1, len(states))

    @cached_property
    def problems(self) -> EntryOptions:
        """What may be entered in each state; an option's row is the state that it leads to."""
        count, row = list[Longs](), list[Longs]()
        column, first, last = list[Ints](), list[Ints](), list[Ints]()
        for served in range(1 + self.card.served):
            state, after, told = (self._forced_zeros if self.card.forced_zeros else self._options)(bool(served))
            order = np.argsort(state, kind="stable")
            for saved in range(self.card.saved + 1):  # the same options, and where they lead so many throws are saved
                count.append(np.bincount(state, minlength=len(self._keys)))
                row.append(after[order] + saved * len(self._keys))
                for kept, values in zip((column, first, last), told, strict=True):
                    kept.append(values[order])
        start = np.cumsum(np.concatenate(([0], *count)))
        narrow = [np.concatenate(kept) for kept in (column, first, last)]
        return EntryOptions(start, narrow[0], np.concatenate(row), narrow[1], narrow[2])

    def _options(self, served: bool) -> tuple[Longs, Longs, Ints]:
        """States, the states that their options lead to, and of these column, first and last throw; by preference, no
        throws saved.
        """
        states, after = list[Longs](), list[Longs]()
        sets, flags = self._once
        entries = [entry for entry in self.card.entries() if entry.served == served]
        for entry in entries:
            fits = (sets & entry.open == 0) & (sets & entry.used == entry.used)
            if entry.flag is not None:
                fits &= flags == entry.flag
            here = np.flatnonzero(fits)
            states.append(here)
            after.append(self.leads(sets[here] | entry.fills, np.maximum(flags[here], entry.sets)))
        told = np.array([(entry.column, entry.first, entry.last) for entry in entries], dtype=np.int32)
        each = np.repeat(told.T, [len(here) for here in states], axis=1)
        return np.concatenate(states), np.concatenate(after), each

    def _forced_zeros(self, served: bool) -> tuple[Longs, Longs, Ints]:
        """The same set by set: which throws may be entered for nothing is each set's own."""
        parts = []
        for state, used in enumerate(self._once[0].tolist()):
            if not (open_ := self.card.opened(used, served)):
                continue
            place, first, last = self.card.runs(open_)
            fills, column = np.array([(entry.fills, entry.column) for entry in open_]).T[:, place]
            parts.append(np.stack((np.full_like(column, state), used | fills, column, first, last)))
        found = np.concatenate(parts, axis=1)
        return found[0], self.leads(found[1], self._once[1][found[0]]), found[2:].astype(np.int32)

    @cached_property
    def options_each(self) -> float:
        """Roughly how many options a state has: one for each open box; with forced zeros, for each run of throws."""
        if not self.card.forced_zeros:
            return len(self.card.categories) / 2
        some = self._once[0][:: 1 + len(self._once[0]) // SAMPLED].tolist()
        each = sum(self.card.runs(self.card.opened(used, False)).shape[1] for used in some) / len(some)
        return float(each * (1 + self.card.served))

    def layers(self) -> Iterator[Longs]:
        """The states that still have a turn to play, those with the fewest turns left first."""
        for size in sorted({*self.sizes.tolist()}, reverse=True)[1:]:
            yield np.flatnonzero(self.sizes == size)

    @cached_property
    def _alike(self) -> tuple[Longs, Longs]:
        """Sets of upper categories (of the first column where there are several), rising; and by these and the place on
        the axis, the greatest place from which the same follows: the bonus is sure, and it is the same.
        """
        card, sets = self.card, np.array(sorted({*(self._once[0] & self.card.columns[0]).tolist()}))
        total = np.minimum(np.arange(card.base + LANES), card.bonus_at)
        sure = np.array([card.sure(used, total) for used in sets.tolist()])
        alike = np.tile(total, (len(sets), 1))
        for bonus in {*card.bonuses.tolist()}:
            here = sure & (card.bonuses[total] == bonus)
            alike = np.where(here, np.where(here, total, 0).max(axis=1, keepdims=True), alike)
        return sets, alike

    @cached_property
    def lanes(self) -> dict[int, list[int]]:
        """By upper categories used, where blocks of lanes begin that cover every upper total that is told apart."""
        found = dict[int, list[int]]()
        for used, alike in zip(*self._alike, strict=True):
            lanes = found[int(used)] = list[int]()
            for total in sorted({*alike[self.card.uppers[int(used)]].tolist()}):
                if not lanes or total >= lanes[-1] + LANES:
                    lanes.append(total)
        return found

    def blocks(self, states: Longs) -> tuple[Longs, Longs]:
        """Blocks of lanes that cover every upper total that can occur in these states and is told apart, that of the
        first column where there are several: (state, first total).
        """
        lanes = [self.lanes[used] for used in (self.sets[states] & self.card.columns[0]).tolist()]
        return np.repeat(states, [len(lane) for lane in lanes]), np.array([lane for some in lanes for lane in some])

    def spread(self, worth: NDArray[Any], states: Longs) -> None:
        """Write what states are worth (states, width) where the same follows as from another upper total."""
        if self.card.upper_mask:
            sets, alike = self._alike
            here = alike[np.searchsorted(sets, self.sets[states] & self.card.columns[0])]
            worth[states] = np.take_along_axis(worth[states], here, axis=1)


def picked(problems: EntryOptions, some: Longs) -> tuple[Longs, Longs]:
    """Some of the problems: where the options of each begin, and all their options."""
    count = problems.start[some + 1] - problems.start[some]
    start = np.concatenate(([0], np.cumsum(count)))
    return start, np.repeat(problems.start[some] - start[:-1], count) + np.arange(start[-1])


def popcount(masks: Longs) -> Longs:
    """Number of bits set."""
    count = np.zeros_like(masks)
    for bit in range(int(masks.max(initial=0)).bit_length()):
        count += masks >> bit & 1
    return count
