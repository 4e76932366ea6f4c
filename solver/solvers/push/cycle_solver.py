"""The interface of solvers of cycles: positions of one layer that zero turns lead to from each other.

A *line* is the states of all players from the mover on, read as digits of one number. A *row* is a line without its
last digit: what a mover faces. A *cycle* is given by one of its lines; the others are its rotations.

Two solvers implement the interface. The compiled kernel (``core.seats.SeatsKernel``) knows one shape of turn. The
reference solver (``multiplayer_reference.ReferenceCycleSolver``) solves turns of any kind.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...turns.push_turn import Doubles

Cycles = NDArray[np.int32]  # (cycles, seats): the states of all players from one mover on
Rows = NDArray[np.int64]  # (cycles, seats): the rows that the movers of cycles face
Statuses = NDArray[np.uint8]  # (cycles,): 0 if solved, else UNSETTLED or HOPELESS (``core.seats``)
Work = tuple[int, int]  # choices weighed for a block of lanes, and passes over a block
# Turns of which it is proved that stopping is best, so that they need not be searched: sets of modes, by row and total;
# and by row, the value of a bust for which that was proved.
CertainStops = tuple[NDArray[Any], Doubles]


class CycleSolver(Protocol):
    """Solver of cycles in a value table that it shares with its caller.

    It first computes values of an equilibrium. After ``bound_best_responses`` it computes upper bounds of what each
    seat can get by a best response to the policies that the value table implies.
    """

    def solve(
        self, cycles: Cycles, rows: Rows, zero_values: Doubles | None, next_cycle: Rows, status: Statuses, /
    ) -> Work:
        """Solve cycles of one layer, together with all threads that call this with the same ``next_cycle``.

        Args:
            cycles: to be solved.
            rows: of the table, that their movers face.
            zero_values: (cycles, seats) guesses of what a zero turn is worth to each mover; None to guess here.
            next_cycle: (1,) the first cycle that no thread has begun; it is advanced.
            status: by cycle, written.
        """

    def bound_best_responses(self, bounds: Doubles, certain_stops: CertainStops, /) -> None:
        """Compute bounds of best responses from now on, and write them to a table shaped like the value table."""

    def start_from_table(self) -> None:
        """Take the first guesses of later solves from the table, which holds the values of an earlier sweep."""

    def forget_certain_stops(self) -> None:
        """Discard what was proved of certain stops."""
