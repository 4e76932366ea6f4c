"""How a command line is read: the game first, then the options that there are.

The options of a command about a position are the fields by which positions of the game asked about are told, so who
that is must be known before the rest can be read. What the command's own options are told is read by themselves; of the
words that are left the one is the game with whose options the whole line makes sense.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from itertools import takewhile
from typing import Any

import click

from keepwise.games import FILES, game_file
from keepwise.play import Field, Kind, Table
from keepwise.util.errors import InputError
from keepwise.util.integers import MAX_DIGITS

from .options import id_objective, is_table, read_game

TABLE = "keepwise.table"  # where a command's context keeps the game that its arguments name
DIE = re.compile(r"[0-9A-Za-z]{1,2}")
LISTS = (Kind.SCORES, Kind.NUMBERS, Kind.NAMES)
HELP = {"--help", "-h"}


class Naming(click.Command):
    """A command about a game: one that there is not is told before any option is judged."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; of a line that cannot be, say what is nearest."""
        _load_numpy(args)
        try:
            return super().parse_args(ctx, list(args))  # which are taken from the list one by one
        except click.NoSuchOption as error:
            told, words = self.own(args)
            for word in _games_in(words, told.get("rule_file")):
                if word is not None:
                    game_file(word)
            raise _unknown(error) from None

    def own(self, args: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
        """What the options are told that the command has whatever the game is, and the other words in order, options
        that it does not know among them.
        """
        options: list[click.Parameter] = [param for param in self.params if isinstance(param, click.Option)]
        settings = {"ignore_unknown_options": True, "allow_extra_args": True}
        reader = click.Command(self.name, params=options, add_help_option=False, context_settings=settings)
        read = reader.make_context(self.name, list(args), resilient_parsing=True)
        return read.params, read.args


class Asking(Naming):
    """A command about a position: it takes the fields of the game that is named, or an id, as ``position``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the game first, then the options that it has."""
        _load_numpy(args)
        told, words = self.own(args)
        helps = ctx.resilient_parsing or bool(HELP & set(words))
        refused: InputError | click.UsageError | None = None
        for word in _games_in(words, told["rule_file"]):
            ctx.params.clear()
            try:
                ctx.meta[TABLE] = named_table(word, told)
            except InputError as error:
                refused, ctx.meta[TABLE] = refused or error, None
                if not helps:
                    continue
            try:
                rest = self._read(ctx, args)
            except click.UsageError as error:
                refused = refused or error
                continue
            if helps or word in (None, ctx.params["game_id"]):
                return rest
        if refused is not None:
            raise refused
        return rest

    def _read(self, ctx: click.Context, args: Sequence[str]) -> list[str]:
        """Read the arguments with the fields of one game."""
        fields = _fields(ctx)
        whole = join_dice(args, {_name(field): field.words for field in fields if field.kind is Kind.DICE})
        _refuse_apart(whole, fields)
        try:
            rest = click.Command.parse_args(self, ctx, whole)
        except click.NoSuchOption as error:
            raise _unknown(error, ctx.meta[TABLE]) from None
        told = {field.name: ctx.params.pop(field.name, None) for field in fields}
        ctx.params["position"] = {name: value for name, value in told.items() if value is not None}
        return rest

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own, and the fields of the game."""
        return [*super().get_params(ctx), *(_option(field) for field in _fields(ctx))]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List what a position is told by apart from the rest."""
        table: Table[Any] | None = ctx.meta.get(TABLE)
        own = [
            record
            for param in super().get_params(ctx)
            if isinstance(param, click.Option)
            and (table is None or not isinstance(param, GameOption) or param.fits(table))
            and (record := param.get_help_record(ctx)) is not None
        ]
        with formatter.section("Options"):
            formatter.write_dl(own)
        if table is None:
            formatter.write_paragraph()
            formatter.write_text(f"keepwise {self.name} GAME --help lists what a position of GAME is told by.")
            return
        for inside, title in ((False, "The position"), (True, "Inside a turn")):
            fields = [field for field in table.fields if field.inside == inside]
            records = [record for field in fields if (record := _option(field).get_help_record(ctx)) is not None]
            if records:
                with formatter.section(f"{title} ({table.game.id}, {table.objective})"):
                    formatter.write_dl(records)


class GameOption(click.Option):
    """An option for some games only: the help for another game leaves it out. ``fits``: whether a game has it."""

    def __init__(self, *args: Any, fits: Callable[[Table[Any]], bool], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fits = fits


def _load_numpy(args: Sequence[str]) -> None:
    """Load what every answer needs before the calls are deep, where that was seen to take up to a quarter longer."""
    if HELP.isdisjoint(args):
        import_module("numpy")


def _fields(ctx: click.Context) -> Sequence[Field]:
    table: Table[Any] | None = ctx.meta.get(TABLE)
    return () if table is None else table.fields


def _name(field: Field) -> str:
    return f"--{field.name.replace('_', '-')}"


def _option(field: Field) -> click.Option:
    name = _name(field)
    if field.kind is Kind.FLAG:
        return click.Option([f"{name}/--no-{name[2:]}", field.name], is_flag=True, default=None, help=field.help)
    return click.Option([name, field.name], metavar=field.kind.value, help=field.help)


def _unknown(error: click.NoSuchOption, table: Table[Any] | None = None) -> click.UsageError:
    message = f"there is no option {error.option_name}"
    if error.possibilities:
        return click.UsageError(f"{message}; did you mean {error.possibilities[0]}?")
    if table is None:
        return click.UsageError(message)
    fields = ", ".join(_name(field) for field in table.fields)
    what = f"a position of {table.game.id} with the objective {table.objective}"
    return click.UsageError(f"{message}; {what} is told by {fields or 'nothing'}")


def _refuse_apart(args: Sequence[str], fields: Sequence[Field]) -> None:
    """Refuse a list whose parts are words of their own, ``--opponents 60 40``, and say how it is told."""
    lists = {_name(field): field for field in fields if field.kind in LISTS}
    for place, word in enumerate(args):
        name, equals, value = word.partition("=")
        if name not in lists:
            continue
        first = place + (not equals)
        words = takewhile(partial(_is_part, lists[name]), args[first + 1 :])
        told = [one.strip(",") for one in (value if equals else " ".join(args[first : first + 1]), *words)]
        if len(told) > 1 and not any("," in one for one in told):
            raise click.UsageError(f'{name} takes one word: {name} {",".join(told)}, or {name} "{" ".join(told)}"')


def _is_part(field: Field, word: str) -> bool:
    """Whether a word can be a part of a list."""
    return word.partition("=")[0] in field.words if field.kind is Kind.NAMES else _is_number(word.strip(","))


def join_dice(args: Iterable[str], options: Mapping[str, Iterable[str]]) -> list[str]:
    """Dice given one by one, ``--roll 1 1 5 3 2``, as one word; ``options``: by those that tell dice their faces."""
    joined: list[str] = []
    rolling = ""
    for word in args:
        if rolling and (DIE.fullmatch(word) or word.strip(",").lower() in map(str.lower, options[rolling])):
            if joined[-1] == rolling:
                joined.append(word)
            else:
                joined[-1] += f" {word}"
            continue
        rolling = word if word in options else ""
        joined.append(word)
    return joined


def _games_in(words: Sequence[str], rule_file: str | None) -> Sequence[str | None]:
    """The words that may name the game, the likeliest first; None where it is named otherwise."""
    if rule_file is not None:
        return (None,)
    sure, maybe, option = list[str](), list[str](), False
    for word in words:
        if word.startswith("-") and word != "-":
            option = "=" not in word
        else:
            (maybe if option else sure).append(word)  # after an option it may be what that is told
            option = False
    return [word for word in sure + maybe if word.lower() in FILES] or sure[:1] or [None]


def named_table(word: str | None, told: dict[str, Any]) -> Table[Any]:
    """The game as it is played that a word names, or what the command's own options are told: a rule file or an id."""
    if word is not None and is_table(word):
        from keepwise.api import load

        return load(word).playable
    begin = (told["position_id"] or "").strip().partition("/")[0].split(":")
    if word is None and told["rule_file"] is None and begin[0] in FILES:
        word = begin[0]
    return table_of(read_game(word, told["rules"], told["rule_file"]), told, begin)


def table_of(game: Any, told: dict[str, Any], begin: Sequence[str]) -> Table[Any]:
    """The table of a game with the objective, players, goal and turns that are told, by options or by an id."""
    from keepwise.play import MOST_PLAYERS, play

    objective, players = id_objective(begin)
    numbers = {name: told[name] for name in ("goal", "turns")}
    seats = told["players"] or (None if players is None else int(players))
    if seats is not None and MOST_PLAYERS < seats < 10**MAX_DIGITS:
        seats = MOST_PLAYERS  # more are refused where it is known how many are solved for
    asked = told["objective"] or objective or game.objectives[0]
    game.check_objective(asked)  # some are played, but not solved
    try:
        return play(game, seats, objective=asked, **numbers)
    except InputError as error:
        if objective != "reach" or all(numbers.values()):
            raise
        raise InputError(f"{error}; an id does not carry them: tell --goal and --turns again") from None


def _is_number(text: str) -> bool:
    """Whether it is a number as people write them; what else is told is refused where it is read."""
    return text.isdecimal() and len(text) <= MAX_DIGITS


def has_odds(table: Table[Any]) -> bool:
    """Return whether the rules of a game tell odds."""
    return "odds" in table.game.rules


def odds_of(rules: Mapping[str, Any]) -> list[str]:
    """What odds a game is played with, where it is; those that ship are nobody's measurement."""
    if "odds" not in rules:
        return []
    from keepwise.games.touch_odds import label

    return [f"odds: {label(rules['odds']['name'])}"]
