"""Levels of Battleship: which crew dice to keep, once ship, captain and mate have been rolled.

    1  one number: keep each crew die of at least this; or, if no die may be kept alone, settle with at least this;
    2  a number for each number of casts left;
    3  a table of crews, with the choices that are best for the points of a round;
    4  the table of level 3, and numbers for the last of two players in the last round, by the points that are missing.

All strategies of levels 1 and 2 are tried, for the points of a round or the win of two. For level 4: the last turn of a
game is worth 1 with more points than are missing and a half with as many, whatever came before. So the best numbers for
it are found by trying all of them, and nothing else changes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np

from ...answers.positions import BestPlay
from ...games import Game
from ...play.playable_game import Choice, PlayableGame, find_choice
from ...play.rounds import CASTS, MAX_CREW, RoundsGame, RoundsPosition
from ...solvers import Problem, ValueTable
from ...solvers import make_problem as ask
from ...solvers.rounds.problem import solve_lanes
from ...solving.solve import solve_problem
from ...util.errors import InputError
from ...util.number_format import format_count
from ...util.progress_reporting import ProgressCallback, report_each
from ..evaluation import Evaluation
from ..round_policies import check_rounds as check
from ..round_policies import compile_policy, evaluate_rounds
from . import Level, best_of

SHIP_CAPTAIN_MATE = "654"  # the dice that are kept first
FACES = range(1, 8)  # limits for one crew die; with 7 no die is kept
Crew = tuple[int, int, int]  # casts left, the higher crew die, the lower one


@dataclass(frozen=True)
class CrewLimitPolicy:
    """Keep crew dice from a limit on, or settle with a crew from a limit on.

    Attributes:
        least: the limit by cast, from the first on.
        together: a crew die cannot be kept alone, so the limit is for the points of both.
        enough: the points with which the policy always settles.
    """

    least: tuple[int, ...]
    together: bool = False
    enough: int = MAX_CREW

    def observation_key(self, start: RoundsPosition) -> Hashable:
        """Return None, because the policy observes nothing but the round."""
        return None

    def choose(self, playable: PlayableGame[RoundsPosition], position: RoundsPosition) -> Choice[RoundsPosition]:
        """Return the choice that the policy makes in a decision position."""
        settle, *recasts = playable.choices(position)
        if not recasts or settle.points >= self.enough:
            return settle
        limit = self.least[position.cast - 1]
        recast_both = recasts[-1]
        if self.together:
            return settle if settle.points >= limit else recast_both
        high, low = _crew_dice(settle)
        if low >= limit:
            return settle
        recast_lower_die = recasts[0]
        return recast_lower_die if high >= limit else recast_both

    def explain(self, playable: PlayableGame[RoundsPosition], position: RoundsPosition) -> str:
        """Return in words the limit that decides."""
        if playable.choices(position)[0].points >= self.enough:
            return f"stop with {format_count(self.enough, 'point')} or more"
        limit, casts_left = self.least[position.cast - 1], CASTS - position.cast
        if self.together:
            rule = f"stop with {format_count(limit, 'point')} or more"
        else:
            rule = f"keep each crew die of {limit} or more"
        has_several_limits = len(set(self.least)) > 1
        return f"{rule} with {format_count(casts_left, 'roll')} left" if has_several_limits else rule


@dataclass(frozen=True)
class CrewTablePolicy:
    """Follow a table of crews, and in the last turn of two players limits by the points that are missing.

    Attributes:
        choices_by_roll: the choice for each crew.
        missing: the policy of the last turn by the points that its player is behind; empty to follow the table there.
    """

    choices_by_roll: Mapping[Crew, Choice[RoundsPosition]]
    missing: Mapping[int, CrewLimitPolicy] = field(default_factory=dict)

    def observation_key(self, start: RoundsPosition) -> Hashable:
        """Return the points that are missing in the last turn."""
        return self._points_behind(start) if self.missing else None

    def _points_behind(self, position: RoundsPosition) -> int | None:
        """Return the points that the second player is behind; None for the first player."""
        return position.scores[0] - position.scores[1] if position.seat else None

    def choose(self, playable: PlayableGame[RoundsPosition], position: RoundsPosition) -> Choice[RoundsPosition]:
        """Return the choice that the policy makes in a decision position."""
        choices = playable.choices(position)
        if self._is_last_turn(playable, position):
            return self.missing[self._missing_points(position)].choose(playable, position)
        if len(choices) == 1:
            return choices[0]
        high, low = _crew_dice(choices[0])
        table_choice = self.choices_by_roll[CASTS - position.cast, high, low]
        return find_choice(choices, table_choice) or choices[-1]

    def explain(self, playable: PlayableGame[RoundsPosition], position: RoundsPosition) -> str:
        """Return in words the limit by the missing points, or the entry for these crew dice."""
        if self._is_last_turn(playable, position):
            missing_points = self._missing_points(position)
            policy = self.missing[missing_points]
            points = format_count(missing_points, "point")
            return f"last to roll and {points} behind: {policy.explain(playable, position)}"
        casts_left = CASTS - position.cast
        crew = " ".join(playable.choices(position)[0].keep[len(SHIP_CAPTAIN_MATE) :])
        return f"{crew} with {format_count(casts_left, 'roll')} left: {self.choose(playable, position).action}"

    def _is_last_turn(self, playable: PlayableGame[RoundsPosition], position: RoundsPosition) -> bool:
        """Return True in a turn of the second player after which the game is decided."""
        is_last_round = position.playoff or position.round == _rounds(playable)
        return bool(self.missing and position.seat and is_last_round)

    def _missing_points(self, position: RoundsPosition) -> int:
        """Return the points that the second player is behind, within what a round can bring."""
        return max(0, min(self._points_behind(position) or 0, MAX_CREW))


def _crew_dice(settle: Choice[RoundsPosition]) -> tuple[int, int]:
    """Return the higher and the lower crew die of the choice to settle."""
    low, high = sorted(map(int, settle.keep[len(SHIP_CAPTAIN_MATE) :]))
    return high, low


def _rounds(playable: PlayableGame[RoundsPosition]) -> int:
    assert isinstance(playable, RoundsGame)
    return playable.rounds


def at_level(game: Game, level: int, objective: str, progress: ProgressCallback) -> Level:
    """Return the strategy of a level, for the points of a round or the win of two."""
    if level <= 2:
        return _best_limits(game, level, objective, progress)
    problem = ask(game, "points")
    solved = solve_problem(problem, threads=1, fresh=True)
    best = BestPlay(solved)
    choices: dict[Crew, Choice[RoundsPosition]] = {}
    for low, high in combinations_with_replacement(range(1, 7), 2):
        for casts_left, crew_dice in ((2, None), (1, SHIP_CAPTAIN_MATE)):
            roll = f"{SHIP_CAPTAIN_MATE}{high}{low}"
            position = problem.playable.position(cast=CASTS - casts_left, kept=crew_dice, roll=roll)
            choices[casts_left, high, low] = best(position)
    value = float(solved.value_table.arrays["points"][0])
    if level == 3 or objective != "win":
        return Level(CrewTablePolicy(choices), value)
    return Level(CrewTablePolicy(choices, _policies_of_last_turn(game)), value)


def _limits(game: Game) -> list[int]:
    """Return the limits that are tried: for the points of a crew, or for one crew die."""
    return list(range(2, MAX_CREW + 2)) if game.rules["crew"] != "each" else list(FACES)


def _best_limits(game: Game, level: int, objective: str, progress: ProgressCallback) -> Level:
    """Return the best policy of level 1 or 2: one limit for both casts, or one for each."""
    playable = ask(game, "points").playable
    is_together = game.rules["crew"] != "each"
    problem = ask(game, "win", 2) if objective == "win" else ask(game, "points")
    try:
        check(problem)
    except InputError:
        problem = ask(game, "points")
    value_table = problem.solve(1, lambda share: None)
    limits = _limits(game)
    limits_by_cast = product(limits, limits) if level == 2 else ((limit, limit) for limit in limits)

    def value(policy: CrewLimitPolicy) -> float:
        """Return the value of a policy: the mean of both seats for the win of two."""
        evaluation = evaluate_rounds(problem, value_table, compile_policy(playable, partial(policy.choose, playable)))
        return (evaluation.value + evaluation.second[0]) / 2 if evaluation.second else evaluation.value

    objective_words = "the points of a round" if problem.objective == "points" else "the win, both seats taken together"
    policies = [CrewLimitPolicy(limits, is_together) for limits in limits_by_cast]
    return best_of(((policy, value(policy)) for policy in report_each(policies, progress)), objective_words)


def _policies_of_last_turn(game: Game) -> dict[int, CrewLimitPolicy]:
    """Return, by the points that are missing in the last turn, the policy that wins most often."""
    playable = ask(game, "points").playable
    is_together = game.rules["crew"] != "each"
    limits = _limits(game)
    point_chances: dict[CrewLimitPolicy, list[float]] = {}  # by policy, the probability of each number of points
    for enough, *limits_by_cast in product(range(2, MAX_CREW + 2), limits, limits):
        policy = CrewLimitPolicy(tuple(limits_by_cast), is_together, enough)
        turn = compile_policy(playable, partial(policy.choose, playable))
        one_for_each_points = np.eye(turn.max_score + 1)[None]
        point_chances[policy] = solve_lanes(turn, one_for_each_points)[0].tolist()
    best_policies = {}
    for missing_points in range(MAX_CREW + 1):
        payoffs = [_last_turn_payoff(points - missing_points) for points in range(MAX_CREW + 1)]

        def win_chance(policy: CrewLimitPolicy, payoffs: Sequence[float] = payoffs) -> float:
            return sum(chance * payoff for chance, payoff in zip(point_chances[policy], payoffs, strict=False))

        best_policies[missing_points] = max(point_chances, key=win_chance)
    return best_policies


def _last_turn_payoff(lead: int) -> float:
    """Return the share of the win with a lead after the last turn; level scores go to a playoff."""
    if lead == 0:
        return 0.5
    return 1.0 if lead > 0 else 0.0


def numbers(policy: CrewLimitPolicy | CrewTablePolicy) -> int:
    """Return how many numbers to remember: limits, or the entries of a table and the limits of the last turn."""
    if isinstance(policy, CrewLimitPolicy):
        return len(set(policy.least))
    return len(policy.choices_by_roll) + sum(1 + len(last_turn.least) for last_turn in policy.missing.values())


def evaluate(problem: Problem[Any], value_table: ValueTable, policy: Any) -> Evaluation:
    """Return the evaluation of a policy, for the points of a round or the win of two."""
    playable = ask(problem.game, "points").playable
    last_turns = {}
    if isinstance(policy, CrewTablePolicy):
        last_turns = {
            missing_points: compile_policy(playable, partial(last_turn.choose, playable))
            for missing_points, last_turn in policy.missing.items()
        }
        policy = CrewTablePolicy(policy.choices_by_roll)
    return evaluate_rounds(problem, value_table, compile_policy(playable, partial(policy.choose, playable)), last_turns)
