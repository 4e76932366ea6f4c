"""A card filled by one player for a function of its final total: the probability of a goal, or points by ranges.

The total is part of the state. The axis of the kernel is the number of points still needed to reach the *top total*,
from which on the payoff changes no more. A row of values belongs to a state and an upper total. The final roll decides
the upper total, so an option leads to a *place* (state * upper places + upper total). The roll hops on from there.

Only what can follow a position is solved, when somebody asks about it: a card with an upper bonus would need gigabytes.
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
from ..problem import ArraySpec, PartialValueTable, Progress, ValuesAndBounds, ValueTable
from .cost_estimates import block_seconds
from .model import CardStates, select_options, turn_option_sets
from .problem import CardProblem, SingleTurn

BLOCKS_PER_CALL = 100_000


@dataclass(frozen=True)
class TotalLayer:
    """The values of the states with equally many used categories.

    Attributes:
        rows: (rows, width) the values by points still needed.
        place: (places,) the row of each place; -1 if there is none.
    """

    rows: Doubles
    place: Longs


class FollowingStates:
    """The states that can follow from a card, and the upper totals that can occur in each of them.

    Args:
        card: the rules of the card.
        own: the card as it is filled at the start.
        upper_places: the number of places of a state, one for each upper total that a roll may lead to.
    """

    def __init__(self, card: Card, own: Filled, upper_places: int) -> None:
        self.card, self.upper_places = card, upper_places
        self.states = _card_states(card, own.used, own.flag)
        self._uppers_by_set = card.uppers_from(own.used & card.upper_mask, own.upper)

    def uppers(self, state: int) -> Longs:
        """Return the upper totals that can occur in a state, rising."""
        return self._uppers_by_set[int(self.states.sets[state]) & self.card.upper_mask]

    def number_rows(self, layer: Longs) -> tuple[Longs, Longs]:
        """Return the place of each row of a layer, and the row of each place (-1 if there is none)."""
        row_of_place = np.full(len(self.states) * self.upper_places, -1, dtype=np.int64)
        places, row, bonus_at = [], 0, self.card.bonus_at
        for state in layer.tolist():
            first_place, totals = state * self.upper_places, self.uppers(state)
            row_of_place[first_place + totals] = row + np.arange(len(totals))
            if self.card.upper_mask and totals[-1] == bonus_at:  # larger totals have the same bonus
                row_of_place[first_place + bonus_at : first_place + self.upper_places] = row + len(totals) - 1
            places.append(first_place + totals)
            row += len(totals)
        return np.concatenate(places), row_of_place


class CardTotalProblem(CardProblem):
    """Base of the problems in which a full card is worth a function of its total."""

    solves_on_demand = True

    @property
    @abstractmethod
    def top_total(self) -> int:
        """The total from which on the payoff changes no more."""

    @abstractmethod
    def payoffs(self, totals: Longs) -> Doubles:
        """Return what full cards with these totals are worth."""

    # --- solving

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Return an empty table: positions are solved on demand."""
        return self.empty_table()

    def empty_table(self) -> ValueTable:
        """Return a table without arrays, with the error bound of any position."""
        turns = len(self.card.categories) // self.card.boxes
        return ValueTable({}, turns * self._turn.rounding_bound * max(map(abs, self._payoff_range)))

    def covers(self, solved: ValueTable, position: CardPosition) -> bool:
        """Return whether the values were solved for the turn of a position."""
        return isinstance(solved, PartialValueTable) and self.covers_from(solved.position, position)

    def covers_from(self, start: CardPosition, position: CardPosition) -> bool:
        """Return whether two positions are in the same turn."""
        return position.cards == start.cards

    def estimate_cost_from(self, position: CardPosition, threads: int) -> SolveCost:
        """Estimate the cost from the numbers of states, upper totals and points still needed."""
        own = position.own
        following = FollowingStates(self.card, own, self._upper_places)
        layer_rows = [
            sum(len(following.uppers(state)) for state in layer.tolist()) for layer in following.states.layers()
        ]
        width = max(self.top_total - own.score, 1) + 2 * LANES
        blocks = sum(layer_rows[:-1]) * (width // LANES)
        return SolveCost(8.0 * 3 * width * max(layer_rows), blocks * block_seconds(self.card) / threads)

    def solve_from(self, position: CardPosition, threads: int, progress: Progress) -> ValueTable:
        """Solve what can follow a position, from full cards backwards to the end of its turn."""
        own = position.own
        following = FollowingStates(self.card, own, self._upper_places)
        layer = self._terminal_layer(following.states, self.top_total - own.score)
        layers = list(following.states.layers())
        work = [float(len(states)) for states in layers]
        with ThreadPool(threads) as pool:
            for number, states in enumerate(layers[:-1]):
                layer = self._solve_layer(following, states, layer, pool, threads)
                progress(sum(work[: number + 1]) / sum(work))
        return PartialValueTable({"rows": layer.rows, "place": layer.place}, self.empty_table().error_bound, position)

    @cached_property
    def _payoff_range(self) -> tuple[float, float]:
        """The smallest and the largest payoff of a card."""
        payoffs = self.payoffs(np.arange(self.top_total + 1))
        return float(payoffs.min()), float(payoffs.max())

    @cached_property
    def _top_payoff(self) -> float:
        """The payoff once the top total is reached."""
        return float(self.payoffs(np.array([self.top_total]))[0])

    @property
    def _upper_places(self) -> int:
        """The number of places of a state; a roll may lead beyond the total at which the bonus is certain."""
        return self.card.bonus_at + 1 + int(self._hops.max()) if self.card.upper_mask else 1

    @cached_property
    def _hops(self) -> NDArray[np.int32]:
        return self.card.shifts.astype(np.int32)

    @cached_property
    def _turn(self) -> KeepTurn:
        """The compiled turn: its endings add no payoff, lower the points still needed and hop to an upper total."""
        gain = np.where(self.card.scores >= 0, 0.0, -np.inf)
        shift = -np.maximum(self.card.scores, 0).astype(np.int32)
        return KeepTurn(self.card.lattice, self.card.throws, gain, shift, self._hops)

    def _terminal_layer(self, states: CardStates, points_needed: int) -> TotalLayer:
        """Return the payoffs of full cards, by upper total and points still needed."""
        uppers = self._upper_places
        bonus = self.card.bonuses[np.minimum(np.arange(uppers), self.card.bonus_at)]
        needed = np.arange(max(points_needed, 1) + LANES) - LANES + 1
        totals = self.top_total - np.clip(needed, 0, self.top_total)[None] + bonus[:, None]
        rows = self.payoffs(totals)
        place = np.full(len(states) * uppers, -1, dtype=np.int64)
        for state in np.flatnonzero(states.sets == self.card.full):
            place[state * uppers : (state + 1) * uppers] = np.arange(uppers)
        return TotalLayer(_padded(rows), place)

    def _solve_layer(
        self, following: FollowingStates, layer: Longs, next_layer: TotalLayer, pool: ThreadPool, threads: int
    ) -> TotalLayer:
        """Return the values of a layer of states, from those of the layer after it."""
        places, place = following.number_rows(layer)
        width, count = next_layer.rows.shape[1], len(places)
        rows = np.full((count, width), self._top_payoff)
        lanes = np.arange(LANES, width - LANES + 1, LANES)
        options = self._entry_options(following.states, places)
        rows_per_call = max(1, BLOCKS_PER_CALL // len(lanes))
        for begin in range(0, count, rows_per_call):
            end = min(count, begin + rows_per_call)
            row = np.repeat(np.arange(begin, end), len(lanes))
            lane = np.tile(lanes, end - begin)
            option_set, early = turn_option_sets(self.card, row, count)
            solved = self._turn.solve(
                next_layer.rows,
                options,
                option_set,
                lane,
                early_option_sets=early,
                row_of_place=next_layer.place,
                pool=pool,
                threads=threads,
            )
            rows[begin:end, LANES:] = np.clip(solved.value.reshape(end - begin, -1), *self._payoff_range)
        return TotalLayer(rows, place)

    def _entry_options(self, states: CardStates, places: Longs) -> EntryOptions:
        """Return the options of rows, given by their places: those of their states, from their upper totals on.

        If dice score differently after the first roll, the options for it follow after those of all rows.
        """
        options, (state, upper) = states.entry_options, np.divmod(places, self._upper_places)
        if self.card.served:
            state, upper = np.concatenate((state, state + len(states))), np.tile(upper, 2)
        start, selected = select_options(options, state)
        row = options.row[selected] * self._upper_places + np.repeat(upper, np.diff(start))
        return EntryOptions(
            start, options.column[selected], row, options.first_roll[selected], options.end_roll[selected]
        )

    # --- values of positions

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return no arrays: nothing is stored."""
        return {}

    def has_state(self, solved: ValueTable, position: CardPosition) -> bool:
        """Return whether a position follows the turn that was solved."""
        assert isinstance(solved, PartialValueTable)
        return super().has_state(solved, position) and position.own.used != solved.position.own.used

    def state_values(self, solved: ValueTable, positions: Sequence[CardPosition]) -> ValuesAndBounds:
        """Return values by state, upper total and points still needed."""
        assert isinstance(solved, PartialValueTable)
        used, score, upper, flag, _ = np.array([position.own for position in positions]).T
        state = _card_states(self.card, solved.position.own.used, solved.position.own.flag).state_indices(used, flag)
        points_needed = np.maximum(self.top_total - score, 0)
        rows, place = solved.arrays["rows"], solved.arrays["place"]
        values: Doubles = rows[place[state * self._upper_places + upper], points_needed + LANES - 1]
        return values[:, None], solved.error_bound

    def turn_of(self, solved: ValueTable, position: CardPosition) -> SingleTurn:
        """Return the turn that was solved."""
        own, rows, place = position.own, solved.arrays["rows"], solved.arrays["place"]
        states = _card_states(self.card, own.used, own.flag)
        state = states.state_index(own.used, own.flag)
        options = self._entry_options(states, np.array([state * self._upper_places + own.upper]))
        lane = max(self.top_total - own.score, 0) + LANES - 1
        option_set, early = turn_option_sets(self.card, np.zeros(1, dtype=np.int64), 1)
        return SingleTurn(self._turn, rows, options, int(option_set[0]), lane, place, early)

    def seat_payoffs(self, position: CardPosition, value: float) -> list[float]:
        """Return the value, within the range of payoffs in spite of rounding."""
        smallest, largest = self._payoff_range
        return [min(max(value, smallest), largest)]


class CardReachProblem(CardTotalProblem):
    """Probability of a total of at least ``goal``."""

    @property
    def top_total(self) -> int:
        """The goal."""
        return self.parameters["goal"]

    def payoffs(self, totals: Longs) -> Doubles:
        """Return 1 for totals that reach the goal, else 0."""
        return (totals >= self.top_total).astype(float)


class CardRangePointsProblem(CardTotalProblem):
    """Expected points if ranges of the total give points."""

    @property
    def top_total(self) -> int:
        """The total at which the last range begins."""
        return self.card.ranges[-1][0]

    def payoffs(self, totals: Longs) -> Doubles:
        """Return the points of the ranges that contain the totals."""
        first_total, points = np.array(self.card.ranges).T
        payoffs: Doubles = points[np.searchsorted(first_total, totals, side="right") - 1].astype(float)
        return payoffs


@lru_cache(maxsize=2)
def _card_states(card: Card, used: int, flag: int) -> CardStates:
    """Return the states that follow from a set; questions about one position come in succession."""
    return CardStates(card, used, flag)


def _padded(rows: Doubles) -> Doubles:
    """Return rows padded to whole blocks and one block more, because reading may begin at any place."""
    padding = -rows.shape[1] % LANES + LANES
    return np.ascontiguousarray(np.concatenate((rows, np.zeros((len(rows), padding))), axis=1))
