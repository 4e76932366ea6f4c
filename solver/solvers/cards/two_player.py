"""A card that two players fill in turn, each for the highest probability of winning.

States and layers are described in ``two_player_layers.py``, the algorithm in ``two_player_solver.py``.

The whole table takes minutes and half a gigabyte. A stored table may hold its early layers alone, because there are few
positions after few turns. Other positions are solved on demand: only sets that contain the used ones, and only leads
that can follow. Both ways give the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...core.keep import LANES
from ...play.card import CardGame, CardPosition
from ...storage.checkpoints import Checkpoint
from ...turns.keep_turn import EntryOptions, KeepTurn
from ...util.errors import InputError, TooMuchError
from ...util.progress_reporting import ProgressCallback
from ..problem import ArraySpec, PartialValueTable, ValuesAndBounds, ValueTable, group_by_key, rotate_to_seats
from ..solve_costs import SolveCost
from .cost_estimates import block_seconds
from .model import popcount
from .problem import CardProblem, SingleTurn, option_sets_of_single_turn
from .two_player_layers import START, CardLayer, PairState, TwoPlayerCardModel, array_name
from .two_player_solver import LayerSolver

if TYPE_CHECKING:
    from ..cluster import Cluster

MAX_COUNTED_PAIRS = 10_000_000  # pairs of sets up to which the cost is counted exactly
MAX_ON_DEMAND_SECONDS = 60.0  # of solving what follows a position; beyond, the whole table is needed
VALUE_BYTES = 8.0  # of one value in a row
BLOCK_BYTES = 40.0  # of one block of lanes while its layer is solved: its pair, lead and lane, and two temporary arrays
OPTION_SET_BYTES = 8.0  # of one block and roll, if rolls have option sets of their own
# Estimates for cards with too many pairs to count, from cards whose pairs were counted:
OPEN_LEADS_PER_POINT = 0.8  # leads to solve of a pair, divided by the most points that a card can hold
LEADS_STORED_PER_LEAD_SOLVED = 2  # a row of values is twice as wide as the leads that are solved in it


class CardWinProblem(CardProblem):
    """Probability of winning if both players play optimally; a tie counts half.

    Args:
        playable: the game as people play it.

    Attributes:
        model: the layers of the game, and the turns between them.
        card: the rules of the card.
        turn: the compiled turn of either player.

    Raises:
        InputError: an upper bonus or the Yahtzee box would be part of the state.
    """

    player_range = (2, 2)
    is_resumable = True
    is_distributable = True
    solves_on_demand = True

    def __init__(self, playable: CardGame) -> None:
        super().__init__(playable)
        has_flag = self.card.flag_count == 2  # the number of values that the flag of the Yahtzee box can have
        if self.card.upper_mask or has_flag:
            raise InputError(
                f"{self.game.id} has too many positions with two players to be solved: use the objective points or"
                " reach"
            )
        self.model = TwoPlayerCardModel(self.card)

    @property
    def turns(self) -> int:
        """The number of turns of both players together."""
        return self.model.turns

    @property
    def turn(self) -> KeepTurn:
        """The compiled turn of either player."""
        return self.model.turn

    # --- solving

    def solve(
        self,
        threads: int,
        progress: ProgressCallback,
        checkpoint: Checkpoint | None = None,
        cluster: Cluster | None = None,
    ) -> ValueTable:
        """Solve every position.

        Args:
            threads: number of threads. The result has the same bits for every number.
            progress: called with the fraction that is done.
            checkpoint: finished layers are loaded from it and stored in it.
            cluster: solves layers that take long enough.

        Returns:
            The arrays ``after1``, ``after2``, ...: the layers after so many turns. Each is (pairs of used sets, columns
            for leads), the probability that the player who has just moved wins.
        """
        solver = LayerSolver(self.model, threads, progress, checkpoint, cluster)
        arrays = solver.solve(self.model.layers(0), 0)
        return ValueTable(arrays, self.model.error_bound)

    solve_with_checkpoint = solve

    def solve_from(self, position: CardPosition, threads: int, progress: ProgressCallback) -> ValueTable:
        """Solve what can follow a position: the layers after the turn that contains it, up to the end of the game.

        Args:
            position: the position. Only pairs of sets and leads that can follow from it are solved.
            threads: number of threads. The result has the same bits for every number.
            progress: called with the fraction that is done.
        """
        turns_played = self.turns_played(position)
        layers = self.model.layers(turns_played, _pair_state(position))
        arrays = LayerSolver(self.model, threads, progress).solve(layers, turns_played)
        return PartialValueTable(arrays, self.model.error_bound, position)

    def empty_table(self) -> ValueTable:
        """Return a table without arrays, with the error bound."""
        return ValueTable({}, self.model.error_bound)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the shape of the array of every layer but the first, which no turn leads to, by array name."""
        return {
            array_name(turns_played): ArraySpec(layer.shape)
            for turns_played, layer in enumerate(self.model.layers(1), 1)
        }

    def covers(self, value_table: ValueTable, position: CardPosition) -> bool:
        """Return whether the table has the layer after the position's turn, with its sets and leads."""
        if isinstance(value_table, PartialValueTable) and not self.covers_from(value_table.position, position):
            return False
        return array_name(self.turns_played(position) + 1) in value_table.arrays

    def covers_from(self, start: CardPosition, position: CardPosition) -> bool:
        """Return whether the values solved for a start cover a later position.

        They do if both players' cards contain the boxes used at the start, and the lead can have come about since.
        """
        max_gains = []  # by seat, the most points that the boxes filled since the start can hold
        max_losses = []  # by seat, the most points that they can have lost
        gains = []  # by seat, the points scored since the start
        for card, start_card in zip(position.cards, start.cards, strict=True):
            contains_start = card.used & start_card.used == start_card.used
            if not contains_start:
                return False
            filled_since = card.used ^ start_card.used
            max_gains.append(int(self.model.max_points(np.array([filled_since]))[0]))
            max_losses.append(int(self.model.max_losses(np.array([filled_since]))[0]))
            gains.append(card.score - start_card.score)
        lead_gain = gains[0] - gains[1]  # of seat 0 over seat 1
        return -max_gains[1] - max_losses[0] <= lead_gain <= max_gains[0] + max_losses[1]

    def turns_played(self, position: CardPosition) -> int:
        """Return the number of turns before a position."""
        return sum(card.used.bit_count() for card in position.cards) // self.card.boxes

    # --- cost

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate the cost of the whole table from the pairs of sets in every layer and the leads of each."""
        return self._cost(0, START, threads)

    def estimate_cost_from(self, position: CardPosition, threads: int) -> SolveCost:
        """Estimate the cost of ``solve_from``: of all layers that follow a position.

        Args:
            position: the position.
            threads: number of threads.

        Raises:
            TooMuchError: the whole table, which is stored, serves better.
        """
        cost = self._cost(self.turns_played(position), _pair_state(position), threads)
        if cost.seconds > MAX_ON_DEMAND_SECONDS:
            whole_cost = self.estimate_cost(threads)
            message = (
                f"{self.game.title}: a position this early requires the whole value table, which takes {whole_cost}"
            )
            # The message advises to solve the whole table; if that takes too much, with ``anyway``.
            raise TooMuchError(message, needs_whole_table=True, can_override=whole_cost.is_too_much)
        return cost

    def _cost(self, turns_played: int, start: PairState, threads: int) -> SolveCost:
        """Estimate the cost of all layers after the first; roughly, if there are too many pairs to list.

        A pair is a set of used categories of each player. A block of lanes is ``LANES`` consecutive leads of a pair.
        The time is the number of blocks times the time for one, shared by the threads. The memory is all values, and
        the arguments of the kernel for the layer with the most blocks.

        Args:
            turns_played: the turns before the first layer.
            start: the state that all others follow.
            threads: number of threads.
        """
        pair_count = self._pair_count(start)
        if pair_count > MAX_COUNTED_PAIRS:
            return self._rough_cost(pair_count, threads)
        seconds_per_block = block_seconds(self.card)
        layers = self.model.layers(turns_played, start)
        # The first layer holds the start and is not solved. The last one is known: its cards are full.
        table_bytes = VALUE_BYTES * sum(math.prod(layer.shape) for layer in layers[1:])
        block_counts = [int(layer.block_counts.sum()) for layer in layers[1:-1]]
        bytes_per_block = BLOCK_BYTES
        if self.card.early_roll_count:  # early rolls score differently, so every roll has an option set of its own
            bytes_per_block += OPTION_SET_BYTES * self.card.throws
        layer_bytes = bytes_per_block * max(block_counts, default=0)
        return SolveCost(bytes=table_bytes + layer_bytes, seconds=sum(block_counts) * seconds_per_block / threads)

    def _rough_cost(self, pair_count: float, threads: int) -> SolveCost:
        """Estimate the cost of too many pairs of sets to list, from the mean number of leads to solve of a pair.

        Args:
            pair_count: the approximate number of pairs.
            threads: number of threads.
        """
        max_points = self.card.max_points(self.card.full_mask)
        leads_per_pair = OPEN_LEADS_PER_POINT * max_points
        blocks = pair_count * leads_per_pair / LANES
        bytes_per_block = LEADS_STORED_PER_LEAD_SOLVED * VALUE_BYTES * LANES
        return SolveCost(bytes=bytes_per_block * blocks, seconds=blocks * block_seconds(self.card) / threads)

    def _pair_count(self, start: PairState) -> float:
        """Return the approximate number of pairs of sets of used categories in all layers that follow a state.

        The mover of a layer has used as many boxes as the opponent, or those of one turn less. There are about as many
        pairs of either kind, so the number is twice that of the pairs of equal sizes.
        """
        max_size = len(self.card.categories)
        own_sizes = popcount(self.card.used_sets(start.used))
        opponent_sizes = popcount(self.card.used_sets(start.opponent_used))
        own_counts = np.bincount(own_sizes, minlength=max_size + 1).astype(float)  # sets of each size
        opponent_counts = np.bincount(opponent_sizes, minlength=max_size + 1).astype(float)
        return 2 * float((own_counts * opponent_counts).sum())

    # --- values of positions

    def has_state(self, value_table: ValueTable, position: CardPosition) -> bool:
        """Return whether the table holds the value of a position between turns.

        It needs the array of the position's layer. No array holds the first layer, before any turn.
        """
        return (
            super().has_state(value_table, position) and array_name(self.turns_played(position)) in value_table.arrays
        )

    def _solved_layer(self, value_table: ValueTable, turns_played: int) -> CardLayer:
        """Return a layer with the sets and leads for which the value table holds it.

        Args:
            value_table: the value table.
            turns_played: the turns before the layer, from the beginning of the game.
        """
        start = _pair_state(value_table.position) if isinstance(value_table, PartialValueTable) else START
        return self.model.layer(turns_played, start)

    def state_values(self, value_table: ValueTable, positions: Sequence[CardPosition]) -> ValuesAndBounds:
        """Return both players' probabilities in positions between turns.

        The layer of a position holds the probability of the player who has just moved, by pair of used sets and by this
        player's lead.

        Returns:
            (positions, 2) the values by seat, and their error bound.
        """
        values = np.empty((len(positions), 2))
        positions_by_layer = group_by_key(map(self.turns_played, positions))
        for turns_played, indices in positions_by_layer.items():
            layer = self._solved_layer(value_table, turns_played)
            rows = value_table.arrays[array_name(turns_played)]
            mover_seat = np.array([positions[index].seat for index in indices])
            mover_used, opponent_used, mover_lead = np.array([_pair_state(positions[index]) for index in indices]).T
            pair = layer.pair_indices(mover_used, opponent_used)
            # The lead of the player who has just moved is minus the mover's. A row begins with certain losses and ends
            # with certain wins, so a lead past either end has the value that stands there.
            last_column = layer.width - 1
            column = np.clip(layer.column_of_lead(0) - mover_lead, 0, last_column)
            previous_mover_value = rows[pair, column]
            values[indices, mover_seat] = 1 - previous_mover_value
            values[indices, 1 - mover_seat] = previous_mover_value
        return values, value_table.error_bound

    def turn_of(self, value_table: ValueTable, position: CardPosition) -> SingleTurn:
        """Return the turn that contains a position, with the arguments that its kernel call needs.

        Args:
            value_table: the value table, which holds the layer after the turn.
            position: the position.
        """
        state = _pair_state(position)
        turns_after = self.turns_played(position) + 1
        next_layer = self._solved_layer(value_table, turns_after)
        option_set, early_option_sets = option_sets_of_single_turn(self.card)
        return SingleTurn(
            self.turn,
            next_values=value_table.arrays[array_name(turns_after)],
            options=self._options_of_pair(state, next_layer),
            option_set=option_set,
            lane=next_layer.column_of_lead(state.lead),
            early_option_sets=early_option_sets,
        )

    def _options_of_pair(self, state: PairState, next_layer: CardLayer) -> EntryOptions:
        """Return the options for entering dice in a turn; each leads to a row of ``next_layer``.

        Args:
            state: the state in which the turn begins; its lead does not matter.
            next_layer: the layer after the turn.
        """
        any_leads = np.zeros(1, dtype=np.int64)
        mover_sets = np.array([state.used])
        opponent_sets = np.array([state.opponent_used])
        layer_of_pair = CardLayer(mover_sets, opponent_sets, min_leads=any_leads, max_leads=any_leads)
        options = self.model.entry_options(layer_of_pair, next_layer)
        # The opponent moves in the next layer, whose rows with the same set of the mover follow each other.
        # ``entry_options`` took the opponent's set for the first one there, because ``layer_of_pair`` has no other. So
        # its rows are too small by the first row with the opponent's set.
        (first_row,) = next_layer.pair_indices(opponent_sets, next_layer.opponent_sets[:1]).tolist()
        return replace(options, row=options.row + first_row)

    def seat_payoffs(self, position: CardPosition, value: float) -> list[float]:
        """Return both probabilities by seat, between 0 and 1 in spite of rounding.

        Between turns a certain result is returned as the table stores it, so the table and a solve on demand agree
        in every bit.

        Args:
            position: a position of the turn.
            value: the mover's probability in it.
        """
        win = min(max(value, 0.0), 1.0)
        if not self.playable.is_turn_start(position):
            return rotate_to_seats(position.seat, [win, 1 - win])
        certain_win = self.model.certain_result(_pair_state(position))  # the mover's; None if nothing is certain
        mover_win = win if certain_win is None else certain_win
        # The table stores the probability of the player who has just moved. A reader of the table computes the mover's
        # as 1 minus that. The same is done here, because 1 - (1 - x) may round differently from x.
        stored_win = 1 - mover_win
        return rotate_to_seats(position.seat, [1 - stored_win, stored_win])


def _pair_state(position: CardPosition) -> PairState:
    """Return the state before the turn that contains a position: both used sets, and the mover's lead."""
    own, opponent = position.own_card, position.other_cards[0]
    return PairState(own.used, opponent.used, own.score - opponent.score)
