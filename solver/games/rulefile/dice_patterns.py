"""Dice and conditions on dice, as rule files write them.

Special rolls, patterns and the boxes of cards use the same keys. ``parse_condition`` turns them into the matcher
``DiceCondition``, and ``format_condition`` writes a matcher in normal form. ``parse_dice`` and ``expand_dice`` read
dice that are listed, such as ``aabbcc``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import permutations
from string import ascii_lowercase
from typing import Any

from ...util.errors import HouseRuleError, abbreviate
from ..dice_matcher import DiceCondition
from .schema import FLAG, Schema, any_of, integer, list_of

Counts = tuple[int, ...]

MAX_ASSIGNMENTS = 50_000  # ways to assign faces to the letters of a pattern
MAX_SPOT_DIGITS = 4


def condition_keys(
    max_faces: int, size: Schema, face: Schema, faces: Schema, spots: Schema
) -> dict[str, tuple[Schema, str]]:
    """Return the keys of a condition on dice.

    Args:
        max_faces: the most faces that dice may have.
        size: the declaration of a number of dice.
        face: the declaration of one face.
        faces: the declaration of several faces.
        spots: the declaration of a sum of spots.
    """
    return {
        "groups": (list_of(size), "How many dice show the same face, group by group: [3, 2] is a full house."),
        "all_alike": (FLAG, "Whether all dice alike count as these groups too."),
        "straight": (
            any_of(integer(2, max_faces, ("dice", "faces")), list_of(face, uniqueItems=True)),
            "The number of consecutive faces, or a list of the faces.",
        ),
        "shows": (faces, "These faces are among the dice."),
        "only": (faces, "The dice show no other faces than these."),
        "sum": (spots, "The sum of all spots."),
        "at_least": ({**spots, "minimum": 1}, "The smallest sum of all spots."),
        "at_most": (spots, "The largest sum of all spots."),
    }


EXCLUDED_BY_SUM = {"sum": ("at_least", "at_most")}
CONDITIONS = tuple(key for key in condition_keys(2, FLAG, FLAG, FLAG, FLAG) if key != "all_alike")


def parse_condition(
    entry: Mapping[str, Any], faces: Sequence[str], dice: int, colours: Sequence[str], *path: str | int
) -> DiceCondition:
    """Return the condition of an entry as a matcher.

    Args:
        entry: a special roll, a pattern or a category.
        faces: the names of the faces.
        dice: the most dice that the condition may ask for.
        colours: the colour of each face; empty if faces have no colours.
        path: where the entry is.

    Raises:
        HouseRuleError: a condition that dice can never meet.
    """
    groups = tuple(sorted(entry.get("groups", ()), reverse=True))
    if sum(groups) > dice or len(groups) > len(faces):
        sizes = ", ".join(map(str, groups))
        if sum(groups) > dice:
            message = f"groups = [{sizes}] requires {sum(groups)} dice, but there are {dice}"
        else:
            message = f"groups = [{sizes}] requires {len(groups)} different faces, but a die has {len(faces)}"
        raise HouseRuleError(message, *path, "groups")
    if "one_colour" in entry and not colours:
        message = "one_colour requires colours, one for each face, at the top of the file"
        raise HouseRuleError(message, *path, "one_colour")
    sums = {key: entry[key] for key in ("sum", "at_least", "at_most") if key in entry}
    spots = spots_of(faces, *path, next(iter(sums))) if sums else ()
    for key, total in sums.items():
        if total > dice * max(spots):
            raise HouseRuleError(f"{key} must be no more than {dice * max(spots):,}, not {total:,}", *path, key)
    shown_faces = _parse_faces(entry["shows"], faces, *path, "shows") if "shows" in entry else None
    only_faces = _parse_faces(entry["only"], faces, *path, "only") if "only" in entry else []
    face_numbers = range(1, len(faces) + 1)
    return DiceCondition(
        groups=groups,
        all_alike=entry.get("all_alike", False),
        straights=_parse_straight(entry["straight"], dice, faces, *path, "straight") if "straight" in entry else (),
        shows=() if shown_faces is None else tuple(map(shown_faces.count, face_numbers)),
        only=tuple(sorted({*only_faces})),
        at_least=sums.get("sum", sums.get("at_least", 0)),
        at_most=sums.get("sum", sums.get("at_most")),
        colours=tuple(colours) if "one_colour" in entry else (),
        spots=spots if spots != tuple(face_numbers) else (),
    )


def format_condition(condition: DiceCondition, faces: Sequence[Any]) -> dict[str, Any]:
    """Return the keys of a condition in normal form; faces are lists."""
    keys: dict[str, Any] = {"groups": list(condition.groups), "all_alike": condition.all_alike}
    if condition.straights:
        first, *other_runs = condition.straights
        keys["straight"] = len(first) if other_runs else [faces[face - 1] for face in first]
    keys["shows"] = [face for face, count in zip(faces, condition.shows, strict=False) for _ in range(count)]
    keys["only"] = [faces[face - 1] for face in condition.only]
    if condition.at_least == condition.at_most:
        keys["sum"] = condition.at_most
    else:
        keys |= {"at_least": condition.at_least or None, "at_most": condition.at_most}
    return keys | {"one_colour": bool(condition.colours)}


def _parse_straight(
    value: int | Sequence[Any], dice: int, faces: Sequence[str], *path: str | int
) -> tuple[Counts, ...]:
    """Return all runs of face numbers that count as the straight."""
    max_length = min(dice, len(faces))
    if isinstance(value, int) and value <= max_length:
        return tuple(tuple(range(lowest, lowest + value)) for lowest in range(1, len(faces) - value + 2))
    if not isinstance(value, int) and len(value) <= dice:
        return (tuple(sorted(_parse_faces(value, faces, *path))),)
    message = (
        f"straight must be a list of different faces, or a number of consecutive faces of at most {max_length}, not"
        f" {abbreviate(value)}"
    )
    raise HouseRuleError(message, *path)


def _parse_faces(value: str | Sequence[Any], faces: Sequence[str], *path: str | int) -> list[int]:
    """Return the numbers of faces, from 1."""
    names = parse_dice(value, faces, *path) if isinstance(value, str) else [*map(str, value)]
    for name in names:
        if name not in faces:
            raise HouseRuleError(f"'{path[-1]}' must list faces, not {name}: use {', '.join(faces)}", *path)
    return [faces.index(name) + 1 for name in names]


def spots_of(faces: Sequence[str], *path: str | int) -> Counts:
    """Return the spots of faces that are numbers; refuse other faces."""
    if not all(face.isascii() and face.isdigit() and len(face) <= MAX_SPOT_DIGITS for face in faces):
        raise HouseRuleError("sums of spots require faces that are numbers", *path)
    return tuple(map(int, faces))


def expand_dice(value: str | Sequence[Any], faces: Sequence[str], *path: str | int) -> list[Counts]:
    """Return the face counts that listed dice stand for: letters a, b, c are any different faces."""
    symbols, text = parse_dice(value, faces, *path), format_dice(value)
    letters = sorted({symbol for symbol in symbols if symbol not in faces})
    free_faces = [face for face in faces if face not in symbols]
    if math.perm(len(free_faces), len(letters)) > MAX_ASSIGNMENTS:
        raise HouseRuleError(f"{text} stands for too many rolls to list: name the faces", *path)
    all_counts = dict[Counts, None]()
    for assigned in permutations(free_faces, len(letters)):
        face_by_letter = dict(zip(letters, assigned, strict=True))
        names = [face_by_letter.get(symbol, symbol) for symbol in symbols]
        all_counts[tuple(names.count(face) for face in faces)] = None
    if not all_counts:
        raise HouseRuleError(f"{text} needs more different faces than the dice have", *path)
    return list(all_counts)


def format_dice(value: str | Sequence[Any]) -> str:
    """Return listed dice in one line."""
    return " ".join(value.split() if isinstance(value, str) else map(str, value))


def parse_dice(value: str | Sequence[Any], faces: Sequence[str], *path: str | int) -> list[str]:
    """Return the faces and letters that listed dice name.

    A list has one for each die. A text is split at blanks; one word is a face, or else one character for each die.

    Raises:
        HouseRuleError: dice that are neither faces nor letters in order, or that can be read in two ways.
    """
    free_letters = [letter for letter in ascii_lowercase if letter not in faces]
    text = format_dice(value)
    readings = list[list[str]]()
    for symbols in _possible_symbols(value, text):
        letters = {symbol for symbol in symbols if symbol not in faces}
        if symbols and letters <= set(free_letters[: len(letters)]) and symbols not in readings:
            readings.append(symbols)
    if len(readings) > 1:
        message = f'{text} is a face, but also reads as {" ".join(text)}: write a list, ["{text}"] or {[*text]}'
        raise HouseRuleError(message.replace("'", '"'), *path)
    if not readings:
        spaced = ", with spaces between" if max(map(len, faces)) > 1 else ""
        letters_in_words = f"{', '.join(free_letters[:3])} and so on"
        remedy = f"use {', '.join(faces)}{spaced}, or {letters_in_words} in this order for any different faces"
        raise HouseRuleError(f"cannot read the dice {text}: {remedy}", *path)
    return readings[0]


def _possible_symbols(value: str | Sequence[Any], text: str) -> list[list[str]]:
    """Return the ways to split listed dice into faces and letters."""
    if not isinstance(value, str):
        return [list(map(str, value))]
    if " " in text:
        return [text.split()]
    return [[*text], [text]]
