"""Last turns of races of two players who have rules of their own (``finish=last_round``).

A player who reaches the own target, the *leader*, ends the game: the other one, the *chaser*, has one more turn. The
higher total in points wins, and equal totals share. Let L(d) be the chance of the chaser from d points behind, and A(s)
the greatest chance that a turn of the leader adds s units or more. Both are those of ``last_round``, with two
differences. Points are counted in the common grain of both players, because their rules may have different ones. And
targets may differ, so the chaser may be level (d = 0, a bust shares) or ahead (d < 0, which wins).

Start reading at ``UnlikeLastTurns``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ...games.push_rules import SPECIAL_ENDING_COUNT
from ...turns.push_turn import Caps, Doubles
from ...util.errors import SolveError
from ..model import Ints, split_lanes
from ..rounding_bounds import turn_rounding_bound
from .last_round import INITIAL_SPANS, LANES_PER_CALL, MAX_TABLE_SIZE, TRUNCATION, WIN_ENDING, chance_to_add
from .states import States


class UnlikeLastTurns:
    """Chances of the chaser in last turns, for all totals of the leader that matter.

    Attributes:
        leader, chaser: the states of both players.
        grain: the greatest number of points of which all totals of both players are multiples.
        chaser_unit, leader_unit: one unit of each player, in grains.
        add_chances: A(s) by s, in units of the leader; the last one is at most TRUNCATION.
        chances: (2, deficits) L(d) by d in grains, from 0 on. Index 0 of the first axis is for a chaser with score 0,
            who may need an opening; index 1 is for others.
        error: a bound of the error of a chance, and of what the end of the leader's tables costs.
        end_totals: (chaser's states,) the total, in units of the leader, at which the leader's tables may end.
    """

    def __init__(self, leader: States, chaser: States) -> None:
        """Solve the last turns of all deficits.

        Args:
            leader: the states of the player who may reach the target first.
            chaser: the states of the player who has the last turn.

        Raises:
            SolveError: turns reach so far that the tables would be too long.
        """
        self.leader = leader
        self.chaser = chaser
        self.grain = math.gcd(leader.rules.grain, chaser.rules.grain)
        self.leader_unit = leader.rules.grain // self.grain
        self.chaser_unit = chaser.rules.grain // self.grain
        self.add_chances = _find_add_chances(leader)
        max_total = leader.target - 1 + len(self.add_chances) - 1
        deficits = np.arange(max_total * self.leader_unit + 1)
        if len(deficits) > MAX_TABLE_SIZE:
            raise SolveError(
                "the scores of these players can differ by too many amounts to solve a last round: one scores in"
                f" multiples of {leader.rules.grain}, the other in multiples of {chaser.rules.grain}"
            )
        # The fewest points that may be banked differ only between a score of 0 and any other one.
        self.chances = np.array([self._solve_deficits(deficits, score) for score in (0, 1)])
        longest_table = int(self.caps(np.array([1]), deficits[-1:]).max())
        self.error = 4 * TRUNCATION + turn_rounding_bound(chaser.turn, longest_table)
        self.end_totals = self._find_end_totals()

    @property
    def negligible_points(self) -> int:
        """The fewest units that a turn of the leader adds with a chance of at most TRUNCATION."""
        return int((self.add_chances > TRUNCATION).sum())

    def deficits(self, scores: Ints, totals: Ints) -> Ints:
        """Return how many grains the chaser is behind; negative if ahead.

        Args:
            scores: scores of the chaser, in its units.
            totals: totals of the leader, in its units; a shape that broadcasts with ``scores``.
        """
        return totals * self.leader_unit - scores * self.chaser_unit

    def win_chance(self, scores: Ints, totals: Ints) -> Doubles:
        """Return the chances of the chaser in last turns, by table lookup; a tie counts 1/2.

        Args:
            scores: scores of the chaser, in its units.
            totals: totals of the leader, in its units; a shape that broadcasts with ``scores``.
        """
        deficits = self.deficits(scores, totals)
        in_table = np.clip(deficits, 0, self.chances.shape[1] - 1)  # beyond the table the chance is as negligible
        return np.asarray(np.where(deficits < 0, 1.0, self.chances[(scores > 0).astype(np.int64), in_table]))

    def caps(self, scores: Ints, deficits: Ints) -> Caps:
        """Return the turn points, in units of the chaser, at which the tables of last turns end: (lanes,).

        Args:
            scores: (lanes,) the chaser's scores, in its units.
            deficits: (lanes,) how many grains the chaser is behind.
        """
        points_to_win = np.maximum(deficits, 0) // self.chaser_unit + 1
        return np.asarray(np.maximum(points_to_win, self._min_banks(scores)).astype(np.int32))

    def payoffs(self, scores: Ints, deficits: Ints, bank_count: int) -> Doubles:
        """Return the chaser's chances after all endings of last turns: (endings, lanes).

        Args:
            scores: (lanes,) the chaser's scores, in its units.
            deficits: (lanes,) how many grains the chaser is behind.
            bank_count: the number of banks; the largest has ``bank_count`` - 1 units.
        """
        points = np.arange(bank_count)[:, None]
        lead = points * self.chaser_unit - deficits  # (banks, lanes) of the chaser, after the bank
        after_counting_bank = np.where(lead > 0, 1.0, np.where(lead == 0, 0.5, 0.0))
        without_points = after_counting_bank[0]  # (lanes,)
        after_small_bank = without_points if self.chaser.rules.can_end_with_nothing else np.full(len(deficits), -np.inf)
        banks = np.where(points < self._min_banks(scores), after_small_bank, after_counting_bank)
        specials = np.repeat(without_points[None], SPECIAL_ENDING_COUNT, axis=0)
        specials[WIN_ENDING] = 1.0
        return np.concatenate([specials, banks])

    def _min_banks(self, scores: Ints) -> Ints:
        """Return the fewest units of a bank that counts in a last turn: (lanes,)."""
        if not self.chaser.rules.minimum_on_win:
            return np.ones(len(scores), dtype=np.int64)
        return np.where(scores > 0, self.chaser.min_bank(1), self.chaser.min_bank(0))

    def _solve_deficits(self, deficits: Ints, score: int) -> Doubles:
        """Return L(d) for each of some deficits, in grains: (deficits,); 1 stands for every score above 0."""
        chances = np.empty(len(deficits))
        for lanes in split_lanes(np.arange(len(deficits)), LANES_PER_CALL):
            scores = np.full(len(lanes), score)
            caps = self.caps(scores, deficits[lanes])
            payoff = self.payoffs(scores, deficits[lanes], int(caps.max()) + 1)
            chances[lanes] = self.chaser.turn.solve(payoff[None], caps).value[0]
        return chances

    def _find_end_totals(self) -> NDArray[np.int32]:
        """Return the least total at which ending the leader's tables costs at most TRUNCATION; see ``last_round``."""
        added_points = np.arange(1, len(self.add_chances))
        totals = self.leader.target - 1 + added_points
        deficits = self.deficits(self.chaser.score[:, None], totals)
        chances = np.where(deficits < 0, 1.0, self.chances[1, np.clip(deficits, 0, self.chances.shape[1] - 1)])
        loss = self.add_chances[added_points] * chances
        return np.asarray(totals[(loss <= TRUNCATION).argmax(axis=1)].astype(np.int32))


def _find_add_chances(leader: States) -> Doubles:
    """Return A(s) for s = 0, 1, ..., until it is at most TRUNCATION.

    Args:
        leader: the states of the player whose turns add the points.

    Raises:
        SolveError: turns can add so many points that the tables would be too long.
    """
    size = INITIAL_SPANS * leader.target
    while True:
        chances = chance_to_add(leader.turn, size)
        if chances[-1] <= TRUNCATION:
            return chances[: int((chances > TRUNCATION).sum()) + 1]
        if size > MAX_TABLE_SIZE:
            raise SolveError("a turn can score too many points under these rules to solve a last round")
        size += size // 2
