"""Booby Trap: touch a piece that a spring bar holds, feel how tight it sits, and take it or pass.

Only the decisions are solved, not the physics. How a piece feels and whether taking it trips the bar are drawn with the
odds that the user gives (``touch_odds``). A piece that was passed feels anew when it is touched again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..util.errors import HouseRuleError
from ..util.number_format import format_count
from .rule_options import Option
from .touch_odds import SIZES, Odds, compile_odds, parse_odds

TITLE = "Booby Trap"
FAMILY = "touch"
SOURCES = (("Booby Trap Board Game Rules and Instructions", None),)
OBJECTIVES = ("win", "margin", "reach")

MAX_PIECES = 30
MAX_POINTS = 10

OPTIONS = (
    Option(
        "variant",
        "standard",
        "solitaire: one player takes all pieces but one, with few trips. in_order: all small pieces first, then the"
        ' medium, then the large ones. no_pass: "no passes are allowed"',
        choices=("standard", "solitaire", "in_order", "no_pass"),
    ),
    Option("large", 20, "large pieces on the board", high=MAX_PIECES),
    Option("medium", 20, "medium pieces", high=MAX_PIECES),
    Option("small", 20, "small pieces", high=MAX_PIECES),
    Option("large_points", 3, "points of a large piece", high=MAX_POINTS),
    Option("medium_points", 2, "points of a medium piece", high=MAX_POINTS),
    Option("small_points", 1, "points of a small piece", high=MAX_POINTS),
    Option("penalty", 3, "points that a trip costs; the score may become negative", high=MAX_POINTS),
    Option("trips", 3, 'trips that solitaire allows ("no more than three times")', high=20),
)

TABLES = {"odds": parse_odds}


def must_take(passes: int, players: int) -> bool:
    """Return whether a piece touched now must be taken, because every player has passed twice in succession.

    Args:
        passes: the number of passes since a piece was last taken.
        players: the number of players.
    """
    return passes >= 2 * players


@dataclass(frozen=True)
class TouchRules:
    """The rules of Booby Trap; tuples are by size: large, medium, small.

    Attributes:
        board: the pieces at the start.
        points: the points of a piece.
        penalty: the points that a trip costs.
        players: the number of players.
        can_pass: whether the player may pass.
        is_in_order: all small pieces are taken first, then the medium, then the large ones.
        trips: the trips that solitaire allows.
        odds: how pieces feel, and how often taking one trips the bar.
    """

    board: tuple[int, int, int]
    points: tuple[int, int, int]
    penalty: int
    players: int
    can_pass: bool
    is_in_order: bool
    trips: int
    odds: Odds

    @property
    def unsupported_objectives(self) -> Mapping[str, str]:
        """The objectives that other variants have and this one has not, with the reason."""
        if self.players == 1:
            return dict.fromkeys(("win", "margin"), "variant=solitaire requires one player")
        return {"reach": "it requires variant=solitaire"}

    @property
    def last_pieces(self) -> int:
        """The number of remaining pieces at which the game ends: that of the players."""
        return self.players

    @property
    def max_passes(self) -> int:
        """The passes in a row after which a piece must be taken (``must_take``); 0 without passes."""
        return 2 * self.players if self.can_pass else 0

    def can_occur(self, pieces: tuple[int, int, int], earlier_pieces: tuple[int, int, int]) -> bool:
        """Return whether pieces can be left, by size, of those that were there before."""
        large, medium, small = pieces
        is_out_of_order = (large < earlier_pieces[0] and (medium > 0 or small > 0)) or (
            medium < earlier_pieces[1] and small > 0
        )
        return sum(pieces) >= self.last_pieces and not (self.is_in_order and is_out_of_order)


def objectives(rules: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the objectives: a goal for one player, points against an opponent."""
    return ("reach",) if rules["variant"] == "solitaire" else ("win", "margin")


def compile_rules(rules: Mapping[str, Any]) -> TouchRules:
    """Return the rules as data."""
    players = 1 if rules["variant"] == "solitaire" else 2
    board = (int(rules["large"]), int(rules["medium"]), int(rules["small"]))
    if sum(board) <= players:
        raise HouseRuleError(
            f"large, medium and small must add up to at least {players + 1} pieces, not {sum(board)}, because the game"
            f" ends once only {players} {'is' if players == 1 else 'are'} left",
            "large",
        )
    return TouchRules(
        board=board,
        points=(int(rules["large_points"]), int(rules["medium_points"]), int(rules["small_points"])),
        penalty=int(rules["penalty"]),
        players=players,
        can_pass=rules["variant"] != "no_pass",
        is_in_order=rules["variant"] == "in_order",
        trips=int(rules["trips"]),
        odds=compile_odds(rules["odds"]),
    )


def describe(rules: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines that say how the game is played."""
    variant = rules["variant"]
    is_solitaire = variant == "solitaire"
    pieces = ", ".join(f"{rules[name]} {name} pieces for {rules[f'{name}_points']} each" for name in SIZES)
    yield f"Pieces sit under a spring bar: {pieces}."
    size = "of the smallest size left" if variant == "in_order" else "of any size"
    passes = "and must take it" if variant == "no_pass" else "and takes it or passes"
    yield f"In a turn the player touches a piece {size}, feels how tight it is, {passes}."
    if variant != "no_pass":
        passers, taker = ("you have", "you") if is_solitaire else ("every player has", "the next player")
        yield f"If {passers} passed twice in a row, {taker} must take a piece."
    if is_solitaire:
        yield "A piece that is taken may trip the bar; the piece is removed in either case."
        trips = format_count(rules["trips"], "trip")
        yield f"The game is won if all pieces but one are taken with no more than {trips}."
        return
    cost = format_count(rules["penalty"], "point")
    yield (
        f"A piece that is taken scores its points, or trips the bar, which costs {cost}; the piece is removed in"
        " either case."
    )
    yield (
        "The game ends when as many pieces are left as there are players; the most points win, and tied players"
        " share the win."
    )
