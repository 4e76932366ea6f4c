"""Text that people give: what may stand in it, what a name may hold, and how what is typed finds its name.

Names of faces, categories, dice and feels stand in the ids of positions, on command lines, in game files and in lists.
So no name holds a mark that separates there, and no two names of one kind are told apart by what is not typed alike
everywhere: by small and capital letters, by blanks and underscores, or by two spellings of one letter.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import combinations

MAX_NAME_LENGTH, MAX_TITLE_LENGTH = 40, 80  # characters
LINE_WIDTH = 79  # of a line that people read
SEPARATORS = ",/=:"  # separate names in lists, ids, points and lines
INVISIBLE = (  # what Python takes for printable, and nobody sees: joiners, fillers, selectors of a letter's form
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def first_invisible(text: str) -> str:
    """The first character that cannot be seen, escaped: of control, of direction, without width; "" if there is none.

    Blanks other than the ordinary one, and halves of characters, count among them.
    """
    if text.isascii() and text.isprintable():
        return ""
    return next((_escape_character(mark) for mark in text if _escape_character(mark) != mark), "")


def bind_percent_signs(text: str) -> str:
    """Text in which no line ends between a number and its %."""
    return re.sub(r"(?<=\d) (?=%)", "\xa0", text)


def wrap_text(text: str, first_indent: str = "", indent: str = "", width: int = LINE_WIDTH) -> str:
    """Text in lines of so many columns, the first and the rest indented; a % stands on the line of its number."""
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
    """Rows of cells as lines, to the right but for so many columns on the left. Columns that do not fit on a line stand
    below the others, each time beside the first column; where that leaves no room for one, below the cell of it.
    """
    columns = [
        [f"{cell:{'<' if place < left_columns else '>'}{max(map(len, column))}}" for cell in column]
        for place, column in enumerate(zip(*rows, strict=True))
    ]
    if len(columns) > 1 and len(indent) + len(columns[0][0]) + 2 + max(len(one[0]) for one in columns[1:]) > width:
        return [
            f"{indent}{line}".rstrip()
            for first, *rest in zip(*columns, strict=True)
            for line in (first, f"    {'  '.join(rest)}")
        ]
    blocks = [columns[:1]]
    for column in columns[1:]:
        if len(indent) + sum(len(one[0]) + 2 for one in blocks[-1]) + len(column[0]) > width and len(blocks[-1]) > 1:
            blocks.append(columns[:1])
        blocks[-1].append(column)
    return [(indent + "  ".join(row)).rstrip() for block in blocks for row in zip(*block, strict=True)]


def escape_invisible(text: str) -> str:
    r"""Return the text with every character that cannot be seen as its escape, such as ``\x1b``."""
    return "".join(map(_escape_character, text)) if first_invisible(text) else text


def _escape_character(mark: str) -> str:
    if mark.isprintable() and not re.match(INVISIBLE, mark):
        return mark
    return mark.encode("unicode_escape").decode()


def title_problem(text: str, max_length: int = MAX_TITLE_LENGTH) -> str:
    """Why a text cannot be shown to people as it stands, to end a sentence that begins with it; "" if it can."""
    if hidden := first_invisible(text):
        return f"must not hold {hidden}, which cannot be seen"
    if not text.strip():
        return "must not be empty"
    if text != text.strip():
        return "must not begin or end with a blank"
    return f"has {len(text)} characters: up to {max_length} can be shown" if len(text) > max_length else ""


def name_problem(text: str, separators: str = SEPARATORS, max_length: int = MAX_NAME_LENGTH) -> str:
    """Why a text cannot be a name, to end a sentence that begins with it; "" if it can."""
    if found := next((mark for mark in text if mark in separators), ""):
        return f"must not hold {'blanks' if found == ' ' else found}, nor any of {' '.join(separators)}"
    if text and unicodedata.category(text[0]).startswith("M"):
        return "must not begin with a mark that stands on a letter"
    return title_problem(text, max_length)


def fold_name(text: str) -> str:
    """A name without what typing may change: the same for all names that cannot be told apart once typed."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(text.lower().replace("_", " ").split())


def find_ambiguous_names(names: Iterable[str]) -> tuple[str, str] | None:
    """The first two names that cannot be told apart once typed; None where all can."""
    return next((pair for pair in combinations(names, 2) if fold_name(pair[0]) == fold_name(pair[1])), None)


def find_name(typed: str, names: Sequence[str]) -> str | None:
    """Return the name that is typed; None where it is none of them."""
    wanted = fold_name(typed)
    return next((name for name in names if fold_name(name) == wanted), None)
