"""Games by the round for one player: a round's points, the chance to reach a total, the rounds that it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...play.rounds import Play, RoundsPosition
from ...play.showdown import ShowdownPosition
from ...turns.exact_turn import exact_turn
from ...util.errors import InputError
from ..distribution import Distribution
from ..problem import Array, Found, Listing, Progress, Solved
from .problem import Floats, RoundMatch, solve_lanes, turn_rounding

Round = RoundsPosition | ShowdownPosition


class Points(RoundMatch[Round]):
    """Greatest expected points of a round (for a pot game: of a turn), with the exact fraction."""

    distributed = True

    def solve(self, threads: int, progress: Progress) -> Solved:
        """Solve the round: ``points`` (1,)."""
        value = solve_lanes(self.rules, self._scores[None, :, None])
        return Solved({"points": value[0]}, turn_rounding(self.rules) * self.rules.most)

    @property
    def _scores(self) -> Floats:
        return np.arange(self.rules.most + 1, dtype=float)

    def arrays(self) -> dict[str, Array]:
        """One number."""
        return {"points": Array((1,), 0, self.rules.most)}

    def beginnings(self, solved: Solved, positions: Sequence[Round]) -> Found:
        """A round begins in one way."""
        return np.tile(solved.arrays["points"], (len(positions), 1)), solved.error_bound

    def lanes(self, solved: Solved, starts: Sequence[Round]) -> Floats:
        """A score is worth itself."""
        return np.tile(self._scores[None, :, None], (1, 1, len(starts)))

    def positions(self, told: Mapping[str, Any]) -> Listing[Round]:
        """The beginning of the round."""
        return Listing(1, (self.table.start(),))

    def facts(self, solved: Solved, position: Round) -> Mapping[str, Any]:
        """Before the round, its mean as a fraction."""
        if not self.table.turn_begins(position):
            return {}
        return {"fraction": str(exact_turn(self.rules.turn, range(self.rules.most + 1))[0])}

    def distribution(self, solved: Solved, position: Round, progress: Progress = lambda done: None) -> Distribution:
        """The round's points in exact fractions, played for the most expected."""
        if not self.table.turn_begins(position):
            raise InputError("a distribution is asked for before the first throw; leave the roll out")
        return Distribution.of(exact_turn(self.rules.turn, range(self.rules.most + 1))[1])


class Alone(RoundMatch[RoundsPosition]):
    """Rounds alone up to a total."""

    table: Play

    def positions(self, told: Mapping[str, Any]) -> Listing[RoundsPosition]:
        """Every total below the one to reach."""
        totals = self.table.totals(self.table.target - 1)
        return Listing(len(totals), (RoundsPosition((total,), turns_left=self.table.turns) for total in totals))

    def needed(self, positions: Sequence[RoundsPosition]) -> NDArray[np.int64]:
        """Points that are needed once a round has brought 0, 1, ...: (scores, positions)."""
        need = self.table.target - np.array([position.score for position in positions])
        return np.maximum(need - np.arange(self.rules.most + 1)[:, None], 0)


class Reach(Alone):
    """Greatest chance of a total of at least ``goal`` within ``turns`` rounds."""

    def solve(self, threads: int, progress: Progress) -> Solved:
        """Solve every number of rounds left and of points needed: ``reach`` (turns + 1, goal + 1)."""
        goal, turns, most = self.table.target, self.table.turns, self.rules.most
        reach = np.zeros((turns + 1, goal + 1))
        reach[:, 0] = 1
        for left in range(1, turns + 1):
            need = np.arange(goal + 1)[None] - np.arange(most + 1)[:, None]
            reach[left, 1:] = solve_lanes(self.rules, reach[left - 1][np.maximum(need, 0)][None])[0, 1:]
        return Solved({"reach": reach}, turns * turn_rounding(self.rules))

    def arrays(self) -> dict[str, Array]:
        """By rounds left and points needed."""
        return {"reach": Array((self.table.turns + 1, self.table.target + 1))}

    def beginnings(self, solved: Solved, positions: Sequence[RoundsPosition]) -> Found:
        """The chance to reach the goal with this round and the others left."""
        left = np.array([position.turns_left for position in positions])
        return solved.arrays["reach"][left, self.needed(positions)[0], None], solved.error_bound

    def lanes(self, solved: Solved, starts: Sequence[RoundsPosition]) -> Floats:
        """A score is worth the chance to get there with one round less."""
        left = np.array([start.turns_left for start in starts])
        found: Floats = solved.arrays["reach"][left - 1, self.needed(starts)][None]
        return found


class Turns(Alone):
    """Fewest expected rounds to reach the target alone."""

    def solve(self, threads: int, progress: Progress) -> Solved:
        """Solve every number of points needed: ``turns`` (target + 1,).

        A round that scores nothing comes back to itself. Its chance is the same however the round is played (a trio
        scores at least two), so it is divided out: E = (1 + sum over other scores) / (1 - chance of nothing).
        """
        nothing = np.zeros((1, self.rules.most + 1, 1))
        nothing[0, 0] = 1
        none = float(solve_lanes(self.rules, nothing)[0, 0])
        turns = np.zeros(self.table.target + 1)
        for need in range(1, self.table.target + 1):
            worth = -turns[np.maximum(need - np.arange(self.rules.most + 1), 0)]
            worth[0] = 0
            turns[need] = (1 - float(solve_lanes(self.rules, worth[None, :, None])[0, 0])) / (1 - none)
        most = float(turns.max())
        return Solved({"turns": turns}, (most + 1) ** 2 * 2 * turn_rounding(self.rules))

    def arrays(self) -> dict[str, Array]:
        """By points needed."""
        return {"turns": Array((self.table.target + 1,), 0, np.inf)}

    def beginnings(self, solved: Solved, positions: Sequence[RoundsPosition]) -> Found:
        """Expected rounds, this one included."""
        return solved.arrays["turns"][self.needed(positions)[0], None], solved.error_bound

    def lanes(self, solved: Solved, starts: Sequence[RoundsPosition]) -> Floats:
        """A score costs this round and those still to come."""
        found: Floats = -1 - solved.arrays["turns"][self.needed(starts)][None]
        return found

    def told(self, payoff: Floats) -> Floats:
        """Rounds are to be few: what is maximised is minus them."""
        return -payoff
