"""What an entry of a rule file asks dice to show, read and told in the same words for throws, patterns and boxes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

from ...util.errors import HouseRuleError
from ..dice_matcher import Shown
from .schema import FLAG, Schema, list_of, one_of, whole

Counts = tuple[int, ...]

MOST_MEANT = 50_000  # orders of faces that the letters of a pattern may stand for


def keys(most: int, size: Schema, face: Schema, faces: Schema, spots: Schema) -> dict[str, tuple[Schema, str]]:
    """The keys of an entry that ask what dice show; of up to so many faces, which are told as ``face``, or several."""
    return {
        "groups": (list_of(size), "So many dice alike, each group of another face."),
        "all_alike": (FLAG, "Whether all dice alike count as these groups too."),
        "straight": (
            one_of(whole(2, most), list_of(face, uniqueItems=True)),
            "So many faces in a row, or one die at least of each of these.",
        ),
        "shows": (faces, "These dice are among them."),
        "only": (faces, "No other faces than these."),
        "sum": (spots, "The sum of all spots."),
        "at_least": ({**spots, "minimum": 1}, "The least sum of all spots."),
        "at_most": (spots, "The greatest sum of all spots."),
    }


SUMS = {"sum": ("at_least", "at_most")}  # says exactly which
ASKED = tuple(key for key in keys(2, FLAG, FLAG, FLAG, FLAG) if key != "all_alike")


def read_shown(
    entry: Mapping[str, Any], faces: Sequence[str], dice: int, colours: Sequence[str], *path: str | int
) -> Shown:
    """What an entry asks up to so many dice to show.

    Raises:
        HouseRuleError: what they can never show.
    """
    groups = tuple(sorted(entry.get("groups", ()), reverse=True))
    if sum(groups) > dice or len(groups) > len(faces):
        message = f"groups must list counts of alike dice that {dice} dice of {len(faces)} faces can show"
        raise HouseRuleError(message, *path, "groups")
    if "one_colour" in entry and not colours:
        raise HouseRuleError("one_colour needs colours, one for each face, at the top of the file", *path, "one_colour")
    sums = {key: entry[key] for key in ("sum", "at_least", "at_most") if key in entry}
    spots = spots_of(faces, *path, next(iter(sums))) if sums else ()
    for key, total in sums.items():
        if total > dice * max(spots):
            raise HouseRuleError(f"{key} must be no more than {dice * max(spots):,}, not {total:,}", *path, key)
    named = {key: _faces(entry[key], faces, *path, key) for key in ("shows", "only") if key in entry}
    counts = tuple(map(named["shows"].count, range(1, len(faces) + 1))) if "shows" in named else ()
    return Shown(
        groups,
        entry.get("all_alike", False),
        _runs(entry["straight"], dice, faces, *path, "straight") if "straight" in entry else (),
        counts,
        tuple(sorted({*named.get("only", ())})),
        sums.get("sum", sums.get("at_least", 0)),
        sums.get("sum", sums.get("at_most")),
        tuple(colours) if "one_colour" in entry else (),
        spots if spots != tuple(range(1, len(faces) + 1)) else (),
    )


def tell(shown: Shown, faces: Sequence[Any]) -> dict[str, Any]:
    """The same as an entry tells it, spelled one way; faces as lists."""
    found: dict[str, Any] = {"groups": list(shown.groups), "all_alike": shown.all_alike}
    if shown.runs:
        several = len(shown.runs) > 1
        found["straight"] = len(shown.runs[0]) if several else [faces[face - 1] for face in shown.runs[0]]
    found["shows"] = [face for face, count in zip(faces, shown.shows, strict=False) for _ in range(count)]
    found["only"] = [faces[face - 1] for face in shown.only]
    if shown.least == shown.most:
        found["sum"] = shown.most
    else:
        found |= {"at_least": shown.least or None, "at_most": shown.most}
    return found | {"one_colour": bool(shown.colours)}


def _runs(value: int | Sequence[Any], dice: int, faces: Sequence[str], *path: str | int) -> tuple[Counts, ...]:
    most = min(dice, len(faces))
    if isinstance(value, int) and value <= most:
        return tuple(tuple(range(low, low + value)) for low in range(1, len(faces) - value + 2))
    if not isinstance(value, int) and len(value) <= dice:
        return (tuple(sorted(_faces(value, faces, *path))),)
    raise HouseRuleError(f"straight must list different faces, or say how many in a row: up to {most} here", *path)


def _faces(value: str | Sequence[Any], faces: Sequence[str], *path: str | int) -> list[int]:
    """Faces by number, from 1."""
    named = shown_by(value, faces, *path) if isinstance(value, str) else [*map(str, value)]
    for face in named:
        if face not in faces:
            raise HouseRuleError(f"{path[-1]} must name faces: {', '.join(faces)}; not {face}", *path)
    return [faces.index(face) + 1 for face in named]


def spots_of(faces: Sequence[str], *path: str | int) -> Counts:
    """The spots of faces that are numbers."""
    if not all(face.isascii() and face.isdigit() and len(face) <= 4 for face in faces):
        raise HouseRuleError("sums need faces that are numbers", *path)
    return tuple(map(int, faces))


def counts_of(told: str | Sequence[Any], faces: Sequence[str], *path: str | int) -> list[Counts]:
    """Every multiset that dice as they lie stand for: faces as they are, letters a, b, c for any different faces."""
    shown, text = shown_by(told, faces, *path), spelled(told)
    letters = sorted({face for face in shown if face not in faces})
    found = {}
    others = [face for face in faces if face not in shown]
    if math.perm(len(others), len(letters)) > MOST_MEANT:
        raise HouseRuleError(f"{text} stands for more throws than can be listed; name the faces", *path)
    for meant in permutations(others, len(letters)):
        named = [dict(zip(letters, meant, strict=True)).get(face, face) for face in shown]
        found[tuple(named.count(face) for face in faces)] = True
    if not found:
        raise HouseRuleError(f"{text} needs more different faces than there are", *path)
    return list(found)


def spelled(told: str | Sequence[Any]) -> str:
    """Dice as they are told, in one line."""
    return " ".join(told.split() if isinstance(told, str) else map(str, told))


def shown_by(told: str | Sequence[Any], faces: Sequence[str], *path: str | int) -> list[str]:
    """The faces and letters that are told: those of a list, the words of a text that has several, and the characters of
    one word, unless it is a face's name. What can be read in two ways is refused.
    """
    free = [letter for letter in map(chr, range(ord("a"), ord("z") + 1)) if letter not in faces]
    text = spelled(told)
    ways = [list(map(str, told))] if not isinstance(told, str) else [text.split()] if " " in text else [[*text], [text]]
    meant = list[list[str]]()
    for way in ways:
        letters = {one for one in way if one not in faces}
        if way and letters <= set(free[: len(letters)]) and way not in meant:
            meant.append(way)
    if len(meant) > 1:
        said = f"{text} is a face, and can be read as {' '.join(text)}"
        raise HouseRuleError(f'{said}: list what is meant, ["{text}"] or {[*text]}'.replace("'", '"'), *path)
    if not meant:
        spaced = ", with spaces between" if max(map(len, faces)) > 1 else ""
        said = f"the faces are {', '.join(faces)}{spaced}; letters stand for any others, from {free[0]} on in order"
        raise HouseRuleError(f"{text} is neither dice nor letters; {said}", *path)
    return meant[0]
