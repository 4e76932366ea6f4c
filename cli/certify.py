"""``keepwise certify`` and ``keepwise verify``: prove what is solved, and check a proof."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

import click

from keepwise.util.errors import InputError, KeepwiseError, SolveError
from keepwise.util.number_format import format_bound

from .advise import headline
from .arguments import Naming
from .options import find_question, json_option, question_options
from .progress import Progress
from .terminal import fitted


@click.command(cls=Naming)
@question_options
@click.option("-o", "--output", required=True, metavar="FILE", help="Where to write it; packed if it ends in .gz.")
@click.option(
    "--storm",
    metavar="FILE",
    help="Alone, for points, turns and reach: write also what the certificate fork of Storm reads, for the model that"
    " keepwise export writes as drn.",
)
@json_option
def certify(output: str, storm: str | None, as_json: bool, **options: Any) -> None:
    """Prove in whole numbers that every solved value lies between two numbers, and write these to a file.

    keepwise verify FILE checks the file, and so does keepwise-check, a small program of its own that needs neither this
    one nor its trust. Push-your-luck games for two and alone, and every game, for several too, of which no more than
    about a million choices and falls have to be looked at.

    \b
    Example:
      keepwise certify pig --rule target=20 -o pig.cert
    """
    from keepwise.certify import certify as prove
    from keepwise.certify import check_certifiable
    from keepwise.storage.files import CERTIFICATE, check_output, check_writable

    asked = find_question(options)
    check_certifiable(asked.match)
    if storm:
        from keepwise.certify.storm import check_storm, write_storm

        check_storm(asked.match)
    check_output(output, CERTIFICATE)
    if storm:
        check_writable(storm)
    begun = time.perf_counter()
    solution = asked.solution()
    with Progress(f"proving {asked.match.game.id}") as progress:
        proved = prove(solution, progress, asked.threads)
    digest = proved.write(output)
    if storm:
        write_storm(solution, proved, storm)
    if as_json:
        told = {
            "width": proved.max_gap,
            "off": proved.max_error,
            "states": proved.state_count,
            "output": output,
            "sha256": digest,
        }
        click.echo(json.dumps({**solution.head, **told, "seconds": round(time.perf_counter() - begun, 3)}, indent=2))
        return
    click.echo(headline(solution.head, solution.game.options, {}))
    states = "one state lies" if proved.state_count == 1 else f"{proved.state_count:,} states lie"
    click.echo(f"{states} between numbers that are at most {format_bound(proved.max_gap)} apart")
    within = (
        f"the values that answers are made of are within {format_bound(proved.max_error)} of the true ones; answers say"
    )
    click.echo(fitted(f"{within} {format_bound(solution.error_bound)}, found while solving"))
    click.echo(f"{output}: sha256 {digest}")


@click.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--sample", type=click.IntRange(1), help="Judge so many random states, the beginning and what follows it."
)
@click.option("--seed", type=click.IntRange(0), help="Seed of the sample.  [default: random, and printed]")
@click.option(
    "--max-regret",
    type=click.FloatRange(0),
    metavar="R",
    help="Three or more players: fail if a player can gain more by leaving the play.  [default: 2 ** -20]",
)
def verify(file: str, sample: int | None, seed: int | None, max_regret: float | None) -> None:
    """Check a certificate with keepwise-check, that its rules are those of the game that it names, and whether it is
    the one of a shipped table.

    For three and more players, the play of the certificate is compared with the solved one. A table of values (.npz) is
    certified first, and its values are compared with the bounds.

    The last line begins with PASS or FAIL. The exit status is 0 only if all that was judged holds; 1 if something
    fails; 2 if the file cannot be judged; 3 if the report cannot be written.

    A large file takes long: a sample states with what chance it misses a wrong line.

    \b
    Example:
      keepwise certify pig --rule target=20 -o pig.cert
      keepwise verify pig.cert --sample 100
    """
    from keepwise.storage.files import TABLE, file_kind

    begun = time.perf_counter()
    words = [f"--{name}={value}" for name, value in (("sample", sample), ("seed", seed)) if value is not None]
    words += [f"--max-regret={max_regret!r}"] if max_regret is not None else []
    lines, verdict = (_verify_table if file_kind(file) == TABLE else _verify_certificate)(file, words)
    seconds = f"checked in {time.perf_counter() - begun:.1f} s"
    _write_report([*lines, seconds, verdict])


def _verify_certificate(file: str, words: list[str]) -> tuple[list[str], str]:
    """Return the report on a certificate and its verdict.

    Raises:
        KeepwiseError: something does not hold.
        InputError: the file cannot be judged.
    """
    from keepwise.certify import find_certified_game, find_shipped_row
    from keepwise.certify.compare import DECISION_TOLERANCE, max_decision_difference

    table = find_certified_game(file)
    *lines, verdict = _run_checker(file, file, words)
    if table is None:
        raise KeepwiseError(
            f"FAIL {file}: its numbers hold, but its rules, or where it begins, are not those of the game that it names"
        )
    lines.append(f"its rules are those of {table.name}: {table.game.title}")
    if table.players > 2:
        with Progress(f"comparing the play of {file}") as progress:
            difference = max_decision_difference(file, table, progress)
        if difference > DECISION_TOLERANCE:
            raise KeepwiseError(
                f"FAIL {file}: its play is not the solved one of {table.name}: their numbers differ by"
                f" {format_bound(difference)}"
            )
        lines.append(f"its play is the solved one: their numbers differ by {format_bound(difference)} at most")
    if row := find_shipped_row(table):
        shipped, stated = row["certificate"], format_bound(row["error_bound"])
        if f"sha256 {shipped['sha256']}" not in lines:
            lines.append(f"the shipped table's is another: sha256 {shipped['sha256']}")
        else:
            within = f"it is the shipped table's certificate: its values are within {format_bound(shipped['off'])}"
            lines.append(fitted(f"{within} of the true ones; answers say {stated}, found while solving"))
    return lines, verdict


def _verify_table(file: str, words: list[str]) -> tuple[list[str], str]:
    """Certify a table of values; return the report on it and its verdict.

    Raises:
        KeepwiseError: something does not hold, or a value is further off than the table states.
        InputError: the table cannot be judged.
    """
    import tempfile
    from pathlib import Path

    from keepwise.api import load
    from keepwise.certify import certify as prove
    from keepwise.certify import check_certifiable

    known = load(file)
    check_certifiable(known.problem)
    if not known.problem.covers(known.value_table, known.playable.start()):
        raise InputError(f"{file} does not hold the values of the whole game: it cannot be verified")
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "table.cert")
        try:
            with Progress(f"proving {known.game.id}") as progress:
                proved = prove(known, progress)
        except SolveError as error:
            raise KeepwiseError(f"FAIL {file}: no bounds can be proved around its values: {error}") from None
        proved.write(path)
        *lines, verdict = _run_checker(path, file, words)
    off, stated = format_bound(proved.max_error), format_bound(known.error_bound)
    if proved.max_error > known.error_bound:
        raise KeepwiseError(f"FAIL {file}: a value is up to {off} from the true one, and the table states {stated}")
    return [*lines, f"all values are within {off} of the true ones; the table states {stated}"], verdict


def _run_checker(path: str, name: str, words: list[str]) -> list[str]:
    """Run keepwise-check on a certificate; return its report, whose last line is the verdict.

    Args:
        path: the certificate.
        name: how the report names it.
        words: options for keepwise-check.

    Raises:
        KeepwiseError: something does not hold.
        InputError: the file cannot be judged.
    """
    import keepwise_check

    line, pipe, wrong = [sys.executable, keepwise_check.__file__, *words, "--progress", "--", path], subprocess.PIPE, ""
    hint = "" if any(word.startswith("--sample") for word in words) else ", or with --sample some of it"
    with (
        Progress(f"checking {name}{hint}") as progress,
        subprocess.Popen(line, stdout=pipe, stderr=pipe, text=True) as check,
    ):
        assert check.stdout
        for message in check.stderr or ():
            if message[0].isdigit():
                progress(float(message))
            else:
                wrong += message
        report = check.stdout.read()
    wrong = wrong.strip().removeprefix("keepwise-check: ").replace(path, name)
    if check.returncode == keepwise_check.FAILED:
        raise KeepwiseError(wrong)
    if check.returncode:
        raise InputError(wrong or f"cannot judge {name}: keepwise-check ended with status {check.returncode}")
    return report.replace(path, name).splitlines()


def _write_report(lines: list[str]) -> None:
    """Write a report; exit with a status of its own if that fails, since 1 means that something does not hold."""
    from keepwise_check import NOT_WRITTEN

    try:
        click.echo("\n".join(lines))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        click.echo(f"keepwise: cannot write the report: {error.strerror or error}", err=True)
        raise click.exceptions.Exit(NOT_WRITTEN) from None
