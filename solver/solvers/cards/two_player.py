"""A card filled by two players in turn: the whole game, sets of used categories and the lead included.

A position before a turn is (sets used by the mover and by the opponent, the mover's lead). Turns alternate, so a layer
is the number of turns played, and layers are solved from the last one backwards. A layer is kept as it looks to the
player who has just moved: ``rows[mover's set, opponent's set]`` holds that opponent's chance by their own lead. So
what a turn of a mover with the lead d leads to, when it scores s, is read at d + s from the next layer's rows: lanes of
leads stay contiguous, and one copy of every layer is enough.

Only leads that can occur and that leave the game open are solved. A lead larger than all that the other can still score
is won for certain, unless the other may still win at once; rows end at such leads and are read as 0 or 1 beyond them.

The whole table takes minutes and half a gigabyte. A table may hold its early layers alone: after few turns there are
few positions. What they do not answer is solved when asked about, from that position on: only sets that hold the used
ones, only leads that can follow its lead. Both give the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...core.keep import LANES
from ...play.card import CardPosition, Play
from ...storage.checkpoints import Checkpoint
from ...turns.keep_turn import Doubles, EntryOptions, Ints, KeepTurn, Longs
from ...util.errors import InputError, TooMuchError
from ...util.threads import ThreadPool
from ..cost_estimates import SolveCost
from ..problem import ArraySpec, Found, PartialValueTable, Progress, ValueTable, group_by_key, rotate_to_seats
from .cost_estimates import block_seconds
from .model import popcount
from .problem import CardMatch, TurnProblem
from .two_player_blocks import cut, solve_block

if TYPE_CHECKING:
    from ..cluster import Cluster

AT_A_TIME = 16_384  # blocks to a call: a second or two, after which progress shows and an interrupt is heard
MOST_PAIRS = 10_000_000  # pairs of sets that are listed to say exactly what a solve takes
ON_DEMAND = 60.0  # seconds that solving what follows a position may take; beyond, the whole table is needed
BEGINNING = (0, 0, 0)
FAR = -(1 << 24)  # places: past every row's beginning, where all is lost


@dataclass(frozen=True)
class Layer:
    """The positions after some number of turns: the sets that the mover and the opponent (who moved last) can have
    used; for each pair of them, the mover's first and last lead that must be solved (none where the first is larger).
    """

    mover: Longs
    opponent: Longs
    low: Longs
    high: Longs

    @cached_property
    def widest(self) -> int:
        """The largest lead that is kept: beyond it all that can occur is certain."""
        return max(0, int(self.high.max()), int(-self.low.min()))

    @cached_property
    def blocks(self) -> Longs:
        """By pair of sets, the blocks of leads to solve."""
        count: Longs = np.maximum((self.high - self.low) // LANES + 1, 0)
        return count

    @property
    def width(self) -> int:
        """Places of a row: certain losses, the leads from -widest to widest, certain wins."""
        return -(-(2 * self.widest + 1) // LANES) * LANES + 2 * LANES

    @property
    def shape(self) -> tuple[int, int]:
        """Of its rows."""
        return len(self.mover) * len(self.opponent), self.width

    def lanes(self) -> tuple[Longs, Longs]:
        """The blocks of leads to solve: the pair of sets of each, and its first lead."""
        count = self.blocks
        problem = np.repeat(np.arange(len(count)), count)
        first = np.repeat(np.cumsum(count) - count, count)
        return problem, self.low[problem] + LANES * (np.arange(len(problem)) - first)

    def place(self, lead: int) -> int:
        """Where a row holds a lead."""
        return lead + self.widest + LANES


class Win(CardMatch):
    """The chance to win of two players who both play their best; a tie counts half."""

    player_range = (2, 2)
    is_resumable = is_distributable = solves_on_demand = True

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        if self.card.upper_mask or self.card.flags == 2:
            raise InputError(
                f"{self.game.id} has too many positions of two players to be solved: ask for points or reach"
            )

    @property
    def turns(self) -> int:
        """Turns of both players together."""
        return 2 * len(self.card.categories) // self.card.boxes

    @cached_property
    def turn(self) -> KeepTurn:
        """The compiled turn of either player; a throw that wins at once adds 1 to what is lost for certain."""
        gain, shift = np.where(self.card.scores >= 0, 0.0, -np.inf), self.card.scores.astype(np.int32)
        wins = self.wins
        return KeepTurn(self.card.lattice, self.card.throws, np.where(wins, 1.0, gain), np.where(wins, FAR, shift))

    @cached_property
    def wins(self) -> NDArray[np.bool_]:
        """(columns, full throws) whether entering it wins the game: only after a first throw."""
        wins = np.zeros(self.card.scores.shape, dtype=np.bool_)
        for number, category in enumerate(self.card.categories):
            if category.wins:
                column = len(self.card.categories) + number
                wins[column] = self.card.scores[column] > 0
        return wins

    def _most(self, sets: Longs) -> Longs:
        """The most points that sets of categories hold."""
        most = np.zeros_like(sets)
        for number in range(len(self.card.categories)):
            most += max(self.card.held(number, 0)) * (sets >> number & 1)
        return most

    def _layer(self, played: int, start: tuple[int, int, int]) -> Layer:
        """The layer after ``played`` turns, of what follows from a position: the two sets and the mover's lead."""
        boxes, full = self.card.boxes, self.card.full
        used, opponent_used, lead = start
        if (played - (used.bit_count() + opponent_used.bit_count()) // boxes) % 2:  # the other one is to move
            used, opponent_used, lead = opponent_used, used, -lead
        sets = self.card.sets()
        sizes = popcount(sets)
        movers = sets[(sets & used == used) & (sizes == played // 2 * boxes)]
        opponents = sets[(sets & opponent_used == opponent_used) & (sizes == (played + 1) // 2 * boxes)]
        mover, opponent = (side.ravel() for side in np.meshgrid(movers, opponents, indexing="ij"))
        low, high = lead - self._most(opponent ^ opponent_used), lead + self._most(mover ^ used)
        low = np.where(self._can_win(mover), low, np.maximum(low, -self._most(full ^ mover)))
        high = np.where(self._can_win(opponent), high, np.minimum(high, self._most(full ^ opponent)))
        return Layer(movers, opponents, low, high)

    def _can_win(self, sets: Longs) -> NDArray[np.bool_]:
        """Whether who has used these categories may still win at once, whatever the lead."""
        wins = self.card.mask([category.name for category in self.card.categories if category.wins])
        can: NDArray[np.bool_] = ~sets & wins != 0
        return can

    def layers(self, played: int, start: tuple[int, int, int] = BEGINNING) -> list[Layer]:
        """The layers from ``played`` turns to the end."""
        return [self._layer(turns, start) for turns in range(played, self.turns + 1)]

    def solve(
        self, threads: int, progress: Progress, checkpoint: Checkpoint | None = None, cluster: Cluster | None = None
    ) -> ValueTable:
        """Solve every position: ``after1``, ``after2``, ...: the rows of each layer (see the module's text)."""
        return self._solve(self.layers(0), 0, threads, progress, checkpoint, cluster)

    solve_with_checkpoint = solve

    def covers(self, solved: ValueTable, position: CardPosition) -> bool:
        """Whether the layer that the position's turn leads to is there, with its sets and its lead."""
        if isinstance(solved, PartialValueTable) and not self.follows(solved.position, position):
            return False
        return f"after{self.played(position) + 1}" in solved.arrays

    def follows(self, start: CardPosition, position: CardPosition) -> bool:
        """Whether both cards hold the boxes used at the start, and the lead can have come of it."""
        pairs = list(zip(position.cards, start.cards, strict=True))
        if not all(now.used & then.used == then.used for now, then in pairs):
            return False
        (gained, most), (others, others_most) = (
            (now.score - then.score, self._most(np.array([now.used ^ then.used]))[0]) for now, then in pairs
        )
        return bool(-others_most <= gained - others <= most)

    def solve_from(self, position: CardPosition, threads: int, progress: Progress) -> ValueTable:
        """Solve what can follow a position."""
        played = self.played(position)
        solved = self._solve(self.layers(played, _told(position)), played, threads, progress)
        return PartialValueTable(solved.arrays, solved.error_bound, position)

    def estimate_cost(self, threads: int) -> SolveCost:
        """What grows: the pairs of sets of every layer, and with each the leads."""
        return self._cost(0, BEGINNING, threads)

    def estimate_cost_from(self, position: CardPosition, threads: int) -> SolveCost:
        """The same of what follows from a position; refused where the whole table, which is kept, serves better."""
        found = self._cost(self.played(position), _told(position), threads)
        if found.seconds > ON_DEMAND:
            whole = self.estimate_cost(threads)
            raise TooMuchError(
                f"so early in {self.game.title} an answer needs the whole table, {whole}", True, whole.too_much
            )
        return found

    def _cost(self, played: int, start: tuple[int, int, int], threads: int) -> SolveCost:
        sizes = [popcount(self.card.sets(used)) for used in start[:2]]
        counts = [np.bincount(one, minlength=len(self.card.categories) + 1).astype(float) for one in sizes]
        pairs = 2 * float((counts[0] * counts[1]).sum())
        if pairs > MOST_PAIRS:  # roughly: leads over 4/5 of the most points, in rows twice as wide, as where counted
            blocks = pairs * 0.8 * self.card.most(self.card.full) / LANES
            return SolveCost(2 * 8.0 * LANES * blocks, blocks * block_seconds(self.card) / threads)
        layers = self.layers(played, start)
        table = 8.0 * sum(math.prod(layer.shape) for layer in layers[1:])
        each = [int(layer.blocks.sum()) for layer in layers[1:-1]]
        return SolveCost(table + 40.0 * max(each, default=0), sum(each) * block_seconds(self.card) / threads)

    def empty_table(self) -> ValueTable:
        """What is known without solving: the bound."""
        return ValueTable({}, self._bound)

    @property
    def _bound(self) -> float:
        return self.turns * (self.turn.rounding_bound + 2.0**-53)

    def _solve(
        self,
        layers: list[Layer],
        played: int,
        threads: int,
        progress: Progress,
        checkpoint: Checkpoint | None = None,
        cluster: Cluster | None = None,
    ) -> ValueTable:
        """Solve all layers but the first, which is one turn away from what they hold."""
        work = [int(layer.blocks.sum()) for layer in layers[1:-1]]
        total, done = sum(work) or 1, 0
        last = layers[-1]
        rows = np.zeros((1, last.width))
        rows[0, last.place(0)] = 0.5
        rows[0, last.place(0) + 1 :] = 1.0
        arrays = {f"after{self.turns}": rows}
        with ThreadPool(threads) as pool:
            for number, (layer, after) in reversed(list(enumerate(pairwise(layers)))):
                if number == 0:
                    break
                name = f"after{played + number}"
                bound = self._bound
                kept = checkpoint.load_layer(name, layer.shape, -bound, 1 + bound) if checkpoint else None
                if kept is None:
                    kept = self.certain(layer)
                    for share in self._solve_layer(layer, after, rows, kept, pool, threads, cluster):
                        progress((done + share * work[number - 1]) / total)
                    if checkpoint:
                        checkpoint.save_layer(name, kept)
                arrays[name] = rows = kept
                done += work[number - 1]
                progress(done / total)
        return ValueTable(arrays, self._bound)

    def certain(self, layer: Layer) -> Doubles:
        """The rows of a layer with what is certain: 1 where the lead is more than the other can still score."""
        leads = np.arange(layer.width) - layer.place(0)  # of the player who has just moved
        still = np.repeat(self._most(self.card.full ^ layer.mover), len(layer.opponent))
        open_ = np.repeat(self._can_win(layer.mover), len(layer.opponent))
        certain: Doubles = (~open_[:, None] & (leads[None] > still[:, None])).astype(float)
        return certain

    def _solve_layer(
        self,
        layer: Layer,
        after: Layer,
        rows: Doubles,
        solved: Doubles,
        pool: ThreadPool,
        threads: int,
        cluster: Cluster | None,
    ) -> Iterator[float]:
        """Write a layer's rows to ``solved``; yields the share done."""
        count, (problem, lead) = layer.blocks, layer.lanes()
        problems = self.problems(layer, after)
        flat, lanes, done = solved.ravel(), lead + after.place(0), 0
        tasks = cluster.tasks(len(problem) * block_seconds(self.card)) if cluster else 0
        size = -(-len(problem) // tasks) if tasks else AT_A_TIME
        parts = [slice(begin, begin + size) for begin in range(0, len(problem), size)]

        def here() -> Iterator[tuple[slice, Doubles]]:
            for part in parts:
                ending, early = self.ends(problem[part], len(count))
                batch = self.turn.solve(rows, problems, ending, lanes[part], early=early, pool=pool, threads=threads)
                yield part, batch.value

        def there(cluster: Cluster) -> Iterator[tuple[slice, Doubles]]:
            sets = f"{popcount(layer.mover[:1])[0]}-{popcount(layer.opponent[:1])[0]}"  # used categories
            named = (
                (f"cards-{sets}-{number}", cut(rows, problems, *self.ends(problem[part], len(count)), lanes[part]))
                for number, part in enumerate(parts)
            )
            for number, value in cluster.results(solve_block, named):
                yield parts[number], value

        for part, value in there(cluster) if cluster and tasks else here():
            of_lane = lead[part, None] + np.arange(LANES)
            place = problem[part, None] * layer.width + layer.place(0) - of_lane
            needed = of_lane <= layer.high[problem[part], None]
            flat[place[needed]] = 1 - np.clip(value[needed], 0, 1)  # a chance, whatever the rounding of its sums
            done += len(value)
            yield done / len(problem)

    def problems(self, layer: Layer, after: Layer) -> EntryOptions:
        """The options of every pair of sets, leading to the next layer's row of the two. Where it matters, those after
        a first throw follow.
        """
        sizes, options, rows = list[int](), list[Ints](), list[Longs]()
        times = len(layer.opponent)
        for served in range(1 + self.card.served):
            for mover in layer.mover.tolist():
                open_ = list(self.card.options(mover, bool(served)))
                to = np.searchsorted(after.opponent, [mover | entry.fills for entry, _, _ in open_])
                row = (
                    np.arange(times)[:, None] * len(after.opponent) + to[None]
                )  # the opponent moves next: their set first
                here = np.array([(entry.column, first, last) for entry, first, last in open_], dtype=np.int32).T
                sizes += [len(open_)] * times
                options.append(np.tile(here, times))
                rows.append(row.ravel())
        column, first, last = np.ascontiguousarray(np.concatenate(options, axis=1))
        return EntryOptions(np.cumsum([0, *sizes]), column, np.concatenate(rows), first, last)

    def array_specs(self) -> dict[str, ArraySpec]:
        """The rows of every layer but the first."""
        layers = enumerate(self.layers(1), 1)
        return {f"after{played}": ArraySpec(layer.shape) for played, layer in layers}

    def played(self, position: CardPosition) -> int:
        """Turns played before a position."""
        return sum(card.used.bit_count() for card in position.cards) // self.card.boxes

    def has_state(self, solved: ValueTable, position: CardPosition) -> bool:
        """All but the first of those that are solved."""
        return super().has_state(solved, position) and f"after{self.played(position)}" in solved.arrays

    def _tabled_layer(self, solved: ValueTable, played: int) -> Layer:
        """The layer after so many turns, as the solved rows have it."""
        return self._layer(played, _told(solved.position) if isinstance(solved, PartialValueTable) else BEGINNING)

    def state_values(self, solved: ValueTable, positions: Sequence[CardPosition]) -> Found:
        """The chance of who has just moved, by both sets and their own lead."""
        found = np.empty((len(positions), 2))
        for played, numbers in group_by_key(map(self.played, positions)).items():
            layer, rows = self._tabled_layer(solved, played), solved.arrays[f"after{played}"]
            told = ((one.seat, one.own, one.others[0]) for one in (positions[number] for number in numbers))
            seat, mover, opponent, lead = np.array(
                [(seat, own.used, other.used, other.score - own.score) for seat, own, other in told]
            ).T
            row = np.searchsorted(layer.mover, mover) * len(layer.opponent) + np.searchsorted(layer.opponent, opponent)
            moved = rows[row, np.clip(layer.place(0) + lead, 0, layer.width - 1)]
            found[numbers, seat], found[numbers, 1 - seat] = 1 - moved, moved
        return found, solved.error_bound

    def turn_of(self, solved: ValueTable, position: CardPosition) -> TurnProblem:
        """The turn of the two sets, which leads to the next layer."""
        own, other, played = position.own, position.others[0], self.played(position)
        after, nil = self._tabled_layer(solved, played + 1), np.zeros(1, dtype=np.int64)
        problems = self.problems(Layer(np.array([own.used]), np.array([other.used]), nil, nil), after)
        times = int(np.flatnonzero(after.mover == other.used)[0])
        problems = EntryOptions(
            problems.start, problems.column, problems.row + times * len(after.opponent), problems.first, problems.last
        )
        rows = solved.arrays[f"after{played + 1}"]
        ending, early = self.ends(nil, 1)
        lane = own.score - other.score + after.place(0)
        return TurnProblem(self.turn, rows, problems, int(ending[0]), lane, early=early)

    def by_seat(self, position: CardPosition, value: float) -> list[float]:
        """A chance, whatever the rounding of its sums, and what it leaves; between turns what is tabled, certain
        or not, so that the table and solving on give the same bits.
        """
        win, begins = min(max(value, 0.0), 1.0), self.playable.turn_begins(position)
        if begins:
            own, other, lead = _told(position)
            sets = np.array([own, other])
            (mine, theirs), (may, might) = self._most(self.card.full ^ sets), self._can_win(sets)
            win = 1.0 if lead > theirs and not might else 0.0 if -lead > mine and not may else win
        rest = 1 - win
        return rotate_to_seats(position.seat, [1 - rest if begins else win, rest])


def _told(position: CardPosition) -> tuple[int, int, int]:
    """The two sets and the lead of the player to move."""
    own, other = position.own, position.others[0]
    return own.used, other.used, own.score - other.score
