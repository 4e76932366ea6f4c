"""``keepwise chart``: a picture in a file or in the terminal."""

from __future__ import annotations

from typing import Any

import click

from keepwise.output.charts import KINDS
from keepwise.util.errors import InputError
from keepwise.util.integers import parse_whole_number

from .arguments import Asking
from .options import find_question, position_option, question_options
from .progress import Progress
from .terminal import width


@click.command(cls=Asking)
@question_options
@position_option
@click.argument("kind", metavar="KIND", required=False)
@click.option(
    "--vary", metavar="OPTION[=A,B]", help="For sensitivity: a rule option (OPTION=A,B); for frontier: policies."
)
@click.option("-o", "--output", metavar="FILE", help="A file that ends in .png, .svg or .pdf.")
@click.option("--show", type=click.Choice(["terminal"]), help="Draw in the terminal (the default without a file).")
def chart(
    kind: str | None,
    vary: str | None,
    output: str | None,
    show: str | None,
    position: dict[str, Any],
    position_id: str | None,
    **options: Any,
) -> None:
    """Draw a picture of a solution.

    \b
    KIND is one of
      regions       two players: from how many points to bank, by both scores
                    (--dice left)
      surface       the chance to win, by both scores
      ternary       three players: who is ahead, by scores of one sum
      thresholds    from how many points to bank, by your score and dice left
      distribution  every total and its chance
      keeps         the value of each choice of a position
      sensitivity   what a rule option changes (--vary OPTION)
      frontier      what strategies lose that a head can carry
                    (--vary hold:300: beside yours)

    \b
    Examples:
      keepwise chart battleship distribution --objective points
      keepwise chart 5000 keeps --score 2000 --opponents 3500 --roll 11532
      keepwise chart pig regions -o pig.png
    """
    from keepwise.output.charts.draw import check_place, write_chart
    from keepwise.output.charts.make import check_chart, make_chart
    from keepwise.output.charts.terminal import draw_text

    if kind is None and options["rule_file"] is not None:  # the rule file says which game
        kind, options["game_id"] = options["game_id"], None
    if kind is None:
        raise InputError(f"say which chart: {', '.join(KINDS)}")
    if output is not None and show is not None:
        raise InputError("--show draws in the terminal: leave it or -o out")
    if output is not None:
        check_place(output)
    asked = find_question(options, position_id)
    given = position
    if position_id is not None:
        given = {**asked.match.playable.tell(asked.match.playable.position(position_id)), **position}
    dice = None
    if kind == "regions":
        told = given.pop("dice", None)
        dice = None if told is None else parse_whole_number(told, "dice")
    check_chart(asked.match, kind, dice=dice, vary=vary, position=given)
    solution = asked.solution()
    with Progress("drawing") as progress:
        drawn = make_chart(solution, kind, dice=dice, vary=vary, position=given, progress=progress)
    if output is None:
        click.echo(draw_text(drawn, width()), nl=False)
        return
    write_chart(drawn, output)
    click.echo(f"{output} is written")
