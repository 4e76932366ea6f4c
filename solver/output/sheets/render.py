"""Sheets as text, Markdown, HTML, LaTeX or PDF, each on one page."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO

from ...storage.files import write_atomically
from ...util import escaping
from ...util.graphics import LATEX_DICE, PIP_SYMBOLS, dice_characters, dice_html, dice_svg, latex_dice
from ...util.optional_imports import require_library
from ...util.text import wrap_text
from . import Sheet, Table


def text(sheet: Sheet) -> str:
    """Plain text of 79 columns; tables align."""
    lines = [sheet.title, "=" * len(sheet.title), *_lines(sheet.facts), "", *_lines(sheet.lines)]
    for table in sheet.tables:
        lines += ["", table.heading, "-" * len(table.heading), *_aligned([table.columns, *table.rows])]
        lines += _lines([table.note] if table.note else [])
    return "\n".join([*lines, "", *_lines(sheet.cost), ""])


def _lines(sentences: Iterable[str]) -> Iterator[str]:
    for one in sentences:
        yield from wrap_text(one).split("\n")


def _aligned(rows: Iterable[tuple[str, ...]]) -> list[str]:
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def markdown(sheet: Sheet) -> str:
    """GitHub's Markdown."""
    told = escaping.escape_markdown
    lines = [f"# {told(sheet.title)}", "", *map(told, sheet.facts), "", *(f"- {told(line)}" for line in sheet.lines)]
    for table in sheet.tables:
        lines += ["", f"## {told(table.heading)}", "", _bar(map(told, table.columns))]
        lines += [
            _bar(["---:"] * len(table.columns)),
            *(_bar(_drawn(table, row, dice_characters, told)) for row in table.rows),
        ]
        lines += ["", told(table.note)] if table.note else []
    return "\n".join([*lines, "", *(f"**{told(line)}**" for line in sheet.cost), ""])


def _drawn(
    table: Table, row: Sequence[str], draw: Callable[[Sequence[str]], str | None], told: Callable[[str], str]
) -> list[str]:
    """The cells of a row, dice as ``draw`` makes them where it can."""
    return [(column in table.dice and draw(cell.split())) or told(cell) for column, cell in enumerate(row)]


def _bar(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


# The size of the print, SIZE, fills the page.
STYLE = """
@page { size: A4; margin: 12mm }
body { font: SIZEpt/1.3 Georgia, serif; max-width: 186mm; margin: 0 auto; color: #111; background: #fff }
h1 { font-size: 1.5em; margin: 0 0 2mm } h2 { font-size: 1.1em; margin: 3mm 0 1mm; break-after: avoid }
p, ul { margin: 1mm 0 } .facts { color: #444; font-size: 8pt }
table { border-collapse: collapse; break-inside: avoid; font-size: 0.95em }
th, td { border: 0.3pt solid #777; padding: 0.15em 0.5em; text-align: right; white-space: nowrap }
th { background: #eee }
.tables { columns: 2; column-gap: 6mm } .tables.wide { columns: 1 } section { break-inside: avoid }
.dice { display: inline-flex; gap: 0.15em } .die { width: 1.5em; height: 1.5em }
.hidden { position: absolute; width: 0; height: 0 }
.cost { margin-top: 3mm; border-top: 0.5pt solid #777; padding-top: 1mm }
@media screen { body { padding: 8mm } }
"""


def html_page(sheet: Sheet) -> str:
    """A page of HTML that prints on one sheet of A4 or Letter paper; nothing is loaded from elsewhere."""
    wide = len(sheet.tables) == 1 or any(
        len(table.columns) > 6 or sum(map(len, table.columns)) > 60 for table in sheet.tables
    )
    rows = 8 + len(sheet.lines) + sum(4 + len(table.rows) * (1 + bool(table.dice)) for table in sheet.tables)
    style = STYLE.replace("SIZE", str(max(8, min(14, 640 // rows))))
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escaping.html(sheet.title)}</title><style>{style}</style></head><body>{PIP_SYMBOLS}",
        f"<h1>{escaping.html(sheet.title)}</h1>",
        *(f'<p class="facts">{escaping.html(fact)}</p>' for fact in sheet.facts),
        "<ul>",
        *(f"<li>{escaping.html(line)}</li>" for line in sheet.lines),
        "</ul>",
        f'<div class="tables{" wide" if wide else ""}">',
        *(_html_table(table) for table in sheet.tables),
        '</div><div class="cost">',
        *(f"<p>{escaping.html(line)}</p>" for line in sheet.cost),
        "</div></body></html>",
        "",
    ]
    return "\n".join(parts)


def _html_table(table: Table) -> str:
    head = "".join(f"<th>{escaping.html(cell)}</th>" for cell in table.columns)
    rows = ""
    for number, row in enumerate(table.rows):
        shades = ("", *map(_shade, table.shades[number])) if table.shades else ("",) * len(row)
        for column, (cell, shade) in enumerate(zip(row, shades, strict=True)):
            shown = dice_html(cell.split()) if column in table.dice else escaping.html(cell)
            rows += f"{'' if column else '<tr>'}<td{shade}>{shown}</td>"
    note = f"<p>{escaping.html(table.note)}</p>" if table.note else ""
    heading = escaping.html(table.heading)
    return f"<section><h2>{heading}</h2><table><tr>{head}</tr>{rows}</table>{note}</section>"


def _shade(dark: float) -> str:
    """A cell's background, that prints in grey too."""
    return f' style="background: rgba(0, 114, 178, {0.75 * dark:.2f}); print-color-adjust: exact"'


def latex(sheet: Sheet) -> str:
    """A LaTeX article."""
    lines = [
        r"\documentclass[10pt,a4paper]{article}",
        r"\usepackage[margin=14mm]{geometry}\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}",
        *(LATEX_DICE if any(table.dice for table in sheet.tables) else ()),
        r"\pagestyle{empty}\setlength{\parindent}{0pt}\begin{document}",
        rf"\section*{{{escaping.escape_latex(sheet.title)}}}",
        r"{\small " + r"\\ ".join(map(escaping.escape_latex, sheet.facts)) + "}",
        r"\begin{itemize}\setlength{\itemsep}{0pt}",
        *(rf"\item {escaping.escape_latex(line)}" for line in sheet.lines),
        r"\end{itemize}",
    ]
    for table in sheet.tables:
        lines += [
            rf"\subsection*{{{escaping.escape_latex(table.heading)}}}",
            rf"\begin{{tabular}}{{{'r' * len(table.columns)}}}\hline",
        ]
        lines += [" & ".join(map(escaping.escape_latex, table.columns)) + r" \\"]
        lines += [" & ".join(_drawn(table, row, latex_dice, escaping.escape_latex)) + r" \\" for row in table.rows]
        lines += [r"\hline\end{tabular}", "", escaping.escape_latex(table.note)]
    lines += [
        "",
        r"\medskip ",
        *(rf"\textbf{{{escaping.escape_latex(line)}}}\par" for line in sheet.cost),
        r"\end{document}",
        "",
    ]
    return "\n".join(lines)


def check_pdf() -> None:
    """Raise InputError where no PDF can be written."""
    require_library("fpdf", "pdf needs fpdf2", "pdf")


def write_pdf(sheet: Sheet, path: str | os.PathLike[str]) -> None:
    """Write one A4 page; needs fpdf2 (``pip install keepwise[pdf]``)."""
    check_pdf()
    from fpdf import FPDF

    for size in range(22, 4, -1):  # the largest print that fits one page
        page = FPDF(format="A4")
        page.set_margin(12)
        page.set_auto_page_break(True, 10)
        page.add_page()
        _pdf(page, sheet, size)
        if page.pages_count == 1:
            break
    with write_atomically(path) as file:
        file.write(bytes(page.output()))


def _pdf(page: object, sheet: Sheet, size: int) -> None:
    from fpdf import FPDF

    assert isinstance(page, FPDF)
    line = size * 0.45
    page.set_font("helvetica", "B", size + 4)
    page.multi_cell(0, line * 1.6, escaping.escape_pdf(sheet.title), new_x="LMARGIN", new_y="NEXT")
    page.set_font("helvetica", "", 7)
    for fact in sheet.facts:
        page.multi_cell(0, 3.5, escaping.escape_pdf(fact), align="L", new_x="LMARGIN", new_y="NEXT")
    page.set_font("helvetica", "", size)
    for words in sheet.lines:
        page.multi_cell(0, line, escaping.escape_pdf(f"- {words}"), align="L", new_x="LMARGIN", new_y="NEXT")
    for table in sheet.tables:
        page.ln(line / 2)
        page.set_font("helvetica", "B", size)
        page.multi_cell(0, line * 1.2, escaping.escape_pdf(table.heading), new_x="LMARGIN", new_y="NEXT")
        cells = [table.columns, *table.rows]
        widths = [
            max(page.get_string_width(escaping.escape_pdf(cell)) for cell in column) + 3
            for column in zip(*cells, strict=True)
        ]
        for column in table.dice:
            widths[column] = max(widths[column], max(len(row[column].split()) for row in table.rows) * 1.1 * line)
        page.set_font("helvetica", "", size)
        shrink = min(1.0, page.epw / sum(widths))
        with page.table(
            col_widths=tuple(width * shrink for width in widths),
            width=sum(widths) * shrink,
            text_align="RIGHT",
            align="LEFT",
            line_height=line,
            padding=0,
        ) as drawn:
            for number, cells_of in enumerate(cells):
                row = drawn.row()
                for column, cell in enumerate(cells_of):
                    drawing = dice_svg(cell.split()) if number and column in table.dice else None
                    row.cell(
                        "" if drawing else escaping.escape_pdf(cell), img=BytesIO(drawing.encode()) if drawing else None
                    )
        if table.note:
            page.multi_cell(0, line, escaping.escape_pdf(table.note), new_x="LMARGIN", new_y="NEXT")
    page.ln(line / 2)
    page.set_font("helvetica", "B", size)
    for words in sheet.cost:
        page.multi_cell(0, line, escaping.escape_pdf(words), align="L", new_x="LMARGIN", new_y="NEXT")


TEXTS: dict[str, Callable[[Sheet], str]] = {"text": text, "markdown": markdown, "html": html_page, "latex": latex}
