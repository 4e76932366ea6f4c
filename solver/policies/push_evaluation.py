"""Exact values of policies with limits in push-your-luck games.

The kernel that solves a turn also follows fixed decisions. In a race the other players play optimally by the solved
table, and do not know that their opponent follows a policy. Their turns maximize the values of the table (channel 0);
the value for the player who follows the policy is carried along as a second channel.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..solvers import Problem, ValueTable
from ..solvers.push.capped_points import CappedPointsProblem
from ..solvers.push.limits_race import is_walked
from ..solvers.push.multiplayer_problem import PushMultiplayerWinProblem
from ..solvers.push.points import PushPointsProblem
from ..solvers.push.race_problems import PushTableProblem
from ..solvers.solve_costs import SolveCost
from ..solving.solved_problem import cpu_count
from ..util.errors import InputError, argument, list_alternatives
from ..util.progress_reporting import ProgressCallback
from .bank_limits import ScoreFreePolicy, decisions_of_policy
from .evaluation import Evaluation
from .fixed_opponents import against, check_bands, check_race
from .policy import OptimalPolicy
from .push_policies import LimitPolicy, ScoreBandPolicy

# Seconds of an evaluation for each choice, each roll class and each row of a turn's table, and for each block of turns,
# fitted to sheets of nine games, among them Hog (one choice in each of 2,802 classes) and Farkle (777 in 173).
CHOICE_SECONDS, CLASS_SECONDS, ROW_SECONDS, BLOCK_SECONDS = 8e-10, 7e-10, 1e-7, 1e-3
EVALUATED = ("points", "turns", "reach", "win")  # objectives for which policies with limits are evaluated
SWEEPS = 12  # a typical number of sweeps over all turns, if scores can be lost
# If every turn is walked once: the time that the opponent's turns take, relative to one sweep over the player's,
# and the seconds that all sweeps together take for each ending of each state, and for each own state of the opponent.
WALK_SWEEPS, ENDING_SECONDS, OPPONENT_SECONDS = 0.5, 6e-8, 4e-3


def check_limits(problem: Problem[Any], score: object = None, subject: str = "evaluations of policies") -> None:
    """Raise InputError if policies with limits are not evaluated for a problem.

    Args:
        problem: the problem.
        score: the score before the turn, which only the points of a turn have.
        subject: the task that a race of several players is refused for, in words.
    """
    if isinstance(problem, CappedPointsProblem):
        raise InputError(f"policies cannot be evaluated for points with {argument('goal')}; leave it out")
    has_evaluator = isinstance(problem, (PushPointsProblem, PushTableProblem, PushMultiplayerWinProblem))
    if not has_evaluator or problem.objective == "rate":
        objectives = [name for name in EVALUATED if name in problem.game.objectives and name != problem.objective]
        raise InputError(
            f"a policy of {problem.game.title} cannot be evaluated for the objective {problem.objective};"
            f" use {argument('objective')} {list_alternatives(objectives)}"
        )
    if isinstance(problem, PushPointsProblem):
        return
    if isinstance(problem, PushMultiplayerWinProblem):
        check_race(problem, subject)
    if score is not None:
        raise InputError(
            f"{argument('score')} cannot be combined with the objective {problem.objective}; leave out"
            f" {argument('score')}"
        )


def estimate_limit_cost(problem: Problem[Any]) -> SolveCost:
    """Return a rough estimate of the cost of ``evaluate_limits``: all rows of all turns, for each player and sweep."""
    if isinstance(problem, PushPointsProblem):
        return SolveCost(bytes=0.0, seconds=0.0)
    assert isinstance(problem, (PushTableProblem, PushMultiplayerWinProblem))
    solve_cost = problem.estimate_cost(1)
    if solve_cost.is_too_much:  # an evaluation costs no less, and its equations are too large to be counted
        return solve_cost
    model = problem.model
    states = np.arange(model.turn_states)
    row_count = float(model.caps(states).sum(dtype=float)) + len(states) * model.turn.max_added_points
    block_count = sum(len(component) for component in model.components())
    turn = model.turn
    row_seconds = CHOICE_SECONDS * turn.choice_count + CLASS_SECONDS * turn.class_count + ROW_SECONDS
    if is_walked(model):  # the opponent's turns once; those of the player are few
        ending_count = float(model.caps(states).sum(dtype=float)) + len(states) * model.turn.special_count
        seconds = WALK_SWEEPS * row_seconds * row_count / cpu_count()
        seconds += ENDING_SECONDS * ending_count + OPPONENT_SECONDS * model.count
        return SolveCost(bytes=solve_cost.bytes + np.float64().nbytes * ending_count, seconds=seconds)
    sweeps = SWEEPS if model.has_cyclic_components else 1
    seconds = sweeps * (BLOCK_SECONDS * block_count + row_seconds * problem.players * row_count)
    return SolveCost(bytes=solve_cost.bytes, seconds=seconds)


def evaluate_limits(
    problem: Problem[Any],
    value_table: ValueTable,
    policy: ScoreFreePolicy | ScoreBandPolicy,
    score: object = None,
    progress: ProgressCallback = lambda share: None,
) -> Evaluation:
    """Evaluate a policy with limits for the points of a turn, ``turns``, ``reach`` or ``win``.

    Args:
        problem: the problem.
        value_table: its value table.
        policy: the policy.
        score: the score before the turn, for the points of a turn.
        progress: called with the share that is done.
    """
    check_limits(problem, score)
    assert isinstance(problem, (PushPointsProblem, PushTableProblem, PushMultiplayerWinProblem))
    check_bands(problem, policy)
    if isinstance(problem, PushPointsProblem):
        assert not isinstance(policy, ScoreBandPolicy)
        return _evaluate_points(problem, value_table, policy, score)
    return _evaluate_game(problem, value_table, policy, progress)


def _evaluate_points(
    problem: PushPointsProblem, value_table: ValueTable, policy: ScoreFreePolicy, score: object
) -> Evaluation:
    """Evaluate a policy for the points of a turn."""
    rules = problem.rules
    position = problem.playable.position(score=score)
    # The table of the turn must reach as far as the policy rolls on.
    max_units = policy.max_turn_points // rules.grain if isinstance(policy, LimitPolicy) else 0
    lane = problem.lanes(value_table, [position], max_units)
    decisions = decisions_of_policy(rules, lane, policy)
    payoff_value = rules.turn.solve(lane.payoff, lane.caps, fixed_decisions=decisions).value[0]
    value = float(problem.seat_shares(payoff_value)[0])
    optimum = float(problem.seat_values(value_table, [position]).values[0, 0])
    bound = problem.turn_error_bound(value_table, lane) + value_table.error_bound
    return Evaluation.from_values([value], [optimum], bound, problem.playable.fewer_is_better)


def _evaluate_game(
    problem: PushTableProblem | PushMultiplayerWinProblem,
    value_table: ValueTable,
    policy: ScoreFreePolicy | ScoreBandPolicy,
    progress: ProgressCallback,
) -> Evaluation:
    """Evaluate a policy for a whole game, in every seat against optimal play of the others."""
    opponents = [OptimalPolicy()] * (problem.players - 1)
    result = against(problem, value_table, policy, opponents, progress)
    optima = problem.seat_values(value_table, [problem.playable.start()]).values[0].tolist()
    counts_turns = problem.objective == "turns"
    # The solvers maximize, so values of ``turns`` are negative there.
    values = (-value if counts_turns else value for value in result.values)
    bound = result.error_bound + value_table.error_bound
    return Evaluation.from_values(values, optima, bound, counts_turns)


check, evaluate = check_limits, evaluate_limits
