"""A card filled alone: for the most expected points, or for the greatest chance of a total."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.keep import LANES
from ...distribution import Distribution
from ...errors import InputError
from ...games.cards import Card
from ...play.card import CardPosition, Filled
from ...play.table import changed
from ...turns.keep import Doubles, KeepTurn, Longs, Problems
from ..contract import Listing, Range, Solved
from ..costs import Cost, table_bytes
from .costs import block_seconds
from .distribution import total_distribution
from .states import CardStates
from .turn import CardMatch, Following, TurnProblem


class Points(CardMatch):
    """Greatest expected points. Values: ``points`` (states, width), those still to come, by upper total where it
    counts.
    """

    @cached_property
    def states(self) -> CardStates:
        """The states between turns."""
        return CardStates(self.card)

    def cost(self, threads: int) -> Cost:
        """What grows: the states and their upper totals, and with each the partial throws."""
        uppers = sum(-(-len(totals) // LANES) + 1 for totals in self.card.uppers.values()) / len(self.card.uppers)
        blocks = len(self.states.sets) * uppers
        return Cost(2 * table_bytes(self.shapes()), blocks * block_seconds(self.card) / threads)

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every state, those with fewer turns left first."""
        card, states = self.card, self.states
        (shape,) = self.shapes().values()
        worth = np.zeros((1, *shape))
        worth[0, states.sets == card.full] = card.bonuses[np.minimum(np.arange(shape[1]), card.bonus_at)]
        problems = states.problems
        with ThreadPoolExecutor(threads) as pool:
            for layer in states.layers():
                state, lane = states.blocks(layer)
                value = card.turn.solve(worth, problems, state, lane, pool=pool, threads=threads).value[:, 0]
                worth[0, state[:, None], lane[:, None] + np.arange(LANES)] = value
                if card.upper_mask:  # reading goes on past the total from which the bonus is sure
                    worth[0, layer, card.bonus_at :] = worth[0, layer, card.bonus_at, None]
                progress(1 - int(states.sizes[layer[0]]) / len(card.categories))
        turns = len(card.categories) // card.boxes
        return Solved({"points": worth[0]}, turns * card.turn.rounding * (card.most(card.full) + 1))

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        width = self.card.bonus_at + 1 + LANES if self.card.upper_mask else LANES
        return {"points": (len(self.states.sets), width)}

    def ranges(self) -> dict[str, Range]:
        """Return the least and the greatest that each solved array can hold."""
        return {"points": (0, self.card.most(self.card.full))}

    def tabled(self, solved: Solved, position: CardPosition) -> bool:
        """All are."""
        return True

    def beginnings(self, solved: Solved, positions: Sequence[CardPosition]) -> Doubles:
        """Points held and expected points still to come, an upper bonus included."""
        used, score, upper, flag = np.array([position.own for position in positions]).T
        values: Doubles = score + solved.arrays["points"][self.states.numbers(used, flag), upper]
        return values[:, None]

    def turn_of(self, solved: Solved, position: CardPosition) -> TurnProblem:
        """The turn of the position's state."""
        own, after = position.own, solved.arrays["points"]
        return TurnProblem(
            self.card.turn, after, self.states.problems, self.states.number(own.used, own.flag), own.upper
        )

    def by_seat(self, position: CardPosition, value: float) -> list[float]:
        """Points held and to come."""
        return [position.own.score + value]

    def bound(self, solved: Solved, position: CardPosition) -> float:
        """Adding what is held already rounds once more."""
        held = position.own.score
        return solved.error_bound + (held + self._most) * 2.0**-53 if held else solved.error_bound

    @cached_property
    def _most(self) -> int:
        """The most points that the card can hold."""
        return self.card.most(self.card.full)

    def positions(self, told: Mapping[str, Any]) -> Listing[CardPosition]:
        """Every state and upper total; where the categories used are told, that one."""
        if "used" in told:
            return super().positions(told)
        card, start = self.card, self.table.start()
        totals = [card.uppers.get(used & card.upper_mask, (0,)) for used in self.states.sets.tolist()]
        listed = (
            changed(start, cards=(Filled(used, 0, int(upper), bool(flag)),))
            for used, flag, here in zip(self.states.sets.tolist(), self.states.flags.tolist(), totals, strict=True)
            for upper in here
            if used != card.full
        )
        return Listing(sum(map(len, totals)), listed)

    def distribution(
        self, solved: Solved, position: CardPosition, progress: Callable[[float], None] = lambda done: None
    ) -> Distribution:
        """The points in the end, every chance of them, when they are played for the most expected."""
        if not self.table.turn_begins(position):
            raise InputError("a distribution is asked for between turns; leave the roll out")
        return total_distribution(self.card, solved.arrays["points"], self.states, position.own, progress)


@dataclass(frozen=True)
class ReachLayer:
    """The chances of the states of one size: ``rows`` (rows, width) by points still needed, and which row a place
    (state times the upper totals, plus the upper total) stands for.
    """

    rows: Doubles
    place: Longs


class Reach(CardMatch):
    """Greatest chance of a total of at least ``goal``.

    What can follow a position is solved when the position is asked about; nothing is stored, for a card with an upper
    bonus would need gigabytes.
    """

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Nothing is solved before a position is asked about."""
        return self.without_table()

    def without_table(self) -> Solved:
        """No arrays, and the bound."""
        turns = len(self.card.categories) // self.card.boxes
        return Solved({}, turns * self._turn.rounding)

    def holds(self, solved: Solved, position: CardPosition) -> bool:
        """Nothing is stored: only what was solved for the position itself."""
        return isinstance(solved, Following) and position.cards == solved.position.cards

    def cost_from(self, position: CardPosition, threads: int) -> Cost:
        """What grows: the states and their upper totals, and with each the points still needed."""
        own = position.own
        states = _states(self.card, own.used, own.flag)
        by_set = self.card.uppers_from(own.used & self.card.upper_mask, own.upper)
        uppers = (states.sets & self.card.upper_mask).tolist()
        layer_rows = [sum(len(by_set[uppers[state]]) for state in layer.tolist()) for layer in states.layers()]
        width = max(self.parameters["goal"] - own.score, 1) + 2 * LANES
        blocks = sum(layer_rows[:-1]) * (width // LANES)
        return Cost(8.0 * 3 * width * max(layer_rows), blocks * block_seconds(self.card) / threads)

    def solve_from(self, position: CardPosition, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve what can follow a position, down to one turn after it."""
        own = position.own
        states = _states(self.card, own.used, own.flag)
        need = self.parameters["goal"] - own.score
        layer = self._end(states, need)
        layers = list(states.layers())
        share = [float(len(one)) for one in layers]
        with ThreadPoolExecutor(threads) as pool:
            for number, one in enumerate(layers[:-1]):
                layer = self._solve_layer(pool, threads, states, one, layer, own)
                progress(sum(share[: number + 1]) / sum(share))
        return Following({"rows": layer.rows, "place": layer.place}, self.without_table().error_bound, position)

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

    def _end(self, states: CardStates, need: int) -> ReachLayer:
        """The chances once every category is used: certain, by the points still needed and the upper total."""
        bonus = self.card.bonuses[np.minimum(np.arange(self._uppers), self.card.bonus_at)]
        needed = np.arange(max(need, 1) + LANES) - LANES + 1
        rows = (needed[None] <= bonus[:, None]).astype(float)
        place = np.full(len(states.sets) * self._uppers, -1, dtype=np.int64)
        for state in np.flatnonzero(states.sets == self.card.full):
            place[state * self._uppers : (state + 1) * self._uppers] = np.arange(self._uppers)
        return ReachLayer(_wide(rows), place)

    def _solve_layer(
        self,
        pool: ThreadPoolExecutor,
        threads: int,
        states: CardStates,
        layer: Longs,
        after: ReachLayer,
        own: Filled,
    ) -> ReachLayer:
        card, uppers = self.card, self._uppers
        by_set = card.uppers_from(own.used & card.upper_mask, own.upper)
        place = np.full(len(states.sets) * uppers, -1, dtype=np.int64)
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
        rows = np.ones((first, width))
        lanes = np.arange(LANES, width - LANES + 1, LANES)
        problems = self._problems(states, uppers, places)
        per_call = max(1, 100_000 // len(lanes))
        for begin in range(0, first, per_call):
            end = min(first, begin + per_call)
            row = np.repeat(np.arange(begin, end), len(lanes))
            lane = np.tile(lanes, end - begin)
            solved = self._turn.solve(
                after.rows[None], problems, row, lane, place=after.place, pool=pool, threads=threads
            )
            rows[begin:end, LANES:] = np.clip(solved.value.reshape(end - begin, -1), 0, 1)
        return ReachLayer(rows, place)

    def _problems(self, states: CardStates, uppers: int, places: Longs) -> Problems:
        """The options of the rows: those of their states, leading to places that start from the row's upper total."""
        of, state, upper = states.problems, places // uppers, places % uppers
        count = of.start[state + 1] - of.start[state]
        start = np.concatenate(([0], np.cumsum(count)))
        option = np.repeat(of.start[state] - start[:-1], count) + np.arange(start[-1])
        row = of.row[option] * uppers + np.repeat(upper, count)
        return Problems(start, of.column[option], row, of.first[option], of.last[option])

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        return {}

    def ranges(self) -> dict[str, Range]:
        """Return the least and the greatest that each solved array can hold."""
        return {}

    def tabled(self, solved: Solved, position: CardPosition) -> bool:
        """Those after the turn of the position from which was solved."""
        assert isinstance(solved, Following)
        return position.own.used != solved.position.own.used

    def beginnings(self, solved: Solved, positions: Sequence[CardPosition]) -> Doubles:
        """The chance by state, upper total and points still needed."""
        assert isinstance(solved, Following)
        used, score, upper, flag = np.array([position.own for position in positions]).T
        state = _states(self.card, solved.position.own.used, solved.position.own.flag).numbers(used, flag)
        need = np.maximum(self.parameters["goal"] - score, 0)
        rows, place = solved.arrays["rows"], solved.arrays["place"]
        values: Doubles = rows[place[state * self._uppers + upper], need + LANES - 1]
        return values[:, None]

    def turn_of(self, solved: Solved, position: CardPosition) -> TurnProblem:
        """The turn of the position from which was solved."""
        own, rows, place = position.own, solved.arrays["rows"], solved.arrays["place"]
        states = _states(self.card, own.used, own.flag)
        here = states.number(own.used, own.flag)
        problems = self._problems(states, self._uppers, np.array([here * self._uppers + own.upper]))
        lane = max(self.parameters["goal"] - own.score, 0) + LANES - 1
        return TurnProblem(self._turn, rows, problems, 0, lane, place)

    def by_seat(self, position: CardPosition, value: float) -> list[float]:
        """A chance, whatever the rounding of its sums."""
        return [min(max(value, 0.0), 1.0)]


@lru_cache(maxsize=2)
def _states(card: Card, used: int, flag: int) -> CardStates:
    """The states that follow from one are asked for again and again."""
    return CardStates(card, used, flag)


def _wide(rows: Doubles) -> Doubles:
    """Rows made a whole number of blocks wide, with one more: reading begins at any place."""
    short = -rows.shape[1] % LANES + LANES
    return np.ascontiguousarray(np.concatenate((rows, np.zeros((len(rows), short))), axis=1))
