"""A race of several players in arrays, and the solvers of its cycles.

A solver works on a whole table or on the rows that some cycles need (``multiplayer_blocks``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.seats import RaceSeat, SeatsKernel
from ...games.push_rules import WIN, WIPE
from ...turns.monotone_turn import MonotoneTurn
from ...turns.push_turn import Doubles
from ..problem import MixedAction
from ..reference_solver import zero_turn_tolerances
from ..rounding_bounds import turn_rounding_bound
from .cycle_layers import Layers
from .cycle_solver import CertainStops, Cycle, Cycles, Rows, has_kernel
from .model import RaceModel
from .multiplayer_costs import choices_per_line, mean_point_count
from .multiplayer_reference import ReferenceCycleSolver
from .race_solver import CERTAIN_STOP_LOSS
from .states import States

ADDITION_ERROR = 2.0**-51  # more than an addition of numbers up to 1 rounds
VALUE_BYTES = 8  # of one double


@dataclass
class KernelSeat:
    """The rules of a seat as csrc/seats.pyx reads them.

    A *score number* counts the scores that can occur, from 0 on. A *total* is a score up to the end of all tables.

    Attributes:
        target: the score that ends the race.
        score_totals: by score number, the score.
        score_numbers: by total, the score number; -1 from the target on, 0 if the score cannot occur.
        min_bank: by score number, the fewest turn points that may be banked.
        cap: by score number, the turn points at which the turn's table ends.
        always_stop: by total, the set of modes, as bits, in which a turn that comes to the total has to stop.
        can_pass: whether a player who may not bank may end the turn.
        stop_tolerance: by how much a bust may be worth more than when stopping was proved best, so that the stop still
            counts as certain.
    """

    target: int
    score_totals: NDArray[np.int32]
    score_numbers: NDArray[np.int32]
    min_bank: NDArray[np.int32]
    cap: NDArray[np.int32]
    always_stop: NDArray[np.uint64]
    can_pass: bool
    stop_tolerance: float


def describe_seat(
    states: States,
    turn: MonotoneTurn,
    *,
    caps: NDArray[np.int32],
    end_total: int,
    first_stop: int,
    stop_tolerance: float = CERTAIN_STOP_LOSS,
) -> KernelSeat:
    """Return the rules of a seat in the form in which the compiled kernel reads them.

    Args:
        states: the states of the player; the lowest score is 0.
        turn: the player's turn in the form that the kernel reads.
        caps: by score number, the turn points at which the turn's table ends.
        end_total: the total at which all tables of turns end.
        first_stop: from this total on a turn stops.
        stop_tolerance: by how much a bust may be worth more than when stopping was proved best, so that the stop still
            counts as certain; at most CERTAIN_STOP_LOSS.
    """
    target = states.target
    always_stop = np.zeros(end_total + 1, dtype=np.uint64)  # by total, a set of modes as bits
    always_stop[first_stop:] = turn.bank_modes  # the modes that offer a stop
    if states.is_exact:
        # The total after the target stands for all that are not allowed. A turn that gets there is over.
        all_modes = (1 << turn.modes) - 1
        always_stop[target + 1] = all_modes
    # By total: 0, 1, ... for the scores that can occur, and -1 from the target on. Other scores get 0, because the
    # kernel reads some value for them, too, which no turn comes to.
    score_numbers = np.zeros(end_total + 1, dtype=np.int32)
    score_numbers[target:] = -1
    score_numbers[states.scores] = np.arange(len(states.scores))
    return KernelSeat(
        target=target,
        score_totals=states.scores.astype(np.int32),
        score_numbers=score_numbers,
        min_bank=states.min_banks.astype(np.int32),
        cap=caps,
        always_stop=always_stop,
        can_pass=states.rules.can_end_with_nothing,
        stop_tolerance=stop_tolerance,
    )


def allocate_certain_stops(
    rows: int, totals: int, dtype: np.dtype[Any], allocate: Callable[[int], Doubles] = np.zeros
) -> CertainStops:
    """Return arrays for the certain stops of some rows.

    A certain stop is a mode and total in which stopping is proved best, so that the kernel need not search it. Both
    arrays are parts of one array of doubles, because it may be a file that several processes map.

    Args:
        rows: the number of rows; a row is one combination of the opponents' states.
        totals: the number of totals that the kernel tells apart.
        dtype: of a set of modes.
        allocate: returns an array of this number of doubles, which may be in a file: zeros, or certain stops that were
            written before.

    Returns:
        (rows, totals) the sets of modes with a certain stop, as bits; (rows,) the value of a bust for which that was
        proved.
    """
    mode_set_count = rows * totals
    mode_sets_per_double = VALUE_BYTES // dtype.itemsize
    doubles_of_mode_sets = math.ceil(mode_set_count / mode_sets_per_double)
    buffer = allocate(rows + doubles_of_mode_sets)  # first the bust values, then the sets of modes
    bust_values = buffer[:rows]
    mode_sets = buffer[rows:].view(dtype)[:mode_set_count]  # the last double may have room for more
    return mode_sets.reshape(rows, totals), bust_values


class MultiplayerRace:
    """A race of several players, and what its solvers have in common.

    Attributes:
        states: the states of one player.
        seats: the number of players.
        equations: the transition model.
        uses_kernel: whether the compiled kernel solves the cycles.
        kernel_turn, kernel_seat: the turn and the rules of a seat in the form in which the compiled kernel reads them.
        tolerances: the change at which a zero value counts as settled, in the first passes and in later ones.
        response_margin: by how much each turn's result is raised in bounds of best responses.
        stop_tolerance: by how much a bust may be worth more than when stopping was proved best, so that the stop still
            counts as certain.
    """

    def __init__(
        self, states: States, seats: int, use_reference: bool = False, stop_tolerance: float = CERTAIN_STOP_LOSS
    ) -> None:
        """Set up the equations, and the tolerances and margins that allow for rounding.

        Args:
            states: the states of one player.
            seats: the number of players.
            use_reference: solve without the compiled kernel.
            stop_tolerance: by how much a bust may be worth more than when stopping was proved best, so that the stop
                still counts as certain; at most CERTAIN_STOP_LOSS, which the margin allows for.
        """
        self.states = states
        self.seats = seats
        self.equations = RaceModel(states, seats)
        self.uses_kernel = has_kernel(states) and not use_reference
        self.stop_tolerance = stop_tolerance
        rounding = turn_rounding_bound(self.equations.turn, self.equations.max_cap)
        self.tolerances = zero_turn_tolerances(rounding)
        # The margin exceeds the sum of all errors of a turn and of its cycle. So the bounds of best responses satisfy
        # U >= F(U) + r with some r > 0, from which it follows that the play ends (``multiplayer_sweep``).
        _, late_tolerance = self.tolerances
        cycle_sum_error = (seats + 2) * ADDITION_ERROR  # adding up the turns around a cycle
        last_turn_error = self.equations.last_round_error(self.equations.end_total)
        self.response_margin = rounding + late_tolerance + CERTAIN_STOP_LOSS + cycle_sum_error + last_turn_error

    @cached_property
    def kernel_turn(self) -> MonotoneTurn:
        """The turn model in the form in which the compiled kernel reads it."""
        return MonotoneTurn(self.states.rules.turn, win=WIN, wipe=WIPE)

    @cached_property
    def kernel_seat(self) -> KernelSeat:
        """The rules of every seat in the form in which the compiled kernel reads them."""
        # Busts cost nothing here (``has_kernel``), so the lowest score is 0: ``caps_by_score`` is by score.
        equations = self.equations
        # In a last round a turn may go on beyond the target, to the end of the tables.
        first_stop = equations.end_total if equations.last_round else self.states.target
        return describe_seat(
            self.states,
            self.kernel_turn,
            caps=equations.caps_by_score[self.states.scores],
            end_total=equations.end_total,
            first_stop=first_stop,
            stop_tolerance=self.stop_tolerance,
        )

    def certain_stop_arrays(self, rows: int, allocate: Callable[[int], Doubles] = np.zeros) -> CertainStops:
        """Return arrays for the certain stops of some rows, which are empty if the kernel is not used.

        Args:
            rows: the number of rows; a row is one combination of the opponents' states.
            allocate: returns an array of this number of doubles, which may be in a file: zeros, or certain stops that
                were written before.

        Returns:
            (rows, totals) the sets of modes with a certain stop, as bits; (rows,) the value of a bust for which that
            was proved.
        """
        if not self.uses_kernel:
            return np.zeros((0, 0)), np.zeros(0)
        totals = len(self.kernel_seat.always_stop)  # an array by total
        return allocate_certain_stops(rows, totals, np.dtype(self.kernel_turn.mode_set_dtype), allocate)

    def reference_solver(
        self, win: Doubles, past: Doubles | None, mixed: dict[int, MixedAction]
    ) -> ReferenceCycleSolver:
        """Return the reference solver on a whole table.

        Args:
            win: (states x seats,) the value table.
            past: in races with a last round, what the opponents get once a player has banked a total from the target
                on: (rows, totals, seats - 1), a row being the opponents' states as one number. Otherwise None.
            mixed: by line, the mixed action of its mover. It may still change: a solve reads it when it is called.
        """
        return ReferenceCycleSolver(self.equations, win, past, mixed, self.tolerances, self.response_margin)

    def allocate_stops(self, allocate: Callable[[int], Doubles]) -> list[CertainStops]:
        """Return arrays for the certain stops of a whole table; all seats share them.

        Args:
            allocate: returns an array of this number of zeros, which may be in a file.
        """
        return [self.certain_stop_arrays(self.equations.rows, allocate)]

    def kernel_solver(self, win: Doubles, past: Doubles | None, certain_stops: Sequence[CertainStops]) -> SeatsKernel:
        """Return the compiled solver on a table.

        Args:
            win: (rows x states x seats,) the value table: what the seats get after a turn, by what the mover faced and
                by its new state.
            past: in races with a last round, what the opponents get once a player has banked a total from the target
                on: (rows, totals, seats - 1), a row being the opponents' states as one number. Otherwise None.
            certain_stops: one pair of arrays, which all seats share: modes and totals in which stopping is proved best,
                by row; written as they are proved.
        """
        (stops,) = certain_stops
        return SeatsKernel(self, [RaceSeat(self.kernel_turn, self.kernel_seat, win, stops)], past)

    def list_layers(self) -> Layers:
        """Return the cycles of every layer."""
        return Layers(self.equations.sort_keys, self.seats)

    def estimate_cycle_choices(self) -> float:
        """Estimate the time to solve a cycle, as a number of choices that a kernel compares in that time."""
        choices = choices_per_line(self.states, mean_point_count(self.equations), self.seats)
        return self.seats * choices  # a cycle has one line for each seat

    def points_of(self, cycle: Cycle) -> list[int]:
        """Return the scores of the players of a cycle, in points."""
        points: list[int] = (self.states.score[cycle] * self.states.rules.grain).tolist()
        return points

    def rows_of(self, cycles: Cycles) -> Rows:
        """Return the rows of a whole table that the movers of cycles face: (cycles, seats).

        The states of the other players, from the next one on, are the digits of a row. In the cycle (4, 0, 7), the row
        of mover 1, whose state is 0, has the digits 7 and 4.

        Args:
            cycles: (cycles, seats) the players' states.
        """
        rows = np.zeros(cycles.shape, dtype=np.int64)
        for mover in range(self.seats):
            for distance in range(1, self.seats):  # the most significant digit first
                opponent = (mover + distance) % self.seats
                rows[:, mover] *= self.equations.count
                rows[:, mover] += cycles[:, opponent]
        return rows
