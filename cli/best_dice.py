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
    "--objective",
    type=click.Choice(["points", "turns", "win"]),
    default="points",
    show_default=True,
    help="What the dice are for: points of a turn, fewest turns, or the win.",
)
@click.option(
    "--against",
    metavar="FILE.toml",
    help="Objective win: the file of the opponent's dice (default: those of the game).",
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
def best_dice(
    rule_file: str, own: str, against: str | None, most: int, as_json: bool, rules: tuple[str, ...], **options: Any
) -> None:
    """Rank the sets of loaded dice that you can play with.

    The order is by the expected points of a turn under the best play, or by the objective that you name. No set that
    is left out is better than those listed. Dice with equal weights count as one kind.

    \b
    Examples:
      keepwise best-dice --rules kingdom-come --own kingdom-come-loaded
      keepwise best-dice --rules kingdom-come --own kingdom-come-loaded --goal 1200
    """
    from keepwise import best_dice as rank
    from keepwise.dice_inventory import count_hands, describe_dice, dice_of_opponent, hand_rules, merge_equal_kinds
    from keepwise.games.rulefile.loader import load_dice

    game = read_game(None, rules, rule_file)
    data = hand_rules(game)
    kinds = load_dice(own, data.faces)
    if against is not None:
        if options["objective"] != "win":
            raise click.UsageError("--against requires --objective win")
        game = dice_of_opponent(game, load_dice(against, data.faces))
    try:
        with Progress("solving hands") as progress:
            hands = rank(game, kinds, most=most + 1, progress=progress, **options)
    except TooMuchError as error:
        raise refusal(error) from None
    count = count_hands(merge_equal_kinds(kinds), data.hand_size(data.dice)).hands
    objective = options["objective"]
    if as_json:
        rows = [{"dice": hand.dice, objective: hand.value, "error_bound": hand.error_bound} for hand in hands[:most]]
        click.echo(json.dumps({"game": game.id, "hands": count, "best": rows}, indent=2))
        return
    unit = "" if objective == "win" else f" {objective}"
    for hand in hands[:most]:
        value = f"{hand.value:10.2%}" if objective == "win" else f"{hand.value:10.4f}"
        click.echo(f"{value}{unit}  {describe_dice(hand.dice)}")
    if len(hands) > most:
        value = f"{hands[most].value:.2%}" if objective == "win" else f"{hands[most].value:.4f}"
        worse = "more" if objective == "turns" else "less"
        click.echo(f"and {count - most:,} more of {value}{unit} or {worse}; --most {count} prints all")
