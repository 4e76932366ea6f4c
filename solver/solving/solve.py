"""Solving a match: from a table where there is one, here, on from a checkpoint, or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ..solvers import Problem, ValueTable
from ..solvers.cost_estimates import SolveCost, enough_memory, held_to, judge
from ..storage.checkpoints import Checkpoint
from ..util.errors import InputError
from ..version import ENGINE
from .solved_problem import SolvedProblem, cpu_count, faster_objective_hint
from .table_store import cache_table, find_table


def solve_problem(
    asked: Problem[Any],
    *,
    threads: int | None = None,
    progress: Callable[[float], None] = lambda done: None,
    fresh: bool = False,
    anyway: bool = False,
    cluster: str | None = None,
) -> SolvedProblem:
    """Return what is known of a match: shipped, kept in the user's cache, or solved now; see ``keepwise.solve``."""
    _check(asked, threads, cluster)
    if not fresh:
        if found := find_table(asked):
            return found
        if asked.solves_on_demand and cluster is None:
            return SolvedProblem(asked, asked.empty_table(), "solved", ENGINE, anyway)
    known = SolvedProblem(asked, _solved(asked, threads, progress, anyway, None, cluster), "solved", ENGINE, anyway)
    if not fresh and not asked.is_quick:
        cache_table(known)
    return known


def solve_cost(asked: Problem[Any]) -> SolveCost:
    """What it takes until a question has values; nothing where they are stored, or worked out for one position."""
    return SolveCost(0.0, 0.0) if asked.solves_on_demand or find_table(asked) else asked.estimate_cost(cpu_count())


def solve_resumable(
    asked: Problem[Any],
    output: str | os.PathLike[str],
    *,
    threads: int | None = None,
    progress: Callable[[float], None] = lambda done: None,
    anyway: bool = False,
    memory: float | None = None,
    cluster: str | None = None,
) -> SolvedProblem:
    """Solve a match anew and write its table; one that takes long goes on from the layers that a killed run left.

    With ``memory``, in bytes, no more is to be held at once, as nearly as that is known: tables of matches of several
    players then stand in a file beside the output while they are solved.

    Raises:
        InputError: it does not fit into that memory.
        TooMuchError: it takes more than an hour or 8 GiB, and nobody asked for that with ``anyway``.
        TableError: layers beside the output are of another question or another version.
    """
    _check(asked, threads, cluster)
    if memory is not None and cluster is not None:
        raise InputError("how much memory may be held is said for one process, not for a cluster")
    in_files = memory is not None and held_to(_what(asked), asked.estimate_cost(threads or cpu_count()), memory)
    checkpoint = Checkpoint(output, asked.playable.question, in_files) if asked.is_resumable else None
    known = SolvedProblem(
        asked, _solved(asked, threads, progress, anyway, checkpoint, cluster), "solved", ENGINE, anyway
    )
    known.save(output)
    if not asked.is_quick:
        cache_table(known)
    if checkpoint:
        checkpoint.remove_layers()
    return known


def _solved(
    asked: Problem[Any],
    threads: int | None,
    progress: Callable[[float], None],
    anyway: bool,
    checkpoint: Checkpoint | None,
    cluster: str | None,
) -> ValueTable:
    """The values of a match, solved now: here, or on a cluster what is worth it."""
    threads = threads or cpu_count()
    if cluster is not None:
        from ..solvers.cluster import connected

        with connected(cluster, asked.playable.question) as workers:
            cost = _judged(asked, workers.threads(), anyway)
            with enough_memory(_what(asked), cost):
                return asked.solve_with_checkpoint(threads, progress, checkpoint, workers)
    in_files = checkpoint is not None and checkpoint.in_files
    with enough_memory(_what(asked), _judged(asked, threads, anyway, in_files)):
        return asked.solve_with_checkpoint(threads, progress, checkpoint)


def _check(asked: Problem[Any], threads: int | None, cluster: str | None) -> None:
    """Refuse what is no number of threads, and what no cluster can solve."""
    if threads is not None and (type(threads) is not int or threads < 1):
        raise InputError(f"threads must be a whole number from 1 on, not {threads}")
    if cluster is not None and not asked.is_distributable:
        raise InputError(
            "what a cluster solves are races of three and more players and cards for two, played to win, where no throw"
            " loses the whole score; this question is solved in one process"
        )


def _judged(asked: Problem[Any], threads: int, anyway: bool, in_files: bool = False) -> SolveCost:
    """What a solve takes, if that is not refused."""
    cost = asked.estimate_cost(threads)
    cost = cost._replace(bytes=cost.bytes - cost.tables) if in_files else cost
    judge(_what(asked), cost, anyway, faster_objective_hint(asked))
    return cost


def _what(asked: Problem[Any]) -> str:
    return f"solving {asked.game.title} for {asked.objective}"
