"""Declarations of rule files as JSON Schema, and the parser that follows them.

Every key is declared once. Editors take the declaration as a JSON Schema, and ``read`` parses files by it, so that an
editor underlines exactly what the program refuses. Whether the rules make a game is checked where they are compiled
(``push_file``, ``push_checks``, ``card_file``).

The first half of this module builds declarations; the second half, from ``read`` on, parses and explains errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

from ...util.errors import HouseRuleError, abbreviate, closest_name, list_allowed
from ..rule_options import suggest_key

Schema = dict[str, Any]
Path = tuple[str | int, ...]
File = Mapping[str, Any]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
ONLY_TRUE: Schema = {"type": "boolean", "enum": [True]}
LIMITS = "limits"  # in a declaration of a whole number: the keys of the file that limit it
NO_EXCLUSIONS: Mapping[str, Iterable[str]] = {}
PYTHON_TYPES = {"string": str, "boolean": bool, "integer": int, "array": list}

KINDS = {"push": "push-your-luck game", "card": "scorecard with [[category]] entries"}
OPTION_TABLES = ("stop", "then")  # the tables whose keys are options, such as ``stop.opening``
POINTS_BY_FACE = ("singles", "alike")  # the tables whose keys are faces

# By kind of file, the right key for a key of other rules, or for a key with such a value.
_ONLY = "only (the dice show no other faces) or shows (these faces are among the dice)"
_UPPER = "[upper] for a bonus for some boxes, or [again] for later rolls with all dice alike"
CORRECTIONS = {
    "push": {
        "triples": "[alike.3]",
        "triple": "[alike.3]",
        "doubles": "[alike.2]",
        "pairs": "[alike.2]",
        "sets": "alike",
        "die.faces": "weights: for each face, how many sides show it, 0 for a face that the die does not have",
        "then = lose": '"bust" if the turn points are lost, or "wipe" if the whole score is lost',
        "pattern.face": _ONLY,
        "special.face": _ONLY,
        "face = [...]": _ONLY,
    },
    "card": {
        **dict.fromkeys(("bonus", "bonuses", "upper_bonus", "yahtzee_bonus"), _UPPER),
        **dict.fromkeys(("joker", "jokers"), "joker below [again]"),
        **dict.fromkeys(("rolls", "casts"), "throws"),
        **dict.fromkeys(("triples", "triple"), "groups = [3] below a [[category]]"),
        **dict.fromkeys(("doubles", "pairs"), "groups = [2] below a [[category]]"),
        "face = [...]": _ONLY,
    },
}


# Declarations


def integer(low: int, high: int | None = None, limits: tuple[str, ...] = (), **keywords: Any) -> Schema:
    """Declare a whole number.

    Args:
        low: the smallest number.
        high: the largest number in any file; None for no limit.
        limits: keys of the whole file, ``dice`` or ``faces``, which lower the limit that messages state.
        keywords: ``default`` is the value if the key is missing.
    """
    highest = {} if high is None else {"maximum": high}
    return {"type": "integer", "minimum": low, **highest, **({LIMITS: limits} if limits else {}), **keywords}


def choice_of(*words: str) -> Schema:
    """Declare one of some words; the first is the default."""
    return {"type": "string", "enum": [*words], "default": words[0]}


def list_of(items: Schema, **keywords: Any) -> Schema:
    """Declare a list that is not empty."""
    return {"type": "array", "items": items, "minItems": 1, **keywords}


def any_of(*alternatives: Schema) -> Schema:
    """Declare a value that follows any of some declarations."""
    return {"anyOf": [*alternatives]}


def table(required: list[str], **properties: tuple[Schema, str]) -> Schema:
    """Declare a table; ``properties``: by key its declaration and its description."""
    described = {key: {**declared, "description": text} for key, (declared, text) in properties.items()}
    return {"type": "object", "properties": described, "required": required, "additionalProperties": False}


def entry(
    schema: Schema,
    any_required: Sequence[str] = (),
    exclusions: Mapping[str, Iterable[str]] = NO_EXCLUSIONS,
    **needs: str,
) -> Schema:
    """Return the declaration of a table with relations between its keys.

    Args:
        schema: the table.
        any_required: the table must have one of these keys.
        exclusions: by key the keys that may not stand beside it.
        needs: by key the key that it requires.
    """
    excluding = {key: {"not": {"anyOf": [{"required": [name]} for name in keys]}} for key, keys in exclusions.items()}
    requiring = {key: [required] for key, required in needs.items()}
    alternatives = {"anyOf": [{"required": [key]} for key in any_required]} if any_required else {}
    return {**schema, **alternatives, "dependencies": {**excluding, **requiring}}


def file_schema(title: str, schema: Schema) -> Schema:
    """Return the schema of a whole file: a game of its own, or a known game and the options that differ."""
    known_game = {"type": "object", "properties": {"game": TEXT}, "required": ["game"]}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": f"Keepwise {title}",
        "anyOf": [apply_limits(schema, {}), known_game],
    }


def apply_limits(declared: Any, numbers: Mapping[str, int]) -> Any:
    """Return a declaration whose whole numbers are at most the numbers of the keys that limit them.

    Args:
        declared: a declaration, or a part of one.
        numbers: the numbers of the file, by key; without a number a key limits nothing.
    """
    if isinstance(declared, list):
        return [apply_limits(part, numbers) for part in declared]
    if not isinstance(declared, dict):
        return declared
    applied = {key: apply_limits(part, numbers) for key, part in declared.items() if key != LIMITS}
    highest = [numbers[key] for key in declared.get(LIMITS, ()) if key in numbers]
    if highest:
        applied["maximum"] = max(applied["minimum"], min(applied["maximum"], *highest))
    return applied


# The keys of every file that describes a game of its own.
OWN = {
    "name": ({**TEXT, "pattern": "^[a-z0-9][a-z0-9-]*$"}, "Letters, digits and dashes."),
    "title": (TEXT, "The title of the game."),
}
WEIGHTS = (list_of(integer(1)), "For each face, how many equally likely sides show it.")


# Values


def describe(schema: Schema, in_list: bool = False) -> str:
    """Return in words which values a declaration allows; ``in_list``: in the plural."""
    if "anyOf" in schema:
        return " or ".join(describe(alternative, in_list) for alternative in schema["anyOf"])
    if "enum" in schema:
        return list_allowed("true" if value is True else f'"{value}"' for value in schema["enum"])
    kind = schema["type"]
    if kind == "array":
        limit = f"up to {schema['maxItems']} " if "maxItems" in schema else ""
        if not limit and schema.get("uniqueItems"):
            limit = "different "
        return f"a list of {limit}{describe(schema['items'], True)}"
    if kind == "integer":
        high = f" to {schema['maximum']:,}" if "maximum" in schema else " on"
        return f"{'whole numbers' if in_list else 'a whole number'} from {schema['minimum']:,}{high}"
    return {"string": "words in quotes" if in_list else "text in quotes", "boolean": "true or false"}[kind]


def is_allowed(value: Any, schema: Schema) -> bool:
    """Return whether a declaration allows a value that is not a table."""
    if schema.get("type") == "object":  # first, because the keys of a table may have alternatives
        return False
    if "anyOf" in schema:
        return any(is_allowed(value, alternative) for alternative in schema["anyOf"])
    kind = schema["type"]
    if not isinstance(value, PYTHON_TYPES[kind]):
        return False
    if kind == "integer" and isinstance(value, bool):
        return False
    if "enum" in schema:
        return value in schema["enum"]
    if kind == "integer":
        return bool(schema["minimum"] <= value <= schema.get("maximum", value))
    return not isinstance(value, list) or _is_allowed_list(value, schema)


def _is_allowed_list(values: list[Any], schema: Schema) -> bool:
    if not schema["minItems"] <= len(values) <= schema.get("maxItems", len(values)):
        return False
    if schema.get("uniqueItems") and any(value in values[:place] for place, value in enumerate(values)):
        return False
    return all(is_allowed(value, schema["items"]) for value in values)


# Tables of options


def flatten(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return rules with the keys of ``[stop]`` and ``[then]`` on top, named such as ``stop.opening``.

    Raises:
        HouseRuleError: a key that appears at both places.
    """
    options = dict[str, Any]()
    for key, value in rules.items():
        is_table = key in OPTION_TABLES and isinstance(value, Mapping) and value
        items = {f"{key}.{inner}": item for inner, item in value.items()} if is_table else {key: value}
        for name, item in items.items():
            if name in options:
                raise HouseRuleError(f"{name} appears twice: leave one out", *name.split("."))
            options[name] = item
    return options


def nest(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return rules with ``stop.opening`` and the like moved into the tables ``[stop]`` and ``[then]``."""
    nested = dict[str, Any]()
    for key, value in rules.items():
        section, _, inner = key.partition(".")
        target = nested.setdefault(section, {}) if section in OPTION_TABLES and inner else None
        if isinstance(target, dict):
            target[inner] = value
        else:
            nested[key] = value
    return nested


# Parsing


def read(rules: File, schema: Schema) -> dict[str, Any]:
    """Return the values of a file, with the defaults of missing keys.

    Raises:
        HouseRuleError: a key that is not declared or is missing, or a value that its key does not allow.
    """
    return _parse_table(rules, schema, (), rules)


def _parse_table(values: Mapping[str, Any], schema: Schema, path: Path, file: File) -> dict[str, Any]:
    """Return the values of a table; ``path``: where it is in the file."""
    properties, free_keys = schema.get("properties", {}), schema["additionalProperties"]
    parsed = dict[str, Any]()
    for key, value in values.items():
        if key not in properties and (not free_keys or _is_misplaced(key, value, path, file)):
            raise unknown_key(key, properties, path, file)
        parsed[key] = _parse_value(value, properties.get(key) or free_keys, (*path, key), file)
    for key in schema.get("required", ()):
        if key not in values:
            raise HouseRuleError(
                f"missing required key '{key}': it must be {_requirement(properties[key], key)}", *path, key
            )
    _check_dependencies(values, schema, path)
    _check_any_required(values, schema, path)
    defaults = {
        key: _parse_value(inner["default"], inner, path, file)
        for key, inner in properties.items()
        if "default" in inner
    }
    return {**defaults, **parsed}


def _is_misplaced(key: str, value: Any, path: Path, file: File) -> bool:
    """Return whether a key of a table with free keys (faces) is rather an option of the whole file."""
    if not path or key in file or isinstance(value, (int, Mapping)):
        return False
    kind = _file_kind(file)
    return key in _top_keys(kind) or key in _option_by_inner_key(kind)


def _check_dependencies(values: Mapping[str, Any], schema: Schema, path: Path) -> None:
    """Refuse keys without a key that they require, and keys that exclude each other."""
    properties = schema.get("properties", {})
    for key, condition in schema.get("dependencies", {}).items():
        if key not in values:
            continue
        if isinstance(condition, list):
            if not {*condition} <= {*values} and values[key] != properties[key].get("default"):
                raise HouseRuleError(f"{key} requires {condition[0]}", *path, key)
            continue
        excluded = _required_keys(condition["not"]["anyOf"])
        conflict = next((name for name in excluded if name in values), None)
        if conflict is not None:
            message = f"{key} cannot be combined with {conflict}: leave {conflict} out"
            raise HouseRuleError(message, *path, conflict)


def _check_any_required(values: Mapping[str, Any], schema: Schema, path: Path) -> None:
    """Refuse a table that has none of the keys of which it needs one."""
    alternatives = _required_keys(schema.get("anyOf", ()))
    if not alternatives or {*alternatives} & {*values}:
        return
    if path:
        name = f"{path[0]} {values['name']}" if isinstance(values.get("name"), str) else path[0]
        raise HouseRuleError(f"{name} requires one of {', '.join(alternatives)}", *path)
    first = alternatives[0]
    requirement = describe(schema["properties"][first])
    raise HouseRuleError(f"missing required key '{first}': it must be {requirement}", first)


def _required_keys(alternatives: Iterable[Schema]) -> list[str]:
    """Return the key that each of some alternatives requires."""
    return [alternative["required"][0] for alternative in alternatives]


def _parse_value(value: Any, schema: Schema, path: Path, file: File) -> Any:
    """Return a value as its declaration describes it.

    Raises:
        HouseRuleError: a value that is not allowed, with a remedy if there is a likely one.
    """
    items = schema.get("items", {})
    if schema.get("type") == "object":
        if isinstance(value, Mapping):
            return _parse_table(value, schema, path, file)
    elif items.get("type") == "object":
        if isinstance(value, list) and all(isinstance(item, Mapping) for item in value):
            return [_parse_table(item, items, (*path, place), file) for place, item in enumerate(value)]
    elif is_allowed(value, schema):
        return value
    is_in_wrong_table = isinstance(value, Mapping) and path[:-1] and path[-1] in _top_keys(_file_kind(file))
    if is_in_wrong_table:
        raise unknown_key(str(path[-1]), (), path[:-1], file)
    key = _dotted(path)
    actual = _actual_value(value, schema)
    numbers = {"dice": file.get("dice"), "faces": file.get("faces", 6)}
    limits = {name: number for name, number in numbers.items() if type(number) is int and path != (name,)}
    limited = apply_limits(schema, limits)
    raise HouseRuleError(
        f"{key} must be {_requirement(limited, key)}{actual}{_remedy(value, schema, path, file)}", *path
    )


def _requirement(schema: Schema, key: str) -> str:
    """Return in words what a key must be: a table, entries or a value."""
    if schema.get("type") == "object":
        return f"a table, [{key}]"
    if schema.get("items", {}).get("type") == "object":
        return f"written as [[{key}]], once for each entry"
    return describe(schema)


# Error messages


def _dotted(path: Path) -> str:
    """Return the keys of a path, without the numbers of entries."""
    return ".".join(part for part in path if isinstance(part, str))


def _actual_value(value: Any, schema: Schema) -> str:
    """Return the end of a message with a value that is not allowed; of a list, with the first such item."""
    if isinstance(value, list):
        if not value:
            return ", not an empty list"
        item_schemas: list[Schema] = [option["items"] for option in schema.get("anyOf", (schema,)) if "items" in option]
        items = item_schemas[0] if item_schemas else {}
        bad_item = next((item for item in value if items and not is_allowed(item, items)), None)
        return "" if bad_item is None else _actual_value(bad_item, items)
    return "" if isinstance(value, Mapping) else f", not {_quote_as_in_file(value, schema)}"


def _quote_as_in_file(value: Any, schema: Schema) -> str:
    """Return a value that is not allowed as the file spells it."""
    text = abbreviate(value)
    if isinstance(value, bool):
        return text.lower()
    return f'"{text}"' if isinstance(value, str) else text


def _is_quoted_by_mistake(value: Any, schema: Schema) -> bool:
    """Return whether a text would be allowed without its quotes."""
    if not isinstance(value, str):
        return False
    if value in ("true", "false") and is_allowed(value == "true", schema):
        return True
    return re.fullmatch("-?[0-9]{1,15}", value) is not None and is_allowed(int(value), schema)


def _remedy(value: Any, schema: Schema, path: Path, file: File) -> str:
    """Return the first remedy that applies, as the end of a message; "" if there is none."""
    return next(_remedies(value, schema, path, file), "")


def _remedies(value: Any, schema: Schema, path: Path, file: File) -> Iterator[str]:
    """Yield likely remedies for a value that is not allowed, the most specific first."""
    spelled = "[...]" if isinstance(value, list) else value if isinstance(value, str) else ""
    correction = CORRECTIONS[_file_kind(file)].get(f"{path[-1]} = {spelled}")
    if correction:
        yield f"; write {correction}"
    if (schema.get("additionalProperties") or {}).get("type") == "integer":
        yield _points_by_face_remedy(value, schema)
    is_in_entry = any(isinstance(part, int) for part in path)
    if isinstance(value, list) and is_in_entry and schema.get("type") != "array":
        yield ", not a list: write one entry for each"
    if _is_quoted_by_mistake(value, schema):
        yield ": leave the quotes out"
    close = closest_name(value, schema["enum"]) if isinstance(value, str) and "enum" in schema else None
    if close:
        yield f"; did you mean {close}?"


def _points_by_face_remedy(value: Any, schema: Schema) -> str:
    """Return how a table of points by face is written, with the value as an example."""
    points = value if isinstance(value, int) and not isinstance(value, bool) else 100
    for_all_faces = f", or all = {points} for every face" if "all" in schema.get("properties", {}) else ""
    return f"; write one line for each face below it: 1 = {points}{for_all_faces}"


class UnknownKeyError(HouseRuleError):
    """A table of a rule file has a key that it does not have."""


def unknown_key(key: str, known_keys: Iterable[str], path: Path, file: File) -> UnknownKeyError:
    """Return the error of a key that a table does not have.

    It says whether the key is in the wrong place, in the wrong kind of file, or misspelled.
    """
    kind = _file_kind(file)
    full_key = _dotted((*path, key))
    if full_key in CORRECTIONS[kind]:
        message = f"unknown key '{full_key}': write {CORRECTIONS[kind][full_key]}"
    elif path and key in _top_keys(kind):
        message = f"{key} is a key of the whole file: move it up, above the first table (now it is below"
        message += f" {_header(path)})"
    elif key in _option_by_inner_key(kind):
        message = _misplaced_option(_option_by_inner_key(kind)[key], key, path, file)
    elif path:
        message = f"{_header(path)} has no key '{key}'{suggest_key(key, known_keys)}"
    else:
        message = f"unknown key '{key}'{suggest_key(key, known_keys, _option_by_inner_key(kind).values())}"
        other_kind = next((name for name in KINDS if key in _top_keys(name)), "")
        if other_kind:
            message = f"{key} belongs in the file of a {KINDS[other_kind]}, but this file describes a {KINDS[kind]}"
    return UnknownKeyError(message, *path, key)


def suggest_rule(key: str, file: File) -> str:
    """Return the end of a message about an unknown rule that is given beside a file, not in it.

    It names the rule that is meant, or all rules whose values are single values.
    """
    kind = _file_kind(file)
    option_keys = _option_by_inner_key(kind)
    single_keys = [name for name, declared in _top_keys(kind).items() if _is_single_value(declared)]
    meant = option_keys.get(key) or CORRECTIONS[kind].get(key, "")
    if meant in {*option_keys.values(), *single_keys}:
        return f"; did you mean {meant}?"
    return f"; in a rule file, write {meant}" if meant else suggest_key(key, [*option_keys.values(), *single_keys])


def _is_single_value(declared: Schema) -> bool:
    """Return whether a declaration is neither that of a table nor that of a list of tables."""
    return "object" not in (declared.get("type"), declared.get("items", {}).get("type"))


def _header(path: Path) -> str:
    """Return the header of a table, or of an entry, as the file spells it."""
    header = f"[{_dotted(path)}]"
    return f"[{header}]" if any(isinstance(part, int) for part in path) else header


def _misplaced_option(option: str, key: str, path: Path, file: File) -> str:
    """Return the message for the key of an option outside of its table, such as ``opening`` for ``stop.opening``."""
    if path[:1] not in [(name,) for name in POINTS_BY_FACE]:
        return f"{key} is not a key here: write {option}, above the first table"
    remedy, points = f"write {option}", _value_at(file, (*path, key))
    if type(points) is int and not _is_numeric_option(option):
        remedy = f"write one line for each face, 1 = {points}, because {option} takes a word"
    return f"{key} is not a key here: {remedy}, above the first table; {_header(path)} holds points by face"


def _value_at(file: Any, path: Path) -> Any:
    """Return the value at a path; None if there is none."""
    value = file
    for part in path:
        is_key = isinstance(value, Mapping) and part in value
        is_entry = isinstance(value, (list, tuple)) and isinstance(part, int) and part < len(value)
        value = value[part] if is_key or is_entry else None
    return value


# Kinds of files. The declarations are imported late because they import this module.


def _file_kind(file: File) -> str:
    return "card" if "category" in file else "push"


def _is_numeric_option(key: str) -> bool:
    """Return whether an option of push-your-luck files takes a number."""
    options = import_module(".push_schema", __package__).OPTIONS
    return any(option.key == key and type(option.default) is int for option in options)


def _option_by_inner_key(kind: str) -> Mapping[str, str]:
    """Return the options such as ``stop.opening`` by their key within the table."""
    if kind == "card":
        return {}
    options = import_module(".push_schema", __package__).OPTIONS
    return {option.key.rpartition(".")[2]: option.key for option in options if "." in option.key}


def _top_keys(kind: str) -> Mapping[str, Any]:
    """Return the keys of a whole file, with their declarations."""
    properties: Mapping[str, Any] = import_module(f".{kind}_schema", __package__).RULES["properties"]
    return properties
