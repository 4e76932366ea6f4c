"""What limits are worth in push-your-luck games: exactly, and against the best.

At every decision of a turn who follows them does what they say, through the same kernel that solves the turn
(``follow``). In a match the follower meets the optimal player of the solved table, who does not know it: the optimal
player's turns maximise the table's chances, and the chance against the policy is carried along in a second channel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..answers.positions import value as value_of
from ..solvers import Problem, ValueTable
from ..solvers.cost_estimates import SolveCost
from ..solvers.push.multiplayer_problem import PushMultiplayerWinProblem
from ..solvers.push.points import PushPointsProblem
from ..solvers.push.race_problems import PushTableProblem
from ..util.errors import InputError
from .bank_limits import followed
from .evaluation import Evaluation
from .fixed_opponents import against, check_bands, check_race
from .policy import OptimalPolicy
from .push_policies import Banded, Hold, Rolls

Progress = Callable[[float], None]

# Seconds that a price takes for each choice and each row of a turn's table, and for each block of turns.
CHOICE_SECONDS, ROW_SECONDS, BLOCK_SECONDS = 6e-10, 1.2e-7, 1e-3
EVALUATED = ("points", "turns", "reach", "win")  # objectives for which policies with limits are evaluated
SWEEPS = 12  # times that all turns are made where scores are lost


def check_hold(match: Problem[Any], score: object = None, what: str = "policies are evaluated") -> None:
    """Refuse what limits are not evaluated for; ``what`` is refused in races of several."""
    if (
        not isinstance(match, (PushPointsProblem, PushTableProblem, PushMultiplayerWinProblem))
        or match.objective == "rate"
    ):
        others = [name for name in EVALUATED if name in match.game.objectives and name != match.objective]
        raise InputError(
            f"a policy of {match.game.title} cannot be evaluated for the objective {match.objective};"
            f" use --objective {' or '.join(others)}"
        )
    if isinstance(match, PushPointsProblem):
        return
    if isinstance(match, PushMultiplayerWinProblem):
        check_race(match, what)
    if score is not None:
        raise InputError(f"{match.objective} is evaluated from the start: leave the score out")


def hold_cost(match: Problem[Any]) -> SolveCost:
    """Say roughly what ``evaluate_hold`` takes: every row of every turn, for each player, once in each sweep."""
    if isinstance(match, PushPointsProblem):
        return SolveCost(0.0, 0.0)
    assert isinstance(match, (PushTableProblem, PushMultiplayerWinProblem))
    own = match.estimate_cost(1)
    if own.is_too_much:  # its equations are not laid out for that, and the price is no less
        return own
    equations = match.model
    states = np.arange(equations.turn_states)
    rows = float(equations.caps(states).sum(dtype=float)) + len(states) * equations.turn.max_added_points
    blocks = sum(len(one) for one in equations.components())
    each = CHOICE_SECONDS * equations.turn.choice_count + ROW_SECONDS
    sweeps = SWEEPS if equations.has_cyclic_components else 1
    return SolveCost(own.bytes, sweeps * (BLOCK_SECONDS * blocks + each * match.players * rows))


def evaluate_hold(
    match: Problem[Any],
    solved: ValueTable,
    policy: Hold | Rolls | Banded,
    score: object = None,
    progress: Progress = lambda done: None,
) -> Evaluation:
    """Evaluate limits in a push-your-luck game: ``points`` of a turn from ``score``, ``turns``, ``reach``, ``win``."""
    check_hold(match, score)
    assert isinstance(match, (PushPointsProblem, PushTableProblem, PushMultiplayerWinProblem))
    check_bands(match, policy)
    if isinstance(match, PushPointsProblem):
        assert not isinstance(policy, Banded)
        return _points(match, solved, policy, score)
    return _match(match, solved, policy, progress)


def _points(match: PushPointsProblem, solved: ValueTable, policy: Hold | Rolls, score: object) -> Evaluation:
    rules, position = match.rules, match.playable.read(score=score)
    held = max(policy.by_dice.values()) // rules.grain if isinstance(policy, Hold) else 0
    lane = match.lanes(solved, [position], held)
    nodes = followed(rules, lane, policy)
    found = rules.turn.solve(lane.payoff, lane.caps, fixed_decisions=nodes).value[0]
    value, best = float(match.seat_shares(found)[0]), value_of(match, solved, position).value
    bound = match.turn_error_bound(solved, lane) + solved.error_bound
    return Evaluation.of([value], [best], bound, match.playable.fewer_is_better)


def _match(
    match: PushTableProblem | PushMultiplayerWinProblem,
    solved: ValueTable,
    policy: Hold | Rolls | Banded,
    progress: Progress,
) -> Evaluation:
    """Turns, the chance to reach a goal, and the chance of a race from every seat, against the best."""
    found = against(match, solved, policy, [OptimalPolicy()] * (match.players - 1), progress)
    best = value_of(match, solved, match.playable.start())
    turns = match.objective == "turns"
    values = (-value if turns else value for value in found.values)
    return Evaluation.of(values, best.seats or (best.value,), found.error_bound + solved.error_bound, turns)


check, judged = check_hold, evaluate_hold
