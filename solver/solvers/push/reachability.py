"""How far a turn can go: the chance to ever add so many points. Where nothing bounds points, it says where tables end.

Let A(s) be the greatest chance to ever add s points to those in hand, whatever they are and in whatever mode of the
turn. A table that ends at c points, where whoever may stop does, is then wrong by at most A(c - t) at a position that
holds t points: the best play from there differs from the tabled one only once it holds c. At the start of a turn t is
0; deep inside a turn a longer table is needed, or the cut would be charged with the chance to come so far, which has
happened already.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...turns.push_turn import ANY, Doubles, PushTurn

AT_A_TIME = 64  # lanes to a call, which keeps the tables of all modes small


def inside(turn: PushTurn, specials: Sequence[float] | Doubles, banks: Doubles) -> Doubles:
    """What every mode is worth, with so many points in hand, if the endings are worth so much: (modes, len(banks))."""
    payoff = np.append(specials, banks)[None, :, None]
    inner = turn.solve(payoff, np.array([len(banks) - 1], dtype=np.int32), inner=True).inner
    assert inner is not None
    return inner[0, :, : len(banks), 0]


def shifts(turn: PushTurn) -> bool:
    """Whether only what is missing decides in a turn, not what is in hand."""
    return turn.keeps and all(mode.max_points == ANY for mode in turn.modes)


def ever_adds(turn: PushTurn, size: int) -> Doubles:
    """A(s) for s < size. Endings that are no banks count as not getting there.

    Points that a turn can lose only make it harder to have added s, so A is solved from no points in hand. Where a turn
    cannot lose any, it hangs on what is missing alone, and one table holds all of it.
    """
    if shifts(turn):
        there = np.append(np.zeros(size - 1), 1.0)
        missing: Doubles = inside(turn, np.zeros(turn.specials), there).max(axis=0)[::-1]
        return missing
    chance = np.ones(size)
    for first in range(1, size, AT_A_TIME):
        more = np.arange(first, min(first + AT_A_TIME, size), dtype=np.int32)
        points = np.arange(-turn.specials, int(more[-1]) + 1)[:, None]
        inner = turn.solve((points >= more)[None].astype(np.float64), more, inner=True).inner
        assert inner is not None
        chance[more] = inner[0, :, 0].max(axis=0)
    return chance
