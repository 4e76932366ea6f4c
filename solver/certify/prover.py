"""Certified bounds for a system of Bellman equations: a lower and an upper bound of every solution.

For every state the prover finds whole numbers L and U of units 2 ** -bits. They satisfy exactly

    L < F(L)  and  F(U) < U.

F is the Bellman operator. Payoffs are read from the same bound, or from the opponent's opposite bound if two players
share a stake. Turns are solved in integer arithmetic and rounded outward (``whole_turn``), so the comparison is exact.
Strict bounds enclose every solution, whatever the order of states and the length of a game; no ranks are needed
(docs/exactness.md, Theorem 1).

Bounds are sought around values that were solved; these values need not be correct. Without zero turns a bound is one
turn over bounds already found, and one unit. For zero turns let u = U - V and l = V - L. The u that a state needs is a
function of the l of its partner, with a bounded slope. The slope is estimated from V and a number slightly above it. A
Newton step on both states of the cycle gives u and l, and solving the turns again verifies them. In a cyclic component
the bounds that are read early are guessed. They hold once no guess is smaller than the bound that comes out of a sweep.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..solvers.anderson import AndersonMixing
from ..solvers.model import TakeoverOffers, TransitionModel, Transitions
from ..util.errors import InputError, SolveError
from .whole_turn import FORBIDDEN, BlockWorkers, IntegerPushTurn, Ints

Doubles = NDArray[np.float64]

MAX_BITS = 61  # of a number and its sign
SLOPE_STEP_BITS = 30  # the slope is a difference quotient with a step of 2 ** (bits - this)
MARGIN_UNITS = 16  # first strictness of bounds with zero turns: more than turns are rounded by
SWEEP_MARGIN_UNITS, MARGIN_DIVISOR = 1 << 14, 32  # strictness in a cyclic component: at first, and its reduction
MAX_PASSES, MAX_SWEEPS = 40, 2000
MIN_CHANGE = 2.0**-40  # least usable 1 - slope product of a cycle of zero turns
MAX_GAP = 2.0**-20
OUTWARD_SIGNS = np.array([[-1], [1]])  # signs of the lower and the upper bound
NO_BOUNDS = "turns change so little under these rules that no bounds worth stating can be proved"


@dataclass(frozen=True)
class CertifiedBounds:
    """Certified bounds of all states, in units of 2 ** -bits.

    Attributes:
        ends: (rows, states); rows are the lower and the upper bound of every seat from the mover on. For three or more
            players a row for each seat follows with the value by which the stored policies compare choices.
        bits: the number of bits of the unit.
        blocks: the states in the order in which their bounds were found.
        mixes: by state with a mixed action, the share of its second turn and the two values that decide the turns.
    """

    scaled: Ints
    bits: int
    blocks: tuple[Ints, ...]
    mixed_actions: Mapping[int, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Block:
    """The turns of a block of states, one lane each.

    Attributes:
        states: the number of the state in each lane.
        transitions: where the endings lead.
        constant: (endings, lanes) the constants of the transitions, in units.
        caps: the cap of each lane.
        gain_beyond_cap: upper bound of the gain by going on beyond the cap, in units.
        zero: (endings, lanes) marks zero turns.
        partner: the lane to which the zero turns of each lane lead.
    """

    states: Ints
    transitions: Transitions
    constant: Ints
    caps: Ints
    gain_beyond_cap: Ints
    zero: NDArray[np.bool_]
    partner: Ints


class TransitionProver:
    """Prover of certified bounds of a transition model around solved values.

    Args:
        equations: the transition model.
        values: V of every state as solved; bounds are sought around them.
        progress: called with the share done.
        workers: the threads that solve turns.

    Raises:
        InputError: payoffs of the model are rounded, so nothing can be proved.
    """

    def __init__(
        self,
        equations: TransitionModel,
        values: Doubles,
        progress: Callable[[float], None] = lambda done: None,
        workers: BlockWorkers | None = None,
    ) -> None:
        if equations.constant_error:
            raise InputError("payoffs of a turn are themselves rounded under these rules: no bounds are proved")
        self.equations, self.progress = equations, progress
        self.turn = IntegerPushTurn(equations.turn, workers)
        self.is_two_player = equations.seats == 2
        extremes = np.array([*equations.value_range, equations.stake, *values.tolist()])
        self.bits = MAX_BITS - int(np.frexp(np.abs(extremes[np.isfinite(extremes)]).max())[1])
        min_value, max_value, self.stake, *_ = self._to_units(
            np.where(np.isneginf(extremes), -np.inf, extremes)
        ).tolist()
        self.value_range = FORBIDDEN // 2 if np.isneginf(extremes[0]) else min_value, max_value
        self.values = self._to_units(values)
        self.bounds = np.zeros((2, equations.state_count), dtype=np.int64)  # with no turns left nothing is won
        self.is_offer_read = np.zeros(equations.state_count, dtype=np.bool_)  # states of takeover offers with a link

    def _to_units(self, numbers: Doubles) -> Ints:
        """Return numbers in units, rounded to the nearest; minus infinity becomes NEVER."""
        units: Ints = np.where(np.isfinite(numbers), np.rint(np.ldexp(numbers, self.bits)), 0.0).astype(np.int64)
        return np.where(np.isneginf(numbers), FORBIDDEN, units)

    def prove(self) -> CertifiedBounds:
        """Return the certified bounds of all states.

        Raises:
            SolveError: no bounds were found.
        """
        blocks: list[Ints] = []
        done = 0
        if self.equations.takeover_offers(next(iter(self.equations.components()))[0]):
            for component in self.equations.components():
                for states in component:
                    self.is_offer_read[self.equations.transitions(states).state] = True
        for component in self.equations.components():
            read_early = (
                self.equations.states_read_early(component)
                if self.equations.has_cyclic_components
                else np.empty(0, dtype=np.int64)
            )
            if len(read_early):
                self._prove_component(component, read_early)
            for states in component:
                if not len(read_early):
                    self._prove_block(self._make_block(states), MARGIN_UNITS)
                blocks.append(states)
                if (offers := self._takeover_offers(states)) and len(offers.state):
                    blocks.append(offers.state)
                done += len(states)
                self.progress(done / self.equations.state_count)
        return CertifiedBounds(self.bounds, self.bits, tuple(blocks))

    def _make_block(self, states: Ints) -> _Block:
        transitions = self.equations.transitions(states)
        constant = self._to_units(transitions.constant)
        is_allowed = np.isfinite(transitions.constant)
        if (np.ldexp(constant[is_allowed].astype(float), -self.bits) != transitions.constant[is_allowed]).any():
            raise InputError("a payoff is not a whole number of units under these rules: no bounds are proved")
        caps = self.equations.caps(states).astype(np.int64)
        gain = self._to_units(self.equations.gain_beyond_cap(states))
        return _Block(states, transitions, constant, caps, gain, *self.equations.zero_turns(states, transitions))

    def _takeover_offers(self, states: Ints) -> TakeoverOffers | None:
        """Return the takeover offers read off the turns of these states, if some transition leads to them."""
        offers = self.equations.takeover_offers(states)
        if offers is None:
            return None
        is_read = self.is_offer_read[offers.state]
        return TakeoverOffers(offers.state[is_read], offers.lane[is_read], offers.mode[is_read], offers.points[is_read])

    def _solve_turns(self, block: _Block, gaps: Ints, zero_turn_step: int = 0) -> Ints:
        """Return lower and upper bounds of a block's turns, (2, lanes), or (3, lanes) with a step.

        Args:
            block: the turns.
            gaps: (2, lanes) V - L and U - V of the block's own states.
            zero_turn_step: if not 0, solve the upper bounds again with zero turns that pay so much more.
        """
        return self.turn.solve(*self._turn_arguments(block, gaps, zero_turn_step))[0].reshape(-1, len(block.states))

    def _turn_arguments(
        self, block: _Block, gaps: Ints, zero_turn_step: int = 0
    ) -> tuple[Ints, Ints, Ints, int, int, int, Ints]:
        """Return the arguments of ``IntegerPushTurn.solve``, up to the gain past the cap."""
        payoffs, lanes = [], len(block.states)
        own_bounds = (self.values[block.states] + OUTWARD_SIGNS * gaps)[:, block.partner]
        for side in (1, 0) if self.is_two_player else (0, 1):
            next_value = np.where(
                block.zero, own_bounds[side], self.bounds[side][np.maximum(block.transitions.state, 0)]
            )
            next_value = self.stake - next_value if self.is_two_player else next_value
            payoffs.append(block.constant + np.where(block.transitions.state >= 0, next_value, 0))
        payoffs += [payoffs[1] + zero_turn_step * block.zero] if zero_turn_step else []
        round_up = np.repeat(np.array([0, 1, 1])[: len(payoffs)], lanes)
        caps, gain = (np.tile(array, len(payoffs)) for array in (block.caps, block.gain_beyond_cap))
        rows_past_cap = self.equations.rows_beyond_cap if gain.any() else 0
        return np.hstack(payoffs), caps, round_up, *self.value_range, rows_past_cap, gain

    def _prove_block(self, block: _Block, margin: int) -> None:
        """Find the bounds of a block from the bounds that it links to.

        Let g be the gaps, c the slopes of the zero turns, and g' the gaps that the zero turns read. The Newton step
        solves g = needed + margin + c (g' - g'_0), if the turns needed gaps of ``needed`` for g' = g'_0.
        """
        values, has_zero_turn = self.values[block.states], block.zero.any(axis=0)
        step = 1 << self.bits - SLOPE_STEP_BITS
        first = self._solve_turns(block, np.zeros((2, len(values)), dtype=np.int64), step if has_zero_turn.any() else 0)
        slope = np.where(has_zero_turn, (first[-1] - first[1]) / step, 0.0)
        change = 1 - slope * slope[block.partner]
        if (change <= MIN_CHANGE).any():
            raise SolveError(NO_BOUNDS)
        gaps, needed_gaps = np.zeros((2, len(values))), OUTWARD_SIGNS * (first[:2] - values)
        for _ in range(MAX_PASSES):
            own = needed_gaps - slope * self._partner_gaps(gaps, block) + margin
            gaps = np.ceil((own + slope * self._partner_gaps(own, block)) / change)
            if np.abs(gaps).max() > np.ldexp(MAX_GAP, self.bits):
                break
            whole_gaps = gaps.astype(np.int64)
            if has_zero_turn.any():
                needed_gaps = OUTWARD_SIGNS * (self._solve_turns(block, whole_gaps) - values)
            if (needed_gaps < whole_gaps).all():
                self.bounds[:, block.states] = values + OUTWARD_SIGNS * whole_gaps
                self._prove_takeover_offers(block, whole_gaps)
                return
            margin *= 2
        raise SolveError(NO_BOUNDS)

    def _prove_takeover_offers(self, block: _Block, gaps: Ints) -> None:
        """Set the bounds of takeover offers: the better of taking over and of beginning a turn, and one unit."""
        offers = self._takeover_offers(block.states)
        if not offers or not len(offers.state):
            return
        _, inner = self.turn.solve(*self._turn_arguments(block, gaps), return_inner=True)
        lanes = offers.lane + len(block.states) * np.array([[0], [1]])
        taken_over = inner[offers.mode, offers.points, lanes]
        best = np.maximum(taken_over, self.bounds[:, block.states[offers.lane]])
        self.bounds[:, offers.state] = best + OUTWARD_SIGNS

    def _partner_gaps(self, gaps: Doubles, block: _Block) -> Doubles:
        """Return the gaps that zero turns read: for two players those of the partner's opposite bound."""
        return (gaps[::-1] if self.is_two_player else gaps)[:, block.partner]

    def _prove_component(self, component: Sequence[Ints], read_early: Ints) -> None:
        """Find the bounds of a cyclic component, with a large margin first, then closer around their middle."""
        states, margin = np.concatenate(list(component)), SWEEP_MARGIN_UNITS
        guess = np.zeros((2, len(read_early)))
        while True:
            self._sweep_until_proved(component, read_early, guess, margin)
            if margin <= MARGIN_UNITS:
                return
            margin //= MARGIN_DIVISOR
            self.values[states] = self.bounds[:, states].sum(axis=0) // 2
            width = np.diff(self.bounds[:, read_early], axis=0)
            guess = np.ceil(np.repeat(width / MARGIN_DIVISOR, 2, axis=0))

    def _sweep_until_proved(self, component: Sequence[Ints], read_early: Ints, guess: Doubles, margin: int) -> None:
        """Sweep a component until no guessed gap of the states read early is smaller than the gap found for it."""
        mixture = AndersonMixing()
        for _ in range(MAX_SWEEPS):
            self.bounds[:, read_early] = self.values[read_early] + OUTWARD_SIGNS * guess.astype(np.int64)
            for states in component:
                self._prove_block(self._make_block(states), margin)
            needed_gaps = (OUTWARD_SIGNS * (self.bounds[:, read_early] - self.values[read_early])).astype(float)
            if (needed_gaps <= guess).all():
                return
            if (needed_gaps - guess <= margin / 2).all():  # half of the margin, or less, would be enough
                margin = margin // 4
            else:
                mixed = mixture.next_guess(needed_gaps.ravel(), (needed_gaps - guess).ravel()).reshape(
                    needed_gaps.shape
                )
                guess = np.ceil(np.maximum(needed_gaps, mixed.clip(max=np.ldexp(MAX_GAP, self.bits))))
        raise SolveError(NO_BOUNDS)
