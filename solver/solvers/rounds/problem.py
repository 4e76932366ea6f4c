"""What matches of games by the round share: a turn that ends in a score, solved for many worths of it at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...games.rounds import RoundTurn, Situation
from ...play.oneturn import OneTurnPosition
from ...play.pot import PotPosition
from ...play.rounds import RoundsPosition
from ...play.showdown import ShowdownPosition
from ...play.table import Table, changed
from ...turns.push_turn import TurnValue, pad
from ..problem import Found, Problem, ValueTable, group_by_key

Floats = NDArray[np.float64]
Place = TypeVar("Place", bound=RoundsPosition | PotPosition)

AT_A_TIME = 256  # turns that are solved in one call together with all that is inside them


def solve_lanes(rules: RoundTurn, worth: Floats) -> Floats:
    """Value of the turn: ``worth`` (channels, scores 0 .. most, lanes) → (channels, lanes)."""
    return _solve(rules, worth).value[:, : worth.shape[2]]


def before_throws(rules: RoundTurn, worth: Floats) -> Floats:
    """Value before every throw, by number of its situation: ``worth`` as above → (channels, numbers, lanes)."""
    inner = _solve(rules, worth, inner=True).inner
    assert inner is not None
    return inner[:, :, 0, : worth.shape[2]]


def _solve(rules: RoundTurn, worth: Floats, inner: bool = False) -> TurnValue:
    channels, scores, lanes = worth.shape
    payoff = np.zeros((channels, scores + 2, pad(lanes)))
    payoff[:, 1 : scores + 1, :lanes] = worth
    return rules.turn.solve(payoff, np.full(pad(lanes), scores, dtype=np.int32), inner=inner)


def turn_rounding(rules: RoundTurn) -> float:
    """Largest relative error of a turn's value through rounding: one sum for each throw, each class two roundings."""
    most = max(len(throw.classes) for mode in rules.turn.modes for throw in mode.rolls)
    throws = 1 + max(len(rules.turn.modes).bit_length(), 4)
    return throws * (2 * most + 2) * 2.0**-53


def situation(position: RoundsPosition | ShowdownPosition) -> Situation:
    """The situation of the compiled turn in which a position stands that is about to throw."""
    kept = position.kept
    if isinstance(position, ShowdownPosition):
        return 4 - position.throw, sum(kept)
    return 4 - position.cast, min(len(kept), 3), kept[3] if len(kept) > 3 else 0


def turn_of(position: Place) -> Place:
    """The position in which the turn began."""
    if isinstance(position, OneTurnPosition):
        return changed(position, inside=None)
    first = {"cast": 1} if isinstance(position, RoundsPosition) else {}
    return changed(position, kept=(), roll=None, **first)


class RoundMatch(Problem[Place]):
    """A match of such turns. It says what each score is worth in the turn of a position; the rest is the turn's."""

    def __init__(self, table: Table[Place]) -> None:
        super().__init__(table)
        self.rules = self.compiled()

    def compiled(self) -> RoundTurn:
        """The turn that is solved."""
        turn: RoundTurn = self.playable.game.data
        return turn

    def situation(self, position: Place) -> Situation:
        """The situation of that turn in which a position stands that is about to throw."""
        assert isinstance(position, (RoundsPosition, ShowdownPosition))
        return situation(position)

    @abstractmethod
    def lanes(self, solved: ValueTable, starts: Sequence[Place]) -> Floats:
        """What each score of the mover is worth to every seat, in turns that begin there: (seats, scores, starts)."""

    def told(self, payoff: Floats) -> Floats:
        """The values that payoffs stand for."""
        return payoff

    def turn_values(self, solved: ValueTable, positions: Sequence[Place]) -> Found:
        """Worth of throws, from turns solved side by side."""
        found, inside = np.empty((len(positions), self.players)), group_by_key(map(turn_of, positions))
        starts = list(inside)
        for first in range(0, len(starts), AT_A_TIME):
            part = starts[first : first + AT_A_TIME]
            before, order = self._before(solved, part)
            for lane, start in enumerate(part):
                numbers = np.array(inside[start])
                modes = [self.rules.situations[self.situation(positions[number])] for number in numbers]
                found[np.ix_(numbers, order[:, lane])] = before[:, modes, lane].T
        return found, solved.error_bound

    def _before(self, solved: ValueTable, starts: Sequence[Place]) -> tuple[Floats, NDArray[np.int64]]:
        """Value before every throw of some turns, and the seats in the order of its channels, the mover first."""
        order = np.array([self.playable.seats_from(start.seat) for start in starts]).T
        worth = np.take_along_axis(self.lanes(solved, starts), order[:, None, :], axis=0)
        return self.told(before_throws(self.rules, worth)), order
