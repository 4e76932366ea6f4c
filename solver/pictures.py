"""What pictures by matplotlib share (``pip install keepwise[plot]``): how they look; text is drawn as it is."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# Okabe and Ito's colours, which the colour-blind can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "keepwise",
    "text.parse_math": False,  # a $ is a $
}


@contextmanager
def drawing() -> Iterator[Any]:
    """``matplotlib.pyplot`` for files, in our style; letters that its font lacks are drawn as boxes, without a word."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plot

    with plot.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from", UserWarning)
        yield plot
