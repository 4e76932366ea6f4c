"""The command line: a thin layer over the public Python API, one module for each group of commands.

Start reading in ``commands``: it lists the commands and turns errors into one line and an exit status. ``arguments``
reads positions, ``options`` holds what commands share, ``session`` runs a game at the prompt. A command's module is
imported when the command is called.

This module imports only what ``main`` needs, so that Ctrl-C during start-up also ends in one line.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys

TYPE_CHECKING = False  # importing typing itself takes a moment
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

INTERRUPTED = 130  # exit status, by the convention of shells: 128 + SIGINT
ALLOCATIONS_PER_COLLECTION = 200_000  # imported modules are not garbage, so that collecting early is wasted time


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit.

    The exit status is 0 for success, 2 for bad input, 1 for a failure and 130 for an interrupt.
    """
    if args is None:  # the process runs nothing but this command
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # BLAS is not used, and its threads start slowly
        gc.set_threshold(ALLOCATIONS_PER_COLLECTION)
        atexit.register(gc.freeze)  # no collection at exit either
    try:
        from .commands import run

        status = run(sys.argv[1:] if args is None else args)
    except KeyboardInterrupt:
        sys.stderr.write("keepwise: interrupted\n")
        status = INTERRUPTED
    sys.exit(status)
