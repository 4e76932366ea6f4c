"""``keepwise solve``: solve a question and write its value table."""

from __future__ import annotations

import json
import time
from typing import Any

import click

from keepwise.answers.advice import rounded_up

from .answers import headline
from .options import Progress, json_option, question_options, read_question


@click.command()
@question_options
@click.option("-o", "--output", required=True, metavar="FILE.npz", help="Where to write the value table.")
@click.option(
    "--cluster",
    metavar="WHERE",
    help="Solve on processes (local:4) or a Dask cluster (tcp://host:8786): races of three and more, cards for two.",
)
@json_option
def solve(output: str, as_json: bool, **options: Any) -> None:
    """Solve a question anew and write its value table, whole or not at all.

    A solve of minutes leaves its finished layers beside FILE until it is done; run it again after an interruption
    and it goes on from there, to the same bits.

    \b
    Example:
      keepwise solve 5000 --rule minimum_on_win=false -o ours.npz
    """
    from keepwise.files import check_writable
    from keepwise.solution import solve_resumable

    asked = read_question(options)
    check_writable(output)
    begun = time.perf_counter()
    with Progress(f"solving {asked.game.id}") as progress:
        solution = solve_resumable(asked, output, progress=progress, **options)
    seconds = time.perf_counter() - begun
    if as_json:
        click.echo(json.dumps({**solution.head, "output": output, "seconds": round(seconds, 3)}, indent=2))
        return
    click.echo(headline(solution.head, solution.game.options, {"solved in": f"{seconds:.2f} s"}))
    click.echo(f"{output}: fingerprint {solution.fingerprint}, every value within {rounded_up(solution.error_bound)}")
