"""Write strategy sheets as text, Markdown, HTML, LaTeX or PDF, each on one page.

``TEXT_RENDERERS`` lists the text formats; ``write_pdf`` writes PDF with the optional library fpdf2.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from ...storage.files import write_atomically
from ...util import escaping
from ...util.graphics import LATEX_DICE, PIP_SYMBOLS, dice_characters, dice_html, dice_svg, latex_dice
from ...util.optional_imports import require_library
from ...util.text import wrap_text
from . import Sheet, Table

if TYPE_CHECKING:
    from fpdf import FPDF


def render_text(sheet: Sheet) -> str:
    """Return plain text, wrapped at 79 columns, with aligned tables."""
    problem, source = sheet.facts
    lines = [sheet.title, "=" * len(sheet.title), *_lines([problem]), "", *_lines(sheet.lines)]
    for table in sheet.tables:
        lines += ["", table.heading, "-" * len(table.heading), *_aligned([table.columns, *table.rows])]
        lines += _lines([table.note] if table.note else [])
    return "\n".join([*lines, "", *_lines([*sheet.cost, source]), ""])


def _lines(sentences: Iterable[str]) -> Iterator[str]:
    """Yield the lines of wrapped sentences."""
    for sentence in sentences:
        yield from wrap_text(sentence).split("\n")


def _aligned(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Return rows as lines whose columns are aligned to the right."""
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def render_markdown(sheet: Sheet) -> str:
    """Return GitHub Markdown."""
    escape = escaping.escape_markdown
    problem, source = map(escape, sheet.facts)
    lines = [f"# {escape(sheet.title)}", "", problem, ""]
    lines += [f"- {escape(line)}" for line in sheet.lines]
    for table in sheet.tables:
        lines += ["", f"## {escape(table.heading)}", "", _bar(map(escape, table.columns))]
        lines.append(_bar(["---:"] * len(table.columns)))
        lines += [_bar(_cells(table, row, dice_characters, escape)) for row in table.rows]
        lines += ["", escape(table.note)] if table.note else []
    return "\n".join([*lines, "", *(f"**{escape(line)}**" for line in sheet.cost), "", source, ""])


def _cells(
    table: Table, row: Sequence[str], draw: Callable[[Sequence[str]], str | None], escape: Callable[[str], str]
) -> list[str]:
    """Return the cells of a row: dice as `draw` returns them if it can, else escaped text."""
    return [(column in table.dice and draw(cell.split())) or escape(cell) for column, cell in enumerate(row)]


def _bar(cells: Iterable[str]) -> str:
    """Return a row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


# SIZE is replaced by the font size that fills the page.
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


def render_html(sheet: Sheet) -> str:
    """Return an HTML page that prints on one sheet of A4 or Letter paper and loads no other files."""
    is_wide = len(sheet.tables) == 1 or any(map(_is_wide, sheet.tables))
    style = STYLE.replace("SIZE", str(_font_size(sheet)))
    problem, source = (f'<p class="facts">{escaping.html(fact)}</p>' for fact in sheet.facts)
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escaping.html(sheet.title)}</title><style>{style}</style></head><body>{PIP_SYMBOLS}",
        f"<h1>{escaping.html(sheet.title)}</h1>",
        problem,
        "<ul>",
        *(f"<li>{escaping.html(line)}</li>" for line in sheet.lines),
        "</ul>",
        f'<div class="tables{" wide" if is_wide else ""}">',
        *(_html_table(table) for table in sheet.tables),
        '</div><div class="cost">',
        *(f"<p>{escaping.html(line)}</p>" for line in sheet.cost),
        source,
        "</div></body></html>",
        "",
    ]
    return "\n".join(parts)


def _is_wide(table: Table) -> bool:
    """Return whether a table needs the width of the page."""
    return len(table.columns) > 6 or sum(map(len, table.columns)) > 60


def _font_size(sheet: Sheet) -> int:
    """Estimate the largest font size, in points, with which a sheet fits one page."""
    table_rows = sum(4 + len(table.rows) * (1 + bool(table.dice)) for table in sheet.tables)
    rows = 8 + len(sheet.lines) + table_rows
    return max(8, min(14, 640 // rows))


def _html_table(table: Table) -> str:
    """Return a table with its heading and note, cells shaded if the table has shades."""
    head = "".join(f"<th>{escaping.html(cell)}</th>" for cell in table.columns)
    rows = ""
    for number, row in enumerate(table.rows):
        shades = ("", *map(_shade, table.shades[number])) if table.shades else ("",) * len(row)
        for column, (cell, shade) in enumerate(zip(row, shades, strict=True)):
            content = dice_html(cell.split()) if column in table.dice else escaping.html(cell)
            rows += f"{'' if column else '<tr>'}<td{shade}>{content}</td>"
    note = f"<p>{escaping.html(table.note)}</p>" if table.note else ""
    heading = escaping.html(table.heading)
    return f"<section><h2>{heading}</h2><table><tr>{head}</tr>{rows}</table>{note}</section>"


def _shade(darkness: float) -> str:
    """Return the style attribute of a shaded cell; it prints in grey too."""
    return f' style="background: rgba(0, 114, 178, {0.75 * darkness:.2f}); print-color-adjust: exact"'


def render_latex(sheet: Sheet) -> str:
    """Return a LaTeX article."""
    problem, source = (rf"{{\small {escaping.escape_latex(fact)}}}" for fact in sheet.facts)
    lines = [
        r"\documentclass[10pt,a4paper]{article}",
        r"\usepackage[margin=14mm]{geometry}\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}",
        *(LATEX_DICE if any(table.dice for table in sheet.tables) else ()),
        r"\pagestyle{empty}\setlength{\parindent}{0pt}\begin{document}",
        rf"\section*{{{escaping.escape_latex(sheet.title)}}}",
        problem,
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
        lines += [" & ".join(_cells(table, row, latex_dice, escaping.escape_latex)) + r" \\" for row in table.rows]
        lines += [r"\hline\end{tabular}", "", escaping.escape_latex(table.note)]
    lines += [
        "",
        r"\medskip ",
        *(rf"\textbf{{{escaping.escape_latex(line)}}}\par" for line in sheet.cost),
        source,
        r"\end{document}",
        "",
    ]
    return "\n".join(lines)


def check_pdf() -> None:
    """Raise InputError if fpdf2 is not installed."""
    require_library("fpdf", "pdf needs fpdf2", "pdf")


def write_pdf(sheet: Sheet, path: str | os.PathLike[str]) -> None:
    """Write a sheet as one A4 page; needs fpdf2 (``pip install keepwise[pdf]``)."""
    check_pdf()
    from fpdf import FPDF

    for font_size in range(22, 4, -1):  # the largest print that fits one page
        page = FPDF(format="A4")
        page.set_margin(12)
        page.set_auto_page_break(True, 10)
        page.add_page()
        _draw_pdf(page, sheet, font_size)
        if page.pages_count == 1:
            break
    with write_atomically(path) as file:
        file.write(bytes(page.output()))


def _draw_pdf(page: FPDF, sheet: Sheet, font_size: int) -> None:
    """Draw a sheet; heights are in millimetres, font sizes in points."""
    line_height = font_size * 0.45
    _draw_line(page, sheet.title, line_height * 1.6, font_size + 4, style="B")
    problem, source = sheet.facts
    _draw_line(page, problem, 3.5, 7, align="L")
    for sentence in sheet.lines:
        _draw_line(page, f"- {sentence}", line_height, font_size, align="L")
    for table in sheet.tables:
        page.ln(line_height / 2)
        _draw_line(page, table.heading, line_height * 1.2, font_size, style="B")
        _draw_table(page, table, font_size)
        if table.note:
            _draw_line(page, table.note, line_height, font_size)
    page.ln(line_height / 2)
    for sentence in sheet.cost:
        _draw_line(page, sentence, line_height, font_size, style="B")
    _draw_line(page, source, 3.5, 7, align="L")


def _draw_line(
    page: FPDF, text: str, line_height: float, font_size: float, *, style: str = "", align: str = "J"
) -> None:
    """Draw a paragraph over the width of the page."""
    page.set_font("helvetica", style, font_size)
    page.multi_cell(0, line_height, escaping.escape_pdf(text), align=align, new_x="LMARGIN", new_y="NEXT")


def _draw_table(page: FPDF, table: Table, font_size: int) -> None:
    """Draw the cells of a table, as wide as they need, or narrower if the page is too small."""
    line_height = font_size * 0.45
    rows = [table.columns, *table.rows]
    page.set_font("helvetica", "B", font_size)  # widths are those of bold text, which the columns' names are
    widths = [
        max(page.get_string_width(escaping.escape_pdf(cell)) for cell in column) + 3
        for column in zip(*rows, strict=True)
    ]
    for column in table.dice:
        max_dice = max(len(row[column].split()) for row in table.rows)
        widths[column] = max(widths[column], max_dice * 1.1 * line_height)
    page.set_font("helvetica", "", font_size)
    shrink = min(1.0, page.epw / sum(widths))
    with page.table(
        col_widths=tuple(width * shrink for width in widths),
        width=sum(widths) * shrink,
        text_align="RIGHT",
        align="LEFT",
        line_height=line_height,
        padding=0,
    ) as pdf_table:
        for number, row in enumerate(rows):
            pdf_row = pdf_table.row()
            for column, cell in enumerate(row):
                drawing = dice_svg(cell.split()) if number and column in table.dice else None
                if drawing:
                    pdf_row.cell("", img=BytesIO(drawing.encode()))
                else:
                    pdf_row.cell(escaping.escape_pdf(cell))


TEXT_RENDERERS: dict[str, Callable[[Sheet], str]] = {
    "text": render_text,
    "markdown": render_markdown,
    "html": render_html,
    "latex": render_latex,
}
