"""The games: each file states one game's options and compiles its rules to data. No solver code here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from ..errors import InputError, nearest
from ..options import Option, RuleValue, read_rules

# id -> the file of the game. A game file states TITLE, FAMILY, OBJECTIVES (the first is the usual one), OPTIONS,
# compile_rules(rules), which returns the family's rule data or raises InputError where options contradict each other,
# and, where needed: settle(rules, given), where a default hangs on another option; objectives(rules), where they do;
# and TABLES, rules that are tables of data, each with a function that checks it and spells it one way.
FILES = {
    "5000": "five_thousand",
    "beartrap": "beartrap",
    "farkle": "farkle",
    "pig": "pig",
    "scarney": "scarney",
    "battleship": "battleship",
    "boston": "boston",
    "multiplication": "multiplication",
    "double-cameroon": "double_cameroon",
    "hearts-due": "hearts_due",
    "yahtzee": "yahtzee",
    "booby-trap": "booby_trap",
}

# Only named in the sources; nothing is invented for them.
WITHOUT_RULES = (
    "Scarney 3000",
    "Scarney Put and Take",
    "Scarney Duplicate Jackpots",
    "Scarney 21 Up and Down",
    "Scarney Bingo",
    "Scarney Black Jack",
    "Scarney Chemin de Fer",
    "Scarney Pie-Eyed",
)


@dataclass(frozen=True)
class Game:
    """One game under one complete rule set.

    ``data`` is what the rules compile to, in the form that the game's family uses (``PushRules`` for push-your-luck
    games). Two games are the same question exactly when id and rules are equal.
    """

    id: str
    title: str
    family: str
    objectives: tuple[str, ...]
    options: tuple[Option, ...]
    rules: Mapping[str, RuleValue]
    data: Any


def game_file(game_id: str) -> ModuleType:
    """Return the module that states the game's rules; InputError names the nearest game."""
    if game_id not in FILES:
        raise InputError(f"there is no game {game_id}{nearest(game_id, FILES)}")
    return import_module(f".{FILES[game_id]}", __package__)


def game(game_id: str, /, **rules: object) -> Game:
    """Return a game under its default rules, with the given options replaced: ``game("5000", minimum_on_win=False)``.

    Raises:
        InputError: an unknown game, option or value, or options that contradict each other.
    """
    file = game_file(game_id)
    tables: Mapping[str, Callable[[object], RuleValue]] = getattr(file, "TABLES", {})
    complete = read_rules(file.OPTIONS, {key: value for key, value in rules.items() if key not in tables}, game_id)
    complete |= {key: read(rules.get(key)) for key, read in tables.items()}
    if hasattr(file, "settle"):
        complete = file.settle(complete, frozenset(rules))
    return Game(
        id=game_id,
        title=file.TITLE,
        family=file.FAMILY,
        objectives=file.objectives(complete) if hasattr(file, "objectives") else file.OBJECTIVES,
        options=file.OPTIONS,
        rules=complete,
        data=file.compile_rules(complete),
    )
