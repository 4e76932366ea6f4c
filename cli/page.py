"""``keepwise page``: the adviser as a page for a phone, or a site of all games."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from keepwise.storage.files import check_writable, write_atomically
from keepwise.util import progress_reporting
from keepwise.util.errors import InputError

from .options import Asked, find_question, json_option, question_options
from .progress import Progress

PRICING = "pricing the strategy sheet"
MOST_PRICING = 10.0  # seconds that a sheet may take unasked


@click.command()
@question_options
@click.option("--all", "whole_site", is_flag=True, help="A site of all games, for any static host, that works offline.")
@click.option(
    "-o", "--output", metavar="FILE", help="Where to write (default: GAME.html; with --all: the folder site)."
)
@click.option(
    "--sheet/--no-sheet",
    default=None,
    help="With or without the strategy sheet (default: with it, unless pricing it takes over ten seconds).",
)
@json_option
def page(whole_site: bool, output: str | None, as_json: bool, **options: Any) -> None:
    """Write the adviser as one HTML file for a phone: without installation, without network.

    It holds the rules, the values and the kernels; it keeps the game, reviews it, throws dice for practice.
    Where no objective is said, the game's first that a page can hold.

    \b
    Examples:
      keepwise page 5000 -o 5000.html
      keepwise page pig --rule target=50 --players 2 -o ours.html
      keepwise page --all -o site/
    """
    if whole_site:
        asked = [
            name for name, value in options.items() if name not in ("threads", "anyway") and value not in (None, ())
        ]
        if asked:
            raise InputError(f"--all writes every game under its own rules: leave {asked[0].removesuffix('_id')} out")
        told = _site(output or "site", options["threads"])
    else:
        told = _page(output, options)
    click.echo(json.dumps(told, indent=2) if as_json else f"{told['output']} is written")


def _page(output: str | None, options: dict[str, Any]) -> dict[str, Any]:
    from keepwise.output.adviser_page import check_page, page_objective
    from keepwise.output.adviser_page import page as make

    told = options.pop("sheet")
    asked = find_question(options, prefer=page_objective)
    check_page(asked.match)
    with_sheet = _with_sheet(asked, told)
    where = output or f"{asked.match.game.id}.html"
    check_writable(where)
    solution = asked.solution()
    text = make(solution, sheet=with_sheet).encode()
    with write_atomically(where) as file:
        file.write(text)
    return {**solution.head, "output": where, "bytes": len(text)}


def _with_sheet(asked: Asked, told: bool | None) -> bool:
    """Whether a page holds the strategy sheet, as told, or where pricing it takes moments."""
    from keepwise.api import check_cost
    from keepwise.output.sheets import sheet_cost

    if told is False:
        return False
    try:
        cost = sheet_cost(asked.match)
    except InputError:
        if told:
            raise
        return False
    if told:
        check_cost(PRICING, cost, asked.anyway)
    elif cost.seconds > MOST_PRICING:
        progress_reporting.warn(f"{PRICING} takes {cost}: the page is made without it; --sheet includes it")
        return False
    return True


def _site(folder: str, threads: int | None) -> dict[str, Any]:
    from keepwise.output.adviser_page.site import site

    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror}") from None
    written = 0
    with Progress("making pages") as progress:
        for name, content in site(threads, progress):
            with write_atomically(os.path.join(folder, name)) as file:
                file.write(content)
            written += len(content)
    return {"output": folder, "bytes": written}
