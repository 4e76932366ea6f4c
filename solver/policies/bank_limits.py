"""Limits of optimal play: from how many turn points on banking is always best, by the number of dice left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import numpy as np

from ..games.push_rules import PushRules
from ..play.push import PushPosition
from ..solvers import ValueTable
from ..solvers.push.problem import PushProblem
from ..solvers.turn_lanes import TurnLanes
from ..turns.push_turn import Decisions, PushTurn
from .aside_policy import AsidePolicy
from .push_policies import DiceCountPolicy, LimitPolicy

ScoreFreePolicy: TypeAlias = LimitPolicy | DiceCountPolicy | AsidePolicy  # is the same at all scores
BANK = 0  # the decision to bank, in arrays of decisions


def best_bank_limits(problem: PushProblem, value_table: ValueTable, start: PushPosition) -> dict[int, int]:
    """Return, by dice left, the fewest points from which banking is always best in a turn from ``start``."""
    lanes = problem.lanes(value_table, [start])
    return read_limits(problem.rules, best_decisions(lanes), lanes.cap)


def reached_bank_limits(problem: PushProblem, value_table: ValueTable, start: PushPosition) -> dict[int, int]:
    """Return the limits of ``best_bank_limits`` for those turn points only that optimal play comes to.

    With turn points that nearly win, rolling on is often best. But a player who banks as early as optimal play does
    never has so many, so these turn points would raise the limits for nothing.
    """
    lanes = problem.lanes(value_table, [start])
    decisions = best_decisions(lanes)
    _, visits = lanes.turn.reach_probabilities(decisions[..., None], lanes.caps, lanes.payoff.shape[1], visits=True)
    assert visits is not None
    is_reached = visits[..., 0] > 0
    mode_decisions = decisions.T[: len(is_reached)]
    rolls = is_reached & (mode_decisions != BANK)
    last_roll_points = np.where(rolls, np.arange(is_reached.shape[1]), 0).max(axis=1)
    for mode, last_points in enumerate(last_roll_points.tolist()):
        bank_points = np.flatnonzero(is_reached[mode] & (mode_decisions[mode] == BANK))
        later_bank_points = bank_points[bank_points > last_points]
        if later_bank_points.size:
            decisions[later_bank_points[0] :, mode] = BANK
    return read_limits(problem.rules, decisions, lanes.cap)


def winning_points(problem: PushProblem, start: PushPosition) -> int:
    """Return the fewest turn points whose bank wins."""
    return max(problem.playable.goal - start.score, problem.playable.min_bank(start))


def best_decisions(lanes: TurnLanes) -> Decisions:
    """Return the optimal decisions of the first lane: (rows, modes + roll classes)."""
    solved = lanes.turn.solve(lanes.payoff, lanes.caps, decisions=True)
    assert solved.decisions is not None
    return solved.decisions[:, :, 0]


def decisions_of_policy(rules: PushRules, lane: TurnLanes, policy: ScoreFreePolicy) -> Decisions:
    """Return the decisions of a policy in a turn for points, which has no target, as one lane."""
    rows = rules.turn.row_count(lane.cap)
    fewest_counting = int(np.argmax(lane.bank_payoffs > 0))
    return policy.decisions(rules, rules.turn, rows, lane.cap, fewest_counting, winning_points=rows)


def read_limits(rules: PushRules, decisions: Decisions, cap: int) -> dict[int, int]:
    """Return, by dice left, the fewest points from which these decisions always bank."""
    dice_counts = range(rules.dice, 0, -1)
    limits = stops(rules.turn, decisions, cap, map(rules.hand_mode, dice_counts))
    return {dice: limit * rules.grain for dice, limit in zip(dice_counts, limits, strict=True)}


def stops(turn: PushTurn, decisions: Decisions, cap: int, modes: Iterable[int]) -> Iterator[int]:
    """Yield, for each mode, the fewest units from which decisions always bank, among those that can occur there.

    Args:
        turn: the turn model.
        decisions: (rows, modes + roll classes), the decisions of one lane.
        cap: the number of turn points at which the table ends, in units; the limit if the last decision is to roll.
        modes: indices of modes.
    """
    reachable_points = turn.reachable_points_by_mode(cap)
    for mode in modes:
        limit = cap
        for points in range(cap - 1, 0, -1):
            if not reachable_points[mode] >> points & 1:
                continue
            if decisions[points, mode] != BANK:
                break
            limit = points
        yield limit
