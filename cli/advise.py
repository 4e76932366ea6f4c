"""``keepwise advise`` and ``keepwise value``: the best choice in a position, and what the position is worth."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from keepwise.games.dice_keys import HAND_KEY
from keepwise.games.rule_options import format_rule
from keepwise.games.seat_rules import format_seat_rules
from keepwise.play.position_fields import LATER_PLAYER, ORDINALS, field_label, name_later_player
from keepwise.util.errors import InputError
from keepwise.util.number_format import format_bound, format_loss, format_percent, format_value
from keepwise.util.text import format_table

from .arguments import GameOption, PositionCommand, has_odds, odds_of
from .option_types import WholeNumber
from .options import FOLLOWING, json_option, position_option, problem_options, read_request
from .progress import Progress
from .terminal import columns, fitted, say, width

if TYPE_CHECKING:
    from keepwise.api import Advice, Distribution, OddsSensitivity, PositionValue, Problem, Solution
    from keepwise.games import Game

MAX_LISTED_CHOICES = 20  # without --all
MAX_BARS = 50  # totals of a distribution that are listed one by one
MAX_BAR_COLUMNS = 40


def long_id_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --long-id."""
    words = "Print an id that contains the rules, to share with players whose house rules differ."
    return click.option("--long-id", is_flag=True, help=words)(command)


def exact_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --exact."""
    words = "Also print exact fractions, if the rest of the game is small enough."
    return click.option("--exact", is_flag=True, help=words)(command)


@click.command(cls=PositionCommand)
@problem_options
@position_option
@long_id_option
@json_option
@click.option(
    "--draws",
    cls=GameOption,
    fits=has_odds,
    type=WholeNumber(),
    metavar="N",
    help="Booby Trap: check the advice against N random sets of odds that fit your counts.",
)
@click.option(
    "--why",
    "reasons",
    is_flag=True,
    help="Explain the best choice by comparing it with the second best, or with --against.",
)
@click.option("--against", metavar="CHOICE", help='With --why: the choice to compare with, such as "bank 500".')
@exact_option
@click.option("--all", "show_all", is_flag=True, help=f"List every choice, not just the best {MAX_LISTED_CHOICES}.")
def advise(
    as_json: bool,
    long_id: bool,
    show_all: bool,
    exact: bool,
    reasons: bool,
    against: str | None,
    draws: int | None,
    position: dict[str, Any],
    position_id: str | None,
    **options: Any,
) -> None:
    """Rank every choice in a position, with what each one costs.

    The cost of a choice is how much less it is worth than the best one, in percentage points (pp) of the chance to win,
    or in points. A roll that busts loses the points of the turn; one that wipes loses the score too.

    \b
    Examples:
      keepwise advise 5000 --score 2000 --opponents 3500 --turn 300 --roll 11532
      keepwise advise 5000 --score 2000 --opponents 3500 --turn 550 --dice 2
      keepwise advise pig --objective points --turn 20 --dice 1
      keepwise advise pig --score 20 --opponents 50 --turn 10 --dice 1 --why
      keepwise advise pig --rule target=20 --score 12 --turn 2 --dice 1 --exact
    """
    if against is not None and not reasons:
        raise InputError("--against requires --why")

    def check(problem: Problem[Any]) -> None:
        if draws is not None:
            problem.validate_draws(draws)

    solution, start = _solve_position(options, position, position_id, check, exact)
    advice = solution.advise(start, exact=exact)
    head = {**solution.head, "error_bound": advice.error_bound, **_describe(solution, start, long_id)}
    why = solution.why(start, _choice_to_compare(solution, start, against)) if reasons else None
    sensitivity = None if draws is None else _odds_sensitivity(solution, start, advice, draws)
    if as_json:
        extra: dict[str, Any] = {} if sensitivity is None else {"across": asdict(sensitivity)}
        extra |= {} if why is None else {"why": why.as_json()}
        click.echo(json.dumps({**head, **advice.as_json(), **extra}, indent=2))
        return
    click.echo(headline(solution.head, solution.game, head["position"]))
    click.echo(click.style(fitted(advice.explain()), bold=True))
    if why is not None:
        say(why.text)
    if len(advice.choices) > 1 or exact:
        click.echo()
        rows = advice.choice_rows(None if show_all else MAX_LISTED_CHOICES)
        for line in format_table(rows, 1, "  ", columns(sys.stdout, sys.maxsize)):
            click.echo(fitted(line))
        if hidden_count := len(advice.choices) + 1 - len(rows):
            click.echo(f"  and {hidden_count} more (--all lists them)")
    if sensitivity is not None:
        objective = advice.objective
        words = (
            f"With {sensitivity.draws} random sets of odds that fit the counts, this advice is best in"
            f" {sensitivity.holds}; following it costs {format_loss(sensitivity.mean, objective)} on average,"
            f" {format_loss(sensitivity.most, objective)} at most."
        )
        click.echo(fitted(words))
    click.echo(f"id {head['id']}")


def _choice_to_compare(solution: Solution, position: Any, against: str | None) -> Any:
    """Return the choice that --against names; digits are dice, as at the prompt."""
    from keepwise.play.input_parser import parse_choice
    from keepwise.play.playable_game import Stage

    if against is None or solution.playable.stage(position) is not Stage.DECISION:
        return against
    words = f"keep {against}" if against.strip().isdecimal() else against  # a number alone would count the choices
    try:
        return parse_choice(solution.playable, position, words)
    except InputError as error:
        has_dice = any(map(str.isdigit, against)) and ":" not in against
        hint = "" if has_dice else "; for a policy or another player use keepwise evaluate"
        raise InputError(f"--against takes a choice of this position: {error}{hint}") from None


def _describe(solution: Solution, start: Any, long_id: bool) -> dict[str, Any]:
    """Return the id, or the long id, and the fields of a position."""
    playable = solution.playable
    return {"id": playable.long_id(start) if long_id else playable.id(start), "position": playable.to_dict(start)}


def _odds_sensitivity(solution: Solution, start: Any, advice: Advice, draws: int) -> OddsSensitivity:
    with Progress("drawing odds") as progress:
        return solution.problem.odds_sensitivity(start, advice.best, draws, progress)


@click.command(cls=PositionCommand)
@problem_options
@position_option
@long_id_option
@click.option(
    "--distribution",
    is_flag=True,
    help="Objective points: also print the mean, the spread, and the chance of every total; five quantiles if there"
    " are many totals. With --json, always every total.",
)
@exact_option
@json_option
def value(
    as_json: bool,
    long_id: bool,
    distribution: bool,
    exact: bool,
    position: dict[str, Any],
    position_id: str | None,
    **options: Any,
) -> None:
    """Print the value of a position, or of the start of the game.

    With several players, the value is printed for every seat, beginning with the player to move.

    \b
    Examples:
      keepwise value 5000 --score 2000 --opponents 3500
      keepwise value double-cameroon --objective points --distribution
      keepwise value pig --rule target=20 --score 12 --opponents 15 --exact
    """

    def check(problem: Problem[Any]) -> None:
        if distribution:
            problem.require_distribution()

    solution, start = _solve_position(options, position, position_id, check, exact)
    answer = solution.position_value(start, exact=exact)
    totals = _distribution(solution, start) if distribution else None
    head = {**solution.head, "error_bound": answer.error_bound, **_describe(solution, start, long_id)}
    if as_json:
        click.echo(json.dumps({**head, **_value_as_json(answer, totals, exact)}, indent=2))
        return
    objective = solution.playable.objective
    click.echo(headline(solution.head, solution.game, head["position"]))
    span = solution.problem.value_span_at(start)
    click.echo(click.style(f"{format_value(answer.value, objective)}{span}", bold=True))
    for line in _other_seats(answer, objective, exact):
        click.echo(line)
    if "wins_at_once" in answer.extra:
        chance = format_percent(answer.extra["wins_at_once"])
        click.echo(fitted(f"the chance that a roll of this turn wins at once: {chance}"))
    click.echo(fitted(f"in full {answer.value!r}, within {format_bound(answer.error_bound)}"))
    if exact:
        click.echo(f"in fractions {answer.exact[0]}")
    if totals:
        for line in _distribution_lines(totals):
            click.echo(line)
    click.echo(f"id {head['id']}")


def _value_as_json(answer: PositionValue, totals: Distribution | None, exact: bool) -> dict[str, Any]:
    """Return the value of a position in the form that scripts rely on."""
    shape: dict[str, Any] = {"value": answer.value, **answer.extra}
    if answer.seats:
        shape["seats"] = list(answer.seats)
    if exact:
        shape["exact"] = str(answer.exact[0])
        shape |= {"exact_seats": list(map(str, answer.exact))} if answer.seats else {}
    if totals:
        shape["distribution"] = totals.as_json()
    return shape


def _other_seats(answer: PositionValue, objective: str, exact: bool) -> Iterator[str]:
    """Yield a line with the value of every seat after the player to move."""
    later_players = {LATER_PLAYER.format(number): name_later_player(number) for number in range(1, len(answer.seats))}
    for seat, value in enumerate(answer.seats[1:], 1):
        role = answer.extra["roles"][seat] if "roles" in answer.extra else LATER_PLAYER.format(seat)
        player = "the opponent" if len(answer.seats) == 2 else later_players.get(role, role)
        fraction = f", in fractions {answer.exact[seat]}" if exact else ""
        words = format_percent(value) if objective == "win" else format_value(value, objective)
        yield f"{player}: {words}{fraction}"


def _distribution(solution: Solution, start: Any) -> Distribution:
    with Progress("computing the distribution") as progress:
        return solution.distribution(start, progress=progress)


def _distribution_lines(totals: Distribution) -> list[str]:
    """Return the mean and standard deviation, then bars if there are few totals, else quantiles."""
    mean = totals.mean
    exact = f" = {mean}" if isinstance(mean, Fraction) and mean.denominator > 1 else ""
    lines = [f"mean {float(mean):,.4f}{exact}, standard deviation {totals.standard_deviation:,.4f}"]
    if len(totals.totals) > MAX_BARS:
        from keepwise.api import QUANTILES

        return lines + [
            f"  {100 * share:2.0f}% of the totals are up to {totals.quantile(share):,}" for share in QUANTILES
        ]
    pairs = zip(totals.totals, totals.chances, strict=True)
    return lines + bar_lines([(f"{total:>6,}", float(chance)) for total, chance in pairs])


def bar_lines(shares: Sequence[tuple[str, float]]) -> list[str]:
    """Return a bar chart: each label with its share and a bar, as long as the terminal allows."""
    max_share = max(share for _, share in shares)
    label_columns = max(len(label) for label, _ in shares)
    columns_beside_bar = label_columns + 14  # the share, indent and gaps
    bar_columns = max(1, min(MAX_BAR_COLUMNS, width() - columns_beside_bar))
    rows = []
    for label, share in shares:
        bar = "#" * round(bar_columns * share / max_share)
        rows.append((label, f"{format_percent(share):>8}", bar.ljust(bar_columns)))
    return format_table(rows, indent="  ", width=width())


def _solve_position(
    options: dict[str, Any],
    position: dict[str, Any],
    position_id: str | None,
    check: Callable[[Problem[Any]], None],
    exact: bool,
) -> tuple[Solution, Any]:
    """Return a solution that covers a position, and the position.

    Everything that can be refused is refused before solving. So exact fractions are computed first; they are refused if
    too many positions can follow.

    Args:
        options: the options of the game and of the solve.
        position: the fields of the position, as typed.
        position_id: its id, if that was typed instead.
        check: raises InputError if the command does not suit the problem.
        exact: whether exact fractions are wanted.
    """
    from keepwise.api import read_position

    request = read_request(options, position_id)
    start = read_position(request.problem, position_id, **position)
    check(request.problem)
    if exact:
        from keepwise.certify.exact_values import exact_referee

        with Progress("computing fractions"):
            exact_referee(request.problem, start)
    solution = request.solution()
    with Progress(FOLLOWING) as progress:
        return solution.restricted_to(start, request.threads, progress), start


def headline(head: dict[str, Any], game: Game, position: dict[str, Any]) -> str:
    """Return the line above an answer: game, objective, rules that differ from the default, position."""
    changed_rules = game.changed_rules()
    shown_rules = {
        option.key: game.rules[option.key]
        for option in game.options
        if option.always_shown or option.key in changed_rules
    }
    rules_text = ", ".join(format_rule(key, value) for key, value in {**shown_rules, **changed_rules}.items())
    if not changed_rules:
        rules_text = f"default ({rules_text})" if rules_text else "default"
    parts = [
        head["game"],
        head["objective"] + (f", {head['players']} players" if head["players"] > 1 else ""),
    ]
    parts += [f"{key} {value}" for key, value in head["parameters"].items()]
    parts.append(f"rules: {rules_text}")
    if HAND_KEY in head["rules"]:
        from keepwise.games.dice_catalogue import format_hand

        parts.append(f"hand {format_hand(head['rules'][HAND_KEY])}")
    parts += format_seat_rules(head["rules"])
    parts += odds_of(head["rules"])
    parts += [_describe_field(key, value) for key, value in position.items() if value != []]
    return fitted(" · ".join(parts))


def _describe_field(name: str, value: object) -> str:
    """Return a field and its value; the seat as people count it: ``moving second``."""
    if name == "seat" and isinstance(value, int) and value < len(ORDINALS):
        return f"moving {ORDINALS[value]}"
    return f"{field_label(name)} {_format_field(value)}"


def _format_field(value: object) -> str:
    if isinstance(value, list):
        separator = ", " if any(" " in str(part) for part in value) else " "
        return separator.join(map(_format_field, value))
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:,}" if isinstance(value, int) else str(value)
