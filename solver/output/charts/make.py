"""Compute charts from solved problems.

Start with ``make_chart``. ``COMMON_KINDS`` holds the kinds that do not depend on the family of the game; the module
that ``game.parts.charts`` names adds the kinds of one family.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...answers.positions import advise, values
from ...games import Game
from ...games.families import load_module
from ...games.rule_options import Option, RuleValue
from ...play.playable_game import Stage
from ...play.position_fields import Role, field_label, parse_number
from ...solvers import Problem, make_problem
from ...solvers.distribution import QUANTILES
from ...solving.solve import solve_problem
from ...solving.solved_problem import SolvedProblem, read_position
from ...util.errors import InputError, argument, suggest_name
from ...util.number_format import format_percent, format_value
from ...util.progress_reporting import ProgressCallback
from ..sheets import problem_facts
from . import KINDS, MATCHUPS, Chart
from .frontier import FRONTIER
from .kinds import ChartOptions, Kind, axis_scores, value_unit

TAIL_PROBABILITY = 1e-6  # of a distribution, on each side, which is not drawn
MAX_BARS = 40  # a distribution with more totals is drawn as a line
SEAT_KINDS = ("surface", "regions", "thresholds")  # kinds for the seat to move, if seats have rules of their own
POSITION_KINDS = ("keeps", "distribution", "ternary")  # kinds that show one position, or one total of scores


def make_chart(
    solution: SolvedProblem,
    kind: str,
    *,
    dice: object = None,
    vary: str | None = None,
    position: dict[str, Any] | None = None,
    progress: ProgressCallback = lambda share: None,
) -> Chart:
    """Return a chart of a solved problem.

    Args:
        solution: the solved problem.
        kind: one of ``KINDS``.
        dice: for regions, the number of dice left; of dice that differ, their names.
        vary: for sensitivity, a rule option, with or without the values to compare: ``target=3000,4000``. For
            frontier, policies to add: ``hold:300,hold:500``.
        position: for keeps and distribution, the fields of the position. For ternary, the fields of a position; scores
            with the same total are drawn. For surface, regions and thresholds, the seat to move, if seats have rules of
            their own.
        progress: called with the fraction of the work that is done.

    Raises:
        InputError: the problem has no chart of this kind.
    """
    return plan_chart(solution.problem, kind, dice=dice, vary=vary, position=position).run(solution, progress)


@dataclass(frozen=True)
class ChartPlan:
    """A chart that has been found possible.

    Attributes:
        problem: the problem.
        kind: the kind of chart.
        options: its options.
    """

    problem: Problem[Any]
    kind: Kind
    options: ChartOptions

    def run(self, solution: SolvedProblem, progress: ProgressCallback = lambda share: None) -> Chart:
        """Return the chart, once the problem is solved; raise InputError for the solution of another problem."""
        solution.check_solves(self.problem)
        chart = self.kind.draw(solution, self.options, progress)
        mover = f"Seat {self._seat() + 1} is to move." if solution.game.seat_games else ""
        note = " ".join(filter(None, (chart.note, mover, *problem_facts(solution))))
        return replace(chart, title=f"{solution.game.title}: {chart.title}", note=note)

    def _seat(self) -> int:
        """Return the seat to move in the chart."""
        if not self.options.position:
            return self.options.seat
        seat: int = self.problem.playable.value_of_role(
            read_position(self.problem, **self.options.position), Role.SEAT, 0
        )
        return seat


def _kinds(problem: Problem[Any]) -> dict[str, Kind]:
    """Return the kinds of charts that are drawn for the family of a game."""
    module = problem.game.parts.charts
    family_kinds: Mapping[str, Kind] = load_module(module).KINDS if module else {}
    return {**COMMON_KINDS, **family_kinds}


def plan_chart(
    problem: Problem[Any],
    kind: str,
    *,
    dice: object = None,
    vary: str | None = None,
    position: Mapping[str, Any] | None = None,
) -> ChartPlan:
    """Return a chart to be made once the problem is solved; for the arguments and errors see ``make_chart``."""
    if kind == MATCHUPS:
        raise InputError(f"the chart {MATCHUPS} requires --hands FILE with a hand in each line")
    if kind not in KINDS:
        raise InputError(f"unknown chart '{kind}'{suggest_name(kind, (*KINDS, MATCHUPS))}")
    fields = dict(position or {})
    seat = 0
    if problem.game.seat_games and kind in SEAT_KINDS and "seat" in fields:
        seat = parse_number(fields.pop("seat"), argument("seat"), 0, problem.players - 1)
    if fields and kind not in POSITION_KINDS:
        option = f"--{next(iter(fields)).replace('_', '-')}"
        raise InputError(f"the chart {kind} shows the whole game and takes no position: leave {option} out")
    if dice is not None and kind != "regions":
        raise InputError(f"the chart {kind} does not depend on the dice left: leave --dice out")
    if vary is not None and kind not in ("sensitivity", "frontier"):
        raise InputError(f"--vary cannot be combined with the chart {kind}; use it with sensitivity or frontier")
    kinds = _kinds(problem)
    if kind not in kinds:
        game = problem.game
        raise InputError(
            f"{game.title}{game.parts.title_suffix} has no chart {kind}; its charts are {', '.join(kinds)}"
        )
    plan = ChartPlan(problem, kinds[kind], ChartOptions(dice, vary, fields, seat))
    plan.kind.check(problem, plan.options)
    return plan


def _check_surface(problem: Problem[Any], options: ChartOptions) -> None:
    roles = {field.role for field in problem.playable.fields if not field.is_inside_turn} - {Role.SEAT, Role.OFFERED}
    if problem.objective != "win" or problem.players != 2 or roles != {Role.SCORE, Role.OTHER_SCORES}:
        raise InputError("the chart surface requires a race of two players: a push-your-luck game or Hearts Due")


def _check_distribution(problem: Problem[Any], options: ChartOptions) -> None:
    problem.require_distribution()
    read_position(problem, **options.position)


def _check_keeps(problem: Problem[Any], options: ChartOptions) -> None:
    position = read_position(problem, **options.position)
    has_choice = problem.playable.stage(position) is Stage.DECISION and len(problem.playable.choices(position)) > 1
    if not has_choice:
        raise InputError("the chart keeps requires a position with a choice: give a roll, or an id with --position")


def _check_sensitivity(problem: Problem[Any], options: ChartOptions) -> None:
    _varied_option(problem.game, options.vary)


def _surface(solution: SolvedProblem, options: ChartOptions, progress: ProgressCallback) -> Chart:
    """Draw the probability to win of the player to move, by both scores."""
    problem, playable = solution.problem, solution.problem.playable
    starts = problem.list_positions({}).positions
    scores_by_seat: dict[int, set[int]] = {}
    for start in starts:
        mover = playable.value_of_role(start, Role.SEAT, 0)
        scores_by_seat.setdefault(mover, set()).add(playable.value_of_role(start, Role.SCORE))
    seat = {"seat": options.seat} if options.seat else {}
    scores = axis_scores(sorted(scores_by_seat[options.seat]))
    opponent_scores = axis_scores(sorted(scores_by_seat.get(1 - options.seat, scores_by_seat[options.seat])))
    grid = np.empty((len(scores), len(opponent_scores)))
    for row, own_score in enumerate(scores):
        positions = [playable.position(score=own_score, opponents=[score], **seat) for score in opponent_scores]
        grid[row] = values(solution, positions)
        progress((row + 1) / len(scores))
    return Chart(
        "chance that the player to move wins",
        "map",
        "the opponent's score",
        "your score",
        "chance to win",
        xs=tuple(opponent_scores),
        ys=tuple(scores),
        grid=grid,
    )


def _distribution(solution: SolvedProblem, options: ChartOptions, progress: ProgressCallback) -> Chart:
    """Draw the distribution of the final total under optimal play, without its far tails."""
    position = read_position(solution.problem, **options.position)
    distribution = solution.problem.distribution(solution.value_table_for(position), position, progress)
    low, high = distribution.quantile(TAIL_PROBABILITY), distribution.quantile(1 - TAIL_PROBABILITY)
    probabilities = {
        total: float(probability)
        for total, probability in zip(distribution.totals, distribution.chances, strict=True)
        if low <= total <= high
    }
    quantiles = ", ".join(f"{100 * share:.0f}%: {distribution.quantile(share):,}" for share in QUANTILES)
    mean, deviation = float(distribution.mean), distribution.standard_deviation
    note = f"Mean {mean:,.2f}, standard deviation {deviation:,.2f}, quantiles {quantiles}."
    if len(probabilities) < len(distribution.totals):
        first, greatest = distribution.totals[0], distribution.totals[-1]
        note += f" Totals from {first} to {greatest} are possible; the last millionth on each side is not drawn."
    has_bars = len(probabilities) <= MAX_BARS
    return Chart(
        "the chance of every total",
        "bars" if has_bars else "lines",
        "total",
        "chance",
        "chance",
        note,
        labels=tuple(map(str, probabilities)) if has_bars else (),
        xs=() if has_bars else tuple(map(float, probabilities)),
        series={"chance": tuple(probabilities.values())},
    )


def _keeps(solution: SolvedProblem, options: ChartOptions, progress: ProgressCallback) -> Chart:
    """Draw the values of the choices in a position."""
    position = read_position(solution.problem, **options.position)
    advice = advise(solution, position)
    choices, best, unit = advice.choices[:MAX_BARS], advice.best, value_unit(solution)
    fields = ", ".join(
        f"{field_label(key)} {' '.join(map(str, value)) if isinstance(value, list) else value}"
        for key, value in solution.playable.to_dict(position).items()
        if not (key == "seat" and solution.game.seat_games)  # the note of the chart says it
    )
    marks = (" (best)" if choice is best else " (as good)" if choice.tie else "" for choice in choices)
    return Chart(
        f"the {value_unit(solution)} after each choice",
        "changes",
        "choice",
        f"difference from the best choice: {unit}",
        unit,
        f"{fields}.",
        labels=tuple(f"{choice.action}{mark}" for choice, mark in zip(choices, marks, strict=True)),
        series={
            "value": tuple(choice.value for choice in choices),
            "change": tuple(0.0 if choice.tie else choice.value - best.value for choice in choices),
        },
    )


def _sensitivity(solution: SolvedProblem, options: ChartOptions, progress: ProgressCallback) -> Chart:
    """Draw the value of the start of the game under other values of a rule option."""
    option, compared = _varied_option(solution.game, options.vary)
    current, problem = solution.game.rules[option.key], solution.problem
    parameters: dict[str, Any] = dict(problem.parameters)
    current_value = _start_value(solution)
    start_values = dict[str, float]()
    omitted = []
    for number, setting in enumerate(compared):
        name = f"{option.key}={str(setting).lower()}"
        try:
            if setting == current:
                start_values[f"{name} (now)"] = current_value
            else:
                game = solution.game.with_rules(**{option.key: setting})
                varied = make_problem(game, problem.objective, problem.players, **parameters)
                start_values[name] = _start_value(solve_problem(varied))
        except InputError as error:
            omitted.append(f"{name} is left out: {error}.")
        progress((number + 1) / len(compared))
    if len(start_values) == 1:
        advice = (
            f"{option.key} is {current}, and there are no other values to compare; give them as --vary {option.key}=A,B"
        )
        raise InputError(" ".join(omitted) or advice)
    return Chart(
        f"how the rule {option.key} changes the {value_unit(solution)} from the start",
        "changes",
        "rule",
        f"change of the {value_unit(solution)}",
        value_unit(solution),
        " ".join(omitted),
        labels=tuple(start_values),
        series={
            "value": tuple(start_values.values()),
            "change": tuple(value - current_value for value in start_values.values()),
        },
    )


def _start_value(solution: SolvedProblem) -> float:
    return float(values(solution, [solution.playable.start()])[0])


def _varied_option(game: Game, vary: str | None) -> tuple[Option, list[RuleValue]]:
    """Return a rule option and the values to compare, from ``KEY`` or ``KEY=A,B,...``.

    The values always include the current one. If `vary` names none, they are all choices of the option. For a number
    they are 1/2, 3/4, 5/4 and 3/2 of the current one, rounded to the grain of the game's points.
    """
    options = {option.key: option for option in game.options}
    if not options:
        raise InputError(f"{game.id} has no option to vary: all its rules are in its file")
    key, _, names = (vary or "").partition("=")
    if key not in options:
        missing = f"{game.id} has no option '{key}' to vary" if key else "missing --vary OPTION"
        raise InputError(f"{missing}; choose one of {', '.join(options)}")
    option, current = options[key], game.rules[key]
    if names:
        return option, list(dict.fromkeys([current, *(option.parse(name) for name in names.split(","))]))
    if isinstance(option.default, bool):
        return option, [False, True]
    if option.choices:
        return option, list(option.choices)
    grain = getattr(game.data, "grain", 1)
    neighbors = (round(current * quarters / 4 / grain) * grain for quarters in (2, 3, 5, 6))
    return option, sorted({current, *(max(option.low, min(option.high, value)) for value in neighbors)})


COMMON_KINDS = {
    "surface": Kind(_check_surface, _surface),
    "distribution": Kind(_check_distribution, _distribution),
    "keeps": Kind(_check_keeps, _keeps),
    "sensitivity": Kind(_check_sensitivity, _sensitivity),
    "frontier": FRONTIER,
}


def is_probability(chart: Chart) -> bool:
    """Return whether the values of a chart are probabilities, which are shown as percentages."""
    return chart.unit.startswith("chance")


def format_chart_value(chart: Chart, value: float) -> str:
    """Return a value as text, in the unit of the chart."""
    if is_probability(chart):
        return format_percent(value)
    points, _, span = chart.unit.partition(" ")
    if points == "points":
        return " ".join(filter(None, (format_value(value, points), span)))
    return f"{round(value, 3) + 0.0:,.3f}".removesuffix(".000")  # + 0.0: never -0.000


def format_change(chart: Chart, change: float) -> str:
    """Return a difference of two values as text; "" for none."""
    if not change:
        return ""
    amount, unit = (100 * change, " pp") if is_probability(chart) else (change, "")
    return f"{amount:+,.2f}{unit}" if abs(amount) >= 0.1 else f"{amount:+.2g}{unit}"
