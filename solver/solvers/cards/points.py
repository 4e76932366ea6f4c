"""A card filled alone for the most expected points."""

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
from ..problem import ArraySpec, Found, PositionListing, Progress, ValueTable
from .cost_estimates import block_seconds
from .distribution import total_distribution
from .model import CardStates
from .problem import CardMatch, TurnProblem

OPTION_BYTES = 20.0  # of an option, as a turn has them
RUN_BYTES, RUN_SECONDS = 100.0, 8e-7  # with forced zeros, where they are found set by set


class Points(CardMatch):
    """Greatest expected points. Values: ``points`` (states, width), those still to come, by upper total where it
    counts.
    """

    has_distribution = True

    @cached_property
    def states(self) -> CardStates:
        """The states between turns."""
        return CardStates(self.card)

    @property
    def plain(self) -> CardStates:
        """The states whatever the upper totals."""
        return self.states

    @property
    def place(self) -> Longs | None:
        """The rows that options lead to, where these tell places (see ``KeepTurn``)."""
        return None

    @property
    def bonuses(self) -> Longs:
        """What whole cards get beside their points, by upper total, as rows have it."""
        return self.card.bonuses[np.minimum(np.arange(self.array_specs()["points"].shape[1]), self.card.bonus_at)]

    def estimate_cost(self, threads: int) -> SolveCost:
        """What grows: the states and their upper totals, and with each the partial throws."""
        lanes = self.states.lanes.values()
        blocks = len(self.states) / (self.card.saved + 1) * sum(map(len, lanes)) / len(lanes)
        seconds = sum(block_seconds(self.card, turn.throws) for turn in self.card.turns)
        options = self.states.options_each * len(self.states)
        found = (RUN_BYTES, RUN_SECONDS) if self.card.forced_zeros else (OPTION_BYTES, 0.0)
        return SolveCost(2 * self.table_bytes + found[0] * options, blocks * seconds / threads + found[1] * options)

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve every state."""
        worth = np.zeros(self.array_specs()["points"].shape)
        self.fill(worth, threads, progress)
        turns = len(self.card.categories) // self.card.boxes
        return ValueTable(
            {"points": worth}, turns * self.card.turns[-1].rounding_bound * (self.card.most(self.card.full) + 1)
        )

    def fill(self, worth: Doubles, threads: int, progress: Progress) -> None:
        """Fill what states are worth (states, width), those with fewer turns left first."""
        card, states, problems = self.card, self.states, self.states.problems
        worth[states.sets == card.full] = self.bonuses
        with ThreadPool(threads) as pool:
            for layer in states.layers():
                for saved in range(card.most_saved(int(states.sizes[layer[0]])) + 1):
                    state, lane = states.blocks(layer[states.saved[layer] == saved])
                    turn = card.turns[saved]
                    ending, early = states.ends(state, turn.throws), states.early(state, turn.throws)
                    solved = turn.solve(
                        worth, problems, ending, lane, early=early, place=self.place, pool=pool, threads=threads
                    )
                    worth[state[:, None], lane[:, None] + np.arange(LANES)] = solved.value
                states.spread(worth, layer)
                progress(1 - int(states.sizes[layer[0]]) / len(card.categories))

    def array_specs(self) -> dict[str, ArraySpec]:
        """The points, by state and upper total."""
        width = self.card.bonus_at + 1 + LANES if self.card.upper_mask else LANES
        return {"points": ArraySpec((len(self.states), width), 0, self.card.most(self.card.full))}

    def state_values(self, solved: ValueTable, positions: Sequence[CardPosition]) -> Found:
        """Points held and expected points still to come, an upper bonus included."""
        score = np.array([position.own.score for position in positions])
        values: Doubles = score + solved.arrays["points"][self.read(positions)]
        return values[:, None], self.bounds(solved, positions)

    def turn_of(self, solved: ValueTable, position: CardPosition) -> TurnProblem:
        """The turn of the position's state."""
        (state, lane), turn = self.read([position]), self.card.turns[position.own.saved]
        ending, early = int(self.states.ends(state, turn.throws)[0]), self.states.early(state, turn.throws)
        after = solved.arrays["points"]
        return TurnProblem(turn, after, self.states.problems, ending, int(lane[0]), self.place, early)

    def read(self, positions: Sequence[CardPosition]) -> tuple[Longs, Longs]:
        """Where the values of positions between turns stand: the row and the place in it."""
        used, _, upper, flag, saved = np.array([position.own for position in positions]).T
        return self.states.numbers(used, flag, saved), upper

    def by_seat(self, position: CardPosition, value: float) -> list[float]:
        """Points held and to come."""
        return [position.own.score + value]

    def bounds(self, solved: ValueTable, positions: Sequence[CardPosition]) -> Doubles | float:
        """Adding what is held already rounds once more."""
        held = np.array([position.own.score for position in positions])
        return np.asarray(solved.error_bound + (held + self._most) * 2.0**-53 * (held > 0))

    @cached_property
    def _most(self) -> int:
        """The most points that the card can hold."""
        return self.card.most(self.card.full)

    def list_positions(self, told: Mapping[str, Any]) -> PositionListing[CardPosition]:
        """Every state and upper total; where the categories used are told, that one."""
        if "used" in told:
            return super().list_positions(told)
        card, start, states = self.card, self.playable.start(), self.plain
        can = states.saved <= (card.throws - 1) * states.sizes
        rows = [kind[can].tolist() for kind in (states.sets, states.flags, states.saved)]
        totals = [card.occurring(used) for used in rows[0]]
        listed = (
            changed(start, cards=(Filled(used, 0, int(upper), bool(flag), saved),))
            for used, flag, saved, here in zip(*rows, totals, strict=True)
            for upper in here
            if used != card.full
        )
        return PositionListing(sum(map(len, totals)), listed)

    def distribution(
        self, solved: ValueTable, position: CardPosition, progress: Progress = lambda done: None
    ) -> Distribution:
        """The points in the end, every chance of them, when they are played for the most expected."""
        if not self.playable.turn_begins(position):
            raise InputError("a distribution is asked for between turns; leave the roll out")
        if self.card.by_throw:
            raise InputError("no distribution is told of a card that counts the throws of a turn")
        tie = 2 * solved.error_bound
        return total_distribution(self.card, solved.arrays["points"], tie, self.states, position.own, progress)
