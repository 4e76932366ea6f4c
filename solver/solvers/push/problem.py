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

from ...games.push_rules import SPECIAL_ENDING_COUNT, WIN, WIPE, PushRules
from ...play.choice_kinds import ChoiceKind
from ...play.playable_game import Choice, Stage
from ...play.push import PushGame, PushPosition
from ...turns.push_turn import BUST, Caps, Doubles
from ..problem import PositionListing, Problem, ValuesAndBounds, ValueTable
from ..turn_lanes import PendingRoll, TurnLanes
from .states import States

TURNS_PER_CALL = 512  # turns whose inner values are in memory at a time
TRUNCATION_NOTE = (
    "the rows of a turn end one step above the points from which stopping is best; its last row stands for all larger"
    " numbers"
)


class PushProblem(Problem[PushPosition]):
    """A push-your-luck problem: states between turns, and one turn model for all turns.

    A *continuation* is a roll that is about to be made inside a turn, as a position, or a choice that ends the turn.

    Attributes:
        playable: the game as it is played; it makes the positions in which turns begin.
        players: the number of players.
        rules: the rules of the turn.
        states: the states of one player.
        scores: (scores,), those that a player can have between turns, in points.
    """

    playable: PushGame

    def __init__(self, playable: PushGame) -> None:
        """Derive the states of one player from the rules and the goal of a game.

        Args:
            playable: the game as it is played, with its number of players.
        """
        super().__init__(playable)
        self.rules: PushRules = playable.rules
        self.states = States(playable.game.data, playable.goal, head_starts=playable.head_starts)

    @property
    def ends_by_rule(self) -> bool:
        """True if the rules end every turn after finitely many rolls: dice are used up, or turn points have a bound."""
        turn = self.rules.turn
        return self.rules.bust_above > 0 or not turn.can_reenter(range(len(turn.modes)))

    def _objective_has_distribution(self, objective: str) -> bool:
        """Return True if an objective has a distribution: only the points of a turn, if the rules end every turn."""
        return objective == "points" and self.ends_by_rule

    @property
    def scores(self) -> NDArray[np.int64]:
        """(scores,): the scores that a player can have between turns, in points."""
        return self.states.scores * self.rules.grain

    @abstractmethod
    def lanes(self, value_table: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> TurnLanes:
        """Return the turns that begin at some positions, with the payoffs of their endings: one or more lanes for each.

        Args:
            value_table: the value table that the payoffs are read from.
            starts: positions at the start of a turn.
            min_points: turn points, in units, that the tables of the turns have to include.
        """

    def turn_caps(self, value_table: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> Caps:
        """Return by start the turn points, in units, at which the table of its turn ends.

        Args:
            value_table: the value table that the payoffs of the turns are read from.
            starts: positions at the start of a turn.
            min_points: turn points, in units, that the tables of the turns have to include.
        """
        return np.array([self.lanes(value_table, [start], min_points).cap for start in starts], dtype=np.int32)

    @abstractmethod
    def start_values(self, value_table: ValueTable, position: PushPosition) -> list[float]:
        """Return the values of all seats at a position where a turn begins, seat 0 first, from the value table."""

    def turn_error_bound(self, value_table: ValueTable, lanes: TurnLanes) -> float:
        """Return the error bound of values inside turns.

        Args:
            value_table: the value table that the payoffs of the turns come from.
            lanes: the turns.
        """
        return value_table.error_bound

    def seat_shares(self, values: Doubles) -> Doubles:
        """Return the values of the seats from the mover on: (seats, ...).

        Args:
            values: (channels, ...), the values of solved turns. Two players have one channel, which is the mover's
                chance to win; otherwise every seat has a channel.
        """
        if self.players == 2:
            return np.concatenate([values, 1 - values])
        return values

    def has_state(self, value_table: ValueTable, position: PushPosition) -> bool:
        """Return True if a turn that is not a last turn begins at the position."""
        return super().has_state(value_table, position) and not self._is_last(position)

    def state_values(self, value_table: ValueTable, positions: Sequence[PushPosition]) -> ValuesAndBounds:
        """Return the values at positions where a turn begins, from the value table.

        Returns:
            (positions, seats) the values, and their error bound.
        """
        return np.array([self.start_values(value_table, position) for position in positions]), value_table.error_bound

    def turn_values(self, value_table: ValueTable, positions: Sequence[PushPosition]) -> ValuesAndBounds:
        """Return the values of positions inside turns, each before a roll.

        Positions of the same turn are evaluated together. A last turn may begin with a decision, whether to take over
        an offer. It is evaluated here, as the best choice, because the value table has no states for last turns.

        Args:
            value_table: the value table.
            positions: positions before a roll, or at the start of a last turn.

        Returns:
            (positions, seats) the values, and (positions,) their error bounds.
        """
        values = np.empty((len(positions), self.players))
        bounds = np.empty(len(positions))
        rolls_by_start: dict[PushPosition, list[int]] = {}  # by start of their turn, indices in positions
        for index, position in enumerate(positions):
            if self.playable.stage(position) == Stage.DECISION:
                values[index], bounds[index] = self._decision_value(value_table, position)
            else:
                rolls_by_start.setdefault(self.playable.turn_start_of(position), []).append(index)
        for start, indices in rolls_by_start.items():
            rolls = [positions[index] for index in indices]
            values[indices], bounds[indices] = self._roll_values(value_table, start, rolls)
        return values, bounds

    def _decision_value(self, value_table: ValueTable, position: PushPosition) -> tuple[Doubles, float]:
        """Return the value of a decision, which is that of the best choice: (seats,), and its error bound."""
        positions_after_choices = [choice.after for choice in self.playable.choices(position)]
        choice_values = self.seat_values(value_table, positions_after_choices)
        best = choice_values.values[:, position.seat].argmax()
        return choice_values.values[best], float(choice_values.error_bounds.max())

    def _roll_values(
        self, value_table: ValueTable, start: PushPosition, rolls: Sequence[PushPosition]
    ) -> tuple[Doubles, float]:
        """Return the values before some rolls of one turn: (rolls, seats), seat 0 first, and their error bound.

        Args:
            value_table: the value table.
            start: the position at which the turn begins.
            rolls: positions of that turn before a roll.
        """
        max_points = max(self._turn_points(roll) for roll in rolls)
        lanes = self.lanes(value_table, [start], min_points=max_points)
        roll_values = self._continuation_values(lanes, rolls)[:, :, 0]  # (channels, rolls) of the only turn
        shares = self.seat_shares(roll_values)  # (seats from the mover on, rolls)
        by_seat = np.roll(shares.T, start.seat, axis=1)  # (rolls, seats), seat 0 first
        return by_seat, self.turn_error_bound(value_table, lanes)

    def continuation_values(
        self,
        value_table: ValueTable,
        starts: Sequence[PushPosition],
        continuations: Sequence[PushPosition | Choice[PushPosition]],
    ) -> Doubles:
        """Return the values of continuations in many turns: (starts, continuations, seats), seat 0 first.

        TURNS_PER_CALL turns are solved in one kernel call, because more inner values would take much memory.

        Args:
            value_table: the value table.
            starts: the positions at which the turns begin.
            continuations: rolls to make and choices that end the turn; each is valued in every turn.
        """
        values = np.empty((len(starts), len(continuations), self.players))
        max_points = max(self._turn_points(continuation) for continuation in continuations)
        for first in range(0, len(starts), TURNS_PER_CALL):
            part = starts[first : first + TURNS_PER_CALL]
            lanes = self.lanes(value_table, part, min_points=max_points)
            # (seats from the mover on, continuations, turns)
            shares = self.seat_shares(self._continuation_values(lanes, continuations))
            for index, start in enumerate(part):
                from_mover_on = shares[:, :, index].T  # (continuations, seats)
                values[first + index] = np.roll(from_mover_on, start.seat, axis=1)  # seat 0 first
        return values

    def _continuation_values(
        self, lanes: TurnLanes, continuations: Sequence[PushPosition | Choice[PushPosition]]
    ) -> Doubles:
        """Return the values of continuations in some turns: (channels, continuations, turns).

        Args:
            lanes: the turns. A turn with a mixed action has several lanes, whose values are averaged by probability.
            continuations: rolls to make and choices that end the turn.
        """
        channels, _, lane_count = lanes.payoff.shape
        values = np.empty((channels, len(continuations), lane_count))
        rolls = dict[int, PendingRoll]()  # by index in continuations
        for index, continuation in enumerate(continuations):
            if isinstance(continuation, PushPosition):
                rolls[index] = self._find_roll(continuation, lanes)
            else:
                values[:, index] = lanes.payoff[:, self._find_ending(continuation, lanes)]
        if rolls:
            values[:, list(rolls)] = lanes.roll_values(list(rolls.values()))
        has_mixed_actions = len(lanes.lane_probabilities) > 0
        if not has_mixed_actions:
            return values
        # Sums over the lanes of each turn, which begin at its first lane.
        return np.asarray(np.add.reduceat(values * lanes.lane_probabilities, lanes.first_lanes, axis=2))

    def _is_last(self, position: PushPosition) -> bool:
        """Return True if an opponent holds the target, so that this is a last turn."""
        return max(position.opponents, default=0) >= self.rules.target

    def _turn_points(self, continuation: PushPosition | Choice[PushPosition]) -> int:
        """Return the turn points, in units, before a roll or after a choice that ends the turn."""
        if isinstance(continuation, PushPosition):
            return self.rules.turn_total(continuation.turn, continuation.dice)
        return self.rules.turn_total(continuation.points, 0)

    def _find_roll(self, position: PushPosition, lanes: TurnLanes) -> PendingRoll:
        """Return the roll that is made in a position, as the turn has it.

        Args:
            position: a position before a roll.
            lanes: the turn; not needed here, because all turns have the same turn model.
        """
        mode, roll = self.playable.mode_and_roll(position)
        return PendingRoll(mode, roll, self._turn_points(position))

    def _find_ending(self, choice: Choice[PushPosition], lanes: TurnLanes) -> int:
        """Return the ending that a choice leads to, as an index in the payoff of its turn.

        Special endings come first, then banks of 0, 1, ... points. If dice can be taken over, these are banks that
        leave no dice, and the same banks follow for each number of dice left.

        Args:
            choice: a choice that ends the turn.
            lanes: the turn.
        """
        if choice.kind is ChoiceKind.BANK:
            dice_left = choice.after.offered[1] if choice.after.offered else 0  # an offer is points and dice
            max_points = lanes.bank_count - 1
            counted_points = min(self._turn_points(choice), max_points)  # more points count as these
            return SPECIAL_ENDING_COUNT + dice_left * lanes.bank_count + counted_points
        if choice.kind is ChoiceKind.STOP:  # a bank of 0 points
            return SPECIAL_ENDING_COUNT
        if choice.kind is ChoiceKind.WIN:
            special = WIN
        elif choice.kind is ChoiceKind.WIPE:
            special = WIPE
        else:
            special = BUST
        return -1 - special.next_mode  # next_mode is -1, -2, ... for the endings 0, 1, ...

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[PushPosition]:
        """List the positions at the start of a turn for all scores of the players; the player who begins moves.

        Takeover offers would make too many positions, so none are listed unless the fields give an offer.

        Args:
            fields: fields that the positions must have. Only ``offered`` is looked at here.
        """
        if "offered" in fields:
            return super().list_positions(fields)
        scores = [int(score) * self.rules.grain for score in self.listed_scores()]
        bust_counts: list[tuple[int, ...]] = [()]  # by seat, if busts cost points
        if self.rules.bust_costs:
            bust_counts = list(product(range(len(self.rules.bust_costs)), repeat=self.players))
        first_mover = 0
        turns_left = self.playable.turns  # all turns of the game; 0 if its objective does not limit them
        starts = (
            self.playable.turn_start(scores_by_seat, first_mover, turns_left, busts_by_seat)
            for scores_by_seat in product(scores, repeat=self.players)
            for busts_by_seat in bust_counts
        )
        position_count = len(scores) ** self.players * len(bust_counts)
        return PositionListing(position_count, starts, TRUNCATION_NOTE)

    def listed_scores(self) -> Sequence[int]:
        """Return the scores, in units, for which positions are listed."""
        scores: list[int] = self.states.scores.tolist()
        return scores
