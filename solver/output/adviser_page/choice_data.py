"""Choices as data for the page: their kind, the type of their data, and the data that is not usual.

The page words a choice itself, in its language. Its types are those of ``play.choice_kinds``, under the same names.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...play.choice_kinds import ChoiceData, ChoiceKind, SetAside

OPEN = "*"  # stands for points that the page fills in


class _Field(NamedTuple):
    name: str
    value: Any


EncodedChoice = tuple[str, str, tuple[_Field, ...]]


def encode_roll(type_name: str, **fields: Any) -> EncodedChoice:
    """Return a roll that only the page has words for, with data of a type of its own."""
    return ChoiceKind.ROLL.value, type_name, tuple(_Field(name, value) for name, value in fields.items())


ROLL_THE_DICE = encode_roll("DiceRoll")
ROLL_ALL_DICE = encode_roll("DiceRoll", dice=6)


def encode_choice(kind: ChoiceKind, data: ChoiceData, open_from: int | None = None) -> EncodedChoice:
    """Return a choice as data.

    The dice of a ``SetAside`` are left out: they are the dice that the choice keeps.

    Args:
        kind: the kind of the choice.
        data: its data.
        open_from: points from which on a number stands for points that the page fills in; None if none does.
    """
    return kind.value, type(data).__name__, tuple(_fields(data, open_from))


def _fields(data: Any, open_from: int | None) -> list[_Field]:
    fields = []
    for name, value in data._asdict().items():
        if name in data._field_defaults and value == data._field_defaults[name]:
            continue
        if isinstance(value, SetAside):
            fields += [_Field(name, value) for name, value in value._asdict().items() if value and name != "dice"]
        elif open_from is not None and type(value) is int and value >= open_from:
            fields.append(_Field(name, OPEN))
        else:
            fields.append(_Field(name, value))
    return fields
