"""Threads to solve with, where there are any.

A browser's Python (Pyodide) cannot start one: what a pool is asked to do there is done at once, to the same bits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent import futures
from typing import Any


class ThreadPool(futures.ThreadPoolExecutor):
    """A pool of threads, or of none."""

    if sys.platform == "emscripten":

        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
            """Call it now."""
            done: futures.Future[Any] = futures.Future()
            try:
                done.set_result(fn(*args, **kwargs))
            except BaseException as error:
                done.set_exception(error)
            return done
