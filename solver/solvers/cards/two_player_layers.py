"""States of a card that two players fill in turn, by layers: the model of ``two_player.py``.

A state before a turn is (mover's used categories, opponent's used categories, mover's lead). Every turn fills boxes, so
the states after n turns are layer n. Only leads are solved that can occur and leave the game open. Larger leads are
certain, unless the player behind can still win at once by a first roll.

A layer's values are stored for the player who has just moved: ``rows[pair of sets, column]`` is the probability that
this player wins, by their own lead. A turn of a mover with lead d that scores s then reads column d + s of the next
layer. Lanes of leads stay contiguous, and every layer is stored once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.keep import LANES
from ...games.card_rules import Card
from ...turns.keep_turn import Doubles, EntryOptions, Ints, KeepTurn, Longs
from ..rounding_bounds import UNIT_ROUNDOFF
from .model import popcount

CERTAIN_LOSS_SHIFT = -(1 << 24)  # a shift along the axis to where every row holds a certain loss


class PairState(NamedTuple):
    """A state before a turn.

    Attributes:
        used: the mover's used categories, as a mask.
        opponent_used: the opponent's.
        lead: the mover's points minus the opponent's.
    """

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
        """The number of columns of a row: certain losses, the leads from -max_lead to max_lead, certain wins.

        Certain losses and wins take a block each, so that reading a block of leads never leaves the row.
        """
        lead_blocks = math.ceil((2 * self.max_lead + 1) / LANES)
        return (lead_blocks + 2) * LANES

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the rows: (pairs, width)."""
        return len(self.mover_sets) * len(self.opponent_sets), self.width

    def lane_blocks(self) -> tuple[Longs, Longs]:
        """Return the blocks of leads to solve.

        Returns:
            (blocks,) the pair of each block, and (blocks,) its first lead. The blocks of a pair follow each other.
        """
        count = self.block_counts
        pair = np.repeat(np.arange(len(count)), count)
        first_block_of_pair = np.repeat(np.cumsum(count) - count, count)
        block_in_pair = np.arange(len(pair)) - first_block_of_pair
        return pair, self.min_leads[pair] + LANES * block_in_pair

    def column(self, lead: int) -> int:
        """Return the column that holds a lead."""
        return lead + self.max_lead + LANES

    def pair_indices(self, mover: Longs, opponent: Longs) -> Longs:
        """Return the rows of pairs of sets.

        Args:
            mover: (pairs,) the mover's used categories, as masks.
            opponent: (pairs,) the opponent's.
        """
        mover_indices = np.searchsorted(self.mover_sets, mover)
        opponent_indices = np.searchsorted(self.opponent_sets, opponent)
        indices: Longs = mover_indices * len(self.opponent_sets) + opponent_indices
        return indices


class TwoPlayerCardModel:
    """The layers of a card, and the turns that lead from one layer to the next.

    Args:
        card: the rules of the card.
    """

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
                column = len(self.card.categories) + index  # columns for first rolls follow the others
                wins[column] = self.card.scores[column] > 0
        return wins

    @cached_property
    def turn(self) -> KeepTurn:
        """The compiled turn of either player; a roll that wins at once gains 1 and leads to a certain loss."""
        can_enter = self.card.scores >= 0
        gain = np.where(can_enter, 0.0, -np.inf)
        gain = np.where(self.winning_rolls, 1.0, gain)
        shift = np.where(self.winning_rolls, CERTAIN_LOSS_SHIFT, self.card.scores.astype(np.int32))
        return KeepTurn(self.card.lattice, self.card.throws, gain, shift)

    @property
    def error_bound(self) -> float:
        """The error bound of all values: every turn adds its own rounding and that of one subtraction."""
        return self.turns * (self.turn.rounding_bound + UNIT_ROUNDOFF)

    def max_points(self, sets: Longs) -> Longs:
        """Return the most points that sets of categories, given as masks, can hold."""
        points = np.zeros_like(sets)
        for index in range(len(self.card.categories)):
            max_score = max(self.card.held(index, 0))
            is_member = sets >> index & 1
            points += max_score * is_member
        return points

    def can_win_at_once(self, sets: Longs) -> NDArray[np.bool_]:
        """Return whether players can still win by a first roll, whatever the lead.

        Args:
            sets: their used categories, as masks.
        """
        winning_categories = self.card.mask([category.name for category in self.card.categories if category.wins])
        open_categories = ~sets
        can_win: NDArray[np.bool_] = open_categories & winning_categories != 0
        return can_win

    def layer(self, turns_played: int, start: PairState = START) -> CardLayer:
        """Return the states after some turns of the game.

        Args:
            turns_played: the turns of both players from the beginning of the game.
            start: the layer has only the states that can follow from this one.
        """
        boxes = self.card.boxes
        used, opponent_used, lead = start
        turns_at_start = (used.bit_count() + opponent_used.bit_count()) // boxes
        is_other_mover = (turns_played - turns_at_start) % 2 == 1
        if is_other_mover:
            used, opponent_used, lead = opponent_used, used, -lead
        sets = self.card.sets()
        sizes = popcount(sets)
        # The mover of the layer has had as many turns as the opponent, or one less.
        mover_size = turns_played // 2 * boxes
        opponent_size = (turns_played + 1) // 2 * boxes
        mover_sets = sets[(sets & used == used) & (sizes == mover_size)]
        opponent_sets = sets[(sets & opponent_used == opponent_used) & (sizes == opponent_size)]
        mover, opponent = (side.ravel() for side in np.meshgrid(mover_sets, opponent_sets, indexing="ij"))  # by pair
        # The leads that can have come about since the start ...
        lowest = lead - self.max_points(opponent ^ opponent_used)
        highest = lead + self.max_points(mover ^ used)
        # ... without those that decide the game, because the player behind cannot make up for them.
        full = self.card.full
        lowest_open = np.maximum(lowest, -self.max_points(full ^ mover))
        highest_open = np.minimum(highest, self.max_points(full ^ opponent))
        min_leads = np.where(self.can_win_at_once(mover), lowest, lowest_open)
        max_leads = np.where(self.can_win_at_once(opponent), highest, highest_open)
        return CardLayer(mover_sets, opponent_sets, min_leads, max_leads)

    def layers(self, turns_played: int, start: PairState = START) -> list[CardLayer]:
        """Return the layers from ``turns_played`` turns to the end of the game."""
        return [self.layer(turns, start) for turns in range(turns_played, self.turns + 1)]

    def terminal_values(self, layer: CardLayer) -> Doubles:
        """Return the rows (1, width) of the last layer, of full cards: a lead wins, and a tie counts half."""
        level = layer.column(0)
        rows = np.zeros((1, layer.width))
        rows[0, level] = 0.5
        rows[0, level + 1 :] = 1.0
        return rows

    def certain_values(self, layer: CardLayer) -> Doubles:
        """Return the rows (pairs, width) of a layer before it is solved: 1 for certain wins, else 0.

        A win of the player who has just moved is certain if the lead is larger than all that the mover can still score.
        """
        opponents = len(layer.opponent_sets)
        leads = np.arange(layer.width) - layer.column(0)  # of the player who has just moved
        mover_points_left = np.repeat(self.max_points(self.card.full ^ layer.mover_sets), opponents)  # by pair
        can_mover_win_at_once = np.repeat(self.can_win_at_once(layer.mover_sets), opponents)
        is_out_of_reach = leads[None] > mover_points_left[:, None]
        certain: Doubles = (~can_mover_win_at_once[:, None] & is_out_of_reach).astype(float)
        return certain

    def entry_options(self, layer: CardLayer, next_layer: CardLayer) -> EntryOptions:
        """Return the options for entering dice of every pair of a layer.

        If dice score differently after the first roll, the options for it follow after those of all pairs.

        Args:
            layer: the layer, with its pairs in the order of the option sets.
            next_layer: the layer after it. The row of an option is the pair of this layer that it leads to.
        """
        counts = list[int]()  # options of each option set
        fields = list[Ints]()  # (3, options): column, first and last roll
        rows = list[Longs]()
        opponents = len(layer.opponent_sets)
        for served in range(1 + self.card.served):
            for used in layer.mover_sets.tolist():
                options = list(self.card.options(used, bool(served)))
                sets_after = [used | entry.fills for entry, _, _ in options]
                # The opponent moves next, so their set comes first in a pair of the next layer.
                opponent_indices = np.arange(opponents)[:, None]
                own_indices = np.searchsorted(next_layer.opponent_sets, sets_after)[None]
                row = opponent_indices * len(next_layer.opponent_sets) + own_indices  # (opponents, options)
                field = np.array([(entry.column, first, last) for entry, first, last in options], dtype=np.int32).T
                counts += [len(options)] * opponents
                fields.append(np.tile(field, opponents))
                rows.append(row.ravel())
        column, first_roll, end_roll = np.ascontiguousarray(np.concatenate(fields, axis=1))
        option_start = np.cumsum([0, *counts])
        return EntryOptions(option_start, column, np.concatenate(rows), first_roll, end_roll)

    def certain_result(self, state: PairState) -> float | None:
        """Return the mover's value, 1 or 0, if the lead decides the game; else None."""
        sets = np.array([state.used, state.opponent_used])
        own_points_left, opponent_points_left = self.max_points(self.card.full ^ sets).tolist()
        can_win_at_once, can_opponent_win_at_once = self.can_win_at_once(sets).tolist()
        if state.lead > opponent_points_left and not can_opponent_win_at_once:
            return 1.0
        if -state.lead > own_points_left and not can_win_at_once:
            return 0.0
        return None


def array_name(turns: int) -> str:
    """Return the name of the array that holds the layer after some number of turns."""
    return f"after{turns}"
