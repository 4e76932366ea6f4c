"""What the charts show, taken from solutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..advice import percent, worth
from ..errors import InputError, nearest
from ..games import Game, game
from ..matches import Distributed
from ..sheets import facts
from ..sheets.push import decisions, read_limits
from ..solution import Solution, solve
from . import KINDS, Chart

Progress = Callable[[float], None]

MOST_SIDE = 60  # positions to a side of a map
MOST_BARS = 40
UNITS = {"win": "chance to win", "reach": "chance to get there", "points": "points", "turns": "turns"}


def make_chart(
    solution: Solution,
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
        dice: for regions and thresholds, the dice left.
        vary: for sensitivity, the rule option.
        position: for keeps, the position; for surface and distribution, what the game's ``read`` takes.
        progress: called with the share done.

    Raises:
        InputError: a kind that the question has no picture of.
    """
    if kind not in KINDS:
        raise InputError(f"there is no chart {kind}{nearest(kind, KINDS)}")
    given = position or {}
    if kind == "regions":
        return _regions(solution, dice, progress)
    if kind == "surface":
        return _surface(solution, progress)
    if kind == "thresholds":
        return _thresholds(solution, progress)
    if kind == "distribution":
        return _distribution(solution, given)
    return _keeps(solution, given) if kind == "keeps" else _sensitivity(solution, vary, progress)


def _note(solution: Solution) -> str:
    return " ".join(facts(solution))


def _unit(solution: Solution) -> str:
    return UNITS.get(solution.match.objective, solution.match.objective)


def _some(scores: list[int]) -> list[int]:
    """The scores that are drawn: all, or so many at even distances."""
    if len(scores) <= MOST_SIDE:
        return scores
    return [scores[round(place * (len(scores) - 1) / (MOST_SIDE - 1))] for place in range(MOST_SIDE)]


def _race(solution: Solution, what: str) -> Any:
    match: Any = solution.match
    if solution.game.family != "push" or match.objective != "win":
        raise InputError(f"{what} is drawn for push-your-luck games with the objective win")
    if match.ladder.rules.finish == "last_round":
        raise InputError(f"{what} is not drawn for finish=last_round")
    return match


def _regions(solution: Solution, dice: int | None, progress: Progress) -> Chart:
    match = _race(solution, "the chart regions")
    rules = match.ladder.rules
    left = min(3, rules.dice) if dice is None else dice
    if not 1 <= left <= rules.dice:
        raise InputError(f"{left} dice cannot be left: the game is played with 1 to {rules.dice}")
    scores = [score * rules.grain for score in _some(match.ladder.scores.tolist())]
    grid = np.full((len(scores), len(scores)), np.nan)
    for row, mine in enumerate(scores):
        for column, theirs in enumerate(scores):
            lane = match._lane(solution.solved, match.read(score=mine, opponents=[theirs]))
            limit = read_limits(rules, decisions(rules, lane), lane.cap)[left]
            if limit < _need(match, mine):
                grid[row, column] = limit
        progress((row + 1) / len(scores))
    noun = "1 die" if left == 1 else f"{left} dice"
    return Chart(
        f"{solution.game.title}: bank from, with {noun} left",
        _note(solution),
        "map",
        "the opponent's score",
        "your score",
        "bank from (points in hand)",
        xs=tuple(scores),
        ys=tuple(scores),
        grid=grid,
        nothing="bank only what wins",
    )


def _need(match: Any, score: int) -> int:
    """The fewest points whose bank wins."""
    ladder, grain = match.ladder, match.ladder.rules.grain
    return int(max(ladder.target - score // grain, ladder.counting_from[score // grain])) * int(grain)


def _surface(solution: Solution, progress: Progress) -> Chart:
    match: Any = solution.match
    if solution.game.family == "hearts" and match.objective == "win" and match.players == 2:
        scores = match.chain.scores.tolist()
    elif solution.game.family == "push":
        match = _race(solution, "the chart surface")
        scores = [score * match.ladder.rules.grain for score in _some(match.ladder.scores.tolist())]
    else:
        raise InputError("the chart surface is drawn for two players who race: push-your-luck games and Hearts Due")
    grid = np.empty((len(scores), len(scores)))
    for row, mine in enumerate(scores):
        for column, theirs in enumerate(scores):
            grid[row, column] = solution.value(score=mine, opponents=[theirs])
        progress((row + 1) / len(scores))
    return Chart(
        f"{solution.game.title}: the chance to win of the player to move",
        _note(solution),
        "map",
        "the opponent's score",
        "your score",
        "chance to win",
        xs=tuple(scores),
        ys=tuple(scores),
        grid=grid,
    )


def _thresholds(solution: Solution, progress: Progress) -> Chart:
    match: Any = solution.match
    if solution.game.family != "push" or match.objective not in ("turns", "win"):
        raise InputError("the chart thresholds is drawn for push-your-luck games with the objective turns or win")
    rules = match.ladder.rules
    if rules.finish == "last_round":
        raise InputError("the chart thresholds is not drawn for finish=last_round")
    scores = [score * rules.grain for score in _some(match.ladder.scores.tolist())]
    found: dict[str, list[float]] = {f"{d} {'die' if d == 1 else 'dice'} left": [] for d in range(1, rules.dice + 1)}
    for done, score in enumerate(scores):
        others = {"opponents": [0]} if match.objective == "win" else {}
        lane = match._lane(solution.solved, match.read(score=score, **others))
        limits = read_limits(rules, decisions(rules, lane), lane.cap)
        for number, name in enumerate(found, 1):
            found[name].append(min(limits[number], _need(match, score)))
        progress((done + 1) / len(scores))
    against = " against 0" if match.objective == "win" else ""
    return Chart(
        f"{solution.game.title}: bank from, by your score{against}",
        _note(solution),
        "lines",
        "your score",
        "bank from (points in hand)",
        "points",
        xs=tuple(scores),
        series={name: tuple(values) for name, values in found.items()},
    )


def _distribution(solution: Solution, given: dict[str, Any]) -> Chart:
    if not isinstance(solution.match, Distributed):
        raise InputError(f"{solution.game.id} has no distribution for the objective {solution.match.objective}")
    whole = solution.distribution(**given)
    chances = [float(chance) for chance in whole.chances]
    if len(whole.totals) <= MOST_BARS:
        return Chart(
            f"{solution.game.title}: every total",
            _note(solution),
            "bars",
            "total",
            "chance",
            "chance",
            labels=tuple(map(str, whole.totals)),
            series={"chance": tuple(chances)},
        )
    return Chart(
        f"{solution.game.title}: every total",
        _note(solution),
        "lines",
        "total",
        "chance",
        "chance",
        xs=tuple(map(float, whole.totals)),
        series={"chance": tuple(chances)},
    )


def _keeps(solution: Solution, given: dict[str, Any]) -> Chart:
    advice = solution.advise(**given)
    shown = advice.choices[:MOST_BARS]
    where = ", ".join(
        f"{key} {' '.join(map(str, value)) if isinstance(value, list) else value}"
        for key, value in solution.show(**given).items()
    )
    return Chart(
        f"{solution.game.title}: what each choice is worth",
        f"{where}. {_note(solution)}",
        "bars",
        "choice",
        _unit(solution),
        _unit(solution),
        labels=tuple(choice.action for choice in shown),
        series={_unit(solution): tuple(choice.value for choice in shown)},
    )


def _sensitivity(solution: Solution, vary: str | None, progress: Progress) -> Chart:
    options = {option.key: option for option in solution.game.options}
    if vary is None or vary not in options:
        raise InputError(f"say which option: --vary, one of {', '.join(options)}")
    option = options[vary]
    tried: list[Any] = list(option.choices) or [False, True]
    if not option.choices and not isinstance(option.default, bool):
        now = int(solution.game.rules[vary])
        tried = sorted({max(option.low, min(option.high, now * share // 4)) for share in (2, 3, 4, 5, 6)})
    labels, values = [], []
    rules = {key: value for key, value in solution.game.rules.items() if key in options and key != vary}
    for done, value in enumerate(tried):
        found = _value(solution, rules, vary, value)
        if found is not None:
            labels.append(f"{vary}={str(value).lower()}")
            values.append(found)
        progress((done + 1) / len(tried))
    return Chart(
        f"{solution.game.title}: what {vary} changes",
        _note(solution),
        "bars",
        "rule",
        _unit(solution),
        _unit(solution),
        labels=tuple(labels),
        series={_unit(solution): tuple(values)},
    )


def _value(solution: Solution, rules: dict[str, Any], vary: str, value: Any) -> float | None:
    """The value at the start under another rule; None where the rules contradict each other then."""
    match = solution.match
    try:
        other: Game = game(solution.game.id, **{**rules, vary: value})
        parameters: dict[str, Any] = dict(match.parameters)
        return solve(other, match.objective, match.players, **parameters).value()
    except InputError:
        return None


def in_words(chart: Chart, value: float) -> str:
    """A value as people read it."""
    if chart.unit.startswith("chance"):
        return percent(value)
    return worth(value, "points") if chart.unit == "points" else f"{value:,.3f}"
