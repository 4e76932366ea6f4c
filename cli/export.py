"""``keepwise export``: a solution as rows, a strategy sheet or a model; and the table of hands against hands."""

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
from keepwise.util.errors import InputError, closest_name
from keepwise.util.number_format import format_count

from .arguments import PositionCommand
from .matchups import export_hands, hands_file
from .options import SolveRequest, json_option, position_option, problem_options, read_request, report_description_file
from .progress import Progress

if TYPE_CHECKING:
    from keepwise.api import Problem, Solution

PRINTABLE = ("csv", "jsonl", "json", "text", "markdown", "html", "latex")  # formats that need no file
ROWS = ("csv", "jsonl", "json", "npz", "parquet", "arrow")
SHEETS = ("text", "markdown", "html", "latex", "pdf")
MODELS = ("drn", "prism", "prism-explicit", "umb", "graphml", "dot")
ENDINGS = {"txt": "text", "md": "markdown", "htm": "html", "tex": "latex", "feather": "arrow", "tra": "prism-explicit"}


@click.command(cls=PositionCommand)
@partial(problem_options, first="the game's first; for a sheet points or margin, if the game has them")
@position_option
@click.option(
    "-f", "--format", "form", metavar="FORMAT", help="The format, as listed above (default: by the ending of FILE)."
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to write; needed for npz, parquet, arrow, pdf and models (default: print).",
)
@click.option(
    "--detail",
    metavar="WHAT",
    help="Rows: values (between turns), throws (before a roll: bank or roll again), or rolls (which dice to keep).",
)
@click.option(
    "--policy",
    metavar="POLICY",
    help="Models: write the Markov chain of this policy, such as best or hold:300 (default: the model with every"
    " choice).",
)
@click.option(
    "--sheet",
    "level",
    metavar="LEVEL",
    help="Sheets: the size: 1 (one sentence), 2 (a few numbers), 3 (one page) or 4 (also by the opponents' scores, or"
    " by what is left).",
)
@click.option("--mix", "mixes", is_flag=True, help="Hands: also write the best mix of hands against an unknown hand.")
@json_option
def export(
    form: str | None,
    output: str | None,
    detail: str | None,
    policy: str | None,
    level: str | None,
    mixes: bool,
    as_json: bool,
    position: dict[str, Any],
    position_id: str | None,
    **options: Any,
) -> None:
    """Write a table, a strategy sheet or a model of a solved game.

    \b
    Rows    csv jsonl json npz parquet arrow: every position with its value,
            its best choice and what the second best costs; options such as
            --score restrict the positions
    Sheets  text markdown html latex pdf: a page to play by, and exactly what
            playing by it costs; --sheet LEVEL without -f prints text
    Models  drn prism prism-explicit umb: the decision process for model
            checkers; graphml dot: the graph of a turn
    Hands   csv json text, with --hands FILE that has a hand of dice in each
            line: the chances of every hand against every other

    \b
    Examples:
      keepwise export pig -f text
      keepwise export 5000 --sheet 2
      keepwise export 5000 --objective points --score 500 -o 5000.csv
      keepwise export pig --score 90 -f jsonl
      keepwise export pig --objective turns -o pig.drn
      keepwise export kingdom-come-2 --hands hands.txt -f csv
    In hands.txt, each line is a hand, such as lucky*6.
    """
    if output == "-":
        output = None
    if (file := hands_file()) is not None:
        other_options = {"sheet": level, "position": position_id}
        position |= {name: value for name, value in other_options.items() if value is not None}
        _refuse_options(position, detail, policy, "a table of hands")
        export_hands(file, form, output, mixes, as_json, options)
        return
    _refuse_mix(mixes)
    form = "text" if level is not None and form is output is None else _form(form, output)
    _check_output(form, output, level, as_json)
    is_sheet_for_one = form in SHEETS and options["players"] in (None, 1)
    request = read_request(options, position_id, _sheet_objective if is_sheet_for_one else None)
    fields = position
    if position_id is not None:
        fields = {**request.problem.playable.to_dict(request.problem.playable.from_id(position_id)), **position}
    if form in ROWS:
        if output is None:
            _print_rows(request, form, detail, policy, fields)
            return
        solution, counts = _rows(request, form, output, detail, policy, fields)
        report_description_file(output, form)
    elif form in SHEETS:
        _refuse_options(fields, detail, policy, "a sheet")
        solution, counts = _sheet(request, form, output, level)
    else:
        _refuse_options(fields, detail, None, "a model")
        solution, counts = _model(request, form, str(output), policy)
    if as_json:
        click.echo(json.dumps({**solution.head, "output": output, "format": form, **counts}, indent=2))
    elif output is None:
        click.echo(counts["sheet"], nl=False)
    else:
        click.echo(_format_report(output, request.problem, counts))


def _refuse_mix(mixes: bool) -> None:
    """Raise InputError if a mix of hands is asked for without hands."""
    if mixes:
        raise InputError("--mix requires --hands FILE with a hand in each line")


def _check_output(form: str, output: str | None, level: str | None, as_json: bool) -> None:
    """Raise InputError if the format does not suit the output or the other options."""
    if output is not None:
        from keepwise.storage.files import check_writable

        check_writable(output)
    elif form not in PRINTABLE:
        raise InputError(f"the format {form} requires -o FILE")
    elif as_json and form in ROWS:
        raise InputError("--json cannot be combined with printed rows; write them with -o FILE")
    if level is not None and form not in SHEETS:
        raise InputError("--sheet requires the format text, markdown, html, latex or pdf")


def _sheet_objective(game: Game, _: int | None) -> str | None:
    """Return the default objective of a strategy sheet; None for the game's first."""
    return next((objective for objective in ("points", "margin") if objective in game.objectives), None)


def _print_rows(
    request: SolveRequest, form: str, detail: str | None, policy: str | None, fields: dict[str, Any]
) -> None:
    """Print rows once all of them are complete."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows")
        _rows(request, form, path, detail, policy, fields)
        _print(path)


def _print(path: str) -> None:
    """Copy a file to the standard output, byte for byte."""
    with open(path, "rb") as file:
        shutil.copyfileobj(file, sys.stdout.buffer)
    sys.stdout.flush()


def _format_report(output: str, problem: Problem[Any], counts: dict[str, Any]) -> str:
    """Return the line that reports a written file: its objective, the number of players, and its counts."""
    file = f"wrote {output} ({problem.objective}, {format_count(problem.players, 'player')})"
    counts_text = ", ".join(f"{value:,} {key}" for key, value in counts.items())
    return f"{file}: {counts_text}" if counts_text else file


def _form(form: str | None, output: str | None) -> str:
    formats = (*ROWS, *SHEETS, *MODELS)
    if form is None:
        if output is None:
            raise InputError(f"missing format: -f text prints a sheet, -f csv rows; -f is one of {', '.join(formats)}")
        ending = Path(output).suffix.lstrip(".").lower()
        form = ENDINGS.get(ending, ending)
        if form not in formats:
            raise InputError(f"unknown file ending: {output}; choose a format with -f: {', '.join(formats)}")
    if form not in formats:
        closest = closest_name(form, formats)
        hint = f"did you mean {closest}? Formats" if closest else "formats"
        raise InputError(f"unknown format '{form}'; {hint}: {', '.join(formats)}")
    return form


def _refuse_options(fields: dict[str, Any], detail: str | None, policy: str | None, task: str) -> None:
    """Raise InputError if an option does not suit a sheet, a model or a table of hands."""
    if fields:
        raise InputError(
            f"--{next(iter(fields)).replace('_', '-')} cannot be combined with {task}, which describes the whole game"
        )
    if detail is not None or policy is not None:
        raise InputError(f"--{'detail' if detail is not None else 'policy'} cannot be combined with {task}")


def _rows(
    request: SolveRequest, form: str, output: str, detail: str | None, policy: str | None, fields: dict[str, Any]
) -> tuple[Solution, dict[str, Any]]:
    from keepwise.api import ANNOUNCED_SECONDS_OF_TIMED_ESTIMATES, check_cost, plan_rows
    from keepwise.output.exports.rows import block_size, check_format
    from keepwise.output.exports.rows import write_rows as write

    if policy not in (None, "best", "optimal"):
        raise InputError(
            f"--policy {policy} cannot be combined with rows, which show optimal play; see keepwise evaluate for"
            " other policies"
        )
    check_format(form)
    plan = plan_rows(request.problem, detail, fields)
    solution = request.solution()
    with Progress("estimating the rows"):
        rows = plan.run(solution)
        cost = rows.cost(partial(block_size, form, rows.columns))
    check_cost(
        f"writing the rows of {solution.game.title}",
        cost,
        request.anyway,
        min_seconds=ANNOUNCED_SECONDS_OF_TIMED_ESTIMATES,
    )
    with Progress("writing rows") as progress:
        return solution, {"rows": write(rows, output, form, progress)}


def _sheet(
    request: SolveRequest, form: str, output: str | None, level_text: str | None
) -> tuple[Solution, dict[str, Any]]:
    from keepwise.output.sheets import parse_level, plan_sheet
    from keepwise.output.sheets.render import TEXT_RENDERERS, check_pdf, write_pdf
    from keepwise.storage.files import write_atomically

    if form == "pdf":
        check_pdf()
    level = None if level_text is None else parse_level(level_text)
    plan = plan_sheet(request.problem, level)
    solution = request.solution()
    with Progress("making the sheet") as progress:
        sheet = plan.run(solution, progress)
    if form == "pdf":
        write_pdf(sheet, str(output))
        return solution, {}
    text = TEXT_RENDERERS[form](sheet)
    if output is None:
        return solution, {"sheet": text}
    with write_atomically(output) as file:
        file.write(text.encode())
    return solution, {}


def _model(request: SolveRequest, form: str, output: str, policy: str | None) -> tuple[Solution, dict[str, Any]]:
    from keepwise.output.exports.models import plan_model

    plan = plan_model(request.problem, form, policy)
    solution = request.solution()
    with Progress("building the model") as progress:
        process = plan.run(solution, output, progress)
    counts = {"states": len(process.names), "actions": process.choice_count, "transitions": process.branch_count}
    return solution, counts
