"""Games for a pot: every player has one turn and knows the best total so far; tied players play again or share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from ..util.errors import InputError, argument
from .playable_game import PlayableGame, replace_fields
from .position_fields import Field, FieldKind, Role, parse_number
from .seats import Tie, active_seats, ends_round, parse_seats


@dataclass(frozen=True)
class PotPosition:
    """The state of a game for a pot between turns.

    Attributes:
        seat: the player to move.
        beat: the best total so far.
        holders: seats that have it, () if nobody has played.
        playoff: seats that play off a tie; () for all, which is the beginning once more.
        ended: what each seat gets in a terminal position, else ().
    """

    seat: int = 0
    beat: int = 0
    holders: tuple[int, ...] = ()
    playoff: tuple[int, ...] = ()
    ended: tuple[Fraction, ...] = ()

    @property
    def tied(self) -> int:
        """Number of players who hold the best total."""
        return len(self.holders)


Place = TypeVar("Place", bound=PotPosition)


class PotGame(PlayableGame[Place]):
    """A game in which every player has one turn and the best total wins.

    Tied players play again, or share the pot if ``share`` is True.
    """

    share = False

    @property
    @abstractmethod
    def totals(self) -> tuple[int, ...]:
        """The totals that a turn can bring, the worst first."""

    def pot_fields(self) -> Iterator[Field]:
        """Yield the fields that describe the state of the pot."""
        if self.players > 1:
            yield Field(
                "seat", FieldKind.NUMBER, "The number of players who play before you: 0 if you begin.", role=Role.SEAT
            )
        if self.players > 2 and not self.share:
            words = "In a playoff: the players in it, each by the number of players before them, such as 0,2."
            yield Field("playoff", FieldKind.NUMBERS, words)
        if self.players > 1:
            yield Field(
                "beat",
                FieldKind.POINTS,
                "The best total so far; leave it out if you play first.",
                role=Role.TOTAL_TO_BEAT,
            )
            yield Field("tied", FieldKind.NUMBER, "The number of players who have the total to beat (default 1).")
        if self.players > 2:
            words = (
                "The players who have the total to beat, counted like --seat (default: the first; it does not change"
                " the best choice)."
            )
            yield Field("holders", FieldKind.NUMBERS, words, is_column=False)

    def after_turn(self, begins: Place, total: int) -> Place:
        """Return the position after a turn with some total: the next turn, a playoff, or the end of the game.

        Args:
            begins: where the turn began.
            total: the total of the turn.
        """
        seat, holders, best = begins.seat, begins.holders, begins.beat
        if not holders or self.totals.index(total) > self.totals.index(best):
            holders, best = (seat,), total
        elif total == best:
            holders = (*holders, seat)
        seats = active_seats(begins.playoff, self.players)
        if seat != seats[-1]:
            return replace_fields(begins, seat=seats[seats.index(seat) + 1], beat=best, holders=holders)
        if len(holders) == 1 or self.share:
            payoffs = tuple(Fraction(int(place in holders), len(holders)) for place in range(self.players))
            return replace_fields(begins, beat=best, holders=holders, ended=payoffs)
        return replace_fields(begins, seat=holders[0], beat=0, holders=(), playoff=self._canonical(holders))

    def _canonical(self, seats: tuple[int, ...]) -> tuple[int, ...]:
        """Return the seats of a playoff; () if all players are in it, which is the beginning once more."""
        return () if len(seats) == self.players else seats

    def find_tie(self, before: Place, after: Place) -> Tie | None:
        """Return the tie for the best total after the last turn, which is played off."""
        if after.holders or not ends_round(before, after, self.players):
            return None
        return Tie(active_seats(after.playoff, self.players), before.beat)

    def describe_progress(self, position: Place) -> str:
        """Return whether this is a playoff, and the total to beat."""
        texts = [self.playoff_name] if position.playoff else []
        return ", ".join([*texts, f"{position.beat:,} to beat"] if position.holders and not position.ended else texts)

    def parse_total(self, text: str) -> int:
        """Return a typed total; InputError if no turn can bring it."""
        total = parse_number(text.strip(), "total")
        self._check_total(total, "")
        return total

    def _check_total(self, total: int, suffix: str) -> None:
        if total not in self.totals:
            near = sorted(sorted(self.totals, key=lambda possible: abs(possible - total))[:2])
            raise InputError(
                f"the total{suffix} cannot be {total}; the nearest possible are {' and '.join(map(str, near))}"
            )

    def position_between_turns(
        self,
        start: Place,
        seat: int | None,
        playoff: Sequence[int] | None,
        beat: int | None,
        tied: int | None,
        holders: Sequence[int] | None,
    ) -> Place:
        """Return the position between turns with these field values; an error says what can occur."""
        if seat is None and beat is not None:
            if self.players > 2:
                raise InputError(
                    f"{argument('beat')} requires {argument('seat')}, the number of players who have played, if"
                    f" {self.players} play"
                )
            seat = 1
        mover, seats = parse_seats(seat, playoff, self.players)
        between_turns = replace_fields(start, seat=mover, playoff=self._canonical(seats))
        earlier_seats = tuple(place for place in active_seats(seats, self.players) if place < mover)
        if beat is not None:
            best_total, holding_seats = self._read_beat(beat, tied, holders, earlier_seats)
            between_turns = replace_fields(between_turns, beat=best_total, holders=holding_seats)
        elif tied is not None or holders is not None:
            raise InputError(
                f"{argument('holders' if tied is None else 'tied')} requires {argument('beat')}, the total to beat"
            )
        elif earlier_seats:
            raise InputError(
                f"{argument('beat')} is required (the best total so far), because players have played before"
            )
        return between_turns

    def _read_beat(
        self, beat: int, tied: int | None, holders: Sequence[int] | None, before: tuple[int, ...]
    ) -> tuple[int, tuple[int, ...]]:
        """Return the total to beat and the seats that hold it, all of which have played."""
        self._check_total(beat, " to beat")
        if not before:
            raise InputError(
                f"{argument('beat')} is not possible for the first player; leave out"
                f" {argument('beat')}, or give a {argument('seat')} above 0, the number of players who have played"
            )
        lowest = beat == self.totals[0]  # nobody can have less, so all who have played hold it
        usual = len(holders) if holders else len(before) if lowest else 1
        count = usual if tied is None else parse_number(tied, argument("tied"), 1)
        if count > len(before):
            raise InputError(
                f"{argument('tied')} cannot be {count} when only {len(before)} of {self.players} players have played"
            )
        if lowest and count < len(before):
            raise InputError(
                f"{beat} is the lowest possible total, so all {len(before)} players who have played have it:"
                f" {argument('tied')} must be {len(before)}, not {count}"
            )
        have = before[:count] if holders is None else tuple(sorted(holders))
        if len(have) != count or len(set(have)) != count or not set(have) <= set(before):
            raise InputError(
                f"{argument('holders')} must list {count} of the players who have played"
                f" ({','.join(map(str, before))}), not {','.join(map(str, have))}"
            )
        return beat, have

    def between_turns_to_dict(self, position: Place) -> dict[str, Any]:
        """Return the field values of the state of the pot."""
        values: dict[str, Any] = {"seat": position.seat} if self.players > 1 else {}
        if position.playoff:
            values["playoff"] = list(position.playoff)
        if position.holders:
            values |= {"beat": position.beat, "tied": position.tied}
            before = tuple(place for place in active_seats(position.playoff, self.players) if place < position.seat)
            if not position.ended and position.holders != before[: position.tied]:
                values["holders"] = list(position.holders)
        return values
