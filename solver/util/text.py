"""Names and text that people write: which characters are allowed, how typed names are matched, and text in lines.

Names of faces, categories, dice and feels stand in ids of positions, on command lines, in game files and in lists. So
no name contains a character that separates names there. And no two names of one kind differ only in what people type in
different ways: capital letters, blanks and underscores, or two Unicode spellings of one letter.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import combinations

MAX_NAME_LENGTH, MAX_TITLE_LENGTH = 40, 80  # characters
LINE_WIDTH = 79  # of lines for people
SEPARATORS = ",/=:"  # of names in lists, ids, points and lines
INVISIBLE = (  # printable for Python, but invisible: joiners, fillers, variation selectors
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def first_invisible(text: str) -> str:
    """Return the first invisible character as an escape, or "" if there is none.

    Control and direction characters, blanks other than the ordinary one, and halves of characters are invisible.
    """
    if text.isascii() and text.isprintable():
        return ""
    return next((_escape_character(character) for character in text if _escape_character(character) != character), "")


def bind_percent_signs(text: str) -> str:
    """Return text with a no-break space between each number and its %."""
    return re.sub(r"(?<=\d) (?=%)", "\xa0", text)


def wrap_text(text: str, first_indent: str = "", indent: str = "", width: int = LINE_WIDTH) -> str:
    """Return text in lines of ``width`` columns; a % stays on the line of its number."""
    lines = textwrap.wrap(
        bind_percent_signs(text),
        width,
        initial_indent=first_indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace("\xa0", " ")


def format_table(
    rows: Sequence[Sequence[str]], left_columns: int = 0, indent: str = "", width: int = LINE_WIDTH
) -> list[str]:
    """Return rows of cells as lines.

    Columns that do not fit follow below the others, again beside the first column. If no column fits beside the first
    one, each row takes two lines: its first cell, and below it the others.

    Args:
        rows: rows of equally many cells.
        left_columns: number of columns aligned to the left; the others are aligned to the right.
        indent: blanks in front of every line.
        width: columns of characters in a line.
    """
    columns = [
        [f"{cell:{'<' if index < left_columns else '>'}{max(map(len, column))}}" for cell in column]
        for index, column in enumerate(zip(*rows, strict=True))
    ]
    widths = [len(column[0]) for column in columns]
    if len(columns) > 1 and len(indent) + widths[0] + 2 + max(widths[1:]) > width:
        return [
            f"{indent}{line}".rstrip()
            for first_cell, *cells in zip(*columns, strict=True)
            for line in (first_cell, f"    {'  '.join(cells)}")
        ]
    blocks = [columns[:1]]
    for column in columns[1:]:
        block_width = len(indent) + sum(len(cells[0]) + 2 for cells in blocks[-1])
        if block_width + len(column[0]) > width and len(blocks[-1]) > 1:
            blocks.append(columns[:1])
        blocks[-1].append(column)
    return [(indent + "  ".join(row)).rstrip() for block in blocks for row in zip(*block, strict=True)]


def escape_invisible(text: str) -> str:
    r"""Return text with every invisible character as an escape, such as ``\x1b``."""
    return "".join(map(_escape_character, text)) if first_invisible(text) else text


def _escape_character(character: str) -> str:
    if character.isprintable() and not re.match(INVISIBLE, character):
        return character
    return character.encode("unicode_escape").decode()


def title_problem(text: str, max_length: int = MAX_TITLE_LENGTH) -> str:
    """Return why a text cannot be a title, as the end of a sentence that begins with the text; "" if it can."""
    if invisible := first_invisible(text):
        return f"must not hold {invisible}, which cannot be seen"
    if not text.strip():
        return "must not be empty"
    if text != text.strip():
        return "must not begin or end with a blank"
    return f"has {len(text)} characters: up to {max_length} can be shown" if len(text) > max_length else ""


def name_problem(text: str, separators: str = SEPARATORS, max_length: int = MAX_NAME_LENGTH) -> str:
    """Return why a text cannot be a name, as the end of a sentence that begins with the text; "" if it can."""
    if separator := next((character for character in text if character in separators), ""):
        return f"must not hold {'blanks' if separator == ' ' else separator}, nor any of {' '.join(separators)}"
    if text and unicodedata.category(text[0]).startswith("M"):
        return "must not begin with a mark that stands on a letter"
    return title_problem(text, max_length)


def fold_name(text: str) -> str:
    """Return the form in which names are compared: without the differences that typing may make."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(text.lower().replace("_", " ").split())


def find_ambiguous_names(names: Iterable[str]) -> tuple[str, str] | None:
    """Return the first two names with the same folded form, or None if there are none."""
    return next((pair for pair in combinations(names, 2) if fold_name(pair[0]) == fold_name(pair[1])), None)


def find_name(typed: str, names: Sequence[str]) -> str | None:
    """Return the name with the same folded form as what was typed, or None if there is none."""
    folded_input = fold_name(typed)
    return next((name for name in names if fold_name(name) == folded_input), None)
