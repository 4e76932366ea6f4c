"""Distributed solves by Dask: the blocks of a layer are tasks, and the end of a layer is a barrier.

Dask schedules the tasks, repeats those of lost workers and accepts workers that join late. This module only submits
blocks and collects their results. A task is a function of this package, by name, and its arguments. It carries all its
data, or the names of files on this machine that hold them. So a worker can join or leave at any time.
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

CONNECT_TIMEOUT_SECONDS = 5  # seconds to find a scheduler
QUEUED_TASKS_PER_THREAD = 3  # submitted before a result is awaited
MIN_LAYER_SECONDS = 0.5  # seconds of one processor up to which a layer is not distributed
MIN_TASK_SECONDS = 0.25  # seconds that a task takes at least; its overhead is about 0.01
MAX_TASK_SECONDS = 1.0
TASKS_PER_THREAD = 4  # in a layer
LOCAL_PREFIX = "local:"  # of the address of a cluster that is started on this machine, such as local:4
MAX_LOCAL_PROCESSES = 1024
VALUE_BYTES = 8  # of one double
DASK_SETTINGS = {
    "distributed.admin.large-graph-warning-threshold": "1GB",  # tasks carry arrays of many megabytes on purpose
    "distributed.deploy.lost-worker-timeout": "1 hour",  # a local worker that is being restarted is not given up
    # Monitoring would take a tenth of a processor.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1 s",
    "distributed.admin.system-monitor.interval": "10 s",
}


class Cluster:
    """The workers of a Dask cluster, for the solve of one problem.

    Attributes:
        client: the Dask client.
        address: the scheduler's address, or ``local:N``, for messages.
        question: the problem as JSON text, from which workers build it.
        folder: a folder for files that all workers can map, if they are all on this machine, else None.
        _solve_id: text that keeps the names of tasks apart from those of other solves.
    """

    def __init__(self, client: Client, address: str, question: Mapping[str, Any], folder: str | None = None) -> None:
        """Keep the connection to a cluster, with the problem that its workers solve.

        Args:
            client: the Dask client.
            address: the scheduler's address, or ``local:N``, for messages.
            question: the problem as JSON data (see ``PlayableGame.problem_key``).
            folder: a folder for files that all workers can map, if they are all on this machine.
        """
        self.client = client
        self.address = address
        self.question = json.dumps(question)
        self.folder = folder
        self._solve_id = uuid.uuid4().hex[:8]

    def threads(self) -> int:
        """Return the number of threads of all present workers, at least one."""
        with self._translated_errors():
            threads_by_worker: dict[str, int] = self.client.nthreads()
        return max(1, sum(threads_by_worker.values()))

    def shared_zeros(self, size: int) -> NDArray[np.float64]:
        """Return an array of zeros, which workers on this machine can read without a copy.

        If all workers are on this machine, it is a memory-mapped file; otherwise it is an ordinary array.

        Args:
            size: the number of doubles.

        Raises:
            InputError: the file cannot be created.
        """
        if self.folder is None:
            return np.zeros(size)
        path = Path(self.folder, uuid.uuid4().hex)
        byte_count = VALUE_BYTES * size
        try:
            with path.open("wb") as file:
                reserve_space(file, byte_count)
        except OSError as error:
            problem = f"cannot reserve {byte_count:,} bytes for a table in {self.folder}"
            raise InputError(f"{problem}: {error.strerror}") from None
        return np.memmap(path, dtype=np.float64, mode="r+", shape=(size,))

    def task_count(self, seconds: float) -> int:
        """Return the number of tasks of a layer, or 0 if it is too small to be distributed.

        Each thread gets TASKS_PER_THREAD tasks, so that all finish at about the same time. There are more if tasks
        would last longer than MAX_TASK_SECONDS, and fewer if they would take less than MIN_TASK_SECONDS.

        Args:
            seconds: the time that the layer takes on one processor.
        """
        if seconds <= MIN_LAYER_SECONDS:
            return 0
        balanced_count = TASKS_PER_THREAD * self.threads()
        min_count = seconds / MAX_TASK_SECONDS
        max_count = seconds / MIN_TASK_SECONDS
        count = min(max_count, max(balanced_count, min_count))
        return max(1, round(count))

    def run_tasks(
        self, function: Callable[[str, Block], Result], tasks: Iterable[tuple[str, Block]]
    ) -> Iterator[tuple[int, Result]]:
        """Run a function on the workers, once for each task, and yield the results in the order in which they arrive.

        At most QUEUED_TASKS_PER_THREAD tasks a thread are submitted and unfinished. So the data of few tasks are in
        memory, and no thread has to wait for its next task.

        Args:
            function: called on a worker as ``function(question, block)``, with the problem as JSON text and the data of
                a task.
            tasks: a name and the data (block) of each task. The iterator is advanced only when a task can be submitted.

        Yields:
            The index of a task in ``tasks``, and its result.

        Raises:
            SolveError: the cluster is gone, or a worker failed.
        """
        from distributed import as_completed

        with self._translated_errors():
            queue_size = QUEUED_TASKS_PER_THREAD * self.threads()
            number_by_key: dict[str, int] = {}  # the index of each task that is submitted and unfinished
            pending = as_completed(with_results=True)  # yields tasks with their results as they finish
            for number, (name, block) in enumerate(tasks):
                key = f"{name}-{self._solve_id}"
                number_by_key[key] = number
                # ``pure=False``: Dask must not take two tasks for the same one because their arguments are equal.
                future = self.client.submit(_run_task, ENGINE, function, self.question, block, key=key, pure=False)
                pending.add(future)
                if len(number_by_key) >= queue_size:
                    finished_future, result = next(pending)
                    yield number_by_key.pop(finished_future.key), result
            for finished_future, result in pending:
                yield number_by_key.pop(finished_future.key), result

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        """Raise errors of Dask and of workers as SolveError with a message of one line.

        Raises:
            SolveError: the cluster is gone, or a worker failed.
        """
        try:
            yield
        except KeepwiseError:
            raise
        except (OSError, CancelledError) as error:
            message = _first_line(error)
            raise SolveError(
                f"lost the connection to the cluster at {self.address} ({message}); run the command again to resume"
            ) from None
        except Exception as error:
            message = _first_line(error)
            raise SolveError(
                f"a worker of the cluster at {self.address} failed: {type(error).__name__}: {message}"
            ) from None


def _first_line(error: BaseException) -> str:
    """Return the first line of an error's message."""
    return str(error).partition("\n")[0]


def _run_task(engine: str, function: Callable[[str, Block], Result], question: str, block: Block) -> Result:
    """Call the function of a task, and return its result; this runs on a worker.

    Args:
        engine: the version of the program that submits the task.
        function: called as ``function(question, block)``.
        question: the problem as JSON text.
        block: the data of the task, which the function works on.

    Raises:
        SolveError: the worker has another version of the program.
    """
    if engine != ENGINE:
        raise SolveError(f"a worker has version {ENGINE}, but this program has {engine}: install the same version")
    return function(question, block)


@contextmanager
def connect(address: str, question: Mapping[str, Any]) -> Iterator[Cluster]:
    """Connect to a cluster for the solve of one problem; the connection is closed at the end of the context.

    Args:
        address: ``local:N`` starts N processes on this machine; otherwise the address of a scheduler.
        question: the problem as JSON data (see ``PlayableGame.problem_key``).

    Raises:
        InputError: there is no such cluster, or Dask is not installed.
    """
    require_library("distributed", "a cluster requires Dask", "cluster")
    _validate_address(address)
    import dask
    import distributed  # noqa: F401  (registers its default settings, before some are replaced)

    with ExitStack() as stack:
        stack.enter_context(dask.config.set(DASK_SETTINGS))
        folder = None
        if address.startswith(LOCAL_PREFIX):
            folder = stack.enter_context(TemporaryDirectory(prefix="keepwise-"))
            client = _start_local(stack, int(address.removeprefix(LOCAL_PREFIX)))
        else:
            client = _connect_remote(stack, address)
        if find_spec("bokeh"):  # without it, Dask has no dashboard
            progress_reporting.warn(f"the dashboard of the cluster is at {client.dashboard_link}")
        yield Cluster(client, address, question, folder)


def _validate_address(address: str) -> None:
    """Raise an InputError if an address is neither ``local:N`` nor that of a scheduler, such as tcp://host:8786."""
    if address.startswith(LOCAL_PREFIX):
        processes = address.removeprefix(LOCAL_PREFIX)
        if not processes.isdecimal() or not 1 <= int(processes) <= MAX_LOCAL_PROCESSES:
            raise InputError(
                f"--cluster {address} requires a number of processes from 1 to {MAX_LOCAL_PROCESSES:,}, for"
                " example local:4"
            )
    elif "://" not in address:
        raise InputError(f"--cluster {address} must be local:N for N processes, or an address such as tcp://host:8786")


def _start_local(stack: ExitStack, processes: int) -> Client:
    """Start a cluster of worker processes of one thread each on this machine, and connect to it.

    Args:
        stack: ends the processes and the connection when it is closed.
        processes: the number of workers.
    """
    from distributed import Client, LocalCluster

    local_cluster = LocalCluster(
        n_workers=processes,
        threads_per_worker=1,
        memory_limit=0,  # mapped files would count as the workers' memory
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,
    )
    workers = stack.enter_context(local_cluster)
    client: Client = stack.enter_context(Client(workers))
    return client


def _connect_remote(stack: ExitStack, address: str) -> Client:
    """Connect to a scheduler, and warn if it has no workers.

    Args:
        stack: ends the connection when it is closed.
        address: of the scheduler, such as tcp://host:8786.

    Raises:
        InputError: no scheduler answers within CONNECT_TIMEOUT_SECONDS.
    """
    from distributed import Client

    try:
        client: Client = stack.enter_context(Client(address, timeout=CONNECT_TIMEOUT_SECONDS))
    except Exception as error:  # Dask asserts, without a message, that its thread starts within ten seconds
        message = _first_line(error) or type(error).__name__
        raise InputError(f"cannot connect to a cluster at {address}: {message}") from None
    if not client.nthreads():
        progress_reporting.warn(f"the cluster at {address} has no workers yet; waiting for them")
    return client
