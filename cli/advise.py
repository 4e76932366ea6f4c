"""``keepwise advise`` and ``keepwise value``: a position in, an answer out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from keepwise.util.errors import InputError
from keepwise.util.number_format import format_bound, format_loss, format_percent, format_value
from keepwise.util.text import format_table

from .arguments import Asking, GameOption, has_odds, odds_of
from .options import FOLLOWING, find_question, json_option, position_option, question_options
from .progress import Progress
from .terminal import columns, fitted, width

if TYPE_CHECKING:
    from keepwise import RankedChoice
    from keepwise.api import Advice, Distribution, OddsSensitivity, Problem, Solution
    from keepwise.games.rule_options import Option

SHOWN = 20  # choices that advise lists unasked
MOST_BARS = 50  # totals that a distribution lists one by one


def exact_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--exact."""
    told = "Also in fractions, numerator and denominator, where little enough can follow."
    return click.option("--exact", is_flag=True, help=told)(command)


@click.command(cls=Asking)
@question_options
@position_option
@json_option
@click.option(
    "--draws",
    cls=GameOption,
    fits=has_odds,
    type=int,
    metavar="N",
    help="Booby Trap: try the advice on N draws of what counts leave open.",
)
@click.option("--why", "reasons", is_flag=True, help="Also say why, against the next best or --against CHOICE.")
@click.option("--against", metavar="CHOICE", help='With --why: the choice asked about, such as "bank 500".')
@exact_option
@click.option("--all", "show_all", is_flag=True, help=f"List every choice, not only the best {SHOWN}.")
def advise(
    as_json: bool,
    show_all: bool,
    exact: bool,
    reasons: bool,
    against: str | None,
    draws: int | None,
    position: dict[str, Any],
    position_id: str | None,
    **options: Any,
) -> None:
    """Say what to keep: every legal choice ranked, with its value and what it costs, in percentage points where values
    are chances. A throw that busts loses what the turn brought, one that wipes the score too.

    \b
    Examples:
      keepwise advise 5000 --score 2000 --opponents 3500 --turn 300 --roll 11532
      keepwise advise 5000 --score 2000 --opponents 3500 --turn 550 --dice 2
      keepwise advise pig --objective points --turn 20 --dice 1
      keepwise advise pig --score 20 --opponents 50 --turn 10 --dice 1 --why
      keepwise advise pig --rule target=20 --score 12 --turn 2 --dice 1 --exact
    """
    if against is not None and not reasons:
        raise InputError("--against names the choice that --why compares: give --why too")

    def check(asked: Problem[Any]) -> None:
        if draws is not None:
            asked.validate_draws(draws)

    solution, where = _answer(options, position, position_id, check, exact)
    advice = solution.advise(where, exact=exact)
    shown = {**solution.head, "error_bound": advice.error_bound, **_told(solution, where)}
    why = solution.why(where, against) if reasons else None
    across = None if draws is None else _across(solution, where, advice, draws)
    if as_json:
        extra: dict[str, Any] = {} if across is None else {"across": asdict(across)}
        extra |= {} if why is None else {"why": why.as_json()}
        click.echo(json.dumps({**shown, **advice.as_json(), **extra}, indent=2))
        return
    click.echo(headline(solution.head, solution.game.options, shown["position"]))
    click.echo(click.style(fitted(advice.explain()), bold=True))
    if why is not None:
        click.echo(fitted(why.text))
    if len(advice.choices) > 1 or exact:
        click.echo()
        listed = advice.choices if show_all else advice.choices[:SHOWN]
        for line in _table(advice, listed):
            click.echo(fitted(line))
        if more := len(advice.choices) - len(listed):
            click.echo(f"  and {more} more (--all)")
    if across is not None:
        objective = advice.objective
        told = (
            f"across what the counts leave open: best in {across.holds} of {across.draws} draws; it costs"
            f" {format_loss(across.mean, objective)} on average, {format_loss(across.most, objective)} at most"
        )
        click.echo(fitted(told))
    click.echo(f"id {shown['id']}")


def _told(solution: Solution, where: Any) -> dict[str, Any]:
    """The position, in full and as a line of text."""
    return {"id": solution.playable.id(where), "position": solution.playable.tell(where)}


def _across(solution: Solution, where: Any, advice: Advice, draws: int) -> OddsSensitivity:
    with Progress("drawing odds") as progress:
        return solution.problem.odds_sensitivity(where, advice.best, draws, progress)


@click.command(cls=Asking)
@question_options
@position_option
@click.option("--distribution", is_flag=True, help="Also every chance of the total, where the game has one.")
@exact_option
@json_option
def value(
    as_json: bool,
    distribution: bool,
    exact: bool,
    position: dict[str, Any],
    position_id: str | None,
    **options: Any,
) -> None:
    """Print the value of a position (default: the start), for every seat where there are several.

    \b
    Examples:
      keepwise value 5000 --score 2000 --opponents 3500
      keepwise value double-cameroon --objective points --distribution
      keepwise value pig --rule target=20 --score 12 --opponents 15 --exact
    """

    def check(asked: Problem[Any]) -> None:
        if distribution:
            asked.require_distribution()

    solution, where = _answer(options, position, position_id, check, exact)
    answer = solution.position_value(where, exact=exact)
    whole = _distribution(solution, where) if distribution else None
    shown = {**solution.head, "error_bound": answer.error_bound, **_told(solution, where)}
    if as_json:
        shape = {**shown, "value": answer.value, **answer.extra}
        if answer.seats:
            shape["seats"] = list(answer.seats)
        if exact:
            shape["exact"] = str(answer.exact[0])
            shape |= {"exact_seats": list(map(str, answer.exact))} if answer.seats else {}
        if whole:
            shape["distribution"] = whole.as_json()
        click.echo(json.dumps(shape, indent=2))
        return
    objective = solution.playable.objective
    click.echo(headline(solution.head, solution.game.options, shown["position"]))
    click.echo(click.style(format_value(answer.value, objective), bold=True))
    for seat, chance in enumerate(answer.seats[1:], 1):
        who = "the opponent" if len(answer.seats) == 2 else f"player {seat} after you"
        who = answer.extra["roles"][seat] if "roles" in answer.extra else who
        fraction = f", in fractions {answer.exact[seat]}" if exact else ""
        click.echo(
            f"{who}: {format_percent(chance) if objective == 'win' else format_value(chance, objective)}{fraction}"
        )
    if "wins_at_once" in answer.extra:
        click.echo(
            fitted(f"beside it, a throw of this turn wins at once: {format_percent(answer.extra['wins_at_once'])}")
        )
    click.echo(fitted(f"exactly {answer.value!r}, within {format_bound(answer.error_bound)}"))
    if exact:
        click.echo(f"in fractions {answer.exact[0]}")
    if whole:
        for line in _shape(whole):
            click.echo(line)
    click.echo(f"id {shown['id']}")


def _distribution(solution: Solution, where: Any) -> Distribution:
    with Progress("every chance") as progress:
        return solution.distribution(where, progress=progress)


def _shape(whole: Distribution) -> list[str]:
    """A distribution in a few lines: mean, spread, and bars where there are few totals, else quantiles."""
    mean = whole.mean
    exact = f" = {mean}" if isinstance(mean, Fraction) and mean.denominator > 1 else ""
    lines = [f"mean {float(mean):,.4f}{exact}, standard deviation {whole.standard_deviation:,.4f}"]
    if len(whole.totals) > MOST_BARS:
        from keepwise.api import QUANTILES

        return lines + [
            f"  {100 * share:2.0f} % of the totals are up to {whole.quantile(share):,}" for share in QUANTILES
        ]
    return lines + drawn([(f"{total:>6,}", float(one)) for total, one in zip(whole.totals, whole.chances, strict=True)])


def drawn(shares: Sequence[tuple[str, float]]) -> list[str]:
    """What falls in each, with its share and a bar, the longest of 40 or of what a narrow terminal has left."""
    most, names = max(share for _, share in shares), max(len(told) for told, _ in shares)
    bar = max(1, min(40, width() - names - 14))
    rows = [(told, f"{format_percent(share):>8}", f"{'#' * round(bar * share / most):{bar}}") for told, share in shares]
    return format_table(rows, indent="  ", width=width())


def _answer(
    options: dict[str, Any],
    position: dict[str, Any],
    position_id: str | None,
    check: Callable[[Problem[Any]], None],
    exact: bool,
) -> tuple[Solution, Any]:
    """Check the question and the position, then solve what can follow from there; what is asked in fractions first."""
    from keepwise.api import read_position

    asked = find_question(options, position_id)
    where = read_position(asked.match, position_id, **position)
    check(asked.match)
    if exact:
        from keepwise.certify.exact_values import exact_referee

        with Progress("fractions"):
            exact_referee(asked.match, where)
    solution = asked.solution()
    with Progress(FOLLOWING) as progress:
        return solution.restricted_to(where, asked.threads, progress), where


def headline(head: dict[str, Any], options: Sequence[Option], position: dict[str, Any]) -> str:
    """One line that says what an answer is for: game, objective, rules that differ, position."""
    rules = [(option, head["rules"][option.key]) for option in options]
    are_default = all(value == option.default for option, value in rules)
    shown = [
        f"{option.key}={str(value).lower()}"
        for option, value in rules
        if option.always_shown or value != option.default
    ]
    named = ", ".join(shown)
    if are_default:
        named = f"default ({named})" if shown else "default"
    parts = [
        head["game"],
        head["objective"] + (f", {head['players']} players" if head["players"] > 1 else ""),
    ]
    parts += [f"{key} {value}" for key, value in head["parameters"].items()]
    parts.append(f"rules: {named}")
    parts += odds_of(head["rules"])
    parts += [f"{key.replace('_', ' ')} {_plain(value)}" for key, value in position.items() if value != []]
    return fitted(" · ".join(parts))


def _plain(value: object) -> str:
    if isinstance(value, list):
        return (", " if any(" " in str(one) for one in value) else " ").join(map(_plain, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value).lower()


def _table(advice: Advice, choices: Sequence[RankedChoice]) -> list[str]:
    rows: list[tuple[str, ...]] = [("choice", "value", "costs", advice.mishap[0], "wipes", "in fractions")]
    for choice in choices:
        loss = "best" if choice is advice.best else "tie" if choice.tie else format_loss(choice.loss, advice.objective)
        lost = (format_percent(chance) if chance else "" for chance in (choice.bust, choice.wipe))
        exact = "" if choice.exact is None else str(choice.exact)
        rows.append((choice.action, format_value(choice.value, advice.objective), loss, *lost, exact))
    told = [column for column in zip(*rows, strict=True) if any(column[1:])]  # nobody reads of what cannot be
    return format_table([*zip(*told, strict=True)], 1, "  ", columns(sys.stdout, sys.maxsize))
