"""Charts of push-your-luck games: from how many turn points to bank, who is likely to win, what strategies lose."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from ...answers.positions import seat_values_of
from ...policies.bank_limits import best_bank_limits, winning_points
from ...solvers import Problem
from ...solvers.push.multiplayer_problem import PushMultiplayerWinProblem
from ...solvers.push.problem import PushProblem
from ...solvers.push.race_problems import PushWinProblem
from ...solvers.push.unlike_race import SeatProblem
from ...solvers.push.unlike_seats_problem import UnlikeSeatsProblem
from ...solving.solved_problem import SolvedProblem, read_position
from ...util.errors import InputError
from ...util.progress_reporting import ProgressCallback
from . import Chart
from .kinds import ChartOptions, Kind, axis_scores
from .push_frontier import FRONTIER

SEAT_NAMES = ("you, to move", "the next player", "the player after that")
DEFAULT_DICE_LEFT = 3  # of the chart regions
JUMP_NOTE = (
    "The number rises at a score from which a few more points in this turn would probably save a whole turn: then it is"
    " best to roll once more. Beyond that score it falls again, because fewer points are needed."
)
END_NOTE = (
    "At a score without a number, bank only if that wins; with fewer points, roll again, even if you could bank them."
)


def _check_regions(problem: Problem[Any], options: ChartOptions) -> None:
    _dice_left(_two_player_race(problem, options.seat), options.dice)


def _dice_left(problem: PushProblem, dice: object) -> int:
    """Return the number of dice left, or the number of the hand, for a regions chart; by default 3 dice."""
    rules = problem.rules
    if dice is None:
        size = min(DEFAULT_DICE_LEFT, rules.hand_size(rules.dice))
        return next(hand for hand in range(1, rules.dice + 1) if rules.hand_size(hand) == size)
    field = next(field for field in problem.playable.fields if field.name == "dice")
    return problem.playable.reachable_states.read_dice(0, field.parse(dice), None)


def _check_ternary(problem: Problem[Any], options: ChartOptions) -> None:
    _three_player_race(problem)
    read_position(problem, **options.position)


def _check_thresholds(problem: Problem[Any], options: ChartOptions) -> None:
    _scored_game(problem, options.seat)


def _turns_of_seat(problem: Problem[Any], seat: int) -> Problem[Any]:
    """Return the problem that has the turns of a seat: one for all seats, unless each has its own rules."""
    return problem.seat_problems[seat] if isinstance(problem, UnlikeSeatsProblem) else problem


def _two_player_race(problem: Problem[Any], seat: int) -> PushWinProblem | SeatProblem:
    """Return the problem of a regions chart, with the turns of a seat; raise InputError if it has none."""
    own = _turns_of_seat(problem, seat)
    if not isinstance(own, (PushWinProblem, SeatProblem)):
        raise InputError("the chart regions requires two players and the objective win")
    if own.rules.finish == "last_round":
        raise InputError("the chart regions cannot be combined with finish=last_round")
    _check_stopping_choice(own, "regions")
    return own


def _check_stopping_choice(problem: PushProblem, kind: str) -> None:
    """Raise InputError if no player ever chooses between banking and rolling on."""
    rules = problem.rules
    point_counts = rules.turn.reachable_points_by_mode(rules.target // rules.grain)
    has_choice = any(
        mode.bank_ending is not None and mode.rolls and point_counts[number] > 1
        for number, mode in enumerate(rules.turn.modes)
    )
    if not has_choice:
        title = problem.game.title
        raise InputError(f"{title} has no {kind} chart: players never choose between banking and rolling again")


def _three_player_race(problem: Problem[Any]) -> PushMultiplayerWinProblem:
    """Return the problem of a ternary chart; raise InputError if it has none."""
    if isinstance(problem, UnlikeSeatsProblem):
        raise InputError("the chart ternary requires players with the same rules, and here each seat has its own")
    if not isinstance(problem, PushMultiplayerWinProblem) or problem.players != 3:
        raise InputError("the chart ternary requires a push-your-luck game of three players: add --players 3")
    return problem


def _scored_game(problem: Problem[Any], seat: int) -> PushProblem:
    """Return the problem of a thresholds chart, with the turns of a seat; raise InputError if it has none."""
    own = _turns_of_seat(problem, seat)
    if not isinstance(own, PushProblem) or own.objective not in ("turns", "win"):
        raise InputError("the chart thresholds requires a push-your-luck game and the objective turns or win")
    if own.rules.finish == "last_round":
        raise InputError("the chart thresholds cannot be combined with finish=last_round")
    _check_stopping_choice(own, "thresholds")
    return own


def _regions(solution: SolvedProblem, options: ChartOptions, progress: ProgressCallback) -> Chart:
    """Draw the turn points from which to bank with so many dice left, by both scores."""
    seat = options.seat
    problem, other = (_two_player_race(solution.problem, mover) for mover in (seat, (seat + 1) % 2))
    dice_left = _dice_left(problem, options.dice)
    scores, opponent_scores = (
        axis_scores([unit * own.rules.grain for unit in own.listed_scores()]) for own in (problem, other)
    )
    grid = np.full((len(scores), len(opponent_scores)), np.nan)
    for row, own_score in enumerate(scores):
        for column, opponent_score in enumerate(opponent_scores):
            both = (own_score, opponent_score) if seat == 0 else (opponent_score, own_score)
            start = problem.playable.turn_start(both, seat, 0)
            limit = best_bank_limits(problem, solution.value_table, start)[dice_left]
            if limit < winning_points(problem, start):
                grid[row, column] = limit
        progress((row + 1) / len(scores))
    return Chart(
        f"turn points from which to bank, with {problem.rules.describe_hand(dice_left)} left",
        "map",
        "the opponent's score",
        "your score",
        "the turn points from which to bank",
        xs=tuple(opponent_scores),
        ys=tuple(scores),
        grid=grid,
        missing_label="only with enough to win",
    )


def _ternary(solution: SolvedProblem, options: ChartOptions, progress: ProgressCallback) -> Chart:
    """Draw the shares of three players, by scores with the total of a position or, by default, a medium total."""
    problem = _three_player_race(solution.problem)
    scores = [unit * problem.rules.grain for unit in problem.listed_scores()]
    position = options.position
    total = sum(problem.playable.position(**position).scores) if position else _medium_total(scores)
    possible_scores = set(scores)
    lines = [
        (first, second, total - first - second)
        for first in scores
        for second in scores
        if total - first - second in possible_scores
    ]
    starts = [problem.playable.turn_start(line, 0, 0) for line in lines]
    shares = seat_values_of(problem, solution.value_table, starts).values
    return Chart(
        f"who is most likely to win, by scores that add up to {total:,}",
        "triangle",
        "your score",
        "the next player's",
        "chance to win",
        xs=tuple(line[0] for line in lines),
        ys=tuple(line[1] for line in lines),
        series={name: tuple(share.tolist()) for name, share in zip(SEAT_NAMES, shares.T, strict=True)},
        total=total,
    )


def _medium_total(scores: list[int]) -> int:
    """Return a total of three scores near half of the largest one."""
    median = scores[len(scores) // 2]
    lower_median = scores[(len(scores) - 1) // 2]
    return 2 * median + lower_median


def _thresholds(solution: SolvedProblem, options: ChartOptions, progress: ProgressCallback) -> Chart:
    """Draw the turn points from which to bank, by own score and dice left, against opponents with no points."""
    problem, seat = _scored_game(solution.problem, options.seat), options.seat
    rules = problem.rules
    scores = axis_scores([unit * rules.grain for unit in problem.listed_scores()])
    point_counts = rules.turn.reachable_points_by_mode(rules.target // rules.grain)
    limits_by_dice: dict[int, list[float]] = {
        dice: [] for dice in range(1, rules.dice + 1) if point_counts[rules.hand_mode(dice)] > 1
    }
    points_to_win = []
    others = solution.problem.playable.start().scores
    for number, score in enumerate(scores):
        start = problem.playable.turn_start((*others[:seat], score, *others[seat + 1 :]), seat, 0)
        limits = best_bank_limits(problem, solution.value_table, start)
        points_to_win.append(winning_points(problem, start))
        for dice, line in limits_by_dice.items():
            line.append(limits[dice] if limits[dice] < points_to_win[-1] else math.nan)
        progress((number + 1) / len(scores))
    others_text = ", ".join(f"{score:,}" for score in sorted({*others[:seat], *others[seat + 1 :]}))
    opponents = f", against opponents with {others_text}" if problem.objective == "win" else ""
    has_jumps = any(after > before for line in limits_by_dice.values() for before, after in pairwise(line))
    return Chart(
        f"turn points from which to bank, by your score{opponents}",
        "lines",
        "your score",
        "bank from (turn points)",
        "points",
        f"From these points on, banking is always best. {f'{JUMP_NOTE} ' * has_jumps}{END_NOTE}",
        xs=tuple(scores),
        series={f"{rules.describe_hand(dice)} left": tuple(line) for dice, line in limits_by_dice.items()},
        missing_label="enough to win",
        edge=tuple(points_to_win),
    )


KINDS = {
    "regions": Kind(_check_regions, _regions),
    "ternary": Kind(_check_ternary, _ternary),
    "thresholds": Kind(_check_thresholds, _thresholds),
    "frontier": FRONTIER,
}
