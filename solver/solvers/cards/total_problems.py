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
from ...games.card_rules import Card
from ...play.card import CardPosition
from ...play.scorecard import Scorecard
from ...turns.keep_turn import Doubles, EntryOptions, KeepTurn, Longs
from ...util.progress_reporting import ProgressCallback
from ...util.threads import ThreadPool
from ..problem import ArraySpec, PartialValueTable, ValuesAndBounds, ValueTable
from ..solve_costs import SolveCost
from .cost_estimates import block_seconds
from .model import CardStates, select_options, turn_option_sets
from .problem import CardProblem, SingleTurn, option_sets_of_single_turn

BLOCKS_PER_CALL = 100_000  # of lanes, so that the arguments of one kernel call stay small
VALUE_BYTES = 8.0  # of one value in a row
LAYERS_IN_MEMORY = 3  # the layer that is solved, the next one, and the values that a call returns


@dataclass(frozen=True)
class TotalLayer:
    """The values of the states with equally many used categories.

    Attributes:
        rows: (rows, width) the values by points still needed. Column ``LANES - 1`` is for 0 points; the columns before
            it hold the same value, because no fewer points are needed.
        row_of_place: (places,) the row of each place; -1 if there is none.
    """

    rows: Doubles
    row_of_place: Longs


class FollowingStates:
    """The states that can follow from a card, and the upper totals that can occur in each of them.

    Args:
        card: the rules of the card.
        own: the card as it is filled at the start.
        upper_places: the number of places of a state, one for each upper total that a roll may lead to.

    Attributes:
        states: the states, without upper totals.
    """

    def __init__(self, card: Card, own: Scorecard, upper_places: int) -> None:
        """List the states and upper totals that can follow.

        Args:
            card: the rules of the card.
            own: the card as it is filled at the start.
            upper_places: the number of places of a state, one for each upper total that a roll may lead to.
        """
        self.card = card
        self.upper_places = upper_places
        self.states = _card_states(card, own.used, own.flag)
        # By mask of used upper categories, the upper totals that can follow from the start's, rising.
        self._uppers_by_set = card.upper_totals_from(own.used & card.upper_mask, own.upper)

    def uppers(self, state: int) -> Longs:
        """Return the upper totals that can occur in a state, rising: (upper totals,)."""
        return self._uppers_by_set[int(self.states.sets[state]) & self.card.upper_mask]

    def number_rows(self, layer: Longs) -> tuple[Longs, Longs]:
        """Assign a row of values to each state of a layer and each upper total that can occur in it.

        Rows are found by *place*. The place of a state and an upper total is state * upper places + upper total.

        Args:
            layer: the indices of the layer's states.

        Returns:
            (rows,) the place of each row, and (places,) the row of each place, -1 if there is none. Several places
            have the same row if their upper totals have the same bonus.
        """
        row_of_place = np.full((len(self.states), self.upper_places), -1)  # by state and upper total
        places_of_rows = []
        row_count = 0
        max_upper = self.card.max_upper
        for state in layer.tolist():
            totals = self.uppers(state)
            rows = row_count + np.arange(len(totals))
            row_of_place[state, totals] = rows
            places_of_rows.append(state * self.upper_places + totals)
            row_count += len(rows)
            # Upper totals beyond the maximum bring no larger bonus, so they share the row of the maximum.
            if self.card.upper_mask and totals[-1] == max_upper:
                row_of_place[state, max_upper:] = rows[-1]
        return np.concatenate(places_of_rows), row_of_place.ravel()


class CardTotalProblem(CardProblem):
    """Base of the problems in which a full card is worth a function of its total, for one player.

    The function is constant from the *top total* on. Values are stored by the points that are still needed to reach it.
    A row of values belongs to a *place*: place = state * upper places + upper total. Its columns are the lanes of the
    kernel. The first LANES columns are equal: they are for no points needed. The following columns are for 1, 2, ...
    points needed (``TotalLayer``).

    Only what follows a position is solved. The value table holds the ``TotalLayer`` after the turn of the position, as
    the arrays ``rows`` and ``place``.

    Attributes:
        card: the rules of the card.
        top_total, lowest_total: the top total, and the lowest that a full card can have without its upper bonus.
        _upper_places: the number of places of a state: one for each upper total that a roll may lead to.
        _payoff_range, _top_payoff: the smallest and the largest payoff of a full card; that of the top total.
        _hops: (columns, full rolls) the points that entering a roll adds to the upper total.
        _turn: the compiled turn: a roll that is entered lowers the points needed, and hops to another place.
    """

    solves_on_demand = True

    @property
    @abstractmethod
    def top_total(self) -> int:
        """The *top total*: all totals from it on have the same payoff."""

    @property
    def lowest_total(self) -> int:
        """The lowest total that a full card can have, an upper bonus not counted; below 0 if rolls cost points."""
        return -self.card.max_card_cost

    @abstractmethod
    def payoffs(self, totals: Longs) -> Doubles:
        """Return what full cards are worth, by their final totals; the same shape as ``totals``.

        Args:
            totals: final totals, an upper bonus included; an array of any shape.
        """

    # --- solving

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Return an empty table: positions are solved on demand."""
        return self.empty_table()

    def empty_table(self) -> ValueTable:
        """Return a table without arrays, with the error bound of any position."""
        turns = len(self.card.categories) // self.card.boxes
        max_payoff = max(map(abs, self._payoff_range))
        return ValueTable({}, turns * self._turn.rounding_bound * max_payoff)

    def covers(self, value_table: ValueTable, position: CardPosition) -> bool:
        """Return whether the values were solved for the turn of a position."""
        return isinstance(value_table, PartialValueTable) and self.covers_from(value_table.position, position)

    def covers_from(self, start: CardPosition, position: CardPosition) -> bool:
        """Return whether two positions are in the same turn."""
        return position.cards == start.cards

    def estimate_cost_from(self, position: CardPosition, threads: int) -> SolveCost:
        """Estimate the cost of ``solve_from``: solving all that can follow a position.

        A row of values belongs to a state with an upper total, and its lanes are the points still needed. The time is
        the number of blocks of ``LANES`` lanes times the time for one, shared by the threads.

        Args:
            position: the position whose successors are solved.
            threads: number of threads.
        """
        own = position.own_card
        following = FollowingStates(self.card, own, self._upper_places)
        rows_by_layer = list[int]()  # from full cards backwards; the last layer is the position's own
        for layer in following.states.layers():
            rows_by_layer.append(sum(len(following.uppers(state)) for state in layer.tolist()))
        width = self._max_points_needed(own) + 2 * LANES  # with room for a block before and after
        solved_rows = sum(rows_by_layer[:-1])  # without the position's own layer
        blocks = solved_rows * (width // LANES)
        layer_bytes = VALUE_BYTES * width * max(rows_by_layer)
        return SolveCost(bytes=LAYERS_IN_MEMORY * layer_bytes, seconds=blocks * block_seconds(self.card) / threads)

    def solve_from(self, position: CardPosition, threads: int, progress: ProgressCallback) -> ValueTable:
        """Solve what can follow a position, from full cards backwards to the end of its turn.

        Args:
            position: the position.
            threads: number of threads. The result has the same bits for every number.
            progress: called with the fraction that is done.

        Returns:
            The arrays of the ``TotalLayer`` after the position's turn: ``rows`` and ``place``.
        """
        own = position.own_card
        following = FollowingStates(self.card, own, self._upper_places)
        solved_layer = self._terminal_layer(following.states, self._max_points_needed(own))
        # The states with a turn to play, from the fullest cards on. The position's own card, the last layer, is not
        # solved here.
        layers = list(following.states.layers())[:-1]
        total_work = float(sum(len(states) for states in layers))
        work_done = 0.0
        with ThreadPool(threads) as pool:
            for states in layers:
                solved_layer = self._solve_layer(following, states, solved_layer, pool, threads)
                work_done += len(states)
                progress(work_done / total_work)
        arrays = {"rows": solved_layer.rows, "place": solved_layer.row_of_place}
        return PartialValueTable(arrays, self.empty_table().error_bound, position)

    @cached_property
    def _payoff_range(self) -> tuple[float, float]:
        """The smallest and the largest payoff of a full card, over all final totals."""
        payoffs = self.payoffs(np.arange(self.lowest_total, self.top_total + 1))
        return float(payoffs.min()), float(payoffs.max())

    @cached_property
    def _top_payoff(self) -> float:
        """The payoff of the top total and of all totals beyond it."""
        return float(self.payoffs(np.array([self.top_total]))[0])

    @property
    def _upper_places(self) -> int:
        """The number of places of a state: one for each upper total that a roll may lead to.

        A roll hops from an upper total of at most ``max_upper``, so it may lead beyond that by the most that it adds.
        """
        if not self.card.upper_mask:
            return 1
        max_upper_gain = int(self._hops.max())
        return self.card.max_upper + max_upper_gain + 1

    @cached_property
    def _hops(self) -> NDArray[np.int32]:
        """The points that entering a roll adds to the upper total, as hops: (columns, full rolls).

        Places of a state are numbered by upper total, so a roll that adds n points hops n places on.
        """
        return self.card.upper_gains.astype(np.int32)

    @cached_property
    def _turn(self) -> KeepTurn:
        """The compiled turn of this card.

        Entering a roll adds no payoff itself. It lowers the points still needed, the axis of the kernel, and hops on to
        the place with the new upper total.
        """
        is_allowed = self.card.scores >= 0  # (columns, full rolls)
        gain = np.where(is_allowed, 0.0, -np.inf)
        shift = -np.where(is_allowed, self.card.net_scores, 0).astype(np.int32)
        return KeepTurn(self.card.lattice, self.card.throws, gain, shift, self._hops)

    def _max_points_needed(self, own: Scorecard) -> int:
        """Return the most points that a card can still need: those it needs now and all that its rolls can cost."""
        open_boxes = len(self.card.categories) - own.used.bit_count()
        return max(max(self.top_total - own.score, 0) + open_boxes * self.card.max_turn_cost, 1)

    def _terminal_layer(self, states: CardStates, max_points_needed: int) -> TotalLayer:
        """Return the payoffs of full cards, by upper total and points still needed.

        A place is the number of a state with any upper total: state * upper places + upper total. All full cards share
        the rows, of which there is one for each upper total.

        Args:
            states: the states that can follow from the start.
            max_points_needed: the most points that a full card can need.
        """
        upper_places = self._upper_places
        bonus = self.card.bonuses[np.minimum(np.arange(upper_places), self.card.max_upper)]  # by upper total
        # Columns up to LANES - 1 are for no points needed, the following ones for 1, 2, ... points.
        columns = np.arange(max_points_needed + LANES)
        points_needed_by_column = np.clip(columns - (LANES - 1), 0, self.top_total - self.lowest_total)
        totals_before_bonus = self.top_total - points_needed_by_column
        rows = self.payoffs(totals_before_bonus[None] + bonus[:, None])  # (upper places, columns)
        row_of_place = np.full(len(states) * upper_places, -1, dtype=np.int64)  # -1: no row
        for full_card in np.flatnonzero(states.sets == self.card.full_mask):
            first_place = full_card * upper_places
            row_of_place[first_place : first_place + upper_places] = np.arange(upper_places)
        return TotalLayer(_padded(rows), row_of_place)

    def _solve_layer(
        self, following: FollowingStates, layer: Longs, next_layer: TotalLayer, pool: ThreadPool, threads: int
    ) -> TotalLayer:
        """Compute the values of a layer of states, from those of the layer after it.

        A turn is solved for every row, in blocks of LANES columns. The first block is for no points needed, so its
        values are known. The width of a row is a multiple of LANES.

        Args:
            following: the states that can follow from the start.
            layer: the indices of the layer's states.
            next_layer: the values of the states with one turn more.
            pool, threads: threads that share the work.
        """
        places, row_of_place = following.number_rows(layer)  # places[r] is the place of row r
        row_count = len(places)
        width = next_layer.rows.shape[1]
        rows = np.full((row_count, width), self._top_payoff)  # for no points needed; all others are written below
        first_lanes = np.arange(LANES, width, LANES)  # (solved blocks of a row,) the first column of each
        options = self._entry_options(following.states, places)
        rows_per_call = max(1, BLOCKS_PER_CALL // len(first_lanes))
        for begin in range(0, row_count, rows_per_call):
            end = min(row_count, begin + rows_per_call)
            # The blocks of these rows, row by row: the row of each, and its first column.
            row_of_block = np.repeat(np.arange(begin, end), len(first_lanes))
            first_lane_of_block = np.tile(first_lanes, end - begin)
            # The options of row r are option set r; those after its first roll may be others.
            last_roll_sets, early_roll_sets = turn_option_sets(self.card, row_of_block, row_count)
            solved = self._turn.solve(
                next_layer.rows,
                options,
                last_roll_sets,
                first_lane_of_block,
                early_option_sets=early_roll_sets,
                row_of_place=next_layer.row_of_place,
                pool=pool,
                threads=threads,
            )
            values = solved.value.reshape(end - begin, -1)  # the blocks of a row, side by side
            rows[begin:end, LANES:] = np.clip(values, *self._payoff_range)  # rounding may leave the range
        return TotalLayer(rows, row_of_place)

    def _entry_options(self, states: CardStates, places: Longs) -> EntryOptions:
        """Return the options for entering dice in each row: a state with an upper total.

        An option leads to the next state with the upper total before the roll; the roll then adds to that total (it
        hops). If early rolls score differently, the options for each of them follow after those of all rows.

        Args:
            states: the states that can follow from the start.
            places: (rows,) the state and upper total of each row, as state * upper places + upper total.
        """
        options = states.entry_options
        state, upper = np.divmod(places, self._upper_places)  # (rows,) each
        early_rolls = np.arange(1 + self.card.early_roll_count)  # 0: the last roll and all that score alike
        # The options of state s after the last roll are set s; those after early roll k are set s + k * len(states).
        option_sets = (state + early_rolls[:, None] * len(states)).ravel()  # (early rolls x rows,)
        upper_of_set = np.tile(upper, len(early_rolls))
        option_start, selected = select_options(options, option_sets)  # numbered anew, set by set
        option_counts = np.diff(option_start)
        next_state = options.row[selected]
        upper_before_roll = np.repeat(upper_of_set, option_counts)  # by option
        place_before_hop = next_state * self._upper_places + upper_before_roll
        return EntryOptions(
            option_start=option_start,
            column=options.column[selected],
            row=place_before_hop,
            first_roll=options.first_roll[selected],
            end_roll=options.end_roll[selected],
        )

    # --- values of positions

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return no specs, because no array is stored."""
        return {}

    def has_state(self, value_table: ValueTable, position: CardPosition) -> bool:
        """Return whether the table holds the value of a position between turns.

        The table holds the states after one turn, so the position has more used boxes than the start of that turn.

        Args:
            value_table: the value table of one turn.
            position: the position.
        """
        assert isinstance(value_table, PartialValueTable)
        return super().has_state(value_table, position) and position.own_card.used != value_table.position.own_card.used

    def state_values(self, value_table: ValueTable, positions: Sequence[CardPosition]) -> ValuesAndBounds:
        """Return the values of positions in which a turn has ended, read from the layer after that turn.

        Args:
            value_table: the layer after the turn of ``value_table.position``.
            positions: positions that the endings of this turn lead to.

        Returns:
            (positions, 1) the values, and their error bound.
        """
        assert isinstance(value_table, PartialValueTable)
        start = value_table.position.own_card
        used, score, upper, flag, _saved = np.array([position.own_card for position in positions]).T
        state = _card_states(self.card, start.used, start.flag).state_indices(used, flag)
        place = state * self._upper_places + upper
        row = value_table.arrays["place"][place]  # several places may share a row
        values: Doubles = value_table.arrays["rows"][row, self._column(score)]
        return values[:, None], value_table.error_bound

    def turn_of(self, value_table: ValueTable, position: CardPosition) -> SingleTurn:
        """Return the turn that contains a position, with the values that its endings lead to.

        Args:
            value_table: the value table, which was solved for this turn.
            position: the position.
        """
        own = position.own_card
        states = _card_states(self.card, own.used, own.flag)
        place = states.state_index(own.used, own.flag) * self._upper_places + own.upper  # state and upper total
        option_set, early_option_sets = option_sets_of_single_turn(self.card)
        return SingleTurn(
            self._turn,
            next_values=value_table.arrays["rows"],
            options=self._entry_options(states, np.array([place])),
            option_set=option_set,
            lane=int(self._column(np.array(own.score))),
            row_of_place=value_table.arrays["place"],
            early_option_sets=early_option_sets,
        )

    def _column(self, scores: Longs) -> Longs:
        """Return the columns of ``TotalLayer.rows`` for cards with these points scored, an upper bonus not counted.

        Column ``LANES - 1`` is for no points needed to reach the top total; each point needed is one column further.
        """
        points_needed = np.maximum(self.top_total - scores, 0)
        columns: Longs = points_needed + LANES - 1
        return columns

    def seat_payoffs(self, position: CardPosition, value: float) -> list[float]:
        """Return the mover's value alone, moved into the range of payoffs if rounding has left it."""
        min_payoff, max_payoff = self._payoff_range
        return [min(max(value, min_payoff), max_payoff)]


class CardReachProblem(CardTotalProblem):
    """Probability of a total of at least ``goal``."""

    @property
    def top_total(self) -> int:
        """The goal, and all that rolls can cost: with so many points, no cost of a later roll matters."""
        return self.parameters["goal"] + self.card.max_card_cost

    def payoffs(self, totals: Longs) -> Doubles:
        """Return 1 for totals that reach the goal, else 0: the same shape as ``totals``."""
        return (totals >= self.parameters["goal"]).astype(float)


class CardRangePointsProblem(CardTotalProblem):
    """Expected points of a card whose final total lies in one of several ranges, each of which gives points."""

    @property
    def top_total(self) -> int:
        """The total at which the last range begins."""
        return self.card.total_ranges[-1][0]

    def payoffs(self, totals: Longs) -> Doubles:
        """Return the points of the ranges that contain the totals: the same shape as ``totals``."""
        first_totals, points = np.array(self.card.total_ranges).T
        ranges = np.searchsorted(first_totals, totals, side="right") - 1
        payoffs: Doubles = points[ranges].astype(float)
        return payoffs


@lru_cache(maxsize=2)
def _card_states(card: Card, used: int, flag: int) -> CardStates:
    """Return the states that can follow from a set of used categories, and remember the last two answers.

    Questions about one position come in succession, so the same states are needed again.

    Args:
        card: the rules of the card.
        used: the used categories at the start, as a mask.
        flag: 1 if the Yahtzee box holds its points at the start, else 0.
    """
    return CardStates(card, used, flag)


def _padded(rows: Doubles) -> Doubles:
    """Return rows with columns of zeros added: up to whole blocks of lanes, and one block more.

    A block is read from any column of a row on, so the last one reads up to a block beyond the row.
    """
    to_whole_blocks = -rows.shape[1] % LANES
    padding = np.zeros((len(rows), to_whole_blocks + LANES))
    return np.ascontiguousarray(np.concatenate((rows, padding), axis=1))
