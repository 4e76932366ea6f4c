"""A frame shot from many leads side by side, and the extra frame, which leads to itself.

Points lead along one axis, the shooter's lead, or how far it is from the best of the others: so all places share one
row of worths, along which the kernel slides, and nothing is laid out for each.

*An extra frame* is one unknown, x = f(x), f the first shooter's value if the next extra frame is worth x to who
begins it. Every frame's first throw is Big Scarney with chance 1/216, so f contracts and x is the only solution. f is
a maximum of straight lines, whose slope, the chance that all is level again, is carried along: Newton's method is there
in a step or two. It is monotone: so f(x + e) <= x + e and f(x - e) >= x - e, with the errors of f counted against them,
prove that the solution lies between (``settle``).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...turns.push_turn import Decisions, Doubles, PushTurn, TurnValue, pad
from ...util.errors import SolveError
from ...util.threads import ThreadPool

MOST_ROUNDS = 100
ASIDE = 8  # errors of a frame that are left between what is proved and what is found


def shoot(
    turn: PushTurn, after: Doubles, cap: int, big: float, *, inner: bool = False, follow: Decisions | None = None,
    threads: int = 1, pool: ThreadPool | None = None,
) -> TurnValue:  # fmt: skip
    """Solve the frame from every place: entering t points at place p is worth ``after[:, spent, p + t]``, by chips
    spent in the frame (channels, levels, places + cap); ``big``: what Big Scarney is worth, in channel 0.
    """
    channels, levels, width = after.shape
    lanes = pad(width - cap)
    block = max(mode.bank_ending or 0 for mode in turn.modes) // max(levels - 1, 1) or cap + 1 + lanes
    slide = np.repeat(after[:, :, -1:], block, axis=2)
    slide[:, :, :width] = after
    special = np.zeros((channels, turn.specials, lanes))
    special[:, :levels] = slide[:, :, :lanes]
    special[0, levels] = big
    caps = np.full(lanes, cap, dtype=np.int32)
    threads = min(threads, lanes // 64 + 1)
    return turn.solve(
        special, caps, slide=slide.reshape(channels, -1), inner=inner, follow=follow, pool=pool, threads=threads
    )


def settle(answer: Callable[[float], tuple[float, float]], guess: float, error: float, up: bool) -> float:
    """A bound of the fixed point of ``answer``, which tells value and slope and is computed within twice ``error``: one
    close above it, or below.

    Raises:
        SolveError: none was found.
    """
    side = 1 if up else -1
    for _ in range(MOST_ROUNDS):
        value, slope = answer(guess)
        if 2 * error <= (guess - value) * side <= 2 * ASIDE * error:
            return guess
        guess += (value - guess) / (1 - min(max(slope, 0.0), 0.99)) + side * ASIDE * error
    raise SolveError("the extra frames did not settle")
