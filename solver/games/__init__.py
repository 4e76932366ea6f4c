"""The games: each file states one game's options and compiles its rules to data. No solver code here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from ..util.arguments import VALIDATORS, make_module_callable, validate_arguments
from ..util.errors import HouseRuleError, InputError, abbreviate, closest_name, suggest_name
from .families import FAMILIES, Family
from .rule_options import Option, RuleValue, read_rules, read_typed
from .ruleset import Rules

# id -> the file of the game. A game file states TITLE, FAMILY, OBJECTIVES (the first is the usual one), OPTIONS,
# compile_rules(rules), which returns the family's rule data or raises InputError where options contradict each other,
# and, where needed: describe(rules), how the game is played, where neither PushRules nor a Card say it;
# settle(rules, given), where a default hangs on another option; objectives(rules), where they do; and TABLES, rules
# that are tables of data, each with a function that checks it and spells it one way.
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
    "shut-the-box": "shut_the_box",
}

RULE_FILES = Path(__file__).parent / "rulefiles"  # that ship

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


class Stated(NamedTuple):
    """What a game's file, or the file of a language of rule files, makes of rules: ``Game`` says what each part is."""

    title: str
    family: str
    objectives: tuple[str, ...]
    options: tuple[Option, ...]
    rules: Mapping[str, Any]
    data: Any


@dataclass(frozen=True)
class Game:
    """One game under one complete rule set. Two games are the same question exactly when id and rules are equal.

    Everything else follows from these two when a game is made, and cannot be given. ``rules`` may be given in part;
    they are completed with the defaults. ``data`` is what the rules compile to, in the form that the game's family uses
    (``PushRules`` for push-your-luck games).

    Raises:
        InputError: an unknown game, option or value, or options that contradict each other.
    """

    id: str
    rules: Mapping[str, Any]
    title: str = field(init=False, compare=False)
    family: str = field(init=False, compare=False)
    objectives: tuple[str, ...] = field(init=False, compare=False)
    options: tuple[Option, ...] = field(init=False, compare=False, repr=False)
    data: Any = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        for told, kind in ((self.id, str), (self.rules, Mapping)):
            if not isinstance(told, kind):
                raise InputError(f"a game is an id and a table of rules: {abbreviate(told)} is neither")
        given = Rules(self.rules).plain()
        own = "name" in given and (self.id not in FILES or given["name"] == self.id)
        stated = (_own if own else _known)(self.id, given)
        for name, value in stated._replace(rules=Rules(stated.rules))._asdict().items():
            object.__setattr__(self, name, value)

    def check_objective(self, objective: str) -> None:
        """Raise InputError for what the game is not asked; where others of its kind are, it says why."""
        if objective not in self.objectives:
            why = getattr(self.data, "unsolved", {}).get(objective)
            known = f": {why}; known: {', '.join(self.objectives)}" if why else suggest_name(objective, self.objectives)
            raise InputError(f"{self.id} has no objective {objective}{known}")

    @property
    def parts(self) -> Family:
        """Where all that there is of its family stands."""
        return FAMILIES[self.family]

    def __reduce__(self) -> tuple[type[Game], tuple[str, Mapping[str, Any]]]:
        return Game, (self.id, self.rules)  # compiled anew

    def with_rules(self, **changes: object) -> Game:
        """Return the game with these rules replaced and all others as they are.

        Raises:
            InputError: a rule that the game does not have, or one that contradicts the others.
        """
        if "name" in self.rules and "category" not in self.rules:
            changes = import_module(".rulefile.schema", __package__).flat(changes)
        return Game(self.id, {**self.rules, **read_typed(self.options if "name" in self.rules else (), changes)})


def shipped_rule_files() -> list[str]:
    """Names of the rule files that ship with the package; ``load_rules`` takes a name like a path."""
    return sorted(path.stem for path in RULE_FILES.glob("*.toml"))


def game_file(game_id: str) -> ModuleType:
    """Return the module that states the game's rules; InputError names the nearest game."""
    if game_id not in FILES:
        message, files = f"there is no game {game_id}", shipped_rule_files()
        if game_id in files or game_id.endswith(".toml"):
            raise InputError(f"{message}, but a rule file: --rules {game_id}, in Python load_rules({game_id!r})")
        close = closest_name(game_id, (*FILES, *files))
        raise InputError(
            message + (suggest_name(game_id, FILES) if close in (None, *FILES) else f"; did you mean --rules {close}?")
        )
    return import_module(f".{FILES[game_id]}", __package__)


@validate_arguments
def game(game_id: str, /, **rules: object) -> Game:
    """Return a game under its default rules, with the given options replaced: ``game("5000", minimum_on_win=False)``.

    Raises:
        InputError: an unknown game, option or value, or options that contradict each other.
    """
    game_id = game_id.lower()
    game_file(game_id)  # a game of its own has no default rules
    return Game(game_id, rules)


def games() -> list[Game]:
    """Every game that ships, under its default rules."""
    return [game(game_id) for game_id in FILES]


def _read(value: object, name: str) -> object:
    if isinstance(value, Game):
        return value
    if not isinstance(value, str):
        raise InputError(f"{abbreviate(value)} is no game: give one, or the id of one")
    return game(value)


VALIDATORS |= {"Game": _read, "Game | str": _read}
make_module_callable(__name__, games)


def own_game(rules: Mapping[str, Any]) -> Game:
    """Return the game that a table of rules describes in full: push your luck (``house``) or a card (``cardfile``).

    Raises:
        HouseRuleError: rules that describe no game; it says where.
    """
    if "name" not in rules:
        raise HouseRuleError('there is no name: begin with name = "..."', "name")
    return Game(str(rules["name"]), rules)


def _known(game_id: str, rules: dict[str, Any]) -> Stated:
    file = game_file(game_id)
    tables: Mapping[str, Callable[[object], RuleValue]] = getattr(file, "TABLES", {})
    complete = read_rules(file.OPTIONS, {key: value for key, value in rules.items() if key not in tables}, game_id)
    complete |= {key: read(rules.get(key)) for key, read in tables.items()}
    if hasattr(file, "settle"):
        complete = file.settle(complete, frozenset(rules))
    objectives = file.objectives(complete) if hasattr(file, "objectives") else file.OBJECTIVES
    return Stated(file.TITLE, file.FAMILY, objectives, file.OPTIONS, complete, file.compile_rules(complete))


def _own(game_id: str, rules: dict[str, Any]) -> Stated:
    module_name = "card_file" if "category" in rules else "push_file"
    stated: Stated = import_module(f".rulefile.{module_name}", __package__).state(rules)
    if rules["name"] != game_id:
        raise InputError(f"the rules are those of {rules['name']}, not of {game_id}")
    return stated
