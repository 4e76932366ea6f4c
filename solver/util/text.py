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

MAX_NAME_LENGTH = 40  # characters
MAX_TITLE_LENGTH = 80
COLUMN_GAP = "  "  # between two columns of a table
SECOND_LINE_INDENT = "    "  # of a row of a table that takes two lines
LINE_WIDTH = 79  # of lines for people
SEPARATORS = ",/=:"  # of names in lists, ids, points and lines
INVISIBLE = (  # printable for Python, but invisible: joiners, fillers, variation selectors
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def first_invisible(text: str) -> str:
    r"""Return the first invisible character as an escape such as ``\x1b``, or "" if there is none.

    Control and direction characters, blanks other than the ordinary one, and halves of characters are invisible.
    """
    if text.isascii() and text.isprintable():  # the usual case, decided fast
        return ""
    for character in text:
        if not _is_visible(character):
            return _escape_character(character)
    return ""


def bind_percentage_points(text: str) -> str:
    """Return text with a no-break space between each number and its pp."""
    return re.sub(r"(?<=\d) (?=pp\b)", "\xa0", text)


def wrap_text(text: str, first_indent: str = "", indent: str = "", width: int = LINE_WIDTH) -> str:
    """Return text in lines of ``width`` columns; a pp stays on the line of its number.

    Args:
        text: the text, without line breaks.
        first_indent: what stands in front of the first line.
        indent: what stands in front of the others.
        width: columns of characters in a line.
    """
    lines = textwrap.wrap(
        bind_percentage_points(text),
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

    Columns that do not fit follow below the others, again beside the first column. If some column does not even fit
    beside the first one alone, each row takes two lines: its first cell, and below it the others.

    Args:
        rows: rows of equally many cells.
        left_columns: number of columns aligned to the left; the others are aligned to the right.
        indent: blanks in front of every line.
        width: columns of characters in a line.
    """
    columns = [_pad_column(column, index < left_columns) for index, column in enumerate(zip(*rows, strict=True))]
    if not columns:
        return []
    first_column, *other_columns = columns
    first_width = len(indent) + _column_width(first_column)
    max_other_width = max((_column_width(column) for column in other_columns), default=0)
    if other_columns and first_width + len(COLUMN_GAP) + max_other_width > width:
        return _format_in_two_lines(columns, indent)
    blocks = _split_columns(first_column, other_columns, width - len(indent))
    lines = []
    for block in blocks:
        for cells in zip(*block, strict=True):
            line = indent + COLUMN_GAP.join(cells)
            lines.append(line.rstrip())
    return lines


def _pad_column(cells: Sequence[str], is_left_aligned: bool) -> list[str]:
    """Return the cells of a column with blanks, so that all are as wide as the widest."""
    width = max(len(cell) for cell in cells)
    return [cell.ljust(width) if is_left_aligned else cell.rjust(width) for cell in cells]


def _column_width(padded_cells: Sequence[str]) -> int:
    """Return the width of a column, whose cells are all as wide."""
    return len(padded_cells[0])


def _format_in_two_lines(columns: Sequence[Sequence[str]], indent: str) -> list[str]:
    """Return rows as pairs of lines: the first cell, and below it the others."""
    lines = []
    for first_cell, *other_cells in zip(*columns, strict=True):
        lines.append(f"{indent}{first_cell}".rstrip())
        lines.append(f"{indent}{SECOND_LINE_INDENT}{COLUMN_GAP.join(other_cells)}".rstrip())
    return lines


def _split_columns(
    first_column: Sequence[str], other_columns: Sequence[Sequence[str]], width: int
) -> list[list[Sequence[str]]]:
    """Return the columns in blocks that fit into a width; each block begins with the first column."""
    blocks = [[first_column]]
    for column in other_columns:
        block_width = sum(_column_width(block_column) + len(COLUMN_GAP) for block_column in blocks[-1])
        fits = block_width + _column_width(column) <= width
        if not fits and len(blocks[-1]) > 1:
            blocks.append([first_column])
        blocks[-1].append(column)
    return blocks


def escape_invisible(text: str) -> str:
    r"""Return text with every invisible character as an escape, such as ``\x1b``."""
    if not first_invisible(text):
        return text
    return "".join(character if _is_visible(character) else _escape_character(character) for character in text)


def _is_visible(character: str) -> bool:
    """Return True if a reader can see a character, or if it is an ordinary blank."""
    return character.isprintable() and re.match(INVISIBLE, character) is None


def _escape_character(character: str) -> str:
    r"""Return the escape of a character, such as ``\x1b``."""
    return character.encode("unicode_escape").decode()


def title_problem(text: str, max_length: int = MAX_TITLE_LENGTH) -> str:
    """Return why a text cannot be a title, as the end of a sentence that begins with the text; "" if it can.

    Args:
        text: the text.
        max_length: the largest number of characters.
    """
    invisible = first_invisible(text)
    if invisible:
        return f"must not contain {invisible}, an invisible character"
    if not text.strip():
        return "must not be empty"
    if text != text.strip():
        return "must not begin or end with a space"
    if len(text) > max_length:
        return f"has {len(text)} characters; at most {max_length} are allowed"
    return ""


def name_problem(text: str, separators: str = SEPARATORS, max_length: int = MAX_NAME_LENGTH) -> str:
    """Return why a text cannot be a name, as the end of a sentence that begins with the text; "" if it can.

    Args:
        text: the text.
        separators: characters that no such name contains.
        max_length: the largest number of characters.
    """
    separator = next((character for character in text if character in separators), "")
    if separator:
        separator_in_words = "blanks" if separator == " " else separator
        return f"must not contain {separator_in_words}; the characters {' '.join(separators)} are reserved"
    begins_with_mark = text != "" and unicodedata.category(text[0]).startswith("M")  # such as a combining accent
    if begins_with_mark:
        return "must not begin with a combining accent"
    return title_problem(text, max_length)


def fold_name(text: str) -> str:
    """Return the form in which names are compared: without the differences that typing may make.

    ``Full__House`` and ``full house`` have the same form, and so have the two Unicode spellings of a letter.
    """
    if not text.isascii():
        # Folding the case may produce characters that are not normalized, so this is done before and after it.
        folded = unicodedata.normalize("NFKC", text).casefold()
        text = unicodedata.normalize("NFKC", folded)
    words = text.lower().replace("_", " ").split()
    return " ".join(words)


def find_ambiguous_names(names: Iterable[str]) -> tuple[str, str] | None:
    """Return the first two names with the same folded form, or None if there are none."""
    for first, second in combinations(names, 2):
        if fold_name(first) == fold_name(second):
            return first, second
    return None


def find_name(text: str, names: Sequence[str]) -> str | None:
    """Return the name with the same folded form as what was typed, or None if there is none."""
    folded_input = fold_name(text)
    return next((name for name in names if fold_name(name) == folded_input), None)
