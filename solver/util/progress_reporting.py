"""Work inside other work that may take long says how far it is to whoever listens, and what else there is to say;
nobody listens unless the command line runs, which sets ``listener`` and ``warn``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

Item = TypeVar("Item")
ProgressCallback: TypeAlias = Callable[[float], None]  # called with the share that is done


@contextmanager
def _ignore_progress(what: str) -> Iterator[ProgressCallback]:
    yield lambda done: None


def report_each(items: Sequence[Item], progress: ProgressCallback) -> Iterator[Item]:
    """The same, one after another: each is done where the next is asked for."""
    for done, one in enumerate(items, 1):
        yield one
        progress(done / len(items))


def _log_warning(what: str) -> None:
    """A warning of the logger ``keepwise``."""
    import logging

    logging.getLogger("keepwise").warning("%s", what)


start_progress: Callable[[str], AbstractContextManager[ProgressCallback]] = _ignore_progress
warn: Callable[[str], None] = _log_warning


@dataclass
class OpenEndedProgress:
    """Tries of a search that ends where nothing brings more: nobody knows how many; after ``about`` so many half of it
    is told to be done, after twice as many two thirds.
    """

    progress: ProgressCallback
    expected_steps: int
    steps: int = 0

    def __call__(self) -> None:
        """One more."""
        self.steps += 1
        self.progress(self.steps / (self.steps + self.expected_steps))
