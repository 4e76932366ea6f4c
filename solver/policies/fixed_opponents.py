"""Exact values of races in which the policies of the opponents are given, for any number of players.

The value is that of one seat. A player with limits (``LimitPolicy``, a strategy sheet) observes the own score and, of
two players, the band of the other's score. A player of optimal play decides by the solved table, whatever the others
play. So does a player of a ``duel``, who knows optimal play of two players only, and plays as if against whoever is
ahead. The seat in question follows a policy, or plays a best response to all of this (``best``).

The equations are those of the race, with one copy of its states for each player whose turn it is
(``FixedPolicyModel``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from ..solvers import Problem, ValueTable
from ..solvers import make_problem as ask
from ..solvers.model import Ints
from ..solvers.problem import MixedAction
from ..solvers.push.fixed_policies import FixedPolicy, FixedPolicyModel, LimitsPolicy, TablePolicy
from ..solvers.push.limits_race import LimitsRace, is_walked
from ..solvers.push.model import PushModel, RaceModel
from ..solvers.push.multiplayer_problem import PushMultiplayerWinProblem
from ..solvers.push.multiplayer_turns import stored_mixed_actions
from ..solvers.push.problem import PushProblem
from ..solvers.push.race_problems import PushTableProblem, PushWinProblem
from ..solvers.reference_solver import ReferenceSolver
from ..solving.solved_problem import cpu_count
from ..turns.push_turn import Decisions, Doubles
from ..util.errors import InputError, SolveError
from ..util.progress_reporting import ProgressCallback
from .bank_limits import ScoreFreePolicy
from .evaluation import Against
from .function_policy import FunctionPolicy
from .policy import DuelPolicy, MistakePolicy, OptimalPolicy, OtherObjectivePolicy
from .push_policies import ScoreBandPolicy
from .registry import PolicyContext, parse_policy

FollowedPolicy: TypeAlias = ScoreFreePolicy | ScoreBandPolicy | OptimalPolicy | DuelPolicy
NOT_COMPILED = "with fixed opponents, use a hold policy, a sheet, best or duel; keepwise simulate accepts every policy"
REFUSALS: dict[type, str] = {
    OtherObjectivePolicy: NOT_COMPILED,
    MistakePolicy: NOT_COMPILED,
    FunctionPolicy: NOT_COMPILED,
}
# By lane: the index of its state, the probability that the turn is played this way, and the payoffs of its endings.
DecidingPayoffs: TypeAlias = tuple[Ints, Doubles, Doubles]


def parse_policies(
    problem: Problem[Any], own_name: str, opponents: Sequence[str]
) -> tuple[PushWinProblem | PushMultiplayerWinProblem, FollowedPolicy, tuple[FollowedPolicy, ...]]:
    """Return the race and the policies, parsed: that of the seat in question, and those of the others in turn order.

    Args:
        problem: the problem.
        own_name: the name of the policy in question.
        opponents: the names of the other policies in turn order, or one for all.

    Raises:
        InputError: not such a race, another number of seats, or no such policy.
    """
    if not isinstance(problem, (PushWinProblem, PushMultiplayerWinProblem)):
        raise InputError(
            "policies of the opponents require a push-your-luck game and the objective win; leave them out"
        )
    check_race(problem)
    check_count(problem, opponents)
    opponent_count = problem.players - 1
    own_policy = _parse(problem, own_name)
    opponent_policies = tuple(_parse(problem, name) for name in opponents)
    if len(opponents) == 1:
        opponent_policies *= opponent_count
    return problem, own_policy, opponent_policies


def check_count(problem: Problem[Any], opponents: Sequence[str]) -> None:
    """Raise InputError unless there is a policy for each opponent, or one for all."""
    opponent_count = problem.players - 1
    if len(opponents) not in (1, opponent_count):
        each = "" if opponent_count == 1 else f", or {opponent_count} policies in turn order"
        whose = "the opponent" if opponent_count == 1 else "all opponents"
        raise InputError(f"expected one policy for {whose}{each}, got {len(opponents)}")


def _parse(problem: PushWinProblem | PushMultiplayerWinProblem, name: str) -> FollowedPolicy:
    """Return the policy of a name, if the equations of a race can follow it."""
    policy: FollowedPolicy = parse_policy(name, PolicyContext(problem.playable, REFUSALS))
    if isinstance(policy, ScoreBandPolicy):
        check_bands(problem, policy)
    return policy


def check_race(problem: Problem[Any], subject: str = "fixed opponents") -> None:
    """Raise InputError for a race of three or more players whose turns depend on more than the scores.

    Args:
        problem: the problem.
        subject: a plural noun for the task that is refused.
    """
    if not isinstance(problem, PushMultiplayerWinProblem):
        return
    if problem.rules.finish == "last_round":
        raise InputError(f"{subject} require 2 players with the rule finish=last_round, not {problem.players}")
    if problem.rules.take_over != "none":
        raise InputError(f"{subject} require 2 players if turns can be taken over, not {problem.players}")


def check_bands(problem: PushProblem, policy: ScoreFreePolicy | ScoreBandPolicy) -> None:
    """Raise InputError for limits by one opponent's score, unless there is exactly one opponent."""
    if isinstance(policy, ScoreBandPolicy) and len(policy.others) > 1 and problem.players != 2:
        raise InputError(f"sheet:4 requires 2 players, not {problem.players}: it depends on one opponent's score")


def against(
    problem: PushTableProblem | PushMultiplayerWinProblem,
    value_table: ValueTable,
    own_policy: FollowedPolicy,
    opponents: Sequence[FollowedPolicy] = (),
    progress: ProgressCallback = lambda share: None,
) -> Against:
    """Return the values of a policy against given opponents, for every place in the round.

    Args:
        problem: the race, or a game of one player.
        value_table: its value table.
        own_policy: the policy in question. Optimal play means a best response, unless all others play optimally too.
        opponents: the policies of the other seats in turn order.
        progress: called with the share that is done.

    Raises:
        SolveError: with these policies the game hardly ever ends, or no error bound can be proved.
    """
    model: PushModel = problem.model
    fixed_policies: list[FixedPolicy] = [
        _fixed_policy(problem, value_table, policy) for policy in (own_policy, *opponents)
    ]
    if own_policy == OptimalPolicy() and any(policy != OptimalPolicy() for policy in opponents):
        fixed_policies[0] = None  # a best response
    if isinstance(problem, PushTableProblem):
        start = problem.state_number(problem.playable.start())
    else:
        start = problem.model.line_number([problem.states.number(0)] * problem.players)
    try:
        match fixed_policies:
            case LimitsPolicy() as limits, TablePolicy() as table if is_walked(model):
                return _evaluate_limits_race(model, limits, table, start, progress)
        solver = ReferenceSolver(FixedPolicyModel(model, fixed_policies), progress=progress)
        values = solver.solve()
        if model.has_cyclic_components:
            bound = solver.error_bound(values)
        else:
            bound = solver.accumulated_error + model.constant_error
    except SolveError as error:
        raise SolveError(f"cannot evaluate these policies: {error}") from None
    # Copy k of the states belongs to the k-th player after the one in question. Whoever moves in place p of the round
    # sees players - p others move before.
    copies = [(problem.players - place) % problem.players for place in range(problem.players)]
    return Against(tuple(float(values[copy * model.state_count + start]) for copy in copies), bound)


def _evaluate_limits_race(
    model: RaceModel, limits: LimitsPolicy, table: TablePolicy, start: int, progress: ProgressCallback
) -> Against:
    """Return the values of limits against a value table, from the state in which the game begins."""
    walk_share = 0.7  # of the time
    race = LimitsRace(model, limits, table, cpu_count(), lambda share: progress(walk_share * share))
    return Against(*race.evaluate(start, lambda share: progress(walk_share + (1 - walk_share) * share)))


def _fixed_policy(
    problem: PushTableProblem | PushMultiplayerWinProblem, value_table: ValueTable, policy: FollowedPolicy
) -> FixedPolicy:
    """Return a policy in the form that the equations take."""
    model: PushModel = problem.model
    if not isinstance(policy, (OptimalPolicy, DuelPolicy)):
        return LimitsPolicy(CompiledLimits(problem, model, policy))
    if isinstance(problem, PushMultiplayerWinProblem):
        return _duel_policy(problem) if isinstance(policy, DuelPolicy) else _stored_policy(problem, value_table)
    values = partial(problem.read, value_table)

    def deciding_payoffs(states: Ints, cap: int) -> DecidingPayoffs:
        return _pure_turns(model.payoffs(values, model.transitions(states, cap)))

    return TablePolicy(deciding_payoffs, values)


def _pure_turns(payoffs: Doubles) -> DecidingPayoffs:
    """Return the deciding payoffs if every turn is played in one way: (endings, lanes), one lane for each state."""
    lane_count = payoffs.shape[1]
    return np.arange(lane_count), np.ones(lane_count), payoffs


class CompiledLimits:
    """The decisions of a policy with limits by both scores, in units; scores with the same decisions share an array."""

    def __init__(self, problem: PushProblem, model: PushModel, policy: ScoreFreePolicy | ScoreBandPolicy) -> None:
        self._states, self._turn, self._policy = problem.states, model.turn, policy
        self._last_round = model.last_round if isinstance(model, RaceModel) and model.seats == 2 else None
        self._row_count = model.turn.row_count(model.max_cap)
        self._decisions: dict[tuple[int, int, bool], Decisions] = {}

    def __call__(self, score: int, opponent_score: int) -> Decisions:
        """Return the decisions in a turn; see ``LimitsPolicy.decisions``."""
        states = self._states
        grain = states.rules.grain
        limits = self._policy.policy_at(score * grain, opponent_score * grain)
        is_last_turn = self._last_round is not None and opponent_score >= states.target
        key = score, id(limits), is_last_turn  # the policy keeps its limits alive, so their ids stay distinct
        if key not in self._decisions:
            index = score - states.lowest_score
            cap, min_bank = int(states.caps_by_score[index]), int(states.min_banks_by_score[index])
            if is_last_turn and self._last_round:
                min_bank = self._last_round.min_bank(score)
            winning_points = states.goal - score
            self._decisions[key] = limits.decisions(
                states.rules, self._turn, self._row_count, cap, min_bank, winning_points
            )
        return self._decisions[key]


def _stored_policy(problem: PushMultiplayerWinProblem, value_table: ValueTable) -> TablePolicy:
    """Return the stored policies of three or more players, with their mixed actions."""
    win = value_table.arrays["win"].reshape(-1, problem.players)[:, -1]
    return table_policy(problem.model, win, stored_mixed_actions(value_table))


def table_policy(model: RaceModel, values_after: Doubles, mixed_actions: Mapping[int, MixedAction]) -> TablePolicy:
    """Return the policy of a player who decides by a value table, and plays mixed actions.

    Each of the two turns of a mixed action is stored as a value of the zero turn for which it is optimal.

    Args:
        model: the equations of the race.
        values_after: by state, what the payoffs of the mover are read from (``RaceModel.payoffs``).
        mixed_actions: by state, the mixed action of its mover.
    """
    mixed_states = np.array(sorted(mixed_actions), dtype=np.int64)

    def values(states: Ints) -> Doubles:
        state_values: Doubles = values_after[states]
        return state_values

    def deciding_payoffs(states: Ints, cap: int) -> DecidingPayoffs:
        transitions = model.transitions(states, cap)
        lane_states, probabilities, payoffs = _pure_turns(model.payoffs(values, transitions))
        mixed_lanes = np.flatnonzero(np.isin(states, mixed_states))
        if not len(mixed_lanes):
            return lane_states, probabilities, payoffs
        actions = np.array([mixed_actions[state] for state in states[mixed_lanes].tolist()])
        second_shares, lower_zero_values, upper_zero_values = actions.T
        is_zero_turn = transitions.state[:, mixed_lanes] == model.after_zero_turn(states[mixed_lanes])
        first_payoffs = np.where(is_zero_turn, lower_zero_values, payoffs[:, mixed_lanes])
        second_payoffs = np.where(is_zero_turn, upper_zero_values, payoffs[:, mixed_lanes])
        # The first turns take the place of the pure ones; a lane for each second turn is added at the end.
        payoffs = np.hstack([payoffs, second_payoffs])
        payoffs[:, mixed_lanes] = first_payoffs
        probabilities = np.append(probabilities, second_shares)
        probabilities[mixed_lanes] = 1 - second_shares
        return np.append(lane_states, mixed_lanes), probabilities, payoffs

    return TablePolicy(deciding_payoffs, values)


def _duel_policy(problem: PushMultiplayerWinProblem) -> TablePolicy:
    """Return optimal play of two players, against whoever is ahead."""
    score_count = len(problem.model.states)
    two_player_problem = ask(problem.game, "win", 2)
    assert isinstance(two_player_problem, PushWinProblem)
    race = two_player_problem.model
    value_table = two_player_problem.solve(1, lambda share: None)
    values = partial(two_player_problem.read, value_table)

    def deciding_payoffs(states: Ints, cap: int) -> DecidingPayoffs:
        # A state is a number whose digits are the players' states, the mover's first.
        leaders = np.zeros_like(states)
        remaining_digits = states
        for _ in range(problem.players - 1):
            remaining_digits, opponents = np.divmod(remaining_digits, score_count)
            leaders = np.maximum(leaders, opponents)
        movers = remaining_digits
        return _pure_turns(race.payoffs(values, race.transitions(race.number(movers, leaders), cap)))

    return TablePolicy(deciding_payoffs, values)
