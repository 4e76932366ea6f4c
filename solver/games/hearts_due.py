"""Hearts Due: six dice, one roll a turn; the longest run from 1 scores, three 1s lose the whole score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..util import multiset
from .rule_options import Option

TITLE = "Hearts Due"
FAMILY = "hearts"
SOURCES = (("the text that also describes Double Cameroon and Going to Boston", None),)
OBJECTIVES = ("win", "points", "turns", "reach")

OPTIONS = (
    Option("target", 100, "the source names none; 100 is usual. The first player to reach it wins", low=5, high=1000),
    Option(
        "wipe",
        "at_least_3",
        'how many 1s set the whole score to zero ("when three H\'s are rolled"; a 1 is an H)',
        choices=("at_least_3", "exactly_3"),
    ),
    Option("full", 35, "points of all six faces on one roll, the letters of HEARTS", low=5, high=1000),
)

ROLL_COUNT = 6**6  # ordered rolls
RUN_POINTS = (0, 5, 10, 15, 20, 25)  # by length of the run; all six faces score ``full``


@dataclass(frozen=True)
class HeartsRules:
    """The rules of Hearts Due.

    Attributes:
        target: the score that wins.
        full_points: the points of all six faces.
        exactly_3: exactly three 1s wipe the score, and more do not; else three or more do.
    """

    target: int
    full_points: int
    exactly_3: bool

    def points(self, roll: Sequence[int]) -> int | None:
        """Return the points of a roll, given as counts of the faces 1 to 6; None if it wipes the score."""
        ones = roll[0]
        if ones == 3 or (ones > 3 and not self.exactly_3):
            return None
        run_length = next((face for face, count in enumerate(roll) if not count), 6)
        return self.full_points if run_length == 6 else RUN_POINTS[run_length]

    @cached_property
    def rolls(self) -> tuple[tuple[tuple[int, ...], int], ...]:
        """The rolls, as counts of faces, with their weights."""
        rows = multiset.list_multisets(6, 6)
        weights = multiset.multiset_weights(rows, [1] * 6)
        return tuple(zip(map(tuple, rows.tolist()), weights.tolist(), strict=True))

    @cached_property
    def weight_by_points(self) -> Mapping[int, int]:
        """The weight of all rolls with some points, by points."""
        weights: dict[int, int] = {}
        for roll, weight in self.rolls:
            points = self.points(roll)
            if points is not None:
                weights[points] = weights.get(points, 0) + weight
        return weights

    @cached_property
    def wipe_weight(self) -> int:
        """The weight of the rolls that wipe the score."""
        return ROLL_COUNT - sum(self.weight_by_points.values())


def compile_rules(rules: Mapping[str, Any]) -> HeartsRules:
    """Return the rules as data."""
    return HeartsRules(int(rules["target"]), int(rules["full"]), rules["wipe"] == "exactly_3")


def describe(rules: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines that say how the game is played."""
    runs = ", ".join(
        f"{'-'.join(map(str, range(1, end + 1)))} = {RUN_POINTS[end]}" for end in range(1, len(RUN_POINTS))
    )
    yield "Six dice, one roll a turn; the players make no decisions."
    yield f"The longest run of different faces from 1 on scores: {runs}, all six = {rules['full']}."
    ones = {"at_least_3": "Three 1s or more", "exactly_3": "Exactly three 1s"}
    yield f"{ones[rules['wipe']]} score nothing and lose the whole score."
    yield f"The first player with at least {rules['target']:,} wins."
