"""Rule options: what a game lets people choose, checked once and spelled one way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..util.errors import InputError, suggest_name
from ..util.integers import parse_whole_number

RuleValue = bool | int | str


class Option(NamedTuple):
    """One rule that people play in more than one way.

    ``choices`` lists the alternatives of a word or yes/no option; a number has none and takes any integer from ``low``
    to ``high``. ``reason`` gives the reading: why the default is what it is, with the source's own few words.
    ``always_shown`` options stand in the heading of every answer, because published values differ by them.
    """

    key: str
    default: RuleValue
    reason: str
    choices: tuple[RuleValue, ...] = ()
    low: int = 0
    high: int = 1_000_000
    always_shown: bool = False

    def read(self, value: object) -> RuleValue:
        """Return ``value`` (a Python value, or text as typed) as this option's type, or raise InputError."""
        text = str(value).strip().lower()
        if isinstance(self.default, bool):
            if text in ("true", "yes", "on", "1"):
                return True
            if text in ("false", "no", "off", "0"):
                return False
            raise InputError(f"{self.key}={value} is neither true nor false")
        if self.choices:
            if text in self.choices:
                return text
            raise InputError(f"{self.key}={value} is not a way to play{suggest_name(text, self.choices)}")
        number = parse_whole_number(value, f"{self.key}=")
        if not self.low <= number <= self.high:
            raise InputError(f"{self.key}={number} must lie between {self.low} and {self.high}")
        return number

    @property
    def alternatives(self) -> str:
        """What it may be, for people."""
        if isinstance(self.default, bool):
            return "true or false"
        if self.choices:
            return ", ".join(str(choice) for choice in self.choices)
        return f"a whole number from {self.low:,} to {self.high:,}"

    def others(self, value: RuleValue) -> str:
        """What else it may be than a value and the default, for people; "" where that is nothing."""
        if isinstance(self.default, bool):
            return "" if value != self.default else str(not value).lower()
        if self.choices:
            return ", ".join(str(choice) for choice in self.choices if choice not in (value, self.default))
        return f"another {self.alternatives.removeprefix('a ')}"


def read_typed(options: Sequence[Option], given: Mapping[str, object]) -> dict[str, object]:
    """Return what is given with every option read from what people type; the rest as it is."""
    by_key = {option.key: option for option in options}
    return {key: by_key[key].read(value) if key in by_key else value for key, value in given.items()}


def read_rules(options: Sequence[Option], given: Mapping[str, object], of: str) -> dict[str, RuleValue]:
    """Return the complete rule set: every option's default, replaced by what is given. InputError on an unknown key."""
    by_key = {option.key: option for option in options}
    for key in given:
        if key not in by_key:
            raise InputError(f"{of} has no rule {key}{suggest_name(key, by_key)}")
    return {key: option.read(given[key]) if key in given else option.default for key, option in by_key.items()}
