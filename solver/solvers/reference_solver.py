"""Equations solved and enclosed: the plain path, which every fast one is held against.

A block is one pass of its turns, but for zero turns. What a cycle of these leaves is x = f(z) for one player and the
pair x = f(z), y = g(w) for two, z and w being what zero turns pay, which is y's and x's to tell. f and g are maxima
over policies of straight lines, whose slope is the chance of a zero turn. Newton's method on intercept and slope solves
the lines in force; where its steps go round in a circle a bracket stands behind it: side 1 answers side 0, and what
comes back tells on which side of z the solution is. Alone f is convex and some line has a slope below 1, so Newton's
method lands below the solution after one step and climbs from there. Longer cycles, where the play of others is given,
are the same with one f.

A component that links to itself as a whole is swept, block by block, until the states that are read before they are
solved (*held* ones) come out as they went in; guesses are mixed of the last results (``mixing``).

**The bound.** V is as close as rounding and patience allowed. To be proved is lo <= V <= hi, with hi - lo = w. Let d be
more than the rounding of a turn. If for every state

    F(hi) + d <= hi   and   F(lo) - d >= lo,

F being the turn with what others pay read from hi (of the other's lo, where two share a stake), then any solution lies
between: were one outside, one turn from where it lies farthest out leads back inside (payoffs move a turn's value by no
more than they move themselves). Asked are V + w / 2 and V - w / 2 for hi and lo, and w grows where they do not hold:
both turns are computed, so that w follows them without jumps where choices tie. No assumption is made about the length
of the game; that two solutions differ by no more than the gap follows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..turns.push_turn import Caps, Doubles, TurnValue
from ..util.errors import SolveError
from ..util.progress_reporting import OpenEndedProgress
from .anderson import Mixture, mix
from .model import Ints, TakeoverOffers, TransitionModel, Transitions, TurnWorkers
from .rounding_bounds import turn_rounding

SETTLED = 2.0**-50  # a zero turn is settled when a pass moves it by no more, if rounding lets it
EXACT_PASSES = 8  # then rounding may keep it from settling closer
NEWTON_PASSES = 20  # then a bracket is halved
MOST_PASSES = 400
HOPELESS = 2.0**-40  # a chance to change anything in a cycle of turns that double precision cannot work with
STANDS = 2.0**-46  # a component as a whole is settled when a sweep moves it by no more
MOST_SWEEPS = 4000
USUAL_SWEEPS = 12  # of a component as a whole
SPARE = 2.0**-6  # room for gaps at first
MOST_GAP = 1.0
MOST_BOUND = 2.0**-20  # a bound that is not worth stating
NO_BOUND = "turns change so little under these rules that no bound worth stating can be proved"
LOST = "a score is lost so much sooner than won that a game hardly ever ends: its values did not settle"
NOTHING = "a round of turns, played best, changes anything with a chance below 1e-12, too small to compute with"


class Block(NamedTuple):
    """The turns of a block, laid out. Lane i's zero turns lead to lane ``partner[i]`` of it, and pay ``constant[i]``
    beside what that is worth; ``zero`` (endings, lanes): which endings these are (``Equations.cycles``).
    """

    states: Ints
    links: Transitions
    caps: Caps
    zero: NDArray[np.bool_]
    partner: Ints
    constant: Doubles

    @property
    def some(self) -> NDArray[np.bool_]:
        """The lanes that have zero turns."""
        return np.asarray(self.zero.any(axis=0))


class Settler:
    """The plain path over some equations.

    ``drift``: how far V may be off where nothing is left to be chosen and no component links to itself as a whole. What
    is off in later blocks is averaged, and a cycle of zero turns raises its own by no more than 2 / (1 - slopes).
    """

    def __init__(
        self, equations: TransitionModel, threads: int = 1, progress: Callable[[float], None] = lambda done: None
    ):
        self.equations, self.workers, self.progress = equations, TurnWorkers(threads), progress
        self.drift = 0.0

    def lay_out(self, states: Ints) -> Block:
        """The turns of a block."""
        links, caps = self.equations.transitions(states), self.equations.caps(states)
        zero, partner = self.equations.zero_turns(states, links)
        constant = np.where(zero.any(axis=0), links.constant[zero.argmax(axis=0), np.arange(len(states))], 0.0)
        return Block(states, links, caps, zero, partner, constant)

    def turns(self, block: Block, payoff: Doubles, inner: bool = False) -> TurnValue:
        """The turns of a block for payoffs (channels, endings, lanes)."""
        return self.equations.solve_turns(block.states, payoff, block.caps, self.workers, inner)

    def settle(self, start: Doubles | None = None) -> Doubles:
        """V; ``start``: first guesses."""
        equations = self.equations
        values = np.full(equations.state_count, equations.stake / 2 if equations.seats == 2 else 0.0)
        if start is not None:
            values[:] = start
        done = 0
        for blocks in equations.components():
            if equations.has_cyclic_components:
                self.settle_whole(values, blocks)
            for states in () if equations.has_cyclic_components else blocks:
                self.settle_block(values, states)
                done += len(states)
                self.progress(0.7 * done / equations.state_count)
        return values

    def settle_whole(self, values: Doubles, blocks: Sequence[Ints]) -> None:
        """Sweep over a component until what is read before it is solved comes out as it went in."""
        held = self.equations.states_read_early(blocks)
        sweeps, told = 0, OpenEndedProgress(self.progress, USUAL_SWEEPS)

        def sweep(guess: Doubles) -> Doubles:
            nonlocal sweeps
            sweeps += 1
            if sweeps > MOST_SWEEPS:
                raise SolveError(LOST)
            values[held] = guess
            for states in blocks:
                self.settle_block(values, states)
            told()
            return values[held]

        best, _ = mix(sweep, values[held], STANDS, *self.equations.value_range, patience=MOST_SWEEPS)
        sweep(best)

    def settle_block(self, values: Doubles, states: Ints) -> None:
        """V of a block, from what it links to and first guesses of its own."""
        block = self.lay_out(states)
        payoff = self.equations.payoffs(values.__getitem__, block.links)
        if block.zero.any():
            self.settle_zero(values, block, payoff)
        else:
            values[states] = self.turns(block, payoff[None]).value[0, : len(states)]
            self.drift += self.rounding * max(1.0, float(np.abs(values[states]).max()))
        self.read_off(values, block)

    def read_off(self, values: Doubles, block: Block) -> None:
        """V of states that are read off the turns of a settled block: the better of both beginnings."""
        readings = self.equations.takeover_offers(block.states)
        if readings is None:
            return
        payoff = self.equations.payoffs(values.__getitem__, block.links)
        inner = self.turns(block, payoff[None], inner=True).inner
        assert inner is not None
        taken = inner[0, readings.mode, readings.points, readings.lane]
        self.drift += self.rounding
        values[readings.state] = readings.worth(taken, values[block.states[readings.lane]])

    def settle_zero(self, values: Doubles, block: Block, payoff: Doubles) -> None:
        """V of a block with zero turns, of one player or two."""
        lanes, some, partner = np.arange(len(block.states)), block.some, block.partner
        sign = -1.0 if self.equations.seats == 2 else 1.0
        base = block.constant + (1 - sign) / 2 * self.equations.stake
        low, high = self.equations.value_range
        z = base + sign * self.equations.first_guess(values, block.states[partner])
        least, most = np.full(len(lanes), low), np.full(len(lanes), high)
        payoff = np.stack([payoff, 1.0 * block.zero])
        for passes in range(MOST_PASSES):
            payoff[0] = np.where(block.zero, z, payoff[0])
            value, slope = self.turns(block, payoff).value[:, : len(lanes)]
            back = np.where(some, base + sign * value[partner], z)
            tolerance = self.tolerance(passes) * np.maximum(1.0, np.abs(value))
            both, change, longest = around(value + slope * (base - z), sign * slope, partner)
            x = np.divide(both, change, out=value.copy(), where=change > HOPELESS)
            if self.equations.has_fixed_choices or (np.abs(back - z) <= tolerance).all():
                if (change[some] <= HOPELESS).any():
                    raise SolveError(NOTHING)
                values[block.states] = x if self.equations.has_fixed_choices else value
                off = (self.rounding + self.tolerance(passes)) * max(1.0, float(np.abs(value).max()))
                self.drift += max(2, longest) / float(change[some].min()) * off
                return
            step = np.where(some, np.clip(base + sign * x[partner], low, high), z)
            if passes >= NEWTON_PASSES:
                step = self._halved(passes, lanes <= partner, z, back, step, least, most)
            z = step
        raise SolveError(NOTHING if (change[some] <= HOPELESS).any() else "zero turns did not settle")

    @staticmethod
    def _halved(
        passes: int, first: NDArray[np.bool_], z: Doubles, back: Doubles, step: Doubles, least: Doubles, most: Doubles
    ) -> Doubles:
        """The next step where Newton's may go round: the second of a pair answers the first, or a bracket is halved."""
        if passes % 2 == 0:
            return np.where(first, z, back)
        least[:] = np.where(back > z, z, least)
        most[:] = np.where(back > z, most, z)
        outside = (step <= least) | (step >= most) | (passes % 4 == 1)
        return np.where(first & outside & np.isfinite(least), (least + most) / 2, step)

    def tolerance(self, passes: int) -> float:
        """How closely zero turns settle."""
        return max(SETTLED, self.rounding / 8 if passes < EXACT_PASSES else self.rounding)

    @cached_property
    def rounding(self) -> float:
        """The rounding of one turn, for payoffs up to 1."""
        return turn_rounding(self.equations.turn, self.equations.max_cap)

    # --- the bound

    def bound(self, values: Doubles) -> float:
        """How far V, found for one player or two, may be from any solution, and answers inside a turn with it."""
        equations, gaps = self.equations, np.zeros(len(values))
        scale = max(1.0, float(np.abs(values).max()))
        room = (self.rounding + 2.0**-50) * scale + equations.constant_error
        for blocks in equations.components():
            if equations.has_cyclic_components:
                self.enclose_whole(values, gaps, blocks, room)
            for states in () if equations.has_cyclic_components else blocks:
                self.enclose_block(values, gaps, states, room)
        return float(gaps.max()) / 2 + room

    def enclose_whole(self, values: Doubles, gaps: Doubles, blocks: Sequence[Ints], room: float) -> None:
        """Gaps of a component as a whole: those of states that are read before they are solved are guessed."""
        held = self.equations.states_read_early(blocks)
        guess, mixture = np.zeros(len(held)), Mixture()
        for _ in range(MOST_SWEEPS):
            gaps[held] = guess
            for states in blocks:
                self.enclose_block(values, gaps, states, room)
            needed = gaps[held]
            if (needed <= guess).all():
                return
            mixed = mixture.next(needed, needed - guess)
            # Twice gaps that grow by no more than half of what a turn adds to them do not grow.
            stands = (needed - guess <= room).all()
            guess = 2 * needed if stands else np.maximum(needed, mixed.clip(0.0, MOST_GAP))
            if not needed.max() <= MOST_GAP:
                break
        raise SolveError(NO_BOUND)

    def enclose_block(self, values: Doubles, gaps: Doubles, states: Ints, room: float) -> None:
        """Gaps of a block: found along the lines in force by Newton's method, and grown where they fall short."""
        block = self.lay_out(states)
        both = self._both(block)
        some, lanes, partner = block.some, len(states), states[block.partner]
        readings = self.equations.takeover_offers(states)
        paid = self.equations.payoffs(values.__getitem__, block.links)
        gaps[states] = 0.0
        for passes in range(MOST_PASSES):
            wide = np.where(block.links.state >= 0, gaps[block.links.state], 0.0) / 2
            turns = self.turns(
                both, np.stack([np.hstack([paid + wide, paid - wide]), 1.0 * both.zero]), readings is not None
            )
            (most, least), slope = turns.value[:, : 2 * lanes].reshape(2, 2, lanes)
            needed = self._needed(values[states], (most, least), room)
            if (needed <= gaps[states]).all() or not some.any():
                gaps[states] = np.maximum(gaps[states], needed)
                if readings is not None:
                    self._read_gaps(values, gaps, readings, turns, lanes, room)
                return
            steep = np.where(most - values[states] >= values[states] - least, slope[0], slope[1])
            own, change, _ = around(needed - steep * gaps[partner], steep, block.partner)
            line = own / np.maximum(change, HOPELESS)
            grown = np.maximum(gaps[states], needed) * (1 + SPARE)
            gaps[states] = np.where(some, grown if passes > NEWTON_PASSES else line, needed) + room / 4
            if not gaps[states].max() <= MOST_GAP:
                break
        raise SolveError(NO_BOUND)

    @staticmethod
    def _both(block: Block) -> Block:
        """The turns of a block twice: for what is at most, and what is at least paid."""
        twice = np.tile(block.states, 2), np.tile(block.caps, 2), np.hstack([block.zero, block.zero])
        return block._replace(states=twice[0], caps=twice[1], zero=twice[2])

    @staticmethod
    def _needed(value: Doubles, found: Doubles | Sequence[Doubles], room: float) -> Doubles:
        """The gap that a state needs whose turn comes to ``found``: at most, and at least."""
        most, least = found
        needed: Doubles = 2 * np.maximum(most - value, value - least) + 2 * room
        return needed

    def _read_gaps(
        self, values: Doubles, gaps: Doubles, readings: TakeoverOffers, turns: TurnValue, count: int, room: float
    ) -> None:
        """Gaps of states that are read off the turns of a block of so many, laid out twice."""
        assert turns.inner is not None
        lanes = np.stack([readings.lane, readings.lane + count])
        taken = turns.inner[0, readings.mode, readings.points, lanes]
        found = readings.worth(taken, turns.value[0, lanes])
        gaps[readings.state] = self._needed(values[readings.state], found, room)


def around(line: Doubles, slope: Doubles, partner: Ints) -> tuple[Doubles, Doubles, int]:
    """Lines x = line + slope x[partner], put together once around their cycles: the line of each x in itself, 1 less
    its slope, and the length of the longest cycle.
    """
    lanes, at, length = np.arange(len(line)), partner, 1
    whole, steep, going = line, slope, partner != lanes
    while going.any():
        whole = np.where(going, whole + steep * line[at], whole)
        steep = np.where(going, steep * slope[at], steep)
        after, length = partner[at], length + 1
        going &= (after != lanes) & (after != at)  # who makes no zero turn leads nowhere
        at = after
    return whole, 1 - steep, length
