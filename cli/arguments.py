"""Reading command lines about a game: the game first, then the options that this game has.

The options of a command about a position include the fields of the game's positions. So the game must be known before
the line can be read: the command's own options are read first, and the game is the first remaining word that names one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from itertools import takewhile
from typing import Any

import click

from keepwise.games import FILES, find_game, find_known_name
from keepwise.play import Field, FieldKind, PlayableGame
from keepwise.util.errors import InputError, abbreviate, option_name
from keepwise.util.integers import MAX_DIGITS

from .options import (
    MorePoints,
    check_hands,
    is_table,
    names_game_of_id,
    parse_id_objective,
    read_game_of_position,
    read_long_id,
)

TABLE = "keepwise.table"  # key in the context's ``meta``: the playable game that the arguments name
UNKNOWN = "\0"  # marks an unknown option; no word of a command line has this character
DIE = r"[0-9A-Za-z]{1,2}"  # one die as a word of its own
LISTS = (FieldKind.SCORES, FieldKind.NUMBERS, FieldKind.NAMES)  # kinds of fields that hold several values
HELP_OPTIONS = {"--help", "-h"}
SCORE_IN_ID = r"/score=(-?[0-9]{1,9})(?:/|$)"


class PlainCommand(click.Command):
    """A command that refuses superfluous words in the words of this program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; raise UsageError for words that the command does not take."""
        ctx.allow_extra_args = True  # click's own refusal does not give the words apart from its message
        try:
            words = super().parse_args(ctx, list(args))  # a copy, since the parser empties its list
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise
        if words and not ctx.resilient_parsing:
            ctx.fail(f"unexpected argument {' '.join(words)}; see {ctx.command_path} --help")
        return words


class GameCommand(PlainCommand):
    """A command about a game; an unknown game is reported before any option is judged."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; suggest the closest option for an unknown one."""
        _load_numpy(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            own_values, other_words = self.read_own_options(args)
            word = _game_word(other_words, own_values.get("rule_file"))
            if word is not None:
                find_game(word)  # raises InputError if there is no such game
            raise _unknown_option(error) from None

    def read_own_options(self, args: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
        """Return the values of the options that the command has for every game, and the other words in order."""
        options: list[click.Parameter] = [param for param in self.params if isinstance(param, click.Option)]
        settings = {"ignore_unknown_options": True, "allow_extra_args": True}
        parser = click.Command(self.name, params=options, add_help_option=False, context_settings=settings)
        context = parser.make_context(self.name, [*_mark_unknown_options(args, options)], resilient_parsing=True)
        if "objective" in context.params:
            check_hands(context, context.params["players"], context.params["objective"])
        return context.params, [word.removeprefix(UNKNOWN) for word in context.args]


def _mark_unknown_options(args: Sequence[str], options: Sequence[click.Parameter]) -> Iterator[str]:
    """Yield the words of a command line, with ``UNKNOWN`` before each option that is not one of some options.

    click takes a word with this mark for an argument. For an unknown option it looks for the closest known one, which
    takes long and is not used here.

    Args:
        args: the words.
        options: the known options.
    """
    known = {name: option for option in options for name in (*option.opts, *option.secondary_opts)}
    is_value = False  # of the option before
    for word in args:
        name = word.partition("=")[0]
        is_unknown = word.startswith("--") and word != "--" and name not in known and not is_value
        option = None if is_value else known.get(word)
        is_value = isinstance(option, click.Option) and not option.is_flag
        yield UNKNOWN + word if is_unknown else word


class PositionCommand(GameCommand):
    """A command about a position, which takes the fields of the named game as options, or an id.

    The command's function gets the values of these fields as ``position``.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the game, then read the whole line with the options of this game."""
        _load_numpy(args)
        own_values, other_words = self.read_own_options(args)
        asks_for_help = ctx.resilient_parsing or bool(HELP_OPTIONS & set(other_words))
        goal = own_values["goal"]
        if isinstance(goal, MorePoints):  # the position cannot be read before the game has some goal
            own_values["goal"] = _typed_score(own_values, other_words) + goal
        try:
            ctx.meta[TABLE] = find_playable(_game_word(other_words, own_values["rule_file"]), own_values)
        except InputError:
            if not asks_for_help:
                raise
            ctx.meta[TABLE] = None
        remaining_args = self._parse_with_fields(ctx, args)
        if isinstance(goal, MorePoints) and (score := _score_of_position(ctx)) is not None:
            own_values["goal"] = score + goal
            ctx.meta[TABLE] = find_playable(_game_word(other_words, own_values["rule_file"]), own_values)
        ctx.params["goal"] = own_values["goal"]
        return remaining_args

    def _parse_with_fields(self, ctx: click.Context, args: Sequence[str]) -> list[str]:
        """Read the arguments once the game is known, and collect the fields of the position."""
        fields = _fields(ctx)
        words = join_dice(
            args, {option_name(field.name): field.words for field in fields if field.kind is FieldKind.DICE}
        )
        _refuse_repeated_options(words, fields)
        _refuse_split_lists(words, fields)
        try:
            remaining_args = PlainCommand.parse_args(self, ctx, words)
        except click.NoSuchOption as error:
            raise _unknown_option(error, ctx.meta[TABLE]) from None
        values = {field.name: ctx.params.pop(field.name, None) for field in fields}
        ctx.params["position"] = {name: value for name, value in values.items() if value is not None}
        return remaining_args

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's own parameters and one option for each field of the game."""
        return [*super().get_params(ctx), *(_field_option(field) for field in _fields(ctx))]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the command's own options, then the fields of a position in sections of their own."""
        playable: PlayableGame[Any] | None = ctx.meta.get(TABLE)
        own_records = [
            record
            for param in super().get_params(ctx)
            if isinstance(param, click.Option)
            and (playable is None or not isinstance(param, GameOption) or param.fits(playable))
            and (record := param.get_help_record(ctx)) is not None
        ]
        with formatter.section("Options"):
            formatter.write_dl(own_records)
        if playable is None:
            formatter.write_paragraph()
            formatter.write_text(f"Run keepwise {self.name} GAME --help to see how to describe a position of GAME.")
            return
        for is_inside, title in ((False, "The position"), (True, "Inside a turn")):
            fields = [field for field in playable.fields if field.is_inside_turn == is_inside]
            records = [record for field in fields if (record := _field_option(field).get_help_record(ctx)) is not None]
            if records:
                with formatter.section(f"{title} ({playable.game.id}, {playable.objective})"):
                    formatter.write_dl(records)


class GameOption(click.Option):
    """An option for some games only, which the help for other games leaves out.

    ``fits`` returns whether a game has the option.
    """

    def __init__(self, *args: Any, fits: Callable[[PlayableGame[Any]], bool], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fits = fits


def _load_numpy(args: Sequence[str]) -> None:
    """Import numpy early: deep inside nested calls its import was seen to take up to a quarter longer."""
    if HELP_OPTIONS.isdisjoint(args):
        import_module("numpy")


def _typed_score(own_values: Mapping[str, Any], words: Sequence[str]) -> int:
    """Return the score by the word after ``--score`` or by the id; 0 without either, as in a new game.

    Args:
        own_values: the command's own options.
        words: the other words of the command line.
    """
    in_id = re.search(SCORE_IN_ID, own_values["position_id"] or "")
    score = in_id[1] if in_id else "0"
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name == "--score":
            score = value if equals else (*words, "")[place + 1]
    try:
        return int(score)
    except ValueError:
        return 0  # the score is refused when the position is read


def _score_of_position(ctx: click.Context) -> int | None:
    """Return the score of a position given by its fields: with the points in ``--used BOX=POINTS``, for example.

    It is None if no field is given, if the position is refused (by the command, later), or in a game without scores.
    """
    from keepwise.play.input_parser import scores_from_mover

    playable, fields = ctx.meta[TABLE], ctx.params["position"]
    if playable is None or not fields:
        return None
    try:
        return next(iter(scores_from_mover(playable, playable.position(**fields))), None)
    except InputError:
        return None


def _fields(ctx: click.Context) -> Sequence[Field]:
    playable: PlayableGame[Any] | None = ctx.meta.get(TABLE)
    return () if playable is None else playable.fields


def _field_option(field: Field) -> click.Option:
    name = option_name(field.name)
    if field.kind is FieldKind.FLAG:
        return click.Option([f"{name}/--no-{name[2:]}", field.name], is_flag=True, default=None, help=field.help)
    return click.Option([name, field.name], metavar=field.kind.value, help=field.help)


def _unknown_option(error: click.NoSuchOption, playable: PlayableGame[Any] | None = None) -> click.UsageError:
    """Return the error about an unknown option, with the option that has this meaning here, or what a position has."""
    from .usage import names_of_options, unknown_option

    name = error.option_name
    known_names = names_of_options(error)
    hint = f"keepwise {error.ctx.command.name if error.ctx else 'COMMAND'} --help lists the options"
    if name == "--opponent" and "--seat" in known_names:
        hint = "the coach's opponents sit at your table; to play against the program, use keepwise play"
    elif playable is not None:
        fields = ", ".join(option_name(field.name) for field in playable.fields)
        position = f"a position of {playable.game.id} with the objective {playable.objective}"
        hint = f"{position} is described by {fields or 'no options'}"
    return click.UsageError(unknown_option(error, hint))


def _refuse_repeated_options(args: Sequence[str], fields: Sequence[Field]) -> None:
    """Raise UsageError if an option that describes the position is given twice."""
    names = [word.partition("=")[0] for word in args]
    for field in fields:
        name = option_name(field.name)
        if names.count(name) > 1:
            values = "; give all values at once, separated by commas" if field.kind in LISTS else ""
            raise click.UsageError(f"{name} is given twice{values}")


def _refuse_split_lists(args: Sequence[str], fields: Sequence[Field]) -> None:
    """Raise UsageError if the parts of a list are separate words, as in ``--opponents 60 40``."""
    list_fields = {option_name(field.name): field for field in fields if field.kind in LISTS}
    for place, word in enumerate(args):
        name, equals, value = word.partition("=")
        if name not in list_fields:
            continue
        first_value = [value] if equals else list(args[place + 1 : place + 2])
        later_words = args[place + 1 + (not equals) :]
        parts = [*first_value, *takewhile(partial(_is_list_part, list_fields[name]), later_words)]
        parts = [part.strip(",") for part in parts]
        if len(parts) > 1 and not any("," in part for part in parts):
            raise click.UsageError(f'{name} takes one word: {name} {",".join(parts)}, or {name} "{" ".join(parts)}"')


def _is_list_part(field: Field, word: str) -> bool:
    """Return whether a word can be one value of a list."""
    return word.partition("=")[0] in field.words if field.kind is FieldKind.NAMES else _is_number(word.strip(","))


def join_dice(args: Iterable[str], options: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the words with dice that are given one by one, ``--roll 1 1 5 3 2``, joined into one word.

    Args:
        args: the command line.
        options: the names of the dice by option that takes dice.
    """
    joined: list[str] = []
    dice_option = ""
    for word in args:
        if dice_option and (re.fullmatch(DIE, word) or word.strip(",").lower() in map(str.lower, options[dice_option])):
            if joined[-1] == dice_option:
                joined.append(word)
            else:
                joined[-1] += f" {word}"
            continue
        dice_option = word if word in options else ""
        joined.append(word)
    return joined


def _game_word(words: Sequence[str], rule_file: str | None) -> str | None:
    """Return the word that names the game; None if a rule file names it or no word can.

    A word after an unknown option may be the value of that option. So it names the game only if no other word does.

    Args:
        words: the command line without the command's own options.
        rule_file: the value of --rules.
    """
    if rule_file is not None:
        return None
    certain, possible = list[str](), list[str]()
    is_after_option = False
    for word in words:
        if word.startswith("-") and word != "-":
            is_after_option = "=" not in word
        else:
            (possible if is_after_option else certain).append(word)
            is_after_option = False
    known_games = [word for word in certain + possible if _is_game_name(word)]
    return next(iter(known_games + certain), None)


def _is_game_name(word: str) -> bool:
    """Return whether a word is a name of a game; among numbers, which may be values of options, only an id is one."""
    return word.lower() in FILES if _is_number(word) else find_known_name(word) is not None


def find_playable(word: str | None, own_values: dict[str, Any]) -> PlayableGame[Any]:
    """Return the playable game that a word names: a table in a file, or a game with the given rules and options."""
    if word is not None and is_table(word):
        from keepwise.api import load

        return load(word).playable
    id_parts = (own_values["position_id"] or "").strip().partition("/")[0].split(":")
    if word is None and own_values["rule_file"] is None and names_game_of_id(id_parts):
        word = id_parts[0]
    position_id = own_values["position_id"]
    long_id = read_long_id(position_id)
    names_no_game = word is None and own_values["rule_file"] is None and long_id is None
    if names_no_game and position_id is not None:
        raise InputError(
            f"--position {abbreviate(position_id)} names no shipped game; also give GAME, or an id such as"
            " pig:win2:690ca3f2/score=62"
        )
    game = read_game_of_position(word, own_values["rules"], own_values["rule_file"], long_id)
    parameters = {} if long_id is None else {"goal": long_id.goal, "turns": long_id.turns}
    own_values = {**own_values, **{key: value for key, value in parameters.items() if own_values[key] is None}}
    return make_playable(game, own_values, id_parts)


def make_playable(game: Any, own_values: dict[str, Any], id_parts: Sequence[str]) -> PlayableGame[Any]:
    """Return the playable game with the objective, players, goal and turns that options or an id state."""
    from keepwise.play import MAX_PLAYERS, playable

    objective_in_id, players_in_id = parse_id_objective(id_parts)
    numbers = {name: own_values[name] for name in ("goal", "turns")}
    players = own_values["players"] or (None if players_in_id is None else int(players_in_id))
    if players is not None and MAX_PLAYERS < players < 10**MAX_DIGITS:
        players = MAX_PLAYERS  # the command itself refuses more, and knows how many it can solve for
    objective = own_values["objective"] or objective_in_id or game.objectives[0]
    game.check_objective(objective)  # some objectives can be played, but not solved
    try:
        return playable(game, players, objective=objective, **numbers)
    except InputError as error:
        if objective_in_id != "reach" or all(numbers.values()):
            raise
        raise InputError(
            f"{error.marked_message}; an id does not contain them, so give --goal and --turns again"
        ) from None


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) <= MAX_DIGITS


def has_odds(playable: PlayableGame[Any]) -> bool:
    """Return whether the rules of a game include odds."""
    return "odds" in playable.game.rules


def odds_of(rules: Mapping[str, Any], is_hint_given: bool = False) -> list[str]:
    """Return the name of the odds that a game is played with, in a list; the empty list for games without odds.

    Args:
        rules: the rules of the game.
        is_hint_given: whether to say what the odds are, and how to measure them if they are not measured.
    """
    if "odds" not in rules:
        return []
    from keepwise.games.touch_odds import ILLUSTRATIVE, label

    name = rules["odds"]["name"]
    if not is_hint_given:
        return [f"odds: {label(name)}"]
    source = "made-up; for your own: keepwise odds --help" if name == ILLUSTRATIVE else name
    return [f"odds that pieces trip the bar: {source}"]
