"""``keepwise chart``: a picture in a file or in the terminal."""

from __future__ import annotations

from typing import Any

import click

from keepwise.charts import KINDS
from keepwise.errors import InputError

from .exporting import find_solution
from .options import Progress, given_position, position_options, question_options


@click.command()
@question_options
@position_options
@click.argument("kind", metavar="KIND", required=False)
@click.option("--vary", metavar="OPTION", help="For sensitivity: the rule option.")
@click.option("-o", "--output", metavar="FILE", help="A file that ends in .png, .svg or .pdf.")
@click.option("--show", type=click.Choice(["terminal"]), help="Draw in the terminal instead.")
def chart(kind: str | None, vary: str | None, output: str | None, show: str | None, **options: Any) -> None:
    """Draw a picture of a solution.

    \b
    KIND is one of
      regions        two players: from how many points to bank, by both scores (--dice left)
      surface        the chance to win, by both scores
      thresholds     from how many points to bank, by your score and dice left
      distribution   every total and its chance
      keeps          the value of each choice of a position
      sensitivity    what a rule option changes (--vary OPTION)

    \b
    Examples:
      keepwise chart battleship distribution --objective points --show terminal
      keepwise chart 5000 keeps --score 2000 --opponents 3500 --turn 300 --roll 11532 --show terminal
      keepwise chart pig regions -o pig.png
    """
    from keepwise.charts.draw import ENDINGS, write_chart
    from keepwise.charts.make import make_chart
    from keepwise.charts.terminal import draw_text

    if kind is None and options["rule_file"] is not None:  # the rule file says which game
        kind, options["game_id"] = options["game_id"], None
    if kind is None:
        raise InputError(f"say which chart: {', '.join(KINDS)}")
    if (output is None) == (show is None):
        raise InputError("say where to: -o FILE or --show terminal")
    if output is not None:
        from keepwise.files import check_writable

        if not output.lower().endswith(tuple(f".{ending}" for ending in ENDINGS)):
            raise InputError(f"{output} must end in .png, .svg or .pdf")
        check_writable(output)
    if kind not in KINDS:
        from keepwise.errors import nearest

        raise InputError(f"there is no chart {kind}{nearest(kind, KINDS)}")
    solution = find_solution(options)
    given = given_position(options)
    dice = None
    if kind in ("regions", "thresholds"):
        told = given.pop("dice", None)
        if told is not None and not str(told).isdecimal():
            raise InputError(f"dice {told} is not a number of dice")
        dice = None if told is None else int(told)
    if given and kind not in ("keeps", "distribution"):
        raise InputError(f"the chart {kind} is for the whole game: leave --{next(iter(given)).replace('_', '-')} out")
    with Progress("drawing") as progress:
        drawn = make_chart(solution, kind, dice=dice, vary=vary, position=given, progress=progress)
    if output is None:
        click.echo(draw_text(drawn), nl=False)
        return
    write_chart(drawn, output)
    click.echo(f"{output} is written")
