"""The equations of a match in which what the players do is given, but for one of them at most: what that one gets.

Every state stands as often as there are players: as the turn of the one asked about, as that of the next one, and so
on. A player follows limits (``Follow``), decides by a table whatever is done against it (``Decide``), or is the one
asked about and does what is best against the others (None): one player's equations, with cycles as long as the round.
Where nobody does, every turn is linear in what its endings pay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...games.pushluck import SPECIALS
from ...turns.push_turn import Caps, Decisions, Doubles, PushTurn, TurnValue
from ..model import Ints, TakeoverOffers, TransitionModel, Transitions, TurnWorkers, split_lanes
from .model import PushEquations, in_order

AT_ONCE = 1024  # turns that are followed in one call


@dataclass(frozen=True)
class Follow:
    """``decided``: what is done from a score against another one (0 where none is looked at), in one lane (rows of the
    largest cap, modes + classes, 1); the same array, where it is the same.
    """

    decided: Callable[[int, int], Decisions]


@dataclass(frozen=True)
class Decide:
    """``paying``: by what the turns of states are decided, with banks up to a cap: by lane, the place of the state of
    these, how often its turn is made so, and what endings are taken to pay (endings, lanes). ``best``: what states are
    taken to be worth, where turns can begin in two ways.
    """

    paying: Callable[[Ints, int], tuple[Ints, Doubles, Doubles]]
    best: Callable[[Ints], Doubles]


Given = Follow | Decide | None


class Followed(TransitionModel):
    """``plays``: of the one asked about, and of the others in turn order."""

    seats = 1

    def __init__(self, plain: PushEquations, plays: Sequence[Given]) -> None:
        self.plain, self.plays = plain, plays
        self.stake, self.constant_error = plain.stake, plain.constant_error
        self.state_count, self.has_fixed_choices = plain.state_count * len(plays), None not in plays
        self._passed: tuple[Doubles, Doubles, Doubles] = (np.empty(0),) * 3
        self._asked = np.empty(0, dtype=np.int64), dict[int, tuple[Ints, Doubles, Doubles]]()

    @property
    def turn(self) -> PushTurn:
        """The turn of the match."""
        return self.plain.turn

    @property
    def value_range(self) -> tuple[float, float]:
        """As in the match."""
        return self.plain.value_range

    @property
    def max_cap(self) -> int:
        """The largest of all caps."""
        return self.plain.max_cap

    @property
    def has_cyclic_components(self) -> bool:
        """As in the match."""
        return self.plain.has_cyclic_components

    def components(self) -> Iterator[Sequence[Ints]]:
        """The match's, whoever is to move."""
        movers = range(len(self.plays))
        for blocks in self.plain.components():
            yield [np.concatenate([states + mover * self.plain.state_count for mover in movers]) for states in blocks]

    def caps(self, states: Ints) -> Caps:
        """Where the turn's table ends."""
        return self.plain.caps(states % self.plain.state_count)

    def transitions(self, states: Ints) -> Transitions:
        """The match's: the next player moves then, and what the others get is not ours."""
        mover, plain = np.divmod(states, self.plain.state_count)
        movers = len(self.plays) if len(plain) % len(self.plays) == 0 else 1
        if (plain.reshape(movers, -1) != plain[: len(plain) // movers]).any():
            movers = 1
        once = self.plain.transitions(plain[: len(plain) // movers])  # the same for all, as in blocks
        found = Transitions(np.tile(once.constant, movers), np.tile(once.state, movers))
        if self.plain.dice:
            self._leave_dice(
                found, np.array([isinstance(play, Follow) for play in self.plays])[mover - len(self.plays) + 1]
            )
        state = np.where(found.state >= 0, found.state + (mover + 1) % len(self.plays) * self.plain.state_count, -1)
        others = (mover > 0) & (found.state < 0) & (found.constant >= 0)
        return Transitions(np.where(others, self.stake - found.constant, found.constant), state)

    def _leave_dice(self, links: Transitions, lanes: NDArray[np.bool_]) -> None:
        """Let banks of some lanes pay as if no dice were left over, because the next player takes nothing over."""
        size = (len(links.constant) - SPECIALS) // (self.plain.dice + 1)
        for array in links:
            array[SPECIALS + size :, lanes] = np.tile(array[SPECIALS : SPECIALS + size, lanes], (self.plain.dice, 1))

    def takeover_offers(self, states: Ints) -> TakeoverOffers | None:
        """What is taken over: nothing by who follows limits, by others what their table says."""
        found = self.plain.takeover_offers(states % self.plain.state_count)
        if found is None:
            return None
        mover = (states // self.plain.state_count)[found.lane]
        inside = np.full(len(mover), -1, dtype=np.int8)
        for number, play in enumerate(self.plays):
            here = mover == number
            if isinstance(play, Follow):
                inside[here] = 0
            elif play is not None:
                at = states[found.lane[here]] % self.plain.state_count
                inside[here] = play.best(found.state[here]) > play.best(at)
        return found._replace(state=found.state + mover * self.plain.state_count, inside=inside)

    @cached_property
    def _decisions(self) -> dict[int, tuple[Decisions, Ints]]:
        """By who follows limits, what is done in each turn (rows, modes + classes, turns), and the turn by state."""
        plain, found = self.plain, dict[int, tuple[Decisions, Ints]]()
        made = np.concatenate([states for blocks in plain.components() for states in blocks])
        own, other = plain.states.score[plain.mover(made)], plain.facing(made)
        first = in_order(own, other)
        for number, play in enumerate(self.plays):
            if not isinstance(play, Follow):
                continue
            turns, numbers = dict[int, tuple[int, Decisions]](), np.zeros(plain.state_count, dtype=np.int64)
            for alike in first:
                turn = play.decided(int(own[alike[0]]), int(other[alike[0]]))
                numbers[made[alike]] = turns.setdefault(id(turn), (len(turns), turn))[0]
            found[number] = np.concatenate([turn for _, turn in turns.values()], axis=2), numbers
        return found

    def solve_turns(
        self, states: Ints, payoff: Doubles, caps: Caps, workers: TurnWorkers, inner: bool = False
    ) -> TurnValue:
        """The turns, player by player."""
        if states is not self._asked[0]:
            self._asked = states, {}  # of a block they are asked for again and again
        channels, _, lanes = payoff.shape
        mover, plain = np.divmod(states, self.plain.state_count)
        value, rows = np.zeros((channels, lanes)), self.turn.rows(int(caps.max()))
        seen, before, paid_before = self._passed  # of Newton's first pass, which changes what zero turns pay alone
        again = payoff is seen
        zero_pays = payoff[0, payoff[-1].argmax(axis=0), np.arange(lanes)]
        if not again:
            self._passed = payoff, value, zero_pays
        table = np.zeros((channels, len(self.turn.modes), rows, lanes)) if inner else None

        def enter(at: Ints, found: TurnValue, often: Doubles) -> None:
            """Keep what turns bring that are made so often."""
            np.add.at(value.T, at, (found.value[-channels:, : len(at)] * often).T)
            if table is not None:
                assert found.inner is not None
                table[:, :, : found.inner.shape[2], at] = found.inner[-channels:, :, :, : len(at)]

        for number, play in enumerate(self.plays):
            here = np.flatnonzero(mover == number)
            if again and play is not None:  # the line is known
                value[:, here] = before[:, here]
                value[0, here] += before[1, here] * (zero_pays - paid_before)[here]
            elif isinstance(play, Follow):
                every, numbers = self._decisions[number]
                for at in split_lanes(here, AT_ONCE):
                    ends = caps[at]
                    nodes = every[: self.turn.rows(int(ends.max()))].take(numbers[plain[at]], axis=2)
                    made = workers.solve(self.turn, payoff.take(at, axis=2), ends, inner, nodes)
                    enter(at, made, np.ones(len(at)))
            elif len(here):
                asked, often = here, np.ones(len(here))
                paid = payoff
                if play is not None:
                    if number not in self._asked[1]:
                        self._asked[1][number] = play.paying(plain[here], int(caps.max()))
                    place, often, best = self._asked[1][number]
                    asked = here[place]
                paid = payoff.take(asked, axis=2)
                paid = paid if play is None else np.concatenate([best[None], paid])
                enter(asked, workers.solve(self.turn, paid, caps[asked], inner), often)
        return TurnValue(value, table, None)
