"""``keepwise evaluate``: the exact value of a policy, and its loss against optimal play."""

from __future__ import annotations

import json
from typing import Any

import click

from keepwise.util.errors import InputError
from keepwise.util.number_format import format_bound, format_loss, format_value

from .advise import headline
from .arguments import GameCommand
from .options import SolveRequest, json_option, problem_options, read_request
from .progress import Progress
from .terminal import fitted

PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")


@click.command(cls=GameCommand)
@problem_options
@click.option("--score", metavar="POINTS", help="Objective points: the score before the turn.")
@click.option("--policy", required=True, metavar="POLICY", help="The policy to evaluate, as listed above.")
@click.option(
    "--opponents-play",
    "opponent_policies",
    multiple=True,
    metavar="POLICY",
    help="The policy of the opponents: give it once for all of them, or once for each in turn order (default: best).",
)
@json_option
def evaluate(policy: str, score: str | None, opponent_policies: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Compute the exact value of a policy, and what it loses.

    With the objective win, the opponents play optimally. With --opponents-play they follow a policy instead; then
    --policy best is the best response to it.

    \b
    Policies:
      hold:300          push your luck: set aside every scoring die, bank with
                        300 points or more, or with enough for the target
      hold:5=600,4=400  the same, with a limit for each number of dice left
      sheet:2           follow the strategy sheet of this level, 1 to 4; sheet
                        alone means sheet:3 for the objective points
      source            Battleship: one reading of the advice in its rules:
                        stop with a crew of seven or more
      above-seven       the other reading: stop with a crew of eight or more
      FILE.py:FUNCTION  your own Python function: function(playable, position)
                        returns a choice, its words or its number; refused if
                        walking through the game takes more than an hour
                        (--anyway allows it)
      best, best:points the best play, or the best for another objective
      duel              only with --opponents-play: the opponents play as if the
                        leader were their only opponent

    \b
    Examples:
      keepwise evaluate battleship --policy source --objective points
      keepwise evaluate pig --policy hold:20
      keepwise evaluate pig --rule target=40 --players 3 --policy best \\
        --opponents-play hold:20
    """
    from keepwise.api import plan_evaluation

    request = read_request(options)
    if opponent_policies:
        _against(request, policy, opponent_policies, score, as_json)
        return
    # Refuse what cannot be evaluated before minutes of solving.
    plan = plan_evaluation(request.problem, policy, score, anyway=request.anyway)
    solution = request.solution()
    with Progress(f"evaluating {request.problem.game.id}") as progress:
        evaluation = plan.run(solution, progress)
    if as_json:
        shape = {
            **solution.head,
            "policy": policy,
            "value": evaluation.value,
            "optimal": evaluation.optimal,
            "loss": evaluation.loss,
        }
        if evaluation.second:
            shape["second"] = {"value": evaluation.second[0], "optimal": evaluation.second[1]}
        if evaluation.later:
            shape["later"] = [{"value": value, "optimal": best} for value, best in evaluation.later]
        click.echo(json.dumps({**shape, "error_bound": evaluation.error_bound}, indent=2))
        return
    problem = request.problem
    objective, start = problem.objective, problem.playable.start()
    span = problem.value_span_at(start) if score is None else problem.value_span
    click.echo(headline(solution.head, solution.game, {"policy": policy}))
    later_seats = [evaluation.second, *evaluation.later] if evaluation.second else []
    seats = [(evaluation.value, evaluation.optimal, evaluation.loss)]
    seats += [(value, best, max(0.0, best - value)) for value, best in later_seats]
    for place, (value, best, loss) in zip(PLACES, seats, strict=False):
        mover = f"moving {place}: " if later_seats else ""
        values = f"{mover}{format_value(value, objective)}{span}; best play: {format_value(best, objective)}"
        line = fitted(f"{values}; this policy costs {format_loss(loss, objective)}")
        click.echo(click.style(line, bold=place == PLACES[0]))
    bound = format_bound(evaluation.error_bound)
    click.echo(fitted(f"in full {evaluation.value!r}, within {bound}; it costs {evaluation.loss!r}"))


def _against(
    request: SolveRequest, policy: str, opponent_policies: tuple[str, ...], score: str | None, as_json: bool
) -> None:
    """Print the value of a policy, or of the best reply, against opponents with fixed policies."""
    from keepwise.api import plan_against

    if score is not None:
        raise InputError("--score cannot be combined with --opponents-play, which evaluates a race from its start")
    plan = plan_against(request.problem, policy, opponent_policies)
    solution = request.solution()
    with Progress(f"evaluating {request.problem.game.id}") as progress:
        evaluation = plan.run(solution, progress)
    if as_json:
        shape = {
            **solution.head,
            "policy": policy,
            "opponents_play": list(opponent_policies),
            "values": list(evaluation.values),
        }
        click.echo(json.dumps({**shape, "error_bound": evaluation.error_bound}, indent=2))
        return
    policies = {"policy": policy, "opponents play": ", ".join(opponent_policies)}
    click.echo(headline(solution.head, solution.game, policies))
    for place, value in zip(PLACES, evaluation.values, strict=False):
        click.echo(f"moving {place}: {format_value(value, request.problem.objective)}")
    click.echo(fitted(f"in full {evaluation.values[0]!r}, within {format_bound(evaluation.error_bound)}"))
