"""Charts of solved problems.

``make.make_chart`` computes a chart as data (``Chart``). ``draw.write_chart`` draws it into a file with matplotlib, and
``terminal.draw_text`` as text. The kinds of push-your-luck games are in ``races``, all others in ``make`` and
``frontier``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Chart:
    """The data of a picture, in the game's words.

    ``form`` is one of:

    * "bars": one value for each of ``labels``.
    * "changes": for each of ``labels`` the series ``value``, and ``change``, the difference from a reference value.
    * "lines": ``series`` over ``xs``.
    * "map": ``grid``, with a row for each of ``ys`` and a column for each of ``xs``.
    * "matrix": ``grid``, with a row and a column for each of ``labels``.
    * "triangle": points whose three coordinates add up to ``total``, of which ``xs`` and ``ys`` are the first two.
      ``series`` has three shares for each point, which add up to one.

    Attributes:
        title: the title.
        form: how the data is drawn.
        x: the label of the x axis.
        y: the label of the y axis.
        unit: the unit of the values; it begins with "chance" for probabilities.
        note: sentences below the picture.
        labels: the names of bars, or of the rows and columns of a matrix.
        xs: positions along the x axis.
        ys: positions along the y axis.
        series: values by name.
        grid: the values of a map or of a matrix.
        missing_label: what a missing value (NaN) means in lines and maps.
        edge: an upper limit of all lines, by ``xs``.
        total: the sum of the coordinates of a triangle.
    """

    title: str
    form: str
    x: str
    y: str
    unit: str
    note: str = ""
    labels: tuple[str, ...] = ()
    xs: tuple[float, ...] = ()
    ys: tuple[float, ...] = ()
    series: dict[str, tuple[float, ...]] = field(default_factory=dict)
    grid: NDArray[Any] | None = None
    missing_label: str = ""
    edge: tuple[float, ...] = ()
    total: float = 0.0


KINDS = {
    "regions": "two players: the turn points from which to bank, for each pair of scores",
    "surface": "the chance to win, by both scores",
    "ternary": "three players: who is most likely to win, by scores with a given sum",
    "thresholds": "one player: the turn points from which to bank, by your score and dice left",
    "distribution": "the chance of every total",
    "keeps": "the value of each choice in a position, and what it costs",
    "sensitivity": "the effect of a rule option: --vary OPTION, or OPTION=A,B for values of your own",
    "frontier": "what strategies lose that use 1, 2, 3 or more numbers (--vary hold:300,hold:500 adds policies)",
}
MATCHUPS = "matchups"  # a chart of hands of dice, which is not of one solved problem (``dice_matchups``)

__all__ = ["KINDS", "MATCHUPS", "Chart"]
