"""Share simulated games among forked processes; a game depends on its number alone, so the results have the same bits.

Each process stores the turns that its own games meet, so sharing pays only for many games. Forked helpers need no copy
of the value table. Where forking is not safe (other systems, other threads), one process plays all games.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
import warnings
from contextlib import suppress
from dataclasses import fields
from itertools import pairwise
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from ..util.progress_reporting import ProgressCallback
from .games import Games, LockstepGames

MIN_GAMES_PER_PROCESS = 500  # one process plays fewer games faster
MAX_PROCESSES = 8  # each of them stores its turns


def play_shared(play: LockstepGames, count: int, processes: int, progress: ProgressCallback) -> Games:
    """Play games to their ends, in this process and in helpers beside it.

    Args:
        play: the game and its players.
        count: number of games.
        processes: the largest number of processes to use.
        progress: called with the share of this process's games that have been played.
    """
    processes = min(processes, MAX_PROCESSES, count // MIN_GAMES_PER_PROCESS) if _can_fork() else 1
    if processes <= 1:
        return play.play(count, progress)
    fork = multiprocessing.get_context("fork")
    borders = [count * number // processes for number in range(processes + 1)]
    helpers = []
    try:
        for begin, end in pairwise(borders[1:]):
            receiver, sender = fork.Pipe(duplex=False)
            helper = fork.Process(target=_run_helper, args=(sender, play, begin, end - begin), daemon=True)
            with warnings.catch_warnings():
                # Python warns of forks beside threads; those of libraries take no part in play.
                warnings.simplefilter("ignore", DeprecationWarning)
                helper.start()
            sender.close()
            helpers.append((helper, receiver))
        parts = [play.play(borders[1], progress), *(receive_games(receiver) for _, receiver in helpers)]
    finally:
        for helper, receiver in helpers:
            receiver.close()
            helper.terminate()
            helper.join()
    return Games(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Games)))


def _can_fork() -> bool:
    """Return whether this process can fork safely.

    A lock that another thread holds would never be released in the child. Threads that never hold one say so by
    ``forks_safely``.
    """
    current = threading.current_thread()
    is_safe = all(thread is current or getattr(thread, "forks_safely", False) for thread in threading.enumerate())
    return is_safe and not multiprocessing.current_process().daemon and sys.platform == "linux"


def _run_helper(sender: Connection, play: LockstepGames, begin: int, count: int) -> None:
    """Play some games in a helper process, and send their results, or the exception, to the parent process.

    Interrupts are left to the parent process.

    Args:
        sender: the connection to the parent process.
        play: the game and its players.
        begin: the number of the first game.
        count: the number of games.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    result: Games | Exception
    try:
        result = play.play(count, begin=begin)
    except Exception as error:
        result = error
    with suppress(BrokenPipeError):  # the parent process has stopped
        sender.send(result)


def receive_games(receiver: Any) -> Games:
    """Return the results of a helper, or raise its exception."""
    try:
        result: Games | Exception = receiver.recv()
    except EOFError:  # the system has killed the helper, as it does if memory runs out
        raise MemoryError from None
    if isinstance(result, Exception):
        raise result
    return result
