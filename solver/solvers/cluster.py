"""Solving in several processes or on several machines, by Dask: blocks of a layer are tasks, a layer is a barrier.

Dask schedules, moves tasks from lost workers to others and takes in workers that come late. All we do is hand out
blocks and take in what came of them. A task is a function of this package, named, and arrays. It carries everything
that it needs, or says in which files of this machine that is, so a worker may come and go.
"""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..storage.checkpoints import reserve_space
from ..util import progress_reporting
from ..util.errors import InputError, KeepwiseError, SolveError
from ..util.optional_imports import require_library
from ..version import ENGINE

if TYPE_CHECKING:
    from distributed import Client

Block = TypeVar("Block")
Result = TypeVar("Result")

PATIENCE = 5  # seconds to find a scheduler
AHEAD = 3  # tasks for each thread that are handed out before others are done
WORTH_SPREADING = 0.5  # seconds of one processor, both passes, that make a layer worth a cluster's while
LEAST_TASK, MOST_TASK, TASKS = 0.25, 1.0, 4  # seconds in a task, which costs about 0.01 beside; tasks for each thread
LOCAL = "local:"
SETTINGS = {
    "distributed.admin.large-graph-warning-threshold": "1GB",  # tasks carry arrays of many megabytes on purpose
    "distributed.deploy.lost-worker-timeout": "1 hour",  # a local worker that is being started anew is not given up
    # Watching what runs would take a tenth of a processor.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1 s",
    "distributed.admin.system-monitor.interval": "10 s",
}


class Cluster:
    """Dask's workers, for the blocks of one question, which travels as JSON; ``folder``: where all find files."""

    def __init__(self, client: Client, where: str, question: Mapping[str, Any], folder: str | None = None) -> None:
        self.client, self.where, self.question, self.folder = client, where, json.dumps(question), folder
        self.solve = uuid.uuid4().hex[:8]  # tells its tasks from those of another solve

    def threads(self) -> int:
        """Threads of all workers now, at least one."""
        with self._failures():
            threads: dict[str, int] = self.client.nthreads()
        return max(1, sum(threads.values()))

    def zeros(self, size: int) -> NDArray[np.float64]:
        """Zeros: where all workers are on this machine, a file that they can map."""
        if self.folder is None:
            return np.zeros(size)
        path = Path(self.folder, uuid.uuid4().hex)
        try:
            with path.open("wb") as file:
                reserve_space(file, 8 * size)
        except OSError as error:
            where = f"a table of {8 * size:,} bytes cannot stand in a file in {self.folder}"
            raise InputError(f"{where}: {error.strerror}") from None
        return np.memmap(path, dtype=np.float64, mode="r+", shape=(size,))

    def tasks(self, seconds: float) -> int:
        """How many tasks a layer makes that takes so many seconds of one processor; 0 if it is not worth any."""
        if seconds <= WORTH_SPREADING:
            return 0
        return max(1, round(min(seconds / LEAST_TASK, max(TASKS * self.threads(), seconds / MOST_TASK))))

    def results(
        self, function: Callable[[str, Block], Result], tasks: Iterable[tuple[str, Block]]
    ) -> Iterator[tuple[int, Result]]:
        """Have a function of the question and a block called for named blocks; yields what comes of them as it comes,
        each with its number.

        Raises:
            SolveError: the cluster is gone, or a worker cannot do it.
        """
        from distributed import as_completed

        with self._failures():
            ahead, numbers, waiting = AHEAD * self.threads(), {}, as_completed(with_results=True)
            for number, (name, block) in enumerate(tasks):
                key = f"{name}-{self.solve}"
                numbers[key] = number
                waiting.add(self.client.submit(_do, ENGINE, function, self.question, block, key=key, pure=False))
                if len(numbers) >= ahead:
                    future, result = next(waiting)
                    yield numbers.pop(future.key), result
            for future, result in waiting:
                yield numbers.pop(future.key), result

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Whatever fails on the way is told in one line."""
        try:
            yield
        except KeepwiseError:
            raise
        except (OSError, CancelledError) as error:
            said = str(error).partition("\n")[0]
            raise SolveError(f"the cluster at {self.where} is gone; run it again to go on ({said})") from None
        except Exception as error:
            said = str(error).partition("\n")[0]
            raise SolveError(f"a worker of {self.where} failed: {type(error).__name__}: {said}") from None


def _do(engine: str, function: Callable[[str, Block], Result], question: str, block: Block) -> Result:
    """A task, on a worker."""
    if engine != ENGINE:
        raise SolveError(f"a worker has {ENGINE}, this is {engine}")
    return function(question, block)


@contextmanager
def connected(where: str, question: Mapping[str, Any]) -> Iterator[Cluster]:
    """Connect to a cluster for a question: so many processes of this machine (``local:4``), or a scheduler's address.

    Raises:
        InputError: there is none, or Dask is not installed.
    """
    require_library("distributed", "a cluster needs Dask", "cluster")
    processes = where.removeprefix(LOCAL)
    if where.startswith(LOCAL):
        if not processes.isdecimal() or not 1 <= int(processes) <= 1024:
            raise InputError(f"--cluster {where} must say how many processes, such as local:4")
    elif "://" not in where:
        raise InputError(f"a cluster is local:4 (so many processes) or an address such as tcp://host:8786, not {where}")
    import dask
    from distributed import Client, LocalCluster

    with ExitStack() as stack:
        stack.enter_context(dask.config.set(SETTINGS))
        folder = None
        if where.startswith(LOCAL):
            folder = stack.enter_context(TemporaryDirectory(prefix="keepwise-"))
            workers = LocalCluster(
                n_workers=int(processes),
                threads_per_worker=1,
                memory_limit=0,  # what they map would count as theirs
                dashboard_address=":0",
                silence_logs=logging.CRITICAL,
            )
            client = stack.enter_context(Client(stack.enter_context(workers)))
        else:
            try:
                client = stack.enter_context(Client(where, timeout=PATIENCE))
            except Exception as error:  # Dask asserts, without a word, that its thread begins within ten seconds
                said = str(error).partition("\n")[0] or type(error).__name__
                raise InputError(f"no cluster answers at {where}: {said}") from None
            if not client.nthreads():
                progress_reporting.warn(f"the cluster at {where} has no workers yet; waiting for them")
        if find_spec("bokeh"):
            progress_reporting.warn(f"the cluster's dashboard is at {client.dashboard_link}")
        yield Cluster(client, where, question, folder)
