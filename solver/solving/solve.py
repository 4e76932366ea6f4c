"""Solving a match: from a table where there is one, here, on from a checkpoint, or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ..solvers import Match, Solved
from ..solvers.cost_estimates import Cost, enough_memory, held_to, judge
from ..storage.checkpoints import Checkpoint
from ..util.errors import InputError
from ..version import ENGINE
from .solved_problem import Known, processors, sooner
from .table_store import keep, stored


def solve_match(
    asked: Match[Any],
    *,
    threads: int | None = None,
    progress: Callable[[float], None] = lambda done: None,
    fresh: bool = False,
    anyway: bool = False,
    cluster: str | None = None,
) -> Known:
    """Return what is known of a match: shipped, kept in the user's cache, or solved now; see ``keepwise.solve``."""
    _check(asked, threads, cluster)
    if not fresh:
        if found := stored(asked):
            return found
        if asked.on_demand and cluster is None:
            return Known(asked, asked.without_table(), "solved", ENGINE, anyway)
    known = Known(asked, _solved(asked, threads, progress, anyway, None, cluster), "solved", ENGINE, anyway)
    if not fresh and not asked.quick:
        keep(known)
    return known


def wait(asked: Match[Any]) -> Cost:
    """What it takes until a question has values; nothing where they are stored, or worked out for one position."""
    return Cost(0.0, 0.0) if asked.on_demand or stored(asked) else asked.cost(processors())


def solve_resumable(
    asked: Match[Any],
    output: str | os.PathLike[str],
    *,
    threads: int | None = None,
    progress: Callable[[float], None] = lambda done: None,
    anyway: bool = False,
    memory: float | None = None,
    cluster: str | None = None,
) -> Known:
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
    in_files = memory is not None and held_to(_what(asked), asked.cost(threads or processors()), memory)
    checkpoint = Checkpoint(output, asked.table.question, in_files) if asked.resumable else None
    known = Known(asked, _solved(asked, threads, progress, anyway, checkpoint, cluster), "solved", ENGINE, anyway)
    known.save(output)
    if not asked.quick:
        keep(known)
    if checkpoint:
        checkpoint.clear()
    return known


def _solved(
    asked: Match[Any],
    threads: int | None,
    progress: Callable[[float], None],
    anyway: bool,
    checkpoint: Checkpoint | None,
    cluster: str | None,
) -> Solved:
    """The values of a match, solved now: here, or on a cluster what is worth it."""
    threads = threads or processors()
    if cluster is not None:
        from ..solvers.cluster import connected

        with connected(cluster, asked.table.question) as workers:
            cost = _judged(asked, workers.threads(), anyway)
            with enough_memory(_what(asked), cost):
                return asked.solve_long(threads, progress, checkpoint, workers)
    in_files = checkpoint is not None and checkpoint.in_files
    with enough_memory(_what(asked), _judged(asked, threads, anyway, in_files)):
        return asked.solve_long(threads, progress, checkpoint)


def _check(asked: Match[Any], threads: int | None, cluster: str | None) -> None:
    """Refuse what is no number of threads, and what no cluster can solve."""
    if threads is not None and (type(threads) is not int or threads < 1):
        raise InputError(f"threads must be a whole number from 1 on, not {threads}")
    if cluster is not None and not asked.spreads:
        raise InputError(
            "what a cluster solves are races of three and more players and cards for two, played to win, where no throw"
            " loses the whole score; this question is solved in one process"
        )


def _judged(asked: Match[Any], threads: int, anyway: bool, in_files: bool = False) -> Cost:
    """What a solve takes, if that is not refused."""
    cost = asked.cost(threads)
    cost = cost._replace(bytes=cost.bytes - cost.tables) if in_files else cost
    judge(_what(asked), cost, anyway, sooner(asked))
    return cost


def _what(asked: Match[Any]) -> str:
    return f"solving {asked.game.title} for {asked.objective}"
