"""Rule files with ``set_aside="cup"``: from a table of plain values to ``CupRules``.

``push_schema`` declares the keys of the table ``[cup]``. Start reading at ``compile_cup``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from ...util.errors import HouseRuleError, list_allowed
from ..cup_rules import FACE_COUNT, CupRules
from ..push_rules import DieKind
from ..rule_options import Option
from .one_face_file import DEFAULTS, FINISHES, TABLE_DEFAULTS
from .push_schema import OPTIONS
from .schema import unknown_key

SECTION = "cup"
MAX_CUP_STATES = 200_000  # an upper bound of the states of a turn; Zombie Dice has 28,000, of which 10,516 occur
MAX_HAND = 6  # dice


def compile_cup(rules: Mapping[str, Any], faces: tuple[str, ...], kinds: tuple[DieKind, ...]) -> CupRules:
    """Return the rules of a turn in which dice are drawn from a cup.

    Args:
        rules: the values of the file.
        faces: the names of the faces.
        kinds: the dice in the cup.

    Raises:
        HouseRuleError: the first rule that is broken, with its key.
    """
    _check_other_keys(rules)
    section = rules.get(SECTION)
    if section is None:
        raise HouseRuleError("set_aside=cup requires a table [cup] with hand, again, bust and limit", "set_aside")
    if len(faces) != FACE_COUNT:
        message = f"set_aside=cup requires {FACE_COUNT} faces: one that scores, one rolled again, and one that busts"
        raise HouseRuleError(message, "faces")
    again, bust = (_parse_face(section, key, faces) for key in ("again", "bust"))
    if again == bust:
        raise HouseRuleError(
            f"{SECTION}.again and {SECTION}.bust must be two different faces, not {faces[bust]}", SECTION, "bust"
        )
    scoring = next(face for face in range(FACE_COUNT) if face not in (again, bust))
    _check_kinds(kinds, faces, scoring, again)
    data = CupRules(
        dice=section["hand"],
        faces=faces,
        weights=(1,) * FACE_COUNT,
        set_aside=rules["set_aside"],
        target=rules["target"],
        finish=rules["finish"],
        cup=kinds,
        scoring_face=scoring,
        points=_parse_points(rules, faces, scoring),
        again_face=again,
        bust_face=bust,
        bust_limit=section["limit"],
    )
    _check_sizes(data)
    return data


def normalize_cup(data: CupRules) -> dict[str, Any]:
    """Return the table ``[cup]`` in normal form."""
    return {
        "hand": data.dice,
        "again": data.faces[data.again_face],
        "bust": data.faces[data.bust_face],
        "limit": data.bust_limit,
    }


def cup_options() -> tuple[Option, ...]:
    """Return the options that matter under these rules."""
    by_key = {option.key: option for option in OPTIONS}
    return by_key["target"], by_key["finish"]._replace(choices=FINISHES)


def _check_other_keys(rules: Mapping[str, Any]) -> None:
    """Refuse rules of other turns."""
    path = next(_other_keys(rules), None)
    if path is not None:
        raise HouseRuleError(f"{'.'.join(path)} cannot be combined with set_aside=cup: leave it out", *path)
    if rules["finish"] not in FINISHES:
        message = f"finish must be {list_allowed(FINISHES)} with set_aside=cup, not {rules['finish']}"
        raise HouseRuleError(message, "finish")


def _other_keys(rules: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the keys with rules of other turns, as paths."""
    yield from ((key,) for key in ("scores", "wild") if rules.get(key))
    if rules.get("bust"):
        yield ("bust",)
    yield from ((key,) for key, default in DEFAULTS.items() if rules.get(key, default) != default)
    for section, defaults in TABLE_DEFAULTS.items():
        yield from ((section, key) for key, default in defaults.items() if rules[section].get(key, default) != default)
    if rules["then"].get("leave"):
        yield "then", "leave"


def _parse_face(section: Mapping[str, Any], key: str, faces: tuple[str, ...]) -> int:
    """Return the number of the face that a key names."""
    name = str(section[key])
    if name not in faces:
        raise HouseRuleError(f"{SECTION}.{key} must name a face ({', '.join(faces)}), not {name}", SECTION, key)
    return faces.index(name)


def _parse_points(rules: Mapping[str, Any], faces: tuple[str, ...], scoring: int) -> int:
    """Return the points of a die that scores."""
    for name in rules["singles"]:
        if name not in faces:
            raise unknown_key(name, faces, ("singles",), rules)
    points_by_face = [rules["singles"].get(name, 0) for name in faces]
    other_faces = [name for face, name in enumerate(faces) if face != scoring and points_by_face[face]]
    if other_faces:
        raise HouseRuleError(
            f"{other_faces[0]} cannot score: with set_aside=cup only {faces[scoring]} does", "singles", other_faces[0]
        )
    points: int = points_by_face[scoring]
    if points < 1:
        message = f"set_aside=cup requires points for the third face: {faces[scoring]} = 1 in [singles]"
        raise HouseRuleError(message, "singles")
    return points


def _check_kinds(kinds: tuple[DieKind, ...], faces: tuple[str, ...], scoring: int, again_face: int) -> None:
    """Refuse a cup without dice, dice without names, and dice of which a turn could not get rid."""
    if not kinds:
        raise HouseRuleError("set_aside=cup requires [[die]] entries: the dice in the cup, by kind", "set_aside")
    for place, kind in enumerate(kinds):
        if not kind.name:
            raise HouseRuleError("the dice of a cup need names, such as green: positions name them", "die", place)
        if kind.weights[again_face] == sum(kind.weights):
            message = f"a die that always shows {faces[again_face]} is rolled forever: give another face a weight"
            raise HouseRuleError(message, "die", place)
    if not any(kind.weights[scoring] for kind in kinds):
        raise HouseRuleError(f"no die shows {faces[scoring]}, so no turn brings points", "die", 0)
    bust = next(face for face in range(FACE_COUNT) if face not in (scoring, again_face))
    for place, kind in enumerate(kinds):
        if not kind.weights[bust]:
            message = f"every die needs a side with {faces[bust]}, so that every roll can bust"
            raise HouseRuleError(message, "die", place)


def _check_sizes(data: CupRules) -> None:
    """Refuse a cup with too few dice for a hand, and turns that would take long to compile."""
    if data.dice > MAX_HAND:
        raise HouseRuleError(f"{SECTION}.hand must be at most {MAX_HAND}, not {data.dice}", SECTION, "hand")
    if data.bust_limit > data.dice:
        message = f"{SECTION}.limit must be at most the hand of {data.dice}, so that every roll can bust"
        raise HouseRuleError(message, SECTION, "limit")
    needed = data.dice + data.bust_limit - 1
    if data.die_count < needed:
        message = f"a cup of {data.die_count} dice is too small: a hand and the dice set aside take up to {needed}"
        raise HouseRuleError(message, "die", 0)
    kind_count = len(data.cup)
    hands = math.comb(data.dice + kind_count, kind_count)
    busted = math.comb(data.bust_limit - 1 + kind_count, kind_count)
    states = math.prod(kind.count + 1 for kind in data.cup) * hands * busted
    if states > MAX_CUP_STATES:
        message = f"these dice make up to {states:,} states of a turn, more than {MAX_CUP_STATES:,}"
        raise HouseRuleError(f"{message}: play with fewer dice, kinds or dice in a hand", "die", 0)
