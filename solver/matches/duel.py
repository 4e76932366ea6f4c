"""A card filled by two players in turn: the whole game, sets of used categories and the lead included.

A position before a turn is (sets used by the mover and by the opponent, the mover's lead). Turns alternate, so a layer
is the number of turns played, and layers are solved from the last one backwards. A layer is kept as it looks to the
player who has just moved: ``rows[mover's set, opponent's set]`` holds that opponent's chance by their own lead. So
what a turn of a mover with the lead d leads to, when it scores s, is read at d + s from the next layer's rows: lanes of
leads stay contiguous, and one copy of every layer is enough.

Only leads that can occur and that leave the game open are solved. A lead larger than all that the other can still score
is won for certain; rows end at such leads and are read as 0 or 1 beyond them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..advice import Advice, PositionValue, rank
from ..checkpoints import Checkpoint
from ..core.keep import LANES
from ..errors import InputError, TableError
from ..games import Game
from ..games.cardposition import CardPosition, read_card, read_number, read_used, show_position, show_used
from ..games.cards import Card
from ..turns.keep import Doubles, KeepTurn, Problems
from . import Solved, no_parameters
from .cardchoices import choices, turn_value
from .cardstates import CardStates, popcount

Longs = NDArray[np.int64]

AT_A_TIME = 16_384  # blocks to a call: a second or two, after which progress shows and an interrupt is heard
ON_DEMAND = 600_000  # blocks that are solved when a position is asked about: a minute or so on two cores


@dataclass(frozen=True)
class Layer:
    """The positions after some number of turns: the sets that the mover and the opponent (who moved last) can have
    used, and the largest lead that is kept.
    """

    mover: Longs
    opponent: Longs
    widest: int

    @property
    def width(self) -> int:
        """Places of a row: certain losses, the leads from -widest to widest, certain wins."""
        return -(-(2 * self.widest + 1) // LANES) * LANES + 2 * LANES

    def place(self, lead: int) -> int:
        """Where a row holds a lead."""
        return lead + self.widest + LANES


class Win:
    """The chance to win of two players who both play their best; a tie counts half."""

    objective = "win"
    resumable = True

    def __init__(self, game: Game, players: int | None = None, **parameters: int | None) -> None:
        no_parameters(self.objective, parameters)
        if players == 1:
            raise InputError("winning needs an opponent: players must be 2; alone, ask for points or reach")
        if players not in (None, 2):
            raise InputError(f"{game.title} is solved for two players: players must be 2, not {players}")
        self.card: Card = game.data
        if self.card.upper_mask or self.card.flags == 2:
            raise InputError(f"{game.id} has too many positions of two players to be solved: ask for points or reach")
        self.game = game
        self.players = 2
        self.parameters: dict[str, int] = {}

    @property
    def turns(self) -> int:
        """Turns of both players together."""
        return 2 * len(self.card.categories) // self.card.boxes

    @cached_property
    def _turn(self) -> KeepTurn:
        gain = np.where(self.card.scores >= 0, 0.0, -np.inf)
        return KeepTurn(self.card.lattice, self.card.throws, gain, self.card.scores.astype(np.int32))

    @cached_property
    def _most(self) -> Longs:
        """The most points by set of categories."""
        best = self.card.part_scores.max(axis=1)
        sets = np.arange(self.card.full + 1)
        held = sets[:, None] >> np.arange(len(best)) & 1
        return np.asarray(held @ best, dtype=np.int64)

    def _layer(self, played: int, mover: int, opponent: int) -> Layer:
        """The layer after ``played`` turns, of what follows from the given sets of the two who are then to move."""
        boxes = self.card.boxes
        sets = np.arange(self.card.full + 1)
        sizes = popcount(sets)
        movers = sets[(sets & mover == mover) & (sizes == played // 2 * boxes)]
        opponents = sets[(sets & opponent == opponent) & (sizes == (played + 1) // 2 * boxes)]
        occurs = max(self._most[movers].max(), self._most[opponents].max())
        left = max(self._most[self.card.full ^ movers].max(), self._most[self.card.full ^ opponents].max())
        return Layer(movers, opponents, int(min(occurs, left)))

    def _layers(self, played: int, mover: int, opponent: int) -> list[Layer]:
        """The layers from ``played`` turns to the end."""
        pair = (mover, opponent)
        found = []
        for turns in range(played, self.turns + 1):
            found.append(self._layer(turns, *pair))
            pair = (pair[1], pair[0])
        return found

    def _leads(self, layer: Layer) -> tuple[Longs, Longs]:
        """By row of a layer, the mover's leads that must be solved: first and last."""
        mover, opponent = (side.ravel() for side in np.meshgrid(layer.mover, layer.opponent, indexing="ij"))
        full = self.card.full
        low = np.maximum(-self._most[opponent], -self._most[full ^ mover])
        high = np.minimum(self._most[mover], self._most[full ^ opponent])
        return low, high

    def solve(self, threads: int, progress: Callable[[float], None], checkpoint: Checkpoint | None = None) -> Solved:
        """Solve every position: ``after1``, ``after2``, ...: the rows of each layer (see the module's text)."""
        return self._solve(self._layers(0, 0, 0), 0, threads, progress, checkpoint)

    def solve_from(self, position: CardPosition, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve what can follow a position, if that is a matter of seconds."""
        played = self.played(position)
        layers = self._layers(played, position.used, position.opponent_used)
        work = sum(self._blocks(layer) for layer in layers[1:-1])
        if work > ON_DEMAND:
            raise InputError(
                f"so early in {self.game.title} an answer needs the whole table, which takes minutes to make and is"
                f" then kept: run keepwise solve {self.game.id} --objective win -o {self.game.id}-win.npz"
            )
        return self._solve(layers, played, threads, progress)

    def without_table(self) -> Solved:
        """What is known without solving: the bound."""
        return Solved({}, self._bound)

    @property
    def _bound(self) -> float:
        return self.turns * (self._turn.rounding + 2.0**-53)

    def _blocks(self, layer: Layer) -> int:
        low, high = self._leads(layer)
        return int(((high - low) // LANES + 1).sum())

    def _solve(
        self,
        layers: list[Layer],
        played: int,
        threads: int,
        progress: Callable[[float], None],
        checkpoint: Checkpoint | None = None,
    ) -> Solved:
        """Solve all layers but the first, which is one turn away from what they hold."""
        work = [self._blocks(layer) for layer in layers[1:-1]]
        total, done = sum(work) or 1, 0
        last = layers[-1]
        rows = np.zeros((1, last.width))
        rows[0, last.place(0)] = 0.5
        rows[0, last.place(0) + 1 :] = 1.0
        arrays = {f"after{self.turns}": rows}
        with ThreadPoolExecutor(threads) as pool:
            for number, (layer, after) in reversed(list(enumerate(pairwise(layers)))):
                if number == 0:
                    break
                name = f"after{played + number}"
                kept = checkpoint.load(name) if checkpoint else None
                if kept is None:
                    kept = self._unsolved(layer)
                    for share in self._solve_layer(layer, after, rows[None], kept, pool, threads):
                        progress((done + share * work[number - 1]) / total)
                    if checkpoint:
                        checkpoint.save(name, kept)
                elif kept.shape != (len(layer.mover) * len(layer.opponent), layer.width):
                    raise TableError(f"{name} of the checkpoint does not fit the question; remove it")
                arrays[name] = rows = kept
                done += work[number - 1]
                progress(done / total)
        return Solved(arrays, self._bound)

    def _unsolved(self, layer: Layer) -> Doubles:
        """The rows of a layer with what is certain: 1 where the lead is more than the other can still score."""
        leads = np.arange(layer.width) - layer.place(0)  # of the player who has just moved
        still = np.repeat(self._most[self.card.full ^ layer.mover], len(layer.opponent))
        certain: Doubles = (leads[None] > still[:, None]).astype(float)
        return certain

    def _solve_layer(
        self,
        layer: Layer,
        after: Layer,
        rows: Doubles,
        solved: Doubles,
        pool: ThreadPoolExecutor,
        threads: int,
        turn: KeepTurn | None = None,
        column_of: tuple[int, ...] = (0,),
    ) -> Iterator[float]:
        """Write the last channel of a layer's rows to ``solved``; yields the share done."""
        low, high = self._leads(layer)
        count = (high - low) // LANES + 1
        problem = np.repeat(np.arange(len(low)), count)
        lead = low[problem] + LANES * (np.arange(len(problem)) - np.repeat(np.cumsum(count) - count, count))
        problems = self._problems(layer, after)
        flat = solved.ravel()
        for begin in range(0, len(problem), AT_A_TIME):
            part = slice(begin, begin + AT_A_TIME)
            lane = lead[part] + after.place(0)
            batch = (turn or self._turn).solve(
                rows, problems, problem[part], lane, column_of=column_of, pool=pool, threads=threads
            )
            value = batch.value[:, -1]
            of_lane = lead[part, None] + np.arange(LANES)
            place = problem[part, None] * layer.width + layer.place(0) - of_lane
            needed = of_lane <= high[problem[part], None]
            flat[place[needed]] = 1 - value[needed]
            yield min(1.0, (begin + AT_A_TIME) / len(problem))

    def _problems(self, layer: Layer, after: Layer) -> Problems:
        """The options of every row: each pair of open boxes, leading to the next layer's row of the two sets."""
        index = np.zeros(self.card.full + 1, dtype=np.int64)
        index[after.opponent] = np.arange(len(after.opponent))
        throws = len(self.card.lattice.weight)
        column, to = [], []
        for mover in layer.mover.tolist():
            open_ = [entry for entry in self.card.entries() if mover & entry.open == 0]
            column.append(np.array([entry.column for entry in open_], dtype=np.int32))
            to.append(index[[mover | entry.fills for entry in open_]])
        times = len(layer.opponent)
        row = [
            (np.arange(times)[:, None] * len(after.opponent) + leads_to[None]).ravel() for leads_to in to
        ]  # the opponent moves next, so their set comes first
        sizes = np.repeat([len(one) for one in column], times)
        columns = np.concatenate([np.tile(one, times) for one in column])
        return Problems(
            np.concatenate(([0], np.cumsum(sizes))),
            columns,
            np.concatenate(row),
            np.zeros_like(columns),
            np.full_like(columns, throws),
        )

    def points_player(
        self, solved: Solved, points: Solved, threads: int, progress: Callable[[float], None] = lambda done: None
    ) -> tuple[float, float]:
        """Chance to win of a player who plays for the most expected points, against one who plays to win.

        ``solved`` is the whole table of this match, ``points`` that of the card alone. Returns the chance when that
        player moves first and when they move second. Among equal choices the first in the card's order is made.
        """
        layers = self._layers(0, 0, 0)
        alone = points.arrays["points"][:, 0]
        by_set = np.zeros(self.card.full + 1)
        by_set[CardStates(self.card).sets] = alone
        scores = self.card.scores
        gain = np.concatenate((scores, np.zeros_like(scores))).astype(float)
        shift = np.concatenate((np.zeros_like(scores), scores)).astype(np.int32)
        both = KeepTurn(self.card.lattice, self.card.throws, gain, shift)
        found = []
        with ThreadPoolExecutor(threads) as pool:
            for seat in (0, 1):  # the points player moves first, or second
                chances = solved.arrays[f"after{self.turns}"]  # of whoever has just moved, who at the end is either
                for played in range(self.turns - 1, -1, -1):
                    layer, after = layers[played], layers[played + 1]
                    if played % 2 == seat:
                        own = np.tile(by_set[after.opponent], len(after.mover))
                        leads_to = np.stack((np.repeat(own[:, None], after.width, axis=1), chances))
                        turn, column_of = both, (0, len(scores))
                    else:
                        leads_to = np.stack((solved.arrays[f"after{played + 1}"], chances))
                        turn, column_of = self._turn, (0, 0)
                    chances = self._unsolved(layer)
                    for _ in self._solve_layer(layer, after, leads_to, chances, pool, threads, turn, column_of):
                        progress((seat + 1 - played / self.turns) / 2)
                first = 1 - float(chances[0, layers[0].place(0)])
                found.append(first if seat == 0 else 1 - first)
        return found[0], found[1]

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        layers = self._layers(0, 0, 0)
        return {
            f"after{played}": (len(layer.mover) * len(layer.opponent), layer.width)
            for played, layer in enumerate(layers)
            if played
        }

    def axes(self) -> dict[str, NDArray[Any]]:
        """Return the solved arrays that the question alone decides."""
        return {}

    def played(self, position: CardPosition) -> int:
        """Turns played before a position."""
        return (position.used.bit_count() + position.opponent_used.bit_count()) // self.card.boxes

    def read(
        self,
        *,
        used: object = (),
        opponent_used: object = (),
        score: object = None,
        opponents: object = None,
        seat: object = None,
        throw: object = None,
        roll: object = None,
    ) -> CardPosition:
        """Check a position: both cards and totals, and the throw of the player to move."""
        card = self.card
        mine = read_card(card, used, throw, roll, None, True, score)
        theirs, points = read_used(card, opponent_used, "opponent_used")
        filled, other = mine.used.bit_count(), theirs.bit_count()
        if other - filled not in (0, card.boxes):
            raise InputError(
                f"you have used {filled} categories, so your opponent has used {filled} (you move first)"
                f" or {filled + card.boxes} (you move second), not {other}"
            )
        mover = int(other > filled)
        if seat is not None and read_number(seat, "seat") != mover:
            raise InputError(f"by the categories used {mover} players have already played this round, not {seat}")
        total = sum(points.values())
        if isinstance(opponents, (list, tuple)) and len(opponents) == 1:
            opponents = opponents[0]
        if opponents is not None:
            total = read_number(opponents, "opponents")
        elif len(points) < other:
            raise InputError("the opponent's score must be given: the total of the categories they have used")
        if not card.totals(theirs) >> total & 1:
            raise InputError(f"the categories used by the opponent cannot hold {total} points together")
        return CardPosition(mine.used, theirs, mine.score, total, throw=mine.throw, roll=mine.roll)

    def show(self, position: CardPosition) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        shape = show_position(self.card, position)
        return {
            "score": position.score,
            "opponents": [position.opponent],
            "used": shape.pop("used"),
            "opponent_used": show_used(self.card, position.opponent_used),
            **shape,
        }

    def value(self, solved: Solved, position: CardPosition) -> PositionValue:
        """Chance to win of the player to move and of the opponent, a tie counting half."""
        win = turn_value(self._choices(solved, position))
        return PositionValue(win, (win, 1 - win))

    def advise(self, solved: Solved, position: CardPosition) -> Advice:
        """Rank every legal choice by the chance to win."""
        return Advice(self.objective, rank(self._choices(solved, position), solved.error_bound))

    def _choices(self, solved: Solved, position: CardPosition) -> Any:
        played = self.played(position)
        whole = len(solved.arrays) == self.turns  # the stored table knows all sets, another what follows from here
        pair = (position.opponent_used, position.used)
        after = self._layer(played + 1, *((0, 0) if whole else pair))
        here = Layer(np.array([position.used]), np.array([position.opponent_used]), 0)
        problems = self._problems(here, after)
        times = int(np.flatnonzero(after.mover == position.opponent_used)[0])
        problems = Problems(
            problems.start, problems.column, problems.row + times * len(after.opponent), problems.first, problems.last
        )
        rows = solved.arrays[f"after{played + 1}"]
        lane = position.score - position.opponent + after.place(0)
        return choices(self.card, self._turn, rows, problems, 0, lane, position)
