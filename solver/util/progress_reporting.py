"""Reports of the progress of long work, and warnings.

By default progress is not shown, and warnings are logged. The command line sets its own ``start_progress`` and
``warn``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from .errors import InputError, abbreviate

Item = TypeVar("Item")
ProgressCallback: TypeAlias = Callable[[float], None]  # called with the share of the work that is done, from 0 to 1
ProgressOption: TypeAlias = "ProgressCallback | bool"  # of a public function: True for a bar, False for nothing


@contextmanager
def _ignore_progress(task: str) -> Iterator[ProgressCallback]:
    """Yield a callback that does nothing: the default of ``start_progress``, which reports the progress of a task."""
    yield lambda share: None


class ProgressBar:
    """A progress bar of tqdm, for Python prompts and notebooks; it appears at the first report.

    Calling the object with a share from 0 to 1 moves the bar.

    Attributes:
        task: what is being done, shown before the bar.
        _bar: the bar of tqdm while it is shown, else None.
    """

    def __init__(self, task: str) -> None:
        from .optional_imports import require_library

        require_library("tqdm", "progress=True needs tqdm", "progress")
        self.task = task
        self._bar: Any = None  # a tqdm; the library has no types

    def __call__(self, share: float) -> None:
        """Show the share of the work that is done, from 0 to 1; the bar closes at 1."""
        if self._bar is None:
            from tqdm.auto import tqdm

            self._bar = tqdm(
                desc=self.task, total=1.0, bar_format="{desc}: {percentage:3.0f}% |{bar}| {elapsed}<{remaining}"
            )
        self._bar.n = share
        self._bar.refresh()
        if share >= 1:
            self._bar.close()
            self._bar = None


def progress_callback(progress: ProgressOption, task: str) -> ProgressCallback:
    """Return the function to call with the progress of a task, given the argument ``progress`` of a public function.

    Args:
        progress: a function that is called with the share that is done, from 0 to 1; True for a progress bar; False for
            no report.
        task: what is being done, shown before the bar.

    Raises:
        InputError: it is neither a function nor a flag, or the bar's library is not installed.
    """
    if progress is True:
        return ProgressBar(task)
    if progress is False:
        return lambda share: None
    if not callable(progress):
        raise InputError(f"progress must be a function, True or False, not {abbreviate(progress)}")
    return progress


def report_each(items: Sequence[Item], progress: ProgressCallback) -> Iterator[Item]:
    """Yield the items, and report an item as done when the next one is requested.

    Args:
        items: the items.
        progress: called with the share of the items that are done, from 0 to 1.
    """
    for done_count, item in enumerate(items, 1):
        yield item
        progress(done_count / len(items))


def _log_warning(message: str) -> None:
    """Log a warning: the default of ``warn``."""
    import logging

    logging.getLogger("keepwise").warning("%s", message)


start_progress: Callable[[str], AbstractContextManager[ProgressCallback]] = _ignore_progress
warn: Callable[[str], None] = _log_warning


@dataclass
class OpenEndedProgress:
    """Reports the progress of work whose number of steps is not known; the object is called after each step.

    After n steps it reports the share n / (n + ``expected_steps``): a half after the expected number of steps, two
    thirds after twice as many. So the share grows with every step and never reaches 1.

    Attributes:
        progress: called with the share.
        expected_steps: about how many steps the work has.
        steps: the number of steps so far.
    """

    progress: ProgressCallback
    expected_steps: int
    steps: int = 0

    def __call__(self) -> None:
        """Report one more step."""
        self.steps += 1
        self.progress(self.steps / (self.steps + self.expected_steps))
