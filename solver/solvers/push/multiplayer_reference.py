"""The reference solver of cycles in a race of several players, for turns of any kind.

It works on the transition model (``RaceModel``) with the push kernel. It solves the races that the compiled kernel
(``csrc/seats_kernel.c``) does not know, and the kernel is tested against it. It also bounds best responses in cycles
with mixed actions, which the kernel leaves to it. ``multiplayer_sweep`` explains the algorithm and the proof.

States with a takeover offer are read off the turns of a solved cycle: the mover takes the better of both beginnings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from threading import Lock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...core.seats import HOPELESS, UNSETTLED
from ...turns.push_turn import Doubles, TurnValue
from ..mixed_equilibria import BestResponse, ResponseLine, evaluate_cycles, zero_values_of
from ..model import Ints, TakeoverOffers
from ..problem import MixedAction
from ..reference_solver import MIN_PROGRESS, STRICT_PASSES
from .cycle_solver import CertainStops, Cycles, Rows, Statuses, Work

MAX_PASSES = 100
UNDAMPED_PASSES = 12  # passes after which zero values move only half the way
CYCLES_PER_CALL = 128
MAX_GUESS = 0.9375  # of a zero value


class CycleTurns(Protocol):
    """Turns side by side, to be solved for different values of a zero turn.

    Channel 0 decides the choices. Channel 1 is the probability of a zero turn. The others, if there are any, are what
    all other endings pay the seats from the mover on.
    """

    @property
    def without_shares(self) -> CycleTurns:
        """The turns with two channels: the mover's own share, which decides, and the probability of a zero turn."""

    def select(self, lanes: Ints, /) -> CycleTurns:
        """Return the turns of these lanes, which may repeat."""

    def solve(self, zero_values: Doubles, /, inner: bool = False) -> TurnValue:
        """Solve all turns, each for a value of its zero turn (lanes,); ``inner`` asks for the values inside them."""


class CycleEquations(Protocol):
    """What the solver of cycles asks of the equations of a race of several players.

    Attributes:
        seats: the number of players.
    """

    seats: int

    def lines_of(self, cycles: Cycles, /) -> Ints:
        """Return the lines of cycles, by mover: (seats, cycles)."""

    def after_zero_turn(self, lines: Ints, /) -> Ints:
        """Return the lines after a zero turn."""

    def higher_scores(self, lines: Ints, /) -> tuple[Ints, Ints]:
        """Return how many higher scores each seat has, and by how much the next one raises the number of the line.

        Both are (lines, seats), for seats in one and the same order.
        """

    def prepare_turns(self, lines: Ints, table: Doubles, evaluated: Doubles, past: Doubles | None, /) -> CycleTurns:
        """Return the turns of lines: ``table`` decides the choices, and the values ``evaluated`` are what they pay.

        Args:
            lines: (lanes,) one turn for each.
            table: (states, seats) what each seat gets, from the player to move on.
            evaluated: (states, seats) values in the same order.
            past: what the opponents get in their last turns; None without a last round.
        """

    def takeover_offers(self, lines: Ints, /) -> TakeoverOffers | None:
        """Return all takeover offers to the movers of lines; None if nothing can be taken over."""


class ReferenceCycleSolver:
    """A ``CycleSolver`` on a whole table.

    A cycle is the lines that zero turns lead to from each other: line m is the one in which mover m, seat m of the
    cycle, moves. Seats of a table are counted from the mover on.

    Attributes:
        equations: the transition model of the race.
        win: (states, seats) the value table.
        bounds: (states, seats) bounds of best responses; empty until ``bound_best_responses``.
        past: (rows, totals, seats - 1) what the opponents get once the mover has banked a total from the target on;
            None without a last round.
        mixed: by line, the mixed action of the mover.
        tolerances: the change at which a zero value counts as settled, in the first passes and in later ones.
        margin: by how much each turn's result is raised in bounds of best responses, for rounding.
    """

    def __init__(
        self,
        equations: CycleEquations,
        win: Doubles,
        past: Doubles | None,
        mixed: Mapping[int, MixedAction],
        tolerances: tuple[float, float],
        margin: float,
    ) -> None:
        """Set up the solver for values; ``bound_best_responses`` sets it up for bounds.

        Args:
            equations: the transition model of the race.
            win: (states x seats,) the value table, which is read and written.
            past: in races with a last round, what the opponents get once the mover has banked a total from the target
                on: (combinations of their states, totals, seats - 1). Otherwise None.
            mixed: by line, the mixed action of the mover.
            tolerances: the change at which a zero value counts as settled, in the first passes and in later ones.
            margin: by how much each turn's result is raised in bounds of best responses, for rounding.
        """
        self.equations = equations
        self.past = past
        self.mixed = mixed
        self.tolerances = tolerances
        self.margin = margin
        self.win = win.reshape(-1, equations.seats)
        self.bounds = np.zeros((0, equations.seats))
        self._lock = Lock()  # held while a thread of ``solve`` advances the number of the next cycle

    def solve(
        self, cycles: Cycles, rows: Rows, zero_values: Doubles | None, next_cycle: Rows, status: Statuses
    ) -> Work:
        """Solve cycles of one layer, together with all threads that call this with the same ``next_cycle``.

        Args:
            cycles: (cycles, seats) to be solved.
            rows: not needed.
            zero_values: not needed; first guesses come from the table.
            next_cycle: (1,) the first cycle that no thread has begun; it is advanced.
            status: (cycles,) written for cycles that are not solved: UNSETTLED or HOPELESS.

        Returns:
            Zeros, because the work is not counted.
        """
        work_not_counted = (0, 0)
        computes_bounds = len(self.bounds) > 0  # ``bounds`` is empty until ``bound_best_responses`` is called
        while True:
            with self._lock:
                first = int(next_cycle[0])
                next_cycle[0] += CYCLES_PER_CALL
            if first >= len(cycles):
                return work_not_counted
            part = slice(first, first + CYCLES_PER_CALL)  # ``status[part]`` is a view, which is written to
            if computes_bounds:
                self.bound_cycles(cycles[part], status[part])
            else:
                self.solve_cycles(cycles[part], status[part])

    def bound_best_responses(self, bounds: Doubles, certain_stops: Sequence[CertainStops] = ()) -> None:
        """Compute bounds of best responses instead of values from now on.

        Args:
            bounds: (states x seats,) to which the bounds are written.
            certain_stops: not needed.
        """
        self.bounds = bounds.reshape(self.win.shape)

    def start_from_table(self) -> None:
        """Do nothing: first guesses always come from the table."""

    def forget_certain_stops(self) -> None:
        """Do nothing: no certain stops are used."""

    # --- turns of lines

    def lines_of(self, cycles: Cycles) -> Ints:
        """Return the lines of cycles, by mover: (seats, cycles)."""
        return self.equations.lines_of(cycles)

    def zero_values(self, lines: Ints) -> Doubles:
        """Return by line what a zero turn is worth to its mover, according to the value table.

        After a zero turn the next player moves, and the mover of the line is the last seat.
        """
        return np.asarray(self.win[self.equations.after_zero_turn(lines), -1])

    def prepare_turns(self, lines: Ints, payoff_table: Doubles) -> CycleTurns:
        """Return the turns of lines, in which the value table decides the choices and ``payoff_table`` what they pay.

        Args:
            lines: (lanes,) one turn for each.
            payoff_table: (states, seats) what the states in which turns end are worth to the seats, from the player to
                move there on. It may be the value table itself, or bounds.
        """
        return self.equations.prepare_turns(lines, self.win, payoff_table, self.past)

    def best_response(self, lines: Sequence[int], table: Doubles, evaluated: Doubles | None = None) -> BestResponse:
        """Return a function that computes the best turns of a mover for some zero values.

        A zero value is what a zero turn is worth to the mover. What other endings are worth is read from ``table``.

        Args:
            lines: by mover of a cycle, the line where it moves.
            table: (states, seats) the values that decide which turn is best.
            evaluated: (states, seats) the values from which the shares of the best turn are computed; ``table`` by
                default.

        Returns:
            A function of the mover's number and zero values (zero values,). It returns one ``ResponseLine`` for each
            zero value: the turn's probability of a zero turn and the shares of the seats, from the mover on.
        """
        payoff_table = table if evaluated is None else evaluated
        turns = self.equations.prepare_turns(np.array(lines), table, payoff_table, self.past)  # a lane for each mover
        return partial(_solve_responses, turns)

    def evaluate_policies(
        self, lines: Ints, turns: CycleTurns, offers: TakeoverOffers | None = None, margin: float = 0.0
    ) -> Doubles:
        """Evaluate turns of lines, played as the value table and the mixed actions imply.

        A turn with a mixed action is evaluated twice: as it is best for the lower and for the upper zero value that the
        action stores. The two results are averaged with the action's probabilities.

        Args:
            lines: (lanes,) the lines whose turns they are.
            turns: the turns, one lane for each line.
            offers: if given, evaluate the turns from the modes and turn points at which these offers begin.
            margin: added to what every seat gets.

        Returns:
            (1 + seats, lanes or offers) the probability of a zero turn, and what every seat gets by other endings, from
            the mover on.
        """
        lower_zero_values = self.zero_values(lines)  # by lane, from the table
        if not self.mixed:
            return _evaluate_turns(turns, lower_zero_values, offers, margin)
        # Lines without a mixed action have one turn, which counts as the lower one.
        upper_zero_values = lower_zero_values.copy()
        upper_probability = np.zeros(len(lines))
        for lane, line in enumerate(lines.tolist()):
            action = self.mixed.get(line)
            if action is not None:
                lower_zero_values[lane] = action.lower_zero_value
                upper_zero_values[lane] = action.upper_zero_value
                upper_probability[lane] = action.upper_probability
        lower_turn_values = _evaluate_turns(turns, lower_zero_values, offers, margin)
        if not upper_probability.any():
            return lower_turn_values
        upper_turn_values = _evaluate_turns(turns, upper_zero_values, offers, margin)
        if offers:
            upper_probability = upper_probability[offers.lane]  # of the turn in which each offer begins
        return np.asarray((1 - upper_probability) * lower_turn_values + upper_probability * upper_turn_values)

    # --- values

    def guess_zero_values(self, lines: Ints) -> Doubles:
        """Return first guesses of what a zero turn is worth to the movers of lines, in the shape of ``lines``.

        A value that the table already holds is its own guess. Otherwise the guess extrapolates from values at higher
        scores, as the kernel does, and is cut off at 0 and MAX_GUESS.

        Args:
            lines: lines of one layer, of any shape; the values of all higher layers are in the table.
        """
        next_lines = self.equations.after_zero_turn(lines)  # where the mover is the last seat
        guesses: Doubles = self.win[next_lines, -1]
        is_unknown = guesses <= 0  # the table is filled with zeros at first
        if is_unknown.any():
            guesses[is_unknown] = self._extrapolate(next_lines[is_unknown]).clip(0.0, MAX_GUESS)
        return guesses

    def _extrapolate(self, lines: Ints) -> Doubles:
        """Extrapolate what the last seat gets at lines from lines at which one or more seats have higher scores.

        If every seat has at least two higher scores, second differences are extrapolated. Otherwise the guess is the
        mean of the values at the lines at which one seat has the next higher score.

        Args:
            lines: (lines,) lines whose values are not in the table yet; those of all lines of higher layers are.

        Returns:
            (lines,) guesses, which may lie outside of the range of values.
        """
        scores_above, score_steps = self.equations.higher_scores(lines)
        guesses = self._average_one_score_above(lines, score_steps, has_higher_score=scores_above > 0)
        has_second_differences = (scores_above > 1).all(axis=1)
        guesses[has_second_differences] = self._extrapolate_smoothly(
            lines[has_second_differences], score_steps[has_second_differences]
        )
        return guesses

    def _average_one_score_above(self, lines: Ints, score_steps: Ints, has_higher_score: NDArray[np.bool_]) -> Doubles:
        """Return the mean of what the last seat gets where one seat has the next higher score: (lines,).

        Args:
            lines: (lines,) numbers of lines.
            score_steps: (lines, seats) by how much the number of a line grows if a seat has the next higher score.
            has_higher_score: (lines, seats) whether there is a higher score for a seat; without any the mean is 0.
        """
        values_of_last_seat = self.win[:, -1]  # by state
        lines_above = np.where(
            has_higher_score, lines[:, None] + score_steps, 0
        )  # line 0 stands in where there is none
        values_above = np.where(has_higher_score, values_of_last_seat[lines_above], 0.0)
        counts = has_higher_score.sum(axis=1).clip(1)  # at least 1, to divide by
        return np.asarray(values_above.sum(axis=1) / counts)

    def _extrapolate_smoothly(self, lines: Ints, score_steps: Ints) -> Doubles:
        """Extrapolate what the last seat gets at lines from second differences in the directions of all seats.

        In one direction the second difference is V(0) - 2 V(1) + V(2), by the number of scores that are added. The
        product over all seats is a sum over the lines with 0, 1 or 2 scores more for each seat, in which each 1 gives a
        factor of -2. The guess is the value of the line itself, with 0 more for each seat, for which the sum is 0.

        Args:
            lines: (lines,) lines from which every seat has at least two higher scores.
            score_steps: (lines, seats) by how much the number of a line grows if a seat has the next higher score.

        Returns:
            (lines,) the guesses.
        """
        values_of_last_seat = self.win[:, -1]  # by state
        guesses = np.zeros(len(lines))
        for added_scores in product(range(3), repeat=self.equations.seats):
            if not any(added_scores):
                continue  # the line itself
            coefficient = (-2.0) ** added_scores.count(1)
            distances = (score_steps * added_scores).sum(axis=1)  # from the lines to those with these higher scores
            guesses -= coefficient * values_of_last_seat[lines + distances]
        return guesses

    def solve_cycles(self, cycles: Cycles, status: Statuses) -> None:
        """Write values of cycles to the table, by iterating best responses of all movers at once.

        Every pass solves the turns for the current zero values (what a zero turn is worth to each mover). The linear
        equations of the cycle then give the values of these turns, and among them the next zero values. Cycles whose
        zero values have settled leave the iteration.

        The movers of a cycle *wait* if a round of their turns consists of zero turns, all but certainly. Then the
        linear equations are almost singular, and the zero values begin again from 0. Movers who wait even though a zero
        turn is worth nothing to them always do: their cycle is hopeless, and leaves the iteration too.

        Args:
            cycles: (cycles, seats) of one layer; the values of all higher layers are in the table.
            status: (cycles,) UNSETTLED or HOPELESS is written for cycles without a solution.
        """
        seats = self.equations.seats
        lines = self.lines_of(cycles)  # (movers, cycles)
        zero_values = self.guess_zero_values(lines)  # (movers, cycles)
        values = np.zeros((seats, *lines.shape))  # (movers, seats of the cycle, cycles)
        prepared = self.prepare_turns(lines.ravel(), self.win)
        turns = _UnsettledTurns(prepared, len(cycles), lanes_per_entry=seats)  # an entry is a cycle
        for passes in range(MAX_PASSES):
            # Arrays (movers, unsettled cycles): the mover's value, the probability of a zero turn, each seat's share.
            _, zero_probability, *shares_by_seat = turns.solve(zero_values)
            shares = np.stack(shares_by_seat, axis=1)  # (movers, seats, unsettled cycles)
            is_waiting = 1 - zero_probability.prod(axis=0) <= MIN_PROGRESS  # by unsettled cycle
            is_hopeless = is_waiting & (zero_values[:, turns.entries] <= 0).all(axis=0)
            status[turns.entries[is_hopeless]] = HOPELESS
            # Hopeless cycles leave these arrays, too, so that they stay in the order of ``turns.entries``.
            turns.keep(~is_hopeless)
            zero_probability, shares, is_waiting = (
                by_cycle[..., ~is_hopeless] for by_cycle in (zero_probability, shares, is_waiting)
            )
            unsettled = turns.entries
            new_values = evaluate_cycles(zero_probability, shares)
            values[:, :, unsettled] = new_values
            old_zero_values = zero_values[:, unsettled]
            implied_zero_values = zero_values_of(new_values)
            zero_values[:, unsettled] = _next_zero_values(old_zero_values, implied_zero_values, is_waiting, passes)
            change = np.abs(implied_zero_values - old_zero_values).max(axis=0)
            turns.keep(is_waiting | (change > self._get_tolerance(passes)))
            if not len(turns.entries):
                break
        status[turns.entries] = UNSETTLED  # those that are left after MAX_PASSES
        self._write_values(lines, values)

    def _write_values(self, lines: Ints, values: Doubles) -> None:
        """Write the values of cycles to the table, and then those of all offers that are made in them.

        Args:
            lines: (movers, cycles) the lines of the cycles.
            values: (movers, seats, cycles) where each mover moves, the values of all seats in the order of the cycle.
        """
        seats = self.equations.seats
        for mover, lines_of_mover in enumerate(lines):
            seats_from_mover_on = np.arange(mover, mover + seats) % seats  # the order of the table
            self.win[lines_of_mover] = values[mover, seats_from_mover_on].T.clip(0.0, 1.0)
        self.solve_takeover_offers(lines.ravel())

    def _get_tolerance(self, passes: int) -> float:
        """Return the change below which zero values count as settled, after this number of passes.

        It is relaxed after STRICT_PASSES, because rounding may keep zero values from settling more closely.
        """
        strict, relaxed = self.tolerances
        return strict if passes < STRICT_PASSES else relaxed

    def solve_takeover_offers(self, lines: Ints) -> None:
        """Write the values of all states with a takeover offer; the mover takes it, or begins a new turn if better.

        Args:
            lines: (lines,) solved lines, to whose movers the offers are made.
        """
        offers = self.equations.takeover_offers(lines)
        if offers is None:  # nothing can be taken over in this game
            return
        turns = self.prepare_turns(lines, self.win)
        values_if_taken = self._values_if_taken(lines, offers, turns, self.win)
        values_if_declined = self.win[lines[offers.lane]]  # (offers, seats) a new turn
        is_taken = self._is_taken(lines, offers, values_if_taken)
        self.win[offers.state] = np.where(is_taken, values_if_taken, values_if_declined)

    def _values_if_taken(
        self, lines: Ints, offers: TakeoverOffers, turns: CycleTurns, payoff_table: Doubles
    ) -> Doubles:
        """Return what seats get if offers are taken, from the mover on: (offers, seats).

        Args:
            lines: (lanes,) the lines without the offers.
            offers: each with its index in ``lines`` as lane, and the mode and turn points at which its turn begins.
            turns: the turns of the lines, with payoffs from ``payoff_table`` except for zero turns.
            payoff_table: (states, seats) what states are worth to the seats, from the player to move on. What zero
                turns pay is read from it here, because ``turns`` only tells their probability.
        """
        zero_probability, *shares_by_seat = self.evaluate_policies(lines, turns, offers)  # (offers,) each
        shares = np.stack(shares_by_seat, axis=1)  # (offers, seats)
        # After a zero turn the next seat is the mover, so the table lists this turn's mover last.
        after_zero_turn = np.roll(payoff_table[self.equations.after_zero_turn(lines)], 1, axis=1)  # (lines, seats)
        return np.asarray(shares + zero_probability[:, None] * after_zero_turn[offers.lane])

    def _is_taken(self, lines: Ints, offers: TakeoverOffers, values_if_taken: Doubles) -> NDArray[np.bool_]:
        """Return by offer whether its mover takes it rather than begin a new turn: (offers, 1).

        Of two equally good beginnings the mover takes the offer.

        Args:
            lines: (lanes,) the lines without the offers.
            offers: the offers, each with its index in ``lines`` as lane.
            values_if_taken: (offers, seats) what the seats get, from the mover on.
        """
        own_if_taken = values_if_taken[:, :1]
        own_if_declined = self.win[lines[offers.lane], :1]
        return np.asarray(own_if_taken >= own_if_declined)

    # --- bounds of best responses

    def bound_cycles(self, cycles: Cycles, status: Statuses) -> None:
        """Write upper bounds of what each seat gets by a best response in cycles, by Newton's method on zero values.

        Let seat k move at a line, and let x be its bound there. While the others play as stored, a zero turn of seat k
        is worth A + B x. Here A is what the turns of the next movers pay it before it moves again. With probability B
        they all are zero turns, and seat k moves again at the same line.

        Args:
            cycles: (cycles, seats) of one layer; all higher layers have bounds.
            status: (cycles,) UNSETTLED is written for cycles without a bound.
        """
        lines = self.lines_of(cycles)  # (movers, cycles); mover m is seat m of the cycle
        # The value table decides the choices of these turns. The endings pay the bounds of the states they lead to.
        turns = self.prepare_turns(lines.ravel(), payoff_table=self.bounds)
        turn_values = self.evaluate_policies(lines.ravel(), turns, margin=self.margin)
        # (movers, cycles), and (movers, seats, cycles) with the seats from the mover on.
        zero_probability, shares = split_by_mover(turn_values, *lines.shape)
        constant, return_probability = _follow_zero_turns(zero_probability, shares)  # A and B, (seats, cycles) each
        # A best response needs the mover's own bound and the probability of a zero turn, but no shares of other seats.
        own_turns = turns.without_shares
        own_bounds, is_settled = self._solve_newton_bounds(
            lines.ravel(), own_turns, constant.ravel(), return_probability.ravel()
        )
        has_bounds = is_settled.reshape(lines.shape).all(axis=0)  # by cycle
        status[~has_bounds] = UNSETTLED
        self._write_bounds(lines, own_bounds.reshape(lines.shape), zero_probability, shares)
        self._bound_takeover_offers(lines.ravel(), turns)

    def _write_bounds(self, lines: Ints, own_bounds: Doubles, zero_probability: Doubles, shares: Doubles) -> None:
        """Write the bounds U_k of every seat k at every line of cycles, given those where the seat itself moves.

        They follow from the last of the other movers back to the first: U_k is what the mover's turn pays k, plus p U_k
        at the next mover's line. Here p is the probability that the turn is a zero turn.

        Args:
            lines: (movers, cycles).
            own_bounds: (seats, cycles), the bound of each seat at the line where it moves.
            zero_probability: (movers, cycles), the probability that a turn is a zero turn.
            shares: (movers, seats, cycles), what all other endings pay the seats, from the mover on.
        """
        seats = len(lines)
        bounds = own_bounds
        self.bounds[lines, 0] = bounds
        for distance in range(seats - 1, 0, -1):
            movers = (np.arange(seats) + distance) % seats  # by seat: who moves ``distance`` turns after it
            index = seats - distance  # of the seat, if seats are counted from that mover on
            bounds = shares[movers, index] + zero_probability[movers] * bounds
            self.bounds[lines[movers], index] = bounds

    def _solve_newton_bounds(
        self, lines: Ints, turns: CycleTurns, constant: Doubles, return_probability: Doubles
    ) -> tuple[Doubles, NDArray[np.bool_]]:
        """Solve x = turn(A + B x) + margin at each line by Newton's method; x bounds the best response of its mover.

        Here turn(z) is the value of the best turn to its mover, if a zero turn is worth z. Two errors can make x too
        small. First, z has settled if it differs from A + B x by at most the tolerance. Second, turn(z) is rounded. The
        margin, ``self.margin``, is at least the sum of both. So a settled x is an upper bound of a best response.

        The unknown is the zero value z, which has to be A + B x. Let p be the probability of a zero turn with the
        current choices. For another zero value z' these choices are worth

            x(z') = x + p (z' - z)

        The next guess solves z' = A + B x(z'). The solution is z' = (A + B (x - p z)) / (1 - B p).

        Args:
            lines: (lines,) one turn for each.
            turns: the turns of these lines, with the mover's value and the probability of a zero turn as channels 0
                and 1.
            constant: A, by line: what the mover gets from the turns of the next movers, if its own is a zero turn.
            return_probability: B, by line: the probability that theirs are zero turns too.

        Returns:
            (lines,) x; and (lines,) whether it settled. An x that did not settle is not a bound.
        """
        zero_values = self.zero_values(lines)  # first guesses of z, from the table
        bounds = np.zeros(len(lines))  # x
        unsettled = _UnsettledTurns(turns, len(lines), lanes_per_entry=1)  # an entry is a line, with a single turn
        _, late_tolerance = self.tolerances  # the relaxed one: rounding may keep x from settling more closely
        for _ in range(MAX_PASSES):
            left = unsettled.entries  # the indices in ``lines`` of those that have not settled
            a, b, z = constant[left], return_probability[left], zero_values[left]
            # ``solve`` takes the zero values of all lines, but solves the turns that are left.
            channels = unsettled.solve(zero_values[None])  # from (1 turn, all lines) to (channels, 1 turn, lines left)
            value, p = channels[:, 0]  # (lines left,) each
            x = value + self.margin
            bounds[left] = x
            is_unsettled = np.abs(a + b * x - z) > late_tolerance
            unsettled.keep(is_unsettled)
            if not is_unsettled.any():
                break
            a, b, z, x, p = (by_line[is_unsettled] for by_line in (a, b, z, x, p))
            zero_values[unsettled.entries] = (a + b * (x - p * z)) / (1 - b * p)
        is_settled = np.ones(len(lines), dtype=bool)
        is_settled[unsettled.entries] = False
        return bounds, is_settled

    def _bound_takeover_offers(self, lines: Ints, turns: CycleTurns) -> None:
        """Write bounds of best responses for states with an offer in lines that have bounds.

        The mover's bound is the larger of those with the offer taken and declined. Another seat faces the mover's
        stored policy, so for its bound the value table decides whether the offer is taken.

        Args:
            lines: (lines,) the lines without the offers.
            turns: the turns of the lines, one lane for each, with payoffs from the bounds.
        """
        offers = self.equations.takeover_offers(lines)
        if offers is None:  # nothing can be taken over in this game
            return
        value_turns = self.prepare_turns(lines, self.win)  # with payoffs from the values
        # The last argument is the table of what follows zero turns: of values, then of bounds.
        values_if_taken = self._values_if_taken(lines, offers, value_turns, self.win)
        is_taken = self._is_taken(lines, offers, values_if_taken)
        bounds_if_taken = self._values_if_taken(lines, offers, turns, self.bounds) + self.margin  # (offers, seats)
        bounds_if_declined = self.bounds[lines[offers.lane]]  # (offers, seats)
        bounds = np.where(is_taken, bounds_if_taken, bounds_if_declined)  # right for all seats but the mover, seat 0
        mover_bounds_if_taken = self._bound_mover_if_taken(lines, offers, turns)  # (offers,), the margin included
        bounds[:, 0] = np.maximum(mover_bounds_if_taken, bounds_if_declined[:, 0])
        self.bounds[offers.state] = bounds

    def _bound_mover_if_taken(self, lines: Ints, offers: TakeoverOffers, turns: CycleTurns) -> Doubles:
        """Return upper bounds of what movers get by a best response if they take their offers: (offers,).

        The margin for rounding is included.

        Args:
            lines: (lines,) the lines without the offers.
            offers: the offers, each with its index in ``lines`` as lane.
            turns: the turns of the lines, one lane for each, with payoffs from the bounds.
        """
        # After a zero turn the mover is the last seat. That seat's bound there is what a zero turn is worth.
        bounds_after_zero_turn = self.bounds[self.equations.after_zero_turn(lines), -1]
        best_turns = turns.without_shares.solve(bounds_after_zero_turn, inner=True)  # the shares are not needed
        mover_values = inner_values(best_turns, offers)[0]  # channel 0
        return np.asarray(mover_values + self.margin)


class _UnsettledTurns:
    """Turns of cycles or lines ("entries") that are solved again and again until all entries have settled.

    Settled entries are left out of all results. Their lanes leave the arrays of the turns only once half of them have
    settled, because copying the arrays takes time too.

    Attributes:
        entries: the numbers of the entries that have not settled, ascending.
        entries_with_lanes: the numbers of these, and of some that have settled, whose turns are still in the arrays.
        lanes_per_entry: the number of turns of an entry. The lanes are by turn, then by entry.
        turns: the turns of the entries with lanes.
    """

    def __init__(self, turns: CycleTurns, count: int, lanes_per_entry: int) -> None:
        """Begin with all entries.

        Args:
            turns: the turns of all entries. Lane ``k * count + e`` is turn k of entry e.
            count: the number of entries.
            lanes_per_entry: the number of turns of each entry.
        """
        self.entries = np.arange(count)
        self.entries_with_lanes = self.entries
        self.lanes_per_entry = lanes_per_entry
        self.turns = turns

    def keep(self, is_unsettled: NDArray[np.bool_]) -> None:
        """Keep only the marked entries as unsettled; ``is_unsettled`` is in the order of ``entries``."""
        self.entries = self.entries[is_unsettled]

    def solve(self, zero_values: Doubles) -> Doubles:
        """Solve the turns of the entries that have not settled.

        Args:
            zero_values: (lanes per entry, count) what a zero turn is worth to the mover, for all entries, settled or
                not.

        Returns:
            (channels, lanes per entry, unsettled entries) the channels of ``CycleTurns.solve``.
        """
        if 2 * len(self.entries) <= len(self.entries_with_lanes):
            self._drop_settled_lanes()
        solved = self.turns.solve(zero_values[:, self.entries_with_lanes].ravel()).value  # (channels, lanes)
        lane_count = self.lanes_per_entry * len(self.entries_with_lanes)  # behind these the kernel may add padding
        by_entry = solved[:, :lane_count].reshape(len(solved), self.lanes_per_entry, -1)
        return by_entry[:, :, self._find_unsettled()]

    def _find_unsettled(self) -> Ints:
        """Return the index of each unsettled entry in ``entries_with_lanes``; both are ascending."""
        return np.searchsorted(self.entries_with_lanes, self.entries)

    def _drop_settled_lanes(self) -> None:
        """Keep only the turns of unsettled entries in the arrays."""
        lane_numbers = np.arange(self.lanes_per_entry * len(self.entries_with_lanes))
        lanes_by_entry = lane_numbers.reshape(self.lanes_per_entry, -1)
        unsettled_lanes = lanes_by_entry[:, self._find_unsettled()]
        self.turns = self.turns.select(unsettled_lanes.ravel())
        self.entries_with_lanes = self.entries


def _next_zero_values(old: Doubles, implied: Doubles, is_waiting: NDArray[np.bool_], passes: int) -> Doubles:
    """Return the next zero values of an iteration over cycles: (movers, cycles).

    These are the implied ones, or after some passes their mean with the old ones. If all movers would wait, the zero
    values were guessed too high, and the iteration begins again from 0.

    Args:
        old: (movers, cycles) the zero values for which turns were solved.
        implied: (movers, cycles) the zero values that these turns imply.
        is_waiting: (cycles,) whether all movers would wait.
        passes: the number of passes before this one. After UNDAMPED_PASSES full steps may go back and forth.
    """
    step = 1.0 if passes < UNDAMPED_PASSES else 0.5
    next_values: Doubles = step * implied + (1 - step) * old
    next_values[:, is_waiting] = 0.0
    return next_values


def _solve_responses(turns: CycleTurns, mover: int, zero_values: Doubles) -> list[ResponseLine]:
    """Return a mover's best turn for each zero value, as a response line that is known at that value only.

    Args:
        turns: one lane for each mover of a cycle.
        mover: the number of the mover in the cycle.
        zero_values: (zero values,) what a zero turn is worth to the mover.
    """
    lanes = turns.select(np.full(len(zero_values), mover))  # the mover's turn, once for each zero value
    # (zero values, 1 + seats): the probability of a zero turn, and the shares. Channel 0 only decides the choices.
    values_by_lane = lanes.solve(zero_values).value[1:].T.tolist()
    responses = []
    for zero_value, (zero_probability, *shares) in zip(zero_values.tolist(), values_by_lane, strict=True):
        response = ResponseLine(
            lower=zero_value,
            upper=zero_value,
            found_at=zero_value,
            zero_probability=zero_probability,
            shares=tuple(shares),
        )
        responses.append(response)
    return responses


def _follow_zero_turns(zero_probability: Doubles, shares: Doubles) -> tuple[Doubles, Doubles]:
    """Return what follows a zero turn of each seat until that seat moves again: A and B, (seats, cycles) each.

    A is what the turns of the other movers pay the seat. B is the probability that all of them are zero turns.

    Args:
        zero_probability: (movers, cycles) the probability that a mover's turn is a zero turn.
        shares: (movers, seats, cycles) what the seats get by all other endings, from the mover on.
    """
    seats = len(zero_probability)
    constant = np.zeros_like(zero_probability)  # A
    return_probability = np.ones_like(zero_probability)  # that all turns so far were zero turns; in the end B
    for distance in range(1, seats):
        movers = (np.arange(seats) + distance) % seats  # by seat: who moves ``distance`` turns after it
        # The index of the seat, if seats are counted from that mover on. With three seats and distance 1, for example,
        # seat 0 has the index 2 counted from mover 1 on.
        index = seats - distance
        constant = constant + return_probability * shares[movers, index]
        return_probability = return_probability * zero_probability[movers]
    return constant, return_probability


def _evaluate_turns(turns: CycleTurns, zero_values: Doubles, offers: TakeoverOffers | None, margin: float) -> Doubles:
    """Return the probability of a zero turn and the shares of turns that are best for some zero values.

    Args:
        turns: one lane for each line.
        zero_values: (lanes,) what a zero turn is worth to the mover.
        offers: if given, the turns are evaluated from the modes and turn points at which these offers begin.
        margin: added to the shares.

    Returns:
        (1 + seats, lanes or offers): the probability of a zero turn, and what the seats get by other endings, from the
        mover on.
    """
    solved = turns.solve(zero_values, inner=offers is not None)
    all_channels = inner_values(solved, offers) if offers else solved.value
    turn_values = all_channels[1:]  # without channel 0, the mover's value with zero turns included
    turn_values[1:] += margin  # the shares
    return turn_values


def split_by_mover(turn_values: Doubles, movers: int, cycles: int) -> tuple[Doubles, Doubles]:
    """Split the values of the turns of some cycles by mover.

    Args:
        turn_values: (1 + seats, lanes) by turn the probability that it is a zero turn, and what each seat gets by other
            endings, from the mover on. The lanes are the turns of the first mover in all cycles, then those of the
            second mover, and so on; further lanes are padding.
        movers: the number of movers, which is that of the seats.
        cycles: the number of cycles.

    Returns:
        (movers, cycles) the probabilities of a zero turn; (movers, seats, cycles) what the seats get by other endings,
        from the mover of each row on.
    """
    without_padding = turn_values[:, : movers * cycles]
    zero_probability, *shares_by_seat = without_padding.reshape(-1, movers, cycles)
    return zero_probability, np.stack(shares_by_seat, axis=1)


def inner_values(turns: TurnValue, offers: TakeoverOffers) -> Doubles:
    """Return the values of states with a takeover offer, read inside solved turns: (channels, offers).

    Args:
        turns: solved turns with their inner values.
        offers: by offer, the lane of the turn, and the mode and turn points at which play begins in it.
    """
    assert turns.inner is not None
    return np.asarray(turns.inner[:, offers.mode, offers.points, offers.lane])
