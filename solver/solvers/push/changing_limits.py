"""Races of two in which scores can fall, for a search: limits change, and only turns with new limits are walked again.

The search needs the value of many limits, and which decisions are worth changing. With the notation of ``limits_race``
let x = b + P x be the values of all states under some limits, and z = s + P' z the expected number of visits of each
state, where s is the start and P' the transpose of P. If other limits change the turns to b* and P*, the value at the
start changes by sum(z* (b* - b + (P* - P) x)), with the visits z* under the new limits. To first order these are z. So
the endings of a turn, with what they lead to times how often the turn is played, say what any other way to play it
gains.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...turns.push_turn import Doubles
from ...util.errors import SolveError
from ...util.progress_reporting import ProgressCallback
from ..model import Ints
from ..reference_solver import LOST_SCORES_MESSAGE
from .limits_race import TURN_COUNT_TOLERANCE, WalkedRace
from .model import RaceModel

NEARLY_COUNTED = 2.0**-10  # relative change at which sweeps for numbers of turns end, unless that is not enough
VISITS_LEFT = 1e-5  # of a game: visits that are not followed any more
MAX_PASSES = 10_000  # over the opponent's states; a game that needs more hardly ends
SELDOM = 1e-10  # visits of a state that are not followed


class _Payments(NamedTuple):
    """What the endings of a turn of the player pay that end the game, by own state of the player.

    Attributes:
        endings: (paying,), the endings that end the game and are allowed.
        constants: (paying, opponent's states), or (paying, 1) if they do not depend on the opponent.
    """

    endings: Ints
    constants: Doubles


class ChangingLimitsRace(WalkedRace):
    """The equations of a race whose player changes limits.

    The own state of the player and a band of the opponent's score name a lane, ``player * (bands + 1) + band``. Band
    ``bands`` is last turns, in which the opponent has finished.

    Attributes:
        bands: the number of bands of the opponent's score, without that of last turns.
        band: (opponent's states,), the band of each.
        _payments: by own state of the player, what endings of the player's turns pay that end the game.
        _values: the values under the limits of the last ``solve``, from which the next one starts.
        _turns: the expected numbers of turns under the limits of the last ``error_bound``, nearly.
    """

    def __init__(
        self,
        model: RaceModel,
        table_values: Callable[[Ints], Doubles],
        threads: int,
        progress: ProgressCallback = lambda share: None,
    ) -> None:
        """Walk the turns of the opponent.

        Args:
            model: the equations of a race of two, without take-overs.
            table_values: maps states to their values in the table by which the opponent decides.
            threads: the number of threads that walk the opponent's turns.
            progress: called with the share that is done.
        """
        super().__init__(model, table_values)
        self._payments = self._list_payments()  # which also writes ``after_player``
        self.walk_opponent(threads, progress)
        self._values, self._turns = self._zeros(), self._first_turn_counts()
        mine = np.arange(self.count)
        for opponent in range(self.count):
            self._values.player[opponent] = table_values(model.number(mine, opponent))  # a first guess
        # The opponent's last turns end the game, so their values stay those of the table.
        for past_points, states in enumerate(model.last_turn_blocks()):  # (states,) by the opponent's own state
            self._values.opponent[:, self.count + past_points] = model.stake - table_values(states)
        self.set_bands(1, np.zeros(self.count, dtype=np.int64))  # one band of all scores, until others are set

    def _list_payments(self) -> list[_Payments]:
        """Return ``_payments``, and write ``after_player``; last turns are left to ``_last_payments``."""
        model, payments = self.model, list[_Payments]()
        for player in range(self.count):
            states = model.number(player, np.arange(self.count))  # by the opponent's own state
            transitions = model.transitions(states, model.max_cap)  # (endings, opponent's states)
            self.after_player[player] = self._own_state_after(transitions)
            # Which endings end the game, and are allowed, depends on the player's state only: the first column tells.
            ends_game, is_allowed = transitions.state[:, 0] < 0, np.isfinite(transitions.constant[:, 0])
            paying = np.flatnonzero(ends_game & is_allowed)
            constants = transitions.constant[paying]
            is_equal = bool((constants == constants[:, :1]).all())
            payments.append(_Payments(paying, constants[:, :1] if is_equal else constants))
        return payments

    def set_bands(self, bands: int, band: Ints) -> None:
        """Set the bands of the opponent's score, and write ``lanes``.

        Args:
            bands: the number of bands, without that of last turns.
            band: (opponent's states,), the band of each.
        """
        self.bands, self.band = bands, band
        # (opponent's states, player's states); last turns are not among these states.
        self.lanes = np.arange(self.count) * (bands + 1) + band[:, None]

    def solve(self, lane_probabilities: Doubles, start: int, tolerance: float) -> tuple[float, float]:
        """Return the player's value, the mean of both places in the round, and the last change of the sweeps.

        Args:
            lane_probabilities: (lanes, endings), the probabilities of the endings of each turn of the player.
            start: the state in which the game begins, as the player who moves first sees it.
            tolerance: the largest change of a value at which sweeps end.

        Returns:
            The value, and the largest absolute change of an early value in the last sweep.
        """
        model, values = self.model, self._values
        self.lane_probabilities = lane_probabilities
        by_state = lane_probabilities.reshape(self.count, self.bands + 1, self.endings)
        # What turns pay that end the game: the constants of the sweeps.
        for player, (endings, constants) in enumerate(self._payments):
            probabilities = by_state[player][:, endings]  # (bands + 1, paying)
            for band in range(self.bands):
                states = np.flatnonzero(self.band == band)  # of the opponent
                paid = constants if constants.shape[1] == 1 else constants[:, states]  # (paying, 1 or states)
                self.constants.player[states, player] = (probabilities[band][:, None] * paid).sum(axis=0)
        # The values of the player's last turns, which end the game. Their last payment is for all endings from it on.
        last_turns = np.ascontiguousarray(by_state[:, self.bands].T)  # (endings, player's states)
        for past_points, payments in enumerate(self._last_payments):
            last = len(payments) - 1
            paid = (last_turns[:last] * payments[:last]).sum(axis=0) + last_turns[last:].sum(axis=0) * payments[last]
            values.player[self.count + past_points] = paid
        change = self._settle(values, self.constants, tolerance, model.stake, report_sweep=lambda: None)
        first, second = divmod(start, model.width)  # the own states of the player who moves first, and of the other
        value = float(values.player[second, first] + values.opponent[first, second]) / 2
        return value, change

    def error_bound(self, change: float) -> float:
        """Return a bound of the error of the value of the last ``solve``; it is infinite if a game hardly ends.

        The bound is that of ``limits_race``, r max(w). Its numbers of turns start from those of the last bound, so few
        sweeps suffice.

        Args:
            change: the largest absolute change of an early value in the last sweep.
        """
        model = self.model
        turn_error = self.rounding_of_turn + model.constant_error + change  # r
        for tolerance in (NEARLY_COUNTED, TURN_COUNT_TOLERANCE):
            max_turns = self._bound_turns(self._turns, turn_error, tolerance, report_sweep=lambda: None)  # max(w)
            if max_turns < np.inf:
                last_turn_error = self.rounding_of_turn + model.constant_error if model.past_totals else 0.0
                return turn_error * max_turns + last_turn_error
        self._turns = self._first_turn_counts()
        return np.inf

    @cached_property
    def _last_payments(self) -> list[NDArray[np.floating[Any]]]:
        """What the endings of last turns pay, by the opponent's total from the target on: (endings, player's states).

        Endings that are not allowed pay 0. The last ending stands for banks of more points, too: each of them wins.
        """
        payments = list[NDArray[np.floating[Any]]]()
        for states in self.model.last_turn_blocks():
            constants = np.maximum(self.model.transitions(states).constant, 0.0)
            short = constants.astype(np.float16)  # chances of 0, 1/2 and 1 take little space
            payments.append(short if np.array_equal(short, constants) else constants)
        return payments

    def visits(self, start: int) -> Doubles:
        """Return the expected number of times that each turn of the player is played: the mean of both places.

        Visits are followed from the start on, as pending until the turn is played. A pass takes the opponent's states
        from the lowest on. Lost scores leave visits pending for the next pass.

        Args:
            start: the state in which the game begins, as the player who moves first sees it.

        Returns:
            (rows of ``_Values.player``, player's states), under the policy of the last ``solve``.

        Raises:
            SolveError: visits are still pending after MAX_PASSES passes.
        """
        count, width = self.count, self.model.width
        first, second = divmod(start, width)  # the own states of the player who moves first, and of the other
        # Pending visits, indexed as in ``_Values``: turns of the player, and of the opponent.
        pending, opponents = np.zeros((width + 1, count)), np.zeros((count, width + 1))
        pending[second, first] = opponents[first, second] = 0.5
        totals, player_moves = np.zeros((width + 1, count)), self._player_moves()
        for _ in range(MAX_PASSES):
            if pending[:count].sum() <= VISITS_LEFT:
                break
            for opponent in range(count):
                arrivals = pending[opponent].copy()  # (player's states,)
                pending[opponent] = 0.0
                totals[opponent] += arrivals
                come = np.flatnonzero(arrivals > SELDOM)  # the player's states in which turns are played
                if len(come):
                    own_moves = player_moves[self.band[opponent]][come] * arrivals[come, None]
                    opponents[opponent] += own_moves.sum(axis=0)
                opponent_arrivals = opponents[opponent, :count].copy()  # (player's states,)
                opponents[opponent] = 0.0  # finished games and last turns of the opponent are not followed
                come = np.flatnonzero(opponent_arrivals > SELDOM)
                if len(come):
                    moves = self.opponent_probabilities[opponent][:, come] * opponent_arrivals[come]  # (endings, come)
                    for ending in np.flatnonzero(moves.sum(axis=1) > SELDOM).tolist():
                        pending[self.after_opponent[opponent][ending], come] += moves[ending]
        else:
            raise SolveError(LOST_SCORES_MESSAGE)  # the game hardly ends
        totals[count:] = pending[count:]  # last turns, which lead nowhere; the last row is finished games
        return totals

    def _player_moves(self) -> Doubles:
        """Return the probabilities of the player's own states after a turn: (bands, player's states, width + 1).

        The last axis is the columns of ``_Values.opponent``. Last turns are left out.
        """
        columns = self.model.width + 1
        by_state = self.lane_probabilities.reshape(self.count, self.bands + 1, self.endings)
        # By player's state and ending, the index of (player's state, column after it) in a flat table.
        places = (np.arange(self.count)[:, None] * columns + self.after_player).ravel()
        moves = np.empty((self.bands, self.count, columns))
        for band in range(self.bands):
            # Endings that lead to the same own state are added up.
            sums = np.bincount(places, weights=by_state[:, band].ravel(), minlength=self.count * columns)
            moves[band] = sums.reshape(self.count, columns)
        return moves

    def weighted_payoffs(self, visits: Doubles) -> Doubles:
        """Return what endings lead to under the policy of the last ``solve``, times how often turns are played.

        Args:
            visits: how often each turn of the player is played, as ``visits`` returns it.

        Returns:
            (endings, lanes), 0 for endings that are not allowed.
        """
        payoffs = np.zeros((self.count, self.bands + 1, self.endings))
        often_by_band = np.zeros((self.bands, self.count))  # visits by band and player's state
        # Endings after which the game goes on: the values G. Those of endings that end it, or are not allowed, are 0.
        for opponent in range(self.count):
            come = np.flatnonzero(visits[opponent] > SELDOM)  # the player's states in which turns are played
            often, band = visits[opponent, come], self.band[opponent]
            payoffs[come, band] += self._values.opponent[opponent][self.after_player[come]] * often[:, None]
            often_by_band[band] += visits[opponent]
        for player, (endings, constants) in enumerate(self._payments):  # endings that end the game
            for band in range(self.bands):
                if constants.shape[1] == 1:  # equal payments against all opponents, so that visits are added up first
                    payoffs[player, band, endings] += constants[:, 0] * often_by_band[band, player]
                else:
                    states = np.flatnonzero(self.band == band)
                    payoffs[player, band, endings] += (constants[:, states] * visits[states, player]).sum(axis=1)
        last_turns = np.zeros((self.endings, self.count))  # (endings, player's states)
        for past_points, payments in enumerate(self._last_payments):
            last, often = len(payments) - 1, visits[self.count + past_points]
            last_turns[:last] += payments[:last] * often
            last_turns[last:] += payments[last] * often  # the last payment is for all endings from it on
        payoffs[:, self.bands] = last_turns.T
        return np.ascontiguousarray(payoffs.reshape(-1, self.endings).T)
