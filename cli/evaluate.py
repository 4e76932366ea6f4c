"""``keepwise evaluate``: what a policy is worth, exactly, and what it loses to the best."""

from __future__ import annotations

import json
from typing import Any

import click

from keepwise.util.errors import InputError
from keepwise.util.number_format import format_bound, format_loss, format_value

from .advise import headline
from .arguments import Naming
from .options import Asked, find_question, json_option, question_options
from .progress import Progress
from .terminal import fitted

PLACES = ("second", "third", "fourth", "fifth", "sixth")


@click.command(cls=Naming)
@question_options
@click.option("--score", metavar="POINTS", help="For points: the score before the turn (whether the opening is done).")
@click.option(
    "--policy", required=True, metavar="POLICY", help="The policy: a name as below, or a function in a file of yours."
)
@click.option(
    "--opponents-play",
    "others",
    multiple=True,
    metavar="POLICY",
    help="Races: what the others play, once for all or once for each in turn order (default: the best).",
)
@json_option
def evaluate(policy: str, score: str | None, others: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Say what a policy is worth, exactly, and what it loses to the best; for win, against players who play the best.

    With --opponents-play: what the policy, or with --policy best the best reply, is worth against what they play: a
    policy, best, or duel (the best play of two, as if against whoever is ahead).

    \b
    Policies:
      hold:300          push your luck: set aside all that scores, bank from 300
                        points on, or with enough to win
      hold:5=600,4=400  the same with a limit for each number of dice left
      sheet:2           the printed sheet of a level, 1 to 4; sheet: that of
                        level 3 for the most points, as export --sheet 3
      source            Battleship: settle from seven on, as its text advises;
                        above-seven: recast at seven too
      FILE.py:FUNCTION  a function of your own: function(table, position)
                        returns a choice, its words or its number; the game is
                        walked position by position, which is refused if it
                        takes more than an hour (--anyway)
      best, best:points the best, for what is played for or for another
                        objective

    \b
    Examples:
      keepwise evaluate battleship --policy source --objective points
      keepwise evaluate pig --policy hold:20
      keepwise evaluate pig --rule target=40 --players 3 --policy best \\
        --opponents-play hold:20
    """
    from keepwise.api import plan_evaluation

    asked = find_question(options)
    if others:
        _against(asked, policy, others, score, as_json)
        return
    plan = plan_evaluation(asked.match, policy, score, anyway=asked.anyway)  # before minutes of solving
    solution = asked.solution()
    with Progress(f"evaluating {asked.match.game.id}") as progress:
        found = plan.run(solution.value_table, progress)
    if as_json:
        shape = {**solution.head, "policy": policy, "value": found.value, "optimal": found.optimal, "loss": found.loss}
        if found.second:
            shape["second"] = {"value": found.second[0], "optimal": found.second[1]}
        if found.later:
            shape["later"] = [{"value": mine, "optimal": best} for mine, best in found.later]
        click.echo(json.dumps({**shape, "error_bound": found.error_bound}, indent=2))
        return
    objective = asked.match.objective
    click.echo(headline(solution.head, solution.game.options, {"policy": policy}))
    told = f"{format_value(found.value, objective)}; the best is {format_value(found.optimal, objective)}"
    click.echo(click.style(fitted(f"{told}: it costs {format_loss(found.loss, objective)}"), bold=True))
    for place, (mine, best) in enumerate([found.second, *found.later] if found.second else []):
        lost = format_loss(max(0.0, best - mine), objective)
        best_value = format_value(best, objective)
        told = f"moving {PLACES[place]} {format_value(mine, objective)}; the best is {best_value}: it costs {lost}"
        click.echo(fitted(told))
    told = f"exactly {found.value!r}, within {format_bound(found.error_bound)}; it loses {found.loss!r}"
    click.echo(fitted(told))


def _against(asked: Asked, policy: str, others: tuple[str, ...], score: str | None, as_json: bool) -> None:
    """Print what a policy or the best reply is worth against others whose play is given."""
    from keepwise.api import check_against

    if score is not None:
        raise InputError("races are evaluated from the start: leave the score out")
    check_against(asked.match, policy, others)
    solution = asked.solution()
    with Progress(f"evaluating {asked.match.game.id}") as progress:
        found = solution.against(*others, policy=policy, progress=progress)
    if as_json:
        shape = {**solution.head, "policy": policy, "opponents_play": list(others), "values": list(found.values)}
        click.echo(json.dumps({**shape, "error_bound": found.error_bound}, indent=2))
        return
    told = {"policy": policy, "opponents play": ", ".join(others)}
    click.echo(headline(solution.head, solution.game.options, told))
    for place, value in zip(("first", *PLACES), found.values, strict=False):
        click.echo(f"moving {place} {format_value(value, asked.match.objective)}")
    click.echo(fitted(f"exactly {found.values[0]!r}, within {format_bound(found.error_bound)}"))
