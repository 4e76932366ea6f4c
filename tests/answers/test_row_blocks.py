"""Rows in blocks: those that problems list at once equal those of walks, in every column and every format."""

from __future__ import annotations

import json

import numpy as np
import pytest

import keepwise as kw
from keepwise.answers.row_blocks import RowBlock, RowEncoder
from keepwise.answers.rows import Column
from keepwise.games import own_game
from keepwise.output.exports import rows as writers
from keepwise.solvers.problem import Problem

parquet = pytest.importorskip("pyarrow.parquet")
pyarrow = pytest.importorskip("pyarrow")

ONES = {"name": "ones", "face": 1}
TWOS = {"name": "twos", "face": 2}
RUN = {"name": "run", "straight": 2, "points": 4}
PAIR = {"name": "pair", "groups": [2], "points": "groups"}
ALIKE = {"name": "all", "groups": [3], "points": 6}
ANY = {"name": "any", "chance": True}
UPPER = {"upper": {"categories": ["ones", "twos"], "at": [2, 5], "bonus": [1, 3]}}


def joker(how):
    return {"category": [ONES, RUN, ALIKE, ANY], "again": {"category": "all", "bonus": 2, "joker": how}}


CARDS = {
    "upper bonus": {"category": [ONES, TWOS, RUN, ANY], **UPPER},
    "in order": {"category": [ONES, TWOS, RUN], **UPPER, "order": "down"},
    "forced zeros": {"category": [PAIR, RUN, ONES], "zeros": "forced"},
    "joker forced": joker("forced"),
    "joker free": joker("free"),
    "joker none": joker("none"),
    "one throw": {"category": [ONES, TWOS, ANY], **UPPER, "throws": 1},
    "unlike faces": {"category": [ONES, PAIR, ANY], "weights": [1, 2, 3]},
}


def card(name):
    return own_game({"name": "small-card", "dice": 3, "faces": 3, "throws": 3, **CARDS[name]})


@pytest.mark.parametrize("name", CARDS)
def test_rows_listed_at_once_are_those_of_walks(name, monkeypatch):
    solution = kw.solve(card(name), "points", fresh=True)
    start = solution.playable.start()
    assert solution.problem.turn_choices(solution.value_table, [start], False) is not None
    rows = list(solution.policy("rolls").rows())
    monkeypatch.setattr(type(solution.problem), "turn_choices", Problem.turn_choices)
    walked = list(solution.policy("rolls").rows())
    assert rows == walked  # numbers included: the same bits
    assert {type(value) for row in rows for value in row.values()} == {
        type(value) for row in walked for value in row.values()
    }


@pytest.mark.parametrize("form", ["parquet", "arrow", "npz", "jsonl"])
def test_groups_of_rows_are_written_one_after_another(form, tmp_path, monkeypatch):
    monkeypatch.setattr(writers, "ROWS_PER_WRITE", 40)
    policy = kw.solve(card("joker forced"), "points", fresh=True).policy("rolls")
    rows, path = list(policy.rows()), tmp_path / f"rows.{form}"
    assert writers.write_rows(policy, path, form) == len(rows) > 400
    if form == "jsonl":
        assert [json.loads(line) for line in path.read_text().splitlines()] == rows
    elif form == "npz":
        with np.load(path) as arrays:
            assert arrays["value"].tolist() == [row["value"] for row in rows]
            for name in ("action", "runner_up"):
                texts = [*map(str, arrays[f"{name}_names"]), None]
                assert [texts[index] for index in arrays[name]] == [row[name] for row in rows]
                first_rows = dict.fromkeys(row[name] for row in rows if row[name] is not None)
                assert texts[:-1] == list(first_rows)
    else:
        table = parquet.read_table(path) if form == "parquet" else pyarrow.ipc.open_file(path).read_all()
        assert table.to_pylist() == rows
        assert table.schema.field("action").type == pyarrow.string()


def test_row_blocks_keep_missing_entries():
    columns = [Column("text", str), Column("number", int), Column("loss", float), Column("tie", bool)]
    rows = [
        {"text": "a", "number": None, "loss": 0.5, "tie": True},
        {"text": None, "number": 2, "loss": None, "tie": False},
        {"text": "a", "number": 3, "loss": 1.0, "tie": True},
    ]
    (block,) = RowEncoder(columns).blocks(iter(rows))
    assert isinstance(block, RowBlock)
    assert list(block.rows()) == rows
