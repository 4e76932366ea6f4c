"""finish=last_round with three and more: once somebody holds the target, everybody else has one last turn, in order.

Who still has a turn then is below the target, and of the others nothing matters but the highest total T and how many
hold it: they share alike what the rest leaves. So let G(b1, b2, ..; T, c) be what those get who still have a turn, with
scores b1, b2, .. from the mover on, against c who hold T. The mover's turn leads to a total X, and the others get

    G(b2, ..; T, c)  if X < T;   G(b2, ..; T, c + 1)  if X = T;   G(b2, ..; X, 1)  if X > T,

and the mover nothing, or one share of c + 1 or all of what they leave. Turns are solved from the last one back. All of
that hangs on X alone, whatever score the mover came from, and a bust is as bad as any total below T. So one table of
one turn, from the lowest score, holds the turns of all movers, but of those to whom a bank that ties may not count; of
turns that do not go on as they begin (dice chosen) each mover's is solved.

Totals have no bound: from ``end`` on they stand for each other. What that costs is said in ``last_round`` for two; here
a mover may lose to each of the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ...games.pushluck import SPECIALS, WIN
from ...turns.push_turn import Doubles
from ..model import Ints, split_lanes
from .last_round import AT_ONCE, LastRound
from .reachability import shifts


class LastTurns:
    """The last turns of so many ``seats``, against every total from the target to ``end``.

    G is kept by how many hold the total: for c = 1, 2, .. (lines, totals, those who have a turn), where each line is
    one of scores of those who have a turn.
    """

    def __init__(self, last: LastRound, seats: int, end: int) -> None:
        self.last, self.turn, self.seats, self.end = last, last.states.rules.turn, seats, end
        self.first = last.states.target
        self.totals = np.arange(self.first, end + 1)

    def nobody(self) -> list[Doubles]:
        """G where nobody has a turn any more."""
        return [np.zeros((1, len(self.totals), 0))] * self.seats

    def before(
        self, movers: Ints, tables: Sequence[Doubles], zeros: Callable[[int], Doubles] = np.zeros
    ) -> list[Doubles]:
        """G where one more has a turn first, with each of some scores, from what those after get."""
        made = [self._before(movers, tables, holding, zeros) for holding in range(1, len(tables))]
        return [one.reshape(-1, len(self.totals), one.shape[-1]) for one in made]

    def _before(
        self, movers: Ints, tables: Sequence[Doubles], holding: int, zeros: Callable[[int], Doubles]
    ) -> Doubles:
        """The same for one c: (movers, lines, totals, those who have a turn)."""
        lines, totals, after = tables[0].shape
        shape = len(movers), lines, totals, 1 + after
        found = zeros(math.prod(shape)).reshape(shape)
        lowest, places = int(movers.min()), np.arange(lines * totals)
        for part in split_lanes(places, AT_ONCE) if shifts(self.turn) else ():
            line, total = np.divmod(part, totals)
            turns = self._turns(lowest, 0, tables, holding, line, self.totals[total])
            found[:, line, total] = turns[movers - lowest]
        for number, mover in enumerate(movers.tolist()):
            least = self.last.least(mover)
            near = np.flatnonzero(self.totals < mover + least) if shifts(self.turn) else np.arange(totals)
            line, total = (one.ravel() for one in np.meshgrid(np.arange(lines), near, indexing="ij"))
            for part in split_lanes(np.arange(len(line)), AT_ONCE):
                turns = self._turns(mover, least, tables, holding, line[part], self.totals[total[part]])
                found[number, line[part], total[part]] = turns[0]
        return found

    def _turns(
        self, score: int, least: int, tables: Sequence[Doubles], holding: int, line: Ints, tops: Ints
    ) -> Doubles:
        """What turns bring who has one, by points in hand, for some lines and totals to beat: (points, lanes, who).

        Banks of fewer than ``least`` points from the score do not count.
        """
        cap = self.end - score
        banks, _ = self.endings(score, least, cap, tables, holding, line, tops)
        payoff = np.concatenate([np.repeat(banks[:, :1], SPECIALS, axis=1), banks], axis=1)
        payoff[:, -1 - WIN.next_mode] = np.eye(len(banks))[:, :1]
        inner = self.turn.solve(payoff, np.full(len(line), cap, dtype=np.int32), inner=True).inner
        assert inner is not None
        return inner[:, self.turn.start, : cap + 1].transpose(1, 2, 0)

    def endings(
        self, score: int, least: int, cap: int, tables: Sequence[Doubles], holding: int, line: Ints, tops: Ints
    ) -> tuple[Doubles, Doubles]:
        """What it brings those who have a turn, the mover first, to bank 0, 1, .. cap points, and each of those who
        hold the total: (who, points, lanes), (points, lanes). To bank nothing brings what a bust does.
        """
        made = score + np.arange(cap + 1)[:, None]
        counted = np.arange(cap + 1)[:, None] >= least
        above, level = counted & (made > tops), counted & (made == tops)
        total, number = (np.clip(one - self.first, 0, len(self.totals) - 1) for one in (tops, made[:, 0]))
        below, tied, ahead = tables[holding - 1][line, total], tables[holding][line, total], tables[0][line]
        ahead = ahead[:, number].transpose(1, 0, 2)  # (points, lanes, those after)
        others = np.where(above[:, :, None], ahead, np.where(level[:, :, None], tied, below))
        left = (1 - others.sum(axis=-1)).clip(0.0)
        shared = left / (holding + level)
        own = np.where(above, left, np.where(level, shared, 0.0))
        return np.concatenate([own[None], others.transpose(2, 0, 1)]), np.where(above, 0.0, shared)
