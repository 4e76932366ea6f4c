"""Push-your-luck files of the first edition, told as the language tells rules now; and rules told as a file.

The keys of that edition stand here only: files that have them are read as before, and ``keepwise rules --upgrade``
writes them anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...util.errors import HouseRuleError
from .declared import FLAG, TEXT, list_of, read, table, whole

# By key of the first edition what it is called now, and its words where they are others.
MOVED: dict[str, tuple[str, dict[object, object]]] = {
    "opening": ("stop.opening", {}),
    "minimum": ("stop.at_least", {}),
    "minimum_on_win": ("stop.on_win", {}),
    "below": ("stop.below", {"nothing": "end", "throw": "must"}),
    "once": ("then.set", {True: "end", False: "roll"}),
    "stop": ("then.set", {"all": "must", "free": "roll"}),
    "hot_dice": ("then.all", {"free": "roll", "none": "end"}),
    "choose": ("then.dice", {True: "chosen", False: "all"}),
    "leave": ("then.leave", {}),
    "tied": ("finish", {"share": "one_turn_shared", "again": "one_turn"}),
}
EFFECTS: dict[object, dict[str, str]] = {
    "score": {},
    "again": {"then": "must"},
    "same": {"then": "roll", "dice": "same"},
}
CONFIRM = table([], alike=(list_of(whole(1)), ""), patterns=(list_of(TEXT), ""), over=({**FLAG, "default": False}, ""))


def flat(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return rules with what stands in ``[stop]`` and ``[then]`` told by its place, ``stop.opening``.

    Raises:
        HouseRuleError: something that is told at both places.
    """
    found = dict[str, Any]()
    for key, value in rules.items():
        table = value.items() if key in ("stop", "then") and isinstance(value, Mapping) else None
        for inner, one in table or (("", value),):
            now = f"{key}.{inner}" if table else key
            if now in found:
                raise HouseRuleError(f"{now} is told twice", *now.split("."))
            found[now] = one
    return found


def nested(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return rules with the keys of tables in them, which are told as ``stop.opening``."""
    found = dict[str, Any]()
    for key, value in rules.items():
        section, _, inner = key.partition(".")
        if section in ("stop", "then") and inner and isinstance(inside := found.setdefault(section, {}), dict):
            inside[inner] = value
        else:
            found[key] = value
    return found


def renewed(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return rules as ``flat`` does, without the keys of the first edition.

    Raises:
        HouseRuleError: old keys that say nothing together, or both an old key and what it is called now.
    """
    told = flat(rules)
    new = {"stop"} if not isinstance(told.get("stop"), str) else set()  # a table now
    found = {key: value for key, value in told.items() if key not in MOVED or key in new}
    for key in (key for key in MOVED if key in told and key not in found):
        now, words = MOVED[key]
        if now in told and key != "tied":
            raise HouseRuleError(f"{key} is {now} now, which is told too: leave {key} out", key)
        value = words.get(told[key], told[key]) if isinstance(told[key], (str, bool)) else told[key]
        if key == "tied" and told.get("finish") not in ("one_turn", "one_turn_shared"):
            raise HouseRuleError("tied goes with finish=one_turn", "tied")
        if key == "stop" and told.get("once") is True and value != "roll":
            raise HouseRuleError("a turn of one throw ends with it: leave stop out", "stop")
        if key != "stop" or value != "roll" or "once" not in told:
            found[now] = value
    if isinstance(found.get("special"), (list, tuple)):
        found["special"] = [
            _special(entry, number) if isinstance(entry, Mapping) else entry
            for number, entry in enumerate(found["special"])
        ]
    if isinstance(found.get("bust"), Mapping):
        _told_once(found["bust"], "then", "count", "bust")
        found["bust"] = {{"then": "count"}.get(key, key): value for key, value in found["bust"].items()}
    return _confirmed(found) if "confirm" in found else found


def _told_once(entry: Mapping[str, Any], old: str, now: str, *path: str | int) -> None:
    if old in entry and now in entry:
        raise HouseRuleError(f"{old} is {now} now, which is told too: leave {old} out", *path, old)


def _special(entry: Mapping[str, Any], number: int) -> dict[str, Any]:
    _told_once(entry, "effect", "then", "special", number)
    told = {key: value for key, value in entry.items() if key != "effect"}
    if "effect" in entry:
        effect = entry["effect"]
        told |= EFFECTS.get(effect, {"then": effect}) if isinstance(effect, str) else {"then": effect}
    return told


def _confirmed(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Rules whose sets say themselves what ``[confirm]`` said of them."""
    asked = read({"confirm": rules["confirm"]}, table([], confirm=(CONFIRM, "")))["confirm"]
    alike, patterns = rules.get("alike", {}), rules.get("pattern", [])
    found = {key: value for key, value in rules.items() if key != "confirm"}
    tables = isinstance(alike, Mapping) and isinstance(patterns, (list, tuple))
    if not (tables and all(isinstance(entry, Mapping) for entry in (*alike.values(), *patterns))):
        return found  # refused where they are read
    sizes, called = {str(size) for size in asked.get("alike", ())}, {*asked.get("patterns", ())}
    if not sizes <= {*alike}:
        raise HouseRuleError(f"alike must list numbers of [alike.N]: {', '.join(alike) or 'none'}", "confirm", "alike")
    if not called <= (names := {entry["name"] for entry in patterns if isinstance(entry.get("name"), str)}):
        known = ", ".join(sorted(names)) or "none has one"
        raise HouseRuleError(f"patterns must list names of patterns: {known}", "confirm", "patterns")
    if not (sizes or called):
        raise HouseRuleError("confirm needs alike or patterns: what must be confirmed", "confirm")
    must = {"then": "must"}
    if sizes:
        found["alike"] = {size: {**by_face, **must} if size in sizes else by_face for size, by_face in alike.items()}
    if called:
        found["pattern"] = [{**entry, **must} if entry.get("name") in [*called] else entry for entry in patterns]
    return found | ({"then.over": True} if asked["over"] else {})


def places(path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """Where a file may tell what stands at a path: there, or as the first edition told it."""
    yield path
    if path[0] == "special" and path[-1] == "then":
        yield (*path[:-1], "effect")
    yield from ((key,) for key, (now, _) in MOVED.items() if now == ".".join(map(str, path)))


def as_toml(rules: Mapping[str, Any]) -> str:
    """Rules as a file tells them: first what is plain, then tables, then entries."""
    return "\n".join(_lines(nested(rules))).lstrip() + "\n"


def _lines(values: Mapping[str, Any], of: str = "") -> Iterator[str]:
    tables = {key: value for key, value in values.items() if isinstance(value, Mapping)}
    entries = {key: value for key, value in values.items() if isinstance(value, list) and _tables(value)}
    for key, value in values.items():
        if key not in tables and key not in entries:
            yield f"{_bare(key)} = {json.dumps(value, ensure_ascii=False)}"
    for key, value in tables.items():
        inner = f"{of}{_bare(key)}"
        if not all(isinstance(one, Mapping) for one in value.values()):
            yield from ("", f"[{inner}]")
        yield from _lines(value, f"{inner}.")
    for key, value in entries.items():
        for entry in value:
            yield from ("", f"[[{_bare(key)}]]", *_lines(entry))


def _tables(value: list[Any]) -> bool:
    return bool(value) and isinstance(value[0], Mapping)


def _bare(key: str) -> str:
    return key if re.fullmatch("[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)
