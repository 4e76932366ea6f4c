"""``keepwise best-dice``: choose among the loaded dice that you own."""

from __future__ import annotations

import json
from typing import Any

import click

from keepwise.util.errors import TooMuchError

from .options import json_option, read_game, refusal
from .progress import Progress


@click.command(name="best-dice")
@click.option(
    "--rules", "rule_file", metavar="FILE", required=True, help="The rule file of the game, yours or a shipped one."
)
@click.option(
    "--own", metavar="FILE.toml", required=True, help="The file of your dice, with [[die]] entries as in rule files."
)
@click.option("--rule", "rules", metavar="KEY=VALUE", multiple=True, help="Change one rule of the file (repeatable).")
@click.option(
    "--most", type=click.IntRange(1), metavar="N", default=10, show_default=True, help="Sets of dice to print."
)
@click.option(
    "--goal", type=click.IntRange(1), metavar="N", help="Points that you still need; a bank counts for no more."
)
@click.option(
    "--checkpoint",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Keep solved hands beside this name; the same command resumes there.",
)
@click.option(
    "--threads", type=click.IntRange(1), metavar="N", help="Processor threads to use (default: all processors)."
)
@click.option("--anyway", is_flag=True, help="Allow a solve that needs over an hour.")
@json_option
def best_dice(rule_file: str, own: str, most: int, as_json: bool, rules: tuple[str, ...], **options: Any) -> None:
    """Rank the sets of loaded dice that you can play with.

    The order is by the expected points of a turn under the best play. Every set is solved, and no set that is left out
    is better than those listed. Dice with equal weights count as one kind.

    \b
    Example:
      keepwise best-dice --rules kingdom-come --own kingdom-come-loaded
    """
    from keepwise import best_dice as rank
    from keepwise.dice_inventory import count_hands, describe_dice, hand_rules, merge_equal_kinds
    from keepwise.games.rulefile.loader import load_dice

    game = read_game(None, rules, rule_file)
    kinds = load_dice(own, hand_rules(game).faces)
    try:
        with Progress("solving hands") as progress:
            hands = rank(game, kinds, most=most + 1, progress=progress, **options)
    except TooMuchError as error:
        raise refusal(error) from None
    data = hand_rules(game)
    count = count_hands(merge_equal_kinds(kinds), data.hand_size(data.dice)).hands
    if as_json:
        rows = [{"dice": hand.dice, "points": hand.points, "error_bound": hand.error_bound} for hand in hands[:most]]
        click.echo(json.dumps({"game": game.id, "hands": count, "best": rows}, indent=2))
        return
    for hand in hands[:most]:
        click.echo(f"{hand.points:10.4f} points  {describe_dice(hand.dice)}")
    if len(hands) > most:
        worth = f"{hands[most].points:.4f} points or less"
        click.echo(f"and {count - most:,} more of {worth}; --most {count} prints all")
