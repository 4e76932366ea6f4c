"""Problems of cards: values of positions inside a turn, from one kernel call for all positions of the turn."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...games.card_rules import Card
from ...play.card import CardGame, CardPosition
from ...turns.keep_turn import Doubles, EntryOptions, KeepTurn, KeepValue, Longs
from ..problem import Problem, ValuesAndBounds, ValueTable, group_by_key
from .model import turn_option_sets


@dataclass(frozen=True)
class SingleTurn:
    """One turn of one player, with the arguments of ``KeepTurn.solve`` for it.

    Attributes:
        turn: the compiled turn.
        next_values: (rows, width) the values that endings lead to.
        options: the options for entering dice.
        option_set: the option set of the last roll.
        lane: the column of ``next_values`` that belongs to the turn's own lead or total.
        row_of_place: (places,) the row of ``next_values`` for each place, if options lead to places; else None.
        early_option_sets: (rolls - 1, 1) the option sets of the rolls before the last; None if dice score alike after
            every roll.
    """

    turn: KeepTurn
    next_values: Doubles
    options: EntryOptions
    option_set: int
    lane: int
    row_of_place: Longs | None = None
    early_option_sets: Longs | None = None

    def solve(self) -> KeepValue:
        """Return the solved turn with its inner values. It fills one block of lanes, and is the first lane of it."""
        return self.turn.solve(
            self.next_values,
            self.options,
            np.array([self.option_set]),
            np.array([self.lane]),
            early_option_sets=self.early_option_sets,
            row_of_place=self.row_of_place,
            inner=True,
        )

    def entry_value(self, roll_number: int, full_roll: Longs) -> float:
        """Return the value of entering a full roll before the last roll of the turn.

        Args:
            roll_number: the number of the roll that is entered, from 1.
            full_roll: (1,) the full roll, numbered from 0 as in ``KeepLattice.full_rolls``.
        """
        assert self.early_option_sets is not None
        option_set = int(self.early_option_sets[roll_number - 1, 0])
        (value,) = self.turn.entry_values(
            self.next_values, self.options, option_set, self.lane, full_roll, self.row_of_place
        )
        return float(value)


class CardProblem(Problem[CardPosition]):
    """Base of the problems of cards; a subclass supplies the values between turns.

    Args:
        playable: the game as people play it.

    Attributes:
        card: the rules of the card.
        players: the number of players.
    """

    playable: CardGame

    def __init__(self, playable: CardGame) -> None:
        super().__init__(playable)
        self.card: Card = playable.card

    @abstractmethod
    def turn_of(self, value_table: ValueTable, position: CardPosition) -> SingleTurn:
        """Return the turn that contains a position, with the values that its endings lead to.

        Args:
            value_table: the value table, which holds these values.
            position: the position, inside a turn or between turns.
        """

    @abstractmethod
    def seat_payoffs(self, position: CardPosition, value: float) -> list[float]:
        """Return the payoff of every seat.

        Args:
            position: a position inside a turn.
            value: the mover's value of the position, as the solved turn gives it; for points, those still to come.
        """

    def error_bounds(self, value_table: ValueTable, positions: Sequence[CardPosition]) -> Doubles | float:
        """Return the error bounds of the values of positions: (positions,), or one number for all."""
        return value_table.error_bound

    def turn_values(self, value_table: ValueTable, positions: Sequence[CardPosition]) -> ValuesAndBounds:
        """Compute the values of positions inside turns: dice are kept before a roll, or all dice will be entered.

        Args:
            value_table: the value table.
            positions: the positions. Those of one turn are solved together.

        Returns:
            (positions, seats) the values, and their error bounds.
        """
        values = np.empty((len(positions), self.players))
        turns = group_by_key((position.cards, position.seat) for position in positions)
        for indices in turns.values():
            turn_positions = [positions[index] for index in indices]
            turn = self.turn_of(value_table, turn_positions[0])
            mover_values = _inner_values(turn, turn_positions).tolist()
            for index, position, value in zip(indices, turn_positions, mover_values, strict=True):
                values[index] = self.seat_payoffs(position, value)
        return values, self.error_bounds(value_table, positions)


def _inner_values(single: SingleTurn, positions: Sequence[CardPosition]) -> Doubles:
    """Return the mover's values (positions,) of positions inside one turn.

    Inside a turn dice are kept before a roll, or lie on the table after one, or all dice will be entered.

    Args:
        single: the turn, with the values that its endings lead to.
        positions: positions of this turn.
    """
    turn = single.turn
    solved = single.solve()
    assert solved.inner is not None
    rolls_made = np.array([_rolls_made(position) for position in positions])
    dice = [position.roll if position.roll else position.kept for position in positions]
    nodes = turn.lattice.node_indices(dice)  # of the keep lattice, which numbers all multisets of dice
    # ``inner`` is (blocks, rolls, nodes, lanes). Its index of rolls is t for dice kept after roll t. After the last
    # roll all dice are kept, and the last index has their value.
    last_index = turn.roll_count - 1
    only_block, first_lane = 0, 0  # of the turn
    inner_values = solved.inner[only_block, np.minimum(rolls_made, last_index), nodes, first_lane]
    value_at_start = solved.value[only_block, first_lane]
    values: Doubles = np.where(rolls_made == 0, value_at_start, inner_values)
    for index, position in enumerate(positions):
        if position.entering:  # all dice will be entered before the last roll, which ``inner`` does not value
            full_roll = nodes[[index]] - turn.lattice.first_full
            values[index] = single.entry_value(position.throw, full_roll)
    return values


def _rolls_made(position: CardPosition) -> int:
    """Return how many rolls of the turn have been made.

    A position counts the roll that lies on the table or, without one, the roll to come.
    """
    return position.throw if position.roll else position.throw - 1


def option_sets_of_single_turn(card: Card) -> tuple[int, Longs | None]:
    """Return the option sets of a turn whose options are the only ones.

    Args:
        card: the rules of the card.

    Returns:
        The option set of the last roll, and (rolls - 1, 1) those of the earlier rolls. The second is None if dice score
        alike after every roll.
    """
    number_of_turn = np.zeros(1, dtype=np.int64)  # (turns,) the only turn has the number 0
    last_roll_sets, early_option_sets = turn_option_sets(card, number_of_turn, count=1)
    return int(last_roll_sets[0]), early_option_sets
