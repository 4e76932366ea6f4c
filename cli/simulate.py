"""``keepwise simulate``: many games between players of any policy."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from keepwise.util.number_format import format_percent
from keepwise.util.text import format_table

from .advise import drawn, headline
from .arguments import Naming
from .options import announce_beside, find_question, json_option, question_options
from .progress import Progress
from .terminal import fitted, width

if TYPE_CHECKING:
    from keepwise.simulation import Simulation


@click.command(cls=Naming)
@question_options
@click.option("--policy", "policies", multiple=True, metavar="POLICY", help="Who plays; once for each seat in order.")
@click.option("--games", type=int, default=10_000, show_default=True, help="How many games are played.")
@click.option("--seed", type=int, default=1, show_default=True, help="Which dice: the same seed, the same games.")
@click.option(
    "-o", "--output", metavar="FILE", help="Also every game as a row: csv, jsonl, npz, parquet, ... by its ending."
)
@json_option
def simulate(
    policies: tuple[str, ...], games: int, seed: int, output: str | None, as_json: bool, **options: Any
) -> None:
    """Play many games with seeded dice: means, lengths, luck and errors by seat, with standard errors.

    \b
    Seats that no --policy is given for play the best. Policies:
      best, best:points      the best, for what is played for or for another
                             objective
      sheet, sheet:2         by the sheet of level 3 for the most points; of
                             another level
      hold:300, source, ...  what keepwise evaluate knows
      strong, average, weak  make mistakes: 3, 10, 30 % of what choosing blindly
                             costs
      loses:0.01             makes mistakes: a real choice loses so much on
                             average
      FILE.py:FUNCTION       a function of your own, as in keepwise play

    \b
    Examples:
      keepwise simulate pig --policy hold:20 --policy average --games 500
      keepwise simulate 5000 --objective points --policy sheet --games 2000
    """
    from keepwise.output.exports.rows import ENDINGS, check_form, export
    from keepwise.simulation import check, run
    from keepwise.storage.files import check_writable

    asked = find_question(options)
    players = check(asked.match, policies, games, seed)
    form = ""
    if output is not None:
        ending = output.rpartition(".")[2].lower()
        form = ENDINGS.get(ending, ending)
        check_form(form)
        check_writable(output)
    solution = asked.solution()
    with Progress("measuring mistakes") as measuring, Progress("playing") as progress:
        found = run(
            solution, players, games=games, seed=seed, threads=asked.threads, progress=progress, measuring=measuring
        )
    if output is not None:
        export(found, output, form)
        announce_beside(output, form)
    if as_json:
        click.echo(json.dumps(found.as_json(), indent=2))
        return
    click.echo(headline(solution.head, solution.game.options, {"games": games, "seed": str(seed)}))
    for line in _lines(found):
        click.echo(fitted(line))
    if output is not None:
        click.echo(f"{output}: {games:,} rows")


def _near(number: float, digits: int) -> float:
    """The number as it is printed, so that what rounds to 0 has no sign."""
    return round(number, digits) + 0.0


def _lines(found: Simulation) -> list[str]:
    objective = found.head["objective"]

    def told(number: float, se: float, sign: str = "") -> str:
        if objective in ("win", "reach"):
            return f"{_near(100 * number, 2):{sign}.2f} ± {100 * se:.2f} %"
        return f"{_near(number, 3):{sign},.3f} ± {se:,.3f}"

    rows = [("seat", "policy", objective, "best play", "luck", "errors", "choices", "lost in each")]
    for number, seat in enumerate(found.seats):
        chance, lost = objective in ("win", "reach"), seat.mean_error
        rows.append(
            (
                str(number),
                seat.policy,
                told(seat.outcome.mean, seat.outcome.se),
                format_percent(seat.start) if chance else f"{_near(seat.start, 3):,.3f}",
                told(seat.luck.mean, seat.luck.se, "+"),
                told(seat.errors.mean, seat.errors.se),
                f"{seat.decisions:.1f}",
                format_percent(lost) if chance else f"{lost:.3g}",
            )
        )
    lines = format_table(rows, width=width())
    lines.append(f"turns of a game: {found.length.mean:.2f} ± {found.length.se:.2f}; dice: {found.head['generator']}")
    if len(found.lengths) == 1:  # of one turn, or of a card: all games are as long
        return lines + _bars(f"{objective} of seat 0", found.outcomes())
    return lines + _bars("turns", found.lengths)


def _bars(heading: str, counts: dict[Any, int]) -> list[str]:
    from keepwise.util.histogram import histogram

    total = sum(counts.values())
    return [f"{heading}:", *drawn([(told, count / total) for told, count in histogram(counts)])]
