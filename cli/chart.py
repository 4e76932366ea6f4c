"""``keepwise chart``: a picture of a solution, in a file or in the terminal."""

from __future__ import annotations

from typing import Any

import click

from keepwise.output.charts import KINDS, MATCHUPS
from keepwise.util.errors import InputError

from .arguments import PositionCommand
from .matchups import chart_hands, hands_file
from .option_types import OneOf
from .options import position_option, problem_options, read_request
from .progress import Progress
from .terminal import width


@click.command(cls=PositionCommand)
@problem_options
@position_option
@click.argument("kind", metavar="KIND", required=False)
@click.option(
    "--vary",
    metavar="RULE[=A,B]",
    help="Chart sensitivity: the rule to vary, and optional values. Chart frontier: policies to add.",
)
@click.option("-o", "--output", metavar="FILE", help="Write to a file that ends in .png, .svg or .pdf.")
@click.option("--show", type=OneOf(["terminal"]), help="Draw in the terminal (the default without a file).")
def chart(
    kind: str | None,
    vary: str | None,
    output: str | None,
    show: str | None,
    position: dict[str, Any],
    position_id: str | None,
    **options: Any,
) -> None:
    """Draw a chart of a solved game, in a file or the terminal.

    \b
    KIND is one of
      regions       two players: the turn points from which to bank, for each
                    pair of scores (with --dice N dice left)
      surface       the chance to win, by both scores
      ternary       three players: who is most likely to win, by scores
                    with a given sum
      thresholds    the turn points from which to bank, by your score and the
                    number of dice left
      distribution  the chance of every total
      keeps         the value of every choice in a position
      sensitivity   how a rule changes the value (--vary RULE)
      frontier      what strategies lose, against how many numbers a player
                    has to remember (--vary hold:300 adds that policy)
      matchups      the chances of hands of dice against each other
                    (--hands FILE with a hand in each line)

    \b
    Examples:
      keepwise chart battleship distribution --objective points
      keepwise chart 5000 keeps --score 2000 --opponents 3500 --roll 11532
      keepwise chart pig regions -o pig.png
    A picture needs the extra plot; --show terminal does not.
    """
    from keepwise.output.charts.draw import check_chart_path, write_chart
    from keepwise.output.charts.make import plan_chart
    from keepwise.output.charts.terminal import draw_text

    if kind is None and options["rule_file"] is not None:  # GAME is left out, since the rule file names it
        kind, options["game_id"] = options["game_id"], None
    if kind is None:
        raise InputError(f"missing KIND; choose one of {', '.join((*KINDS, MATCHUPS))}")
    if output is not None and show is not None:
        raise InputError("--show cannot be combined with -o")
    if (file := hands_file()) is not None:
        _chart_hands(
            file, kind, vary, output, {**position, **({"position": position_id} if position_id else {})}, options
        )
        return
    if output is not None:
        check_chart_path(output)
    request = read_request(options, position_id)
    fields = position
    if position_id is not None:
        fields = {**request.problem.playable.to_dict(request.problem.playable.from_id(position_id)), **position}
    dice = None
    if kind == "regions":
        dice = fields.pop("dice", None)
    plan = plan_chart(request.problem, kind, dice=dice, vary=vary, position=fields)
    solution = request.solution()
    with Progress("drawing") as progress:
        drawing = plan.run(solution, progress)
    if output is None:
        click.echo(draw_text(drawing, width()), nl=False)
        return
    write_chart(drawing, output)
    click.echo(f"wrote {output}")


def _chart_hands(
    file: str, kind: str, vary: str | None, output: str | None, position: dict[str, Any], options: dict[str, Any]
) -> None:
    """Draw hands against hands; refuse other charts of them, and options of other charts."""
    if kind != MATCHUPS:
        raise InputError(f"--hands FILE requires the chart {MATCHUPS}, not {kind}")
    refused = [*position, *(["vary"] if vary is not None else [])]
    if refused:
        raise InputError(f"--{refused[0].replace('_', '-')} cannot be combined with the chart {MATCHUPS}")
    chart_hands(file, output, options)
