"""Draw charts into png, svg or pdf files with matplotlib (``pip install keepwise[plot]``).

``DRAWERS`` maps the form of a chart to the function that draws it.
"""

from __future__ import annotations

import math
import os
import textwrap
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...storage.files import check_writable, write_atomically
from ...util.errors import InputError
from ...util.escaping import escape_plot_label
from ...util.graphics import COLOURS, pyplot_in_style
from ...util.optional_imports import require_library
from . import Chart
from .make import format_change, format_chart_value, is_probability

CHART_ENDINGS = ("png", "svg", "pdf")
MARKERS = "osD^vPX*"  # lines differ by marker and by colour
EVEN = 0.5  # the middle of the colours of a matrix
DARK_SHARE = 0.7  # of the largest distance from it: cells beyond have white numbers
MAX_NUMBERED_ROWS = 20  # a larger matrix has no numbers
MAX_MARKED_POINTS = 80  # lines with more points have no markers


def write_chart(chart: Chart, path: str | os.PathLike[str]) -> None:
    """Draw a chart into a file; the file name's ending decides the format.

    Raises:
        InputError: another ending, no matplotlib, or a path that cannot be written.
    """
    check_chart_path(path)
    with pyplot_in_style() as plot:
        height = max(4.8, 0.26 * len(chart.labels) + 1.6) if chart.labels else 5.4
        figure, axes = plot.subplots(figsize=(8, height), layout="constrained")
        DRAWERS[chart.form](chart, figure, axes)
        axes.set_title(chart.title, loc="left", fontweight="bold")
        figure.supxlabel("\n".join(textwrap.wrap(chart.note, 120)), fontsize=7, x=0.01, ha="left")
        with write_atomically(path) as file:
            figure.savefig(file, format=_ending(path), dpi=150)
        plot.close(figure)


def check_chart_path(path: str | os.PathLike[str]) -> None:
    """Raise InputError if no chart can be written to a path, because of its ending, rights, or no matplotlib."""
    if _ending(path) not in CHART_ENDINGS:
        raise InputError(f"{path} must end in .png, .svg or .pdf")
    require_library("matplotlib", "pictures need matplotlib", "plot")
    check_writable(path)


def _ending(path: str | os.PathLike[str]) -> str:
    return Path(path).suffix.lstrip(".").lower()


def _show_percent(axis: Any) -> None:
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(1.0))


def _draw_bars(chart: Chart, figure: Any, axes: Any) -> None:
    """Draw a horizontal bar for each value, the first at the top."""
    (values,) = chart.series.values()
    heights = np.arange(len(values))[::-1]
    bars = axes.barh(heights, values, color=COLOURS[0])
    axes.bar_label(bars, [format_chart_value(chart, value) for value in values], padding=3, fontsize=8)
    axes.margins(x=0.1)
    axes.set_yticks(heights, chart.labels)
    axes.set_xlabel(chart.unit)
    if is_probability(chart):
        _show_percent(axes.xaxis)


def _draw_changes(chart: Chart, figure: Any, axes: Any) -> None:
    """Draw a bar to the left or right for each difference from the reference value."""
    changes = chart.series["change"]
    heights = np.arange(len(chart.labels))[::-1]
    bars = axes.barh(heights, changes, color=[COLOURS[0] if change >= 0 else COLOURS[1] for change in changes])
    labels = [
        f"{format_chart_value(chart, value)}  {format_change(chart, change)}".strip()
        for value, change in zip(chart.series["value"], changes, strict=True)
    ]
    axes.bar_label(bars, labels, padding=3, fontsize=8)
    axes.margins(x=0.4)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(heights, chart.labels)
    axes.set_xlabel(chart.y)
    if is_probability(chart):
        _show_percent(axes.xaxis)


def _draw_lines(chart: Chart, figure: Any, axes: Any) -> None:
    """Draw each series as a line, interrupted where scores are impossible."""
    has_markers = len(chart.xs) <= MAX_MARKED_POINTS
    steps = np.diff(chart.xs)
    gaps = np.flatnonzero(steps > 3 * np.median(steps)) + 1  # no score in between is possible
    xs = np.insert(np.array(chart.xs, float), gaps, np.nan)
    for number, (name, values) in enumerate(chart.series.items()):
        axes.plot(
            xs,
            np.insert(np.array(values, float), gaps, np.nan),
            color=COLOURS[number % len(COLOURS)],
            marker=MARKERS[number % len(MARKERS)] if has_markers else "",
            markersize=3,
            label=escape_plot_label(name),
        )
    if chart.edge:
        axes.plot(chart.xs, chart.edge, color="#777777", linestyle=":", label=chart.missing_label)
    axes.set_xlabel(chart.x)
    axes.set_ylabel(chart.y)
    numbers = (value for values in chart.series.values() for value in values if not math.isnan(value))
    axes.set_ylim(0, 1.08 * max(numbers, default=1.0))
    if is_probability(chart):
        _show_percent(axes.yaxis)
    if len(chart.series) > 1 or chart.edge:
        axes.legend(frameon=False)


def _draw_map(chart: Chart, figure: Any, axes: Any) -> None:
    """Draw a grid of coloured cells; probabilities get contour lines, and missing values are grey."""
    assert chart.grid is not None
    mesh = axes.pcolormesh(chart.xs, chart.ys, chart.grid, cmap="cividis", shading="nearest")
    bar = figure.colorbar(mesh, ax=axes, label=chart.unit)
    if is_probability(chart):
        _show_percent(bar.ax.yaxis)
        contours = axes.contour(chart.xs, chart.ys, chart.grid, colors="white", linewidths=0.6)
        axes.clabel(contours, fontsize=7, fmt=lambda value: f"{100 * value:.0f}%")
    axes.set_xlim(left=chart.xs[0])  # the first cells would reach below the first score
    axes.set_ylim(bottom=chart.ys[0])
    if chart.missing_label:
        axes.set_facecolor("#eeeeee")
        axes.plot([], [], "s", color="#eeeeee", markeredgecolor="#777777", label=chart.missing_label)
        axes.legend(loc="upper left", fontsize=8, framealpha=0.9)
    axes.set_xlabel(chart.x)
    axes.set_ylabel(chart.y)


def _draw_matrix(chart: Chart, figure: Any, axes: Any) -> None:
    """Draw a grid of coloured cells with a name for each row and column, the first row at the top."""
    assert chart.grid is not None
    count = len(chart.labels)
    spread = max(0.01, float(np.abs(chart.grid - EVEN).max()))
    image = axes.imshow(chart.grid, aspect="auto", cmap="PuOr", vmin=EVEN - spread, vmax=EVEN + spread)
    _show_percent(figure.colorbar(image, ax=axes, label=chart.unit).ax.yaxis)
    names = [escape_plot_label(label) for label in chart.labels]
    axes.set_xticks(range(count), names, rotation=45, ha="right", fontsize=8)
    axes.set_yticks(range(count), names, fontsize=8)
    axes.set_xlabel(chart.x)
    axes.set_ylabel(chart.y)
    if count > MAX_NUMBERED_ROWS:
        return
    for (row, column), value in np.ndenumerate(chart.grid):
        is_dark = abs(value - EVEN) > DARK_SHARE * spread
        axes.text(
            column,
            row,
            f"{100 * value:.0f}",
            ha="center",
            va="center",
            fontsize=8,
            color="white" if is_dark else "black",
        )


class CornerText(NamedTuple):
    """Where the text at a corner of a triangle stands: an offset in points, and its alignment to the corner."""

    offset: float
    vertical: str
    horizontal: str


CORNER_TEXTS = (
    CornerText(10, "bottom", "center"),
    CornerText(-10, "top", "right"),
    CornerText(-10, "top", "left"),
)


def _draw_triangle(chart: Chart, figure: Any, axes: Any) -> None:
    """Draw points in barycentric coordinates, each in the players' colours mixed by their shares.

    At a corner of the triangle one player has all points.
    """
    from matplotlib.colors import to_rgb

    first, second = np.array(chart.xs), np.array(chart.ys)
    third = chart.total - first - second
    shares = np.array(list(chart.series.values()))
    pure_colours = np.array([to_rgb(colour) for colour in COLOURS[:3]])
    colours = (shares[:, :, None] * pure_colours[:, None, :]).sum(axis=0).clip(0.0, 1.0)
    x, y = (third - second) / 2, first * np.sqrt(3) / 2
    steps = np.unique(first)
    step = float(np.diff(steps).min()) if len(steps) > 1 else 1.0
    axes.set_aspect("equal")
    axes.set_axis_off()
    side = max(float(np.ptp(x)), float(np.ptp(y)), step)
    axes.scatter(x, y, c=colours, marker="h", s=(260 * step / side) ** 2)
    for name, colour, scores, text in zip(chart.series, COLOURS, (first, second, third), CORNER_TEXTS, strict=False):
        highest = np.flatnonzero(scores == scores.max())
        corner = highest[len(highest) // 2]
        axes.annotate(
            f"{name}\n{first[corner]:,.0f} : {second[corner]:,.0f} : {third[corner]:,.0f}",
            (x[corner], y[corner]),
            xytext=(0, text.offset),
            textcoords="offset points",
            va=text.vertical,
            ha=text.horizontal,
            color=colour,
            fontweight="bold",
        )
    axes.margins(0.15)
    _draw_colour_key(chart, axes.inset_axes((0.9, 0.68, 0.28, 0.28)), pure_colours)


def _draw_colour_key(chart: Chart, axes: Any, pure_colours: NDArray[Any]) -> None:
    """Draw a small triangle with the colours of all shares, in steps of a tenth."""
    shares = np.array([(a, b, 10 - a - b) for a in range(11) for b in range(11 - a)]) / 10
    colours = (shares[:, :, None] * pure_colours).sum(axis=1).clip(0, 1)
    axes.scatter((shares[:, 2] - shares[:, 1]) / 2, shares[:, 0] * np.sqrt(3) / 2, c=colours, s=22)
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.margins(0.2)
    axes.set_title(chart.unit, fontsize=8)
    corners = ((0, 1, "bottom"), (-0.55, -0.08, "top"), (0.55, -0.08, "top"))
    for colour, (x, y, vertical) in zip(COLOURS, corners, strict=False):
        axes.text(x, y * 0.93, "100%", fontsize=7, color=colour, va=vertical, ha="center")
    axes.annotate(
        "a third each", (0, np.sqrt(3) / 6), (0.35, 0.6), fontsize=7, arrowprops={"arrowstyle": "-", "lw": 0.6}
    )


DRAWERS = {
    "bars": _draw_bars,
    "changes": _draw_changes,
    "lines": _draw_lines,
    "map": _draw_map,
    "matrix": _draw_matrix,
    "triangle": _draw_triangle,
}
