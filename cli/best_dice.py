"""``keepwise best-dice``: choose among the loaded dice that you own."""

from __future__ import annotations

import json

import click

from keepwise.util.errors import TooMuchError

from .options import json_option, read_game, refusal


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
@click.option("--anyway", is_flag=True, help="Allow a solve that needs over an hour.")
@json_option
def best_dice(rule_file: str, own: str, rules: tuple[str, ...], most: int, anyway: bool, as_json: bool) -> None:
    """Rank the sets of loaded dice that you can play with.

    The order is by the expected points of a turn under the best play.

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
        dice = ", ".join(f"{count} {name}" for name, count in hand.dice.items())
        click.echo(f"{hand.points:10.4f} points  {dice}")
    if len(hands) > most:
        click.echo(f"and {len(hands) - most:,} more; --most {len(hands)} prints all")
