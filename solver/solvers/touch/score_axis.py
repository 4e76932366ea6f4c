"""Boards of one or two players on an axis of scores, solved by the touch kernel.

A turn's value depends on one number: the mover's lead or, alone, the trips so far. One of two players gets what the
other loses, so one value is stored. The kernel (csrc/touch.pyx) solves the turns of ``model.Turns`` to the same bits.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...core.touch import TouchKernel
from ...games.booby_trap import TouchRules
from ...play.touch import Left
from .model import TRIPPED, BoardTable, Floats, Ints, OddsArrays, TerminalPayoffs, TouchTurns


class ScoreAxisBoards(BoardTable):
    """All boards that can follow from some pieces and a place on the axis.

    The table (pieces left by size, places) holds the value of a turn for the player who has just moved, by their own
    place. A place is a lead, or alone the number of trips.

    Args:
        rules: the rules of the game.
        terminal_payoffs: payoffs of the scores at the end.
        left: the pieces left at the start, by size; all by default.
        place: the place at the start.
        odds: the odds; those of the rules by default.
    """

    def __init__(
        self,
        rules: TouchRules,
        terminal_payoffs: TerminalPayoffs,
        left: Left | None = None,
        place: int = 0,
        odds: OddsArrays | None = None,
    ) -> None:
        super().__init__(rules, rules.board if left is None else left, terminal_payoffs, odds)
        is_alone = rules.players == 1
        max_place = place if is_alone else abs(place)
        reach = max_place + self.step * sum(self.left)
        self.sign = 1 if is_alone else -1  # the next player's value of what is worth 1 to the mover
        self.origin = 0 if is_alone else reach
        self.width = self.origin + reach + 1
        self.kernel = TouchKernel(
            board=self.left,
            end_pieces=rules.last,
            max_passes=rules.limit,
            in_order=rules.in_order,
            sign=self.sign,
            gain=self.gains[:TRIPPED].tolist(),
            trip_shift=int(self.gains[TRIPPED]),
            min_place=0 if is_alone else -max_place,
            max_place=max_place,
            max_down=0 if is_alone else self.step,
            max_up=self.step,
            origin=self.origin,
            width=self.width,
            chance=self.feel_chance,
            hold_chance=self.hold_chance,
            trip_chance=self.trip_chance,
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the table: (pieces left by size, places)."""
        return (*(count + 1 for count in self.left), self.width)

    @property
    def places(self) -> Ints:
        """The places of the axis, rising."""
        return np.arange(self.width) - self.origin

    def solve(self, threads: int, progress: Callable[[float], None]) -> Floats:
        """Return the table, solved on one processor."""
        table = np.zeros(self.shape)
        payoffs = self.terminal_payoffs(self._scores(self.places))
        self.kernel.solve(np.ascontiguousarray(payoffs[:, 0]), table)
        return table

    def _scores(self, places: Ints) -> Ints:
        """Return scores (places, players) with these leads: the opponent has 0."""
        return np.column_stack([places, 0 * places])[:, : self.rules.players]

    def turns_of_board(self, table: Floats, left: Left, places: Ints) -> TouchTurns:
        """Return the turns of a board, from the equations, at consecutive places.

        Two players need the opposite of every place among them.
        """
        lane_after_pass = np.arange(len(places))[:: self.sign]
        next_lanes = self.next_lanes(self._scores(places), sum(left))
        return self.turns(table, np.array(left), self.sizes(left), next_lanes, lane_after_pass)

    def lanes(self, scores: Ints, pieces: int | Ints) -> Ints:
        """Return the columns of the table: the places of the player who has just moved."""
        lanes: Ints = self.origin + (scores[..., 0] if self.sign > 0 else scores[..., 1] - scores[..., 0])
        return lanes

    def read(self, table: Floats, left: Ints, lanes: Ints) -> Floats:
        """Return the values of every player, from the mover on."""
        previous_mover = table[(*left.T, lanes)]
        return np.stack([self.sign * previous_mover, previous_mover][: self.rules.players], axis=-1)
