"""Lines as wide as what shows them: the terminal, where there is one."""

from __future__ import annotations

import re
import sys
from typing import IO, Any

import click

from keepwise.util.text import LINE_WIDTH, wrap_text


def columns(stream: IO[Any] | None, elsewhere: int) -> int:
    """How many columns a line may have where this stream goes: on its terminal, or elsewhere."""
    if stream is None or stream.closed or not stream.isatty():
        return elsewhere
    import shutil

    return shutil.get_terminal_size().columns - 1


def fitted(text: str, stream: IO[Any] | None = None) -> str:
    """Text that a terminal shows whole; where there is none lines stay as they are, for who takes them apart.
    ``stream``: where it goes (default: stdout).
    """
    most = columns(stream or sys.stdout, len(text) + 1)
    return "\n".join(
        wrap_text(line.lstrip(), re.match(" *", line)[0], "    ", most) if len(click.unstyle(line)) > most else line  # type: ignore[index]
        for line in text.split("\n")
    )


def width() -> int:
    """How many columns a line has that people read: 80 at most."""
    return min(LINE_WIDTH, columns(sys.stdout, LINE_WIDTH))


def say(words: str, first: str = "", rest: str | None = None) -> None:
    """Print words in lines of that width, the first indented, and the rest as it or otherwise."""
    click.echo(wrap_text(words, first, first if rest is None else rest, width()))
