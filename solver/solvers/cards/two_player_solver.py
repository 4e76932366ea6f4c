"""Retrograde analysis of a card that two players fill: every layer is solved from the next one.

A layer's turns are independent problems: one block of lanes for every pair of sets and block of leads. They run on
threads, or as tasks on a cluster. Either way gives the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...core.keep import LANES
from ...storage.checkpoints import Checkpoint
from ...turns.keep_turn import Doubles, EntryOptions, Longs
from ...util.progress_reporting import ProgressCallback
from ...util.threads import ThreadPool
from .cost_estimates import block_seconds
from .model import popcount, turn_option_sets
from .two_player_blocks import LayerBlock, extract_block, solve_block
from .two_player_layers import CardLayer, TwoPlayerCardModel, array_name

if TYPE_CHECKING:
    from ..cluster import Cluster

BLOCKS_PER_CALL = 16_384  # one or two seconds, after which progress is reported and an interrupt is noticed


@dataclass(frozen=True)
class _LayerTurns:
    """All turns of a layer as arguments of ``KeepTurn.solve``, one entry per block of lanes.

    Attributes:
        rows: (pairs, width) the values of the next layer.
        options: the options of the layer's pairs.
        option_set: (blocks,) the option sets of the last roll.
        lane: (blocks,) the column of ``rows`` at which each block begins.
        early_option_sets: (rolls - 1, blocks) the option sets of earlier rolls; None if dice score alike after every
            roll.
    """

    rows: Doubles
    options: EntryOptions
    option_set: Longs
    lane: Longs
    early_option_sets: Longs | None

    @property
    def count(self) -> int:
        """The number of blocks of lanes."""
        return len(self.option_set)

    def early_option_sets_of(self, part: slice) -> Longs | None:
        """Return the option sets of the rolls before the last, for some blocks of lanes: (rolls - 1, blocks)."""
        return None if self.early_option_sets is None else self.early_option_sets[:, part]

    def extract_part(self, part: slice) -> LayerBlock:
        """Copy the turns of some blocks of lanes, with only the rows and options that they read."""
        return extract_block(
            self.rows,
            self.options,
            option_set=self.option_set[part],
            early_option_sets=self.early_option_sets_of(part),
            lane=self.lane[part],
        )


class LayerSolver:
    """Solves layers of a card game of two players from the end of the game backwards.

    A layer is all states after some number of turns: pairs of both players' sets of used categories, each with a range
    of leads. Its values are rows (pairs, width): the probability that the player who has just moved wins, by this
    player's lead. A block of lanes is ``LANES`` consecutive leads of one pair.

    Args:
        model: the layers and turns of the card.
        threads: threads that share the blocks.
        progress: called with the fraction of the work that is done.
        checkpoint: finished layers are saved there and read from there.
        cluster: solves layers that are large enough.
    """

    def __init__(
        self,
        model: TwoPlayerCardModel,
        threads: int,
        progress: ProgressCallback,
        checkpoint: Checkpoint | None = None,
        cluster: Cluster | None = None,
    ) -> None:
        """Store what a solve needs.

        Args:
            model: the layers and turns of the card.
            threads: threads that share the blocks of lanes.
            progress: called with the fraction of the work that is done.
            checkpoint: finished layers are saved there and loaded from there; None to do neither.
            cluster: solves layers that take long enough; None to solve all on threads.
        """
        self.model = model
        self.threads = threads
        self.progress = progress
        self.checkpoint = checkpoint
        self.cluster = cluster

    def solve(self, layers: list[CardLayer], turns_played: int) -> dict[str, Doubles]:
        """Compute the values of all layers but the first, from the end of the game backwards.

        Args:
            layers: consecutive layers up to the end of the game.
            turns_played: the turns before the first of them.

        Returns:
            By array name, the values of each layer: (pairs of used sets, columns for leads), the probability that the
            player who has just moved wins.
        """
        next_rows = self.model.terminal_values(layers[-1])
        arrays = {array_name(self.model.turns): next_rows}
        # The layers between the first, which is not solved, and the last. Progress is counted in blocks of lanes.
        indices = range(1, len(layers) - 1)
        block_counts = {index: int(layers[index].block_counts.sum()) for index in indices}
        total_blocks = max(sum(block_counts.values()), 1)
        blocks_done = 0
        with ThreadPool(self.threads) as pool:
            for index in reversed(indices):
                layer = layers[index]
                name = array_name(turns_played + index)
                rows = self._load_from_checkpoint(name, layer)
                if rows is None:
                    rows = self.model.certain_values(layer)  # ``_solve_layer`` writes all other values
                    for fraction in self._solve_layer(layer, layers[index + 1], next_rows, rows, pool):
                        self.progress((blocks_done + fraction * block_counts[index]) / total_blocks)
                    if self.checkpoint:
                        self.checkpoint.save_layer(name, rows)
                arrays[name] = next_rows = rows
                blocks_done += block_counts[index]
                self.progress(blocks_done / total_blocks)
        return arrays

    def _load_from_checkpoint(self, name: str, layer: CardLayer) -> Doubles | None:
        """Return the rows (pairs, width) of a layer from the checkpoint; None if it does not hold the layer.

        Args:
            name: the name of the layer's array.
            layer: the layer.
        """
        if self.checkpoint is None:
            return None
        bound = self.model.error_bound
        lowest, highest = -bound, 1 + bound  # probabilities, with their rounding
        return self.checkpoint.load_layer(name, layer.shape, lowest, highest)

    def _solve_layer(
        self, layer: CardLayer, next_layer: CardLayer, next_rows: Doubles, rows: Doubles, pool: ThreadPool
    ) -> Iterator[float]:
        """Compute the values of a layer from those of the next layer.

        A lane is a lead of the mover, and a block of lanes is ``LANES`` consecutive leads of one pair of used sets.
        Values are stored for the player who has just moved, by that player's lead.

        Args:
            layer: the layer to solve.
            next_layer: the layer after it.
            next_rows: (pairs, width) the values of the next layer.
            rows: (pairs, width) the values of the layer. They are written for the leads to solve; all other entries
                hold certain results already.
            pool: threads that share the blocks.

        Yields:
            The fraction of the layer that is done.
        """
        pair, first_lead = layer.lane_blocks()  # by block, the number of its pair and the lead of its first lane
        pair_count = len(layer.block_counts)  # ``block_counts`` has an entry for each pair
        option_set, early_option_sets = turn_option_sets(self.model.card, pair, pair_count)
        # A turn without points leaves the lead as it is. By block, this is the column of ``next_rows`` to which such a
        # turn leads from the first lane. Columns rise with the lead.
        first_column = next_layer.column_of_lead(0) + first_lead
        turns = _LayerTurns(
            rows=next_rows,
            options=self.model.entry_options(layer, next_layer),
            option_set=option_set,
            lane=first_column,
            early_option_sets=early_option_sets,
        )
        blocks_done = 0
        for part, value in self._solve_parts(layer, turns, pool):  # a slice of the blocks, and the mover's values
            _write_values(layer, rows, pair[part], first_lead[part], value)
            blocks_done += len(value)
            yield blocks_done / len(pair)

    def _solve_parts(self, layer: CardLayer, turns: _LayerTurns, pool: ThreadPool) -> Iterator[tuple[slice, Doubles]]:
        """Solve the turns of a layer in parts, on the cluster if they take long enough, else on threads.

        Args:
            layer: the layer.
            turns: its turns, one for each block of ``LANES`` consecutive leads of a pair of used sets.
            pool: threads that share the blocks of a part.

        Yields:
            A part of the blocks, and the mover's values (blocks of the part, LANES).
        """
        seconds = turns.count * block_seconds(self.model.card)
        tasks = self.cluster.task_count(seconds) if self.cluster else 0  # 0 if the layer is too short for it
        if self.cluster and tasks:
            yield from self._solve_on_cluster(self.cluster, tasks, layer, turns)
            return
        for part in _slices(turns.count, BLOCKS_PER_CALL):
            solved = self.model.turn.solve(
                turns.rows,
                turns.options,
                turns.option_set[part],
                turns.lane[part],
                early_option_sets=turns.early_option_sets_of(part),
                pool=pool,
                threads=self.threads,
            )
            yield part, solved.value

    def _solve_on_cluster(
        self, cluster: Cluster, tasks: int, layer: CardLayer, turns: _LayerTurns
    ) -> Iterator[tuple[slice, Doubles]]:
        """Solve the turns of a layer in parts, each as one task of the cluster.

        Args:
            cluster: runs the tasks.
            tasks: the number of tasks.
            layer: the layer, which names the tasks.
            turns: its turns, one for each block of ``LANES`` consecutive leads of a pair of used sets.

        Yields:
            A part of the blocks, and the mover's values (blocks of the part, LANES).
        """
        parts = _slices(turns.count, math.ceil(turns.count / tasks))
        # All sets of one player in a layer have the same size, so the first ones name the layer.
        mover_boxes_used = popcount(layer.mover_sets[:1])[0]
        opponent_boxes_used = popcount(layer.opponent_sets[:1])[0]
        layer_name = f"cards-{mover_boxes_used}-{opponent_boxes_used}"
        # A task has a name, and carries its turns with the values that they read.
        named_blocks = ((f"{layer_name}-{number}", turns.extract_part(part)) for number, part in enumerate(parts))
        for number, value in cluster.run_tasks(solve_block, named_blocks):
            yield parts[number], value


def _slices(count: int, size: int) -> list[slice]:
    """Return consecutive slices of ``size`` items that together cover ``count`` items; the last may reach further."""
    return [slice(begin, begin + size) for begin in range(0, count, size)]


def _write_values(layer: CardLayer, rows: Doubles, pair: Longs, first_lead: Longs, value: Doubles) -> None:
    """Write the values of blocks of lanes into the rows of a layer, as the player who has just moved sees them.

    Args:
        layer: the layer.
        rows: (pairs, width) the values of the layer, by the lead of the player who has just moved.
        pair: (blocks,) the pair of used sets of each block.
        first_lead: (blocks,) the mover's lead in the first lane of each block.
        value: (blocks, LANES) the mover's values.
    """
    leads = first_lead[:, None] + np.arange(LANES)  # the mover's: (blocks, LANES)
    # The last block of a pair may reach beyond the leads to solve; those lanes are not written.
    is_lead_to_solve = leads <= layer.max_leads[pair, None]
    pair_of_lane = np.broadcast_to(pair[:, None], leads.shape)
    # For the player who has just moved a lead is minus the mover's, and a value is 1 less the mover's.
    columns = layer.column_of_lead(0) - leads[is_lead_to_solve]
    win_probabilities = np.clip(value[is_lead_to_solve], 0, 1)  # rounding may leave the range
    rows[pair_of_lane[is_lead_to_solve], columns] = 1 - win_probabilities
