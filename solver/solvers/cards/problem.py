"""Problems of cards: values of positions inside a turn, from one kernel call for all positions of the turn."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...games.cards import Card
from ...play.card import CardPosition, Play
from ...turns.keep_turn import Doubles, EntryOptions, KeepTurn, KeepValue, Longs
from ..problem import Problem, ValuesAndBounds, ValueTable, group_by_key


@dataclass(frozen=True)
class SingleTurn:
    """A turn with the arguments of ``KeepTurn.solve``: one option set, one lane.

    Attributes:
        turn: the compiled turn.
        after: (rows, width) the values that endings lead to.
        options: the options for entering dice.
        option_set: the option set of the last roll.
        lane: the place on the axis of ``next_values`` at which the turn begins.
        place: the row of ``next_values`` for each place, if options lead to places.
        early: (rolls - 1, 1) the option sets of the earlier rolls, if dice score differently then.
    """

    turn: KeepTurn
    next_values: Doubles
    options: EntryOptions
    option_set: int
    lane: int
    place: Longs | None = None
    early: Longs | None = None

    def solve(self) -> KeepValue:
        """Return the solved turn with its inner values."""
        option_set, lane = np.array([self.option_set]), np.array([self.lane])
        return self.turn.solve(
            self.next_values,
            self.options,
            option_set,
            lane,
            early_option_sets=self.early,
            row_of_place=self.place,
            inner=True,
        )

    def entry_value(self, roll_number: int, full_roll: Longs) -> float:
        """Return the value of entering a full roll now, after roll number ``roll_number`` of the turn."""
        assert self.early is not None
        option_set = int(self.early[roll_number - 1, 0])
        (value,) = self.turn.entry_values(self.next_values, self.options, option_set, self.lane, full_roll, self.place)
        return float(value)


class CardProblem(Problem[CardPosition]):
    """Base of the problems of cards; a subclass supplies the values between turns."""

    playable: Play

    def __init__(self, playable: Play) -> None:
        super().__init__(playable)
        self.card: Card = playable.card

    @abstractmethod
    def turn_of(self, solved: ValueTable, position: CardPosition) -> SingleTurn:
        """Return the turn that contains a position."""

    @abstractmethod
    def seat_payoffs(self, position: CardPosition, value: float) -> list[float]:
        """Return the payoff of every seat from the mover's value of the turn that contains a position."""

    def error_bounds(self, solved: ValueTable, positions: Sequence[CardPosition]) -> Doubles | float:
        """Return the error bounds of the values of positions."""
        return solved.error_bound

    def turn_values(self, solved: ValueTable, positions: Sequence[CardPosition]) -> ValuesAndBounds:
        """Return the values of positions inside turns: dice are kept before a roll, or all dice will be entered."""
        values = np.empty((len(positions), self.players))
        for indices in group_by_key((position.cards, position.seat) for position in positions).values():
            of_turn = [positions[index] for index in indices]
            mover_values = _inner_values(self.turn_of(solved, of_turn[0]), of_turn).tolist()
            values[indices] = [self.seat_payoffs(*pair) for pair in zip(of_turn, mover_values, strict=True)]
        return values, self.error_bounds(solved, positions)


def _inner_values(single: SingleTurn, positions: Sequence[CardPosition]) -> Doubles:
    """Return the mover's values of positions of one turn."""
    turn, solved = single.turn, single.solve()
    assert solved.inner is not None
    rolls_made = [position.throw - (position.roll is None) for position in positions]
    nodes = turn.lattice.node_indices([position.roll or position.kept for position in positions])
    values: Doubles = solved.inner[0, np.minimum(rolls_made, turn.roll_count - 1), nodes, 0]
    values = np.where(np.array(rolls_made) == 0, solved.value[0, 0], values)  # no dice are kept before the first roll
    for index, position in enumerate(positions):
        if position.entering:
            full_roll = nodes[index : index + 1] - turn.lattice.first_full
            values[index] = single.entry_value(position.throw, full_roll)
    return values
