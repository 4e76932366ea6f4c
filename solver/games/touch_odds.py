"""The odds of a touch game: how pieces of each size feel, and how often taking one trips the bar.

A rule file has them in this form:

[odds]
name = "our box"

[odds.large.loose]      # one entry for each size and feel; every size has the same feels
chance = 0.25           # that a large piece, touched, feels loose; those of a size add up to one: 0.25 or "1/4"
trip = 0.02             # that the bar trips when it is taken
touched = 31            # optional, all three: the counts that the estimates come from
taken = 20
tripped = 1
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..core.touch import MAX_FEELS
from ..util.errors import HouseRuleError, suggest_name
from ..util.text import find_ambiguous_names, fold_name, name_problem, title_problem

SIZES = ("large", "medium", "small")
COUNTS = ("touched", "taken", "tripped")
CHANCES = ("chance", "trip")
ILLUSTRATIVE = "illustrative"
MAX_COUNT = 1_000_000_000
MAX_DENOMINATOR = 10**18  # of a chance
MAX_CHANCE_LENGTH = 40  # characters of a chance

# Not measured: these odds let people try the game.
DEFAULT: Mapping[str, Any] = {
    "name": ILLUSTRATIVE,
    "large": {
        "loose": {"chance": "1/4", "trip": "1/50"},
        "springy": {"chance": "7/20", "trip": "1/4"},
        "tight": {"chance": "2/5", "trip": "3/4"},
    },
    "medium": {
        "loose": {"chance": "7/20", "trip": "1/50"},
        "springy": {"chance": "7/20", "trip": "1/4"},
        "tight": {"chance": "3/10", "trip": "3/4"},
    },
    "small": {
        "loose": {"chance": "9/20", "trip": "1/50"},
        "springy": {"chance": "7/20", "trip": "1/4"},
        "tight": {"chance": "1/5", "trip": "3/4"},
    },
}


@dataclass(frozen=True)
class Odds:
    """Chances by size (large, medium, small) and feel.

    Attributes:
        name: the name of the odds.
        feels: the names of the feels.
        feel_chances: by size and feel, the probability that a touched piece feels so.
        trip_chances: by size and feel, the probability that taking it trips the bar.
        counts: by size and feel, (touched, taken, tripped) pieces that the chances were estimated from; None if they
            are not known.
    """

    name: str
    feels: tuple[str, ...]
    feel_chances: tuple[tuple[Fraction, ...], ...]
    trip_chances: tuple[tuple[Fraction, ...], ...]
    counts: tuple[tuple[tuple[int, int, int], ...], ...] | None


def parse_odds(values: object) -> dict[str, Any]:
    """Return odds in normal form, with chances as fractions in text; None stands for the illustrative ones.

    Raises:
        HouseRuleError: a size or feel that is missing, chances that do not add up to one, counts that are impossible.
    """
    odds = DEFAULT if values is None else values
    if not isinstance(odds, Mapping):
        raise HouseRuleError("odds must be a table: write [odds.large.loose] and so on", "odds")
    for key in odds:
        if key not in (*SIZES, "name"):
            raise HouseRuleError(f"unknown size '{key}'{suggest_name(str(key), SIZES)}", "odds", str(key))
    name = odds.get("name", "given")
    if odds is not DEFAULT and {**odds} != {**DEFAULT}:
        check_title(name)
    normal: dict[str, Any] = {"name": name}
    feels: tuple[str, ...] = ()
    for size in SIZES:
        entries = odds.get(size)
        if not isinstance(entries, Mapping) or not all(isinstance(entry, Mapping) for entry in entries.values()):
            raise HouseRuleError(
                f"missing odds of {size} pieces: add [odds.{size}.loose], and one more table for each way to feel",
                "odds",
                size,
            )
        feels = feels or _parse_feels(entries, size)
        normal[size] = _parse_size(entries, feels, size)
    has_counts = ["touched" in entry for size in SIZES for entry in normal[size].values()]
    if any(has_counts) and not all(has_counts):
        message = f"{', '.join(COUNTS)} must be given for every size and way to feel, or for none"
        raise HouseRuleError(message, "odds")
    return normal


def _parse_feels(entries: Mapping[str, Any], size: str) -> tuple[str, ...]:
    """Return the names of the feels of a size, in alphabetical order."""
    feels = tuple(sorted(entries))
    if not 1 <= len(feels) <= MAX_FEELS:
        raise HouseRuleError(f"give 1 to {MAX_FEELS} words for how a piece feels, not {len(feels)}", "odds", size)
    for feel in feels:
        if problem := name_problem(feel):
            raise HouseRuleError(f"the word {feel} for how a piece feels {problem}", "odds", size, feel)
    if clashing := find_ambiguous_names(feels):
        raise HouseRuleError(f"{' and '.join(clashing)} cannot be told apart once typed", "odds", size, clashing[1])
    return feels


def _parse_size(entries: Mapping[str, Any], feels: tuple[str, ...], size: str) -> dict[str, Any]:
    """Return the entries of a size in normal form, by feel."""
    if set(entries) != set(feels):
        raise HouseRuleError(
            f"[odds.{size}] must have the same words for how a piece feels as [odds.{SIZES[0]}]: {', '.join(feels)}",
            "odds",
            size,
        )
    normal = {feel: _parse_entry(entries[feel], "odds", size, feel) for feel in feels}
    total = sum(Fraction(entry["chance"]) for entry in normal.values())
    if total != 1:
        message = f"the chances of all ways a {size} piece can feel must add up to 1, not {float(total):g}"
        raise HouseRuleError(message, "odds", size)
    return normal


def check_title(name: object) -> None:
    """Refuse a name that cannot be the name of somebody's odds.

    Raises:
        HouseRuleError: with the reason.
    """
    if problem := title_problem(name) if isinstance(name, str) else "must be text":
        raise HouseRuleError(f"the name of odds {problem}", "odds", "name")
    if fold_name(str(name)).startswith(ILLUSTRATIVE):
        message = f"{ILLUSTRATIVE} is reserved for the odds that ship with Keepwise: choose another name"
        raise HouseRuleError(message, "odds")


def _parse_entry(entry: Mapping[str, Any], *path: str) -> dict[str, Any]:
    """Return the chances and counts of one size and feel in normal form."""
    for key in entry:
        if key not in (*CHANCES, *COUNTS):
            raise HouseRuleError(f"unknown key '{key}'{suggest_name(key, (*CHANCES, *COUNTS))}", *path, key)
    normal: dict[str, Any] = {key: str(_parse_chance(entry, key, *path)) for key in CHANCES}
    keys = [key for key in COUNTS if key in entry]
    if keys and len(keys) < len(COUNTS):
        raise HouseRuleError(f"{', '.join(COUNTS)} must be given together; add those that are missing", *path)
    for key in keys:
        if type(entry[key]) is not int or not 0 <= entry[key] <= MAX_COUNT:
            raise HouseRuleError(f"{key} must be a whole number from 0 to {MAX_COUNT:,}", *path, key)
        normal[key] = entry[key]
    if keys and not normal["tripped"] <= normal["taken"] <= normal["touched"]:
        raise HouseRuleError("tripped must not be above taken, nor taken above touched", *path)
    return normal


def _parse_chance(entry: Mapping[str, Any], key: str, *path: str) -> Fraction:
    """Return a chance exactly as typed: 0.35 is 35/100; "7/20" is allowed too."""
    value = entry.get(key)
    try:
        is_number = isinstance(value, (int, float, str)) and not isinstance(value, bool)
        if not is_number or abs(_decimal_exponent(value)) > MAX_CHANCE_LENGTH:
            raise ValueError
        chance = Fraction(str(value))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise HouseRuleError(f'{key} must be a probability, such as 0.35 or "7/20"', *path, key) from None
    if not 0 <= chance <= 1:
        raise HouseRuleError(f"{key}={value} must be between 0 and 1", *path, key)
    if chance.denominator > MAX_DENOMINATOR:
        raise HouseRuleError(f"{key}={value} has too many digits; round it", *path, key)
    return chance


def _decimal_exponent(value: object) -> int:
    """Return the power of ten in a number as typed; for numbers that are too long, one that is too large.

    ``Fraction`` would otherwise compute a power of ten with any number of digits.
    """
    too_large = MAX_CHANCE_LENGTH + 1
    if isinstance(value, int) and abs(value) >= MAX_DENOMINATOR:
        return too_large
    text = str(value).lower()
    if len(text) > MAX_CHANCE_LENGTH:
        return too_large
    _, e, power = text.partition("e")
    return int(power) if e else 0


def label(name: str) -> str:
    """Return the name of odds for answers, which says if they are not measured."""
    return "made-up examples, not measured" if name == ILLUSTRATIVE else name


def compile_odds(normal_odds: Mapping[str, Any]) -> Odds:
    """Return odds in normal form as numbers."""
    feels = tuple(normal_odds[SIZES[0]])
    rows = [[normal_odds[size][feel] for feel in feels] for size in SIZES]
    counts = None
    if "touched" in rows[0][0]:
        counts = tuple(tuple((entry["touched"], entry["taken"], entry["tripped"]) for entry in row) for row in rows)
    return Odds(
        name=normal_odds["name"],
        feels=feels,
        feel_chances=tuple(tuple(Fraction(entry["chance"]) for entry in row) for row in rows),
        trip_chances=tuple(tuple(Fraction(entry["trip"]) for entry in row) for row in rows),
        counts=counts,
    )
