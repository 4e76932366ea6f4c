"""A card filled by one player for the most expected points, solved by retrograde analysis.

The equation is V[s, u] = turn(gain + V[s', u']). Here u is the upper total of the state s, and s' is s with one more
box used. The axis of the kernel is the upper total, so one block of lanes solves several totals of a state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...core.keep import LANES
from ...play.card import CardPosition
from ...play.filled import Filled
from ...play.table import changed
from ...turns.keep_turn import Doubles, Longs
from ...util.errors import InputError
from ...util.threads import ThreadPool
from ..cost_estimates import SolveCost
from ..distribution import Distribution
from ..problem import ArraySpec, PositionListing, Progress, ValuesAndBounds, ValueTable
from .cost_estimates import block_seconds
from .distribution import DistributionSolver
from .model import CardStates
from .problem import CardProblem, SingleTurn

OPTION_BYTES = 20.0  # of one entry option
FORCED_ZERO_OPTION_BYTES, FORCED_ZERO_OPTION_SECONDS = 100.0, 8e-7  # these options are listed set by set


class CardPointsProblem(CardProblem):
    """Expected points of one player.

    The array ``points`` (states, width) of the value table holds the expected points still to come. Its columns are
    upper totals if the card has an upper bonus.
    """

    has_distribution = True

    @cached_property
    def states(self) -> CardStates:
        """The states between turns, as rows of the value table."""
        return CardStates(self.card)

    @property
    def set_states(self) -> CardStates:
        """The states without any upper totals."""
        return self.states

    @property
    def place(self) -> Longs | None:
        """The row of the value table for each place, if options lead to places (see ``KeepTurn.solve``)."""
        return None

    @property
    def bonuses(self) -> Longs:
        """The bonuses of full cards by upper total, as the rows of full cards hold them."""
        width = self.array_specs()["points"].shape[1]
        return self.card.bonuses[np.minimum(np.arange(width), self.card.bonus_at)]

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate the cost from the numbers of states, upper totals and nodes of the keep lattice."""
        starts = self.states.block_starts.values()
        blocks = len(self.states) / (self.card.saved + 1) * sum(map(len, starts)) / len(starts)
        seconds = sum(block_seconds(self.card, turn.roll_count) for turn in self.card.turns)
        options = self.states.mean_option_count * len(self.states)
        option_bytes, option_seconds = OPTION_BYTES, 0.0
        if self.card.forced_zeros:
            option_bytes, option_seconds = FORCED_ZERO_OPTION_BYTES, FORCED_ZERO_OPTION_SECONDS
        return SolveCost(
            2 * self.table_bytes + option_bytes * options, blocks * seconds / threads + option_seconds * options
        )

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve every state."""
        points = np.zeros(self.array_specs()["points"].shape)
        self.fill(points, threads, progress)
        turns = len(self.card.categories) // self.card.boxes
        bound = turns * self.card.turns[-1].rounding_bound * (self._max_points + 1)
        return ValueTable({"points": points}, bound)

    def fill(self, points: Doubles, threads: int, progress: Progress) -> None:
        """Write the values of all states to ``points`` (states, width), layer by layer from full cards backwards."""
        card, states = self.card, self.states
        points[states.sets == card.full] = self.bonuses
        with ThreadPool(threads) as pool:
            for layer in states.layers():
                used_count = int(states.used_counts[layer[0]])
                for saved in range(card.most_saved(used_count) + 1):
                    self._solve_states(points, layer[states.saved_rolls[layer] == saved], saved, pool, threads)
                states.copy_equal_futures(points, layer)
                progress(1 - used_count / len(card.categories))

    def _solve_states(self, points: Doubles, states: Longs, saved: int, pool: ThreadPool, threads: int) -> None:
        """Solve the turns of states with equally many saved rolls, and write their values to ``points``."""
        state, lane = self.states.blocks(states)
        turn = self.card.turns[saved]
        option_set, early = (
            self.states.option_sets(state, turn.roll_count),
            self.states.early_option_sets(state, turn.roll_count),
        )
        solved = turn.solve(
            points,
            self.states.entry_options,
            option_set,
            lane,
            early_option_sets=early,
            row_of_place=self.place,
            pool=pool,
            threads=threads,
        )
        points[state[:, None], lane[:, None] + np.arange(LANES)] = solved.value

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the array ``points``: by state and upper total."""
        width = self.card.bonus_at + 1 + LANES if self.card.upper_mask else LANES
        return {"points": ArraySpec((len(self.states), width), 0, self._max_points)}

    @cached_property
    def _max_points(self) -> int:
        """The most points that a card can hold."""
        return self.card.most(self.card.full)

    # --- values of positions

    def state_values(self, solved: ValueTable, positions: Sequence[CardPosition]) -> ValuesAndBounds:
        """Return the points scored plus the expected points still to come, an upper bonus included."""
        score = np.array([position.own.score for position in positions])
        values: Doubles = score + solved.arrays["points"][self.table_indices(positions)]
        return values[:, None], self.error_bounds(solved, positions)

    def turn_of(self, solved: ValueTable, position: CardPosition) -> SingleTurn:
        """Return the turn of the state that contains a position."""
        (state, lane), turn = self.table_indices([position]), self.card.turns[position.own.saved]
        option_set, early = (
            int(self.states.option_sets(state, turn.roll_count)[0]),
            self.states.early_option_sets(state, turn.roll_count),
        )
        points = solved.arrays["points"]
        return SingleTurn(turn, points, self.states.entry_options, option_set, int(lane[0]), self.place, early)

    def table_indices(self, positions: Sequence[CardPosition]) -> tuple[Longs, Longs]:
        """Return the rows and columns of the value table that hold the values of positions."""
        used, _, upper, flag, saved = np.array([position.own for position in positions]).T
        return self.states.state_indices(used, flag, saved), upper

    def seat_payoffs(self, position: CardPosition, value: float) -> list[float]:
        """Return the points scored plus those still to come."""
        return [position.own.score + value]

    def error_bounds(self, solved: ValueTable, positions: Sequence[CardPosition]) -> Doubles | float:
        """Return the error bounds; adding the points scored rounds once more."""
        score = np.array([position.own.score for position in positions])
        return np.asarray(solved.error_bound + (score + self._max_points) * 2.0**-53 * (score > 0))

    def list_positions(self, told: Mapping[str, Any]) -> PositionListing[CardPosition]:
        """List every state and upper total, or the one position that is given by its used categories."""
        if "used" in told:
            return super().list_positions(told)
        card, start, states = self.card, self.playable.start(), self.set_states
        can_occur = states.saved_rolls <= (card.throws - 1) * states.used_counts
        rows = [values[can_occur].tolist() for values in (states.sets, states.flags, states.saved_rolls)]
        totals = [card.occurring(used) for used in rows[0]]
        positions = (
            changed(start, cards=(Filled(used, 0, int(upper), bool(flag), saved),))
            for used, flag, saved, uppers in zip(*rows, totals, strict=True)
            for upper in uppers
            if used != card.full
        )
        return PositionListing(sum(map(len, totals)), positions)

    def distribution(
        self, solved: ValueTable, position: CardPosition, progress: Progress = lambda done: None
    ) -> Distribution:
        """Return the distribution of the final points if the expected points are maximized."""
        if not self.playable.turn_begins(position):
            raise InputError("a distribution is asked for between turns; leave the roll out")
        if self.card.by_throw:
            raise InputError("no distribution is told of a card that counts the throws of a turn")
        solver = DistributionSolver(self.card, self.states, solved.arrays["points"], 2 * solved.error_bound)
        return solver.solve(position.own, progress)
