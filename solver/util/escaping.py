r"""How text stands in each format that we write: the one function that a format uses for text it did not make.

JSON, Parquet, Arrow, npz, GraphML and UMB are written by libraries, which do this themselves; a terminal and plain text
show text as it is, since what cannot be seen is refused where text is read.
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

FORMULA_PREFIXES = "=+-@＝＋－＠"  # what begins with these a spreadsheet takes for one
LATEX_ESCAPES = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
LATEX_ESCAPES |= {mark: f"\\{mark}" for mark in "&%$#_{}"}
LATEX_LIGATURE = re.compile(
    r"([-'`<>,])(?=\1)|[?!](?=`)|^(?=[\[*])"
)  # or an argument of what stands before, \item or \\
LATEX_ENCODINGS = ("latin-1", "iso8859-2", "iso8859-9")  # the letters of LaTeX's usual fonts


def escape_csv(text: str) -> str:
    """A cell of a table: what a spreadsheet would take for a formula stands after a ', which it takes for text.

    So does what begins with a ' itself: whoever takes one away from where a cell begins has the text.
    """
    return f"'{text}" if text.startswith((*FORMULA_PREFIXES, "'")) else text


def escape_markdown(text: str) -> str:
    """GitHub's Markdown, in a line and in the cell of a table."""
    text = re.sub(r"([\\`*_\[\]<>#|$~&])", r"\\\1", text)
    begins = re.match(r"(\d*)(?:[-+.)](?: |$)|[-=]+$)", text)  # a list, a heading, a rule
    return f"{begins[1]}\\{text[begins.end(1) :]}" if begins else text


def markdown_code(text: str) -> str:
    """Markdown's code: between more backticks than stand together in it."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{text}{fence}" if len(fence) == 1 else f"{fence} {text} {fence}"


def escape_latex(text: str) -> str:
    """LaTeX; letters that its usual fonts do not have as their escapes."""
    spelled = LATEX_LIGATURE.sub(r"\g<0>\0", "".join(map(_latex_letter, text)))  # a NUL, since text holds none
    return "".join(LATEX_ESCAPES.get(mark, mark) for mark in spelled).replace("\0", "{}")


def _latex_letter(mark: str) -> str:
    for codes in LATEX_ENCODINGS:
        try:
            mark.encode(codes)
        except UnicodeEncodeError:
            continue
        return mark
    return mark.encode("unicode_escape").decode()


def escape_pdf(text: str) -> str:
    """The characters that the built-in fonts of a PDF have, others as their escapes."""
    return text.encode("latin-1", "backslashreplace").decode("latin-1")


def escape_plot_label(text: str) -> str:
    """A label of matplotlib's, whose legends leave out what begins with a _ (``pictures`` sees to its mathematics)."""
    return f" {text}" if text.startswith("_") else text


def quote_dot(text: str) -> str:
    """A name or a label of Graphviz, in quotes."""
    return '"' + text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"') + '"'


def model_identifier(text: str) -> str:
    """A name as model checkers take it: letters, digits and underscores; letters of other alphabets by their number."""
    spelled = re.sub(r"[^\x00-\x7f]", lambda one: f"u{ord(one[0]):x}" if one[0].isalnum() else " ", text)
    return re.sub("[^0-9A-Za-z]+", "_", spelled).strip("_")


def escape_anki(text: str) -> str:
    r"""A field of Anki's, where [latex], [sound:...], \( and {{ mean something."""
    special = {"[": "&#91;", "{": "&#123;", "\\": "<span>&#92;</span>"}
    return "".join(special.get(mark, mark) for mark in html(text))


def escape_deck_name(text: str) -> str:
    """The name of a deck: :: would make decks within decks."""
    return re.sub(":(?=:)", ": ", text)
