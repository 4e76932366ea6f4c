"""``keepwise simulate``: statistics of many games between policies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from keepwise.util.number_format import PROBABILITY_OBJECTIVES, format_percent
from keepwise.util.text import format_table

from .advise import bar_lines, headline
from .arguments import GameCommand
from .option_types import WholeNumber
from .options import json_option, problem_options, read_request, report_description_file
from .progress import Progress
from .terminal import fitted, width

if TYPE_CHECKING:
    from keepwise.simulation import Simulation


@click.command(cls=GameCommand)
@problem_options
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="POLICY",
    help="The policy of a seat; repeat it for each seat in turn order.",
)
@click.option(
    "--games", type=WholeNumber(), metavar="N", default=10_000, show_default=True, help="The number of games."
)
@click.option(
    "--seed",
    type=WholeNumber(),
    metavar="N",
    default=1,
    show_default=True,
    help="Seed of the dice; the same seed gives the same games.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Also write each game as a row; the ending sets the format: csv, jsonl, npz, parquet, ...",
)
@json_option
def simulate(
    policies: tuple[str, ...], games: int, seed: int, output: str | None, as_json: bool, **options: Any
) -> None:
    """Play many games: mean results, lengths, luck and mistakes.

    Every mean is printed with its standard error. Seats without a --policy play optimally.

    \b
    Policies:
      best, best:points      the best play, or the best for another objective
      sheet, sheet:2         the strategy sheet of level 3, or of another level
      hold:300, source, ...  all that keepwise evaluate --help lists
      strong, average, weak  make mistakes that cost 3, 10 or 30% of what
                             random choices cost; also hard, medium, easy
      loses:0.01             makes mistakes that cost this much on average for
                             each decision
      FILE.py:FUNCTION       your own Python function, as in keepwise play

    \b
    Examples:
      keepwise simulate pig --policy hold:20 --policy average --games 500
      keepwise simulate 5000 --objective points --policy sheet --games 2000
    """
    from keepwise.output.exports.rows import FORMAT_BY_ENDING, check_format, write_rows
    from keepwise.simulation import plan_simulation
    from keepwise.storage.files import check_writable

    request = read_request(options)
    plan = plan_simulation(request.problem, policies, games, seed)
    form = ""
    if output is not None:
        ending = output.rpartition(".")[2].lower()
        form = FORMAT_BY_ENDING.get(ending, ending)
        check_format(form)
        check_writable(output)
    solution = request.solution()
    with Progress("measuring mistakes") as measuring, Progress("playing") as progress:
        simulation = plan.run(solution, threads=request.threads, progress=progress, measuring=measuring)
    if output is not None:
        write_rows(simulation, output, form)
        report_description_file(output, form)
    if as_json:
        click.echo(json.dumps(simulation.as_json(), indent=2))
        return
    click.echo(headline(solution.head, solution.game, {"games": games, "seed": str(seed)}))
    for line in _lines(simulation):
        click.echo(fitted(line))
    if output is not None:
        click.echo(f"{output}: {games:,} rows")


def _round(number: float, digits: int) -> float:
    """Return the rounded number, without a minus sign if it rounds to 0."""
    return round(number, digits) + 0.0


def _lines(simulation: Simulation) -> list[str]:
    objective = simulation.head["objective"]

    is_chance = objective in PROBABILITY_OBJECTIVES

    def with_error(number: float, se: float, sign: str = "") -> str:
        if is_chance:
            return f"{_round(100 * number, 2):{sign}.2f} ± {100 * se:.2f}%"
        return f"{_round(number, 3):{sign},.3f} ± {se:,.3f}"

    rows = [("seat", "policy", objective, "best play", "luck", "errors", "choices", "mean loss")]
    for number, seat in enumerate(simulation.seats, 1):
        mean_loss = seat.mean_error
        rows.append(
            (
                str(number),
                seat.policy,
                with_error(seat.outcome.mean, seat.outcome.se),
                format_percent(seat.start) if is_chance else f"{_round(seat.start, 3):,.3f}",
                with_error(seat.luck.mean, seat.luck.se, "+"),
                with_error(seat.errors.mean, seat.errors.se),
                f"{seat.decisions:.1f}",
                format_percent(mean_loss) if is_chance else f"{mean_loss:.3g}",
            )
        )
    lines, length = format_table(rows, width=width()), simulation.length
    lines.append(f"turns of a game: {length.mean:.2f} ± {length.se:.2f}; dice: {simulation.head['generator']}")
    if len(simulation.lengths) == 1:  # games of one turn or a scorecard are all equally long
        return lines + _bars(f"{objective} of seat 1", simulation.outcomes())
    return lines + _bars("turns", simulation.lengths)


def _bars(heading: str, counts: dict[Any, int]) -> list[str]:
    from keepwise.util.histogram import histogram

    total = sum(counts.values())
    return [f"{heading}:", *bar_lines([(label, count / total) for label, count in histogram(counts)])]
