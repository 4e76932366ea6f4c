"""The interface of solvers of cycles: positions of one layer that zero turns lead to from each other.

A *line* is the states of all players from the mover on, read as digits of one number. A *row* is the states of all
opponents, from the next player on, which is what a mover faces. A *cycle* is given by one of its lines; the others are
its rotations.

Two solvers implement the interface. The compiled kernel (``core.seats.SeatsKernel``) knows one shape of turn. The
reference solver (``multiplayer_reference.ReferenceCycleSolver``) solves turns of any kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...turns.monotone_turn import is_monotone
from ...turns.push_turn import Doubles
from .states import States

Cycle = NDArray[np.int32]  # (seats,): the states of all players from one mover on
Cycles = NDArray[np.int32]  # (cycles, seats): the states of all players from one mover on
Rows = NDArray[np.int64]  # (cycles, seats): the rows that the movers of cycles face
Statuses = NDArray[np.uint8]  # (cycles,): 0 if solved, else UNSETTLED or HOPELESS (``core.seats``)
Work = tuple[int, int]  # how many choices were compared for a block of lanes, and the number of passes over a block
# Stops that are proved best, so that a kernel need not search them: (rows, totals) sets of modes, the bits of a number;
# and (rows,) the value of a bust for which that was proved. They hold for every smaller value of a bust, too.
CertainStops = tuple[NDArray[Any], Doubles]


def has_kernel(states: States) -> bool:
    """Return True if the compiled kernel can solve the turns of these rules.

    It knows monotone turns, in which busts cost no points of the score and nobody takes over dice.
    """
    return is_monotone(states.turn) and not states.rules.bust_costs and states.rules.take_over == "none"


class CycleSolver(Protocol):
    """Interface of a solver of cycles in a value table that it shares with its caller.

    A solver first computes values of an equilibrium. After ``bound_best_responses`` it computes upper bounds of what
    each seat can get by a best response to the policies that the value table implies.
    """

    def solve(
        self, cycles: Cycles, rows: Rows, zero_values: Doubles | None, next_cycle: Rows, status: Statuses, /
    ) -> Work:
        """Solve cycles of one layer, together with all threads that call this with the same ``next_cycle``.

        Args:
            cycles: (cycles, seats), the cycles to solve.
            rows: (cycles, seats), the rows of the value table that their movers face.
            zero_values: (cycles, seats), first guesses of what a zero turn is worth to each mover; None to let the
                solver guess.
            next_cycle: (1,), the first cycle that no thread has begun; it is advanced.
            status: (cycles,), written: 0 if a cycle is solved, else UNSETTLED or HOPELESS (``core.seats``).

        Returns:
            The work of this thread: how many choices it compared for a block of lanes, and its passes over a block.
        """

    def bound_best_responses(self, bounds: Doubles, certain_stops: Sequence[CertainStops], /) -> None:
        """Compute upper bounds of best responses instead of values from now on.

        Args:
            bounds: where to write them, an array of the shape of the value table.
            certain_stops: arrays of the same shapes as those of the values, for the certain stops of best responses:
                one pair for each seat, or one that all seats share. They are written as stops are proved.
        """

    def start_from_table(self) -> None:
        """Take the first guesses of later solves from the table, which holds the values of an earlier sweep."""

    def forget_certain_stops(self) -> None:
        """Discard all certain stops, because they were proved for other values."""
