"""Solve a problem: load its table if there is one, or compute it here, from a checkpoint, or on a cluster."""

from __future__ import annotations

import os
from typing import Any

from ..solvers import Problem, ValueTable
from ..solvers.solve_costs import SolveCost, check_cost, explain_memory_error, needs_table_file
from ..storage.checkpoints import Checkpoint
from ..util.errors import InputError
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

    A problem that is solved on demand is not solved yet: its table is empty, and answers solve what they need.

    Args:
        problem: the problem.
        threads: number of threads; None for one per processor.
        progress: called with the share that is done.
        fresh: solve it completely and now, without looking for a stored table or storing the new one.
        anyway: solve it even if it takes more than an hour or 8 GiB.
        cluster: the address of a Dask scheduler, whose workers solve the problem.

    Raises:
        InputError: the number of threads is invalid, or no cluster can solve the problem.
        TooMuchError: it takes more than an hour or 8 GiB, and ``anyway`` is false.
        SolveError: an iteration does not converge, or there is not enough memory.
    """
    _validate_options(problem, threads, cluster)
    if not fresh:
        stored = find_table(problem)
        if stored is not None:
            return stored
        if problem.solves_on_demand and cluster is None:
            return SolvedProblem(problem, problem.empty_table(), "solved", ENGINE, anyway)
    value_table = _compute_table(problem, threads, progress, anyway, None, cluster)
    solved = SolvedProblem(problem, value_table, "solved", ENGINE, anyway)
    if not fresh and not problem.is_quick:
        cache_table(solved)
    return solved


def solve_cost(problem: Problem[Any]) -> SolveCost:
    """Return the estimated cost of solving a problem.

    It is zero if the table is stored already, or if the problem is solved for one position at a time.
    """
    if problem.solves_on_demand or find_table(problem) is not None:
        return SolveCost(0.0, 0.0)
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
    """Solve a problem anew and save its table; a long solve resumes from the layers of an interrupted one.

    Args:
        problem: the problem.
        output: the file to write. Finished layers are files beside it until then.
        threads: number of threads; None for one per processor.
        progress: called with the share that is done.
        anyway: solve it even if it takes more than an hour or 8 GiB.
        memory: an approximate limit in bytes. If necessary, and if there are several players, tables are then mapped
            from a file beside the output while they are solved.
        cluster: the address of a Dask scheduler, whose workers solve the problem.

    Raises:
        InputError: it does not fit into that memory.
        TooMuchError: it takes more than an hour or 8 GiB, and ``anyway`` is false.
        TableError: layers beside the output are of another problem or another version.
    """
    _validate_options(problem, threads, cluster)
    if memory is not None and cluster is not None:
        raise InputError("a memory limit cannot be combined with a cluster")
    in_files = False
    if memory is not None:
        cost = problem.estimate_cost(threads or cpu_count())
        in_files = needs_table_file(_task_name(problem), cost, memory)
    checkpoint = Checkpoint(output, problem.playable.problem_key, in_files) if problem.is_resumable else None
    value_table = _compute_table(problem, threads, progress, anyway, checkpoint, cluster)
    solved = SolvedProblem(problem, value_table, "solved", ENGINE, anyway)
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
        progress: called with the share that is done.
        anyway: solve it even if it takes more than an hour or 8 GiB.
        checkpoint: where finished layers are stored, or None.
        cluster: the address of a Dask scheduler, or None.

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
    """Raise InputError for an invalid number of threads, or if no cluster can solve the problem."""
    if threads is not None and (type(threads) is not int or threads < 1):
        raise InputError(f"threads must be a whole number of at least 1, not {threads}")
    if cluster is not None and not problem.is_distributable:
        raise InputError(
            "a cluster can only solve races of three or more players without rolls that lose the whole score, and card"
            " games of two players, both played to win; solve this problem without a cluster"
        )


def _allowed_cost(problem: Problem[Any], threads: int, anyway: bool, in_files: bool = False) -> SolveCost:
    """Return the estimated cost of a solve, and announce it if it is large.

    Args:
        problem: the problem.
        threads: number of threads, of this process or of all workers of a cluster.
        anyway: any cost is allowed.
        in_files: tables are mapped from files and take no memory.

    Raises:
        TooMuchError: it is more than an hour or 8 GiB, and ``anyway`` is false.
    """
    cost = problem.estimate_cost(threads)
    if in_files:
        cost = cost._replace(bytes=cost.bytes - cost.table_bytes)
    check_cost(_task_name(problem), cost, anyway, faster_objective_hint(problem))
    return cost


def _task_name(problem: Problem[Any]) -> str:
    return f"solving {problem.game.title} for {problem.objective}"
