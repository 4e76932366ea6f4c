"""Turns in integer arithmetic with directed rounding, for proofs.

Amounts are whole numbers of one unit, 2 ** -bits, in 64 bits. Sums and maxima of them are exact. Only the division of a
roll by the sum of its weights rounds: downward, or upward in lanes that ask for it. A result is therefore a proved
lower or upper bound of the turn.

The equation is that of ``turns.push_turn``:

    V[m, t] = max( P[bank_m + t],  max over rolls  floor or ceil ( sum_c w_c max_{j in c} V[next_j, ..] / W ) )

The compiled modes and arrays of ``turns.push_turn`` are used, but none of its arithmetic (``csrc/whole_kernel.h``).

From the cap on the player banks wherever that is allowed. This is exact if nothing is worth more than to bank so many
points. Modes that cannot bank continue among themselves beyond the cap. They start from the least or the greatest
payoff. If points are themselves the payoff, the table extends beyond the caps and ends with that least or greatest
payoff.
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

FORBIDDEN = -ZERO  # payoff of an ending that is not allowed
WEIGHT_PARTS = 1 << 60  # total of rescaled weights, for rolls whose weights do not fit 64 bits


class BlockWorkers:
    """Threads that solve blocks of lanes side by side."""

    def __init__(self, threads: int = 1) -> None:
        self.threads, self.pool = threads, ThreadPool(threads)

    def solve_blocks(self, solve: Callable[..., None], blocks: int, *arrays: Any) -> None:
        """Solve all blocks: ``solve(*arrays, first, step)`` solves every step-th block from ``first`` on."""
        threads = min(self.threads, blocks)
        if threads < 2:
            solve(*arrays, 0, 1)
            return
        for future in [self.pool.submit(solve, *arrays, first, threads) for first in range(threads)]:
            future.result()


class IntegerPushTurn:
    """A compiled push-your-luck turn in integer arithmetic."""

    def __init__(self, turn: PushTurn, workers: BlockWorkers | None = None) -> None:
        self.turn, self.workers = turn, workers or BlockWorkers()
        rolls = [roll.classes for mode in turn.modes for roll in mode.rolls]
        divisors = [math.gcd(*(int(weight) for _, weight in classes)) for classes in rolls]
        reduced = [
            [int(weight) // divisor for _, weight in classes] for classes, divisor in zip(rolls, divisors, strict=True)
        ]
        scaled = [_scale_weights(weights) for weights in reduced]
        is_mode = turn.arrays["next"] < len(turn.modes)
        integer_arrays = {
            "total": np.array([total for total, _ in scaled], dtype=np.int64),
            "weight": np.concatenate([weights for _, weights in scaled], axis=1),
            "keeps": -turn.arrays["keeps"] * is_mode,  # as a bit mask
        }
        # Consecutive rolls beyond the cap in modes that cannot bank: none if points may be lost again.
        passes = turn.forced_passes if turn.is_nondecreasing else 0
        self._kernel = WholePush(
            specials=turn.special_count,
            start=turn.start,
            forbid=turn.forbids_overshoot,
            forced_passes=passes,
            **{**turn.arrays, **integer_arrays},
        )

    def solve(
        self,
        payoff: Ints,
        caps: Ints,
        round_up: Ints,
        min_value: int,
        max_value: int,
        rows_past_cap: int = 0,
        gain_past_cap: Ints | int = 0,
        return_inner: bool = False,
    ) -> tuple[Ints, Ints]:
        """Return a lower or an upper bound of the turn in every lane.

        Args:
            payoff: (endings, lanes); NEVER for an ending that is not allowed.
            caps: (lanes,) the turn points from which the player banks if allowed.
            round_up: (lanes,) 1 for an upper bound, 0 for a lower bound.
            min_value: no turn is worth less where the table ends, or one roll further.
            max_value: no turn is worth more there.
            rows_past_cap: rows of the table beyond the caps; the payoff reaches one roll further.
            gain_past_cap: (modes, lanes) upper bound of the gain by rolling on where a player has to bank.
            inside: return the inner values too.

        Returns:
            The values (lanes,), and the inner values (modes, turn points, lanes), empty unless ``inside`` is set.
        """
        lanes, modes = len(caps), len(self.turn.modes)
        max_points = int(caps.max()) + (rows_past_cap + self.turn.max_added_points if rows_past_cap else 0)
        last_bank = max(mode.bank_ending or 0 for mode in self.turn.modes)
        needed_endings = self.turn.special_count + last_bank + max_points + (not self.turn.forbids_overshoot)
        if int(caps.min()) < 0 or len(payoff) < needed_endings:
            raise ValueError(f"{len(payoff)} endings do not reach {max_points}")
        padded_lanes = -(-lanes // LANES) * LANES
        padding = [(0, padded_lanes - lanes)]
        inner = np.empty((modes, max_points + 1, padded_lanes) if return_inner else (0, 0, 0), dtype=np.int64)
        value = np.empty(padded_lanes, dtype=np.int64)
        arrays = (
            np.pad(payoff, [(0, 0), *padding], "edge") + ZERO,
            np.pad(caps.astype(np.int32), padding, "edge"),
            np.pad(round_up, padding, "edge"),
            np.pad(np.where(round_up, max_value, min_value), padding, "edge") + ZERO,
            np.pad(np.broadcast_to(gain_past_cap, (modes, lanes)) * round_up, [(0, 0), *padding], "edge"),
        )
        self.workers.solve_blocks(
            self._kernel.solve, padded_lanes // LANES, *arrays, rows_past_cap, value, inner if return_inner else None
        )
        return value[:lanes] - ZERO, inner[:, :, :lanes] - ZERO


def _scale_weights(weights: Sequence[int]) -> tuple[int, Ints]:
    """Return the sum of a roll's weights and the weights for rounding down and up, (2, classes).

    Weights whose sum does not fit are rescaled to PARTS and rounded outward.
    """
    total = sum(weights)
    if total < 4 * WEIGHT_PARTS:
        return total, np.array([weights, weights], dtype=np.int64)
    rounded_down = [weight * WEIGHT_PARTS // total for weight in weights]
    return WEIGHT_PARTS, np.array(
        [rounded_down, [-(-weight * WEIGHT_PARTS // total) for weight in weights]], dtype=np.int64
    )
