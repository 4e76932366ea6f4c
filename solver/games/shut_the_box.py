"""Shut the Box: two dice, and tiles shut that add up to what they show; who is left with fewer points wins.

Source: the pub game, as it is most often printed. The chance to shut the box alone: UnaryPlus, shut-the-box-strategy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from typing import Any

from .rule_options import Option

TITLE = "Shut the Box"
FAMILY = "tiles"
OBJECTIVES = ("points", "reach", "win")
FACES = 6
OPTIONS = (
    Option("tiles", 9, "tiles 1 to 9, as most boxes have; some have 12", low=2, high=12),
    Option(
        "one_die",
        "high",
        "high: once all tiles above 6 are shut, one die may be thrown instead of two. never: two, always",
        choices=("high", "never"),
    ),
)

Tiles = tuple[int, ...]  # ascending


@dataclass(frozen=True)
class TilesRules:
    """The rules of Shut the Box.

    Attributes:
        tiles: the number of tiles, 1 to ``tiles``.
        can_roll_one_die: one die may be rolled instead of two once all tiles above 6 are shut.
    """

    tiles: int
    can_roll_one_die: bool

    def can_choose_dice(self, up: Tiles) -> bool:
        """Return whether one die may be rolled instead of two."""
        return self.can_roll_one_die and up[-1] <= FACES

    def totals(self, up: Tiles) -> range:
        """Return the totals that may be rolled."""
        return range(1 if self.can_choose_dice(up) else 2, 2 * FACES + 1)

    def shuttable_sets(self, up: Tiles, total: int) -> tuple[Tiles, ...]:
        """Return the sets of tiles that may be shut for a total, fewest tiles first, then higher low tiles."""
        return _shut(up, total)

    @cached_property
    def reachable_tiles(self) -> frozenset[Tiles]:
        """The sets of tiles that can be up before a roll."""
        start = tuple(range(1, self.tiles + 1))
        reachable, pending = {start}, [start]
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
            sum(up)
            for up in self.reachable_tiles
            if not all(self.shuttable_sets(up, total) for total in self.totals(up))
        )
        return tuple(sorted({0, *stuck}))


@cache
def _shut(up: Tiles, total: int) -> tuple[Tiles, ...]:
    sizes = range(1, len(up) + 1)
    sets = (tiles for size in sizes for tiles in reversed([*combinations(up, size)]))
    return tuple(tiles for tiles in sets if sum(tiles) == total)


def compile_rules(rules: Mapping[str, Any]) -> TilesRules:
    """Return the rules as data."""
    return TilesRules(int(rules["tiles"]), rules["one_die"] == "high")


def describe(rules: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines that say how the game is played."""
    yield f"The tiles 1 to {rules['tiles']} stand."
    yield "The player throws two dice, shuts tiles that add up to what they show, and throws again."
    one_die = f"Once all tiles above {FACES} are shut, one die may be thrown"
    if rules["tiles"] <= FACES:
        one_die = "One die may be thrown"
    yield f"{one_die} instead of two." if rules["one_die"] == "high" else "Two dice are always thrown."
    yield "The turn ends once no tiles can be shut: those that stand count as points, none once the box is shut."
    yield "Every player has one turn; the fewest points win, and those tied share."
