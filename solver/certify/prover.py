"""Two lines between which every solution of some equations lies: the pass that proves.

Of every state a lower number L and an upper number U, whole numbers of 2 ** -bits, for which

    F(U) < U  and  L < F(L)

hold exactly, F being the turn with what its endings pay read from the line itself (of the opponent, where two share a
stake, from the other line). Both are computed in whole numbers (``turn``) and rounded outward, so what is compared is
compared truly. Strict lines enclose every solution, whatever the order of states and however long a game may last: no
rank is needed (docs/exactness.md, Theorem 1).

Lines are found around values that were solved; nothing is asked of these. Without zero turns a line is one turn made of
lines already found, and one unit. For zero turns, with u = U - V and l = V - L, what u of a state needs grows with l of
the opponent's and no faster than some slope: V and a number a little above it tell the slope, a step of Newton's method
on both ends of the cycle tells u and l, and the turns are made once more to see that they hold. A component that links
to itself as a whole is swept: what is read before it is found is guessed, and the lines hold once no guess was smaller
than what came out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..solvers.anderson import Mixture
from ..solvers.model import TakeoverOffers, TransitionModel, Transitions
from ..util.errors import InputError, SolveError
from .whole_turn import NEVER, Crew, Ints, WholeTurn

Doubles = NDArray[np.float64]

MOST_BITS = 61  # of a number and its sign
STEP = 30  # a slope is told by values so many bits further up
MARGIN = 16  # units that lines of zero turns are strict by, at first: more than turns are rounded by
SWEPT, CLOSER = 1 << 14, 32  # the same where a whole component is swept, at first, and from one time to the next
MOST_PASSES, MOST_SWEEPS = 40, 2000
HOPELESS = 2.0**-40  # a chance to change anything in a cycle of turns, too small to prove anything with
MOST_GAP = 2.0**-20
OUTWARD = np.array([[-1], [1]])  # the lower line, and the upper one
NO_LINES = "turns change so little under these rules that no lines worth stating can be proved"


@dataclass(frozen=True)
class Lines:
    """Lower and upper numbers of all states, (2, states), in units of 2 ** -bits; the blocks of states as they were
    found. ``mixes``: of states in which two turns are mixed how often the second is made, and what decides each.
    """

    ends: Ints
    bits: int
    blocks: tuple[Ints, ...]
    mixes: Mapping[int, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Block:
    """The turns of a block: ``zero`` (endings, lanes), those of lane i lead to lane ``partner[i]``."""

    states: Ints
    links: Transitions
    constant: Ints
    caps: Ints
    beyond: Ints
    zero: NDArray[np.bool_]
    partner: Ints


class Prover:
    """Lines of equations, around values that were solved."""

    def __init__(
        self,
        equations: TransitionModel,
        values: Doubles,
        progress: Callable[[float], None] = lambda done: None,
        crew: Crew | None = None,
    ) -> None:
        if equations.constant_error:
            raise InputError("what a turn pays is itself computed and rounded under these rules: no lines are proved")
        self.equations, self.progress = equations, progress
        self.turn = WholeTurn(equations.turn, crew)
        self.opposed = equations.seats == 2
        ends = np.array([*equations.value_range, equations.stake, *values.tolist()])
        self.bits = MOST_BITS - int(np.frexp(np.abs(ends[np.isfinite(ends)]).max())[1])
        least, most, self.stake, *_ = self._whole(np.where(np.isneginf(ends), -np.inf, ends)).tolist()
        self.range = NEVER // 2 if np.isneginf(ends[0]) else least, most
        self.values = self._whole(values)  # that lines are sought around
        self.lines = np.zeros((2, equations.state_count), dtype=np.int64)  # where no turns are left nothing is won
        self.linked = np.zeros(equations.state_count, dtype=np.bool_)  # of what begins inside other turns

    def _whole(self, numbers: Doubles) -> Ints:
        """Numbers in units; none of what may not be."""
        found: Ints = np.where(np.isfinite(numbers), np.rint(np.ldexp(numbers, self.bits)), 0.0).astype(np.int64)
        return np.where(np.isneginf(numbers), NEVER, found)

    def prove(self) -> Lines:
        """The lines of all states.

        Raises:
            SolveError: none were found.
        """
        blocks: list[Ints] = []
        done = 0
        if self.equations.takeover_offers(next(iter(self.equations.components()))[0]):
            for component in self.equations.components():
                for states in component:
                    self.linked[self.equations.transitions(states).state] = True
        for component in self.equations.components():
            held = (
                self.equations.states_read_early(component)
                if self.equations.has_cyclic_components
                else np.empty(0, dtype=np.int64)
            )
            if len(held):
                self._sweep(component, held)
            for states in component:
                if not len(held):
                    self._enclose(self._lay_out(states), MARGIN)
                blocks.append(states)
                if (begun := self._readings(states)) and len(begun.state):
                    blocks.append(begun.state)
                done += len(states)
                self.progress(done / self.equations.state_count)
        return Lines(self.lines, self.bits, tuple(blocks))

    def _lay_out(self, states: Ints) -> _Block:
        links = self.equations.transitions(states)
        constant = self._whole(links.constant)
        there = np.isfinite(links.constant)
        if (np.ldexp(constant[there].astype(float), -self.bits) != links.constant[there]).any():
            raise InputError("what a turn pays is no whole number of units under these rules: no lines are proved")
        caps = self.equations.caps(states).astype(np.int64)
        beyond = self._whole(self.equations.gain_beyond_cap(states))
        return _Block(states, links, constant, caps, beyond, *self.equations.zero_turns(states, links))

    def _readings(self, states: Ints) -> TakeoverOffers | None:
        """What begins inside the turns of these, and is led to."""
        found = self.equations.takeover_offers(states)
        if found is None:
            return None
        there = self.linked[found.state]
        return TakeoverOffers(found.state[there], found.lane[there], found.mode[there], found.points[there])

    def _turns(self, block: _Block, gaps: Ints, more: int = 0) -> Ints:
        """What turns of a block come to, lower and upper (2, lanes), where the lines of its own states are ``gaps``
        from V; with ``more`` the upper ones once again, for zero turns that pay so much more.
        """
        return self.turn.solve(*self._asked(block, gaps, more))[0].reshape(-1, len(block.states))

    def _asked(self, block: _Block, gaps: Ints, more: int = 0) -> tuple[Ints, Ints, Ints, int, int, int, Ints]:
        """What these turns are asked with."""
        payoffs, lanes = [], len(block.states)
        own = (self.values[block.states] + OUTWARD * gaps)[:, block.partner]
        for side in (1, 0) if self.opposed else (0, 1):
            led = np.where(block.zero, own[side], self.lines[side][np.maximum(block.links.state, 0)])
            led = self.stake - led if self.opposed else led
            payoffs.append(block.constant + np.where(block.links.state >= 0, led, 0))
        payoffs += [payoffs[1] + more * block.zero] if more else []
        up = np.repeat(np.array([0, 1, 1])[: len(payoffs)], lanes)
        caps, beyond = (np.tile(one, len(payoffs)) for one in (block.caps, block.beyond))
        return np.hstack(payoffs), caps, up, *self.range, self.equations.rows_beyond_cap if beyond.any() else 0, beyond

    def _enclose(self, block: _Block, margin: int) -> None:
        """The lines of a block, made of what it links to."""
        values, some = self.values[block.states], block.zero.any(axis=0)
        step = 1 << self.bits - STEP
        found = self._turns(block, np.zeros((2, len(values)), dtype=np.int64), step if some.any() else 0)
        slope = np.where(some, (found[-1] - found[1]) / step, 0.0)
        change = 1 - slope * slope[block.partner]
        if (change <= HOPELESS).any():
            raise SolveError(NO_LINES)
        gaps, needed = np.zeros((2, len(values))), OUTWARD * (found[:2] - values)
        for _ in range(MOST_PASSES):
            own = needed - slope * self._across(gaps, block) + margin
            gaps = np.ceil((own + slope * self._across(own, block)) / change)
            if np.abs(gaps).max() > np.ldexp(MOST_GAP, self.bits):
                break
            whole = gaps.astype(np.int64)
            if some.any():
                needed = OUTWARD * (self._turns(block, whole) - values)
            if (needed < whole).all():
                self.lines[:, block.states] = values + OUTWARD * whole
                if (begun := self._readings(block.states)) and len(begun.state):
                    _, tables = self.turn.solve(*self._asked(block, whole), inside=True)
                    lanes = begun.lane + len(values) * np.array([[0], [1]])
                    inside = tables[begun.mode, begun.points, lanes]
                    best = np.maximum(inside, self.lines[:, block.states[begun.lane]])
                    self.lines[:, begun.state] = best + OUTWARD
                return
            margin *= 2
        raise SolveError(NO_LINES)

    def _across(self, gaps: Doubles, block: _Block) -> Doubles:
        """By side and lane, the gap that zero turns read: of the other's other line, of two."""
        return (gaps[::-1] if self.opposed else gaps)[:, block.partner]

    def _sweep(self, component: Sequence[Ints], held: Ints) -> None:
        """The lines of a component that links to itself: strict by much at first, then around the middle of what was
        found by less.
        """
        states, margin = np.concatenate(list(component)), SWEPT
        guess = np.zeros((2, len(held)))
        while True:
            self._settle(component, held, guess, margin)
            if margin <= MARGIN:
                return
            margin //= CLOSER
            self.values[states] = self.lines[:, states].sum(axis=0) // 2
            wide = np.diff(self.lines[:, held], axis=0)
            guess = np.ceil(np.repeat(wide / CLOSER, 2, axis=0))

    def _settle(self, component: Sequence[Ints], held: Ints, guess: Doubles, margin: int) -> None:
        """The lines of a component, from guesses of those that are read before they are found."""
        mixture = Mixture()
        for _ in range(MOST_SWEEPS):
            self.lines[:, held] = self.values[held] + OUTWARD * guess.astype(np.int64)
            for states in component:
                self._enclose(self._lay_out(states), margin)
            needed = (OUTWARD * (self.lines[:, held] - self.values[held])).astype(float)
            if (needed <= guess).all():
                return
            if (needed - guess <= margin / 2).all():  # so with half of the margin, or less, they would hold
                margin = margin // 4
            else:
                mixed = mixture.next(needed.ravel(), (needed - guess).ravel()).reshape(needed.shape)
                guess = np.ceil(np.maximum(needed, mixed.clip(max=np.ldexp(MOST_GAP, self.bits))))
        raise SolveError(NO_LINES)
