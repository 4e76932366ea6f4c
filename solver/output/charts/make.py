"""What the charts show, taken from solutions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...answers.positions import advise, values
from ...games import Game
from ...games.families import loaded
from ...games.rule_options import Option, RuleValue
from ...play.position_fields import Role
from ...solvers import Problem
from ...solvers import make_problem as ask
from ...solvers.distribution import QUANTILES
from ...solving.solve import solve_problem
from ...solving.solved_problem import SolvedProblem, read_position
from ...util.errors import InputError, suggest_name
from ...util.number_format import format_percent, format_value
from ..sheets import facts
from . import KINDS, Chart
from .frontier import FRONTIER
from .kinds import Asked, Kind, Progress, some, unit

TAIL = 1e-6  # of a distribution's chance on each side, which is not drawn
MOST_BARS = 40


def make_chart(
    solution: SolvedProblem,
    kind: str,
    *,
    dice: int | None = None,
    vary: str | None = None,
    position: dict[str, Any] | None = None,
    progress: Progress = lambda done: None,
) -> Chart:
    """Return a chart of a solution.

    Args:
        solution: the solved question.
        kind: one of ``KINDS``.
        dice: for regions, the dice left.
        vary: for sensitivity, the rule option, or with the values to compare: ``target=3000,4000``; for frontier,
            policies to draw beside: ``hold:300,hold:500``.
        position: for keeps and distribution, the position: its fields; for ternary one whose scores have the total.
        progress: called with the share done.

    Raises:
        InputError: a kind that the question has no picture of.
    """
    asked = Asked(dice, vary, position or {})
    check_chart(solution.problem, kind, dice=dice, vary=vary, position=position)
    chart = {**OWN, **_family(solution.problem)}[kind].draw(solution, asked, progress)
    told = " ".join(filter(None, (chart.note, *facts(solution))))
    return replace(chart, title=f"{solution.game.title}: {chart.title}", note=told)


def _family(match: Problem[Any]) -> Mapping[str, Kind]:
    """The kinds that are drawn for the games of a family only."""
    kinds: Mapping[str, Kind] = loaded(match.game.parts.charts).KINDS if match.game.parts.charts else {}
    return kinds


def check_chart(
    match: Problem[Any],
    kind: str,
    *,
    dice: int | None = None,
    vary: str | None = None,
    position: Mapping[str, Any] | None = None,
) -> None:
    """Raise InputError for a question that has no picture of a kind, before it is solved; see ``make_chart``."""
    if kind not in KINDS:
        raise InputError(f"there is no chart {kind}{suggest_name(kind, KINDS)}")
    given = position or {}
    if given and kind not in ("keeps", "distribution", "ternary"):
        raise InputError(f"the chart {kind} is for the whole game: leave --{next(iter(given)).replace('_', '-')} out")
    if dice is not None and kind != "regions":
        raise InputError(f"the chart {kind} takes no number of dice left: leave --dice out")
    if vary is not None and kind not in ("sensitivity", "frontier"):
        raise InputError(f"the chart {kind} takes no --vary; sensitivity and frontier do")
    kinds = {**OWN, **_family(match)}
    if kind not in kinds:
        raise InputError(f"the chart {kind} is drawn for push-your-luck games")
    kinds[kind].check(match, Asked(dice, vary, given))


def _check_surface(match: Problem[Any], asked: Asked) -> None:
    between = {field.role for field in match.playable.fields if not field.inside} - {Role.SEAT, Role.OFFERED}
    if match.objective != "win" or match.players != 2 or between != {Role.SCORE, Role.OTHERS}:
        raise InputError("the chart surface is drawn for two players who race: push-your-luck games and Hearts Due")


def _check_distribution(match: Problem[Any], asked: Asked) -> None:
    match.require_distribution()
    read_position(match, **asked.position)


def _check_keeps(match: Problem[Any], asked: Asked) -> None:
    position = read_position(match, **asked.position)
    if len(match.playable.choices(position) if match.playable.stage(position) == "choose" else ()) < 2:
        raise InputError(
            "the chart keeps is drawn where there is something to choose: tell a roll, or an id by --position"
        )


def _check_sensitivity(match: Problem[Any], asked: Asked) -> None:
    _tried(match.game, asked.vary)


def _surface(solution: SolvedProblem, asked: Asked, progress: Progress) -> Chart:
    match, table = solution.problem, solution.problem.playable
    scores = some(sorted({table.told(one, Role.SCORE) for one in match.list_positions({}).positions}))
    grid = np.empty((len(scores), len(scores)))
    for row, mine in enumerate(scores):
        grid[row] = values(solution, [table.read(score=mine, opponents=[theirs]) for theirs in scores])
        progress((row + 1) / len(scores))
    return Chart(
        "the chance to win of the player to move",
        "map",
        "the opponent's score",
        "your score",
        "chance to win",
        xs=tuple(scores),
        ys=tuple(scores),
        grid=grid,
    )


def _distribution(solution: SolvedProblem, asked: Asked, progress: Progress) -> Chart:
    here = read_position(solution.problem, **asked.position)
    whole = solution.problem.distribution(solution.value_table_for(here), here, progress)
    low, high = whole.quantile(TAIL), whole.quantile(1 - TAIL)
    drawn = {total: float(one) for total, one in zip(whole.totals, whole.chances, strict=True) if low <= total <= high}
    few = len(drawn) <= MOST_BARS
    ranges = ", ".join(f"{100 * share:.0f} % up to {whole.quantile(share):,}" for share in QUANTILES)
    numbers = f"Mean {float(whole.mean):,.2f}, standard deviation {whole.standard_deviation:,.2f}; {ranges}."
    if len(drawn) < len(whole.totals):
        numbers += f" {whole.totals[0]} to {whole.totals[-1]} can be; drawn is all but the last millionth on each side."
    return Chart(
        "every total",
        "bars" if few else "lines",
        "total",
        "chance",
        "chance",
        numbers,
        labels=tuple(map(str, drawn)) if few else (),
        xs=() if few else tuple(map(float, drawn)),
        series={"chance": tuple(drawn.values())},
    )


def _keeps(solution: SolvedProblem, asked: Asked, progress: Progress) -> Chart:
    here = read_position(solution.problem, **asked.position)
    advice = advise(solution.problem, solution.value_table_for(here), here)
    shown, best, told = advice.choices[:MOST_BARS], advice.best, unit(solution)
    where = ", ".join(
        f"{key} {' '.join(map(str, value)) if isinstance(value, list) else value}"
        for key, value in solution.playable.tell(here).items()
    )
    marks = (" (best)" if one is best else " (as good)" if one.tie else "" for one in shown)
    return Chart(
        "what each choice is worth",
        "changes",
        "choice",
        f"what it costs against the best: {told}",
        told,
        f"{where}.",
        labels=tuple(f"{one.action}{mark}" for one, mark in zip(shown, marks, strict=True)),
        series={
            "value": tuple(one.value for one in shown),
            "change": tuple(0.0 if one.is_best else one.value - best.value for one in shown),
        },
    )


def _sensitivity(solution: SolvedProblem, asked: Asked, progress: Progress) -> Chart:
    option, tried = _tried(solution.game, asked.vary)
    now, match = solution.game.rules[option.key], solution.problem
    parameters: dict[str, Any] = dict(match.parameters)
    base, found = _at_start(solution), dict[str, float]()
    left_out = []
    for done, value in enumerate(tried):
        told = f"{option.key}={str(value).lower()}"
        try:
            if value == now:
                found[f"{told} (now)"] = base
            else:
                other = solution.game.with_rules(**{option.key: value})
                found[told] = _at_start(solve_problem(ask(other, match.objective, match.players, **parameters)))
        except InputError as error:
            left_out.append(f"{told} is left out: {error}.")
        progress((done + 1) / len(tried))
    if len(found) == 1:
        advice = f"{option.key} is {now}: name values to compare, --vary {option.key}=A,B"
        raise InputError(" ".join(left_out) or advice)
    return Chart(
        f"what {option.key} changes",
        "changes",
        "rule",
        f"change of the {unit(solution)}",
        unit(solution),
        " ".join(left_out),
        labels=tuple(found),
        series={"value": tuple(found.values()), "change": tuple(value - base for value in found.values())},
    )


def _at_start(known: SolvedProblem) -> float:
    return float(values(known, [known.playable.start()])[0])


def _tried(game: Game, vary: str | None) -> tuple[Option, list[RuleValue]]:
    """The option of ``KEY`` or ``KEY=A,B,...`` and the values to compare, that of the game among them.

    Where none are named: every choice, or for a number from half to one and a half times what it is, on the grain that
    the game's points have.
    """
    options = {option.key: option for option in game.options}
    if not options:
        raise InputError(f"the rules of {game.id} are all in its file: it has no option to vary")
    key, _, named = (vary or "").partition("=")
    if key not in options:
        raise InputError(f"say which option: --vary, one of {', '.join(options)}")
    option, now = options[key], game.rules[key]
    if named:
        return option, list(dict.fromkeys([now, *(option.read(text) for text in named.split(","))]))
    if isinstance(option.default, bool):
        return option, [False, True]
    if option.choices:
        return option, list(option.choices)
    grain = getattr(game.data, "grain", 1)
    near = (round(now * share / 4 / grain) * grain for share in (2, 3, 5, 6))
    return option, sorted({now, *(max(option.low, min(option.high, value)) for value in near)})


OWN = {
    "surface": Kind(_check_surface, _surface),
    "distribution": Kind(_check_distribution, _distribution),
    "keeps": Kind(_check_keeps, _keeps),
    "sensitivity": Kind(_check_sensitivity, _sensitivity),
    "frontier": FRONTIER,
}


def in_words(chart: Chart, value: float) -> str:
    """A value as people read it."""
    if chart.unit.startswith("chance"):
        return format_percent(value)
    return (
        format_value(value, "points")
        if chart.unit == "points"
        else f"{round(value, 3) + 0.0:,.3f}".removesuffix(".000")
    )  # never -0.000


def change_in_words(chart: Chart, change: float) -> str:
    """A difference of two values as people read it; empty for none."""
    if not change:
        return ""
    shown, unit = (100 * change, " %") if chart.unit.startswith("chance") else (change, "")
    return f"{shown:+,.2f}{unit}" if abs(shown) >= 0.1 else f"{shown:+.2g}{unit}"
