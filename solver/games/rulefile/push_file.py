"""House rules as data: any push-your-luck dice game of the family, from a table of plain values (a TOML file).

What a file may hold is declared in ``pushschema``; here it becomes ``PushRules``. docs/rules.md shows a file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from operator import le, mul
from typing import Any

import numpy as np

from ...util import multiset
from ...util.arguments import validate_arguments
from ...util.errors import HouseRuleError, InputError, abbreviate
from ...util.text import MAX_NAME_LENGTH, SEPARATORS, find_ambiguous_names, name_problem, title_problem
from .. import FILES, Game, Stated, own_game
from ..dice_matcher import Shown
from ..push_rules import Counts, Kind, Pattern, PushRules, Special, of_face
from .dice_patterns import ASKED, counts_of, read_shown, shown_by, spelled, spots_of, tell
from .push_checks import MOST_WEIGHED, check_size, check_whole
from .push_schema import MOST_DICE, MOST_FACES, MOST_SCORED, OPTIONS, RULES
from .schema import Path, flat, nested, read, unknown

OBJECTIVES = ("win", "points", "turns", "reach")
FACE_MARKS = f"{SEPARATORS}() "  # a face is one word, and stands among names in brackets
MOST_HANDS = 200


def state(rules: Mapping[str, Any]) -> Stated:
    """Return what the values describe (see the module's text for their shape).

    Raises:
        HouseRuleError: a key that is not known, a value that cannot be, sets that overlap, or rules under which nothing
            scores or no throw can bust.
    """
    told = nested(flat(rules))
    rules = read(told, RULES)
    stop, then, finish = rules["stop"], rules["then"], rules["finish"]
    if finish == "exact" and told.get("stop", {}).get("on_win") is True:
        message = "finish=exact and stop.on_win=true contradict each other: who needs less could never finish"
        raise HouseRuleError(message, "stop", "on_win")
    stop["on_win"] &= finish != "exact"
    title = read_title(rules)
    faces = _faces(rules)
    rules["alike"] = {size: _face_by_face(points, faces) for size, points in rules["alike"].items()}
    kinds = read_kinds(rules, faces, MOST_DICE)
    dice = sum(kind.count for kind in kinds) or rules["dice"]
    weights = read_weights(rules, len(faces), "positive whole numbers, one for each face")
    specials = len(rules["special"])
    whole = "scores" in rules
    check_size(dice, len(faces), len(faces) if whole else 0, 3 * specials)
    data = PushRules(
        dice=dice,
        faces=faces,
        weights=weights,
        patterns=tuple(_scores(rules, dice, len(faces)) if whole else _alike(rules, dice, faces)),
        whole=whole,
        set_aside=rules["set_aside"],
        leave=_leave(rules, faces),
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
        finish=finish,
        best=rules["best"],
        take_over=rules["take_over"],
        **_bust(rules),
    )
    patterns = _entries(rules, "pattern", "dice", data)
    alike = (one for one in data.patterns if data.parts(one.dice) == [one])  # that score more than their parts
    others = (Pattern(counts, one["points"], "then" in one, one["name"]) for counts, one in patterns.items())
    data = replace(data, patterns=(*alike, *others))
    parts = sum(data.useful) if data.set_aside != "all-or-none" else 0  # else no part of a throw is weighed
    # What a special throw shows is asked of every throw, and each is kept.
    check_size(dice, len(faces), parts, len(patterns) + 3 * specials)
    data = replace(data, specials=_specials(rules, data))
    if kinds:
        data = _unlike(data, kinds, len(patterns) + specials)
    check_whole(data, rules)
    known = ("points", "win") if data.one_turn else (*OBJECTIVES, "rate")
    objectives = tuple(one for one in known if one not in data.unsolved)
    chosen = {option.key: flat(rules)[option.key] for option in OPTIONS}
    family = "one turn" if data.one_turn else "push"
    return Stated(title, family, objectives, OPTIONS, {**_told(rules, kinds, title, data), **chosen}, data)


def _told(rules: Mapping[str, Any], kinds: Sequence[Kind], title: str, data: PushRules) -> dict[str, Any]:
    """What a file tells beside its options, spelled one way: without what it would mean unsaid."""
    faces, dice = data.faces, data.size(data.dice)
    fair = [1] * len(faces)
    told: dict[str, Any] = {
        "name": rules["name"],
        "title": title,
        "dice": None if kinds else dice,
        "die": [
            given({"name": kind.name, "count": kind.count, "weights": list(kind.weights)}, count=1, weights=fair)
            for kind in kinds
        ],
        "faces": len(faces) if faces == numbered(len(faces)) else list(faces),
        "weights": list(data.weights),
        "singles": rules["singles"],
        "alike": given(rules["alike"]),
        "pattern": [_entry(entry, faces, dice) for entry in rules["pattern"]],
        "scores": rules.get("scores"),
        "special": [_entry(entry, faces, dice) for entry in rules["special"]],
        "then.leave": [face for face, may in zip(faces, data.leave, strict=False) if may],
        "then.over": data.over,
        "bust": given(rules.get("bust", {}), count="anew", floor=0),
    }
    return given(told, title=rules["name"], faces=6, weights=fair)


def given(values: Mapping[str, Any], **unsaid: Any) -> dict[str, Any]:
    """The values that say something: not nothing, nor what is meant where nothing is said."""
    return {
        key: value
        for key, value in values.items()
        if value is not None and value is not False and value not in ("", [], {}) and value != unsaid.get(key)
    }


def _entry(entry: Mapping[str, Any], faces: Sequence[str], dice: int) -> dict[str, Any]:
    """A pattern or a special throw, what it shows spelled one way."""
    joint = "" if max(map(len, faces)) == 1 else " "
    shown = tell(read_shown(entry, faces, dice, ()), faces)
    for key in ("dice", "throw"):
        shown[key] = shown_by(entry[key], faces) if entry.get(key, "all") not in ("all", "same") else None
    for key in ("dice", "throw", "shows", "only"):
        listed = shown[key] or []
        shown[key] = listed if len(listed) == 1 and joint else joint.join(listed)
    if "of" in entry:
        sizes = sorted(set(entry["of"] if isinstance(entry["of"], list) else [entry["of"]]))
        shown["of"] = sizes if len(sizes) > 1 else sizes[0]
    if entry.get("dice") == "same":
        shown["dice"] = "same"
    return given({**entry, **shown})


@validate_arguments
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
        InputError: points that are no whole numbers, or more than 1,000,000 of them, none above 0, or rules that cannot
            be.
    """
    for key in ("singles", "alike", "pattern", "scores"):
        if key in rules:
            raise InputError(f"the function says what scores: leave {key} out")
    asked = read({"name": name, **{key: rules[key] for key in ("dice", "faces") if key in rules}}, RULES)
    dice, faces = asked["dice"], _faces(asked)
    check_size(dice, len(faces), len(faces), 0)
    scores = list[int | str]()
    for counts in _sets(dice, len(faces)):
        told: Any = score(tuple(face for face, count in zip(faces, counts, strict=True) for _ in range(count)))
        if told is not None and not (isinstance(told, Integral) and abs(int(told)) <= MOST_SCORED):
            wanted = f"a whole number up to {MOST_SCORED:,}, or None, not {abbreviate(told)}"
            raise InputError(f"the function must score a set with {wanted}")
        scores.append("none" if told is None else int(told))
    if not any(isinstance(points, int) and points > 0 for points in scores):
        raise InputError("the function scores nothing: it must return points above 0 for some set")
    return own_game({"name": name, **rules, "scores": scores})


def _sets(dice: int, faces: int) -> Iterator[Counts]:
    """Every set of 1 to ``dice`` dice, in the order of ``scores``."""
    for size in range(1, dice + 1):
        yield from map(tuple, multiset.list_multisets(size, faces).tolist())


def read_kinds(rules: Mapping[str, Any], faces: Sequence[str], most: int) -> tuple[Kind, ...]:
    """Dice unlike one another, those with equal weights together, up to so many; none where no ``[[die]]`` is told."""
    found: dict[tuple[int, ...], Kind] = {}
    for place, entry in enumerate(rules.get("die", ())):
        path = ("die", place)
        name, count = read_name(entry, *path), entry["count"]
        symbols = (f"{face}-{name}" for face in faces) if name else ()
        if name == "plain":
            raise HouseRuleError("plain is what dice without a name are called: leave the name out", *path, "name")
        if not re.fullmatch("[a-z0-9]*", name) or find_ambiguous_names((*faces, name, *symbols)):
            raise HouseRuleError("the name of a die must be small letters and digits, and no face's", *path, "name")
        if count > most:
            raise HouseRuleError(f"count must be a whole number from 1 to {most:,}, not {count}", *path, "count")
        said = "whole numbers, one for each face; 0: the die has no such face"
        terms = read_weights(entry, len(faces), said, *path)
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
    total = sum(kind.count for kind in kinds)
    if total > most or rules.get("dice", total) != total:
        raise HouseRuleError(f"the [[die]] entries are {total} dice; there may be {most}: leave dice out", "dice")
    return kinds


def read_weights(entry: Mapping[str, Any], faces: int, said: str, *path: str | int) -> tuple[int, ...]:
    """The weights that an entry tells of so many faces, in their lowest terms; ``said``: what they must be."""
    weights = entry.get("weights", [1] * faces)
    if len(weights) != faces:
        raise HouseRuleError(f"weights must be {faces} {said}", *path, "weights")
    if not any(weights):
        raise HouseRuleError("weights must not all be 0", *path, "weights")
    return tuple(weight // math.gcd(*weights) for weight in weights)


def _unlike(data: PushRules, kinds: tuple[Kind, ...], combinations: int) -> PushRules:
    """The same rules for dice unlike one another."""
    for key, plain in (("best", "highest"), ("take_over", "none")):
        if getattr(data, key) != plain:
            raise HouseRuleError(f"dice unlike one another go with {key}={plain} only", key)
    if data.one_turn:
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
    return replace(data, kinds=kinds, dice=math.prod(kind.count + 1 for kind in kinds) - 1)


def _scores(rules: Mapping[str, Any], dice: int, faces: int) -> list[Pattern]:
    """Every set that scores, as ``push_game`` writes them."""
    sets, scores = list(_sets(dice, faces)), rules["scores"]
    if len(scores) != len(sets):
        raise HouseRuleError(f"scores must list whole numbers for {len(sets):,} sets of 1 to {dice} dice", "scores")
    return [Pattern(one, points) for one, points in zip(sets, scores, strict=True) if points != "none"]


def _bust(rules: Mapping[str, Any]) -> dict[str, Any]:
    """What busts cost."""
    if "bust" not in rules:
        return {}
    table, costs = rules["bust"], tuple(rules["bust"].get("costs", ()))
    if "costs" in table and not any(costs):
        raise HouseRuleError("costs must not all be 0: leave them out", "bust", "costs")
    return {"costs": costs, "costs_then": table["count"], "floor": table["floor"], "above": table.get("above", 0)}


def read_title(rules: Mapping[str, Any]) -> str:
    """Return the title of a game of its own, which is its name where it has none; both are checked."""
    name = rules["name"]
    if name in FILES:
        raise HouseRuleError(f"name={name} is a game's own id: give another, such as our-{name}", "name")
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name) or len(name) > MAX_NAME_LENGTH:
        wanted = f"up to {MAX_NAME_LENGTH} small letters, digits and dashes"
        raise HouseRuleError(f"name={name[: MAX_NAME_LENGTH + 1]} must be {wanted}", "name")
    title: str = rules.get("title", name)
    if wrong := title_problem(title):
        raise HouseRuleError(f"the title {wrong}", "title")
    return title


def read_name(entry: Mapping[str, Any], *path: str | int) -> str:
    """Return what an entry is called, "" where it has no name."""
    name: str = entry.get("name", "")
    if "name" in entry and (wrong := name_problem(name)):
        raise HouseRuleError(f"the name {wrong}", *path, "name")
    return name


def _faces(rules: Mapping[str, Any]) -> tuple[str, ...]:
    faces = rules["faces"]
    if isinstance(faces, int):
        return numbered(faces)
    if len(faces) < 2:
        raise HouseRuleError(f"faces must be a number from 2 to {MOST_FACES} or a list of so many names", "faces")
    names = tuple(map(str, faces))
    for name in names:
        if name == "then":
            raise HouseRuleError("then says what follows, and is no name of a face: rename it", "faces")
        if wrong := name_problem(name, FACE_MARKS):
            raise HouseRuleError(f"the name of a face {wrong}: write one word for each", "faces")
    if same := find_ambiguous_names(names):
        raise HouseRuleError(f"faces {' and '.join(same)} cannot be told apart once typed: rename one", "faces")
    return names


def numbered(count: int) -> tuple[str, ...]:
    """Faces that are numbers."""
    return tuple(map(str, range(1, count + 1)))


def _face_by_face(points: Mapping[str, Any], faces: Sequence[str]) -> dict[str, Any]:
    """Return points by face where one number is told for all faces without a line of their own."""
    told = dict(points)
    if "all" in told and "all" not in faces:
        told = dict.fromkeys(faces, told.pop("all")) | told
    return told


def _alike(rules: Mapping[str, Any], dice: int, faces: Sequence[str]) -> list[Pattern]:
    """Single faces and so many alike, face by face; what must be thrown on first, so that it counts where others score
    the same.
    """
    found = list[tuple[int, bool, int, Pattern]]()
    sizes: list[tuple[Path, Mapping[str, Any]]] = [(("singles",), rules["singles"])]
    sizes += [(("alike", text), by_face) for text, by_face in rules["alike"].items()]
    for path, by_face in sizes:
        if path[1:] and str(path[1]) not in map(str, range(2, dice + 1)):
            raise HouseRuleError(f"alike.{path[1]} must count from 2 to {dice} dice, as dice = {dice}", *path)
        count = int(path[-1]) if path[1:] else 1
        for face in (face for face in by_face if face != "then"):
            if face not in faces:
                raise unknown(face, faces, path, rules)
            place, must = faces.index(face), "then" in by_face
            found.append((place, not must, count, of_face(place, len(faces), count, by_face[face], must)))
    return [one[-1] for one in sorted(found)]


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


def _entries(rules: Mapping[str, Any], section: str, key: str, data: PushRules) -> dict[Counts, Mapping[str, Any]]:
    """What dice stand for, by counts of faces: the first entry of a section that tells them by ``key``, or asks for
    what they show, counts.
    """
    found = dict[Counts, Mapping[str, Any]]()
    for place, entry in enumerate(rules[section]):
        path = (section, place)
        name = read_name(entry, *path)
        meant = _meant(entry, key, data, path)
        what = f"pairs={entry['pairs']}" if "pairs" in entry else spelled(entry.get(key, "what is asked for"))
        size = max(map(sum, meant))
        if size > data.dice:
            raise HouseRuleError(f"{what} takes {size} dice of {data.dice}", *path, key)
        if section == "pattern" and "pairs" not in entry and all(max(counts) == sum(counts) for counts in meant):
            raise HouseRuleError(f"{what} is alike: write [alike.{size}]", *path, key)
        if found.keys() >= {*meant}:
            first, *others = sorted({found[counts]["path"] for counts in meant})
            kind = "special throw" if section == "special" else section
            takes, remedy = f"an earlier {kind} takes", "put it before that"
            if {counts for counts, one in found.items() if one["path"] == first} == {*meant}:
                remedy = "leave one of them out, this or that"
            if others:
                takes, remedy = "earlier entries take", "leave it out"
            said = f"{what} can never match, since {takes} all of it and the first counts: {remedy}"
            raise HouseRuleError(said, *path, key, other_path=() if others else first)
        for counts in meant:
            found.setdefault(counts, {**entry, "name": name, "path": path})
    return found


def _meant(entry: Mapping[str, Any], key: str, data: PushRules, path: tuple[str | int, ...]) -> list[Counts]:
    """All dice that an entry stands for."""
    if key in entry:
        return counts_of(entry[key], data.faces, *path, key)
    if "pairs" in entry:
        if 2 * (pairs := entry["pairs"]) > data.dice:
            message = f"{data.dice} dice show up to {data.dice // 2} pairs, not {pairs}"
            raise HouseRuleError(message, *path, "pairs")
        return [tuple(2 * one for one in counts) for counts in multiset.list_multisets(pairs, len(data.faces)).tolist()]
    shown = read_shown(entry, data.faces, data.dice, (), *path)
    of = entry.get("of") or (_size(entry, shown, path) if key == "dice" else list(range(1, data.dice + 1)))
    sizes = sorted(set(of if isinstance(of, list) else [of]))
    if sizes[-1] > data.dice:
        raise HouseRuleError(f"of must tell how many dice there are, 1 to {data.dice}, or list several", *path, "of")
    rows = np.concatenate([multiset.list_multisets(size, len(data.faces)) for size in sizes]).astype(np.int64)
    found = [tuple(counts) for counts in rows[shown.fit(rows)].tolist()]
    if "scoreless" in entry:
        found = [counts for counts in found if not any(all(map(le, one.dice, counts)) for one in data.patterns)]
    if not found:
        asked = next(one for one in (*ASKED, "scoreless") if one in entry)
        raise HouseRuleError("no dice show what is asked for", *path, asked)
    return found


def _size(entry: Mapping[str, Any], shown: Shown, path: tuple[str | int, ...]) -> int:
    """How many dice a pattern has that does not say so: those of its groups, or of its row."""
    if len([key for key in ("groups", "straight") if key in entry]) != 1:
        raise HouseRuleError("say of how many dice: of = 5", *path)
    return sum(shown.groups) or len(shown.runs[0])


def _specials(rules: Mapping[str, Any], data: PushRules) -> tuple[Special, ...]:
    """Special throws, each of which stands for every throw that it names, or that shows what it asks for."""
    found = _entries(rules, "special", "throw", data)
    effects = [_effect(entry, ("special", place)) for place, entry in enumerate(rules["special"])]
    specials = list[Special]()
    for counts, entry in found.items():
        points, path = entry.get("points", 0), entry["path"]
        if points == "sum":
            points = sum(map(mul, counts, spots_of(data.faces, *path, "points")))
        if (effect := effects[path[1]]) == "same" and points <= 0:
            raise HouseRuleError("a throw that leaves the same dice must score, or could follow itself for ever", *path)
        specials.append(Special(counts, effect, points, entry["name"]))
    return tuple(specials)


def _effect(entry: Mapping[str, Any], path: tuple[str | int, ...]) -> str:
    """What a special throw does, as ``PushRules`` calls it."""
    then, same = entry.get("then", "score"), entry["dice"] == "same"
    if then in ("win", "bust", "wipe", "void"):
        if "points" in entry:
            raise HouseRuleError(f"a throw with then={then} scores no points", *path, "points")
    elif "points" not in entry:
        raise HouseRuleError("a special throw needs points that it scores, or then: win, bust, wipe or void", *path)
    if same and then != "roll":
        said = "dice=same goes with then=roll: who keeps the same dice may throw them or, unless then.set=must, stop"
        raise HouseRuleError(said, *path)
    return "same" if same else {"must": "again"}.get(then, then)
