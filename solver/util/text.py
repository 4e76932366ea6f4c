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
SEPARATORS = ",/=:"  # characters that separate names in lists, ids, points and lines, so no name contains them
COUNT_BEFORE_NAME = r"\s*([0-9]+)\s*[x×*]?\s+([^\d\s*].*)"
COUNT_AFTER_NAME = r"\s*([^*]*[^\s*])(?:\s+x|\s*×)\s*([0-9]+)\s*"
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


def split_count(text: str) -> tuple[str, str | None]:
    """Return a name and the text of its count, from ``lucky*3``, ``3 lucky``, ``3x lucky`` or ``lucky x 3``.

    Without a count, it is None. After a star it may be anything, which the caller has to check.
    """
    if match := re.fullmatch(COUNT_BEFORE_NAME, text):
        return match[2].strip(), match[1]
    if match := re.fullmatch(COUNT_AFTER_NAME, text):
        return match[1].strip(), match[2]
    name, star, count = text.partition("*")
    return name.strip(), count.strip() if star else None


def with_count(name: str, count: int) -> str:
    """Return a name with its count as ``split_count`` reads it: ``lucky*3``, or ``lucky`` for one."""
    return f"{name}*{count}" if count > 1 else name


def join_with_and(words: Iterable[str]) -> str:
    """Return words as a list in a sentence: ``A``, ``A and B`` or ``A, B and C``."""
    *first_words, last_word = words
    return f"{', '.join(first_words)} and {last_word}" if first_words else last_word


def bind_percentage_points(text: str) -> str:
    """Return text with a no-break space between each number and the unit pp (percentage points) after it."""
    return re.sub(r"(?<=\d) (?=pp\b)", "\xa0", text)


def wrap_text(text: str, first_indent: str = "", indent: str = "", width: int = LINE_WIDTH) -> str:
    """Return text broken into lines of at most ``width`` characters.

    Long words are not broken, and the unit pp stays on the line of its number.

    Args:
        text: the text, without line breaks.
        first_indent: text in front of the first line.
        indent: text in front of the other lines.
        width: characters in a line, with the indent.
    """
    lines = textwrap.wrap(
        bind_percentage_points(text),
        width,
        initial_indent=first_indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace("\xa0", " ")  # no-break spaces are for ``textwrap`` only


def format_table(
    rows: Sequence[Sequence[str]], left_columns: int = 0, indent: str = "", width: int = LINE_WIDTH
) -> list[str]:
    """Return a table as lines of text, with aligned columns.

    Columns that do not fit into ``width`` form another table below, again with the first column at its left. If some
    column does not even fit beside the first one alone, each row takes two lines: its first cell, and below it the
    other cells.

    Args:
        rows: rows of equally many cells.
        left_columns: number of columns aligned to the left; the others are aligned to the right.
        indent: blanks in front of every line.
        width: characters in a line, with the indent.
    """
    columns = [_pad_column(column, index < left_columns) for index, column in enumerate(zip(*rows, strict=True))]
    if not columns:
        return []
    first_column, *other_columns = columns
    first_width = len(indent) + _column_width(first_column)
    max_other_width = max((_column_width(column) for column in other_columns), default=0)
    if other_columns and first_width + len(COLUMN_GAP) + max_other_width > width:
        return _format_in_two_lines(columns, indent)
    narrow_tables = _split_columns(first_column, other_columns, width - len(indent))
    lines = []
    for table_columns in narrow_tables:
        for cells in zip(*table_columns, strict=True):
            line = indent + COLUMN_GAP.join(cells)
            lines.append(line.rstrip())
    return lines


def _pad_column(cells: Sequence[str], is_left_aligned: bool) -> list[str]:
    """Return the cells of a column filled up with blanks to the width of the widest cell."""
    width = max(len(cell) for cell in cells)
    return [cell.ljust(width) if is_left_aligned else cell.rjust(width) for cell in cells]


def _column_width(padded_cells: Sequence[str]) -> int:
    """Return the number of characters in every cell of a column, whose cells are filled up with blanks."""
    return len(padded_cells[0])


def _format_in_two_lines(columns: Sequence[Sequence[str]], indent: str) -> list[str]:
    """Return a table as lines of text, two for each row: its first cell, and below it the other cells.

    Args:
        columns: the columns of the table, filled up with blanks.
        indent: blanks in front of every line.
    """
    lines = []
    for first_cell, *other_cells in zip(*columns, strict=True):
        lines.append(f"{indent}{first_cell}".rstrip())
        lines.append(f"{indent}{SECOND_LINE_INDENT}{COLUMN_GAP.join(other_cells)}".rstrip())
    return lines


def _split_columns(
    first_column: Sequence[str], other_columns: Sequence[Sequence[str]], width: int
) -> list[list[Sequence[str]]]:
    """Return the columns of tables that fit into a width; each table begins with the first column.

    Args:
        first_column: the cells of the first column, filled up with blanks.
        other_columns: the cells of the other columns, which are divided among the tables in their order.
        width: characters in a line.
    """
    tables = [[first_column]]
    for column in other_columns:
        last_table = tables[-1]
        width_with_gaps = sum(_column_width(table_column) + len(COLUMN_GAP) for table_column in last_table)
        fits = width_with_gaps + _column_width(column) <= width
        if not fits and len(last_table) > 1:  # a column that never fits stands beside the first one
            last_table = [first_column]
            tables.append(last_table)
        last_table.append(column)
    return tables


def escape_invisible(text: str) -> str:
    r"""Return text with every invisible character as an escape, such as ``\x1b``."""
    if not first_invisible(text):
        return text
    return "".join(character if _is_visible(character) else _escape_character(character) for character in text)


def _is_visible(character: str) -> bool:
    """Return whether a reader can see a character; an ordinary blank counts as visible."""
    return character.isprintable() and re.match(INVISIBLE, character) is None


def _escape_character(character: str) -> str:
    r"""Return a character as an escape, such as ``\x1b``."""
    return character.encode("unicode_escape").decode()


def title_problem(text: str, max_length: int = MAX_TITLE_LENGTH) -> str:
    """Return why a text cannot be a title, such as ``must not be empty``; "" if it can be one.

    The result is the end of a sentence that begins with the text.

    Args:
        text: the text.
        max_length: the most characters that are allowed.
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
    """Return why a text cannot be a name, such as ``must not be empty``; "" if it can be one.

    The result is the end of a sentence that begins with the text.

    Args:
        text: the text.
        separators: characters that are not allowed, because they stand between names elsewhere.
        max_length: the most characters that are allowed.
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
    """Return the folded form of a name, in which typed names are compared.

    Capital letters become small ones, and underscores and repeated blanks become one blank. So ``Full__House`` and
    ``full house`` have the same form, and so have the two Unicode spellings of a letter.
    """
    if not text.isascii():
        # Folding the case may produce characters that are not normalized, so this is done before and after it.
        folded = unicodedata.normalize("NFKC", text).casefold()
        text = unicodedata.normalize("NFKC", folded)
    words = text.lower().replace("_", " ").split()
    return " ".join(words)


def find_ambiguous_names(names: Iterable[str]) -> tuple[str, str] | None:
    """Return the first two names that ``fold_name`` makes equal, or None if there are none."""
    for first, second in combinations(names, 2):
        if fold_name(first) == fold_name(second):
            return first, second
    return None


def find_name(text: str, names: Sequence[str]) -> str | None:
    """Return the name that a user has typed, or None if there is none; names are compared as by ``fold_name``.

    Args:
        text: what was typed.
        names: the names that exist.
    """
    folded_input = fold_name(text)
    return next((name for name in names if fold_name(name) == folded_input), None)
