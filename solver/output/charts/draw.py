"""Charts as files: png, svg or pdf, with matplotlib (``pip install keepwise[plot]``)."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...storage.files import check_writable, write_atomically
from ...util.errors import InputError
from ...util.escaping import escape_plot_label
from ...util.graphics import COLOURS, pyplot_in_style
from ...util.optional_imports import require_library
from . import Chart
from .make import change_in_words, in_words

ENDINGS = ("png", "svg", "pdf")
MARKS = "osD^vPX*"  # each line has one of its own beside its colour


def write_chart(chart: Chart, path: str | os.PathLike[str]) -> None:
    """Draw a chart into a file of the kind that its ending names.

    Raises:
        InputError: another ending, no matplotlib, or a place that cannot be written.
    """
    check_place(path)
    with pyplot_in_style() as plot:
        height = max(4.8, 0.26 * len(chart.labels) + 1.6) if chart.labels else 5.4
        figure, axes = plot.subplots(figsize=(8, height), layout="constrained")
        FORMS[chart.form](chart, figure, axes)
        axes.set_title(chart.title, loc="left", fontweight="bold")
        figure.supxlabel("\n".join(textwrap.wrap(chart.note, 120)), fontsize=7, x=0.01, ha="left")
        with write_atomically(path) as file:
            figure.savefig(file, format=_ending(path), dpi=150)
        plot.close(figure)


def check_place(path: str | os.PathLike[str]) -> None:
    """Raise InputError where no chart can be written: another ending, no matplotlib, or a place that is none."""
    if _ending(path) not in ENDINGS:
        raise InputError(f"{path} must end in .png, .svg or .pdf")
    require_library("matplotlib", "pictures need matplotlib", "plot")
    check_writable(path)


def _ending(path: str | os.PathLike[str]) -> str:
    return Path(path).suffix.lstrip(".").lower()


def _percent(axis: Any) -> None:
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(1.0))


def _bars(chart: Chart, figure: Any, axes: Any) -> None:
    (values,) = chart.series.values()
    places = np.arange(len(values))[::-1]
    drawn = axes.barh(places, values, color=COLOURS[0])
    axes.bar_label(drawn, [in_words(chart, value) for value in values], padding=3, fontsize=8)
    axes.margins(x=0.1)
    axes.set_yticks(places, chart.labels)
    axes.set_xlabel(chart.unit)
    if chart.unit.startswith("chance"):
        _percent(axes.xaxis)


def _changes(chart: Chart, figure: Any, axes: Any) -> None:
    changes, places = chart.series["change"], np.arange(len(chart.labels))[::-1]
    drawn = axes.barh(places, changes, color=[COLOURS[0] if change >= 0 else COLOURS[1] for change in changes])
    words = zip(chart.series["value"], changes, strict=True)
    told = [f"{in_words(chart, value)}  {change_in_words(chart, change)}".strip() for value, change in words]
    axes.bar_label(drawn, told, padding=3, fontsize=8)
    axes.margins(x=0.4)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(places, chart.labels)
    axes.set_xlabel(chart.y)
    if chart.unit.startswith("chance"):
        _percent(axes.xaxis)


def _lines(chart: Chart, figure: Any, axes: Any) -> None:
    many, steps = len(chart.xs) > 80, np.diff(chart.xs)
    holes = np.flatnonzero(steps > 3 * np.median(steps)) + 1  # nothing can stand there
    xs = np.insert(np.array(chart.xs, float), holes, np.nan)
    for number, (name, values) in enumerate(chart.series.items()):
        mark, broken = "" if many else MARKS[number % len(MARKS)], np.insert(np.array(values, float), holes, np.nan)
        axes.plot(
            xs, broken, color=COLOURS[number % len(COLOURS)], marker=mark, markersize=3, label=escape_plot_label(name)
        )
    if chart.edge:
        axes.plot(chart.xs, chart.edge, color="#777777", linestyle=":", label=chart.nothing)
    axes.set_xlabel(chart.x)
    axes.set_ylabel(chart.y)
    highest = max((value for values in chart.series.values() for value in values if value == value), default=1.0)
    axes.set_ylim(0, 1.08 * highest)
    if chart.unit.startswith("chance"):
        _percent(axes.yaxis)
    if len(chart.series) > 1 or chart.edge:
        axes.legend(frameon=False)


def _map(chart: Chart, figure: Any, axes: Any) -> None:
    assert chart.grid is not None
    drawn = axes.pcolormesh(chart.xs, chart.ys, chart.grid, cmap="cividis", shading="nearest")
    bar = figure.colorbar(drawn, ax=axes, label=chart.unit)
    if chart.unit.startswith("chance"):
        _percent(bar.ax.yaxis)
        lines = axes.contour(chart.xs, chart.ys, chart.grid, colors="white", linewidths=0.6)
        axes.clabel(lines, fontsize=7, fmt=lambda value: f"{100 * value:.0f} %")
    if chart.nothing:
        axes.set_facecolor("#eeeeee")
        axes.plot([], [], "s", color="#eeeeee", markeredgecolor="#777777", label=chart.nothing)
        axes.legend(loc="upper left", fontsize=8, framealpha=0.9)
    axes.set_xlabel(chart.x)
    axes.set_ylabel(chart.y)


def _triangle(chart: Chart, figure: Any, axes: Any) -> None:
    """Every place in a triangle whose corners are all points with one player, in the players' colours, mixed."""
    from matplotlib.colors import to_rgb

    first, second = np.array(chart.xs), np.array(chart.ys)
    third = chart.total - first - second
    shares = np.array(list(chart.series.values()))
    pure = np.array([to_rgb(colour) for colour in COLOURS[:3]])
    colours = (shares[:, :, None] * pure[:, None, :]).sum(axis=0).clip(0.0, 1.0)
    across, up = (third - second) / 2, first * np.sqrt(3) / 2
    steps = np.unique(first)
    step = float(np.diff(steps).min()) if len(steps) > 1 else 1.0
    axes.set_aspect("equal")
    axes.set_axis_off()
    side = max(float(np.ptp(across)), float(np.ptp(up)), step)
    axes.scatter(across, up, c=colours, marker="h", s=(260 * step / side) ** 2)
    corners = ((first, 10, "bottom", "center"), (second, -10, "top", "right"), (third, -10, "top", "left"))
    for name, colour, (scores, off, vertical, horizontal) in zip(chart.series, COLOURS, corners, strict=False):
        most = np.flatnonzero(scores == scores.max())
        most = most[len(most) // 2]
        axes.annotate(
            f"{name}\n{first[most]:,.0f} : {second[most]:,.0f} : {third[most]:,.0f}",
            (across[most], up[most]),
            xytext=(0, off),
            textcoords="offset points",
            va=vertical,
            ha=horizontal,
            color=colour,
            fontweight="bold",
        )
    axes.margins(0.15)
    _key(chart, axes.inset_axes((0.9, 0.68, 0.28, 0.28)), pure)


def _key(chart: Chart, axes: Any, pure: NDArray[Any]) -> None:
    """Which chances a colour stands for: a triangle of all there are, in steps of a tenth."""
    shares = np.array([(a, b, 10 - a - b) for a in range(11) for b in range(11 - a)]) / 10
    mixed = (shares[:, :, None] * pure).sum(axis=1).clip(0, 1)
    axes.scatter((shares[:, 2] - shares[:, 1]) / 2, shares[:, 0] * np.sqrt(3) / 2, c=mixed, s=22)
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.margins(0.2)
    axes.set_title(chart.unit, fontsize=8)
    corners = ((0, 1, "bottom", "center"), (-0.55, -0.08, "top", "center"), (0.55, -0.08, "top", "center"))
    for colour, (across, up, vertical, horizontal) in zip(COLOURS, corners, strict=False):
        axes.text(across, up * 0.93, "100 %", fontsize=7, color=colour, va=vertical, ha=horizontal)
    axes.annotate(
        "a third each", (0, np.sqrt(3) / 6), (0.35, 0.6), fontsize=7, arrowprops={"arrowstyle": "-", "lw": 0.6}
    )


FORMS = {"bars": _bars, "changes": _changes, "lines": _lines, "map": _map, "triangle": _triangle}
