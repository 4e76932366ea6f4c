"""Certified bounds for a system of Bellman equations: a lower and an upper bound of every solution.

For every state the prover finds whole numbers L and U of units 2 ** -bits. They satisfy exactly

    L < F(L)  and  F(U) < U.

F is the Bellman operator. Payoffs are read from the same bound, or from the opponent's opposite bound if two players
share a stake. Turns are solved in integer arithmetic and rounded outward (``whole_turn``), so the comparison is exact.
Strict bounds enclose every solution, whatever the order of states and the length of a game; no ranks are needed
(docs/exactness.md, Theorem 1).

Bounds are sought around values V that were solved; these values need not be correct. The *gaps* of a state are V - L
and U - V. The gaps that a state *needs* are those that its turn comes to: V - F(L) and F(U) - V. Bounds are strict if
every needed gap is smaller than the gap.

Without zero turns a gap is the needed gap and a margin. With zero turns the gaps that a state needs are a function of
the gaps of its partner, the state to which its zero turns lead, with a bounded slope. The slope is estimated from V and
a number slightly above it. A Newton step on both states of the cycle gives the gaps, and solving the turns again
verifies them. In a cyclic component the bounds that are read early are guessed. They hold once no guess is smaller than
the bound that comes out of a sweep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..solvers.anderson import AndersonMixing
from ..solvers.model import TakeoverOffers, TransitionModel
from ..util.errors import InputError, SolveError
from ..util.progress_reporting import ProgressCallback
from .whole_turn import FORBIDDEN, BlockWorkers, IntegerPushTurn, Ints, empty_payoff

Doubles = NDArray[np.float64]

MAX_BITS = 61  # amounts are below 2 ** 61 units, so that the sum of two of them fits 64 bits as the kernel stores it
SLOPE_STEP_BITS = 30  # the slope is a difference quotient with a step of 2 ** (bits - this)
MARGIN_UNITS = 16  # first strictness of bounds with zero turns: more than turns are rounded by
# The margins of a cyclic component are 2 ** 14, 2 ** 9 and 2 ** 4 = MARGIN_UNITS, each divided by MARGIN_DIVISOR.
SWEEP_MARGIN_UNITS = 1 << 14
MARGIN_DIVISOR = 32
MAX_PASSES = 40  # Newton steps of a block
MAX_SWEEPS = 2000  # of a component
MIN_CHANGE = 2.0**-40  # least usable 1 - (product of the slopes) of two states whose zero turns lead to each other
MAX_GAP = 2.0**-20  # bounds further from a value, or further apart, are not worth stating
RETAINED_BYTES = 62 << 20  # of freed arrays
LOWER = 0  # sides: indices of the lower and the upper bound
UPPER = 1
OUTWARD_SIGNS = np.array([[-1], [1]])  # (2, 1): a lower bound moves outward downwards, an upper bound upwards
NO_BOUNDS = (
    "no useful bounds can be proved: under these rules a turn hardly ever changes a score; use rules under which turns"
    " score more often"
)


@dataclass(frozen=True)
class CertifiedBounds:
    """Certified bounds of all states, in units of 2 ** -bits.

    Attributes:
        scaled: (rows, states), in units; rows are the lower and the upper bound of every seat from the mover on, of the
            mover only for one or two players. For three or more players a row for each seat follows with the decision
            value, by which the stored policies compare choices.
        bits: the number of bits of the unit.
        blocks: arrays of states, in the order in which their bounds were found.
        mixed_actions: by state with a mixed action, three numbers in units: the probability of its second turn, and the
            decision values by which the first and the second turn are played.
    """

    scaled: Ints
    bits: int
    blocks: tuple[Ints, ...]
    mixed_actions: Mapping[int, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Block:
    """The turns of a block of states, one lane each.

    Attributes:
        states: (lanes,) the number of the state in each lane.
        payoff: (endings, columns) what the endings pay, in units, as ``empty_payoff`` makes it. Columns are the lanes
            of the lower bounds, those of the upper bounds and, if there are zero turns, the lanes once more. What zero
            turns pay, and all of the last lanes, is written anew for every solve.
        caps: (lanes,) the cap of each lane.
        gain_beyond_cap: (lanes,) upper bound of the gain by going on beyond the cap, in units.
        zero_endings, zero_lanes: (zero turns,) the ending and the lane of each zero turn.
        zero_constant: (zero turns,) what each pays besides the bounds of the state that it leads to, in units.
        partner: (lanes,) the lane of this block to which the zero turns of each lane lead.
    """

    states: Ints
    payoff: Ints
    caps: Ints
    gain_beyond_cap: Ints
    zero_endings: Ints
    zero_lanes: Ints
    zero_constant: Ints
    partner: Ints

    @property
    def has_zero_turns(self) -> bool:
        """Whether some turn of the block has a zero turn."""
        return len(self.zero_lanes) > 0

    def of_side(self, side: int) -> slice:
        """Return the columns of the payoff for a side; side 2 are the last lanes."""
        lanes = len(self.states)
        return slice(side * lanes, (side + 1) * lanes)


class _TurnArguments(NamedTuple):
    """The first arguments of ``IntegerPushTurn.solve``, in its order; that method describes them."""

    payoff: Ints
    caps: Ints
    round_up: Ints
    min_value: int
    max_value: int
    rows_past_cap: int
    gain_past_cap: Ints

    def of_lanes(self, lanes: NDArray[np.bool_]) -> _TurnArguments:
        """Return the arguments of some lanes.

        Args:
            lanes: marks them.
        """
        return self._replace(
            payoff=self.payoff.compress(lanes, axis=1),  # in C order, as the kernel reads it
            caps=self.caps[lanes],
            round_up=self.round_up[lanes],
            gain_past_cap=self.gain_past_cap[lanes],
        )


def _retain_freed_memory() -> None:
    """Let the memory of freed arrays serve the next ones, instead of going back to the system.

    The C library of Linux gives back what is free beyond twice the largest array that was freed so far, up to 32 MiB.
    Every block of states makes and frees arrays of some megabytes, and new memory costs as much as filling it.
    """
    np.empty(RETAINED_BYTES // 2, dtype=np.uint8)  # freed at once, and never touched


def _indices(marks: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Return the rows and the columns of marks, as ``np.nonzero`` does, but faster if they are few."""
    rows, columns = np.divmod(np.flatnonzero(marks), marks.shape[1])
    return rows, columns


class TransitionProver:
    """Prover of certified bounds of a transition model around solved values.

    All amounts are whole numbers of units of 2 ** -bits. The *gaps* of a state are V - L and U - V: how far its lower
    bound L and its upper bound U lie from its solved value V.

    Args:
        equations: the transition model.
        values: V of every state as solved; bounds are sought around them.
        progress: called with the share done.
        workers: the threads that solve turns.

    Attributes:
        values: (states,) V in units.
        bounds: (2, states + 1) L and U in units, as far as they are proved. Of states that are read before they are
            proved, a guess. The last column is what the state -1, the end of the game, pays the player who moves there:
            nothing of what the ending leaves to its mover.
        stake: what two players get together, in units; a mover gets the stake less what the opponent gets.
        state_of_key: a proved state for each key of equal turns.
        turns: the turns in integer arithmetic: one for all seats, or one by seat if these are not alike.
        is_offer_read: (states,) whether a transition leads to the state; takeover offers without one need no bounds.
        is_two_player: whether the model has two players.
        value_range: the least and the largest possible value, in units.

    Raises:
        InputError: payoffs of the model are rounded, so nothing can be proved.
    """

    def __init__(
        self,
        equations: TransitionModel,
        values: Doubles,
        progress: ProgressCallback = lambda share: None,
        workers: BlockWorkers | None = None,
    ) -> None:
        """Choose the unit, and convert the solved values to it.

        Args:
            equations: the transition model.
            values: (states,) V as solved; bounds are sought around these values.
            progress: called with the share done.
            workers: the threads that solve turns; one thread if None.

        Raises:
            InputError: payoffs of the model are rounded, so nothing can be proved.
        """
        has_rounded_payoffs = equations.constant_error > 0
        if has_rounded_payoffs:
            raise InputError("no bounds can be proved: payoffs of a turn are rounded under these rules")
        self.equations = equations
        self.progress = progress
        self.turns = [IntegerPushTurn(turn, workers) for turn in equations.seat_turns]
        self.is_two_player = equations.seats == 2
        min_value, max_value = equations.value_range
        # The stake is what two players get together.
        limits = np.array([min_value, max_value, equations.stake])
        amounts = np.concatenate([limits, values])
        largest_amount = np.abs(amounts[np.isfinite(amounts)]).max()
        # All amounts are less than 2 ** exponent, so in units of 2 ** -bits they are less than 2 ** MAX_BITS.
        _, exponent = np.frexp(largest_amount)
        self.bits = MAX_BITS - int(exponent)
        min_units, max_units, self.stake = self._to_units(limits).tolist()
        if np.isneginf(min_value):
            min_units = FORBIDDEN // 2  # below all amounts, and far enough from FORBIDDEN for sums
        self.value_range = min_units, max_units
        self.values = self._to_units(values)  # by state
        # By side and state. States without a turn, with no turns left, belong to no component and keep these zeros.
        self.bounds = np.zeros((2, equations.state_count + 1), dtype=np.int64)
        self.bounds[:, -1] = self.stake if self.is_two_player else 0  # so that the end of the game pays the mover 0
        self.state_of_key: dict[int, int] = {}
        # By state, whether a transition leads to it; only takeover offers with such a link need bounds.
        self.is_offer_read = np.zeros(equations.state_count, dtype=np.bool_)

    def _to_units(self, numbers: Doubles) -> Ints:
        """Return numbers in units, rounded to the nearest; minus infinity becomes FORBIDDEN."""
        scaled = np.where(np.isfinite(numbers), np.rint(np.ldexp(numbers, self.bits)), 0.0)
        units: Ints = scaled.astype(np.int64)
        return np.where(np.isneginf(numbers), FORBIDDEN, units)

    def prove(self) -> CertifiedBounds:
        """Return the certified bounds of all states.

        Raises:
            SolveError: no bounds were found.
        """
        _retain_freed_memory()
        self._mark_offers_read()
        blocks: list[Ints] = []  # states in the order in which their bounds are found
        states_done = 0
        for component in self.equations.components():
            read_early = np.empty(0, dtype=np.int64)  # states whose bounds are read before they are found
            if self.equations.has_cyclic_components:
                read_early = self.equations.states_read_early(component)
            is_cyclic = len(read_early) > 0
            if is_cyclic:
                self._prove_component(component, read_early)
            for states in component:
                if not is_cyclic:
                    self._prove_states(states, MARGIN_UNITS, self.state_of_key)
                blocks.append(states)
                # The bounds of takeover offers were found together with those of the turns that they are read from.
                offers = self._takeover_offers(states)
                if offers and len(offers.state):
                    blocks.append(offers.state)
                states_done += len(states)
                self.progress(states_done / self.equations.state_count)
        return CertifiedBounds(self.bounds[:, :-1], self.bits, tuple(blocks))

    def _mark_offers_read(self) -> None:
        """Mark in ``is_offer_read`` the states that some transition leads to, if turns can be taken over.

        Takeover offers that no transition leads to need no bounds. Marks of states that are no offers have no effect.
        The state -1, which stands for the end of the game, marks the last state; at worst that is one offer too many.
        """
        first_component = next(iter(self.equations.components()))
        first_block = first_component[0]
        has_takeover = self.equations.takeover_offers(first_block) is not None
        if not has_takeover:
            return
        for component in self.equations.components():
            for states in component:
                self.is_offer_read[self.equations.transitions(states).state] = True

    def _prove_states(self, states: Ints, margin: int, state_of_key: dict[int, int]) -> None:
        """Prove the bounds of a block of states; of equal turns only one is solved.

        Args:
            states: (lanes,) the states.
            margin: strictness of the bounds, in units.
            state_of_key: a proved state for each key of equal turns; keys of this block are added.
        """
        keys = self.equations.turn_keys(states)
        if keys is None:
            self._prove_block(self._make_block(states), margin)
            return
        new_states = {
            key: state for key, state in zip(keys.tolist(), states.tolist(), strict=True) if key not in state_of_key
        }
        state_of_key.update(new_states)
        if new_states:
            self._prove_block(self._make_block(np.array(list(new_states.values()))), margin)
        self.bounds[:, states] = self.bounds[:, [state_of_key[key] for key in keys.tolist()]]

    def _make_block(self, states: Ints) -> _Block:
        """Return the turns of a block of states, with their amounts in units.

        The constants have to be whole numbers of units. An ending that is not allowed has the constant -inf. That
        becomes FORBIDDEN in units, by which the solver of the turns knows such an ending.

        An ending pays its constant and a bound of the state that it leads to. For two players that is the stake less
        the opponent's opposite bound.

        Raises:
            InputError: a constant of a transition is not a whole number of units.
        """
        transitions = self.equations.transitions(states)
        # Which endings are zero turns, (endings, lanes), and the lane to which those of each lane lead, (lanes,).
        is_zero, partner = self.equations.zero_turns(states, transitions)
        zero_endings, zero_lanes = _indices(is_zero)
        copies = 3 if len(zero_lanes) else 2  # of the block's lanes
        block = _Block(
            states=states,
            payoff=empty_payoff(len(transitions.state), copies * len(states)),
            caps=self.equations.caps(states).astype(np.int64),
            # The gain beyond the cap is 0 or the value of a win. Both are whole numbers of units: nothing is rounded.
            gain_beyond_cap=self._to_units(self.equations.gain_beyond_cap(states)),
            zero_endings=zero_endings,
            zero_lanes=zero_lanes,
            zero_constant=self._exact_units(
                np.broadcast_to(transitions.constant, is_zero.shape)[zero_endings, zero_lanes]
            ),
            partner=partner,
        )
        constant_endings, constant_lanes = _indices(transitions.constant != 0)  # most constants are 0
        constant = self._exact_units(transitions.constant[constant_endings, constant_lanes])
        is_same_for_all_lanes = transitions.constant.shape[1] < len(states)
        for side in (LOWER, UPPER):
            payoff = block.payoff[:, block.of_side(side)]
            if self.is_two_player:
                np.subtract(self.stake, self.bounds[1 - side].take(transitions.state), out=payoff)
            else:
                payoff[:] = self.bounds[side].take(transitions.state)
            if is_same_for_all_lanes:
                payoff[constant_endings] += constant[:, None]
            else:
                payoff[constant_endings, constant_lanes] += constant
        return block

    def _exact_units(self, constants: Doubles) -> Ints:
        """Return constants of transitions in units.

        Raises:
            InputError: a constant is not a whole number of units.
        """
        units = self._to_units(constants)
        is_exact = np.ldexp(units.astype(float), -self.bits) == constants
        if not (is_exact | np.isneginf(constants)).all():
            raise InputError("no bounds can be proved: a payoff is not a whole number of units under these rules")
        return units

    def _takeover_offers(self, states: Ints) -> TakeoverOffers | None:
        """Return the takeover offers whose values are read off the turns of these states; None without takeovers.

        Left out are offers that no transition leads to.

        Args:
            states: (lanes,) the states of a block.
        """
        offers = self.equations.takeover_offers(states)
        if offers is None:
            return None
        is_read = self.is_offer_read[offers.state]  # (offers,)
        return TakeoverOffers(offers.state[is_read], offers.lane[is_read], offers.mode[is_read], offers.points[is_read])

    def solve_turns(self, block: _Block, gaps: Ints, zero_turn_step: int = 0) -> Ints:
        """Return the bounds that a block's turns come to, in units: row 0 the lower bounds, row 1 the upper bounds.

        With a step there is a row 2. It has the upper bounds once more, solved with zero turns that pay the step more.
        So the shape is (2, lanes), or (3, lanes) with a step.

        Args:
            block: the turns.
            gaps: (2, lanes) V - L and U - V of the block's own states, in units.
            zero_turn_step: the step in units, or 0 for none.
        """
        arguments = self._turn_arguments(block, gaps, zero_turn_step)
        if len(self.turns) == 1:
            bounds, _ = self.turns[0].solve(*arguments)
            return bounds.reshape(-1, len(block.states))
        lane_count = len(arguments.caps)
        copies = lane_count // len(block.states)  # of the block's lanes, one for each row of the result
        turn_numbers = np.tile(self.equations.turn_numbers(block.states), copies)
        bounds = np.empty(lane_count, dtype=np.int64)
        for number, turn in enumerate(self.turns):
            lanes = turn_numbers == number
            if lanes.any():
                bounds[lanes], _ = turn.solve(*arguments.of_lanes(lanes))
        return bounds.reshape(copies, len(block.states))

    def _turn_arguments(self, block: _Block, gaps: Ints, zero_turn_step: int = 0) -> _TurnArguments:
        """Return the turns of a block as arguments of ``IntegerPushTurn.solve``.

        The arguments have the lanes of the block twice, for the lower bounds and then for the upper bounds. With a step
        the lanes follow a third time, for the upper bounds with it.

        Args:
            block: the turns.
            gaps: (2, lanes) V - L and U - V of the block's own states, in units.
            zero_turn_step: if not 0, the upper bounds are solved again with zero turns that pay so many units more.
        """
        roundings = [0, 1]  # lower bounds are rounded down, upper bounds up
        if zero_turn_step:
            roundings.append(1)
        self._write_zero_turns(block, gaps, zero_turn_step)
        copies = len(roundings)  # of the block's lanes, side by side
        gain = np.tile(block.gain_beyond_cap, copies)
        min_value, max_value = self.value_range
        return _TurnArguments(
            payoff=block.payoff,
            caps=np.tile(block.caps, copies),
            round_up=np.repeat(np.array(roundings), len(block.states)),
            min_value=min_value,
            max_value=max_value,
            # If nothing can be gained beyond the caps, banking there is exact, and the table ends at the caps.
            rows_past_cap=self.equations.rows_beyond_cap if gain.any() else 0,
            gain_past_cap=gain,
        )

    def _write_zero_turns(self, block: _Block, gaps: Ints, zero_turn_step: int) -> None:
        """Write to a block's payoff what zero turns pay, which depends on the bounds of the block's own states.

        Args:
            block: the turns of the block.
            gaps: (2, lanes) V - L and U - V of the block's own states, in units.
            zero_turn_step: if not 0, the last lanes are those of the upper bounds, but zero turns pay so much more.
        """
        if not block.has_zero_turns:
            return
        own_bounds = self.values[block.states] + OUTWARD_SIGNS * gaps  # (2, lanes)
        bounds_after = own_bounds[:, block.partner[block.zero_lanes]]  # (2, zero turns)
        if self.is_two_player:  # a bound reads the opponent's opposite bound
            bounds_after = self.stake - bounds_after[::-1]
        paid = bounds_after + block.zero_constant
        for side in (LOWER, UPPER):
            block.payoff[:, block.of_side(side)][block.zero_endings, block.zero_lanes] = paid[side]
        if zero_turn_step:
            with_step = block.payoff[:, block.of_side(UPPER + 1)]
            with_step[:] = block.payoff[:, block.of_side(UPPER)]
            with_step[block.zero_endings, block.zero_lanes] += zero_turn_step

    def _prove_block(self, block: _Block, margin: int) -> None:
        """Find strict bounds of a block from those of the states that its turns lead to, and write them to ``bounds``.

        The gaps that a turn needs depend on the gaps of the state that its zero turns lead to. A Newton step finds gaps
        that should do. The turns are solved again with them, and they are accepted if all bounds are strict.

        Args:
            block: the turns of the block.
            margin: strictness of the bounds, in units; it is doubled until a step succeeds.

        Raises:
            SolveError: no bounds were found, or they are too far apart.
        """
        values = self.values[block.states]  # (lanes,) in units
        first_bounds, slope = self._solve_without_gaps(block)  # (2, lanes), and (lanes,) the same for both sides
        max_gap = np.ldexp(MAX_GAP, self.bits)
        gaps = np.zeros((2, len(values)))
        # (2, lanes): how far outside the solved values the turns come to if they are solved with the current gaps.
        needed_gaps = OUTWARD_SIGNS * (first_bounds - values)
        for _ in range(MAX_PASSES):
            gaps = self._newton_step(block, slope, gaps, needed_gaps, margin)
            if np.abs(gaps).max() > max_gap:  # a step that goes astray may also give negative gaps
                break
            whole_gaps = gaps.astype(np.int64)  # exact, because ``_newton_step`` rounds them up
            # Without zero turns the needed gaps do not depend on the block's own gaps, so they are known already.
            if block.has_zero_turns:
                needed_gaps = OUTWARD_SIGNS * (self.solve_turns(block, whole_gaps) - values)
            is_strict = needed_gaps < whole_gaps
            if is_strict.all():
                self.bounds[:, block.states] = values + OUTWARD_SIGNS * whole_gaps
                self._prove_takeover_offers(block, whole_gaps)
                return
            margin *= 2
        raise SolveError(NO_BOUNDS)

    def _newton_step(self, block: _Block, slope: Doubles, gaps: Doubles, needed_gaps: Doubles, margin: int) -> Doubles:
        """Return gaps, rounded up, that exceed the gaps that they need by about the margin: (2, lanes) in units.

        With the slope c of its zero turns, a turn that needs the gaps n if its zero turns read the gaps q needs about
        n + c (p - q) if they read p. So its own gaps have to be g = a + c p with a = n - c q + margin. Here p are the
        gaps of the partner, whose zero turns lead back to this state: p = a' + c' g. Hence g = (a + c a') / (1 - c c').

        Args:
            block: the turns of the block.
            slope: (lanes,) the slopes c; 0 in lanes without zero turns.
            gaps: (2, lanes) the gaps with which the turns were solved last, in units.
            needed_gaps: (2, lanes) the gaps n that they came to.
            margin: the margin, in units.

        Raises:
            SolveError: 1 - c c' is too small.
        """
        change = 1 - slope * slope[block.partner]  # 1 - c c'
        if (change <= MIN_CHANGE).any():
            raise SolveError(NO_BOUNDS)
        # Zero turns read the gaps of the partner. For two players the lower bound of one reads the upper bound of the
        # other, because the mover gets the stake less what the opponent gets.
        gaps_read = self._partner_gaps(gaps, block)  # q
        own_part = needed_gaps - slope * gaps_read + margin  # a
        partner_part = self._partner_gaps(own_part, block)  # a'
        next_gaps: Doubles = np.ceil((own_part + slope * partner_part) / change)
        return next_gaps

    def _solve_without_gaps(self, block: _Block) -> tuple[Ints, Doubles]:
        """Return the bounds of a block's turns if the bounds of its own states are V, and the slopes of its zero turns.

        The slope of a lane is the derivative of its bound by what its zero turns pay. It is approximated by a
        difference quotient of upper bounds, and serves for both bounds:

            slope = (upper bound if zero turns pay the step more  -  upper bound) / step

        Args:
            block: the turns.

        Returns:
            The lower and the upper bounds (2, lanes) in units, and the slopes (lanes,), 0 in lanes without zero turns.
        """
        no_gaps = np.zeros((2, len(block.states)), dtype=np.int64)
        if not block.has_zero_turns:
            return self.solve_turns(block, no_gaps), np.zeros(len(block.states))
        step = 1 << (self.bits - SLOPE_STEP_BITS)
        lower, upper, upper_with_step = self.solve_turns(block, no_gaps, step)  # the step asks for the third row
        slope = np.zeros(len(block.states))
        slope[block.zero_lanes] = ((upper_with_step - upper) / step)[block.zero_lanes]
        return np.stack([lower, upper]), slope

    def _prove_takeover_offers(self, block: _Block, gaps: Ints) -> None:
        """Set the bounds of takeover offers: the better of taking over and of beginning a turn, one unit outward.

        The mover of an offer chooses. So its lower bound is the larger of the lower bounds of both choices, and its
        upper bound the larger of their upper bounds.

        Args:
            block: the turns inside which the values of taking over are read.
            gaps: (2, lanes) how far the bounds of the block's states lie outside their solved values, in units.
        """
        offers = self._takeover_offers(block.states)  # its arrays are (offers,)
        if not offers or not len(offers.state):
            return
        (turn,) = self.turns  # seats that are not alike take nothing over
        # ``inner`` is (modes, turn points, 2 * lanes): the lanes of the upper bounds follow those of the lower bounds.
        _, inner = turn.solve(*self._turn_arguments(block, gaps), return_inner=True)
        sides = np.array([[LOWER], [UPPER]])  # 0 and 1
        lanes = offers.lane + len(block.states) * sides  # (2, offers)
        taken_over = inner[offers.mode, offers.points, lanes]  # (2, offers)
        begun_anew = self.bounds[:, block.states[offers.lane]]  # (2, offers)
        # One unit outward makes them strict.
        self.bounds[:, offers.state] = np.maximum(taken_over, begun_anew) + OUTWARD_SIGNS

    def _partner_gaps(self, gaps: Doubles, block: _Block) -> Doubles:
        """Return, by side and lane, the gap that zero turns read.

        It is that of the partner. For two players a lower bound reads the partner's upper bound, and the other way
        round, as the mover gets what the opponent leaves of the stake.

        Args:
            gaps: (2, lanes) the gaps of the block's states, in units.
            block: the turns of the block.
        """
        gaps_read = gaps[::-1] if self.is_two_player else gaps
        return gaps_read[:, block.partner]

    def _prove_component(self, component: Sequence[Ints], read_early: Ints) -> None:
        """Find the bounds of a cyclic component, with a large margin first, then closer around their middle.

        The margin is how strict the bounds have to be, in units. For each smaller margin the middle of the bounds found
        before takes the place of the solved values, in ``self.values``. The last margin is MARGIN_UNITS.

        Args:
            component: the blocks of the component.
            read_early: the states whose bounds are read before they are found.

        Raises:
            SolveError: no bounds were found.
        """
        states = np.concatenate(list(component))
        margin = SWEEP_MARGIN_UNITS
        # By side: the distances from the values of the states read early to their bounds.
        guessed_gaps = np.zeros((2, len(read_early)))
        while True:
            self._sweep_until_proved(component, read_early, guessed_gaps, margin)  # writes ``self.bounds``
            if margin <= MARGIN_UNITS:
                return
            margin //= MARGIN_DIVISOR
            self.values[states] = self.bounds[:, states].sum(axis=0) // 2
            width = np.diff(self.bounds[:, read_early], axis=0)  # (1, states read early)
            # Bounds shrink about as much as the margin. They will be about width / MARGIN_DIVISOR apart, and each about
            # half of that from the middle. The guess is twice as large, since a guess that is too small costs sweeps.
            guessed_gaps = np.ceil(np.repeat(width / MARGIN_DIVISOR, 2, axis=0))

    def _sweep_until_proved(
        self, component: Sequence[Ints], read_early: Ints, guessed_gaps: Doubles, margin: int
    ) -> None:
        """Sweep a component until its bounds are proved, and write them to ``self.bounds``.

        A gap is the distance from the solved value to a bound. States read early are read with guessed bounds. A sweep
        then computes bounds for them too. All bounds hold if no computed gap is larger than the guessed one.

        Args:
            component: the blocks of the component.
            read_early: the states whose bounds are read before they are computed.
            guessed_gaps: (2, states read early) the first guess of their gaps, in units.
            margin: strictness of the bounds, in units.

        Raises:
            SolveError: no bounds were found.
        """
        mixture = AndersonMixing()
        max_gap = np.ldexp(MAX_GAP, self.bits)
        for _ in range(MAX_SWEEPS):
            self.bounds[:, read_early] = self.values[read_early] + OUTWARD_SIGNS * guessed_gaps.astype(np.int64)
            proved_in_sweep: dict[int, int] = {}  # a proved state for each key; the next sweep has other bounds
            for states in component:
                self._prove_states(states, margin, proved_in_sweep)
            gaps = (OUTWARD_SIGNS * (self.bounds[:, read_early] - self.values[read_early])).astype(float)
            excess = gaps - guessed_gaps  # (2, states read early)
            if (gaps <= guessed_gaps).all():
                return
            # A computed gap contains the margin m. With the margin m / 4 it becomes about gap - 3/4 m. If
            #     gap <= guess + m / 2,    then    gap - 3/4 m <= guess - m / 4
            # So the same guess should suffice with the smaller margin. With a margin of 0 no bound would be strict.
            if (excess <= margin / 2).all():
                margin = max(margin // 4, 1)
                continue
            # The next guess is mixed from earlier sweeps, but no gap becomes smaller than the one just computed.
            mixed_gaps = mixture.next_guess(gaps.ravel(), excess.ravel()).reshape(gaps.shape)
            guessed_gaps = np.ceil(np.maximum(gaps, mixed_gaps.clip(max=max_gap)))
        raise SolveError(NO_BOUNDS)
