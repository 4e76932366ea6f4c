"""A card that two players fill in turn, each for the highest probability of winning.

States and layers are described in ``two_player_layers.py``, the algorithm in ``two_player_solver.py``.

The whole table takes minutes and half a gigabyte. A stored table may hold its early layers alone, because there are few
positions after few turns. Other positions are solved on demand: only sets that contain the used ones, and only leads
that can follow. Both ways give the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...core.keep import LANES
from ...play.card import CardPosition, Play
from ...storage.checkpoints import Checkpoint
from ...turns.keep_turn import EntryOptions, KeepTurn
from ...util.errors import InputError, TooMuchError
from ..cost_estimates import SolveCost
from ..problem import ArraySpec, PartialValueTable, Progress, ValuesAndBounds, ValueTable, group_by_key, rotate_to_seats
from .cost_estimates import block_seconds
from .model import popcount, turn_option_sets
from .problem import CardProblem, SingleTurn
from .two_player_layers import START, CardLayer, PairState, TwoPlayerCardModel, array_name
from .two_player_solver import LayerSolver

if TYPE_CHECKING:
    from ..cluster import Cluster

MAX_COUNTED_PAIRS = 10_000_000  # pairs of sets up to which the cost is counted exactly
MAX_ON_DEMAND_SECONDS = 60.0  # of solving what follows a position; beyond, the whole table is needed


class CardWinProblem(CardProblem):
    """Probability of winning if both players play optimally; a tie counts half."""

    player_range = (2, 2)
    is_resumable = is_distributable = solves_on_demand = True

    def __init__(self, playable: Play) -> None:
        super().__init__(playable)
        if self.card.upper_mask or self.card.flags == 2:
            raise InputError(
                f"{self.game.id} has too many positions of two players to be solved: ask for points or reach"
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
        self, threads: int, progress: Progress, checkpoint: Checkpoint | None = None, cluster: Cluster | None = None
    ) -> ValueTable:
        """Solve every position: the arrays ``after1``, ``after2``, ... are the rows of the layers."""
        arrays = LayerSolver(self.model, threads, progress, checkpoint, cluster).solve(self.model.layers(0), 0)
        return ValueTable(arrays, self.model.error_bound)

    solve_with_checkpoint = solve

    def solve_from(self, position: CardPosition, threads: int, progress: Progress) -> ValueTable:
        """Solve what can follow a position."""
        played = self.turns_played(position)
        layers = self.model.layers(played, _pair_state(position))
        arrays = LayerSolver(self.model, threads, progress).solve(layers, played)
        return PartialValueTable(arrays, self.model.error_bound, position)

    def empty_table(self) -> ValueTable:
        """Return a table without arrays, with the error bound."""
        return ValueTable({}, self.model.error_bound)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the rows of every layer but the first."""
        return {array_name(played): ArraySpec(layer.shape) for played, layer in enumerate(self.model.layers(1), 1)}

    def covers(self, solved: ValueTable, position: CardPosition) -> bool:
        """Return whether the table has the layer after the position's turn, with its sets and leads."""
        if isinstance(solved, PartialValueTable) and not self.covers_from(solved.position, position):
            return False
        return array_name(self.turns_played(position) + 1) in solved.arrays

    def covers_from(self, start: CardPosition, position: CardPosition) -> bool:
        """Return whether both cards contain the boxes used at the start, and the lead can have come about since."""
        pairs = list(zip(position.cards, start.cards, strict=True))
        if not all(card.used & before.used == before.used for card, before in pairs):
            return False
        gains = [card.score - before.score for card, before in pairs]
        max_gains = [self.model.max_points(np.array([card.used ^ before.used]))[0] for card, before in pairs]
        return bool(-max_gains[1] <= gains[0] - gains[1] <= max_gains[0])

    def turns_played(self, position: CardPosition) -> int:
        """Return the number of turns before a position."""
        return sum(card.used.bit_count() for card in position.cards) // self.card.boxes

    # --- cost

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate the cost of the whole table from the pairs of sets in every layer and the leads of each."""
        return self._cost(0, START, threads)

    def estimate_cost_from(self, position: CardPosition, threads: int) -> SolveCost:
        """Estimate the cost of what follows a position.

        Raises:
            TooMuchError: the whole table, which is stored, serves better.
        """
        cost = self._cost(self.turns_played(position), _pair_state(position), threads)
        if cost.seconds > MAX_ON_DEMAND_SECONDS:
            whole = self.estimate_cost(threads)
            raise TooMuchError(
                f"so early in {self.game.title} an answer needs the whole table, {whole}", True, whole.is_too_much
            )
        return cost

    def _cost(self, played: int, start: PairState, threads: int) -> SolveCost:
        """Estimate the cost of all layers after the first; roughly, if there are too many pairs to list."""
        sizes = [popcount(self.card.sets(used)) for used in (start.used, start.opponent_used)]
        counts = [np.bincount(size, minlength=len(self.card.categories) + 1).astype(float) for size in sizes]
        pairs = 2 * float((counts[0] * counts[1]).sum())
        seconds_per_block = block_seconds(self.card)
        if pairs > MAX_COUNTED_PAIRS:
            # Cards that were counted have leads over 4/5 of the most points, in rows twice as wide.
            blocks = pairs * 0.8 * self.card.most(self.card.full) / LANES
            return SolveCost(2 * 8.0 * LANES * blocks, blocks * seconds_per_block / threads)
        layers = self.model.layers(played, start)
        table_bytes = 8.0 * sum(math.prod(layer.shape) for layer in layers[1:])
        block_counts = [int(layer.block_counts.sum()) for layer in layers[1:-1]]
        seconds = sum(block_counts) * seconds_per_block / threads
        return SolveCost(table_bytes + 40.0 * max(block_counts, default=0), seconds)

    # --- values of positions

    def has_state(self, solved: ValueTable, position: CardPosition) -> bool:
        """Return whether the table has the layer of a position; it lacks the first one."""
        return super().has_state(solved, position) and array_name(self.turns_played(position)) in solved.arrays

    def _solved_layer(self, solved: ValueTable, played: int) -> CardLayer:
        """Return the layer after ``played`` turns as the table holds it."""
        start = _pair_state(solved.position) if isinstance(solved, PartialValueTable) else START
        return self.model.layer(played, start)

    def state_values(self, solved: ValueTable, positions: Sequence[CardPosition]) -> ValuesAndBounds:
        """Return both players' probabilities, read from the rows of the player who has just moved."""
        values = np.empty((len(positions), 2))
        for played, indices in group_by_key(map(self.turns_played, positions)).items():
            layer, rows = self._solved_layer(solved, played), solved.arrays[array_name(played)]
            seat = np.array([positions[index].seat for index in indices])
            mover, opponent, lead = np.array([_pair_state(positions[index]) for index in indices]).T
            row = layer.pair_indices(mover, opponent)
            previous_mover = rows[row, np.clip(layer.column(0) - lead, 0, layer.width - 1)]
            values[indices, seat], values[indices, 1 - seat] = 1 - previous_mover, previous_mover
        return values, solved.error_bound

    def turn_of(self, solved: ValueTable, position: CardPosition) -> SingleTurn:
        """Return the turn of the position's two sets, which leads to the next layer."""
        state, played = _pair_state(position), self.turns_played(position)
        next_layer, zero = self._solved_layer(solved, played + 1), np.zeros(1, dtype=np.int64)
        pair = CardLayer(np.array([state.used]), np.array([state.opponent_used]), zero, zero)
        options = self.model.entry_options(pair, next_layer)
        first_row = int(np.flatnonzero(next_layer.mover_sets == state.opponent_used)[0]) * len(next_layer.opponent_sets)
        options = EntryOptions(
            options.option_start, options.column, options.row + first_row, options.first_roll, options.end_roll
        )
        option_set, early = turn_option_sets(self.card, zero, 1)
        rows, lane = solved.arrays[array_name(played + 1)], state.lead + next_layer.column(0)
        return SingleTurn(self.turn, rows, options, int(option_set[0]), lane, early=early)

    def seat_payoffs(self, position: CardPosition, value: float) -> list[float]:
        """Return both probabilities, between 0 and 1 in spite of rounding.

        Between turns a certain result is returned as the table stores it, so the table and a solve on demand agree
        in every bit.
        """
        win = min(max(value, 0.0), 1.0)
        if not self.playable.turn_begins(position):
            return rotate_to_seats(position.seat, [win, 1 - win])
        certain = self.model.certain_result(_pair_state(position))
        loss = 1 - (win if certain is None else certain)
        return rotate_to_seats(position.seat, [1 - loss, loss])


def _pair_state(position: CardPosition) -> PairState:
    """Return the state before the turn that contains a position."""
    own, opponent = position.own, position.others[0]
    return PairState(own.used, opponent.used, own.score - opponent.score)
