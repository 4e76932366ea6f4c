"""A card filled by one player for the most expected points, solved by retrograde analysis.

The equation is V[s, u] = turn(gain + V[s', u']). Here u is the upper total of the state s, and s' is s with one more
box used. The axis of the kernel is the upper total, so one block of lanes solves several totals of a state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...core.keep import LANES
from ...play.card import CardPosition
from ...play.playable_game import replace_fields
from ...play.scorecard import Scorecard
from ...turns.keep_turn import Doubles, Longs
from ...util.errors import InputError, argument
from ...util.progress_reporting import ProgressCallback
from ...util.threads import ThreadPool
from ..distribution import Distribution
from ..problem import ArraySpec, PositionListing, ValuesAndBounds, ValueTable
from ..rounding_bounds import UNIT_ROUNDOFF
from ..solve_costs import SolveCost
from ..turn_choices import TurnChoices
from .cost_estimates import block_seconds
from .distribution import DistributionSolver
from .model import CardStates
from .problem import CardProblem, SingleTurn
from .turn_rows import CardTurnRows

OPTION_BYTES = 20.0  # of one entry option: its row as int64 and its column, first and last roll as int32
TABLE_COPIES = 2  # the value table, and copies of its rows while layers are solved
FORCED_ZERO_OPTION_BYTES = 100.0  # of one option if zeros are forced: these are listed set by set
FORCED_ZERO_OPTION_SECONDS = 8e-7  # measured: listing one of these options


class CardPointsProblem(CardProblem):
    """Expected points of one player.

    The array ``points`` (states, width) of the value table holds the expected points still to come. Its columns are
    upper totals if the card has an upper bonus.

    Attributes:
        card: the rules of the card.
        playable: the game as people play it.
        states: the states between turns: used categories, flag and saved rolls. They are the rows of ``points``.
        set_states: the same; for cards of several columns, the states without upper totals.
        bonuses: (width,) the bonus of a full card by upper total.
        row_of_place: (places,) the row of each place, if options lead to places; else None.
        table_bytes: the size of the value table.
        _max_points: the most points that a card can have.
        _turn_rows: lists the choices of turns (see ``CardTurnRows``).
    """

    has_distribution = True

    def value_span_at(self, position: CardPosition) -> str:
        """Return which points the value of a position counts; "" if there is no doubt."""
        return self.playable.points_span(position)

    @cached_property
    def states(self) -> CardStates:
        """The states between turns, as rows of the value table."""
        return CardStates(self.card)

    @property
    def set_states(self) -> CardStates:
        """The sets of used categories, with flags and saved rolls but without upper totals."""
        return self.states

    @property
    def row_of_place(self) -> Longs | None:
        """The row of the value table for each place; None, because options lead to rows directly.

        Subclasses whose options lead to places, from which the final roll hops on to a row, return (places,).
        """
        return None

    @property
    def bonuses(self) -> Longs:
        """The bonuses of full cards by upper total: (width,), the entries of a row of the array ``points``."""
        width = self.array_specs()["points"].shape[1]
        return self.card.bonuses[np.minimum(np.arange(width), self.card.max_upper)]

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate the cost of solving all states.

        The time is the number of blocks of lanes times the time for one, shared by the threads. A state has a block for
        every ``LANES`` upper totals that are solved.

        Some rules allow 0 points only for dice that score in no open box (``has_forced_zeros``). Listing the options of
        such rules takes time and memory of its own.
        """
        starts_by_set = self.states.block_starts  # by mask of used upper categories, the first lanes of its blocks
        # Each set of upper categories occurs with about equally many sets of others: the mean of states is the same.
        mean_blocks = sum(map(len, starts_by_set.values())) / len(starts_by_set)
        saved_counts = self.card.saved_throws + 1  # states have 0, 1, ... saved rolls
        states_per_saved_count = len(self.states) / saved_counts
        blocks = states_per_saved_count * mean_blocks
        # Each of these blocks is solved for every number of saved rolls, which has a turn of its own.
        seconds_per_block = sum(block_seconds(self.card, turn.roll_count) for turn in self.card.turns)
        options = self.states.mean_option_count * len(self.states)
        option_bytes = OPTION_BYTES
        option_seconds = 0.0
        if self.card.has_forced_zeros:
            option_bytes = FORCED_ZERO_OPTION_BYTES
            option_seconds = FORCED_ZERO_OPTION_SECONDS
        table_bytes = TABLE_COPIES * self.table_bytes
        solve_seconds = blocks * seconds_per_block / threads
        return SolveCost(bytes=table_bytes + option_bytes * options, seconds=solve_seconds + option_seconds * options)

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Solve every state.

        Args:
            threads: number of threads. The result has the same bits for every number.
            progress: called with the fraction that is done.

        Returns:
            The array ``points`` (states, width): the expected points still to come, by upper total.
        """
        points = np.zeros(self.array_specs()["points"].shape)
        self.fill(points, threads, progress)
        # The value of a turn is made of means and maxima of the values after it, so it is wrong by at most their error
        # and its own rounding. That is largest in the longest turn, and relative to the largest value or cost. One
        # point more is a reserve.
        boxes_per_turn = self.card.boxes
        turn_count = len(self.card.categories) // boxes_per_turn
        longest_turn = self.card.turns[-1]  # with the most saved rolls
        error_bound = turn_count * longest_turn.rounding_bound * (self._max_points + self.card.max_card_cost + 1)
        return ValueTable({"points": points}, error_bound)

    def fill(self, points: Doubles, threads: int, progress: ProgressCallback) -> None:
        """Compute the values of all states by retrograde analysis, from full cards backwards.

        Args:
            points: (states, width) written.
            threads: number of threads.
            progress: called with the fraction that is done.
        """
        card = self.card
        states = self.states
        points[states.sets == card.full_mask] = self.bonuses
        with ThreadPool(threads) as pool:
            for layer in states.layers():  # the indices of states with equally many used categories
                used_count = int(states.used_counts[layer[0]])
                # Turns that are solved together have equally many rolls, so the states are split by saved rolls. Every
                # turn leads to a layer that is solved, so their order does not matter.
                for saved in range(card.max_saved(used_count) + 1):
                    states_so_saved = layer[states.saved_rolls[layer] == saved]
                    self._solve_states(points, states_so_saved, saved, pool, threads)
                # Of upper totals with equal futures only one was solved.
                states.copy_equal_futures(points, layer)
                progress(1 - used_count / len(card.categories))

    def _solve_states(self, points: Doubles, states: Longs, saved: int, pool: ThreadPool, threads: int) -> None:
        """Solve the turns of states with equally many saved rolls.

        A lane is an upper total, and a block of lanes is ``LANES`` consecutive upper totals of a state.

        Args:
            points: (states, width) the values of the states that follow; the values of these states are written.
            states: the indices of the states.
            saved: their number of saved rolls.
            pool, threads: threads that share the work.
        """
        state_of_block, first_upper = self.states.blocks(states)  # (blocks,) each
        turn = self.card.turns[saved]
        roll_count = turn.roll_count  # also the number of the last roll
        solved = turn.solve(
            points,
            self.states.entry_options,
            self.states.option_sets(state_of_block, roll_number=roll_count),
            first_upper,
            early_option_sets=self.states.early_option_sets(state_of_block, roll_count),
            row_of_place=self.row_of_place,
            pool=pool,
            threads=threads,
        )
        # The blocks of a state do not overlap. Behind the largest upper total the table has room for a block.
        uppers = first_upper[:, None] + np.arange(LANES)  # (blocks, LANES)
        points[state_of_block[:, None], uppers] = solved.value

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the shape and the range of the array ``points``: (states, upper totals)."""
        upper_totals = self.card.max_upper + 1
        # The last block of lanes may begin at the highest total.
        width = upper_totals + LANES if self.card.upper_mask else LANES
        return {"points": ArraySpec((len(self.states), width), 0, self._max_points)}

    @cached_property
    def _max_points(self) -> int:
        """The most points that a card can hold."""
        return self.card.max_points(self.card.full_mask)

    # --- values of positions

    def state_values(self, value_table: ValueTable, positions: Sequence[CardPosition]) -> ValuesAndBounds:
        """Return the expected final points of positions between turns, an upper bonus included, and error bounds.

        Returns:
            (positions, 1) the points scored plus those still to come, and (positions,) the error bounds.
        """
        score = np.array([position.own_card.score for position in positions])
        values: Doubles = score + value_table.arrays["points"][self.table_indices(positions)]
        return values[:, None], self.error_bounds(value_table, positions)

    def turn_of(self, value_table: ValueTable, position: CardPosition) -> SingleTurn:
        """Return the turn that contains a position, with the values that its endings lead to."""
        state, upper = self.table_indices([position])  # (1,) each: the state, and its upper total as the lane
        turn = self.card.turns[position.own_card.saved]
        roll_count = turn.roll_count  # also the number of the last roll
        return SingleTurn(
            turn,
            next_values=value_table.arrays["points"],
            options=self.states.entry_options,
            option_set=int(self.states.option_sets(state, roll_number=roll_count)[0]),
            lane=int(upper[0]),
            row_of_place=self.row_of_place,
            early_option_sets=self.states.early_option_sets(state, roll_count),
        )

    def turn_choices(
        self, value_table: ValueTable, starts: Sequence[CardPosition], is_before_roll: bool
    ) -> TurnChoices | None:
        """Return all choices of some turns with their values; None if ``CardTurnRows`` cannot list them.

        It cannot list decisions before a roll, turns that fill several boxes, or dice whose points depend on the number
        of the roll. Nor can it list cards with points so far, because its values count points from 0 on.

        Args:
            value_table: the value table.
            starts: positions in which turns begin, with the same open boxes.
            is_before_roll: True for the decisions before a roll, of which cards have none.
        """
        card = self.card
        has_places = self.row_of_place is not None  # options lead to places, not to rows of the table
        is_plain = card.boxes == 1 and not card.depends_on_roll_number and not has_places
        has_points = any(start.own_card.score for start in starts)
        if is_before_roll or has_points or not is_plain:
            return None
        return self._turn_rows.choices(
            value_table.arrays["points"],
            starts,
            lambda positions: np.asarray(self.error_bounds(value_table, positions)),
        )

    @cached_property
    def _turn_rows(self) -> CardTurnRows:
        """The lists of choices that all turns of this card share; no turn uses a saved roll."""
        return CardTurnRows(self.playable, self.states, self.card.turns[0])

    def table_indices(self, positions: Sequence[CardPosition]) -> tuple[Longs, Longs]:
        """Return where the array ``points`` holds the values of positions: (positions,) rows and (positions,) columns.

        A row is a state, and a column is an upper total.
        """
        used, _score, upper, flag, saved = np.array([position.own_card for position in positions]).T
        return self.states.state_indices(used, flag, saved), upper

    def seat_payoffs(self, position: CardPosition, value: float) -> list[float]:
        """Return the mover's expected final points: the points scored plus ``value``, those still to come."""
        return [position.own_card.score + value]

    def error_bounds(self, value_table: ValueTable, positions: Sequence[CardPosition]) -> Doubles | float:
        """Return the error bounds (positions,) of values; adding the points scored rounds once more."""
        score = np.array([position.own_card.score for position in positions])
        sum_rounding = (score + self._max_points) * UNIT_ROUNDOFF
        return np.asarray(value_table.error_bound + np.where(score > 0, sum_rounding, 0.0))

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[CardPosition]:
        """List all states but full cards, each with every upper total that it can have; or one position, if described.

        Args:
            fields: field values by name. If they tell the used categories, only that position is listed.

        Returns:
            The positions, made one by one as they are read. The ``count`` includes full cards, which are not listed.
        """
        if "used" in fields:
            return super().list_positions(fields)
        states = self.set_states
        max_saved = (self.card.throws - 1) * states.used_counts  # a turn takes at least one roll
        can_occur = np.flatnonzero(states.saved_rolls <= max_saved)
        count = sum(len(self.card.possible_uppers(used)) for used in states.sets[can_occur].tolist())
        return PositionListing(count, self._positions(can_occur))

    def _positions(self, states: Longs) -> Iterator[CardPosition]:
        """Yield the positions of states, given as indices of ``set_states``, with every upper total that can occur."""
        start = self.playable.start()
        for state in states.tolist():
            used = int(self.set_states.sets[state])
            if used == self.card.full_mask:
                continue
            flag = bool(self.set_states.flags[state])
            saved = int(self.set_states.saved_rolls[state])
            for upper in self.card.possible_uppers(used).tolist():
                own = Scorecard(used, score=0, upper=upper, flag=flag, saved=saved)
                yield replace_fields(start, cards=(own,))

    def distribution(
        self, value_table: ValueTable, position: CardPosition, progress: ProgressCallback = lambda fraction: None
    ) -> Distribution:
        """Compute the distribution of the final points if the expected points are maximized.

        Args:
            value_table: the value table.
            position: a position between turns.
            progress: called with the fraction that is done.

        Raises:
            InputError: the position is inside a turn, or the card counts the rolls of a turn.
        """
        if not self.playable.is_turn_start(position):
            raise InputError(f"a distribution requires a position between turns; leave out {argument('roll')}")
        if self.card.depends_on_roll_number:
            raise InputError("a card whose points depend on the number of rolls has no distribution")
        max_tied_difference = 2 * value_table.error_bound  # the error bounds of the two values compared
        solver = DistributionSolver(self.card, self.states, value_table.arrays["points"], max_tied_difference)
        return solver.solve(position.own_card, progress)
