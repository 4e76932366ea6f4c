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
    """Tiles 1 to ``tiles``; ``one_die``: whether one die may be thrown once all above 6 are shut."""

    tiles: int
    one_die: bool

    def may_choose(self, up: Tiles) -> bool:
        """Whether one die may be thrown instead of two."""
        return self.one_die and up[-1] <= FACES

    def totals(self, up: Tiles) -> range:
        """What may be thrown."""
        return range(1 if self.may_choose(up) else 2, 2 * FACES + 1)

    def shut(self, up: Tiles, total: int) -> tuple[Tiles, ...]:
        """The tiles that may be shut for a total: the fewest first, of these the highest by their lowest."""
        return _shut(up, total)

    @cached_property
    def standing(self) -> frozenset[Tiles]:
        """The tiles that can be up when dice are thrown."""
        start = tuple(range(1, self.tiles + 1))
        found, todo = {start}, [start]
        while todo:
            up = todo.pop()
            for total in self.totals(up):
                for some in self.shut(up, total):
                    left = tuple(tile for tile in up if tile not in some)
                    if left and left not in found:
                        found.add(left)
                        todo.append(left)
        return frozenset(found)

    @cached_property
    def lefts(self) -> tuple[int, ...]:
        """The points with which a turn can end, the fewest first."""
        stuck = (sum(up) for up in self.standing if not all(self.shut(up, total) for total in self.totals(up)))
        return tuple(sorted({0, *stuck}))


@cache
def _shut(up: Tiles, total: int) -> tuple[Tiles, ...]:
    sizes = range(1, len(up) + 1)
    return tuple(some for size in sizes for some in reversed([*combinations(up, size)]) if sum(some) == total)


def compile_rules(rules: Mapping[str, Any]) -> TilesRules:
    """Return the rules."""
    return TilesRules(int(rules["tiles"]), rules["one_die"] == "high")


def describe(rules: Mapping[str, Any]) -> Iterator[str]:
    """Say how the game is played under these rules, a line at a time."""
    yield f"The tiles 1 to {rules['tiles']} stand."
    yield "The player throws two dice, shuts tiles that add up to what they show, and throws again."
    small = rules["tiles"] <= FACES
    one = "One die may be thrown" if small else f"Once all tiles above {FACES} are shut, one die may be thrown"
    yield f"{one} instead of two." if rules["one_die"] == "high" else "Two dice are always thrown."
    yield "The turn ends once no tiles can be shut: those that stand count as points, none once the box is shut."
    yield "Every player has one turn; the fewest points win, and those tied share."
