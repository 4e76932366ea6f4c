"""``keepwise games`` and ``keepwise rules``: which games there are, and their rules."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import click

from keepwise.games import FILES, WITHOUT_RULES, Game, game_file, shipped_rule_files
from keepwise.games import games as list_games
from keepwise.games.dice_keys import CATALOGUE_KEY
from keepwise.games.seat_rules import format_seat_rules
from keepwise.util.errors import InputError, TooMuchError, closest_name, suggest_name
from keepwise.util.text import format_table, wrap_text

from .arguments import GameCommand, PlainCommand
from .option_types import OneOf
from .options import game_options, json_option, read_game
from .terminal import columns, fitted

FILE_OF_GAME = {"farkle": "farkle-busche-neller"}  # rule files with the rules of a built-in game, under another name


@click.command(cls=PlainCommand)
@json_option
def games(as_json: bool) -> None:
    """List the games and their names, and what each can be played for.

    Each game is listed with its name, its family and its objectives. A star marks objectives with a ready-made table;
    the others are solved at first use.

    \b
    Example:
      keepwise games
    """
    game_rows, file_rows = _game_rows(), _rule_file_rows()
    if as_json:
        listing = {"games": game_rows, "rule files": file_rows, "rules not given in the source": list(WITHOUT_RULES)}
        click.echo(json.dumps(listing, indent=2))
        return
    max_columns = columns(sys.stdout, 79)
    click.echo(f"{'game':<16} {'kind':<8} can be played for (docs/rules.md explains each)")
    for listed_game, row in zip(list_games(), game_rows, strict=True):
        names = ", ".join(f"{name}{'*' * (name in row['shipped'])}" for name in listed_game.objectives)
        click.echo(f"{row['game']:<16} {row['family']:<8} {names}")
        _print_names(row["summary"], row["aliases"], max_columns)
    click.echo("* ships with a table; the others are solved at first use")
    click.echo("push: push your luck; card: a scorecard; others: see keepwise rules GAME")
    click.echo("\nRule files that ship with Keepwise; use their names like those above:")
    for row in file_rows:
        click.echo(row["name"])
        _print_names(row["summary"], row["aliases"], max_columns)
    click.echo("To play by your own rule file, give its path, such as ./saturday.toml.")


def _print_names(summary: str, aliases: Sequence[str], max_columns: int) -> None:
    """Print the line on a game and its other names."""
    also = f" Also: {', '.join(aliases)}." if aliases else ""
    click.echo(wrap_text(f"{summary}{also}", "    ", "    ", max_columns))


def _game_rows() -> list[dict[str, Any]]:
    """Return what ``keepwise games`` lists of each game, in the form that scripts rely on."""
    from keepwise.api import shipped_objectives
    from keepwise.games.names import SUMMARIES, list_aliases

    return [
        {
            "game": listed_game.id,
            "title": listed_game.title,
            "family": listed_game.family,
            "objectives": list(game_file(listed_game.id).OBJECTIVES),  # some only under other rules
            "shipped": shipped_objectives(listed_game),
            "aliases": list_aliases(listed_game.id),
            "summary": SUMMARIES.get(listed_game.id, ""),
        }
        for listed_game in list_games()
    ]


def _rule_file_rows() -> list[dict[str, Any]]:
    """Return what ``keepwise games`` lists of each rule file that ships and that is not a game's own."""
    from keepwise.games.names import list_aliases
    from keepwise.games.rulefile.loader import describe_rule_file, rule_file_title

    return [
        {
            "name": name,
            "title": rule_file_title(name),
            "aliases": list_aliases(name),
            "summary": describe_rule_file(name),
        }
        for name in shipped_rule_files()
        if name not in FILES
    ]


@click.command(cls=GameCommand)
@game_options
@click.option("--list", "listed", is_flag=True, help="List the rule files that ship with Keepwise.")
@click.option(
    "--new",
    metavar="NAME",
    help="Print a rule file to start from, as in --new push > mine.toml: push or card explains every key; the name of a"
    " rule file that ships prints that file.",
)
@click.option("--dice", "lists_dice", is_flag=True, help="List the dice of a game with a catalogue, for --hand.")
@click.option("--schema", type=OneOf(["push", "card"]), help="Print the JSON Schema of rule files, for editors.")
@json_option
def rules(
    game_id: str | None,
    rules: tuple[str, ...],
    rule_file: str | None,
    listed: bool,
    new: str | None,
    schema: str | None,
    lists_dice: bool,
    as_json: bool,
) -> None:
    """Print the rules of a game, and how they can be changed.

    Every option is printed with its value, the alternatives, and the words of the source.

    \b
    Examples:
      keepwise rules 5000 --rule minimum_on_win=false
      keepwise rules --rules yacht
      keepwise rules kingdom-come-2 --dice
      keepwise rules --new push
      keepwise rules --new kingdom-come-2
    """
    actions = [name for name, value in (("list", listed), ("new", new), ("schema", schema)) if value]
    if actions:
        if game_id or rules or rule_file or lists_dice or len(actions) > 1:
            raise InputError(f"--{actions[0]} cannot be combined with a game or other options")
        if listed:
            _list(as_json)
        elif new:
            _new(new, as_json)
        else:
            _schema(str(schema))
        return
    from keepwise.games.rulefile.description import find_slips

    chosen_game = read_game(game_id, rules, rule_file)
    if lists_dice:
        _list_dice(chosen_game, as_json)
        return
    if as_json:
        click.echo(json.dumps(rules_as_json(chosen_game), indent=2))
    else:
        for line in rule_lines(chosen_game, columns(sys.stdout, 100)):
            click.echo(fitted(line))
    for doubt in (*find_slips(chosen_game), *refused(chosen_game)):
        click.echo(fitted(f"note: {doubt}", sys.stderr), err=True)


def refused(game: Game) -> Iterator[str]:
    """Yield for every objective of a rule file that cannot be solved from the start, why."""
    # Games of one turn and dice drawn from a cup are left out. Their estimates enumerate positions or compile thousands
    # of modes, which is slow, and what they cost is limited.
    is_left_out = game.family.endswith("one turn") or game.rules.get("set_aside") == "cup"
    if "name" in game.rules and not is_left_out:
        yield from filter(None, (_refusal(game, objective) for objective in game.objectives))


def _refusal(game: Game, objective: str) -> str:
    """Return why an objective cannot be solved from the start; "" if it can."""
    from keepwise.api import ask
    from keepwise.games.card_rules import Card

    parameters = {"turns": 1} if objective == "reach" else {}
    goal_words = ""
    if objective == "reach" and isinstance(game.data, Card):
        goal = 1 + game.data.max_points(game.data.full_mask) // 2  # half of all points is about the most expensive goal
        parameters = {"goal": goal}
        goal_words = f" of {goal}"
    try:
        problem = ask(game, objective, **parameters)
        cost = problem.estimate_cost_from(problem.playable.start(), 1)
    except TooMuchError as error:
        remedy = "; solve it once with keepwise solve" if error.needs_whole_table else ""
        if error.needs_whole_table and error.can_override:  # the whole table takes too much, too
            remedy = "; positions near the end of the game can be solved without it"
        return f"{objective} is not available: {error.requirement}{remedy}"
    except InputError as error:
        return f"{objective} is not available: {error}"
    return f"{objective}{goal_words} takes {cost}, which requires --anyway" if cost.is_too_much else ""


def rules_as_json(game: Game) -> dict[str, Any]:
    """Return the rules in the form that scripts rely on; ``complete`` holds all that values depend on."""
    from keepwise.games.ruleset import Rules

    options = {
        option.key: {
            "value": game.rules[option.key],
            "default": option.default,
            "alternatives": list(option.choices) or option.alternatives,
            "reason": option.reason,
        }
        for option in game.options
    }
    return {
        "game": game.id,
        "title": game.title,
        "objectives": list(game.objectives),
        "rules": options,
        "complete": Rules(game.rules).plain(),
    }


def rule_lines(game: Game, max_columns: int) -> Iterator[str]:
    """Yield the rules for people: their source, sentences for all that values depend on, then every option."""
    from keepwise.games.rulefile.description import (
        describe_game,
        describe_source,
        odds_heading,
        odds_table,
        options_without_effect,
    )

    unused_options = options_without_effect(game)
    name = game.title if game.title.lower() == game.id else f"{game.title} ({game.id})"
    yield f"{name}. Objectives: {', '.join(game.objectives)}."
    if source := describe_source(game):
        yield wrap_text(f"Source: {source}.", "", "", max_columns)
    sentences, odds = [*describe_game(game)], game.rules.get("odds")
    if odds:  # a table says them, which ends the rules
        sentences = sentences[: sentences.index(odds_heading(odds)) + 1]
        sentences += format_table(odds_table(odds), 2, "  ", max_columns)
    if sentences:
        yield from ("", *sentences)
    if game.options:
        yield ""
    for option in game.options:
        value = game.rules[option.key]
        if option.key in unused_options and (value == option.default or game.rules["finish"] == "exact"):
            continue  # an exact finish decides some of the options
        changed = "" if value == option.default else f"   (default {_text(option.default)})"
        yield click.style(f"{option.key} = {_text(value)}", bold=True) + changed
        if other_values := option.other_values(value):
            yield f"    or: {other_values}"
        yield wrap_text(f"{option.reason}.", "    ", "    ", max_columns)
    if seat_rules := format_seat_rules(game.rules):
        yield from ("", "Rules of one seat only, by the order of play:")
        yield from (f"    {line}" for line in seat_rules)
    if CATALOGUE_KEY in game.rules:
        names = f"keepwise rules {game.rules[CATALOGUE_KEY]} --dice"
        yield from ("", f"Choose dice with --hand or --hands; {names} lists them.")


def _list(as_json: bool) -> None:
    from keepwise.games.rulefile.loader import describe_rule_file, shipped_rule_files

    files = {name: describe_rule_file(name) for name in shipped_rule_files()}
    if as_json:
        click.echo(json.dumps({"rule files": files}, indent=2))
        return
    for name, description in files.items():
        click.echo(wrap_text(description, f"{name:<21} ", " " * 22, columns(sys.stdout, 120)))


def _list_dice(game: Game, as_json: bool) -> None:
    """Print the dice of a game's catalogue with their weights and their worth.

    Raises:
        InputError: the game has no catalogue.
    """
    from keepwise.dice_inventory import value_dice
    from keepwise.games.dice_catalogue import FACES, WILD_FACE, list_catalogues, load_catalogue

    if CATALOGUE_KEY not in game.rules:
        catalogues = ", ".join(list_catalogues())
        raise InputError(f"--dice requires a game with a catalogue of dice, and {game.id} has none; use {catalogues}")
    catalogue = load_catalogue(game.rules[CATALOGUE_KEY])
    worth = value_dice(game, catalogue)
    names = sorted(catalogue.weights, key=lambda name: -worth[name])
    if as_json:
        dice = [
            {
                "name": name,
                "same_as": catalogue.first_name(name),
                "weights": list(catalogue.weights[name]),
                "worth": worth[name],
            }
            for name in names
        ]
        click.echo(json.dumps({"game": game.id, "catalogue": catalogue.name, "dice": dice}, indent=2))
        return
    faces = [*map(str, range(1, FACES + 1)), WILD_FACE]
    rows = [("die", "", *faces, "worth")]
    for name in names:
        weights = [str(weight) for weight in catalogue.weights[name]]
        first_name = catalogue.first_name(name)
        equal_die = "" if first_name == name else f"as {first_name}"
        rows.append((name, equal_die, *weights, *[""] * (len(faces) - len(weights)), f"{worth[name]:.2f}"))
    for line in format_table(rows, 2, "", columns(sys.stdout, sys.maxsize)):
        click.echo(line)
    click.echo(f"Numbers below a face: how many equally likely sides show it; {WILD_FACE} is wild.")
    other_dice = f"{catalogue.size - 1} {next(iter(catalogue.weights))} dice"
    click.echo(f"Worth: the expected points of a turn under optimal play, with one such die and {other_dice}.")


def _new(name: str, as_json: bool) -> None:
    """Print a template, or the rule file of a game that ships, by any of its names."""
    from keepwise.games import RULE_FILES, find_game
    from keepwise.games.rulefile.loader import TEMPLATES

    if as_json:
        raise InputError("--json cannot be combined with --new")
    kinds, files = [path.stem for path in sorted(TEMPLATES.glob("*.toml"), reverse=True)], shipped_rule_files()
    found_name = name
    if name not in kinds:
        with suppress(InputError):
            found_name = find_game(name)
    found_name = FILE_OF_GAME.get(found_name, found_name)
    if found_name in FILES and found_name not in files:
        is_card = game_file(found_name).FAMILY == "card"
        own_card = "; for a scorecard of your own, use --new card" if is_card else ""
        raise InputError(
            f'{found_name} has no rule file to copy; to change its options, begin a file with game = "{found_name}"'
            f" (keepwise rules {found_name} lists them){own_card}"
        )
    if found_name not in (*kinds, *files):
        known_names = (*kinds, *files)
        is_close = closest_name(name, known_names) or any(known.startswith(name) for known in known_names)
        hint = suggest_name(name, known_names)
        if not is_close:
            hint = f"; use {' or '.join(kinds)}, or the name of a rule file; keepwise rules --list lists them"
        raise InputError(f"unknown rule file '{name}'{hint}")
    folder = TEMPLATES if found_name in kinds else RULE_FILES
    click.echo((folder / f"{found_name}.toml").read_text(encoding="utf-8"), nl=False)


def _schema(kind: str) -> None:
    from keepwise.games.rulefile import card_schema, push_schema

    click.echo(json.dumps({"push": push_schema, "card": card_schema}[kind].SCHEMA, indent=2))


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
