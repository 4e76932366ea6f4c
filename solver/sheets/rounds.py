"""The sheet of Battleship: what to do with the crew dice."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

from ..answers.evaluation import check_rounds, compiled, evaluate_rounds
from ..answers.positions import BestPlay
from ..errors import InputError
from ..matches import Match
from . import Sheet, Table, costs, facts

if TYPE_CHECKING:
    from ..solution import Solution


def check(match: Match[Any]) -> None:
    """Refuse a question whose sheet cannot be judged."""
    if match.objective not in ("points", "win"):
        raise InputError(f"a sheet is made for points or win, not for {match.objective}")
    check_rounds(match)


def make(solution: Solution, progress: Callable[[float], None]) -> Sheet:
    """Return the sheet."""
    from ..solution import solve

    points = solve(solution.game, "points")
    rows = []
    for high, low in combinations_with_replacement(range(6, 0, -1), 2):
        best = []
        for cast, kept in ((1, None), (2, "654")):
            advice = points.advise(cast=cast, kept=kept, roll=f"654{high}{low}")
            best.append(advice.best.action.replace("recast both crew dice", "recast both"))
        rows.append((f"{high} {low}", *best))
    lines = (
        "Set aside a 6, then a 5, then a 4, as soon as they show in that order; cast the other dice again.",
        "With the three, decide on the crew dice as told below; after the third cast everything stands.",
    )
    objective = solution.match.objective
    policy = compiled(points.table, BestPlay(points.match, points.solved))
    judged = evaluate_rounds(solution.match, solution.solved, policy)
    table = Table("The crew", ("crew dice", "two casts left", "one cast left"), tuple(rows), dice=(0,))
    return Sheet("Battleship: a sheet to play by", facts(solution, judged), lines, (table,), costs(judged, objective))
