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
from ...play.scarney import ScarneyGame, ScarneyPosition
from ...turns.push_turn import Doubles, PushTurn
from ...util.errors import SolveError
from ...util.progress_reporting import ProgressCallback
from ..problem import ArraySpec, ValueTable
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

FIVE_DICE_ROLLS = 6.0**DICE  # in order, of the six sides of each die
FIVE_ALIKE_ROLLS = 4.0 + 2**DICE  # of these: one for each live face, and 2**5 for the dead one, which two sides show


class ScarneyPointsProblem(ScarneyProblem):
    """One player who maximizes the expected points of one frame.

    Five alike has no special meaning here and scores as ordinary dice. The probability of Big Scarney (five alike on a
    roll of five dice) in the frame is reported beside the value.

    Attributes:
        rules: the rules of a frame, in which Big Scarney does not win.
        _cap: the points at which the table of a frame ends.
    """

    value_span = " a frame"

    def __init__(self, playable: ScarneyGame) -> None:
        """Take over the game, in which five alike is an ordinary roll if only points count."""
        super().__init__(playable)
        self.rules = replace(self.rules, big_scarney_wins=False)

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Compute the expected points of one frame under optimal play.

        Args:
            threads: not used, since one frame takes no time.
            progress: not called.

        Returns:
            ``points`` (1,), the expected points, and ``wins_at_once`` (1,), the probability of Big Scarney.

        Raises:
            SolveError: the table of the frame ends before stopping is certainly best.
        """
        frame = self.frame()
        solved = frame.lane.solve()
        value = float(solved.value[0, 0])  # of channel 0 in the only lane
        assert solved.inner is not None  # (channels, modes, turn points, lanes)
        no_points_modes = [self.rules.no_points_mode(live) for live in range(1, DICE + 1)]
        level = stopping_level(self.rules.turn, float(solved.inner[0, no_points_modes, 0, 0].max()))
        # Whoever stops from the level on never has more turn points than the level and what one roll adds. A second
        # roll is a reserve. If the table is longer, its values hold for a frame without a cap, too.
        if level + 2 * self.rules.turn.max_added_points >= frame.lane.cap:
            raise SolveError(
                f"the table of a frame ends at {frame.lane.cap} points, before stopping is certainly best (at {level})"
            )
        big = self._big_scarney_probability(frame.lane)
        arrays = {"points": np.array([value]), "wins_at_once": np.array([big])}
        return ValueTable(arrays, frame.bound)

    def frame(self, turn_points: int = 0) -> FrameTurn:
        """Return the frame as one lane, in which entering points is worth these points.

        Its error bound grows with the length of its table, because larger values round to a larger error.

        Args:
            turn_points: turn points that the frame may have come to already. The table is extended by as many, rounded
                up to a multiple of CAP_STEP, so that frames with similar turn points have equal tables.
        """
        extension = round_up_points(turn_points)
        cap = self._cap + extension
        points = np.arange(cap + 1.0)
        bank_payoffs = points[None, None]  # (1 channel, 1 number of chips spent, points)
        unused = 0.0  # Big Scarney is no ending of a frame for points
        lane = frame_lane(self.rules.turn, bank_payoffs, big_scarney_payoff=unused)
        # The rounding bound is that for values up to 1; no value is larger than the cap.
        return FrameTurn(lane, lane.cap * frame_rounding_bound(self.rules.turn))

    def _big_scarney_probability(self, lane: TurnLanes) -> float:
        """Return the probability of five alike on a roll of five dice, if expected points are maximized.

        Let B(t) be this probability before a roll of five dice with t turn points. Dice that die never come back, so a
        frame still has five dice only if no roll so far had a dead die:

            B(t) = (rolls of five alike + sum of B(t + added points) over the other live rolls) / all rolls

        if rolling is better than stopping, else 0. From the cap of the table on, every player is taken to stop.

        Args:
            lane: the frame.
        """
        solved = lane.solve()
        assert solved.inner is not None
        turn = self.rules.turn
        # Inner values are by channel, mode, turn points and lane. The mode is that of five live dice with points.
        value_with_five_dice = solved.inner[0, self.rules.points_mode(DICE), :, 0]  # by turn points
        # B(t), by turn points t. From the cap on it stays 0, because the player stops.
        before_roll = np.zeros(lane.cap + 1 + turn.max_added_points)
        for points in range(lane.cap - 1, 0, -1):
            is_rolling_better = value_with_five_dice[points] > points
            if is_rolling_better:  # with turn points no roll can be doubled
                before_roll[points] = self._five_alike_probability(False, before_roll, points)
        # The frame begins without points. If the player may choose between two rolls, the second one doubles its spots;
        # the better roll is made.
        no_points = np.zeros(1, dtype=np.int64)
        roll_values = turn.roll_values(solved, lane.payoff, self.rules.no_points_mode(DICE), no_points)
        best_roll = int(roll_values[:, 0, 0, 0].argmax())  # in the only channel, without points, in the only lane
        return self._five_alike_probability(best_roll == 1, before_roll, points=0)

    def _five_alike_probability(self, is_doubled: bool, before_roll: Doubles, points: int) -> float:
        """Return the probability of five alike on a roll of five dice that is made now, or on a later one.

        Args:
            is_doubled: whether this roll counts its spots twice.
            before_roll: the probability before a later roll of five dice, by turn points.
            points: the turn points before this roll.
        """
        roll = self.rules.compile_roll(DICE, is_doubled)
        mode_with_five_dice = self.rules.points_mode(DICE)  # a roll leads there if all of its dice are live
        # The weighted sum over all rolls without a dead die, those of five alike included.
        live_sum = sum(
            weight * before_roll[points + choice.added_points]
            for (choice,), weight in roll.classes  # every roll offers one choice
            if choice.next_mode == mode_with_five_dice
        )
        # Of each live face there is one roll of five alike, with weight 1. It adds the spots of all dice.
        live_faces = [int(face) for face in FACES if face != "d"]  # "d" is the dead face
        spots_factor = 2 if is_doubled else 1
        five_alike_sum = sum(before_roll[points + DICE * face * spots_factor] for face in live_faces)
        later_sum = live_sum - five_alike_sum
        return float((FIVE_ALIKE_ROLLS + later_sum) / FIVE_DICE_ROLLS)

    @cached_property
    def _cap(self) -> int:
        """The points at which the table of a frame ends."""
        cap, _ = frame_cap(self.rules.turn, CUT_PROBABILITY)
        return cap

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the specs of the two arrays, expected points and the probability of Big Scarney: one number each."""
        return {"points": ArraySpec((1,), 0, self._cap), "wins_at_once": ArraySpec((1,))}

    def frame_values(self, value_table: ValueTable, frames: Sequence[Frame]) -> tuple[Doubles, Doubles]:
        """Return the expected points of each frame and the error bounds, (frames,) each; they are equal for all."""
        values = np.repeat(value_table.arrays["points"], len(frames))
        return values, np.full(len(frames), value_table.error_bound)

    def frame_turn(self, value_table: ValueTable, frame: Frame, turn_points: int = 0) -> FrameTurn:
        """Return the frame as one lane; nothing but its points counts, so it is the same for every ``frame``."""
        return self.frame(turn_points)

    def extra_results(self, value_table: ValueTable, position: ScarneyPosition) -> Mapping[str, Any]:
        """Return the probability of Big Scarney in the frame, ``wins_at_once``, if a frame begins in the position."""
        if not self.playable.is_turn_start(position):
            return {}
        return {"wins_at_once": float(value_table.arrays["wins_at_once"][0])}


def stopping_level(turn: PushTurn, no_points_value: float) -> float:
    """Return the turn points from which on stopping is certainly at least as good as any roll.

    A roll keeps the t turn points with probability p, adds g points on average, and goes on with at most the value v
    of a roll without turn points. So it is worth at most t p + g + v. Stopping is worth t, which is no less from
    t = (g + v) / (1 - p) on. The level is the largest of these t over all rolls.

    Args:
        turn: the frame.
        no_points_value: v, an upper bound of the value before any roll without turn points.
    """
    level = 0.0
    for mode in turn.modes:
        for roll in mode.rolls:
            total_weight = kept_weight = weighted_gain = 0
            for (choice,), weight in roll.classes:  # every class offers one choice
                total_weight += weight
                if choice.next_mode >= 0:  # else the frame ends without points
                    kept_weight += weight * choice.keeps_points
                    weighted_gain += weight * choice.added_points
            keep_probability = kept_weight / total_weight  # p
            mean_gain = weighted_gain / total_weight  # g
            level = max(level, (mean_gain + no_points_value) / (1 - keep_probability))
    return level
