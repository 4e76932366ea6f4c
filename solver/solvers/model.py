"""The equations of a problem as data: V[s] = turn(payoff of s), where the payoff is linear in V.

States are numbered. A *state* s is a position between turns as its mover sees it, and V[s] is what the mover gets. Two
players share a ``stake`` (1 for the win), so the value of one is the stake minus the value of the other. An ending of
a turn pays a constant, and perhaps the value of one state t, its *transition*:

    one player     payoff = constant + V[t]
    two players    payoff = constant + stake - V[t], because the opponent moves in t

``TransitionModel`` says which transitions a problem has and in which order its states are solved. Everything else is
written once for all models: the reference solver, bounds, certificates, evaluation of policies and advice.

*Order of solving.* States are solved in components, and a component in blocks. A block reads values only of earlier
components and of its own component. Two kinds of transition stay within a component:

- A *zero turn* is a turn that changes no score. For one player it is a self-loop. For two it leads to the same scores
  with the opponent to move, so after two of them the state is the same. Such a cycle lies within one block.
- Any other transition back, such as a lost score, makes the component cyclic (``has_cyclic_components``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..turns.push_turn import Caps, Decisions, Doubles, PushTurn, TurnValue

Ints = NDArray[np.int64]
Number = TypeVar("Number", bound=np.generic)


class Transitions(NamedTuple):
    """Payoffs of the endings of turns: a constant, and possibly the value of a state. Each turn is a lane.

    For two players, an ending with the constant 0 and the state 7 pays the mover ``stake - V[7]``.

    Attributes:
        constant: (endings, lanes), the constant of every ending of every turn; (endings, 1) if all lanes have the same.
        state: (endings, lanes), the state whose value is added; -1 if the constant is all.
    """

    constant: Doubles
    state: Ints


class TakeoverOffers(NamedTuple):
    """States that may begin inside the turn of another state: their mover may take over its turn points and dice.

    All arrays have one entry for each offer.

    Attributes:
        state: the state that has the offer.
        lane: the lane of the turn that is taken over.
        mode: the mode in which the take-over enters that turn.
        points: the turn points that are taken over.
        accepted: fixed decisions: 1 accepts, 0 declines, and a negative entry leaves the better of the two. None if no
            decision is fixed.
    """

    state: Ints
    lane: Ints
    mode: Ints
    points: Ints
    accepted: NDArray[np.int8] | None = None

    def values(self, taken_over: Doubles, fresh: Doubles) -> Doubles:
        """Return the values, to their movers, of the states that have an offer: (.., offers).

        The mover accepts or declines, whichever is better, unless a policy has fixed the decision.

        Args:
            taken_over: (.., offers), the value to the mover if the offer is accepted.
            fresh: (.., offers), the value to the mover if it is declined and a new turn begins.
        """
        best = np.maximum(taken_over, fresh)
        if self.accepted is None:
            return np.asarray(best)
        # ``accepted``, by offer: 1 accepts, 0 declines, and a negative number leaves the better of the two.
        by_decision = np.where(self.accepted > 0, taken_over, fresh)
        is_fixed = self.accepted >= 0
        return np.asarray(np.where(is_fixed, by_decision, best))


class TransitionModel(ABC):
    """A system of Bellman equations V[s] = turn(payoff of s) for one or two players.

    Attributes:
        state_count: the number of states.
        seats: the number of players, one or two.
        stake: what two players share.
        constant_error: a bound of the error of ``Transitions.constant``.
        rows_beyond_cap: how many numbers of turn points beyond the cap a proof of bounds has to examine, each a row of
            the turn's table. 0 if no turn is cut short by its cap.
        has_fixed_choices: every choice is given by a policy, so values are evaluated and not optimized.
        _lane_of_state: scratch of ``zero_turns``: (states,) all -1 between calls.
    """

    state_count: int
    seats: int
    stake: float = 1.0
    constant_error: float = 0.0
    rows_beyond_cap: int = 0
    has_fixed_choices: bool = False

    @property
    def value_range(self) -> tuple[float, float]:
        """The smallest and the largest possible value of a state."""
        return 0.0, self.stake

    @property
    @abstractmethod
    def turn(self) -> PushTurn:
        """The turn model that is played in every state."""

    @property
    def seat_turns(self) -> Sequence[PushTurn]:
        """The turn models that states have: by default a single one, for all states."""
        return (self.turn,)

    def turn_numbers(self, states: Ints) -> Ints:
        """Return the index in ``seat_turns`` of the turn model of each state: (states,)."""
        return np.zeros_like(states)

    def solve_turns(
        self, states: Ints, payoff: Doubles, caps: Caps, workers: TurnWorkers, inner: bool = False
    ) -> TurnValue:
        """Solve the turns of some states.

        Args:
            states: (lanes,), the state of each lane.
            payoff: (channels, endings, lanes). Channel 0 is maximized, and the others are evaluated along its choices.
            caps: (lanes,), the turn points at which the table of each turn ends.
            workers: the threads to use.
            inner: also return the values inside the turns.
        """
        return workers.solve(self.turn, payoff, caps, inner)

    def update_zero_payoffs(self, states: Ints, payoff: Doubles, caps: Caps, workers: TurnWorkers) -> TurnValue:
        """Solve the turns of the last call of ``solve_turns`` again, after only the payoffs of zero turns have changed.

        By default the turns are solved anew. A model may override this and correct the earlier result, which is faster.

        Args:
            states: (lanes,), as in the last call.
            payoff: (2, endings, lanes). Channel 1 is 1 for endings that are zero turns, and 0 for others, so its value
                is the probability of a zero turn.
            caps: (lanes,), as in the last call.
            workers: the threads to use.
        """
        return self.solve_turns(states, payoff, caps, workers)

    @property
    @abstractmethod
    def max_cap(self) -> int:
        """The largest cap of any state."""

    @property
    @abstractmethod
    def has_cyclic_components(self) -> bool:
        """Return True if a component has transitions to itself other than zero turns."""

    @abstractmethod
    def components(self) -> Iterator[Sequence[Ints]]:
        """Yield the blocks of every component, in the order of solving; a block is an array of states."""

    @abstractmethod
    def caps(self, states: Ints) -> Caps:
        """Return the cap of each state, (lanes,): the turn points, in units, at which the table of its turn ends."""

    def gain_beyond_cap(self, states: Ints) -> Doubles:
        """Return, by state, a bound of what rolling on can gain over stopping with turn points from the cap on."""
        return np.zeros(len(states))

    def turn_keys(self, states: Ints) -> Ints | None:
        """Return a key of the turn of each state; None if turns of different states are not known to be equal.

        Turns with the same key have equal caps, and each of their endings is worth the same. So their states have the
        same value.

        Args:
            states: (lanes,), the states of a block.
        """
        return None

    @abstractmethod
    def transitions(self, states: Ints) -> Transitions:
        """Return where the endings of the turns of some states lead: a constant, and possibly a next state.

        Args:
            states: (lanes,), the states, one turn for each.
        """

    @cached_property
    def _lane_of_state(self) -> Ints:
        """Scratch array by state: ``zero_turns`` writes lanes into it, and resets all entries to -1."""
        return np.full(self.state_count, -1)

    def zero_turns(self, states: Ints, transitions: Transitions) -> tuple[NDArray[np.bool_], Ints]:
        """Find the zero turns of a block: endings that lead to a state of the same block.

        All zero turns of one state lead to the same state, because they change no score.

        Args:
            states: (lanes,), the states of the block. The turn of each is one lane.
            transitions: their transitions.

        Returns:
            True for every ending that is a zero turn (endings, lanes); and the lane to which the zero turns of each
            lane lead (lanes,), which is the lane itself if it has none.
        """
        lanes = np.arange(len(states))
        self._lane_of_state[states] = lanes  # all other entries of this scratch array are -1
        has_state = transitions.state >= 0
        # The lane of the state that each ending leads to; -1 outside the block. An ending without a state has the
        # number -1, and so reads the last entry of the scratch array, which does not count.
        next_lane = np.where(has_state, self._lane_of_state[transitions.state], -1)
        self._lane_of_state[states] = -1
        is_zero = next_lane >= 0
        first_zero_ending = is_zero.argmax(axis=0)
        zero_lane = np.where(is_zero.any(axis=0), next_lane[first_zero_ending, lanes], lanes)
        return is_zero, zero_lane

    def states_read_early(self, blocks: Sequence[Ints]) -> Ints:
        """Return the states of a component whose values are read before they are solved, in ascending order.

        They are targets of transitions to the same or to a later block. Zero turns do not count, because a block solves
        its own. A sweep over the component needs guesses for these states and for no others.

        Args:
            blocks: the blocks of the component in the order of solving, each an array of states.
        """
        block_of_state = np.full(self.state_count, -1)  # -1 for states of other components, which are solved
        for block, states in enumerate(blocks):
            block_of_state[states] = block
        is_read_early = np.zeros(self.state_count, dtype=bool)
        for block, states in enumerate(blocks):
            transitions = self.transitions(states)
            is_zero, _ = self.zero_turns(states, transitions)
            leads_to_state = transitions.state >= 0  # other endings pay a constant only
            targets = transitions.state[leads_to_state & ~is_zero]
            early_targets = targets[block_of_state[targets] >= block]
            is_read_early[early_targets] = True
        return np.flatnonzero(is_read_early)

    def first_guess(self, values: Doubles, states: Ints) -> Doubles:
        """Return first guesses of the values of some states for Newton's method; by default their values so far.

        Args:
            values: by state, the values that are known or guessed so far.
            states: states that zero turns lead to.
        """
        return values[states]

    def takeover_offers(self, states: Ints) -> TakeoverOffers | None:
        """Return the states that may begin inside the turns of ``states`` by a take-over; None if the game has none.

        Args:
            states: (lanes,), the states whose turns may be taken over.
        """
        return None

    def payoffs(self, value: Callable[[Ints], Doubles], transitions: Transitions) -> Doubles:
        """Return what endings pay the mover: constant + V[t] for one player, constant + stake - V[t] for two.

        Args:
            value: maps an array of states to V of these states.
            transitions: the constant and the state t of every ending.

        Returns:
            (endings, lanes).
        """
        has_state = transitions.state >= 0
        any_state = np.maximum(transitions.state, 0)  # state 0 stands in where there is none
        state_values = value(any_state)
        received = self.stake - state_values if self.seats == 2 else state_values
        return np.asarray(transitions.constant + np.where(has_state, received, 0.0))


def split_lanes(lanes: NDArray[Number], size: int) -> list[NDArray[Number]]:
    """Split an array along its first axis, that of the lanes, into parts of ``size`` lanes; the last may be shorter."""
    return [lanes[first : first + size] for first in range(0, len(lanes), size)]


class TurnWorkers:
    """A pool of threads that solves turns, a part of the lanes each."""

    def __init__(self, threads: int = 1) -> None:
        """Start the threads."""
        from ..util.threads import ThreadPool

        self.threads = threads
        self.pool = ThreadPool(threads)

    def solve(
        self, turn: PushTurn, payoff: Doubles, caps: Caps, inner: bool = False, fixed_decisions: Decisions | None = None
    ) -> TurnValue:
        """Solve a turn in many lanes, or evaluate given decisions there.

        Args:
            turn: the turn model, which is the same in all lanes.
            payoff: (channels, endings, lanes). Channel 0 is maximized, and the others are evaluated along its choices.
            caps: (lanes,), the turn points at which the table of each turn ends.
            inner: also return the values inside the turns.
            fixed_decisions: decisions that are evaluated instead of the best ones, as ``PushTurn.solve`` returns them.
        """
        return turn.solve(
            payoff, caps, inner=inner, fixed_decisions=fixed_decisions, pool=self.pool, threads=self.threads
        )
