"""``keepwise certify`` and ``keepwise verify``: prove what is solved, and check a proof."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

import click

from keepwise.ground.errors import InputError, KeepwiseError
from keepwise.ground.figures import rounded_up

from .answers import headline
from .options import find_question, json_option, question_options
from .positions import Naming
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
    from keepwise.certify import check
    from keepwise.stores.files import CERTIFICATE, check_own, check_writable

    asked = find_question(options)
    check(asked.match)
    if storm:
        from keepwise.certify.storm import check_storm, write_storm

        check_storm(asked.match)
    check_own(output, CERTIFICATE)
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
        told = {"width": proved.width, "off": proved.off, "states": proved.count, "output": output, "sha256": digest}
        click.echo(json.dumps({**solution.head, **told, "seconds": round(time.perf_counter() - begun, 3)}, indent=2))
        return
    click.echo(headline(solution.head, solution.game.options, {}))
    states = "one state lies" if proved.count == 1 else f"{proved.count:,} states lie"
    click.echo(f"{states} between numbers that are at most {rounded_up(proved.width)} apart")
    within = f"the values that answers are made of are within {rounded_up(proved.off)} of the true ones; answers say"
    click.echo(fitted(f"{within} {rounded_up(solution.error_bound)}, found while solving"))
    click.echo(f"{output}: sha256 {digest}")


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--sample", type=click.IntRange(1), help="Look at so many states only, drawn by the seed.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="What the sample is drawn by.")
def verify(file: str, sample: int | None, seed: int) -> None:
    """Check a certificate with keepwise-check, that its rules are those of the game that it names, and whether it is
    the one of a shipped table.

    The exit status is 0 only where all that was looked at holds; 1 where something fails; 2 where the file cannot be
    judged.

    A large one takes long: a sample says with what chance it misses a wrong line.

    \b
    Example:
      keepwise certify pig --rule target=20 -o pig.cert
      keepwise verify pig.cert --sample 100
    """
    import keepwise_check
    from keepwise.certify import named_rules, shipped_row

    begun, matched = time.perf_counter(), named_rules(file)
    words = [f"--seed={seed}", *([f"--sample={sample}"] if sample else []), "--progress", "--", file]
    words, wrong, pipe = [sys.executable, keepwise_check.__file__, *words], "", subprocess.PIPE
    with (
        Progress(f"checking {file}" + ", or with --sample some of it" * (not sample)) as progress,
        subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True) as check,
    ):
        assert check.stdout
        for line in check.stderr or ():
            if line[0].isdigit():
                progress(float(line))
            else:
                wrong += line
        found = check.stdout.read()
    if check.returncode:
        wrong = wrong.strip().removeprefix("keepwise-check: ")
        raise InputError(wrong) if check.returncode == 2 else KeepwiseError(wrong)
    if matched is None:
        raise KeepwiseError(
            f"{file}: its numbers hold, but its rules, or where it begins, are not those of the game that it names"
        )
    click.echo(found, nl=False)
    click.echo(f"its rules are those of {matched.name}: {matched.game.title}")
    click.echo(f"checked in {time.perf_counter() - begun:.1f} s")
    if row := shipped_row(matched):
        told, says = row["certificate"], rounded_up(row["error_bound"])
        if f"sha256 {told['sha256']}" not in found.splitlines():
            click.echo(f"the shipped table's is another: sha256 {told['sha256']}")
            return
        off = rounded_up(told["off"])
        within = f"it is the shipped table's certificate: its values are within {off} of the true ones; answers say"
        click.echo(fitted(f"{within} {says}, found while solving"))
