"""Messages name arguments by data (``errors.argument``): every name is an option, and a typed mark is only text."""

from __future__ import annotations

import ast
from pathlib import Path

import click

import keepwise as kw
from keepwise.cli.commands import COMMANDS, cli
from keepwise.games import FILES, shipped_rule_files
from keepwise.util.errors import ARGUMENT_MARK, InputError, argument, option_name

# Games with fields that the rules by default do not have.
VARIANTS = (
    ("zehntausend", {"take_over": "free"}),
    ("booby-trap", {"variant": "solitaire"}),
    ("scarney", {"double": "chips"}),
    ("kingdom-come-2", {"warlord": 50}),
)


def _names_in_messages() -> set[str]:
    """Return the names that the package passes to ``argument`` as text."""
    package = Path(kw.__file__).parent
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in package.rglob("*.py")]
    calls = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call))
    arguments = (call.args[0] for call in calls if isinstance(call.func, ast.Name) and call.func.id == "argument")
    return {value.value for value in arguments if isinstance(value, ast.Constant)}


def _without_more(game: kw.Game, objective: str) -> kw.PlayableGame | None:
    """Return the playable game; None if the objective needs a goal or another rule."""
    try:
        return kw.playable(game, objective=objective)
    except InputError:
        return None


def _options() -> set[str]:
    """Return the options of all commands, and those that describe a position of some game."""
    context = click.Context(cli)
    commands = [command for name in COMMANDS if (command := cli.get_command(context, name)) is not None]
    options = {option for command in commands for parameter in command.params for option in parameter.opts}
    games = [kw.game(name) for name in (*FILES, *shipped_rule_files())]
    games += [kw.game(name, **rules) for name, rules in VARIANTS]
    playables = [playable for game in games for name in game.objectives if (playable := _without_more(game, name))]
    playables.append(kw.playable("boston", 3, objective="win"))
    assert len(playables) > 20
    return options | {option_name(field.name) for playable in playables for field in playable.fields}


def test_every_argument_that_a_message_names_is_an_option():
    names = _names_in_messages()
    assert len(names) > 20
    assert {option_name(name) for name in names} - _options() == set()


def test_only_marked_names_are_written_as_options():
    error = InputError(f"{argument('turns_left')} is missing")
    assert (str(error), error.format(option_name)) == ("turns_left is missing", "--turns-left is missing")
    typed = InputError(f"a{ARGUMENT_MARK}b_c is not a number")
    assert typed.format(option_name) == str(typed) == "a\\ufdd0b_c is not a number"
