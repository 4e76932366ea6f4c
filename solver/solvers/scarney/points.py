"""Straight Scarney alone: expected points of one frame.

Stopping is best from some level on. From n live dice one more roll gains g points on average. It keeps the t turn
points with probability p < 1, and otherwise leaves at most the value v of a fresh frame. So it pays only while
t < (g + v) / (1 - p), and turn points only grow while dice stay. ``ScarneyPointsProblem.solve`` checks that the cap
lies above.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ...games.scarney import DICE, FACES
from ...play.scarney import Play, ScarneyPosition
from ...turns.push_turn import Doubles, PushTurn
from ...util.errors import SolveError
from ..problem import ArraySpec, Progress, ValueTable
from ..turn_lanes import TurnLanes
from .problem import (
    CUT_PROBABILITY,
    Frame,
    FrameTurn,
    ScarneyProblem,
    frame_cap,
    frame_lane,
    frame_rounding_bound,
    round_up_points,
)


class ScarneyPointsProblem(ScarneyProblem):
    """Expected points of one frame.

    Five alike has no special meaning here and scores as ordinary dice. The probability of Big Scarney in the frame is
    reported beside the value.
    """

    def __init__(self, playable: Play) -> None:
        super().__init__(playable)
        self.rules = replace(self.rules, big=False)

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve the frame: ``points`` (1,), and ``wins_at_once`` (1,), the probability of Big Scarney in it."""
        frame = self.frame()
        value = float(frame.lane.solve().value[0, 0])
        level = stopping_level(self.rules.turn, value)
        if level + 2 * self.rules.turn.max_added_points >= frame.lane.cap:
            raise SolveError(
                f"the table of a frame ends at {frame.lane.cap} points, below the level {level} where stopping is best"
            )
        big = self._big_scarney_probability(frame.lane)
        arrays = {"points": np.array([value]), "wins_at_once": np.array([big])}
        return ValueTable(arrays, frame.bound)

    def frame(self, turn_points: int = 0) -> FrameTurn:
        """Return the frame with a table that is long enough for so many turn points.

        A longer table has larger values, so its error bound is larger.
        """
        lane = frame_lane(self.rules.turn, np.arange(self._cap + round_up_points(turn_points) + 1.0)[None, None], 0.0)
        return FrameTurn(lane, lane.cap * frame_rounding_bound(self.rules.turn))

    def _big_scarney_probability(self, lane: TurnLanes) -> float:
        """Return the probability of five alike on a roll of five dice, if expected points are maximized."""
        solved = lane.solve()
        assert solved.inner is not None
        turn, inner = self.rules.turn, solved.inner[0, :, :, 0]
        five_alike, all_rolls = 4.0 + 2**DICE, 6.0**DICE
        # With five live dice a frame goes on only by live rolls, as long as hitting is better than stopping.
        before_roll = np.zeros(lane.cap + 1 + turn.max_added_points)  # probabilities by turn points
        for points in range(lane.cap - 1, 0, -1):
            if inner[self.rules.holding(DICE), points] > points:
                before_roll[points] = (five_alike + self._live_rolls(False, before_roll, points)) / all_rolls
        start = np.zeros(1, dtype=np.int64)
        values = turn.roll_values(solved, lane.payoff, self.rules.free(DICE), start)[:, 0, 0, 0]
        doubles = bool(values.argmax())
        return float((five_alike + self._live_rolls(doubles, before_roll, 0)) / all_rolls)

    def _live_rolls(self, doubled: bool, before_roll: Doubles, points: int) -> float:
        """Return the sum of the probabilities after all live rolls of five dice but five alike."""
        roll, holding = self.rules.throw(DICE, doubled), self.rules.holding(DICE)
        live = sum(
            weight * before_roll[points + choice.added_points]
            for (choice,), weight in roll.classes
            if choice.next_mode == holding
        )
        five_alike = sum(before_roll[points + DICE * int(face) * (1 + doubled)] for face in FACES if face != "d")
        return float(live - five_alike)

    @cached_property
    def _cap(self) -> int:
        return frame_cap(self.rules.turn, CUT_PROBABILITY)[0]

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the two arrays of one number each."""
        return {"points": ArraySpec((1,), 0, self._cap), "wins_at_once": ArraySpec((1,))}

    def frame_values(self, solved: ValueTable, frames: Sequence[Frame]) -> tuple[Doubles, Doubles]:
        """Return the expected points of a frame."""
        return np.repeat(solved.arrays["points"], len(frames)), np.full(len(frames), solved.error_bound)

    def frame_turn(self, solved: ValueTable, frame: Frame, turn_points: int = 0) -> FrameTurn:
        """Return the one frame there is."""
        return self.frame(turn_points)

    def extra_results(self, solved: ValueTable, position: ScarneyPosition) -> Mapping[str, Any]:
        """Return the probability of Big Scarney in the frame."""
        if not self.playable.turn_begins(position):
            return {}
        return {"wins_at_once": float(solved.arrays["wins_at_once"][0])}


def stopping_level(turn: PushTurn, fresh: float) -> float:
    """Return the turn points from which no roll is worth it; ``fresh`` bounds the value of a frame without points."""
    level = 0.0
    for mode in turn.modes:
        for roll in mode.rolls:
            classes = [(choice, weight) for (choice,), weight in roll.classes]
            total = sum(weight for _, weight in classes)
            kept_weight = sum(weight for choice, weight in classes if choice.next_mode >= 0 and choice.keeps_points)
            gain = sum(weight * choice.added_points for choice, weight in classes if choice.next_mode >= 0) / total
            level = max(level, (gain + fresh) / (1 - kept_weight / total))
    return level
