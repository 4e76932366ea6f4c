"""Progress and warnings of long work, for whoever listens.

By default nobody listens to progress, and warnings are logged. The command line sets its own
``start_progress`` and ``warn``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

Item = TypeVar("Item")
ProgressCallback: TypeAlias = Callable[[float], None]  # called with the share that is done


@contextmanager
def _ignore_progress(task: str) -> Iterator[ProgressCallback]:
    yield lambda share: None


def report_each(items: Sequence[Item], progress: ProgressCallback) -> Iterator[Item]:
    """Yield the items, and report an item as done when the next one is requested.

    Args:
        items: the items.
        progress: called with the share of the items that are done.
    """
    for done_count, item in enumerate(items, 1):
        yield item
        progress(done_count / len(items))


def _log_warning(message: str) -> None:
    import logging

    logging.getLogger("keepwise").warning("%s", message)


start_progress: Callable[[str], AbstractContextManager[ProgressCallback]] = _ignore_progress
warn: Callable[[str], None] = _log_warning


@dataclass
class OpenEndedProgress:
    """Progress of a search whose number of steps is unknown: it is called after each step.

    After n steps the share n / (n + ``expected_steps``) is reported: a half after the expected number, two thirds after
    twice as many.

    Attributes:
        progress: called with the share.
        expected_steps: about how many steps the search has.
        steps: the number of steps so far.
    """

    progress: ProgressCallback
    expected_steps: int
    steps: int = 0

    def __call__(self) -> None:
        """Report one more step."""
        self.steps += 1
        self.progress(self.steps / (self.steps + self.expected_steps))
