"""Draw charts as text for a terminal: bars of ``#``, and maps and lines as tables of a few numbers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from ...util.histogram import histogram
from ...util.text import LINE_WIDTH, wrap_text
from . import Chart
from .make import format_change, format_chart_value, is_probability

BAR_WIDTH = 40  # characters
MIN_SIDE_WIDTH = 6  # characters of a bar to one side; with less room names get their own lines
MAX_COLUMNS = 12  # numbers in a row, and rows of a map


def draw_text(chart: Chart, width: int = LINE_WIDTH) -> str:
    """Return a chart as lines of text of at most `width` characters."""
    for max_columns in range(MAX_COLUMNS, 1, -1):
        lines = _draw(chart, max_columns, width)
        if max(map(len, lines)) <= width:
            break
    return "\n".join([wrap_text(chart.title, width=width), *lines, wrap_text(chart.note, width=width), ""])


def _draw(chart: Chart, max_columns: int, width: int) -> list[str]:
    """Return the lines of a chart with at most `max_columns` columns of numbers."""
    if chart.form == "lines" and chart.unit == "chance":
        return _draw_bars(_group_totals(chart), width)
    if chart.form == "bars":
        return _draw_bars(chart, width)
    if chart.form == "changes":
        return _draw_changes(chart, width)
    if chart.form == "lines":
        return _draw_series(chart, max_columns)
    if chart.form == "triangle":
        return _draw_triangle(chart, max_columns, width)
    if chart.form == "matrix":
        return _draw_matrix(chart, max_columns, width)
    return _draw_map(chart, max_columns, width)


def _group_totals(chart: Chart) -> Chart:
    """Return a distribution of single totals as one of ranges of totals."""
    (probabilities,) = chart.series.values()
    ranges = histogram(dict(zip(chart.xs, probabilities, strict=True)))
    labels = tuple(label for label, _ in ranges)
    return replace(chart, labels=labels, series={"": tuple(probability for _, probability in ranges)})


def _draw_bars(chart: Chart, width: int) -> list[str]:
    """Return a line for each value: its name, the value and a bar."""
    (values,) = chart.series.values()
    low = min(0.0, *values) if is_probability(chart) or min(values) < 0 else 0.0
    span = max(values) - low or 1.0
    value_texts = _align_right([format_chart_value(chart, value) for value in values])
    name_width = max(map(len, chart.labels))
    has_long_names = name_width > width // 2  # then each name has a line of its own
    bar_width = min(BAR_WIDTH, width - len(value_texts[0]) - 6 - (2 if has_long_names else name_width))
    lines = []
    for label, value, value_text in zip(chart.labels, values, value_texts, strict=True):
        lines += [wrap_text(label, "  ", "    ", width)] if has_long_names else []
        name = "  " if has_long_names else f"{label:<{name_width}}"
        lines.append(f"  {name}  {value_text}  {'#' * round(bar_width * (value - low) / span)}".rstrip())
    return lines


class SeriesRow(NamedTuple):
    """A row of a table: its name and its cells."""

    name: str
    cells: list[str]


def _draw_series(chart: Chart, max_columns: int) -> list[str]:
    """Return lines as rows of numbers, at evenly spaced positions."""
    columns = _evenly_spaced(len(chart.xs), max_columns)
    rows = [SeriesRow(chart.x, [f"{chart.xs[column]:,.0f}" for column in columns])]
    for name, values in chart.series.items():
        rows.append(SeriesRow(name, [_format_cell(values[column]) for column in columns]))
    if chart.edge:
        rows.append(SeriesRow(chart.missing_label, [_format_cell(chart.edge[column]) for column in columns]))
    name_width = max(len(name) for name in (chart.x, chart.missing_label, *chart.series))
    cell_width = max(len(cell) for row in rows for cell in row.cells)
    return [f"  {row.name:<{name_width}}  " + " ".join(cell.rjust(cell_width) for cell in row.cells) for row in rows]


def _draw_map(chart: Chart, max_columns: int, width: int) -> list[str]:
    """Return a grid as rows and columns of numbers, at evenly spaced positions."""
    assert chart.grid is not None
    columns = _evenly_spaced(len(chart.xs), max_columns)
    rows = _evenly_spaced(len(chart.ys), MAX_COLUMNS)
    head = [f"{chart.xs[column]:,.0f}" for column in columns]
    cells = [[_format_cell(float(chart.grid[row, column])) for column in columns] for row in rows]
    cell_width = max(len(cell) for row in (head, *cells) for cell in row)
    first_width = max(len(f"{chart.ys[row]:,.0f}") for row in rows)
    missing = f"; - means {chart.missing_label}" if chart.missing_label else ""
    caption = f"Rows: {chart.y}. Columns: {chart.x}. Cells: {chart.unit}{missing}."
    lines = wrap_text(caption, "  ", "  ", width).split("\n")
    lines.append(" " * (first_width + 2) + _join_cells(head, cell_width))
    for row, row_cells in zip(rows, cells, strict=True):
        lines.append(f"  {chart.ys[row]:>{first_width},.0f}" + _join_cells(row_cells, cell_width))
    return lines


def _draw_matrix(chart: Chart, max_columns: int, width: int) -> list[str]:
    """Return a numbered row for each name, with the values of the first columns under their numbers."""
    assert chart.grid is not None
    count = len(chart.labels)
    columns = min(count, max_columns)
    name_width = min(max(map(len, chart.labels)), width // 2)
    number_width = len(str(count))
    head = [str(column + 1) for column in range(columns)]
    cells = [[_format_cell(float(value)) for value in row[:columns]] for row in chart.grid]
    cell_width = max(len(cell) for row in (head, *cells) for cell in row)
    caption = f"columns: {chart.x}, by its number" + (f", the first {columns} of {count}" if columns < count else "")
    lines = wrap_text(f"{caption}; {chart.unit}", "  ", "  ", width).split("\n")
    lines.append(" " * (number_width + name_width + 4) + _join_cells(head, cell_width))
    for number, (label, row) in enumerate(zip(chart.labels, cells, strict=True), 1):
        name = label if len(label) <= name_width else f"{label[: name_width - 3]}..."
        lines.append(f"  {number:>{number_width}}  {name:<{name_width}}{_join_cells(row, cell_width)}")
    return lines


def _join_cells(cells: list[str], cell_width: int) -> str:
    return " ".join(["", *(cell.rjust(cell_width) for cell in cells)])


def _draw_changes(chart: Chart, width: int) -> list[str]:
    """Return a line for each value: its name, the value, and its difference as a number and as a bar."""
    changes = chart.series["change"]
    max_change = max(map(abs, changes)) or 1.0
    name_width = max(map(len, chart.labels))
    values = _align_right([format_chart_value(chart, value) for value in chart.series["value"]])
    differences = _align_right([format_change(chart, change) for change in changes])
    bar_room = width - len(values[0]) - len(differences[0]) - 7
    side_count = 1 + (max(changes) > 0)
    has_name_lines = bar_room < name_width + 2 + side_count * MIN_SIDE_WIDTH
    side_width = min(BAR_WIDTH // 2, (bar_room - (0 if has_name_lines else name_width + 2)) // side_count)
    lines = []
    for label, value, difference, change in zip(chart.labels, values, differences, changes, strict=True):
        bar = "#" * round(side_width * abs(change) / max_change)
        bars = f"{bar:>{side_width}}|" if change < 0 else f"{'':{side_width}}|{bar}"
        lines += [wrap_text(label, "  ", "    ", width)] if has_name_lines else []
        name = "  " if has_name_lines else f"  {label:<{name_width}}  "
        lines.append(f"{name}{value}  {difference}  {bars}")
    return lines


def _draw_triangle(chart: Chart, max_columns: int, width: int) -> list[str]:
    """Return a table of who has the largest share, and how large it is, at evenly spaced points."""
    cells = {}
    for x, y, *shares in zip(chart.xs, chart.ys, *chart.series.values(), strict=True):
        largest = max(shares)
        cells[x, y] = f"{shares.index(largest) + 1}:{100 * largest:.0f}%"
    rows = _evenly_spaced_values(chart.xs, max_columns)
    columns = _evenly_spaced_values(chart.ys, max_columns)
    column_heads = [f"{column:,.0f}" for column in columns]
    cell_width = max(map(len, [*column_heads, *cells.values()]))
    first_width = max(len(f"{row:,.0f}") for row in rows)
    names = ", ".join(f"{number} {name}" for number, name in enumerate(chart.series, 1))
    caption = f"rows: {chart.x}, columns: {chart.y}; most likely to win ({names}), {chart.unit}"
    lines = wrap_text(caption, "  ", "    ", width).split("\n")
    lines.append(" " * (first_width + 2) + "".join(f" {head:>{cell_width}}" for head in column_heads))
    for row in rows:
        row_cells = "".join(f" {cells.get((row, column), ''):>{cell_width}}" for column in columns)
        lines.append(f"  {row:>{first_width},.0f}{row_cells}".rstrip())
    return lines


def _align_right(cells: list[str]) -> list[str]:
    return [cell.rjust(max(map(len, cells))) for cell in cells]


def _evenly_spaced_values(values: tuple[float, ...], max_count: int) -> list[float]:
    """Return at most `max_count` of the different values, in ascending order."""
    distinct = sorted(set(values))
    return [distinct[place] for place in _evenly_spaced(len(distinct), max_count)]


def _evenly_spaced(count: int, max_count: int) -> list[int]:
    """Return at most `max_count` indices from the first to the last of `count`."""
    if count <= max_count:
        return list(range(count))
    return [round(place * (count - 1) / (max_count - 1)) for place in range(max_count)]


def _format_cell(value: float) -> str:
    """Return a number as a short cell: "-" if it is missing, a percentage if it is a fraction."""
    if math.isnan(value):
        return "-"
    return f"{100 * value:.0f}%" if 0 <= value <= 1 and value != int(value) else f"{value:,.0f}"
