"""Rows: every format gives the same policy as the API, restricted as asked, with what the rows are for beside them."""

from __future__ import annotations

import csv
import json
import re
import sys
from itertools import count
from pathlib import Path

import numpy as np
import pytest

import keepwise as kw
from keepwise.answers.rows import CHOICE_COLUMNS
from keepwise.cli.export import MODELS, ROWS
from keepwise.output.exports.models import ONE_PLAYER_FORMATS
from keepwise.simulation.grades import make_mistake_player
from keepwise.util.errors import InputError

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

ROOT = Path(__file__).parents[2]
SMALL = {"target": 40}


@pytest.fixture(scope="module")
def pig():
    return kw.solve(kw.game("pig", **SMALL), "win", fresh=True)


def written(run, tmp_path, form, *more):
    path = tmp_path / f"rows.{form}"
    words = ["export", "pig", "--rule", "target=40", "-f", form, "-o", str(path), "--score", "12", *more]
    found = run(*words)
    assert found.status == 0, found.err
    return path


@pytest.fixture(scope="module")
def expected(pig):
    return list(pig.policy(score=12).rows())


def test_csv_in_pandas_is_the_policy(run, tmp_path, expected):
    frame = pandas.read_csv(written(run, tmp_path, "csv"))
    assert list(frame.columns) == list(expected[0])
    assert frame["action"].tolist() == [row["action"] for row in expected]
    assert frame["value"].tolist() == [row["value"] for row in expected]  # repr and back: the same bits
    meta = json.loads((tmp_path / "rows.csv.meta.json").read_text())
    assert meta["fingerprint"] == kw.solve(kw.game("pig", **SMALL), "win").fingerprint
    assert meta["rows"] == len(expected)
    assert meta["rules"]["target"] == 40
    assert meta["error_bound"] > 0


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_arrow_formats_are_the_policy(run, tmp_path, expected, form):
    path = written(run, tmp_path, form)
    if form == "parquet":
        table = parquet.read_table(path)
    else:
        with pyarrow.ipc.open_file(path) as reader:
            table = reader.read_all()
    assert table.to_pylist() == expected
    head = json.loads(table.schema.metadata[b"keepwise"])
    assert head["game"] == "pig"
    assert head["objective"] == "win"


def test_json_formats_are_the_policy(run, tmp_path, expected):
    lines = written(run, tmp_path, "jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == expected
    whole = json.loads(written(run, tmp_path, "json").read_text())
    assert whole["rows"] == expected
    assert whole["objective"] == "win"


def test_npz_is_the_policy(run, tmp_path, expected):
    with np.load(written(run, tmp_path, "npz"), allow_pickle=False) as arrays:
        assert arrays["value"].tolist() == [row["value"] for row in expected]
        names = arrays["action_names"]
        assert [str(names[code]) for code in arrays["action"]] == [row["action"] for row in expected]
        assert json.loads(arrays["head"].tobytes())["kind"] == "rows"


def test_npz_rows_are_no_value_table(run, tmp_path):
    with pytest.raises(kw.KeepwiseError):
        kw.load(written(run, tmp_path, "npz"))


def test_rows_are_the_advice(pig):
    for row in list(pig.policy(score=12, opponent=30).rows())[:60]:
        advice = pig.advise(score=12, opponents=[30], turn=row["turn"], dice=row["dice"])
        assert row["action"] == advice.best.action
        assert row["value"] == advice.best.value
        if len(advice.choices) > 1:
            assert row["runner_up"] == advice.choices[1].action
            assert row["cost"] == advice.choices[1].loss
            assert row["tie"] == advice.choices[1].tie


def test_to_frame(pig, expected):
    frame = pig.policy(score=12).to_frame()
    assert len(frame) == len(expected)
    assert [str(frame[name].dtype) for name in ("score", "opponent", "turn", "dice", "points")] == ["int64"] * 5
    assert frame["value"].tolist() == [row["value"] for row in expected]


def test_a_frame_is_drawn_as_an_image(pig):
    frame = pig.policy("values").to_frame()
    assert frame.pivot(index="score", columns="opponent", values="value").to_numpy().dtype == np.float64
    assert frame.pivot(index="score", columns="opponent", values="score").to_numpy().dtype == np.int64


def test_a_frame_marks_numbers_that_are_missing():
    frame = kw.solve("multiplication", "win").policy("values").to_frame()
    assert {name: str(frame[name].dtype) for name in ("seat", "beat")} == {"seat": "int64", "beat": "Int64"}
    assert frame["beat"].isna().any()


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_file_that_is_written_beside_rows_is_announced(run, tmp_path, form):
    path = tmp_path / f"rows.{form}"
    found = run("export", "pig", "--objective", "points", "-o", str(path))
    assert f"{path}.meta.json" in found.err
    assert path.with_name(f"rows.{form}.meta.json").exists()


def test_export_announces_no_other_files(run, tmp_path):
    assert "meta.json" not in run("export", "pig", "--objective", "points", "-o", str(tmp_path / "rows.json")).err
    assert "meta.json" not in run("export", "pig", "--objective", "points", "-f", "csv").err
    assert "meta.json" not in run("simulate", "pig", "--games", "2", "-o", str(tmp_path / "games.parquet")).err
    assert "games.csv.meta.json" in run("simulate", "pig", "--games", "2", "-o", str(tmp_path / "games.csv")).err


def documented(heading):
    """Return the first column of the table under a heading of docs/files.md, and the text of the section."""
    text = (ROOT / "docs" / "files.md").read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)], text


def test_the_documented_columns_are_those_that_are_written(pig):
    names, _ = documented("Rows")
    columns = [column.name for column in pig.policy("throws").columns]
    assert [name for name in names if name in CHOICE_COLUMNS] == list(CHOICE_COLUMNS)
    assert columns == ["score", "opponent", "turn", "dice", "roll", *CHOICE_COLUMNS]
    values = {column.name for column in pig.policy("values").columns} - {"score", "opponent"}
    assert values == {"value", "value_2"}
    assert set(names) == {*CHOICE_COLUMNS, "value_2"}


def test_npz_exports_have_the_documented_layout(run, tmp_path):
    _, text = documented("Rows as npz")
    path = written(run, tmp_path, "npz")
    with np.load(path, allow_pickle=False) as arrays:
        head = json.loads(arrays["head"].tobytes())
        for name in CHOICE_COLUMNS:
            kind = np.float64 if CHOICE_COLUMNS[name] is float else np.int64
            assert arrays[name].dtype == kind, name
            assert (f"{name}_names" in arrays.files) == (CHOICE_COLUMNS[name] is str), name
        assert arrays["head"].dtype == np.uint8
        assert arrays["runner_up"].min() >= -1
    for word in ("COLUMN_names", "`head`", "int64", "float64", "-1", "NaN"):
        assert word in text, word
    assert set(re.findall(r'"(\w+)"', text.split("    import")[0])) <= head.keys()


def test_shipped_tables_have_the_documented_head():
    names, text = documented("Value tables")
    objectives, tables = set(), sorted((ROOT / "tables").glob("*.npz"))
    assert len(tables) >= 20
    for path in tables:
        with np.load(path, allow_pickle=False) as arrays:
            assert set(names) == json.loads(arrays["head"].tobytes()).keys(), path
            kinds = {str(arrays[name].dtype) for name in arrays.files if name != "head"}
            assert kinds <= {"int64", "float64"}, path
            if "scores" in arrays.files:
                objectives.add(json.loads(arrays["head"].tobytes())["objective"])
                main = arrays[json.loads(arrays["head"].tobytes())["objective"]]
                assert set(main.shape) == {len(arrays["scores"])}, path
    assert objectives == {"win", "turns"}
    assert "`scores`" in text


# game, objective, rules, and how many positions between turns there must be (None: not counted here)
QUESTIONS = [
    pytest.param("5000", "points", {}, {}, 2, marks=pytest.mark.slow),
    ("5000", "turns", {"target": 1000}, {}, None),
    ("pig", "win", {"target": 10}, {}, 81),  # scores 0 and 2 to 9, both players
    ("pig", "reach", {"target": 10}, {"turns": 2}, 9),
    pytest.param("farkle", "win", {"target": 500}, {}, None, marks=pytest.mark.slow),
    ("scarney", "points", {}, {}, 1),
    ("battleship", "points", {}, {}, 1),
    ("battleship", "win", {"rounds": 1}, {}, None),
    ("battleship", "turns", {"target": 20}, {}, 19),  # a total of 1 cannot be
    ("battleship", "win", {"match": "first_to", "target": 5}, {}, None),
    ("boston", "win", {}, {}, 17),
    ("hearts-due", "win", {"target": 20}, {}, 16),
    ("hearts-due", "points", {}, {}, 1),
    # sets of an even number of ten categories, but the full one
    pytest.param("double-cameroon", "points", {}, {}, 511, marks=pytest.mark.slow),
    ("booby-trap", "win", {"large": 1, "medium": 1, "small": 1}, {}, None),
    ("booby-trap", "reach", {"variant": "solitaire", "large": 1, "medium": 1, "small": 1}, {}, None),
]


@pytest.mark.cases(fast=2, slow=7)
@pytest.mark.parametrize(("game", "objective", "rules", "parameters", "count"), QUESTIONS)
def test_every_game_lists_its_positions(game, objective, rules, parameters, count):
    solution = kw.solve(kw.game(game, **rules), objective, fresh=True, **parameters)
    for detail in ("values", *solution.playable.decision_kinds):
        given = {}
        if game == "double-cameroon" and detail == "rolls":
            given = {"used": "little cameroon, full house, sixes, fives, fours, threes, twos, aces", "throw": 3}
        policy = solution.policy(detail, **given)
        rows = []
        for row in policy.rows():
            rows.append(row)
            assert list(row) == [column.name for column in policy.columns]
            if len(rows) > (400 if detail == "values" else 100):
                break
        assert rows
        if detail == "values" and count is not None:
            assert len(rows) == min(count, 401)
        keys = [column.name for column in policy.columns if column.name not in ("value", "cost")]
        assert len({tuple(row[key] for key in keys) for row in rows}) == len(rows)
        for row in rows:
            for column in policy.columns:
                value = row[column.name]
                assert value is None or isinstance(value, (column.type, int))


def test_values_of_both_seats_add_up():
    for row in kw.solve(kw.game("pig", target=20), "win").policy("values").rows():
        assert row["value"] + row["value_2"] == 1


@pytest.mark.slow
def test_rows_of_rolls_hold_every_roll():
    rows = list(kw.solve("5000", "points", fresh=True).policy("rolls", score=500, turn=0).rows())
    assert len(rows) == 252  # multisets of five dice
    assert {row["dice"] for row in rows} == {5}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("export pig -o p.xyz", "unknown file ending"),
        ("export pig", "missing format: -f text"),
        ("export pig -f npz", "the format npz requires -o FILE"),
        ("export pig -f cvs -o p.csv", "did you mean csv"),
        ("export pig -o p.csv --detail roll", "did you mean"),
        ("export pig -o p.csv --score 1", "score cannot be 1: no banks of"),
        ("export pig -o p.csv --left 1,2,3", "unknown option --left"),
        ("export hearts-due -o p.csv --detail rolls", "unknown detail 'rolls'"),
        ("export pig -f text --score 20", "--score cannot be combined with"),
        ("export hearts-due -o p.drn --objective win", "drn cannot describe the objective win for 2 players"),
        (
            "export pig -o p.prism",
            "prism cannot describe the objective win for 2 players: use --objective points, -f umb",
        ),
        ("export pig -o p.drn --policy hold:x", "limit must be a whole number, not 'x'"),
        ("export pig -o p.dot --policy optimal", "shows one turn"),
        ("export nowhere.npz -o p.csv", "cannot read nowhere.npz: file not found"),
        ("export pig -o nowhere/p.csv", "there is no folder"),
    ],
)
def test_bad_exports_get_one_line(run, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    found = run(words)
    assert found.status == 2
    assert said in found.err
    assert found.err.count("\n") == 1
    assert not list(tmp_path.glob("p.*"))


def test_a_table_in_a_file_is_exported(run, tmp_path):
    assert run(f"solve pig --rule target=20 -o {tmp_path}/t.npz").status == 0
    assert run(f"export {tmp_path}/t.npz --detail values -o {tmp_path}/t.csv").status == 0
    with open(tmp_path / "t.csv", newline="") as file:
        assert len(list(csv.DictReader(file))) == 19**2
    assert "leave --objective out" in run(f"export {tmp_path}/t.npz --objective win -o {tmp_path}/t.csv").err


def test_policy_refuses_unknown_columns():
    with pytest.raises(InputError, match="unknown column 'colour'; the columns are "):
        kw.solve("pig", "points").policy(colour=3)


def test_points_below_the_minimum_are_listed_up_to_the_target():
    """At 4,900 of 5,000 with 300 to bank, 100 to 250 in hand are no end: one must go on."""
    solution = kw.solve("5000", "turns")
    held = {row["turn"] for row in solution.policy("throws", score=4900).rows()}
    assert {0, 50, 100, 150, 200, 250} <= held
    assert max(held) == 250


@pytest.mark.slow
def test_rows_where_every_bank_wins():
    solution = kw.solve(kw.game("5000", target=500), "points", fresh=True)
    assert {row["score"] for row in solution.policy().rows()} == {0}


def test_files_are_written_through_links_and_not_over_pipes(run, tmp_path):
    (tmp_path / "target.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "target.csv")
    assert run(f"export pig --objective points -o {tmp_path}/link.csv").status == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "target.csv").read_text().startswith("score,")
    found = run("export pig --objective points -f csv -o /dev/null")
    assert found.status == 2
    assert "is not a regular file" in found.err


DC = "sixes,fives,fours,threes,twos,aces,full house,five of a kind"


@pytest.mark.cases(fast=3)
@pytest.mark.parametrize(
    ("game", "objective", "rules", "parameters", "start", "inside"),
    [
        ("battleship", "win", {"rounds": 2}, {"players": 3}, {"round": 2, "seat": 2, "score": 8, "opponents": [12, 15]},
         {"cast": 2, "kept": "65", "roll": "65432"}),
        ("battleship", "win", {}, {}, {"round": 10, "seat": 1, "score": 60, "opponents": [66]},
         {"cast": 1, "roll": "65443"}),
        ("double-cameroon", "win", {}, {}, {"used": DC, "opponent_used": DC, "score": 60, "opponents": [70]},
         {"throw": 3, "roll": "1234523456"}),
        ("double-cameroon", "reach", {}, {"goal": 100}, {"used": DC, "score": 60}, {"throw": 2, "roll": "1234523456"}),
        ("double-cameroon", "points", {}, {}, {"used": DC}, {"throw": 2, "roll": "1234523456"}),
        ("booby-trap", "win", {"large": 2, "medium": 2, "small": 2}, {},
         {"left": "1,2,2", "score": 3, "opponents": [0]},
         {"passes": 1, "touched": "small", "feel": "tight"}),
        ("scarney", "win", {"frames": 1}, {}, {"frame": 1, "seat": 1, "score": 0, "opponents": [30]},
         {"turn": 20, "live": 2, "roll": "13"}),
    ],
)  # fmt: skip
def test_policy_lists_a_fully_given_position(game, objective, rules, parameters, start, inside):
    solution = kw.solve(kw.game(game, **rules), objective, **parameters)
    (row,) = solution.policy("rolls", **start, **inside).rows()
    advice = solution.advise(**start, **inside)
    assert row["action"] == advice.best.action
    assert row["value"] == advice.best.value
    if "roll" in inside:
        (again,) = solution.policy("rolls", **start, **{**inside, "roll": inside["roll"][::-1]}).rows()
        assert again == row
    (between,) = solution.policy("values", **start).rows()
    assert between["value"] == solution.value(**start)


def test_best_play_that_is_solved_on_demand_has_no_model(refused):
    said = "solved from one position at a time, so best play cannot be exported as a model"
    refused(
        said,
        "export",
        "yahtzee",
        "--objective",
        "reach",
        "--goal",
        "200",
        "--policy",
        "optimal",
        "-f",
        "drn",
        "-o",
        "x.drn",
    )


@pytest.mark.parametrize("form", [*ROWS, *MODELS])
def test_rows_and_models_take_the_first_objective_of_the_game(run, tmp_path, form):
    """Rows and models answer the same question; the report of the file names it."""
    if form == "umb" and sys.version_info < (3, 12):
        pytest.skip("umbi needs Python 3.12")
    path = tmp_path / f"x.{form}"
    found = run(f"export pig --rule target=6 -f {form} -o {path}")
    if form in ONE_PLAYER_FORMATS:
        assert found.status == 2
        assert found.err.count("\n") == 1
        assert "--objective points" in found.err
        found = run(f"export pig --rule target=6 -f {form} -o {path} --objective points")
        assert found.out.startswith(f"wrote {path} (points, 1 player): ")
    else:
        assert found.out.startswith(f"wrote {path} (win, 2 players): ")


def test_the_report_of_a_sheet_names_its_objective(run, tmp_path):
    assert run(f"export pig -o {tmp_path}/x.md").out == f"wrote {tmp_path}/x.md (points, 1 player)\n"


def test_export_refuses_hours_of_work_without_anyway(run, tmp_path, monkeypatch):
    """Each reading of the clock is a minute later, so a group of turns takes a minute."""
    minutes = count(step=60)
    monkeypatch.setattr("keepwise.answers.rows.process_time", lambda: next(minutes))
    found = run(f"export pig --rule target=100 -o {tmp_path}/x.csv")
    assert found.status == 2
    assert "writing the rows of Pig takes about" in found.err
    assert "hours" in found.err
    assert "--anyway" in found.err
    assert not (tmp_path / "x.csv").exists()
    found = run(f"export pig --rule target=12 -o {tmp_path}/x.csv")
    assert found.status == 0
    assert "writing the rows of Pig takes about" in found.err


def test_measuring_mistakes_announces_its_cost(monkeypatch):
    """The clock moves a minute with every reading: five usual tries take five minutes."""
    minutes, said = count(step=60), list[str]()
    monkeypatch.setattr("keepwise.simulation.grades.perf_counter", lambda: next(minutes))
    monkeypatch.setattr("keepwise.util.progress_reporting.warn", said.append)
    solution = kw.solve(kw.game("pig", target=20), "win", fresh=True)
    make_mistake_player(solution, "loses:0.0123", games=20)
    assert said == ["measuring the mistakes of loses:0.0123 in up to 60 runs of 20 games takes about 5 minutes"]
