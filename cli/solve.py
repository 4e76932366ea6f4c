"""``keepwise solve``: solve a question and write its value table."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from keepwise.util.number_format import format_bound

from .advise import headline
from .arguments import Naming
from .options import json_option, question_options, read_question
from .progress import Progress

MOST_LIMIT = 1 << 62  # bytes: no system takes a larger limit
PROGRAM = 1 << 27  # bytes that the program takes itself while it solves: modules that are loaded, stacks of threads


@click.command(cls=Naming)
@question_options
@click.option("-o", "--output", required=True, metavar="FILE.npz", help="Where to write the value table.")
@click.option("--memory", metavar="SIZE", help="Hold no more than this, such as 2GiB; larger tables stand in a file.")
@click.option(
    "--cluster",
    metavar="WHERE",
    help="Solve on processes (local:4) or a Dask cluster (tcp://host:8786): races of three and more, cards for two.",
)
@json_option
def solve(output: str, memory: str | None, as_json: bool, **options: Any) -> None:
    """Solve a question anew and write its value table, whole or not at all.

    A solve of minutes leaves its finished layers beside FILE until it is done; run it again after an interruption
    and it goes on from there, to the same bits. What takes GAME and answers, takes FILE in its place.

    \b
    Examples:
      keepwise solve 5000 --rule minimum_on_win=false -o ours.npz
      keepwise advise ours.npz --score 2000 --turn 300 --roll 11532
    """
    from keepwise.api import solve_resumable
    from keepwise.output.charts.draw import ENDINGS as PICTURES
    from keepwise.storage.files import TABLE, check_output

    from .export import ENDINGS, MODELS, ROWS, SHEETS

    asked = read_question(options)
    check_output(output, TABLE, {*ENDINGS, *MODELS, *PICTURES, *ROWS, *SHEETS} - {"npz"})
    most = None if memory is None else _bytes(memory)
    begun = time.perf_counter()
    with _held_to(most), Progress(f"solving {asked.game.id}") as progress:
        solution = solve_resumable(asked, output, progress=progress, memory=most, **options)
    seconds = time.perf_counter() - begun
    if as_json:
        click.echo(json.dumps({**solution.head, "output": output, "seconds": round(seconds, 3)}, indent=2))
        return
    click.echo(headline(solution.head, solution.game.options, {"solved in": f"{seconds:.2f} s"}))
    click.echo(f"{output}: fingerprint {solution.fingerprint}, every value within {format_bound(solution.error_bound)}")


@contextmanager
def _held_to(memory: float | None) -> Iterator[None]:
    """Let the system refuse more memory than this beside what the program itself takes, where it can."""
    try:
        import resource

        holds = re.search(r"VmData:\s*(\d+) kB", Path("/proc/self/status").read_text())
    except (ImportError, OSError):
        holds = None
    if memory is None or not holds:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = int(1024 * int(holds[1]) + memory + PROGRAM)
    if any(limit != resource.RLIM_INFINITY and limit <= most for limit in (soft, hard)) or most >= MOST_LIMIT:
        yield  # the system refuses less than this already, or has not so much
        return
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _bytes(size: str) -> float:
    """What a size such as 900MiB says."""
    from keepwise.util.errors import InputError

    read = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)\s*([kmgt])(?:i?b)?", size.strip(), re.ASCII | re.IGNORECASE)
    if not read:
        raise InputError(f"--memory is a size such as 900MiB or 2GiB, not {size!r}")
    return float(read[1]) * 1024.0 ** ("kmgt".index(read[2].lower()) + 1)
