"""The equations of a match in which one player's play is given, and the other's is the best of the solved table.

Every state stands twice where two play: as the turn of who follows the policy, then as the other's, who does not know
that it is followed and decides by the table. Nothing is left to be chosen, so that every turn is linear in what its
endings pay, and it is solved and enclosed as any other equations are. Who follows looks at the own score and the turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from ...turns.push import Caps, Decisions, Doubles, PushTurn, TurnValue
from ..equations import Equations, Ints, Links, Readings, Workers
from .equations import PushEquations


class Followed(Equations):
    """``best``: V of states when both play the best; ``decided``: what is done from a score against another one (alone
    0), in one lane (rows of the largest cap, modes + classes, 1); the same array, where it is the same.
    """

    def __init__(self, plain: PushEquations, best: Callable[[Ints], Doubles], decided: Callable[[int, int], Decisions]):
        self.plain, self.best, self.decided = plain, best, decided
        self.seats, self.stake, self.slack = plain.seats, plain.stake, plain.slack
        self.size = plain.size * plain.seats
        self._asked = np.empty(0, dtype=np.int64), np.empty((0, 0))

    @property
    def turn(self) -> PushTurn:
        """The turn of the match."""
        return self.plain.turn

    @property
    def range(self) -> tuple[float, float]:
        """As in the match."""
        return self.plain.range

    @property
    def top(self) -> int:
        """The largest of all caps."""
        return self.plain.top

    @property
    def whole(self) -> bool:
        """As in the match."""
        return self.plain.whole

    def components(self) -> Iterator[Sequence[Ints]]:
        """The match's, with both players to move."""
        for blocks in self.plain.components():
            yield [np.concatenate([states + seat * self.plain.size for seat in range(self.seats)]) for states in blocks]

    def caps(self, states: Ints) -> Caps:
        """Where the turn's table ends."""
        return self.plain.caps(states % self.plain.size)

    def links(self, states: Ints) -> Links:
        """The match's: the other player moves next."""
        found = self.plain.links(states % self.plain.size)
        next_to_move = (self.seats - 1 - states // self.plain.size) * self.plain.size
        return replace(found, state=np.where(found.state >= 0, found.state + next_to_move, -1))

    def readings(self, states: Ints) -> Readings | None:
        """What is taken over: nothing by who follows, by the other what the table says."""
        found = self.plain.readings(states % self.plain.size)
        if found is None:
            return None
        own = states // self.plain.size
        at = states[found.lane] % self.plain.size
        inside = (own[found.lane] > 0) & (self.best(found.state) > self.best(at))
        return replace(found, state=found.state + own[found.lane] * self.plain.size, inside=inside)

    @cached_property
    def _decisions(self) -> tuple[Decisions, Ints]:
        """What is done in different turns (rows, modes + classes, turns), and the turn by state."""
        plain, score = self.plain, self.plain.states.score
        made = np.concatenate([states for blocks in plain.components() for states in blocks])
        pairs, place = np.unique(plain.mover(made) * len(score) + plain.other(made), return_inverse=True)
        mine, others = np.divmod(pairs, len(score))
        turns = [
            self.decided(own, other) for own, other in zip(score[mine].tolist(), score[others].tolist(), strict=True)
        ]
        found = {id(turn): turn for turn in turns}
        places = {one: number for number, one in enumerate(found)}
        numbers = np.zeros(plain.size, dtype=np.int64)
        numbers[made] = np.array([places[id(turn)] for turn in turns])[place]
        return np.concatenate([*found.values()], axis=2), numbers

    def _deciding(self, states: Ints) -> Doubles:
        """What endings pay by the table; of a block it is asked again and again."""
        if states is not self._asked[0]:
            self._asked = states, self.plain.paid(self.best, self.plain.links(states % self.plain.size))
        return self._asked[1]

    def made(self, states: Ints, payoff: Doubles, caps: Caps, workers: Workers, inner: bool = False) -> TurnValue:
        """The turns of who follows, and of the other."""
        channels, _, lanes = payoff.shape
        plain, turn = states % self.plain.size, self.turn
        value = np.empty((channels, lanes))
        rows = turn.rows(int(caps.max()))
        table = np.zeros((channels, len(turn.modes), rows, lanes)) if inner else None
        for follows in (True, False):
            here = np.flatnonzero((states < self.plain.size) == follows)
            if not len(here):
                continue
            paid, ends = payoff.take(here, axis=2), caps[here]
            if follows:
                every, number = self._decisions
                nodes = every[: turn.rows(int(ends.max()))].take(number[plain[here]], axis=2)
                found = workers.solve(turn, paid, ends, inner, nodes)
            else:
                best = self._deciding(states).take(here, axis=1)
                found = workers.solve(turn, np.concatenate([best[None], paid]), ends, inner)
            value[:, here] = found.value[-channels:, : len(here)]
            if table is not None:
                assert found.inner is not None
                table[:, :, : found.inner.shape[2], here] = found.inner[-channels:, :, :, : len(here)]
        return TurnValue(value, table, None)
