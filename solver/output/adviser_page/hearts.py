"""What a page needs to know of Hearts Due: a throw, its points, and the chances between turns. Nobody decides."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ...play.choice_kinds import ChoiceKind
from ...play.hearts import HeartsPosition
from ...solvers import Problem, ValueTable
from ...solvers.hearts.problems import HeartsProblem
from .graph import walked


def refused(match: Problem[Any]) -> dict[str, bool]:
    """What no page is made for: nothing."""
    return {}


def parts(match: HeartsProblem, solved: ValueTable) -> dict[str, Any]:
    """The throw, and what scores are worth."""
    table = match.playable
    start = table.start()
    graph, roots = walked(
        table,
        [start],
        lambda here: (0, 0),
        lambda here, one: ("wipe" if one.kind is ChoiceKind.WIPE else "score", one.points, 0),
    )
    scores = list(table.scores)
    lefts = range(1, table.turns + 1) if table.turns else (0,)
    if match.objective == "points":
        starts = [start]
    else:
        starts = [HeartsPosition(line, 0, left) for left in lefts for line in product(scores, repeat=match.players)]
    values = match.seat_values(solved, starts).values
    return {
        "family": "hearts",
        "kernel": "push",
        "channels": "seats",
        "match": {
            "root": roots[start],
            "scores": scores,
            "target": table.target,
            "turns": table.turns,
            "points": sorted(table.rules.ways),
            "wrong": f"score {{}} cannot be: scores are {', '.join(map(str, scores[:5]))}, ... below the target",
        },
        "graph": graph.as_json(),
        "arrays": {"win": np.ascontiguousarray(values).reshape(-1)},
    }
