"""``keepwise page``: the adviser as an HTML page for a phone, or a site of all games."""

from __future__ import annotations

import json
import os
from functools import partial
from typing import Any

import click

from keepwise.storage.files import check_writable, error_reason, open_regular_file, write_atomically
from keepwise.util import progress_reporting
from keepwise.util.errors import InputError

from .arguments import PlainCommand
from .options import SolveRequest, json_option, problem_options, read_request
from .progress import Progress

PRICING_LABEL = "evaluating the strategy sheet"
MAX_PRICING_SECONDS = 10.0  # without --sheet
PAGE_MARK = b"'wasm-unsafe-eval'"  # in the security policy of adviser pages, and of no other exports
PAGE_HEAD_BYTES = 2000  # which hold the security policy


@click.command(cls=PlainCommand)
@partial(problem_options, first="the first that a page supports")
@click.option("--all", "whole_site", is_flag=True, help="Write a site of all games, for any static web host.")
@click.option(
    "-o", "--output", metavar="FILE", help="Where to write (default: GAME.html, or the folder site with --all)."
)
@click.option(
    "--sheet/--no-sheet",
    default=None,
    help="Include the strategy sheet or not (default: if it takes at most ten seconds to compute).",
)
@json_option
def page(whole_site: bool, output: str | None, as_json: bool, **options: Any) -> None:
    """Write the adviser as one HTML file that works offline on a phone.

    The page gives advice, keeps the score, reviews the game and rolls dice for practice. The default objective is the
    first one of the game that a page supports.

    \b
    Examples:
      keepwise page 5000 -o 5000.html
      keepwise page pig --rule target=50 --players 2 -o ours.html
      keepwise page kingdom-come-2 --hands "lucky*6 / ordinary*6"
      keepwise page --all -o site/
    """
    if whole_site:
        excess = [
            name for name, value in options.items() if name not in ("threads", "anyway") and value not in (None, ())
        ]
        if excess:
            params = {param.name: param for param in click.get_current_context().command.params}
            typed = options["game_id"] if excess[0] == "game_id" else params[excess[0]].opts[0]
            raise InputError(f"--all writes all games by their default rules; leave {typed} out")
        report = _write_site(output or "site", options["threads"])
    else:
        report = _write_page(output, options)
    click.echo(json.dumps(report, indent=2) if as_json else f"wrote {report['output']}")


def _write_page(output: str | None, options: dict[str, Any]) -> dict[str, Any]:
    from keepwise.output.adviser_page import check_page, page_objective
    from keepwise.output.adviser_page import render_page as make

    if output:
        _check_ending(output)
    sheet_option = options.pop("sheet")
    request = read_request(options, prefer=page_objective)
    check_page(request.problem)
    has_sheet = _has_sheet(request, sheet_option)
    path = output or f"{request.problem.game.id}.html"
    check_writable(path)
    if not output:
        _check_default_path(path)
    solution = request.solution()
    text = make(solution, sheet=has_sheet).encode()
    with write_atomically(path) as file:
        file.write(text)
    return {**solution.head, "output": path, "bytes": len(text)}


def _check_default_path(path: str) -> None:
    """Refuse to replace a file that is not an adviser page, such as an exported sheet, at the default path."""
    if os.path.exists(path):
        try:
            with open_regular_file(path) as file:
                head = file.read(PAGE_HEAD_BYTES)
        except OSError as error:
            raise InputError(f"cannot replace {path}: {error_reason(error)}") from None
        if head and PAGE_MARK not in head:
            raise InputError(f"refusing to overwrite {path} (not an adviser page); name a file, such as -o my-{path}")


def _check_ending(path: str) -> None:
    """Refuse a file whose name says that it is something other than HTML."""
    stem, ending = os.path.splitext(path)
    if ending.lower() not in ("", ".html", ".htm"):
        raise InputError(f"a page is an HTML file, but {path} ends in {ending}; use another name, such as {stem}.html")


def _has_sheet(request: SolveRequest, sheet_option: bool | None) -> bool:
    """Return whether the page gets the strategy sheet: as the option says, else if it is computed quickly."""
    from keepwise.api import check_cost
    from keepwise.output.sheets import estimate_sheet_cost

    if sheet_option is False:
        return False
    try:
        cost = estimate_sheet_cost(request.problem)
    except InputError:
        if sheet_option:
            raise
        return False
    if not sheet_option and cost.seconds > MAX_PRICING_SECONDS:
        progress_reporting.warn(
            f"{PRICING_LABEL} takes {cost}; the page is written without it (add --sheet to include it)"
        )
        return False
    check_cost(PRICING_LABEL, cost, request.anyway)
    return True


def _write_site(folder: str, threads: int | None) -> dict[str, Any]:
    from keepwise.output.adviser_page.site import site

    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {folder}: {error.strerror}") from None
    byte_count = 0
    with Progress("making pages") as progress:
        for name, content in site(threads, progress):
            with write_atomically(os.path.join(folder, name)) as file:
                file.write(content)
            byte_count += len(content)
    return {"output": folder, "bytes": byte_count}
