"""Levels of Straight Scarney: from how many points to stop in a frame, and whether to double down.

    1  one number for all live dice, and doubling down always or never;
    2  a number for each count of live dice, which is optimal for the points of a frame;
    3  as level 2;
    4  as level 2, and for the last of two shooters in the last frame: hit until ahead.

All strategies of level 1 are tried. Level 2 has the limits of optimal play, which stops from some points on.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ...games import Game
from ...games.scarney import DICE, ScarneyRules
from ...play.choice_kinds import ChoiceKind
from ...play.playable_game import Choice
from ...play.scarney import ScarneyGame, ScarneyPosition
from ...solvers import Problem, ValueTable
from ...solvers import make_problem as ask
from ...solvers.scarney.points import ScarneyPointsProblem
from ...solvers.scarney.win import ScarneyWinProblem
from ...turns.push_turn import Decisions
from ...util.errors import InputError
from ...util.number_format import format_count
from ...util.progress_reporting import ProgressCallback
from ..bank_limits import best_decisions, stops
from ..evaluation import Evaluation
from . import Level, best_of

FRAME = "the points of a frame"
LIMIT_END = 60  # level 1 tries all limits below
THROW_PLAINLY, DOUBLE_DOWN = 1, 2  # decisions before a throw, holding nothing


@dataclass(frozen=True)
class FrameLimitPolicy:
    """Stop from limits on that depend on the live dice, and double down with some numbers of live dice.

    Attributes:
        by_live: the points held from which the policy stops, by live dice minus 1.
        double: whether it doubles down when it holds nothing, by live dice minus 1.
        chases: the last of two shooters in the last frame stops as soon as that wins, and not before.
    """

    by_live: tuple[int, ...]
    double: tuple[bool, ...]
    chases: bool = False

    def observation_key(self, start: ScarneyPosition) -> Hashable:
        """Return the scores, if they decide the last turn of the last frame."""
        return start.scores if self.chases and start.seat else None

    def choose(self, playable: ScarneyGame, position: ScarneyPosition) -> Choice[ScarneyPosition]:
        """Return the choice that the policy makes in a decision position."""
        choices = playable.choices(position)
        by_kind = {choice.kind: choice for choice in choices}
        if ChoiceKind.BANK not in by_kind:
            double = by_kind.get(ChoiceKind.DOUBLE)
            return double if double and self.double[double.dice_left - 1] else choices[0]
        frame_points = by_kind[ChoiceKind.BANK].points
        if self._is_last_turn(playable, position):
            stops = position.scores[1] + frame_points > position.scores[0]
        else:
            stops = frame_points >= self.by_live[by_kind[ChoiceKind.HIT].dice_left - 1]
        return by_kind[ChoiceKind.BANK if stops else ChoiceKind.HIT]

    def explain(self, playable: ScarneyGame, position: ScarneyPosition) -> str:
        """Return in words what decides: the limit for the live dice, or that the last shooter hits until ahead."""
        choices = playable.choices(position)
        dice = max(choice.dice_left for choice in choices)
        live = format_count(dice, "live die")
        if not any(choice.kind is ChoiceKind.BANK for choice in choices):
            return f"{'double down' if self.double[dice - 1] else 'do not double down'} with {live}"
        if self._is_last_turn(playable, position):
            return "last to shoot in the last frame: hit until ahead"
        return f"stop at {self.by_live[dice - 1]} or more with {live}"

    def _is_last_turn(self, playable: ScarneyGame, position: ScarneyPosition) -> bool:
        is_last_frame = bool(position.playoff) or position.frame == playable.frames
        return self.chases and position.seat == 1 and is_last_frame

    def decisions(self, rules: ScarneyRules, rows: int, missing: int | None = None) -> Decisions:
        """Return the decisions for the compiled frame: (rows, modes + roll classes).

        Args:
            rules: the rules.
            rows: the number of rows, one for each number of points held.
            missing: in the last turn of the last frame, the points that are missing to draw level; else None.
        """
        decisions = np.zeros((rows, len(rules.turn.modes) + rules.turn.class_count), dtype=np.int16)
        points = np.arange(rows)
        for live in range(1, DICE + 1):
            limit = self.by_live[live - 1] if missing is None or not self.chases else max(1, missing + 1)
            decisions[:, rules.points_mode(live)] = points < limit
            decisions[:, rules.no_points_mode(live)] = (
                DOUBLE_DOWN if rules.can_double and self.double[live - 1] else THROW_PLAINLY
            )
        return decisions


def at_level(game: Game, level: int, objective: str, progress: ProgressCallback) -> Level:
    """Return the strategy of a level for the points of a frame."""
    problem = ask(game, "points")
    assert isinstance(problem, ScarneyPointsProblem)
    if level == 1:
        limits_and_doubles = product(range(1, LIMIT_END), (True, False) if problem.rules.can_double else (False,))
        policies = (FrameLimitPolicy((limit,) * DICE, (double,) * DICE) for limit, double in limits_and_doubles)
        return best_of(((policy, frame_points(problem, policy)) for policy in policies), FRAME)
    policy = best_stops(problem)
    value = frame_points(problem, policy)
    chases = level == 4 and objective == "win" and not problem.rules.counts_chips
    return Level(replace(policy, chases=chases), value, float(problem.frame().lane.solve().value[0, 0]), FRAME)


def frame_points(problem: ScarneyPointsProblem, policy: FrameLimitPolicy) -> float:
    """Return the mean points of a frame under a policy."""
    lane = problem.frame().lane
    decisions = policy.decisions(problem.rules, lane.turn.row_count(lane.cap))[:, :, None]
    return float(lane.turn.solve(lane.payoff, lane.caps, fixed_decisions=decisions).value[0, 0])


def best_stops(problem: ScarneyPointsProblem) -> FrameLimitPolicy:
    """Return the limits of optimal play, and with how many live dice it doubles down."""
    rules, lane = problem.rules, problem.frame().lane
    live_counts = range(1, DICE + 1)
    decisions = best_decisions(lane)
    limits = stops(lane.turn, decisions, lane.cap, map(rules.points_mode, live_counts))
    doubles = (bool(decisions[0, rules.no_points_mode(live)] == DOUBLE_DOWN) for live in live_counts)
    return FrameLimitPolicy(tuple(limits), tuple(doubles))


def numbers(policy: FrameLimitPolicy) -> int:
    """Return how many numbers to remember: one or one for each count of live dice, and the rule for the last."""
    return (len(policy.by_live) if len(set(policy.by_live)) > 1 else 1) + policy.chases


def check(problem: Problem[Any]) -> None:
    """Raise InputError unless the problem is the points of a frame or the win of two."""
    if not isinstance(problem, (ScarneyPointsProblem, ScarneyWinProblem)):
        raise InputError(
            "policies of Straight Scarney can only be evaluated for the objective points, or for win with 2 players"
        )


def evaluate(problem: Problem[Any], value_table: ValueTable, policy: FrameLimitPolicy) -> Evaluation:
    """Return the evaluation of a policy, for the points of a frame or the win of two."""
    if isinstance(problem, ScarneyPointsProblem):
        optimum = float(value_table.arrays["points"][0])
        return Evaluation.from_values([frame_points(problem, policy)], [optimum], 2 * value_table.error_bound)
    assert isinstance(problem, ScarneyWinProblem)
    decisions = partial(policy.decisions, problem.rules)
    values = (problem.against_best(value_table, decisions, seat) for seat in (0, 1))
    optima = problem.seat_values(value_table, [problem.playable.start()]).values[0].tolist()
    return Evaluation.from_values(values, optima, problem.against_best_error_bound(value_table))
