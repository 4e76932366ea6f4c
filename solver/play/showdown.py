"""How Going to Boston and Multiplication are played: three dice, three throws, a die set aside after each.

One turn alone (``points``), or any number of players in turn for a pot (``win``): the highest total takes it; those
tied for it play again, in the same seating.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..errors import InputError
from .dice import rolls
from .fields import Field, Kind, read_number
from .seats import playing, read_seats
from .table import Choice, Fall, Stage, Table, changed

DICE = 3
FACES = ("1", "2", "3", "4", "5", "6")
NO_CHOICE = "There is no choice here."
# game -> the total of the two dice set aside and the last one
TOTALS: Mapping[str, Callable[[int, int, int], int]] = {
    "boston": lambda first, second, last: first + second + last,
    "multiplication": lambda first, second, last: (first + second) * last,
}

Dice = tuple[int, ...]


@dataclass(frozen=True)
class ShowdownPosition:
    """A position.

    ``seat`` is to throw. ``beat`` is the best total so far and ``holders`` the seats that have it, none as long as
    nobody has played. ``playoff`` are the seats that play off a tie; () is all: then it is the beginning once more. Of
    a turn: the dice ``kept`` so far, and the ``roll`` on the table. ``ended`` is what each seat gets once it is over.
    """

    seat: int = 0
    beat: int = 0
    holders: tuple[int, ...] = ()
    playoff: tuple[int, ...] = ()
    kept: Dice = ()
    roll: Dice | None = None
    ended: tuple[Fraction, ...] = ()

    @property
    def tied(self) -> int:
        """How many hold the best total."""
        return len(self.holders)

    @property
    def throw(self) -> int:
        """The throw that lies on the table, or the next one: 1 to 3."""
        return len(self.kept) + 1


class Play(Table[ShowdownPosition]):
    """Going to Boston or Multiplication at the table."""

    details = ("rolls",)

    def prepare(self) -> None:
        """The rules, and what a position is told by."""
        self.total = TOTALS[self.game.id]
        self.any = self.game.rules["keep"] == "any"
        self.fields = tuple(self._fields())

    def settle(self, goal: int | None, turns: int | None) -> dict[str, int]:
        """There is nothing to reach in these games."""
        raise InputError(f"{self.game.id} has no objective reach")

    def _fields(self) -> Iterator[Field]:
        if self.players > 1:
            yield Field("seat", Kind.NUMBER, "Where you sit: so many play before you.")
        if self.players > 2:
            yield Field("playoff", Kind.NUMBERS, "Where some of the players play off a tie: their seats, as 0,2.")
        if self.players > 1:
            yield Field("beat", Kind.POINTS, "The best total so far; leave it out before anybody has played.")
            yield Field("tied", Kind.NUMBER, "How many hold the total to beat (default 1).")
        if self.players > 2:
            words = "The seats that hold it (default: the first; it changes no choice)."
            yield Field("holders", Kind.NUMBERS, words, listed=False)
        yield Field(
            "throw", Kind.NUMBER, "Throw that lies on the table, 1 to 3; without a roll: the next.", inside=True
        )
        yield Field("kept", Kind.DICE, "Dice set aside before this throw: 64.", inside=True, words=FACES)
        yield Field("roll", Kind.DICE, "The dice of this throw as they lie: 631.", inside=True, words=FACES)

    # --- the rules, in the order of a turn

    def start(self) -> ShowdownPosition:
        """Nobody has played."""
        return ShowdownPosition()

    def turn_begins(self, position: ShowdownPosition) -> bool:
        """Whether all three dice are still to be thrown."""
        return not position.kept and position.roll is None and not position.ended

    def stage(self, position: ShowdownPosition) -> Stage:
        """Throw, then set a die aside."""
        return "over" if position.ended else "throw" if position.roll is None else "choose"

    def mover(self, position: ShowdownPosition) -> int:
        """The seat to throw."""
        return position.seat

    def throws(self, position: ShowdownPosition) -> Iterator[Fall[ShowdownPosition]]:
        """Every roll of the dice that are not set aside."""
        for ways, roll in self._rolls[DICE - len(position.kept)]:
            yield ways, changed(position, roll=roll)

    @cached_property
    def _rolls(self) -> Mapping[int, list[tuple[int, Dice]]]:
        return {dice: rolls((1, 2, 3, 4, 5, 6), dice) for dice in range(1, DICE + 1)}

    def choices(self, position: ShowdownPosition) -> tuple[Choice[ShowdownPosition], ...]:
        """Set the highest die aside, or under keep=any whichever: higher ones first. The last die ends the turn."""
        kept, roll = position.kept, position.roll
        assert roll is not None
        if len(roll) == 1:
            first, second = kept
            total = self.total(first, second, roll[0])
            words = f"the last die is {roll[0]}: total {total}"
            return (Choice(words, (str(roll[0]),), total, 0, "end", self._score(position, total)),)
        left = len(roll) - 1
        dice = "1 die" if left == 1 else f"{left} dice"
        return tuple(
            Choice(
                f"set aside {die}, throw {dice}",
                (str(die),),
                0,
                left,
                "roll",
                changed(position, kept=tuple(sorted((*kept, die))), roll=None),
            )
            for die in (sorted(set(roll), reverse=True) if self.any else [max(roll)])
        )

    def _score(self, position: ShowdownPosition, total: int) -> ShowdownPosition:
        """The position once a turn has brought this total: the next player's, those tied again, or the end."""
        if self.objective == "points":
            return ShowdownPosition(ended=(Fraction(total),))
        seat, holders = position.seat, position.holders
        if not holders or total > position.beat:
            holders = (seat,)
        elif total == position.beat:
            holders = (*holders, seat)
        best = max(total, position.beat)
        seats = playing(position.playoff, self.players)
        if seat != seats[-1]:
            return ShowdownPosition(seats[seats.index(seat) + 1], best, holders, position.playoff)
        if len(holders) == 1:
            ended = tuple(Fraction(int(one in holders)) for one in range(self.players))
            return ShowdownPosition(seat, best, holders, position.playoff, ended=ended)
        return ShowdownPosition(holders[0], playoff=self._canonical(holders))

    def _canonical(self, seats: tuple[int, ...]) -> tuple[int, ...]:
        """A playoff of all players is the beginning once more."""
        return () if len(seats) == self.players else seats

    def turn_brings(self, position: ShowdownPosition, told: str) -> ShowdownPosition:
        """The total of the turn."""
        total = read_number(told.strip(), "total")
        if total not in self.totals:
            near = sorted(sorted(self.totals, key=lambda one: abs(one - total))[:2])
            raise InputError(f"no dice make the total {total}; nearest: {near[0]} and {near[1]}")
        return self._score(position, total)

    def outcome(self, position: ShowdownPosition) -> tuple[Fraction, ...]:
        """Shares of the pot; alone: the total of the turn."""
        return position.ended

    def turn_key(self, start: ShowdownPosition) -> Hashable:
        """Every turn offers the same."""
        return ()

    def moved(self, position: ShowdownPosition, start: ShowdownPosition) -> ShowdownPosition:
        """The same turn against another total."""
        return changed(start, kept=position.kept, roll=position.roll)

    def throw_in_words(self, position: ShowdownPosition) -> tuple[str, int]:
        """The dice that are not set aside."""
        return "throw the dice", DICE - len(position.kept)

    def note(self, position: ShowdownPosition) -> str:
        """What a player should know beside the choices."""
        return NO_CHOICE if self.stage(position) == "choose" and len(self.choices(position)) == 1 else ""

    # --- positions in words

    @cached_property
    def totals(self) -> tuple[int, ...]:
        """The totals that a turn can bring."""
        faces = range(1, 7)
        return tuple(sorted({self.total(a, b, last) for a in faces for b in faces for last in faces}))

    def make(
        self,
        seat: int | None = None,
        playoff: Sequence[int] | None = None,
        beat: int | None = None,
        tied: int | None = None,
        holders: Sequence[int] | None = None,
        throw: int | None = None,
        kept: Sequence[str] | None = None,
        roll: Sequence[str] | None = None,
    ) -> ShowdownPosition:
        """Return the position that is told; what cannot occur is refused with what can."""
        if seat is None and beat is not None:
            if self.players > 2:
                raise InputError(f"of {self.players} players seat must tell how many have played")
            seat = 1
        mover, seats = read_seats(seat, playoff, self.players)
        here = ShowdownPosition(mover, playoff=self._canonical(seats))
        before = tuple(one for one in playing(seats, self.players) if one < mover)
        if beat is not None:
            best, have = self._read_beat(beat, tied, holders, before)
            here = changed(here, beat=best, holders=have)
        elif tied is not None or holders is not None:
            raise InputError("tied says how many hold the total to beat: beat must be given too")
        elif before:
            raise InputError("once somebody has played, beat must tell the best total so far")
        return self._inside(here, throw, kept, roll)

    def _read_beat(
        self, beat: int, tied: int | None, holders: Sequence[int] | None, before: tuple[int, ...]
    ) -> tuple[int, tuple[int, ...]]:
        """The total to beat and who holds it, of those who have played."""
        if beat not in self.totals:
            near = sorted(sorted(self.totals, key=lambda one: abs(one - beat))[:2])
            raise InputError(f"no dice make the total {beat} to beat; nearest: {near[0]} and {near[1]}")
        if not before:
            raise InputError("the first to play has no total to beat: leave beat out, or say seat")
        lowest = beat == self.totals[0]  # nobody can have less, so all who have played hold it
        usual = len(holders) if holders else len(before) if lowest else 1
        count = usual if tied is None else read_number(tied, "tied", 1)
        if count > len(before):
            raise InputError(
                f"{count} players cannot hold the best total when {len(before)} of {self.players} have played"
            )
        if lowest and count < len(before):
            raise InputError(f"no total is less than {beat}: all {len(before)} who have played hold it")
        have = before[:count] if holders is None else tuple(sorted(holders))
        if len(have) != count or len(set(have)) != count or not set(have) <= set(before):
            raise InputError(f"holders must name {count} of the seats that have played: {','.join(map(str, before))}")
        return beat, have

    def _inside(
        self,
        position: ShowdownPosition,
        throw: int | None,
        kept: Sequence[str] | None,
        roll: Sequence[str] | None,
    ) -> ShowdownPosition:
        """The position inside the turn."""
        aside = tuple(sorted(map(int, kept or ())))
        number = len(aside) + 1 if throw is None else throw
        if not 1 <= number <= DICE:
            raise InputError(f"throw {number} must lie between 1 and {DICE}")
        if len(aside) != number - 1:
            told = (
                f"{number - 1} of the dice are set aside: kept must tell them"
                if number > 1
                else ("nothing is set aside")
            )
            raise InputError(f"before throw {number} {told}")
        if roll is not None and len(roll) != DICE - len(aside):
            raise InputError(f"{len(roll)} dice given, but {DICE - len(aside)} lie on the table: give all of them")
        return changed(position, kept=aside, roll=None if roll is None else tuple(sorted(map(int, roll))))

    def tell(self, position: ShowdownPosition) -> dict[str, Any]:
        """The position as JSON tells it."""
        told: dict[str, Any] = {"seat": position.seat} if self.players > 1 else {}
        if position.playoff:
            told["playoff"] = list(position.playoff)
        if position.holders:
            told |= {"beat": position.beat, "tied": position.tied}
            before = tuple(one for one in playing(position.playoff, self.players) if one < position.seat)
            if position.holders != before[: position.tied]:
                told["holders"] = list(position.holders)
        if not self.turn_begins(position):
            told["throw"] = position.throw
        if position.kept:
            told["kept"] = list(position.kept)
        if position.roll is not None:
            told["roll"] = list(position.roll)
        return told
