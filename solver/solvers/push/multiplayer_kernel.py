"""A race of several players in arrays, and the solvers of its cycles.

A solver works on a whole table or on the rows that some cycles need (``multiplayer_blocks``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core.seats import SeatsKernel
from ...games.push_rules import WIN, WIPE
from ...turns.monotone_turn import MonotoneTurn, is_monotone
from ...turns.push_turn import Doubles
from ..problem import MixedAction
from ..reference_solver import zero_turn_tolerances
from ..rounding_bounds import turn_rounding_bound
from .cycle_solver import CertainStops, Cycles, Rows
from .model import RaceModel
from .multiplayer_reference import ReferenceCycleSolver
from .race_solver import CERTAIN_STOP_LOSS
from .states import States

ROUNDING_UNIT = 2.0**-51  # more than an addition of numbers up to 1 rounds


def has_kernel(states: States) -> bool:
    """Return True if the compiled kernel can solve the turns of these rules."""
    return is_monotone(states.turn) and not states.rules.costs and states.rules.take_over == "none"


@dataclass
class KernelRace:
    """A race as csrc/seats.pyx reads it; seats_kernel.h documents the fields."""

    seats: int
    target: int
    score_totals: NDArray[np.int32]
    score_numbers: NDArray[np.int32]
    min_bank: NDArray[np.int32]
    cap: NDArray[np.int32]
    always_stop: NDArray[np.uint64]
    can_pass: bool
    tolerances: tuple[float, float]
    response_margin: float
    stop_tolerance: float


class MultiplayerRace:
    """A race of several players, and what its solvers have in common.

    Attributes:
        uses_kernel: whether the compiled kernel solves its cycles.
        tolerances: of zero values, in the first passes and in later ones.
        response_margin: by how much each turn's result is raised in bounds of best responses. It exceeds the rounding
            of a turn, the tolerance of zero values, errors of certain stops and the rounding of sums around a cycle.
            The rest shows that the play ends (``multiplayer_sweep``).
        certain_margin: the margin by which stopping must be best to count as certain.
    """

    def __init__(
        self, states: States, seats: int, use_reference: bool = False, certain_margin: float = CERTAIN_STOP_LOSS
    ) -> None:
        self.states, self.seats, self.equations = states, seats, RaceModel(states, seats)
        self.uses_kernel = has_kernel(states) and not use_reference
        self.certain_margin = certain_margin
        rounding = turn_rounding_bound(self.equations.turn, self.equations.max_cap)
        self.tolerances = zero_turn_tolerances(rounding)
        self.response_margin = (
            rounding
            + self.tolerances[1]
            + CERTAIN_STOP_LOSS
            + (seats + 2) * ROUNDING_UNIT
            + self.equations.last_round_error(self.equations.end_total)
        )

    @cached_property
    def kernel_turn(self) -> MonotoneTurn:
        """The turn as the kernel reads it."""
        return MonotoneTurn(self.states.rules.turn, WIN, WIPE)

    @cached_property
    def kernel_race(self) -> KernelRace:
        """The race as the kernel reads it."""
        states, target, end = self.states, self.states.target, self.equations.end_total
        scores = states.scores
        always_stop = np.zeros(end + 1, dtype=np.uint64)
        always_stop[end if self.equations.last_round else target :] = self.kernel_turn.bank_modes
        if states.is_exact:  # one point more may not be held
            always_stop[target + 1] = (1 << self.kernel_turn.modes) - 1
        score_numbers = np.zeros(end + 1, dtype=np.int32)
        score_numbers[target:] = -1
        score_numbers[scores] = np.arange(len(scores))
        return KernelRace(
            seats=self.seats,
            target=target,
            score_totals=scores.astype(np.int32),
            score_numbers=score_numbers,
            min_bank=states.min_banks.astype(np.int32),
            cap=self.equations.caps_by_score[scores],
            always_stop=always_stop,
            can_pass=states.rules.passes,
            tolerances=self.tolerances,
            response_margin=self.response_margin,
            stop_tolerance=self.certain_margin,
        )

    def new_certain_stops(self, rows: int, zeros: Callable[[int], Doubles] = np.zeros) -> CertainStops:
        """Return room for the certain stops of so many rows, in one array made by ``zeros``."""
        if not self.uses_kernel:
            return np.zeros((0, 0)), np.zeros(0)
        totals, dtype = len(self.kernel_race.always_stop), self.kernel_turn.mode_set_dtype
        mode_sets_per_double = 8 // np.dtype(dtype).itemsize
        array = zeros(rows + math.ceil(rows * totals / mode_sets_per_double))
        mode_sets = array[rows:].view(dtype)[: rows * totals]
        return mode_sets.reshape(rows, -1), array[:rows]

    def reference_solver(
        self, win: Doubles, past: Doubles | None, mixed: dict[int, MixedAction]
    ) -> ReferenceCycleSolver:
        """Return the reference solver on a whole table, which reads the mixed actions from ``mixed`` by line."""
        return ReferenceCycleSolver(self.equations, win, past, mixed, self.tolerances, self.response_margin)

    def kernel_solver(self, win: Doubles, past: Doubles | None, certain_stops: CertainStops) -> SeatsKernel:
        """Return the compiled solver on a table.

        Args:
            win: (rows x states x seats,) the value table.
            past: (rows, totals, seats - 1) what follows totals from the target on, in races with a last round.
            certain_stops: written as they are proved.
        """
        return SeatsKernel(self.kernel_turn, self.kernel_race, win, past, certain_stops)

    def rows_of(self, cycles: Cycles) -> Rows:
        """Return the rows of a whole table that the movers of cycles face: (cycles, seats)."""
        rows = np.zeros(cycles.shape, dtype=np.int64)
        for mover in range(self.seats):
            for distance in range(1, self.seats):
                rows[:, mover] *= self.equations.count
                rows[:, mover] += cycles[:, (mover + distance) % self.seats]
        return rows
