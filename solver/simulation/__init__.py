"""Games played by the thousand, between players of any policy: what they bring, how long they last, luck and errors.

By construction, for every seat and every game, with values of the best play (where fewer is better, of turns or points,
in what is saved):

    outcome = value at the start + luck of all throws - own errors + what the others' errors did to it.

The luck of a throw is what the position is worth once it has fallen, played on at its best, less what it was worth
before; an error is what a choice is worth less than the best, nothing for a tie.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from ..util.errors import InputError
from ..util.integers import parse_whole_number
from ..util.number_format import format_count
from .games import Play, check_whole
from .grades import check_careless, graded
from .processes import play_shared
from .result import Simulation, collect
from .seats import Best, OtherObjectivePlayer, PolicyPlayer, Seat

MOST_GAMES = 10_000_000
MOST_SEED = 10**18 - 1

Progress = Callable[[float], None]


@validate_arguments
def simulate(
    what: Game | str,
    policies: Sequence[PolicyLike] = (),
    *,
    objective: str | None = None,
    players: int | None = None,
    games: int = 10_000,
    seed: int = 1,
    goal: int | None = None,
    turns: int | None = None,
    threads: int | None = None,
    progress: Progress = lambda done: None,
) -> Simulation:
    """Play many games; see ``Solution.simulate``, and ``solve`` for the question."""
    solution = solve_problem(ask(what, objective, players, goal=goal, turns=turns), threads=threads)
    return run(solution, policies, games=games, seed=seed, threads=threads, progress=progress)


@validate_arguments
def run(
    solution: SolvedProblem,
    policies: Sequence[PolicyLike] = (),
    *,
    games: int = 10_000,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress = lambda done: None,
    measuring: Progress = lambda done: None,
) -> Simulation:
    """Play many games of a solved question; see ``Solution.simulate``. ``measuring``: how far it is to know how large
    mistakes are.
    """
    match = solution.problem
    named_policies = check(match, policies, games, seed)
    seats = [seat(solution, policy, measuring) for policy in _for_seats(match, named_policies)]
    progress(0.0)
    # A function may keep something in mind from call to call.
    has_function = any(isinstance(named.policy, FunctionPolicy) for named in named_policies)
    processes = 1 if has_function else threads or cpu_count()
    played = play_shared(Play(match, solution.value_table, seats, seed), games, processes, progress)
    worth = value(match, solution.value_table, match.playable.start())
    names = [one.name for one in seats]
    head = {**solution.head, "seed": seed, "games": games, "policies": names}
    return collect(head, list(worth.seats or (worth.value,)), names, played)


def check(match: Problem[Any], policies: Sequence[PolicyLike], games: int = 1, seed: int = 0) -> list[NamedPolicy]:
    """Return the policies of the seats, parsed, before anything is solved. A file of functions is run once.

    Raises:
        InputError: policies, games or a seed that cannot be.
    """
    if not 1 <= parse_whole_number(games, "games") <= MOST_GAMES:
        raise InputError(f"games {games} must lie between 1 and {MOST_GAMES:,}")
    if not 0 <= parse_whole_number(seed, "seed") <= MOST_SEED:
        raise InputError(f"seed {seed} must lie between 0 and {MOST_SEED:,}")
    if match.objective == "rate":
        raise InputError(
            "the long run never ends, so nothing is simulated for it; ask for turns, win or points of a turn"
        )
    check_whole(match)
    if len(policies) > match.players:
        seats = f"{'is' if match.players == 1 else 'are'} {format_count(match.players, 'seat')}"
        raise InputError(f"{len(policies)} policies are too many: there {seats}")
    return [_checked(match, policy) for policy in policies]


def _for_seats(match: Problem[Any], policies: Sequence[NamedPolicy]) -> list[NamedPolicy]:
    """Return a policy for each seat: optimal play for seats without one."""
    return [*policies, *[NamedPolicy("best", OptimalPolicy())] * (match.players - len(policies))]


def _checked(match: Problem[Any], policy: PolicyLike) -> NamedPolicy:
    """Return a policy, parsed; raise InputError if it needs a problem that the game does not have."""
    named = to_named_policy(policy, PolicyContext(match.playable, PLAYER_REFUSALS))
    if isinstance(named.policy, OtherObjectivePolicy):
        _problem_of(match, named.policy)
    if named.policy == MistakePolicy():
        check_careless(match)
    return named


def _problem_of(match: Problem[Any], policy: OtherObjectivePolicy) -> Problem[Any]:
    """Return the problem whose optimal play the policy is."""
    objective = policy.objective
    return ask(match.game, objective, 1 if objective in ("points", "turns") else None)


def seat(solution: SolvedProblem, named: NamedPolicy, measuring: Progress = lambda done: None) -> Seat:
    """Return the player of a policy that was checked.

    Args:
        solution: the solved problem.
        named: the policy with its name.
        measuring: called with the share done of measuring how large mistakes are.
    """
    name, policy = named.name, named.policy
    if isinstance(policy, OptimalPolicy):
        return Best()
    if isinstance(policy, OtherObjectivePolicy):
        other = solve_problem(_problem_of(solution.problem, policy))
        return OtherObjectivePlayer(name, other.problem, other.value_table)
    if isinstance(policy, MistakePolicy):
        return graded(solution.problem, solution.value_table, name, progress=measuring)
    return PolicyPlayer(name, policy)


__all__ = ["PolicyLike", "Simulation", "check", "run", "seat", "simulate"]
