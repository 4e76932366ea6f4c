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
from ..util.errors import InputError, SolveError, TooMuchError

MAX_BYTES = 8 << 30  # more is refused unless allowed
MAX_SECONDS = 3600.0  # more is refused unless allowed
ANNOUNCED_SECONDS = 3.0  # seconds from which work is announced
ANNOUNCED_SECONDS_OF_TIMED_ESTIMATES = 10.0  # seconds from which work is announced if its estimate takes time itself
CHECKPOINT_SECONDS = 60.0  # seconds from which a solve stores its finished layers
_is_inside_announced = ContextVar("_is_inside_announced", default=False)


class SolveCost(NamedTuple):
    """Memory and time of a solve.

    Attributes:
        bytes: the largest amount of memory in use at once.
        seconds: time, with the threads that the estimate was made for.
        tables: the part of ``bytes`` that may be in a memory-mapped file instead.
    """

    bytes: float
    seconds: float
    table_bytes: float = 0.0

    def __str__(self) -> str:
        return f"about {_format_time(self.seconds)}" + (f" and {_format_memory(self.bytes)}" if self.bytes else "")

    @property
    def is_too_much(self) -> bool:
        """Return True if the cost is past the limits, or not a number."""
        return not (self.bytes <= MAX_BYTES and self.seconds <= MAX_SECONDS)


def check_cost(
    task: str, cost: SolveCost, anyway: bool, faster_hint: str = "", min_seconds: float = ANNOUNCED_SECONDS
) -> None:
    """Refuse work past the limits unless ``anyway``, and announce other long work.

    See ``refuse`` and ``announce`` for the arguments.

    Raises:
        TooMuchError: the cost is past the limits and not allowed.
    """
    refuse_excessive_cost(task, cost, anyway)
    announce_cost(task, cost, faster_hint, min_seconds)


def refuse_excessive_cost(task: str, cost: SolveCost, anyway: bool) -> None:
    """Refuse work past the limits unless ``anyway``.

    Args:
        task: the work, as the beginning of a sentence ("solving Pig").
        cost: its estimated cost.
        anyway: the user allows any cost.

    Raises:
        TooMuchError: the cost is past the limits and not allowed.
    """
    if cost.is_too_much and not anyway:
        limit = f"{_format_time(MAX_SECONDS)} or {_format_memory(MAX_BYTES)}"
        raise TooMuchError(f"{task} takes {cost}, and no more than {limit} is spent unasked")


def announce_cost(task: str, cost: SolveCost, faster_hint: str = "", min_seconds: float = ANNOUNCED_SECONDS) -> None:
    """Warn that work is long or past the limits, unless it is a part of work that is announced already.

    Args:
        task: the work, as the beginning of a sentence.
        cost: its estimated cost.
        sooner: an end of the sentence that names a faster way.
        least: work of more seconds is announced.
    """
    if (cost.seconds > min_seconds or cost.is_too_much) and not _is_inside_announced.get():
        progress_reporting.warn(f"{task} takes {cost}{faster_hint}")


@contextmanager
def announce_once(
    task: str, cost: SolveCost, min_seconds: float = ANNOUNCED_SECONDS_OF_TIMED_ESTIMATES
) -> Iterator[None]:
    """Announce work of several parts as a whole; inside the context no part is announced by itself."""
    announce_cost(task, cost, min_seconds=min_seconds)
    token = _is_inside_announced.set(True)
    try:
        yield
    finally:
        _is_inside_announced.reset(token)


def sequential_cost(costs: Iterable[SolveCost]) -> SolveCost:
    """Return the cost of several pieces of work, one after another: the largest memory, and the sum of the times."""
    parts = [SolveCost(0.0, 0.0), *costs]
    return SolveCost(max(part.bytes for part in parts), sum(part.seconds for part in parts))


def needs_table_file(task: str, cost: SolveCost, memory: float) -> bool:
    """Return True if the tables of a solve must be in a file to stay within ``memory`` bytes.

    Raises:
        InputError: the solve needs more memory even so.
    """
    minimum = cost.bytes - cost.table_bytes
    if minimum > memory:
        required, available = _format_memory_pair(minimum, memory)
        raise InputError(f"{task} holds about {required} of memory at least: it does not fit in {available}")
    return cost.bytes > memory


@contextmanager
def explain_memory_error(task: str, cost: SolveCost) -> Iterator[None]:
    """Replace a MemoryError inside the context by an error that says how much memory is needed.

    Raises:
        SolveError: an allocation failed.
    """
    try:
        yield
    except MemoryError:
        needs = f"{task} needs about {_format_memory(cost.bytes)}"
        raise SolveError(f"{needs} of memory: there is not enough memory for this") from None


def _format_time(seconds: float) -> str:
    for size, unit in ((365 * 86400, "year"), (86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return _format_number(seconds / size, unit)
    return _format_number(max(1.0, seconds), "second")


def _format_number(number: float, unit: str) -> str:
    text = f"{number:,.0f}" if number < 1e6 else "millions of"
    return "an hour" if (text, unit) == ("1", "hour") else f"{text} {unit}{'' if text == '1' else 's'}"


def _format_memory(size: float, extra_digits: int = 0) -> str:
    """Return a number of bytes in MiB or GiB, with ``extra_digits`` more decimals than usual."""
    if size < 1 << 30:
        return f"{max(0.0 if extra_digits else 1.0, size / (1 << 20)):.{extra_digits}f} MiB"
    return f"{size / (1 << 30):,.{extra_digits + 1}f} GiB" if size < 1 << 60 else "more memory than there is"


def _format_memory_pair(larger: float, smaller: float) -> tuple[str, str]:
    """Return two sizes with enough digits to differ, in bytes if three more digits are not enough."""
    for extra_digits in range(4):
        texts = _format_memory(larger, extra_digits), _format_memory(smaller, extra_digits)
        if texts[0] != texts[1]:
            return texts
    return f"{math.ceil(larger):,} bytes", f"{math.floor(smaller):,} bytes"
