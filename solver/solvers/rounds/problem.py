"""Base of the problems of games by the round: one turn, solved for many payoffs of its scores at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...games.round_rules import RoundTurn, Situation
from ...play.one_turn import OneTurnPosition
from ...play.playable_game import PlayableGame, replace_fields
from ...play.pot import PotPosition
from ...play.rounds import TRIO, RoundsPosition
from ...play.three_dice import ThreeDicePosition
from ...play.tiles import TilesPosition
from ...turns.push_turn import PushTurn, TurnValue, round_up_to_blocks
from ..problem import Problem, ValuesAndBounds, ValueTable, group_by_key

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Position = TypeVar("Position", bound=RoundsPosition | PotPosition | TilesPosition)

ROLLS_PER_TURN = 3
TURNS_PER_CALL = 256  # turns that are solved together with all values inside them
MIN_COUNTED_ROLLS = 4  # a bound of rounding counts at least so many rolls of a turn; a round has three
UNIT_ROUNDOFF = 2.0**-53


def solve_lanes(rules: RoundTurn, payoffs: Floats) -> Floats:
    """Return the values of turns, one for each lane, which differ in what the scores pay.

    Args:
        rules: the compiled turn.
        payoffs: (channels, scores, lanes), the payoffs of the scores from 0 to ``rules.max_score``. Channel 0 is
            maximized, and the others are evaluated along its choices.

    Returns:
        (channels, lanes), the value before the first roll.
    """
    lane_count = payoffs.shape[2]
    return _solve_turns(rules, payoffs).value[:, :lane_count]


def values_before_rolls(rules: RoundTurn, payoffs: Floats) -> Floats:
    """Return the values before every roll of turns, one turn for each lane.

    Args:
        rules: the compiled turn. A *situation* of it is what is known before a roll, for example the dice set aside.
        payoffs: (channels, scores, lanes), the payoffs of the scores from 0 to ``rules.max_score``. Channel 0 is
            maximized, and the others are evaluated along its choices.

    Returns:
        (channels, modes, lanes); the mode of a situation is ``rules.situations[situation]``.
    """
    lane_count = payoffs.shape[2]
    inner = _solve_turns(rules, payoffs, inner=True).inner
    assert inner is not None
    turn_points = 0  # scores are endings of these turns, so no points are carried from roll to roll
    return inner[:, :, turn_points, :lane_count]


def _solve_turns(rules: RoundTurn, payoffs: Floats, inner: bool = False) -> TurnValue:
    """Call the kernel for turns whose bank endings are the scores.

    The kernel wants the payoff of the bust first, then one for each number of points from 0 to the cap. The cap is one
    more than the highest score, so that no score is cut off. The bust and the cap are never reached, and pay 0. Lanes
    fill whole blocks.

    Args:
        rules: the compiled turn.
        payoffs: (channels, scores, lanes), the payoffs of the scores.
        inner: also return the values inside the turns.

    Returns:
        Values with more lanes than ``payoffs``; those of the added lanes are meaningless.
    """
    channel_count, score_count, lane_count = payoffs.shape
    padded_lane_count = round_up_to_blocks(lane_count)
    cap = score_count
    first_bank = 1  # after the bust
    ending_count = first_bank + cap + 1
    padded_payoffs = np.zeros((channel_count, ending_count, padded_lane_count))
    padded_payoffs[:, first_bank : first_bank + score_count, :lane_count] = payoffs
    caps = np.full(padded_lane_count, cap, dtype=np.int32)
    return rules.turn.solve(padded_payoffs, caps, inner=inner)


def zero_score_probability(rules: RoundTurn) -> float:
    """Return the probability of a round without points in Battleship.

    It is the same for every policy. The trio (ship, captain, mate) is set aside without a choice, and whoever has set
    it aside scores at least two.

    Args:
        rules: the compiled turn.
    """
    payoffs = np.zeros((1, rules.max_score + 1, 1))  # (channels, scores, lanes)
    payoffs[0, 0] = 1
    return float(solve_lanes(rules, payoffs)[0, 0])


def round_rounding_bound(rules: RoundTurn) -> float:
    """Return a bound of the relative rounding error of a turn's value.

    With u = 2^-53, a roll of n classes is counted as 2 n + 2 roundings of relative error u, almost twice as many as it
    has. The errors of rolls that follow each other add up, so the rolls of the longest turn would be enough. More are
    counted: always one, and others if turns are short or have many modes. They only make the bound wider; the error
    bounds of shipped tables contain them.

    Args:
        rules: the compiled turn.
    """
    max_classes = max(len(roll.classes) for mode in rules.turn.modes for roll in mode.rolls)
    mode_count = len(rules.turn.modes)
    counted_rolls = 1 + max(longest_turn(rules.turn), mode_count.bit_length(), MIN_COUNTED_ROLLS)
    return counted_rolls * (2 * max_classes + 2) * UNIT_ROUNDOFF


def longest_turn(turn: PushTurn) -> int:
    """Return the largest number of rolls that a turn can have.

    Args:
        turn: the compiled turn, whose modes come after all modes that they lead to.
    """
    max_rolls: list[int] = []  # by mode, the most rolls from it on
    for mode in turn.modes:
        roll_classes = [roll_class for roll in mode.rolls for roll_class in roll.classes]
        next_modes = [choice.next_mode for choices, _weight in roll_classes for choice in choices]
        # A negative next mode is an ending, after which no rolls follow.
        rolls_after = [max_rolls[next_mode] for next_mode in next_modes if next_mode >= 0]
        max_rolls.append(1 + max(rolls_after, default=0) if mode.rolls else 0)
    return max_rolls[turn.start]


def situation_of(position: RoundsPosition | ThreeDicePosition) -> Situation:
    """Return the situation of the compiled turn in a position in which dice have to be rolled.

    Returns:
        For a pot the rolls left and the sum of the dice set aside. For Battleship the rolls left, the number of trio
        dice (ship, captain, mate) set aside, and the crew die set aside (0 if there is none).
    """
    kept = position.kept
    if isinstance(position, ThreeDicePosition):
        rolls_left = ROLLS_PER_TURN + 1 - position.throw  # with the one that comes next
        return rolls_left, sum(kept)
    rolls_left = ROLLS_PER_TURN + 1 - position.cast
    # The trio is set aside first, then a crew die.
    trio_count = min(len(kept), len(TRIO))
    crew_die = kept[len(TRIO)] if len(kept) > len(TRIO) else 0
    return rolls_left, trio_count, crew_die


def turn_start(position: Position) -> Position:
    """Return the position in which the turn of a position began."""
    if isinstance(position, OneTurnPosition):
        return replace_fields(position, inside=None)
    if isinstance(position, RoundsPosition):
        return replace_fields(position, kept=(), roll=None, cast=1)
    return replace_fields(position, kept=(), roll=None)


class RoundProblem(Problem[Position]):
    """A problem whose turns end in a score.

    Subclasses implement ``score_payoffs``; values inside turns follow from it. Payoffs are maximized. If they are not
    the values that users see, a subclass converts them by ``values_from_payoffs``.

    Attributes:
        rules: the compiled turn.
        players: the number of players.
    """

    def __init__(self, playable: PlayableGame[Position]) -> None:
        """Take over a game as people play it, and compile its turn."""
        super().__init__(playable)
        self.rules = self.compile_turn()

    def compile_turn(self) -> RoundTurn:
        """Return the turn that is solved; by default that of the game."""
        turn: RoundTurn = self.playable.game.data
        return turn

    def situation(self, position: Position) -> Situation:
        """Return the situation of the compiled turn in a chance position."""
        assert isinstance(position, (RoundsPosition, ThreeDicePosition))
        return situation_of(position)

    def turn_start(self, position: Position) -> Position:
        """Return the position in which the turn of a position began."""
        return turn_start(position)

    @abstractmethod
    def score_payoffs(self, value_table: ValueTable, starts: Sequence[Position]) -> Floats:
        """Return the payoff of every seat after each score of the mover: (seats, scores, starts).

        Args:
            value_table: the value table.
            starts: positions between turns, in which the turns begin.
        """

    def values_from_payoffs(self, payoffs: Floats) -> Floats:
        """Return the values that users see for payoffs of a turn, here the payoffs themselves.

        A problem in which fewer is better uses negative payoffs, and returns their negatives.
        """
        return payoffs

    def turn_values(self, value_table: ValueTable, positions: Sequence[Position]) -> ValuesAndBounds:
        """Return the values of chance positions inside turns.

        Each turn is solved once for all positions in it, and many turns are solved side by side.

        Args:
            value_table: the value table.
            positions: positions in which dice have to be rolled.

        Returns:
            The values of all seats (positions, seats), and one error bound for all.
        """
        values = np.empty((len(positions), self.players))
        indices_by_start = group_by_key(map(self.turn_start, positions))
        all_starts = list(indices_by_start)
        for first in range(0, len(all_starts), TURNS_PER_CALL):
            starts = all_starts[first : first + TURNS_PER_CALL]
            # The values (channels, modes, starts), and the seat of each channel (channels, starts). Each seat has one
            # channel, so all entries of ``values`` are written.
            inner, channel_seats = self._values_before_rolls(value_table, starts)
            for lane, start in enumerate(starts):  # a turn is the lane of its start
                indices = indices_by_start[start]  # of the positions of this turn
                situations = [self.situation(positions[index]) for index in indices]
                modes = [self.rules.situations[situation] for situation in situations]  # the mode of each position
                values_of_turn = np.empty((len(indices), self.players))
                values_of_turn[:, channel_seats[:, lane]] = inner[:, modes, lane].T  # channels become seats
                values[indices] = values_of_turn
        return values, value_table.error_bound

    def _values_before_rolls(self, value_table: ValueTable, starts: Sequence[Position]) -> tuple[Floats, Ints]:
        """Return the values before every roll of some turns.

        The kernel maximizes channel 0. So the channels are the seats in the order of play from the mover on, which
        differs from turn to turn.

        Args:
            value_table: the value table.
            starts: the positions in which the turns begin.

        Returns:
            The values (channels, modes, starts), and the seat of each channel (channels, starts).
        """
        channel_seats = np.array([self.playable.seats_from(start.seat) for start in starts]).T
        payoffs_by_seat = self.score_payoffs(value_table, starts)
        payoffs = np.take_along_axis(payoffs_by_seat, channel_seats[:, None, :], axis=0)
        return self.values_from_payoffs(values_before_rolls(self.rules, payoffs)), channel_seats
