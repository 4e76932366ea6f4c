"""Rule files with ``set_aside="one-face"`` or ``"any"``: from a table of plain values to ``OneFaceRules``.

``push_schema`` declares the keys of the tables ``[one_face]`` and ``[whole_hand]``. Start reading at
``compile_one_face``.
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
HAND_SECTION = "whole_hand"  # the same with set_aside="any"
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
ANY_KEYS = (("then", "set"), ("then", "all"))  # which files with set_aside="any" may have
TABLE_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "stop": {"opening": 0, "at_least": 0, "below": "end"},
    "then": {"set": "roll", "all": "roll", "dice": "all", "over": False},
}
FINISHES = ("at_least", "last_round")
ONE_TURN_FINISHES = ("one_turn", "one_turn_shared")


def compile_one_face(rules: Mapping[str, Any], faces: tuple[str, ...], weights: tuple[int, ...]) -> OneFaceRules:
    """Return the rules of a turn in which all dice of one face, or any dice, are set aside.

    Args:
        rules: the values of the file.
        faces: the names of the faces.
        weights: how many equally likely sides show each face.

    Raises:
        HouseRuleError: the first rule that is broken, with its key.
    """
    _check_other_keys(rules)
    kind_of_turn = rules["set_aside"]
    takes_any = kind_of_turn == "any"
    section_name = _section_name(kind_of_turn)
    section: Mapping[str, Any] = rules.get(section_name, {})
    for name in rules["singles"]:
        if name not in faces:
            raise unknown_key(name, faces, ("singles",), rules)
    face_points = tuple(rules["singles"].get(name, 0) for name in faces)
    if min(face_points) < 0 or not any(face_points):
        message = f"set_aside={kind_of_turn} requires points of 0 or more in [singles], and some above 0"
        raise HouseRuleError(message, "singles")
    data = OneFaceRules(
        dice=rules["dice"],
        faces=faces,
        weights=weights,
        set_aside=rules["set_aside"],
        target=rules["target"],
        finish=rules["finish"],
        face_points=face_points,
        forced_faces=_parse_faces(section, faces, section_name, "forced"),
        repeatable_faces=tuple(range(len(faces)))
        if takes_any
        else _parse_faces(section, faces, section_name, "repeatable"),
        needed_faces=_parse_faces(section, faces, section_name, "needed"),
        covers=_parse_covers(section, faces, section_name),
        all_faces_bonus=section.get("bonus", 0),
        totals=_parse_totals(section, section_name),
        scores_if_stuck=section.get("stuck") == "score",
        needed_score=section.get("needed_score", True),
        then_set=rules["then"]["set"],
        then_all=rules["then"]["all"],
    )
    if not data.needed_score and not data.needed_faces:
        message = f"{HAND_SECTION}.needed_score requires {HAND_SECTION}.needed: faces that a turn must have"
        raise HouseRuleError(message, HAND_SECTION, "needed_score")
    _check_faces(data)
    _check_size(data)
    _check_bank(data)
    return data


def normalize_one_face(data: OneFaceRules) -> dict[str, Any]:
    """Return the table ``[one_face]`` in normal form, without defaults."""
    repeatable = () if data.takes_any else data.repeatable_faces
    lists = {"forced": data.forced_faces, "repeatable": repeatable, "needed": data.needed_faces}
    normal: dict[str, Any] = {key: [data.faces[face] for face in numbers] for key, numbers in lists.items() if numbers}
    if data.covers:
        normal["covers"] = {data.faces[cover]: data.faces[covered] for cover, covered in data.covers}
    if data.all_faces_bonus:
        normal["bonus"] = data.all_faces_bonus
    if data.scores_if_stuck:
        normal["stuck"] = "score"
    if not data.needed_score:
        normal["needed_score"] = False
    if data.totals:
        normal["totals"] = {str(least): points for least, points in data.totals}
    return normal


def one_face_options(data: OneFaceRules) -> tuple[Option, ...]:
    """Return the options that matter under these rules: with totals there is only one turn, and no target."""
    by_key = {option.key: option for option in OPTIONS}
    if data.totals:
        return ()
    if data.is_one_turn:
        return (by_key["finish"]._replace(choices=ONE_TURN_FINISHES),)
    return by_key["target"], by_key["finish"]._replace(choices=FINISHES)


def _check_other_keys(rules: Mapping[str, Any]) -> None:
    """Refuse rules of other turns."""
    kind_of_turn, then_all = rules["set_aside"], rules["then"]["all"]
    takes_any = kind_of_turn == "any"
    bad_path = next((path for path in _other_keys(rules) if not (takes_any and path in ANY_KEYS)), None)
    if bad_path is not None:
        raise HouseRuleError(
            f"{'.'.join(bad_path)} cannot be combined with set_aside={kind_of_turn}: leave it out", *bad_path
        )
    if takes_any and rules["then"]["set"] == "end":
        raise HouseRuleError("set_aside=any requires then.set=roll or must, not end", "then", "set")
    if takes_any and then_all != "end":
        message = f"set_aside=any requires then.all=end, not {then_all}: the turn ends once all dice are set aside"
        raise HouseRuleError(message, "then", "all")
    finishes = (*FINISHES, *ONE_TURN_FINISHES)
    if rules["finish"] not in finishes:
        message = f"set_aside={kind_of_turn} requires finish={', '.join(FINISHES)} or one_turn, not {rules['finish']}"
        raise HouseRuleError(message, "finish")
    section = rules.get(_section_name(kind_of_turn), {})
    if section.get("totals") and rules["finish"] in ONE_TURN_FINISHES:
        finish = f"finish={rules['finish']}"
        raise HouseRuleError(f"totals cannot be combined with {finish}: leave one of them out", "finish")


def _other_keys(rules: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the keys with rules of other turns, as paths."""
    yield from ((key,) for key in ("scores", "wild", "bust", "die") if rules.get(key))
    yield from ((key,) for key, default in DEFAULTS.items() if rules.get(key, default) != default)
    for section, defaults in TABLE_DEFAULTS.items():
        yield from ((section, key) for key, default in defaults.items() if rules[section].get(key, default) != default)
    if rules["then"].get("leave"):
        yield "then", "leave"


def _section_name(kind_of_turn: str) -> str:
    """Return the table that says more about the dice set aside, by the value of ``set_aside``."""
    return HAND_SECTION if kind_of_turn == "any" else SECTION


def _parse_faces(section: Mapping[str, Any], faces: Sequence[str], section_name: str, key: str) -> tuple[int, ...]:
    """Return the numbers of the faces that a key lists."""
    value = section.get(key, [])
    names = [str(name) for name in (value if isinstance(value, list) else [value])]
    for name in names:
        _check_face(name, faces, section_name, key)
    return tuple(sorted({faces.index(name) for name in names}))


def _check_face(name: str, faces: Sequence[str], *path: str) -> None:
    if name not in faces:
        message = f"{'.'.join(path)} must name faces ({', '.join(faces)}), not {name}"
        raise HouseRuleError(message, *path)


def _parse_covers(section: Mapping[str, Any], faces: Sequence[str], section_name: str) -> tuple[tuple[int, int], ...]:
    """Return the pairs of a face and the face that it covers."""
    covers = list[tuple[int, int]]()
    for cover, covered in section.get("covers", {}).items():
        for name in (cover, str(covered)):
            _check_face(name, faces, section_name, "covers")
        if cover == str(covered):
            raise HouseRuleError(f"{section_name}.covers: {cover} cannot cover itself", section_name, "covers", cover)
        covers.append((faces.index(cover), faces.index(str(covered))))
    return tuple(sorted(covers))


def _parse_totals(section: Mapping[str, Any], section_name: str) -> tuple[tuple[int, int], ...]:
    """Return the pairs of a least total and its points, ascending."""
    totals = list[tuple[int, int]]()
    for text, points in section.get("totals", {}).items():
        if not (text.isascii() and text.isdecimal()) or len(text) > len("1000000"):
            message = f"the keys of {section_name}.totals must be whole numbers, such as 21 = 1, not {text}"
            raise HouseRuleError(message, section_name, "totals", text)
        totals.append((int(text), points))
    totals.sort()
    points_in_order = [points for _, points in totals]
    if points_in_order != sorted(points_in_order) or min(points_in_order, default=0) < 0:
        message = f"the points of {section_name}.totals must be 0 or more, and must not fall as totals rise"
        raise HouseRuleError(message, section_name, "totals")
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
    # With set_aside="any" every part of a roll may be set aside, so a die shows a face and is set aside or not.
    face_count = 2 * len(data.faces) if data.takes_any else len(data.faces)
    rolls = sum(math.comb(count + face_count - 1, count) for count in range(1, data.dice + 1))
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
    raise HouseRuleError("no turn can score points under these rules", _section_name(data.set_aside), key)
