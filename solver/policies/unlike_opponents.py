"""Exact values of policies in races whose players have rules of their own, against given or optimal opponents.

Limits (``hold:300``, a strategy sheet) are those of the rules of the seat that follows them. The equations are those
of ``fixed_opponents``, with the turn of each seat (``UnlikeFixedPolicyModel``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..solvers import Problem, ValueTable
from ..solvers.push.fixed_policies import FixedPolicy, LimitsPolicy
from ..solvers.push.multiplayer_turns import stored_mixed_actions
from ..solvers.push.unlike_fixed_policies import UnlikeFixedPolicyModel
from ..solvers.push.unlike_multiplayer import UnlikeRaceModel
from ..solvers.push.unlike_seats_problem import UnlikeSeatsProblem
from ..solvers.reference_solver import ReferenceSolver
from ..turns.push_turn import Doubles
from ..util.errors import InputError, SolveError, argument
from ..util.progress_reporting import ProgressCallback
from .evaluation import Against, Evaluation
from .fixed_opponents import REFUSALS, CompiledLimits, check_bands, check_count, table_policy
from .policy import AnyPolicy, DuelPolicy, OptimalPolicy, PolicyBySeat
from .registry import PolicyContext, parse_policy

NOT_FOR_UNLIKE_SEATS = (
    "if players have different rules, use a hold policy, a sheet or best; keepwise simulate accepts every policy"
)
UNLIKE_REFUSALS = dict.fromkeys((*REFUSALS, DuelPolicy), NOT_FOR_UNLIKE_SEATS)


def parse_policies(
    problem: Problem[Any], own_name: str, opponents: Sequence[str]
) -> tuple[UnlikeSeatsProblem, AnyPolicy, tuple[AnyPolicy, ...]]:
    """Return the race and the policies, parsed: that of the seat in question, and those of the others in turn order.

    Args:
        problem: the race.
        own_name: the name of the policy in question.
        opponents: the names of the other policies in turn order, or one for all.

    Raises:
        InputError: another number of policies, or no such policy.
    """
    check(problem)
    assert isinstance(problem, UnlikeSeatsProblem)
    check_count(problem, opponents)
    own_policy, *opponent_policies = (_parse(problem, name) for name in (own_name, *opponents))
    if len(opponents) == 1:
        opponent_policies *= problem.players - 1
    return problem, own_policy, tuple(opponent_policies)


def _parse(problem: UnlikeSeatsProblem, name: str) -> AnyPolicy:
    """Return the policy of a name, if the equations of a race can follow it."""
    policy: AnyPolicy = parse_policy(name, PolicyContext(problem.playable, UNLIKE_REFUSALS))
    if isinstance(policy, PolicyBySeat):
        for seat_problem, seat_policy in zip(problem.seat_problems, policy.policies, strict=True):
            check_bands(seat_problem, seat_policy)  # type: ignore[arg-type]  # policies of push-your-luck games
    return policy


def against(
    problem: UnlikeSeatsProblem,
    value_table: ValueTable,
    own_policy: AnyPolicy,
    opponents: Sequence[AnyPolicy],
    progress: ProgressCallback = lambda share: None,
) -> Against:
    """Return the values of a policy against given opponents, for every seat that may follow it.

    Args:
        problem: the race.
        value_table: its value table.
        own_policy: the policy in question. Optimal play means a best response, unless all others play optimally too.
        opponents: the policies of the other seats in turn order.
        progress: called with the share that is done.

    Raises:
        SolveError: with these policies the game hardly ever ends, or no error bound can be proved.
    """
    race = UnlikeRaceModel(problem.states)
    values_after = _values_after(problem, race, value_table)
    is_best_response = own_policy == OptimalPolicy() and any(policy != OptimalPolicy() for policy in opponents)
    head_starts = [states.number(points) for states, points in zip(problem.states, _head_starts(problem), strict=True)]
    start = race.line_number(0, head_starts)
    values, bounds = [], []
    for seat in range(problem.players):
        policies: list[FixedPolicy] = [
            _fixed_policy(problem, race, values_after, value_table, policy, (seat + player) % problem.players)
            for player, policy in enumerate((own_policy, *opponents))
        ]
        if is_best_response:
            policies[0] = None
        model = UnlikeFixedPolicyModel(race, seat, policies)

        def report(share: float, seat: int = seat) -> None:
            progress((seat + share) / problem.players)

        try:
            solver = ReferenceSolver(model, progress=report)
            solved = solver.solve()
        except SolveError as error:
            raise SolveError(f"cannot evaluate these policies: {error}") from None
        values.append(float(solved[model.start_state(start)]))
        bounds.append(solver.accumulated_error)
    return Against(tuple(values), max(bounds))


def _head_starts(problem: UnlikeSeatsProblem) -> Sequence[int]:
    """Return by seat the score when the game begins, in points."""
    return problem.playable.head_starts


def _values_after(problem: UnlikeSeatsProblem, race: UnlikeRaceModel, value_table: ValueTable) -> Doubles:
    """Return by line what the payoffs of the player who moved before are read from (``RaceModel.payoffs``).

    For two players that is the mover's chance to win. For more it is the chance of the last seat, which moved before.
    """
    tables = [value_table.arrays[f"win{seat + 1}"] for seat in range(problem.players)]  # users count seats from 1
    if problem.players == 2:
        return np.concatenate([table.ravel() for table in tables])
    return np.concatenate([table.reshape(-1, problem.players)[:, -1] for table in tables])


def _fixed_policy(
    problem: UnlikeSeatsProblem,
    race: UnlikeRaceModel,
    values_after: Doubles,
    value_table: ValueTable,
    policy: AnyPolicy,
    seat: int,
) -> FixedPolicy:
    """Return the policy of a seat in the form that the equations take."""
    model = race.seat_models[seat]
    if isinstance(policy, PolicyBySeat):
        return LimitsPolicy(CompiledLimits(problem.seat_problems[seat], model, policy.policies[seat]))  # type: ignore[arg-type]
    return table_policy(model, values_after, stored_mixed_actions(value_table))


def check(problem: Problem[Any], score: object = None) -> None:
    """Raise InputError for a last round, which these equations do not have, and for a score before the turn.

    Args:
        problem: the race.
        score: the score before the turn, which only the points of a turn have.
    """
    assert isinstance(problem, UnlikeSeatsProblem)
    if problem.states[0].rules.finish == "last_round":
        raise InputError(
            "policies cannot be evaluated if players have different rules and a last round: use keepwise simulate"
        )
    if score is not None:
        raise InputError(f"{argument('score')} requires the objective points; leave {argument('score')} out")


def evaluate(
    problem: UnlikeSeatsProblem,
    value_table: ValueTable,
    policy: PolicyBySeat,
    score: object = None,
    progress: ProgressCallback = lambda share: None,
) -> Evaluation:
    """Evaluate a policy for a whole game, in every seat against optimal play of the others.

    Args:
        problem: the race.
        value_table: its value table.
        policy: the policy.
        score: None; see ``check``.
        progress: called with the share that is done.
    """
    opponents = [OptimalPolicy()] * (problem.players - 1)
    result = against(problem, value_table, policy, opponents, progress)
    optima = problem.seat_values(value_table, [problem.playable.start()]).values[0].tolist()
    return Evaluation.from_values(result.values, optima, result.error_bound + value_table.error_bound)
