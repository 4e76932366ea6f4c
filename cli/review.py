"""``keepwise review``: what the decisions of a played game cost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from keepwise.play.game_file import read_game_file
from keepwise.util.errors import InputError, list_allowed
from keepwise.util.text import LINE_WIDTH

from .arguments import PlainCommand
from .option_types import OneOf
from .options import FOLLOWING, json_option, naming_solve_command, write_output
from .progress import Progress
from .terminal import width

if TYPE_CHECKING:
    from keepwise.api import Problem
    from keepwise.play.game_file import GameFile
    from keepwise.reviews import Review

FORMS = ("text", "markdown", "html", "json")


@click.command(cls=PlainCommand)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "-f",
    "--format",
    "form",
    type=OneOf(FORMS),
    help="The format (default: by the ending of the output file, else text).",
)
@click.option(
    "-o", "--output", metavar="FILE", help="Write to a file; its ending sets the format: .txt, .md, .html or .json."
)
@click.option(
    "--judge",
    metavar="OBJECTIVE",
    help="Scorecards for several players: review the choices of one seat for points, or for beat (the chance to end"
    " above an opponent who plays for points).",
)
@click.option("--seat", metavar="NAME", help="With --judge: whose game it is (default: the first person's).")
@json_option
def review(
    files: tuple[str, ...], form: str | None, output: str | None, judge: str | None, seat: str | None, as_json: bool
) -> None:
    """Review played games: luck, mistakes and the costliest decisions.

    FILE is a game file that keepwise play or keepwise coach saved. Several files give one line for each game, and a
    record for every player. The HTML format shows the games turn by turn: step through them with the arrow keys, or
    decide again before you see what was best.

    \b
    Examples:
      keepwise review pig.kw
      keepwise review monday.kw tuesday.kw
      keepwise review monday.kw tuesday.kw -o games.html
      keepwise review yahtzee.kw --judge points --seat Ann
    pig.kw and the others are files that keepwise play saved.
    """
    if seat is not None and judge is None:
        raise InputError("--seat requires --judge: without it, every seat is reviewed")
    form = "json" if as_json else form or _by_ending(output)
    if form not in FORMS:
        raise InputError(f"{output} must end in .txt, .md, .html or .json; otherwise give --format")
    if output is not None:
        from keepwise.storage.files import check_writable

        check_writable(output)
    games = [read_game_file(file) for file in files]
    if judge is None:
        problems = [judging_problem(file, game) for file, game in zip(files, games, strict=True)]
    else:
        judged = [_judge_seat(game, judge, seat) for game in games]
        problems, games = [problem for problem, _ in judged], [game for _, game in judged]
    from keepwise.reviews import announce_reviews, estimate_review_cost

    costs = []
    for problem, game in zip(problems, games, strict=True):
        with naming_solve_command(game.playable):
            costs.append((problem, estimate_review_cost(problem, game)))
    with announce_reviews(costs):
        reviews = [(file, _review(problem, game)) for file, problem, game in zip(files, problems, games, strict=True)]
        with Progress("finding levels"):
            text = _render(reviews, form, width() if output is None else LINE_WIDTH)
    write_output(text, output)


def _by_ending(output: str | None) -> str:
    ending = (output or "review.txt").rpartition(".")[2].lower()
    return {"txt": "text", "md": "markdown", "html": "html", "htm": "html", "json": "json"}.get(ending, "")


def _review(problem: Problem[Any], game: GameFile) -> Review:
    """Return the review of a game by the values of its own problem."""
    from keepwise.api import solve_problem
    from keepwise.reviews import review as make_review

    with naming_solve_command(game.playable), Progress(f"solving {game.playable.game.id}") as progress:
        solution = solve_problem(problem, progress=progress)
    with naming_solve_command(game.playable), Progress(FOLLOWING) as progress:
        return make_review(solution, game, progress=progress)


def _judge_seat(game: GameFile, judge: str, name: str | None) -> tuple[Problem[Any], GameFile]:
    """Return the problem that judges one seat of a game, and the game of this seat.

    Args:
        game: the game.
        judge: the objective.
        name: the name of the seat; None for the first person.
    """
    from keepwise.api import ask
    from keepwise.reviews.one_seat import game_of_one_seat, seats_of_people

    seat = seats_of_people(game)[0]
    if name is not None:
        names = [seated.name for seated in game.seats]
        if name not in names:
            raise InputError(f"--seat must be {list_allowed(names)}, not {name}")
        seat = names.index(name)
    problem = ask(game.playable.game, judge)
    return problem, game_of_one_seat(problem, game, seat)


def judging_problem(file: str, game: GameFile) -> Problem[Any]:
    """Return the problem by whose values a game is judged."""
    from keepwise.reviews.one_seat import can_judge_seats
    from keepwise.simulation.players import Adviser

    adviser = Adviser(game.playable)
    if adviser.substitution:
        hint = "; keepwise review --judge points reviews one seat" if can_judge_seats(adviser.problem) else ""
        raise InputError(f"{file} cannot be reviewed: {adviser.substitution.partition(':')[0]}{hint}")
    return adviser.problem


def _render(reviews: list[tuple[str, Review]], form: str, columns: int) -> str:
    from keepwise.reviews.text import format_markdown, format_record, format_text, make_record

    if form == "html":
        from keepwise.reviews.html_page import render_html

        return render_html(reviews)
    if form == "json":
        games = [{"file": file, **review.as_json()} for file, review in reviews]
        return (
            json.dumps(games[0] if len(games) == 1 else {"games": games, "record": make_record(reviews)}, indent=2)
            + "\n"
        )
    if len(reviews) == 1:
        (_, review), *_ = reviews
        return format_markdown(review) if form == "markdown" else format_text(review, columns)
    return format_record(reviews, columns)
