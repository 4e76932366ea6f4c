"""Base of the problems of games by the round: one turn, solved for many payoffs of its scores at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...games.rounds import RoundTurn, Situation
from ...play.oneturn import OneTurnPosition
from ...play.pot import PotPosition
from ...play.rounds import TRIO, RoundsPosition
from ...play.showdown import ShowdownPosition
from ...play.table import Table, changed
from ...turns.push_turn import TurnValue, round_up_to_blocks
from ..problem import Problem, ValuesAndBounds, ValueTable, group_by_key

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Position = TypeVar("Position", bound=RoundsPosition | PotPosition)

ROLLS_PER_TURN = 3
TURNS_PER_CALL = 256  # turns that are solved together with all values inside them
UNIT_ROUNDOFF = 2.0**-53


def solve_lanes(rules: RoundTurn, payoffs: Floats) -> Floats:
    """Return the values of turns.

    Args:
        rules: the compiled turn.
        payoffs: (channels, scores, lanes), the payoffs of the scores from 0 to ``rules.most``. Channel 0 is maximized.

    Returns:
        (channels, lanes).
    """
    return _solve_turns(rules, payoffs).value[:, : payoffs.shape[2]]


def values_before_rolls(rules: RoundTurn, payoffs: Floats) -> Floats:
    """Return the values before every roll of turns.

    Args:
        rules: the compiled turn.
        payoffs: as for ``solve_lanes``.

    Returns:
        (channels, modes, lanes); the mode of a situation is ``rules.situations[situation]``.
    """
    inner = _solve_turns(rules, payoffs, inner=True).inner
    assert inner is not None
    return inner[:, :, 0, : payoffs.shape[2]]


def _solve_turns(rules: RoundTurn, payoffs: Floats, inner: bool = False) -> TurnValue:
    """Call the kernel: payoffs after that of the bust, and lanes up to a full block."""
    channels, scores, lanes = payoffs.shape
    padded = np.zeros((channels, scores + 2, round_up_to_blocks(lanes)))
    padded[:, 1 : scores + 1, :lanes] = payoffs
    return rules.turn.solve(padded, np.full(round_up_to_blocks(lanes), scores, dtype=np.int32), inner=inner)


def round_rounding_bound(rules: RoundTurn) -> float:
    """Return a bound of the relative rounding error of a turn's value: one sum for each of its rolls in a row."""
    max_classes = max(len(roll.classes) for mode in rules.turn.modes for roll in mode.rolls)
    rolls = 1 + max(len(rules.turn.modes).bit_length(), 4)
    return rolls * (2 * max_classes + 2) * UNIT_ROUNDOFF


def situation_of(position: RoundsPosition | ShowdownPosition) -> Situation:
    """Return the situation of the compiled turn in a chance position.

    Returns:
        For a pot the rolls left and the sum of the dice set aside. For Battleship the rolls left, the number of trio
        dice (ship, captain, mate) set aside, and the crew die set aside (0 if there is none).
    """
    dice = position.kept
    if isinstance(position, ShowdownPosition):
        return ROLLS_PER_TURN + 1 - position.throw, sum(dice)
    trio = len(TRIO)
    return ROLLS_PER_TURN + 1 - position.cast, min(len(dice), trio), dice[trio] if len(dice) > trio else 0


def turn_start(position: Position) -> Position:
    """Return the position in which the turn of a position began."""
    if isinstance(position, OneTurnPosition):
        return changed(position, inside=None)
    first_cast = {"cast": 1} if isinstance(position, RoundsPosition) else {}
    return changed(position, kept=(), roll=None, **first_cast)


class RoundProblem(Problem[Position]):
    """A problem whose turns end in a score.

    Subclasses implement ``score_payoffs``; values inside turns follow from it.

    Attributes:
        rules: the compiled turn.
    """

    def __init__(self, table: Table[Position]) -> None:
        super().__init__(table)
        self.rules = self.compile_turn()

    def compile_turn(self) -> RoundTurn:
        """Return the turn that is solved; by default that of the game."""
        turn: RoundTurn = self.playable.game.data
        return turn

    def situation(self, position: Position) -> Situation:
        """Return the situation of the compiled turn in a chance position."""
        assert isinstance(position, (RoundsPosition, ShowdownPosition))
        return situation_of(position)

    @abstractmethod
    def score_payoffs(self, solved: ValueTable, starts: Sequence[Position]) -> Floats:
        """Return what each score of the mover pays every seat, in the turns that begin at ``starts``.

        Returns:
            (seats, scores, starts).
        """

    def values_from_payoffs(self, payoffs: Floats) -> Floats:
        """Return the values that payoffs of a turn stand for; the negative if fewer is better."""
        return payoffs

    def turn_values(self, solved: ValueTable, positions: Sequence[Position]) -> ValuesAndBounds:
        """Return the values of chance positions inside turns; many turns are solved side by side."""
        values = np.empty((len(positions), self.players))
        indices_by_start = group_by_key(map(turn_start, positions))
        starts = list(indices_by_start)
        for first in range(0, len(starts), TURNS_PER_CALL):
            part = starts[first : first + TURNS_PER_CALL]
            inner, order = self._values_before_rolls(solved, part)
            for lane, start in enumerate(part):
                indices = np.array(indices_by_start[start])
                modes = [self.rules.situations[self.situation(positions[index])] for index in indices]
                values[np.ix_(indices, order[:, lane])] = inner[:, modes, lane].T
        return values, solved.error_bound

    def _values_before_rolls(self, solved: ValueTable, starts: Sequence[Position]) -> tuple[Floats, Ints]:
        """Return the values before every roll of some turns.

        Returns:
            The values (channels, modes, starts), and the seat of each channel (channels, starts), the mover first.
        """
        order = np.array([self.playable.seats_from(start.seat) for start in starts]).T
        payoffs = np.take_along_axis(self.score_payoffs(solved, starts), order[:, None, :], axis=0)
        return self.values_from_payoffs(values_before_rolls(self.rules, payoffs)), order
