"""Nobody waits in silence: what is being done, how far it is and how long it still takes, on stderr.

A command runs under one ``Watch``, whatever it does. On a terminal a bar stands there once work takes a moment;
elsewhere a line is said whenever there has been none for ``SILENCE`` seconds. What the library has to say beside (its
warnings) is said within a moment, or is part of the one line that refuses the command. While a person is asked nothing
is said.
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

SILENCE = 15.0  # seconds that pass without a word where stderr is no terminal
QUIET = 1.0  # seconds before a bar, or a note, is shown
WAIT = 3.0  # seconds: what takes longer is said there as soon as that is known
LOOK = 0.5  # seconds from one look to the next
LINE = 4096  # bytes of a line that somebody types
MINUTES = 1800.0  # seconds of work from which its report tells minutes alone
STEP = 5  # seconds to which less is rounded
BAR = 20  # columns; label, bar and time go on one line of 80

_speaking = threading.Lock()  # nobody holds it when helpers are forked
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_speaking.acquire, after_in_parent=_speaking.release, after_in_child=_speaking.release)


class Progress:
    """What is being done, from when the block is entered; called with the share that is done, 0 as it begins."""

    def __init__(self, label: str) -> None:
        self.label, self.begun, self.done = label, time.monotonic(), 0.0
        self._moved = self.begun  # when as much was done
        self._before: Progress | None = None
        self._inside = self.said = False

    def __enter__(self) -> Progress:
        self.begun = self._moved = time.monotonic()
        self._inside = True
        if watch:
            self._before, watch[-1].doing = watch[-1].doing, self
        return self

    def __call__(self, done: float) -> None:
        """Say that this is what is being done, and how much of it is."""
        now = time.monotonic()
        if not done and (self.done or self._moved == self.begun):  # said once more it is the same beginning
            self.begun = now
        if done != self.done:
            self._moved = now
        self.done = done
        if watch and self._inside:  # what is worked out while it is told is no longer this
            watch[-1].doing = self

    def __exit__(self, *exc: object) -> None:
        self._inside = False
        if watch:
            watch[-1].end_bar()
            watch[-1].doing = self._before

    @property
    def left(self) -> str:
        """Roughly how long it still takes: by how long what is done took, less what has passed since it was done."""
        taken, since = self._moved - self.begun, time.monotonic() - self._moved
        return duration(max(1.0, taken * (1 - self.done) / self.done - since))

    @property
    def long(self) -> bool:
        """Whether it is known to make somebody wait."""
        taken = time.monotonic() - self.begun
        return taken > WAIT or (taken > QUIET and 0 < self.done < 1 and taken > WAIT * self.done)

    @property
    def bar(self) -> str:
        """How far it is, on one line of a terminal."""
        percent, left = int(100 * self.done), ""
        if self.done < 1:
            left = f", {self.left} left" if self.done else f", {time.monotonic() - self.begun:.0f} s so far"
        told, most = f" {percent:3d} %{left}", columns(sys.stderr, LINE_WIDTH)
        label = self.label[: max(0, most - len(told) - 1)]  # a line that wraps cannot be written over
        bar = min(BAR, most - len(label) - 30)
        filled = percent * bar // 100
        drawn = f" [{'#' * filled}{'-' * (bar - filled)}]" if bar > 0 else ":"
        return f"\r{label + drawn + told:<{min(most, len(label) + BAR + 30)}}"

    @property
    def line(self) -> str:
        """The same as a line by itself."""
        if not 0 < self.done < 1:
            return f"{self.label}: {elapsed(time.monotonic() - self.begun)} so far"
        return f"{self.label}: {int(100 * self.done)} %, {self.left} left"


progress_reporting.start_progress = Progress


class Watch:
    """Looks every now and then what a command is doing, and says so."""

    def __init__(self, command: str) -> None:
        self.doing: Progress | None = None
        self._whole, self._said, self._asking = Progress(command), time.monotonic(), False
        self._notes: list[str] = []
        self._noted, self._barred = 0.0, False
        self._turns = threading.Lock()  # of who may look at what is typed: this thread, or who asks
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.forks_safely = True  # type: ignore[attr-defined]  # it holds nothing while helpers are forked

    def __enter__(self) -> Watch:
        watch.append(self)
        self._warned, progress_reporting.warn = progress_reporting.warn, self.note
        with suppress(RuntimeError):  # a browser's Python cannot start one: there nobody is told
            self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._end.set()
        progress_reporting.warn = self._warned
        watch.remove(self)
        self.say_notes()
        if self._thread.ident:
            self._thread.join()

    def note(self, what: str) -> None:
        """Note what the library has to say."""
        self._notes.append(escape_invisible(what))
        self._noted = time.monotonic()

    def take_notes(self) -> list[str]:
        """The notes that have not been said yet."""
        notes, self._notes = self._notes, []
        return notes

    def say_notes(self) -> None:
        """Say the notes."""
        for note in self.take_notes():
            self.end_bar()
            self._say(f"{fitted(note, sys.stderr)}\n")

    def end_bar(self) -> None:
        """The line after a bar, if one stands there."""
        if self._barred:
            self._barred = False
            self._say("\n")

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Say nothing while a person is asked."""
        self.say_notes()
        with self._turns:
            self._asking = True
        try:
            yield
        finally:
            self._asking, self._said = False, time.monotonic()

    def _overhear(self) -> None:
        """Read what a player types while nobody asks; who wants to leave is not kept waiting."""
        if not leaves or sys.stdin is None:
            return
        import select
        import signal

        with self._turns, suppress(OSError, ValueError):
            while not self._asking and sys.stdin.isatty() and select.select([sys.stdin], [], [], 0)[0]:
                typed = os.read(sys.stdin.fileno(), LINE).decode(errors="replace")
                ahead.extend(line.strip() for line in typed.splitlines())
                if not typed or not leaves.isdisjoint(map(str.lower, ahead)):  # nothing: the end of what is typed
                    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
                    return

    def _say(self, text: str) -> None:
        with _speaking, suppress(OSError, ValueError):  # nobody may be listening any more
            click.echo(text, nl=False, err=True)

    def _run(self) -> None:
        while not self._end.wait(LOOK):
            self.look()

    def look(self) -> None:
        """Say what is to be said by now."""
        now, doing = time.monotonic(), self.doing
        self._overhear()
        if self._asking:
            return
        if self._notes and now - self._noted > QUIET:
            self.say_notes()
        if sys.stderr is not None and sys.stderr.isatty():
            if doing is not None and now - doing.begun > QUIET:
                self._barred = True
                self._say(doing.bar)
        elif now - self._said > SILENCE or (doing and doing.long and not doing.said):
            self._said = now
            if doing:
                doing.said = True
            self._say(f"{(doing or self._whole).line}\n")


watch: list[Watch] = []  # the one under which the command runs
leaves: set[str] = set()  # the words that end a game at a prompt, once there is one
ahead: list[str] = []  # lines typed before they were asked for


@contextmanager
def asking() -> Iterator[None]:
    """A person is asked: nothing else is said meanwhile."""
    if not watch:
        yield
        return
    with watch[-1].resting():
        yield


def duration(seconds: float) -> str:
    """Roughly how long: about 9 s, about 4 min."""
    return f"about {math.ceil(seconds)} s" if seconds < 100 else f"about {round(seconds / 60)} min"


def elapsed(seconds: float) -> str:
    """Return how long something has taken so far: about 9 s, 2 min 15 s, 12 min. Reports 15 seconds apart differ."""
    if not 100 <= seconds < MINUTES:
        return duration(seconds)
    minutes, rest = divmod(STEP * round(seconds / STEP), 60)
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"
