"""A card of several columns with a bonus for each, filled alone for the most expected points.

The upper total of the first column is the axis. Those of the others are part of a row, and entering a box of theirs
hops from row to row; totals from which the same bonus follows, whatever is thrown, are one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ...core.keep import LANES
from ...games.cards import Card
from ...play.card import CardPosition
from ...turns.keep_turn import Longs
from ..cost_estimates import SolveCost
from ..problem import ArraySpec
from .cost_estimates import block_seconds
from .model import CardStates
from .points import OPTION_BYTES, Points


class ColumnStates(CardStates):
    """All states of a card, by the upper totals of the columns after the first too: these, as a number of
    ``Card.hop_base`` digits, stand where other cards have their flag.

    ``place``: the state, by such a number for every set of used categories; -1 where it cannot occur.
    """

    def __init__(self, card: Card, told: Sequence[tuple[Longs, list[Longs]]]) -> None:
        super().__init__(card)
        self._sets, self._width = self._once[0], card.hop_base ** len(told)
        self.place = np.full((len(self._sets) + 1) * self._width, -1, dtype=np.int64)  # one set more to hop into
        others, first = list[Longs](), 0
        for number in range(len(self._sets)):
            here, digits = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
            for column, (of, alike) in enumerate(told):
                kept, total = _kept(alike[of[number]]), alike[of[number]][:, None]
                row = np.searchsorted(kept, total)
                here = np.where((total < 0) | (here < 0), -1, row * len(digits) + here).ravel()
                digits = (kept[:, None] * card.hop_base**column + digits).ravel()
            begin = number * self._width
            self.place[begin : begin + self._width] = np.where(here < 0, -1, here + first)
            others.append(digits)
            first += len(digits)
        self._once = np.repeat(self._sets, [len(digits) for digits in others]), np.concatenate(others)
        self._keys = np.arange(first)

    def leads(self, used: Longs, flags: Longs) -> Longs:
        """Places, from which options hop on."""
        found: Longs = np.searchsorted(self._sets, used) * self._width + flags
        return found

    def numbers(self, used: Longs, flags: Longs, saved: Longs | int = 0) -> Longs:
        """Return the numbers of states; no throws are saved."""
        return self.place[self.leads(used, flags)]


class Columns(Points):
    """Greatest expected points. Values: ``points`` (states, width), by upper total of the first column."""

    has_distribution = False

    @cached_property
    def states(self) -> ColumnStates:
        """The states between turns."""
        return ColumnStates(self.card, self._told)

    @cached_property
    def plain(self) -> CardStates:
        """The sets of used categories."""
        return CardStates(self.card)

    @cached_property
    def _told(self) -> list[tuple[Longs, list[Longs]]]:
        """For each column after the first: for all upper totals that a throw may make of what occurs, the least that
        occurs from which the same follows, -1 where none does; and which of these lists is that of each set.
        """
        card, found = self.card, list[tuple[Longs, list[Longs]]]()
        total = np.minimum(np.arange(card.hop_base), card.bonus_at)
        for place, mask in enumerate(card.columns[1:], 1):
            used, of = np.unique(self.plain.sets & mask, return_inverse=True)
            found.append((of, []))
            for one in used.tolist():
                occurring = card.uppers[one]
                place_of = np.searchsorted(card.bonuses[occurring], card.bonuses[total])
                least = occurring[place_of.clip(max=len(occurring) - 1)]
                alike = np.where(card.sure(one, total, place), least, total)
                found[-1][1].append(np.where(np.isin(total, occurring), alike, -1))
        return found

    @cached_property
    def _rows(self) -> Longs:
        """How many states each set of used categories makes."""
        rows = np.ones(len(self.plain.sets), dtype=np.int64)
        for of, alike in self._told:
            rows *= np.array([len(_kept(one)) for one in alike])[of]
        return rows

    @property
    def place(self) -> Longs:
        """The rows that places stand for."""
        return self.states.place

    @property
    def bonuses(self) -> Longs:
        """The bonuses of all columns, by those of the columns after the first, and by the upper total."""
        card, width = self.card, self.array_specs()["points"].shape[1]
        bonus = card.factors[0] * card.bonuses[np.minimum(np.arange(width), card.bonus_at)][None]
        others = self.states.flags[self.states.sets == card.full][:, None]
        for column, factor in enumerate(card.factors[1:]):
            bonus = bonus + factor * card.bonuses[others // card.hop_base**column % card.hop_base]
        return bonus

    def estimate_cost(self, threads: int) -> SolveCost:
        """What grows: the rows, and with each the upper totals of the first column."""
        card, plain = self.card, self.plain
        lanes = np.bincount(plain.blocks(np.arange(len(plain)))[0])
        held = 8.0 * len(plain) * card.hop_base ** len(self._told) + OPTION_BYTES * self._rows.sum() * len(card.names)
        return SolveCost(2 * self.table_bytes + held, float((lanes * self._rows).sum()) * block_seconds(card) / threads)

    def array_specs(self) -> dict[str, ArraySpec]:
        """The points."""
        shape = int(self._rows.sum()), self.card.base + LANES
        return {"points": ArraySpec(shape, 0, self.card.most(self.card.full))}

    def read(self, positions: Sequence[CardPosition]) -> tuple[Longs, Longs]:
        """Where the values of positions between turns stand."""
        totals = np.array([self.card.by_column(position.own.upper) for position in positions])
        others = (totals[:, 1:] * self.card.hop_base ** np.arange(len(self._told))).sum(axis=1)
        used = np.array([position.own.used for position in positions])
        return self.states.numbers(used, others), totals[:, 0]


def _kept(alike: Longs) -> Longs:
    """The upper totals that are told apart."""
    return np.unique(alike[alike >= 0])
