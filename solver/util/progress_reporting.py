"""Work inside other work that may take long says how far it is to whoever listens, and what else there is to say;
nobody listens unless the command line runs, which sets ``listener`` and ``warn``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

Some = TypeVar("Some")
Told: TypeAlias = Callable[[float], None]  # called with the share that is done


@contextmanager
def _unheard(what: str) -> Iterator[Told]:
    yield lambda done: None


def each(some: Sequence[Some], progress: Told) -> Iterator[Some]:
    """The same, one after another: each is done where the next is asked for."""
    for done, one in enumerate(some, 1):
        yield one
        progress(done / len(some))


def _log(what: str) -> None:
    """A warning of the logger ``keepwise``."""
    import logging

    logging.getLogger("keepwise").warning("%s", what)


listener: Callable[[str], AbstractContextManager[Told]] = _unheard
warn: Callable[[str], None] = _log


@dataclass
class Tries:
    """Tries of a search that ends where nothing brings more: nobody knows how many; after ``about`` so many half of it
    is told to be done, after twice as many two thirds.
    """

    progress: Told
    about: int
    made: int = 0

    def __call__(self) -> None:
        """One more."""
        self.made += 1
        self.progress(self.made / (self.made + self.about))
