"""``keepwise odds``: a rule file for Booby Trap from counts at the table."""

from __future__ import annotations

import click

from .arguments import PlainCommand
from .options import write_output


@click.command(cls=PlainCommand)
@click.argument("counts", metavar="SIZE:FEEL=TOUCHED/TAKEN/TRIPPED...", nargs=-1, required=True)
@click.option("--name", default="counted", show_default=True, help="The name of these odds in answers.")
@click.option("-o", "--output", metavar="FILE.toml", help="Where to write the rule file (default: print it).")
def odds(counts: tuple[str, ...], name: str, output: str | None) -> None:
    """Estimate the odds of your Booby Trap box from counts.

    Count for each size and feel of a piece: how often it was touched, how often it was taken, and how often the bar
    tripped when it was taken. Pass the rule file to other commands with --rules; advise --draws N then checks whether
    its advice would change with other odds that fit the counts equally well.

    \b
    Example:
      keepwise odds large:free=20/18/1 large:tight=15/3/2 \\
        medium:free=21/20/1 medium:tight=10/4/2 small:free=25/25/1 \\
        small:tight=8/2/1 --name "our box" -o ours.toml
    """
    from keepwise.games.touch_counts import format_rule_file, parse_counts
    from keepwise.storage.files import RULE_FILE, check_output

    if output is not None:
        check_output(output, RULE_FILE)
    text = format_rule_file(parse_counts(counts), name)
    write_output(text, output, f"; keepwise advise --rules {output} answers with these odds", RULE_FILE)
