"""What the charts show, taken from solutions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from ..answers.limits import bank_from, fewest_to_win
from ..answers.positions import advise, values, worth_of
from ..games import Game
from ..games.options import Option, RuleValue
from ..games.pushluck import PushRules
from ..ground.errors import InputError, nearest
from ..ground.figures import percent, worth
from ..matches import Match
from ..matches import match as ask
from ..matches.push.match import PushMatch
from ..matches.push.matches import Race
from ..matches.push.seats import Seats
from ..play.fields import Role
from ..sheets import facts
from ..solving.known import Known, read_position
from ..solving.solve import solve_match
from . import KINDS, Chart, frontier

Progress = Callable[[float], None]

TAIL = 1e-6  # of a distribution's chance on each side, which is not drawn
MOST_SIDE = 60  # positions to a side of a map
MOST_BARS = 40
AHEAD = ("you, to move", "the next player", "the player after that")
TEETH = (
    "A line jumps up where some points more would probably save a turn: just below it one throws once more, though"
    " fewer points may be banked; it falls as less is missing for that."
)
ENDS = "A line ends where that is so only of what wins: nearly there one throws on, though fewer points may be banked."
UNITS = {"win": "chance to win", "reach": "chance to get there", "points": "points", "turns": "turns"}


def make_chart(
    solution: Known,
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
    given = position or {}
    check_chart(solution.match, kind, dice=dice, vary=vary, position=given)
    if kind == "regions":
        return _regions(solution, dice, progress)
    if kind == "surface":
        return _surface(solution, progress)
    if kind == "ternary":
        return _ternary(solution, given)
    if kind == "thresholds":
        return _thresholds(solution, progress)
    if kind == "distribution":
        return _distribution(solution, given, progress)
    if kind == "frontier":
        return frontier.draw(solution, vary, _unit(solution), progress)
    return _keeps(solution, given) if kind == "keeps" else _sensitivity(solution, vary, progress)


def check_chart(
    match: Match[Any],
    kind: str,
    *,
    dice: int | None = None,
    vary: str | None = None,
    position: Mapping[str, Any] | None = None,
) -> None:
    """Raise InputError for a question that has no picture of a kind, before it is solved; see ``make_chart``."""
    if kind not in KINDS:
        raise InputError(f"there is no chart {kind}{nearest(kind, KINDS)}")
    given = position or {}
    if given and kind not in ("keeps", "distribution", "ternary"):
        raise InputError(f"the chart {kind} is for the whole game: leave --{next(iter(given)).replace('_', '-')} out")
    if dice is not None and kind != "regions":
        raise InputError(f"the chart {kind} takes no number of dice left: leave --dice out")
    if vary is not None and kind not in ("sensitivity", "frontier"):
        raise InputError(f"the chart {kind} takes no --vary; sensitivity and frontier do")
    if kind == "regions":
        most = _race(match).rules.dice
        if dice is not None and not 1 <= dice <= most:
            raise InputError(f"{dice} dice cannot be left: the game is played with 1 to {most}")
    elif kind == "surface":
        between = {field.role for field in match.table.fields if not field.inside} - {Role.SEAT, Role.OFFERED}
        if match.objective != "win" or match.players != 2 or between != {Role.SCORE, Role.OTHERS}:
            raise InputError("the chart surface is drawn for two players who race: push-your-luck games and Hearts Due")
    elif kind == "ternary":
        _three(match)
        read_position(match, **given)
    elif kind == "thresholds":
        _scored(match)
    elif kind == "sensitivity":
        _tried(match.game, vary)
    elif kind == "frontier":
        frontier.check(match, vary)
    else:
        if kind == "distribution":
            match.check_distribution()
        position = read_position(match, **given)
        if (
            kind == "keeps"
            and len(match.table.choices(position) if match.table.stage(position) == "choose" else ()) < 2
        ):
            raise InputError(
                "the chart keeps is drawn where there is something to choose: tell a roll, or an id by --position"
            )


def _note(solution: Known) -> str:
    return " ".join(facts(solution))


def _unit(solution: Known) -> str:
    return UNITS.get(solution.match.objective, solution.match.objective)


def _some(scores: list[int]) -> list[int]:
    """The scores that are drawn: all, or so many at even distances."""
    if len(scores) <= MOST_SIDE:
        return scores
    return [scores[round(place * (len(scores) - 1) / (MOST_SIDE - 1))] for place in range(MOST_SIDE)]


def _race(match: Match[Any]) -> Race:
    if not isinstance(match, Race):
        raise InputError("the chart regions is drawn for two players of push-your-luck games with the objective win")
    if match.rules.finish == "last_round":
        raise InputError("the chart regions is not drawn for finish=last_round")
    _stopped(match, "regions")
    return match


def _stopped(match: PushMatch, kind: str) -> None:
    """Refuse turns in which nobody ever chooses between banking and another throw."""
    rules = match.rules
    held = rules.turn.reachable(rules.target // rules.grain)
    if not any(
        mode.bank is not None and mode.throws and held[number] > 1 for number, mode in enumerate(rules.turn.modes)
    ):
        raise InputError(f"{match.game.title} has no chart {kind}: nobody chooses between banking and another throw")


def _three(match: Match[Any]) -> Seats:
    if not isinstance(match, Seats) or match.players != 3:
        raise InputError("the chart ternary is drawn for three players of push-your-luck games: --players 3")
    return match


def _scored(match: Match[Any]) -> PushMatch:
    if not isinstance(match, PushMatch) or match.objective not in ("turns", "win"):
        raise InputError("the chart thresholds is drawn for push-your-luck games with the objective turns or win")
    if match.rules.finish == "last_round":
        raise InputError("the chart thresholds is not drawn for finish=last_round")
    _stopped(match, "thresholds")
    return match


def _regions(solution: Known, dice: int | None, progress: Progress) -> Chart:
    match = _race(solution.match)
    left = min(3, match.rules.dice) if dice is None else dice
    scores = _some([unit * match.rules.grain for unit in match.listed()])
    grid = np.full((len(scores), len(scores)), np.nan)
    for row, mine in enumerate(scores):
        for column, theirs in enumerate(scores):
            start = match.table.begin((mine, theirs), 0, 0)
            limit = bank_from(match, solution.solved, start)[left]
            if limit < fewest_to_win(match, start):
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
        nothing="only from what wins on",
    )


def _surface(solution: Known, progress: Progress) -> Chart:
    match, table = solution.match, solution.match.table
    scores = _some(sorted({table.told(one, Role.SCORE) for one in match.positions({}).positions}))
    grid = np.empty((len(scores), len(scores)))
    for row, mine in enumerate(scores):
        grid[row] = values(solution, [table.read(score=mine, opponents=[theirs]) for theirs in scores])
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


def _ternary(solution: Known, given: dict[str, Any]) -> Chart:
    """Who is ahead at each line of scores with the total of a position; if none is told, half of what there can be."""
    match = _three(solution.match)
    scores = [unit * match.rules.grain for unit in match.listed()]
    total = sum(match.table.read(**given).scores) if given else _half(scores)
    known = set(scores)
    lines = [(a, b, total - a - b) for a in scores for b in scores if total - a - b in known]
    shares = worth_of(match, solution.solved, [match.table.begin(line, 0, 0) for line in lines]).by_seat
    return Chart(
        f"{solution.game.title}: who is ahead, by scores that add up to {total:,}",
        _note(solution),
        "triangle",
        "your score",
        "the next player's",
        "chance to win",
        xs=tuple(line[0] for line in lines),
        ys=tuple(line[1] for line in lines),
        series={name: tuple(of.tolist()) for name, of in zip(AHEAD, shares.T, strict=True)},
        total=total,
    )


def _half(scores: list[int]) -> int:
    """A total of three scores near half of the greatest: of one score twice and another."""
    near = scores[len(scores) // 2]
    return 2 * near + scores[(len(scores) - 1) // 2]


def _thresholds(solution: Known, progress: Progress) -> Chart:
    match, rules = _scored(solution.match), solution.match.game.data
    scores = _some([unit * rules.grain for unit in match.listed()])
    held = rules.turn.reachable(rules.target // rules.grain)
    found: dict[int, list[float]] = {dice: [] for dice in range(1, rules.dice + 1) if held[rules.mode(dice)] > 1}
    wins = []
    for done, score in enumerate(scores):
        start = match.table.begin((score, *[0] * (match.players - 1)), 0, 0)
        limits = bank_from(match, solution.solved, start)
        wins.append(fewest_to_win(match, start))
        for dice, lines in found.items():
            lines.append(limits[dice] if limits[dice] < wins[-1] else math.nan)
        progress((done + 1) / len(scores))
    against = " against 0" if match.objective == "win" else ""
    teeth = any(after > before for values in found.values() for before, after in pairwise(values))
    return Chart(
        f"{solution.game.title}: bank from, by your score{against}",
        f"From so many points on banking is always best. {f'{TEETH} ' * teeth}{ENDS} {_note(solution)}",
        "lines",
        "your score",
        "bank from (points in hand)",
        "points",
        xs=tuple(scores),
        series={f"{dice} {'die' if dice == 1 else 'dice'} left": tuple(values) for dice, values in found.items()},
        nothing="what wins",
        edge=tuple(wins),
    )


def _distribution(solution: Known, given: dict[str, Any], progress: Progress) -> Chart:
    here = read_position(solution.match, **given)
    whole = solution.match.distribution(solution.solved_for(here), here, progress)
    low, high = whole.quantile(TAIL), whole.quantile(1 - TAIL)
    drawn = {total: float(one) for total, one in zip(whole.totals, whole.chances, strict=True) if low <= total <= high}
    few = len(drawn) <= MOST_BARS
    ranges = ", ".join(f"{100 * share:.0f} % up to {whole.quantile(share)}" for share in (0.05, 0.25, 0.5, 0.75, 0.95))
    numbers = f"Mean {float(whole.mean):.2f}, standard deviation {whole.standard_deviation:.2f}; {ranges}."
    if len(drawn) < len(whole.totals):
        numbers += f" {whole.totals[0]} to {whole.totals[-1]} can be; drawn is all but the last millionth on each side."
    return Chart(
        f"{solution.game.title}: every total",
        f"{numbers} {_note(solution)}",
        "bars" if few else "lines",
        "total",
        "chance",
        "chance",
        labels=tuple(map(str, drawn)) if few else (),
        xs=() if few else tuple(map(float, drawn)),
        series={"chance": tuple(drawn.values())},
    )


def _keeps(solution: Known, given: dict[str, Any]) -> Chart:
    here = read_position(solution.match, **given)
    advice = advise(solution.match, solution.solved_for(here), here)
    shown, best, unit = advice.choices[:MOST_BARS], advice.best, _unit(solution)
    where = ", ".join(
        f"{key} {' '.join(map(str, value)) if isinstance(value, list) else value}"
        for key, value in solution.table.tell(here).items()
    )
    marks = (" (best)" if one is best else " (as good)" if one.tie else "" for one in shown)
    return Chart(
        f"{solution.game.title}: what each choice is worth",
        f"{where}. {_note(solution)}",
        "changes",
        "choice",
        f"what it costs against the best: {unit}",
        unit,
        labels=tuple(f"{one.action}{mark}" for one, mark in zip(shown, marks, strict=True)),
        series={
            "value": tuple(one.value for one in shown),
            "change": tuple(0.0 if one.tie or one is best else one.value - best.value for one in shown),
        },
    )


def _sensitivity(solution: Known, vary: str | None, progress: Progress) -> Chart:
    option, tried = _tried(solution.game, vary)
    now, match = solution.game.rules[option.key], solution.match
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
                found[told] = _at_start(solve_match(ask(other, match.objective, match.players, **parameters)))
        except InputError as error:
            left_out.append(f"{told} is left out: {error}.")
        progress((done + 1) / len(tried))
    if len(found) == 1:
        advice = f"{option.key} is {now}: name values to compare, --vary {option.key}=A,B"
        raise InputError(" ".join(left_out) or advice)
    return Chart(
        f"{solution.game.title}: what {option.key} changes",
        " ".join([*left_out, _note(solution)]),
        "changes",
        "rule",
        f"change of the {_unit(solution)}",
        _unit(solution),
        labels=tuple(found),
        series={"value": tuple(found.values()), "change": tuple(value - base for value in found.values())},
    )


def _at_start(known: Known) -> float:
    return float(values(known, [known.table.start()])[0])


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
    grain = game.data.grain if isinstance(game.data, PushRules) else 1
    near = (round(now * share / 4 / grain) * grain for share in (2, 3, 5, 6))
    return option, sorted({now, *(max(option.low, min(option.high, value)) for value in near)})


def in_words(chart: Chart, value: float) -> str:
    """A value as people read it."""
    if chart.unit.startswith("chance"):
        return percent(value)
    return (
        worth(value, "points") if chart.unit == "points" else f"{round(value, 3) + 0.0:,.3f}".removesuffix(".000")
    )  # never -0.000


def change_in_words(chart: Chart, change: float) -> str:
    """A difference of two values as people read it; empty for none."""
    if not change:
        return ""
    shown, unit = (100 * change, " %") if chart.unit.startswith("chance") else (change, "")
    return f"{shown:+,.2f}{unit}" if abs(shown) >= 0.1 else f"{shown:+.2g}{unit}"
