"""``keepwise solve``: solve a game and write its value table."""

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
from .arguments import GameCommand
from .options import json_option, problem_options, read_problem
from .progress import Progress

MAX_LIMIT_BYTES = 1 << 62  # no operating system takes a larger limit
PROGRAM_BYTES = 1 << 27  # memory of the program itself while it solves: modules, stacks of threads


@click.command(cls=GameCommand)
@problem_options
@click.option("-o", "--output", required=True, metavar="FILE.npz", help="Where to write the value table.")
@click.option("--memory", metavar="SIZE", help="Memory to use at most, such as 2GiB; larger tables are kept in a file.")
@click.option(
    "--cluster",
    metavar="WHERE",
    help="Solve with worker processes (local:4) or on a Dask cluster (tcp://host:8786); only for races of three or"
    " more players and scorecards of two.",
)
@json_option
def solve(output: str, memory: str | None, as_json: bool, **options: Any) -> None:
    """Solve a game and write its value table to a file.

    Commands that answer questions about GAME also take this file in its place. A solve that takes minutes saves its
    progress beside the file: after an interruption, run the same command again and it resumes. The file appears only
    when it is complete.

    \b
    Examples:
      keepwise solve 5000 --rule minimum_on_win=false -o ours.npz
      keepwise advise ours.npz --score 2000 --turn 300 --roll 11532
    """
    from keepwise.api import solve_resumable
    from keepwise.output.charts.draw import CHART_ENDINGS as PICTURES
    from keepwise.storage.files import TABLE, check_output

    from .export import ENDINGS, MODELS, ROWS, SHEETS

    problem = read_problem(options)
    check_output(output, TABLE, {*ENDINGS, *MODELS, *PICTURES, *ROWS, *SHEETS} - {"npz"})
    memory_bytes = None if memory is None else _parse_bytes(memory)
    started = time.perf_counter()
    with _memory_limit(memory_bytes), Progress(f"solving {problem.game.id}") as progress:
        solution = solve_resumable(problem, output, progress=progress, memory=memory_bytes, **options)
    seconds = time.perf_counter() - started
    if as_json:
        click.echo(json.dumps({**solution.head, "output": output, "seconds": round(seconds, 3)}, indent=2))
        return
    click.echo(headline(solution.head, solution.game, {"solved in": f"{seconds:.2f} s"}))
    click.echo(f"{output}: fingerprint {solution.fingerprint}, every value within {format_bound(solution.error_bound)}")


@contextmanager
def _memory_limit(memory: float | None) -> Iterator[None]:
    """Have the system refuse more memory than this, beside what the program itself takes, if it can."""
    try:
        import resource

        data_size = re.search(r"VmData:\s*(\d+) kB", Path("/proc/self/status").read_text())
    except (ImportError, OSError):
        data_size = None
    if memory is None or not data_size:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit_bytes = int(1024 * int(data_size[1]) + memory + PROGRAM_BYTES)
    if (
        any(limit != resource.RLIM_INFINITY and limit <= limit_bytes for limit in (soft, hard))
        or limit_bytes >= MAX_LIMIT_BYTES
    ):
        yield  # the system already has a lower limit, or takes none so high
        return
    resource.setrlimit(resource.RLIMIT_DATA, (limit_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _parse_bytes(size: str) -> float:
    """Return the bytes of a size such as 900MiB."""
    from keepwise.util.errors import InputError

    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)\s*([kmgt])(?:i?b)?", size.strip(), re.ASCII | re.IGNORECASE)
    if not match:
        raise InputError(f"--memory must be a size such as 900MiB or 2GiB, not {size!r}")
    return float(match[1]) * 1024.0 ** ("kmgt".index(match[2].lower()) + 1)
