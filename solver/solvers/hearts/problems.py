"""Hearts Due: no decisions, but scores that are wiped, so every score leads to every other.

Nobody's throws change anybody else's score, so the players' scores are independent chains, and who wins is only a
matter of who is done first. One chain is followed turn by turn until what is left is negligible; the chance to win of
any number of players comes from the chances to be done after n turns. That takes the place of a linear system over the
whole board, and gives the distribution of the length of a game with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from ...games.hearts_due import ROLLS, HeartsRules
from ...play import MOST_PLAYERS
from ...play.hearts import HeartsPosition, Play
from ...play.table import Table
from ...util.errors import InputError
from ..distribution import Distribution
from ..problem import ArraySpec, Found, PositionListing, Problem, Progress, ValueTable, rotate_to_seats
from .score_chain import LEFT, Chain, Floats


class HeartsMatch(Problem[HeartsPosition]):
    """A match of Hearts Due. It values positions in which a turn begins: inside one there is nothing but its end."""

    playable: Play

    def __init__(self, table: Table[HeartsPosition]) -> None:
        super().__init__(table)
        self.rules: HeartsRules = table.game.data
        self.chain = Chain(self.rules, self.playable.target)

    def array_specs(self) -> dict[str, ArraySpec]:
        """By score: turns, or a chance."""
        scores = self.chain.scores
        least, most = (1.0, np.inf) if self.objective == "turns" else (0.0, 1.0)
        return {"scores": ArraySpec.fixed(scores), self.objective: ArraySpec(scores.shape, least, most)}

    def list_positions(self, told: Mapping[str, Any]) -> PositionListing[HeartsPosition]:
        """Every line of scores of the players."""
        scores = self.chain.scores.tolist()
        lines = product(scores, repeat=self.players)
        starts = (HeartsPosition(line, turns_left=self.playable.turns) for line in lines)
        return PositionListing(len(scores) ** self.players, starts)


class Points(HeartsMatch):
    """Expected points of one throw; a wiped score counts as nothing."""

    has_distribution = True

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """One sum."""
        return ValueTable({"points": np.array([float(self._whole().mean)])}, 1e-14)

    def _whole(self) -> Distribution:
        chances = {points: Fraction(ways, ROLLS) for points, ways in self.rules.ways.items()}
        chances[0] = chances.get(0, Fraction(0)) + Fraction(self.rules.wiped, ROLLS)
        return Distribution.of(chances)

    def array_specs(self) -> dict[str, ArraySpec]:
        """One number."""
        return {"points": ArraySpec((1,), 0, max(self.rules.ways))}

    def state_values(self, solved: ValueTable, positions: Sequence[HeartsPosition]) -> Found:
        """A throw begins in one way."""
        return np.tile(solved.arrays["points"], (len(positions), 1)), solved.error_bound

    def list_positions(self, told: Mapping[str, Any]) -> PositionListing[HeartsPosition]:
        """The beginning of the throw."""
        return PositionListing(1, (self.playable.start(),))

    def extra_results(self, solved: ValueTable, position: HeartsPosition) -> Mapping[str, Any]:
        """Before the throw, its mean as a fraction, and the chance of a wipe."""
        if not self.playable.turn_begins(position):
            return {}
        return {"fraction": str(self._whole().mean), "wiped": self.rules.wiped / ROLLS}

    def distribution(
        self, solved: ValueTable, position: HeartsPosition, progress: Progress = lambda done: None
    ) -> Distribution:
        """Points of one throw in exact fractions; a wipe is among the 0."""
        if not self.playable.turn_begins(position):
            raise InputError("a distribution is asked for before the throw; leave the roll out")
        return self._whole()


class Turns(HeartsMatch):
    """Expected turns to reach the target alone."""

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve every score: ``scores``, ``turns``.

        Each score adds one turn's rounding to a and d, relative, and E holds three of them: a, d and E(0) = a / d.
        """
        turns = self.chain.expected()
        bound = 3 * (len(turns) + 1) * self.chain.rounding * float(turns.max())
        return ValueTable({"scores": self.chain.scores, "turns": turns}, bound)

    def state_values(self, solved: ValueTable, positions: Sequence[HeartsPosition]) -> Found:
        """Expected turns, this one included."""
        places = self.chain.places([position.score for position in positions])
        return solved.arrays["turns"][places][:, None], solved.error_bound


class Reach(HeartsMatch):
    """Chance of a score of at least ``goal`` within ``turns`` turns."""

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Follow every score: ``scores``, ``reach``."""
        *_, reach = self.chain.done(self.playable.turns)
        bound = self.playable.turns * self.chain.rounding
        return ValueTable({"scores": self.chain.scores, "reach": reach[:-1]}, bound)

    def state_values(self, solved: ValueTable, positions: Sequence[HeartsPosition]) -> Found:
        """Chance to reach the goal: kept for all turns of the question, followed anew where some are gone."""
        lefts = {position.turns_left for position in positions}
        reach = {self.playable.turns: solved.arrays["reach"]}
        if gone := lefts - set(reach):
            reach |= {left: chance for left, chance in enumerate(self.chain.done(max(gone))) if left in gone}
        found = [reach[position.turns_left][self.chain.places(position.scores)] for position in positions]
        return np.array(found), solved.error_bound


class Win(HeartsMatch):
    """The chance of every player to reach the target first, from the chances of not being done after so many turns.

    Nothing is stored: the chains are followed when a position is asked about, in milliseconds.
    """

    player_range = (2, MOST_PLAYERS)
    is_quick = True

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """No arrays, and the bound: rounding of every turn followed, and what is left of the chains."""
        turns = len(self.chain.not_done)
        return ValueTable({}, self.players * ((turns + self.players) * self.chain.rounding + LEFT))

    def array_specs(self) -> dict[str, ArraySpec]:
        """Nothing is stored."""
        return {}

    def state_values(self, solved: ValueTable, positions: Sequence[HeartsPosition]) -> Found:
        """Chances of all seats: done on turn n, everybody before not done by n, everybody after not by n - 1."""
        found = []
        for position in positions:
            left = self._left(position)
            done = left[:-1] - left[1:]
            chances = []
            for seat in range(self.players):  # from the mover on
                before = left[1:, :seat].prod(axis=1)
                after = left[:-1, seat + 1 :].prod(axis=1)
                chances.append(float((done[:, seat] * before * after).sum()))
            found.append(rotate_to_seats(position.seat, chances))
        return np.array(found), solved.error_bound

    def _left(self, position: HeartsPosition) -> Floats:
        """Chances of not being done after 0, 1, ... turns: (turns, seats from the mover on)."""
        places = self.chain.places((position.score, *position.opponents))
        left = self.chain.not_done[:, places]
        return left[: int(np.argmax(left.max(axis=1) <= LEFT)) + 1]
