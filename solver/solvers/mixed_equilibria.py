"""Equilibria in mixed actions for a cycle of zero turns in a race of several players.

A turn that changes no score hands the move to the next seat, so a line of scores and its rotations form a cycle. Let z
be the value, to the mover, of the position after its zero turn: the *zero value*. A way of playing the turn brings a +
p z. Here p is the probability of a zero turn, and a is the mover's share otherwise. The best response is worth

    f(z) = max over ways of playing of (a + p z),

which is convex and piecewise linear in z. A ``ResponseLine`` is one piece of it. Where two lines meet, at a
*breakpoint*, the mover is indifferent between two turns, and these pay the opponents differently.

Repeated best responses may jump back and forth over such breakpoints. Then there may be no equilibrium in pure actions.
In a mixed equilibrium some movers randomize between the two turns of a breakpoint. Their probabilities keep the zero
value of every mover who randomizes at its breakpoint.

``find_equilibrium`` enumerates supports. It lists all lines near the jumps and tries every combination of one line or
one breakpoint per mover. Newton's method finds the mixing probabilities of a combination. It is an equilibrium if these
lie between 0 and 1 and every other zero value lies on its line. One exists if the lines reach far enough (Kakutani).

A ``MixedAction`` stores a probability and two zero values. The turn that is best for the first is played, or with that
probability the one that is best for the second. The zero values lie at a distance from the breakpoint, because next to
it rounding decides which turn is best. A pure turn is stored likewise if the table alone would give another one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..turns.push_turn import Doubles
from .problem import MixedAction
from .reference_solver import MIXED_TOLERANCE

LINE_TOLERANCE = 2.0**-44  # lines whose coefficients differ by no more are the same
RELAXED_TOLERANCE = 2.0**-30  # distance of a zero value from its line that is accepted if no closer one is found
RESPONSE_ROUNDS = 24  # rounds of best responses; the later half shows the range in which they jump
RANGE_WIDENINGS = (0.0, 1.0, 8.0, 64.0)  # margins around that range, in its widths
MIN_WIDTH = 1e-6  # of that range
NEWTON_STEPS = 60
NEWTON_DIFFERENCE = 2.0**-20  # change of a probability for a numerical derivative
MAX_NEWTON_SHARE = 10  # probabilities beyond this have diverged
MAX_PROFILES = 200_000  # combinations of lines and breakpoints
BREAKPOINT_RADIUS = 2.0**-10  # zero values within which the nearest breakpoint is looked for
PIVOT_TOLERANCE = 1e-12


@dataclass(frozen=True)
class ResponseLine:
    """A linear piece of a mover's best-response value, and the turn that attains it.

    Attributes:
        lower, upper: the zero values between which this turn is best.
        found_at: the zero value for which it was computed.
        zero_probability: of ending in a zero turn.
        shares: what the turn brings every seat, from the mover on, if it does not end in a zero turn.
    """

    lower: float
    upper: float
    found_at: float
    zero_probability: float
    shares: tuple[float, ...]

    def is_same_turn(self, other: ResponseLine) -> bool:
        """Return True if both turns pay every seat the same, within LINE_TOLERANCE."""
        pairs = zip((self.zero_probability, *self.shares), (other.zero_probability, *other.shares), strict=True)
        return all(abs(first - second) <= LINE_TOLERANCE for first, second in pairs)

    def between(self, lower: float, upper: float) -> ResponseLine:
        """Return the same turn as the best one between other zero values."""
        return ResponseLine(lower, upper, self.found_at, self.zero_probability, self.shares)


# Computes the best responses of a mover to some zero values, one line for each.
BestResponse = Callable[[int, Doubles], Sequence[ResponseLine]]


@dataclass(frozen=True)
class CycleSolution:
    """Values and turns of all movers of a cycle.

    Attributes:
        values: (movers, seats) what seat j of the cycle gets where mover i is to move.
        turns: by mover, what the turn pays, mixed or not, and how it is stored.
    """

    values: Doubles
    turns: tuple[tuple[ResponseLine, MixedAction], ...]

    @property
    def zero_values(self) -> Doubles:
        """The value of the position after a zero turn, by mover."""
        return zero_values_of(self.values)


class Support(NamedTuple):
    """The turns that a mover may play: a line, or that line and the next one above it."""

    line: int
    is_mixed: bool


# --- values of a cycle for given turns


def cycle_values(turns: Sequence[ResponseLine]) -> Doubles:
    """Return what every seat gets at each position of a cycle if the movers play these turns: (movers, seats)."""
    return evaluate_cycles(
        np.array([turn.zero_probability for turn in turns]), np.array([turn.shares for turn in turns])
    )


def evaluate_cycles(zero_probability: Doubles, shares: Doubles) -> Doubles:
    """Solve the linear equations of many cycles at once, for given turns of all movers.

    Args:
        zero_probability: (movers, ...) of ending in a zero turn.
        shares: (movers, seats, ...) what a turn brings every seat, from the mover on, if it does not end so.

    Returns:
        (movers, seats, ...) what seat j gets where mover i is to move. Endless rounds of zero turns pay nothing.
    """
    seats, values = len(zero_probability), np.zeros_like(shares)
    for seat in range(seats):
        total, reach_probability = np.zeros_like(zero_probability[0]), np.ones_like(zero_probability[0])
        for mover in range(seats):
            total = total + reach_probability * shares[mover, (seat - mover) % seats]
            reach_probability = reach_probability * zero_probability[mover]
        np.divide(total, 1 - reach_probability, out=values[0, seat, ...], where=reach_probability < 1)
        for mover in range(seats - 1, 0, -1):
            following = values[(mover + 1) % seats, seat]
            values[mover, seat] = shares[mover, (seat - mover) % seats] + zero_probability[mover] * following
    return values


def zero_values_of(values: Doubles) -> Doubles:
    """Return, by mover, the value of the position after a zero turn, from (movers, seats) values of a cycle."""
    seats = len(values)
    return np.array([values[(mover + 1) % seats, mover] for mover in range(seats)])


def mix_lines(first: ResponseLine, second: ResponseLine, share: float) -> ResponseLine:
    """Return what a mover's turn pays who plays the second line with this probability, else the first."""
    return ResponseLine(
        first.upper,
        second.lower,
        first.found_at,
        (1 - share) * first.zero_probability + share * second.zero_probability,
        tuple((1 - share) * a + share * b for a, b in zip(first.shares, second.shares, strict=True)),
    )


# --- mixing with probabilities that are given


def solve_with_fixed_shares(
    best_response: BestResponse, zero_values: Doubles, shares: Mapping[int, float]
) -> tuple[CycleSolution, dict[int, float]]:
    """Iterate best responses in a cycle in which some movers mix with given probabilities.

    Args:
        best_response: of each mover, to zero values.
        zero_values: a first guess, by mover.
        shares: by mover who mixes at the nearest breakpoint, the probability of the line above it.

    Returns:
        The solution, and by mover who mixes, its zero value minus the breakpoint.
    """
    for number in range(RESPONSE_ROUNDS):
        turns: list[tuple[ResponseLine, MixedAction]] = []
        distances: dict[int, float] = {}
        for mover, zero_value in enumerate(zero_values.tolist()):
            pair = nearest_breakpoint(best_response, mover, zero_value) if mover in shares else None
            if pair is None:
                (line,) = best_response(mover, zero_values[mover : mover + 1])
                turns.append((line, MixedAction(0.0, line.found_at, line.found_at)))
            else:
                below, above = pair
                share = shares[mover]
                turns.append((mix_lines(below, above, share), MixedAction(share, below.found_at, above.found_at)))
                distances[mover] = zero_value - below.upper
        values = cycle_values([line for line, _ in turns])
        result = zero_values_of(values)
        if np.abs(result - zero_values).max() <= MIXED_TOLERANCE:
            break
        zero_values = result if number < RESPONSE_ROUNDS // 2 else (result + zero_values) / 2
    return CycleSolution(values, tuple(turns)), distances


def nearest_breakpoint(
    best_response: BestResponse, mover: int, zero_value: float
) -> tuple[ResponseLine, ResponseLine] | None:
    """Return the lines below and above a mover's breakpoint nearest to a zero value; None if none is close."""
    lower, upper = max(0.0, zero_value - BREAKPOINT_RADIUS), min(1.0, zero_value + BREAKPOINT_RADIUS)
    lines = _response_lines(best_response, mover, lower, upper)
    return min(pairwise(lines), key=lambda pair: abs(pair[0].upper - zero_value), default=None)


# --- support enumeration


def find_equilibrium(
    best_response: BestResponse, zero_values: Doubles, first_alike: Sequence[int]
) -> CycleSolution | None:
    """Find an equilibrium of a cycle in which best responses do not settle; None if there is none near them.

    Args:
        best_response: of each mover, to zero values.
        zero_values: a first guess, by mover.
        first_alike: by mover, the first mover who is at the same position, and so plays the same turn.
    """
    seats, visited = len(zero_values), []
    for _ in range(RESPONSE_ROUNDS):
        values = cycle_values([best_response(mover, zero_values[mover : mover + 1])[0] for mover in range(seats)])
        zero_values = zero_values_of(values)
        visited.append(zero_values)
    recent = visited[RESPONSE_ROUNDS // 2 :]
    lower, upper = np.min(recent, axis=0), np.max(recent, axis=0)
    for tolerance, widening in product((LINE_TOLERANCE, RELAXED_TOLERANCE), RANGE_WIDENINGS):
        margin = widening * max(float((upper - lower).max()), MIN_WIDTH)
        lines = [
            _response_lines(best_response, mover, max(0.0, lower[mover] - margin), min(1.0, upper[mover] + margin))
            for mover in range(seats)
        ]
        solution = _search_profiles(lines, first_alike, tolerance)
        if solution is not None:
            return solution
    return None


def _response_lines(best_response: BestResponse, mover: int, lower: float, upper: float) -> list[ResponseLine]:
    """Return the lines of a mover's best response between two zero values, from the lowest up."""
    first, last = best_response(mover, np.array([lower, upper]))
    return list(_lines_between(best_response, mover, first, last))


def _lines_between(
    best_response: BestResponse, mover: int, first: ResponseLine, last: ResponseLine
) -> Iterator[ResponseLine]:
    """Yield the lines from one to another, which meet at their breakpoints.

    Two lines meet at one zero value. If the best response there is a third line, both halves are searched in turn.
    """
    lower, upper = first.lower, last.upper
    if first.is_same_turn(last) or first.zero_probability >= last.zero_probability:
        yield first.between(lower, upper)
        return
    meeting = (first.shares[0] - last.shares[0]) / (last.zero_probability - first.zero_probability)
    if not lower < meeting < upper:
        yield first.between(lower, upper)
        return
    (middle,) = best_response(mover, np.array([meeting]))
    excess = middle.shares[0] + middle.zero_probability * meeting - (first.shares[0] + first.zero_probability * meeting)
    if excess <= LINE_TOLERANCE or middle.is_same_turn(first) or middle.is_same_turn(last):
        yield first.between(lower, meeting)
        yield last.between(meeting, upper)
        return
    lines_below = list(_lines_between(best_response, mover, first, middle))
    lines_above = list(_lines_between(best_response, mover, middle, last))
    joined = middle.between(lines_below[-1].lower, lines_above[0].upper)
    yield from (*lines_below[:-1], joined, *lines_above[1:])


def _search_profiles(
    lines: Sequence[list[ResponseLine]], first_alike: Sequence[int], tolerance: float
) -> CycleSolution | None:
    """Return the first equilibrium among all profiles, which are one support per mover; None if there is none."""
    supports = [
        [Support(half // 2, half % 2 == 1) for half in range(2 * len(lines_of_mover) - 1)] for lines_of_mover in lines
    ]
    if math.prod(len(supports_of_mover) for supports_of_mover in supports) > MAX_PROFILES:
        return None
    for profile in product(*supports):
        if any(profile[first] != support for first, support in zip(first_alike, profile, strict=True)):
            continue
        solution = _Profile(lines, profile).solve(tolerance)
        if solution is not None:
            return solution
    return None


@dataclass(frozen=True)
class _Profile:
    """A support for every mover, among its lines."""

    lines: Sequence[list[ResponseLine]]
    supports: Sequence[Support]

    @property
    def mixing_movers(self) -> list[int]:
        """The movers who randomize."""
        return [mover for mover, support in enumerate(self.supports) if support.is_mixed]

    def solve(self, tolerance: float) -> CycleSolution | None:
        """Return the equilibrium with these supports; None if there is none."""
        movers = self.mixing_movers
        solved = _newton_shares(self.distances, np.full(len(movers), 0.5))
        if solved is None:
            return None
        turns = self.turns(solved)
        values = cycle_values(turns)
        for line, support, zero_value in zip(self._first_lines(), self.supports, zero_values_of(values), strict=True):
            is_on_line = line.lower - tolerance <= zero_value <= line.upper + tolerance
            if not support.is_mixed and not is_on_line:
                return None
        shares = dict(zip(movers, solved.tolist(), strict=True))
        actions = [
            MixedAction(
                shares.get(mover, 0.0),
                self.lines[mover][support.line].found_at,
                self.lines[mover][support.line + support.is_mixed].found_at,
            )
            for mover, support in enumerate(self.supports)
        ]
        return CycleSolution(values, tuple(zip(turns, actions, strict=True)))

    def turns(self, shares: Doubles) -> list[ResponseLine]:
        """Return the movers' turns if those who randomize do so with these probabilities."""
        turns = self._first_lines()
        for mover, share in zip(self.mixing_movers, shares, strict=True):
            turns[mover] = mix_lines(turns[mover], self.lines[mover][self.supports[mover].line + 1], float(share))
        return turns

    def distances(self, shares: Doubles) -> Doubles:
        """Return, by mover who randomizes, its zero value minus its breakpoint."""
        zero_values = zero_values_of(cycle_values(self.turns(shares)))
        lines = self._first_lines()
        return np.array([zero_values[mover] - lines[mover].upper for mover in self.mixing_movers])

    def _first_lines(self) -> list[ResponseLine]:
        """Return each mover's line, the lower one of those who randomize."""
        return [lines[support.line] for lines, support in zip(self.lines, self.supports, strict=True)]


def _newton_shares(distances: Callable[[Doubles], Doubles], shares: Doubles) -> Doubles | None:
    """Find mixing probabilities for which all distances vanish, by Newton's method; None if there are none."""
    if not len(shares):
        return shares
    for _ in range(NEWTON_STEPS):
        current = distances(shares)
        if np.abs(current).max() <= MIXED_TOLERANCE:
            break
        jacobian = np.empty((len(shares), len(shares)))
        for column in range(len(shares)):
            moved = shares.copy()
            moved[column] += NEWTON_DIFFERENCE
            jacobian[:, column] = (distances(moved) - current) / NEWTON_DIFFERENCE
        step = _solve_linear_system(jacobian, current)
        if step is None:
            return None
        shares = shares - step
        if np.abs(shares).max() > MAX_NEWTON_SHARE:
            return None
    is_solution = np.abs(distances(shares)).max() <= LINE_TOLERANCE and shares.min() >= 0 and shares.max() <= 1
    return shares if is_solution else None


def _solve_linear_system(matrix: Doubles, right: Doubles) -> Doubles | None:
    """Solve a small linear system by Gauss-Jordan elimination; return None if it is singular.

    Unlike a library's solver, it gives the same bits on every machine.
    """
    rows: NDArray[np.float64] = np.column_stack([matrix, right])
    size = len(right)
    for column in range(size):
        pivot = column + int(np.abs(rows[column:, column]).argmax())
        if abs(rows[pivot, column]) < PIVOT_TOLERANCE:
            return None
        rows[[column, pivot]] = rows[[pivot, column]]
        rows[column] /= rows[column, column]
        for row in range(size):
            if row != column:
                rows[row] -= rows[row, column] * rows[column]
    return rows[:, -1]
