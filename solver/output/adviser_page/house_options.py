"""Options of a game that a page can change: those of the game, and for rule files also what sets of dice score.

A rule file lists its sets in tables. People play a few of these entries in different ways: a straight, three pairs, and
four or more alike. Here each of them becomes an option. An entry of 0 points is left out of the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...games import Game
from ...games.rule_options import Option, RuleValue
from ...games.ruleset import Rules
from ...util.errors import InputError

FILE_OPTIONS = ("target", "stop.opening", "stop.at_least", "stop.on_win")  # of every rule file
LEFT_OUT = ("set_aside",)  # it leads to turns with other decisions
# By key of an option, the key of its text on the page, if they differ.
TERMS = {
    "stop.opening": "opening",
    "stop.at_least": "minimum",
    "stop.on_win": "minimum_on_win",
    "full_straight": "straight",
    "kinds": "four_alike",
}
STRAIGHT = {"dice": "123456", "name": "straight"}
THREE_PAIRS = {"dice": "aabbcc", "name": "three pairs"}
ADDED_POINTS = 1500  # of an entry that a file does not have, as score sheets print them
FLAT_ALIKE = {4: 1000, 5: 2000, 6: 3000}
OWN_ALIKE = "own"
ALIKE = "four_alike"


@dataclass(frozen=True)
class HouseOptions:
    """The options of a game, with their values, and the game under other values.

    Attributes:
        game: the game of the page.
        options: its options; those of entries come last.
        values: by key, the value under the rules of the page.
        patterns: of a rule file: its patterns, and those that an option can add.
        numbers: by key of an option, the index of its pattern in ``patterns``.
        alike_tables: by value of the option ALIKE, the table of several alike.
    """

    game: Game
    options: tuple[Option, ...]
    values: Mapping[str, RuleValue]
    patterns: tuple[Mapping[str, Any], ...] = ()
    numbers: Mapping[str, int] = field(default_factory=dict)
    alike_tables: Mapping[str, Any] = field(default_factory=dict)

    def change(self, changes: Mapping[str, object]) -> Game:
        """Return the game with other values of options.

        Raises:
            InputError: a value that contradicts the others.
        """
        if "name" not in self.game.rules:
            return self.game.with_rules(**changes)
        rules = Rules(self.game.rules).plain()
        others = {key: value for key, value in changes.items() if key not in self.numbers and key != ALIKE}
        patterns = [dict(entry) for entry in self.patterns]
        for key, number in self.numbers.items():
            patterns[number]["points"] = changes.get(key, self.values[key])
        rules |= {**others, "pattern": [entry for entry in patterns if entry["points"]]}
        if ALIKE in changes:
            rules["alike"] = self.alike_tables[str(changes[ALIKE])]
        return Game(self.game.id, rules)

    def page_keys(self, key: str) -> dict[str, Any]:
        """Return the text of an option on the page, and what a page needs to write the rules for a value of it."""
        term = {"term": TERMS.get(key, key)}
        if key in self.numbers:
            return {**term, "entry": self.numbers[key]}
        return {**term, "tables": dict(self.alike_tables)} if key == ALIKE else term


def house_options(game: Game) -> HouseOptions:
    """Return the options of a game; of a rule file, with those of its entries."""
    if "name" not in game.rules:
        options_asked = tuple(option for option in game.options if option.key not in LEFT_OUT)
        return HouseOptions(game, options_asked, game.rules)
    rules = Rules(game.rules).plain()
    patterns = list(rules.get("pattern", []))
    if len(game.data.faces) == 6 and game.data.hand_size(game.data.dice) == 6:
        for entry, is_such in ((STRAIGHT, _is_full_straight), (THREE_PAIRS, _is_three_pairs)):
            if not any(map(is_such, patterns)):
                patterns += _added_entry(game, entry)
    options, numbers = list[Option](), dict[str, int]()
    straights_first = sorted(range(len(patterns)), key=lambda number: not _is_full_straight(patterns[number]))
    for number in straights_first:
        option = _entry_option(patterns[number])
        if option is not None and option.key not in numbers:
            options.append(option)
            numbers[option.key] = number
    tables = dict(_alike_tables(rules.get("alike", {})))
    if len(tables) > 1:
        own = next(iter(tables))
        options.append(Option(ALIKE, own, "what four, five and six alike score", tuple(tables)))
    file_options = tuple(option for option in game.options if option.key in FILE_OPTIONS)
    values = {option.key: game.rules[option.key] for option in file_options}
    values |= {option.key: option.default for option in options}
    return HouseOptions(game, (*file_options, *options), values, tuple(patterns), numbers, tables)


def _is_full_straight(entry: Mapping[str, Any]) -> bool:
    dice = entry.get("dice", entry.get("straight"))
    return "".join(map(str, dice)) == "123456" if isinstance(dice, (str, list)) else dice == 6


def _is_three_pairs(entry: Mapping[str, Any]) -> bool:
    return entry.get("dice") == "aabbcc" or entry.get("pairs") == 3


def _added_entry(game: Game, entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield an entry in normal form, worth 0 points, if the game may have it."""
    rules = Rules(game.rules).plain()
    try:
        added = Game(game.id, {**rules, "pattern": [*rules.get("pattern", []), {**entry, "points": ADDED_POINTS}]})
    except InputError:
        return
    yield {**Rules(added.rules).plain()["pattern"][-1], "points": 0}


def _entry_option(entry: Mapping[str, Any]) -> Option | None:
    """Return the points of an entry as an option; None if the entry has no name that can be a key."""
    key = entry.get("name", "").replace(" ", "_")
    if not re.fullmatch(r"[a-z0-9_-]+", key):
        return None
    points = entry["points"]
    if _is_three_pairs(entry):
        detail = "four alike and a pair count too" if "pairs" in entry else "three different pairs"
        choices = (0, points or ADDED_POINTS)
        return Option(key, points, f"points of three pairs ({detail}); 0: they score nothing", choices)
    return Option(key, points, f"points of the {entry['name']}; 0: it scores nothing")


def _alike_tables(own: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield two tables of several alike, each with its name: the own one, and another that is often played.

    Args:
        own: the table of the file, by number and face.
    """
    triples = own.get("3", {})
    if set(own) - {"3", "4", "5", "6"} or len(triples) != 6 or "then" in triples:
        return
    scores: dict[str, Callable[[int, int], int]] = {
        "flat": lambda points, size: FLAT_ALIKE[size],
        "doubling": lambda points, size: points << size - 3,
        "adding": lambda points, size: points * (size - 2),
    }
    tables: dict[str, dict[str, Any]] = {
        name: {
            "3": triples,
            **{str(size): {face: score(points, size) for face, points in triples.items()} for size in FLAT_ALIKE},
        }
        for name, score in scores.items()
    }
    own_name = next((name for name, table in tables.items() if table == own), OWN_ALIKE if len(own) > 1 else "plain")
    other_name = next(name for name in tables if name != own_name)
    yield own_name, dict(own)
    yield other_name, tables[other_name]
