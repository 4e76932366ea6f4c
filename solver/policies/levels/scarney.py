"""Levels of Straight Scarney: from how many points to stop in a frame, and whether to double down.

    1  one number for all live dice, and to double down always or never;
    2  a number for each count of live dice, which are as good as anything for a frame's points;
    3  the same;
    4  the same, and for who shoots last of two in the last frame: hit until ahead.

All of *level 1* are tried. *Level 2*: with what is best before every throw known, stopping is best from some points on,
so its limits bring what the best play does.
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
from ...play.scarney import Play, ScarneyPosition
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


@dataclass(frozen=True)
class Stops:
    """Stops with at least ``by_live[live - 1]`` points held; holding nothing doubles down where ``double`` says so.

    ``chases``: who shoots last of two in the last frame stops as soon as that wins, and not before.
    """

    by_live: tuple[int, ...]
    double: tuple[bool, ...]
    chases: bool = False

    def observation_key(self, start: ScarneyPosition) -> Hashable:
        """What is missing in the last frame."""
        return start.scores if self.chases and start.seat else None

    def choose(self, table: Play, position: ScarneyPosition) -> Choice[ScarneyPosition]:
        """What is done in a position in which there is something to choose."""
        choices = table.choices(position)
        by_kind = {choice.kind: choice for choice in choices}
        if ChoiceKind.BANK not in by_kind:
            double = by_kind.get(ChoiceKind.DOUBLE)
            return double if double and self.double[double.dice_left - 1] else choices[0]
        held = by_kind[ChoiceKind.BANK].points
        if self._last(table, position):
            enough = position.scores[1] + held > position.scores[0]
        else:
            enough = held >= self.by_live[by_kind[ChoiceKind.HIT].dice_left - 1]
        return by_kind[ChoiceKind.BANK if enough else ChoiceKind.HIT]

    def explain(self, table: Play, position: ScarneyPosition) -> str:
        """What decides there: the number of so many live dice, or that who is last hits until ahead."""
        choices = table.choices(position)
        dice = max(one.dice_left for one in choices)
        live = format_count(dice, "live die")
        if not any(choice.kind is ChoiceKind.BANK for choice in choices):
            return f"{'double down' if self.double[dice - 1] else 'throw plainly'} with {live}"
        if self._last(table, position):
            return "last to shoot in the last frame, hit until ahead"
        return f"stop from {self.by_live[dice - 1]} with {live}"

    def _last(self, table: Play, position: ScarneyPosition) -> bool:
        last = bool(position.playoff) or position.frame == table.frames
        return self.chases and position.seat == 1 and last

    def decisions(self, rules: ScarneyRules, rows: int, missing: int | None = None) -> Decisions:
        """The same for the compiled frame (rows, modes + classes); ``missing``: to draw level, in the last frame."""
        nodes = np.zeros((rows, len(rules.turn.modes) + rules.turn.class_count), dtype=np.int16)
        points = np.arange(rows)
        for live in range(1, DICE + 1):
            limit = self.by_live[live - 1] if missing is None or not self.chases else max(1, missing + 1)
            nodes[:, rules.holding(live)] = points < limit
            nodes[:, rules.free(live)] = 2 if rules.double and self.double[live - 1] else 1
        return nodes


def at_level(game: Game, level: int, objective: str, progress: ProgressCallback) -> Level:
    """Found for the points of a frame."""
    match = ask(game, "points")
    assert isinstance(match, ScarneyPointsProblem)
    if level == 1:
        ways = product(range(1, 60), (True, False) if match.rules.double else (False,))
        tried = (Stops((number,) * DICE, (double,) * DICE) for number, double in ways)
        return best_of(((policy, frame_points(match, policy)) for policy in tried), FRAME)
    policy = best_stops(match)
    value = frame_points(match, policy)
    chases = level == 4 and objective == "win" and not match.rules.chips
    return Level(replace(policy, chases=chases), value, float(match.frame().lane.solve().value[0, 0]), FRAME)


def frame_points(match: ScarneyPointsProblem, policy: Stops) -> float:
    """The points of a frame, on average."""
    lane = match.frame().lane
    follow = policy.decisions(match.rules, lane.turn.row_count(lane.cap))[:, :, None]
    return float(lane.turn.solve(lane.payoff, lane.caps, fixed_decisions=follow).value[0, 0])


def best_stops(match: ScarneyPointsProblem) -> Stops:
    """The limits of the best play, and whether it doubles down."""
    rules, lane, live = match.rules, match.frame().lane, range(1, DICE + 1)
    decided = best_decisions(lane)
    limits = stops(lane.turn, decided, lane.cap, map(rules.holding, live))
    return Stops(tuple(limits), tuple(bool(decided[0, rules.free(one)] == 2) for one in live))


def numbers(policy: Stops) -> int:
    """How many it takes: one, or one for each number of live dice, and the rule for who is last."""
    return (len(policy.by_live) if len(set(policy.by_live)) > 1 else 1) + policy.chases


def check(match: Problem[Any]) -> None:
    """The points of a frame, and the win of two."""
    if not isinstance(match, (ScarneyPointsProblem, ScarneyWinProblem)):
        raise InputError("policies of Straight Scarney are evaluated for the points of a frame and for the win of two")


def judged(match: Problem[Any], solved: ValueTable, policy: Stops) -> Evaluation:
    """Its points, or its chances from both seats."""
    if isinstance(match, ScarneyPointsProblem):
        best, value = float(solved.arrays["points"][0]), frame_points(match, policy)
        return Evaluation.of([value], [best], 2 * solved.error_bound)
    assert isinstance(match, ScarneyWinProblem)
    decided = partial(policy.decisions, match.rules)
    values = (match.against_best(solved, decided, seat) for seat in (0, 1))
    return Evaluation.of(
        values,
        match.seat_values(solved, [match.playable.start()]).values[0].tolist(),
        match.against_best_error_bound(solved),
    )
