"""From how many points it is best to bank, in the turns of push-your-luck games."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ..games.push_rules import PushRules
from ..play.push import PushPosition
from ..solvers import ValueTable
from ..solvers.push.problem import PushProblem
from ..solvers.turn_lanes import TurnLanes
from ..turns.push_turn import Decisions, PushTurn
from .push_policies import Hold, Rolls


def bank_from(match: PushProblem, solved: ValueTable, start: PushPosition) -> dict[int, int]:
    """By dice left, the fewest points from which banking is always best in the turn that begins at ``start``."""
    lanes = match.lanes(solved, [start])
    return read_limits(match.rules, best_decisions(lanes), lanes.cap)


def stops_from(match: PushProblem, solved: ValueTable, start: PushPosition) -> dict[int, int]:
    """The same of the points that whoever plays best comes to: nearly there throwing on is often best with more points
    in hand than anybody has who has stopped before.
    """
    lanes = match.lanes(solved, [start])
    decided = best_decisions(lanes)
    _, visits = lanes.turn.reach_probabilities(decided[..., None], lanes.caps, lanes.payoff.shape[1], visits=True)
    assert visits is not None
    met = visits[..., 0] > 0
    some = decided.T[: len(met)]
    rolls = np.where(met & (some != 0), np.arange(met.shape[1]), 0).max(axis=1)
    for mode, last in enumerate(rolls.tolist()):
        stops = np.flatnonzero(met[mode] & (some[mode] == 0))
        if (stops := stops[stops > last]).size:
            decided[stops[0] :, mode] = 0
    return read_limits(match.rules, decided, lanes.cap)


def fewest_to_win(match: PushProblem, start: PushPosition) -> int:
    """The fewest points whose bank wins."""
    return max(match.playable.goal - start.score, match.playable.counting_from(start))


def best_decisions(lanes: TurnLanes) -> Decisions:
    """The best decisions of the first of some turns (rows, modes + classes)."""
    solved = lanes.turn.solve(lanes.payoff, lanes.caps, decisions=True)
    assert solved.decisions is not None
    return solved.decisions[:, :, 0]


def followed(rules: PushRules, lane: TurnLanes, policy: Hold | Rolls) -> Decisions:
    """What a policy does in a turn for points, which know no target: decisions of one lane."""
    rows = rules.turn.row_count(lane.cap)
    return policy.decisions(rules, rules.turn, rows, lane.cap, int(np.argmax(lane.bank_payoffs > 0)), win_from=rows)


def read_limits(rules: PushRules, decided: Decisions, cap: int) -> dict[int, int]:
    """The fewest points from which banking is always best, by dice left."""
    dice = range(rules.dice, 0, -1)
    limits = stops(rules.turn, decided, cap, map(rules.mode, dice))
    return {one: limit * rules.grain for one, limit in zip(dice, limits, strict=True)}


def stops(turn: PushTurn, decided: Decisions, cap: int, modes: Iterable[int]) -> Iterator[int]:
    """The fewest units from which stopping is always best in some modes, among those that can be in hand."""
    held = turn.reachable_points_by_mode(cap)
    for mode in modes:
        limit = cap
        for unit in (unit for unit in range(cap - 1, 0, -1) if held[mode] >> unit & 1):
            if decided[unit, mode] != 0:
                break
            limit = unit
        yield limit
