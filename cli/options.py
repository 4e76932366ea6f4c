"""Options that commands share: the game and its rules, the question, the position, the form of the answer."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

import click

from keepwise.errors import InputError
from keepwise.games import Game, game
from keepwise.matches import Match, match

Command = TypeVar("Command", bound=Callable[..., Any])

QUIET = 1.0  # seconds before a solve shows its progress


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


def question_options(command: Command) -> Command:
    """GAME, its rules, and what is asked."""
    for decorate in (
        click.option("--threads", type=click.IntRange(1), help="Threads for a solve (default: all processors)."),
        click.option("--turns", type=int, help="Turns left, for reach."),
        click.option("--goal", type=int, help="Points to reach, for reach (default: the target)."),
        click.option("--players", type=int, help="Number of players, for win."),
        click.option("--objective", help="win, points, turns, reach, ... (default: the game's first)."),
    ):
        command = decorate(command)
    return game_options(command)


def position_options(command: Command) -> Command:
    """A position: between turns, before a throw, or after one."""
    for decorate in (
        click.option("--tied", metavar="N", help="Boston, Multiplication: how many hold the total to beat."),
        click.option("--beat", metavar="TOTAL", help="Boston, Multiplication: the best total so far."),
        click.option("--kept", metavar="DICE", help="Games by the round: dice set aside before this throw."),
        click.option("--cast", metavar="N", help="Battleship: which cast of the round the roll is, 1 to 3."),
        click.option("--round", metavar="N", help="Battleship: the round, from 1."),
        click.option("--trips", metavar="N", help="Booby Trap alone: trips so far."),
        click.option("--feel", metavar="FEEL", help="Booby Trap: how the piece touched sits."),
        click.option("--touched", metavar="SIZE", help="Booby Trap: the size of the piece just touched."),
        click.option("--passes", metavar="N", help="Booby Trap: passes in a row up to now."),
        click.option("--left", metavar="L,M,S", help="Booby Trap: large, medium and small pieces left."),
        click.option("--upper", metavar="POINTS", help="Cards: what the upper categories hold, all told."),
        click.option("--opponent-used", metavar="NAMES", help="Cards: categories that the opponent has used."),
        click.option("--used", metavar="NAMES", help="Cards: categories used, such as sixes,chance (or sixes=24)."),
        click.option("--throw", metavar="N", help="Which throw of the turn the roll is."),
        click.option("--opposite", is_flag=True, default=None, help="Scarney: opposite was called on the last die."),
        click.option("--double", is_flag=True, default=None, help="Scarney: the roll was thrown doubling down."),
        click.option("--pot", metavar="CHIPS", help="Scarney for chips: chips in the pot (default: the antes)."),
        click.option("--live", metavar="N", help="Scarney: dice that are live."),
        click.option("--seat", metavar="N", help="How many players have already played this round."),
        click.option("--frame", metavar="N", help="Scarney: the frame, from 1."),
        click.option("--dice", metavar="N", help="Before a throw: dice to throw next."),
        click.option("--roll", metavar="DICE", help='The dice as they lie: 11532, 1,1,5,3,2 or "1 1 5 3 2".'),
        click.option("--turn", metavar="POINTS", help="Points set aside in this turn before this roll."),
        click.option("--opponents", metavar="POINTS[,...]", help="The opponents' scores, in turn order after you."),
        click.option("--score", metavar="POINTS", help="Your score before this turn."),
    ):
        command = decorate(command)
    return command


def json_option(command: Command) -> Command:
    """--json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, numbers in full precision.")(command)


def read_game(game_id: str | None, rules: tuple[str, ...], rule_file: str | None) -> Game:
    """Return the game under the rules given on the command line; --rule goes over the rule file."""
    given: dict[str, object] = {}
    for text in rules:
        key, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--rule {text} must read KEY=VALUE")
        given[key.strip().replace("-", "_")] = value.strip()
    if rule_file is None:
        if game_id is None:
            raise InputError("say which game; keepwise games lists them")
        return game(game_id, **given)
    from keepwise.rulefile import load_rules

    read = load_rules(rule_file, **given)
    if game_id not in (None, read.id):
        raise InputError(f"{rule_file} is a rule file for {read.id}, not for {game_id}; leave {game_id} out")
    return read


def given_position(options: dict[str, Any]) -> dict[str, Any]:
    """Return the position options that were given, lists split."""
    position = {key: value for key, value in options.items() if value is not None}
    if "opponents" in position:
        position["opponents"] = [text for text in str(position["opponents"]).replace(" ", ",").split(",") if text]
    return position


def read_question(options: dict[str, Any]) -> Match:
    """Take the question's options out of ``options`` and return the match that answers it."""
    take = options.pop
    asked = read_game(take("game_id"), take("rules"), take("rule_file"))
    return match(asked, take("objective"), take("players"), goal=take("goal"), turns=take("turns"))


class Progress:
    """A bar on stderr that appears once the work has taken a while; nothing where stderr is no terminal."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.begun = time.monotonic()
        self.shown = -1

    def __enter__(self) -> Progress:
        return self

    def __call__(self, done: float) -> None:
        """Show the share done."""
        percent = int(100 * done)
        if time.monotonic() - self.begun < QUIET or percent == self.shown or not sys.stderr.isatty():
            return
        self.shown = percent
        filled = percent * 30 // 100
        click.echo(f"\r{self.label} [{'#' * filled}{'-' * (30 - filled)}] {percent:3d} %", nl=False, err=True)

    def __exit__(self, *exc: object) -> None:
        if self.shown >= 0:
            click.echo(err=True)
