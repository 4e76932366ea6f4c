"""Base of all push-your-luck problems: values of positions inside turns, read from solved turns.

A subclass provides *lanes* (``PushProblem.lanes``): the payoffs of all endings of some turns. Values inside these turns
come from one call of the push kernel for many turns at a time.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...games.push_rules import SPECIALS, WIN, WIPE, Next, PushRules
from ...play.playable_game import Choice
from ...play.push import WIPED, Play, PushPosition
from ...turns.push_turn import BUST, Caps, Doubles
from ..problem import PositionListing, Problem, ValuesAndBounds, ValueTable, rotate_to_seats
from ..turn_lanes import PendingRoll, TurnLanes
from .states import States

TURNS_PER_CALL = 512  # turns whose inner values are in memory at a time
TRUNCATION_NOTE = (
    "a turn's rows end one step past the points from which stopping is best; the last of them stand for more"
)


class PushProblem(Problem[PushPosition]):
    """A push-your-luck problem: states between turns, and one turn model for all turns.

    Attributes:
        rules: the rules of the turn.
        states: the states of one player.
    """

    playable: Play

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self.rules: PushRules = table.rules
        self.states = States(table.game.data, table.goal)

    @property
    def scores(self) -> NDArray[np.int64]:
        """Scores between turns, in points."""
        return self.states.scores * self.rules.grain

    @abstractmethod
    def lanes(self, solved: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> TurnLanes:
        """Return the turns that begin at ``starts``, with tables that include ``held`` turn points (in units)."""

    def turn_caps(self, solved: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> Caps:
        """Return the caps of the turns that begin at ``starts``."""
        return np.array([self.lanes(solved, [start], min_points).cap for start in starts], dtype=np.int32)

    @abstractmethod
    def start_values(self, solved: ValueTable, position: PushPosition) -> list[float]:
        """Return the values of all seats at the start of a turn, from the value table."""

    def turn_error_bound(self, solved: ValueTable, lanes: TurnLanes) -> float:
        """Return the error bound of values inside the turns of some lanes."""
        return solved.error_bound

    def seat_shares(self, values: Doubles) -> Doubles:
        """Return the values of the seats from the mover on, from those of the channels (first axis)."""
        if self.players == 2:
            return np.concatenate([values, 1 - values])
        return values

    def has_state(self, solved: ValueTable, position: PushPosition) -> bool:
        """Return True if a turn begins here that is not a last turn."""
        return super().has_state(solved, position) and not self._is_last(position)

    def state_values(self, solved: ValueTable, positions: Sequence[PushPosition]) -> ValuesAndBounds:
        """Return the values of states from the value table."""
        return np.array([self.start_values(solved, position) for position in positions]), solved.error_bound

    def turn_values(self, solved: ValueTable, positions: Sequence[PushPosition]) -> ValuesAndBounds:
        """Return the values of positions before a roll, turn by turn.

        A last turn may begin with a decision; its value is that of the best choice.
        """
        values, bounds = np.empty((len(positions), self.players)), np.empty(len(positions))
        turns: dict[PushPosition, list[int]] = {}
        for number, position in enumerate(positions):
            if self.playable.stage(position) == "choose":
                choices = self.seat_values(solved, [choice.after for choice in self.playable.choices(position)])
                best = choices.values[:, position.seat].argmax()
                values[number], bounds[number] = choices.values[best], choices.error_bounds.max()
            else:
                turns.setdefault(self.playable.begun(position), []).append(number)
        for start, numbers in turns.items():
            rolls = [positions[number] for number in numbers]
            lanes = self.lanes(solved, [start], max(self._turn_points(roll) for roll in rolls))
            shares = self.seat_shares(self._continuation_payoffs(lanes, rolls)[:, :, 0]).T
            values[numbers] = [rotate_to_seats(start.seat, by_seat) for by_seat in shares.tolist()]
            bounds[numbers] = self.turn_error_bound(solved, lanes)
        return values, bounds

    def continuation_values(
        self,
        solved: ValueTable,
        starts: Sequence[PushPosition],
        continuations: Sequence[PushPosition | Choice[PushPosition]],
    ) -> Doubles:
        """Return the values of ``continuations`` (rolls to make, and choices that end the turn) in each of the turns.

        The shape is (starts, continuations, seats). TURNS_PER_CALL turns are solved in one kernel call.
        """
        values = np.empty((len(starts), len(continuations), self.players))
        points = max(self._turn_points(continuation) for continuation in continuations)
        for first in range(0, len(starts), TURNS_PER_CALL):
            part = starts[first : first + TURNS_PER_CALL]
            shares = self.seat_shares(self._continuation_payoffs(self.lanes(solved, part, points), continuations))
            for number, start in enumerate(part):
                values[first + number] = np.roll(shares[:, :, number].T, start.seat, axis=1)
        return values

    def _continuation_payoffs(
        self, lanes: TurnLanes, continuations: Sequence[PushPosition | Choice[PushPosition]]
    ) -> Doubles:
        """Return the values of rolls to make and of choices that end the turn: (channels, continuations, turns)."""
        values = np.empty((len(lanes.payoff), len(continuations), lanes.payoff.shape[2]))
        rolls = dict[int, PendingRoll]()  # by index in continuations
        for number, continuation in enumerate(continuations):
            if isinstance(continuation, PushPosition):
                rolls[number] = PendingRoll(*self._mode(continuation), self._turn_points(continuation))
            else:
                values[:, number] = lanes.payoff[:, self._ending(continuation, lanes)]
        if rolls:
            values[:, list(rolls)] = lanes.roll_values(list(rolls.values()))
        if not len(lanes.shares):
            return values
        return np.asarray(np.add.reduceat(values * lanes.shares, lanes.first_lanes, axis=2))

    def _is_last(self, position: PushPosition) -> bool:
        """Return True if an opponent holds the target, so that this is a last turn."""
        return max(position.opponents, default=0) >= self.rules.target

    def _turn_points(self, continuation: PushPosition | Choice[PushPosition]) -> int:
        """Return the turn points, in units, before a roll or after a choice that ends the turn."""
        if isinstance(continuation, PushPosition):
            return self.rules.held(continuation.turn, continuation.dice)
        return self.rules.held(continuation.points, 0)

    def _mode(self, position: PushPosition) -> tuple[int, int]:
        """Return the mode before a roll, and the index of the roll in that mode."""
        if self.rules.choose:
            return self.rules.chosen, position.dice - 1
        return self.rules.mode_of(Next(position.dice, position.forced, position.over)), 0

    def _ending(self, choice: Choice[PushPosition], lanes: TurnLanes) -> int:
        """Return the index of a choice that ends the turn in the payoff of its turn.

        With take-over, there is one block of banks for each number of dice left.
        """
        if choice.then in ("bank", "stop"):
            is_bank = choice.then == "bank"
            dice_left = choice.after.offered[1] if is_bank and choice.after.offered else 0
            return (
                SPECIALS + dice_left * lanes.bank_count + min(self._turn_points(choice) * is_bank, lanes.bank_count - 1)
            )
        special = WIN if choice.then == "win" else WIPE if choice.action == WIPED else BUST
        return -1 - special.next_mode

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[PushPosition]:
        """List the positions at the start of a turn for all scores of the players.

        Offers to take over would make too many positions, so the fields have to give the offer.
        """
        if "offered" in fields:
            return super().list_positions(fields)
        scores = [int(score) * self.rules.grain for score in self.listed_scores()]
        bust_counts = list(product(range(len(self.rules.costs)), repeat=self.players)) if self.rules.costs else [()]
        lines = product(scores, repeat=self.players)
        starts = (self.playable.begin(line, 0, self.playable.turns, busts) for line in lines for busts in bust_counts)
        return PositionListing(len(scores) ** self.players * len(bust_counts), starts, TRUNCATION_NOTE)

    def listed_scores(self) -> Sequence[int]:
        """Return the scores, in units, from which turns are listed."""
        scores: list[int] = self.states.scores.tolist()
        return scores
