"""``keepwise review``: games judged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from keepwise.play.game_file import read_game_file
from keepwise.util.errors import InputError
from keepwise.util.text import LINE_WIDTH

from .options import FOLLOWING, json_option, put, whole_table_made
from .progress import Progress
from .terminal import width

if TYPE_CHECKING:
    from keepwise.api import Problem
    from keepwise.play.game_file import GameFile
    from keepwise.reviews import Review

FORMS = ("text", "markdown", "html", "json")


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("-f", "--format", "form", type=click.Choice(FORMS), help="text, markdown, html or json (default: text).")
@click.option(
    "-o", "--output", metavar="FILE", help="Write to a file; its ending (.md, .html, .json) tells the format."
)
@json_option
def review(files: tuple[str, ...], form: str | None, output: str | None, as_json: bool) -> None:
    """Judge games: what everybody's decisions cost, how much was luck, the costliest decisions and why.

    Of several files each game in a line and every player's record. A page in HTML shows the games turn by turn: step
    through with the arrow keys, or decide again before you see what was best.

    \b
    Examples:
      keepwise review pig.kw
      keepwise review monday.kw tuesday.kw
      keepwise review monday.kw tuesday.kw -o games.html
    """
    form = "json" if as_json else form or _by_ending(output)
    if form not in FORMS:
        raise InputError(f"{output} must end in .txt, .md, .html or .json, or say --format")
    if output is not None:
        from keepwise.storage.files import check_writable

        check_writable(output)
    games = [read_game_file(file) for file in files]
    asked = [game_question(file, game) for file, game in zip(files, games, strict=True)]
    from keepwise.reviews import announced_reviews, review_cost

    costs = []
    for match, game in zip(asked, games, strict=True):
        with whole_table_made(game.table):
            costs.append((match, review_cost(match, game)))
    with announced_reviews(costs):
        judged = [(file, _judge(match, game)) for file, match, game in zip(files, asked, games, strict=True)]
        with Progress("finding levels"):
            told = _told(judged, form, width() if output is None else LINE_WIDTH)
    put(told, output)


def _by_ending(output: str | None) -> str:
    ending = (output or "review.txt").rpartition(".")[2].lower()
    return {"txt": "text", "md": "markdown", "html": "html", "htm": "html", "json": "json"}.get(ending, "")


def _judge(asked: Problem[Any], game: GameFile) -> Review:
    """A game by the values of its own question."""
    from keepwise.api import solve_problem
    from keepwise.reviews import review as judge

    with whole_table_made(game.table), Progress(f"solving {game.table.game.id}") as progress:
        solution = solve_problem(asked, progress=progress)
    with whole_table_made(game.table), Progress(FOLLOWING) as progress:
        return judge(solution, game, progress=progress)


def game_question(file: str, game: GameFile) -> Problem[Any]:
    """The question by whose values a game is judged."""
    from keepwise.simulation.players import Adviser

    adviser = Adviser(game.table)
    if adviser.instead:
        raise InputError(f"{file} cannot be judged: {adviser.instead.partition(':')[0]}")
    return adviser.match


def _told(judged: list[tuple[str, Review]], form: str, columns: int) -> str:
    from keepwise.reviews.text import markdown, record, record_text, text

    reviews = [one for _, one in judged]
    if form == "html":
        from keepwise.reviews.html_page import page

        return page(judged)
    if form == "json":
        games = [{"file": file, **one.as_json()} for file, one in judged]
        return json.dumps(games[0] if len(games) == 1 else {"games": games, "record": record(judged)}, indent=2) + "\n"
    if len(judged) == 1:
        return markdown(reviews[0]) if form == "markdown" else text(reviews[0], columns)
    return record_text(judged, columns)
