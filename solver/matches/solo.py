"""One player alone: the best expected points of a turn, the fewest turns to the target, the best chance to get there.

All three put a payoff on the endings of the same turn:

- points: P[bank t] = t where the bank counts, else 0. Nothing bounds t. One more throw gains at most g points on
  average and loses the t in hand with chance p, so stopping is best from t = g / p on; there, t only grows, and so it
  stays best (the monotone case of optimal stopping). The table runs that far and one throw further.
- turns: with W(a) = minus the turns still needed from score a, P[bank t] = W(a + t) - 1, and W(a) = f(z) for a turn
  without points worth z = W(a) - 1. f is a maximum of straight lines in z with slopes below 1, so the equation has one
  solution; from far below it Newton's method on intercept and slope climbs to it and stops after finitely many lines.
- reach: with R_k(a) = chance to hold the goal within k turns, P[bank t] = 1 at the goal, else R_(k-1)(a + t). No
  cycle: all scores of one k are solved as one batch of lanes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..advice import Advice, PositionValue
from ..core.push import LANES
from ..errors import InputError, SolveError
from ..games import Game
from ..games.pushluck import PushRules
from ..games.pushposition import PushPosition, read_points, read_turn
from ..turns.push import BUST, Doubles, PushTurn, pad
from . import Solved, lone_player, no_parameters
from .ladder import Ladder
from .pushmatch import Lane, advise_lane, position_value, read_score, solve_lane

NEWTON_PASSES = 200
FAR_BELOW = 1000.0  # turns: no state of a game anybody plays is that far from the one above it


class Points:
    """Greatest expected points of one turn, before and after the opening. No target, no opponents."""

    objective = "points"

    def __init__(self, game: Game, players: int | None = None, **parameters: int | None) -> None:
        no_parameters(self.objective, parameters)
        lone_player(self.objective, players)
        self.game = game
        self.players = 1
        self.parameters: dict[str, int] = {}
        self.rules: PushRules = game.data
        self.ladder = Ladder(game.data)

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve the turn: ``points`` (2,), before the first bank and after it."""
        lanes = [self._lane(opened, 0) for opened in (False, True)]
        points = [solve_lane(self.rules, lane)[0].value[0, 0] for lane in lanes]
        largest = max(float(lane.banks[-1]) for lane in lanes)
        return Solved({"points": np.array(points)}, largest * self.ladder.turn_rounding())

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        return {"points": (2,)}

    def read(self, *, score: object = 0, turn: object = 0, roll: object = None, dice: object = None) -> PushPosition:
        """Check a position; of the score only matters whether the opening is done."""
        points = read_points(self.rules, score, "score")
        if points:
            read_score(self.ladder, points, "score")
        return PushPosition(points, (), *read_turn(self.rules, turn, roll, dice))

    def show(self, position: PushPosition) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        return position.as_json(self.game.data)

    def value(self, solved: Solved, position: PushPosition) -> PositionValue:
        """Expected points of the turn."""
        opened = position.score > 0
        if position.turn_begins:
            return PositionValue(float(solved.arrays["points"][int(opened)]))
        return PositionValue(position_value(self.rules, self._lane(opened, position.turn), position))

    def advise(self, solved: Solved, position: PushPosition) -> Advice:
        """Rank every legal choice by expected points."""
        least = self.ladder.least(position.score) * self.rules.grain
        lane = self._lane(position.score > 0, position.turn)
        return advise_lane(
            self.rules, lane, position, self.objective, lambda points: points >= least, solved.error_bound
        )

    def _lane(self, opened: bool, held: int) -> Lane:
        turn, grain = self.rules.turn, self.rules.grain
        least = self.ladder.least(int(opened))
        # Three throws further than the asked position or the level from which stopping is best, whichever is higher.
        cap = max(stopping_level(turn), least, held // grain) + 3 * turn.max_add
        points = np.arange(cap + 1)
        return Lane(np.where(points >= least, points * grain, 0).astype(float), 0.0, cap)


def stopping_level(turn: PushTurn) -> int:
    """Return the points in hand from which one more throw gains nothing in any mode, and so stopping is best."""
    level = 0
    for mode in turn.modes:
        for throw in mode.throws:
            gain = sum(weight * max(choice.add for choice in offered) for offered, weight in throw.classes)
            busts = sum(weight for offered, weight in throw.classes if offered == (BUST,))
            if not busts:
                raise InputError(f"a throw of {mode.name} can never bust, so the best turn never ends")
            level = max(level, -(-gain // busts))
    return level


class Turns:
    """Fewest expected turns to reach the target alone."""

    objective = "turns"

    def __init__(self, game: Game, players: int | None = None, **parameters: int | None) -> None:
        no_parameters(self.objective, parameters)
        lone_player(self.objective, players)
        self.game = game
        self.players = 1
        self.parameters: dict[str, int] = {}
        self.rules: PushRules = game.data
        self.ladder = Ladder(game.data)

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every score: ``scores`` (n,) in points, ``turns`` (n,)."""
        ladder, turn = self.ladder, self.rules.turn
        worth = np.full(ladder.target, -np.inf)  # W by score
        residual, above = 0.0, 0.0
        for score in ladder.scores[::-1]:
            cap = np.full(LANES, ladder.cap(int(score)), dtype=np.int32)
            counting = ladder.counting[score, : cap[0] + 1]
            payoff = np.zeros((2, 1 + len(counting), LANES))
            payoff[0, 1:] = self._banks(worth, int(score), len(counting))[:, None]
            payoff[1, 1:][~counting] = 1.0
            payoff[1, 0] = 1.0
            scratch = turn.scratch(payoff, cap)
            zero = above - FAR_BELOW
            for _ in range(NEWTON_PASSES):
                payoff[0, 0] = zero
                payoff[0, 1:][~counting] = zero
                value, slope = turn.solve(payoff, cap, scratch=scratch).value[:, 0]
                moved = abs(value - 1 - zero)
                if moved <= 2.0**-50 * (1 - value):
                    break
                zero = (value - slope * zero - 1) / (1 - slope)
            else:
                raise SolveError(f"the turns from {score * self.rules.grain} points did not settle")
            worth[score] = above = float(value)
            residual = max(residual, moved)
        turns = -worth[ladder.scores]
        # One turn's error counts once for every turn still to come.
        most = float(turns.max())
        bound = 2 * most * (residual + (most + 1) * ladder.turn_rounding())
        return Solved({"scores": ladder.scores * self.rules.grain, "turns": turns}, bound)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        return {"scores": (len(self.ladder.scores),), "turns": (len(self.ladder.scores),)}

    def read(self, *, score: object = 0, turn: object = 0, roll: object = None, dice: object = None) -> PushPosition:
        """Check a position."""
        return PushPosition(read_score(self.ladder, score, "score"), (), *read_turn(self.rules, turn, roll, dice))

    def show(self, position: PushPosition) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        return position.as_json(self.game.data)

    def value(self, solved: Solved, position: PushPosition) -> PositionValue:
        """Expected turns, this one included."""
        if position.turn_begins:
            row = np.searchsorted(solved.arrays["scores"], position.score)
            return PositionValue(float(solved.arrays["turns"][row]))
        return PositionValue(-position_value(self.rules, self._lane(solved, position), position))

    def advise(self, solved: Solved, position: PushPosition) -> Advice:
        """Rank every legal choice by expected turns, this one included."""
        grain, score = self.rules.grain, position.score // self.rules.grain
        return advise_lane(
            self.rules,
            self._lane(solved, position),
            position,
            self.objective,
            lambda points: self.ladder.counts(score, points // grain),
            solved.error_bound,
            sign=-1,
        )

    def _banks(self, worth: Doubles, score: int, size: int) -> Doubles:
        """Payoff of banking 0, 1, ... units from ``score``, whether or not the bank counts."""
        after = np.zeros(size)
        after[: self.ladder.target - score] = worth[score : score + size]
        return after - 1

    def _lane(self, solved: Solved, position: PushPosition) -> Lane:
        score = position.score // self.rules.grain
        worth = np.full(self.ladder.target, -np.inf)
        worth[solved.arrays["scores"] // self.rules.grain] = -solved.arrays["turns"]
        cap = self.ladder.cap(score)
        banks = self._banks(worth, score, cap + 1)
        zero = float(worth[score]) - 1
        banks[~self.ladder.counting[score, : cap + 1]] = zero
        return Lane(banks, zero, cap)


class Reach:
    """Greatest chance to hold at least ``goal`` points within ``turns`` turns, alone."""

    objective = "reach"

    def __init__(
        self, game: Game, players: int | None = None, *, goal: int | None = None, turns: int | None = None
    ) -> None:
        lone_player(self.objective, players)
        if turns is None:
            raise InputError("reach needs the number of turns left: turns must be given")
        if not 1 <= turns <= 1000:
            raise InputError(f"turns={turns} must lie between 1 and 1000")
        self.game = game
        self.players = 1
        self.rules: PushRules = game.data
        goal = self.rules.target if goal is None else goal
        if not 1 <= goal <= self.rules.target:
            raise InputError(f"goal={goal} must lie between 1 and the target of {self.rules.target}")
        self.parameters = {"goal": goal, "turns": turns}
        self.ladder = Ladder(game.data)
        self.goal = math.ceil(goal / self.rules.grain)

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every score and number of turns left: ``scores`` (n,) in points, ``reach`` (turns + 1, n)."""
        ladder, turn = self.ladder, self.rules.turn
        scores = ladder.scores[ladder.scores < self.goal]
        lanes = len(scores)
        cap = np.zeros(pad(lanes), dtype=np.int32)
        cap[:lanes] = [self._cap(int(score)) for score in scores]
        payoff = np.zeros((1, 1 + int(cap.max()) + 1, pad(lanes)))
        scratch = turn.scratch(payoff, cap)
        after = np.arange(payoff.shape[1] - 1)[:, None] + scores
        nothing = ~ladder.counting[scores, : payoff.shape[1] - 1].T
        reach = np.zeros((self.parameters["turns"] + 1, lanes))
        known = np.ones(int(after.max()) + 1)
        for turns in range(1, len(reach)):
            known[: self.goal] = 0
            known[scores] = reach[turns - 1]
            payoff[0, 0, :lanes] = reach[turns - 1]
            payoff[0, 1:, :lanes] = np.where(nothing, reach[turns - 1], known[after])
            reach[turns] = turn.solve(payoff, cap, scratch=scratch).value[0, :lanes]
            progress(turns / self.parameters["turns"])
        bound = self.parameters["turns"] * ladder.turn_rounding()
        return Solved({"scores": scores * self.rules.grain, "reach": reach}, bound)

    def _cap(self, score: int) -> int:
        if self.ladder.exact:
            return self.ladder.cap(score)
        counting = np.flatnonzero(self.ladder.counting[score])
        return int(counting[counting >= self.goal - score][0])

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        scores = int((self.ladder.scores < self.goal).sum())
        return {"scores": (scores,), "reach": (self.parameters["turns"] + 1, scores)}

    def read(self, *, score: object = 0, turn: object = 0, roll: object = None, dice: object = None) -> PushPosition:
        """Check a position; the goal and the turns left are the question's own."""
        points = read_score(self.ladder, score, "score")
        if points >= self.parameters["goal"]:
            raise InputError(f"score {points} has already reached the goal of {self.parameters['goal']}")
        return PushPosition(points, (), *read_turn(self.rules, turn, roll, dice))

    def show(self, position: PushPosition) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        return position.as_json(self.game.data)

    def value(self, solved: Solved, position: PushPosition) -> PositionValue:
        """Chance to reach the goal with this turn and the others left."""
        if position.turn_begins:
            row = np.searchsorted(solved.arrays["scores"], position.score)
            return PositionValue(float(solved.arrays["reach"][-1, row]))
        return PositionValue(position_value(self.rules, self._lane(solved, position), position))

    def advise(self, solved: Solved, position: PushPosition) -> Advice:
        """Rank every legal choice by the chance to reach the goal."""
        grain, score = self.rules.grain, position.score // self.rules.grain
        return advise_lane(
            self.rules,
            self._lane(solved, position),
            position,
            self.objective,
            lambda points: self.ladder.counts(score, points // grain),
            solved.error_bound,
        )

    def _lane(self, solved: Solved, position: PushPosition) -> Lane:
        score = position.score // self.rules.grain
        later = solved.arrays["reach"][-2]
        known = np.ones(score + self._cap(score) + 1)
        known[: self.goal] = 0
        known[solved.arrays["scores"] // self.rules.grain] = later
        zero = float(known[score])
        cap = self._cap(score)
        banks = np.where(self.ladder.counting[score, : cap + 1], known[score : score + cap + 1], zero)
        return Lane(banks, zero, cap)
