"""Games by the round for one player: a round's points, the chance to reach a total, the rounds that it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...play.rounds import Play, RoundsPosition
from ...play.showdown import ShowdownPosition
from ...turns.exact_turn import solve_turn_exactly
from ...util.errors import InputError
from ..distribution import Distribution
from ..problem import ArraySpec, Found, PositionListing, Progress, ValueTable
from .problem import Floats, RoundMatch, solve_lanes, turn_rounding

Round = RoundsPosition | ShowdownPosition


class Points(RoundMatch[Round]):
    """Greatest expected points of a round (for a pot game: of a turn), with the exact fraction."""

    has_distribution = True

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve the round: ``points`` (1,)."""
        value = solve_lanes(self.rules, self._scores[None, :, None])
        return ValueTable({"points": value[0]}, turn_rounding(self.rules) * self.rules.most)

    @property
    def _scores(self) -> Floats:
        return np.arange(self.rules.most + 1, dtype=float)

    def array_specs(self) -> dict[str, ArraySpec]:
        """One number."""
        return {"points": ArraySpec((1,), 0, self.rules.most)}

    def state_values(self, solved: ValueTable, positions: Sequence[Round]) -> Found:
        """A round begins in one way."""
        return np.tile(solved.arrays["points"], (len(positions), 1)), solved.error_bound

    def lanes(self, solved: ValueTable, starts: Sequence[Round]) -> Floats:
        """A score is worth itself."""
        return np.tile(self._scores[None, :, None], (1, 1, len(starts)))

    def list_positions(self, told: Mapping[str, Any]) -> PositionListing[Round]:
        """The beginning of the round."""
        return PositionListing(1, (self.playable.start(),))

    def extra_results(self, solved: ValueTable, position: Round) -> Mapping[str, Any]:
        """Before the round, its mean as a fraction."""
        if not self.playable.turn_begins(position):
            return {}
        return {"fraction": str(solve_turn_exactly(self.rules.turn, range(self.rules.most + 1))[0])}

    def distribution(self, solved: ValueTable, position: Round, progress: Progress = lambda done: None) -> Distribution:
        """The round's points in exact fractions, played for the most expected."""
        if not self.playable.turn_begins(position):
            raise InputError("a distribution is asked for before the first throw; leave the roll out")
        return Distribution.of(solve_turn_exactly(self.rules.turn, range(self.rules.most + 1))[1])


class Alone(RoundMatch[RoundsPosition]):
    """Rounds alone up to a total."""

    playable: Play

    def list_positions(self, told: Mapping[str, Any]) -> PositionListing[RoundsPosition]:
        """Every total below the one to reach."""
        totals = self.playable.totals(self.playable.target - 1)
        return PositionListing(
            len(totals), (RoundsPosition((total,), turns_left=self.playable.turns) for total in totals)
        )

    def needed(self, positions: Sequence[RoundsPosition]) -> NDArray[np.int64]:
        """Points that are needed once a round has brought 0, 1, ...: (scores, positions)."""
        need = self.playable.target - np.array([position.score for position in positions])
        return np.maximum(need - np.arange(self.rules.most + 1)[:, None], 0)


class Reach(Alone):
    """Greatest chance of a total of at least ``goal`` within ``turns`` rounds."""

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve every number of rounds left and of points needed: ``reach`` (turns + 1, goal + 1)."""
        goal, turns, most = self.playable.target, self.playable.turns, self.rules.most
        reach = np.zeros((turns + 1, goal + 1))
        reach[:, 0] = 1
        for left in range(1, turns + 1):
            need = np.arange(goal + 1)[None] - np.arange(most + 1)[:, None]
            reach[left, 1:] = solve_lanes(self.rules, reach[left - 1][np.maximum(need, 0)][None])[0, 1:]
        return ValueTable({"reach": reach}, turns * turn_rounding(self.rules))

    def array_specs(self) -> dict[str, ArraySpec]:
        """By rounds left and points needed."""
        return {"reach": ArraySpec((self.playable.turns + 1, self.playable.target + 1))}

    def state_values(self, solved: ValueTable, positions: Sequence[RoundsPosition]) -> Found:
        """The chance to reach the goal with this round and the others left."""
        left = np.array([position.turns_left for position in positions])
        return solved.arrays["reach"][left, self.needed(positions)[0], None], solved.error_bound

    def lanes(self, solved: ValueTable, starts: Sequence[RoundsPosition]) -> Floats:
        """A score is worth the chance to get there with one round less."""
        left = np.array([start.turns_left for start in starts])
        found: Floats = solved.arrays["reach"][left - 1, self.needed(starts)][None]
        return found


class Turns(Alone):
    """Fewest expected rounds to reach the target alone."""

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve every number of points needed: ``turns`` (target + 1,).

        A round that scores nothing comes back to itself. Its chance is the same however the round is played (a trio
        scores at least two), so it is divided out: E = (1 + sum over other scores) / (1 - chance of nothing).
        """
        nothing = np.zeros((1, self.rules.most + 1, 1))
        nothing[0, 0] = 1
        none = float(solve_lanes(self.rules, nothing)[0, 0])
        turns = np.zeros(self.playable.target + 1)
        for need in range(1, self.playable.target + 1):
            worth = -turns[np.maximum(need - np.arange(self.rules.most + 1), 0)]
            worth[0] = 0
            turns[need] = (1 - float(solve_lanes(self.rules, worth[None, :, None])[0, 0])) / (1 - none)
        most = float(turns.max())
        return ValueTable({"turns": turns}, (most + 1) ** 2 * 2 * turn_rounding(self.rules))

    def array_specs(self) -> dict[str, ArraySpec]:
        """By points needed."""
        return {"turns": ArraySpec((self.playable.target + 1,), 0, np.inf)}

    def state_values(self, solved: ValueTable, positions: Sequence[RoundsPosition]) -> Found:
        """Expected rounds, this one included."""
        return solved.arrays["turns"][self.needed(positions)[0], None], solved.error_bound

    def lanes(self, solved: ValueTable, starts: Sequence[RoundsPosition]) -> Floats:
        """A score costs this round and those still to come."""
        found: Floats = -1 - solved.arrays["turns"][self.needed(starts)][None]
        return found

    def told(self, payoff: Floats) -> Floats:
        """Rounds are to be few: what is maximised is minus them."""
        return -payoff
