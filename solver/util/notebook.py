"""HTML for notebooks: what Jupyter shows for an object whose class has ``_repr_html_``."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def html_table(rows: Sequence[Sequence[str]], left_columns: int = 1) -> str:
    """Return a table with a heading as HTML.

    Args:
        rows: rows of equally many cells as plain text; the first row is the heading.
        left_columns: number of columns aligned to the left; the others are aligned to the right.
    """
    heading, *body = rows
    lines = ["<table>", f"<thead>{_html_row(heading, 'th', left_columns)}</thead>", "<tbody>"]
    lines += [_html_row(row, "td", left_columns) for row in body]
    return "\n".join([*lines, "</tbody>", "</table>"])


def html_paragraph(text: str) -> str:
    """Return plain text as a paragraph of HTML."""
    return f"<p>{escape(text)}</p>"


def _html_row(cells: Sequence[str], tag: str, left_columns: int) -> str:
    """Return a row of a table as HTML.

    Args:
        cells: the cells as plain text.
        tag: the tag of each cell: ``th`` in the heading, otherwise ``td``.
        left_columns: number of columns aligned to the left; the others are aligned to the right.
    """
    html_cells = []
    for column, cell in enumerate(cells):
        side = "left" if column < left_columns else "right"
        html_cells.append(f'<{tag} style="text-align: {side}">{escape(cell)}</{tag}>')
    return f"<tr>{''.join(html_cells)}</tr>"
