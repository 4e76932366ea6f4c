"""Throws and choices as people type them at the table, for every game: read by the fields and the choices it declares.

A throw is what fell, ``11532`` or a word; dice that stay where they lie may be told or left out. A choice is the number
of its line, its words or some of them, its dice: ``3``, ``keep 1 1, bank 500``, ``keep 1 1``, ``115``, ``bank``.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

from ..errors import InputError, shown
from ..text import folded
from .fields import Field, Kind, read_number
from .table import Choice, Table

Position = TypeVar("Position", bound=Hashable)
MOST_LISTED = 6  # choices or falls that a message lists


def _telling(table: Table[Any], position: Any, first: Any, last: Any) -> Field:
    """The field that tells one fall of the dice from another, by the first and the last that there are."""
    before, told, other = (table.tell(one) for one in (position, first, last))
    inside = [field for field in table.fields if field.inside]
    for field in inside:
        if told.get(field.name) != other.get(field.name):
            return field
    return next(field for field in inside if field.name in told and field.name not in before)


def _numbered(table: Table[Any], falls: Iterable[Any]) -> bool:
    """Whether falls are told by their number: where some leave nothing to choose in the turn, no field tells them."""
    return any(table.stage(fall) != "choose" or table.turn_begins(fall) for fall in falls)


def _key(value: object) -> tuple[str, ...]:
    return tuple(sorted(map(str, value))) if isinstance(value, (list, tuple)) else (str(value),)


def read_fall(table: Table[Position], position: Position, text: str) -> Position:
    """Return the position that a throw leads to.

    Raises:
        InputError: dice that cannot fall here; it says what can.
    """
    falls = [fall for _, fall in table.throws(position)]
    if _numbered(table, falls):
        return falls[read_number(text, "what fell,", 1, len(falls)) - 1]
    field = _telling(table, position, falls[0], falls[-1])
    fell = _read_flag(field, text) if field.kind is Kind.FLAG else _key(field.read(text.strip()))
    kept = tuple(map(str, table.tell(position).get("kept", ())))
    ways = fell, _key((*fell, *kept))  # dice that stay are told, or left out
    for fall in falls:
        if _key(table.tell(fall).get(field.name)) in ways:
            return fall
    if field.kind is Kind.DICE:
        lie = len(_key(table.tell(falls[0])[field.name]))
        thrown = " or ".join(_count(dice) for dice in sorted({lie, lie - len(kept)}))
        raise InputError(f"{shown(text)} cannot fall here: {_count(len(fell))} told, {thrown} thrown")
    can = sorted({spell_fall(table, position, fall) for fall in falls})
    raise InputError(f"{shown(text)} cannot be here: it is {' or '.join(can)}")


def _count(dice: int) -> str:
    return "1 die" if dice == 1 else f"{dice} dice"


def _read_flag(field: Field, text: str) -> tuple[str, ...]:
    words = text.strip().lower()
    yes, no = (field.name, "yes", "true"), (f"not {field.name}", "no", "false", "held")
    if words not in yes + no:
        raise InputError(f"{shown(text)} is neither {yes[0]} nor {no[0]}")
    return (str(words in yes),)


def spell_fall(table: Table[Position], position: Position, after: Position) -> str:
    """What fell, as ``read_fall`` reads it: ``1 1 5 3 2``, ``springy``, ``not tripped``."""
    falls = [fall for _, fall in table.throws(position)]
    if _numbered(table, falls):
        return str(falls.index(after) + 1)
    field = _telling(table, position, falls[0], falls[-1])
    value = table.tell(after).get(field.name)
    if field.kind is Kind.FLAG:
        return field.name if value else f"not {field.name}"
    return " ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def read_choice(table: Table[Position], position: Position, text: str) -> Choice[Position]:
    """Return the choice that is typed.

    Raises:
        InputError: none of the choices, or more than one; it lists them.
    """
    choices, words = table.choices(position), _words(text)
    if not words:
        raise InputError(f"say which: {listed(choices)}")
    if len(words) == 1 and words[0] in (numbers := [str(number) for number in range(1, len(choices) + 1)]):
        return choices[numbers.index(words[0])]
    for choice in choices:
        if _words(choice.action) == words:
            return choice
    dice, rest = _split(table, words)
    found = [
        choice
        for choice in choices
        if (dice is None or dice == sorted(choice.keep))
        and all(word in _words(choice.action) or word == choice.then for word in rest)
    ]
    if len(found) > 1 and all(_ends(table, choice) for choice in found):  # bank: as much as there is
        most = max(choice.points for choice in found)
        found = [choice for choice in found if choice.points == most]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{shown(text)} could be: {listed(found)}; say which")
    raise InputError(f"{shown(text)} is none of the choices here; what may be done: {listed(choices)}")


def listed(choices: Sequence[Choice[Any]]) -> str:
    """Choices in words, for a message."""
    words = [choice.action for choice in choices[:MOST_LISTED]]
    more = len(choices) - len(words)
    return "; ".join(words) + (f"; and {more} more" if more else "")


def _ends(table: Table[Position], choice: Choice[Position]) -> bool:
    return table.stage(choice.after) == "over" or table.turn_begins(choice.after)


def scores(table: Table[Any], position: Any, seat: int | None = None) -> tuple[int, ...]:
    """How the scores stand in a position, from ``seat`` (the mover) on; () where the game has none."""
    told = table.tell(position)
    if "score" not in told:
        return ()
    mover = table.mover(position)
    around = [told["score"], *told.get("opponents", ())]
    first = 0 if seat is None else (seat - mover) % table.players
    return tuple(around[first:] + around[:first])


def _words(text: str) -> list[str]:
    return folded(re.sub(r"(?<=\d),(?=\d{3}\b)", "", text).replace(",", " ").replace(":", " ")).split()


def _split(table: Table[Any], words: Sequence[str]) -> tuple[list[str] | None, list[str]]:
    """The dice that are named, None where none are, and the other words."""
    field = next((one for one in table.fields if one.kind is Kind.DICE and one.name == "roll"), None)
    begin = 1 if words[0] == "keep" else 0
    shown: list[str] = []
    for word in words[begin:]:
        faces = None if field is None else _faces(table, field, word)
        if faces is None:
            break
        shown += faces
        begin += 1
    if not shown:
        return None, list(words)
    return sorted(shown), list(words[begin:])


def _faces(table: Table[Any], field: Field, word: str) -> Iterable[str] | None:
    try:
        return tuple(map(str, field.read(word)))
    except InputError:
        return None
