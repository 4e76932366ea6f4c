"""What a match says: its equations, V[s] = turn(what its endings pay), for every position s between turns.

The *states* are numbered. A state is a position as its mover sees it, and V[s] what the mover gets. Two players share
a ``stake`` (1 for the win), so V of the one is the stake less V of the other. What an ending pays is a *link*: a
constant, to which comes what a state is worth:

    alone  constant + V[t];    two  constant + stake - V[t], for it is the other who moves then.

Whatever is solved, proved, judged or told of a match is written on that and on an order of solving. States are solved
in *components*, and a component in *blocks*: what a block links to stands in earlier components or in its own. Of two
kinds are links to its own component. A turn that changes nothing is a *zero turn*: it leads back to the same state
(alone) or to the same scores with the next player to move, and after as many turns as there are players to the state
again; such a cycle stands within one block. Any other (a score that is lost) makes the component a *whole*.
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
    """What the endings of turns pay, in the order of the turn's payoff: ``constant``, and ``state``, -1 where the
    constant is all; both (endings, lanes).
    """

    constant: Doubles
    state: Ints


class TakeoverOffers(NamedTuple):
    """States that begin inside the turn of another one and may do so or not: their numbers, the lanes of the others,
    and modes and points in hand with which they begin; ``inside``: which do (1) and do not (0), where that is given.
    """

    state: Ints
    lane: Ints
    mode: Ints
    points: Ints
    inside: NDArray[np.int8] | None = None

    def worth(self, inside: Doubles, begun: Doubles) -> Doubles:
        """What they are worth, by what both beginnings are."""
        best = np.maximum(inside, begun)
        if self.inside is not None:
            best = np.where(self.inside < 0, best, np.where(self.inside > 0, inside, begun))
        return np.asarray(best)


class TransitionModel(ABC):
    """A system of equations.

    ``size``: states; ``seats``: one or two; ``stake``: of two; ``slack``: how far constants may be off; ``further``:
    how far beyond their caps turns are looked at, where these only cut them; ``given``: nothing is left to be chosen.
    """

    state_count: int
    seats: int
    stake: float = 1.0
    constant_error: float = 0.0
    rows_beyond_cap: int = 0
    has_fixed_choices: bool = False

    @property
    def value_range(self) -> tuple[float, float]:
        """The least and the greatest that a state can be worth."""
        return 0.0, self.stake

    @property
    @abstractmethod
    def turn(self) -> PushTurn:
        """The turn that is made in every state."""

    def solve_turns(
        self, states: Ints, payoff: Doubles, caps: Caps, workers: TurnWorkers, inner: bool = False
    ) -> TurnValue:
        """The turns of states for payoffs (channels, endings, lanes): best for the first channel. In an array that
        comes again nothing has changed but what zero turns pay, which the second channel marks.
        """
        return workers.solve(self.turn, payoff, caps, inner)

    @property
    @abstractmethod
    def max_cap(self) -> int:
        """The largest of all caps."""

    @property
    @abstractmethod
    def has_cyclic_components(self) -> bool:
        """Whether components link to themselves beyond zero turns."""

    @abstractmethod
    def components(self) -> Iterator[Sequence[Ints]]:
        """The blocks of every component, in the order of solving."""

    @abstractmethod
    def caps(self, states: Ints) -> Caps:
        """Where the turn's table ends."""

    def gain_beyond_cap(self, states: Ints) -> Doubles:
        """How much more going on beyond the cap can bring than stopping."""
        return np.zeros(len(states))

    @abstractmethod
    def transitions(self, states: Ints) -> Transitions:
        """What the endings of the states' turns pay."""

    @cached_property
    def _place(self) -> Ints:
        """By state, the lane of a block, while that is looked at; else -1."""
        return np.full(self.state_count, -1)

    def zero_turns(self, states: Ints, links: Transitions) -> tuple[NDArray[np.bool_], Ints]:
        """Which endings of a block's turns are zero turns (endings, lanes), and the lane to which those of each lane
        lead: its own where it has none.
        """
        lanes = np.arange(len(states))
        self._place[states] = lanes
        to = np.where(links.state >= 0, self._place[links.state], -1)
        self._place[states] = -1
        zero = to >= 0
        return zero, np.where(zero.any(axis=0), to[zero.argmax(axis=0), lanes], lanes)

    def states_read_early(self, blocks: Sequence[Ints]) -> Ints:
        """The states of a component that are read before they are solved."""
        rank = np.full(self.state_count, -1)
        for number, states in enumerate(blocks):
            rank[states] = number
        found = np.zeros(self.state_count, dtype=bool)
        for number, states in enumerate(blocks):
            links = self.transitions(states)
            zero, _ = self.zero_turns(states, links)
            there = links.state[(links.state >= 0) & ~zero]
            found[there[rank[there] >= number]] = True
        return np.flatnonzero(found)

    def first_guess(self, values: Doubles, states: Ints) -> Doubles:
        """What zero turns of states are first taken to be worth, from values that were guessed or found before."""
        return values[states]

    def takeover_offers(self, states: Ints) -> TakeoverOffers | None:
        """States that are read off the turns of these."""
        return None

    def payoffs(self, value: Callable[[Ints], Doubles], links: Transitions) -> Doubles:
        """What endings pay, by V of states: (endings, lanes)."""
        worth = value(np.maximum(links.state, 0))
        led = self.stake - worth if self.seats == 2 else worth
        return np.asarray(links.constant + np.where(links.state >= 0, led, 0.0))


def split_lanes(lanes: NDArray[Number], size: int) -> list[NDArray[Number]]:
    """So many lanes, or whatever is solved side by side, at a time."""
    return [lanes[first : first + size] for first in range(0, len(lanes), size)]


class TurnWorkers:
    """Threads that make turns."""

    def __init__(self, threads: int = 1) -> None:
        from ..util.threads import ThreadPool

        self.threads, self.pool = threads, ThreadPool(threads)

    def solve(
        self, turn: PushTurn, payoff: Doubles, caps: Caps, inner: bool = False, follow: Decisions | None = None
    ) -> TurnValue:
        """Turns for payoffs (channels, endings, lanes)."""
        return turn.solve(payoff, caps, inner=inner, follow=follow, pool=self.pool, threads=self.threads)
