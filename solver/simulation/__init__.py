"""Monte Carlo simulation: many games between players of any policy, with the luck and the errors of every seat.

Values are those of optimal play. For every seat of every game

    outcome = value of the start + luck - errors + effect of the others' errors.

Luck is the sum over all rolls of the change of the seat's value, with optimal play afterwards. An error is the loss of
a decision; it is 0 for ties. If fewer is better, as of turns, luck and errors count what is saved.

``run`` is where to start reading; ``games`` plays the games, over the arrays of ``turns``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..answers.positions import value
from ..games import Game
from ..policies.function_policy import FunctionPolicy
from ..policies.policy import MistakePolicy, NamedPolicy, OptimalPolicy, OtherObjectivePolicy
from ..policies.registry import PLAYER_REFUSALS, PolicyContext, PolicyLike, to_named_policy
from ..solvers import Problem
from ..solvers import make_problem as ask
from ..solving.solve import solve_problem
from ..solving.solved_problem import SolvedProblem, cpu_count
from ..util.arguments import validate_arguments
from ..util.errors import InputError, argument
from ..util.integers import parse_whole_number
from ..util.progress_reporting import ProgressCallback, ProgressOption, progress_callback
from .games import LockstepGames, check_whole_games
from .grades import check_careless, make_mistake_player
from .processes import play_shared
from .result import Simulation, summarize_games
from .seats import OptimalPlayer, OtherObjectivePlayer, PolicyPlayer, SimulatedPlayer

MAX_GAMES = 10_000_000
MAX_SEED = 10**18 - 1


@validate_arguments
def simulate(
    game: Game | str,
    policies: Sequence[PolicyLike] = (),
    *,
    objective: str | None = None,
    players: int | None = None,
    games: int = 10_000,
    seed: int = 1,
    goal: int | None = None,
    turns: int | None = None,
    threads: int | None = None,
    progress: ProgressOption = False,
) -> Simulation:
    """Solve a problem and simulate games of it; see ``solve`` and ``Solution.simulate``."""
    solution = solve_problem(ask(game, objective, players, goal=goal, turns=turns), threads=threads)
    report = progress_callback(progress, "simulating")
    return simulate_solved(solution, policies, games=games, seed=seed, threads=threads, progress=report)


@validate_arguments
def simulate_solved(
    solution: SolvedProblem,
    policies: Sequence[PolicyLike] = (),
    *,
    games: int = 10_000,
    seed: int = 1,
    threads: int | None = None,
    progress: ProgressCallback = lambda share: None,
    measuring: ProgressCallback = lambda share: None,
) -> Simulation:
    """Simulate games of a solved problem; see ``Solution.simulate``.

    Args:
        solution: the solved problem.
        policies: a policy for each seat; seats without one play optimally.
        games: number of games.
        seed: seed of all random numbers.
        threads: the largest number of processes; None for all processors.
        progress: called with the share of games that have been played.
        measuring: called with the share done of measuring how large mistakes are.
    """
    plan = plan_simulation(solution.problem, policies, games, seed)
    return plan.run(solution, threads=threads, progress=progress, measuring=measuring)


@dataclass(frozen=True)
class SimulationPlan:
    """A simulation whose arguments have been validated, to be run once the problem is solved.

    Attributes:
        problem: the problem.
        policies: the policy of each seat, parsed.
        games: number of games.
        seed: seed of all random numbers.
    """

    problem: Problem[Any]
    policies: tuple[NamedPolicy, ...]
    games: int
    seed: int

    def run(
        self,
        solution: SolvedProblem,
        *,
        threads: int | None = None,
        progress: ProgressCallback = lambda share: None,
        measuring: ProgressCallback = lambda share: None,
    ) -> Simulation:
        """Simulate the games, once the problem is solved; for the arguments see ``simulate_solved``.

        Raises:
            InputError: the solution is of another problem.
        """
        solution.check_solves(self.problem)
        seats = [make_seat_player(solution, policy, measuring) for policy in self.policies]
        progress(0.0)
        # A function may store something between calls, so all its games are played in one process.
        has_function = any(isinstance(named_policy.policy, FunctionPolicy) for named_policy in self.policies)
        processes = 1 if has_function else threads or cpu_count()
        results = play_shared(LockstepGames(solution, seats, self.seed), self.games, processes, progress)
        start_value = value(solution, solution.playable.start())
        names = [player.name for player in seats]
        head = {**solution.head, "seed": self.seed, "games": self.games, "policies": names}
        return summarize_games(head, list(start_value.seats or (start_value.value,)), names, results)


def plan_simulation(
    problem: Problem[Any], policies: Sequence[PolicyLike], games: int = 1, seed: int = 0
) -> SimulationPlan:
    """Return a simulation, to be run once the problem is solved; a file of functions is run once.

    Args:
        problem: the problem.
        policies: a policy for each seat; seats without one play optimally.
        games: number of games.
        seed: seed of all random numbers.

    Raises:
        InputError: one of these is not allowed, or the problem cannot be simulated.
    """
    if not 1 <= parse_whole_number(games, "games") <= MAX_GAMES:
        raise InputError(f"{argument('games')} must be between 1 and {MAX_GAMES:,}, not {games}")
    if not 0 <= parse_whole_number(seed, "seed") <= MAX_SEED:
        raise InputError(f"{argument('seed')} must be between 0 and {MAX_SEED:,}, not {seed}")
    if problem.objective == "rate":
        raise InputError(
            "the objective rate cannot be simulated, because such a game never ends; use another objective"
        )
    check_whole_games(problem)
    if len(policies) > problem.players:
        raise InputError(
            f"expected one policy for each of {problem.players} seats, got {len(policies)}; change the number of"
            " players, or the policies"
        )
    named_policies = [_parse_seat_policy(problem, policy) for policy in policies]
    named_policies += [NamedPolicy("best", OptimalPolicy())] * (problem.players - len(policies))
    return SimulationPlan(problem, tuple(named_policies), games, seed)


def _parse_seat_policy(problem: Problem[Any], policy: PolicyLike) -> NamedPolicy:
    """Return the policy of one seat, parsed and validated for a problem.

    Raises:
        InputError: there is no such policy, or it needs an objective that the game does not have.
    """
    named_policy = to_named_policy(policy, PolicyContext(problem.playable, PLAYER_REFUSALS))
    if isinstance(named_policy.policy, OtherObjectivePolicy):
        _problem_of(problem, named_policy.policy)
    if named_policy.policy == MistakePolicy():
        check_careless(problem)
    return named_policy


def _problem_of(problem: Problem[Any], policy: OtherObjectivePolicy) -> Problem[Any]:
    """Return the problem, of the same game, whose optimal play a policy for another objective is."""
    objective = policy.objective
    return ask(problem.game, objective, 1 if objective in ("points", "turns") else None)


def make_seat_player(
    solution: SolvedProblem, named_policy: NamedPolicy, measuring: ProgressCallback = lambda share: None
) -> SimulatedPlayer:
    """Return the player of a policy that was checked.

    Args:
        solution: the solved problem.
        named_policy: the policy with its name.
        measuring: called with the share done of measuring how large mistakes are.
    """
    name, policy = named_policy.name, named_policy.policy
    if isinstance(policy, OptimalPolicy):
        return OptimalPlayer()
    if isinstance(policy, OtherObjectivePolicy):
        other_solution = solve_problem(_problem_of(solution.problem, policy))
        return OtherObjectivePlayer(name, other_solution)
    if isinstance(policy, MistakePolicy):
        return make_mistake_player(solution, name, progress=measuring)
    return PolicyPlayer(name, policy)


__all__ = ["PolicyLike", "Simulation", "make_seat_player", "plan_simulation", "simulate", "simulate_solved"]
