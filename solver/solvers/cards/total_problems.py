"""A card filled alone for what its total gives in the end: the greatest chance of a total, or points by ranges of it.

The total is part of the position. It is counted down, as what is still needed to reach the ``top``, the total from
which on nothing changes any more.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from ...core.keep import LANES
from ...games.cards import Card
from ...play.card import CardPosition
from ...play.filled import Filled
from ...turns.keep_turn import Doubles, EntryOptions, KeepTurn, Longs
from ...util.threads import ThreadPool
from ..cost_estimates import SolveCost
from ..problem import ArraySpec, Found, PartialValueTable, Progress, ValueTable
from .cost_estimates import block_seconds
from .model import CardStates, picked
from .problem import CardMatch, TurnProblem


@dataclass(frozen=True)
class TotalLayer:
    """The values of the states of one size: ``rows`` (rows, width) by points still needed, and which row a place
    (state times the upper totals, plus the upper total) stands for.
    """

    rows: Doubles
    place: Longs


class ByTotal(CardMatch):
    """A card that is worth what its total gives in the end.

    What can follow a position is solved when the position is asked about; nothing is stored, for a card with an upper
    bonus would need gigabytes.
    """

    solves_on_demand = True

    @property
    @abstractmethod
    def top(self) -> int:
        """The total from which on nothing changes."""

    @abstractmethod
    def worth_of(self, totals: Longs) -> Doubles:
        """What whole cards of these totals are worth."""

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Nothing is solved before a position is asked about."""
        return self.empty_table()

    def empty_table(self) -> ValueTable:
        """No arrays, and the bound."""
        turns = len(self.card.categories) // self.card.boxes
        return ValueTable({}, turns * self._turn.rounding_bound * max(map(abs, self._bounds)))

    def covers(self, solved: ValueTable, position: CardPosition) -> bool:
        """Nothing is stored: only what was solved for the position itself."""
        return isinstance(solved, PartialValueTable) and self.follows(solved.position, position)

    def follows(self, start: CardPosition, position: CardPosition) -> bool:
        """Only positions of the same turn."""
        return position.cards == start.cards

    def estimate_cost_from(self, position: CardPosition, threads: int) -> SolveCost:
        """What grows: the states and their upper totals, and with each the points still needed."""
        own = position.own
        states = _states(self.card, own.used, own.flag)
        by_set = self.card.uppers_from(own.used & self.card.upper_mask, own.upper)
        uppers = (states.sets & self.card.upper_mask).tolist()
        layer_rows = [sum(len(by_set[uppers[state]]) for state in layer.tolist()) for layer in states.layers()]
        width = max(self.top - own.score, 1) + 2 * LANES
        blocks = sum(layer_rows[:-1]) * (width // LANES)
        return SolveCost(8.0 * 3 * width * max(layer_rows), blocks * block_seconds(self.card) / threads)

    def solve_from(self, position: CardPosition, threads: int, progress: Progress) -> ValueTable:
        """Solve what can follow a position, down to one turn after it."""
        own = position.own
        states = _states(self.card, own.used, own.flag)
        need = self.top - own.score
        layer = self._end(states, need)
        layers = list(states.layers())
        share = [float(len(one)) for one in layers]
        with ThreadPool(threads) as pool:
            for number, one in enumerate(layers[:-1]):
                layer = self._solve_layer(pool, threads, states, one, layer, own)
                progress(sum(share[: number + 1]) / sum(share))
        return PartialValueTable({"rows": layer.rows, "place": layer.place}, self.empty_table().error_bound, position)

    @cached_property
    def _bounds(self) -> tuple[float, float]:
        """The least and the greatest that a card can be worth."""
        worth = self.worth_of(np.arange(self.top + 1))
        return float(worth.min()), float(worth.max())

    @cached_property
    def _at_top(self) -> float:
        """What a card is worth once the top is reached."""
        return float(self.worth_of(np.array([self.top]))[0])

    @property
    def _uppers(self) -> int:
        """Places for the upper totals of a state, those that a throw passes the bonus by included."""
        return self.card.bonus_at + 1 + int(self._hops.max()) if self.card.upper_mask else 1

    @cached_property
    def _hops(self) -> NDArray[np.int32]:
        return self.card.shifts.astype(np.int32)

    @cached_property
    def _turn(self) -> KeepTurn:
        gain = np.where(self.card.scores >= 0, 0.0, -np.inf)
        shift = -np.maximum(self.card.scores, 0).astype(np.int32)
        return KeepTurn(self.card.lattice, self.card.throws, gain, shift, self._hops)

    def _end(self, states: CardStates, need: int) -> TotalLayer:
        """The values once every category is used, by the points still needed and the upper total."""
        bonus = self.card.bonuses[np.minimum(np.arange(self._uppers), self.card.bonus_at)]
        needed = np.arange(max(need, 1) + LANES) - LANES + 1
        totals = self.top - np.clip(needed, 0, self.top)[None] + bonus[:, None]
        rows = self.worth_of(totals)
        place = np.full(len(states) * self._uppers, -1, dtype=np.int64)
        for state in np.flatnonzero(states.sets == self.card.full):
            place[state * self._uppers : (state + 1) * self._uppers] = np.arange(self._uppers)
        return TotalLayer(_wide(rows), place)

    def _solve_layer(
        self,
        pool: ThreadPool,
        threads: int,
        states: CardStates,
        layer: Longs,
        after: TotalLayer,
        own: Filled,
    ) -> TotalLayer:
        card, uppers = self.card, self._uppers
        by_set = card.uppers_from(own.used & card.upper_mask, own.upper)
        place = np.full(len(states) * uppers, -1, dtype=np.int64)
        state_of, first = [], 0
        for state in layer.tolist():
            totals = by_set[int(states.sets[state]) & card.upper_mask]
            place[state * uppers + totals] = first + np.arange(len(totals))
            if card.upper_mask and totals[-1] == card.bonus_at:
                place[state * uppers + card.bonus_at : (state + 1) * uppers] = first + len(totals) - 1
            state_of.append(state * uppers + totals)
            first += len(totals)
        places = np.concatenate(state_of)  # by row
        width = after.rows.shape[1]
        rows = np.full((first, width), self._at_top)
        lanes = np.arange(LANES, width - LANES + 1, LANES)
        problems = self._problems(states, uppers, places)
        per_call = max(1, 100_000 // len(lanes))
        for begin in range(0, first, per_call):
            end = min(first, begin + per_call)
            row = np.repeat(np.arange(begin, end), len(lanes))
            lane = np.tile(lanes, end - begin)
            ending, early = self.ends(row, first)
            solved = self._turn.solve(
                after.rows, problems, ending, lane, early=early, place=after.place, pool=pool, threads=threads
            )
            rows[begin:end, LANES:] = np.clip(solved.value.reshape(end - begin, -1), *self._bounds)
        return TotalLayer(rows, place)

    def _problems(self, states: CardStates, uppers: int, places: Longs) -> EntryOptions:
        """The options of the rows: those of their states, leading to places that start from the row's upper total.
        Where it matters, those after a first throw follow.
        """
        of, state, upper = states.problems, places // uppers, places % uppers
        if self.card.served:
            state, upper = np.concatenate((state, state + len(states))), np.tile(upper, 2)
        start, option = picked(of, state)
        row = of.row[option] * uppers + np.repeat(upper, np.diff(start))
        return EntryOptions(start, of.column[option], row, of.first[option], of.last[option])

    def array_specs(self) -> dict[str, ArraySpec]:
        """Nothing is stored."""
        return {}

    def has_state(self, solved: ValueTable, position: CardPosition) -> bool:
        """Those after the turn of the position from which was solved."""
        assert isinstance(solved, PartialValueTable)
        return super().has_state(solved, position) and position.own.used != solved.position.own.used

    def state_values(self, solved: ValueTable, positions: Sequence[CardPosition]) -> Found:
        """The value by state, upper total and points still needed."""
        assert isinstance(solved, PartialValueTable)
        used, score, upper, flag, _ = np.array([position.own for position in positions]).T
        state = _states(self.card, solved.position.own.used, solved.position.own.flag).numbers(used, flag)
        need = np.maximum(self.top - score, 0)
        rows, place = solved.arrays["rows"], solved.arrays["place"]
        values: Doubles = rows[place[state * self._uppers + upper], need + LANES - 1]
        return values[:, None], solved.error_bound

    def turn_of(self, solved: ValueTable, position: CardPosition) -> TurnProblem:
        """The turn of the position from which was solved."""
        own, rows, place = position.own, solved.arrays["rows"], solved.arrays["place"]
        states = _states(self.card, own.used, own.flag)
        here = states.number(own.used, own.flag)
        problems = self._problems(states, self._uppers, np.array([here * self._uppers + own.upper]))
        lane = max(self.top - own.score, 0) + LANES - 1
        ending, early = self.ends(np.zeros(1, dtype=np.int64), 1)
        return TurnProblem(self._turn, rows, problems, int(ending[0]), lane, place, early)

    def by_seat(self, position: CardPosition, value: float) -> list[float]:
        """No more than there is, whatever the rounding of its sums."""
        least, most = self._bounds
        return [min(max(value, least), most)]


class Reach(ByTotal):
    """Greatest chance of a total of at least ``goal``."""

    @property
    def top(self) -> int:
        """The goal."""
        return self.parameters["goal"]

    def worth_of(self, totals: Longs) -> Doubles:
        """1 where the goal is reached."""
        return (totals >= self.top).astype(float)


class RangePoints(ByTotal):
    """Greatest expected points, where ranges of the total give them."""

    @property
    def top(self) -> int:
        """Where the last range begins."""
        return self.card.ranges[-1][0]

    def worth_of(self, totals: Longs) -> Doubles:
        """The points of the range that a total lies in."""
        at, points = np.array(self.card.ranges).T
        worth: Doubles = points[np.searchsorted(at, totals, side="right") - 1].astype(float)
        return worth


@lru_cache(maxsize=2)
def _states(card: Card, used: int, flag: int) -> CardStates:
    """The states that follow from one are asked for again and again."""
    return CardStates(card, used, flag)


def _wide(rows: Doubles) -> Doubles:
    """Rows made a whole number of blocks wide, with one more: reading begins at any place."""
    short = -rows.shape[1] % LANES + LANES
    return np.ascontiguousarray(np.concatenate((rows, np.zeros((len(rows), short))), axis=1))
