"""The games: rules as data, without any solver code.

Each game has a file with its options, and with a function that compiles them to the data of its family: ``PushRules``
(``push_rules``), ``Card`` (``card_rules``), ``RoundTurn`` (``round_rules``) and others. ``rulefile`` compiles
rule files to the same data. ``families`` registers how each family is played and solved.

Start reading at ``Game`` below; ``five_thousand`` is a model of a game file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from ..util.arguments import VALIDATORS, make_module_callable, validate_arguments
from ..util.errors import HouseRuleError, InputError, abbreviate, list_alternatives, suggest_name
from .dice_keys import DICE_KEYS, HAND_KEY, replace_dice
from .families import FAMILIES, Family
from .names import find_alias, fold_game_name, list_aliases
from .rule_options import Option, RuleValue, complete_rules, parse_options
from .ruleset import Rules
from .seat_rules import OBJECTIVES as UNLIKE_SEATS_OBJECTIVES
from .seat_rules import SEAT_KEY, compile_seat_rules, merge_seat_rules, split_seat_rules

# The module of each game, by id. A game module has
# - TITLE, FAMILY, OBJECTIVES (the first is the default) and OPTIONS;
# - SOURCES of the rules, as pairs of a title and its year, or None if the source gives no year;
# - compile_rules(rules), which returns the rule data of the family, or raises InputError if options contradict;
# and if needed
# - describe(rules): lines that say how the game is played, unless its data is PushRules or a Card;
# - settle(rules, chosen_keys): the rules, if a default depends on another option;
# - objectives(rules), if they depend on options;
# - TABLES: rules that are tables of data, each with a function that checks it and returns its normal form.
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

RULE_FILES = Path(__file__).parent / "rulefiles"  # shipped with the package

# Games that the sources only name.
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


class CompiledGame(NamedTuple):
    """A game with all options fixed, as a game file or a rule file describes it; ``Game`` explains the fields."""

    title: str
    family: str
    objectives: tuple[str, ...]
    options: tuple[Option, ...]
    rules: Mapping[str, Any]
    data: Any


@dataclass(frozen=True)
class Game:
    """A game under one complete rule set. Games are equal if and only if id and rules are equal.

    Args:
        id: a known game, or the name that ``rules`` give.
        rules: the options that differ from the defaults, or the complete rules of a game of its own.

    Attributes:
        id: as given.
        rules: the complete rules, with all defaults.
        title: the name of the game for people.
        family: the key of its ``Family``.
        objectives: what can be optimized; the first is the default.
        options: the options that people play in different ways.
        data: the compiled rules, in the form of the family (``PushRules`` for push-your-luck games); without the rules
            by seat.
        seat_games: if players have rules of their own (``seat_rules``), the game of each seat; otherwise empty.
        head_starts: with rules by seat, the score of each seat when the game begins; otherwise empty.
        named_seats: the highest seat that the rules name, even if its rules do not differ; 0 without rules by seat.

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
    seat_games: tuple[Game, ...] = field(init=False, compare=False, repr=False, default=())
    head_starts: tuple[int, ...] = field(init=False, compare=False, repr=False, default=())
    named_seats: int = field(init=False, compare=False, repr=False, default=0)

    def __post_init__(self) -> None:
        for value, kind in ((self.id, str), (self.rules, Mapping)):
            if not isinstance(value, kind):
                raise InputError(f"a game must be an id and a table of rules, not {abbreviate(value)}")
        rules, seat_table = split_seat_rules(Rules(self.rules).plain())
        is_own_game = "name" in rules and (self.id not in FILES or rules["name"] == self.id)
        normal_hand = None
        if HAND_KEY in rules:
            rules, normal_hand = import_module(".dice_catalogue", __package__).expand_hand(rules, self.id)
        compiled = _compile_own_game(self.id, rules) if is_own_game else _compile_known_game(self.id, rules)
        if normal_hand is not None:
            other_rules = {key: value for key, value in compiled.rules.items() if key not in (*DICE_KEYS, "dice")}
            data = compiled.data
            if len(normal_hand) == 1 and data.kinds:
                data = replace(data, die_name=normal_hand[0]["name"])
            compiled = compiled._replace(rules={**other_rules, HAND_KEY: normal_hand}, data=data)
        for name, value in compiled._replace(rules=Rules(compiled.rules))._asdict().items():
            object.__setattr__(self, name, value)
        if seat_table:
            object.__setattr__(self, "named_seats", max(map(int, seat_table)))
            self._set_seat_rules(seat_table)

    def _set_seat_rules(self, seat_table: Mapping[str, Mapping[str, Any]]) -> None:
        """Compile the rules by seat; if all seats turn out to be alike, the game stays as it is."""
        compiled = compile_seat_rules(Game(self.id, self.rules), seat_table)
        if not compiled.table:
            return
        changes = {
            "rules": Rules({**self.rules, SEAT_KEY: compiled.table}),
            "family": compiled.family,
            "objectives": UNLIKE_SEATS_OBJECTIVES,
            "seat_games": compiled.games,
            "head_starts": compiled.head_starts,
        }
        for name, value in changes.items():
            object.__setattr__(self, name, value)

    def check_objective(self, objective: str) -> None:
        """Raise InputError if the game does not have an objective, with the reason if its family has it."""
        if objective in self.objectives:
            return
        reason = self.unsupported_objectives.get(objective)
        if SEAT_KEY in self.rules and not reason:
            reason = "with rules by seat, the only objective is win"
        if reason:
            others = list_alternatives(self.objectives)
            raise InputError(f"the objective {objective} is not available for {self.id}: {reason}; use {others}")
        hint = suggest_name(objective, self.objectives)
        raise InputError(f"unknown objective '{abbreviate(objective)}' of {self.id}{hint}")

    @property
    def unsupported_objectives(self) -> Mapping[str, str]:
        """The objectives that the family has but these rules do not allow, each with the reason."""
        reasons: Mapping[str, str] = getattr(self.data, "unsupported_objectives", {})  # most families have none
        return reasons

    @property
    def parts(self) -> Family:
        """The registry entry of the game's family."""
        return FAMILIES[self.family]

    def identifying_rules(self) -> dict[str, Any]:
        """Return the rules from which fingerprints are made: without added options that have their default."""
        implied = {(option.key, option.default) for option in self.options if option.is_added}
        implied_keys = {key for key, default in implied if self.rules[key] == default}
        return {key: value for key, value in Rules(self.rules).plain().items() if key not in implied_keys}

    def changed_rules(self) -> dict[str, Any]:
        """Return the rules that differ from the defaults, by key.

        The defaults of a rule file that ships are its own rules. A default that is missing here has the value None.
        Hands, odds and rules by seat are left out.
        """
        option_defaults = {option.key: option.default for option in self.options}
        is_shipped_file = self.id not in FILES and self.id in shipped_rule_files()
        base = game(self.id).rules if is_shipped_file else {}
        keys = dict.fromkeys((*option_defaults, *(base and (*base, *self.rules))))
        left_out = {"name", "title", "odds", HAND_KEY, SEAT_KEY, *(("dice",) if HAND_KEY in self.rules else ())}
        values = {key: self.rules.get(key, option_defaults.get(key)) for key in keys if key not in left_out}
        return {key: value for key, value in values.items() if value != base.get(key, option_defaults.get(key))}

    def __reduce__(self) -> tuple[type[Game], tuple[str, Mapping[str, Any]]]:
        return Game, (self.id, self.rules)  # compiled anew

    def with_rules(self, **changes: object) -> Game:
        """Return the game with some rules replaced.

        Raises:
            InputError: a rule that the game does not have, or one that contradicts the others.
        """
        if SEAT_KEY in self.rules:
            seat_table = changes.pop(SEAT_KEY, self.rules[SEAT_KEY])
            shared = Game(self.id, {key: value for key, value in self.rules.items() if key != SEAT_KEY})
            return Game(self.id, {**shared.with_rules(**changes).rules, SEAT_KEY: seat_table})
        if "name" in self.rules and "category" not in self.rules:
            changes = import_module(".rulefile.schema", __package__).flatten(changes)
        typed_options = self.options if "name" in self.rules else ()
        return Game(self.id, replace_dice(self.rules, parse_options(typed_options, changes)))


def shipped_rule_files() -> list[str]:
    """Return the names of the rule files that ship with the package; ``load_rules`` accepts them like paths."""
    return sorted(path.stem for path in RULE_FILES.glob("*.toml"))


def game_file(game_id: str) -> ModuleType:
    """Return the module of a known game.

    Raises:
        InputError: an unknown game; the message suggests the nearest game or rule file.
    """
    if game_id in FILES:
        return import_module(f".{FILES[game_id]}", __package__)
    if game_id in shipped_rule_files() or is_rule_path(game_id):
        raise InputError(
            f"{game_id} is a rule file, not a game with options; in Python, load it with game({game_id!r})"
        )
    raise _unknown_game(game_id)


def _unknown_game(word: str) -> InputError:
    if word.lower() in {title.lower() for title in WITHOUT_RULES}:
        return InputError(f"{word} cannot be played: its source gives no rules")
    games_and_files = dict.fromkeys((*FILES, *shipped_rule_files()))
    aliases = (alias for name in games_and_files for alias in list_aliases(name))
    names = {**games_and_files, **dict.fromkeys(aliases)}
    if os.path.isfile(f"{word}.toml"):
        return InputError(f"unknown game '{abbreviate(word)}'; did you mean the rule file {word}.toml?")
    is_close = suggest_name(word, names).endswith("?")
    hint = suggest_name(word, names) if is_close else f"{suggest_name(word, FILES)}; keepwise games lists all games"
    return InputError(f"unknown game '{abbreviate(word)}'{hint}")


def is_rule_path(word: str) -> bool:
    """Return whether a word in place of a game is the path of a rule file."""
    return word.lower().endswith(".toml")


def find_known_name(word: str) -> str | None:
    """Return the game or shipped rule file with this id or other name; None if there is none.

    Capitals, blanks and punctuation do not count.
    """
    if word in FILES:  # the usual case, which does not list the files
        return word
    folded = fold_game_name(word)
    if not folded:
        return None
    names = (name for name in (*FILES, *shipped_rule_files()) if fold_game_name(name) == folded)
    return next(names, None) or find_alias(word)


def find_game(word: str) -> str:
    """Return what a word in place of a game means: the id of a game, the name of a rule file that ships, or a path.

    A game may be called by its id, by another name (``names.ALIASES``), or by its title.

    Raises:
        InputError: an unknown name; the message suggests the nearest.
    """
    if is_rule_path(word):
        return word
    name = find_known_name(word) or _find_title(word)
    if name is None:
        raise _unknown_game(word)
    return name


def _find_title(word: str) -> str | None:
    """Return the game or shipped rule file with this title; None if there is none."""
    folded = fold_game_name(word)
    loader = import_module(".rulefile.loader", __package__)
    titles = {name: game_file(name).TITLE for name in FILES}
    titles = {**{name: loader.rule_file_title(name) for name in shipped_rule_files()}, **titles}
    return next((name for name in (*FILES, *titles) if fold_game_name(titles[name]) == folded), None)


@validate_arguments
def game(game_id: str, /, *, seats: Mapping[int, Mapping[str, Any]] | None = None, **rules: object) -> Game:
    """Return a game under its default rules, or under those of a rule file, with some options replaced.

    Args:
        game_id: the id of a game or another of its names, the name of a rule file that ships, or the path of one
            (``.toml``).
        seats: by seat, from 1 for the player who begins, the rules that differ for its player, and its ``head_start``.
        rules: the options that differ from the defaults.

    >>> game("5000", minimum_on_win=False).rules["minimum_on_win"]
    False
    >>> game("Ship, Captain, Crew").id
    'battleship'

    Raises:
        InputError: an unknown game, option or value, or options that contradict each other.
    """
    name = find_game(game_id)
    if name not in FILES:
        loaded: Game = import_module(".rulefile.loader", __package__).load_rules(name, seats=seats, **rules)
        return loaded
    return known_game(name, seats, rules)


def known_game(game_id: str, seats: Mapping[int, Mapping[str, Any]] | None, rules: dict[str, Any]) -> Game:
    """Return a game of ``FILES`` under its default rules, with some options replaced; see ``game``."""
    game_id = game_id.lower()
    game_file(game_id)  # refuses games of their own: they have no default rules
    if seats is not None:
        rules = merge_seat_rules(rules, seats)
    return Game(game_id, rules)


def games() -> list[Game]:
    """Return every known game under its default rules."""
    return [known_game(game_id, None, {}) for game_id in FILES]


def _validate_game(value: object, name: str) -> object:
    """Return a game that is passed as an argument, itself or by its id."""
    if isinstance(value, Game):
        return value
    if not isinstance(value, str):
        raise InputError(
            f"{abbreviate(value)} is not a game: pass a game or the name of one; for a game of your own in Python use"
            " kw.solve_playable"
        )
    return game(value)


VALIDATORS |= {"Game": _validate_game, "Game | str": _validate_game}
make_module_callable(__name__, games)


def own_game(rules: Mapping[str, Any]) -> Game:
    """Return the game that a complete table of rules describes: push your luck, or a card.

    Raises:
        HouseRuleError: rules that describe no game, with the key.
    """
    if "name" not in rules:
        raise HouseRuleError(
            'missing required key name: begin with name = "..." for a game of your own,'
            ' or with game = "5000" to change a game',
            "name",
        )
    return Game(str(rules["name"]), rules)


def _compile_known_game(game_id: str, rules: dict[str, Any]) -> CompiledGame:
    """Compile a known game; ``rules``: the options that differ."""
    file = game_file(game_id)
    tables: Mapping[str, Callable[[object], RuleValue]] = getattr(file, "TABLES", {})
    options = {key: value for key, value in rules.items() if key not in tables}
    complete = complete_rules(file.OPTIONS, options, game_id)
    complete |= {key: normalize(rules.get(key)) for key, normalize in tables.items()}
    if hasattr(file, "settle"):
        complete = file.settle(complete, frozenset(rules))
    objectives = file.objectives(complete) if hasattr(file, "objectives") else file.OBJECTIVES
    data = file.compile_rules(complete)
    return CompiledGame(file.TITLE, file.FAMILY, objectives, file.OPTIONS, complete, data)


def _compile_own_game(game_id: str, rules: dict[str, Any]) -> CompiledGame:
    """Compile a game that a rule file describes; ``rules``: the complete rules."""
    module_name = "card_file" if "category" in rules else "push_file"
    compiled: CompiledGame = import_module(f".rulefile.{module_name}", __package__).compile_game(rules)
    if rules["name"] != game_id:
        raise InputError(f"these rules belong to {rules['name']}, not to {game_id}")
    return compiled
