"""``keepwise games`` and ``keepwise rules``: what is solved, and under which rules."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import click

from keepwise.games import Game
from keepwise.util.errors import InputError, TooMuchError
from keepwise.util.text import wrap_text

from .arguments import Naming
from .options import game_options, json_option, read_game
from .terminal import columns, fitted


@click.command()
@json_option
def games(as_json: bool) -> None:
    """List every game: id, family, objectives, whether a table ships.

    \b
    Example:
      keepwise games
    """
    from keepwise.api import shipped_objectives
    from keepwise.games import FILES, WITHOUT_RULES, game, game_file
    from keepwise.games.rulefile.loader import shipped_rule_files

    listed = [game(game_id) for game_id in FILES]
    objectives = {one.id: game_file(one.id).OBJECTIVES for one in listed}  # some only under other rules
    shipped = {one.id: shipped_objectives(one) for one in listed}
    if as_json:
        rows = [
            {
                "game": one.id,
                "title": one.title,
                "family": one.family,
                "objectives": list(objectives[one.id]),
                "shipped": shipped[one.id],
            }
            for one in listed
        ]
        click.echo(json.dumps({"games": rows, "rules not given in the source": list(WITHOUT_RULES)}, indent=2))
        return
    for one in listed:
        told = ", ".join(f"{name}{'*' * (name in shipped[one.id])}" for name in objectives[one.id])
        click.echo(f"{one.id:<16} {one.family:<8} {told}")
    click.echo("* its table ships; the others are solved at first use")
    click.echo(fitted(f"rule files that ship (--rules NAME): {', '.join(shipped_rule_files())}"))
    for title in WITHOUT_RULES:
        click.echo(f"{title:<26} rules not given in the source")


@click.command(cls=Naming)
@game_options
@click.option("--list", "listed", is_flag=True, help="List the rule files that ship.")
@click.option("--new", type=click.Choice(["push", "card"]), help="Print a rule file to begin from: > mine.toml.")
@click.option("--schema", type=click.Choice(["push", "card"]), help="Print the JSON Schema of such files, for editors.")
@json_option
def rules(
    game_id: str | None,
    rules: tuple[str, ...],
    rule_file: str | None,
    listed: bool,
    new: str | None,
    schema: str | None,
    as_json: bool,
) -> None:
    """Print the active rule set: each option, its default, its alternatives and the source's words.

    \b
    Example:
      keepwise rules 5000 --rule minimum_on_win=false
      keepwise rules --rules yacht
      keepwise rules --new push
    """
    asked = [name for name, given in (("list", listed), ("new", new), ("schema", schema)) if given]
    if asked:
        if game_id or rules or rule_file or len(asked) > 1:
            raise InputError(f"--{asked[0]} says all that is asked: leave the rest out")
        if listed:
            _list(as_json)
        elif new:
            _new(new, as_json)
        else:
            _schema(str(schema))
        return
    from keepwise.games.rulefile.description import doubts

    one = read_game(game_id, rules, rule_file)
    if as_json:
        click.echo(json.dumps(as_told(one), indent=2))
    else:
        for line in in_lines(one, columns(sys.stdout, 100)):
            click.echo(fitted(line))
    for doubt in (*doubts(one), *refused(one)):
        click.echo(fitted(f"note: {doubt}", sys.stderr), err=True)


def refused(one: Game) -> Iterator[str]:
    """Which objectives of a rule file are refused once asked for at its start, and why."""
    if "name" in one.rules and one.family != "one turn":  # these are walked through: slow to ask, and never too much
        yield from filter(None, (_refused(one, objective) for objective in one.objectives))


def _refused(one: Game, objective: str) -> str:
    from keepwise.api import ask
    from keepwise.games.card_rules import Card

    asks, told = {"turns": 1} if objective == "reach" else {}, ""
    if objective == "reach" and isinstance(one.data, Card):  # of a middling goal
        asks = {"goal": 1 + one.data.most(one.data.full) // 2}
        told = f" of {asks['goal']}"
    try:
        match = ask(one, objective, **asks)
        cost = match.estimate_cost_from(match.playable.start(), 1)
    except TooMuchError as error:
        return (
            f"{objective} is refused: {error.requirement}" + "; keepwise solve makes it once" * error.needs_whole_table
        )
    except InputError as error:
        return f"{objective} is refused: {error}"
    return f"{objective}{told} takes {cost}, more than is spent unasked" if cost.is_too_much else ""


def as_told(one: Game) -> dict[str, Any]:
    """The rules in the shape that scripts rely on; ``complete``: all that values depend on, as a rule file tells it."""
    from keepwise.games.ruleset import Rules

    options = {
        option.key: {
            "value": one.rules[option.key],
            "default": option.default,
            "alternatives": list(option.choices) or option.alternatives,
            "reason": option.reason,
        }
        for option in one.options
    }
    told = {"game": one.id, "title": one.title, "objectives": list(one.objectives), "rules": options}
    return {**told, "complete": Rules(one.rules).plain()}


def in_lines(one: Game, most: int) -> Iterator[str]:
    """The rules for people: all that values depend on, in sentences, then each option."""
    from keepwise.games.rulefile.description import idle, in_words

    unused = idle(one)
    yield f"{one.title} ({one.id}). Objectives: {', '.join(one.objectives)}."
    if told := [*in_words(one)]:
        yield from ("", *told)
    if one.options:
        yield ""
    for option in one.options:
        value = one.rules[option.key]
        if option.key in unused and (value == option.default or one.rules["finish"] == "exact"):
            continue  # an exact finish decides some of them
        changed = "" if value == option.default else f"   (default {_text(option.default)})"
        yield click.style(f"{option.key} = {_text(value)}", bold=True) + changed
        if others := option.others(value):
            yield f"    or: {others}"
        yield wrap_text(f"{option.reason}.", "    ", "    ", most)


def _list(as_json: bool) -> None:
    from keepwise.games.rulefile.loader import about, shipped_rule_files

    files = {name: about(name) for name in shipped_rule_files()}
    if as_json:
        click.echo(json.dumps({"rule files": files}, indent=2))
        return
    for name, told in files.items():
        click.echo(wrap_text(told, f"{name:<21} ", " " * 22, columns(sys.stdout, 120)))


def _new(kind: str, as_json: bool) -> None:
    from keepwise.games.rulefile.loader import TEMPLATES

    if as_json:
        raise InputError("--new prints a file: leave --json out")
    click.echo((TEMPLATES / f"{kind}.toml").read_text(encoding="utf-8"), nl=False)


def _schema(kind: str) -> None:
    from keepwise.games.rulefile import card_schema, push_schema

    click.echo(json.dumps({"push": push_schema, "card": card_schema}[kind].SCHEMA, indent=2))


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
