r"""Escaping of text in output formats: one function for each format.

JSON, Parquet, Arrow, npz, GraphML and UMB need none, because their libraries escape. Terminals and plain text show text
unchanged, because text with invisible characters is refused when it is read.
"""

from __future__ import annotations

import re
from html import escape as html

__all__ = [
    "escape_anki",
    "escape_csv",
    "escape_deck_name",
    "escape_latex",
    "escape_markdown",
    "escape_pdf",
    "escape_plot_label",
    "html",
    "markdown_code",
    "model_identifier",
    "quote_dot",
]

MARKDOWN_MARK = re.compile(r"([\\`*_\[\]<>#|$~&])")
# A mark at the beginning of a text that makes it a list, a heading or a rule; in a numbered list after the number.
MARKDOWN_BLOCK_START = re.compile(r"(?P<number>\d*)(?:[-+.)](?: |$)|[-=]+$)")
FORMULA_PREFIXES = "=+-@＝＋－＠"  # a spreadsheet takes a cell that begins with one of these for a formula
LATEX_ESCAPES = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
LATEX_ESCAPES |= {character: f"\\{character}" for character in "&%$#_{}"}
# Characters that would join the next one in a ligature, or would be read as the argument of a command before the text.
LATEX_LIGATURE = re.compile(r"([-'`<>,])(?=\1)|[?!](?=`)|^(?=[\[*])")
LATEX_ENCODINGS = ("latin-1", "iso8859-2", "iso8859-9")  # the letters of LaTeX's usual fonts


def escape_csv(text: str) -> str:
    """Return text for a cell of a spreadsheet, with an apostrophe in front if it would be taken for a formula.

    Text that begins with an apostrophe gets one more. So removing one from the beginning of a cell restores the text.
    """
    return f"'{text}" if text.startswith((*FORMULA_PREFIXES, "'")) else text


def escape_markdown(text: str) -> str:
    """Return text for GitHub's Markdown, in a line or in a table cell.

    A backslash is put before characters that have a meaning anywhere, and before the mark that would begin a list, a
    heading or a rule: ``1. e4`` becomes ``1\\. e4``.
    """
    escaped = MARKDOWN_MARK.sub(r"\\\1", text)
    block_start = MARKDOWN_BLOCK_START.match(escaped)  # a match at the beginning only
    if block_start is None:
        return escaped
    number = block_start["number"]  # of an item of a numbered list; otherwise empty
    return f"{number}\\{escaped[len(number) :]}"


def markdown_code(text: str) -> str:
    """Return text as code in Markdown, between runs of backticks that are longer than any run of them in the text."""
    longest_run = max((len(run) for run in re.findall("`+", text)), default=0)
    if longest_run == 0:
        return f"`{text}`"
    fence = "`" * (longest_run + 1)
    return f"{fence} {text} {fence}"  # the blanks keep backticks at the ends of the text apart


def escape_latex(text: str) -> str:
    """Return text for LaTeX; letters that its usual fonts lack become escapes such as ``\\u03b1``.

    Characters that would be joined in a ligature, such as two hyphens, are separated by ``{}``.
    """
    letters = "".join(map(_latex_letter, text))
    # A NUL, which no text contains, stands for {} until the braces of the text have been escaped.
    separated = LATEX_LIGATURE.sub(r"\g<0>\0", letters)
    escaped = "".join(LATEX_ESCAPES.get(character, character) for character in separated)
    return escaped.replace("\0", "{}")


def _latex_letter(character: str) -> str:
    """Return a character if LaTeX's usual fonts have it, otherwise an escape such as ``\\u03b1``."""
    for encoding in LATEX_ENCODINGS:
        try:
            character.encode(encoding)
        except UnicodeEncodeError:
            continue
        return character
    return character.encode("unicode_escape").decode()


def escape_pdf(text: str) -> str:
    """Return text for the built-in fonts of a PDF; characters that they lack become escapes such as ``\\u03b1``."""
    return text.encode("latin-1", "backslashreplace").decode("latin-1")


def escape_plot_label(text: str) -> str:
    """Return text for a label of matplotlib, with a blank before a leading _: legends leave out such labels."""
    return f" {text}" if text.startswith("_") else text


def quote_dot(text: str) -> str:
    """Return text as a quoted name or label in the DOT language of Graphviz."""
    return '"' + text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"') + '"'


def model_identifier(text: str) -> str:
    """Return text as a name for model checkers, which allow ASCII letters, digits and underscores.

    Other letters become their code points in hexadecimal, and all else becomes an underscore: ``Zehn + Ä`` becomes
    ``Zehn_uc4``.
    """
    words = []
    for character in text:
        if character.isascii():
            words.append(character)
        elif character.isalnum():
            words.append(f"u{ord(character):x}")
        else:
            words.append(" ")
    return re.sub("[^0-9A-Za-z]+", "_", "".join(words)).strip("_")


def escape_anki(text: str) -> str:
    r"""Return text for a field of Anki: as HTML, and with escapes for [ and { and \.

    Otherwise [latex], [sound:...], {{ and \( would have a meaning there.
    """
    escapes = {"[": "&#91;", "{": "&#123;", "\\": "<span>&#92;</span>"}
    return "".join(escapes.get(character, character) for character in html(text))


def escape_deck_name(text: str) -> str:
    """Return text as the name of an Anki deck, with a blank in each ``::``, which would make a deck inside a deck."""
    return re.sub(":(?=:)", ": ", text)
