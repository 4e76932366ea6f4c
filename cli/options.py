"""Options that commands share: the game and its rules, the question, the position, the form of the answer."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from keepwise.games import FILES, Game, game
from keepwise.util.errors import InputError, TooMuchError

from .progress import Progress

if TYPE_CHECKING:
    from keepwise.api import Problem, Solution
    from keepwise.play.game_file import GameFile
    from keepwise.play.playable_game import Table

Preference = Callable[[Game, int | None], str | None]  # the objective that a game for so many players is asked about
Command = TypeVar("Command", bound=Callable[..., Any])

# what tells a question -> its option
QUESTION = {**{name: name for name in ("players", "objective", "goal", "turns")}, "rules": "rule", "rule_file": "rules"}
FOLLOWING = "solving what can follow"  # of a position, or of those of a game


def game_options(command: Command) -> Command:
    """GAME and its rules."""
    for decorate in (
        click.option(
            "--rules",
            "rule_file",
            metavar="FILE.toml",
            help="A rule file, yours or a shipped one.",
        ),
        click.option(
            "--rule", "rules", metavar="KEY=VALUE", multiple=True, help="Play with another rule (repeatable)."
        ),
        click.argument("game_id", metavar="GAME", required=False),
    ):
        command = decorate(command)
    return command


def question_options(command: Command, first: str = "the game's first") -> Command:
    """GAME, its rules, and what is asked, ``first`` where no objective is told. What takes too much to be answered
    unasked is refused with the way on.
    """

    @wraps(command)
    def judged(**options: Any) -> None:
        try:
            command(**options)
        except TooMuchError as error:
            raise refusal(
                error, _solve_command(options, error.can_override) if error.needs_whole_table else ""
            ) from None

    decorated: Any = judged
    for decorate in (
        click.option("--anyway", is_flag=True, help="Solve what takes more than an hour or 8 GiB too."),
        click.option(
            "--threads", type=click.IntRange(1), help="Processors that share a solve or a simulation (default: all)."
        ),
        click.option("--turns", type=int, help="Turns left, for reach."),
        click.option("--goal", type=int, help="Points to reach, for reach (default: the target)."),
        click.option("--players", type=int, help="Number of players, for win."),
        click.option("--objective", help=f"win, points, turns, reach, ... (default: {first})."),
    ):
        decorated = decorate(decorated)
    made: Command = game_options(decorated)
    return made


def refusal(error: TooMuchError, command: str = "") -> InputError:
    """A refusal in words of the command line: the option that allows the work, or the command that does it once."""
    way = f"make it once: {command}" if command else "--anyway solves it all the same"
    return InputError(f"{error.requirement}; {way}")


def _solve_command(options: dict[str, Any], anyway: bool) -> str:
    """The command that solves the question of these options whole, and keeps it; that of a table is read from it."""
    if options["game_id"] is not None and is_table(options["game_id"]):
        from keepwise.api import load

        return _solving_again(load(options["game_id"]).playable, anyway)
    return _solving(options["game_id"], options["rule_file"], list(options["rules"]), anyway)


def _solving(game_id: str, file: str | None, rules: list[str], anyway: bool) -> str:
    import shlex

    words = ["keepwise", "solve", *(["--rules", file] if file else [game_id])]
    words += [word for rule in rules for word in ("--rule", rule)]
    words += ["--objective", "win", *(["--anyway"] if anyway else [])]
    return shlex.join([*words, "-o", f"{Path(file).stem if file else game_id}-win.npz"])


def _solving_again(table: Table[Any], anyway: bool) -> str:
    from keepwise.play.game_file import spell_rules

    told = [line.partition(": ") for line in spell_rules(table.game)]
    file = next((f"{table.game.id}.toml" for key, _, _ in told if key == "rules"), None)  # wherever it is
    return _solving(table.game.id, file, [rule for key, _, rule in told if key == "rule"], anyway)


@contextmanager
def whole_table_made(table: Table[Any]) -> Iterator[None]:
    """What takes too much to be answered at a table is refused with the way on: to solve the whole game once."""
    try:
        yield
    except TooMuchError as error:
        raise refusal(error, _solving_again(table, error.can_override)) from None


def position_option(command: Command) -> Command:
    """--position; the fields of a position are the game's own (see ``positions``)."""
    return click.option("--position", "position_id", metavar="ID", help="The position, by the id that answers print.")(
        command
    )


def json_option(command: Command) -> Command:
    """--json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, numbers in full precision.")(command)


def read_game(game_id: str | None, rules: tuple[str, ...], rule_file: str | None) -> Game:
    """Return the game under the rules given on the command line; --rule goes over the rule file."""
    given: dict[str, str] = {}
    for text in rules:
        key, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--rule {text} must read KEY=VALUE")
        if key.strip().replace("-", "_") in given:
            raise InputError(f"--rule {key.strip()} is told twice: leave one of them out")
        given[key.strip().replace("-", "_")] = value.strip()
    if rule_file is None:
        if game_id is None:
            raise InputError("say which game; keepwise games lists them")
        if is_table(game_id):
            from keepwise.storage.files import TABLE, describe_other_kind

            told = describe_other_kind(game_id, TABLE) or "would be a table"
            raise InputError(f"{game_id} {told}; here the game itself is said: its id, or --rules FILE.toml")
        return game(game_id, **given)
    from keepwise.games.rulefile.loader import load_rules, read_value

    read = load_rules(rule_file, **{key: read_value(value) for key, value in given.items()})
    if game_id not in (None, read.id):
        raise InputError(f"{rule_file} is a rule file for {read.id}, not for {game_id}; leave {game_id} out")
    return read


def is_table(word: str) -> bool:
    """Whether a word that stands for a game is a table in a file."""
    return word.lower() not in FILES and (
        word.endswith(".npz") or (os.path.isfile(word) and not word.endswith(".toml"))
    )


class Asked(NamedTuple):
    """A question, how it may be solved once all that cannot be has been refused, and the solution that a file holds."""

    match: Problem[Any]
    threads: int | None
    anyway: bool
    loaded: Solution | None = None

    def solution(self) -> Solution:
        """The solution: from the file, stored, or solved now."""
        from keepwise.api import solve_problem

        if self.loaded:
            return self.loaded
        with Progress(f"solving {self.match.game.id}") as progress:
            return solve_problem(self.match, threads=self.threads, progress=progress, anyway=self.anyway)


def find_question(options: dict[str, Any], position_id: str | None = None, prefer: Preference | None = None) -> Asked:
    """What is asked, by a table in a file or by options, which are taken out of ``options`` with those of a solve.

    ``prefer``: what goes before the game's first objective where none is said.
    """
    from keepwise.api import load

    threads, anyway, file = options.pop("threads"), options.pop("anyway"), options["game_id"]
    if file is not None and is_table(file):
        refuse_told(f"{file} is a table and says itself what it answers", options)
        for name in ("game_id", *QUESTION):
            options.pop(name)
        loaded = load(file)
        return Asked(loaded.problem, threads, anyway, loaded)
    if prefer and options["objective"] is None and position_id is None:
        one = read_game(options["game_id"], options["rules"], options["rule_file"])
        options["objective"] = prefer(one, options["players"])
    return Asked(read_question(options, position_id), threads, anyway)


def read_question(options: dict[str, Any], position_id: str | None = None) -> Problem[Any]:
    """Take the question's options out of ``options`` and return the match that answers it.

    What is not said is taken from the id of a position, if there is one.
    """
    take = options.pop
    game_id, rules, rule_file = take("game_id"), take("rules"), take("rule_file")
    objective, players = take("objective"), take("players")
    if position_id is not None:
        begin = position_id.strip().partition("/")[0].split(":")
        if game_id is None and rule_file is None and begin[0] in FILES:
            game_id = begin[0]
        told, seats = id_objective(begin)
        objective = objective or told
        players = int(seats) if players is None and seats else players
    from keepwise.api import ask

    one = read_game(game_id, rules, rule_file)
    return ask(one, objective, players, goal=take("goal"), turns=take("turns"))


def refuse_told(says: str, options: dict[str, Any], *more: str) -> None:
    """Refuse options of what a file tells, which ``says`` so."""
    if told := next((name for name in (*QUESTION, *more) if options.get(name)), None):
        raise InputError(f"{says}: leave --{QUESTION.get(told, told)} out")


def told_game(path: str, options: dict[str, Any], *more: str) -> GameFile:
    """The game that a file tells; nothing of it is told beside."""
    from keepwise.play.game_file import read_game_file

    refuse_told(f"{path} tells the game", options, *more)
    game = read_game_file(path)
    if options["game_id"] not in (None, game.table.game.id):
        raise InputError(f"{path} is a game of {game.table.game.id}, not of {options['game_id']}")
    return game


def id_objective(begin: Sequence[str]) -> tuple[str | None, str | None]:
    """The objective and the players that the beginning of a position's id names: ``5000:win2:...``."""
    if len(begin) < 2 or not (match := re.fullmatch(r"([a-z]+)([0-9]{0,2})", begin[1])):
        return None, None
    return match[1], match[2] or None


def put(text: str, output: str | None, then: str = "", kind: str = "") -> None:
    """Print a text, or write it to a file of a kind and say so, and what it is good for ``then``."""
    if output is None:
        click.echo(text, nl=False)
        return
    from keepwise.storage.files import write_atomically

    with write_atomically(output, kind) as file:
        file.write(text.encode())
    click.echo(f"{output} is written{then}")


def announce_beside(output: str, form: str) -> None:
    """Say on standard error which file was written beside rows, if any."""
    from keepwise.output.exports.rows import BARE, beside

    if form in BARE:
        click.echo(f"{beside(output)} is written: it says what the rows are for", err=True)
