"""The equations of races of two players with rules of their own, as a certificate proves them.

The equations are those of any race of two (``solvers.push.unlike_race``), with a table for each seat. A state is the
score of the mover, the score of the opponent, and the seat to move. In a proof both tables are one list of states, so
the zero turns of two states that lead to each other are in one block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..games.push_rules import SPECIAL_ENDING_COUNT
from ..solvers.model import Ints, TransitionModel, Transitions
from ..solvers.problem import ValueTable
from ..solvers.push.model import group_by_descending_keys
from ..solvers.push.states import FORBIDDEN, WON, States
from ..solvers.push.unlike_race import UnlikeRaceProblem
from ..turns.push_turn import Caps, Doubles, PushTurn
from .rule_data import past_target


class UnlikeRaceEquations(TransitionModel):
    """The equations of a race of two players with rules of their own.

    States in which seat 0 moves are numbered first. Within a seat a state is numbered ``own * width + opponent``, by
    the states of the mover and of the opponent. ``width`` is how many own states the opponent has.

    Attributes:
        states: the states of seat 0 and of seat 1.
        pair_count: the number of states in which one seat moves.
        own_state: (states,) the state of the mover.
        opponent_state: (states,) the state of the opponent.
    """

    seats = 2
    has_cyclic_components = False

    def __init__(self, states: tuple[States, States]) -> None:
        """Assign numbers to the states.

        Args:
            states: the states of seat 0 and of seat 1.
        """
        self.states = states
        first_count, second_count = map(len, states)  # of the own states of seat 0 and of seat 1
        self.pair_count = first_count * second_count
        self.state_count = 2 * self.pair_count
        # For either seat to move, all pairs of an own state and a state of the opponent, in the order of their numbers:
        # (2, pairs), the own states and the opponent's.
        shapes = (first_count, second_count), (second_count, first_count)
        pairs_by_seat = [np.indices(shape).reshape(2, -1) for shape in shapes]
        self.own_state, self.opponent_state = np.concatenate(pairs_by_seat, axis=1)

    def _of_movers(self, first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
        """Return by state the entry of the mover's own state.

        Args:
            first: entries by own state of seat 0.
            second: entries by own state of seat 1.
        """
        own_states = self.own_state.reshape(2, -1)  # by seat to move
        return np.concatenate([first[own_states[0]], second[own_states[1]]])

    def _of_opponents(self, first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
        """Return by state the entry of the opponent's state.

        Args:
            first: entries by own state of seat 0.
            second: entries by own state of seat 1.
        """
        opponent_states = self.opponent_state.reshape(2, -1)  # by seat to move
        return np.concatenate([second[opponent_states[0]], first[opponent_states[1]]])

    @property
    def turn(self) -> PushTurn:
        """Raise NotImplementedError, because each seat has a turn of its own (``seat_turns``)."""
        raise NotImplementedError

    @property
    def seat_turns(self) -> Sequence[PushTurn]:
        """The turn of seat 0 and that of seat 1."""
        return [own.turn for own in self.states]

    def turn_numbers(self, states: Ints) -> Ints:
        """Return by state the seat to move."""
        return states // self.pair_count

    @property
    def max_cap(self) -> int:
        """The largest cap of either seat."""
        return max(int(own.caps.max()) for own in self.states)

    def caps(self, states: Ints) -> Caps:
        """Return by state the turn points at which the table of the mover's turn ends."""
        caps: Caps = self._of_movers(*(own.caps for own in self.states))[states]
        return caps

    def components(self) -> Iterator[Sequence[Ints]]:
        """Yield all states of equal total as a component of one block, the highest total first.

        A total is the sum of both scores, each in units of its owner. A turn raises it, or changes no score.
        """
        scores = [own.score for own in self.states]
        for block in group_by_descending_keys(self._of_movers(*scores) + self._of_opponents(*scores)):
            yield [block]

    def transitions(self, states: Ints) -> Transitions:
        """Return where the endings of the turns of some states lead, under the rules of their movers.

        Args:
            states: (lanes,) the states in which the turns begin.

        Returns:
            Constants and next states, (endings, lanes): bust, win, wipe, then banks of 0, 1, ... points up to the
            largest cap of these states.
        """
        bank_count = int(self.caps(states).max()) + 1
        shape = SPECIAL_ENDING_COUNT + bank_count, len(states)
        constant = np.zeros(shape)
        next_state = np.full(shape, -1)
        seats = self.turn_numbers(states)
        for seat, own in enumerate(self.states):
            lanes = np.flatnonzero(seats == seat)
            after = _own_states_after(own, self.own_state[states[lanes]], bank_count)  # (endings, lanes of this seat)
            # The other seat moves next. In the next state the opponent's state is the own one, and the mover's, of
            # which there are len(own), is the opponent's.
            first_state_of_other = (1 - seat) * self.pair_count
            state_within_seat = self.opponent_state[states[lanes]] * len(own) + after
            next_state[:, lanes] = np.where(after >= 0, first_state_of_other + state_within_seat, -1)
            is_won = after <= WON
            constant[:, lanes] = np.where(after == FORBIDDEN, -np.inf, np.where(is_won, 1.0, 0.0))
        return Transitions(constant, next_state)

    def read(self, value_table: ValueTable) -> Doubles:
        """Return V of all states from a value table of ``UnlikeRaceProblem``: (states,)."""
        return np.concatenate([value_table.arrays[name].ravel() for name in ("win1", "win2")])

    def state_names(self) -> Ints:
        """Return the names of all states, (states, 3): the mover's score, the opponent's, and the seat to move."""
        scores = [own.score * own.rules.grain for own in self.states]
        seat = self.turn_numbers(np.arange(self.state_count))
        return np.stack([self._of_movers(*scores), self._of_opponents(*scores), seat], axis=1)


def _own_states_after(own: States, own_states: Ints, bank_count: int) -> Ints:
    """Return the mover's own state after each ending of a turn, (endings, lanes).

    The endings are bust, win, wipe, then banks of 0, 1, ... points. Negative numbers are not states: FORBIDDEN (-1) is
    an ending that is not allowed, and WON - k (-2 - k) is a total k points past the goal. All such totals win.

    Args:
        own: the own states of the mover's seat.
        own_states: (lanes,) the mover's own state before the turn.
        bank_count: how many banks there are.
    """
    after_win = np.full(len(own_states), WON)
    # A bust leaves the score. So would a wipe here, as these rules have none.
    specials = np.stack([own_states, after_win, own_states])
    return np.concatenate([specials, own.after_banks(own_states, bank_count)])


def describe_seat_truncation(problem: UnlikeRaceProblem) -> dict[str, Any]:
    """Return where turns of a race with unlike seats are truncated; empty if all are followed to the end.

    ``past`` is how far beyond the target forced rolls are followed: as far as one of the seats needs.
    """
    points = [past_target(own.rules, problem.players).get("past", 0) for own in problem.states]
    return {"past": max(points)} if any(points) else {}
