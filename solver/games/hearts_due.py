"""Hearts Due: six dice, one throw a turn; the longest run from 1 scores, three 1s wipe the whole score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..util import multiset
from .rule_options import Option

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
    """``full``: points of all six letters; ``exactly_3``: four and more 1s do no harm."""

    target: int
    full: int
    exactly_3: bool

    def points(self, roll: Sequence[int]) -> int | None:
        """Points of a throw, given as counts of the faces 1 to 6; None where it wipes the score."""
        if roll[0] == 3 or (roll[0] > 3 and not self.exactly_3):
            return None
        run = next((place for place, count in enumerate(roll) if not count), 6)
        return self.full if run == 6 else RUN_POINTS[run]

    @cached_property
    def throws(self) -> tuple[tuple[tuple[int, ...], int], ...]:
        """The throws, as counts of faces, with the number of ordered throws behind each."""
        rows = multiset.list_multisets(6, 6)
        return tuple(zip(map(tuple, rows.tolist()), multiset.multiset_weights(rows, [1] * 6).tolist(), strict=True))

    @cached_property
    def ways(self) -> Mapping[int, int]:
        """Ordered throws by their points."""
        ways: dict[int, int] = {}
        for roll, weight in self.throws:
            points = self.points(roll)
            if points is not None:
                ways[points] = ways.get(points, 0) + weight
        return ways

    @cached_property
    def wiped(self) -> int:
        """Ordered throws that wipe the score."""
        return ROLLS - sum(self.ways.values())


def compile_rules(rules: Mapping[str, Any]) -> HeartsRules:
    """Return the rules as data."""
    return HeartsRules(int(rules["target"]), int(rules["full"]), rules["wipe"] == "exactly_3")


def describe(rules: Mapping[str, Any]) -> Iterator[str]:
    """Say how the game is played under these rules, a line at a time."""
    runs = ", ".join(
        f"{'-'.join(map(str, range(1, end + 1)))} = {RUN_POINTS[end]}" for end in range(1, len(RUN_POINTS))
    )
    yield "Six dice, one throw a turn; nobody decides anything."
    yield f"The longest run of different faces from 1 on scores: {runs}, all six = {rules['full']}."
    ones = {"at_least_3": "Three 1s or more", "exactly_3": "Exactly three 1s"}
    yield f"{ones[rules['wipe']]} score nothing and lose the whole score."
    yield f"Who first has at least {rules['target']:,} wins."
