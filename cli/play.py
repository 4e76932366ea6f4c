"""``keepwise play`` and ``keepwise coach``: an evening at the table."""

from __future__ import annotations

import random
import shlex
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from keepwise.play import play as table_of
from keepwise.play.game_file import GameFile, Seated, is_code
from keepwise.util.errors import InputError, KeepwiseError, abbreviate

from .arguments import Naming, odds_of
from .options import FOLLOWING, game_options, read_game, told_game, whole_table_made
from .progress import Progress
from .session import QUIT, Keeper, LeaveError, Manner, Session, ask_line, check_new
from .terminal import fitted, say, width

if TYPE_CHECKING:
    from keepwise.api import Problem, Solution, SolvedProblem
    from keepwise.simulation.players import Adviser, Player
    from keepwise.simulation.seats import Graded

SEEDS = 2**31
DICE = ("program", "mine")
LONG = 60.0  # seconds that nobody waits for without having been asked


def table_options(command: Callable[..., None]) -> Callable[..., None]:
    """What play and coach share."""
    for decorate in (
        click.option("--judge", metavar="OBJECTIVE", help="Advice by another objective, such as points."),
        click.option("--silent", is_flag=True, help="Say what choices cost only at the end."),
        click.option("--resume", metavar="FILE", help="Go on with the game of a file."),
        click.option("-o", "--output", metavar="FILE", help="The game's file (default: GAME.kw, GAME-2.kw, ... here)."),
        click.option("--turns", type=int, help="Turns, for reach."),
        click.option("--goal", type=int, help="Points to reach, for reach."),
        click.option("--seat", "seats", metavar="NAME[=PLAYER]", multiple=True, help="A seat, in order (repeatable)."),
        click.option("--players", type=int, help="Number of players (default: 2, or as many as seats)."),
        click.option("--objective", help="win, points, turns, reach, ... (default: the game's first)."),
    ):
        command = decorate(command)
    return game_options(command)


@click.command(cls=Naming)
@table_options
@click.option("--opponent", metavar="PLAYER", help="Who plays the other seats (default: best).")
@click.option("--seed", type=int, help="Seed of the dice (default: drawn, and told).")
@click.option("--dice", type=click.Choice(DICE), default="program", help="Who throws; mine: you type what falls.")
@click.option("--verbose", is_flag=True, help="Say every throw and choice of the other players, not a line a turn.")
def play(**options: Any) -> None:
    """Play a game against the engine or other people; at the end the score sheet and the review.

    \b
    PLAYER is one of
      person            somebody at this prompt
      best              the best player; best:points, that of another objective
      hold:300          banks from so many points on (push your luck)
      source            Battleship by its source's advice
      average           makes mistakes, as do strong and weak; loses:0.01, of
                        this size on average
      sheet:2           the printed sheet of a level, 1 to 4; sheet: that of
                        level 3 for the most points
      FILE.py:FUNCTION  a function of your own: function(table, position)
                        returns a choice, its words or its number

    \b
    Examples:
      keepwise play 5000 --opponent hold:350
      keepwise play pig --seat Ann --seat Bob --seat Cleo=hold:20 --dice mine
    """
    seed = options["seed"]
    if seed is not None and not 0 <= seed < 2**63:
        raise InputError(f"seed {seed} must be a whole number from 0 on")
    _sit_down(coach=False, **options)


@click.command(cls=Naming)
@table_options
def coach(**options: Any) -> None:
    """Sit beside your own dice: type what fell and get advice, type what you did, and what the others' turns brought.

    Enter alone does what is advised. Of others 450, bust or the like is enough; roll and dice tell their turn in full.

    \b
    Examples:
      keepwise coach 5000
      keepwise coach farkle --seat You --seat Ann=table
    """
    _sit_down(coach=True, opponent="table", dice="mine", **options)


def _sit_down(
    coach: bool, silent: bool, judge: str | None, resume: str | None, verbose: bool = False, **options: Any
) -> None:
    """Begin a game, or go on with that of a file."""
    how = Manner(coach, silent, verbose)
    if resume is None:
        game = _new_game(coach, **options)
        path = Path(options["output"]) if options["output"] else _free(game.table.game.id)
        check_new(path)
        _run(game, lambda: Keeper(path, game), judge, how)
        return
    with Keeper(Path(resume)) as keeper:  # before it is read, so that no line comes after what is read
        game = told_game(resume, options, "output")
        if coach and game.dice != "mine":
            raise InputError(f"{resume} is a game whose dice the program throws: keepwise play --resume {resume}")
        _seat_code(resume, game, [_seated(text) for text in options["seats"]])
        _run(game, lambda: keeper, judge, how)


def _new_game(coach: bool, opponent: str | None, dice: Literal["program", "mine"], **options: Any) -> GameFile:
    """A new game; seats that nobody has named are those of a table of people, or of engines."""
    one = read_game(options["game_id"], options["rules"], options["rule_file"])
    told = [_seated(text) for text in options["seats"]]
    players = options["players"] or (len(told) or None)
    objective = options["objective"] or (one.objectives[0] if players is None else None)
    table = table_of(one, players, objective=objective, goal=options["goal"], turns=options["turns"])
    if told and len(told) != table.players:
        raise InputError(f"{table.players} seats play this game, and {len(told)} are told: --seat NAME=PLAYER for each")
    if opponent and table.players == 1 and not coach:
        instead = " or say --objective win" if "win" in one.objectives else ""
        raise InputError(f"{one.id} for {table.objective} is played alone: leave --opponent out{instead}")
    one_other, name, first = ("Opponent", "Player", 2) if coach else ("Engine", "Engine", 1)
    names = [one_other] if table.players == 2 else [f"{name} {first + place}" for place in range(table.players - 1)]
    seats = told or [Seated("You"), *(Seated(name, opponent or "best") for name in names)]
    drawn = options.get("seed")
    return GameFile(table, tuple(seats), dice, random.randrange(SEEDS) if drawn is None else drawn)


def _seated(text: str) -> Seated:
    name, _, player = text.partition("=")
    return Seated(name.strip(), player.strip() or "person")


def _free(game_id: str) -> Path:
    """The first name that no file has yet."""
    number = 1
    while (path := Path(f"{game_id}.kw" if number == 1 else f"{game_id}-{number}.kw")).exists():
        number += 1
    return path


def _seat_code(path: str, game: GameFile, told: list[Seated]) -> None:
    """Seat who plays from Python. No file says which code is run: what stands there in a game file is a name, and who
    sits here says what is run.
    """
    by_name = {seat.name.lower(): seat for seat in told}
    theirs = [seat for seat in game.seats if is_code(seat.player)]
    if needless := set(by_name) - {seat.name.lower() for seat in theirs}:
        raise InputError(f"{path} tells the game: leave --seat {by_name[min(needless)].name} out")
    for seat in theirs:
        if seat.name.lower() not in by_name or not is_code(by_name[seat.name.lower()].player):
            raise InputError(
                f"{path} seats {seat.name} = {seat.player}, and no game file runs code: if that is yours, say so with"
                f" --seat {shlex.quote(f'{seat.name}={seat.player}')}"
            )
    game.seats = tuple(by_name.get(seat.name.lower(), seat) for seat in game.seats)


def _code_told(game: GameFile) -> list[str]:
    """What must be said again of who plays from Python."""
    theirs = (seat for seat in game.seats if is_code(seat.player))
    return [word for seat in theirs for word in ("--seat", f"{seat.name}={seat.player}")]


def _adviser_of(game: GameFile, judge: str | None) -> Adviser:
    from keepwise.api import ask
    from keepwise.simulation.players import Adviser

    instead = None if judge in (None, game.table.objective) else ask(game.table.game, judge)
    adviser = Adviser(game.table, _solved, _followed, instead, measure=_measured, draw=lambda: game.draw)
    return _adviser_of(game, "points") if judge is None and _rather_points(adviser) else adviser


def _rather_points(adviser: Adviser) -> bool:
    """Ask who sits at a terminal whether advice for points will do, where the game's own question takes long."""
    match = adviser.match
    if adviser.instead or match.objective in ("points", "reach") or "points" not in match.game.objectives:
        return False
    if sys.stdin is None or not sys.stdin.isatty() or (cost := adviser.wait).seconds < LONG:
        return False
    click.echo(f"Advice for {match.objective} is solved first: {cost}; for points it comes sooner.")
    while (answer := ask_line("Advice for points instead? yes or no> ").lower()) not in ("y", "yes", "n", "no"):
        if answer in QUIT:
            raise LeaveError
        click.echo(f"  {abbreviate(answer) or 'that'} is neither yes nor no")
    return answer in ("y", "yes")


def _measured(match: Problem[Any], solved: Any, name: str) -> Graded:
    from keepwise.simulation.grades import graded

    with whole_table_made(match.playable), Progress(f"measuring the mistakes of {name}") as progress:
        return graded(match, solved, name, progress=progress)


def _solved(match: Problem[Any]) -> Solution:
    from keepwise.api import solve_problem

    with whole_table_made(match.playable), Progress(f"solving {match.game.id}") as progress:
        return solve_problem(match, progress=progress)


def _followed(solution: SolvedProblem, position: Any) -> SolvedProblem:
    with whole_table_made(solution.playable), Progress(FOLLOWING) as progress:
        return solution.restricted_to(position, progress=progress)


def _run(game: GameFile, begin: Callable[[], Keeper], judge: str | None, how: Manner) -> None:
    """Play; at the end the score sheet and the review. A file is begun once everybody is known to play."""
    if judge is not None:
        game.table.game.check_objective(judge)

    @cache
    def adviser() -> Adviser:
        made = _adviser_of(game, judge)
        if made.instead:
            say(made.instead, "  ")
        return made

    try:
        players = _players(game, adviser)
    except LeaveError:
        return
    with begin() as keeper:
        seed = [f"seed {game.seed}"] if game.dice == "program" else []
        told = [game.table.game.title, game.table.objective, *seed, f"kept in {keeper.path}"]
        click.echo(fitted("\n".join([" · ".join(told), *odds_of(game.table.game.rules)])))
        click.echo("help lists what to type")
        words = ["keepwise", "coach" if how.coach else "play", "--resume", str(keeper.path), *_code_told(game)]
        again = f"kept in {keeper.path}: {shlex.join(words)} goes on"
        session = Session(game, players, adviser, keeper, how)
        try:
            session.run()
            finish(game, adviser())
            while session.taken_back():
                session.run()
                finish(game, adviser())
        except (LeaveError, KeyboardInterrupt):
            click.echo(again)
        except (KeepwiseError, OSError, MemoryError):
            click.echo(again)
            raise


def _players(game: GameFile, adviser: Callable[[], Adviser]) -> list[Player | None]:
    """Who plays each seat, None for people."""
    named = [seat.player for seat in game.seats]
    if set(named) <= {"person", "table"}:
        return [None] * len(named)
    from keepwise.simulation.players import find_players

    made = adviser()
    with Progress("getting the other players ready"):
        return find_players(named, made, game.seed)


def finish(game: GameFile, adviser: Adviser) -> None:
    """Who won, the score sheet, the review."""
    from keepwise.play.card_display import card_lines
    from keepwise.reviews import review
    from keepwise.reviews.text import score_sheet, text

    shares = game.table.outcome(game.position)
    winners = [seat.name for seat, share in zip(game.seats, shares, strict=True) if share == max(shares)]
    if game.table.players > 1:
        says = "share it" if len(winners) > 1 else "win" if winners == ["You"] else "wins"
        click.echo(f"\n{' and '.join(winners)} {says}.")
    click.echo("\nScore sheet")
    for line in [
        *score_sheet(game, width()),
        *card_lines(game, width()),
    ]:  # under a card stands its bonus, which no turn brought
        click.echo(fitted(line))
    click.echo()
    if adviser.instead:
        click.echo(f"No review: {adviser.instead.partition(':')[0]}.")
        return
    solution = adviser.at(game.start)
    with whole_table_made(game.table), Progress(FOLLOWING) as progress:
        judged = review(solution, game, progress=progress)
    click.echo(text(judged, width()), nl=False)
