"""Games shared out among processes: each plays numbers of its own, and a game hangs on its number alone.

A process learns the turns that its own games meet, so sharing pays where games are many. Helpers are forks: nothing is
copied or started anew. Where forks are not safe (other systems, other threads) one process plays everything.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from itertools import pairwise
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from .games import Games, Play

LEAST_GAMES = 500  # for each process: fewer are played sooner by one
MOST_PROCESSES = 8  # each remembers what it meets


def play_shared(play: Play, count: int, processes: int, progress: Callable[[float], None]) -> Games:
    """Play so many games to their ends, this process and helpers side by side."""
    processes = min(processes, MOST_PROCESSES, count // LEAST_GAMES) if _may_fork() else 1
    if processes <= 1:
        return play.play(count, progress)
    fork, borders = multiprocessing.get_context("fork"), [count * one // processes for one in range(processes + 1)]
    helpers = []
    try:
        for begin, end in pairwise(borders[1:]):
            told, tells = fork.Pipe(duplex=False)
            helper = fork.Process(target=_help, args=(tells, play, begin, end - begin), daemon=True)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # threads of libraries, which play has no part in
                helper.start()
            tells.close()
            helpers.append((helper, told))
        parts = [play.play(borders[1], progress), *(_hear(told) for _, told in helpers)]
    finally:
        for helper, told in helpers:
            told.close()
            helper.terminate()
            helper.join()
    return Games(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Games)))


def _may_fork() -> bool:
    """Whether this process may have helpers: no thread of another may hold anything meanwhile, unless it says that it
    never does (``forks_safely``).
    """
    here = threading.current_thread()
    alone = all(one is here or getattr(one, "forks_safely", False) for one in threading.enumerate())
    return alone and not multiprocessing.current_process().daemon and sys.platform == "linux"


def _help(tells: Connection, play: Play, begin: int, count: int) -> None:
    """What a helper does: play, and tell what came of it; an interrupt is its master's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    found: Games | Exception
    try:
        found = play.play(count, begin=begin)
    except Exception as error:
        found = error
    with suppress(BrokenPipeError):  # nobody waits any more
        tells.send(found)


def _hear(told: Any) -> Games:
    """What a helper found."""
    try:
        found: Games | Exception = told.recv()
    except EOFError:  # it was killed, as systems do where memory runs out
        raise MemoryError from None
    if isinstance(found, Exception):
        raise found
    return found
