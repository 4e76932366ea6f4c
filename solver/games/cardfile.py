"""Your own card as data: the dice, the throws and the categories of a game like Yahtzee, from a table of plain values.

name = "ours"                   # letters, digits and dashes
title = "Our Yacht"
dice = 5
throws = 3                      # faces = 6, weights = [1, 1, 1, 1, 1, 1], boxes = 1 (2: the dice are split in two)

[[category]]
name = "ones"
face = 1                        # the spots of the dice that show it

[[category]]
name = "full house"
groups = [3, 2]                 # that many alike, each group another face
points = "sum"                  # all spots; "groups": those of the groups' dice; or a fixed number

[[category]]
name = "little straight"
straight = [1, 2, 3, 4, 5]      # these faces; straight = 4: any four in a row
points = 30

[[category]]
name = "choice"
chance = true                   # all spots

[upper]                         # points that count towards a bonus
categories = ["ones"]
at = 3
bonus = 35

[again]                         # later throws of all dice alike
category = "yahtzee"
bonus = 100                     # points for each, if that box holds points
joker = "forced"                # forced | free | none, as in Yahtzee
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..errors import nearest
from . import FILES, Game
from .cards import FORCED, FREE, NONE, Card, Category
from .house import HouseRuleError, known_keys, read_text, read_whole

KEYS = ("name", "title", "dice", "faces", "weights", "throws", "boxes", "category", "upper", "again")
KINDS = ("face", "groups", "straight", "chance")
MOST_CATEGORIES = 14
MOST_DICE, MOST_FACES = 12, 8
MOST_NODES = 40_000


def card_game(rules: Mapping[str, Any]) -> Game:
    """Return the game that the values describe (see the module's text for their shape).

    Raises:
        HouseRuleError: a key that is not known, a value that cannot be, or a category missing or named twice.
    """
    known_keys(rules, KEYS)
    name = read_text(rules, "name")
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name) or name in FILES:
        raise HouseRuleError(f"name={name} must be letters, digits and dashes, and no game's own id", "name")
    dice = read_whole(rules, "dice", 1, MOST_DICE)
    faces = read_whole({"faces": 6, **rules}, "faces", 2, MOST_FACES)
    throws = read_whole({"throws": 3, **rules}, "throws", 1, 10)
    boxes = read_whole({"boxes": 1, **rules}, "boxes", 1, 2)
    weights = rules.get("weights", [1] * faces)
    if not isinstance(weights, list) or len(weights) != faces or not all(type(w) is int and w > 0 for w in weights):
        raise HouseRuleError(f"weights must be {faces} positive whole numbers, one for each face", "weights")
    if dice % boxes:
        raise HouseRuleError(f"{dice} dice cannot be split evenly into {boxes} parts", "boxes")
    entries = rules.get("category")
    if not isinstance(entries, list) or not entries:
        raise HouseRuleError("a card needs categories: [[category]] entries", "category")
    if len(entries) > MOST_CATEGORIES or len(entries) % boxes:
        raise HouseRuleError(
            f"{len(entries)} categories: there may be up to {MOST_CATEGORIES}, in whole turns of {boxes}", "category"
        )
    categories: list[Category] = []
    for place, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise HouseRuleError("a category is a table", "category", place)
        category = _category(entry, place, dice // boxes, faces)
        if category.name in {other.name for other in categories}:
            raise HouseRuleError(f"the category {category.name} is named twice", "category", place, "name")
        categories.append(category)
    names = [category.name for category in categories]
    card = Card(
        dice=dice,
        faces=faces,
        weights=tuple(weights),
        throws=throws,
        categories=tuple(categories),
        boxes=boxes,
        **_upper(rules, names),
        **_again(rules, names),
    )
    if boxes == 2 and (card.upper or card.again):
        raise HouseRuleError("upper and again go with one box a turn only", "boxes")
    if card.lattice.nodes > MOST_NODES:
        raise HouseRuleError(f"{dice} dice of {faces} faces are too many to solve", "dice")
    for number, category in enumerate(categories):
        if not card.part_scores[number].any():
            raise HouseRuleError(f"no throw scores in {category.name}", "category", number)
    shape = {key: rules[key] for key in KEYS if key in rules}
    duel = not card.upper and not card.again
    objectives = ("points", "reach", "win") if duel else ("points", "reach")
    return Game(name, str(rules.get("title", name)), "card", objectives, (), shape, card)


def _category(entry: Mapping[str, Any], place: int, dice: int, faces: int) -> Category:
    path = ("category", place)
    known_keys(entry, ("name", *KINDS, "points"), *path)
    name = " ".join(read_text(entry, "name", *path).lower().split())
    if not name or "," in name or "=" in name:
        raise HouseRuleError("the name of a category must not be empty, nor hold commas or =", *path, "name")
    kinds = [kind for kind in KINDS if kind in entry]
    if len(kinds) != 1:
        raise HouseRuleError(f"{name} needs one of {', '.join(KINDS)}", *path)
    (kind,) = kinds
    points = entry.get("points", "sum")
    if not (points in ("sum", "groups") or (type(points) is int and 1 <= points <= 10_000)):
        raise HouseRuleError(f'points={points} must be "sum", "groups" or a number from 1 to 10,000', *path, "points")
    if kind in ("face", "chance") and "points" in entry:
        raise HouseRuleError(f"{kind} counts spots; leave points out", *path, "points")
    if points == "groups" and kind != "groups":
        raise HouseRuleError('points="groups" goes with groups only', *path, "points")
    if kind == "face":
        return Category(name, "face", face=read_whole(entry, "face", 1, faces, *path))
    if kind == "chance":
        if entry["chance"] is not True:
            raise HouseRuleError("chance must be true", *path, "chance")
        return Category(name, "chance")
    value = entry[kind]
    if kind == "groups":
        if not _numbers(value) or sum(value) > dice or len(value) > faces or max(value) < 2:
            raise HouseRuleError(f"groups must list counts of alike dice that {dice} dice can show", *path, "groups")
        return Category(name, "groups", points, groups=tuple(sorted(value, reverse=True)))
    if type(value) is int and 2 <= value <= min(dice, faces):
        runs = tuple(tuple(range(low, low + value)) for low in range(1, faces - value + 2))
    elif _numbers(value) and len(set(value)) == len(value) <= dice and max(value) <= faces:
        runs = (tuple(sorted(value)),)
    else:
        raise HouseRuleError("straight must list different faces or say how many in a row", *path, "straight")
    return Category(name, "straight", points, run=runs)


def _numbers(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(type(one) is int and one > 0 for one in value)


def _upper(rules: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    if "upper" not in rules:
        return {}
    table = rules["upper"]
    if not isinstance(table, dict):
        raise HouseRuleError("upper must be a table", "upper")
    known_keys(table, ("categories", "at", "bonus"), "upper")
    chosen = table.get("categories")
    if not isinstance(chosen, list) or not chosen or len(set(map(str, chosen))) != len(chosen):
        raise HouseRuleError("upper.categories must list different categories", "upper", "categories")
    for one in chosen:
        if one not in names:
            raise HouseRuleError(f"there is no category {one}{nearest(one, names)}", "upper", "categories")
    by_name = {entry["name"].lower(): entry for entry in rules["category"]}
    for one in chosen:
        if "face" not in by_name[one]:
            raise HouseRuleError(f"{one} counts no single face, so it is no upper category", "upper", "categories")
    at, bonus = read_whole(table, "at", 1, 500, "upper"), read_whole(table, "bonus", 1, 10_000, "upper")
    return {"upper": tuple(chosen), "bonus_at": at, "bonus": bonus}


def _again(rules: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    if "again" not in rules:
        return {}
    table = rules["again"]
    if not isinstance(table, dict):
        raise HouseRuleError("again must be a table", "again")
    known_keys(table, ("category", "bonus", "joker"), "again")
    name = read_text(table, "category", "again")
    if name not in names:
        raise HouseRuleError(f"there is no category {name}{nearest(name, names)}", "again", "category")
    joker = table.get("joker", NONE)
    if joker not in (FORCED, FREE, NONE):
        raise HouseRuleError(
            f"joker={joker} is not a way to play{nearest(joker, (FORCED, FREE, NONE))}", "again", "joker"
        )
    bonus = read_whole({"bonus": 0, **table}, "bonus", 0, 10_000, "again")
    entry = next(entry for entry in rules["category"] if entry["name"].lower() == name)
    if entry.get("groups") != [rules["dice"]] or type(entry.get("points")) is not int:
        raise HouseRuleError(f"{name} must be all dice alike for a fixed number of points", "again", "category")
    return {"again": name, "again_bonus": bonus, "joker": joker}
