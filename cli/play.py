"""``keepwise play`` and ``keepwise coach``: a game at the prompt."""

from __future__ import annotations

import math
import random
import shlex
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from keepwise.games.dice_keys import HAND_KEY
from keepwise.games.seat_rules import SEAT_KEY, hands_of_seats
from keepwise.play import SINGLE_PLAYER_OBJECTIVES
from keepwise.play import playable as make_playable
from keepwise.play.game_file import GameFile, SeatedPlayer, is_python_policy
from keepwise.util.errors import InputError, KeepwiseError, abbreviate

from .arguments import GameCommand, odds_of
from .option_types import OneOf, WholeNumber
from .options import FOLLOWING, check_hands, game_options, load_game, naming_solve_command, read_game
from .progress import Progress
from .session import QUIT, UNNAMED_OPPONENT, GameFileWriter, LeaveError, Session, Settings, ask_line, check_new
from .terminal import fitted, say, width

if TYPE_CHECKING:
    from keepwise.api import Problem, Solution, SolvedProblem
    from keepwise.simulation.players import Adviser, Player
    from keepwise.simulation.seats import MistakePlayer

RANDOM_SEEDS = 2**31
DICE_OWNERS = ("program", "mine")
MAX_WAIT_SECONDS = 60.0  # before advice for points is offered instead, or given in a turn of beat


def table_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that play and coach share."""
    for decorate in (
        click.option(
            "--judge",
            metavar="OBJECTIVE",
            help="Give advice for another objective than that of the game, such as points (faster).",
        ),
        click.option("--silent", is_flag=True, help="Show what your choices cost only in the review."),
        click.option("--resume", metavar="FILE", help="Resume the game in this file."),
        click.option(
            "-o",
            "--output",
            metavar="FILE",
            help="Where to save the game (default: GAME.kw or your rule file's name, then GAME-2.kw, ...).",
        ),
        click.option("--turns", type=WholeNumber(), metavar="N", help="Objective reach: the number of turns."),
        click.option(
            "--goal",
            type=WholeNumber(),
            metavar="POINTS",
            help="Objective reach: the points to reach. Objective points: the score beyond which points count for"
            " nothing.",
        ),
        click.option(
            "--seat",
            "seats",
            metavar="NAME[=PLAYER]",
            multiple=True,
            help="A player, in turn order (repeatable). PLAYER is person, table (does not type here), best, easy,"
            " medium, hard or a policy such as hold:300. Without it, the player is a person; in coach, only the first.",
        ),
        click.option(
            "--players",
            type=WholeNumber(),
            metavar="N",
            help="The number of players (default: 2, or one for each --seat).",
        ),
        click.option(
            "--objective",
            metavar="OBJECTIVE",
            help="What to play for: win, points, turns, reach, ... (default: the first that keepwise games lists).",
        ),
    ):
        command = decorate(command)
    return game_options(command)


@click.command(cls=GameCommand)
@table_options
@click.option(
    "--opponent", metavar="PLAYER", help="Who plays against you (default: best; with --objective beat: best:points)."
)
@click.option("--seed", type=WholeNumber(), metavar="N", help="Seed of the dice (default: random, and printed).")
@click.option(
    "--dice",
    type=OneOf(DICE_OWNERS),
    default="program",
    show_default=True,
    help="Who rolls: the program, or you, typing each roll.",
)
@click.option("--verbose", is_flag=True, help="Show every roll and choice of the engines, not one line for each turn.")
def play(**options: Any) -> None:
    """Play a game against the engine or other people, with a review.

    The game is saved in a file after every entry, and can be resumed. At the prompt, help lists what you can type.

    \b
    PLAYER is one of
      person            somebody at this prompt
      table             somebody at the table, whose results you type
      best              the best player; best:points plays for points
      hold:300          banks with 300 points or more (push your luck)
      source            Battleship: the advice in its rules
      easy              makes mistakes, as do medium and hard (or weak, average
                        and strong); loses:0.01 loses this much on average for
                        each decision; with changed rules and in some games this
                        is measured first, which may take minutes
      sheet:2           follows the strategy sheet of this level, 1 to 4; sheet
                        is the sheet of level 3 for points
      FILE.py:FUNCTION  your own Python function: function(playable, position)
                        returns a choice, its words or its number

    \b
    Examples:
      keepwise play 5000 --opponent hold:350
      keepwise play pig --seat Ann --seat Bob --seat Cleo=hold:20 --dice mine
    """
    seed = options["seed"]
    if seed is not None and not 0 <= seed < 2**63:
        raise InputError(f"--seed must be between 0 and 2**63 - 1, not {seed}")
    _sit_down(coach=False, **options)


@click.command(cls=GameCommand)
@table_options
def coach(**options: Any) -> None:
    """Get advice while you play with your own dice at a table.

    Type each roll to see the best choices, then what you do: Enter alone takes the best one. For opponents, type the
    result of their turn, such as 450 or farkle. Only the first seat is you; use NAME=person for other people who type
    here. The game is saved in a file, and a review follows at the end.

    \b
    Examples:
      keepwise coach 5000
      keepwise coach zilch --seat You --seat Ann
    """
    _sit_down(coach=True, opponent="table", dice="mine", **options)


def _sit_down(
    coach: bool, silent: bool, judge: str | None, resume: str | None, verbose: bool = False, **options: Any
) -> None:
    """Begin a new game, or resume the one in a file."""
    settings = Settings(coach, silent, verbose)
    if resume is None:
        if options["objective"] == "beat":
            judge, options = _play_to_beat(judge, options)
        game = _new_game(coach, **options)
        path = Path(options["output"]) if options["output"] else _free_path(_file_stem(game, options))
        check_new(path)
        _run(game, lambda: GameFileWriter(path, game), judge, settings)
        return
    with GameFileWriter(Path(resume)) as log:  # locked before it is read, so that no line is added in between
        game = load_game(resume, options, "output")
        if coach and game.dice != "mine":
            raise InputError(f"the program rolls the dice in {resume}; resume it with keepwise play --resume {resume}")
        _seat_code(resume, game, [_parse_seat(text) for text in options["seats"]])
        _run(game, lambda: log, judge, settings)


def _play_to_beat(judge: str | None, options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the objective of the advice, and the options of a game for two, to play for the objective ``beat``.

    Its positions hold the opponent's card, but no turns of the opponent. So the game at the table is one for two
    players, in which an engine plays for the most points.

    Args:
        judge: the objective of the advice, if it is given.
        options: the options of the command, with the objective ``beat``.
    """
    if judge not in (None, "beat"):
        raise InputError(f"--judge {judge} cannot be combined with --objective beat; leave one of them out")
    read_game(options["game_id"], options["rules"], options["rule_file"]).check_objective("beat")
    players = options["players"] or max(2, len(options["seats"]))
    opponent = options["opponent"] or "best:points"
    return "beat", {**options, "objective": None, "players": players, "opponent": opponent}


def _new_game(coach: bool, opponent: str | None, dice: Literal["program", "mine"], **options: Any) -> GameFile:
    """Return a new game; seats without a --seat get people (coach) or engines (play)."""
    chosen_game = read_game(options["game_id"], options["rules"], options["rule_file"])
    default_player = "table" if coach else "person"
    named_seats = [
        _parse_seat(text, default_player if place else "person") for place, text in enumerate(options["seats"])
    ]
    players = options["players"] if options["players"] is not None else len(named_seats) or None
    is_solitary = options["objective"] is None and chosen_game.objectives[0] in SINGLE_PLAYER_OBJECTIVES
    can_be_won = "win" in (*chosen_game.objectives, *chosen_game.parts.always_played)
    if opponent and not coach and players is None and is_solitary and can_be_won:  # an opponent makes two players
        players = 2
    check_hands(click.get_current_context(), players, options["objective"])
    objective = options["objective"] or (chosen_game.objectives[0] if players is None else None)
    if len(named_seats) > 1 and options["players"] is None and objective in SINGLE_PLAYER_OBJECTIVES:
        raise InputError(
            f"the objective {objective} is for one player, so --seat must be given once, not {len(named_seats)} times;"
            " leave --objective out for several players"
        )
    playable = make_playable(chosen_game, players, objective=objective, goal=options["goal"], turns=options["turns"])
    if named_seats and len(named_seats) != playable.players:
        raise InputError(
            f"expected {playable.players} seats, got {len(named_seats)}; give --seat NAME=PLAYER for each player"
        )
    if opponent and playable.players == 1 and not coach:
        instead = " or give --objective win" if "win" in chosen_game.objectives else ""
        raise InputError(f"{chosen_game.id} for {playable.objective} has one player; leave --opponent out{instead}")
    if playable.players == 2:
        names = [UNNAMED_OPPONENT if coach else "Engine"]
    else:
        name, first_number = ("Player", 2) if coach else ("Engine", 1)
        names = [f"{name} {first_number + place}" for place in range(playable.players - 1)]
    seats = named_seats or [SeatedPlayer("You"), *(SeatedPlayer(name, opponent or "best") for name in names)]
    seed = options.get("seed")
    return GameFile(playable, tuple(seats), dice, random.randrange(RANDOM_SEEDS) if seed is None else seed)


def _parse_seat(text: str, default: str = "person") -> SeatedPlayer:
    """Return the seat that NAME=PLAYER describes; ``default``: the player if none is given."""
    name, _, player = text.partition("=")
    return SeatedPlayer(name.strip(), player.strip() or default)


def _file_stem(game: GameFile, options: dict[str, Any]) -> str:
    """Return how a new game file is named: like your rule file, or else like the game."""
    rule_file = Path(options["rule_file"] or options["game_id"])
    return rule_file.stem if rule_file.suffix == ".toml" else game.playable.game.id


def _free_path(stem: str) -> Path:
    """Return the first path for a new game file that does not exist yet: ``STEM.kw``, ``STEM-2.kw``, ..."""
    number = 1
    while (path := Path(f"{stem}.kw" if number == 1 else f"{stem}-{number}.kw")).exists():
        number += 1
    return path


def _seat_code(path: str, game: GameFile, seats: list[SeatedPlayer]) -> None:
    """Seat the players that are Python functions.

    A game file never decides which code runs, because it may come from somebody else: the command line must name it.
    """
    by_name = {seat.name.lower(): seat for seat in seats}
    code_seats = [seat for seat in game.seats if is_python_policy(seat.player)]
    if excess := set(by_name) - {seat.name.lower() for seat in code_seats}:
        raise InputError(f"{path} already sets the game; leave --seat {by_name[min(excess)].name} out")
    for seat in code_seats:
        if seat.name.lower() not in by_name or not is_python_policy(by_name[seat.name.lower()].player):
            raise InputError(
                f"{path} seats {seat.name} = {seat.player}, and game files cannot run code; if you trust it, add"
                f" --seat {shlex.quote(f'{seat.name}={seat.player}')}"
            )
    game.seats = tuple(by_name.get(seat.name.lower(), seat) for seat in game.seats)


def _code_options(game: GameFile) -> list[str]:
    """Return the options that --resume needs for players that are Python functions."""
    code_seats = (seat for seat in game.seats if is_python_policy(seat.player))
    return [word for seat in code_seats for word in ("--seat", f"{seat.name}={seat.player}")]


def _judge_option(judge: str | None) -> list[str]:
    """Return the option that --resume needs for the objective of the advice, which game files do not hold."""
    return [] if judge is None else ["--judge", judge]


def _adviser_of(game: GameFile, judge: str | None) -> Adviser:
    from keepwise.api import ask
    from keepwise.simulation.players import Adviser

    judging_problem = None if judge in (None, game.playable.objective) else ask(game.playable.game, judge)
    adviser = Adviser(
        game.playable,
        _solve,
        _solve_from,
        judging_problem,
        measure=_measure,
        draw=lambda: game.turn_draw,
        max_seconds=MAX_WAIT_SECONDS if judge == "beat" else math.inf,
    )
    return _adviser_of(game, "points") if judge is None and _prefers_points(adviser) else adviser


def _prefers_points(adviser: Adviser) -> bool:
    """Return whether the player prefers advice for points, because the game's own objective takes long to solve.

    Only somebody at a terminal is asked.
    """
    problem = adviser.problem
    if adviser.substitution or problem.objective in ("points", "reach") or "points" not in problem.game.objectives:
        return False
    if sys.stdin is None or not sys.stdin.isatty() or (cost := adviser.solve_cost).seconds < MAX_WAIT_SECONDS:
        return False
    click.echo(f"Advice for {problem.objective} must be solved first: {cost}. Advice for points is faster.")
    while (answer := ask_line("Use advice for points instead? yes or no> ").lower()) not in ("y", "yes", "n", "no"):
        if answer in QUIT:
            raise LeaveError
        click.echo(f"  type yes or no, not {abbreviate(answer) or 'an empty line'}")
    return answer in ("y", "yes")


def _measure(solved: SolvedProblem, name: str) -> MistakePlayer:
    from keepwise.simulation.grades import make_mistake_player

    with naming_solve_command(solved.playable), Progress(f"measuring the mistakes of {name}") as progress:
        return make_mistake_player(solved, name, progress=progress)


def _solve(problem: Problem[Any]) -> Solution:
    from keepwise.api import solve_problem

    with naming_solve_command(problem.playable), Progress(f"solving {problem.game.id}") as progress:
        return solve_problem(problem, progress=progress)


def _solve_from(solution: SolvedProblem, position: Any) -> SolvedProblem:
    with naming_solve_command(solution.playable), Progress(FOLLOWING) as progress:
        return solution.restricted_to(position, progress=progress)


def _run(game: GameFile, open_log: Callable[[], GameFileWriter], judge: str | None, settings: Settings) -> None:
    """Play a game to its review; the log is opened once every player is ready."""
    if judge is not None:
        game.playable.game.check_objective(judge)
        if judge == "beat" and game.playable.players != 2:
            raise InputError(f"advice for beat requires two players, not {game.playable.players}")

    @cache
    def adviser() -> Adviser:
        new_adviser = _adviser_of(game, judge)
        if new_adviser.substitution:
            say(new_adviser.substitution, "  ")
        return new_adviser

    try:
        players = _players(game, adviser)
    except LeaveError:
        return
    with open_log() as log:
        seed = [f"seed {game.seed}"] if game.dice == "program" else []
        objective = game.playable.objective
        is_solved = objective in game.playable.game.objectives
        aim = objective if is_solved else f"{game.playable.players} players"
        heading = [game.playable.game.title, aim, *seed, f"saved in {log.path}"]
        lines = [" · ".join(heading), *_describe_seats(game), *odds_of(game.playable.game.rules, is_hint_given=True)]
        click.echo(fitted("\n".join(lines)))
        if not settings.coach and game.playable.players == 1 and "win" in game.playable.game.parts.always_played:
            click.echo("You play alone, for points; --opponent medium adds an opponent.")
        click.echo("Type help to see what you can enter.")
        command = "coach" if settings.coach else "play"
        resume_command = shlex.join(
            ["keepwise", command, "--resume", str(log.path), *_judge_option(judge), *_code_options(game)]
        )
        farewell = f"saved in {log.path}; to resume: {resume_command}"
        session = Session(game, players, adviser, log, settings)
        try:
            session.run()
            finish(game, adviser(), log.path)
            while session.is_resumed_after_end():
                session.run()
                finish(game, adviser(), log.path)
        except (LeaveError, KeyboardInterrupt):
            click.echo(farewell)
        except (KeepwiseError, OSError, MemoryError):
            click.echo(farewell)
            raise


def _describe_seats(game: GameFile) -> list[str]:
    """Return a line with the dice and other rules of each seat, if they are chosen from a catalogue or differ."""
    from keepwise.games.dice_catalogue import format_hand

    rules = game.playable.game.rules
    hands = [format_hand(hand) for hand in hands_of_seats(game.playable.game, len(game.seats))]
    if not rules.get(SEAT_KEY):
        return [f"hand {hands[0]}"] if HAND_KEY in rules else []
    parts = []
    for number, (seat, hand) in enumerate(zip(game.seats, hands, strict=True), 1):
        changes = {key: value for key, value in rules[SEAT_KEY].get(str(number), {}).items() if key != HAND_KEY}
        own = [hand] * bool(hand) + [f"{key}={str(value).lower()}" for key, value in changes.items()]
        parts += [f"{seat.name}: {', '.join(own)}"] * bool(own)
    return [" · ".join(parts)]


def _players(game: GameFile, adviser: Callable[[], Adviser]) -> list[Player | None]:
    """Return the player of each seat, None for people."""
    names = [seat.player for seat in game.seats]
    if set(names) <= {"person", "table"}:
        return [None] * len(names)
    from keepwise.simulation.players import make_players

    solved_adviser = adviser()
    with Progress("preparing the other players"):
        return make_players(names, solved_adviser, game.seed)


def finish(game: GameFile, adviser: Adviser, path: Path) -> None:
    """Print the winner, the score sheet and the review.

    Args:
        game: the game.
        adviser: the adviser of the game.
        path: the game file.
    """
    from keepwise.play.card_display import format_scorecards
    from keepwise.reviews import review
    from keepwise.reviews.text import format_text, score_sheet
    from keepwise.util.text import join_with_and

    shares = game.playable.payoffs(game.position)
    winners = [seat.name for seat, share in zip(game.seats, shares, strict=True) if share == max(shares)]
    if game.playable.players > 1:
        singular = "win" if winners == ["You"] else "wins"
        verb = singular if len(winners) == 1 else "share the win"
        click.echo(f"\n{join_with_and(winners)} {verb}.")
    click.echo("\nScore sheet")
    # The scorecard also shows the bonus, which belongs to no turn.
    for line in [*score_sheet(game, width()), *format_scorecards(game, width())]:
        click.echo(fitted(line))
    click.echo()
    if adviser.substitution:
        _review_seats(game, adviser, path)
        return
    solution = adviser.solved_at(game.start)
    with naming_solve_command(game.playable), Progress(FOLLOWING) as progress:
        game_review = review(solution, game, progress=progress)
    click.echo(format_text(game_review, width()), nl=False)


def _seat_to_review(problem: Problem[Any], game: GameFile, seat: int) -> GameFile | None:
    """Return the game of one seat; None, after saying why, if it cannot be reviewed, as if an entry wins at once."""
    from keepwise.reviews.one_seat import game_of_one_seat

    try:
        return game_of_one_seat(problem, game, seat)
    except InputError as error:
        click.echo(f"No review of {game.seats[seat].name}: {error}.")
        return None


def _review_seats(game: GameFile, adviser: Adviser, path: Path) -> None:
    """Print a review of the seat of each person by the problem that gave the advice, if it can judge one seat.

    Args:
        game: the game.
        adviser: the adviser, whose problem is not that of the game.
        path: the game file.
    """
    from keepwise.reviews import review
    from keepwise.reviews.one_seat import can_judge_seats, estimate_partial_solves, seats_of_people
    from keepwise.reviews.text import format_text

    problem = adviser.problem
    if not can_judge_seats(problem):
        click.echo(f"No review: {adviser.substitution.partition(':')[0]}.")
        return
    games = [one_seat_game for seat in seats_of_people(game) if (one_seat_game := _seat_to_review(problem, game, seat))]
    if not games:
        return
    cost = estimate_partial_solves(problem, games)
    if cost.seconds > MAX_WAIT_SECONDS:
        command = shlex.join(["keepwise", "review", str(path), "--judge", problem.objective])
        say(f"The review for {problem.objective} takes {cost}; to run it: {command}")
        return
    for one_seat_game in games:
        with naming_solve_command(game.playable), Progress(FOLLOWING) as progress:
            click.echo(format_text(review(adviser.solution, one_seat_game, progress=progress), width()), nl=False)
