"""``keepwise export``: rows, sheets and models as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from keepwise.errors import InputError, nearest
from keepwise.solution import Solution, load, solve_match

from .options import Progress, given_position, json_option, position_options, question_options, read_question

ROWS = ("csv", "jsonl", "json", "npz", "parquet", "arrow")
SHEETS = ("text", "markdown", "html", "latex", "pdf")
MODELS = ("drn", "prism", "prism-explicit", "umb", "graphml", "dot")
ENDINGS = {"txt": "text", "md": "markdown", "htm": "html", "tex": "latex", "feather": "arrow", "tra": "prism-explicit"}


@click.command()
@question_options
@position_options
@click.option("-f", "--format", "form", metavar="FORMAT", help="As below (default: by the ending of FILE).")
@click.option("-o", "--output", metavar="FILE", help="Where to write; a sheet as text is printed without it.")
@click.option("--detail", metavar="WHAT", help="Rows: values, throws (bank or roll) or rolls (what to keep).")
@click.option("--policy", metavar="POLICY", help="Models: the chain that optimal or hold:300 induces.")
@json_option
def export(
    form: str | None, output: str | None, detail: str | None, policy: str | None, as_json: bool, **options: Any
) -> None:
    """Write a solution to a file: its rows, a sheet to play by, or a model for other tools.

    \b
    Rows    csv jsonl json npz parquet arrow: positions, values, best choices, what the
            runner-up costs; position options such as --score restrict them
    Sheets  text markdown html latex pdf: one page to play by, and exactly what that costs
    Models  drn prism prism-explicit umb: the decision process for model checkers;
            graphml dot: the graph of a turn

    GAME may also be a value table that keepwise solve has written.

    \b
    Examples:
      keepwise export pig -f text
      keepwise export 5000 --objective points --score 500 -o 5000.csv
      keepwise export pig --objective turns -o pig.drn
    """
    form = _form(form, output)
    if output is not None:
        from keepwise.files import check_writable

        check_writable(output)
    elif form not in ("text", "markdown", "html", "latex"):
        raise InputError(f"{form} is written to a file: say which with -o FILE")
    solution = find_solution(options, prefer_points=form not in ROWS)
    given = given_position(options)
    if form in ROWS:
        told = _rows(solution, form, str(output), detail, given)
    elif form in SHEETS:
        _refuse(given, detail, policy, "a sheet")
        told = _sheet(solution, form, output)
    else:
        _refuse(given, detail, None, "a model")
        told = _model(solution, form, str(output), policy)
    if output is not None:
        shape = {**solution.head, "output": output, "format": form}
        click.echo(json.dumps({**shape, **told}, indent=2) if as_json else _words(output, told))


def _words(output: str, told: dict[str, Any]) -> str:
    counts = ", ".join(f"{value:,} {key}" for key, value in told.items())
    return f"{output}: {counts}" if counts else f"{output} is written"


def _form(form: str | None, output: str | None) -> str:
    known = (*ROWS, *SHEETS, *MODELS)
    if form is None:
        if output is None:
            raise InputError(f"say which format: -f, one of {', '.join(known)}")
        ending = Path(output).suffix.lstrip(".").lower()
        form = ENDINGS.get(ending, ending)
        if form not in known:
            raise InputError(f"the ending of {output} names no format; say -f, one of {', '.join(known)}")
    if form not in known:
        raise InputError(f"there is no format {form}{nearest(form, known)}")
    return form


def find_solution(options: dict[str, Any], prefer_points: bool = False) -> Solution:
    """The solution asked for: a table in a file, or a question; its options are taken out of ``options``.

    ``prefer_points``: where no objective is said, points or the margin instead of the game's first.
    """
    game_id = options.get("game_id")
    if game_id is not None and (str(game_id).endswith(".npz") or Path(str(game_id)).is_file()):
        question = ("rules", "rule_file", "objective", "players", "goal", "turns")
        if extra := next((key for key in question if options.get(key)), None):
            raise InputError(f"{game_id} is a table and says itself what it answers; leave --{extra} out")
        for key in (*question, "game_id", "threads"):
            options.pop(key, None)
        return load(str(game_id))
    if options.get("objective") is None and prefer_points:
        asked = read_question(dict(options))
        open_ = asked.game.objectives
        options["objective"] = next((one for one in ("points", "margin") if one in open_), open_[0])
    asked, threads = read_question(options), options.pop("threads")
    with Progress(f"solving {asked.game.id}") as progress:
        return solve_match(asked, threads=threads, progress=progress)


def _refuse(given: dict[str, Any], detail: str | None, policy: str | None, what: str) -> None:
    if given:
        raise InputError(f"{what} is for the whole game: leave --{next(iter(given)).replace('_', '-')} out")
    if detail is not None or policy is not None:
        raise InputError(f"{what} takes no --{'detail' if detail is not None else 'policy'}")


def _rows(solution: Solution, form: str, output: str, detail: str | None, given: dict[str, Any]) -> dict[str, Any]:
    from keepwise.export import export as write

    policy = solution.policy(detail, **given)
    with Progress("writing rows") as progress:
        return {"rows": write(policy, output, form, progress)}


def _sheet(solution: Solution, form: str, output: str | None) -> dict[str, Any]:
    from keepwise.files import whole_file
    from keepwise.sheets import make_sheet
    from keepwise.sheets.render import TEXTS, write_pdf

    with Progress("making the sheet") as progress:
        sheet = make_sheet(solution, progress)
    if form == "pdf":
        write_pdf(sheet, str(output))
        return {}
    words = TEXTS[form](sheet)
    if output is None:
        click.echo(words, nl=False)
        return {}
    with whole_file(output) as file:
        file.write(words.encode())
    return {}


def _model(solution: Solution, form: str, output: str, policy: str | None) -> dict[str, Any]:
    head = solution.head
    title = f"keepwise {head['game']} {head['objective']} {head['fingerprint']} rules {json.dumps(head['rules'])}"
    match, solved = solution.match, solution.solved
    if form in ("prism", "graphml", "dot"):
        if policy is not None:
            raise InputError(f"{form} holds the whole turn; chains of a policy go as drn, prism-explicit or umb")
        if form == "prism":
            from keepwise.models.prism import write_prism

            write_prism(match, solved, output, title)
            return {}
        from keepwise.models import graph

        (graph.write_graphml if form == "graphml" else graph.write_dot)(match, solved, output, title)
        return {}
    from keepwise.models.process import build
    from keepwise.models.writers import WRITERS

    with Progress("building the model") as progress:
        process = build(match, solved, policy, progress)
    WRITERS[form](process, output, title)
    return {"states": len(process.names), "actions": process.choices, "transitions": process.branches}
