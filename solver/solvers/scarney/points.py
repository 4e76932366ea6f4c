"""Straight Scarney alone: the greatest expected points of one frame.

Stopping is best from some level on. From n live dice one more throw gains g points on average, keeps the t points in
hand with chance p < 1, and else leaves at most the value v of a fresh frame: it pays only while t < (g + v) / (1 - p),
and points in hand only grow while dice stay. ``Points.solve`` checks that the cap of the table lies above.
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
from ..turn_lanes import Lanes
from .problem import CUT, Frame, FrameMatch, Solving, frame_cap, frame_rounding, lane, steps


class Points(FrameMatch):
    """Greatest expected points of one frame. Five alike has no meaning here and is scored as ordinary dice; the chance
    of Big Scarney in the frame is told beside the value.
    """

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self.rules = replace(self.rules, big=False)

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve the frame: ``points`` (1,) and ``wins_at_once`` (1,), the chance of Big Scarney in it."""
        frame = self.frame()
        value = float(frame.lane.solve().value[0, 0])
        level = stopping_level(self.rules.turn, value)
        if level + 2 * self.rules.turn.max_add >= frame.lane.cap:
            raise SolveError(
                f"the table of a frame ends at {frame.lane.cap} points, below the level {level} where stopping is best"
            )
        arrays = {"points": np.array([value]), "wins_at_once": np.array([self._big(frame.lane)])}
        return ValueTable(arrays, frame.bound)

    def frame(self, held: int = 0) -> Solving:
        """The frame, with a table that goes on beyond ``held`` points. With more points in hand numbers are larger, and
        so is their rounding.
        """
        made = lane(self.rules.turn, np.arange(self._cap + steps(held) + 1.0)[None, None], 0.0)
        return Solving(made, made.cap * frame_rounding(self.rules.turn))

    def _big(self, lane: Lanes) -> float:
        """Chance of five alike on a throw of five, in a frame played for points."""
        solved = lane.solve()
        assert solved.inner is not None
        turn, inner = self.rules.turn, solved.inner[0, :, :, 0]
        alike, all_dice = 4.0 + 2**DICE, 6.0**DICE
        # With five live dice a frame goes on only through live throws, while hitting is better than stopping.
        before = np.zeros(lane.cap + 1 + turn.max_add)
        for held in range(lane.cap - 1, 0, -1):
            if inner[self.rules.holding(DICE), held] > held:
                before[held] = (alike + self._going(False, before, held)) / all_dice
        start = np.zeros(1, dtype=np.int64)
        values = turn.throw_values(solved, lane.payoff, self.rules.free(DICE), start)[:, 0, 0, 0]
        return float((alike + self._going(bool(values.argmax()), before, 0)) / all_dice)

    def _going(self, doubled: bool, before: Doubles, held: int) -> float:
        """What the live throws but five alike, which have brought it already, lead to: by their number."""
        throw, holding = self.rules.throw(DICE, doubled), self.rules.holding(DICE)
        live = sum(
            weight * before[held + choice.added_points]
            for (choice,), weight in throw.classes
            if choice.next_mode == holding
        )
        alike = sum(before[held + DICE * int(face) * (1 + doubled)] for face in FACES if face != "d")
        return float(live - alike)

    @cached_property
    def _cap(self) -> int:
        return frame_cap(self.rules.turn, CUT)[0]

    def array_specs(self) -> dict[str, ArraySpec]:
        """Two numbers."""
        return {"points": ArraySpec((1,), 0, self._cap), "wins_at_once": ArraySpec((1,))}

    def begun(self, solved: ValueTable, frames: Sequence[Frame]) -> tuple[Doubles, Doubles]:
        """Expected points of the frame."""
        return np.repeat(solved.arrays["points"], len(frames)), np.full(len(frames), solved.error_bound)

    def solving(self, solved: ValueTable, frame: Frame, held: int = 0) -> Solving:
        """The one frame."""
        return self.frame(held)

    def extra_results(self, solved: ValueTable, position: ScarneyPosition) -> Mapping[str, Any]:
        """The chance of Big Scarney in the frame."""
        if not self.playable.turn_begins(position):
            return {}
        return {"wins_at_once": float(solved.arrays["wins_at_once"][0])}


def stopping_level(turn: PushTurn, fresh: float) -> float:
    """Points in hand from which no throw is worth it; ``fresh`` bounds the worth of a frame without points."""
    level = 0.0
    for mode in turn.modes:
        for throw in mode.rolls:
            total = sum(weight for _, weight in throw.classes)
            kept = sum(weight for (choice,), weight in throw.classes if choice.next_mode >= 0 and choice.keeps_points)
            gain = (
                sum(weight * choice.added_points for (choice,), weight in throw.classes if choice.next_mode >= 0)
                / total
            )
            level = max(level, (gain + fresh) / (1 - kept / total))
    return level
