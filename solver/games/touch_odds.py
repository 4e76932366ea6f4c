"""The odds of a touch game: how often a piece of each size feels which way, and how often taking it trips the bar.

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
ILLUSTRATIVE = "illustrative"
MOST_COUNT = 1_000_000_000
FINEST = 10**18  # denominator of a chance
LONGEST = 40  # characters of a chance; nobody types more

# Nobody has measured these; they are here so that the game can be tried.
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
    """Chances by size (large, medium, small) and feel. ``counts``: (touched, taken, tripped) where they were told."""

    name: str
    feels: tuple[str, ...]
    chance: tuple[tuple[Fraction, ...], ...]
    trip: tuple[tuple[Fraction, ...], ...]
    counts: tuple[tuple[tuple[int, int, int], ...], ...] | None


def read_odds(given: object) -> dict[str, Any]:
    """Check odds and return them spelled one way: chances as fractions in text; None stands for the illustrative ones.

    Raises:
        HouseRuleError: a size or feel missing, chances that do not add up to one, counts that cannot be.
    """
    if given is None:
        given = DEFAULT
    if not isinstance(given, Mapping):
        raise HouseRuleError("odds must be a table: [odds.large.loose] and so on", "odds")
    for key in given:
        if key not in (*SIZES, "name"):
            raise HouseRuleError(f"there is no size {key}{suggest_name(str(key), SIZES)}", "odds", str(key))
    name = given.get("name", "given")
    if given is not DEFAULT and {**given} != {**DEFAULT}:
        check_title(name)
    feels: tuple[str, ...] | None = None
    shape: dict[str, Any] = {"name": name}
    for size in SIZES:
        entries = given.get(size)
        if not isinstance(entries, Mapping) or not all(isinstance(entry, Mapping) for entry in entries.values()):
            raise HouseRuleError(f"the odds need an entry for every feel of {size} pieces", "odds", size)
        if feels is None:
            feels = tuple(sorted(entries))
            if not 1 <= len(feels) <= MAX_FEELS:
                raise HouseRuleError(f"there may be 1 to {MAX_FEELS} feels, not {len(feels)}", "odds", size)
            for feel in feels:
                if wrong := name_problem(feel):
                    raise HouseRuleError(f"the name of a feel {wrong}", "odds", size, feel)
            if same := find_ambiguous_names(feels):
                raise HouseRuleError(f"{' and '.join(same)} cannot be told apart once typed", "odds", size, same[1])
        if set(entries) != set(feels):
            raise HouseRuleError(f"{size} must have the same feels as {SIZES[0]}: {', '.join(feels)}", "odds", size)
        shape[size] = {feel: _entry(entries[feel], "odds", size, feel) for feel in feels}
        total = sum(Fraction(entry["chance"]) for entry in shape[size].values())
        if total != 1:
            raise HouseRuleError(
                f"the chances of the feels of {size} pieces add up to {float(total):g}, not to one", "odds", size
            )
    counted = ["touched" in entry for size in SIZES for entry in shape[size].values()]
    if any(counted) and not all(counted):
        raise HouseRuleError(f"{', '.join(COUNTS)} must be told for every size and feel, or for none", "odds")
    return shape


def check_title(name: object) -> None:
    """Refuse a name that cannot stand for somebody's odds.

    Raises:
        HouseRuleError: what is wrong with it.
    """
    if wrong := title_problem(name) if isinstance(name, str) else "must be text":
        raise HouseRuleError(f"the name of odds {wrong}", "odds", "name")
    if fold_name(str(name)).startswith(ILLUSTRATIVE):
        raise HouseRuleError(f"only the odds that ship are called {ILLUSTRATIVE}; give yours another name", "odds")


def _entry(entry: Mapping[str, Any], *path: str) -> dict[str, Any]:
    for key in entry:
        if key not in ("chance", "trip", *COUNTS):
            raise HouseRuleError(f"there is no {key}{suggest_name(key, ('chance', 'trip', *COUNTS))}", *path, key)
    shape: dict[str, Any] = {key: str(_chance(entry, key, *path)) for key in ("chance", "trip")}
    told = [key for key in COUNTS if key in entry]
    if told and len(told) < len(COUNTS):
        raise HouseRuleError(f"{', '.join(COUNTS)} go together", *path)
    for key in told:
        if type(entry[key]) is not int or not 0 <= entry[key] <= MOST_COUNT:
            raise HouseRuleError(f"{key} must be a whole number from 0 to {MOST_COUNT:,}", *path, key)
        shape[key] = entry[key]
    if told and not shape["tripped"] <= shape["taken"] <= shape["touched"]:
        raise HouseRuleError("tripped cannot be above taken, nor taken above touched", *path)
    return shape


def _exponent(value: object) -> int:
    """The power of ten that a text names; LONGEST + 1 for one that nobody would type."""
    text = str(value).lower() if not isinstance(value, int) or abs(value) < FINEST else "e" * LONGEST
    if len(text) > LONGEST:
        return LONGEST + 1
    _, e, power = text.partition("e")
    return int(power) if e else 0


def _chance(entry: Mapping[str, Any], key: str, *path: str) -> Fraction:
    """A chance as typed: 0.35 is exactly 35/100; also "7/20"."""
    value = entry.get(key)
    try:
        if isinstance(value, bool) or not isinstance(value, (int, float, str)) or abs(_exponent(value)) > LONGEST:
            raise ValueError
        chance = Fraction(str(value))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise HouseRuleError(f'{key} must be a chance, such as 0.35 or "7/20"', *path, key) from None
    if not 0 <= chance <= 1:
        raise HouseRuleError(f"{key}={value} must lie between 0 and 1", *path, key)
    if chance.denominator > FINEST:
        raise HouseRuleError(f"{key}={value} is finer than anybody can count", *path, key)
    return chance


def label(name: str) -> str:
    """What odds are called in answers; those that ship are nobody's measurement."""
    return f"{name}, not measured" if name == ILLUSTRATIVE else name


def compile_odds(shape: Mapping[str, Any]) -> Odds:
    """Return checked odds as numbers."""
    feels = tuple(shape[SIZES[0]])
    rows = [[shape[size][feel] for feel in feels] for size in SIZES]
    counts = None
    if "touched" in rows[0][0]:
        counts = tuple(tuple((e["touched"], e["taken"], e["tripped"]) for e in row) for row in rows)
    return Odds(
        name=shape["name"],
        feels=feels,
        chance=tuple(tuple(Fraction(entry["chance"]) for entry in row) for row in rows),
        trip=tuple(tuple(Fraction(entry["trip"]) for entry in row) for row in rows),
        counts=counts,
    )
