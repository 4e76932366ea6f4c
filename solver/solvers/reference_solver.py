"""The reference solver: value iteration with Newton steps on any transition model, and bounds of its error.

It solves V[s] = turn(payoff of s) for one player or two, block by block in the order of the model. Every faster solver
is tested against it.

**Zero turns.** A block without zero turns takes one pass. In a cycle of zero turns the values depend on each other. For
one player x = f(z), where z is x again. For two x = f(z) and y = g(w), where z follows from y and w from x. f and g are
maxima over policies of straight lines, whose slope is the probability of a zero turn. Newton's method solves the linear
equations of the current policies. For one player f is convex and some line has a slope below 1. So Newton's method is
below the solution after one step and rises from there. For two its steps may cycle, and then a bracket is halved.
Cycles of more than two lanes occur if the policies of the opponents are fixed; they have one f.

**Cyclic components.** Some values are read before they are solved, for example after a loss of the whole score. Sweeps
over such a component repeat until these values come out as they went in, with guesses by Anderson mixing.

**Error bound.** V is only as exact as rounding and the stopping thresholds allow. Let d exceed the rounding error of a
turn, and let L and U be a lower and an upper bound with

    F(U) + d <= U   and   F(L) - d >= L

at every state. Then L <= V <= U for every solution V (interval iteration; docs/exactness.md, Theorem 1). Here F reads
the opponent's values from L in the first inequality and from U in the second. The solver starts from U = L = V. It
widens the gaps U - L, with V in the middle, until both inequalities hold. It evaluates both turns, so that the needed
gap has no jumps where choices tie. Nothing is assumed about the length of a game.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..turns.push_turn import Caps, Doubles, TurnValue
from ..util.errors import SolveError
from ..util.progress_reporting import OpenEndedProgress, ProgressCallback
from .anderson import AndersonMixing, iterate_to_fixed_point
from .model import Ints, TakeoverOffers, TransitionModel, Transitions, TurnWorkers
from .rounding_bounds import turn_rounding_bound

# Stopping thresholds of all race solvers, the compiled ones included: changes of a value, in the unit of values.
ZERO_TURN_TOLERANCE = 2.0**-50  # of a zero value in one pass, if rounding allows it; see ``zero_turn_tolerances``
STRICT_PASSES = 8  # passes with the stricter tolerance of zero values
COMPONENT_TOLERANCE = 2.0**-46  # of the values that a sweep over a cyclic component reads early
MIXED_TOLERANCE = 2.0**-52  # of zero values while mixing probabilities are computed
MIN_PROGRESS = 2.0**-40  # least probability that a cycle of zero turns changes anything, for doubles to resolve it

NEWTON_PASSES = 20  # passes after which a bracket is halved
MAX_PASSES = 400
MAX_SWEEPS = 4000
TYPICAL_SWEEPS = 12  # over a cyclic component, for the progress display
VALUES_SHARE_OF_TIME = 0.7  # of a solve; the rest finds the error bound

SUM_ROUNDING = 2.0**-50  # more than sums of values up to 1 round in a bound
INITIAL_GAP_SLACK = 2.0**-6  # share by which gaps first exceed what is needed
MAX_GAP = 1.0
MAX_ERROR_BOUND = 2.0**-20  # a larger error bound is not worth stating

NO_BOUND_MESSAGE = "turns change so little that no useful error bound can be proved"
LOST_SCORES_MESSAGE = (
    "scores are lost so much more often than won that a game hardly ever ends: its values did not converge"
)
NO_PROGRESS_MESSAGE = (
    "a round of turns changes a score with a probability below 1e-12, too small to solve; use rules under which turns"
    " score more often"
)


def zero_turn_tolerances(rounding: float) -> tuple[float, float]:
    """Return the changes up to which a zero value counts as settled: in the first STRICT_PASSES passes, and later.

    Most rounding errors are far below their bound, so at first an eighth of it is asked for.

    Args:
        rounding: bound of the rounding error of one turn, which may keep values from settling more closely.
    """
    strict = max(ZERO_TURN_TOLERANCE, rounding / 8)
    relaxed = max(ZERO_TURN_TOLERANCE, rounding)
    return strict, relaxed


class Block(NamedTuple):
    """The turns of a block of states, one lane for each, with where they lead.

    Attributes:
        states: (lanes,) the state of each lane.
        transitions: where the endings lead, by ending and lane.
        caps: by lane, the turn points at which the turn's table ends.
        is_zero: (endings, lanes) which endings are zero turns.
        partner: by lane, the lane to which its zero turns lead; its own if it has none.
        constant: by lane, what a zero turn pays besides the value of the state that it leads to.
    """

    states: Ints
    transitions: Transitions
    caps: Caps
    is_zero: NDArray[np.bool_]
    partner: Ints
    constant: Doubles

    @property
    def has_zero_turns(self) -> NDArray[np.bool_]:
        """By lane, whether it has zero turns."""
        return np.asarray(self.is_zero.any(axis=0))

    def doubled(self) -> Block:
        """Return the block with all lanes twice in a row, to solve its turns for two sets of payoffs at once.

        Only states, caps and zero turns are doubled; no other field of the result may be used.
        """
        return self._replace(
            states=np.tile(self.states, 2),
            caps=np.tile(self.caps, 2),
            is_zero=np.hstack([self.is_zero, self.is_zero]),
        )


class CycleLines(NamedTuple):
    """A linear equation x = intercept + slope x for the value x of each lane, once around its cycle of zero turns.

    Attributes:
        intercept: by lane.
        progress: by lane, 1 - slope: the probability that not all turns of the cycle are zero turns.
        longest_cycle: the number of lanes of the longest cycle.
    """

    intercept: Doubles
    progress: Doubles
    longest_cycle: int

    def solutions(self, where_unsolvable: Doubles) -> Doubles:
        """Return x = intercept / progress, by lane, where the progress is large enough to divide by.

        Args:
            where_unsolvable: by lane, the value to take for x elsewhere.
        """
        has_progress = self.progress > MIN_PROGRESS
        solutions: Doubles = np.divide(self.intercept, self.progress, out=where_unsolvable.copy(), where=has_progress)
        return solutions


class _ZeroValueEquation(NamedTuple):
    """The equation of the zero value z of each lane: z = base + sign V[partner].

    For two players z = constant + stake - V[partner], because the opponent moves next. For one z = constant +
    V[partner].

    Attributes:
        base: (lanes,) what a zero turn is worth besides the partner's value.
        sign: 1 for one player, -1 for two.
        partner: (lanes,) the lane to which the zero turns of a lane lead; its own if it has none.
    """

    base: Doubles
    sign: float
    partner: Ints

    @classmethod
    def of_block(cls, block: Block, equations: TransitionModel) -> _ZeroValueEquation:
        """Return the equation for the lanes of a block."""
        if equations.seats == 2:
            return cls(block.constant + equations.stake, -1.0, block.partner)
        return cls(block.constant, 1.0, block.partner)

    def zero_values(self, values: Doubles) -> Doubles:
        """Return the zero values (lanes,) that follow from values of the lanes (lanes,)."""
        return self.base + self.sign * values[self.partner]

    def compose(self, value: Doubles, slope: Doubles, zero_values: Doubles) -> CycleLines:
        """Return the linear equations of the values x of a block for fixed choices, each with x of one lane only.

        With these choices a turn is worth value + slope (z' - z) for another zero value z'. A lane's zero turns lead to
        its partner, so z' = base + sign x[partner], and the values x of all lanes satisfy

            x = (value + slope (base - z)) + sign slope x[partner].

        Put into each other around the cycle of partners, they give an equation in x of one lane.

        Args:
            value: by lane, the value of the turn for its zero value.
            slope: by lane, the probability of a zero turn.
            zero_values: by lane, z.
        """
        intercept = value + slope * (self.base - zero_values)
        return compose_cycles(intercept, self.sign * slope, self.partner)


class ReferenceSolver:
    """Solver of a transition model of one player or two, by retrograde analysis and Newton's method.

    Attributes:
        equations: the transition model.
        workers: the threads that solve turns.
        progress: called with the fraction of the work that is done.
        rounding: bound of the rounding error of one turn, for payoffs up to 1.
        accumulated_error: bound of the error of V, if the choices are fixed and no component is cyclic. Turns average
            the errors of the states that they lead to. A cycle of zero turns multiplies its own by at most
            2 / (1 - product of slopes).
    """

    def __init__(self, equations: TransitionModel, threads: int = 1, progress: ProgressCallback = lambda share: None):
        """Keep the equations and start the threads.

        Args:
            equations: the transition model.
            threads: the number of threads that solve turns.
            progress: called with the fraction of the work that is done.
        """
        self.equations = equations
        self.workers = TurnWorkers(threads)
        self.progress = progress
        self.accumulated_error = 0.0

    @cached_property
    def rounding(self) -> float:
        """Bound of the rounding error of one turn, for payoffs up to 1."""
        return turn_rounding_bound(self.equations.turn, self.equations.max_cap)

    def make_block(self, states: Ints) -> Block:
        """Return the turns of a block of states, with their transitions, caps and zero turns.

        Args:
            states: (lanes,) the states, one turn for each.
        """
        transitions = self.equations.transitions(states)  # constants and next states: (endings, lanes)
        caps = self.equations.caps(states)
        # Which endings are zero turns (endings, lanes), and the lane of the state that these lead to (lanes,).
        is_zero, partner = self.equations.zero_turns(states, transitions)
        # All zero turns of a lane pay the same, so the first one is read; argmax finds the first True.
        first_zero_ending = is_zero.argmax(axis=0)
        zero_constant = transitions.constant[first_zero_ending, np.arange(len(states))]
        constant = np.where(is_zero.any(axis=0), zero_constant, 0.0)
        return Block(states, transitions, caps, is_zero, partner, constant)

    def solve_turns(self, block: Block, payoff: Doubles, inner: bool = False) -> TurnValue:
        """Solve the turns of a block.

        Args:
            block: the turns, in lanes.
            payoff: (channels, endings, lanes). Channel 0 is maximized.
            inner: also return the values inside the turns.
        """
        return self.equations.solve_turns(block.states, payoff, block.caps, self.workers, inner)

    # --- values

    def solve(self, first_guesses: Doubles | None = None) -> Doubles:
        """Return V of all states, by retrograde analysis over the components.

        Args:
            first_guesses: (states,) first guesses of V; only cyclic components read them. None for one guess at all
                states.

        Returns:
            (states,) V.
        """
        equations = self.equations
        # Between two players half the stake is near; a value without an opponent may have any size.
        first_guess = equations.stake / 2 if equations.seats == 2 else 0.0
        values = np.full(equations.state_count, first_guess)
        if first_guesses is not None:
            values[:] = first_guesses
        solved_states = 0
        for blocks in equations.components():
            if equations.has_cyclic_components:
                self.solve_cyclic_component(values, blocks)  # reports its own progress
                continue
            for states in blocks:
                self.solve_block(values, states)
                solved_states += len(states)
                self.progress(VALUES_SHARE_OF_TIME * solved_states / equations.state_count)
        return values

    def solve_cyclic_component(self, values: Doubles, blocks: Sequence[Ints]) -> None:
        """Write V of a cyclic component: sweep over it until the values that are read before they are solved settle.

        Args:
            values: V by state, written. Of early states it holds first guesses.
            blocks: the states of the component, in the order of solving.

        Raises:
            SolveError: the values do not settle within MAX_SWEEPS.
        """
        early_states = self.equations.states_read_early(blocks)  # read before they are solved
        report_sweep = OpenEndedProgress(self.progress, TYPICAL_SWEEPS)  # counts the sweeps, too

        def sweep(guess: Doubles) -> Doubles:
            """Solve all blocks from a guess of V at the early states, (early states,); return V there after it."""
            if report_sweep.steps == MAX_SWEEPS:
                raise SolveError(LOST_SCORES_MESSAGE)
            values[early_states] = guess
            for states in blocks:
                self.solve_block(values, states)
            report_sweep()
            return values[early_states]

        lower, upper = self.equations.value_range
        # However slowly the residual falls, only the number of sweeps ends the iteration.
        best_guess, _ = iterate_to_fixed_point(
            sweep, values[early_states], COMPONENT_TOLERANCE, lower, upper, patience=MAX_SWEEPS
        )
        sweep(best_guess)  # so that all values of the component belong to this guess

    def solve_block(self, values: Doubles, states: Ints) -> None:
        """Write V of a block of states, and of the states that begin inside its turns by a take-over.

        Args:
            values: V by state. It is read where the block leads to, and holds first guesses of the block's own values.
            states: (lanes,) the states of the block.
        """
        block = self.make_block(states)
        payoff = self.equations.payoffs(values.__getitem__, block.transitions)  # (endings, lanes), from V
        if block.is_zero.any():
            self.solve_zero_turns(values, block, payoff)
        else:
            one_channel = payoff[None]
            values[states] = self.solve_turns(block, one_channel).value[0, : len(states)]  # the rest is padding
            largest_value = float(np.abs(values[states]).max())
            self.accumulated_error += self.rounding * max(1.0, largest_value)
        self.solve_takeover_offers(values, block)

    def solve_takeover_offers(self, values: Doubles, block: Block) -> None:
        """Write V of the states that have a take-over offer from the turns of a solved block.

        Their mover takes over the turn points and dice, or begins a new turn, whichever is better.

        Args:
            values: V by state, read and written.
            block: the turns that may be taken over.
        """
        offers = self.equations.takeover_offers(block.states)
        if offers is None:  # nothing can be taken over in this game
            return
        payoff = self.equations.payoffs(values.__getitem__, block.transitions)  # now that the block is solved
        inner = self.solve_turns(block, payoff[None], inner=True).inner  # (1 channel, modes, turn points, lanes)
        assert inner is not None
        value_if_taken = inner[0, offers.mode, offers.points, offers.lane]  # (offers,)
        value_if_declined = values[block.states[offers.lane]]  # of a new turn
        self.accumulated_error += self.rounding  # unscaled: with an opponent, values are between 0 and 1
        values[offers.state] = offers.values(value_if_taken, value_if_declined)

    def solve_zero_turns(self, values: Doubles, block: Block, payoff: Doubles) -> None:
        """Write V of a block with zero turns, by Newton's method on the zero values.

        Each pass solves the turns for the current zero values. These have settled if the values of the turns imply the
        same zero values. Otherwise the choices are held fixed. The values then satisfy linear equations, whose solution
        gives the next zero values. After NEWTON_PASSES passes these steps may go round in circles. From then on they
        are kept within brackets, which shrink (``_Bracket``).

        Args:
            values: V by state, written; it holds first guesses of the block.
            block: the turns, in lanes.
            payoff: (endings, lanes) from the values so far. Those of zero turns are replaced.

        Raises:
            SolveError: the zero values do not settle, or a cycle of zero turns hardly ever ends.
        """
        equations = self.equations
        has_zero_turns = block.has_zero_turns
        lower, upper = equations.value_range
        bracket = _Bracket(block.partner, lower, upper)
        zero_value_equation = _ZeroValueEquation.of_block(block, equations)
        zero_values = zero_value_equation.zero_values(equations.first_guess(values, block.states))
        channels = np.stack([payoff, block.is_zero.astype(np.float64)])  # channel 1: probability of a zero turn
        for passes in range(MAX_PASSES):
            channels[0] = np.where(block.is_zero, zero_values, channels[0])
            value, slope = self._solve_with_zero_values(block, channels, is_first_pass=passes == 0)
            # With the current choices, the values x that satisfy the equations of all turns at once.
            lines = zero_value_equation.compose(value, slope, zero_values)  # x = intercept + (1 - progress) x
            linear_value = lines.solutions(where_unsolvable=value)
            # The zero values that follow from the values of the turns.
            result = np.where(has_zero_turns, zero_value_equation.zero_values(value), zero_values)
            tolerance = self.zero_turn_tolerance(passes)
            is_settled = (np.abs(result - zero_values) <= tolerance * np.maximum(1.0, np.abs(value))).all()
            # With fixed choices the linear equations are exact, and one step solves them.
            if equations.has_fixed_choices or is_settled:
                error_of_turn = (self.rounding + tolerance) * max(1.0, float(np.abs(value).max()))
                self._add_error_of_cycles(lines, has_zero_turns, error_of_turn)
                values[block.states] = linear_value if equations.has_fixed_choices else value
                return
            newton_zero_values = np.clip(zero_value_equation.zero_values(linear_value), lower, upper)
            step = np.where(has_zero_turns, newton_zero_values, zero_values)
            zero_values = step if passes < NEWTON_PASSES else bracket.safeguard(passes, zero_values, result, step)
        has_no_progress = lines.progress[has_zero_turns].min() <= MIN_PROGRESS
        raise SolveError(NO_PROGRESS_MESSAGE if has_no_progress else "zero turns did not converge")

    def _solve_with_zero_values(self, block: Block, channels: Doubles, is_first_pass: bool) -> Doubles:
        """Return the values of the turns and their probabilities of a zero turn: (2, lanes), without padding.

        After the first pass only the payoffs of zero turns have changed. Some models solve that faster.

        Args:
            block: the turns, in lanes.
            channels: (2, endings, lanes) what endings pay, and 1 for zero turns.
            is_first_pass: whether the turns of the block are solved for the first time.
        """
        solve = self.equations.solve_turns if is_first_pass else self.equations.update_zero_payoffs
        return solve(block.states, channels, block.caps, self.workers).value[:, : len(block.states)]

    def _add_error_of_cycles(self, lines: CycleLines, has_zero_turns: NDArray[np.bool_], error_of_turn: float) -> None:
        """Add the error of the values in cycles of zero turns to ``accumulated_error``.

        The errors of all turns of a cycle add up, and so do those of all rounds. There are 1 / progress rounds on
        average. A cycle of one turn is counted as two, which only makes the bound wider.

        Args:
            lines: the linear equations of the cycles.
            has_zero_turns: by lane, whether it has zero turns.
            error_of_turn: bound of the error of one turn.

        Raises:
            SolveError: a cycle of zero turns hardly ever ends.
        """
        least_progress = float(lines.progress[has_zero_turns].min())
        if least_progress <= MIN_PROGRESS:
            raise SolveError(NO_PROGRESS_MESSAGE)
        self.accumulated_error += max(2, lines.longest_cycle) / least_progress * error_of_turn

    def zero_turn_tolerance(self, passes: int) -> float:
        """Return the change of a zero value in one pass up to which it counts as settled.

        Args:
            passes: the number of passes so far; after STRICT_PASSES of them a larger change is accepted.
        """
        strict, relaxed = zero_turn_tolerances(self.rounding)
        return strict if passes < STRICT_PASSES else relaxed

    # --- the error bound

    def error_bound(self, values: Doubles) -> float:
        """Return a bound of the distance between V and any solution, which covers answers inside a turn too.

        The gap of a state is the distance between an upper and a lower bound, with V in the middle. So V is wrong by at
        most half its gap. An answer inside a turn is computed once more, which adds the margin of one turn.

        Args:
            values: V by state.
        """
        equations = self.equations
        gaps = np.zeros(len(values))  # by state
        scale = max(1.0, float(np.abs(values).max()))  # rounding errors grow with the values
        margin = (self.rounding + SUM_ROUNDING) * scale + equations.constant_error  # of one turn
        for blocks in equations.components():
            if equations.has_cyclic_components:
                self.bound_cyclic_component(values, gaps, blocks, margin)
                continue
            for states in blocks:
                self.bound_block(values, gaps, states, margin)
        return float(gaps.max()) / 2 + margin

    def bound_cyclic_component(self, values: Doubles, gaps: Doubles, blocks: Sequence[Ints], margin: float) -> None:
        """Write the gaps of a cyclic component, by sweeps over it until its gaps suffice.

        The gap of a state is the distance between an upper and a lower bound, with V in the middle. A sweep computes
        the gaps that are needed, from guessed gaps of the states that are read before they are solved. The guesses
        suffice if they are at least what is needed.

        Args:
            values: V by state.
            gaps: by state, written.
            blocks: the states of the component, in the order of solving.
            margin: bound of the rounding error of one turn.

        Raises:
            SolveError: no gaps up to MAX_GAP suffice.
        """
        early_states = self.equations.states_read_early(blocks)  # their gaps are read before they are computed
        guess = np.zeros(len(early_states))
        mixture = AndersonMixing()  # predicts the fixed point from earlier guesses and results
        for _ in range(MAX_SWEEPS):
            gaps[early_states] = guess
            for states in blocks:
                self.bound_block(values, gaps, states, margin)
            needed = gaps[early_states]  # ``bound_block`` has replaced the guesses
            if (needed <= guess).all():
                return
            predicted = mixture.next_guess(needed, needed - guess)
            if _do_twice_the_needed_gaps_suffice(guess, needed, margin):
                guess = 2 * needed  # choices may change, so the next sweep verifies it
            else:
                guess = np.maximum(needed, predicted.clip(0.0, MAX_GAP))
            if not needed.max() <= MAX_GAP:  # also if it is not a number
                break
        raise SolveError(NO_BOUND_MESSAGE)

    def bound_block(self, values: Doubles, gaps: Doubles, states: Ints, margin: float) -> None:
        """Write the gaps of a block of states, by Newton's method for the current choices, until they suffice.

        A gap is the distance between a lower and an upper bound of V, with V in the middle. A turn is solved twice: its
        endings pay the upper bounds of the states that they lead to, and then the lower bounds. So the turn has an
        upper and a lower bound of its own. The gap *needed* is twice the distance from V to the bound that is further
        from V. A gap suffices if it is at least the gap needed. Through zero turns these gaps depend on each other.

        Args:
            values: V by state.
            gaps: by state, read where the block leads to and written for the block.
            states: (lanes,) the states of the block.
            margin: bound of the rounding error of one turn.

        Raises:
            SolveError: no gaps up to MAX_GAP suffice.
        """
        block = self.make_block(states)
        has_zero_turns = bool(block.has_zero_turns.any())
        offers = self.equations.takeover_offers(states)  # None if nothing can be taken over
        payoff = self.equations.payoffs(values.__getitem__, block.transitions)  # (endings, lanes)
        next_states = block.transitions.state  # (endings, lanes); -1 where the game ends
        gaps[states] = 0.0  # the first guess
        for passes in range(MAX_PASSES):
            half_gap = np.where(next_states >= 0, gaps[next_states], 0.0) / 2
            turns = self._solve_both_bounds(block, payoff, half_gap, with_inner=offers is not None)
            needed = _needed_gap(values[states], turns.upper, turns.lower, margin)
            # Without zero turns no payoff depends on the gaps of the block itself, so the first pass is final.
            if (needed <= gaps[states]).all() or not has_zero_turns:
                gaps[states] = np.maximum(gaps[states], needed)
                if offers is not None:
                    offer_upper, offer_lower = turns.offer_values(offers)
                    gaps[offers.state] = _needed_gap(values[offers.state], offer_upper, offer_lower, margin)
                return
            slope = turns.zero_chance_of_further_bound(values[states])
            next_gaps = _next_gaps(block, gaps[states], needed, slope, by_newton=passes <= NEWTON_PASSES)
            # A gap that just equals what is needed could miss it by rounding. The next pass checks it in any case, so
            # how much is added here affects only the number of passes.
            gaps[states] = next_gaps + margin / 4
            if not gaps[states].max() <= MAX_GAP:  # also if it is not a number
                break
        raise SolveError(NO_BOUND_MESSAGE)

    def _solve_both_bounds(self, block: Block, payoff: Doubles, half_gap: Doubles, with_inner: bool) -> _BoundedTurns:
        """Solve the turns of a block twice: with upper, and with lower bounds of what their endings pay.

        Args:
            block: the turns, in lanes.
            payoff: (endings, lanes) what endings pay by the values.
            half_gap: (endings, lanes) by how much this may be wrong, upwards and downwards.
            with_inner: also return the values inside the turns.
        """
        doubled = block.doubled()
        both_payoffs = np.hstack([payoff + half_gap, payoff - half_gap])  # (endings, 2 lanes)
        is_zero_channel = doubled.is_zero.astype(np.float64)
        channels = np.stack([both_payoffs, is_zero_channel])  # (2, endings, 2 lanes)
        return _BoundedTurns(self.solve_turns(doubled, channels, with_inner), lane_count=payoff.shape[1])


class _BoundedTurns:
    """Turns of a block, each solved with upper and with lower bounds of what its endings pay.

    Attributes:
        solved: the turns in twice as many lanes: all with upper bounds, then all with lower bounds. Channel 0 is their
            value, channel 1 the probability of a zero turn.
        lane_count: the number of lanes of the block.
        upper, lower: (lanes,) the values with upper, and with lower bounds.
        _upper_zero_chance, _lower_zero_chance: (lanes,) the probabilities of a zero turn with these bounds.
    """

    def __init__(self, solved: TurnValue, lane_count: int) -> None:
        """Take the values apart.

        Args:
            solved: the turns in twice as many lanes as the block has.
            lane_count: the number of lanes of the block.
        """
        self.solved = solved
        self.lane_count = lane_count
        values, zero_chances = solved.value[:, : 2 * lane_count]  # any lanes after these are padding
        self.upper, self.lower = values.reshape(2, lane_count)
        self._upper_zero_chance, self._lower_zero_chance = zero_chances.reshape(2, lane_count)

    def zero_chance_of_further_bound(self, value: Doubles) -> Doubles:
        """Return by lane the probability of a zero turn with the bound that is further from V.

        Args:
            value: (lanes,) V.
        """
        is_upper_further = self.upper - value >= value - self.lower
        zero_chance: Doubles = np.where(is_upper_further, self._upper_zero_chance, self._lower_zero_chance)
        return zero_chance

    def offer_values(self, offers: TakeoverOffers) -> Doubles:
        """Return upper and lower bounds, (2, offers), of the values of states that have a takeover offer.

        The mover takes over the turn or begins a new one, whichever is better, unless a fixed policy decides.

        Args:
            offers: the offers: where each enters the turn of which lane if it is accepted.
        """
        inner = self.solved.inner
        assert inner is not None  # (channels, modes, turn points, lanes)
        both_lanes = np.stack([offers.lane, offers.lane + self.lane_count])  # (2, offers): with upper and lower bounds
        value_if_taken = inner[0, offers.mode, offers.points, both_lanes]
        value_if_declined = self.solved.value[0, both_lanes]
        return offers.values(value_if_taken, value_if_declined)


class _Bracket:
    """Brackets of the zero values of a block, which are halved if Newton steps cycle.

    Zero turns of two players lead to each other in pairs of lanes. Of each pair, the zero value of the first lane lies
    between a lower and an upper end. The zero value of the second lane follows from that of the first.

    Attributes:
        is_first: by lane, whether it is the first of its pair, or its own partner.
        lower: by lane, the lower end; -inf as long as none is known. Entries of second lanes are not used.
        upper: by lane, the upper end, which is always finite. Entries of second lanes are not used.
    """

    def __init__(self, partner: Ints, lower: float, upper: float) -> None:
        """Begin with the whole range of zero values.

        Args:
            partner: by lane, the lane to which its zero turns lead.
            lower: the smallest possible zero value; -inf if values have no lower bound, as expected turns counted
                negatively.
            upper: the largest possible zero value, which is finite.
        """
        lanes = np.arange(len(partner))
        self.is_first = lanes <= partner
        self.lower = np.full(len(lanes), lower)
        self.upper = np.full(len(lanes), upper)

    def safeguard(self, passes: int, zero_values: Doubles, result: Doubles, step: Doubles) -> Doubles:
        """Return the next zero values: Newton's step, or the middle of the bracket.

        Even passes make each pair consistent: the second lane takes its result, and the first keeps its zero value z.
        So in odd passes the result of the first lane is a function of z alone. Its slope is the product of two
        probabilities. As it is below 1, the result exceeds z if and only if z is below the solution, and the bracket is
        narrowed to that side. In every second odd pass, and if Newton's step leaves the bracket, its middle is taken. A
        bracket without a known lower end has no middle, so there Newton's step is taken.

        Args:
            passes: the number of passes so far.
            zero_values: by lane, the current ones.
            result: by lane, the zero values that follow from the values of the turns.
            step: by lane, the zero values of Newton's step.

        Returns:
            (lanes,) the next zero values.
        """
        is_even_pass = passes % 2 == 0
        if is_even_pass:
            return np.where(self.is_first, zero_values, result)
        is_below = result > zero_values  # whether the zero value is below the solution
        self.lower[:] = np.where(is_below, zero_values, self.lower)
        self.upper[:] = np.where(is_below, self.upper, zero_values)
        leaves_bracket = (step <= self.lower) | (step >= self.upper)
        is_halving_pass = passes % 4 == 1  # every second odd pass: 1, 5, 9, ...
        middle = (self.lower + self.upper) / 2
        has_middle = np.isfinite(self.lower)
        takes_middle = self.is_first & (leaves_bracket | is_halving_pass) & has_middle
        return np.where(takes_middle, middle, step)


def _needed_gap(value: Doubles, upper: Doubles, lower: Doubles, margin: float) -> Doubles:
    """Return the distance that the upper and lower bound of states need, with V in the middle between them.

    It is twice the larger distance of a bound from V, each with the margin.

    Args:
        value: (states,) V.
        upper: (states,) the value of the turn for upper bounds of what its endings pay.
        lower: (states,) the value of the turn for lower bounds of what its endings pay.
        margin: bound of the rounding error of the turn.
    """
    needed: Doubles = 2 * np.maximum(upper - value, value - lower) + 2 * margin
    return needed


def _do_twice_the_needed_gaps_suffice(guess: Doubles, needed: Doubles, margin: float) -> bool:
    """Return whether twice the gaps that a sweep needed suffice as the next guess, as long as choices do not change.

    For fixed choices the needed gaps are n(g) = A g + c. The rows of A are weights of a mean, whose sum is at most 1.
    Every turn adds 2 m, where m is the margin (``_needed_gap``), so c is at least 2 m. Let n = n(g) for the guess g. If
    n <= g + m, then

        n(2 n)  =  2 A n + c  <=  2 (A g + m) + c  =  2 n - c + 2 m  <=  2 n

    Args:
        guess: (states,) the gaps g that were guessed.
        needed: (states,) the gaps n that the sweep needed.
        margin: m, a bound of the rounding error of one turn.
    """
    return bool((needed - guess <= margin).all())


def _next_gaps(block: Block, gaps: Doubles, needed: Doubles, slope: Doubles, by_newton: bool) -> Doubles:
    """Return the gaps of a block to try next: (lanes,). Lanes without zero turns get what they needed.

    Args:
        block: the turns, in lanes.
        gaps: by lane, the current gaps.
        needed: by lane, the gaps that are needed with these.
        slope: by lane, the probability of a zero turn.
        by_newton: take Newton's step. It may alternate between choices; if False, the gaps grow in small steps instead.
    """
    if by_newton:
        zero_turn_gaps = _newton_gaps(gaps, needed, slope, block.partner)
    else:
        zero_turn_gaps = np.maximum(gaps, needed) * (1 + INITIAL_GAP_SLACK)
    return np.where(block.has_zero_turns, zero_turn_gaps, needed)


def _newton_gaps(gaps: Doubles, needed: Doubles, slope: Doubles, partner: Ints) -> Doubles:
    """Return the gaps of Newton's step: gaps that equal the needed ones if choices do not change.

    The needed gap of a lane is a line in the gap of its partner, the lane that its zero turns lead to.

    Args:
        gaps: by lane, the current gaps.
        needed: by lane, the gaps that are needed with these.
        slope: by lane, the slope of the line: the probability of a zero turn.
        partner: by lane, the lane that its zero turns lead to.
    """
    lines = compose_cycles(needed - slope * gaps[partner], slope, partner)
    newton_gaps: Doubles = lines.intercept / np.maximum(lines.progress, MIN_PROGRESS)
    return newton_gaps


def compose_cycles(intercept: Doubles, slope: Doubles, partner: Ints) -> CycleLines:
    """Return an equation in x of one lane, for each lane, from equations x = intercept + slope x[partner].

    The equations are put into each other around the cycle of partners. For a pair of lanes a and b that gives
    x_a = (intercept_a + slope_a intercept_b) + slope_a slope_b x_a.

    Args:
        intercept: (lanes,) the constant of each lane's equation.
        slope: (lanes,) the factor of x[partner].
        partner: (lanes,) the lane on which its x depends. From lane to partner one comes back to the lane, or to a lane
            that is its own partner. A lane that depends on none is its own partner, with slope 0.

    Returns:
        By lane, the intercept of the composed equation and 1 - its slope; and the length of the longest cycle.
    """
    lanes = np.arange(len(intercept))
    total_intercept = intercept  # so far, x = total_intercept + total_slope x[reached]
    total_slope = slope
    reached_lanes = partner
    is_open = reached_lanes != lanes
    length = 1
    while is_open.any():
        total_intercept = np.where(is_open, total_intercept + total_slope * intercept[reached_lanes], total_intercept)
        total_slope = np.where(is_open, total_slope * slope[reached_lanes], total_slope)
        next_reached = partner[reached_lanes]
        length += 1
        # The cycle closes at the lane itself, or ends at a lane that is its own partner. That lane's slope is 0, which
        # makes the total slope 0, so it does not matter of which x it is the factor.
        is_open &= (next_reached != lanes) & (next_reached != reached_lanes)
        reached_lanes = next_reached
    return CycleLines(total_intercept, 1 - total_slope, length)
