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
from dataclasses import dataclass, replace
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
RANGE_WIDENINGS = (0.0, 1.0, 8.0, 64.0)  # extensions of that range to either side, as multiples of its width
MIN_WIDTH = 1e-6  # the width that counts for narrower ranges, so that extensions reach other lines
INITIAL_PROBABILITY = 0.5  # mixing probability from which Newton's method starts
NEWTON_STEPS = 60
NEWTON_DIFFERENCE = 2.0**-20  # change of a probability for a numerical derivative
MAX_NEWTON_PROBABILITY = 10  # probabilities beyond this have diverged
MAX_PROFILES = 200_000  # combinations of lines and breakpoints
BREAKPOINT_RADIUS = 2.0**-10  # zero values within which the nearest breakpoint is looked for
PIVOT_TOLERANCE = 1e-12


@dataclass(frozen=True)
class ResponseLine:
    """A linear piece a + p z of a mover's best-response value f(z), and the turn that attains it.

    Attributes:
        lower: the lowest zero value for which this turn is best.
        upper: the highest zero value for which this turn is best.
        found_at: the zero value for which it was computed.
        zero_probability: p, the probability that the turn ends in a zero turn.
        shares: (seats,) from the mover on, what the turn pays each seat by all other endings; a is the first of them.
    """

    lower: float
    upper: float
    found_at: float
    zero_probability: float
    shares: tuple[float, ...]

    def value_at(self, zero_value: float) -> float:
        """Return a + p z, the value of the turn to its mover if a zero turn is worth z to it."""
        return self.shares[0] + self.zero_probability * zero_value

    def is_same_turn(self, second_line: ResponseLine) -> bool:
        """Return True if both turns have the same zero probability and shares, within LINE_TOLERANCE."""
        coefficients = (self.zero_probability, *self.shares)
        other_coefficients = (second_line.zero_probability, *second_line.shares)
        pairs = zip(coefficients, other_coefficients, strict=True)
        return all(abs(first - second) <= LINE_TOLERANCE for first, second in pairs)

    def between(self, lower: float, upper: float) -> ResponseLine:
        """Return this line with the same turn, as the best one between the zero values ``lower`` and ``upper``."""
        return replace(self, lower=lower, upper=upper)


# A function of a mover and (zero values,) that computes the mover's best responses: one response line for each zero
# value.
BestResponse = Callable[[int, Doubles], Sequence[ResponseLine]]


class MoverTurn(NamedTuple):
    """The turn that one mover of a cycle plays: a pure turn, or a mixture of two.

    Attributes:
        response_line: zero probability and shares of the turn; averages of two turns if the mover mixes.
        action: how the turn is stored, by zero values for which it or the two mixed turns are best.
    """

    response_line: ResponseLine
    action: MixedAction


@dataclass(frozen=True)
class CycleSolution:
    """Values and turns of all movers of a cycle.

    Attributes:
        values: (movers, seats) the value to seat j of the cycle of the position where mover i is to move.
        turns: by mover.
    """

    values: Doubles
    turns: tuple[MoverTurn, ...]


class Support(NamedTuple):
    """The turns to which a mover may give a positive probability, as an index into its list of response lines.

    Attributes:
        line: index of the response line whose turn the mover plays; if it mixes, of the lower one of the two.
        is_mixed: whether the mover mixes this turn with that of the next response line.
    """

    line: int
    is_mixed: bool


# --- values of a cycle for given turns


def cycle_values(turns: Sequence[ResponseLine]) -> Doubles:
    """Return the value to every seat of each position of one cycle, if the movers play given turns.

    Args:
        turns: by mover, the zero probability and the shares of its turn.

    Returns:
        (movers, seats) entry [i, j] is the value to seat j of the position where mover i is to move.
    """
    zero_probability = np.array([turn.zero_probability for turn in turns])
    shares = np.array([turn.shares for turn in turns])
    return evaluate_cycles(zero_probability, shares)


def evaluate_cycles(zero_probability: Doubles, shares: Doubles) -> Doubles:
    """Evaluate given turns of all movers in many cycles at once, by solving the linear equations of each cycle.

    Let mover i end in a zero turn with probability p_i, and pay seat j the share a_ij otherwise. Then

        V[i, j] = a_ij + p_i V[i + 1, j],   where mover i + 1 moves next, and mover 0 after the last one.

    Substituted into each other, the equations of one seat give V[0, j] = r_j + (p_0 p_1 ...) V[0, j], where r_j is what
    one round of turns pays seat j. The other V[i, j] follow from the last mover backwards.

    Args:
        zero_probability: (movers, ...) p_i. The further axes are those of the cycles.
        shares: (movers, seats, ...) the shares of each mover's turn, with the seats from that mover on.

    Returns:
        (movers, seats, ...) V[i, j]. Seats are those of the cycle: seat j is the one that moves as mover j. Endless
        rounds of zero turns pay nothing.
    """
    seats = len(zero_probability)
    values = np.zeros_like(shares)
    for seat in range(seats):
        sum_of_round = np.zeros_like(zero_probability[0])  # what one round of turns pays the seat, from mover 0 on
        reach_probability = np.ones_like(zero_probability[0])  # that all earlier movers end in a zero turn
        for mover in range(seats):
            distance = (seat - mover) % seats  # the seat's index among the seats from the mover on
            sum_of_round = sum_of_round + reach_probability * shares[mover, distance]
            reach_probability = reach_probability * zero_probability[mover]
        np.divide(sum_of_round, 1 - reach_probability, out=values[0, seat, ...], where=reach_probability < 1)
        for mover in range(seats - 1, 0, -1):  # the last mover leads to mover 0, whose value is known
            distance = (seat - mover) % seats
            next_value = values[(mover + 1) % seats, seat]
            values[mover, seat] = shares[mover, distance] + zero_probability[mover] * next_value
    return values


def zero_values_of(values: Doubles) -> Doubles:
    """Return each mover's zero value: its value of the position where the next mover is to move.

    Args:
        values: (movers, seats, ...) entry [i, j] is the value to seat j of the position where mover i is to move, as
            from ``evaluate_cycles``.

    Returns:
        (movers, ...), with the further axes of ``values``.
    """
    seats = len(values)
    return np.array([values[(mover + 1) % seats, mover] for mover in range(seats)])


def mix_lines(lower_line: ResponseLine, upper_line: ResponseLine, upper_probability: float) -> ResponseLine:
    """Return the response line of a mixture: a turn that is drawn from two turns with given probabilities.

    The two turns are best below and above one zero value, the breakpoint, and equally good at it.

    Args:
        lower_line: the turn that is best below the breakpoint.
        upper_line: the turn that is best above it.
        upper_probability: of drawing ``upper_line``.

    Returns:
        A line with averaged zero probability and shares. Its ``lower`` and ``upper`` are both the breakpoint. Its
        ``found_at`` is that of ``lower_line`` and has no meaning for the mixture.
    """
    lower_probability = 1 - upper_probability
    zero_probability = lower_probability * lower_line.zero_probability + upper_probability * upper_line.zero_probability
    shares = [  # of the seats from the mover on
        lower_probability * lower_share + upper_probability * upper_share
        for lower_share, upper_share in zip(lower_line.shares, upper_line.shares, strict=True)
    ]
    return ResponseLine(
        lower=lower_line.upper,  # both are the zero value at which the two turns are equally good
        upper=upper_line.lower,
        found_at=lower_line.found_at,
        zero_probability=zero_probability,
        shares=tuple(shares),
    )


def _pure_turn(line: ResponseLine) -> MoverTurn:
    """Return the turn of a mover who plays the turn of one response line for certain."""
    action = MixedAction(upper_probability=0.0, lower_zero_value=line.found_at, upper_zero_value=line.found_at)
    return MoverTurn(line, action)


def _mixed_turn(lower_line: ResponseLine, upper_line: ResponseLine, upper_probability: float) -> MoverTurn:
    """Return the turn of a mover who draws between the turns of two response lines that meet at a breakpoint.

    Args:
        lower_line: the turn that is best below the breakpoint.
        upper_line: the turn that is best above it.
        upper_probability: of drawing the second.
    """
    action = MixedAction(upper_probability, lower_line.found_at, upper_line.found_at)
    return MoverTurn(mix_lines(lower_line, upper_line, upper_probability), action)


# --- mixing with probabilities that are given


def solve_with_fixed_mixtures(
    best_response: BestResponse, zero_values: Doubles, upper_probabilities: Mapping[int, float]
) -> tuple[CycleSolution, dict[int, float]]:
    """Iterate best responses in a cycle in which some movers mix two turns with given probabilities.

    In every round, a mover with a given probability mixes the two response lines that meet at the breakpoint nearest to
    its current zero value. The other movers play best responses to theirs.

    Args:
        best_response: computes a mover's response lines: the best one for each of some zero values.
        zero_values: (movers,) a first guess.
        upper_probabilities: by mover who must mix, the probability of the turn that is best above the breakpoint.

    Returns:
        The solution of the last round, and by mover who mixes, its zero value minus the breakpoint. Movers without a
        breakpoint nearby do not mix and are not listed. If the zero values still change after RESPONSE_ROUNDS rounds,
        the last round is returned all the same.
    """
    for round_number in range(RESPONSE_ROUNDS):
        turns: list[MoverTurn] = []
        distances: dict[int, float] = {}
        for mover, zero_value in enumerate(zero_values.tolist()):
            breakpoint_lines = None
            if mover in upper_probabilities:
                breakpoint_lines = nearest_breakpoint(best_response, mover, zero_value)
            if breakpoint_lines is None:
                turns.append(_pure_turn(_response_to(best_response, mover, zero_values)))
                continue
            lower_line, upper_line = breakpoint_lines
            turns.append(_mixed_turn(lower_line, upper_line, upper_probabilities[mover]))
            breakpoint_value = lower_line.upper  # where the two lines meet
            distances[mover] = zero_value - breakpoint_value
        values = cycle_values([turn.response_line for turn in turns])
        new_zero_values = zero_values_of(values)
        if np.abs(new_zero_values - zero_values).max() <= MIXED_TOLERANCE:
            break
        # Rounds that have not settled by half-time probably jump back and forth: from then on steps are halved.
        is_damped = round_number >= RESPONSE_ROUNDS // 2
        zero_values = (new_zero_values + zero_values) / 2 if is_damped else new_zero_values
    return CycleSolution(values, tuple(turns)), distances


def nearest_breakpoint(
    best_response: BestResponse, mover: int, zero_value: float
) -> tuple[ResponseLine, ResponseLine] | None:
    """Return the two response lines that meet at the breakpoint of a mover nearest to a zero value.

    Args:
        best_response: computes a mover's response lines: the best one for each of some zero values.
        mover: whose breakpoint it is.
        zero_value: of that mover.

    Returns:
        The line that is best below the breakpoint and the one above it; None if there is no breakpoint within
        BREAKPOINT_RADIUS.
    """
    lower = max(0.0, zero_value - BREAKPOINT_RADIUS)
    upper = min(1.0, zero_value + BREAKPOINT_RADIUS)
    lines = _response_lines(best_response, mover, lower, upper)
    neighbors = pairwise(lines)  # the upper end of the first line of a pair is the breakpoint
    return min(neighbors, key=lambda pair: abs(pair[0].upper - zero_value), default=None)


def _response_to(best_response: BestResponse, mover: int, zero_values: Doubles) -> ResponseLine:
    """Return a mover's best response to its own zero value.

    Args:
        best_response: computes a mover's response lines: the best one for each of some zero values.
        mover: the mover.
        zero_values: (movers,) the zero values of all movers.
    """
    own_zero_value = zero_values[mover : mover + 1]  # an array of one
    (line,) = best_response(mover, own_zero_value)
    return line


# --- support enumeration


def find_equilibrium(
    best_response: BestResponse, zero_values: Doubles, first_alike: Sequence[int]
) -> CycleSolution | None:
    """Find an equilibrium of a cycle in which repeated best responses do not settle.

    Some rounds of best responses show the range in which the zero values jump. All combinations of the response lines
    in that range, and then in wider ones, are tried. If none is an equilibrium, all ranges are searched once more with
    a larger tolerance, since rounding may put a zero value just outside its line.

    Args:
        best_response: computes a mover's response lines: the best one for each of some zero values.
        zero_values: (movers,) a first guess.
        first_alike: by mover, the first mover who is at the same position, and so must play the same turn. It is the
            mover itself unless the players' states repeat around the cycle.

    Returns:
        The first equilibrium of the search; None if there is none near the range.
    """
    seats = len(zero_values)
    lower, upper = _jump_range(best_response, zero_values)
    width = max(float((upper - lower).max()), MIN_WIDTH)
    # All ranges with the strict tolerance, and then all of them with the relaxed one.
    for tolerance, widening in product((LINE_TOLERANCE, RELAXED_TOLERANCE), RANGE_WIDENINGS):
        extension = widening * width  # of the range, to either side
        lines = []  # by mover, the linear pieces of its best-response value in the range
        for mover in range(seats):
            lowest = max(0.0, lower[mover] - extension)
            highest = min(1.0, upper[mover] + extension)
            lines.append(_response_lines(best_response, mover, lowest, highest))
        solution = _search_profiles(lines, first_alike, tolerance)
        if solution is not None:
            return solution
    return None


def _jump_range(best_response: BestResponse, zero_values: Doubles) -> tuple[Doubles, Doubles]:
    """Return the range over which the zero values jump when best responses are repeated.

    Args:
        best_response: computes a mover's response lines: the best one for each of some zero values.
        zero_values: (movers,) to which the movers respond first.

    Returns:
        The least and the greatest zero values, each (movers,), in the later half of RESPONSE_ROUNDS rounds. The earlier
        half is left out, because it depends on the first guess.
    """
    visited = []
    for _ in range(RESPONSE_ROUNDS):
        responses = [_response_to(best_response, mover, zero_values) for mover in range(len(zero_values))]
        zero_values = zero_values_of(cycle_values(responses))
        visited.append(zero_values)
    later_half = visited[RESPONSE_ROUNDS // 2 :]
    return np.min(later_half, axis=0), np.max(later_half, axis=0)


def _response_lines(best_response: BestResponse, mover: int, lower: float, upper: float) -> list[ResponseLine]:
    """Return the response lines of a mover between two zero values, in ascending order of zero values."""
    lowest_line, highest_line = best_response(mover, np.array([lower, upper]))
    return list(_lines_between(best_response, mover, lowest_line, highest_line))


def _lines_between(
    best_response: BestResponse, mover: int, lowest_line: ResponseLine, highest_line: ResponseLine
) -> Iterator[ResponseLine]:
    """Yield all response lines of a mover from ``lowest_line`` to ``highest_line``, each cut where the next is better.

    Two lines a + p z and b + q z meet at z = (a - b) / (q - p). If the best response there is a third line, which lies
    above both, the lines between it and each of the two are found by recursion.

    A line from ``best_response`` is known to be best at a single zero value, so ``lower`` and ``upper`` of this line
    are that zero value.

    Args:
        best_response: computes a mover's response lines: the best one for each of some zero values.
        mover: whose lines they are.
        lowest_line: best at the lowest zero value of the range, its own ``lower``.
        highest_line: best at the highest zero value of the range, its own ``upper``.
    """
    lower = lowest_line.lower
    upper = highest_line.upper
    # Slopes of a convex function rise: a slope that does not is rounding, and the range has one line.
    if lowest_line.is_same_turn(highest_line) or lowest_line.zero_probability >= highest_line.zero_probability:
        yield lowest_line.between(lower, upper)
        return
    meeting = (lowest_line.shares[0] - highest_line.shares[0]) / (
        highest_line.zero_probability - lowest_line.zero_probability
    )
    if not lower < meeting < upper:  # by rounding: one line is best in the whole range
        yield lowest_line.between(lower, upper)
        return
    (middle,) = best_response(mover, np.array([meeting]))
    excess = middle.value_at(meeting) - lowest_line.value_at(meeting)  # positive if a third line lies above both
    if excess <= LINE_TOLERANCE or middle.is_same_turn(lowest_line) or middle.is_same_turn(highest_line):
        yield lowest_line.between(lower, meeting)
        yield highest_line.between(meeting, upper)
        return
    lines_below = list(_lines_between(best_response, mover, lowest_line, middle))
    lines_above = list(_lines_between(best_response, mover, middle, highest_line))
    yield from _join_at(middle, lines_below, lines_above)


def _join_at(
    middle: ResponseLine, lines_below: Sequence[ResponseLine], lines_above: Sequence[ResponseLine]
) -> list[ResponseLine]:
    """Return the lines of two adjacent ranges as one list, in which the middle line occurs once.

    Normally the middle line is the last of ``lines_below`` and the first of ``lines_above``. By rounding a list may not
    have it. Then that list has a single line, which is as good within rounding, and the middle line replaces it.

    Args:
        middle: the line that is best where the two ranges meet.
        lines_below: the lines of the lower range, each with the zero values between which it is best.
        lines_above: those of the upper range.
    """
    lower = lines_below[-1].lower
    upper = lines_above[0].upper
    return [*lines_below[:-1], middle.between(lower, upper), *lines_above[1:]]


def _search_profiles(
    lines: Sequence[list[ResponseLine]], first_alike: Sequence[int], tolerance: float
) -> CycleSolution | None:
    """Return the first equilibrium among all profiles, which are one support per mover.

    Args:
        lines: by mover, its response lines, from the lowest zero value up.
        first_alike: by mover, the first mover who must have the same support.
        tolerance: the distance by which a zero value may lie outside its line.

    Returns:
        The equilibrium; None if there is none, or if there are more than MAX_PROFILES profiles to try.
    """
    supports = [_supports(len(lines_of_mover)) for lines_of_mover in lines]  # by mover, all that it can have
    profile_count = math.prod(len(supports_of_mover) for supports_of_mover in supports)
    if profile_count > MAX_PROFILES:
        return None
    for profile in product(*supports):
        # Movers at the same position must have the same support.
        is_alike = all(profile[first] == support for first, support in zip(first_alike, profile, strict=True))
        if not is_alike:
            continue
        solution = _Profile(lines, profile).solve(tolerance)
        if solution is not None:
            return solution
    return None


def _supports(line_count: int) -> list[Support]:
    """Return the turns that a mover can play: that of one response line, or a mixture of two neighboring ones.

    They are listed upwards: line 0, lines 0 and 1 mixed, line 1, lines 1 and 2 mixed, and so on.

    Args:
        line_count: the number of response lines.
    """
    supports = [Support(0, is_mixed=False)]
    for line in range(1, line_count):
        supports.append(Support(line - 1, is_mixed=True))
        supports.append(Support(line, is_mixed=False))
    return supports


@dataclass(frozen=True)
class _Profile:
    """A profile: a support for every mover of a cycle.

    Attributes:
        lines: by mover, its response lines, from the lowest zero value up.
        supports: by mover, the response line that it plays, or the two neighboring ones that it mixes: the index
            ``line`` of the (lower) line, and ``is_mixed``.
        mixing_movers: the movers who mix, in ascending order.
    """

    lines: Sequence[list[ResponseLine]]
    supports: Sequence[Support]

    @property
    def mixing_movers(self) -> list[int]:
        """The movers who mix two response lines."""
        return [mover for mover, support in enumerate(self.supports) if support.is_mixed]

    def solve(self, tolerance: float) -> CycleSolution | None:
        """Return the equilibrium with these supports; None if there is none.

        Mixing probabilities are found for which the zero value of every mover who mixes is its breakpoint. So both of
        its turns are best. It remains to check that the line of every other mover is best for its zero value.

        Args:
            tolerance: the distance by which a zero value may lie outside its line.
        """
        initial_probabilities = np.full(len(self.mixing_movers), INITIAL_PROBABILITY)
        upper_probabilities = _solve_mixing_probabilities(self.breakpoint_distances, initial_probabilities)
        if upper_probabilities is None:
            return None
        turns = self.turns(upper_probabilities)
        values = cycle_values([turn.response_line for turn in turns])
        zero_values = zero_values_of(values)
        for mover, support in enumerate(self.supports):
            line = self.lines[mover][support.line]
            is_on_line = line.lower - tolerance <= zero_values[mover] <= line.upper + tolerance
            if not support.is_mixed and not is_on_line:
                return None
        return CycleSolution(values, tuple(turns))

    def turns(self, upper_probabilities: Doubles) -> list[MoverTurn]:
        """Return the turns of all movers for given mixing probabilities.

        Args:
            upper_probabilities: (movers who mix,) the probability of the upper one of the two mixed lines.
        """
        turns = [_pure_turn(lines[support.line]) for lines, support in zip(self.lines, self.supports, strict=True)]
        for mover, upper_probability in zip(self.mixing_movers, upper_probabilities.tolist(), strict=True):
            lower_index = self.supports[mover].line  # of the lower one of two neighboring response lines
            lower_line = self.lines[mover][lower_index]
            upper_line = self.lines[mover][lower_index + 1]
            turns[mover] = _mixed_turn(lower_line, upper_line, upper_probability)
        return turns

    def breakpoint_distances(self, upper_probabilities: Doubles) -> Doubles:
        """Return the distances of zero values from breakpoints for given mixing probabilities.

        Args:
            upper_probabilities: (movers who mix,) the probability of the upper one of the two mixed lines.

        Returns:
            (movers who mix,) the mover's zero value minus its breakpoint. In an equilibrium all are 0.
        """
        turns = self.turns(upper_probabilities)
        zero_values = zero_values_of(cycle_values([turn.response_line for turn in turns]))
        distances = []
        for mover in self.mixing_movers:
            lower_line = self.lines[mover][self.supports[mover].line]
            distances.append(zero_values[mover] - lower_line.upper)
        return np.array(distances)


def _solve_mixing_probabilities(
    breakpoint_distances: Callable[[Doubles], Doubles], probabilities: Doubles
) -> Doubles | None:
    """Find mixing probabilities for which all movers' distances from their breakpoints vanish, by Newton's method.

    Args:
        breakpoint_distances: maps the mixing probabilities of the movers who mix to as many distances.
        probabilities: (movers who mix,) to start from.

    Returns:
        The probabilities; None if the method does not find any between 0 and 1.
    """
    if not len(probabilities):
        return probabilities
    for _ in range(NEWTON_STEPS):
        distances = breakpoint_distances(probabilities)
        if np.abs(distances).max() <= MIXED_TOLERANCE:
            break
        jacobian = _difference_quotients(breakpoint_distances, probabilities, distances)
        step = _solve_linear_system(jacobian, distances)  # jacobian x step = distances
        if step is None:
            return None
        probabilities = probabilities - step
        if np.abs(probabilities).max() > MAX_NEWTON_PROBABILITY:
            return None
    # A wider tolerance than in the loop: rounding may keep the last steps from getting closer.
    has_settled = np.abs(breakpoint_distances(probabilities)).max() <= LINE_TOLERANCE
    are_probabilities = probabilities.min() >= 0 and probabilities.max() <= 1
    return probabilities if has_settled and are_probabilities else None


def _difference_quotients(function: Callable[[Doubles], Doubles], point: Doubles, function_value: Doubles) -> Doubles:
    """Return the Jacobian matrix of a function at a point, by finite differences.

    Args:
        function: maps (variables,) to (equations,).
        point: (variables,).
        function_value: of the function at the point.

    Returns:
        (equations, variables) entry [i, j] is the derivative of equation i by variable j.
    """
    jacobian = np.empty((len(function_value), len(point)))
    for column in range(len(point)):
        moved_point = point.copy()
        moved_point[column] += NEWTON_DIFFERENCE
        jacobian[:, column] = (function(moved_point) - function_value) / NEWTON_DIFFERENCE
    return jacobian


def _solve_linear_system(matrix: Doubles, right_side: Doubles) -> Doubles | None:
    """Solve a small linear system by Gauss-Jordan elimination with row pivoting; return None if it is singular.

    Unlike a library's solver, it gives the same bits on every machine.

    Args:
        matrix: (size, size).
        right_side: (size,).
    """
    size = len(right_side)
    rows: NDArray[np.float64] = np.column_stack([matrix, right_side])
    for column in range(size):
        pivot = column + int(np.abs(rows[column:, column]).argmax())
        if abs(rows[pivot, column]) < PIVOT_TOLERANCE:
            return None
        # Make the pivot 1 in row ``column``, and clear its column in all other rows.
        rows[[column, pivot]] = rows[[pivot, column]]
        rows[column] /= rows[column, column]
        for row in range(size):
            if row != column:
                rows[row] -= rows[row, column] * rows[column]
    return rows[:, -1]
