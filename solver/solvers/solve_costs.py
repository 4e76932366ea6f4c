"""Cost of a solve, estimated before it starts: memory in bytes and time in seconds.

An estimate is rough: the number of operations times a rate that was measured on one processor of about 2020. It decides
two things. Work past the limits ``MAX_BYTES`` and ``MAX_SECONDS`` is refused unless the user allows it, and long
work is announced.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from ..util import progress_reporting
from ..util.errors import InputError, SolveError, TooMuchError, argument

MIB = 1 << 20  # bytes
GIB = 1 << 30
MINUTE = 60  # seconds
HOUR = 3600
DAY = 86400
YEAR = 365 * DAY

MAX_BYTES = 8 * GIB  # more is refused unless allowed
MAX_SECONDS = float(HOUR)  # more is refused unless allowed
OUT_OF_REACH_BYTES = 1024 * GIB  # more is not proposed
OUT_OF_REACH_SECONDS = 30.0 * DAY  # more is not proposed
ANNOUNCED_SECONDS = 3.0  # seconds from which work is announced
ANNOUNCED_SECONDS_OF_TIMED_ESTIMATES = 10.0  # seconds from which work is announced if its estimate takes time itself
CHECKPOINT_SECONDS = 60.0  # seconds from which a solve stores its finished layers
MAX_SHOWN_NUMBER = 1e6  # larger numbers of years are "millions of years"
MAX_SHOWN_BYTES = 1 << 60  # from here on it is "more memory than there is"
_is_inside_announced = ContextVar("_is_inside_announced", default=False)


class SolveCost(NamedTuple):
    """Memory and time of a solve.

    Attributes:
        bytes: the largest amount of memory in use at once.
        seconds: time, with the threads that the estimate was made for.
        table_bytes: the part of ``bytes`` that may be in a memory-mapped file instead.
    """

    bytes: float
    seconds: float
    table_bytes: float = 0.0

    def __str__(self) -> str:
        """Return the cost in words: ``about 5 minutes and 200 MiB``; without the memory if that is 0."""
        time = f"about {_format_time(self.seconds)}"
        return f"{time} and {_format_memory(self.bytes)}" if self.bytes else time

    @property
    def is_too_much(self) -> bool:
        """Return True if the cost is past MAX_BYTES or MAX_SECONDS, or not a number."""
        is_allowed = self.bytes <= MAX_BYTES and self.seconds <= MAX_SECONDS  # False if one of them is NaN
        return not is_allowed

    @property
    def is_out_of_reach(self) -> bool:
        """Return True if hardly anybody has the memory or the time, so that no message advises to allow the work."""
        is_possible = self.bytes <= OUT_OF_REACH_BYTES and self.seconds <= OUT_OF_REACH_SECONDS
        return not is_possible


def check_cost(
    task: str, cost: SolveCost, anyway: bool, faster_hint: str = "", min_seconds: float = ANNOUNCED_SECONDS
) -> None:
    """Raise an error for work past MAX_BYTES or MAX_SECONDS unless ``anyway``, and announce other long work.

    Args:
        task: the work, as the beginning of a sentence ("solving Pig").
        cost: its estimated cost.
        anyway: the user allows any cost.
        faster_hint: an end of the announcement that names a faster way, or "".
        min_seconds: work of more seconds is announced.

    Raises:
        TooMuchError: the cost is past the limits and not allowed.
    """
    refuse_excessive_cost(task, cost, anyway)
    announce_cost(task, cost, faster_hint, min_seconds)


def refuse_excessive_cost(task: str, cost: SolveCost, anyway: bool, allowing_function: str = "") -> None:
    """Raise an error for work past MAX_BYTES or MAX_SECONDS unless ``anyway``.

    Args:
        task: the work, as the beginning of a sentence ("solving Pig").
        cost: its estimated cost.
        anyway: the user allows any cost.
        allowing_function: the function that takes ``anyway``, if it is not the called one.

    Raises:
        TooMuchError: the cost is past the limits and not allowed.
    """
    if cost.is_too_much and not anyway:
        limit = f"{_format_time(MAX_SECONDS)} or {_format_memory(MAX_BYTES)}"
        # A time that is shown as the limit itself would contradict the sentence.
        shown = str(cost).replace("about an hour", "more than an hour", 1) if cost.seconds > MAX_SECONDS else str(cost)
        message = f"{task} takes {shown} (the limit is {limit})"
        raise TooMuchError(message, is_out_of_reach=cost.is_out_of_reach, allowing_function=allowing_function)


def announce_cost(task: str, cost: SolveCost, faster_hint: str = "", min_seconds: float = ANNOUNCED_SECONDS) -> None:
    """Print a warning with the cost of work that is long or past the limits.

    Inside ``announce_once`` nothing is printed, because the work is part of work that is announced already.

    Args:
        task: the work, as the beginning of a sentence ("solving Pig").
        cost: its estimated cost.
        faster_hint: an end of the sentence that names a faster way, or "".
        min_seconds: work of more seconds is announced.
    """
    if _is_inside_announced.get():
        return
    if cost.seconds > min_seconds or cost.is_too_much:
        progress_reporting.warn(f"{task} takes {cost}{faster_hint}")


@contextmanager
def announce_once(
    task: str, cost: SolveCost, min_seconds: float = ANNOUNCED_SECONDS_OF_TIMED_ESTIMATES
) -> Iterator[None]:
    """Announce work of several parts as a whole; inside the context no part is announced by itself.

    Args:
        task: the work, as the beginning of a sentence ("solving Pig").
        cost: the estimated cost of all parts.
        min_seconds: work of more seconds is announced.
    """
    announce_cost(task, cost, min_seconds=min_seconds)
    token = _is_inside_announced.set(True)
    try:
        yield
    finally:
        _is_inside_announced.reset(token)


def sequential_cost(costs: Iterable[SolveCost]) -> SolveCost:
    """Return the cost of several pieces of work, one after another: the largest memory, and the sum of the times.

    The result does not say which part of the memory tables take: its ``table_bytes`` is 0.
    """
    no_cost = SolveCost(bytes=0.0, seconds=0.0)
    parts = [no_cost, *costs]
    return SolveCost(bytes=max(part.bytes for part in parts), seconds=sum(part.seconds for part in parts))


def needs_table_file(task: str, cost: SolveCost, memory: float) -> bool:
    """Return True if the tables of a solve must be in a file, because it would use too much memory otherwise.

    Args:
        task: the work, as the beginning of a sentence ("solving Pig").
        cost: its estimated cost.
        memory: the memory that it may use, in bytes.

    Raises:
        InputError: the solve needs more memory even if its tables are in a file.
    """
    bytes_without_tables = cost.bytes - cost.table_bytes
    if bytes_without_tables > memory:
        required, available = _format_memory_pair(bytes_without_tables, memory)
        raise InputError(
            f"{task} needs at least about {required} of memory, but {argument('memory')} allows only {available}"
        )
    return cost.bytes > memory


@contextmanager
def explain_memory_error(task: str, cost: SolveCost) -> Iterator[None]:
    """Replace a MemoryError inside the context by an error that says how much memory is needed.

    Args:
        task: the work, as the beginning of a sentence ("solving Pig").
        cost: its estimated cost.

    Raises:
        SolveError: an allocation failed.
    """
    try:
        yield
    except MemoryError:
        needs = f"{task} needs about {_format_memory(cost.bytes)}"
        raise SolveError(f"{needs} of memory: there is not enough free memory") from None


def _format_time(seconds: float) -> str:
    """Return a time in the largest unit that fits into it: ``3 minutes``, ``an hour``."""
    for unit_seconds, unit in ((YEAR, "year"), (DAY, "day"), (HOUR, "hour"), (MINUTE, "minute")):
        if seconds >= unit_seconds:
            return _format_units(seconds / unit_seconds, unit)
    return _format_units(max(1.0, seconds), "second")


def _format_units(number: float, unit: str) -> str:
    """Return a number of units of time, rounded to a whole number."""
    if number >= MAX_SHOWN_NUMBER:
        return f"millions of {unit}s"
    text = f"{number:,.0f}"
    if text != "1":
        return f"{text} {unit}s"
    return "an hour" if unit == "hour" else f"1 {unit}"


def _format_memory(size: float, extra_digits: int = 0) -> str:
    """Return a number of bytes in MiB without decimals or in GiB with one, for example ``200 MiB`` or ``1.5 GiB``.

    Args:
        size: the number of bytes.
        extra_digits: how many more decimals to show. Without any, less than 1 MiB is shown as 1 MiB.
    """
    if size < GIB:
        smallest_shown = 0.0 if extra_digits else 1.0
        return f"{max(smallest_shown, size / MIB):.{extra_digits}f} MiB"
    if size < MAX_SHOWN_BYTES:
        return f"{size / GIB:,.{extra_digits + 1}f} GiB"
    return "more memory than any computer has"


def _format_memory_pair(larger: float, smaller: float) -> tuple[str, str]:
    """Return two sizes in bytes as text with enough digits to differ.

    If three more digits than usual are not enough, both are written in bytes.
    """
    for extra_digits in range(4):
        larger_text = _format_memory(larger, extra_digits)
        smaller_text = _format_memory(smaller, extra_digits)
        if larger_text != smaller_text:
            return larger_text, smaller_text
    return f"{math.ceil(larger):,} bytes", f"{math.floor(smaller):,} bytes"
