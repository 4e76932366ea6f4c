"""``keepwise export``: rows, sheets and models as files."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from keepwise.games import Game
from keepwise.util.errors import InputError, suggest_name
from keepwise.util.number_format import format_count

from .arguments import Asking
from .options import Asked, announce_beside, find_question, json_option, position_option, question_options
from .progress import Progress

if TYPE_CHECKING:
    from keepwise.api import Problem, Solution

PRINTED = ("csv", "jsonl", "json", "text", "markdown", "html", "latex")  # to the terminal or a pipe, without a file
ROWS = ("csv", "jsonl", "json", "npz", "parquet", "arrow")
SHEETS = ("text", "markdown", "html", "latex", "pdf")
MODELS = ("drn", "prism", "prism-explicit", "umb", "graphml", "dot")
ENDINGS = {"txt": "text", "md": "markdown", "htm": "html", "tex": "latex", "feather": "arrow", "tra": "prism-explicit"}


@click.command(cls=Asking)
@partial(question_options, first="the game's first; for sheets points or margin, if the game has them")
@position_option
@click.option("-f", "--format", "form", metavar="FORMAT", help="As below (default: by the ending of FILE).")
@click.option("-o", "--output", metavar="FILE", help="Where to write (default: csv, json and sheets are printed).")
@click.option("--detail", metavar="WHAT", help="Rows: values, throws (bank or roll) or rolls (what to keep).")
@click.option("--policy", metavar="POLICY", help="Models: the chain that best or hold:300 induces.")
@click.option("--sheet", "level", metavar="LEVEL", help="Sheets: 1 (a sentence), 2 (numbers), 3 (a page) or 4.")
@json_option
def export(
    form: str | None,
    output: str | None,
    detail: str | None,
    policy: str | None,
    level: str | None,
    as_json: bool,
    position: dict[str, Any],
    position_id: str | None,
    **options: Any,
) -> None:
    """Write a solution to a file: its rows, a sheet to play by, or a model for other tools.

    \b
    Rows    csv jsonl json npz parquet arrow: positions, values, best choices,
            what the runner-up costs; options such as --score restrict them
    Sheets  text markdown html latex pdf: one page to play by, and exactly what
            that costs; --sheet alone prints text
    Models  drn prism prism-explicit umb: the decision process for model
            checkers; graphml dot: the graph of a turn

    \b
    Examples:
      keepwise export pig -f text
      keepwise export 5000 --sheet 2
      keepwise export 5000 --objective points --score 500 -o 5000.csv
      keepwise export pig --score 90 -f jsonl
      keepwise export pig --objective turns -o pig.drn
    """
    if output == "-":
        output = None
    form = "text" if level is not None and form is output is None else _form(form, output)
    if output is not None:
        from keepwise.storage.files import check_writable

        check_writable(output)
    elif form not in PRINTED:
        raise InputError(f"{form} is written to a file: say which with -o FILE")
    elif as_json and form in ROWS:
        raise InputError("rows that are printed leave no room for --json: say where they go with -o FILE")
    if level is not None and form not in SHEETS:
        raise InputError("--sheet is for the formats of sheets: text, markdown, html, latex or pdf")
    alone = form in SHEETS and options["players"] in (None, 1)
    asked = find_question(options, position_id, _sheet_objective if alone else None)
    given = position
    if position_id is not None:
        given = {**asked.match.playable.tell(asked.match.playable.position(position_id)), **position}
    if form in ROWS:
        if output is None:
            with tempfile.TemporaryDirectory() as folder:
                _rows(asked, form, os.path.join(folder, "rows"), detail, policy, given)
                _print(os.path.join(folder, "rows"))
            return
        solution, told = _rows(asked, form, output, detail, policy, given)
        announce_beside(output, form)
    elif form in SHEETS:
        _refuse(given, detail, policy, "a sheet")
        solution, told = _sheet(asked, form, output, level)
    else:
        _refuse(given, detail, None, "a model")
        solution, told = _model(asked, form, str(output), policy)
    if as_json:
        click.echo(json.dumps({**solution.head, "output": output, "format": form, **told}, indent=2))
    elif output is None:
        click.echo(told["sheet"], nl=False)
    else:
        click.echo(_words(output, asked.match, told))


def _sheet_objective(game: Game, _: int | None) -> str | None:
    """Return the default objective of a strategy sheet; None for the game's first."""
    return next((one for one in ("points", "margin") if one in game.objectives), None)


def _print(path: str) -> None:
    """Write a file to the standard output as it is."""
    with open(path, "rb") as file:
        shutil.copyfileobj(file, sys.stdout.buffer)
    sys.stdout.flush()


def _words(output: str, match: Problem[Any], told: dict[str, Any]) -> str:
    """Return the line that reports a written file: its objective, the number of players, and its counts."""
    counts = ", ".join(f"{value:,} {key}" for key, value in told.items())
    written = f"{output} ({match.objective}, {format_count(match.players, 'player')})"
    return f"{written}: {counts}" if counts else f"{written} is written"


def _form(form: str | None, output: str | None) -> str:
    known = (*ROWS, *SHEETS, *MODELS)
    if form is None:
        if output is None:
            raise InputError(f"say what: -f text prints a sheet, -f csv rows; -f is one of {', '.join(known)}")
        ending = Path(output).suffix.lstrip(".").lower()
        form = ENDINGS.get(ending, ending)
        if form not in known:
            raise InputError(f"the ending of {output} names no format; say -f, one of {', '.join(known)}")
    if form not in known:
        raise InputError(f"there is no format {form}{suggest_name(form, known)}")
    return form


def _refuse(given: dict[str, Any], detail: str | None, policy: str | None, what: str) -> None:
    if given:
        raise InputError(f"{what} is for the whole game: leave --{next(iter(given)).replace('_', '-')} out")
    if detail is not None or policy is not None:
        raise InputError(f"{what} takes no --{'detail' if detail is not None else 'policy'}")


def _rows(
    asked: Asked, form: str, output: str, detail: str | None, policy: str | None, given: dict[str, Any]
) -> tuple[Solution, dict[str, Any]]:
    from keepwise.api import ANNOUNCED_SECONDS_OF_TIMED_ESTIMATES, check_cost, check_rows
    from keepwise.output.exports.rows import check_form, row_size
    from keepwise.output.exports.rows import export as write

    if policy not in (None, "best", "optimal"):
        raise InputError(f"rows are those of the best play, --policy best, not of {policy}; evaluate judges others")
    check_form(form)
    check_rows(asked.match, detail, given)
    solution = asked.solution()
    with Progress("estimating the rows"):
        listed = solution.policy(detail, **given)
        cost = listed.cost(partial(row_size, form))
    check_cost(
        f"writing the rows of {solution.game.title}",
        cost,
        asked.anyway,
        min_seconds=ANNOUNCED_SECONDS_OF_TIMED_ESTIMATES,
    )
    with Progress("writing rows") as progress:
        return solution, {"rows": write(listed, output, form, progress)}


def _sheet(asked: Asked, form: str, output: str | None, told: str | None) -> tuple[Solution, dict[str, Any]]:
    from keepwise.output.sheets import check_sheet, checked_level, make_sheet
    from keepwise.output.sheets.render import TEXTS, check_pdf, write_pdf
    from keepwise.storage.files import write_atomically

    if form == "pdf":
        check_pdf()
    level = None if told is None else checked_level(told)
    check_sheet(asked.match, level)
    solution = asked.solution()
    with Progress("making the sheet") as progress:
        sheet = make_sheet(solution, progress, level)
    if form == "pdf":
        write_pdf(sheet, str(output))
        return solution, {}
    words = TEXTS[form](sheet)
    if output is None:
        return solution, {"sheet": words}
    with write_atomically(output) as file:
        file.write(words.encode())
    return solution, {}


def _model(asked: Asked, form: str, output: str, policy: str | None) -> tuple[Solution, dict[str, Any]]:
    from keepwise.output.exports.models import check_model

    check_model(asked.match, form, policy)
    solution = asked.solution()
    with Progress("building the model") as progress:
        process = solution.model(output, form, policy, progress)
    told = {"states": len(process.names), "actions": process.choices, "transitions": process.branches}
    return solution, told
