"""One player alone: the best expected points of a turn, the fewest turns to the target, the best chance to get there.

All three put a payoff on the endings of the same turn:

- points: P[bank t] = t where the bank counts, else 0. Nothing bounds t. One more throw gains at most g points on
  average and loses the t in hand with chance p, so stopping is best from t = g / p on; there, t only grows, and so it
  stays best (the monotone case of optimal stopping). The table runs that far and one throw further.
- turns: with W(a) = minus the turns still needed from score a, P[bank t] = W(a + t) - 1, and W(a) = f(z) for a turn
  without points worth z = W(a) - 1. f is a maximum of straight lines in z, convex, and some line has a slope below 1 (a
  turn that banks), so the equation has one solution where f crosses z + 1; Newton's method on intercept and slope lands
  below it after one step, wherever it starts, climbs from there and stops after finitely many lines.
- reach: with R_k(a) = chance to hold the goal within k turns, P[bank t] = 1 at the goal, else R_(k-1)(a + t). No
  cycle: all scores of one k are solved as one batch of lanes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..advice import Advice, PositionValue
from ..core.push import LANES
from ..errors import InputError, SolveError
from ..games import Game
from ..games.pushluck import SPECIALS, WIN, WIPE, PushRules
from ..games.pushposition import PushPosition, read_turn
from ..turns.push import BUST, Doubles, PushTurn, TurnValue, pad
from ..turns.push import Choice as TurnChoice
from . import Solved, lone_player, no_parameters
from .ladder import Ladder, turn_rounding
from .pushmatch import Lane, advise_lane, position_value, read_score, solve_lane, within_target

NEWTON_PASSES = 200
FORCED_THROWS = 40  # throws in a row, beyond the level from which stopping is best, of modes that cannot stop
HOPELESS = 2.0**-40  # a chance to change anything in a turn that double precision cannot work with
FAR_BELOW = 1000.0  # turns: no state of a game anybody plays is that far from the one above it


class Points:
    """Greatest expected points of one turn, before and after the opening. No target, no opponents.

    A throw that wins at once has no meaning here and is scored as ordinary dice; its chance is told beside the value.
    """

    objective = "points"

    def __init__(self, game: Game, players: int | None = None, **parameters: int | None) -> None:
        no_parameters(self.objective, parameters)
        lone_player(self.objective, players)
        self.game = game
        self.players = 1
        self.parameters: dict[str, int] = {}
        self.ladder = Ladder(game.data)
        self.wins = [special for special in game.data.specials if special[1] == "win"]
        others = tuple(special for special in game.data.specials if special[1] != "win")
        self.rules: PushRules = replace(game.data, finish="at_least", specials=others)

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve the turn: ``points`` (2,), before the first bank and after it; ``wins_at_once`` (2,) where it can."""
        lanes = [self._lane(opened, 0) for opened in (False, True)]
        solved = [solve_lane(self.rules, lane)[0] for lane in lanes]
        largest, cap = max(float(lane.banks[-1]) for lane in lanes), max(lane.cap for lane in lanes)
        arrays = {"points": np.array([turn.value[0, 0] for turn in solved])}
        if self.wins:
            arrays["wins_at_once"] = np.array([self._wins_at_once(*pair) for pair in zip(lanes, solved, strict=True)])
        # Twice: answers inside a turn may need a longer table, for the points that are already in hand.
        return Solved(arrays, 2 * largest * turn_rounding(self.rules.turn, cap) + self._truncation())

    def _truncation(self) -> float:
        """What the modes that cannot stop may gain beyond the table: they go on with a chance of at most q a throw."""
        turn, forced = self.rules.turn, self.rules.forced
        if forced >= len(turn.modes):
            return 0.0
        (throw,) = turn.modes[forced].throws
        on = sum(weight for offered, weight in throw.classes if any(choice.next == forced for choice in offered))
        q = on / sum(weight for _, weight in throw.classes)
        return float(turn.max_add * self.rules.grain * q**FORCED_THROWS / (1 - q))

    def _wins_at_once(self, lane: Lane, solved: TurnValue) -> float:
        """Chance that the turn, played for points, throws what wins at once."""
        assert solved.inner is not None
        rules, turn, inner = self.rules, self.rules.turn, solved.inner[0, :, :, 0]
        wins_in: dict[tuple[int, tuple[TurnChoice, ...]], int] = {}  # winning throws by dice and what they offer else
        winning = {throw for throw, _, _ in self.wins}
        for dice in {sum(throw) for throw in winning}:
            for throw, ways in rules.throws(dice):
                if throw in winning:
                    key = (dice, rules.choices(dice, throw))
                    wins_in[key] = wins_in.get(key, 0) + ways
        chance = np.zeros((len(turn.modes), lane.cap + turn.max_add + 1))
        for points in range(lane.cap - 1, -1, -1):
            for mode, here in enumerate(turn.modes):
                stops = here.bank is not None and points and lane.banks[points] >= inner[mode, points]
                if stops or not here.throws:
                    continue
                dice, total, wins = min(mode + 1, rules.dice), 0, 0.0
                for offered, weight in here.throws[0].classes:
                    best = max(offered, key=lambda c: inner[c.next, points + c.add] if c.next >= 0 else 0)
                    won = wins_in.get((dice, offered), 0)
                    wins += won + (weight - won) * (chance[best.next, points + best.add] if best.next >= 0 else 0.0)
                    total += weight
                chance[mode, points] = wins / total
        return float(chance[turn.start, 0])

    def start_lane(self, position: PushPosition, held: int) -> Lane:
        """The lane of a turn's start, with a table that goes on beyond ``held`` points."""
        return self._lane(position.score > 0, held)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        return {"points": (2,), **({"wins_at_once": (2,)} if self.wins else {})}

    def axes(self) -> dict[str, Any]:
        """Return the solved arrays that the question alone decides."""
        return {}

    def read(self, *, score: object = 0, turn: object = 0, roll: object = None, dice: object = None) -> PushPosition:
        """Check a position; of the score only matters whether the opening is done."""
        points = read_score(self.ladder, score, "score")
        return PushPosition(points, (), *read_turn(self.rules, turn, roll, dice))

    def show(self, position: PushPosition) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        return position.as_json(self.rules)

    def value(self, solved: Solved, position: PushPosition) -> PositionValue:
        """Expected points of the turn."""
        opened = position.score > 0
        if position.turn_begins:
            extra = {name: float(chances[int(opened)]) for name, chances in solved.arrays.items() if name != "points"}
            return PositionValue(float(solved.arrays["points"][int(opened)]), extra=extra)
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
        # Some throws further than the asked position or the level from which stopping is best, whichever is higher.
        throws = 3 + (FORCED_THROWS if self.rules.forced < len(turn.modes) else 0)
        cap = max(stopping_level(turn), least, held // grain) + throws * turn.max_add
        points = np.arange(cap + 1)
        banks = np.where(points >= least, points * grain, 0).astype(float)
        return Lane(banks, cap, bust=0.0, win=0.0, wipe=0.0)


def stopping_level(turn: PushTurn) -> int:
    """Return the points in hand from which one more throw gains nothing in any mode, and so stopping is best."""
    level = 0
    for mode in turn.modes:
        for throw in mode.throws:
            gain = sum(weight * max(choice.add for choice in offered) for offered, weight in throw.classes)
            lost = sum(weight for offered, weight in throw.classes if offered in ((BUST,), (WIPE,)))
            if not lost:
                raise InputError(
                    f"a throw of {mode.name} can never bust, so there is no best number of points to stop at"
                )
            level = max(level, -(-gain // lost))
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
        self.wipes = any(effect == "wipe" for _, effect, _ in self.rules.specials)

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every score: ``scores`` (n,) in points, ``turns`` (n,)."""
        wiped, before = -FAR_BELOW, None  # W(0), which a wiped score leads back to
        for _ in range(NEWTON_PASSES):
            worth, residual = self._solve_from(wiped)
            moved = abs(float(worth[0]) - wiped)
            if not self.wipes or moved <= 2.0**-46 * abs(wiped):
                break
            # W(0) as a function of itself is a maximum of lines: a secant step, Newton's where the line stays.
            slope = 0.0 if before is None else (float(worth[0]) - before[1]) / (wiped - before[0])
            before, wiped = (wiped, float(worth[0])), wiped + (float(worth[0]) - wiped) / (1 - min(slope, 0.999))
        else:
            raise SolveError("the scores that are lost as a whole did not settle")
        turns = -worth[self.ladder.scores]
        # One turn's error counts once for every turn still to come.
        most = float(turns.max())
        rounding = turn_rounding(self.rules.turn, int(self.ladder.caps.max()))
        bound = 2 * (most + 1) * (residual + (moved if self.wipes else 0.0) + (most + 1) * rounding)
        if bound > 1e-3:
            raise SolveError("the turns needed are too many to be computed to a bound worth stating")
        return Solved({"scores": self.ladder.scores * self.rules.grain, "turns": turns}, bound)

    def _solve_from(self, wiped: float) -> tuple[Doubles, float]:
        """W by score, and the largest residual, if W(0) after a wiped score is ``wiped``."""
        ladder, turn = self.ladder, self.rules.turn
        worth = np.full(ladder.target, -np.inf)
        residual, above = 0.0, 0.0
        for score in ladder.scores[::-1].tolist():
            cap = np.full(LANES, ladder.caps[score], dtype=np.int32)
            nothing = np.arange(cap[0] + 1) < ladder.counting_from[score]
            payoff = np.zeros((2, SPECIALS + len(nothing), LANES))
            banked = payoff[0, SPECIALS:]
            banked[:] = self._banks(worth, score, len(nothing))[:, None]
            payoff[0, -1 - WIN.next] = -1.0
            payoff[0, -1 - WIPE.next] = wiped - 1
            payoff[1, SPECIALS:][nothing] = 1.0
            payoff[1, 0] = 1.0
            scratch = turn.scratch(payoff, cap)
            zero = above - FAR_BELOW
            for _ in range(NEWTON_PASSES):
                payoff[0, 0] = zero
                banked[nothing] = zero
                value, slope = turn.solve(payoff, cap, scratch=scratch).value[:, 0]
                moved = abs(value - 1 - zero)
                if moved <= 2.0**-50 * (1 - value):
                    break
                if slope > 1 - HOPELESS:
                    message = f"from {score * self.rules.grain} points a turn changes anything with too small a chance"
                    raise SolveError(f"{message} to compute with")
                zero = (value - slope * zero - 1) / (1 - slope)
            else:
                raise SolveError(f"the turns from {score * self.rules.grain} points did not settle")
            worth[score] = above = float(value)
            residual = max(residual, moved)
        return worth, residual

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        return {"scores": (len(self.ladder.scores),), "turns": (len(self.ladder.scores),)}

    def axes(self) -> dict[str, Any]:
        """Return the solved arrays that the question alone decides."""
        return {"scores": self.ladder.scores * self.rules.grain}

    def read(self, *, score: object = 0, turn: object = 0, roll: object = None, dice: object = None) -> PushPosition:
        """Check a position."""
        inside = read_turn(self.rules, turn, roll, dice)
        return within_target(self.ladder, PushPosition(read_score(self.ladder, score, "score"), (), *inside))

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
        worth[self.ladder.scores] = -solved.arrays["turns"]
        cap, zero = int(self.ladder.caps[score]), float(worth[score]) - 1
        points = np.arange(cap + 1)
        banks = np.where(points >= self.ladder.counting_from[score], self._banks(worth, score, cap + 1), zero)
        return Lane(banks, cap, zero, win=-1.0, wipe=float(worth[0]) - 1)


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
        cap[:lanes] = self.caps[scores]
        points = np.arange(int(cap.max()) + 1)[:, None]
        payoff = np.zeros((1, SPECIALS + len(points), pad(lanes)))
        payoff[0, -1 - WIN.next] = 1.0
        scratch = turn.scratch(payoff, cap)
        after, nothing = points + scores, points < ladder.counting_from[scores]
        reach = np.zeros((self.parameters["turns"] + 1, lanes))
        known = np.ones(int(after.max()) + 1)
        for turns in range(1, len(reach)):
            known[: self.goal] = 0
            known[scores] = reach[turns - 1]
            payoff[0, 0, :lanes] = reach[turns - 1]
            payoff[0, -1 - WIPE.next] = reach[turns - 1, 0]
            payoff[0, SPECIALS:, :lanes] = np.where(nothing, reach[turns - 1], known[after])
            reach[turns] = turn.solve(payoff, cap, scratch=scratch).value[0, :lanes]
            progress(turns / self.parameters["turns"])
        bound = (self.parameters["turns"] + 1) * turn_rounding(turn, int(cap.max()))
        return Solved({"scores": scores * self.rules.grain, "reach": reach}, bound)

    @cached_property
    def caps(self) -> NDArray[np.int32]:
        """By score below the goal, where the turn's table ends: the fewest points that count and hold the goal."""
        if self.ladder.exact:
            return self.ladder.caps
        need = self.goal - np.arange(self.ladder.target)
        caps: NDArray[np.int32] = np.maximum(need, self.ladder.counting_from).astype(np.int32)
        return caps

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        scores = int((self.ladder.scores < self.goal).sum())
        return {"scores": (scores,), "reach": (self.parameters["turns"] + 1, scores)}

    def axes(self) -> dict[str, Any]:
        """Return the solved arrays that the question alone decides."""
        return {"scores": self.ladder.scores[self.ladder.scores < self.goal] * self.rules.grain}

    def read(self, *, score: object = 0, turn: object = 0, roll: object = None, dice: object = None) -> PushPosition:
        """Check a position; the goal and the turns left are the question's own."""
        points = read_score(self.ladder, score, "score")
        if points >= self.parameters["goal"]:
            raise InputError(f"score {points} has already reached the goal of {self.parameters['goal']}")
        return within_target(self.ladder, PushPosition(points, (), *read_turn(self.rules, turn, roll, dice)))

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
        cap = int(self.caps[score])
        points = np.arange(cap + 1)
        known = np.ones(score + cap + 1)
        known[: self.goal] = 0
        known[solved.arrays["scores"] // self.rules.grain] = solved.arrays["reach"][-2]
        zero = float(known[score])
        banks = np.where(points >= self.ladder.counting_from[score], known[score + points], zero)
        return Lane(banks, cap, zero, win=1.0, wipe=float(known[0]))
