"""Rule files with ``set_aside="one-face"``: from a table of plain values to ``OneFaceRules``.

``push_schema`` declares the keys of the table ``[one_face]``. Start reading at ``compile_one_face``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...util.errors import HouseRuleError
from ..one_face_rules import OneFaceRules
from ..rule_options import Option
from .push_schema import OPTIONS
from .schema import unknown_key

SECTION = "one_face"
MAX_STATES_TIMES_ROLLS = 1_000_000  # the rolls of all numbers of dice, for each state of the dice set aside: seconds
# Keys of other push-your-luck files. They may be missing, or have the value that stands here.
DEFAULTS: Mapping[str, Any] = {
    "alike": {},
    "pattern": [],
    "special": [],
    "wild_alone": False,
    "best": "highest",
    "take_over": "none",
}
TABLE_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "stop": {"opening": 0, "at_least": 0, "below": "end"},
    "then": {"set": "roll", "all": "roll", "dice": "all", "over": False},
}
FINISHES = ("at_least", "last_round")


def compile_one_face(rules: Mapping[str, Any], faces: tuple[str, ...], weights: tuple[int, ...]) -> OneFaceRules:
    """Return the rules of a turn in which all dice of one face are set aside.

    Args:
        rules: the values of the file.
        faces: the names of the faces.
        weights: how many equally likely sides show each face.

    Raises:
        HouseRuleError: the first rule that is broken, with its key.
    """
    _check_other_keys(rules)
    section: Mapping[str, Any] = rules.get(SECTION, {})
    for name in rules["singles"]:
        if name not in faces:
            raise unknown_key(name, faces, ("singles",), rules)
    face_points = tuple(rules["singles"].get(name, 0) for name in faces)
    if min(face_points) < 0 or not any(face_points):
        message = "set_aside=one-face requires points of 0 or more in [singles], and some above 0"
        raise HouseRuleError(message, "singles")
    data = OneFaceRules(
        dice=rules["dice"],
        faces=faces,
        weights=weights,
        set_aside=rules["set_aside"],
        target=rules["target"],
        finish=rules["finish"],
        face_points=face_points,
        forced_faces=_parse_faces(section, "forced", faces),
        repeatable_faces=_parse_faces(section, "repeatable", faces),
        needed_faces=_parse_faces(section, "needed", faces),
        covers=_parse_covers(section, faces),
        all_faces_bonus=section.get("bonus", 0),
        totals=_parse_totals(section),
        scores_if_stuck=section.get("stuck") == "score",
    )
    _check_faces(data)
    _check_size(data)
    _check_bank(data)
    return data


def normalize_one_face(data: OneFaceRules) -> dict[str, Any]:
    """Return the table ``[one_face]`` in normal form, without defaults."""
    lists = {"forced": data.forced_faces, "repeatable": data.repeatable_faces, "needed": data.needed_faces}
    normal: dict[str, Any] = {key: [data.faces[face] for face in numbers] for key, numbers in lists.items() if numbers}
    if data.covers:
        normal["covers"] = {data.faces[cover]: data.faces[covered] for cover, covered in data.covers}
    if data.all_faces_bonus:
        normal["bonus"] = data.all_faces_bonus
    if data.scores_if_stuck:
        normal["stuck"] = "score"
    if data.totals:
        normal["totals"] = {str(least): points for least, points in data.totals}
    return normal


def one_face_options(data: OneFaceRules) -> tuple[Option, ...]:
    """Return the options that matter under these rules: with totals there is only one turn, and no target."""
    by_key = {option.key: option for option in OPTIONS}
    if data.totals:
        return ()
    return by_key["target"], by_key["finish"]._replace(choices=FINISHES)


def _check_other_keys(rules: Mapping[str, Any]) -> None:
    """Refuse rules of other turns."""
    found = next(_other_keys(rules), None)
    if found is not None:
        raise HouseRuleError(f"{'.'.join(found)} cannot be combined with set_aside=one-face: leave it out", *found)
    if rules["finish"] not in FINISHES:
        message = f"set_aside=one-face requires finish={' or '.join(FINISHES)}, not {rules['finish']}"
        raise HouseRuleError(message, "finish")


def _other_keys(rules: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the keys with rules of other turns, as paths."""
    yield from ((key,) for key in ("scores", "wild", "bust", "die") if rules.get(key))
    yield from ((key,) for key, default in DEFAULTS.items() if rules.get(key, default) != default)
    for section, defaults in TABLE_DEFAULTS.items():
        yield from ((section, key) for key, default in defaults.items() if rules[section].get(key, default) != default)
    if rules["then"].get("leave"):
        yield "then", "leave"


def _parse_faces(section: Mapping[str, Any], key: str, faces: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of the faces that a key lists."""
    value = section.get(key, [])
    names = [str(name) for name in (value if isinstance(value, list) else [value])]
    for name in names:
        _check_face(name, faces, key)
    return tuple(sorted({faces.index(name) for name in names}))


def _check_face(name: str, faces: Sequence[str], *path: str) -> None:
    if name not in faces:
        message = f"{SECTION}.{'.'.join(path)} must name faces ({', '.join(faces)}), not {name}"
        raise HouseRuleError(message, SECTION, *path)


def _parse_covers(section: Mapping[str, Any], faces: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of a face and the face that it covers."""
    covers = list[tuple[int, int]]()
    for cover, covered in section.get("covers", {}).items():
        for name in (cover, str(covered)):
            _check_face(name, faces, "covers")
        if cover == str(covered):
            raise HouseRuleError(f"{SECTION}.covers: {cover} cannot cover itself", SECTION, "covers", cover)
        covers.append((faces.index(cover), faces.index(str(covered))))
    return tuple(sorted(covers))


def _parse_totals(section: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of a least total and its points, ascending."""
    totals = list[tuple[int, int]]()
    for text, points in section.get("totals", {}).items():
        if not (text.isascii() and text.isdecimal()) or len(text) > len("1000000"):
            message = f"the keys of {SECTION}.totals must be whole numbers, such as 21 = 1, not {text}"
            raise HouseRuleError(message, SECTION, "totals", text)
        totals.append((int(text), points))
    totals.sort()
    points_in_order = [points for _, points in totals]
    if points_in_order != sorted(points_in_order) or min(points_in_order, default=0) < 0:
        message = f"the points of {SECTION}.totals must be 0 or more, and must not fall as totals rise"
        raise HouseRuleError(message, SECTION, "totals")
    return tuple(totals)


def _check_faces(data: OneFaceRules) -> None:
    """Refuse faces with roles that contradict each other."""
    for face in data.forced_faces:
        name = data.faces[face]
        if face in data.repeatable_faces:
            message = f"{name} is a forced face, so it is never used up: leave it out of repeatable"
            raise HouseRuleError(message, SECTION, "repeatable")
    if len(data.forced_faces) == len(data.faces):
        raise HouseRuleError(
            "all faces are forced: leave one out, so that the player has a face to take", SECTION, "forced"
        )


def _check_size(data: OneFaceRules) -> None:
    """Refuse turns that would take long to compile."""
    rolls = sum(math.comb(count + len(data.faces) - 1, count) for count in range(1, data.dice + 1))
    states = data.used_set_count * (2 * data.dice + 1) ** len(data.covers)
    if rolls * states > MAX_STATES_TIMES_ROLLS:
        message = (
            f"{data.dice} dice with {len(data.faces)} faces make {rolls * states:,} combinations of rolls and"
            " faces set aside"
        )
        raise HouseRuleError(f"{message}, more than {MAX_STATES_TIMES_ROLLS:,}: use fewer dice or faces", "dice")


def _check_bank(data: OneFaceRules) -> None:
    """Refuse rules under which no turn brings points."""
    reachable = data.turn.reachable_points_by_mode(data.max_turn_units)
    for mode, points in zip(data.turn.modes, reachable, strict=True):
        if mode.bank_ending is not None and points >> data.min_bank_units:
            return
    key = "totals" if data.totals else "needed"
    raise HouseRuleError("no turn can score points under these rules", SECTION, key)
