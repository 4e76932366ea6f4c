"""The reference solver of cycles in a race of several players, for turns of any kind.

It works on the transition model (``RaceModel``) with the push kernel. It solves the races that the compiled kernel
(``csrc/seats_kernel.c``) does not know, and the kernel is tested against it. It also bounds best responses in cycles
with mixed actions, which the kernel leaves to it. ``multiplayer_sweep`` explains the algorithm and the proof.

States with a takeover offer are read off the turns of a solved cycle: the mover takes the better of both beginnings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ...core.seats import HOPELESS, UNSETTLED
from ...turns.push_turn import Doubles, TurnValue
from ..mixed_equilibria import BestResponse, ResponseLine, evaluate_cycles, zero_values_of
from ..model import Ints, TakeoverOffers
from ..problem import MixedAction
from ..reference_solver import MIN_PROGRESS, STRICT_PASSES
from .cycle_solver import CertainStops, Cycles, Rows, Statuses, Work
from .model import RaceModel, RaceTurns

MAX_PASSES = 100
UNDAMPED_PASSES = 12  # passes after which zero values move only half the way
CYCLES_PER_CALL = 128
MAX_GUESS = 0.9375  # of a zero value


class ReferenceCycleSolver:
    """A ``CycleSolver`` on a whole table.

    Attributes:
        win: (states, seats) the value table.
        bounds: (states, seats) bounds of best responses; empty until these are computed.
        past: what follows totals from the target on, in races with a last round.
        mixed: by line, the mixed action of the mover.
        tolerances: of zero values, in the first passes and in later ones.
        margin: by how much each turn's result is raised in bounds of best responses.
    """

    def __init__(
        self,
        equations: RaceModel,
        win: Doubles,
        past: Doubles | None,
        mixed: Mapping[int, MixedAction],
        tolerances: tuple[float, float],
        margin: float,
    ) -> None:
        self.equations, self.past, self.mixed = equations, past, mixed
        self.tolerances, self.margin = tolerances, margin
        self.win, self.bounds = win.reshape(-1, equations.seats), np.zeros((0, equations.seats))
        self._lock = Lock()

    def solve(
        self, cycles: Cycles, rows: Rows, zero_values: Doubles | None, next_cycle: Rows, status: Statuses
    ) -> Work:
        """Solve cycles (see ``CycleSolver``); rows and guesses are not needed, and the work is not counted."""
        while True:
            with self._lock:
                first = int(next_cycle[0])
                next_cycle[0] += CYCLES_PER_CALL
            if first >= len(cycles):
                return 0, 0
            part = slice(first, first + CYCLES_PER_CALL)
            if len(self.bounds):
                self.bound_cycles(cycles[part], status[part])
            else:
                self.solve_cycles(cycles[part], status[part])

    def bound_best_responses(self, bounds: Doubles, certain_stops: CertainStops | None = None) -> None:
        """Compute bounds of best responses from now on."""
        self.bounds = bounds.reshape(self.win.shape)

    def start_from_table(self) -> None:
        """Do nothing: first guesses always come from the table."""

    def forget_certain_stops(self) -> None:
        """Do nothing: no certain stops are used."""

    # --- turns of lines

    def lines_of(self, cycles: Cycles) -> Ints:
        """Return the lines of cycles, by mover: (seats, cycles)."""
        lines = np.zeros(cycles.T.shape, dtype=np.int64)
        for mover, lines_of_mover in enumerate(lines):
            for states in np.roll(cycles, -mover, axis=1).T:
                lines_of_mover *= self.equations.count
                lines_of_mover += states
        return lines

    def zero_values(self, lines: Ints) -> Doubles:
        """Return what a zero turn is worth to the movers of lines, from the table."""
        return np.asarray(self.win[self.equations.after_zero_turn(lines), -1])

    def lay_out(self, lines: Ints, evaluated: Doubles) -> RaceTurns:
        """Return the turns of lines, with choices by the value table and payoffs by the ``evaluated`` table."""
        return self.equations.prepare_turns(lines, self.win, evaluated, self.past)

    def best_response(self, lines: Sequence[int], table: Doubles, evaluated: Doubles | None = None) -> BestResponse:
        """Return the best-response function of the movers of lines.

        Args:
            lines: of a cycle, by mover.
            table: decides which turns are best.
            evaluated: tells what they pay; the same table by default.
        """
        turns = self.equations.prepare_turns(
            np.array(lines), table, table if evaluated is None else evaluated, self.past
        )

        def respond(mover: int, zero_values: Doubles) -> list[ResponseLine]:
            lanes = turns.select(np.full(len(zero_values), mover))
            payoffs = lanes.solve(zero_values).value[1:].T.tolist()
            return [
                ResponseLine(zero_value, zero_value, zero_value, zero_probability, tuple(shares))
                for zero_value, (zero_probability, *shares) in zip(zero_values.tolist(), payoffs, strict=True)
            ]

        return respond

    def evaluate_policies(
        self, lines: Ints, turns: RaceTurns, offers: TakeoverOffers | None = None, margin: float = 0.0
    ) -> Doubles:
        """Evaluate turns of lines by the policies that the table and the mixed actions imply.

        Args:
            lines: whose turns they are.
            turns: laid out.
            offers: evaluate the turns from where these begin.
            margin: added to what every seat gets.

        Returns:
            (1 + seats, lanes or offers) the probability of a zero turn, and what every seat gets otherwise, from the
            mover on.
        """
        share, zero_values = np.zeros(len(lines)), np.tile(self.zero_values(lines), (2, 1))
        for lane, line in enumerate(lines.tolist() if self.mixed else ()):
            if action := self.mixed.get(line):
                share[lane], *zero_values[:, lane] = action
        payoffs = []
        for values in zero_values[: 1 + share.any()]:
            solved = turns.solve(values, inner=offers is not None)
            payoffs.append(inner_values(solved, offers)[1:] if offers else solved.value[1:])
            payoffs[-1][1:] += margin
        if len(payoffs) == 1:
            return payoffs[0]
        share = share[offers.lane] if offers else share
        return np.asarray((1 - share) * payoffs[0] + share * payoffs[1])

    # --- values

    def guess_zero_values(self, lines: Ints) -> Doubles:
        """Return first guesses of what a zero turn is worth to the movers of lines.

        A value that the table already holds is its own guess. Else the guess extrapolates the values at higher scores,
        as the kernel does: by differences of second order if all seats have two scores above, or by their mean.
        """
        model, column, next_lines = self.equations, self.win[:, -1], self.equations.after_zero_turn(lines)
        guesses = column[next_lines]
        is_new = guesses <= 0
        if not is_new.any():
            return guesses
        new_lines, step = next_lines[is_new], model.count ** np.arange(model.seats)
        scores_above = (model.count - 1 - new_lines[:, None] // step % model.count) // model.states.bust_count_limit
        step *= model.states.bust_count_limit
        neighbors = np.where(scores_above > 0, new_lines[:, None] + step, 0)
        neighbor_values = np.where(scores_above > 0, column[neighbors], 0.0)
        extrapolated = neighbor_values.sum(axis=1) / (scores_above > 0).sum(axis=1).clip(1)
        is_smooth = (scores_above > 1).all(axis=1)
        extrapolated[is_smooth] = 0.0
        for steps in list(product(range(3), repeat=model.seats))[1:]:
            weight = (-2.0) ** steps.count(1)
            extrapolated[is_smooth] -= weight * column[new_lines[is_smooth] + int((step * steps).sum())]
        guesses[is_new] = extrapolated.clip(0.0, MAX_GUESS)
        return guesses

    def solve_cycles(self, cycles: Cycles, status: Statuses) -> None:
        """Write values of cycles to the table, by iterating best responses of all movers at once.

        Cycles that have settled leave the iteration. Their turns leave the arrays once half of them have.
        """
        seats, lines = self.equations.seats, self.lines_of(cycles)
        zero_values, values = self.guess_zero_values(lines), np.zeros((seats, *lines.shape))
        turns = self.lay_out(lines.ravel(), self.win)
        active = laid_out = np.arange(len(cycles))
        for passes in range(MAX_PASSES):
            place = np.searchsorted(laid_out, active)
            if 2 * len(active) <= len(laid_out):
                turns = turns.select(np.arange(seats * len(laid_out)).reshape(seats, -1)[:, place].ravel())
                laid_out, place = active, np.arange(len(active))
            solved = turns.solve(zero_values[:, laid_out].ravel()).value[1:]
            zero_probability, shares = by_mover(lines[:, laid_out], solved)
            zero_probability, shares = zero_probability[:, place], shares[:, :, place]
            is_waiting = 1 - zero_probability.prod(axis=0) <= MIN_PROGRESS
            is_hopeless = is_waiting & (zero_values[:, active] <= 0).all(axis=0)
            status[active[is_hopeless]] = HOPELESS
            active, is_waiting = active[~is_hopeless], is_waiting[~is_hopeless]
            values[:, :, active] = evaluate_cycles(zero_probability[:, ~is_hopeless], shares[:, :, ~is_hopeless])
            result = zero_values_of(values[:, :, active])
            result[:, is_waiting] = 0.0  # everybody would rather wait: the zero values were guessed too high
            residual = np.where(is_waiting, 1.0, np.abs(result - zero_values[:, active]).max(axis=0))
            step = np.where(is_waiting | (passes < UNDAMPED_PASSES), 1.0, 0.5)
            zero_values[:, active] = step * result + (1 - step) * zero_values[:, active]
            active = active[residual > self.tolerances[passes >= STRICT_PASSES]]
            if not len(active):
                break
        status[active] = UNSETTLED
        for mover, lines_of_mover in enumerate(lines):
            self.win[lines_of_mover] = values[mover, np.arange(mover, mover + seats) % seats].T.clip(0.0, 1.0)
        self.solve_takeover_offers(lines.ravel())

    def solve_takeover_offers(self, lines: Ints) -> None:
        """Write the values of states with an offer in solved lines."""
        if offers := self.equations.takeover_offers(lines):
            value_if_taken = self._values_if_taken(lines, offers, self.lay_out(lines, self.win), self.win)
            is_taken = self._is_taken(lines, offers, value_if_taken)
            self.win[offers.state] = np.where(is_taken, value_if_taken, self.win[lines[offers.lane]])

    def _values_if_taken(self, lines: Ints, offers: TakeoverOffers, turns: RaceTurns, evaluated: Doubles) -> Doubles:
        """Return what seats get if offers are taken, by the ``evaluated`` table: (offers, seats)."""
        zero_probability, *shares = self.evaluate_policies(lines, turns, offers)
        after_zero_turn = np.roll(evaluated[self.equations.after_zero_turn(lines)], 1, axis=1)
        return np.asarray(np.stack(shares, axis=1) + zero_probability[:, None] * after_zero_turn[offers.lane])

    def _is_taken(self, lines: Ints, offers: TakeoverOffers, value_if_taken: Doubles) -> NDArray[np.bool_]:
        """Return whether movers take offers rather than begin a new turn: (offers, 1)."""
        return np.asarray(value_if_taken[:, :1] >= self.win[lines[offers.lane], :1])

    # --- bounds of best responses

    def bound_cycles(self, cycles: Cycles, status: Statuses) -> None:
        """Write bounds of best responses in cycles, by Newton's method on the zero values of each seat.

        Let seat k move at a line. While the others play by the table, its zero turn is worth A + B x: the next movers
        pay it A, and with probability B the move comes back, where it gets x, its best response.
        """
        seats, lines = self.equations.seats, self.lines_of(cycles)
        turns = self.lay_out(lines.ravel(), self.bounds)
        zero_probability, shares = by_mover(lines, self.evaluate_policies(lines.ravel(), turns, margin=self.margin))
        # by distance in turns and by seat, who moves so many turns after that seat
        later_movers = [(np.arange(seats) + distance) % seats for distance in range(seats)]
        constant, return_probability = np.zeros(lines.size), np.ones(lines.size)
        for distance, movers in enumerate(later_movers[1:], 1):
            constant = constant + return_probability * shares[movers, seats - distance].ravel()
            return_probability = return_probability * zero_probability[movers].ravel()
        own_bounds, is_settled = self._newton_bounds(lines.ravel(), turns.without_shares, constant, return_probability)
        status[np.flatnonzero(~is_settled) % len(cycles)] = UNSETTLED
        bounds = own_bounds.reshape(lines.shape)
        self.bounds[lines, 0] = bounds
        for distance in range(seats - 1, 0, -1):
            movers = later_movers[distance]
            bounds = shares[movers, seats - distance] + zero_probability[movers] * bounds
            self.bounds[lines[movers], seats - distance] = bounds
        self._bound_takeover_offers(lines.ravel(), turns)

    def _newton_bounds(
        self, lines: Ints, turns: RaceTurns, constant: Doubles, return_probability: Doubles
    ) -> tuple[Doubles, NDArray[np.bool_]]:
        """Solve x = turn(A + B x) + margin for the best responses at lines; return x and whether it settled."""
        zero_values, bounds = self.zero_values(lines), np.zeros(len(lines))
        active = laid_out = np.arange(len(lines))
        for _ in range(MAX_PASSES):
            place = np.searchsorted(laid_out, active)
            if 2 * len(active) <= len(laid_out):
                laid_out, turns, place = active, turns.select(place), np.arange(len(active))
            value, slope = turns.solve(zero_values[laid_out]).value[:, place]
            bounds[active] = value + self.margin
            a, b = constant[active], return_probability[active]
            is_open = np.abs(a + b * bounds[active] - zero_values[active]) > self.tolerances[1]
            active, a, b, slope = active[is_open], a[is_open], b[is_open], slope[is_open]
            if not len(active):
                break
            zero_values[active] = (a + b * (bounds[active] - slope * zero_values[active])) / (1 - b * slope)
        is_settled = np.ones(len(lines), dtype=bool)
        is_settled[active] = False
        return bounds, is_settled

    def _bound_takeover_offers(self, lines: Ints, turns: RaceTurns) -> None:
        """Write bounds for states with an offer: the mover takes the better, the others get what the table implies."""
        if (offers := self.equations.takeover_offers(lines)) is None:
            return
        value_if_taken = self._values_if_taken(lines, offers, self.lay_out(lines, self.win), self.win)
        bounds_if_taken = self._values_if_taken(lines, offers, turns, self.bounds) + self.margin
        new_turn_bounds = self.bounds[lines[offers.lane]]
        bounds = np.where(self._is_taken(lines, offers, value_if_taken), bounds_if_taken, new_turn_bounds)
        best_turns = turns.without_shares.solve(self.bounds[self.equations.after_zero_turn(lines), -1], inner=True)
        best = inner_values(best_turns, offers)[0]
        bounds[:, 0] = np.maximum(best + self.margin, new_turn_bounds[:, 0])
        self.bounds[offers.state] = bounds


def by_mover(lines: Ints, payoffs: Doubles) -> tuple[Doubles, Doubles]:
    """Split payoffs of turns by mover.

    Returns:
        (movers, cycles) probabilities of a zero turn; (movers, seats, cycles) what the seats get otherwise.
    """
    zero_probability, *shares = payoffs[:, : lines.size].reshape(-1, *lines.shape)
    return zero_probability, np.stack(shares, axis=1)


def inner_values(turns: TurnValue, offers: TakeoverOffers) -> Doubles:
    """Return the values of states that begin inside solved turns: (channels, offers)."""
    assert turns.inner is not None
    return np.asarray(turns.inner[:, offers.mode, offers.points, offers.lane])
