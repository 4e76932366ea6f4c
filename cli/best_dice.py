"""``keepwise best-dice``: which of your loaded dice to play with."""

from __future__ import annotations

import json

import click

from keepwise.util.errors import TooMuchError

from .options import json_option, read_game, refusal


@click.command(name="best-dice")
@click.option("--rules", "rule_file", metavar="FILE", required=True, help="The game: a rule file, or one that ships.")
@click.option(
    "--own", metavar="FILE.toml", required=True, help="A file with your dice: [[die]] entries as in rule files."
)
@click.option("--rule", "rules", metavar="KEY=VALUE", multiple=True, help="A rule that goes over those of the file.")
@click.option("--most", type=click.IntRange(1), default=10, show_default=True, help="How many hands to print.")
@click.option("--anyway", is_flag=True, help="Solve what takes more than an hour too.")
@json_option
def best_dice(rule_file: str, own: str, rules: tuple[str, ...], most: int, anyway: bool, as_json: bool) -> None:
    """Rank every hand that your dice can make, by its best expected points of a turn.

    \b
    Example:
      keepwise best-dice --rules kingdom-come --own kingdom-come-loaded
    """
    from keepwise import best_dice as rank
    from keepwise.dice_inventory import hand_rules
    from keepwise.games.rulefile.loader import load_dice

    game = read_game(None, rules, rule_file)
    try:
        hands = rank(game, load_dice(own, hand_rules(game).faces), anyway=anyway)
    except TooMuchError as error:
        raise refusal(error) from None
    if as_json:
        rows = [{"dice": hand.dice, "points": hand.points, "error_bound": hand.error_bound} for hand in hands[:most]]
        click.echo(json.dumps({"game": game.id, "hands": len(hands), "best": rows}, indent=2))
        return
    for hand in hands[:most]:
        told = ", ".join(f"{count} {name}" for name, count in hand.dice.items())
        click.echo(f"{hand.points:10.4f} points  {told}")
    if len(hands) > most:
        click.echo(f"{len(hands) - most:,} more hands: --most {len(hands)}")
