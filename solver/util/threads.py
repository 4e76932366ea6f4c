"""A thread pool that also works without threads.

Python in a browser (Pyodide) cannot start threads. There a pool calls functions at once, with the same results.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent import futures
from typing import Any


class ThreadPool(futures.ThreadPoolExecutor):
    """A pool of threads; in a browser, where there are no threads, it calls each submitted function at once."""

    if sys.platform == "emscripten":

        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
            """Call a function now, and return a finished future with its result or its exception.

            Args:
                fn: the function to call.
                args: its positional arguments.
                kwargs: its keyword arguments.
            """
            future: futures.Future[Any] = futures.Future()
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)
            return future
