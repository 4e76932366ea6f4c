"""Games played by the thousand, between players of any policy: what they bring, how long they last, luck and errors.

By construction, for every seat and every game, with values of the best play (where fewer is better, of turns or points,
in what is saved):

    outcome = value at the start + luck of all throws - own errors + what the others' errors did to it.

The luck of a throw is what the position is worth once it has fallen, played on at its best, less what it was worth
before; an error is what a choice is worth less than the best, nothing for a tie.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..answers.positions import value
from ..games import Game
from ..play.game_file import is_code
from ..policies.function_policy import function_of
from ..policies.registry import read_policy
from ..solvers import Problem
from ..solvers import make_problem as ask
from ..solving.solve import solve_problem
from ..solving.solved_problem import SolvedProblem, cpu_count
from ..util.arguments import validate_arguments
from ..util.errors import InputError, suggest_name
from ..util.integers import parse_whole_number
from ..util.number_format import format_count
from .games import Play, check_whole
from .grades import GRADES, graded, makes_mistakes, read_loss
from .processes import play_shared
from .result import Simulation, collect
from .seats import Best, Decide, Elsewhere, Follower, Seat

MOST_GAMES = 10_000_000
MOST_SEED = 10**18 - 1

Progress = Callable[[float], None]


@validate_arguments
def simulate(
    what: Game | str,
    policies: Sequence[str | Decide] = (),
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
    policies: Sequence[str | Decide] = (),
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
    policies = check(match, policies, games, seed)
    seats = [seat(solution, policy, measuring) for policy in _for_seats(match, policies)]
    progress(0.0)
    own = any(not isinstance(policy, str) for policy in policies)  # what a function keeps in mind
    processes = 1 if own else threads or cpu_count()
    played = play_shared(Play(match, solution.value_table, seats, seed), games, processes, progress)
    worth = value(match, solution.value_table, match.playable.start())
    names = [one.name for one in seats]
    head = {**solution.head, "seed": seed, "games": games, "policies": names}
    return collect(head, list(worth.seats or (worth.value,)), names, played)


def check(match: Problem[Any], policies: Sequence[str | Decide], games: int = 1, seed: int = 0) -> list[str | Decide]:
    """Raise InputError for policies, games or a seed that cannot be, before anything is solved. Return the policies, of
    those in a file the function: the file has been run once.
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
    return [_checked(match, policy) if isinstance(policy, str) else policy for policy in policies]


def _for_seats(match: Problem[Any], policies: Sequence[str | Decide]) -> list[str | Decide]:
    """A policy for each seat: seats that nothing is said of play the best."""
    return [*policies, *["best"] * (match.players - len(policies))]


def _checked(match: Problem[Any], policy: str) -> str | Decide:
    name, colon, more = policy.partition(":")
    if policy in ("best", *GRADES):
        return policy
    if name == "best" and colon:
        ask(match.game, more, 1 if more in ("points", "turns") else None)
    elif name == "loses" and colon:
        read_loss(policy)
    elif is_code(policy):
        return function_of(policy, match.playable)
    else:
        try:
            read_policy(match.playable, policy)
        except InputError as error:
            if name in ("sheet", *(one.partition(":")[0] for one in match.game.parts.named if ":" in one)):
                raise
            raise InputError(
                f"{policy} is no policy of {match.game.id}{suggest_name(policy, _known(match).split(', '))}"
            ) from error
    return policy


def _known(match: Problem[Any]) -> str:
    parts = match.game.parts
    sheets = ("sheet", "sheet:N") if parts.levels else ()
    return ", ".join(("best", "best:OBJECTIVE", *sheets, *parts.named, *GRADES, "loses:X", "FILE.py:FUNCTION"))


def seat(solution: SolvedProblem, policy: str | Decide, measuring: Progress = lambda done: None) -> Seat:
    """The player of a policy that was checked, by name or as a function from a position to a choice or its words."""
    match = solution.problem
    if not isinstance(policy, str):
        return Follower(getattr(policy, "__name__", "function"), policy)
    if policy == "best":
        return Best()
    name, _, more = policy.partition(":")
    if name == "best":
        other = solve_problem(ask(match.game, more, 1 if more in ("points", "turns") else None))
        return Elsewhere(policy, other.problem, other.value_table)
    if makes_mistakes(policy):
        return graded(match, solution.value_table, policy, progress=measuring)
    followed = read_policy(match.playable, policy)
    return Follower(policy, partial(followed.choose, match.playable), followed.sees)


__all__ = ["Decide", "Simulation", "check", "run", "seat", "simulate"]
