"""Charts as text for a terminal: bars, and the small maps and lines as rows of numbers."""

from __future__ import annotations

import math
from dataclasses import replace

from ...util.histogram import histogram
from ...util.text import LINE_WIDTH, wrap_text
from . import Chart
from .make import change_in_words, in_words

BAR, LEAST = 40, 6
SIDE = 12


def draw_text(chart: Chart, width: int = LINE_WIDTH) -> str:
    """Return a chart as lines of text that are so wide at most."""
    for side in range(SIDE, 1, -1):
        lines = _drawn(chart, side, width)
        if max(map(len, lines)) <= width:
            break
    return "\n".join([wrap_text(chart.title, width=width), *lines, wrap_text(chart.note, width=width), ""])


def _drawn(chart: Chart, side: int, width: int) -> list[str]:
    """The lines of a chart, with so many columns of numbers at most."""
    if chart.form == "lines" and chart.unit == "chance":
        return _bars(_grouped(chart), width)
    if chart.form == "bars":
        return _bars(chart, width)
    if chart.form == "changes":
        return _changes(chart, width)
    if chart.form == "lines":
        return _series(chart, side)
    return _triangle(chart, side, width) if chart.form == "triangle" else _map(chart, side, width)


def _grouped(chart: Chart) -> Chart:
    """Chances of single totals as those of ranges of totals."""
    (chances,) = chart.series.values()
    ranges = histogram(dict(zip(chart.xs, chances, strict=True)))
    return replace(chart, labels=tuple(told for told, _ in ranges), series={"": tuple(chance for _, chance in ranges)})


def _bars(chart: Chart, width: int) -> list[str]:
    (values,) = chart.series.values()
    low = min(0.0, *values) if chart.unit.startswith("chance") or min(values) < 0 else 0.0
    span = max(values) - low or 1.0
    told = _right([in_words(chart, value) for value in values])
    names, long = max(map(len, chart.labels)), max(map(len, chart.labels)) > width // 2
    bar = min(BAR, width - len(told[0]) - 6 - (2 if long else names))
    lines = []
    for label, value, words in zip(chart.labels, values, told, strict=True):
        lines += [wrap_text(label, "  ", "    ", width)] if long else []
        name = "  " if long else f"{label:<{names}}"
        lines.append(f"  {name}  {words}  {'#' * round(bar * (value - low) / span)}".rstrip())
    return lines


def _series(chart: Chart, side: int) -> list[str]:
    """Lines as rows of numbers, at some places."""
    some = _some(len(chart.xs), side)
    names = max(len(name) for name in (chart.x, chart.nothing, *chart.series))
    rows = [(chart.x, [f"{chart.xs[place]:,.0f}" for place in some])]
    for name, values in chart.series.items():
        rows.append((name, [_short(values[place]) for place in some]))
    if chart.edge:
        rows.append((chart.nothing, [_short(chart.edge[place]) for place in some]))
    wide = max(len(cell) for _, cells in rows for cell in cells)
    return [f"  {name:<{names}}  " + " ".join(cell.rjust(wide) for cell in cells) for name, cells in rows]


def _map(chart: Chart, side: int, width: int) -> list[str]:
    """A grid as rows and columns of numbers, at some places."""
    assert chart.grid is not None
    nothing = f"; -: {chart.nothing}" if chart.nothing else ""
    columns, rows = _some(len(chart.xs), side), _some(len(chart.ys), SIDE)
    head = [f"{chart.xs[column]:,.0f}" for column in columns]
    cells = [[_short(float(chart.grid[row, column])) for column in columns] for row in rows]
    wide = max(len(cell) for row in (head, *cells) for cell in row)
    first = max(len(f"{chart.ys[row]:,.0f}") for row in rows)
    lines = wrap_text(f"rows: {chart.y}, columns: {chart.x}; {chart.unit}{nothing}", "  ", "  ", width).split("\n")
    lines.append(" " * (first + 2) + " ".join(["", *(cell.rjust(wide) for cell in head)]))
    for row, found in zip(rows, cells, strict=True):
        lines.append(f"  {chart.ys[row]:>{first},.0f}" + " ".join(["", *(cell.rjust(wide) for cell in found)]))
    return lines


def _changes(chart: Chart, width: int) -> list[str]:
    """Every value, how far it is from the one that is compared with, and that as a bar to the left or right."""
    changes = chart.series["change"]
    most, names = max(map(abs, changes)) or 1.0, max(map(len, chart.labels))
    told = _right([in_words(chart, value) for value in chart.series["value"]])
    differ = _right([change_in_words(chart, change) for change in changes])
    room = width - len(told[0]) - len(differ[0]) - 7
    sides = 1 + (max(changes) > 0)
    long = room < names + 2 + sides * LEAST  # then each name has a line of its own
    side = min(BAR // 2, (room - (0 if long else names + 2)) // sides)
    lines = []
    for label, value, difference, change in zip(chart.labels, told, differ, changes, strict=True):
        bar = "#" * round(side * abs(change) / most)
        drawn = f"{bar:>{side}}|" if change < 0 else f"{'':{side}}|{bar}"
        lines += [wrap_text(label, "  ", "    ", width)] if long else []
        name = "  " if long else f"  {label:<{names}}  "
        lines.append(f"{name}{value}  {difference}  {drawn}")
    return lines


def _triangle(chart: Chart, side: int, width: int) -> list[str]:
    """Who has the largest share, and how large it is, at some of the places."""
    told = ", ".join(f"{number} {name}" for number, name in enumerate(chart.series, 1))
    cells = {}
    for x, y, *shares in zip(chart.xs, chart.ys, *chart.series.values(), strict=True):
        most = max(shares)
        cells[x, y] = f"{shares.index(most) + 1}:{100 * most:.0f}%"
    rows, columns = ([sorted(set(of))[place] for place in _some(len(set(of)), side)] for of in (chart.xs, chart.ys))
    heads = [f"{column:,.0f}" for column in columns]
    wide, first = max(map(len, [*heads, *cells.values()])), max(len(f"{row:,.0f}") for row in rows)
    head = f"rows: {chart.x}, columns: {chart.y}; who is ahead ({told}), {chart.unit}"
    lines = wrap_text(head, "  ", "    ", width).split("\n")
    lines.append(" " * (first + 2) + "".join(f" {head:>{wide}}" for head in heads))
    for row in rows:
        found = "".join(f" {cells.get((row, column), ''):>{wide}}" for column in columns)
        lines.append(f"  {row:>{first},.0f}{found}".rstrip())
    return lines


def _right(cells: list[str]) -> list[str]:
    return [cell.rjust(max(map(len, cells))) for cell in cells]


def _some(count: int, most: int) -> list[int]:
    """Places from the first to the last, no more than so many."""
    if count <= most:
        return list(range(count))
    return [round(place * (count - 1) / (most - 1)) for place in range(most)]


def _short(value: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{100 * value:.0f}%" if 0 <= value <= 1 and value != int(value) else f"{value:,.0f}"
