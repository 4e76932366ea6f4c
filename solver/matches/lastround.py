"""finish=last_round: once somebody holds at least the target, the opponent has one last turn; highest total wins.

The player who reaches the target need not stop: more points make the last turn harder. Let L(d) be the chance of the
last turn of a player who is d behind: of banking more than d points, plus half that of banking exactly d. It needs no
match, only the turn: payoff 1 above d, 1/2 at d, 0 below.

Points have no bound here, so the table of a turn must end somewhere. Let R(c) be the greatest chance to ever hold c
points in a turn. Whoever stops at c points with a against b gives up at most L(a + c - b), and comes there with chance
at most R(c), so ending the table at c costs at most R(c) L(a + c - b). ``caps`` takes the first c where that is at most
TRUNCATION, which enters the error bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import SolveError
from ..games.pushluck import SPECIALS, WIN
from ..turns.push import Doubles, pad
from .ladder import Ladder, Scores, turn_rounding

TRUNCATION = 2.0**-52
MOST_STEPS = 4096


class LastRound:
    """The last turns of a ladder. ``chance[opened, d]`` is L(d) before the first bank (0) and after it (1), for
    d < ``size``; ``holds[c]`` is R(c), and ``rounding`` bounds the rounding error of each.
    """

    def __init__(self, ladder: Ladder) -> None:
        self.ladder = ladder
        self.size = 4 * ladder.target
        while True:
            behind = np.arange(self.size)
            self.holds = self._solve(behind, self.least(1), tie=1.0, win=0.0)
            if self.holds[self.size - 2 * ladder.target] <= TRUNCATION:
                break
            if self.size > MOST_STEPS:
                raise SolveError("the points of a turn reach too far for a last round to be solved under these rules")
            self.size += self.size // 2
        self.chance = np.array([self._solve(behind, self.least(opened), tie=0.5, win=1.0) for opened in (0, 1)])
        self.rounding = turn_rounding(ladder.rules.turn, self.size)

    def least(self, score: int) -> int:
        """Fewest points of a bank that counts in a last turn; what beats the other total reaches the target as well."""
        return self.ladder.least(score) if self.ladder.rules.minimum_on_win else 1

    def _solve(self, behind: Scores, least: int, tie: float, win: float) -> Doubles:
        """Chance to bank more than each number of points, plus ``tie`` times that of exactly so many."""
        turn, lanes = self.ladder.rules.turn, len(behind)
        cap = np.zeros(pad(lanes), dtype=np.int32)
        cap[:lanes] = np.maximum(behind + 1, least)
        points = np.arange(int(cap.max()) + 1)[:, None]
        payoff = np.zeros((1, SPECIALS + len(points), pad(lanes)))
        payoff[0, -1 - WIN.next] = win
        payoff[0, SPECIALS:, :lanes] = ((points > behind) + tie * (points == behind)) * (points >= least)
        return turn.solve(payoff, cap).value[0, :lanes]

    def against(self, score: int, totals: Scores) -> Doubles:
        """Chance of the last turn from ``score`` against each of ``totals``; too far ahead is as far as tabled."""
        result: Doubles = self.chance[int(score > 0), np.minimum(totals - score, self.size - 1)]
        return result

    def caps(self, mine: Scores, theirs: Scores) -> NDArray[np.int32]:
        """Points where the table of each turn ends: at least enough to reach the target."""
        caps = self.ladder.caps[mine].astype(np.int32)
        points = np.arange(1, self.size - 2 * self.ladder.target + 1)
        for lane, lead in enumerate((mine - theirs).tolist()):
            lost = self.holds[points] * self.chance[1, np.maximum(points + lead, 0)]
            caps[lane] = max(caps[lane], points[np.flatnonzero(lost <= TRUNCATION)[0]])
        return caps

    @property
    def highest(self) -> int:
        """A total above any that the turns within the caps can bank."""
        return self.ladder.target + self.size
