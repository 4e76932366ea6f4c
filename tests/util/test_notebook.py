"""What the Python prompt and Jupyter show for solutions, advice and tables of rows."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

import keepwise as kw
from keepwise.util.notebook import html_paragraph, html_table


class TableReader(HTMLParser):
    """Collects the cells of a table, row by row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip()


def rows_of(html: str) -> list[list[str]]:
    reader = TableReader()
    reader.feed(html)
    return reader.rows


@pytest.fixture(scope="module")
def solution():
    return kw.solve(kw.game("pig", target=50))


def test_a_solution_names_its_problem(solution):
    assert repr(solution).startswith("Solution(game='pig', objective='win', players=2, target=50, error_bound=")
    cells = dict(rows_of(solution._repr_html_())[1:])
    assert cells["game"] == "pig"
    assert cells["target"] == "50"
    assert float(cells["error_bound"]) == solution.error_bound


def test_advice_shows_its_choices_as_the_command_line_does(solution, run):
    advice = solution.advise(score=20, opponents=[30], turn=10, dice=1)
    assert repr(advice) == f"Advice(best='{advice.best.action}', value={advice.best.value!r}, choices=2)"
    printed = run("advise pig --rule target=50 --score 20 --opponents 30 --turn 10 --dice 1").out
    assert str(advice) in printed
    rows = rows_of(advice._repr_html_())
    assert [row[0] for row in rows] == ["choice", *(choice.action for choice in advice.choices)]
    assert advice.choice_rows(limit=1) == advice.choice_rows()[:2]


def test_a_table_of_rows_shows_its_first_rows(solution):
    table = solution.policy()
    assert repr(table) == f"PolicyTable(game='pig', detail={table.detail!r}, columns={tuple(table.columns)!r})"
    rows = rows_of(table._repr_html_())
    assert rows[0] == [*next(iter(table))]
    assert len(rows) == 11
    assert rows[1] == [str(value) for value in next(iter(table)).values()]
    assert "and more rows" in table._repr_html_()


def test_text_is_escaped():
    html = html_table([["a", "b"], ["<b>", '"&"']])
    assert "<b>" not in html
    assert rows_of(html) == [["a", "b"], ["<b>", '"&"']]
    assert html_paragraph("1 < 2") == "<p>1 &lt; 2</p>"
