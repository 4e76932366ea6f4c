"""House rules as data: any push-your-luck dice game of the family, from a table of plain values (a TOML file).

name = "ours"                 # letters, digits and dashes
title = "Our Farkle"
dice = 6
faces = 6                     # or names: ["1", "3", "4", "6", "x"], with weights = [1, 1, 1, 1, 2]
target = 10000
opening = 500                 # least points of the first bank; minimum: of every later one
hot_dice = "must"             # free | must | none, once all dice are set aside
finish = "last_round"         # at_least | exact | last_round
set_aside = "free"            # free | all

[singles]                     # one die of a face
1 = 100
5 = 50

[alike.3]                     # three of a face on one throw; alike.4, alike.5, ... likewise
1 = 1000
2 = 200

[[pattern]]                   # dice as they lie, or letters for any different faces
name = "three pairs"
dice = "aabbcc"
points = 1500

[[special]]                   # a whole throw with a meaning of its own
throw = "11111"
effect = "win"                # win | bust | wipe (lose the whole score) | again (score points, throw all dice again)
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

from ..errors import InputError, nearest
from ..options import Option, RuleValue
from ..turns.push import BUST
from . import FILES, Game
from .pushluck import WIPE, Counts, PushRules, face_values

OBJECTIVES = ("win", "points", "turns", "reach")
MOST_DICE, MOST_FACES = 8, 20

# The options that every rule file has, with what they are where the file is silent.
OPTIONS = (
    Option("target", 10_000, "total that wins", low=1),
    Option("opening", 0, "least points of the first bank, in one turn"),
    Option("minimum", 0, "least points of every later bank; stopping below it scores nothing"),
    Option("minimum_on_win", True, "whether minimum and opening hold on the winning turn too; never with finish=exact"),
    Option(
        "finish",
        "at_least",
        "at least the target wins at once; exact: a set that would pass it may not be taken; last_round: once somebody"
        " holds it every other player has one last turn, and the highest total wins",
        choices=("at_least", "exact", "last_round"),
    ),
    Option(
        "set_aside",
        "free",
        "any set in which every die contributes; all: every scoring die of the roll, at its highest score",
        choices=("free", "all"),
    ),
    Option(
        "hot_dice",
        "free",
        "once all dice are set aside they may all be thrown again; must: they must be; none: the turn ends",
        choices=("free", "must", "none"),
    ),
)
SHAPE = ("name", "title", "dice", "faces", "weights", "singles", "alike", "pattern", "special")
EFFECTS = ("win", "bust", "wipe", "again")


class HouseRuleError(InputError):
    """A rule that cannot be; ``path`` leads to it: keys, and places in lists from 0."""

    def __init__(self, message: str, *path: str | int) -> None:
        super().__init__(message)
        self.path = path


def house_game(rules: Mapping[str, Any]) -> Game:
    """Return the game that the values describe (see the module's text for their shape).

    Raises:
        HouseRuleError: a key that is not known, a value that cannot be, sets that overlap, or rules under which nothing
            scores or no throw can bust.
    """
    known_keys(rules, (*SHAPE, *(option.key for option in OPTIONS)))
    name = read_text(rules, "name")
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name) or name in FILES:
        raise HouseRuleError(f"name={name} must be letters, digits and dashes, and no game's own id", "name")
    dice = read_whole(rules, "dice", 1, MOST_DICE)
    faces = _faces(rules)
    weights = rules.get("weights", [1] * len(faces))
    if not isinstance(weights, list) or len(weights) != len(faces) or any(not _whole(w) or w < 1 for w in weights):
        raise HouseRuleError(f"weights must be {len(faces)} positive whole numbers, one for each face", "weights")
    chosen = {option.key: _option(rules, option) for option in OPTIONS}
    if chosen["finish"] == "exact":
        if rules.get("minimum_on_win") is True:
            message = "finish=exact and minimum_on_win=true contradict each other: who needs less could never finish"
            raise HouseRuleError(message, "minimum_on_win")
        chosen["minimum_on_win"] = False
    data = PushRules(
        dice=dice,
        faces=faces,
        weights=tuple(weights),
        values=_values(rules, dice, faces),
        patterns=_patterns(rules, dice, faces),
        specials=_specials(rules, dice, faces),
        **chosen,  # type: ignore[arg-type]
    )
    _check_whole(data)
    shape = {key: rules[key] for key in SHAPE if key in rules}
    title = str(rules.get("title", name))
    return Game(name, title, "push", OBJECTIVES, OPTIONS, {**shape, **chosen}, data)


def known_keys(table: Mapping[str, Any], keys: Sequence[str], *path: str | int) -> None:
    """Refuse keys that are not among those known."""
    for key in table:
        if key not in keys:
            raise HouseRuleError(f"there is no rule {key}{nearest(key, keys)}", *path, key)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def read_text(table: Mapping[str, Any], key: str, *path: str | int) -> str:
    """Return a text that must be given."""
    value = table.get(key)
    if not isinstance(value, str):
        raise HouseRuleError(f"{key} must be given, as text in quotes", *path, key)
    return value


def read_whole(table: Mapping[str, Any], key: str, low: int, high: int, *path: str | int) -> int:
    """Return a whole number that must be given."""
    value = table.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise HouseRuleError(f"{key} must be a whole number from {low:,} to {high:,}, not {value}", *path, key)
    return value


def _option(rules: Mapping[str, Any], option: Option) -> RuleValue:
    if option.key not in rules:
        return option.default
    try:
        return option.read(rules[option.key])
    except InputError as error:
        raise HouseRuleError(str(error), option.key) from None


def _faces(rules: Mapping[str, Any]) -> tuple[str, ...]:
    faces = rules.get("faces", 6)
    if _whole(faces) and 2 <= faces <= MOST_FACES:
        return tuple(str(face) for face in range(1, faces + 1))
    if isinstance(faces, list) and 2 <= len(faces) <= MOST_FACES and len({str(face) for face in faces}) == len(faces):
        return tuple(str(face) for face in faces)
    raise HouseRuleError(f"faces must be a number from 2 to {MOST_FACES} or a list of different names", "faces")


def _values(rules: Mapping[str, Any], dice: int, faces: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    singles = _points_by_face(rules.get("singles", {}), faces, "singles")
    alike: dict[str, dict[int, int]] = {face: {} for face in faces}
    table = rules.get("alike", {})
    for text, by_face in table.items():
        if not text.isdigit() or not 2 <= int(text) <= dice:
            raise HouseRuleError(f"alike.{text} must count from 2 to {dice} dice", "alike", text)
        for face, points in _points_by_face(by_face, faces, "alike", text).items():
            alike[face][int(text)] = points
    return tuple(face_values(dice, singles.get(face, 0), alike[face]) for face in faces)


def _points_by_face(table: Any, faces: Sequence[str], *path: str | int) -> dict[str, int]:
    if not isinstance(table, dict):
        raise HouseRuleError(f"{'.'.join(map(str, path))} must be a table of faces and their points", *path)
    known_keys(table, faces, *path)
    return {face: read_whole(table, face, 1, 1_000_000, *path) for face in table}


def _patterns(rules: Mapping[str, Any], dice: int, faces: Sequence[str]) -> tuple[tuple[Counts, int], ...]:
    patterns: dict[Counts, int] = {}
    for place, entry in enumerate(_list(rules, "pattern")):
        known_keys(entry, ("name", "dice", "points"), "pattern", place)
        shape, points = (
            read_text(entry, "dice", "pattern", place),
            read_whole(entry, "points", 1, 1_000_000, "pattern", place),
        )
        for counts in _counts(shape, faces, "pattern", place, "dice"):
            if sum(counts) > dice:
                raise HouseRuleError(f"{shape} takes {sum(counts)} dice of {dice}", "pattern", place, "dice")
            if max(counts) == sum(counts):
                raise HouseRuleError(f"{shape} is alike: write [alike.{sum(counts)}]", "pattern", place, "dice")
            if counts in patterns:
                raise HouseRuleError(
                    f"{shape} overlaps an earlier pattern: the same dice twice", "pattern", place, "dice"
                )
            patterns[counts] = points
    return tuple(patterns.items())


def _specials(rules: Mapping[str, Any], dice: int, faces: Sequence[str]) -> tuple[tuple[Counts, str, int], ...]:
    specials: dict[Counts, tuple[str, int]] = {}
    for place, entry in enumerate(_list(rules, "special")):
        known_keys(entry, ("throw", "effect", "points"), "special", place)
        throw, effect = read_text(entry, "throw", "special", place), read_text(entry, "effect", "special", place)
        if effect not in EFFECTS:
            raise HouseRuleError(f"effect={effect} is not known{nearest(effect, EFFECTS)}", "special", place, "effect")
        points = 0
        if effect == "again":
            points = read_whole(entry, "points", 1, 1_000_000, "special", place)
        elif "points" in entry:
            raise HouseRuleError(f"a throw with the effect {effect} scores no points", "special", place, "points")
        for counts in _counts(throw, faces, "special", place, "throw"):
            if sum(counts) > dice:
                raise HouseRuleError(f"{throw} takes {sum(counts)} dice of {dice}", "special", place, "throw")
            if counts in specials:
                raise HouseRuleError(f"{throw} overlaps an earlier special throw", "special", place, "throw")
            specials[counts] = (effect, points)
    return tuple((counts, *meaning) for counts, meaning in specials.items())


def _list(rules: Mapping[str, Any], key: str) -> list[Any]:
    entries = rules.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise HouseRuleError(f"{key} must be written as [[{key}]], once for each", key)
    return entries


def _counts(text: str, faces: Sequence[str], *path: str | int) -> list[Counts]:
    """Every multiset that a pattern stands for: faces as they are, letters a, b, c for any different faces."""
    shown = text.split() if " " in text else list(text)
    letters = sorted({face for face in shown if face not in faces})
    if not shown or any(not re.fullmatch("[a-z]", letter) for letter in letters):
        raise HouseRuleError(f"{text} is neither dice nor letters; the faces are {', '.join(faces)}", *path)
    found = {}
    others = [face for face in faces if face not in shown]
    for meant in permutations(others, len(letters)):
        named = [dict(zip(letters, meant, strict=True)).get(face, face) for face in shown]
        found[tuple(named.count(face) for face in faces)] = True
    if not found:
        raise HouseRuleError(f"{text} needs more different faces than there are", *path)
    return list(found)


def _check_whole(data: PushRules) -> None:
    """Refuse rules that make no game."""
    if not any(any(face) for face in data.values) and not data.patterns:
        raise HouseRuleError("nothing scores: give [singles], [alike.N] or [[pattern]]", "singles")
    for key in ("target", "opening", "minimum"):
        if getattr(data, key) % data.grain and key != "target":
            raise HouseRuleError(
                f"{key}={getattr(data, key)} must be a multiple of {data.grain}, as all points are", key
            )
    if data.finish == "exact" and data.target % data.grain:
        raise HouseRuleError(
            f"target={data.target} can never be hit exactly: all points come in {data.grain}s", "target"
        )
    if max(data.opening, data.minimum) > data.target:
        raise HouseRuleError(f"a bank of at least {max(data.opening, data.minimum)} is above the target", "opening")
    if any(effect == "wipe" for _, effect, _ in data.specials) and max(data.opening, data.minimum):
        message = "a throw that loses the whole score does not go with opening or minimum: a player might rather pass"
        raise HouseRuleError(message, "special", 0)
    try:
        modes = data.turn.modes
    except ValueError as error:
        raise HouseRuleError(str(error), "hot_dice") from None
    for mode in modes:
        for throw in mode.throws:
            if not any(offered in ((BUST,), (WIPE,)) for offered, _ in throw.classes):
                raise HouseRuleError(
                    f"a throw of {mode.name} always scores, so a turn would never have to end", "singles"
                )
