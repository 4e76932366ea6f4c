"""Booby Trap: touch a piece that a spring bar holds, feel how tight it sits, and take it or pass.

The physics is not solved, the decision is: how a piece feels and whether taking it trips the bar are drawn with odds
that the user gives. A piece that was passed goes back unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..util.errors import InputError
from ..util.number_format import format_count
from .rule_options import Option
from .touch_odds import SIZES, Odds, compile_odds, read_odds

TITLE = "Booby Trap"
FAMILY = "touch"
OBJECTIVES = ("win", "margin", "reach")

MOST_PIECES = 30
MOST_POINTS = 10

OPTIONS = (
    Option(
        "variant",
        "standard",
        "solitaire: alone, all pieces but one with few trips. in_order: all small pieces first, then the medium, then"
        ' the large ones. no_pass: "no passes are allowed"',
        choices=("standard", "solitaire", "in_order", "no_pass"),
    ),
    Option("large", 20, "large pieces on the board", high=MOST_PIECES),
    Option("medium", 20, "medium pieces", high=MOST_PIECES),
    Option("small", 20, "small pieces", high=MOST_PIECES),
    Option("large_points", 3, "points of a large piece", high=MOST_POINTS),
    Option("medium_points", 2, "points of a medium piece", high=MOST_POINTS),
    Option("small_points", 1, "points of a small piece", high=MOST_POINTS),
    Option("penalty", 3, "points that a trip costs; the score may become a debt", high=MOST_POINTS),
    Option("trips", 3, 'trips that solitaire allows ("no more than three times")', high=20),
)

TABLES = {"odds": read_odds}


def must_take(passes: int, players: int) -> bool:
    """Whether a piece touched now must be taken: when everybody has passed twice in succession, never before.

    ``passes`` is the run of passes up to now; a piece taken by anybody starts it anew.
    """
    return passes >= 2 * players


@dataclass(frozen=True)
class TouchRules:
    """What the match needs; pieces and points are (large, medium, small)."""

    board: tuple[int, int, int]
    points: tuple[int, int, int]
    penalty: int
    players: int
    passes: bool
    in_order: bool
    trips: int
    odds: Odds

    @property
    def unsolved(self) -> Mapping[str, str]:
        """What other variants are asked and this one is not, and why."""
        if self.players == 1:
            return dict.fromkeys(("win", "margin"), "variant=solitaire is played alone")
        return {"reach": "a goal is asked alone, of variant=solitaire"}

    @property
    def last(self) -> int:
        """Pieces left at which the game ends: as many as players."""
        return self.players

    @property
    def limit(self) -> int:
        """Passes in a row after which a piece must be taken (``must_take``)."""
        return 2 * self.players if self.passes else 0

    def can_be(self, left: tuple[int, int, int], before: tuple[int, int, int]) -> bool:
        """Whether so many pieces can be left of those that were there before."""
        gone = (left[0] < before[0] and any(left[1:])) or (left[1] < before[1] and left[2] > 0)
        return sum(left) >= self.last and not (self.in_order and gone)


def objectives(rules: Mapping[str, Any]) -> tuple[str, ...]:
    """Alone there is a goal, against somebody there are points."""
    return ("reach",) if rules["variant"] == "solitaire" else ("win", "margin")


def compile_rules(rules: Mapping[str, Any]) -> TouchRules:
    """Return the rules as data."""
    players = 1 if rules["variant"] == "solitaire" else 2
    board = (int(rules["large"]), int(rules["medium"]), int(rules["small"]))
    if sum(board) <= players:
        raise InputError(f"large, medium and small make {sum(board)} pieces, but the game ends when {players} are left")
    return TouchRules(
        board=board,
        points=(int(rules["large_points"]), int(rules["medium_points"]), int(rules["small_points"])),
        penalty=int(rules["penalty"]),
        players=players,
        passes=rules["variant"] != "no_pass",
        in_order=rules["variant"] == "in_order",
        trips=int(rules["trips"]),
        odds=compile_odds(rules["odds"]),
    )


def describe(rules: Mapping[str, Any]) -> Iterator[str]:
    """Say how the game is played under these rules, a line at a time."""
    alone, variant = rules["variant"] == "solitaire", rules["variant"]
    pieces = ", ".join(f"{rules[size]} {size} ones for {rules[f'{size}_points']} each" for size in SIZES)
    yield f"Pieces sit under a spring bar: {pieces}."
    which = "of the smallest size left" if variant == "in_order" else "of any size"
    passes = "and must take it" if variant == "no_pass" else "and takes it or passes"
    yield f"In a turn the player touches a piece {which}, feels how tight it sits, {passes}."
    if variant != "no_pass":
        yield f"After two passes in a row{'' if alone else ' of every player'} the next piece must be taken."
    if alone:
        yield "A piece that is taken may trip the bar; it is gone either way."
        trips = format_count(rules["trips"], "trip")
        yield f"The game is won if all pieces but one are taken with no more than {trips}."
        return
    cost = format_count(rules["penalty"], "point")
    yield f"A piece that is taken scores its points, or trips the bar, which costs {cost}; it is gone either way."
    yield "The game ends when as many pieces are left as there are players; the most points win, and those tied share."
