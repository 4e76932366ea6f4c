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
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.keep import LANES
from ...games.card_rules import Card, Entry
from ...turns.keep_turn import Doubles, EntryOptions, Ints, KeepTurn, Longs
from ..rounding_bounds import UNIT_ROUNDOFF
from .model import popcount

# A shift along the axis of leads, further than any row is long. Reading is clipped to the row, so it reads the first
# column: the lowest lead, which holds a certain loss, the value 0.
ZERO_VALUE_SHIFT = -(1 << 24)


class PairState(NamedTuple):
    """A state before a turn.

    Attributes:
        used: the mover's used categories, as a mask.
        opponent_used: the opponent's used categories, as a mask.
        lead: the mover's points minus the opponent's.
    """

    used: int
    opponent_used: int
    lead: int


START = PairState(0, 0, 0)


@dataclass(frozen=True)
class CardLayer:
    """The states after some number of turns: pairs of sets of used categories, each with a range of leads to solve.

    A *pair* is a set of the mover with a set of the opponent. Pairs are numbered by the mover's set, then by the
    opponent's.

    Attributes:
        mover_sets: (sets,) the sets of categories that the mover can have used, as masks, rising.
        opponent_sets: (sets,) the sets that the opponent, who has just moved, can have used, as masks, rising.
        min_leads, max_leads: (pairs,) the mover's smallest and largest lead to solve. If the smallest is above the
            largest, the pair has no lead to solve.
    """

    mover_sets: Longs
    opponent_sets: Longs
    min_leads: Longs
    max_leads: Longs

    @cached_property
    def max_lead(self) -> int:
        """The largest absolute value of a lead to solve, over all pairs; larger leads decide the game."""
        return max(0, int(self.max_leads.max()), int(-self.min_leads.min()))

    @cached_property
    def block_counts(self) -> Longs:
        """By pair, the number of blocks of ``LANES`` consecutive leads that cover the leads to solve."""
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
        """Return the blocks of leads to solve. A block is ``LANES`` consecutive leads of one pair of sets.

        For block counts [2, 1] the pairs are [0, 0, 1]. Their first leads are the smallest lead of pair 0, that lead
        plus ``LANES``, and the smallest lead of pair 1.

        Returns:
            (blocks,) the pair of each block, and (blocks,) its first lead. The blocks of a pair follow each other.
        """
        block_counts = self.block_counts  # by pair
        pair_of_block = np.repeat(np.arange(len(block_counts)), block_counts)
        first_block_by_pair = np.cumsum(block_counts) - block_counts
        number_within_pair = np.arange(len(pair_of_block)) - first_block_by_pair[pair_of_block]
        return pair_of_block, self.min_leads[pair_of_block] + LANES * number_within_pair

    def column_of_lead(self, lead: int) -> int:
        """Return the column of a row that holds a lead of the player who has just moved."""
        return LANES + self.max_lead + lead  # the row begins with a block of certain losses, then lead -max_lead

    def pair_indices(self, mover: Longs, opponent: Longs) -> Longs:
        """Return the indices of pairs of sets. Pairs are numbered by the mover's set, then by the opponent's.

        Args:
            mover: (pairs,) the mover's used categories, as masks.
            opponent: (pairs,) the opponent's.
        """
        # The sets of the layer are sorted, so searching gives the index of each.
        mover_indices = np.searchsorted(self.mover_sets, mover)
        opponent_indices = np.searchsorted(self.opponent_sets, opponent)
        indices: Longs = mover_indices * len(self.opponent_sets) + opponent_indices
        return indices


class TwoPlayerCardModel:
    """The layers of a card, and the turns that lead from one layer to the next.

    A layer is all states after some number of turns: pairs of the mover's and the opponent's used categories, each with
    a range of leads. Its values are rows (pairs, width): the probability that the player who has just moved wins, by
    this player's lead. A set of categories is a mask.

    Args:
        card: the rules of the card.

    Attributes:
        winning_rolls: (columns, full rolls) whether entering a roll wins the game at once.
    """

    def __init__(self, card: Card) -> None:
        self.card = card

    @property
    def turns(self) -> int:
        """The number of turns of both players together."""
        return 2 * len(self.card.categories) // self.card.boxes

    @cached_property
    def winning_rolls(self) -> NDArray[np.bool_]:
        """(columns, full rolls) whether entering a roll wins the game at once, which only a first roll can do.

        A column is a way to score full rolls in a category: one column for each category, then, for cards whose first
        rolls score differently, one for each category with the points of first rolls.
        """
        category_count = len(self.card.categories)
        wins = np.zeros(self.card.scores.shape, dtype=np.bool_)
        for index, category in enumerate(self.card.categories):
            if category.wins_on_first_roll:
                first_roll_column = category_count + index
                wins[first_roll_column] = self.card.scores[first_roll_column] > 0
        return wins

    @cached_property
    def turn(self) -> KeepTurn:
        """The compiled turn of either player.

        A full roll that is entered is worth its gain plus the mover's value after it. That value stands in a row of the
        next layer, whose columns are the mover's leads, rising: from a certain loss, 0, to a certain win, 1. Entering s
        points reads s columns further on, or back if the rolls cost more than they score. A roll that wins at once
        gains the whole win, 1, and reads the value 0.
        """
        scores = self.card.scores  # (columns, full rolls), -1 where a roll cannot be entered
        can_enter = scores >= 0
        # A winning roll scores more than 0 points, so it can be entered.
        gain = np.where(can_enter, 0.0, -np.inf)
        gain = np.where(self.winning_rolls, 1.0, gain)
        shift = np.where(self.winning_rolls, ZERO_VALUE_SHIFT, self.card.net_scores.astype(np.int32))
        return KeepTurn(self.card.lattice, self.card.throws, gain, shift)

    @property
    def error_bound(self) -> float:
        """The error bound of all values: every turn adds its own rounding and that of one subtraction."""
        return self.turns * (self.turn.rounding_bound + UNIT_ROUNDOFF)

    def max_points(self, sets: Longs) -> Longs:
        """Return the most points that the categories of each set can score together: (sets,).

        Args:
            sets: (sets,) categories, as masks.
        """
        points = np.zeros_like(sets)
        no_categories_used = 0  # cards of two players score no jokers, so what a category can hold depends on no other
        for index in range(len(self.card.categories)):
            max_score = max(self.card.possible_points(index, no_categories_used))
            is_member = sets >> index & 1  # by set, 1 or 0
            points += max_score * is_member
        return points

    def max_losses(self, sets: Longs) -> Longs:
        """Return the most points that the categories of each set can lose together: (sets,).

        A category loses points if the rolls of its turn cost more than it scores. What it can lose does not depend on
        the categories that are used, so it is computed as if none were.

        Args:
            sets: (sets,) categories, as masks.
        """
        losses = np.zeros_like(sets)
        no_categories_used = 0
        for index in range(len(self.card.categories)):
            least_points = min(self.card.possible_points(index, no_categories_used))
            max_loss = max(0, -least_points)
            is_in_set = sets >> index & 1
            losses += max_loss * is_in_set
        return losses

    def can_win_at_once(self, sets: Longs) -> NDArray[np.bool_]:
        """Return whether players can still win at once by a first roll, whatever the lead: (sets,).

        They can if a category is open that wins the game when it is entered after the first roll of a turn.

        Args:
            sets: (sets,) the used categories of each player, as masks.
        """
        winning_categories = self.card.mask_of(
            [category.name for category in self.card.categories if category.wins_on_first_roll]
        )
        open_categories = ~sets
        can_win: NDArray[np.bool_] = open_categories & winning_categories != 0
        return can_win

    def layer(self, turns_played: int, start: PairState = START) -> CardLayer:
        """Return the states after some turns of the game: pairs of sets of used categories, with a range of leads.

        Args:
            turns_played: the turns of both players from the beginning of the game.
            start: a state; the layer has only the states that can follow from it. By default the start of the game.
        """
        used, opponent_used, lead = start
        boxes_per_turn = self.card.boxes
        turns_at_start = (used.bit_count() + opponent_used.bit_count()) // boxes_per_turn
        is_odd_number_of_turns_later = (turns_played - turns_at_start) % 2 == 1
        if is_odd_number_of_turns_later:  # so the start's opponent moves
            used, opponent_used, lead = opponent_used, used, -lead
        # The mover of the layer has had as many turns as the opponent, or one less.
        mover_sets = self._sets_after(used, turns_played // 2)
        opponent_sets = self._sets_after(opponent_used, (turns_played + 1) // 2)
        # Pairs are numbered by the mover's set, then by the opponent's.
        mover = np.repeat(mover_sets, len(opponent_sets))  # (pairs,)
        opponent = np.tile(opponent_sets, len(mover_sets))  # (pairs,)
        # The mover's leads that can have come about since the start: one player scored as much as is possible, and the
        # other as little.
        filled_by_opponent = opponent ^ opponent_used  # since the start
        filled_by_mover = mover ^ used
        lowest = lead - self.max_points(filled_by_opponent) - self.max_losses(filled_by_mover)
        highest = lead + self.max_points(filled_by_mover) + self.max_losses(filled_by_opponent)
        # The mover's deficit is open up to what the mover can still make up, and the lead up to what the opponent can.
        min_leads = np.maximum(lowest, -self._max_deficits(mover))
        max_leads = np.minimum(highest, self._max_deficits(opponent))
        return CardLayer(mover_sets, opponent_sets, min_leads, max_leads)

    def _sets_after(self, used: int, own_turns: int) -> Longs:
        """Return the sets that a player can have used after some turns: (sets,), as masks, rising.

        Args:
            used: categories that all of these sets contain, as a mask.
            own_turns: the player's turns from the beginning of the game.
        """
        sets = self.card.used_sets()
        contains_used = sets & used == used
        has_size = popcount(sets) == own_turns * self.card.boxes
        sets_after: Longs = sets[contains_used & has_size]
        return sets_after

    def _max_deficits(self, sets: Longs) -> Longs:
        """Return the largest deficit with which a player can still draw level or win, by the player's set: (sets,).

        That is the most points that the open categories can score: the opponent need not pay for rolls. A player who
        can win at once by a first roll is never too far behind.

        Args:
            sets: (sets,) the used categories of the player, as masks.
        """
        points_left = self.max_points(self.card.full_mask ^ sets)
        any_deficit = np.iinfo(np.int64).max
        return np.where(self.can_win_at_once(sets), any_deficit, points_left)

    def layers(self, turns_played: int, start: PairState = START) -> list[CardLayer]:
        """Return the layers from ``turns_played`` turns to the end of the game."""
        return [self.layer(turns, start) for turns in range(turns_played, self.turns + 1)]

    def terminal_values(self, layer: CardLayer) -> Doubles:
        """Return the rows of the last layer: 1 where the player who has just moved leads, 0.5 for a tie, else 0.

        Args:
            layer: the last layer, in which both cards are full; its only pair is two sets of all categories.

        Returns:
            (1, width) the probability that the player who has just moved wins, by this player's lead, rising.
        """
        tie_column = layer.column_of_lead(0)
        rows = np.zeros((1, layer.width))
        rows[0, tie_column] = 0.5
        rows[0, tie_column + 1 :] = 1.0
        return rows

    def certain_values(self, layer: CardLayer) -> Doubles:
        """Return the rows (pairs, width) of a layer before it is solved: 1 for certain wins, else 0.

        A value is the probability that the player who has just moved wins. A win of this player is certain if the lead
        is larger than all that the mover can still score, unless the mover can still win at once by a first roll.
        """
        leads = np.arange(layer.width) - layer.column_of_lead(0)  # (width,) of the player who has just moved
        # Pairs are numbered by the mover's set, then by the opponent's, so each mover's set is repeated.
        open_deficits = np.repeat(self._max_deficits(layer.mover_sets), len(layer.opponent_sets))  # of the mover
        is_certain_win = leads[None] > open_deficits[:, None]  # (pairs, width)
        return is_certain_win.astype(float)

    def entry_options(self, layer: CardLayer, next_layer: CardLayer) -> EntryOptions:
        """Return the options for entering dice of every pair of sets in a layer.

        The mover's set decides which options there are; the opponent's set decides only which pair they lead to. If
        early rolls score differently, the options for each of them follow after those of all pairs.

        Args:
            layer: the layer, with its pairs in the order of the option sets.
            next_layer: the layer after it. The ``row`` of an option is the pair of this layer that it leads to.
        """
        opponent_set_count = len(layer.opponent_sets)
        # By early roll (0: the last roll and all that score alike) and mover's used set: that set, and its options.
        options_by_set = [
            (used, list(self.card.entry_options(used, early_roll)))
            for early_roll in range(1 + self.card.early_roll_count)
            for used in layer.mover_sets.tolist()
        ]
        # Each becomes one option set for every set of the opponent: the same options, which lead to other pairs.
        option_counts = np.repeat([len(options) for _, options in options_by_set], opponent_set_count)
        fields = [np.tile(_column_and_rolls(options), opponent_set_count) for _, options in options_by_set]
        pairs_after = [
            _pairs_after([used | entry.fills for entry, _, _ in options], opponent_set_count, next_layer).ravel()
            for used, options in options_by_set
        ]
        column, first_roll, end_roll = np.ascontiguousarray(np.concatenate(fields, axis=1))
        option_start = np.cumsum([0, *option_counts])
        return EntryOptions(option_start, column, np.concatenate(pairs_after), first_roll, end_roll)

    def certain_result(self, state: PairState) -> float | None:
        """Return the mover's value, 1 or 0, if the lead decides the game; else None.

        A lead decides it if the player behind can neither score as much nor win at once by a first roll.
        """
        sets = np.array([state.used, state.opponent_used])
        # The largest deficits that the two players can still make up.
        own_max_deficit, opponent_max_deficit = self._max_deficits(sets).tolist()
        if state.lead > opponent_max_deficit:
            return 1.0
        if -state.lead > own_max_deficit:
            return 0.0
        return None


def array_name(turns: int) -> str:
    """Return the name of the array that holds the layer after some number of turns."""
    return f"after{turns}"


def _column_and_rolls(options: Sequence[tuple[Entry, int, int]]) -> Ints:
    """Return the column, the first full roll and the end of the full rolls of some options: (3, options).

    Args:
        options: as ``Card.entry_options`` yields them.
    """
    rows = [(entry.column, first_roll, end_roll) for entry, first_roll, end_roll in options]
    return np.array(rows, dtype=np.int32).T


def _pairs_after(sets_after: Sequence[int], opponent_set_count: int, next_layer: CardLayer) -> Longs:
    """Return the pairs of the next layer that some options lead to: (sets of the opponent, options).

    There the opponent moves, with the same set as before. So the pair is numbered by the opponent's set first, and then
    by the set of the player who has just moved.

    Args:
        sets_after: by option, the used categories of the player who has just moved.
        opponent_set_count: the number of sets of the opponent.
        next_layer: the layer after the turn.
    """
    mover_indices = np.arange(opponent_set_count)[:, None]
    indices_after = np.searchsorted(next_layer.opponent_sets, sets_after)[None]  # (1, options)
    pairs: Longs = mover_indices * len(next_layer.opponent_sets) + indices_after
    return pairs
