"""Options: the rules of a game that people play in different ways."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..util.errors import HouseRuleError, InputError, quote_text, suggest_name
from ..util.integers import parse_whole_number

RuleValue = bool | int | str

TRUE_WORDS = ("true", "yes", "on", "1")
FALSE_WORDS = ("false", "no", "off", "0")
# Keys that mean the same in different games or kinds of files.
SAME_KEYS = (
    ("opening", "stop.opening"),
    ("minimum", "at_least", "stop.at_least"),
    ("minimum_on_win", "on_win", "stop.on_win"),
    ("hot_dice", "then.all"),
)


class UnknownOptionError(HouseRuleError):
    """A game does not have an option."""


class Option(NamedTuple):
    """A rule that people play in more than one way.

    Attributes:
        key: its name.
        default: its value if it is not chosen; it fixes the type.
        reason: the reading: why the default is what it is, with a few words of the source.
        choices: the alternatives of a word; empty for numbers and for yes or no.
        low: the least number.
        high: the greatest number.
        step: a number must be a multiple of it; the game itself refuses other numbers.
        always_shown: it is in the heading of every answer, because published values differ by it.
        is_added: it was added to a game that people had tables and ids of. They stay valid, because a fingerprint
            leaves the option out while it has its default.
    """

    key: str
    default: RuleValue
    reason: str
    choices: tuple[RuleValue, ...] = ()
    low: int = 0
    high: int = 1_000_000
    step: int = 1
    always_shown: bool = False
    is_added: bool = False

    def parse(self, value: object) -> RuleValue:
        """Return a value of this option's type from a Python value, or from text as typed.

        Raises:
            HouseRuleError: a value that the option does not allow.
        """
        text = str(value).strip().lower()
        if isinstance(self.default, bool):
            if text in TRUE_WORDS:
                return True
            if text in FALSE_WORDS:
                return False
            raise HouseRuleError(f"{self.key} must be true or false, not {quote_text(value)}", self.key)
        if self.choices:
            if text in self.choices:
                return text
            raise HouseRuleError(f"unknown value {self.key}={value}{suggest_name(text, self.choices)}", self.key)
        try:
            number = parse_whole_number(value, f"{self.key}=")
        except InputError as error:
            raise HouseRuleError(str(error), self.key) from None
        if not self.low <= number <= self.high:
            raise HouseRuleError(f"{self.key} must be between {self.low:,} and {self.high:,}, not {number}", self.key)
        return number

    @property
    def alternatives(self) -> str:
        """The values that it may have, in words."""
        if isinstance(self.default, bool):
            return "true or false"
        if self.choices:
            return ", ".join(str(choice) for choice in self.choices)
        kind = "whole number" if self.step == 1 else f"multiple of {self.step}"
        return f"a {kind} from {self.low:,} to {self.high:,}"

    def other_values(self, value: RuleValue) -> str:
        """Return in words the values that it may have instead of ``value`` and the default; "" if there are none."""
        if isinstance(self.default, bool):
            return "" if value != self.default else str(not value).lower()
        if self.choices:
            return ", ".join(str(choice) for choice in self.choices if choice not in (value, self.default))
        return f"another {self.alternatives.removeprefix('a ')}"


def format_rule(key: str, value: object) -> str:
    """Return a rule as KEY=VALUE for an answer; of a table or a list, only that it was changed or left out."""
    if value is None:
        return f"no {key}"
    if isinstance(value, (Mapping, Sequence)) and not isinstance(value, str):
        return f"{key} changed"
    return f"{key}={str(value).lower()}"


def parse_options(options: Sequence[Option], rules: Mapping[str, object]) -> dict[str, object]:
    """Return rules in which every value of an option has the option's type; other keys stay as they are."""
    by_key = {option.key: option for option in options}
    return {key: by_key[key].parse(value) if key in by_key else value for key, value in rules.items()}


def suggest_key(key: str, known_keys: Iterable[str], other_keys: Iterable[str] = ()) -> str:
    """Return the end of a message about an unknown key: the key that means the same here, or one of similar spelling.

    Args:
        key: the unknown key.
        known_keys: the keys that exist, which are listed if none is similar.
        other_keys: more keys that exist, which are not listed.
    """
    keys = list(known_keys)
    same_keys = next((group for group in SAME_KEYS if key in group), ())
    meant = next((name for name in (*keys, *other_keys) if name in same_keys), "")
    return f"; did you mean {meant}?" if meant else suggest_name(key, keys)


def complete_rules(
    options: Sequence[Option], values_by_key: Mapping[str, object], game_id: str
) -> dict[str, RuleValue]:
    """Return complete rules: the default of every option, unless it is chosen.

    Args:
        options: all options of a game.
        values_by_key: the chosen values.
        game_id: the game, for the message.

    Raises:
        UnknownOptionError: the game has no such option.
        HouseRuleError: a value that its option does not allow.
    """
    by_key = {option.key: option for option in options}
    for key in values_by_key:
        if key not in by_key:
            raise UnknownOptionError(f"unknown rule '{key}' of {game_id}{suggest_key(key, by_key)}", key)
    return {
        key: option.parse(values_by_key[key]) if key in values_by_key else option.default
        for key, option in by_key.items()
    }
