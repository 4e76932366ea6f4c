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
from ...util.progress_reporting import ProgressCallback
from ..model import Ints
from .limits_race import WalkedRace
from .model import RaceModel

VISITS_LEFT = 1e-5  # of a game: visits that are not followed any more
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

    The own state of the player and a band of the opponent's score name a lane. Last turns are a band of their own,
    after the others.

    Attributes:
        bands: the number of bands of the opponent's score.
        band: (opponent's states,), the band of each.
        _payments: by own state of the player, what endings of the player's turns pay that end the game.
        _values: the values under the limits of the last ``solve``, from which the next one starts.
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
            threads: that walk turns.
            progress: called with the share that is done.
        """
        super().__init__(model, table_values)
        self._payments = self._list_payments()
        self.walk_opponent(threads, progress)
        self._values = self._zeros()
        mine = np.arange(self.count)
        for opponent in range(self.count):
            self._values.player[opponent] = table_values(model.number(mine, opponent))  # a first guess
        for past_points, states in enumerate(model.last_turn_blocks()):
            self._values.opponent[:, self.count + past_points] = model.stake - table_values(states)
        self.set_bands(1, np.zeros(self.count, dtype=np.int64))

    def _list_payments(self) -> list[_Payments]:
        """Return what endings of the player's turns pay; where they lead is filled in."""
        model, payments = self.model, list[_Payments]()
        for player in range(self.count):
            transitions = model.transitions(model.number(player, np.arange(self.count)), model.max_cap)
            self.after_player[player] = self._own_state_after(transitions)
            # Which endings end the game does not depend on the opponent's state, so column 0 tells it for all.
            pays = np.flatnonzero((transitions.state[:, 0] < 0) & np.isfinite(transitions.constant[:, 0]))
            constants = transitions.constant[pays]
            is_equal = bool((constants == constants[:, :1]).all())
            payments.append(_Payments(pays, constants[:, :1] if is_equal else constants))
        return payments

    def set_bands(self, bands: int, band: Ints) -> None:
        """Set the bands of the opponent's score.

        Args:
            bands: the number of bands.
            band: (opponent's states,), the band of each.
        """
        self.bands, self.band = bands, band
        self.lanes = np.arange(self.count) * (bands + 1) + band[:, None]

    def solve(self, lane_probabilities: Doubles, start: int, tolerance: float) -> float:
        """Return the player's value, the mean of both places in the round.

        Args:
            lane_probabilities: (player's states x (bands + 1), endings), the probabilities of the endings of each turn.
            start: the state in which the game begins, for whoever moves first.
            tolerance: the largest change of a value at which sweeps end.
        """
        model, values = self.model, self._values
        self.lane_probabilities = lane_probabilities
        by_state = lane_probabilities.reshape(self.count, self.bands + 1, self.endings)
        for player, (endings, constants) in enumerate(self._payments):
            paying = by_state[player][:, endings]  # (bands + 1, paying)
            for band in range(self.bands):
                states = np.flatnonzero(self.band == band)
                paid = constants if constants.shape[1] == 1 else constants[:, states]
                self.constants.player[states, player] = (paying[band][:, None] * paid).sum(axis=0)
        last_turns = np.ascontiguousarray(by_state[:, self.bands].T)  # (endings, player's states)
        for past_points, payments in enumerate(self._last_payments):
            cap = len(payments) - 1
            paid = (last_turns[:cap] * payments[:cap]).sum(axis=0) + last_turns[cap:].sum(axis=0) * payments[cap]
            values.player[self.count + past_points] = paid
        self._settle(values, self.constants, tolerance, model.stake, lambda: None)
        first, second = divmod(start, model.width)
        return float(values.player[second, first] + values.opponent[first, second]) / 2

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

        Args:
            start: the state in which the game begins, for whoever moves first.

        Returns:
            (rows of ``_Values.player``, player's states), under the policy of the last ``solve``.
        """
        count, width = self.count, self.model.width
        first, second = divmod(start, width)
        pending, opponents = np.zeros((width + 1, count)), np.zeros((count, width + 1))
        pending[second, first] = opponents[first, second] = 0.5
        totals, player_moves = np.zeros((width + 1, count)), self._player_moves()
        while pending[:count].sum() > VISITS_LEFT:
            for opponent in range(count):
                arrivals = pending[opponent].copy()
                pending[opponent] = 0.0
                totals[opponent] += arrivals
                come = np.flatnonzero(arrivals > SELDOM)
                if len(come):
                    own_moves = player_moves[self.band[opponent]][come] * arrivals[come, None]
                    opponents[opponent] += own_moves.sum(axis=0)
                left = opponents[opponent, :count].copy()
                opponents[opponent] = 0.0  # finished games and last turns of the opponent are not followed
                come = np.flatnonzero(left > SELDOM)
                if len(come):
                    moves = self.opponent_probabilities[opponent][:, come] * left[come]
                    for ending in np.flatnonzero(moves.sum(axis=1) > SELDOM).tolist():
                        pending[self.after_opponent[opponent][ending], come] += moves[ending]
        totals[count:] = pending[count:]
        return totals

    def _player_moves(self) -> Doubles:
        """Return the probabilities of the own states after a turn: (bands, player's states, own states and ends)."""
        columns = self.model.width + 1
        by_state = self.lane_probabilities.reshape(self.count, self.bands + 1, self.endings)
        places = (np.arange(self.count)[:, None] * columns + self.after_player).ravel()
        moves = np.empty((self.bands, self.count, columns))
        for band in range(self.bands):
            sums = np.bincount(places, by_state[:, band].ravel(), self.count * columns)
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
        often_by_band = np.zeros((self.bands, self.count))
        for opponent in range(self.count):
            come = np.flatnonzero(visits[opponent] > SELDOM)
            often, band = visits[opponent, come], self.band[opponent]
            payoffs[come, band] += self._values.opponent[opponent][self.after_player[come]] * often[:, None]
            often_by_band[band] += visits[opponent]
        for player, (endings, constants) in enumerate(self._payments):
            for band in range(self.bands):
                if constants.shape[1] == 1:
                    payoffs[player, band, endings] += constants[:, 0] * often_by_band[band, player]
                else:
                    states = np.flatnonzero(self.band == band)
                    payoffs[player, band, endings] += (constants[:, states] * visits[states, player]).sum(axis=1)
        last_turns = np.zeros((self.endings, self.count))
        for past_points, payments in enumerate(self._last_payments):
            cap, often = len(payments) - 1, visits[self.count + past_points]
            last_turns[:cap] += payments[:cap] * often
            last_turns[cap:] += payments[cap] * often
        payoffs[:, self.bands] = last_turns.T
        return np.ascontiguousarray(payoffs.reshape(-1, self.endings).T)
