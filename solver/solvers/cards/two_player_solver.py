"""Retrograde analysis of a card that two players fill: every layer is solved from the next one.

A layer's turns are independent problems: one block of lanes for every pair of sets and block of leads. They run on
threads, or as tasks on a cluster. Either way gives the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...core.keep import LANES
from ...storage.checkpoints import Checkpoint
from ...turns.keep_turn import Doubles, EntryOptions, Longs
from ...util.threads import ThreadPool
from ..problem import Progress
from .cost_estimates import block_seconds
from .model import popcount, turn_option_sets
from .two_player_blocks import LayerBlock, extract_block, solve_block
from .two_player_layers import CardLayer, TwoPlayerCardModel, array_name

if TYPE_CHECKING:
    from ..cluster import Cluster

BLOCKS_PER_CALL = 16_384  # one or two seconds, after which progress is reported and an interrupt is noticed


@dataclass(frozen=True)
class _LayerTurns:
    """All turns of a layer as arguments of ``KeepTurn.solve``, one entry per block of lanes."""

    rows: Doubles
    options: EntryOptions
    option_set: Longs
    lane: Longs
    early: Longs | None

    def block(self, part: slice) -> LayerBlock:
        """Return some of the turns, with the rows that they lead to."""
        early = None if self.early is None else self.early[:, part]
        return extract_block(self.rows, self.options, self.option_set[part], early, self.lane[part])


class LayerSolver:
    """Solves layers from the end of the game backwards.

    Args:
        model: the layers and turns of the card.
        threads: threads that share the blocks.
        progress: called with the share of the work that is done.
        checkpoint: finished layers are saved there and read from there.
        cluster: solves layers that are large enough.
    """

    def __init__(
        self,
        model: TwoPlayerCardModel,
        threads: int,
        progress: Progress,
        checkpoint: Checkpoint | None = None,
        cluster: Cluster | None = None,
    ) -> None:
        self.model, self.threads, self.progress = model, threads, progress
        self.checkpoint, self.cluster = checkpoint, cluster

    def solve(self, layers: list[CardLayer], turns_played: int) -> dict[str, Doubles]:
        """Return the rows of all layers but the first, which is one turn away from the second.

        Args:
            layers: consecutive layers up to the end of the game.
            turns_played: the turns before the first of them.
        """
        work = [int(layer.block_counts.sum()) for layer in layers[1:-1]]
        total, done = sum(work) or 1, 0
        rows = self.model.terminal_values(layers[-1])
        arrays = {array_name(self.model.turns): rows}
        with ThreadPool(self.threads) as pool:
            for index in range(len(layers) - 2, 0, -1):
                layer, name, layer_work = layers[index], array_name(turns_played + index), work[index - 1]
                layer_rows = self._load(name, layer)
                if layer_rows is None:
                    layer_rows = self.model.certain_values(layer)
                    for share in self._solve_layer(layer, layers[index + 1], rows, layer_rows, pool):
                        self.progress((done + share * layer_work) / total)
                    if self.checkpoint:
                        self.checkpoint.save_layer(name, layer_rows)
                arrays[name] = rows = layer_rows
                done += layer_work
                self.progress(done / total)
        return arrays

    def _load(self, name: str, layer: CardLayer) -> Doubles | None:
        """Return the rows of a layer from the checkpoint, if it has them."""
        if self.checkpoint is None:
            return None
        bound = self.model.error_bound
        return self.checkpoint.load_layer(name, layer.shape, -bound, 1 + bound)

    def _solve_layer(
        self, layer: CardLayer, next_layer: CardLayer, next_rows: Doubles, rows: Doubles, pool: ThreadPool
    ) -> Iterator[float]:
        """Write the values of a layer to ``rows``, from those of the next layer; yield the share done."""
        pair, lead = layer.lane_blocks()
        option_set, early = turn_option_sets(self.model.card, pair, len(layer.block_counts))
        options = self.model.entry_options(layer, next_layer)
        turns = _LayerTurns(next_rows, options, option_set, lead + next_layer.column(0), early)
        done, flat = 0, rows.ravel()
        for part, value in self._values(layer, turns, pool):
            leads = lead[part, None] + np.arange(LANES)
            place = pair[part, None] * layer.width + layer.column(0) - leads
            is_needed = leads <= layer.max_leads[pair[part], None]
            flat[place[is_needed]] = 1 - np.clip(value[is_needed], 0, 1)  # rounding may leave the range
            done += len(value)
            yield done / len(pair)

    def _values(self, layer: CardLayer, turns: _LayerTurns, pool: ThreadPool) -> Iterator[tuple[slice, Doubles]]:
        """Yield parts of a layer's turns with the mover's values (blocks, LANES), on the cluster or on threads."""
        seconds = len(turns.option_set) * block_seconds(self.model.card)
        tasks = self.cluster.task_count(seconds) if self.cluster else 0
        size = -(-len(turns.option_set) // tasks) if tasks else BLOCKS_PER_CALL
        parts = [slice(begin, begin + size) for begin in range(0, len(turns.option_set), size)]
        if self.cluster and tasks:
            used_counts = f"{popcount(layer.mover_sets[:1])[0]}-{popcount(layer.opponent_sets[:1])[0]}"
            blocks = ((f"cards-{used_counts}-{number}", turns.block(part)) for number, part in enumerate(parts))
            for number, value in self.cluster.run_tasks(solve_block, blocks):
                yield parts[number], value
            return
        for part in parts:
            early = None if turns.early is None else turns.early[:, part]
            solved = self.model.turn.solve(
                turns.rows,
                turns.options,
                turns.option_set[part],
                turns.lane[part],
                early_option_sets=early,
                pool=pool,
                threads=self.threads,
            )
            yield part, solved.value
