"""A race solved plainly: two tables that enclose the values, every state of every turn evaluated, by the push kernel.

It shares the rules, the ladder and the compiled turn with the race kernel, and none of its code: no certain stops, no
gaps carried along, no wiped scores drawn from earlier ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from keepwise.errors import SolveError
from keepwise.games.pushluck import SPECIALS, WIN, WIPE
from keepwise.matches.push.ladder import Ladder, turn_rounding
from keepwise.matches.push.lastround import TRUNCATION, LastRound
from keepwise.turns.push import pad

SETTLED = 2.0**-48
MOST_PASSES, MOST_SWEEPS = 300, 300


def plain_race(ladder: Ladder) -> tuple[NDArray[np.float64], float]:
    """The chance to win by the mover's and the opponent's score, and its bound."""
    last = LastRound(ladder) if ladder.rules.finish == "last_round" else None
    width = ladder.target + (last.size if last else int(ladder.caps.max())) + 1
    known = np.zeros((2, ladder.target, width))  # hi and lo; 0 where the opponent has won
    if last:
        for score in ladder.scores.tolist():
            totals = np.arange(ladder.target, width)
            known[:, score, totals] = last.against(score, totals)
    longest = int(last.last_totals.max()) if last else int(ladder.caps.max())
    d = turn_rounding(ladder.rules.turn, longest) + 3 * SETTLED
    d += TRUNCATION + last.rounding if last else 0.0
    wiped = np.full((2, ladder.target), 0.5)
    for _ in range(MOST_SWEEPS):
        for total in range(2 * int(ladder.scores[-1]), -1, -1):
            mine = np.array([score for score in ladder.scores if total - score in ladder.scores], dtype=np.int64)
            if len(mine):
                _layer(ladder, last, known, wiped, mine, total, d)
        moved = np.abs(known[:, ladder.scores, 0] - wiped[:, ladder.scores]).max()
        wiped = known[:, :, 0].copy()
        if moved <= SETTLED or not any(effect == "wipe" for _, effect, _ in ladder.rules.specials):
            high, low = known[:, ladder.scores][:, :, ladder.scores]
            return (high + low) / 2, float((high - low).max() / 2)
    raise SolveError("the plain sweeps did not settle")


def _layer(ladder, last, known, wiped, scores, total, d) -> None:
    """The positions of one total, hi then lo; a lane's opponent to move stands as far from the other end."""
    turn = ladder.rules.turn
    mine, table = np.tile(scores, 2), np.repeat((0, 1), len(scores))
    theirs, lanes = total - mine, 2 * len(scores)
    cap = np.zeros(pad(lanes), dtype=np.int32)
    cap[:lanes] = np.tile(last.caps(scores, total - scores), 2) if last else ladder.caps[mine]
    points = np.arange(int(cap.max()) + 1)[:, None]
    payoff = np.zeros((2, SPECIALS + len(points), pad(lanes)))
    banks = 1 - known[1 - table, theirs, np.minimum(mine + points, known.shape[2] - 1)]
    nothing = points < ladder.counting_from[mine]
    payoff[0, -1 - WIN.next] = 1.0
    payoff[0, -1 - WIPE.next, :lanes] = 1 - wiped[1 - table, theirs]
    payoff[1, SPECIALS:, :lanes] = nothing
    payoff[1, 0] = 1.0
    widen, zero = np.where(table == 0, d, -d), np.full(lanes, 0.5)
    for _ in range(MOST_PASSES):
        payoff[0, 0, :lanes] = zero
        payoff[0, SPECIALS:, :lanes] = np.where(nothing, zero, banks)
        value, slope = turn.solve(payoff, cap).value[:, :lanes]
        x = value + widen
        if np.abs(zero - (1 - x[::-1])).max() <= SETTLED:
            known[table, mine, theirs] = x
            return
        change = 1 - slope * slope[::-1]
        if change.min() < 2.0**-20:
            raise SolveError("a pair of turns changes little")
        line = x + slope * (1 - zero)
        zero = 1 - ((line - slope * line[::-1]) / change)[::-1]
    raise SolveError("the zero turns did not settle")
