"""``keepwise best-dice``: choose among the loaded dice that you own."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from keepwise.util.errors import InputError, TooMuchError

from .arguments import PlainCommand
from .option_types import OneOf, WholeNumber
from .options import json_option, read_game, refusal
from .progress import Progress

if TYPE_CHECKING:
    from keepwise.games import Game
    from keepwise.games.push_rules import DieKind

ANY = "any"  # an opponent with whatever hand can be made of the same dice


@click.command(name="best-dice", cls=PlainCommand)
@click.argument("game_id", metavar="GAME", required=False)
@click.option("--rules", "rule_file", metavar="FILE", help="The rule file of the game; it can also be given as GAME.")
@click.option(
    "--own",
    metavar="FILE",
    required=True,
    help="The file of your dice: [[die]] entries as in rule files, or names of a catalogue, as in lucky*3.",
)
@click.option("--rule", "rules", metavar="KEY=VALUE", multiple=True, help="Change one rule of the file (repeatable).")
@click.option(
    "--most",
    type=WholeNumber(1),
    metavar="N",
    default=10,
    show_default=True,
    help="The number of sets of dice to print.",
)
@click.option(
    "--objective",
    type=OneOf(["points", "turns", "win"]),
    default="points",
    show_default=True,
    help="What the dice are for: points of a turn, fewest turns, or the win.",
)
@click.option(
    "--against",
    metavar="FILE",
    help="Objective win: the file of the opponent's dice, a hand such as lucky*6, or the word any to compare all sets"
    " of your dice with each other (default: the game's dice).",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE.csv",
    help="With --against any: write the chances of every hand against every other.",
)
@click.option(
    "--goal", type=WholeNumber(1), metavar="N", help="Points that you still need; a bank counts at most this much."
)
@click.option(
    "--checkpoint",
    metavar="FILE",
    help="Keep finished sets of dice in a file of this name; the same command resumes from them.",
)
@click.option("--threads", type=WholeNumber(1), metavar="N", help="Processor threads to use (default: all processors).")
@click.option("--anyway", is_flag=True, help="Allow a solve that needs over an hour.")
@json_option
def best_dice(
    game_id: str | None,
    rule_file: str | None,
    own: str,
    against: str | None,
    output: str | None,
    most: int,
    as_json: bool,
    rules: tuple[str, ...],
    **options: Any,
) -> None:
    """Rank the sets of loaded dice that you can play with.

    Sets are ordered by the expected points of a turn under optimal play, or by the given objective. No set that is left
    out is better than those listed. Dice with equal weights count as one kind.

    \b
    Examples:
      keepwise best-dice --rules kingdom-come --own kingdom-come-loaded
      keepwise best-dice --rules kingdom-come --own kingdom-come-loaded \\
        --goal 1200
      keepwise best-dice --rules kingdom-come --own kingdom-come-loaded \\
        --rule target=500 --objective win
    """
    from keepwise import best_dice as rank
    from keepwise.dice_inventory import (
        count_hands,
        describe_dice,
        dice_of_opponent,
        fit_wild_faces,
        hand_rules,
        merge_equal_kinds,
    )
    from keepwise.games.dice_keys import CATALOGUE_KEY
    from keepwise.games.rulefile.loader import load_dice

    game = read_game(game_id, rules, rule_file)
    data = hand_rules(game)
    catalogue = game.rules.get(CATALOGUE_KEY)
    game, kinds = fit_wild_faces(game, load_dice(own, data.faces, catalogue))
    if against is not None:
        if options["objective"] != "win":
            raise InputError("--against requires --objective win")
        if against == ANY:
            _rank_against_any(game, kinds, output, most, as_json, options)
            return
        game = dice_of_opponent(game, _dice_of_hand(against, data.faces, catalogue))
    if output is not None:
        raise InputError("-o requires --against any")
    try:
        with Progress("solving hands") as progress:
            hands = rank(game, kinds, max_hands=most + 1, progress=progress, **options)
    except TooMuchError as error:
        raise refusal(error) from None
    except KeyboardInterrupt:
        checkpoint = options["checkpoint"]
        resume = f"the same command resumes from {checkpoint}" if checkpoint else "--checkpoint FILE would keep them"
        click.echo(f"finished sets of dice: {resume}", err=True)
        raise
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


def _dice_of_hand(text: str, faces: Sequence[str], catalogue: str | None) -> Sequence[DieKind]:
    """Return the dice of a file, or of a hand that lists names of the catalogue, such as ``lucky*6``."""
    from keepwise.games.dice_catalogue import load_catalogue, parse_hand
    from keepwise.games.push_rules import DieKind
    from keepwise.games.rulefile.loader import load_dice, shipped_rule_files

    is_file = os.path.exists(text) or text.endswith((".toml", ".txt")) or text in shipped_rule_files()
    if catalogue is None or is_file:
        return load_dice(text, faces, catalogue)
    return [DieKind(die.name, die.count, die.weights) for die in parse_hand(text, load_catalogue(catalogue))]


def _rank_against_any(
    game: Game, kinds: Sequence[DieKind], output: str | None, most: int, as_json: bool, options: dict[str, Any]
) -> None:
    """Print the hands with the best worst case against any hand that can be made of the same dice."""
    from keepwise.dice_inventory import seats_with_hands
    from keepwise.dice_matchups import solve_matchups
    from keepwise.storage.files import check_writable, write_atomically

    if refused := next((name for name in ("goal", "checkpoint") if options[name] is not None), None):
        raise InputError(f"--{refused} cannot be combined with --against any")
    if output is not None:
        check_writable(output)
    seats = seats_with_hands(game, kinds)
    threads = options["threads"] or os.cpu_count() or 1
    try:
        with Progress("solving races of hands") as progress:
            matchups = solve_matchups(game, seats, threads=threads, anyway=options["anyway"], progress=progress)
    except TooMuchError as error:
        raise refusal(error) from None
    if output is not None:
        with write_atomically(output) as file:
            file.write(matchups.to_csv().encode())
    least = matchups.least_chances()
    order = (-least).argsort(kind="stable")[:most].tolist()
    if as_json:
        rows = [
            {"hand": matchups.names[hand], "least_chance": float(least[hand]), "error_bound": matchups.error_bound}
            for hand in order
        ]
        click.echo(json.dumps({"game": game.id, "hands": len(least), "output": output, "best": rows}, indent=2))
        return
    for hand in order:
        worst = matchups.names[int(matchups.even[hand].argmin())]
        click.echo(f"{least[hand]:10.2%} at least  {matchups.names[hand]}; worst against {worst}")
    click.echo("A coin decides who begins.")
