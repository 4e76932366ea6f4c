"""What a solve takes, judged before it starts: nobody's memory or evening is spent unasked.

Both numbers are rough: bytes to a few parts in ten, seconds by what was measured on one processor of 2020 or so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from ..util import progress_reporting
from ..util.errors import InputError, SolveError, TooMuchError

MOST_BYTES = 8 << 30
MOST_SECONDS = 3600.0
WORTH_SAYING = 3.0  # seconds
TIMED_WORTH_SAYING = 10.0  # seconds, of estimates that are timed first
LONG = 60.0  # seconds: what takes longer is kept as it goes
_within = ContextVar("within", default=False)  # whether the work around this has been announced as a whole


class SolveCost(NamedTuple):
    """Bytes held at once, and seconds; ``tables``: of the bytes, those that may stand in a file instead."""

    bytes: float
    seconds: float
    tables: float = 0.0

    def __str__(self) -> str:
        return f"about {_time(self.seconds)}" + (f" and {_memory(self.bytes)}" if self.bytes else "")

    @property
    def too_much(self) -> bool:
        """Whether it is more than is spent unasked."""
        return not (self.bytes <= MOST_BYTES and self.seconds <= MOST_SECONDS)


def judge(what: str, cost: SolveCost, anyway: bool, sooner: str = "", least: float = WORTH_SAYING) -> None:
    """Refuse work past an hour or 8 GiB, unless it is asked for; announce the cost of the rest (see ``announce``).

    Raises:
        TooMuchError: with what it would take.
    """
    refuse(what, cost, anyway)
    announce(what, cost, sooner, least)


def refuse(what: str, cost: SolveCost, anyway: bool) -> None:
    """Refuse work past an hour or 8 GiB, unless it is asked for.

    Raises:
        TooMuchError: with what it would take.
    """
    if cost.too_much and not anyway:
        limit = f"{_time(MOST_SECONDS)} or {_memory(MOST_BYTES)}"
        raise TooMuchError(f"{what} takes {cost}, and no more than {limit} is spent unasked")


def announce(what: str, cost: SolveCost, sooner: str = "", least: float = WORTH_SAYING) -> None:
    """Warn that work takes more than ``least`` seconds or too much memory; ``sooner`` names a faster way.

    Parts of work that was announced as a whole are not announced (see ``announced``).
    """
    if (cost.seconds > least or cost.too_much) and not _within.get():
        progress_reporting.warn(f"{what} takes {cost}{sooner}")


@contextmanager
def announced(what: str, cost: SolveCost, least: float = TIMED_WORTH_SAYING) -> Iterator[None]:
    """Announce work of several parts once, before it starts; inside, no part is announced by itself."""
    announce(what, cost, least=least)
    token = _within.set(True)
    try:
        yield
    finally:
        _within.reset(token)


def in_turn(costs: Iterable[SolveCost]) -> SolveCost:
    """Return what several pieces of work take, one after another: the sum of the seconds, the most bytes."""
    every = [SolveCost(0.0, 0.0), *costs]
    return SolveCost(max(one.bytes for one in every), sum(one.seconds for one in every))


def held_to(what: str, cost: SolveCost, memory: float) -> bool:
    """Whether tables must stand in a file for what is solved to hold no more than so many bytes.

    Raises:
        InputError: it would hold more even then.
    """
    if cost.bytes - cost.tables > memory:
        least, given = _memory_apart(cost.bytes - cost.tables, memory)
        raise InputError(f"{what} holds about {least} of memory at least: it does not fit in {given}")
    return cost.bytes > memory


@contextmanager
def enough_memory(what: str, cost: SolveCost) -> Iterator[None]:
    """Turn a failed allocation, NumPy's too, into an error that says roughly how much memory is needed.

    Raises:
        SolveError: there is not enough memory.
    """
    try:
        yield
    except MemoryError:
        needs = f"{what} needs about {_memory(cost.bytes)}"
        raise SolveError(f"{needs} of memory: there is not enough memory for this") from None


def _time(seconds: float) -> str:
    for size, name in ((365 * 86400, "year"), (86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return _count(seconds / size, name)
    return _count(max(1.0, seconds), "second")


def _count(number: float, name: str) -> str:
    shown = f"{number:,.0f}" if number < 1e6 else "millions of"
    return "an hour" if (shown, name) == ("1", "hour") else f"{shown} {name}{'' if shown == '1' else 's'}"


def _memory(size: float, digits: int = 0) -> str:
    """A size as people read it, with so many digits more than usual."""
    if size < 1 << 30:
        return f"{max(0.0 if digits else 1.0, size / (1 << 20)):.{digits}f} MiB"
    return f"{size / (1 << 30):,.{digits + 1}f} GiB" if size < 1 << 60 else "more memory than there is"


def _memory_apart(more: float, less: float) -> tuple[str, str]:
    """Two sizes with as many digits as tell them apart; in bytes where three more do not."""
    for digits in range(4):
        told = _memory(more, digits), _memory(less, digits)
        if told[0] != told[1]:
            return told
    return f"{math.ceil(more):,} bytes", f"{math.floor(less):,} bytes"
