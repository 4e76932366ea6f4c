"""Seats: scores in turn order from the player to move, and the seats of a playoff."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, Protocol

from ..util.errors import InputError, argument, list_allowed
from ..util.number_format import format_count
from .position_fields import Field, FieldKind, Role


class Tie(NamedTuple):
    """Players who share the best total after the last turn and have one more turn each.

    Attributes:
        seats: the tied seats, in turn order.
        total: the total of each of them.
    """

    seats: tuple[int, ...]
    total: int


class PlayoffPosition(Protocol):
    """A position of a game in which a playoff of tied players can begin after each player's turn."""

    @property
    def seat(self) -> int:
        """The player to move."""

    @property
    def playoff(self) -> tuple[int, ...]:
        """Seats that play off a tie, () before a playoff."""

    @property
    def ended(self) -> tuple[Fraction, ...]:
        """What each seat gets in a terminal position, else ()."""


class SeatedPosition:
    """A position with scores by seat, and views of them from the player to move."""

    scores: tuple[int, ...]
    seat: int

    @property
    def score(self) -> int:
        """The score of the player to move, before this turn."""
        return self.scores[self.seat]

    @property
    def opponents(self) -> tuple[int, ...]:
        """The other scores, in turn order after the player to move."""
        return self.scores[self.seat + 1 :] + self.scores[: self.seat]


SEAT = Field(
    "seat",
    FieldKind.NUMBER,
    "The number of players who play before you: 0 if you began the game (values do not depend on it).",
    is_column=False,
    role=Role.SEAT,
)


def opponents_field(players: int, low: int | None = 0) -> Field:
    """Return the field of the opponents' scores, each at least ``low``."""
    names = ("opponent",) if players == 2 else tuple(f"opponent{number}" for number in range(1, players))
    return Field(
        "opponents",
        FieldKind.SCORES,
        "The opponents' scores, in turn order after you.",
        columns=names,
        min_value=low,
        role=Role.OTHER_SCORES,
    )


def scores_by_seat(score: int, opponents: Sequence[int] | None, seat: int, players: int) -> tuple[int, ...]:
    """Return the scores by seat from those that the player in ``seat`` gives, the own score first."""
    opponent_scores = (0,) * (players - 1) if opponents is None else tuple(opponents)
    if len(opponent_scores) != players - 1:
        expected = format_count(players - 1, "score")
        implied_players = len(opponent_scores) + 1
        hint = (
            f"; for {implied_players} players set {argument('players')} to {implied_players}" if opponent_scores else ""
        )
        raise InputError(
            f"{argument('opponents')}: expected {expected} for {players} players, got {len(opponent_scores)}{hint}"
        )
    around = (score, *opponent_scores)
    return tuple(around[(place - seat) % players] for place in range(players))


def active_seats(playoff: tuple[int, ...], players: int) -> tuple[int, ...]:
    """Return the seats that play: those of a playoff, or all."""
    return playoff or tuple(range(players))


def ends_round(before: PlayoffPosition, after: PlayoffPosition, players: int) -> bool:
    """Return whether a step ended the last turn of a round, and the game goes on."""
    is_last_seat = before.seat == active_seats(before.playoff, players)[-1]
    return not after.ended and after.seat != before.seat and is_last_seat


def find_playoff_tie(before: PlayoffPosition, after: PlayoffPosition, scores: tuple[int, ...]) -> Tie | None:
    """Return the tie that a step led to if a playoff has begun after it; None otherwise.

    Args:
        before: the position before the step.
        after: the position after it.
        scores: the totals by seat before the turn that the step belongs to.
    """
    if not after.playoff or not ends_round(before, after, len(scores)):
        return None
    # The total of the player who has just moved is not in the scores; every other tied player has the same total.
    return Tie(after.playoff, next(scores[seat] for seat in after.playoff if seat != before.seat))


def parse_seats(seat: int | None, playoff: Sequence[int] | None, players: int) -> tuple[int, tuple[int, ...]]:
    """Return the seat to move (if not given, the first that plays), and the seats of a playoff if there is one."""
    seats = tuple(sorted(playoff or ()))
    if seats and (len(set(seats)) != len(seats) or len(seats) < 2 or seats[-1] >= players):
        raise InputError(
            f"{argument('playoff')} must list two or more different numbers between 0 (the player who"
            f" began) and {players - 1}, not {','.join(map(str, seats))}"
        )
    mover = (seats[0] if seats else 0) if seat is None else seat
    if mover >= players:
        raise InputError(f"{argument('seat')} must be between 0 (the player who began) and {players - 1}, not {mover}")
    if seats and mover not in seats:
        raise InputError(
            f"{argument('seat')} {mover} is not in the playoff; it must be {list_allowed(seats)}, as"
            f" {argument('playoff')} says"
        )
    return mover, seats
