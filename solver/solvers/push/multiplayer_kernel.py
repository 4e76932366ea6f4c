"""What solves the cycles of a race, whichever table it works on: a whole one, or the rows of some cycles."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.seats import SeatsKernel
from ...games.pushluck import WIN, WIPE
from ...turns.monotone_turn import MonotoneTurn, is_monotone
from ...turns.push_turn import Doubles
from ..reference_solver import SETTLED
from ..rounding_bounds import turn_rounding
from .multiplayer_model import Many
from .multiplayer_reference import Plain
from .race_solver import CERTAIN
from .states import States

Stops = tuple[NDArray[Any], Doubles]  # what is known of certain stops: modes by row and total, a bust by row


def quick(states: States) -> bool:
    """Whether the kernel knows the shape of the turns."""
    return is_monotone(states.turn) and not states.rules.costs and states.rules.take_over == "none"


class SeatsRace:
    """A race of so many seats as arrays. ``settled``: how closely a zero turn settles, and how closely where rounding
    is in the way; ``widen``: what a turn's result is raised by to bound best replies; ``plainly``: without the kernel.
    """

    def __init__(self, states: States, seats: int, plainly: bool = False) -> None:
        self.states, self.seats, self.equations = states, seats, Many(states, seats)
        self.quick = quick(states) and not plainly
        rules, end = states.rules, self.equations.end
        rounding = turn_rounding(self.equations.turn, self.equations.max_cap)
        self.settled, self.certain = (max(SETTLED, rounding / 8), max(SETTLED, rounding)), CERTAIN
        # Stops taken as certain, and sums around a cycle and with d, more than twice over: what is left of that shows
        # that the play comes to an end (``multiplayer_sweep``).
        self.widen = rounding + self.settled[1] + CERTAIN + (seats + 2) * 2.0**-51 + self.equations.past_slack(end)
        if not self.quick:
            return
        self.target, scores = states.target, states.scores
        self.turn, self.may_pass = MonotoneTurn(rules.turn, WIN, WIPE), rules.passes
        self.ends = np.zeros(end + 1, dtype=np.uint64)
        self.ends[end if self.equations.last else self.target :] = self.turn.banks
        if states.exact:  # one point more may not be held
            self.ends[self.target + 1] = (1 << self.turn.modes) - 1
        self.number = np.zeros(end + 1, dtype=np.int32)
        self.number[self.target :] = -1
        self.number[scores] = np.arange(len(scores))
        self.points, self.counts = scores.astype(np.int32), states.counts.astype(np.int32)
        self.caps = self.equations.ends[scores]

    def stops(self, rows: int, zeros: Callable[[int], Doubles] = np.zeros) -> Stops:
        """Room for what a kernel knows of so many rows, in one array. A kernel that forgets makes it empty."""
        if not self.quick:
            return np.zeros((0, 0)), np.zeros(0)
        each = 8 // np.dtype(self.turn.mode_set_dtype).itemsize
        room = zeros(rows + math.ceil(rows * len(self.ends) / each))
        modes = room[rows:].view(self.turn.mode_set_dtype)[: rows * len(self.ends)]
        return modes.reshape(rows, -1), room[:rows]

    def plain(self, table: Doubles, past: Doubles | None) -> Plain:
        """The plain path on a whole table."""
        return Plain(self.equations, table, past, self.settled, self.widen)

    def kernel(self, table: Doubles, past: Doubles | None, known: Stops) -> SeatsKernel:
        """The kernel on a table: flat, (rows x scores x seats,), with what follows past the target (``Many``) and
        what is known of certain stops.
        """
        return SeatsKernel(self.turn, self, table, past, known)

    def rows(self, cycles: NDArray[np.int32]) -> NDArray[np.int64]:
        """The rows of a whole table that the movers of cycles face: (cycles, seats)."""
        rows = np.zeros(cycles.shape, dtype=np.int64)
        for mover in range(self.seats):
            for other in range(1, self.seats):
                rows[:, mover] *= self.equations.count
                rows[:, mover] += cycles[:, (mover + other) % self.seats]
        return rows
