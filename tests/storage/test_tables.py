"""Value tables: atomic writes, validation of files, and shipped and cached tables."""

from __future__ import annotations

import json
import logging
import os
import random
import socket
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from forged_tables import check_impossible_values, forge
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from patience import PATIENCE

import keepwise as kw
from keepwise.games import own_game
from keepwise.solving import solve, table_store
from keepwise.storage import table_files
from keepwise.storage.table_files import FORMAT
from keepwise.tables.rebuild import FILES

CARD = {
    "name": "tiny",
    "dice": 2,
    "faces": 3,
    "category": [{"name": "ones", "face": 1}, {"name": "pair", "groups": [2]}, {"name": "choice", "chance": True}],
}


@pytest.fixture
def pig():
    return kw.solve(kw.game("pig", target=20), fresh=True)


def test_round_trip(pig, tmp_path):
    file = tmp_path / "pig.npz"
    pig.save(file)
    read = kw.load(file)
    assert read.head == pig.head
    assert read.value_table.arrays.keys() == pig.value_table.arrays.keys()
    assert all(
        (read.value_table.arrays[name] == pig.value_table.arrays[name]).all() for name in read.value_table.arrays
    )
    assert read.source == str(file)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["pig.npz"]


def test_large_tables_are_mapped_and_verified_once(pig, tmp_path, monkeypatch):
    """Loads after the first do not verify the file again, until it changes."""
    monkeypatch.setattr(table_files, "MAPPED_FILE_BYTES", 1 << 10)
    monkeypatch.setattr("keepwise.storage.verified_files.SETTLING_SECONDS", -1.0)
    file, checksums = tmp_path / "pig.npz", []
    monkeypatch.setattr(
        table_files, "table_checksum", lambda *args, real=table_files.table_checksum: checksums.append(1) or real(*args)
    )
    pig.save(file)
    checksums.clear()
    loaded = [kw.load(file) for _ in range(3)]
    assert len(checksums) == 1
    for solution in loaded:
        win = solution.value_table.arrays["win"]
        assert not win.flags.owndata
        assert win.flags.aligned
        assert win.tobytes() == pig.value_table.arrays["win"].tobytes()
        assert solution.value() == pig.value()
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    for _ in range(2):  # a damaged file is verified each time
        with pytest.raises(kw.TableError, match="damaged"):
            kw.load(file)
    pig.save(file)
    assert kw.load(file).value() == pig.value()


def test_a_file_that_has_just_changed_is_not_marked_as_verified(pig, tmp_path, monkeypatch):
    """Its next change could have the same time."""
    monkeypatch.setattr(table_files, "MAPPED_FILE_BYTES", 1 << 10)
    pig.save(tmp_path / "pig.npz")
    kw.load(tmp_path / "pig.npz")
    assert not (tmp_path / "cache" / "checked").exists()


def test_the_same_question_gives_the_same_bytes(pig, tmp_path):
    pig.save(tmp_path / "a.npz")
    kw.solve(kw.game("pig", target=20), fresh=True, threads=2).save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_problems_have_different_fingerprints():
    games = [kw.game("pig"), kw.game("pig", target=99), kw.game("pig", faces=8)]
    prints = {kw.solve(game, objective, fresh=True).fingerprint for game in games for objective in ("points", "turns")}
    assert len(prints) == 6
    again = kw.solve(kw.game("pig", target=100), "points").fingerprint
    assert again == kw.solve("pig", "points").fingerprint


def test_shipped_tables_answer_without_a_cache(own_cache):
    for game in ("5000", "pig"):
        for objective in ("win", "points", "turns"):
            assert kw.solve(game, objective).source == "shipped"
    for name in FILES:
        assert kw.solve(kw.load_rules(name), "win").source == "shipped"
    assert not own_cache.exists()


def test_every_shipped_table_fits_the_question_that_names_it():
    """Else each answer would be solved anew, with a warning."""
    for shipped in sorted(table_store.shipped_tables_folder().glob("*.npz")):
        assert table_store.table_file_name(kw.load(shipped).problem) == shipped.name


def test_other_rules_are_kept_in_the_cache(own_cache):
    game = kw.game("pig", target=40)
    first = kw.solve(game)
    assert first.source == "solved"
    (file,) = own_cache.iterdir()
    assert first.fingerprint in file.name
    again = kw.solve(game)
    assert again.source == "cache"
    assert again.value() == first.value()


def test_tables_of_other_versions_are_solved_anew(own_cache, monkeypatch, caplog):
    game = kw.game("pig", target=40)
    kw.solve(game)
    for module in (solve, table_store):
        monkeypatch.setattr(module, "ENGINE", "keepwise 99.0")
    assert kw.solve(game).source == "solved"
    assert "was written by another version than keepwise 99.0; solving again" in caplog.text
    assert kw.solve(game).engine == "keepwise 99.0"


def test_a_damaged_cache_file_is_noticed_and_solved_anew(own_cache, caplog):
    game = kw.game("pig", target=40)
    value = kw.solve(game).value()
    (file,) = own_cache.iterdir()
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with caplog.at_level(logging.WARNING, "keepwise"):
        again = kw.solve(game)
    assert again.source == "solved"
    assert again.value() == value
    assert "solving again" in caplog.text
    assert kw.solve(game).source == "cache"


def test_a_cache_that_cannot_be_written_does_not_stop_the_answer(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda *args, **kwargs: str(tmp_path / "file"))
    assert kw.solve(kw.game("pig", target=15)).value() > 0.5
    assert "cannot cache the solution" in caplog.text


def test_foreign_and_forged_files_are_refused(pig, tmp_path):
    file = tmp_path / "x.npz"
    head, arrays = dict(pig.head), dict(pig.value_table.arrays)
    cases = {
        "is damaged or not a value table": lambda: file.write_bytes(b"hello"),
        "file not found": lambda: file.unlink(),
        "has the format 'x', and this version reads keepwise table 1: solve the game again": lambda: np.savez(
            file, head=np.frombuffer(b'{"format": "x"}', dtype=np.uint8)
        ),
        "other rules": lambda: forge(file, {**head, "rules": {**head["rules"], "target": 21}}, arrays),
        "this version does not support": lambda: forge(file, {**head, "game": "chess"}, arrays),
        "arrays do not fit": lambda: forge(file, head, {**arrays, "win": arrays["win"][:3]}),
        "holds an impossible value": lambda: forge(file, head, {**arrays, "win": arrays["win"] * np.nan}),
        "or not a value table": lambda: np.savez(file, head=np.array([{"pickle": 1}], dtype=object)),
        "is compressed": lambda: np.savez_compressed(file, **arrays),
        "error bound is invalid": lambda: forge(file, {**head, "error_bound": 0.5}, arrays),
        "is for a problem that": lambda: forge(file, {**head, "parameters": [1]}, arrays),
    }
    file.write_bytes(b"")
    for message, write in cases.items():
        write()
        with pytest.raises(kw.TableError, match=message):
            kw.load(file)
        file.touch()


# A small problem of every kind, and a value outside the range of all its arrays.
PROBLEMS = [
    (kw.game("pig", target=20), "win", {}, 1.5),
    (kw.game("pig", target=20), "points", {}, 1000.0),
    (kw.game("pig", target=20), "turns", {}, 0.5),
    (kw.game("pig", target=20), "reach", {"turns": 3}, -0.25),
    (kw.game("5000", target=1000), "win", {}, -0.01),
    (kw.game("beartrap"), "points", {}, -1.0),
    (kw.game("scarney", frames=1), "win", {}, 1.01),
    (kw.game("scarney"), "points", {}, 5000.0),
    (kw.game("battleship", rounds=2), "win", {}, -0.5),
    (kw.game("battleship", rounds=2), "margin", {}, 1e6),
    (kw.game("battleship"), "points", {}, 13.0),
    (kw.game("battleship"), "turns", {}, -2.0),
    (kw.game("battleship"), "reach", {"turns": 2, "goal": 10}, 1.5),
    (kw.game("boston"), "win", {}, 1.5),
    (kw.game("boston"), "points", {}, 19.0),
    (kw.game("hearts-due"), "points", {}, 36.0),
    (kw.game("hearts-due"), "turns", {}, 0.0),
    (kw.game("hearts-due"), "reach", {"turns": 5}, 1.5),
    (kw.game("booby-trap", large=3, medium=3, small=3), "win", {}, 1.5),
    (kw.game("booby-trap", large=3, medium=3, small=3), "margin", {}, 200.0),
    (kw.game("booby-trap", variant="solitaire", large=2, medium=2, small=2), "reach", {}, -0.5),
    (own_game(CARD), "points", {}, 1000.0),
    (own_game(CARD), "win", {}, 1.5),
]


@pytest.mark.cases(fast=8)
@pytest.mark.parametrize(("game", "objective", "parameters", "impossible"), PROBLEMS)
def test_values_outside_their_range_are_refused(game, objective, parameters, impossible, tmp_path):
    check_impossible_values(kw.solve(game, objective, fresh=True, **parameters), impossible, tmp_path)


@pytest.mark.parametrize("factor", [2.0, -1.0])
def test_forged_cached_tables_are_not_used(factor, own_cache, caplog):
    game = kw.game("pig", target=40)
    value = kw.solve(game).value()
    (file,) = own_cache.iterdir()
    forged = kw.load(file)
    forge(file, dict(forged.head), {**forged.value_table.arrays, "win": forged.value_table.arrays["win"] * factor})
    with caplog.at_level(logging.WARNING, "keepwise"):
        assert kw.solve(game).value() == value
    assert "impossible value; solving again" in caplog.text


TABLES_OF_SEATS = {
    "a race": ("pig", {"target": 8}, "win", 3),
    "lost scores": ("pig-two-dice", {"target": 10}, "win", 3),
    "a board": ("booby-trap", {"large": 1, "medium": 1, "small": 2}, "win", 3),
    "a board for the margin": ("booby-trap", {"large": 1, "medium": 1, "small": 2}, "margin", 3),
    "rounds": ("battleship", {"rounds": 1}, "win", 3),
    "rounds for the margin": ("battleship", {"rounds": 1}, "margin", 2),
    "rounds up to a target": ("battleship", {"match": "first_to", "target": 5}, "win", 2),
    "a pot": ("multiplication", {}, "win", 2),
}


@pytest.mark.parametrize(("game", "rules", "objective", "players"), TABLES_OF_SEATS.values(), ids=TABLES_OF_SEATS)
def test_seats_that_do_not_add_up_are_refused(game, rules, objective, players, tmp_path):
    make = kw.load_rules if game == "pig-two-dice" else kw.game
    solution, file = kw.solve(make(game, **rules), objective, players, fresh=True), tmp_path / "x.npz"
    solution.save(file)
    assert kw.load(file).value() == solution.value()
    for name, axis in (
        (name, spec.seat_axis) for name, spec in solution.problem.array_specs().items() if spec.seat_axis is not None
    ):
        array = np.array(solution.value_table.arrays[name])
        rows = np.moveaxis(array, axis, -1).reshape(-1, array.shape[axis])
        last = np.flatnonzero(rows.any(axis=1))[-1]
        place = np.unravel_index(last, np.moveaxis(array, axis, -1).shape[:-1])
        np.moveaxis(array, axis, -1)[(*place, rows[last].argmax())] -= 1e-6
        forge(file, dict(solution.head), {**solution.value_table.arrays, name: array})
        with pytest.raises(kw.TableError, match="do not add up"):
            kw.load(file)


def test_many_arrays_are_refused_by_their_names(pig, tmp_path, monkeypatch):
    file, layouts = tmp_path / "many.npz", []
    forge(file, dict(pig.head), {**pig.value_table.arrays, **{f"a{number}": np.empty(0) for number in range(3000)}})
    read_layout = np.lib.format.read_array_header_1_0
    monkeypatch.setattr(
        np.lib.format, "read_array_header_1_0", lambda member: layouts.append(member.name) or read_layout(member)
    )
    with pytest.raises(kw.TableError, match="do not fit the problem"):
        kw.load(file)
    assert layouts == ["head.npy"]


@pytest.mark.parametrize("path", [0, 5, True, None, 2.5, b"x\0", "x\0", [], Path("no", "such")])
def test_load_refuses_arguments_that_name_no_file(path):
    for read in (kw.load, kw.load_rules):
        with pytest.raises(kw.KeepwiseError):
            read(path)


def write_zeros(file: Path, head: dict, shapes: dict[str, tuple[int, ...]], compression: int) -> None:
    """Write a table of zeros without holding its arrays in memory."""
    with zipfile.ZipFile(file, "w", compression) as archive:
        text = np.frombuffer(json.dumps({"format": FORMAT, **head}).encode(), dtype=np.uint8)
        with archive.open("head.npy", "w") as member:
            np.lib.format.write_array(member, text)
        for name, shape in shapes.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                layout = {"descr": "<f8", "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(member, layout)
                for _ in range(int(np.prod(shape)) * 8 >> 20):
                    member.write(bytes(1 << 20))


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_file_that_claims_to_be_huge_is_refused_by_its_head(pig, tmp_path, compression):
    file = tmp_path / "zeros.npz"
    write_zeros(file, dict(pig.head), {"scores": (1 << 17,), "win": (1 << 12, 1 << 12)}, compression)
    tracemalloc.start()
    try:
        with pytest.raises(kw.TableError, match="is compressed" if compression else "do not fit the problem"):
            kw.load(file)
        assert tracemalloc.get_traced_memory()[1] < 4 << 20  # of 129 MB
    finally:
        tracemalloc.stop()


def test_arrays_must_have_the_size_in_their_header(pig, tmp_path):
    file = tmp_path / "x.npz"
    with zipfile.ZipFile(file, "w") as archive, archive.open("head.npy", "w") as member:
        np.lib.format.write_array_header_1_0(member, {"descr": "|u1", "fortran_order": False, "shape": (1 << 40,)})
    with pytest.raises(kw.TableError, match="is damaged or not a value table; keepwise solve writes value tables"):
        kw.load(file)


def make_special_file(kind: str, path: Path) -> None:
    """Make something that is not a regular file."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(str(path))
    else:
        path.mkdir()


@pytest.mark.skipif(os.name == "nt", reason="needs pipes in folders")
@pytest.mark.parametrize("kind", ["pipe", "device", "socket", "folder"])
def test_special_files_are_refused_at_once(kind, tmp_path, monkeypatch, own_cache, caplog, run):
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    path = Path("x.npz")
    make_special_file(kind, path)
    reason = "it is a folder, not a file" if kind == "folder" else "it is not a regular file"
    with pytest.raises(kw.TableError, match=reason):
        kw.load(path)
    with pytest.raises(kw.InputError, match=reason):
        kw.load_rules(path)
    result = run("advise --rules x.npz --roll 5")
    assert (result.status, result.err.count("\n")) == (2, 1)
    game = kw.game("pig", target=15)
    own_cache.mkdir(parents=True)
    monkeypatch.chdir(own_cache)
    make_special_file(kind, Path(table_store.table_file_name(kw.solve(game, fresh=True).problem)))
    with caplog.at_level(logging.WARNING, "keepwise"):
        assert kw.solve(game).source == "solved"
    assert reason in caplog.text


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("large", [table_files.MAPPED_FILE_BYTES, 1 << 9])
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_mutated_files_are_refused_or_unchanged(large, tmp_path, monkeypatch, data):
    """Mutate tables that are read, and tables that are mapped."""
    monkeypatch.setattr(table_files, "MAPPED_FILE_BYTES", large)
    kw.solve("pig", "turns").save(tmp_path / "whole.npz")
    content = bytearray((tmp_path / "whole.npz").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(content)))]
    file = tmp_path / "mutant.npz"
    file.write_bytes(content)
    try:
        read = kw.load(file)
    except kw.TableError:
        return
    truth = kw.solve("pig", "turns")
    assert (read.value_table.arrays["turns"] == truth.value_table.arrays["turns"]).all()
    assert read.head == truth.head


def _mutant(rng: random.Random, content: bytes) -> bytes:
    """Return contents with bits flipped, bytes cut out, doubled, overwritten or cut off."""
    mutant = bytearray(content)
    for _ in range(rng.randint(1, 5)):
        first, second = sorted((rng.randrange(len(mutant) + 1), rng.randrange(len(mutant) + 1)))
        kind = rng.randrange(5)
        if kind == 0 and mutant:
            mutant[min(first, len(mutant) - 1)] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del mutant[first : first + rng.randint(1, 64)]
        elif kind == 2:
            mutant[first:first] = mutant[first : first + rng.randint(1, 64)]
        elif kind == 3:
            mutant[first : first + 8] = bytes(rng.randrange(256) for _ in range(8))
        else:
            mutant = mutant[:second]
    return bytes(mutant)


@pytest.mark.slow
def test_thousands_of_mutated_tables_are_refused_or_unchanged(tmp_path):
    rng, file, messages = random.Random(17), tmp_path / "mutant.npz", set()
    for shipped in sorted(table_store.shipped_tables_folder().glob("*.npz")):
        content, truth = shipped.read_bytes(), kw.load(shipped)
        for _ in range(50 * PATIENCE):
            file.write_bytes(_mutant(rng, content))
            try:
                read = kw.load(file)
            except kw.TableError as error:
                messages.add(str(error))
                continue
            assert read.head == truth.head
            for name, array in truth.value_table.arrays.items():
                assert (read.value_table.arrays[name] == array).all()
    assert not any("\n" in message for message in messages)


def test_interrupted_writes_leave_no_file(pig, tmp_path, monkeypatch):
    def broken(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(np.lib.format, "write_array", broken)
    with pytest.raises(KeyboardInterrupt):
        pig.save(tmp_path / "pig.npz")
    assert not list(tmp_path.glob("*.npz*"))
    assert not list(tmp_path.glob(".*"))
