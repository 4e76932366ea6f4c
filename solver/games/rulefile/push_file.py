"""Push-your-luck rule files: from a table of plain values (a TOML file) to ``PushRules``.

``push_schema`` declares what a file may contain, and ``push_checks`` refuses rules that make no game. docs/rules.md
shows a file. Start reading at ``compile_game``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from numbers import Integral
from operator import le, mul
from typing import Any

import numpy as np

from ...util import multiset
from ...util.arguments import validate_arguments
from ...util.errors import HouseRuleError, InputError, abbreviate, quote_text
from ...util.number_format import format_count
from ...util.text import MAX_NAME_LENGTH, SEPARATORS, find_ambiguous_names, name_problem, title_problem
from .. import FILES, CompiledGame, Game, own_game
from ..badges import BADGES, FORMATIONS, patterns_of_rules
from ..badges import FAMILY as BADGE_FAMILY
from ..cup_rules import CupRules
from ..dice_catalogue import check_catalogue
from ..dice_keys import CATALOGUE_KEY
from ..dice_matcher import DiceCondition
from ..hand_shapes import can_tabulate
from ..one_face_rules import OneFaceRules
from ..push_rules import Counts, DieKind, Pattern, PushRules, SpecialRoll, pattern_of_face
from .cup_file import compile_cup, cup_options, normalize_cup
from .dice_patterns import CONDITIONS, expand_dice, format_condition, format_dice, parse_condition, parse_dice, spots_of
from .one_face_file import compile_one_face, normalize_one_face, one_face_options
from .push_checks import MAX_WEIGHED_SETS, check_badges, check_game, check_size
from .push_schema import MAX_DICE, MAX_FACES, MAX_POINTS, OPTIONS, RULES
from .schema import Path, flatten, nest, read, unknown_key

OBJECTIVES = ("win", "points", "turns", "reach")
# The tables of turns of a kind of their own, by the value of ``set_aside`` that they require.
KINDS_OF_TURN = {"one_face": "one-face", "whole_hand": "any", "cup": "cup"}
FACE_MARKS = f"{SEPARATORS}() "  # a face is one word, and is listed between brackets
MAX_HANDS = 200
WEIGHTS_REQUIREMENT = "positive whole numbers, one for each face"
MAX_EXACT_WEIGHT = 1 << 53  # double precision represents all whole numbers up to here


def compile_game(rules: Mapping[str, Any]) -> CompiledGame:
    """Return the game that a push-your-luck file describes.

    Raises:
        HouseRuleError: an unknown key, a value that is not allowed, overlapping sets, or rules that make no game.
    """
    nested = nest(flatten(rules))
    rules = read(nested, RULES)
    if rules["finish"] == "exact":
        if nested.get("stop", {}).get("on_win") is True:
            message = (
                "finish=exact cannot be combined with stop.on_win=true: a player who needs less than the minimum"
                " could never finish; leave on_win out or set it to false"
            )
            raise HouseRuleError(message, "stop", "on_win")
        rules["stop"]["on_win"] = False
    title = parse_title(rules)
    if CATALOGUE_KEY in rules:
        check_catalogue(rules[CATALOGUE_KEY])
    faces = _parse_faces(rules)
    tame_faces = [face for face in faces if face not in _wild_names(rules)]
    rules["alike"] = {size: _points_by_face(points, faces, tame_faces) for size, points in rules["alike"].items()}
    kinds = parse_kinds(rules, faces, MAX_DICE)
    for section, kind_of_turn in KINDS_OF_TURN.items():
        if section in rules and rules["set_aside"] != kind_of_turn:
            message = f"[{section}] requires set_aside={kind_of_turn}: add that, or leave [{section}] out"
            raise HouseRuleError(message, section)
    check_badges(rules)
    _check_formations(rules, faces)
    data: PushRules
    if rules["set_aside"] in (KINDS_OF_TURN["one_face"], KINDS_OF_TURN["whole_hand"]):
        weights = parse_weights(rules, len(faces), WEIGHTS_REQUIREMENT)
        data = compile_one_face(rules, faces, weights)
    elif rules["set_aside"] == KINDS_OF_TURN["cup"]:
        data = compile_cup(rules, faces, kinds)
    else:
        all_rules = {**rules, "pattern": patterns_of_rules(rules)}
        data = compile_rules(all_rules, faces, kinds)
        check_game(data, all_rules)
    candidates = ("points", "win", "reach") if data.is_one_turn else (*OBJECTIVES, "rate")
    objectives = tuple(objective for objective in candidates if objective not in data.unsupported_objectives)
    options = flatten(rules)
    option_values = {option.key: options[option.key] for option in OPTIONS}
    family = "one turn" if data.is_one_turn else BADGE_FAMILY if data.has_badges else "push"
    typed_options = OPTIONS
    if isinstance(data, OneFaceRules):
        family = "one face, one turn" if data.is_one_turn else "one face"
        typed_options = one_face_options(data)
    elif isinstance(data, CupRules):
        family, typed_options = "cup", cup_options()
    normal = {**_normalize(rules, kinds, title, data), **option_values}
    return CompiledGame(title, family, objectives, typed_options, normal, data)


def compile_rules(rules: Mapping[str, Any], faces: tuple[str, ...], kinds: tuple[DieKind, ...]) -> PushRules:
    """Return the rules as data: first single faces and several alike, then patterns, special rolls and kinds of dice.

    Each step needs the data of the step before: a pattern may not be one that scores already, and special rolls may
    ask for dice that do not score.
    """
    dice = sum(kind.count for kind in kinds) or rules["dice"]
    special_count = len(rules["special"])
    is_whole = "scores" in rules
    weights = parse_weights(rules, len(faces), WEIGHTS_REQUIREMENT)
    # A condition of a special roll is evaluated for every roll, and every roll that meets it is stored: factor 3.
    check_size(dice, len(faces), len(faces) if is_whole else 0, 3 * special_count)
    stop, then, bust = rules["stop"], rules["then"], rules.get("bust", {})
    data = PushRules(
        dice=dice,
        faces=faces,
        weights=weights,
        patterns=tuple(
            _scored_sets(rules, dice, len(faces)) if is_whole else _single_and_alike_patterns(rules, dice, faces)
        ),
        scores_whole_sets=is_whole,
        set_aside=rules["set_aside"],
        then_leave=_parse_leave(rules, faces),
        then_over=then["over"],
        then_set=then["set"],
        then_all=then["all"],
        then_dice=then["dice"],
        opening=stop["opening"],
        minimum=stop["at_least"],
        minimum_on_win=stop["on_win"],
        stop_below=stop["below"],
        target=rules["target"],
        finish=rules["finish"],
        best=rules["best"],
        take_over=rules["take_over"],
        bust_costs=_parse_costs(bust),
        bust_count=bust.get("count", "anew"),
        bust_floor=bust.get("floor", 0),
        bust_above=bust.get("above", 0),
        wild=_parse_wild(rules, faces),
        warlord=rules["warlord"],
        resurrection=rules["resurrection"],
        emperor=rules["emperor"],
    )
    patterns = _expand_entries(rules, "pattern", "dice", data)
    more_than_parts = (pattern for pattern in data.patterns if data.patterns_of(pattern.dice) == [pattern])
    named_patterns = (
        Pattern(counts, entry["points"], "then" in entry, entry["name"]) for counts, entry in patterns.items()
    )
    data = replace(data, patterns=(*more_than_parts, *named_patterns))
    wild_count = _count_wild_sets(data)
    check_size(dice, len(faces), 0, wild_count)
    data = _with_wild_sets(data, rules["wild_alone"]) if wild_count else data
    weighed_faces = (
        sum(data.scoring_symbols) if data.set_aside != "all-or-none" else 0
    )  # else no subset of a roll is weighed
    check_size(dice, len(faces), weighed_faces, len(patterns) + 3 * special_count)
    data = replace(data, specials=_parse_specials(rules, data))
    return _with_kinds(data, kinds, len(patterns) + special_count) if kinds else data


def _check_formations(rules: Mapping[str, Any], faces: Sequence[str]) -> None:
    """Refuse badges of advantage with dice that have other faces, and with turns in which no sets are listed."""
    for key, dice in FORMATIONS.items():
        if not rules[key]:
            continue
        if missing := [face for face in dice if face not in faces]:
            raise HouseRuleError(f"{key} requires dice with the faces {', '.join(dice)}; no die has {missing[0]}", key)
        has_listed_sets = "scores" not in rules and rules["set_aside"] not in KINDS_OF_TURN.values()
        if not has_listed_sets:
            reason = "scores" if "scores" in rules else f"set_aside={rules['set_aside']}"
            raise HouseRuleError(f"{key} cannot be combined with {reason}: leave {key} out", key)


# Normal form


def _normalize(rules: Mapping[str, Any], kinds: Sequence[DieKind], title: str, data: PushRules) -> dict[str, Any]:
    """Return the rules of a file beside its options in normal form, without defaults: equal games, equal rules."""
    faces, dice = data.faces, data.hand_size(data.dice)
    fair = [1] * len(faces)
    normal: dict[str, Any] = {
        "name": rules["name"],
        "title": title,
        "dice": None if kinds else dice,
        "die": [
            drop_defaults(
                {"name": kind.name, "count": kind.count, "weights": list(kind.weights)}, count=1, weights=fair
            )
            for kind in kinds
        ],
        "faces": len(faces) if faces == numbered_faces(len(faces)) else list(faces),
        "weights": list(data.weights),
        "catalogue": rules.get("catalogue"),
        "wild": _one_or_list([faces[face] for face in data.wild]),
        "wild_alone": rules["wild_alone"],
        "singles": rules["singles"],
        "alike": drop_defaults(rules["alike"]),
        "pattern": [_normalize_entry(entry, faces, dice) for entry in rules["pattern"]],
        "scores": rules.get("scores"),
        "special": [_normalize_entry(entry, faces, dice) for entry in rules["special"]],
        "then.leave": [face for face, is_allowed in zip(faces, data.then_leave, strict=False) if is_allowed],
        "then.over": data.then_over,
        "bust": drop_defaults(rules.get("bust", {}), count="anew", floor=0),
        "one_face": normalize_one_face(data) if isinstance(data, OneFaceRules) and not data.takes_any else {},
        "whole_hand": normalize_one_face(data) if isinstance(data, OneFaceRules) and data.takes_any else {},
        "cup": normalize_cup(data) if isinstance(data, CupRules) else {},
        **{badge: rules[badge] for badge in (*BADGES, *FORMATIONS)},
    }
    no_badges = dict.fromkeys((*BADGES, *FORMATIONS), 0)
    return drop_defaults(normal, title=rules["name"], faces=6, weights=fair, **no_badges)


def drop_defaults(values: Mapping[str, Any], **defaults: Any) -> dict[str, Any]:
    """Return the values without those that are empty, false, or the default of their key."""
    return {
        key: value
        for key, value in values.items()
        if value is not None and value is not False and value not in ("", [], {}) and value != defaults.get(key)
    }


def _normalize_entry(entry: Mapping[str, Any], faces: Sequence[str], dice: int) -> dict[str, Any]:
    """Return a pattern or a special roll with its dice and conditions in normal form."""
    separator = "" if max(map(len, faces)) == 1 else " "
    normal = format_condition(parse_condition(entry, faces, dice, ()), faces)
    for key in ("dice", "throw"):
        normal[key] = parse_dice(entry[key], faces) if entry.get(key, "all") not in ("all", "same") else None
    for key in ("dice", "throw", "shows", "only"):
        names = normal[key] or []
        normal[key] = names if len(names) == 1 and separator else separator.join(names)
    if "of" in entry:
        sizes = sorted(set(entry["of"] if isinstance(entry["of"], list) else [entry["of"]]))
        normal["of"] = sizes if len(sizes) > 1 else sizes[0]
    if entry.get("dice") == "same":
        normal["dice"] = "same"
    return drop_defaults({**entry, **normal})


# Games that a Python function scores


@validate_arguments
def push_game(name: str, score: Callable[[tuple[str, ...]], int | None], **rules: object) -> Game:
    """Return a push-your-luck game whose sets a Python function scores.

    >>> def score(dice):
    ...     return sum(map(int, dice)) if len(set(dice)) == 1 else None  # any number of dice alike
    >>> push_game("ours", score, dice=3, target=50).data.set_points((0, 0, 0, 2, 0, 0))
    8

    Args:
        name: letters, digits and dashes.
        score: returns the points of dice that are set aside together, given as faces in order, or None if they do not
            all score. It is called once for every set, now: the game keeps the points, not the function. Points below 0
            are subtracted.
        rules: the other keys of a rule file: dice, faces, weights, target, special, bust and the options.

    Raises:
        InputError: points that are not whole numbers, or more than 1,000,000 of them, or none above 0, or rules that
            are not allowed.
    """
    for key in ("singles", "alike", "pattern", "scores"):
        if key in rules:
            raise InputError(f"{key} cannot be combined with a score function: leave {key} out")
    dice_rules = read({"name": name, **{key: rules[key] for key in ("dice", "faces") if key in rules}}, RULES)
    dice, faces = dice_rules["dice"], _parse_faces(dice_rules)
    check_size(dice, len(faces), len(faces), 0)
    scores = list[int | str]()
    for counts in _list_sets(dice, len(faces)):
        points: Any = score(tuple(face for face, count in zip(faces, counts, strict=True) for _ in range(count)))
        if points is not None and not (isinstance(points, Integral) and abs(int(points)) <= MAX_POINTS):
            allowed = f"a whole number up to {MAX_POINTS:,} or None, not {abbreviate(points)}"
            raise InputError(f"the function must return {allowed}")
        scores.append("none" if points is None else int(points))
    if not any(isinstance(points, int) and points > 0 for points in scores):
        raise InputError("the function scores nothing: it must return points above 0 for some set")
    return own_game({"name": name, **rules, "scores": scores})


def _list_sets(dice: int, faces: int) -> Iterator[Counts]:
    """Yield every set of 1 to ``dice`` dice, in the order of ``scores``."""
    for size in range(1, dice + 1):
        yield from map(tuple, multiset.list_multisets(size, faces).tolist())


def _scored_sets(rules: Mapping[str, Any], dice: int, faces: int) -> list[Pattern]:
    """Return every set that scores, from the list that ``push_game`` writes."""
    sets, scores = list(_list_sets(dice, faces)), rules["scores"]
    if len(scores) != len(sets):
        raise HouseRuleError(
            f"scores must have {len(sets):,} numbers, one for each set of 1 to {dice} dice, not {len(scores):,}",
            "scores",
        )
    return [Pattern(counts, points) for counts, points in zip(sets, scores, strict=True) if points != "none"]


# Names, faces and weights


def parse_title(rules: Mapping[str, Any]) -> str:
    """Return the title of a game of its own, by default its name, after a check of both."""
    name = rules["name"]
    if name in FILES:
        raise HouseRuleError(
            f"name={name} is the id of a built-in game: choose another name, such as our-{name}", "name"
        )
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name) or len(name) > MAX_NAME_LENGTH:
        allowed = f"up to {MAX_NAME_LENGTH} lower-case letters, digits and dashes"
        raise HouseRuleError(f"name must be {allowed}, not {quote_text(name)}", "name")
    title: str = rules.get("title", name)
    if problem := title_problem(title):
        raise HouseRuleError(f"the title {problem}", "title")
    return title


def parse_name(entry: Mapping[str, Any], *path: str | int) -> str:
    """Return the name of an entry; "" if it has none."""
    name: str = entry.get("name", "")
    if "name" in entry and (problem := name_problem(name)):
        raise HouseRuleError(f"the name {problem}", *path, "name")
    return name


def _parse_faces(rules: Mapping[str, Any]) -> tuple[str, ...]:
    faces = rules["faces"]
    if isinstance(faces, int):
        return numbered_faces(faces)
    if len(faces) < 2:
        raise HouseRuleError(
            f"faces must be a number from 2 to {MAX_FACES}, or a list of 2 to {MAX_FACES} names, not of {len(faces)}",
            "faces",
        )
    names = tuple(map(str, faces))
    for name in names:
        if name == "then":
            raise HouseRuleError("'then' is a key and cannot be the name of a face: rename the face", "faces")
        if problem := name_problem(name, FACE_MARKS):
            raise HouseRuleError(f"the face name {name} {problem}: write one word for each face", "faces")
    if clashing := find_ambiguous_names(names):
        raise HouseRuleError(f"faces {' and '.join(clashing)} cannot be told apart once typed: rename one", "faces")
    return names


def numbered_faces(count: int) -> tuple[str, ...]:
    """Return the names of faces that are numbers from 1."""
    return tuple(map(str, range(1, count + 1)))


def parse_weights(entry: Mapping[str, Any], faces: int, requirement: str, *path: str | int) -> tuple[int, ...]:
    """Return the weights of an entry in lowest terms.

    Args:
        entry: a table with or without the key ``weights``; by default all faces are equally likely.
        faces: the number of weights that there must be.
        requirement: what they must be, for the message.
        path: where the entry is.
    """
    weights = entry.get("weights", [1] * faces)
    if len(weights) != faces:
        raise HouseRuleError(f"weights must be {faces} {requirement}", *path, "weights")
    if not any(weights):
        raise HouseRuleError("weights must not all be 0", *path, "weights")
    return tuple(weight // math.gcd(*weights) for weight in weights)


# Dice that differ


def parse_kinds(rules: Mapping[str, Any], faces: Sequence[str], max_dice: int) -> tuple[DieKind, ...]:
    """Return the dice of the ``[[die]]`` entries, those with equal weights as one kind; empty without entries."""
    by_weights: dict[tuple[int, ...], DieKind] = {}
    for place, entry in enumerate(rules.get("die", ())):
        path = ("die", place)
        kind = _parse_kind(entry, faces, max_dice, path)
        earlier = by_weights.get(kind.weights, replace(kind, count=0))
        if earlier.name != kind.name:
            names = f"{earlier.name or 'no name'} and {kind.name or 'no name'}"
            raise HouseRuleError(f"dice with equal weights must have the same name, not {names}", *path, "name")
        by_weights[kind.weights] = replace(kind, count=earlier.count + kind.count)
    kinds = tuple(by_weights.values())
    if not kinds:
        return ()
    if len({kind.name for kind in kinds}) < len(kinds):
        raise HouseRuleError("dice with different weights need different names", "die", 0)
    total = sum(kind.count for kind in kinds)
    if total > max_dice:
        raise HouseRuleError(
            f"the [[die]] entries add up to {total} dice, but at most {max_dice:,} are allowed: lower a count", "die"
        )
    if rules.get("dice", total) != total:
        raise HouseRuleError(
            f"the [[die]] entries add up to {total} dice, but dice is {rules['dice']}: change a count, or dice", "dice"
        )
    return kinds


def _parse_kind(entry: Mapping[str, Any], faces: Sequence[str], max_dice: int, path: Path) -> DieKind:
    """Return the dice of one ``[[die]]`` entry."""
    name, count = parse_name(entry, *path), entry["count"]
    symbols = [f"{face}-{name}" for face in faces] if name else []
    if name == "plain":
        raise HouseRuleError("'plain' is reserved for dice without a name: leave name out", *path, "name")
    if not re.fullmatch("([a-z0-9]+(-[a-z0-9]+)*)?", name) or find_ambiguous_names((*faces, name, *symbols)):
        allowed = "lower-case letters and digits, with single dashes between them, and no name of a face"
        raise HouseRuleError(f"invalid name of a die: '{name}'; use {allowed}", *path, "name")
    if count > max_dice:
        raise HouseRuleError(f"count must be a whole number from 1 to {max_dice:,}, not {count}", *path, "count")
    requirement = "whole numbers, one for each face; 0: the die has no such face"
    return DieKind(name, count, parse_weights(entry, len(faces), requirement, *path))


def _with_kinds(data: PushRules, kinds: tuple[DieKind, ...], combinations: int) -> PushRules:
    """Return the rules for dice that differ, after a check that they can be compiled."""
    for key, required in (("best", "highest"), ("take_over", "none")):
        if getattr(data, key) != required:
            raise HouseRuleError(f"[[die]] entries require {key}={required}", key)
    if data.is_one_turn:
        raise HouseRuleError(
            f"[[die]] entries cannot be combined with finish={data.finish}: leave finish out", "finish"
        )
    weighed_sets = 1
    for kind in kinds:
        is_useful = [useful for useful, weight in zip(data.scoring_faces, kind.weights, strict=True) if weight]
        ways_to_lie = len(is_useful) + sum(is_useful)  # a useful die is set aside or not
        weighed_sets *= sum(math.comb(count + ways_to_lie - 1, count) for count in range(kind.count + 1))
    weighed_sets *= 1 + combinations // 4
    total_weights = [sum(kind.weights) for kind in kinds for _ in range(kind.count)]  # by die
    is_tabulated = can_tabulate(total_weights, len(data.faces))  # then sets are weighed by face, once for all hands
    if weighed_sets > MAX_WEIGHED_SETS and not is_tabulated:
        message = (
            f"the [[die]] entries make {weighed_sets:,} sets to compare, more than {MAX_WEIGHED_SETS:,}: use fewer dice"
        )
        raise HouseRuleError(message, "die", 0)
    hands = math.prod(kind.count + 1 for kind in kinds) - 1
    if hands > MAX_HANDS:
        raise HouseRuleError(
            f"the [[die]] entries make more than {MAX_HANDS} combinations of dice that can be left: use fewer dice",
            "die",
            0,
        )
    if any(sum(kind.weights) ** kind.count >= MAX_EXACT_WEIGHT for kind in kinds):
        raise HouseRuleError(
            "the weights of the [[die]] entries are too large: the total weight of a roll must be below 2**53", "die", 0
        )
    return replace(data, kinds=kinds, dice=hands)


# What scores


def _points_by_face(points: Mapping[str, Any], faces: Sequence[str], tame_faces: Sequence[str]) -> dict[str, Any]:
    """Return points by face, with ``all`` replaced by a line for every face that has none and is not wild."""
    by_face = dict(points)
    if "all" in by_face and "all" not in faces:
        by_face = dict.fromkeys(tame_faces, by_face.pop("all")) | by_face
    return by_face


def _single_and_alike_patterns(rules: Mapping[str, Any], dice: int, faces: Sequence[str]) -> list[Pattern]:
    """Return the patterns of ``[singles]`` and ``[alike.N]``, face by face.

    Those to be confirmed come first, so that they count if others score the same.
    """
    keyed_patterns = list[tuple[int, bool, int, Pattern]]()
    tables: list[tuple[Path, Mapping[str, Any]]] = [(("singles",), rules["singles"])]
    tables += [(("alike", size), by_face) for size, by_face in rules["alike"].items()]
    allowed_sizes = numbered_faces(dice)[1:]
    for path, by_face in tables:
        if path[1:] and str(path[1]) not in allowed_sizes:
            raise HouseRuleError(f"alike.{path[1]} must be between alike.2 and alike.{dice}, as dice = {dice}", *path)
        count = int(path[1]) if path[1:] else 1
        must = "then" in by_face
        for name, points in by_face.items():
            if name == "then":
                continue
            if name not in faces:
                raise unknown_key(name, (*faces, "all", "then"), path, rules)
            face = faces.index(name)
            keyed_patterns.append((face, not must, count, pattern_of_face(face, len(faces), count, points, must)))
    return [pattern for *_, pattern in sorted(keyed_patterns)]


def _parse_leave(rules: Mapping[str, Any], faces: Sequence[str]) -> tuple[bool, ...]:
    """Return, by face, whether a die may stay in the hand though it scores."""
    if "leave" not in rules["then"]:
        return ()
    names, path = {str(face) for face in rules["then"]["leave"]}, ("then", "leave")
    for name in sorted(names - {*faces}):
        raise HouseRuleError(f"then.leave must list faces, not {name}: use {', '.join(faces)}", *path)
    if rules["set_aside"] != "all":
        raise HouseRuleError("then.leave requires set_aside=all; with other rules any die may be left", *path)
    for face in sorted(names - set(rules["singles"])):
        raise HouseRuleError(f"then.leave can list {face} only if one such die scores: add it to [singles]", *path)
    return tuple(face in names for face in faces)


def _parse_costs(bust: Mapping[str, Any]) -> tuple[int, ...]:
    """Return what the first, second, ... bust in a row costs; empty if busts cost nothing."""
    costs = tuple(bust.get("costs", ()))
    if costs and not any(costs):
        raise HouseRuleError("bust.costs must not all be 0: leave costs out", "bust", "costs")
    return costs


# Wild faces


def _wild_names(rules: Mapping[str, Any]) -> list[str]:
    """Return the names of the wild faces as the file lists them."""
    wild = rules.get("wild", [])
    return [str(face) for face in (wild if isinstance(wild, list) else [wild])]


def _parse_wild(rules: Mapping[str, Any], faces: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of the wild faces."""
    names = _wild_names(rules)
    for name in names:
        if name not in faces:
            raise HouseRuleError(f"wild must list faces, not {name}: use {', '.join(faces)}", "wild")
    if len({*names}) == len(faces):
        raise HouseRuleError("wild must leave at least one face that is not wild", "wild")
    if names and rules["best"] == "lowest":
        raise HouseRuleError("wild cannot be combined with best=lowest: leave wild out", "wild")
    return tuple(sorted({faces.index(name) for name in names}))


def _one_or_list(names: list[str]) -> str | list[str]:
    """Return a single name as it is, and several as a list."""
    return names[0] if len(names) == 1 else names


def _can_be_completed(pattern: Pattern, wild: Sequence[int]) -> bool:
    """Return whether wild faces stand for dice of a pattern: it has several dice, and names no wild face itself."""
    return sum(pattern.dice) > 1 and not any(pattern.dice[face] for face in wild)


def _count_wild_sets(data: PushRules) -> int:
    """Return an upper bound of the sets that wild faces complete; 0 without wild faces."""
    if not data.wild:
        return 0
    sets = 0
    for pattern in data.patterns:
        if _can_be_completed(pattern, data.wild):
            ways_to_be_wild = math.comb(sum(pattern.dice) + len(data.wild) - 1, len(data.wild) - 1)
            sets += math.prod(count + 1 for count in pattern.dice) * ways_to_be_wild
    return sets


def _with_wild_sets(data: PushRules, may_stand_alone: bool) -> PushRules:
    """Return the rules with a pattern for every set that wild faces complete, at the points of the best it can be.

    A set that the file lists with its wild faces scores as the file says. A set that scores as much in parts is left
    out.

    Args:
        data: the rules without these patterns.
        may_stand_alone: sets of nothing but wild faces count too.
    """
    dice_of_patterns = {pattern.dice for pattern in data.patterns}
    best_by_dice = dict[Counts, Pattern]()
    for pattern in data.patterns:
        if not _can_be_completed(pattern, data.wild):
            continue
        for dice in _wild_sets(pattern.dice, data.wild, may_stand_alone):
            best = best_by_dice.get(dice)
            if dice not in dice_of_patterns and (best is None or best.points < pattern.points):
                best_by_dice[dice] = pattern._replace(dice=dice)
    completed = replace(data, patterns=(*data.patterns, *best_by_dice.values()))
    more_than_parts = (pattern for pattern in best_by_dice.values() if completed.patterns_of(pattern.dice) == [pattern])
    return replace(data, patterns=(*data.patterns, *more_than_parts))


def _wild_sets(dice: Counts, wild: Sequence[int], may_stand_alone: bool) -> Iterator[Counts]:
    """Yield the dice of a pattern with some of them replaced by wild faces."""
    size = sum(dice)
    for natural_dice in product(*(range(count + 1) for count in dice)):
        replaced = size - sum(natural_dice)
        if not replaced or (replaced == size and not may_stand_alone):
            continue
        for wild_counts in multiset.list_multisets(replaced, len(wild)).tolist():
            counts = list(natural_dice)
            for face, count in zip(wild, wild_counts, strict=True):
                counts[face] += count
            yield tuple(counts)


# Patterns and special rolls


def _expand_entries(
    rules: Mapping[str, Any], section: str, key: str, data: PushRules
) -> dict[Counts, Mapping[str, Any]]:
    """Return the entries of a section by the face counts that they match; of several, the first entry counts.

    Args:
        rules: the file.
        section: "pattern" or "special".
        key: the key that gives the dice of an entry, "dice" or "throw"; entries without it have conditions.
        data: the rules so far.

    Returns:
        Each entry with ``name`` and ``path`` set.
    """
    by_counts = dict[Counts, Mapping[str, Any]]()
    for place, entry in enumerate(rules[section]):
        path = (section, place)
        name = parse_name(entry, *path)
        matches = _matching_counts(entry, key, data, path)
        if section == "pattern" and data.wild:
            matches = _without_unnamed_wild_faces(matches, entry, data, path)
        label = f"pairs={entry['pairs']}" if "pairs" in entry else format_dice(entry.get(key, "the condition"))
        size = max(map(sum, matches))
        if size > data.dice:
            raise HouseRuleError(f"{label} needs {size} dice, but dice = {data.dice}", *path, key)
        if section == "pattern" and "pairs" not in entry and all(max(counts) == sum(counts) for counts in matches):
            raise HouseRuleError(f"{label} matches {size} dice alike: write [alike.{size}] instead", *path, key)
        if by_counts.keys() >= {*matches}:
            raise _never_matches(label, matches, by_counts, (*path, key))
        for counts in matches:
            by_counts.setdefault(counts, {**entry, "name": name, "path": path})
    return by_counts


def _without_unnamed_wild_faces(
    matches: Sequence[Counts], entry: Mapping[str, Any], data: PushRules, path: Path
) -> list[Counts]:
    """Return the face counts of a pattern in which letters, pairs and conditions stand for no wild face.

    What wild faces complete is added to every pattern alike.
    """
    names = parse_dice(entry["dice"], data.faces) if "dice" in entry else []
    named_counts = [names.count(face) for face in data.faces]
    tame = [counts for counts in matches if all(counts[face] == named_counts[face] for face in data.wild)]
    if not tame:
        first_key = next((name for name in ("pairs", "dice", *CONDITIONS) if name in entry), "dice")
        raise HouseRuleError(
            "only dice with wild faces match this pattern: write it with 'dice', and list the wild faces there",
            *path,
            first_key,
        )
    return tame


def _never_matches(
    label: str, matches: Sequence[Counts], by_counts: Mapping[Counts, Mapping[str, Any]], path: Path
) -> HouseRuleError:
    """Return the error of an entry if earlier entries match all its dice."""
    first_path, *other_paths = sorted({by_counts[counts]["path"] for counts in matches})
    kind = "special roll" if path[0] == "special" else path[0]
    earlier, remedy = f"an earlier {kind} matches", "move it above that entry"
    if {counts for counts, entry in by_counts.items() if entry["path"] == first_path} == {*matches}:
        remedy = "leave one of the two out"
    if other_paths:
        earlier, remedy = "earlier entries match", "leave it out"
    message = f"{label} never counts, because {earlier} all its dice and the first match counts: {remedy}"
    return HouseRuleError(message, *path, other_path=() if other_paths else first_path)


def _matching_counts(entry: Mapping[str, Any], key: str, data: PushRules, path: Path) -> list[Counts]:
    """Return the face counts of all dice that an entry matches."""
    if key in entry:
        return expand_dice(entry[key], data.faces, *path, key)
    if "pairs" in entry:
        return _counts_of_pairs(entry["pairs"], data, path)
    condition = parse_condition(entry, data.faces, data.dice, (), *path)
    sizes = _sizes_of(entry, key, condition, data, path)
    rows = np.concatenate([multiset.list_multisets(size, len(data.faces)) for size in sizes]).astype(np.int64)
    matches = [tuple(counts) for counts in rows[condition.matches(rows)].tolist()]
    if matches and "scoreless" in entry:
        matches = [counts for counts in matches if not _contains_pattern(counts, data)]
        if not matches:
            name = f" '{entry['name']}'" if "name" in entry else ""
            raise HouseRuleError(
                f"the special roll{name} never occurs, because every roll that it names has dice that score: delete"
                " this [[special]], or change the sets",
                *path,
                "scoreless",
            )
    if not matches:
        first_condition = next(name for name in (*CONDITIONS, "scoreless") if name in entry)
        raise HouseRuleError("no roll meets this condition", *path, first_condition)
    return matches


def _contains_pattern(counts: Counts, data: PushRules) -> bool:
    """Return whether any dice score, alone or together."""
    return any(all(map(le, pattern.dice, counts)) for pattern in data.patterns)


def _counts_of_pairs(pairs: int, data: PushRules, path: Path) -> list[Counts]:
    """Return the face counts of so many pairs; four alike are two of them."""
    if 2 * pairs > data.dice:
        message = f"{data.dice} dice show at most {format_count(data.dice // 2, 'pair')}, not {pairs}"
        raise HouseRuleError(message, *path, "pairs")
    rows = multiset.list_multisets(pairs, len(data.faces)).tolist()
    return [tuple(2 * count for count in counts) for counts in rows]


def _sizes_of(entry: Mapping[str, Any], key: str, condition: DiceCondition, data: PushRules, path: Path) -> list[int]:
    """Return the numbers of dice for which the condition of an entry is meant.

    ``of`` lists them. Otherwise a special roll may have any number, and a pattern has that of its groups or straight.
    """
    sizes: int | list[int] = entry.get("of") or (
        _pattern_size(entry, condition, path) if key == "dice" else list(range(1, data.dice + 1))
    )
    sorted_sizes = sorted(set(sizes if isinstance(sizes, list) else [sizes]))
    if sorted_sizes[-1] > data.dice:
        message = (
            f"'of' must be a number of dice from 1 to {data.dice}, or a list of such numbers, not {sorted_sizes[-1]}"
        )
        raise HouseRuleError(message, *path, "of")
    return sorted_sizes


def _pattern_size(entry: Mapping[str, Any], condition: DiceCondition, path: Path) -> int:
    """Return the number of dice of a pattern without ``of``: that of its groups or its straight."""
    if len([key for key in ("groups", "straight") if key in entry]) != 1:
        raise HouseRuleError("missing required key 'of' (the number of dice), for example of = 5", *path)
    return sum(condition.groups) or len(condition.straights[0])


def _parse_specials(rules: Mapping[str, Any], data: PushRules) -> tuple[SpecialRoll, ...]:
    """Return the special rolls, one for every roll that an entry matches."""
    by_counts = _expand_entries(rules, "special", "throw", data)
    effects = [_effect(entry, ("special", place)) for place, entry in enumerate(rules["special"])]
    specials = list[SpecialRoll]()
    for counts, entry in by_counts.items():
        points, path = entry.get("points", 0), entry["path"]
        if points == "sum":
            points = sum(map(mul, counts, spots_of(data.faces, *path, "points")))
        effect = effects[path[1]]
        if effect == "same" and points <= 0:
            message = "dice=same requires points above 0: otherwise such rolls could follow each other forever"
            raise HouseRuleError(message, *path)
        specials.append(SpecialRoll(counts, effect, points, entry["name"]))
    return tuple(specials)


def _effect(entry: Mapping[str, Any], path: Path) -> str:
    """Return the effect of a special roll, as ``SpecialRoll`` names it."""
    then, keeps_dice = entry.get("then", "score"), entry["dice"] == "same"
    if then in ("win", "bust", "wipe", "void"):
        if "points" in entry:
            raise HouseRuleError(f"then={then} cannot be combined with points: leave points out", *path, "points")
    elif "points" not in entry:
        raise HouseRuleError('a special roll requires points, or then = one of "win", "bust", "wipe", "void"', *path)
    if keeps_dice and then != "roll":
        message = "dice=same requires then=roll: the player may roll the same dice or, unless then.set=must, stop"
        raise HouseRuleError(message, *path)
    return "same" if keeps_dice else {"must": "again"}.get(then, then)
