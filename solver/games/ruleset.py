"""Rule sets: immutable mappings, equal if and only if their values are equal."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping
from numbers import Integral
from types import MappingProxyType
from typing import Any

from ..util.errors import HouseRuleError, InputError
from ..util.integers import MAX_DIGITS
from ..util.text import first_invisible


class Rules(Mapping[str, Any]):
    """A read-only mapping of plain values: booleans, numbers, text, and read-only lists and tables of those.

    Rules are hashable and picklable, and equal to any mapping with the same values. ``plain`` returns them as JSON
    represents them. All text of rules passes through this class: it is normalized (Unicode NFC), and invisible
    characters are refused.

    Args:
        values: the values.
        path: where these rules are within others, for messages.
    """

    __slots__ = ("_text", "_values")
    _text: str
    _values: Mapping[str, Any]

    def __init__(self, values: Mapping[str, Any], *path: str | int) -> None:
        if not path:
            check_numbers(values)
        frozen = {
            _normalize_text(str(key), *path, str(key)): _freeze(value, *path, str(key)) for key, value in values.items()
        }
        object.__setattr__(self, "_values", MappingProxyType(frozen))
        object.__setattr__(self, "_text", json.dumps(self.plain(), sort_keys=True))

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        try:
            return bool(self._text == (other if isinstance(other, Rules) else Rules(other))._text)
        except InputError:
            return False

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return f"Rules({self.plain()})"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("rules cannot be changed: use with_rules() to get a changed game")

    def __reduce__(self) -> tuple[type[Rules], tuple[dict[str, Any]]]:
        return Rules, (self.plain(),)

    def plain(self) -> dict[str, Any]:
        """Return the values as new dictionaries and lists."""
        return {key: _plain(value) for key, value in self._values.items()}


def check_numbers(value: object, path: tuple[str | int, ...] = ()) -> None:
    """Refuse numbers with so many digits that printing them alone would fail.

    Raises:
        HouseRuleError: with the path of the number.
    """
    if isinstance(value, Mapping):
        for key, inner in value.items():
            check_numbers(inner, (*path, str(key)))
    elif isinstance(value, (list, tuple)):
        for place, inner in enumerate(value):
            check_numbers(inner, (*path, place))
    elif isinstance(value, Integral) and abs(value) >= 10**MAX_DIGITS:
        name = next((part for part in reversed(path) if isinstance(part, str)), "it")
        raise HouseRuleError(f"{name} has too many digits; at most {MAX_DIGITS} are supported", *path)


def _freeze(value: Any, *path: str | int) -> Any:
    """Return a value in which tables are ``Rules`` and lists are tuples."""
    if isinstance(value, Mapping):
        return Rules(value, *path)
    if isinstance(value, (list, tuple)):
        return tuple(_freeze(item, *path, place) for place, item in enumerate(value))
    if isinstance(value, str):
        return _normalize_text(value, *path)
    if value is None or isinstance(value, (bool, float)):
        return value
    if isinstance(value, Integral):  # NumPy integers too
        return int(value)
    raise InputError(f"{path[0]}={value} is not allowed as the value of a rule; use text, a number, true or false")


def _normalize_text(value: str, *path: str | int) -> str:
    """Return text in Unicode normal form C; refuse invisible characters."""
    if invisible := first_invisible(value):
        key = next(part for part in reversed(path) if isinstance(part, str))
        raise HouseRuleError(f"{key} must not contain the invisible character {invisible}: leave it out", *path)
    return unicodedata.normalize("NFC", value)


def _plain(value: Any) -> Any:
    if isinstance(value, Rules):
        return value.plain()
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
