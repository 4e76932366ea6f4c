"""The look of pictures: colours, dice in several formats, and the style of matplotlib's plots.

Plots need matplotlib (``pip install keepwise[plot]``).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .escaping import html

# The colours of Okabe and Ito, which colour-blind people can distinguish.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
PLOT_STYLE = {  # settings of matplotlib
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "keepwise",  # fixed, so that equal plots are equal files
    "text.parse_math": False,  # a $ in a text is shown as it is
}

# By face, the cells of a 3 x 3 square that have a pip. Cells are numbered from 0 to 8, row by row from the top left.
PIP_CELLS = {"1": "4", "2": "26", "3": "246", "4": "0268", "5": "02468", "6": "023568"}
CODE_POINT_BEFORE_DICE = 0x267F  # Unicode has the dice ⚀ to ⚅ next to each other
DICE_CHARACTERS = {face: chr(CODE_POINT_BEFORE_DICE + int(face)) for face in PIP_CELLS}

# The picture of a die is a square of this size, with the centres of the pips 6, 12 and 18 units from its sides.
DIE_SIZE = 24
PIP_DISTANCE = 6
DICE_GAP = 2  # between two dice beside each other


def _pip_offset(cell: str) -> tuple[int, int]:
    """Return the distances of a pip's centre from the left and from the top of a die.

    Args:
        cell: the cell of the pip in a 3 x 3 square, from "0" to "8", row by row from the top left.
    """
    row, column = divmod(int(cell), 3)
    return PIP_DISTANCE * (column + 1), PIP_DISTANCE * (row + 1)


def _die_svg(face: str) -> str:
    """Return the elements of an SVG that draw a die which shows ``face``, "1" to "6"."""
    outline = '<rect x="1" y="1" width="22" height="22" rx="5" fill="#fff" stroke="#16202a" stroke-width="1.5"/>'
    pips = []
    for cell in PIP_CELLS[face]:
        left, top = _pip_offset(cell)
        pips.append(f'<circle cx="{left}" cy="{top}" r="2.2"/>')
    return outline + "".join(pips)


def _die_symbol(face: str) -> str:
    """Return a die as a symbol of SVG, which other SVGs of a page draw by its id: ``die5`` for the face "5"."""
    return f'<symbol id="die{face}" viewBox="0 0 24 24">{_die_svg(face)}</symbol>'


# HTML that a page with dice contains once: the symbols that ``dice_html`` refers to.
PIP_SYMBOLS = f'<svg class="hidden" aria-hidden="true">{"".join(map(_die_symbol, PIP_CELLS))}</svg>'


def dice_html(faces: Iterable[object]) -> str:
    """Return dice as HTML, with pips for the faces 1 to 6 and text for others; "" for no dice.

    The page must contain ``PIP_SYMBOLS``.
    """
    names = [str(face) for face in faces]
    if not names:
        return ""
    dice = "".join(_die_html(name) for name in names)
    label = html(" ".join(names))
    return f'<span class="dice" role="img" aria-label="{label}">{dice}</span>'


def _die_html(face: str) -> str:
    """Return one die as HTML, with pips for the faces 1 to 6 and text for others.

    The page must contain ``PIP_SYMBOLS``, from which the pips are drawn.
    """
    if face in PIP_CELLS:
        return f'<svg class="die" viewBox="0 0 24 24"><use href="#die{face}"/></svg>'
    return f'<span class="die">{html(face)}</span>'


def _has_only_pips(faces: Sequence[str]) -> bool:
    """Return whether all faces are "1" to "6", which are drawn with pips."""
    return all(face in PIP_CELLS for face in faces)


def dice_characters(faces: Sequence[str]) -> str | None:
    """Return dice as Unicode characters, or None if a face is not 1 to 6 or there are no dice."""
    if not faces or not _has_only_pips(faces):
        return None
    return " ".join(DICE_CHARACTERS[face] for face in faces)


def _latex_pips(face: str) -> str:
    """Return the commands that draw the pips of a die in LaTeX, such as ``\\pip{12}{12}``, for the face "1" to "6"."""
    pips = []
    for cell in PIP_CELLS[face]:
        left, top = _pip_offset(cell)
        bottom = DIE_SIZE - top  # LaTeX counts heights from the bottom
        pips.append(rf"\pip{{{left}}}{{{bottom}}}")
    return "".join(pips)


# Lines of a LaTeX document that define \die{5} and so on, with LaTeX's own picture commands only.
LATEX_DICE = (
    r"\renewcommand{\arraystretch}{1.25}\setlength{\unitlength}{0.045em}\newcommand{\pip}[2]{\put(#1,#2){\circle*{5}}}",
    r"\newcommand{\die}[1]{\begin{picture}(26,24)(0,5)\put(0,0){\framebox(24,24){}}\csname die#1\endcsname",
    r"\end{picture}}",
    *(rf"\expandafter\def\csname die{face}\endcsname{{{_latex_pips(face)}}}" for face in PIP_CELLS),
)


def latex_dice(faces: Sequence[str]) -> str | None:
    r"""Return dice in LaTeX, such as ``\die{5}\die{2}``, or None if a face is not 1 to 6 or there are no dice.

    The document must contain ``LATEX_DICE``, which defines the command.
    """
    if not faces or not _has_only_pips(faces):
        return None
    return "".join(rf"\die{{{face}}}" for face in faces)


def dice_svg(faces: Sequence[str]) -> str | None:
    """Return dice as an SVG document, or None if a face is not 1 to 6."""
    if not _has_only_pips(faces):
        return None
    distance = DIE_SIZE + DICE_GAP  # from the left side of a die to that of the next one
    dice = "".join(
        f'<g transform="translate({distance * index} 0)">{_die_svg(face)}</g>' for index, face in enumerate(faces)
    )
    width = distance * len(faces) - DICE_GAP  # no gap after the last die
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 24" width="{width}" height="24">{dice}</svg>'


@contextmanager
def pyplot_in_style() -> Iterator[Any]:
    """Yield ``matplotlib.pyplot`` for drawing into files, with the settings of ``PLOT_STYLE``.

    Within the context it does not warn of letters that its font lacks.
    """
    import matplotlib

    matplotlib.use("Agg")  # draws into files, without a screen
    import matplotlib.pyplot as plot

    with plot.rc_context(PLOT_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from", UserWarning)
        yield plot
