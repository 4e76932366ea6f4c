"""Boards of one or two players on an axis of scores, solved by the touch kernel.

A turn's value depends on one number: the mover's lead or, alone, the trips so far. One of two players gets what the
other loses, so one value is stored. The kernel (csrc/touch.pyx) solves ``model.TouchTurns`` to the same bits.
"""

from __future__ import annotations

import numpy as np

from ...core.touch import TouchKernel
from ...games.booby_trap import TouchRules
from ...play.touch import PiecesLeft
from ...util.progress_reporting import ProgressCallback
from .model import TRIPPED, BoardTable, Floats, Ints, OddsArrays, TerminalPayoffs, TouchTurns


class ScoreAxisBoards(BoardTable):
    """All boards that can follow from some pieces and a lead of the mover, or alone from a number of trips.

    The table (large + 1, medium + 1, small + 1, columns) holds the value of a turn by the pieces left of each size. The
    value is that for the player who has just moved. A column is this player's lead, or alone the number of trips. The
    columns are the lanes of ``BoardTable``.

    Args:
        rules: the rules of the game.
        terminal_payoffs: payoffs of the scores at the end.
        left: the pieces left at the start, by size; all by default.
        lead_or_trips: the mover's lead at the start, or alone the trips so far.
        odds: the odds; those of the rules by default.

    Attributes:
        sign: the next player's value is multiplied by it to give the mover's: -1 against an opponent, 1 alone.
        origin: the column of the table for the lead 0, or alone for no trips.
        width: the number of columns.
        kernel: the compiled game.
        left: the pieces left at the start, by size.
        score_changes, step: as in ``BoardTable``: what each result of a take adds to the mover's score (alone: to the
            trips), and the largest of these in absolute value.
        feel_chance, trip_chance, hold_chance: (sizes, feels) the probabilities of each feel, that a piece trips, and
            that it holds.
    """

    def __init__(
        self,
        rules: TouchRules,
        terminal_payoffs: TerminalPayoffs,
        left: PiecesLeft | None = None,
        lead_or_trips: int = 0,
        odds: OddsArrays | None = None,
    ) -> None:
        """Lay out the axis of leads, or alone of trips, and make the kernel that solves all boards on it.

        The kernel calls a lead, or alone a number of trips, a *place* on its axis.

        Args:
            rules: the rules of the game.
            terminal_payoffs: computes payoffs (.., players) from the scores (.., players) at the end.
            left: the pieces left at the start, by size; None for all.
            lead_or_trips: the mover's lead at the start, or alone the trips so far.
            odds: the probabilities of feels and trips; None for those of the rules.
        """
        super().__init__(rules, rules.board if left is None else left, terminal_payoffs, odds)
        is_alone = rules.players == 1
        # The place p has the column ``origin`` + p. The players see a lead with opposite signs, so the places are
        # symmetric around 0. Alone they begin at 0, because trips are only added. Every removed piece moves a place by
        # ``step`` at most.
        start_place = abs(lead_or_trips)
        last_place = start_place + self.step * sum(self.left)
        first_place = 0 if is_alone else -last_place
        self.sign = 1 if is_alone else -1
        self.origin = -first_place
        self.width = last_place - first_place + 1
        self.kernel = TouchKernel(
            board=self.left,
            end_pieces=rules.last_pieces,
            max_passes=rules.max_passes,
            in_order=rules.is_in_order,
            sign=self.sign,
            gain=self.score_changes[:TRIPPED].tolist(),
            trip_shift=int(self.score_changes[TRIPPED]),
            min_place=0 if is_alone else -start_place,  # on the board from which the others follow
            max_place=start_place,  # on the same board
            max_down=0 if is_alone else self.step,  # of a place, by one piece that is removed
            max_up=self.step,
            origin=self.origin,
            width=self.width,
            chance=self.feel_chance,
            hold_chance=self.hold_chance,
            trip_chance=self.trip_chance,
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the table: (large + 1, medium + 1, small + 1, columns for leads or trips)."""
        return (*(count + 1 for count in self.left), self.width)

    @property
    def leads_or_trips(self) -> Ints:
        """(width,) the leads of the columns, or alone the numbers of trips, rising."""
        return np.arange(self.width) - self.origin

    def solve(self, threads: int, progress: ProgressCallback) -> Floats:
        """Compute the table with the kernel, on one processor; no progress is reported."""
        table = np.zeros(self.shape)
        payoffs = self.terminal_payoffs(self._scores(self.leads_or_trips))  # (columns, players)
        mover_payoffs = np.ascontiguousarray(payoffs[:, 0])
        self.kernel.solve(mover_payoffs, table)
        return table

    def _scores(self, leads_or_trips: Ints) -> Ints:
        """Return scores of the mover and the opponent with given leads: (leads, players). The opponent has 0 points.

        Alone the trips are returned: (trips, 1).

        Args:
            leads_or_trips: the mover's leads, or alone numbers of trips.
        """
        with_opponent = np.column_stack([leads_or_trips, np.zeros_like(leads_or_trips)])
        return with_opponent[:, : self.rules.players]

    def turns_of_board(self, table: Floats, left: PiecesLeft, leads_or_trips: Ints) -> TouchTurns:
        """Return the turns of one board, with one lane for each lead of the mover, or alone for each number of trips.

        Args:
            table: the values, as ``solve`` returns them.
            left: the pieces left, by size.
            leads_or_trips: (lanes,) consecutive leads of the mover, or alone numbers of trips. Leads lie symmetrically
                around 0, because after a pass the opponent faces the same lead with the other sign.
        """
        # The opposite lead lies as far from the other end, so with an opponent the order of lanes is reversed: ``sign``
        # is -1. Alone, where it is 1, a pass leaves the trips as they are.
        lane_after_pass = np.arange(len(leads_or_trips))[:: self.sign]
        lanes_after_take = self.lanes_after_take(self._scores(leads_or_trips), sum(left))
        return self.turns(table, np.array(left), self.sizes(left), lanes_after_take, lane_after_pass)

    def lanes(self, scores: Ints, pieces: int | Ints) -> Ints:
        """Return the columns of the table that hold the values of turns.

        A column belongs to the lead, or alone the trips, of the player who has just moved: the mover's opponent, or
        alone the mover.

        Args:
            scores: (.., players) the scores from the mover on; alone the trips.
            pieces: not used; all boards have the same columns.
        """
        is_alone = self.rules.players == 1
        trips_or_previous_lead = scores[..., 0] if is_alone else scores[..., 1] - scores[..., 0]
        lanes: Ints = self.origin + trips_or_previous_lead
        return lanes

    def read(self, table: Floats, left: Ints, lanes: Ints) -> Floats:
        """Read values (.., players), from the mover on.

        The table holds those of the player who has just moved. Two players' values add up to 0; ``sign`` is -1 for two
        players, and 1 alone, where the mover is the one who has just moved.

        Args:
            table: (large + 1, medium + 1, small + 1, columns) the values by pieces left, and by lead or trips.
            left: (.., sizes) the pieces left; (sizes,) if all lanes have the same board.
            lanes: (..,) the columns, as ``lanes`` returns them.
        """
        large, medium, small = np.moveaxis(left, -1, 0)
        previous_mover_value = table[large, medium, small, lanes]
        mover_value = self.sign * previous_mover_value
        by_player = [mover_value, previous_mover_value][: self.rules.players]
        return np.stack(by_player, axis=-1)
