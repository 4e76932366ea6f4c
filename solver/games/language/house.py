"""House rules as data: any push-your-luck dice game of the family, from a table of plain values (a TOML file).

What a file may hold is declared in ``pushschema``; here it becomes ``PushRules``. docs/rules.md shows a file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import permutations
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core import multiset
from ...ground.arguments import checked
from ...ground.errors import HouseRuleError, InputError, shown
from ...ground.text import LONGEST_NAME, MARKS, alike, no_name, no_title
from .. import FILES, Game, Stated, own_game
from ..pushluck import Counts, PushRules, face_values
from ..unlike import Kind, UnlikeRules
from .declared import read, unknown, words
from .firstedition import renewed
from .housechecks import MOST_WEIGHED, check_size, check_whole
from .pushschema import MOST_DICE, MOST_FACES, OPTIONS, RULES

OBJECTIVES = ("win", "points", "turns", "reach")
FACE_MARKS = f"{MARKS}() "  # a face is one word, and stands among names in brackets
MOST_MEANT = 50_000  # orders of faces that the letters of a pattern may stand for

ASKED = ("scoreless", "groups", "shows", "only", "sum", "at_least", "at_most")  # what a special throw must show
MOST_HANDS = 200


def state(rules: Mapping[str, Any]) -> Stated:
    """Return what the values describe (see the module's text for their shape).

    Raises:
        HouseRuleError: a key that is not known, a value that cannot be, sets that overlap, or rules under which nothing
            scores or no throw can bust.
    """
    told = _nested(renewed(rules))
    rules = read(told, RULES)
    stop, then, finish = rules["stop"], rules["then"], rules["finish"]
    if finish == "exact" and told["stop"].get("on_win") is True:
        message = "finish=exact and stop.on_win=true contradict each other: who needs less could never finish"
        raise HouseRuleError(message, "stop", "on_win")
    stop["on_win"] &= finish != "exact"
    title = read_title(rules)
    faces = _faces(rules)
    kinds = read_kinds(rules, faces, MOST_DICE)
    dice = sum(kind.count for kind in kinds) or _whole_hand(rules)
    weights = rules.get("weights", [1] * len(faces))
    if len(weights) != len(faces):
        raise HouseRuleError(f"weights must be {len(faces)} positive whole numbers, one for each face", "weights")
    patterns, names, confirmed = _patterns(rules, dice, faces)
    specials = len(rules["special"])
    combinations = len(patterns) + specials
    looks = combinations + 2 * specials  # what a special throw shows is asked of every throw, and each is kept
    check_size(dice, len(faces), len(faces) if "scores" in rules else 0, looks)
    data = PushRules(
        dice=dice,
        faces=faces,
        weights=lowest(weights),
        values=_values(rules, dice, faces),
        patterns=patterns,
        sets_worth=_scores(rules, dice, len(faces)),
        names=names,
        set_aside=rules["set_aside"],
        leave=_leave(rules, faces),
        confirm=_confirm(rules, dice, faces),
        confirm_patterns=confirmed,
        over=then["over"],
        once=then["set"] == "end",
        stop="all" if then["set"] == "must" else "free",
        hot_dice={"roll": "free", "end": "none"}.get(then["all"], "must"),
        choose=then["dice"] == "chosen",
        opening=stop["opening"],
        minimum=stop["at_least"],
        minimum_on_win=stop["on_win"],
        below="throw" if stop["below"] == "must" else "nothing",
        target=rules["target"],
        finish="one_turn" if finish == "one_turn_shared" else finish,
        tied="share" if finish == "one_turn_shared" else "again",
        best=rules["best"],
        take_over=rules["take_over"],
        **_bust(rules),
    )
    parts = sum(data.useful) if data.set_aside != "all-or-none" else 0  # else no part of a throw is weighed
    check_size(dice, len(faces), parts, looks)
    data = _specials(rules, data)
    if kinds:
        data = _unlike(data, kinds, combinations)
    check_whole(data)
    objectives: tuple[str, ...] = (
        (*OBJECTIVES, "rate") if data.costs else ("points",) if data.best == "lowest" else OBJECTIVES
    )
    if data.finish == "one_turn":
        objectives = ("points", "win")
    chosen = {option.key: _at(rules, option.key) for option in OPTIONS}
    family = "one turn" if data.finish == "one_turn" else "push"
    return Stated(title, family, objectives, OPTIONS, {**_told(rules, faces, kinds, title, data), **chosen}, data)


def _nested(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Rules with the keys of tables in them, where some are told as ``stop.opening``; what comes later counts."""
    found: dict[str, Any] = {"stop": {}, "then": {}}
    for key, value in rules.items():
        section, _, inner = key.partition(".")
        if section in ("stop", "then") and isinstance(found[section], dict) and (inner or isinstance(value, Mapping)):
            found[section] |= {inner: value} if inner else value
        else:
            found[key] = value
    return found


def _at(rules: Mapping[str, Any], key: str) -> Any:
    section, _, inner = key.rpartition(".")
    return rules[section][inner] if section else rules[inner]


def _told(
    rules: Mapping[str, Any], faces: tuple[str, ...], kinds: Sequence[Kind], title: str, data: PushRules
) -> dict[str, Any]:
    """What a file tells beside its options, spelled one way: without what it would mean unsaid."""
    fair = [1] * len(faces)
    told: dict[str, Any] = {
        "name": rules["name"],
        "title": title,
        "dice": sum(kind.count for kind in kinds) or data.dice,
        "die": [
            given({"name": kind.name, "count": kind.count, "weights": list(kind.weights)}, count=1, weights=fair)
            for kind in kinds
        ],
        "faces": len(faces) if faces == _numbered(len(faces)) else list(faces),
        "weights": list(data.weights),
        "singles": rules["singles"],
        "alike": given(rules["alike"]),
        "pattern": [_entry(entry, faces, "dice") for entry in rules["pattern"]],
        "scores": rules.get("scores"),
        "special": [_entry(entry, faces, "throw", "shows", "only") for entry in rules["special"]],
        "then.leave": [face for face, may in zip(faces, data.leave, strict=False) if may],
        "then.over": data.over,
        "bust": given(
            {"costs": list(data.costs), "count": data.costs_then, "floor": data.floor, "above": data.above},
            count="anew",
            floor=0,
            above=0,
        ),
    }
    return given(
        told,
        title=rules["name"],
        faces=6,
        weights=fair,
        **({"dice": told["dice"]} if kinds else {}),
    )


def given(values: Mapping[str, Any], **unsaid: Any) -> dict[str, Any]:
    """The values that say something: not nothing, nor what is meant where nothing is said."""
    return {
        key: value
        for key, value in values.items()
        if value is not None and value is not False and value not in ("", [], {}) and value != unsaid.get(key)
    }


def _entry(entry: Mapping[str, Any], faces: Sequence[str], *named: str) -> dict[str, Any]:
    """A pattern or a special throw, the dice that are ``named`` in it spelled one way."""
    joint = "" if max(map(len, faces)) == 1 else " "
    told = given(entry, dice="all")
    for key in told.keys() & {*named}:
        shown = shown_by(told[key], faces)
        told[key] = shown if len(shown) == 1 and joint else joint.join(shown)
    if "of" in told:
        sizes = sorted(set(told["of"] if isinstance(told["of"], list) else [told["of"]]))
        told["of"] = sizes if len(sizes) > 1 else sizes[0]
    if "groups" in told:
        told["groups"] = sorted(told["groups"], reverse=True)
    return told


@checked
def push_game(name: str, score: Callable[[tuple[str, ...]], int | None], **rules: object) -> Game:
    """Return a push-your-luck game whose sets a Python function scores.

    >>> def score(dice):
    ...     return sum(map(int, dice)) if len(set(dice)) == 1 else None  # any number of dice alike
    >>> push_game("ours", score, dice=3, target=50).data.worth((0, 0, 0, 2, 0, 0))
    8

    Args:
        name: letters, digits and dashes.
        score: the points of dice set aside together, told as faces in order; None where they do not all score. It is
            called once for every set, now: the game keeps the points, not the function. Points below 0 are taken off.
        rules: the other keys of a rule file: dice, faces, weights, target, special, bust and the options.

    Raises:
        InputError: points that are no whole numbers, or rules that cannot be.
    """
    for key in ("singles", "alike", "pattern", "scores"):
        if key in rules:
            raise InputError(f"the function says what scores: leave {key} out")
    asked = read({"name": name, **{key: rules[key] for key in ("dice", "faces") if key in rules}}, RULES)
    dice, faces = _whole_hand(asked), _faces(asked)
    check_size(dice, len(faces), len(faces), 0)
    scores = list[int | str]()
    for counts in _sets(dice, len(faces)):
        told: Any = score(tuple(face for face, count in zip(faces, counts, strict=True) for _ in range(count)))
        if told is not None and not isinstance(told, Integral):
            raise InputError(f"a set must score a whole number, or None, not {shown(told)}")
        scores.append("none" if told is None else int(told))
    if not any(isinstance(points, int) and points > 0 for points in scores):
        raise InputError("the function scores nothing: it must return points above 0 for some set")
    return own_game({"name": name, **rules, "scores": scores})


def _sets(dice: int, faces: int) -> Iterator[Counts]:
    """Every set of 1 to ``dice`` dice, in the order of ``scores``."""
    for size in range(1, dice + 1):
        yield from map(tuple, multiset.multisets(size, faces).tolist())


def read_kinds(rules: Mapping[str, Any], faces: Sequence[str], most: int) -> tuple[Kind, ...]:
    """Dice unlike one another, those with equal weights together, up to so many; none where no ``[[die]]`` is told."""
    found: dict[tuple[int, ...], Kind] = {}
    for place, entry in enumerate(rules.get("die", ())):
        path = ("die", place)
        name, count = read_name(entry, *path), entry["count"]
        symbols = (f"{face}-{name}" for face in faces) if name else ()
        if name == "plain":
            raise HouseRuleError("plain is what dice without a name are called: leave the name out", *path, "name")
        if not re.fullmatch("[a-z0-9]*", name) or alike((*faces, name, *symbols)):
            raise HouseRuleError("the name of a die must be small letters and digits, and no face's", *path, "name")
        if count > most:
            raise HouseRuleError(f"count must be a whole number from 1 to {most:,}, not {count}", *path, "count")
        weights = entry.get("weights", [1] * len(faces))
        if len(weights) != len(faces):
            message = f"weights must be {len(faces)} whole numbers, one for each face; 0: the die has no such face"
            raise HouseRuleError(message, *path, "weights")
        if not any(weights):
            raise HouseRuleError("weights must not all be 0", *path, "weights")
        terms = lowest(weights)
        known = found.get(terms, Kind(name, 0, terms))
        if known.name != name:
            same = f"dice with equal weights are alike and have one name: {known.name or 'none'}, not {name or 'none'}"
            raise HouseRuleError(same, *path, "name")
        found[known.weights] = Kind(known.name, known.count + count, known.weights)
    kinds = tuple(found.values())
    if not kinds:
        return ()
    if len({kind.name for kind in kinds}) < len(kinds):
        raise HouseRuleError("dice with different weights need different names", "die", 0)
    if "weights" in rules:
        raise HouseRuleError("every [[die]] has weights of its own: leave these out", "weights")
    total = sum(kind.count for kind in kinds)
    if total > most or rules.get("dice", total) != total:
        raise HouseRuleError(f"the [[die]] entries are {total} dice; there may be {most}: leave dice out", "dice")
    return kinds


def lowest(weights: Sequence[int]) -> tuple[int, ...]:
    """Weights in their lowest terms."""
    common = math.gcd(*weights)
    return tuple(weight // common for weight in weights)


def _unlike(data: PushRules, kinds: tuple[Kind, ...], combinations: int) -> PushRules:
    """The same rules for dice unlike one another."""
    for key, plain in (("best", "highest"), ("take_over", "none")):
        if getattr(data, key) != plain:
            raise HouseRuleError(f"dice unlike one another go with {key}={plain} only", key)
    if data.finish == "one_turn":
        raise HouseRuleError("dice unlike one another race to a target: leave finish=one_turn out", "finish")
    weighed = 1
    for kind in kinds:
        faces = [useful for useful, weight in zip(data.useful_faces, kind.weights, strict=True) if weight]
        both = len(faces) + sum(faces)
        weighed *= sum(math.comb(count + both - 1, count) for count in range(kind.count + 1))
    weighed *= 1 + combinations // 4
    if weighed > MOST_WEIGHED:
        raise HouseRuleError(f"these dice make {weighed:,} sets to weigh, more than {MOST_WEIGHED:,}", "die", 0)
    if math.prod(kind.count + 1 for kind in kinds) - 1 > MOST_HANDS:
        raise HouseRuleError(f"these dice make more than {MOST_HANDS} hands that can be left", "die", 0)
    for kind in kinds:
        if sum(kind.weights) ** kind.count >= 1 << 53:
            raise HouseRuleError("the weights of a throw must add up exactly in double precision", "die", 0)
    same: dict[str, Any] = {one.name: getattr(data, one.name) for one in fields(data)}
    same["dice"] = math.prod(kind.count + 1 for kind in kinds) - 1
    return UnlikeRules(**same, kinds=kinds)


def _scores(rules: Mapping[str, Any], dice: int, faces: int) -> dict[Counts, int] | None:
    """The points of every set, as ``push_game`` writes them."""
    if "scores" not in rules:
        return None
    for key in ("singles", "alike", "pattern"):
        if rules[key]:
            raise HouseRuleError(f"scores say all that scores; leave {key} out", key)
    sets, scores = list(_sets(dice, faces)), rules["scores"]
    if len(scores) != len(sets):
        raise HouseRuleError(f"scores must list whole numbers for {len(sets):,} sets of 1 to {dice} dice", "scores")
    return {one: points for one, points in zip(sets, scores, strict=True) if points != "none"}


def _bust(rules: Mapping[str, Any]) -> dict[str, Any]:
    """What busts cost."""
    if "bust" not in rules:
        return {}
    table = rules["bust"]
    costs = table.get("costs", [])
    if "costs" in table and not any(costs):
        raise HouseRuleError("costs must not all be 0: leave them out", "bust", "costs")
    if not costs and (table["floor"] or table["count"] != "anew" or "above" not in table):
        raise HouseRuleError("a bust needs costs, in points, or above, the points that may be held", "bust")
    return {
        "costs": tuple(costs),
        "costs_then": table["count"],
        "floor": table["floor"],
        "above": table.get("above", 0),
    }


def read_title(rules: Mapping[str, Any]) -> str:
    """Return the title of a game of its own, which is its name where it has none; both are checked."""
    name = rules["name"]
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name) or name in FILES or len(name) > LONGEST_NAME:
        wanted = f"up to {LONGEST_NAME} small letters, digits and dashes, and no game's own id"
        raise HouseRuleError(f"name={name[: LONGEST_NAME + 1]} must be {wanted}", "name")
    title: str = rules.get("title", name)
    if wrong := no_title(title):
        raise HouseRuleError(f"the title {wrong}", "title")
    return title


def read_name(entry: Mapping[str, Any], *path: str | int) -> str:
    """Return what an entry is called, "" where it has no name."""
    name: str = entry.get("name", "")
    if "name" in entry and (wrong := no_name(name)):
        raise HouseRuleError(f"the name {wrong}", *path, "name")
    return name


def _whole_hand(rules: Mapping[str, Any]) -> int:
    """How many dice there are, all alike."""
    if "dice" not in rules:
        raise HouseRuleError(f"dice must be {words(RULES['properties']['dice'])}, and given", "dice")
    dice: int = rules["dice"]
    return dice


def _faces(rules: Mapping[str, Any]) -> tuple[str, ...]:
    faces = rules["faces"]
    if isinstance(faces, int):
        return _numbered(faces)
    if len(faces) < 2:
        raise HouseRuleError(f"faces must be a number from 2 to {MOST_FACES} or a list of so many names", "faces")
    names = tuple(map(str, faces))
    for name in names:
        if name == "then":
            raise HouseRuleError("then says what follows, and is no name of a face: rename it", "faces")
        if wrong := no_name(name, FACE_MARKS):
            raise HouseRuleError(f"the name of a face {wrong}: write one word for each", "faces")
    if same := alike(names):
        raise HouseRuleError(f"faces {' and '.join(same)} cannot be told apart once typed: rename one", "faces")
    return names


def _numbered(count: int) -> tuple[str, ...]:
    """Faces that are numbers."""
    return tuple(map(str, range(1, count + 1)))


def _values(rules: Mapping[str, Any], dice: int, faces: Sequence[str]) -> tuple[tuple[int | None, ...], ...]:
    singles, alike = _singles_and_alike(rules, dice, faces)
    return tuple(face_values(dice, singles.get(face), alike[face]) for face in faces)


def _singles_and_alike(
    rules: Mapping[str, Any], dice: int, faces: Sequence[str]
) -> tuple[dict[str, int], dict[str, dict[int, int]]]:
    """Points by face of one die, and of so many alike."""
    alike: dict[str, dict[int, int]] = {face: {} for face in faces}
    for face in rules["singles"]:
        _check_face(face, faces, rules, "singles")
    for text, by_face in rules["alike"].items():
        if text not in map(str, range(2, dice + 1)):
            raise HouseRuleError(f"alike.{text} must count from 2 to {dice} dice", "alike", text)
        for face in by_face.keys() - {"then"}:
            _check_face(face, faces, rules, "alike", text)
            alike[face][int(text)] = by_face[face]
    return rules["singles"], alike


def _check_face(face: str, faces: Sequence[str], rules: Mapping[str, Any], *path: str) -> None:
    if face not in faces:
        raise unknown(face, faces, path, rules)


def _leave(rules: Mapping[str, Any], faces: Sequence[str]) -> tuple[bool, ...]:
    """By face, whether it may stay in the hand though it scores."""
    if "leave" not in rules["then"]:
        return ()
    left, path = {str(face) for face in rules["then"]["leave"]}, ("then", "leave")
    if not left <= {*faces}:
        raise HouseRuleError(f"leave must list faces: {', '.join(faces)}", *path)
    if rules["set_aside"] != "all":
        raise HouseRuleError("leave goes with set_aside=all: else any die may be left", *path)
    for face in sorted(left - set(rules["singles"])):
        raise HouseRuleError(f"{face} may be left where one die of it scores: [singles] does not name it", *path)
    return tuple(face in left for face in faces)


def _confirm(rules: Mapping[str, Any], dice: int, faces: Sequence[str]) -> tuple[tuple[bool, ...], ...]:
    """By face and number of dice, whether the next throw must be made; nothing where no ``[alike.N]`` says so."""
    sizes = [int(size) for size, by_face in rules["alike"].items() if "then" in by_face]
    if not sizes:
        return ()
    singles, alike = _singles_and_alike(rules, dice, faces)
    return tuple(_confirmed(dice, singles.get(face), alike[face], sizes) for face in faces)


def _confirmed(dice: int, single: int | None, alike: Mapping[int, int], sizes: Sequence[int]) -> tuple[bool, ...]:
    """For 0 to ``dice`` of one face, whether a best reading of them holds so many alike as must be confirmed."""
    of = dict(alike) if single is None else {**alike, 1: single}
    values, found = face_values(dice, single, alike), [False]
    for count in range(1, dice + 1):
        best = {n: points + (values[count - n] or 0) for n, points in of.items() if n <= count}
        ways = [n for n, points in best.items() if values[count - n] is not None and points == values[count]]
        found.append(any(n in sizes or found[count - n] for n in ways))
    return tuple(found)


def _patterns(
    rules: Mapping[str, Any], dice: int, faces: Sequence[str]
) -> tuple[tuple[tuple[Counts, int], ...], dict[Counts, str], frozenset[Counts]]:
    """The points of patterns, their names, and those after which the next throw must be made."""
    patterns: dict[Counts, int] = {}
    confirmed = set[Counts]()
    names: dict[Counts, str] = {}
    for place, entry in enumerate(rules["pattern"]):
        path = ("pattern", place)
        name, points = read_name(entry, *path), entry["points"]
        if "pairs" in entry:
            if "dice" in entry:
                raise HouseRuleError("pairs says what is shown; leave dice out", *path, "dice")
            pairs = entry["pairs"]
            if 2 * pairs > dice:
                raise HouseRuleError(f"{dice} dice show up to {dice // 2} pairs, not {pairs}", *path, "pairs")
            shape = f"pairs={pairs}"
            meant = [tuple(2 * one for one in counts) for counts in multiset.multisets(pairs, len(faces)).tolist()]
        else:
            if "dice" not in entry:
                raise HouseRuleError("a pattern needs dice, or pairs", *path)
            shape, meant = spelled(entry["dice"]), _counts(entry["dice"], faces, *path, "dice")
        for counts in meant:
            if sum(counts) > dice:
                raise HouseRuleError(f"{shape} takes {sum(counts)} dice of {dice}", *path, "dice")
            if max(counts) == sum(counts) and "dice" in entry:
                raise HouseRuleError(f"{shape} is alike: write [alike.{sum(counts)}]", *path, "dice")
        if patterns.keys() >= {*meant}:
            said = f"{shape} overlaps an earlier pattern: the same dice twice, of which the first counts"
            raise HouseRuleError(said, *path, "dice")
        for counts in meant:
            if counts not in patterns:
                patterns[counts], names[counts] = points, name
                confirmed |= {counts} if "then" in entry else set()
    return tuple(patterns.items()), {counts: name for counts, name in names.items() if name}, frozenset(confirmed)


def _specials(rules: Mapping[str, Any], data: PushRules) -> PushRules:
    """The rules with special throws: each stands for every throw that it names, or that shows what it asks for."""
    dice, faces = data.dice, data.faces
    specials: dict[Counts, tuple[str, int]] = {}
    names: dict[Counts, str] = {}
    for place, entry in enumerate(rules["special"]):
        path = ("special", place)
        name, effect = read_name(entry, *path), _effect(entry, path)
        spots = _spots(faces, *path, "points") if entry.get("points") == "sum" else ()
        points = 0 if spots else entry.get("points", 0)
        meant = _named_or_asked(entry, data, path)
        if specials.keys() >= {*meant}:
            what = spelled(entry.get("throw", "what is asked for"))
            raise HouseRuleError(f"{what} overlaps an earlier special throw, and the first counts", *path, "throw")
        for counts in meant:
            if sum(counts) > dice:
                raise HouseRuleError(f"{spelled(entry['throw'])} takes {sum(counts)} dice of {dice}", *path, "throw")
            if counts not in specials:
                total = sum(count * spot for count, spot in zip(counts, spots, strict=True)) if spots else points
                specials[counts] = (effect, total)
                names[counts] = name
    return replace(
        data,
        specials=tuple((counts, *meaning) for counts, meaning in specials.items()),
        throw_names={counts: name for counts, name in names.items() if name},
    )


def _effect(entry: Mapping[str, Any], path: tuple[str | int, ...]) -> str:
    """What a special throw does, as ``PushRules`` calls it."""
    then, same = entry.get("then", "score"), entry["dice"] == "same"
    if then in ("win", "bust", "wipe", "void"):
        if "points" in entry:
            raise HouseRuleError(f"a throw with then={then} scores no points", *path, "points")
    elif "points" not in entry:
        raise HouseRuleError("a special throw needs points that it scores, or then: win, bust, wipe or void", *path)
    if same and then != "roll":
        raise HouseRuleError("dice=same goes with then=roll: who keeps the same dice may throw them or stop", *path)
    return "same" if same else {"must": "again"}.get(then, then)


def _named_or_asked(entry: Mapping[str, Any], data: PushRules, path: tuple[str | int, ...]) -> list[Counts]:
    """The throws that a special one stands for."""
    dice, faces = data.dice, data.faces
    asked = [key for key in ASKED if key in entry]
    if "throw" in entry:
        for key in (*asked, *(["of"] if "of" in entry else [])):
            raise HouseRuleError(f"throw says what is shown; leave {key} out", *path, key)
        return _counts(entry["throw"], faces, *path, "throw")
    if not asked:
        raise HouseRuleError(f"a special throw needs throw, or one of {', '.join(ASKED)}", *path)
    of = entry.get("of", list(range(1, dice + 1)))
    sizes = of if isinstance(of, list) else [of]
    if max(sizes) > dice:
        raise HouseRuleError(f"of must tell how many dice are thrown, 1 to {dice}, or list several", *path, "of")
    rows = np.concatenate(
        [np.asarray(multiset.multisets(size, len(faces)), dtype=np.int64) for size in sorted(set(sizes))]
    )
    for key in (key for key in asked if key != "scoreless"):
        rows = rows[_shown(key, entry, faces, rows, path)]
    found = [tuple(counts) for counts in rows.tolist()]
    if "scoreless" in entry:
        found = [counts for counts in found if not data.holds(counts)]
    if not found:
        raise HouseRuleError("no throw shows what is asked for", *path, asked[0])
    return found


def _shown(
    key: str, entry: Mapping[str, Any], faces: Sequence[str], rows: NDArray[np.int64], path: tuple[str | int, ...]
) -> NDArray[np.bool_]:
    """Which of some throws show what one key asks for."""
    value = entry[key]
    if key == "groups":
        if len(value) > len(faces):
            raise HouseRuleError("groups asks for more different faces than there are", *path, key)
        most = -np.sort(-rows, axis=1)[:, : len(value)]
        return np.asarray((most >= sorted(value, reverse=True)).all(axis=1))
    if key in ("shows", "only"):
        shown = _counts(value, faces, *path, key)
        if len(shown) > 1:
            raise HouseRuleError(f"{key} must name faces: {', '.join(faces)}", *path, key)
        named = np.array(shown[0])
        return np.asarray(((rows >= named) if key == "shows" else (rows == 0) | (named > 0)).all(axis=1))
    total = (rows.astype(np.int64) * np.array(_spots(faces, *path, key))).sum(axis=1)
    meets = {"sum": total == value, "at_least": total >= value, "at_most": total <= value}[key]
    return np.asarray(meets, dtype=np.bool_)


def _spots(faces: Sequence[str], *path: str | int) -> tuple[int, ...]:
    """The spots of faces that are numbers."""
    if not all(face.isascii() and face.isdigit() and len(face) <= 4 for face in faces):
        raise HouseRuleError("sums need faces that are numbers", *path)
    return tuple(map(int, faces))


def _counts(told: str | list[Any], faces: Sequence[str], *path: str | int) -> list[Counts]:
    """Every multiset that a pattern stands for: faces as they are, letters a, b, c for any different faces."""
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
