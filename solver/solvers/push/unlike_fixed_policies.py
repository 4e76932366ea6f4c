"""Evaluation of races whose players have rules of their own, in which all policies or all but one are fixed.

The equations are those of ``fixed_policies``. The turn of each player is that of its seat (``unlike_multiplayer``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from ...games.push_rules import SPECIAL_ENDING_COUNT
from ...turns.push_turn import Caps, PushTurn
from ..model import Ints, TakeoverOffers, Transitions
from ..rounding_bounds import turn_rounding_bound
from .cycle_layers import UnlikeLayers
from .fixed_policies import FixedPolicy, FixedPolicyModel, group_by_scores
from .unlike_multiplayer import UnlikeRaceModel


class UnlikeFixedPolicyModel(FixedPolicyModel):
    """Equations for the value of one player against given policies, in a race whose players have rules of their own.

    State p * n + i is line i of those in which player p is to move; n is the number of lines of a mover. Player 0 is
    the one whose value is wanted, and the others follow in turn order.

    Attributes:
        race: the equations of the race, which number the lines.
        first_seat: the seat of player 0.
    """

    def __init__(self, race: UnlikeRaceModel, first_seat: int, policies: Sequence[FixedPolicy]) -> None:
        """Set up the equations of a race.

        Args:
            race: the equations of the race.
            first_seat: the seat of player 0, whose value is wanted.
            policies: the policies of the players, that of player 0 first. A policy of None is a best response to the
                others; only player 0 can have it.
        """
        super().__init__(race.seat_models[first_seat], policies)
        self.race = race
        self.first_seat = first_seat
        self.state_count = race.lines

    def _seat_of(self, player: int) -> int:
        """Return the seat of a player."""
        return (self.first_seat + player) % self.race.seats

    def start_state(self, line: int) -> int:
        """Return the state of a line."""
        return int(self._states_of_lines(np.array([line]))[0])

    def _states_of_lines(self, lines: Ints) -> Ints:
        """Return the states of lines."""
        seats, numbers = np.divmod(lines, self.race.lines_per_mover)
        return np.asarray((seats - self.first_seat) % self.race.seats * self.race.lines_per_mover + numbers)

    @cached_property
    def turn(self) -> PushTurn:
        """The turn model whose values have the largest bound of rounding errors."""
        turns = [model.turn for model in self.race.seat_models]
        return max(turns, key=lambda turn: turn_rounding_bound(turn, self.max_cap))

    @property
    def max_cap(self) -> int:
        """The largest of all caps."""
        return max(model.max_cap for model in self.race.seat_models)

    def components(self) -> Iterator[Sequence[Ints]]:
        """Yield all states of equal total as a component of one block, the highest total first."""
        layers = UnlikeLayers([own.score for own in self.race.states])
        (stage,) = layers.stages(1)
        for cycles in stage:
            yield [self._states_of_lines(self.race.lines_of(cycles).ravel())]

    def caps(self, states: Ints) -> Caps:
        """Return by state the turn points, in units, at which the table of the mover's turn ends."""
        caps = np.empty(len(states), dtype=np.int32)
        lines = self._game_states(states)
        for player, lanes in self._lanes_by_player(states):
            caps[lanes] = self.race.seat_models[self._seat_of(player)].caps(lines[lanes])
        return caps

    def transitions(self, states: Ints) -> Transitions:
        """Return the states that the endings of turns lead to, where the next player moves, and what they pay player 0.

        Args:
            states: (lanes,).
        """
        lines = self._game_states(states)
        largest_bank = int(self.caps(states).max())  # the turns of all seats have banks up to this
        parts = dict[int, tuple[Ints, Transitions]]()
        for player, lanes in self._lanes_by_player(states):
            model = self.race.seat_models[self._seat_of(player)]
            parts[player] = lanes, model.transitions(lines[lanes], largest_bank)
        shape = SPECIAL_ENDING_COUNT + largest_bank + 1, len(states)
        constant = np.empty(shape)
        state = np.empty(shape, dtype=np.int64)
        for player, (lanes, part) in parts.items():
            leads_on = part.state >= 0
            state[:, lanes] = np.where(leads_on, self._states_of_lines(np.maximum(part.state, 0)), -1)
            # A mover who ends the game wins it. Another mover's win pays player 0 nothing.
            wins = part.constant > 0
            constant[:, lanes] = np.where(wins & (player > 0), 0.0, part.constant)
        return Transitions(constant, state)

    def takeover_offers(self, states: Ints) -> TakeoverOffers | None:
        """Return None, because nothing can be taken over."""
        return None

    def _states_by_scores(self, player: int) -> list[tuple[int, int, Ints]]:
        """Return all lines in which a player is to move, grouped by scores; see ``group_by_scores``."""
        seat = self._seat_of(player)
        lines = self.race.first_line(seat) + np.arange(self.race.lines_per_mover)
        return group_by_scores(self.race.seat_models[seat], lines)

    @property
    def _game_state_count(self) -> int:
        """The number of lines."""
        return self.race.lines

    def _game_states(self, states: Ints) -> Ints:
        """Return the lines of states."""
        players, numbers = np.divmod(states, self.race.lines_per_mover)
        seats = (self.first_seat + players) % self.race.seats
        return np.asarray(seats * self.race.lines_per_mover + numbers)

    def _movers(self, states: Ints) -> Ints:
        """Return the players to move."""
        return states // self.race.lines_per_mover

    def _turn_of(self, player: int) -> PushTurn:
        """Return the turn model of a player."""
        return self.race.seat_models[self._seat_of(player)].turn
