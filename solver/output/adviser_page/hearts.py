"""Page data of Hearts Due: the roll, its points, and values between turns. There is nothing to choose."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ...play.choice_kinds import ChoiceKind
from ...play.hearts import HeartsPosition
from ...play.playable_game import Choice
from ...solvers import Problem, ValueTable
from ...solvers.hearts.problems import HeartsProblem
from .choice_data import ROLL_ALL_DICE, EncodedChoice
from .graph import KernelNode, PageTurnEnding, walk_turns


def unsupported_properties(problem: Problem[Any]) -> dict[str, bool]:
    """Return the properties for which there is no page: none."""
    return {}


def _ending(position: HeartsPosition, choice: Choice[HeartsPosition]) -> PageTurnEnding:
    kind = "wipe" if choice.kind is ChoiceKind.WIPE else "score"
    return PageTurnEnding(kind, choice.points, 0)


def _kernel_node(position: HeartsPosition) -> KernelNode:
    return KernelNode(0, 0)


def _roll_act(position: HeartsPosition) -> EncodedChoice:
    return ROLL_ALL_DICE


def parts(problem: HeartsProblem, value_table: ValueTable) -> dict[str, Any]:
    """Return the data and arrays of a page that depend on the family."""
    playable = problem.playable
    start = playable.start()
    graph, roots = walk_turns(
        playable, [start], lambda position: KernelNode(0, 0), _ending, lambda position: ROLL_ALL_DICE
    )
    scores = list(playable.possible_scores)
    if problem.objective == "points":
        starts = [start]
    else:
        turns_left = range(1, playable.turns + 1) if playable.turns else (0,)
        lines = list(product(scores, repeat=problem.players))
        starts = [HeartsPosition(line, 0, left) for left in turns_left for line in lines]
    values = problem.seat_values(value_table, starts).values
    return {
        "family": "hearts",
        "kernel": "push",
        "channels": "seats",
        "match": {
            "root": roots[start],
            "scores": scores,
            "target": playable.target,
            "turns": playable.turns,
            "points": sorted(playable.rules.weight_by_points),
        },
        "graph": graph.as_json(),
        "arrays": {"win": np.ascontiguousarray(values).reshape(-1)},
    }
