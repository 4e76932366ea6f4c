"""Shut the Box: two dice, and tiles shut that add up to what they show; who is left with fewer points wins.

Source: the pub game, as it is most often printed. The chance to shut the box alone: UnaryPlus, shut-the-box-strategy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from itertools import combinations
from typing import Any

from .rule_options import Option

TITLE = "Shut the Box"
FAMILY = "tiles"
SOURCES = (("the pub game, by the rules that are most often printed", None),)
OBJECTIVES = ("points", "reach", "win")
FACES = 6
OPTIONS = (
    Option("tiles", 9, "tiles 1 to 9, as most boxes have; some have 12", low=2, high=12),
    Option(
        "one_die",
        "high",
        "high: once all tiles above 6 are shut, one die may be rolled instead of two. sum: once the open tiles add up"
        " to 6 or less. never: always two dice",
        choices=("high", "sum", "never"),
    ),
    Option(
        "most_tiles",
        0,
        "the most tiles that one roll may shut; many tables play 2. 0: any number",
        high=12,
        is_added=True,
    ),
    Option(
        "score",
        "sum",
        "sum: the open tiles add up to the points left. digits: they are read as one number, 1 2 9 as 129",
        choices=("sum", "digits"),
        is_added=True,
    ),
)

Tiles = tuple[int, ...]  # ascending


class OneDie(Enum):
    """When one die may be rolled instead of two."""

    HIGH = "high"  # once all tiles above 6 are shut
    SUM = "sum"  # once the tiles that stand add up to 6 or less
    NEVER = "never"


@dataclass(frozen=True)
class TilesRules:
    """The rules of Shut the Box.

    Attributes:
        tiles: the number of tiles, 1 to ``tiles``.
        one_die: when one die may be rolled instead of two.
        max_shut: the most tiles that one roll may shut.
        are_digits: the tiles that stand are read as one number; otherwise they are added up.
    """

    tiles: int
    one_die: OneDie
    max_shut: int
    are_digits: bool = False

    @property
    def all_tiles(self) -> Tiles:
        """All tiles, which stand when a turn begins."""
        return tuple(range(1, self.tiles + 1))

    def can_choose_dice(self, up: Tiles) -> bool:
        """Return whether one die may be rolled instead of two."""
        if self.one_die is OneDie.SUM:
            return sum(up) <= FACES
        return self.one_die is OneDie.HIGH and up[-1] <= FACES

    def points_left(self, up: Tiles) -> int:
        """Return the points that standing tiles count: 0 if none stand."""
        return int("".join(map(str, up)) or 0) if self.are_digits else sum(up)

    def totals(self, up: Tiles) -> range:
        """Return the totals that may be rolled."""
        return range(1 if self.can_choose_dice(up) else 2, 2 * FACES + 1)

    def shuttable_sets(self, up: Tiles, total: int) -> tuple[Tiles, ...]:
        """Return the sets of tiles that may be shut for a total, fewest tiles first, then higher low tiles."""
        return _shut(up, total, self.max_shut)

    @cached_property
    def reachable_tiles(self) -> frozenset[Tiles]:
        """The sets of tiles that can be up before a roll."""
        reachable, pending = {self.all_tiles}, [self.all_tiles]
        while pending:
            up = pending.pop()
            for total in self.totals(up):
                for shut_tiles in self.shuttable_sets(up, total):
                    remaining = tuple(tile for tile in up if tile not in shut_tiles)
                    if remaining and remaining not in reachable:
                        reachable.add(remaining)
                        pending.append(remaining)
        return frozenset(reachable)

    @cached_property
    def final_points(self) -> tuple[int, ...]:
        """The points with which a turn can end, fewest first."""
        stuck = (
            self.points_left(up)
            for up in self.reachable_tiles
            if not all(self.shuttable_sets(up, total) for total in self.totals(up))
        )
        can_shut_all = any(
            up in self.shuttable_sets(up, total) for up in self.reachable_tiles for total in self.totals(up)
        )
        return tuple(sorted({*stuck, *([0] if can_shut_all else [])}))


@cache
def _shut(up: Tiles, total: int, max_shut: int) -> tuple[Tiles, ...]:
    sizes = range(1, min(max_shut, len(up)) + 1)
    sets = (tiles for size in sizes for tiles in reversed([*combinations(up, size)]))
    return tuple(tiles for tiles in sets if sum(tiles) == total)


def compile_rules(rules: Mapping[str, Any]) -> TilesRules:
    """Return the rules as data."""
    tiles = int(rules["tiles"])
    return TilesRules(tiles, OneDie(rules["one_die"]), int(rules["most_tiles"]) or tiles, rules["score"] == "digits")


def describe(rules: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines that say how the game is played."""
    yield f"The tiles 1 to {rules['tiles']} are open."
    shuts = {0: "tiles", 1: "the one tile"}.get(rules["most_tiles"], f"at most {rules['most_tiles']} tiles")
    adds_up = "is" if rules["most_tiles"] == 1 else "add up to"
    yield f"The player rolls two dice, shuts {shuts} that {adds_up} what they show, and rolls again."
    yield _describe_one_die(rules["one_die"], rules["tiles"])
    are_digits = rules["score"] == "digits"
    count = "the open tiles, read as one number, are the points" if are_digits else "the open tiles count as points"
    yield f"The turn ends when no tiles can be shut: {count}, none if all tiles are shut."
    yield "Every player has one turn; the fewest points win, and tied players share the win."


def _describe_one_die(one_die: str, tiles: int) -> str:
    """Return the sentence on how many dice are rolled."""
    if one_die == "never":
        return "Two dice are always rolled."
    if one_die == "sum":
        return f"Once the open tiles add up to {FACES} or less, one die may be rolled instead of two."
    when = f"Once all tiles above {FACES} are shut, one die" if tiles > FACES else "One die"
    return f"{when} may be rolled instead of two."
