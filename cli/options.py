"""Options that commands share: the game, the problem, the position and the output, and errors about them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from keepwise.games import FILES, Game, find_game, find_known_name, known_game, shipped_rule_files
from keepwise.games.dice_keys import HAND_KEY
from keepwise.games.seat_rules import parse_seat_rules
from keepwise.util.errors import InputError, TooMuchError

from .option_types import WholeNumber
from .progress import Progress

if TYPE_CHECKING:
    from keepwise.api import Problem, Solution
    from keepwise.play.game_file import GameFile
    from keepwise.play.long_ids import LongIdHead
    from keepwise.play.playable_game import PlayableGame

ObjectivePreference = Callable[[Game, int | None], str | None]  # the default objective for a game and its players
Command = TypeVar("Command", bound=Callable[..., Any])

# parameter that describes a problem -> its option, without the dashes
PROBLEM_OPTIONS = {
    **{name: name for name in ("players", "objective", "goal", "turns")},
    "rules": "rule",
    "rule_file": "rules",
}
SEAT_RULE = r"\s*[^=:]*:"  # a rule of one seat: 2:target=3000
SEAT_RULES = "keepwise.seat_rules"  # key in the context's ``meta``: the values of --seat-rule
LONG_ID_COLONS = 3  # in the beginning of a long id at least: after game, objective and fingerprint
HANDS = "keepwise.hands"  # key in the context's ``meta``: the hands of --hand or --hands, by seat
HAND_SEPARATOR = "/"  # between the hands of --hands
HANDS_FILE = "keepwise.hands_file"  # key in the context's ``meta``: the file of --hands with a hand in each line
HANDS_FILE_ENDING = ".txt"
COMMANDS_WITH_HANDS_FILE = ("export", "chart")
FOLLOWING = "solving later positions"  # progress label: from one position, or from those of a game


class MorePoints(int):
    """A goal of so many more points than the score."""


def parse_goal(text: str) -> int:
    """Return the goal that a text names: a whole number, or ``+N`` for so many points more than the score."""
    goal = WholeNumber().convert(text, None, None)
    return MorePoints(goal) if text.strip().startswith("+") else goal


def _read_seat_rules(context: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> None:
    """Keep the values of --seat-rule for --rule; a value without a seat is refused."""
    parse_seat_rules(texts)
    context.meta[SEAT_RULES] = texts


def _join_seat_rules(context: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the values of --rule and --seat-rule, and the hands as such values."""
    first, *other_hands = context.meta.get(HANDS, ("",))
    hands = [f"{HAND_KEY}={first}"] if first else []
    hands += [f"{seat}:{HAND_KEY}={hand}" for seat, hand in enumerate(other_hands, 2)]
    return (*texts, *context.meta.get(SEAT_RULES, ()), *hands)


def _read_hands(context: click.Context, option: click.Parameter, text: str | None) -> None:
    """Keep the hands of --hand or --hands for --rule.

    Raises:
        InputError: both options are given, or --hands does not list several hands, nor names a file for a command
            that takes one.
    """
    if text is None:
        return
    import shlex

    if {HANDS, HANDS_FILE} & context.meta.keys():
        raise InputError("--hand cannot be combined with --hands; leave --hand out")
    if option.name == "hands" and (os.path.isfile(text) or text.lower().endswith(HANDS_FILE_ENDING)):
        if context.info_name not in COMMANDS_WITH_HANDS_FILE:
            raise InputError(
                f"--hands {shlex.quote(text)} is a file, which only keepwise export and keepwise chart matchups accept;"
                ' write a hand for each player: --hands "lucky*6 / ordinary*6"'
            )
        context.meta[HANDS_FILE] = text
        return
    hands = [hand.strip() for hand in text.split(HAND_SEPARATOR)]
    if option.name == "hand":
        if len(hands) > 1:
            raise InputError(f"--hand takes one hand; use --hands for one of each player: --hands {shlex.quote(text)}")
    elif len(hands) < 2:
        raise InputError(
            f"--hands {shlex.quote(text)} lists one hand; list a hand for each player, as in"
            ' --hands "lucky*6 / ordinary*6", or use --hand to give all players the same dice'
        )
    if not all(hands):
        raise InputError(f"--{option.name} {shlex.quote(text)} lists no dice; write names, as in lucky*3, ordinary*3")
    context.meta[HANDS] = tuple(hands)


def check_hands(context: click.Context, players: int | None, objective: str | None) -> None:
    """Refuse --hands with more or fewer hands than players.

    Args:
        context: the context in which --hands was read.
        players: the number of players; None if it is not given.
        objective: the objective; None if it is not given.

    Raises:
        InputError: the numbers differ.
    """
    hands = context.meta.get(HANDS, ())
    if len(hands) < 2:
        return
    from keepwise.play import SINGLE_PLAYER_OBJECTIVES

    if objective in SINGLE_PLAYER_OBJECTIVES:
        raise InputError(f"--hands requires several players, and {objective} is about one; use --hand for your dice")
    if players is None:
        players = 2
    if len(hands) != players:
        raise InputError(
            f"--hands lists {len(hands)} hands, but there are {players} players; give one hand for each player"
        )


class _HandsOption(click.Option):
    """The option ``--hands``, whose help says whether the command also accepts a file."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option and its help."""
        record = super().get_help_record(ctx)
        if record is None or ctx.info_name not in COMMANDS_WITH_HANDS_FILE:
            return record
        task = "" if ctx.info_name == "export" else "For the chart matchups: "
        own_file = "a text file (.txt) with one hand per line."
        names, help_text = record
        return names, f"{help_text} {task}{own_file if task else f'Or {own_file}'}"


def game_options(command: Command) -> Command:
    """Add GAME and the options of its rules."""
    for decorate in (  # help lists the options in the reverse order
        click.option(
            "--hands",
            metavar='"MINE / THEIRS"',
            is_eager=True,
            expose_value=False,
            callback=_read_hands,
            help="Games with a catalogue of dice: the dice of each player in turn order, yours first.",
            cls=_HandsOption,
        ),
        click.option(
            "--hand",
            metavar="DICE",
            is_eager=True,  # as --seat-rule
            expose_value=False,
            callback=_read_hands,
            help='Games with a catalogue of dice: the dice of all players, such as "lucky*3, ordinary*3".',
        ),
        click.option(
            "--rules",
            "rule_file",
            metavar="FILE.toml",
            help="The rule file to play by: your own, or one that keepwise games lists. A rule file can also"
            " be given as GAME.",
        ),
        click.option(
            "--rule",
            "rules",
            metavar="[SEAT:]KEY=VALUE",
            multiple=True,
            callback=_join_seat_rules,
            help="Change one rule of the game, or of one seat only: 2:target=3000 (repeatable). Seat 1"
            " begins the game.",
        ),
        click.option(
            "--seat-rule",
            metavar="SEAT:KEY=VALUE",
            multiple=True,
            is_eager=True,  # it is read before --rule, which takes its values
            expose_value=False,
            callback=_read_seat_rules,
            hidden=True,  # --rule does the same
        ),
        click.argument("game_id", metavar="GAME", required=False),
    ):
        command = decorate(command)
    return command


def problem_options(command: Command, first: str = "the first that keepwise games lists") -> Command:
    """Add GAME, its rules and the options that describe a problem.

    A problem that costs too much is refused with the option or command that solves it.

    Args:
        command: the function of the command.
        first: the default objective, for the help.
    """

    @wraps(command)
    def with_refusals(**options: Any) -> None:
        check_hands(click.get_current_context(), options["players"], options["objective"])
        try:
            command(**options)
        except TooMuchError as error:
            solve_command = _solve_command(options, error.can_override) if error.needs_whole_table else ""
            raise refusal(error, solve_command) from None

    decorated: Any = with_refusals
    for decorate in (
        click.option("--anyway", is_flag=True, help="Allow a solve that needs over an hour or over 8 GiB of memory."),
        click.option(
            "--threads", type=WholeNumber(1), metavar="N", help="Processor threads to use (default: all processors)."
        ),
        click.option("--turns", type=WholeNumber(), metavar="N", help="Objective reach: the number of turns left."),
        click.option(
            "--goal",
            type=parse_goal,
            metavar="POINTS",
            help="Objective reach: the points to reach, or +N for N more than the score (default: the target)."
            " Objective points: the score beyond which points count for nothing, or +N.",
        ),
        click.option(
            "--players", type=WholeNumber(), metavar="N", help="Objective win: the number of players (default: 2)."
        ),
        click.option(
            "--objective",
            metavar="OBJECTIVE",
            help=f"What to play for: win, points, turns, reach, ... (default: {first}).",
        ),
    ):
        decorated = decorate(decorated)
    with_options: Command = game_options(decorated)
    return with_options


def refusal(error: TooMuchError, solve_command: str = "") -> InputError:
    """Return a refusal that names --anyway, or the command that solves the game once if a computer can do that."""
    if not solve_command:
        remedy = "add --anyway to allow it"
    elif error.is_out_of_reach:
        remedy = "use fewer players or rules that make the game smaller"
    else:
        remedy = f"solve it once with {solve_command}"
    return InputError(f"{error.requirement}; {remedy}")


def _solve_command(options: dict[str, Any], anyway: bool) -> str:
    """Return the command that solves the whole game of these options, or of the table that stands for it."""
    if options["game_id"] is not None and is_table(options["game_id"]):
        from keepwise.api import load

        return _solve_command_of_game(load(options["game_id"]).playable, anyway)
    return _format_solve_command(
        options["game_id"], options["rule_file"], list(options["rules"]), options["players"], anyway
    )


def _format_solve_command(game_id: str, file: str | None, rules: list[str], players: int | None, anyway: bool) -> str:
    import shlex

    words = ["keepwise", "solve", *(["--rules", file] if file else [game_id])]
    words += [word for rule in rules for word in ("--rule", rule)]
    words += ["--objective", "win"]
    if players is not None and players > 2:
        words += ["--players", str(players)]
    if anyway:
        words.append("--anyway")
    return shlex.join([*words, "-o", f"{Path(file or game_id).stem}-win.npz"])


def _solve_command_of_game(playable: PlayableGame[Any], anyway: bool) -> str:
    from keepwise.play.game_file import format_rules

    lines = [line.partition(": ") for line in format_rules(playable.game)]
    # Where the rule file lies is not known here, only its name.
    file = next((f"{playable.game.id}.toml" for key, _, _ in lines if key == "rules"), None)
    rules = [rule for key, _, rule in lines if key == "rule"]
    return _format_solve_command(playable.game.id, file, rules, playable.players, anyway)


@contextmanager
def naming_solve_command(playable: PlayableGame[Any]) -> Iterator[None]:
    """Turn a refusal for cost into one that names the command that solves the whole game once."""
    try:
        yield
    except TooMuchError as error:
        raise refusal(error, _solve_command_of_game(playable, error.can_override)) from None


def position_option(command: Command) -> Command:
    """Add --position; the fields of a position are options of the game (see ``arguments.PositionCommand``)."""
    return click.option(
        "--position", "position_id", metavar="ID", help="A position, given by the id at the end of an answer."
    )(command)


def json_option(command: Command) -> Command:
    """Add --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON with numbers in full precision.")(command)


def read_game(game_id: str | None, rules: tuple[str, ...], rule_file: str | None) -> Game:
    """Return the game with the rules of the command line; --rule overrides the rule file."""
    overrides: dict[str, str] = {}
    seat_texts = [text for text in rules if re.match(SEAT_RULE, text)]
    for text in rules:
        if text in seat_texts:
            continue
        key, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--rule {text} must have the form KEY=VALUE")
        name = key.strip().replace("-", "_")
        if name in overrides:
            raise InputError(f"--rule {key.strip()} is given twice; leave one of them out")
        overrides[name] = value.strip()
    if rule_file is None:
        if game_id is None:
            raise InputError("missing GAME; keepwise games lists all games")
        if is_table(game_id):
            from keepwise.storage.files import TABLE, describe_other_kind

            kind = describe_other_kind(game_id, TABLE) or "is not a game"
            raise InputError(f"{game_id} {kind}; this command requires the name of a game or a rule file")
        name = _find_game_or_refuse_id(game_id)
        if name in FILES:
            return known_game(name, parse_seat_rules(seat_texts), dict(overrides))
        rule_file, game_id = name, None
    from keepwise.games.rulefile.loader import load_rules, parse_value

    seats = {
        seat: {key: parse_value(value) for key, value in changes.items()}
        for seat, changes in parse_seat_rules(seat_texts).items()
    }
    loaded = load_rules(rule_file, seats=seats, **{key: parse_value(value) for key, value in overrides.items()})
    if game_id not in (None, loaded.id):
        raise InputError(f"{rule_file} is a rule file for {loaded.id}, not for {game_id}; leave {game_id} out")
    return loaded


def _find_game_or_refuse_id(word: str) -> str:
    """Return the id of the game that a word names; refuse the id of a position."""
    if ":" in word and names_game_of_id(word.split(":")):
        raise InputError(f"{word} is the id of a position; give it with --position")
    return find_game(word)


def names_game_of_id(id_parts: Sequence[str]) -> bool:
    """Return whether the id of a position begins with a game, or with a rule file that ships."""
    return id_parts[0] in FILES or id_parts[0] in shipped_rule_files()


def read_long_id(position_id: str | None) -> LongIdHead | None:
    """Return the rules and parameters that a long id carries; None for other ids."""
    if position_id is None or position_id.partition("/")[0].count(":") < LONG_ID_COLONS:
        return None
    from keepwise.play.long_ids import parse_head

    return parse_head(position_id)


def read_game_of_position(
    game_id: str | None, rules: tuple[str, ...], rule_file: str | None, long_id: LongIdHead | None
) -> Game:
    """Return the game of a question about a position.

    A long id supplies the rules, unless options give rules, or GAME is another game.
    """
    if long_id is None or rules or rule_file is not None:
        return read_game(game_id, rules, rule_file)
    is_same_game = game_id is None or find_known_name(game_id) == long_id.game.id
    return long_id.game if is_same_game else read_game(game_id, (), None)


def is_table(word: str) -> bool:
    """Return whether a word in place of GAME names a file with a value table."""
    return word.lower() not in FILES and (
        word.endswith(".npz") or (os.path.isfile(word) and not word.endswith(".toml"))
    )


class SolveRequest(NamedTuple):
    """A problem that may be solved, with the options of the solve, and the solution if a file holds it."""

    problem: Problem[Any]
    threads: int | None
    anyway: bool
    loaded: Solution | None = None

    def solution(self) -> Solution:
        """Return the solution: from the file, from the cache, or solved now."""
        from keepwise.api import solve_problem

        if self.loaded:
            return self.loaded
        with Progress(f"solving {self.problem.game.id}") as progress:
            return solve_problem(self.problem, threads=self.threads, progress=progress, anyway=self.anyway)


def read_request(
    options: dict[str, Any], position_id: str | None = None, prefer: ObjectivePreference | None = None
) -> SolveRequest:
    """Return the problem that a table in a file or the options describe.

    The options of the problem and of a solve are removed from ``options``.

    Args:
        options: all options of the command by parameter name.
        position_id: the id of a position, which supplies what the options leave open.
        prefer: the default objective, before the game's first.
    """
    from keepwise.api import load

    threads, anyway, file = options.pop("threads"), options.pop("anyway"), options["game_id"]
    if file is not None and is_table(file):
        refuse_options_of_file(f"{file} is a table, which already sets the game and the objective", options)
        for name in ("game_id", *PROBLEM_OPTIONS):
            options.pop(name)
        solution = load(file)
        return SolveRequest(solution.problem, threads, anyway, solution)
    if prefer and options["objective"] is None and position_id is None:
        chosen_game = read_game(options["game_id"], options["rules"], options["rule_file"])
        options["objective"] = prefer(chosen_game, options["players"])
    return SolveRequest(read_problem(options, position_id), threads, anyway)


def read_problem(options: dict[str, Any], position_id: str | None = None) -> Problem[Any]:
    """Remove the options of the problem from ``options`` and return the problem.

    The id of a position supplies what the options leave open.
    """
    pop = options.pop
    game_id, rules, rule_file = pop("game_id"), pop("rules"), pop("rule_file")
    objective, players, goal, turns = pop("objective"), pop("players"), pop("goal"), pop("turns")
    long_id = read_long_id(position_id)
    if position_id is not None:
        id_parts = position_id.strip().partition("/")[0].split(":")
        if game_id is None and rule_file is None and names_game_of_id(id_parts):
            game_id = id_parts[0]
        objective_in_id, id_players = parse_id_objective(id_parts)
        objective = objective or objective_in_id
        players = int(id_players) if players is None and id_players else players
    if long_id is not None:
        goal, turns = (long_id.goal if goal is None else goal), (long_id.turns if turns is None else turns)
    from keepwise.api import ask

    return ask(read_game_of_position(game_id, rules, rule_file, long_id), objective, players, goal=goal, turns=turns)


def refuse_options_of_file(reason: str, options: dict[str, Any], *also_refused: str) -> None:
    """Raise InputError if an option repeats or contradicts what a file says, as ``reason`` explains."""
    if name := next((name for name in (*PROBLEM_OPTIONS, *also_refused) if options.get(name)), None):
        hands = click.get_current_context().meta.get(HANDS, ())
        if name == "rules" and hands and f"{HAND_KEY}={hands[0]}" == options["rules"][0]:
            raise InputError(f"{reason}; leave --{'hands' if len(hands) > 1 else 'hand'} out")
        raise InputError(f"{reason}; leave --{PROBLEM_OPTIONS.get(name, name)} out")


def load_game(path: str, options: dict[str, Any], *also_refused: str) -> GameFile:
    """Return the game of a game file; raise InputError if options describe a game as well."""
    from keepwise.play.game_file import read_game_file

    refuse_options_of_file(f"{path} already sets the game", options, *also_refused)
    game = read_game_file(path)
    if options["game_id"] is not None and read_game(options["game_id"], (), None).id != game.playable.game.id:
        word = options["game_id"]
        raise InputError(f"{path} is a game of {game.playable.game.id}, not of {word}; leave {word} out")
    return game


def parse_id_objective(id_parts: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the objective and the number of players that the beginning of an id names: ``5000:win2:...``."""
    if len(id_parts) < 2 or not (match := re.fullmatch(r"([a-z]+)([0-9]{0,2})", id_parts[1])):
        return None, None
    return match[1], match[2] or None


def write_output(text: str, output: str | None, next_step: str = "", kind: str = "") -> None:
    """Print a text, or write it to a file and report that, with what to do next."""
    if output is None:
        click.echo(text, nl=False)
        return
    from keepwise.storage.files import write_atomically

    with write_atomically(output, kind) as file:
        file.write(text.encode())
    click.echo(f"wrote {output}{next_step}")


def report_description_file(output: str, form: str) -> None:
    """Report on stderr the description that was written beside the rows, if any."""
    from keepwise.output.exports.rows import FORMATS_WITHOUT_METADATA, metadata_path

    if form in FORMATS_WITHOUT_METADATA:
        click.echo(f"wrote {metadata_path(output)}, which describes the rows", err=True)
