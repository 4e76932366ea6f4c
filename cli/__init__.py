"""The command line. It talks to the public API only; one file per group of commands, loaded when one is called.

Nothing is imported here but what ``main`` needs to be interrupted in peace: whoever presses Ctrl-C while the rest is
still being loaded gets one line too.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys

TYPE_CHECKING = False  # typing itself takes a moment to load
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit: 0, 2 for bad input (one line says how to mend it), 1 for a failure, 130 for an
    interrupt.
    """
    if args is None:  # the process is the command's alone
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # nothing here goes through BLAS, whose threads begin slowly
        gc.set_threshold(50_000)  # what is loaded is no garbage
        atexit.register(gc.freeze)  # nor is what is left then: it is not looked through before it goes
    try:
        from .commands import run

        status = run(sys.argv[1:] if args is None else args)
    except KeyboardInterrupt:
        sys.stderr.write("keepwise: interrupted\n")
        status = 130  # as shells tell what an interrupt ended
    sys.exit(status)
