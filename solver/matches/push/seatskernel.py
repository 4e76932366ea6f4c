"""What the seats kernel is told of a race, whichever table it works on: a whole one, or the rows of some cycles."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.seats import SeatsKernel
from ...games.pushluck import WIN, WIPE
from ...turns.climb import climb
from ...turns.push import Doubles
from ..rounding import turn_rounding
from ..settle import SETTLED
from .many import Many
from .race import CERTAIN
from .states import States

Stops = tuple[NDArray[Any], Doubles]  # what is known of certain stops: modes by row and total, a bust by row


class SeatsRace:
    """A race of so many seats as arrays. ``settled``: how closely a zero turn settles, and how closely where rounding
    is in the way; ``widen``: what a turn's result is raised by to bound best replies.
    """

    def __init__(self, states: States, seats: int) -> None:
        self.states, self.seats, self.equations = states, seats, Many(states, seats)
        rules, self.target, scores, end = states.rules, states.target, states.scores, self.equations.end
        self.turn, self.passes = climb(rules.turn, WIN, WIPE), rules.passes
        self.ends = np.zeros(end + 1, dtype=np.uint64)
        self.ends[end if self.equations.last else self.target :] = self.turn.banks
        if states.exact:  # one point more may not be held
            self.ends[self.target + 1] = (1 << self.turn.modes) - 1
        self.number = np.zeros(end + 1, dtype=np.int32)
        self.number[self.target :] = -1
        self.number[scores] = np.arange(len(scores))
        self.points, self.counts = scores.astype(np.int32), states.counts.astype(np.int32)
        self.caps = self.equations.ends[scores]
        rounding = turn_rounding(rules.turn, int(self.equations.ends.max()))
        self.settled, self.certain = (max(SETTLED, rounding / 8), max(SETTLED, rounding)), CERTAIN
        # Stops taken as certain, and sums around a cycle and with d, more than twice over: what is left of that shows
        # that the play comes to an end (``seatssweep``).
        self.widen = rounding + self.settled[1] + CERTAIN + (seats + 2) * 2.0**-51 + self.equations.past_slack(end)

    def stops(self, rows: int, zeros: Callable[[int], Doubles] = np.zeros) -> Stops:
        """Room for what a kernel knows of so many rows, in one array. A kernel that forgets makes it empty."""
        each = 8 // np.dtype(self.turn.bits).itemsize
        room = zeros(rows + math.ceil(rows * len(self.ends) / each))
        modes = room[rows:].view(self.turn.bits)[: rows * len(self.ends)]
        return modes.reshape(rows, -1), room[:rows]

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
                rows[:, mover] *= len(self.points)
                rows[:, mover] += cycles[:, (mover + other) % self.seats]
        return rows
