"""How pictures look: colours, dice for pages, and what matplotlib's share (``pip install keepwise[plot]``)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .escaping import html

# Okabe and Ito's colours, which the colour-blind can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "keepwise",
    "text.parse_math": False,  # a $ is a $
}

# Where the pips of a die stand, on a square of three by three.
PIP_CELLS = {"1": "4", "2": "26", "3": "246", "4": "0268", "5": "02468", "6": "023568"}
DICE_CHARACTERS = {face: chr(0x267F + int(face)) for face in PIP_CELLS}  # ⚀ to ⚅


def _die_svg(face: str) -> str:
    pips = "".join(
        f'<circle cx="{6 + 6 * (int(at) % 3)}" cy="{6 + 6 * (int(at) // 3)}" r="2.2"/>' for at in PIP_CELLS[face]
    )
    around = '<rect x="1" y="1" width="22" height="22" rx="5" fill="#fff" stroke="#16202a" stroke-width="1.5"/>'
    return around + pips


def _die_symbol(face: str) -> str:
    return f'<symbol id="die{face}" viewBox="0 0 24 24">{_die_svg(face)}</symbol>'


# Stands once in a page that draws dice.
PIP_SYMBOLS = f'<svg class="hidden" aria-hidden="true">{"".join(map(_die_symbol, PIP_CELLS))}</svg>'


def dice_html(faces: Iterable[object]) -> str:
    """Dice as they lie, for HTML: those of 1 to 6 with their pips, others with what they show."""
    told = [*map(str, faces)]
    drawn = (
        f'<svg class="die" viewBox="0 0 24 24"><use href="#die{one}"/></svg>'
        if one in PIP_CELLS
        else f'<span class="die">{html(one)}</span>'
        for one in told
    )
    return f'<span class="dice" role="img" aria-label="{html(" ".join(told))}">{"".join(drawn)}</span>' if told else ""


def dice_characters(faces: Sequence[str]) -> str | None:
    """Dice as characters; None where one of them shows anything else than 1 to 6."""
    return " ".join(DICE_CHARACTERS[face] for face in faces) if faces and PIP_CELLS.keys() >= {*faces} else None


# What draws \die{5} in LaTeX, by its own pictures alone.
LATEX_DICE = (
    r"\renewcommand{\arraystretch}{1.25}\setlength{\unitlength}{0.045em}\newcommand{\pip}[2]{\put(#1,#2){\circle*{5}}}",
    r"\newcommand{\die}[1]{\begin{picture}(26,24)(0,5)\put(0,0){\framebox(24,24){}}\csname die#1\endcsname",
    r"\end{picture}}",
    *(
        rf"\expandafter\def\csname die{face}\endcsname{{"
        + "".join(rf"\pip{{{6 + 6 * (int(at) % 3)}}}{{{18 - 6 * (int(at) // 3)}}}" for at in pips)
        + "}"
        for face, pips in PIP_CELLS.items()
    ),
)


def latex_dice(faces: Sequence[str]) -> str | None:
    """Dice in a document that holds ``LATEX_DICE``; None where one of them shows anything else than 1 to 6."""
    return "".join(rf"\die{{{face}}}" for face in faces) if faces and PIP_CELLS.keys() >= {*faces} else None


def dice_svg(faces: Sequence[str]) -> str | None:
    """Dice as an SVG of its own; None where one of them shows anything else than 1 to 6."""
    if not PIP_CELLS.keys() >= {*faces}:
        return None
    drawn = "".join(f'<g transform="translate({26 * at} 0)">{_die_svg(face)}</g>' for at, face in enumerate(faces))
    wide = 26 * len(faces) - 2
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} 24" width="{wide}" height="24">{drawn}</svg>'


@contextmanager
def pyplot_in_style() -> Iterator[Any]:
    """``matplotlib.pyplot`` for files, in our style; letters that its font lacks are drawn as boxes, without a word."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plot

    with plot.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from", UserWarning)
        yield plot
