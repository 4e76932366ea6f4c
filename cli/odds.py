"""``keepwise odds``: from counts at the table to a rule file for Booby Trap."""

from __future__ import annotations

import click

from .options import put


@click.command()
@click.argument("counts", metavar="SIZE:FEEL=TOUCHED/TAKEN/TRIPPED...", nargs=-1, required=True)
@click.option("--name", default="counted", show_default=True, help="What these odds are called in answers.")
@click.option("-o", "--output", metavar="FILE.toml", help="Where to write them (default: print them).")
def odds(counts: tuple[str, ...], name: str, output: str | None) -> None:
    """Estimate the odds of your Booby Trap from counts: pieces touched, those taken, and how often the bar tripped.

    The file goes with --rules; advise --draws N then says whether its advice holds across what the counts leave open.

    \b
    Example:
      keepwise odds large:free=20/18/1 large:tight=15/3/2 \\
        medium:free=21/20/1 medium:tight=10/4/2 small:free=25/25/1 \\
        small:tight=8/2/1 --name "our box" -o ours.toml
    """
    from keepwise.games.touch_counts import read_counts, rule_file
    from keepwise.storage.files import RULE_FILE, check_output

    if output is not None:
        check_output(output, RULE_FILE)
    text = rule_file(read_counts(counts), name)
    put(text, output, f"; keepwise advise --rules {output} answers with these odds", RULE_FILE)
