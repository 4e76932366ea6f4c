"""``keepwise evaluate``: what a policy is worth, exactly, and what it loses to the best."""

from __future__ import annotations

import json
from typing import Any

import click

from keepwise.advice import cost, worth
from keepwise.matches.evaluation import read_policy
from keepwise.solution import solve_match

from .answers import headline
from .options import Progress, json_option, question_options, read_question


@click.command()
@question_options
@click.option("--score", metavar="POINTS", help="For points: the score before the turn (whether the opening is done).")
@click.option("--policy", required=True, metavar="POLICY", help="hold:300, hold:5=600,4=400 (by dice left), source.")
@json_option
def evaluate(policy: str, score: str | None, as_json: bool, **options: Any) -> None:
    """Say what a policy is worth, exactly, and what it loses to the best; for win, against a player who plays the best.

    \b
    Policies:
      hold:300           push your luck: set aside all that scores, bank with 300 or enough to win
      hold:5=600,4=400   the same with a limit for each number of dice left
      source             Battleship: settle from seven on, as its text advises; above-seven: recast at seven too

    \b
    Examples:
      keepwise evaluate battleship --policy source --objective points
      keepwise evaluate pig --policy hold:20
    """
    asked, threads = read_question(options), options.pop("threads")
    read_policy(asked, policy, score)  # before minutes of solving
    with Progress(f"evaluating {asked.game.id}") as progress:
        solution = solve_match(asked, threads=threads, progress=progress)
        found = solution.evaluate(policy, score=score, progress=progress)
    if as_json:
        shape = {**solution.head, "policy": policy, "value": found.value, "optimal": found.optimal, "loss": found.loss}
        if found.second:
            shape["second"] = {"value": found.second[0], "optimal": found.second[1]}
        click.echo(json.dumps({**shape, "error_bound": found.error_bound}, indent=2))
        return
    objective = asked.objective
    click.echo(headline(solution.head, solution.game.options, {"policy": policy}))
    told = f"{worth(found.value, objective)}; the best is {worth(found.optimal, objective)}"
    click.echo(click.style(f"{told}: it costs {cost(found.loss, objective)}", bold=True))
    if found.second:
        mine, best = found.second
        lost = cost(best - mine, objective)
        click.echo(f"moving second {worth(mine, objective)}; the best is {worth(best, objective)}: it costs {lost}")
    click.echo(f"exactly {found.value!r}, within {found.error_bound:.1g}; it loses {found.loss!r}")
