"""Text as wide as the terminal that shows it."""

from __future__ import annotations

import sys
from typing import IO, Any

import click

from keepwise.util.text import LINE_WIDTH, wrap_text

CONTINUATION_INDENT = "    "


def columns(stream: IO[Any] | None, default: int) -> int:
    """Return how many columns a line may have on the terminal of a stream; the default if it is no terminal."""
    if stream is None or stream.closed or not stream.isatty():
        return default
    import shutil

    return shutil.get_terminal_size().columns - 1


def fitted(text: str, stream: IO[Any] | None = None) -> str:
    """Return text with lines wrapped to the terminal; unchanged if there is none, for programs that split lines.

    Args:
        text: lines, maybe with terminal styles.
        stream: where the text goes; stdout by default.
    """
    max_columns = columns(stream or sys.stdout, len(text) + 1)
    lines = []
    for line in text.split("\n"):
        if len(click.unstyle(line)) > max_columns:
            indent = line[: len(line) - len(line.lstrip(" "))]
            line = wrap_text(line.lstrip(), indent, CONTINUATION_INDENT, max_columns)
        lines.append(line)
    return "\n".join(lines)


def width() -> int:
    """Return the number of columns of a line that people read: 80, or fewer on a narrow terminal."""
    return min(LINE_WIDTH, columns(sys.stdout, LINE_WIDTH))


def say(words: str, first: str = "", indent: str | None = None) -> None:
    """Print words wrapped to ``width()``.

    Args:
        words: the text.
        first: what stands before the first line.
        indent: what stands before the other lines; by default as before the first.
    """
    click.echo(wrap_text(words, first, first if indent is None else indent, width()))
