"""The states of a card between turns, and what a turn may do in each: which box a throw fills, and where that leads.

A state is a set of used categories and, where it matters, whether the Yahtzee box holds its points.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core.keep import LANES
from ...games.cards import Card
from ...turns.keep import Problems

Longs = NDArray[np.int64]


class CardStates:
    """All states of a card that follow from ``used`` (a mask), numbered: ``sets`` (states,) and ``flags`` (states,)."""

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
        self.sets: Longs = sets
        self.flags: Longs = np.concatenate(flags)
        self._keys = self.sets + self.flags * (card.full + 1)  # rising
        self.sizes = popcount(self.sets)

    def number(self, used: int, flag: int) -> int:
        """Return the number of a state."""
        return int(self.numbers(np.array(used), np.array(flag)))

    def numbers(self, used: Longs, flags: Longs) -> Longs:
        """Return the numbers of states."""
        return np.searchsorted(self._keys, used + flags * (self.card.full + 1))

    @cached_property
    def problems(self) -> Problems:
        """What may be entered in each state; an option's row is the state that it leads to."""
        parts = []
        for order, entry in enumerate(self.card.entries()):
            fits = (self.sets & entry.open == 0) & (self.sets & entry.used == entry.used)
            if entry.flag is not None:
                fits &= self.flags == entry.flag
            here = np.flatnonzero(fits)
            after = self.numbers(self.sets[here] | entry.fills, np.maximum(self.flags[here], entry.sets))
            shape = np.ones_like(here)
            fixed = (order, entry.column, entry.first, entry.last)
            parts.append(np.stack((here, after, *(shape * value for value in fixed))))
        state, row, _, column, first, last = (options := np.concatenate(parts, axis=1))[
            :, np.lexsort((options[2], options[0]))
        ]
        start = np.searchsorted(state, np.arange(len(self.sets) + 1))
        narrow = (column.astype(np.int32), first.astype(np.int32), last.astype(np.int32))
        return Problems(start, narrow[0], np.ascontiguousarray(row), narrow[1], narrow[2])

    def layers(self) -> Iterator[Longs]:
        """The states that still have a turn to play, those with the fewest turns left first."""
        for size in sorted({*self.sizes.tolist()}, reverse=True)[1:]:
            yield np.flatnonzero(self.sizes == size)

    def blocks(self, states: Longs) -> tuple[Longs, Longs]:
        """Blocks of lanes that cover every upper total that can occur in these states: (state, first total)."""
        uppers = {
            used: np.flatnonzero(np.bincount(totals // LANES)) * LANES for used, totals in self.card.uppers.items()
        }
        lanes = [uppers[used] for used in (self.sets[states] & self.card.upper_mask).tolist()]
        return np.repeat(states, [len(lane) for lane in lanes]), np.concatenate(lanes)


def popcount(masks: Longs) -> Longs:
    """Number of bits set."""
    count = np.zeros_like(masks)
    for bit in range(int(masks.max(initial=0)).bit_length()):
        count += masks >> bit & 1
    return count
