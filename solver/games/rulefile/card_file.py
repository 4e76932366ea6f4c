"""Card rule files: from a table of plain values to a ``Card``, the categories of a game like Yahtzee.

``card_schema`` declares what a file may contain. docs/rules.md shows a file. Start reading at ``compile_game``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from ...util import multiset
from ...util.arguments import validate_arguments
from ...util.errors import HouseRuleError, InputError, suggest_name
from ...util.number_format import format_count
from ...util.text import find_ambiguous_names, find_name, name_problem
from .. import CompiledGame, Game, own_game
from ..card_rules import FORCED, NONE, Card, Category
from ..dice_matcher import DiceCondition
from .card_schema import MAX_BOXES, MAX_FREE_ROLLS, MAX_POINTS, RULES
from .dice_patterns import format_condition, parse_condition
from .push_file import drop_defaults, numbered_faces, parse_title, parse_weights
from .schema import Path, read

MAX_SETS_OF_BOXES = 1 << 20  # sets of boxes that can be used together
MAX_UPPER_BOXES = 12
MAX_FORCED_SETS = 1 << 14  # sets of boxes with forced zeros; each has options for every run of rolls that may score 0
MAX_KEPT_DICE = 40_000  # ways to keep dice
MAX_SCORED_ROLLS = 600  # boxes times rolls of a turn, if rolls cost points
MAX_COLUMN_TOTALS = 1 << 26  # upper totals of all columns, by set of boxes

DICE_KEYS = ("dice", "faces", "boxes")  # the keys that the rolls of a card depend on


class Boxes(NamedTuple):
    """All boxes of a card.

    Attributes:
        categories: by box what it counts.
        names: by category the names of its boxes.
        predecessors: by box the one that must be used before it, -1 if there is none; empty if all boxes are open.
    """

    categories: tuple[Category, ...]
    names: dict[str, list[str]]
    predecessors: tuple[int, ...]


def compile_game(rules: Mapping[str, Any]) -> CompiledGame:
    """Return the game that a card file describes.

    Raises:
        HouseRuleError: an unknown key, a value that is not allowed, or a category that is missing or named twice.
    """
    rules = read(rules, RULES)
    title = parse_title(rules)
    dice, faces = rules["dice"], rules["faces"]
    _check_dice(dice, faces)
    weights = parse_weights(rules, faces, "positive whole numbers, one for each face")
    categories = _parse_categories(rules, _parse_colours(rules))
    boxes = _make_boxes(rules, categories)
    upper, steps = _parse_upper(rules, boxes.names)
    again_table = rules.get("again", {})
    card = Card(
        dice=dice,
        faces=faces,
        weights=weights,
        throws=rules["throws"],
        categories=boxes.categories,
        predecessors=boxes.predecessors,
        boxes=rules["boxes"],
        upper_categories=upper,
        upper_steps=steps,
        again_category=_parse_again(again_table, categories, dice),
        again_bonus=again_table.get("bonus", 0),
        again_joker=again_table.get("joker", NONE),
        total_ranges=_parse_ranges(rules),
        saved_throws=_parse_saved_rolls(rules, len(boxes.categories)),
        has_forced_zeros=rules["zeros"] == FORCED,
        throw_costs=_parse_roll_costs(rules),
    )
    _check_card(rules, card, boxes, categories)
    objectives = tuple(
        objective for objective in ("points", "reach", "win", "beat") if objective not in card.unsupported_objectives
    )
    family = "columns" if len(card.columns) > 1 else "ranges" if card.total_ranges else "card"
    return CompiledGame(title, family, objectives, (), _normalize(rules, title, card, categories), card)


# Normal form


def _normalize(rules: Mapping[str, Any], title: str, card: Card, categories: Sequence[Category]) -> dict[str, Any]:
    """Return the rules in normal form, without defaults: equal games have equal rules."""
    unchanged = ("name", "dice", "faces", "throws", "boxes", "colours", "order", "columns", "zeros", "total")
    entries = zip(categories, rules["category"], strict=True)
    costs = card.throw_costs
    saves_all = card.saved_throws == _max_saved_rolls(card.throws, len(card.categories))
    normal: dict[str, Any] = {
        **{key: rules.get(key) for key in unchanged},
        "title": title,
        "weights": list(card.weights),
        "category": [_normalize_entry(category, entry, card.faces) for category, entry in entries],
        "throw_costs": list(costs) if len(set(costs)) > 1 else max(costs, default=0),
        "saved_throws": card.saved_throws > 0 and (saves_all or card.saved_throws),
    }
    if card.upper_categories:
        names = [category.name for category in categories]
        steps = _parse_steps(rules["upper"], "upper", "bonus", "steps")
        columns = [[*values] if len(values) > 1 else values[0] for values in zip(*steps, strict=True)]
        upper_names = [_find_category(str(name), names) for name in rules["upper"]["categories"]]
        normal["upper"] = {"categories": upper_names, "at": columns[0], "bonus": columns[1]}
    if card.again_category:
        again_table = {"category": card.again_category, "bonus": card.again_bonus, "joker": card.again_joker}
        normal["again"] = drop_defaults(again_table, bonus=0, joker=NONE)
    defaults = {key: declared["default"] for key, declared in RULES["properties"].items() if "default" in declared}
    return drop_defaults(normal, **defaults, title=rules["name"], weights=[1] * card.faces)


def _normalize_entry(category: Category, entry: Mapping[str, Any], faces: int) -> dict[str, Any]:
    """Return a ``[[category]]`` entry in normal form."""
    normal: dict[str, Any] = {
        "name": category.name,
        "times": entry["times"],
        "face": category.face,
        "scores": list(category.table),
        "chance": "chance" in entry,
        **format_condition(category.condition, range(1, faces + 1)),
        "points": category.points,
        "plus": category.plus,
        "first": "win" if category.wins_on_first_roll else category.first,
    }
    return drop_defaults(normal, times=1, face=0, points="sum", plus=0, first=0)


# Cards that a Python function scores


@validate_arguments
def card_game(name: str, score: Callable[[tuple[int, ...]], Mapping[str, int]], **rules: object) -> Game:
    """Return a card that a Python function scores.

    >>> def score(dice):
    ...     return {"sixes": 6 * dice.count(6), "all different": 30 * (len(set(dice)) == 5), "choice": sum(dice)}
    >>> card_game("ours", score, dice=5, throws=2).data.names
    ('sixes', 'all different', 'choice')

    Args:
        name: letters, digits and dashes.
        score: returns the points of final dice, given in rising order, in every category, in the order of the card. It
            is called once for each final roll (each part of one with ``boxes=2``), now: the game keeps the points, not
            the function.
        rules: the other keys of a card file, as ``push_game`` takes those of its own: dice, faces, weights, throws,
            throw_costs, boxes, order, columns, zeros, saved_throws, upper, again, total, title.

    Raises:
        InputError: points that are not whole numbers from 0 to 10,000, or none above 0; categories that change from
            roll to roll; rules that are not allowed.
    """
    if "category" in rules:
        raise InputError("category cannot be combined with a score function: leave category out")
    dice_rules = read({"name": name, "category": [], **{key: rules[key] for key in DICE_KEYS if key in rules}}, RULES)
    dice, faces, boxes = (dice_rules[key] for key in DICE_KEYS)
    _check_dice(dice, faces)
    scores: dict[str, list[int]] = {}
    for number, counts in enumerate(multiset.list_multisets(dice // boxes, faces).tolist()):
        roll = tuple(face for face, count in enumerate(counts, 1) for _ in range(count))
        points_by_category: Any = score(roll)
        if not isinstance(points_by_category, Mapping) or (number and [*points_by_category] != [*scores]):
            raise InputError(
                f"the function must return the same categories for every roll, with their points; it did not for {roll}"
            )
        for category, points in points_by_category.items():
            if not isinstance(points, Integral) or not 0 <= int(points) <= MAX_POINTS:
                allowed = f"a whole number from 0 to {MAX_POINTS:,}, not {points} (roll {roll})"
                raise InputError(f"the points of the category '{category}' must be {allowed}")
            scores.setdefault(category, []).append(int(points))
    if not any(map(any, scores.values())):
        raise InputError("the function scores nothing: it must return points above 0 for some category")
    entries = [{"name": category, "scores": points} for category, points in scores.items()]
    return own_game({"name": name, **rules, "category": entries})


def _check_dice(dice: int, faces: int) -> None:
    """Refuse dice that can be kept in too many ways."""
    kept_sets = math.comb(dice + faces, faces)
    if kept_sets > MAX_KEPT_DICE:
        message = f"{dice} dice with {faces} faces can be kept in {kept_sets:,} ways, more than {MAX_KEPT_DICE:,}"
        raise HouseRuleError(f"{message}: use fewer dice or faces", "dice")


# Categories and boxes


def _parse_colours(rules: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the colour of each face; empty if faces have no colours."""
    colours = tuple(rules.get("colours", ()))
    if colours and len(colours) != rules["faces"]:
        raise HouseRuleError(
            f"colours must be {rules['faces']} words, one for each face, not {len(colours)}", "colours"
        )
    for colour in colours:
        if problem := name_problem(colour):
            raise HouseRuleError(f"the colour {colour} {problem}", "colours")
    return colours


def _parse_categories(rules: Mapping[str, Any], colours: tuple[str, ...]) -> list[Category]:
    """Return the ``[[category]]`` entries."""
    dice, parts, entries = rules["dice"], rules["boxes"], rules["category"]
    if dice % parts:
        raise HouseRuleError(f"{dice} dice cannot be split evenly into {parts} parts", "boxes")
    if not entries:
        raise HouseRuleError("a card needs categories: add [[category]] entries", "category")
    if len(entries) % parts:
        raise HouseRuleError(
            f"the number of categories must be a multiple of boxes = {parts}, not {len(entries)}",
            "category",
        )
    categories: list[Category] = []
    for place, entry in enumerate(entries):
        categories.append(_parse_category(entry, place, dice // parts, rules["faces"], colours))
        if clashing := find_ambiguous_names(category.name for category in categories):
            names = " and ".join(clashing)
            raise HouseRuleError(
                f"two categories cannot be told apart when typed: {names}; rename one of them",
                "category",
                place,
                "name",
            )
    return categories


def _parse_category(entry: Mapping[str, Any], place: int, dice: int, faces: int, colours: tuple[str, ...]) -> Category:
    """Return one category; ``dice``: the number of dice that are entered in it."""
    path: Path = ("category", place)
    name = " ".join(entry["name"].lower().split())
    if problem := name_problem(name):
        raise HouseRuleError(f"the category name {name} {problem}", *path, "name")
    if "face" in entry:
        if entry["face"] > faces:
            raise HouseRuleError(f"face must be between 1 and {faces}, not {entry['face']}", *path, "face")
        return Category(name, face=entry["face"])
    if "scores" in entry:
        rolls = math.comb(dice + faces - 1, dice)
        if len(entry["scores"]) != rolls:
            raise HouseRuleError(
                f"scores must list the points of all {rolls:,} rolls, not {len(entry['scores']):,} numbers",
                *path,
                "scores",
            )
        return Category(name, table=tuple(entry["scores"]))
    is_win = entry.get("first") == "win"
    return Category(
        name,
        _parse_points(entry, path),
        parse_condition(entry, numbered_faces(faces), dice, colours, *path),
        plus=entry.get("plus", 0),
        wins_on_first_roll=is_win,
        first=0 if is_win else entry.get("first", 0),
    )


def _parse_points(entry: Mapping[str, Any], path: Path) -> int | str:
    points: int | str = entry.get("points", "sum")
    if isinstance(points, int) and "plus" in entry:
        raise HouseRuleError("'plus' cannot be combined with fixed points: add it to 'points'", *path, "plus")
    if points == "groups" and "groups" not in entry:
        raise HouseRuleError('points="groups" requires groups', *path, "points")
    if points == 0 and entry.get("first") == "win":
        raise HouseRuleError('first = "win" requires points above 0: a roll worth 0 wins nothing', *path, "points")
    return points


def _make_boxes(rules: Mapping[str, Any], categories: Sequence[Category]) -> Boxes:
    """Return the boxes of all columns: every category as often as it says."""
    factors, is_ordered = rules["columns"], rules["order"] == "down"
    repeats = [entry["times"] for entry in rules["category"]]
    _check_box_count(repeats, len(factors), is_ordered)
    names: dict[str, list[str]] = {category.name: [] for category in categories}
    boxes, predecessors = list[Category](), list[int]()
    for factor in factors:
        first_of_column = len(boxes)
        column_words = [f"x{factor}"] if len(factors) > 1 else []
        for category, times in zip(categories, repeats, strict=True):
            for copy in range(times):
                copy_words = [str(copy + 1)] if times > 1 else []
                name = " ".join([category.name, *copy_words, *column_words])
                names[category.name].append(name)
                follows_last_box = copy > 0 or (is_ordered and len(boxes) > first_of_column)
                predecessors.append(len(boxes) - 1 if follows_last_box else -1)
                boxes.append(replace(category, name=name, factor=factor))
    if clashing := find_ambiguous_names(box.name for box in boxes):
        names_of_both = " and ".join(clashing)
        message = f"two boxes could not be told apart when typed: {names_of_both}; rename a category"
        raise HouseRuleError(message, "category")
    return Boxes(tuple(boxes), names, () if set(predecessors) == {-1} else tuple(predecessors))


def _check_box_count(repeats: Sequence[int], columns: int, is_ordered: bool) -> None:
    """Refuse cards with too many boxes, or too many sets of used boxes."""
    boxes_per_column = sum(repeats)
    sets_per_column = boxes_per_column + 1 if is_ordered else math.prod(times + 1 for times in repeats)
    boxes, sets = boxes_per_column * columns, sets_per_column**columns
    if boxes > MAX_BOXES or sets > MAX_SETS_OF_BOXES:
        raise HouseRuleError(
            f"{boxes} boxes with {sets:,} possible sets of used boxes are too many: up to {MAX_BOXES} boxes and"
            f" {MAX_SETS_OF_BOXES:,} sets are allowed (20 boxes in any order have that many)",
            "columns" if columns > 1 else "category",
        )


def _find_category(name: str, names: Iterable[str], *path: str) -> str:
    """Return the category with a name as typed."""
    match = find_name(name, [*names])
    if match is None:
        raise HouseRuleError(f"unknown category '{name}'{suggest_name(name, names)}", *path)
    return match


# Bonuses, totals and saved rolls


def _parse_upper(
    rules: Mapping[str, Any], box_names: Mapping[str, list[str]]
) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...]]:
    """Return the names of all upper boxes, and the bonus steps as pairs (least upper total, bonus).

    Args:
        rules: the rules of the file.
        box_names: by category the names of its boxes, in all columns; several in a column if the category is repeated.

    Raises:
        HouseRuleError: an unknown or repeated category, too many boxes, or steps that do not rise.
    """
    if "upper" not in rules:
        return (), ()
    table, column_factors = rules["upper"], rules["columns"]
    categories = [_find_category(str(typed), box_names, "upper", "categories") for typed in table["categories"]]
    for typed, category in zip(table["categories"], categories, strict=True):
        if categories.count(category) > 1:
            raise HouseRuleError(f"{typed} appears twice: leave one out", "upper", "categories")
    upper_boxes = tuple(box for category in categories for box in box_names[category])
    boxes_per_column = len(upper_boxes) // len(column_factors)
    if boxes_per_column > MAX_UPPER_BOXES:
        message = f"the bonus counts {boxes_per_column} boxes: up to {MAX_UPPER_BOXES} are allowed"
        raise HouseRuleError(message, "upper", "categories")
    # A file gives steps for points before the factor of their column. ``Card`` counts the upper total of a single
    # column after its factor, so the steps are multiplied. It counts those of several columns before the factors, and
    # multiplies each bonus itself (``Card.factors``).
    scale = column_factors[0] if len(column_factors) == 1 else 1
    steps = _parse_steps(table, "upper", "bonus", "steps")
    return upper_boxes, tuple((scale * total, scale * bonus) for total, bonus in steps)


def _parse_again(table: Mapping[str, Any], categories: Sequence[Category], dice: int) -> str:
    """Return the name of the category of all dice alike; "" without ``[again]``."""
    if not table:
        return ""
    by_name = {category.name: category for category in categories}
    name = _find_category(table["category"], by_name, "again", "category")
    box = by_name[name]
    has_fixed_points = isinstance(box.points, int) and box.points > 0
    if not has_fixed_points or box != Category(name, box.points, DiceCondition((dice,))):
        message = f"category {name} must require all dice alike, and score a fixed number of points above 0"
        raise HouseRuleError(message, "again", "category")
    faces = [category.face for category in categories if category.face]
    if table["joker"] != NONE and len({*faces}) < len(faces):
        raise HouseRuleError(
            "a joker is entered in the box of its face, so no two boxes may count the same face: remove one, or"
            ' write joker = "none"',
            "again",
            "joker",
        )
    return name


def _parse_ranges(rules: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    """Return the totals of ``[total]`` with the points from there on."""
    if "total" not in rules:
        return ()
    if rules["total"]["at"][0] != 0:
        raise HouseRuleError("total.at must list whole numbers in ascending order, starting with 0", "total", "at")
    return _parse_steps(rules["total"], "total", "points", "totals")


def _parse_steps(table: Mapping[str, Any], section: str, key: str, plural: str) -> tuple[tuple[int, int], ...]:
    """Return the rising numbers ``at``, each with its value of ``key``; ``plural`` names them in messages."""
    totals, values = (value if isinstance(value, list) else [value] for value in (table["at"], table[key]))
    for rising_key, numbers in (("at", totals), ("bonus", values if key == "bonus" else [])):
        if any(number <= previous for previous, number in pairwise(numbers)):
            raise HouseRuleError(f"the {plural} in '{rising_key}' must be in ascending order", section, rising_key)
    if len(totals) != len(values):
        message = f"'at' lists {len(totals)} {plural}, but '{key}' lists {len(values)}: both lists must be equally long"
        raise HouseRuleError(message, section, key)
    return tuple(zip(totals, values, strict=True))


def _parse_saved_rolls(rules: Mapping[str, Any], boxes: int) -> int:
    """Return the most rolls that can be saved."""
    value, rolls = rules["saved_throws"], rules["throws"]
    if value is False:
        return 0
    if rolls == 1:
        raise HouseRuleError("saved_throws requires throws = 2 or more: leave saved_throws out", "saved_throws")
    max_saved = _max_saved_rolls(rolls, boxes)
    return max_saved if value is True else min(value, max_saved)


def _max_saved_rolls(rolls: int, boxes: int) -> int:
    """Return how many rolls all turns can save: every turn but the last, all rolls but one."""
    return (rolls - 1) * (boxes - 1)


def _parse_roll_costs(rules: Mapping[str, Any]) -> tuple[int, ...]:
    """Return what each roll of a turn after the first costs; empty if none costs points."""
    value, rolls = rules["throw_costs"], rules["throws"]
    if value and rolls == 1:
        raise HouseRuleError("throw_costs requires throws = 2 or more: leave throw_costs out", "throw_costs")
    if isinstance(value, list) and len(value) != rolls - 1:
        message = f"throw_costs must list {format_count(rolls - 1, 'cost')}, one for each roll after the first"
        raise HouseRuleError(f"{message} (throws = {rolls}), not {len(value)}", "throw_costs")
    costs: tuple[int, ...] = tuple(value) if isinstance(value, list) else (value,) * (rolls - 1)
    if any(costs):
        return costs
    if rolls > MAX_FREE_ROLLS:
        message = f"throws must be between 1 and {MAX_FREE_ROLLS}, not {rolls}, because rolls cost no points"
        raise HouseRuleError(f"{message}: add throw_costs, or use fewer throws", "throws")
    return ()


# Checks of the whole card


def _check_card(rules: Mapping[str, Any], card: Card, boxes: Boxes, categories: Sequence[Category]) -> None:
    """Refuse rules that cannot be combined, and categories in which nothing scores."""
    _check_plain_card(rules, card)
    _check_columns(card)
    _check_forced_zeros(card)
    _check_roll_costs(card)
    if card.boxes == 2 and (card.upper_categories or card.again_category):
        raise HouseRuleError("boxes = 2 cannot be combined with [upper] or [again]", "boxes")
    if card.boxes == 2 and any(points < previous for (_, previous), (_, points) in pairwise(card.total_ranges)):
        message = "with boxes = 2, the points of [total] must not fall as totals rise"
        raise HouseRuleError(message, "total", "points")
    rows = multiset.list_multisets(card.dice // card.boxes, card.faces).astype(np.int64)
    for place, category in enumerate(categories):
        first_box = card.names.index(boxes.names[category.name][0])
        if not card.part_scores[first_box].any() and not category.condition.matches(rows).any():
            raise HouseRuleError(f"no roll scores in {category.name}: no roll meets its condition", "category", place)


def _check_plain_card(rules: Mapping[str, Any], card: Card) -> None:
    """Refuse [again] and two boxes a turn beside rules for which they are not solved."""
    exclusive = {
        "'order', 'columns' and 'times'": card.predecessors or len(rules["columns"]) > 1,
        "saved_throws": card.saved_throws,
        'zeros = "forced"': card.has_forced_zeros,
        "'first'": card.has_first_roll_scores,
    }
    label = next((label for label, is_used in exclusive.items() if is_used), "")
    if label and (card.again_category or card.boxes > 1):
        key = "again" if card.again_category else "boxes"
        raise HouseRuleError(f"{label} cannot be combined with [again] or boxes = 2", key)
    if card.saved_throws and card.total_ranges:
        raise HouseRuleError("saved_throws cannot be combined with [total]", "total")


def _check_roll_costs(card: Card) -> None:
    """Refuse rules that are not solved if rolls cost points."""
    if not card.throw_costs:
        return
    obstacles = {
        "[upper]": card.upper_categories,
        "[again]": card.again_category,
        "[total]": card.total_ranges,
        "boxes = 2": card.boxes > 1,
        "saved_throws": card.saved_throws,
        'zeros = "forced"': card.has_forced_zeros,
    }
    obstacle = next((words for words, is_present in obstacles.items() if is_present), "")
    if obstacle:
        raise HouseRuleError(f"throw_costs cannot be combined with {obstacle}: leave one of them out", "throw_costs")
    columns = len(card.categories) * card.throws
    if columns > MAX_SCORED_ROLLS:
        message = f"{len(card.categories)} boxes and {card.throws} rolls of a turn that cost points are too many"
        raise HouseRuleError(f"{message}: their product must not exceed {MAX_SCORED_ROLLS}", "throws")


def _check_columns(card: Card) -> None:
    """Refuse a bonus for each of several columns if it cannot be solved."""
    if len(card.columns) == 1:
        return
    if card.saved_throws or card.total_ranges:
        message = "an upper bonus for each of several columns cannot be combined with saved_throws or [total]"
        raise HouseRuleError(message, "upper")
    totals = len(card.used_sets()) * card.column_gain_base ** (len(card.columns) - 1)
    if totals > MAX_COLUMN_TOTALS:
        message = f"an upper bonus for each of these columns makes {totals:,} combinations of column totals, more than"
        raise HouseRuleError(f"{message} {MAX_COLUMN_TOTALS:,}: use fewer columns or boxes", "upper")


def _check_forced_zeros(card: Card) -> None:
    """Refuse forced zeros with too many sets of used boxes."""
    sets = len(card.used_sets()) if card.has_forced_zeros else 0
    if sets > MAX_FORCED_SETS:
        message = f'zeros = "forced" makes {sets:,} sets of boxes, more than {MAX_FORCED_SETS:,}: use fewer boxes'
        raise HouseRuleError(message, "zeros")
