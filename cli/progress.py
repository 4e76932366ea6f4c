"""Progress on stderr: what is being done, how much of it, and how long the rest takes.

Every command runs under one ``Watch``, a background thread. On a terminal it draws a bar once work takes a moment.
Elsewhere it prints a line after ``SILENCE`` seconds without one. Warnings of the library are printed within a moment,
or become part of the one line that refuses the command. Nothing is printed while a person is asked.
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click

from keepwise.util import progress_reporting
from keepwise.util.text import LINE_WIDTH, escape_invisible

from .terminal import columns, fitted

SILENCE = 15.0  # seconds between two lines if stderr is no terminal
QUIET = 1.0  # seconds before a bar, or a note, is shown
WAIT = 3.0  # seconds: work that is known to take longer is reported at once if stderr is no terminal
LOOK = 0.5  # seconds between two looks of the background thread
BYTES_PER_READ = 4096  # more than anybody types in one line
MIN_SHARE = 0.02  # of work that is done, from which the time that is left is stated; earlier it would jump
MAX_DISAGREEMENT = 1.5  # of two estimates of the time that is left, beyond which it is not stated
SAMPLE_GROWTH = 1.1  # of the time since the start, from one remembered share to the next
WHOLE_MINUTES_FROM = 1800.0  # seconds from which a report shows minutes only
SECONDS_ROUNDING = 5  # shorter times are rounded to this
BAR_COLUMNS = 20  # so that label, bar and time fit into one line of 80
NUMBER_COLUMNS = 30  # reserved for the numbers after the bar

_output_lock = threading.Lock()  # free while helper processes are forked
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_output_lock.acquire, after_in_parent=_output_lock.release, after_in_child=_output_lock.release
    )


class Progress:
    """The progress of one piece of work, reported while its ``with`` block runs.

    Calling the object with a share from 0 to 1 reports how much is done.

    Attributes:
        label: what is being done.
        start_time: when it began, in seconds of ``time.monotonic``.
        done: the share that is done.
        is_reported: whether a line has reported it.
    """

    def __init__(self, label: str) -> None:
        self.label = label
        self.start_time = time.monotonic()
        self.share = 0.0
        self.is_reported = False
        self._last_change = self.start_time  # when the share reached its present value
        self._history: list[tuple[float, float]] = []  # seconds since the start, and the share done then
        self._outer: Progress | None = None  # the work that this one interrupts
        self._is_inside = False

    def __enter__(self) -> Progress:
        self.start_time = self._last_change = time.monotonic()
        self._is_inside = True
        if watch:
            self._outer, watch[-1].doing = watch[-1].doing, self
        return self

    def __call__(self, share: float) -> None:
        """Report the share of this work that is done, and make it the current work."""
        now = time.monotonic()
        has_begun_before = not self.share and self._last_change != self.start_time
        if not share and not has_begun_before:
            self.start_time = now
        if share != self.share:
            self._last_change = now
            self._remember(now - self.start_time, share)
        self.share = share
        if watch and self._is_inside:  # the last report may come after the block has ended
            watch[-1].doing = self

    def __exit__(self, *exc: object) -> None:
        self._is_inside = False
        if watch:
            watch[-1].end_bar()
            watch[-1].doing = self._outer

    def _remember(self, seconds: float, share: float) -> None:
        """Remember a share that is done, unless one was remembered a short time ago."""
        if share < self.share:
            self._history.clear()  # the work has begun again
        if not self._history or seconds >= SAMPLE_GROWTH * self._history[-1][0]:
            self._history.append((seconds, share))

    @property
    def remaining_time(self) -> str:
        """The expected time for the rest, in words; or the time so far, while the expected time would jump.

        It is stated if the pace of the whole work and that of its later half agree, and until it has passed.
        """
        now = time.monotonic()
        so_far = f"{elapsed(now - self.start_time)} so far"
        seconds = self._last_change - self.start_time
        earlier = [sample for sample in self._history if 0 < sample[0] <= seconds / 2]
        if self.share < MIN_SHARE or not earlier:
            return so_far
        earlier_seconds, earlier_share = earlier[-1]
        if self.share <= earlier_share:
            return so_far
        rest = 1 - self.share
        overall = seconds * rest / self.share
        recent = (seconds - earlier_seconds) * rest / (self.share - earlier_share)
        remaining = max(overall, recent) - (now - self._last_change)
        is_steady = max(overall, recent) <= MAX_DISAGREEMENT * min(overall, recent)
        return f"{duration(remaining)} left" if is_steady and remaining > 0 else so_far

    @property
    def is_long(self) -> bool:
        """True if the work is known to take longer than ``WAIT`` seconds."""
        seconds = time.monotonic() - self.start_time
        return seconds > WAIT or (seconds > QUIET and 0 < self.share < 1 and seconds > WAIT * self.share)

    @property
    def bar(self) -> str:
        """The progress bar: one line of a terminal that overwrites itself."""
        percent = int(100 * self.share)
        remaining = f", {self.remaining_time}" if self.share < 1 else ""
        numbers = f" {percent:3d}%{remaining}"
        max_columns = columns(sys.stderr, LINE_WIDTH)
        label = self.label[: max(0, max_columns - len(numbers) - 1)]  # a wrapped line could not be overwritten
        bar_columns = min(BAR_COLUMNS, max_columns - len(label) - NUMBER_COLUMNS)
        filled_columns = percent * bar_columns // 100
        bar = f" [{'#' * filled_columns}{'-' * (bar_columns - filled_columns)}]" if bar_columns > 0 else ":"
        line_columns = min(max_columns, len(label) + BAR_COLUMNS + NUMBER_COLUMNS)
        return f"\r{label + bar + numbers:<{line_columns}}"

    @property
    def line(self) -> str:
        """The progress as a line of its own."""
        if not MIN_SHARE <= self.share < 1:
            return f"{self.label}: {elapsed(time.monotonic() - self.start_time)} so far"
        return f"{self.label}: {int(100 * self.share)}%, {self.remaining_time}"


progress_reporting.start_progress = Progress


class Watch:
    """A background thread that reports the progress of a command, and its notes."""

    def __init__(self, command: str) -> None:
        self.doing: Progress | None = None
        self._whole_command = Progress(f"keepwise {command}")
        self._last_line_time = time.monotonic()
        self._is_asking = False
        self._notes: list[str] = []
        self._last_note_time = 0.0
        self._shows_bar = False
        self._input_lock = threading.Lock()  # held by the one that may read stdin: this thread or a prompt
        self._end_event = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.forks_safely = True  # type: ignore[attr-defined]  # it holds no lock while helpers are forked

    def __enter__(self) -> Watch:
        watch.append(self)
        self._outer_warn, progress_reporting.warn = progress_reporting.warn, self.note
        with suppress(RuntimeError):  # Python in a browser cannot start threads and reports no progress
            self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._end_event.set()
        progress_reporting.warn = self._outer_warn
        watch.remove(self)
        self.say_notes()
        if self._thread.ident:
            self._thread.join()

    def note(self, message: str) -> None:
        """Collect a warning of the library."""
        self._notes.append(escape_invisible(message))
        self._last_note_time = time.monotonic()

    def take_notes(self) -> list[str]:
        """Return the notes that have not been printed yet, and forget them."""
        notes, self._notes = self._notes, []
        return notes

    def say_notes(self) -> None:
        """Print the notes."""
        for note in self.take_notes():
            self.end_bar()
            self.say(f"{fitted(note, sys.stderr)}\n")

    def end_bar(self) -> None:
        """End the line of the bar, if there is one."""
        if self._shows_bar:
            self._shows_bar = False
            self.say("\n")

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Print nothing while a person is asked."""
        self.say_notes()
        with self._input_lock:
            self._is_asking = True
        try:
            yield
        finally:
            self._is_asking, self._last_line_time = False, time.monotonic()

    def _read_typed_ahead(self) -> None:
        """Read lines that are typed ahead; a word that leaves the game interrupts the main thread at once."""
        if not leaves or sys.stdin is None:
            return
        import select
        import signal

        with self._input_lock, suppress(OSError, ValueError):
            while not self._is_asking and sys.stdin.isatty() and select.select([sys.stdin], [], [], 0)[0]:
                typed = os.read(sys.stdin.fileno(), BYTES_PER_READ).decode(errors="replace")
                ahead.extend(line.strip() for line in typed.splitlines())
                is_end_of_input = not typed
                if is_end_of_input or not leaves.isdisjoint(map(str.lower, ahead)):
                    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
                    return

    def say(self, text: str) -> None:
        """Write text to stderr as it is, without a line end."""
        with _output_lock, suppress(OSError, ValueError):  # stderr may be closed
            click.echo(text, nl=False, err=True)

    def _run(self) -> None:
        while not self._end_event.wait(LOOK):
            self.print_due()

    def print_due(self) -> None:
        """Print the notes and the progress that are due now: a bar at a terminal, or else a line."""
        now, doing = time.monotonic(), self.doing
        self._read_typed_ahead()
        if self._is_asking:
            return
        if self._notes and now - self._last_note_time > QUIET:
            self.say_notes()
        if sys.stderr is not None and sys.stderr.isatty():
            if doing is not None and now - doing.start_time > QUIET:
                self._shows_bar = True
                self.say(doing.bar)
        elif now - self._last_line_time > SILENCE or (doing and doing.is_long and not doing.is_reported):
            self._last_line_time = now
            if doing:
                doing.is_reported = True
            self.say(f"{(doing or self._whole_command).line}\n")


watch: list[Watch] = []  # the innermost one is last; a command runs under one
leaves: set[str] = set()  # words that end a game, once there has been a prompt
ahead: list[str] = []  # lines that were typed before a prompt asked for them


@contextmanager
def pause_reports() -> Iterator[None]:
    """Print nothing else while a person is asked."""
    if not watch:
        yield
        return
    with watch[-1].paused():
        yield


def duration(seconds: float) -> str:
    """Return a rounded time: about 9 s, about 4 min."""
    return f"about {math.ceil(seconds)} s" if seconds < 100 else f"about {round(seconds / 60)} min"


def elapsed(seconds: float) -> str:
    """Return the time that work has taken so far: 9 s, 2 min 15 s, 12 min.

    The rounding is fine enough for reports that are 15 seconds apart to differ.
    """
    if not 100 <= seconds < WHOLE_MINUTES_FROM:
        return duration(seconds).removeprefix("about ")
    minutes, rest_seconds = divmod(SECONDS_ROUNDING * round(seconds / SECONDS_ROUNDING), 60)
    return f"{minutes} min {rest_seconds} s" if rest_seconds else f"{minutes} min"
