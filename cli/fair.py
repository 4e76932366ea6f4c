"""``keepwise fair``: the head start or the smaller target that makes a race even."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from keepwise.util.errors import TooMuchError
from keepwise.util.number_format import format_bound, format_count, format_value

from .advise import headline
from .arguments import GameCommand
from .option_types import OneOf, WholeNumber
from .options import check_hands, game_options, json_option, read_game, refusal
from .progress import Progress
from .terminal import fitted

if TYPE_CHECKING:
    from keepwise.handicaps import Handicap

PLAYERS = 2
SEAT_NAMES = ("the first player", "the second player")
HELP = {"head_start": "a head start of {}", "target": "a target of {}"}
NO_HELP = {"head_start": "no head start", "target": "no smaller target"}


@click.command(cls=GameCommand)
@game_options
@click.option(
    "--by",
    "kind",
    type=OneOf(["head-start", "target"]),
    help="What the weaker player gets: a head start, or a smaller target (default: both are found).",
)
@click.option("--threads", type=WholeNumber(1), metavar="N", help="Processor threads to use (default: all processors).")
@click.option("--anyway", is_flag=True, help="Allow a solve that needs over an hour or over 8 GiB of memory.")
@json_option
def fair(
    game_id: str | None, rules: tuple[str, ...], rule_file: str | None, kind: str | None, as_json: bool, **options: Any
) -> None:
    """Find the head start and the target that make a race even.

    The weaker of two players gets the head start, or the smaller target, with which the chances of both are closest to
    even. Both players play optimally, and the first seat begins.

    \b
    Examples:
      keepwise fair pig
      keepwise fair pig --rule 2:target=120
      keepwise fair kingdom-come-2 --hands "lucky*6 / ordinary*6" --by target
    """
    from keepwise.handicaps import fairest_handicap, fairest_handicaps

    check_hands(click.get_current_context(), PLAYERS, "win")
    game = read_game(game_id, rules, rule_file)
    try:
        with Progress(f"solving {game.id}") as progress:
            if kind is None:
                handicap, target, refused = fairest_handicaps(game, progress=progress, **options)
            else:
                handicap = fairest_handicap(game, kind.replace("-", "_"), progress=progress, **options)
                target, refused = None, ""
    except TooMuchError as error:
        raise refusal(error) from None
    head = {
        "game": game.id,
        "rules": handicap.game.identifying_rules(),
        "objective": "win",
        "players": PLAYERS,
        "parameters": {},
    }
    if as_json:
        smaller_target = {"smaller_target": _as_json(target)} if target else {}
        click.echo(json.dumps({**head, **_as_json(handicap), **smaller_target}, indent=2))
        return
    click.echo(headline({**head, "rules": game.rules}, game, {}))
    for line in _report(handicap):
        click.echo(line)
    for line in _report(target)[handicap.is_needed :] if target else ():  # the unaided chances are given once
        click.echo(line)
    if refused:
        click.echo(f"no smaller target is given: {refused}")


def _as_json(handicap: Handicap) -> dict[str, Any]:
    """Return a handicap as JSON."""
    return {
        "seat": handicap.seat,
        "kind": handicap.kind,
        "points": handicap.points,
        "chances": list(handicap.chances),
        "unaided": list(handicap.chances_without_handicap),
        "next": None
        if handicap.next_points is None or handicap.next_chances is None
        else {"points": handicap.next_points, "chances": list(handicap.next_chances)},
        "error_bound": handicap.error_bound,
    }


def _report(handicap: Handicap) -> list[str]:
    """Return the lines that describe a handicap."""
    seat, kind = SEAT_NAMES[handicap.seat - 1], handicap.kind
    if handicap.is_needed:
        is_found = "fairest" if handicap.reaches_even else f"{NO_HELP[kind]} makes it even; closest"
        fairest = f"{is_found}: {HELP[kind].format(format_count(handicap.points, 'point'))} for {seat}"
        lines = [f"{NO_HELP[kind]}: {_format_chances(handicap.chances_without_handicap)}"]
    else:
        fairest, lines = f"fairest: {NO_HELP[kind]}", []
    lines.append(click.style(fitted(f"{fairest}: {_format_chances(handicap.chances)}"), bold=True))
    if handicap.next_points is not None and handicap.next_chances is not None:
        help_words = f"{HELP[kind].format(format_count(handicap.next_points, 'point'))} for {seat}"
        if handicap.next_chances == handicap.chances_without_handicap:
            help_words = NO_HELP[kind]
        if handicap.next_chances != handicap.chances_without_handicap or not handicap.is_needed:
            is_more_help = (handicap.next_points > handicap.points) == (kind == "head_start")
            step = f"one step {'more' if is_more_help else 'less'}"
            lines.append(fitted(f"{step}: {help_words}: {_format_chances(handicap.next_chances)}"))
    lines.append(fitted(f"in full {handicap.chances[0]!r}, within {format_bound(handicap.error_bound)}"))
    if handicap.is_needed:
        lines.append(f"play it with --rule {handicap.rule}")
    return lines


def _format_chances(chances: tuple[float, float]) -> str:
    first, second = (format_value(chance, "win").removesuffix(" to win") for chance in chances)
    return f"the first player {first}, the second {second}"
