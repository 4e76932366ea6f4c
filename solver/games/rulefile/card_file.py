"""Your own card as data: the dice, the throws and the categories of a game like Yahtzee, from a table of plain values.

What a file may hold is declared in ``cardschema``; here it becomes a ``Card``. docs/rules.md shows a file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np

from ...util import multiset
from ...util.arguments import validate_arguments
from ...util.errors import HouseRuleError, InputError, suggest_name
from ...util.text import find_ambiguous_names, find_name, name_problem
from .. import Game, Stated, own_game
from ..card_rules import FORCED, NONE, Card, Category
from ..dice_matcher import Shown
from .card_schema import MOST_BOXES, MOST_POINTS, RULES
from .dice_patterns import read_shown, tell
from .push_file import given, numbered, read_title, read_weights
from .schema import read

MOST_SETS = 1 << 20  # sets of boxes that can be used together
MOST_UPPER = 12
MOST_FORCED = 1 << 14  # sets of boxes; each has options for every run of throws that may be entered for nothing
MOST_NODES = 40_000
MOST_TOTALS = 1 << 26  # what columns hold together, by set of boxes


def state(rules: Mapping[str, Any]) -> Stated:
    """Return what the values describe (see the module's text for their shape).

    Raises:
        HouseRuleError: a key that is not known, a value that cannot be, or a category missing or named twice.
    """
    rules = read(rules, RULES)
    title = read_title(rules)
    dice, faces, throws, boxes = (rules[key] for key in ("dice", "faces", "throws", "boxes"))
    _check_size(dice, faces)
    weights = read_weights(rules, faces, "positive whole numbers, one for each face")
    colours = tuple(rules.get("colours", ()))
    if colours and len(colours) != faces:
        raise HouseRuleError(f"colours must be {faces} words, one for each face", "colours")
    for colour in colours:
        if wrong := name_problem(colour):
            raise HouseRuleError(f"the name of a colour {wrong}", "colours")
    if dice % boxes:
        raise HouseRuleError(f"{dice} dice cannot be split evenly into {boxes} parts", "boxes")
    entries = rules["category"]
    if not entries:
        raise HouseRuleError("a card needs categories: [[category]] entries", "category")
    if len(entries) % boxes:
        raise HouseRuleError(f"{len(entries)} categories cannot be filled in turns of {boxes}", "category")
    categories: list[Category] = []
    for place, entry in enumerate(entries):
        category = _category(entry, place, dice // boxes, faces, colours)
        categories.append(category)
        if same := find_ambiguous_names(one.name for one in categories):
            said = f"is named twice: {' and '.join(same)} cannot be told apart once typed"
            raise HouseRuleError(f"the category {category.name} {said}", "category", place, "name")
    copies, made, before = _boxes(rules, categories)
    card = Card(
        dice=dice,
        faces=faces,
        weights=weights,
        throws=throws,
        categories=made,
        before=before,
        boxes=boxes,
        **_upper(rules, copies),
        **_again(rules, categories),
        ranges=_ranges(rules),
        saved=_saved(rules, throws, len(made)),
        forced_zeros=rules["zeros"] == FORCED,
    )
    _check_throws(rules, card)
    if boxes == 2 and (card.upper or card.again):
        raise HouseRuleError("upper and again go with one box a turn only", "boxes")
    if boxes == 2 and any(after < before for (_, before), (_, after) in pairwise(card.ranges)):
        said = "with two boxes a turn points must not fall as totals rise: dice are split for the most points"
        raise HouseRuleError(said, "total", "points")
    rows = multiset.list_multisets(dice // boxes, faces).astype(np.int64)
    for place, category in enumerate(categories):
        scores = card.part_scores[card.names.index(copies[category.name][0])].any()
        if not scores and not category.asks.fit(rows).any():
            raise HouseRuleError(f"no throw scores in {category.name}: none shows all it asks for", "category", place)
    objectives = tuple(one for one in ("points", "reach", "win") if one not in card.unsolved)
    family = "columns" if len(card.columns) > 1 else "ranges" if card.ranges else "card"
    return Stated(title, family, objectives, (), _told(rules, title, card, categories), card)


def _told(rules: Mapping[str, Any], title: str, card: Card, categories: Sequence[Category]) -> dict[str, Any]:
    """What a file tells, spelled one way: without what it would mean unsaid."""
    plain = ("name", "dice", "faces", "throws", "boxes", "colours", "order", "columns", "zeros", "total")
    told: dict[str, Any] = {
        **{key: rules.get(key) for key in plain},
        "title": title,
        "weights": list(card.weights),
        "category": [_entry(one, entry, card.faces) for one, entry in zip(categories, rules["category"], strict=True)],
        "saved_throws": card.saved > 0 and (card.saved == _most_saved(card.throws, len(card.categories)) or card.saved),
    }
    if card.upper:
        names = [category.name for category in categories]
        steps = _steps(rules["upper"], "upper", "bonus", "steps")
        at, bonus = ([*step] if len(step) > 1 else step[0] for step in zip(*steps, strict=True))
        told["upper"] = {"categories": [_found(str(one), names) for one in rules["upper"]["categories"]]}
        told["upper"] |= {"at": at, "bonus": bonus}
    if card.again:
        told["again"] = given(
            {"category": card.again, "bonus": card.again_bonus, "joker": card.joker}, bonus=0, joker=NONE
        )
    unsaid = {key: one["default"] for key, one in RULES["properties"].items() if "default" in one}
    return given(told, **unsaid, title=rules["name"], weights=[1] * card.faces)


def _entry(category: Category, told: Mapping[str, Any], faces: int) -> dict[str, Any]:
    """A category as a file tells it, spelled one way."""
    entry: dict[str, Any] = {"name": category.name, "times": told["times"], "face": category.face}
    entry |= {"scores": list(category.table), "chance": "chance" in told}
    entry |= tell(category.asks, range(1, faces + 1))
    entry |= {"points": category.points, "plus": category.plus, "first": "win" if category.wins else category.first}
    return given(entry, times=1, face=0, points="sum", plus=0, first=0)


@validate_arguments
def card_game(name: str, score: Callable[[tuple[int, ...]], Mapping[str, int]], **rules: object) -> Game:
    """Return a card that a Python function scores.

    >>> def score(dice):
    ...     return {"sixes": 6 * dice.count(6), "all different": 30 * (len(set(dice)) == 5), "choice": sum(dice)}
    >>> card_game("ours", score, dice=5, throws=2).data.names
    ('sixes', 'all different', 'choice')

    Args:
        name: letters, digits and dashes.
        score: what final dice, in rising order, score in every category, in the order of the card. It is called once
            for each final throw (each part of one where ``boxes=2``), now: the game keeps the points, not the function.
        rules: the other keys of a card file, as ``push_game`` takes those of its own: dice, faces, weights, throws,
            boxes, order, columns, zeros, saved_throws, upper, again, total, title.

    Raises:
        InputError: points that are no whole numbers from 0 to 10,000, none above 0, other categories from throw to
            throw, or rules that cannot be.
    """
    if "category" in rules:
        raise InputError("the function says what the categories are: leave category out")
    throw = ("dice", "faces", "boxes")
    asked = read({"name": name, "category": [], **{key: rules[key] for key in throw if key in rules}}, RULES)
    dice, faces, boxes = (asked[key] for key in throw)
    _check_size(dice, faces)
    scores: dict[str, list[int]] = {}
    for number, counts in enumerate(multiset.list_multisets(dice // boxes, faces).tolist()):
        shown = tuple(face for face, count in enumerate(counts, 1) for _ in range(count))
        told: Any = score(shown)
        if not isinstance(told, Mapping) or (number and [*told] != [*scores]):
            raise InputError(f"the function must return points by category, for every throw the same ones: see {shown}")
        for category, points in told.items():
            if not isinstance(points, Integral) or not 0 <= int(points) <= MOST_POINTS:
                wanted = f"a whole number from 0 to {MOST_POINTS:,}, not {points} (for {shown})"
                raise InputError(f"the function must score {category} with {wanted}")
            scores.setdefault(category, []).append(int(points))
    if not any(map(any, scores.values())):
        raise InputError("the function scores nothing: it must return points above 0 for some category")
    return own_game({"name": name, **rules, "category": [{"name": one, "scores": row} for one, row in scores.items()]})


def _check_size(dice: int, faces: int) -> None:
    if (ways := math.comb(dice + faces, faces)) > MOST_NODES:
        said = f"{dice} dice of {faces} faces can be kept in {ways:,} ways, more than {MOST_NODES:,}"
        raise HouseRuleError(f"{said}: play with fewer dice or faces", "dice")


def _boxes(
    rules: Mapping[str, Any], categories: Sequence[Category]
) -> tuple[dict[str, list[str]], tuple[Category, ...], tuple[int, ...]]:
    """All boxes: their names by category, what they count, and which must be used before (see ``Card``)."""
    columns, order = rules["columns"], rules["order"]
    repeats = [entry["times"] for entry in rules["category"]]
    column = sum(repeats)
    sets = (column + 1 if order == "down" else math.prod(times + 1 for times in repeats)) ** len(columns)
    if column * len(columns) > MOST_BOXES or sets > MOST_SETS:
        raise HouseRuleError(
            f"{column * len(columns)} boxes, {sets:,} sets of which can be used: there may be up to {MOST_BOXES} boxes"
            f" and {MOST_SETS:,} sets, as 20 boxes have that may be filled in any order",
            "columns" if len(columns) > 1 else "category",
        )
    copies: dict[str, list[str]] = {category.name: [] for category in categories}
    boxes, before = list[Category](), list[int]()
    for factor in columns:
        first = len(boxes)
        for category, times in zip(categories, repeats, strict=True):
            for copy in range(times):
                words = [category.name, *([str(copy + 1)] if times > 1 else []), *([f"x{factor}"] * (len(columns) > 1))]
                copies[category.name].append(" ".join(words))
                before.append(len(boxes) - 1 if copy or (order == "down" and len(boxes) > first) else -1)
                boxes.append(replace(category, name=copies[category.name][-1], factor=factor))
    if same := find_ambiguous_names(box.name for box in boxes):
        raise HouseRuleError(f"two boxes would be named {' and '.join(same)}: rename a category", "category")
    return copies, tuple(boxes), () if set(before) == {-1} else tuple(before)


def _category(entry: Mapping[str, Any], place: int, dice: int, faces: int, colours: tuple[str, ...]) -> Category:
    path = ("category", place)
    name = " ".join(entry["name"].lower().split())
    if wrong := name_problem(name):
        raise HouseRuleError(f"the name of a category {wrong}", *path, "name")
    if "face" in entry:
        if entry["face"] > faces:
            raise HouseRuleError(f"face must be one from 1 to {faces}, not {entry['face']}", *path, "face")
        return Category(name, face=entry["face"])
    if "scores" in entry:
        if len(entry["scores"]) != (throws := math.comb(dice + faces - 1, dice)):
            raise HouseRuleError(f"scores must list the points of all {throws:,} throws", *path, "scores")
        return Category(name, table=tuple(entry["scores"]))
    return Category(
        name,
        _points(entry, path),
        read_shown(entry, numbered(faces), dice, colours, *path),
        plus=entry.get("plus", 0),
        wins=entry.get("first") == "win",
        first=0 if entry.get("first") == "win" else entry.get("first", 0),
    )


def _points(entry: Mapping[str, Any], path: tuple[str | int, ...]) -> int | str:
    points: int | str = entry.get("points", "sum")
    if isinstance(points, int) and "plus" in entry:
        raise HouseRuleError("plus goes with spots; add it to the fixed points", *path, "plus")
    if points == "groups" and "groups" not in entry:
        raise HouseRuleError('points="groups" goes with groups only', *path, "points")
    if points == 0 and entry.get("first") == "win":
        raise HouseRuleError('first = "win" goes with points above 0: a throw worth 0 wins nothing', *path, "points")
    return points


def _upper(rules: Mapping[str, Any], copies: Mapping[str, list[str]]) -> dict[str, Any]:
    if "upper" not in rules:
        return {}
    table = rules["upper"]
    named = [_found(str(one), copies, "upper", "categories") for one in table["categories"]]
    if twice := next((one for one, name in zip(table["categories"], named, strict=True) if named.count(name) > 1), ""):
        raise HouseRuleError(f"{twice} is named twice", "upper", "categories")
    upper = tuple(box for name in named for box in copies[name])
    if (count := len(upper) // len(rules["columns"])) > MOST_UPPER:
        raise HouseRuleError(f"{count} boxes towards the bonus: up to {MOST_UPPER}", "upper", "categories")
    factor = rules["columns"][0] if len(rules["columns"]) == 1 else 1  # one column is told as it counts
    steps = _steps(table, "upper", "bonus", "steps")
    return {"upper": upper, "steps": tuple((factor * at, factor * bonus) for at, bonus in steps)}


def _found(told: str, names: Iterable[str], *path: str) -> str:
    """The category that is told."""
    if (name := find_name(told, [*names])) is None:
        raise HouseRuleError(f"there is no category {told}{suggest_name(told, names)}", *path)
    return name


def _saved(rules: Mapping[str, Any], throws: int, boxes: int) -> int:
    """The most throws that can be saved."""
    value = rules["saved_throws"]
    if value is False:
        return 0
    if throws == 1:
        raise HouseRuleError("a turn of one throw saves none", "saved_throws")
    most = _most_saved(throws, boxes)
    return most if value is True else min(value, most)


def _most_saved(throws: int, boxes: int) -> int:
    """The throws that turns can save in all: of those before the last, all but one."""
    return (throws - 1) * (boxes - 1)


def _check_throws(rules: Mapping[str, Any], card: Card) -> None:
    """What hangs on the throws of a turn, or on what a throw scores elsewhere, goes with plain cards."""
    apart = {
        "order, columns and times go": card.before or len(rules["columns"]) > 1,
        "saved throws go": card.saved,
        "forced zeros go": card.forced_zeros,
        "first goes": card.served,
    }
    if (said := next(filter(apart.get, apart), "")) and (card.again or card.boxes > 1):
        raise HouseRuleError(f"{said} with one box a turn, and not with [again]", "again" if card.again else "boxes")
    if card.saved and card.ranges:
        raise HouseRuleError("saved throws do not go with points that the total gives", "total")
    if len(card.columns) > 1:
        if card.saved or card.ranges:
            said = "a bonus for each of several columns goes neither with saved throws nor with [total]"
            raise HouseRuleError(said, "upper")
        totals = len(card.sets()) * card.hop_base ** (len(card.columns) - 1)
        if totals > MOST_TOTALS:
            said = f"a bonus for each of these columns makes {totals:,} totals of columns, more than {MOST_TOTALS:,}"
            raise HouseRuleError(f"{said}: count fewer columns or boxes", "upper")
    sets = len(card.sets()) if card.forced_zeros else 0
    if sets > MOST_FORCED:
        raise HouseRuleError(
            f"with forced zeros {sets:,} sets of boxes can be used: there may be up to {MOST_FORCED:,}", "zeros"
        )


def _ranges(rules: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    if "total" not in rules:
        return ()
    if rules["total"]["at"][0] != 0:
        raise HouseRuleError("total.at must list rising whole numbers, the first 0", "total", "at")
    return _steps(rules["total"], "total", "points", "totals")


def _steps(table: Mapping[str, Any], section: str, gives: str, what: str) -> tuple[tuple[int, int], ...]:
    """Rising numbers ``at``, and what each of them gives."""
    at, given = (one if isinstance(one, list) else [one] for one in (table["at"], table[gives]))
    for key, steps in (("at", at), ("bonus", given if gives == "bonus" else [])):
        if any(after <= before for before, after in pairwise(steps)):
            raise HouseRuleError(f"the {what} of {key} must rise", section, key)
    if len(at) != len(given):
        raise HouseRuleError(f"at tells {len(at)} {what}, {gives} {len(given)}: each needs both", section, gives)
    return tuple(zip(at, given, strict=True))


def _again(rules: Mapping[str, Any], categories: Sequence[Category]) -> dict[str, Any]:
    if "again" not in rules:
        return {}
    table = rules["again"]
    by_name = {category.name: category for category in categories}
    name = _found(table["category"], by_name, "again", "category")
    box = by_name[name]
    fixed = isinstance(box.points, int) and box.points > 0
    if not fixed or box != Category(name, box.points, Shown((rules["dice"],))):
        said = f"{name} must be all dice alike for a fixed number of points above 0"
        raise HouseRuleError(said, "again", "category")
    faces = [category.face for category in categories if category.face]
    if table["joker"] != NONE and len({*faces}) < len(faces):
        raise HouseRuleError("a joker goes by the box of its face: no two may count one face", "again", "joker")
    return {"again": name, "again_bonus": table["bonus"], "joker": table["joker"]}
