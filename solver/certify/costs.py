"""Cost of a certificate, estimated before anything is solved or proved.

A proof takes a multiple of the time of the solve, because it evaluates the same turns in whole numbers. The multiples
are those of the shipped tables (``seconds`` of their certificates in the manifest, divided by the estimated time of the
solve on one processor). The other problems that can be certified are small; `check_certifiable` refuses larger ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from ..solvers import Problem
from ..solvers.cards.points import CardPointsProblem
from ..solvers.cards.two_player import CardWinProblem
from ..solvers.push.race_problems import PushTableProblem
from ..solvers.scarney.win import ScarneyWinProblem
from ..solvers.solve_costs import SolveCost, announce_once, refuse_excessive_cost

# Time to solve and prove, as a multiple of the estimated time to solve.
MULTIPLES: dict[type, float] = {
    PushTableProblem: 3.5,  # from 0.5 to 10; the median of ten tables for two players
    ScarneyWinProblem: 18.0,  # of its one table
    CardPointsProblem: 2.5,  # of the two tables of Double Cameroon
    CardWinProblem: 2.5,
}


def estimate_certificate_cost(problem: Problem[Any], threads: int) -> SolveCost:
    """Return a rough estimate of the time to solve a problem and to prove its bounds.

    Args:
        problem: the problem.
        threads: the number of threads.

    Returns:
        The cost, without memory. The time is 0 for kinds of problems that are certified only if they are small.
    """
    no_memory = 0.0
    for kind, multiple in MULTIPLES.items():
        if isinstance(problem, kind):
            return SolveCost(no_memory, multiple * problem.estimate_cost(threads).seconds)
    return SolveCost(no_memory, 0.0)


@contextmanager
def announce_certificate(problem: Problem[Any], threads: int, anyway: bool) -> Iterator[None]:
    """Announce a long certificate; inside the context, the solve and the proof are not announced by themselves.

    Args:
        problem: the problem to solve and to prove.
        threads: the number of threads.
        anyway: the user allows any time.

    Raises:
        TooMuchError: the certificate takes more than an hour, and this is not allowed.
    """
    task = f"certifying {problem.game.title}"
    cost = estimate_certificate_cost(problem, threads)
    refuse_excessive_cost(task, cost, anyway)
    with announce_once(task, cost) if cost.seconds else nullcontext():
        yield
