"""Charts of push-your-luck games: from how many points to bank, who is ahead, and what strategies cost."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from ...answers.positions import worth_of
from ...policies.bank_limits import bank_from, fewest_to_win
from ...solvers import Problem
from ...solvers.push.multiplayer_problem import PushMultiplayerWinProblem
from ...solvers.push.problem import PushProblem
from ...solvers.push.race_problems import PushWinProblem
from ...solving.solved_problem import SolvedProblem, read_position
from ...util.errors import InputError
from ...util.number_format import format_count
from . import Chart
from .kinds import Asked, Kind, Progress, some
from .push_frontier import FRONTIER

AHEAD = ("you, to move", "the next player", "the player after that")
TEETH = (
    "A line jumps up where some points more would probably save a turn: just below it one throws once more, though"
    " fewer points may be banked; it falls as less is missing for that."
)
ENDS = "A line ends where that is so only of what wins: nearly there one throws on, though fewer points may be banked."


def _check_regions(match: Problem[Any], asked: Asked) -> None:
    most = _race(match).rules.dice
    if asked.dice is not None and not 1 <= asked.dice <= most:
        raise InputError(f"{asked.dice} dice cannot be left: the game is played with 1 to {most}")


def _check_ternary(match: Problem[Any], asked: Asked) -> None:
    _three(match)
    read_position(match, **asked.position)


def _check_thresholds(match: Problem[Any], asked: Asked) -> None:
    _scored(match)


def _race(match: Problem[Any]) -> PushWinProblem:
    if not isinstance(match, PushWinProblem):
        raise InputError("the chart regions is drawn for two players of push-your-luck games with the objective win")
    if match.rules.finish == "last_round":
        raise InputError("the chart regions is not drawn for finish=last_round")
    _stopped(match, "regions")
    return match


def _stopped(match: PushProblem, kind: str) -> None:
    """Refuse turns in which nobody ever chooses between banking and another throw."""
    rules = match.rules
    held = rules.turn.reachable_points_by_mode(rules.target // rules.grain)
    if not any(
        mode.bank_ending is not None and mode.rolls and held[number] > 1 for number, mode in enumerate(rules.turn.modes)
    ):
        raise InputError(f"{match.game.title} has no chart {kind}: nobody chooses between banking and another throw")


def _three(match: Problem[Any]) -> PushMultiplayerWinProblem:
    if not isinstance(match, PushMultiplayerWinProblem) or match.players != 3:
        raise InputError("the chart ternary is drawn for three players of push-your-luck games: --players 3")
    return match


def _scored(match: Problem[Any]) -> PushProblem:
    if not isinstance(match, PushProblem) or match.objective not in ("turns", "win"):
        raise InputError("the chart thresholds is drawn for push-your-luck games with the objective turns or win")
    if match.rules.finish == "last_round":
        raise InputError("the chart thresholds is not drawn for finish=last_round")
    _stopped(match, "thresholds")
    return match


def _regions(solution: SolvedProblem, asked: Asked, progress: Progress) -> Chart:
    match = _race(solution.problem)
    left = min(3, match.rules.dice) if asked.dice is None else asked.dice
    scores = some([unit * match.rules.grain for unit in match.listed_scores()])
    grid = np.full((len(scores), len(scores)), np.nan)
    for row, mine in enumerate(scores):
        for column, theirs in enumerate(scores):
            start = match.playable.begin((mine, theirs), 0, 0)
            limit = bank_from(match, solution.value_table, start)[left]
            if limit < fewest_to_win(match, start):
                grid[row, column] = limit
        progress((row + 1) / len(scores))
    noun = format_count(left, "die")
    return Chart(
        f"bank from, with {noun} left",
        "map",
        "the opponent's score",
        "your score",
        "bank from (points in hand)",
        xs=tuple(scores),
        ys=tuple(scores),
        grid=grid,
        nothing="only from what wins on",
    )


def _ternary(solution: SolvedProblem, asked: Asked, progress: Progress) -> Chart:
    """Who is ahead at each line of scores with the total of a position; if none is told, half of what there can be."""
    match = _three(solution.problem)
    scores = [unit * match.rules.grain for unit in match.listed_scores()]
    total = sum(match.playable.read(**asked.position).scores) if asked.position else _half(scores)
    known = set(scores)
    lines = [(a, b, total - a - b) for a in scores for b in scores if total - a - b in known]
    shares = worth_of(match, solution.value_table, [match.playable.begin(line, 0, 0) for line in lines]).values
    return Chart(
        f"who is ahead, by scores that add up to {total:,}",
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


def _thresholds(solution: SolvedProblem, asked: Asked, progress: Progress) -> Chart:
    match, rules = _scored(solution.problem), solution.problem.game.data
    scores = some([unit * rules.grain for unit in match.listed_scores()])
    held = rules.turn.reachable_points_by_mode(rules.target // rules.grain)
    found: dict[int, list[float]] = {dice: [] for dice in range(1, rules.dice + 1) if held[rules.mode(dice)] > 1}
    wins = []
    for done, score in enumerate(scores):
        start = match.playable.begin((score, *[0] * (match.players - 1)), 0, 0)
        limits = bank_from(match, solution.value_table, start)
        wins.append(fewest_to_win(match, start))
        for dice, lines in found.items():
            lines.append(limits[dice] if limits[dice] < wins[-1] else math.nan)
        progress((done + 1) / len(scores))
    against = " against 0" if match.objective == "win" else ""
    teeth = any(after > before for values in found.values() for before, after in pairwise(values))
    return Chart(
        f"bank from, by your score{against}",
        "lines",
        "your score",
        "bank from (points in hand)",
        "points",
        f"From so many points on banking is always best. {f'{TEETH} ' * teeth}{ENDS}",
        xs=tuple(scores),
        series={f"{format_count(dice, 'die')} left": tuple(values) for dice, values in found.items()},
        nothing="what wins",
        edge=tuple(wins),
    )


KINDS = {
    "regions": Kind(_check_regions, _regions),
    "ternary": Kind(_check_ternary, _ternary),
    "thresholds": Kind(_check_thresholds, _thresholds),
    "frontier": FRONTIER,
}
