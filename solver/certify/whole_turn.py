"""Turns in integer arithmetic with directed rounding, for proofs.

Amounts are whole numbers of one unit, 2 ** -bits, in 64 bits. Sums and maxima of them are exact. Only the division of a
roll by the sum of its weights rounds: downward, or upward in lanes that ask for it. A result is therefore a proved
lower or upper bound of the turn.

The equation is that of ``turns.push_turn``:

    V[m, t] = max( P[bank_m + t],  max over rolls  floor or ceil ( sum_c w_c max_{j in c} V[next_j, ..] / W ) )

The compiled modes and arrays of ``turns.push_turn`` are used, but none of its arithmetic (``csrc/whole_kernel.h``).

From the cap on the player banks wherever that is allowed. This is exact if nothing is worth more than to bank so many
points. Modes that cannot bank lead to each other beyond the cap. Their values start from the least amount for lower
bounds, and from the greatest for upper bounds. If points are themselves the payoff, the table extends beyond the caps
and ends with that least or greatest amount.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.whole import LIMIT, PUSH_LANES, ZERO, WholePush
from ..turns.push_turn import PushTurn
from ..util.threads import ThreadPool

Ints = NDArray[np.int64]

FORBIDDEN = -ZERO  # payoff of an ending that is not allowed: the kernel stores x as x + ZERO, and 0 is -infinity there
WEIGHT_PARTS = 1 << 60  # total of rescaled weights, for rolls whose weights do not fit 64 bits
MAX_TOTAL_WEIGHT = 4 * WEIGHT_PARTS  # if the weights of a roll sum to less, sums of amounts times weights fit 128 bits


def ceil_divide(dividend: int, divisor: int) -> int:
    """Return the quotient of two whole numbers, rounded up."""
    return -(-dividend // divisor)


class BlockWorkers:
    """Threads that solve blocks of lanes side by side.

    Attributes:
        threads, pool: the number of threads, and the threads.
    """

    def __init__(self, threads: int = 1) -> None:
        """Begin a pool of so many threads."""
        self.threads = threads
        self.pool = ThreadPool(threads)

    def solve_blocks(self, solve: Callable[..., None], blocks: int, *arrays: Any) -> None:
        """Solve all blocks, split evenly among the threads; in the calling thread if one is enough.

        Args:
            solve: ``solve(*arrays, first, step)`` solves every step-th block from ``first`` on.
            blocks: the number of blocks.
            arrays: the arguments of ``solve``, which writes its results to some of them.
        """
        threads = min(self.threads, blocks)
        if threads < 2:
            first, step = 0, 1  # all blocks
            solve(*arrays, first, step)
            return
        futures = [self.pool.submit(solve, *arrays, first, threads) for first in range(threads)]
        for future in futures:
            future.result()  # waits, and raises what the thread raised


def empty_payoff(endings: int, lanes: int) -> Ints:
    """Return an array for payoffs, (endings, at least lanes), that ``IntegerPushTurn.solve`` need not copy.

    It has columns for whole blocks of lanes.
    """
    return np.empty((endings, ceil_divide(lanes, PUSH_LANES) * PUSH_LANES), dtype=np.int64)


class IntegerPushTurn:
    """A compiled push-your-luck turn in integer arithmetic: it gives a lower or an upper bound in every lane.

    Means over rolls are rounded down for lower bounds and up for upper bounds. All amounts are whole numbers of a unit.

    Attributes:
        turn: the compiled turn.
        workers: the threads that solve blocks.
    """

    def __init__(self, turn: PushTurn, workers: BlockWorkers | None = None) -> None:
        """Compile the kernel of a turn in integer arithmetic.

        Weights of roll classes are whole numbers already. If those of a roll are too large for the kernel, they are
        scaled down, and rounded: down for lower bounds, and up for upper bounds. Both kinds of lanes divide by the same
        total, and the amounts that the kernel stores are never negative. So smaller weights give a smaller mean, which
        is still a lower bound, and larger weights an upper bound.

        Args:
            turn: the compiled turn.
            workers: the threads that solve blocks; one thread if None.
        """
        self.turn = turn
        self.workers = workers or BlockWorkers()
        totals: list[int] = []  # by roll of any mode, the sum of its weights
        weights_by_roll: list[Ints] = []  # (2, classes) each: for lower bounds, and for upper bounds
        for mode in turn.modes:
            for roll in mode.rolls:
                weights = [int(weight) for _, weight in roll.classes]
                divisor = math.gcd(*weights)  # smaller weights with the same proportions
                total, rounded_weights = _scale_weights([weight // divisor for weight in weights])
                totals.append(total)
                weights_by_roll.append(rounded_weights)
        # By choice, whether it leads to a mode; endings are numbered after the modes.
        leads_to_mode = turn.arrays["next"] < len(turn.modes)
        integer_arrays = {
            "total": np.array(totals, dtype=np.int64),  # by roll
            "weight": np.concatenate(weights_by_roll, axis=1),  # (2, classes of all rolls)
            # By choice, a bit mask that the kernel applies to the row of the turn points, to find what the choice leads
            # to: -1, of which all bits are set, if it keeps the points, else 0. What an ending pays is stored in one
            # place for all rows, so the mask of an ending is 0.
            "keeps": -turn.arrays["keeps"] * leads_to_mode,
        }
        # At the cap, the kernel improves the bounds of modes that cannot bank by so many passes. They assume that rolls
        # lead to no fewer turn points, so none are made if points may be lost.
        forced_passes = turn.forced_passes if turn.is_nondecreasing else 0
        self._kernel = WholePush(
            specials=turn.special_count,
            start=turn.start,
            forbid=turn.forbids_overshoot,
            forced_passes=forced_passes,
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
        """Return a lower or an upper bound of the turn in every lane. All amounts are in units, as whole numbers.

        Args:
            payoff: (endings, lanes), special endings (bust, ...) first, then banks by turn points; FORBIDDEN for an
                ending that is not allowed, which the kernel reads as minus infinity. No payoff may be less. An array
                that is made by ``empty_payoff`` is not copied; its columns after the lanes are overwritten.
            caps: (lanes,) the turn points from which the player banks if allowed.
            round_up: (lanes,) 1 for an upper bound, 0 for a lower bound.
            min_value: a lower bound of every turn that goes on beyond the end of the table. Lower bounds read it there.
            max_value: an upper bound of every such turn. Upper bounds read it there.
            rows_past_cap: rows of the table beyond the caps. If there are any, the payoff reaches one roll further.
            gain_past_cap: (modes, lanes), or an array of a shape that can be broadcast to it: an upper bound of what a
                player who banks from the cap on could gain by rolling instead. It is added to upper bounds there.
            return_inner: return the inner values too.

        Returns:
            The values (lanes,), and the inner values (modes, turn points, lanes), empty unless ``return_inner`` is set.

        Raises:
            ValueError: a cap is negative, there are too few endings, or amounts are too large for the kernel.
        """
        lanes = len(caps)
        mode_count = len(self.turn.modes)
        max_points = int(caps.max())  # the most turn points that an ending can be paid for
        if rows_past_cap:  # the table ends past the cap, and one roll leads beyond its end
            max_points += rows_past_cap + self.turn.max_added_points
        if int(caps.min()) < 0 or len(payoff) < self._needed_endings(max_points):
            raise ValueError(f"{len(payoff)} endings do not reach {max_points}")
        _check_largest_amount(max(int(payoff[:, :lanes].max()) + int(np.max(gain_past_cap)), max_value))
        block_count = ceil_divide(lanes, PUSH_LANES)
        padded_lanes = block_count * PUSH_LANES  # the kernel solves whole blocks of lanes
        if payoff.shape[1] < padded_lanes or not payoff.flags.c_contiguous:
            without_padding = payoff
            payoff = empty_payoff(len(payoff), lanes)
            payoff[:, :lanes] = without_padding
        payoff[:, lanes:] = payoff[:, lanes - 1 : lanes]
        inner_shape = (mode_count, max_points + 1, padded_lanes) if return_inner else (0, 0, 0)
        inner = np.empty(inner_shape, dtype=np.int64)
        value = np.empty(padded_lanes, dtype=np.int64)
        value_past_table = np.where(round_up, max_value, min_value)  # by lane, a bound of what lies beyond it
        gain_of_upper_bounds = np.broadcast_to(gain_past_cap, (mode_count, lanes)) * round_up
        arrays = (
            payoff,
            _pad_lanes(caps.astype(np.int32), padded_lanes),
            _pad_lanes(round_up, padded_lanes),
            _pad_lanes(value_past_table, padded_lanes) + ZERO,  # as amounts are stored
            _pad_lanes(gain_of_upper_bounds, padded_lanes),
        )
        results = (value, inner if return_inner else None)
        self.workers.solve_blocks(self._kernel.solve, block_count, *arrays, rows_past_cap, *results)
        return value[:lanes] - ZERO, inner[:, :, :lanes] - ZERO  # from the form in which the kernel stores amounts

    def _needed_endings(self, max_points: int) -> int:
        """Return how many endings a payoff needs for a table up to ``max_points`` turn points.

        The bank of t points in a mode is ending special_count + bank_ending + t. So the last ending belongs to the mode
        with the largest bank_ending and to the most points. These are one less than ``max_points`` if it is forbidden
        to overshoot the cap.
        """
        largest_bank_ending = max(mode.bank_ending or 0 for mode in self.turn.modes)
        most_banked = max_points - 1 if self.turn.forbids_overshoot else max_points
        last_ending = self.turn.special_count + largest_bank_ending + most_banked
        return last_ending + 1


def _check_largest_amount(amount: int) -> None:
    """Raise ValueError if the largest amount of a turn, in units, is too large to be stored by the kernel."""
    if amount > LIMIT - ZERO:
        raise ValueError(f"an amount of {amount} units is more than {LIMIT - ZERO}")


def _pad_lanes(array: NDArray[Any], lane_count: int) -> NDArray[Any]:
    """Return an array whose last axis, the lanes, is filled up to ``lane_count`` with copies of the last lane."""
    padded = np.empty((*array.shape[:-1], lane_count), dtype=array.dtype)
    lanes = array.shape[-1]
    padded[..., :lanes] = array
    padded[..., lanes:] = array[..., lanes - 1 : lanes]
    return padded


def _scale_weights(weights: Sequence[int]) -> tuple[int, Ints]:
    """Return the total of a roll's weights, and its weights for rounding down and up, (2, classes).

    They are the weights themselves if their sum fits 64 bits. Otherwise they are rescaled to the total WEIGHT_PARTS and
    rounded outward, so that the two rows no longer add up to it.

    Args:
        weights: the weights of the roll classes, without a common divisor.
    """
    total = sum(weights)
    if total < MAX_TOTAL_WEIGHT:
        return total, np.array([weights, weights], dtype=np.int64)
    rounded_down = [weight * WEIGHT_PARTS // total for weight in weights]
    rounded_up = [ceil_divide(weight * WEIGHT_PARTS, total) for weight in weights]
    return WEIGHT_PARTS, np.array([rounded_down, rounded_up], dtype=np.int64)
