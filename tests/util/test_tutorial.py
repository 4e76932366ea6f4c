"""The notebook ``docs/tutorial.ipynb``: its cells are run in order, without Jupyter, and print what the notebook shows.

``python tests/util/test_tutorial.py`` runs it and writes its output anew. Read the difference before you commit it.
"""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "docs" / "tutorial.ipynb"


def read_notebook():
    return json.loads(NOTEBOOK.read_text(encoding="utf-8"))


def run_cells(notebook):
    """Yield each code cell with the text that it prints; all cells share their names."""
    names = {"__name__": "__main__"}
    for number, cell in enumerate(cell for cell in notebook["cells"] if cell["cell_type"] == "code"):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("".join(cell["source"]), f"{NOTEBOOK.name}, cell {number + 1}", "exec"), names)
        yield cell, printed.getvalue()


def outputs_of(printed):
    """Return the outputs of a cell that has printed a text, as notebooks store them."""
    lines = printed.splitlines(keepends=True)
    return [{"name": "stdout", "output_type": "stream", "text": lines}] if lines else []


@pytest.mark.slow
def test_notebook_cells_print_their_stored_output(monkeypatch, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    cells = list(run_cells(read_notebook()))
    assert len(cells) >= 6
    for cell, printed in cells:
        assert cell["outputs"] == outputs_of(printed), "".join(cell["source"])


def test_notebook_file_is_valid():
    notebook = read_notebook()
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])


if __name__ == "__main__":
    import matplotlib as mpl

    mpl.use("Agg")
    renewed = read_notebook()
    for renewed_cell, text in run_cells(renewed):
        renewed_cell["outputs"] = outputs_of(text)
    NOTEBOOK.write_text(json.dumps(renewed, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
