"""States of a card that two players fill in turn, by layers: the model of ``two_player.py``.

A state before a turn is (mover's used categories, opponent's used categories, mover's lead). Every turn fills boxes, so
the states after n turns are layer n. Only leads are solved that can occur and leave the game open. Larger leads are
certain, unless the player behind can still win at once by a first roll.

A layer's values are stored for the player who has just moved: ``rows[pair of sets, column]`` is the probability that
this player wins, by their own lead. A turn of a mover with lead d that scores s then reads column d + s of the next
layer. Lanes of leads stay contiguous, and every layer is stored once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.keep import LANES
from ...games.cards import Card
from ...turns.keep_turn import Doubles, EntryOptions, Ints, KeepTurn, Longs
from .model import popcount

CERTAIN_LOSS_SHIFT = -(1 << 24)  # a shift along the axis to where every row holds a certain loss


class PairState(NamedTuple):
    """A state before a turn: the mover's and the opponent's used categories as masks, and the mover's lead."""

    used: int
    opponent_used: int
    lead: int


START = PairState(0, 0, 0)


@dataclass(frozen=True)
class CardLayer:
    """The states after some number of turns. A *pair* is a set of the mover with a set of the opponent.

    Attributes:
        mover_sets: the sets of categories that the mover can have used.
        opponent_sets: the sets that the opponent, who has just moved, can have used.
        min_leads, max_leads: by pair, the mover's smallest and largest lead to solve; no lead if the smallest is
        larger.
    """

    mover_sets: Longs
    opponent_sets: Longs
    min_leads: Longs
    max_leads: Longs

    @cached_property
    def max_lead(self) -> int:
        """The largest lead, in size, that is stored; beyond it all is certain."""
        return max(0, int(self.max_leads.max()), int(-self.min_leads.min()))

    @cached_property
    def block_counts(self) -> Longs:
        """The number of blocks of leads to solve, by pair."""
        count: Longs = np.maximum((self.max_leads - self.min_leads) // LANES + 1, 0)
        return count

    @property
    def width(self) -> int:
        """The number of columns of a row: certain losses, the leads from -max_lead to max_lead, certain wins."""
        return -(-(2 * self.max_lead + 1) // LANES) * LANES + 2 * LANES

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the rows: (pairs, width)."""
        return len(self.mover_sets) * len(self.opponent_sets), self.width

    def lane_blocks(self) -> tuple[Longs, Longs]:
        """Return the blocks of leads to solve: the pair and the first lead of each."""
        count = self.block_counts
        pair = np.repeat(np.arange(len(count)), count)
        first_block = np.repeat(np.cumsum(count) - count, count)
        return pair, self.min_leads[pair] + LANES * (np.arange(len(pair)) - first_block)

    def column(self, lead: int) -> int:
        """Return the column that holds a lead."""
        return lead + self.max_lead + LANES

    def pair_indices(self, mover: Longs, opponent: Longs) -> Longs:
        """Return the rows of pairs of sets."""
        indices: Longs = np.searchsorted(self.mover_sets, mover) * len(self.opponent_sets)
        return indices + np.searchsorted(self.opponent_sets, opponent)


class TwoPlayerCardModel:
    """The layers of a card, and the turns that lead from one layer to the next."""

    def __init__(self, card: Card) -> None:
        self.card = card

    @property
    def turns(self) -> int:
        """The number of turns of both players together."""
        return 2 * len(self.card.categories) // self.card.boxes

    @cached_property
    def winning_rolls(self) -> NDArray[np.bool_]:
        """(columns, full rolls) whether entering a roll wins the game at once, which only a first roll can do."""
        wins = np.zeros(self.card.scores.shape, dtype=np.bool_)
        for index, category in enumerate(self.card.categories):
            if category.wins:
                column = len(self.card.categories) + index
                wins[column] = self.card.scores[column] > 0
        return wins

    @cached_property
    def turn(self) -> KeepTurn:
        """The compiled turn of either player; a roll that wins at once gains 1 and leads to a certain loss."""
        gain, shift = np.where(self.card.scores >= 0, 0.0, -np.inf), self.card.scores.astype(np.int32)
        wins = self.winning_rolls
        return KeepTurn(
            self.card.lattice, self.card.throws, np.where(wins, 1.0, gain), np.where(wins, CERTAIN_LOSS_SHIFT, shift)
        )

    @property
    def error_bound(self) -> float:
        """The error bound of all values: every turn adds its own rounding and that of one subtraction."""
        return self.turns * (self.turn.rounding_bound + 2.0**-53)

    def max_points(self, sets: Longs) -> Longs:
        """Return the most points that sets of categories can hold."""
        points = np.zeros_like(sets)
        for index in range(len(self.card.categories)):
            points += max(self.card.held(index, 0)) * (sets >> index & 1)
        return points

    def can_win_at_once(self, sets: Longs) -> NDArray[np.bool_]:
        """Return whether players who have used these sets can still win by a first roll, whatever the lead."""
        winning = self.card.mask([category.name for category in self.card.categories if category.wins])
        can_win: NDArray[np.bool_] = ~sets & winning != 0
        return can_win

    def layer(self, turns_played: int, start: PairState = START) -> CardLayer:
        """Return the states after ``turns_played`` turns of the game that can follow from a state."""
        boxes, full = self.card.boxes, self.card.full
        used, opponent_used, lead = start
        turns_at_start = (used.bit_count() + opponent_used.bit_count()) // boxes
        if (turns_played - turns_at_start) % 2:  # the other player is the mover of this layer
            used, opponent_used, lead = opponent_used, used, -lead
        sets = self.card.sets()
        sizes = popcount(sets)
        movers = sets[(sets & used == used) & (sizes == turns_played // 2 * boxes)]
        opponents = sets[(sets & opponent_used == opponent_used) & (sizes == (turns_played + 1) // 2 * boxes)]
        mover, opponent = (side.ravel() for side in np.meshgrid(movers, opponents, indexing="ij"))
        low = lead - self.max_points(opponent ^ opponent_used)
        high = lead + self.max_points(mover ^ used)
        low = np.where(self.can_win_at_once(mover), low, np.maximum(low, -self.max_points(full ^ mover)))
        high = np.where(self.can_win_at_once(opponent), high, np.minimum(high, self.max_points(full ^ opponent)))
        return CardLayer(movers, opponents, low, high)

    def layers(self, turns_played: int, start: PairState = START) -> list[CardLayer]:
        """Return the layers from ``turns_played`` turns to the end of the game."""
        return [self.layer(turns, start) for turns in range(turns_played, self.turns + 1)]

    def terminal_values(self, layer: CardLayer) -> Doubles:
        """Return the rows of the last layer: a lead wins, and a tie counts half."""
        rows = np.zeros((1, layer.width))
        rows[0, layer.column(0)] = 0.5
        rows[0, layer.column(0) + 1 :] = 1.0
        return rows

    def certain_values(self, layer: CardLayer) -> Doubles:
        """Return the rows of a layer with certain wins as 1: leads beyond all that the mover can still score."""
        leads = np.arange(layer.width) - layer.column(0)  # of the player who has just moved
        points_left = np.repeat(self.max_points(self.card.full ^ layer.mover_sets), len(layer.opponent_sets))
        can_win = np.repeat(self.can_win_at_once(layer.mover_sets), len(layer.opponent_sets))
        certain: Doubles = (~can_win[:, None] & (leads[None] > points_left[:, None])).astype(float)
        return certain

    def entry_options(self, layer: CardLayer, next_layer: CardLayer) -> EntryOptions:
        """Return the options of every pair of a layer; the row of an option is a pair of the next layer.

        If dice score differently after the first roll, the options for it follow after those of all pairs.
        """
        counts, fields, rows = list[int](), list[Ints](), list[Longs]()
        opponents = len(layer.opponent_sets)
        for served in range(1 + self.card.served):
            for used in layer.mover_sets.tolist():
                options = list(self.card.options(used, bool(served)))
                used_after = np.searchsorted(next_layer.opponent_sets, [used | entry.fills for entry, _, _ in options])
                # The opponent moves next, so their set comes first in the next layer's pairs.
                row = np.arange(opponents)[:, None] * len(next_layer.opponent_sets) + used_after[None]
                field = np.array([(entry.column, first, last) for entry, first, last in options], dtype=np.int32).T
                counts += [len(options)] * opponents
                fields.append(np.tile(field, opponents))
                rows.append(row.ravel())
        column, first, last = np.ascontiguousarray(np.concatenate(fields, axis=1))
        return EntryOptions(np.cumsum([0, *counts]), column, np.concatenate(rows), first, last)

    def certain_result(self, state: PairState) -> float | None:
        """Return 1 or 0 if the mover's lead decides the game, else None."""
        sets = np.array([state.used, state.opponent_used])
        own_points, opponent_points = self.max_points(self.card.full ^ sets).tolist()
        can_win, can_lose = self.can_win_at_once(sets).tolist()
        if state.lead > opponent_points and not can_lose:
            return 1.0
        if -state.lead > own_points and not can_win:
            return 0.0
        return None


def array_name(turns: int) -> str:
    """Return the name of the array that holds the layer after some number of turns."""
    return f"after{turns}"
