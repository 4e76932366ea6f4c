"""The turn in whole numbers, rounded down or up as every lane asks: what a proof is computed with.

Amounts are whole numbers of one unit, 2 ** -bits, in 64 bits. Sums of them are exact, and so are maxima; only the
division of a throw by the sum of its weights rounds, downward, or upward where a lane asks for it. So what comes out is
not above the true value of the turn, or not below it, and nothing has to be known about rounding.

    V[m, t] = max( P[bank_m + t],  max over throws  floor or ceil ( sum_c w_c max_{j in c} V[next_j, ..] / W ) )

as in ``turns.push_turn``, whose compiled modes and arrays are read here and whose arithmetic is not
(``csrc/whole_kernel.h``). From the
cap on whoever may stop has to: that is said of the turn by its caps, and is exact where nothing is worth more than to
stop with so many points. Modes that cannot stop go on there among themselves, from the least, or the most, that can be
paid. Where points pay themselves, they go on as far ``past`` the cap as the table is told to, and end there with the
least or the most.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.whole import LANES, ZERO, WholePush
from ..turns.push_turn import PushTurn
from ..util.threads import ThreadPool

Ints = NDArray[np.int64]

NEVER = -ZERO  # what may not be chosen
PARTS = 1 << 60  # in which weights are told whose sum does not fit


class Crew:
    """Threads that make turns in whole numbers."""

    def __init__(self, threads: int = 1) -> None:
        self.threads, self.pool = threads, ThreadPool(threads)

    def share(self, work: Callable[..., None], blocks: int, *arrays: Any) -> None:
        """Have blocks done: ``work(*arrays, first, step)`` does every step-th from the first on."""
        threads = min(self.threads, blocks)
        if threads < 2:
            work(*arrays, 0, 1)
            return
        for one in [self.pool.submit(work, *arrays, first, threads) for first in range(threads)]:
            one.result()


class WholeTurn:
    """A compiled turn over whole numbers."""

    def __init__(self, turn: PushTurn, crew: Crew | None = None) -> None:
        self.turn, self.crew = turn, crew or Crew()
        throws = [throw.classes for mode in turn.modes for throw in mode.rolls]
        shares = [math.gcd(*(int(weight) for _, weight in classes)) for classes in throws]
        weights = [[int(weight) // share for _, weight in one] for one, share in zip(throws, shares, strict=True)]
        told = [_fitting(some) for some in weights]
        goes_on = turn.arrays["next"] < len(turn.modes)
        own = {
            "total": np.array([total for total, _ in told], dtype=np.int64),
            "weight": np.concatenate([some for _, some in told], axis=1),
            "keeps": -turn.arrays["keeps"] * goes_on,  # as a mask
        }
        # throws in a row beyond the cap, of modes that cannot stop: none where points may be lost again
        passes = turn.forced_passes if turn.keeps else 0
        self._kernel = WholePush(
            specials=turn.specials, start=turn.start, forbid=turn.forbid, forced_passes=passes, **{**turn.arrays, **own}
        )

    def solve(
        self,
        payoff: Ints,
        caps: Ints,
        up: Ints,
        least: int,
        most: int,
        past: int = 0,
        more: Ints | int = 0,
        inside: bool = False,
    ) -> tuple[Ints, Ints]:
        """What the turn is worth by lane, at most that, or where ``up`` is 1 at least; and if ``inside`` is asked for,
        by mode and points in hand: (modes, points, lanes).

        Args:
            payoff: (endings, lanes), NEVER for what may not be.
            caps: (lanes,) with that many points whoever may stop does.
            up: (lanes,) 1 to round upward, 0 downward.
            least, most: nothing is worth less, or more, before the table ends and a throw further.
            past: how far beyond the caps the table goes on; banks are paid for one throw further.
            more: by mode and lane, what going on can bring, beyond what is paid, whoever has to stop.
        """
        lanes, modes = len(caps), len(self.turn.modes)
        top = int(caps.max()) + (past + self.turn.max_add if past else 0)
        banks = max(mode.bank_ending or 0 for mode in self.turn.modes)
        if int(caps.min()) < 0 or len(payoff) < self.turn.specials + banks + top + (not self.turn.forbid):
            raise ValueError(f"{len(payoff)} endings do not reach {top}")
        full = -(-lanes // LANES) * LANES
        fill = [(0, full - lanes)]
        inner = np.empty((modes, top + 1, full) if inside else (0, 0, 0), dtype=np.int64)
        value = np.empty(full, dtype=np.int64)
        arrays = (
            np.pad(payoff, [(0, 0), *fill], "edge") + ZERO,
            np.pad(caps.astype(np.int32), fill, "edge"),
            np.pad(up, fill, "edge"),
            np.pad(np.where(up, most, least), fill, "edge") + ZERO,
            np.pad(np.broadcast_to(more, (modes, lanes)) * up, [(0, 0), *fill], "edge"),
        )
        self.crew.share(self._kernel.solve, full // LANES, *arrays, past, value, inner if inside else None)
        return value[:lanes] - ZERO, inner[:, :, :lanes] - ZERO


def _fitting(weights: Sequence[int]) -> tuple[int, Ints]:
    """The sum of the weights of a throw, and the weights of its classes, as lanes that round down and up have them."""
    total = sum(weights)
    if total < 4 * PARTS:
        return total, np.array([weights, weights], dtype=np.int64)
    down = [weight * PARTS // total for weight in weights]
    return PARTS, np.array([down, [-(-weight * PARTS // total) for weight in weights]], dtype=np.int64)
