"""``keepwise certify`` and ``keepwise verify``: prove bounds for a solution, and check the proof."""

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
from .arguments import GameCommand, PlainCommand
from .option_types import NonNegativeNumber, WholeNumber
from .options import json_option, problem_options, read_request
from .progress import Progress
from .terminal import fitted


@click.command(cls=GameCommand)
@problem_options
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    help="Where to write the certificate; compressed if FILE ends in .gz.",
)
@click.option(
    "--storm",
    metavar="FILE",
    help="Objectives points, turns and reach: also write a certificate that Storm can check against the model"
    " exported as drn.",
)
@json_option
def certify(output: str, storm: str | None, as_json: bool, **options: Any) -> None:
    """Write a proof of bounds for every value, in integer arithmetic.

    Check the file with keepwise verify FILE, or with keepwise-check, a small independent program that shares no code
    with Keepwise. Certificates exist for push-your-luck games of one or two players, and for all other games with at
    most about a million choices and rolls. A certificate that takes over an hour requires --anyway.

    \b
    Example:
      keepwise certify pig --rule target=20 -o pig.cert
    """
    from keepwise.api import cpu_count
    from keepwise.certify import certify as prove
    from keepwise.certify import check_certifiable
    from keepwise.certify.costs import announce_certificate
    from keepwise.storage.files import CERTIFICATE, check_output, check_writable

    request = read_request(options)
    check_certifiable(request.problem)
    if storm:
        from keepwise.certify.storm import check_storm, write_storm

        check_storm(request.problem)
    check_output(output, CERTIFICATE)
    if storm:
        check_writable(storm)
    started = time.perf_counter()
    with announce_certificate(request.problem, request.threads or cpu_count(), request.anyway):
        solution = request.solution()
        with Progress(f"proving {request.problem.game.id}") as progress:
            proved = prove(solution, progress, request.threads)
    digest = proved.write(output)
    if storm:
        write_storm(solution, proved, storm)
    if as_json:
        numbers = {
            "width": proved.max_gap,
            "off": proved.max_error,
            "states": proved.state_count,
            "output": output,
            "sha256": digest,
        }
        click.echo(
            json.dumps({**solution.head, **numbers, "seconds": round(time.perf_counter() - started, 3)}, indent=2)
        )
        return
    click.echo(headline(solution.head, solution.game, {}))
    states = (
        "the value of one state lies" if proved.state_count == 1 else f"the values of {proved.state_count:,} states lie"
    )
    click.echo(f"{states} between bounds that are at most {format_bound(proved.max_gap)} apart")
    proved_error, stated_error = format_bound(proved.max_error), format_bound(solution.error_bound)
    click.echo(
        fitted(
            f"every value in the table is proved to be within {proved_error} of the true value; answers state the error"
            f" bound {stated_error}"
        )
    )
    click.echo(f"{output}: sha256 {digest}")


@click.command(cls=PlainCommand)
@click.argument("file", metavar="FILE")
@click.option(
    "--sample",
    type=WholeNumber(1),
    metavar="N",
    help="Check N random states, the start, and the states that can follow it (default: all).",
)
@click.option("--seed", type=WholeNumber(0), metavar="N", help="Seed of the sample (default: random, and printed).")
@click.option(
    "--max-regret",
    type=NonNegativeNumber(),
    metavar="R",
    help="Three or more players: fail if a player can gain more than R by deviating (default: 2 ** -20).",
)
@click.option("--threads", type=WholeNumber(1), metavar="N", help="Processor threads to use (default: all processors).")
def verify(file: str, sample: int | None, seed: int | None, max_regret: float | None, threads: int | None) -> None:
    """Check a certificate, or certify a value table and check it.

    keepwise-check checks every number. Then the rules are compared with those of the named game, and the file with the
    certificate of the shipped table. For three or more players, the policies in the file are also compared with the
    solved ones. A value table (.npz) is certified first, and its values are compared with the bounds.

    The last line begins with PASS or FAIL. The exit status is 0 if everything holds, 1 if something fails, 2 if the
    file cannot be judged, and 3 if the report cannot be written.

    A large file is checked on all processors. With --sample, the report says how likely a wrong line is to be missed.

    \b
    Example:
      keepwise certify pig --rule target=20 -o pig.cert
      keepwise verify pig.cert --sample 100
    """
    from keepwise.api import cpu_count
    from keepwise.storage.files import TABLE, file_kind

    started = time.perf_counter()
    words = [f"--{name}={value}" for name, value in (("sample", sample), ("seed", seed)) if value is not None]
    words += [f"--max-regret={max_regret!r}"] if max_regret is not None else []
    words += [f"--processes={threads or cpu_count()}"]
    if file_kind(file) == TABLE:
        lines, verdict = _verify_table(file, words, threads)
    else:
        lines, verdict = _verify_certificate(file, words)
    seconds = f"checked in {time.perf_counter() - started:.1f} s"
    _write_report([*lines, seconds, verdict])


def _verify_certificate(file: str, words: list[str]) -> tuple[list[str], str]:
    """Return the report on a certificate and its verdict.

    Raises:
        KeepwiseError: something does not hold.
        InputError: the file cannot be judged.
    """
    from keepwise.certify import find_certified_game, find_shipped_row
    from keepwise.certify.compare import DECISION_TOLERANCE, max_decision_difference

    playable = find_certified_game(file)
    *lines, verdict = _run_checker(file, file, words)
    if playable is None:
        raise KeepwiseError(
            f"FAIL {file}: its bounds hold, but its rules or its start differ from those of the game that it names"
        )
    lines.append(f"its rules are those of {playable.id_prefix}: {playable.game.title}")
    if playable.players > 2:
        with Progress(f"comparing the policy of {file}") as progress:
            difference = max_decision_difference(file, playable, progress)
        if difference > DECISION_TOLERANCE:
            raise KeepwiseError(
                f"FAIL {file}: its policy is not the solution of {playable.id_prefix}: their values differ by"
                f" {format_bound(difference)}"
            )
        lines.append(f"its policy is the solution: their values differ by at most {format_bound(difference)}")
    if row := find_shipped_row(playable):
        shipped, stated_bound = row["certificate"], format_bound(row["error_bound"])
        if f"sha256 {shipped['sha256']}" not in lines:
            lines.append(f"the certificate of the shipped table is a different one: sha256 {shipped['sha256']}")
        else:
            bound = format_bound(shipped["off"])
            report = f"it is the certificate of the shipped table: its values are within {bound} of the true values"
            lines.append(fitted(f"{report}; the error bound in answers is {stated_bound}"))
    return lines, verdict


def _verify_table(file: str, words: list[str], threads: int | None) -> tuple[list[str], str]:
    """Certify a value table; return the report on it and its verdict.

    Args:
        file: the table.
        words: options for keepwise-check.
        threads: the number of processor threads for the proof; all if None.

    Raises:
        KeepwiseError: something does not hold, or a value is further off than the table states.
        InputError: the table cannot be judged.
    """
    import tempfile
    from pathlib import Path

    from keepwise.api import cpu_count, load
    from keepwise.certify import certify as prove
    from keepwise.certify import check_certifiable
    from keepwise.certify.costs import announce_certificate

    solution = load(file)
    check_certifiable(solution.problem)
    if not solution.problem.covers(solution.value_table, solution.playable.start()):
        raise InputError(f"{file} cannot be verified: it holds the values of only part of the game")
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "table.cert")
        try:
            with (
                announce_certificate(solution.problem, threads or cpu_count(), anyway=True),
                Progress(f"proving {solution.game.id}") as progress,
            ):
                proved = prove(solution, progress, threads)
        except SolveError as error:
            raise KeepwiseError(f"FAIL {file}: no bounds can be proved around its values: {error}") from None
        proved.write(path)
        *lines, verdict = _run_checker(path, file, words)
    proved_error, stated_error = format_bound(proved.max_error), format_bound(solution.error_bound)
    if proved.max_error > solution.error_bound:
        raise KeepwiseError(
            f"FAIL {file}: a value is up to {proved_error} from the true one, but the error bound in the"
            f" table is {stated_error}"
        )
    return [
        *lines,
        f"all values are within {proved_error} of the true values; the error bound in the table is {stated_error}",
    ], verdict


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

    command = [sys.executable, keepwise_check.__file__, *words, "--progress", "--", path]
    pipe, error_text = subprocess.PIPE, ""
    hint = "" if any(word.startswith("--sample") for word in words) else " (--sample checks a part)"
    with (
        Progress(f"checking {name}{hint}") as progress,
        subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as check,
    ):
        assert check.stdout
        for message in check.stderr or ():
            if message[0].isdigit():
                progress(float(message))
            else:
                error_text += message
        report = check.stdout.read()
    error_text = error_text.strip().removeprefix("keepwise-check: ").replace(path, name)
    if check.returncode == keepwise_check.FAILED:
        raise KeepwiseError(error_text)
    if check.returncode:
        raise InputError(error_text or f"cannot check {name}: keepwise-check exited with status {check.returncode}")
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
