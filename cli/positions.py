"""Commands about a position: their options are the fields by which positions of the game asked about are told."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import takewhile
from typing import Any

import click

from keepwise.errors import InputError
from keepwise.games import FILES
from keepwise.options import MOST_DIGITS
from keepwise.play import Field, Kind, Table

from .options import read_game

TABLE = "keepwise.table"  # where a command's context keeps the game that its arguments name
DIE = re.compile(r"[0-9A-Za-z]{1,2}")
LISTS = (Kind.SCORES, Kind.NUMBERS, Kind.NAMES)
DICE = ("--roll", "--kept")  # several words in a row are one roll
FLAGS = (
    "--json",
    "--all",
    "--why",
    "--help",
    "-h",
    "--anyway",
    "--distribution",
    "--double",
    "--opposite",
    "--forced",
    "--throwing",
)


class Asking(click.Command):
    """A command about a position: it takes the fields of the game that is named, or an id, as ``position``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the game first, then the options that it has."""
        args = join_dice(args)
        ctx.meta[TABLE] = named_table(args)
        _refuse_apart(args, _fields(ctx))
        try:
            rest = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise _unknown(ctx.meta[TABLE], error) from None
        told = {field.name: ctx.params.pop(field.name, None) for field in _fields(ctx)}
        ctx.params["position"] = {name: value for name, value in told.items() if value is not None}
        return rest

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own, and the fields of the game."""
        return [*super().get_params(ctx), *(_option(field) for field in _fields(ctx))]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List what a position is told by apart from the rest."""
        own = [
            record
            for param in super().get_params(ctx)
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)) is not None
        ]
        with formatter.section("Options"):
            formatter.write_dl(own)
        table: Table[Any] | None = ctx.meta.get(TABLE)
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


def _fields(ctx: click.Context) -> Sequence[Field]:
    table: Table[Any] | None = ctx.meta.get(TABLE)
    return () if table is None else table.fields


def _option(field: Field) -> click.Option:
    name = f"--{field.name.replace('_', '-')}"
    if field.kind is Kind.FLAG:
        return click.Option([f"{name}/--no-{name[2:]}", field.name], is_flag=True, default=None, help=field.help)
    return click.Option([name, field.name], metavar=field.kind.value, help=field.help)


def _unknown(table: Table[Any] | None, error: click.NoSuchOption) -> click.ClickException:
    name = error.option_name.lstrip("-").replace("-", "_")
    if table is None or not name.isidentifier():
        return error
    fields = ", ".join(f"--{field.name.replace('_', '-')}" for field in table.fields)
    what = f"a position of {table.game.id} with the objective {table.objective}"
    return click.UsageError(f"there is no option {error.option_name}; {what} is told by {fields or 'nothing'}")


def _refuse_apart(args: Sequence[str], fields: Sequence[Field]) -> None:
    """Refuse a list whose parts are words of their own, ``--opponents 60 40``, and say how it is told."""
    lists = {f"--{field.name.replace('_', '-')}": field for field in fields if field.kind in LISTS}
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


def join_dice(args: Iterable[str]) -> list[str]:
    """Dice given one by one, ``--roll 1 1 5 3 2``, as one word."""
    joined: list[str] = []
    rolling = False
    for word in args:
        dice = bool(DIE.fullmatch(word))
        if rolling and dice:
            if joined[-1] in DICE:
                joined.append(word)
            else:
                joined[-1] += f" {word}"
            continue
        rolling = word in DICE
        joined.append(word)
    return joined


def named_table(args: Sequence[str]) -> Table[Any] | None:
    """The game as it is played that a command line names; None where it names none, or only asks for help."""
    told: dict[str, str] = {}
    rules: list[str] = []
    bare: list[str] = []
    words = iter(args)
    for word in words:
        if not word.startswith("-") or word == "-":
            bare.append(word)
            continue
        name, equals, value = word.partition("=")
        if name in FLAGS:
            continue
        value = value if equals else next(words, "")
        if name == "--rule":
            rules.append(value)
        else:
            told[name] = value
    game = next((word for word in bare if word in FILES), None)
    table = next((word for word in bare if word.endswith(".npz") or os.path.isfile(word)), None)
    begin = told.get("--position", "").partition("/")[0].split(":")
    try:
        if game is None and table is not None and "--rules" not in told:
            from keepwise.solution import load

            return load(table).table
        if game is None and begin[0] in FILES:
            game = begin[0]
        if game is None and "--rules" not in told:
            return None
        return table_of(read_game(game, tuple(rules), told.get("--rules")), told, begin)
    except InputError:
        if "--help" in args or "-h" in args:
            return None
        raise


def table_of(game: Any, told: dict[str, str], begin: Sequence[str]) -> Table[Any]:
    """The table of a game with the objective, players, goal and turns that are told, by options or by an id."""
    from keepwise.play import play

    objective = told.get("--objective") or id_objective(begin)[0]
    players = told.get("--players") or id_objective(begin)[1]
    numbers = {name: told.get(f"--{name}") for name in ("goal", "turns")}
    whole = {name: int(text) for name, text in numbers.items() if text is not None and _is_number(text)}
    seats = int(players) if players is not None and _is_number(players) else None
    return play(game, seats, objective=objective or game.objectives[0], **whole)


def _is_number(text: str) -> bool:
    """Whether it is a number as people write them; what else is told is refused where it is read."""
    return text.isdecimal() and len(text) <= MOST_DIGITS


def id_objective(begin: Sequence[str]) -> tuple[str | None, str | None]:
    """The objective and the players that the beginning of a position's id names: ``5000:win2:...``."""
    if len(begin) < 2 or not (match := re.fullmatch(r"([a-z]+)(\d*)", begin[1])):
        return None, None
    return match[1], match[2] or None
