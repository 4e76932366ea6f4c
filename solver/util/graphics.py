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
PLOT_STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "keepwise",
    "text.parse_math": False,  # a $ is no markup
}

# By face, the cells of a 3 x 3 square that have a pip.
PIP_CELLS = {"1": "4", "2": "26", "3": "246", "4": "0268", "5": "02468", "6": "023568"}
DICE_CHARACTERS = {face: chr(0x267F + int(face)) for face in PIP_CELLS}  # ⚀ to ⚅


def _die_svg(face: str) -> str:
    pips = "".join(
        f'<circle cx="{6 + 6 * (int(cell) % 3)}" cy="{6 + 6 * (int(cell) // 3)}" r="2.2"/>' for cell in PIP_CELLS[face]
    )
    outline = '<rect x="1" y="1" width="22" height="22" rx="5" fill="#fff" stroke="#16202a" stroke-width="1.5"/>'
    return outline + pips


def _die_symbol(face: str) -> str:
    return f'<symbol id="die{face}" viewBox="0 0 24 24">{_die_svg(face)}</symbol>'


# A page that draws dice has this once.
PIP_SYMBOLS = f'<svg class="hidden" aria-hidden="true">{"".join(map(_die_symbol, PIP_CELLS))}</svg>'


def dice_html(faces: Iterable[object]) -> str:
    """Return dice as HTML, with pips for faces 1 to 6 and text for others; needs ``PIP_SYMBOLS`` in the page."""
    names = [*map(str, faces)]
    if not names:
        return ""
    dice = (
        f'<svg class="die" viewBox="0 0 24 24"><use href="#die{name}"/></svg>'
        if name in PIP_CELLS
        else f'<span class="die">{html(name)}</span>'
        for name in names
    )
    return f'<span class="dice" role="img" aria-label="{html(" ".join(names))}">{"".join(dice)}</span>'


def _has_only_pips(faces: Sequence[str]) -> bool:
    return PIP_CELLS.keys() >= {*faces}


def dice_characters(faces: Sequence[str]) -> str | None:
    """Return dice as Unicode characters, or None if a face is not 1 to 6 or there are no dice."""
    return " ".join(DICE_CHARACTERS[face] for face in faces) if faces and _has_only_pips(faces) else None


# Defines \die{5} in LaTeX, with its own picture commands only.
LATEX_DICE = (
    r"\renewcommand{\arraystretch}{1.25}\setlength{\unitlength}{0.045em}\newcommand{\pip}[2]{\put(#1,#2){\circle*{5}}}",
    r"\newcommand{\die}[1]{\begin{picture}(26,24)(0,5)\put(0,0){\framebox(24,24){}}\csname die#1\endcsname",
    r"\end{picture}}",
    *(
        rf"\expandafter\def\csname die{face}\endcsname{{"
        + "".join(rf"\pip{{{6 + 6 * (int(cell) % 3)}}}{{{18 - 6 * (int(cell) // 3)}}}" for cell in pips)
        + "}"
        for face, pips in PIP_CELLS.items()
    ),
)


def latex_dice(faces: Sequence[str]) -> str | None:
    """Return dice for a document with ``LATEX_DICE``, or None if a face is not 1 to 6 or there are no dice."""
    return "".join(rf"\die{{{face}}}" for face in faces) if faces and _has_only_pips(faces) else None


def dice_svg(faces: Sequence[str]) -> str | None:
    """Return dice as an SVG document, or None if a face is not 1 to 6."""
    if not _has_only_pips(faces):
        return None
    dice = "".join(f'<g transform="translate({26 * index} 0)">{_die_svg(face)}</g>' for index, face in enumerate(faces))
    width = 26 * len(faces) - 2
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 24" width="{width}" height="24">{dice}</svg>'


@contextmanager
def pyplot_in_style() -> Iterator[Any]:
    """Yield ``matplotlib.pyplot`` for files, in our style; it does not warn of letters that its font lacks."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plot

    with plot.rc_context(PLOT_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from", UserWarning)
        yield plot
