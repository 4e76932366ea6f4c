"""The sheet of a Scarney frame: from how many points to stop, by live dice, and when to double down."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..answers.evaluation import Evaluation
from ..core.push import LANES
from ..errors import InputError
from ..games.scarney import DICE
from ..matches import Match
from ..matches.scarney.points import Points
from . import Sheet, Table, costs, facts

if TYPE_CHECKING:
    from ..solution import Solution


def check(match: Match[Any]) -> None:
    """Refuse what is not about the points of a frame."""
    if not isinstance(match, Points):
        raise InputError(f"Scarney's sheet is made for points, not for {match.objective}: --objective points")


def make(solution: Solution, progress: Callable[[float], None]) -> Sheet:
    """Return the sheet, for the points of a frame."""
    match = solution.match
    assert isinstance(match, Points)
    rules, turn, lane = match.rules, match.rules.turn, match.frame().lane
    cap = np.full(LANES, lane.cap, dtype=np.int32)
    best = turn.solve(lane.payoff, cap, decisions=True)
    assert best.decisions is not None
    decided = best.decisions[:, :, 0]
    nodes = best.decisions.copy()
    rows = []
    for live in range(DICE, 0, -1):
        holding, free = rules.holding(live), rules.free(live)
        held = turn.reachable(lane.cap)[holding]
        if not held:
            continue
        limit = lane.cap
        for points in (points for points in range(lane.cap - 1, 0, -1) if held >> points & 1):
            if decided[points, holding] != 0:
                break
            limit = points
        nodes[:, holding] = np.where(np.arange(len(nodes)) >= limit, 0, 1)[:, None]
        double = decided[0, free] == 2
        doubling = ("double down" if double else "throw plainly") if rules.double else "not allowed"
        dead = (3**live - 2**live) / 3**live
        rows.append((str(live), str(limit), doubling, f"{100 * dead:.1f} %"))
    value = float(turn.solve(lane.payoff, cap, follow=nodes).value[0, 0])
    optimal = float(solution.solved.arrays["points"][0])
    lines = (
        "Holding points: stop from those told below; with fewer, hit with the live dice.",
        "Holding nothing: double down or throw plainly, as told below.",
    )
    table = Table(
        "By live dice", ("live dice", "stop from", "holding nothing", "a throw shows a dead die"), tuple(rows)
    )
    found = Evaluation(value, optimal, max(0.0, optimal - value), 2 * solution.error_bound)
    told = (
        *costs(found, "points", each=" a frame"),
        "In a match the lead counts too: ahead stop sooner, behind later; keepwise advise scarney tells how much.",
    )
    return Sheet("Straight Scarney: a sheet to play by", facts(solution, found), lines, (table,), told)
