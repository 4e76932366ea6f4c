"""A race solved plainly: two tables that enclose the values, every state of every turn evaluated, by the push kernel.

It shares the rules, the states and the compiled turn with the race kernel, and none of its code: no certain stops, no
gaps carried along, no wiped scores drawn from earlier ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from keepwise.games.push_rules import SPECIAL_ENDING_COUNT, WIN, WIPE
from keepwise.solvers.push.last_round import TRUNCATION, LastTurns
from keepwise.solvers.push.states import States
from keepwise.solvers.rounding_bounds import turn_rounding_bound
from keepwise.turns.push_turn import round_up_to_blocks
from keepwise.util.errors import SolveError

SETTLED = 2.0**-48
MOST_PASSES, MOST_SWEEPS = 300, 300


def plain_race(states: States) -> tuple[NDArray[np.float64], float]:
    """The chance to win by the mover's and the opponent's score, and its bound."""
    last = LastTurns(states) if states.rules.finish == "last_round" else None
    width = states.target + (last.size if last else int(states.caps_by_score.max())) + 1
    known = np.zeros((2, states.target, width))  # hi and lo; 0 where the opponent has won
    if last:
        for score in states.scores.tolist():
            totals = np.arange(states.target, width)
            known[:, score, totals] = last.win_chance(np.array(score), totals)
    longest = int(last.end_totals.max()) if last else int(states.caps_by_score.max())
    d = turn_rounding_bound(states.rules.turn, longest) + 3 * SETTLED
    d += TRUNCATION + last.rounding if last else 0.0
    wiped = np.full((2, states.target), 0.5)
    for _ in range(MOST_SWEEPS):
        for total in range(2 * int(states.scores[-1]), -1, -1):
            mine = np.array([score for score in states.scores if total - score in states.scores], dtype=np.int64)
            if len(mine):
                _layer(states, last, known, wiped, mine, total, d)
        moved = np.abs(known[:, states.scores, 0] - wiped[:, states.scores]).max()
        wiped = known[:, :, 0].copy()
        if moved <= SETTLED or not any(one.effect == "wipe" for one in states.rules.specials):
            high, low = known[:, states.scores][:, :, states.scores]
            return (high + low) / 2, float((high - low).max() / 2)
    raise SolveError("the plain sweeps did not settle")


def _layer(states, last, known, wiped, scores, total, d) -> None:
    """The positions of one total, hi then lo; a lane's opponent to move stands as far from the other end."""
    turn = states.rules.turn
    mine, table = np.tile(scores, 2), np.repeat((0, 1), len(scores))
    theirs, lanes = total - mine, 2 * len(scores)
    cap = np.zeros(round_up_to_blocks(lanes), dtype=np.int32)
    cap[:lanes] = states.caps_by_score[mine]
    if last:
        cap[:lanes] = np.maximum(cap[:lanes], last.end_totals[theirs] - mine)
    points = np.arange(int(cap.max()) + 1)[:, None]
    payoff = np.zeros((2, SPECIAL_ENDING_COUNT + len(points), round_up_to_blocks(lanes)))
    banks = 1 - known[1 - table, theirs, np.minimum(mine + points, known.shape[2] - 1)]
    nothing = points < states.min_banks_by_score[mine]
    payoff[0, -1 - WIN.next_mode] = 1.0
    payoff[0, -1 - WIPE.next_mode, :lanes] = 1 - wiped[1 - table, theirs]
    payoff[1, SPECIAL_ENDING_COUNT:, :lanes] = nothing
    payoff[1, 0] = 1.0
    widen, zero = np.where(table == 0, d, -d), np.full(lanes, 0.5)
    for _ in range(MOST_PASSES):
        payoff[0, 0, :lanes] = zero
        payoff[0, SPECIAL_ENDING_COUNT:, :lanes] = np.where(nothing, zero, banks)
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
