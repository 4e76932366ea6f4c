"""Solve a problem: load its table if there is one, or compute it here, from a checkpoint, or on a cluster."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from ..solvers import Problem, ValueTable
from ..solvers.solve_costs import SolveCost, check_cost, explain_memory_error, needs_table_file
from ..storage.checkpoints import Checkpoint
from ..util.errors import InputError, argument
from ..util.progress_reporting import ProgressCallback
from ..version import ENGINE
from .solved_problem import SolvedProblem, cpu_count, faster_objective_hint
from .table_store import cache_table, find_table


def solve_problem(
    problem: Problem[Any],
    *,
    threads: int | None = None,
    progress: ProgressCallback = lambda share: None,
    fresh: bool = False,
    anyway: bool = False,
    cluster: str | None = None,
) -> SolvedProblem:
    """Return a problem with its value table: shipped, cached, or solved now.

    A table that is solved now is cached, unless the solve is quick. A problem that is solved on demand gets an empty
    table, unless one is stored: each answer then solves the states that it needs.

    Args:
        problem: the problem.
        threads: number of threads; None for one per processor.
        progress: called with the share of the work that is done, from 0 to 1.
        fresh: solve the problem completely and now, without looking for a stored table or storing the new one.
        anyway: solve it even if it takes more than an hour or 8 GiB.
        cluster: the address of a Dask scheduler, whose workers solve the problem; None to solve it here.

    Raises:
        InputError: the number of threads is invalid, or no cluster can solve the problem.
        TooMuchError: it takes more than an hour or 8 GiB, and ``anyway`` is false.
        SolveError: an iteration does not converge, or there is not enough memory.
    """
    _validate_options(problem, threads, cluster)
    if not fresh:
        stored = find_table(problem)
        if stored is not None:
            return replace(stored, anyway=anyway)
        if problem.solves_on_demand and cluster is None:
            return SolvedProblem(problem, problem.empty_table(), source="solved", engine=ENGINE, anyway=anyway)
    value_table = _compute_table(problem, threads, progress, anyway, checkpoint=None, cluster=cluster)
    solved = SolvedProblem(problem, value_table, source="solved", engine=ENGINE, anyway=anyway)
    if not fresh and not problem.is_quick:
        cache_table(solved)
    return solved


def solve_cost(problem: Problem[Any]) -> SolveCost:
    """Return the estimated cost of ``solve_problem`` for a problem, with one thread per processor.

    It is zero if the table is stored already, or if the problem is solved on demand: then each answer solves the states
    that it needs.
    """
    if problem.solves_on_demand or find_table(problem) is not None:
        return SolveCost(seconds=0.0, bytes=0.0)
    return problem.estimate_cost(cpu_count())


def solve_resumable(
    problem: Problem[Any],
    output: str | os.PathLike[str],
    *,
    threads: int | None = None,
    progress: ProgressCallback = lambda share: None,
    anyway: bool = False,
    memory: float | None = None,
    cluster: str | None = None,
) -> SolvedProblem:
    """Solve a problem without stored tables, save its table to a file, and return it with the problem.

    A long solve saves each finished layer beside the output. If such files are there already, it resumes from them. The
    table is cached too, unless the solve is quick.

    Args:
        problem: the problem.
        output: the file to write.
        threads: number of threads; None for one per processor.
        progress: called with the share of the work that is done, from 0 to 1.
        anyway: solve it even if it takes more than an hour or 8 GiB.
        memory: an approximate limit in bytes, or None. If the tables do not fit into it, and there are several players,
            they are mapped from a file beside the output while they are solved.
        cluster: the address of a Dask scheduler, whose workers solve the problem; None to solve it here.

    Raises:
        InputError: the problem cannot be solved within ``memory``, or an option is invalid.
        TooMuchError: it takes more than an hour or 8 GiB, and ``anyway`` is false.
        TableError: layers beside the output are of another problem or another version.
    """
    _validate_options(problem, threads, cluster)
    if memory is not None and cluster is not None:
        raise InputError(f"{argument('memory')} cannot be combined with {argument('cluster')}; leave one of them out")
    in_files = False
    if memory is not None:
        cost = problem.estimate_cost(threads or cpu_count())
        in_files = needs_table_file(_task_name(problem), cost, memory)
    checkpoint = Checkpoint(output, problem.playable.problem_key, in_files) if problem.is_resumable else None
    value_table = _compute_table(problem, threads, progress, anyway, checkpoint, cluster)
    solved = SolvedProblem(problem, value_table, source="solved", engine=ENGINE, anyway=anyway)
    solved.save(output)
    if not problem.is_quick:
        cache_table(solved)
    if checkpoint:
        checkpoint.remove_layers()
    return solved


def _compute_table(
    problem: Problem[Any],
    threads: int | None,
    progress: ProgressCallback,
    anyway: bool,
    checkpoint: Checkpoint | None,
    cluster: str | None,
) -> ValueTable:
    """Compute the value table of a problem, in this process or with the workers of a cluster.

    Args:
        problem: the problem.
        threads: number of threads; None for one per processor.
        progress: called with the share of the work that is done, from 0 to 1.
        anyway: solve it even if it takes more than an hour or 8 GiB.
        checkpoint: where finished layers are loaded from and saved, or None.
        cluster: the address of a Dask scheduler; None to solve it in this process.

    Raises:
        TooMuchError: it takes more than an hour or 8 GiB, and ``anyway`` is false.
        SolveError: an iteration does not converge, or there is not enough memory.
    """
    threads = threads or cpu_count()
    if cluster is None:
        in_files = checkpoint is not None and checkpoint.in_files
        cost = _allowed_cost(problem, threads, anyway, in_files)
        with explain_memory_error(_task_name(problem), cost):
            return problem.solve_with_checkpoint(threads, progress, checkpoint)
    from ..solvers.cluster import connect

    with connect(cluster, problem.playable.problem_key) as workers:
        cost = _allowed_cost(problem, workers.threads(), anyway)
        with explain_memory_error(_task_name(problem), cost):
            return problem.solve_with_checkpoint(threads, progress, checkpoint, workers)


def _validate_options(problem: Problem[Any], threads: int | None, cluster: str | None) -> None:
    """Raise InputError if the number of threads is invalid, or a cluster is given that cannot solve the problem."""
    if threads is not None and (type(threads) is not int or threads < 1):
        raise InputError(f"threads must be a whole number of at least 1, not {threads}")
    if cluster is not None and not problem.is_distributable:
        raise InputError(
            "a cluster can only solve races of three or more players with equal rules and without rolls that lose the"
            " whole score, and scorecards of two players, both played to win; solve this problem without a cluster"
        )


def _allowed_cost(problem: Problem[Any], threads: int, anyway: bool, in_files: bool = False) -> SolveCost:
    """Return the estimated cost of a solve, after a check that it is allowed; announce a large cost to the user.

    Args:
        problem: the problem.
        threads: number of threads, of this process or of all workers of a cluster.
        anyway: any cost is allowed.
        in_files: tables are mapped from files, so they are not counted as memory.

    Raises:
        TooMuchError: it is more than an hour or 8 GiB, and ``anyway`` is false.
    """
    cost = problem.estimate_cost(threads)
    if in_files:
        memory_without_tables = cost.bytes - cost.table_bytes
        cost = cost._replace(bytes=memory_without_tables)
    check_cost(_task_name(problem), cost, anyway, faster_objective_hint(problem))
    return cost


def _task_name(problem: Problem[Any]) -> str:
    """Return the name of the task of solving a problem, as the beginning of a sentence in a message."""
    return f"solving {problem.game.title} for {problem.objective}"
