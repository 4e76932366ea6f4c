"""What a rule file may hold, declared once a key: a JSON Schema, which editors take and files are read by.

So what an editor underlines is what is refused, and a message says what the schema allows. What the schema cannot say,
whether the rules make a game, is asked where it is understood (``house``, ``housechecks``, ``cardfile``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

from ...util.errors import HouseRuleError, abbreviate, closest_name, suggest_name

Schema = dict[str, Any]
Path = tuple[str | int, ...]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
NOTHING: Mapping[str, Iterable[str]] = {}
ONLY_TRUE: Schema = {"type": "boolean", "enum": [True]}
ONLY = "only, no other faces than these; or shows, these dice are among them"
_UPPER = "[upper] for what some boxes hold together, [again] for later throws of all dice alike"
MEANT = {  # by kind of file what is meant by a key of other rules, or by a key with such a value
    "push": {
        "triples": "[alike.3]",
        "triple": "[alike.3]",
        "doubles": "[alike.2]",
        "pairs": "[alike.2]",
        "sets": "alike",
        "die.faces": "weights, for each face how many sides show it: 0 for one that the die has not",
        "then = lose": '"bust" where the points of the turn are lost, "wipe" where the score is',
        "pattern.face": ONLY,
        "special.face": ONLY,
        "face = [...]": ONLY,
    },
    "card": {
        **dict.fromkeys(("bonus", "bonuses", "upper_bonus", "yahtzee_bonus"), _UPPER),
        **dict.fromkeys(("joker", "jokers"), "joker below [again]"),
        **dict.fromkeys(("rolls", "casts"), "throws"),
        **dict.fromkeys(("triples", "triple"), "groups = [3] below a [[category]]"),
        **dict.fromkeys(("doubles", "pairs"), "groups = [2] below a [[category]]"),
        "face = [...]": ONLY,
    },
}
KINDS = {"push": "push-your-luck files", "card": "cards, which have [[category]] entries"}


def whole(low: int, high: int | None = None, **more: Any) -> Schema:
    """A whole number; ``default``: what it is where nothing is said."""
    return {"type": "integer", "minimum": low, **({} if high is None else {"maximum": high}), **more}


def word(*choices: str) -> Schema:
    """One of some words; the first where nothing is said."""
    return {"type": "string", "enum": [*choices], "default": choices[0]}


def list_of(of: Schema, **more: Any) -> Schema:
    """A list that is not empty."""
    return {"type": "array", "items": of, "minItems": 1, **more}


def one_of(*kinds: Schema) -> Schema:
    """Any of these."""
    return {"anyOf": [*kinds]}


def table(required: list[str], **properties: tuple[Schema, str]) -> Schema:
    """A table: by key what it may hold and what it means."""
    told = {key: {**of, "description": text} for key, (of, text) in properties.items()}
    return {"type": "object", "properties": told, "required": required, "additionalProperties": False}


def entry(of: Schema, some: Sequence[str] = (), alone: Mapping[str, Iterable[str]] = NOTHING, **needs: str) -> Schema:
    """A table that tells some key of these at least, none beside a key that is told ``alone``, and what a key needs."""
    apart = {key: {"not": {"anyOf": [{"required": [one]} for one in others]}} for key, others in alone.items()}
    told = {**apart, **{key: [other] for key, other in needs.items()}}
    return {**of, **({"anyOf": [{"required": [key]} for key in some]} if some else {}), "dependencies": told}


def of_file(title: str, of: Schema) -> Schema:
    """The schema of a whole file: the rules of a game of its own, or a known game and the options that differ."""
    known = {"type": "object", "properties": {"game": TEXT}, "required": ["game"]}
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": f"Keepwise {title}", "anyOf": [of, known]}


def words(of: Schema, many: bool = False) -> str:
    """What may stand there, for people; ``many``: in a list."""
    if "anyOf" in of:
        return " or ".join(words(one, many) for one in of["anyOf"])
    if "enum" in of:
        return " or ".join(str(one).lower() if one is True else f'"{one}"' for one in of["enum"])
    if of["type"] == "array":
        most = f"up to {of['maxItems']} " if "maxItems" in of else "different " if of.get("uniqueItems") else ""
        return f"a list of {most}{words(of['items'], True)}"
    if of["type"] == "integer":
        high = f" to {of['maximum']:,}" if "maximum" in of else " on"
        return f"{'whole numbers' if many else 'a whole number'} from {of['minimum']:,}{high}"
    return {"string": "words in quotes" if many else "text in quotes", "boolean": "true or false"}[of["type"]]


def fits(value: Any, of: Schema) -> bool:
    """Whether a value, no table, is what is declared."""
    if of.get("type") == "object":
        return False
    if "anyOf" in of:
        return any(fits(value, one) for one in of["anyOf"])
    if not isinstance(value, {"string": str, "boolean": bool, "integer": int, "array": list}[of["type"]]):
        return False
    if "enum" in of:
        return value in of["enum"]
    if isinstance(value, list):
        long = of["minItems"] <= len(value) <= of.get("maxItems", len(value))
        again = of.get("uniqueItems") and any(one in value[:place] for place, one in enumerate(value))
        return long and not again and all(fits(one, of["items"]) for one in value)
    if isinstance(value, int) and of["type"] == "integer":
        return not isinstance(value, bool) and of["minimum"] <= value <= of.get("maximum", value)
    return True


# What every file of rules of its own may tell.
OWN = {
    "name": ({**TEXT, "pattern": "^[a-z0-9][a-z0-9-]*$"}, "Letters, digits and dashes."),
    "title": (TEXT, "The game's name for people."),
}
WEIGHTS = (list_of(whole(1)), "For each face how many equally likely sides show it.")


def read(rules: Mapping[str, Any], of: Schema) -> dict[str, Any]:
    """Return the values of a file with what is meant where it is silent.

    Raises:
        HouseRuleError: a key that is not declared or is missing, or a value that is not what its key declares.
    """
    return _read(rules, of, (), rules)


def flat(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return rules with the keys of ``[stop]`` and ``[then]`` named by their place, such as ``stop.opening``.

    Raises:
        HouseRuleError: a key that is given at both places.
    """
    options = dict[str, Any]()
    for key, value in rules.items():
        table = value.items() if key in ("stop", "then") and isinstance(value, Mapping) else None
        for inner, item in table or (("", value),):
            name = f"{key}.{inner}" if table else key
            if name in options:
                raise HouseRuleError(f"{name} is told twice", *name.split("."))
            options[name] = item
    return options


def nested(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return rules with ``stop.opening`` and the like moved into the tables ``[stop]`` and ``[then]``."""
    tables = dict[str, Any]()
    for key, value in rules.items():
        section, _, inner = key.partition(".")
        if section in ("stop", "then") and inner and isinstance(table := tables.setdefault(section, {}), dict):
            table[inner] = value
        else:
            tables[key] = value
    return tables


def _read(table: Mapping[str, Any], of: Schema, path: Path, whole: Mapping[str, Any]) -> dict[str, Any]:
    known, found = of.get("properties", {}), dict[str, Any]()
    for key, value in table.items():
        misplaced = path and key not in whole and not isinstance(value, (int, Mapping))
        misplaced = misplaced and key in {*_tops(_kind(whole)), *_inner(_kind(whole))}
        if key not in known and (misplaced or not of["additionalProperties"]):
            raise unknown(key, known, path, whole)
        found[key] = _value(value, known.get(key) or of["additionalProperties"], (*path, key), whole)
    for key in of.get("required", ()):
        if key not in table:
            raise HouseRuleError(f"{key} must be {_wanted(known[key], key)}, and given", *path, key)
    for key, wants in of.get("dependencies", {}).items():
        needs, apart = (wants, []) if isinstance(wants, list) else ([], _keys(wants["not"]["anyOf"]))
        if key in table and not {*needs} <= {*table} and table[key] != known[key].get("default"):
            raise HouseRuleError(f"{key} goes with {needs[0]} only", *path, key)
        if key in table and (other := next((one for one in apart if one in table), None)):
            raise HouseRuleError(f"{key} says it all: leave {other} out", *path, other)
    if (some := _keys(of.get("anyOf", ()))) and not {*some} & {*table}:
        said = f"{path[0]} needs one of {', '.join(some)}" if path else f"{some[0]} must be {words(known[some[0]])}"
        raise HouseRuleError(said if path else f"{said}, and given", *(path or some[:1]))
    unsaid = {key: _value(one["default"], one, path, whole) for key, one in known.items() if "default" in one}
    return {**unsaid, **found}


def _keys(wanted: Iterable[Schema]) -> list[str]:
    """The keys that are asked for one by one."""
    return [one["required"][0] for one in wanted]


def _value(value: Any, of: Schema, path: Path, whole: Mapping[str, Any]) -> Any:
    key, items = ".".join(str(part) for part in path if isinstance(part, str)), of.get("items", {})
    if of.get("type") == "object" and isinstance(value, Mapping):
        return _read(value, of, path, whole)
    if items.get("type") == "object" and isinstance(value, list) and all(isinstance(one, Mapping) for one in value):
        return [_read(one, items, (*path, place), whole) for place, one in enumerate(value)]
    if of.get("type") == "object" or items.get("type") == "object" or not fits(value, of):
        if isinstance(value, Mapping) and path[:-1] and path[-1] in _tops(_kind(whole)):  # stop.opening, in a table
            raise unknown(str(path[-1]), (), path[:-1], whole)
        text = value if isinstance(value, str) else "[...]" * isinstance(value, list)
        quoted = text in ("true", "false") and fits(text == "true", of)
        quoted = quoted or (re.fullmatch("-?[0-9]{1,15}", text) is not None and fits(int(text), of))
        known = abbreviate(value).lower() if isinstance(value, bool) else abbreviate(value)  # true, as files spell it
        known = f'"{known}"' if quoted else known
        told = f", not {known}" if not isinstance(value, (Mapping, list)) else ""
        close = closest_name(value, of["enum"]) if isinstance(value, str) and "enum" in of else None
        remedy = ": leave the quotes out" if quoted else f"; did you mean {close}?" if close else ""
        several = isinstance(value, list) and any(isinstance(part, int) for part in path)
        remedy = ", not a list: write an entry for each" if several and of.get("type") != "array" else remedy
        if (of.get("additionalProperties") or {}).get("type") == "integer":
            points = value if isinstance(value, int) and not isinstance(value, bool) else 100
            remedy = f"; below it stands one line a face: 1 = {points}"
            remedy += f", or all = {points} for every face" * ("all" in of.get("properties", {}))
        remedy = f"; write {meant}" if (meant := MEANT[_kind(whole)].get(f"{path[-1]} = {text}")) else remedy
        raise HouseRuleError(f"{key} must be {_wanted(of, key)}{told}{remedy}", *path)
    return value


def _wanted(of: Schema, key: str) -> str:
    if of.get("type") == "object":
        return f"a table: [{key}]"
    return f"written as [[{key}]], once for each" if of.get("items", {}).get("type") == "object" else words(of)


def unknown(key: str, known: Iterable[str], path: Path, whole: Mapping[str, Any]) -> HouseRuleError:
    """Why there is no such key: it stands in the wrong place, in the wrong kind of file, or is spelled otherwise."""
    kind = _kind(whole)
    tops = {one: _tops(one) for one in KINDS}
    header = f"[{'.'.join(str(part) for part in path if isinstance(part, str))}]"
    header = f"[{header}]" if any(isinstance(part, int) for part in path) else header
    said = f"{f'{header} has no' if path else 'there is no rule'} {key}{suggest_name(key, known)}"
    name = ".".join(str(part) for part in (*path, key) if isinstance(part, str))
    if name in MEANT[kind]:
        said = f"there is no rule {name}: write {MEANT[kind][name]}"
    elif path and key in tops[kind]:
        said = f"{key} is a rule of the whole game: move it up, above the first table (here it stands below {header})"
    elif key in (inner := _inner(kind)):
        by_face = path[:1] in (("singles",), ("alike",))
        faces, points = f"; {header} has points by face" * by_face, _told(whole, (*path, key))
        remedy = f"write {inner[key]}"
        if by_face and type(points) is int and not _is_number(inner[key]):
            remedy = f"write a line for each face, 1 = {points}; {inner[key]} takes a word"
        said = f"there is no rule {key} here: {remedy}, above the first table{faces}"
    elif not path:
        other = next((one for one in KINDS if key in tops[one]), "")
        said = f"{key} is a rule of {KINDS[other]}; this file is read as one of {KINDS[kind]}" if other else said
    return HouseRuleError(said, *path, key)


def _kind(whole: Mapping[str, Any]) -> str:
    return "card" if "category" in whole else "push"


def _told(whole: Any, path: Path) -> Any:
    """The value at a path; None where none is found."""
    for part in path:
        table = isinstance(whole, Mapping) and part in whole
        entry = isinstance(whole, (list, tuple)) and isinstance(part, int) and part < len(whole)
        whole = whole[part] if table or entry else None
    return whole


def _is_number(key: str) -> bool:
    """Whether an option of push-your-luck files takes a number."""
    options = import_module(".push_schema", __package__).OPTIONS
    return any(option.key == key and type(option.default) is int for option in options)


def _inner(kind: str) -> Mapping[str, str]:
    """The option of a table of the whole game, such as ``stop.opening``, by its key within the table."""
    if kind == "card":
        return {}
    options = import_module(".push_schema", __package__).OPTIONS
    return {option.key.rpartition(".")[2]: option.key for option in options if "." in option.key}


def _tops(kind: str) -> Mapping[str, Any]:
    """The keys of a whole file of a kind."""
    of: Mapping[str, Any] = import_module(f".{kind}_schema", __package__).RULES["properties"]
    return of
