"""Pictures of solutions. A chart is data first (``Chart``); ``draw`` makes a file of it, ``terminal`` text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Chart:
    """What a picture shows, in the game's words.

    ``form``: "bars" (one value for each of ``labels``), "changes" (the series ``value`` and ``change``: how far each is
    from one of them), "lines" (``series`` over ``xs``), "map" (``grid`` over ``ys`` rows and ``xs`` columns) or
    "triangle" (places told by the first two, ``xs`` and ``ys``, of three numbers that add up to ``total``; ``series``
    has three shares that add up to one). ``unit`` names the values. Where lines and maps are NaN there is no number,
    which ``nothing`` explains; no line lies above its ``edge``.
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
    nothing: str = ""
    edge: tuple[float, ...] = ()
    total: float = 0.0


KINDS = {
    "regions": "two players: from how many points to bank, by both scores",
    "surface": "the chance to win, by both scores",
    "ternary": "three players: who is ahead, by the scores that add up to one total",
    "thresholds": "alone: from how many points to bank, by your score and dice left",
    "distribution": "every total and its chance",
    "keeps": "the value of each choice of a position, and what it costs",
    "sensitivity": "what a rule option changes: --vary OPTION, or OPTION=A,B for values of your own",
    "frontier": "what strategies lose, by how many numbers they take (--vary hold:300,hold:500: beside yours)",
}

__all__ = ["KINDS", "Chart"]
