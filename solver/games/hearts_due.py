"""Hearts Due: six dice, one throw a turn; the longest run from 1 scores, three 1s wipe the whole score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..core import multiset
from ..options import Option

TITLE = "Hearts Due"
FAMILY = "hearts"
OBJECTIVES = ("win", "points", "turns", "reach")

OPTIONS = (
    Option("target", 100, "the source names none; 100 is usual. First to reach it wins", low=5, high=1000),
    Option(
        "wipe",
        "at_least_3",
        'how many 1s wipe the whole score to zero ("when three H\'s are rolled")',
        choices=("at_least_3", "exactly_3"),
    ),
    Option("full", 35, "points of all six letters", low=5, high=1000),
)

ROLLS = 6**6
RUN_POINTS = (0, 5, 10, 15, 20, 25)


@dataclass(frozen=True)
class HeartsRules:
    """One throw: ``ways`` (of 46,656) by points, and of wiping the score."""

    ways: Mapping[int, int]
    wiped: int
    target: int


def compile_rules(rules: Mapping[str, Any]) -> HeartsRules:
    """Count the throws."""
    counts = multiset.multisets(6, 6)
    ways: dict[int, int] = {}
    wiped = 0
    for row, weight in zip(counts.tolist(), multiset.weights(counts, [1] * 6), strict=True):
        if row[0] == 3 or (row[0] > 3 and rules["wipe"] == "at_least_3"):
            wiped += int(weight)
            continue
        run = next((place for place, count in enumerate(row) if not count), 6)
        points = int(rules["full"]) if run == 6 else RUN_POINTS[run]
        ways[points] = ways.get(points, 0) + int(weight)
    return HeartsRules(ways, wiped, int(rules["target"]))
