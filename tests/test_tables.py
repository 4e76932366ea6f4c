"""Value tables: written whole, read without trust, found in the package and the cache."""

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


def test_large_tables_are_mapped_and_read_through_once(pig, tmp_path, monkeypatch):
    """Each load after the first takes what was found whole for granted, until somebody touches the file."""
    monkeypatch.setattr(table_files, "MAPPED_FILE_BYTES", 1 << 10)
    monkeypatch.setattr("keepwise.storage.verified_files.SETTLING_SECONDS", -1.0)
    file, checked = tmp_path / "pig.npz", []
    monkeypatch.setattr(
        table_files, "table_checksum", lambda *told, real=table_files.table_checksum: checked.append(1) or real(*told)
    )
    pig.save(file)
    checked.clear()
    reads = [kw.load(file) for _ in range(3)]
    assert len(checked) == 1
    for read in reads:
        win = read.value_table.arrays["win"]
        assert not win.flags.owndata
        assert win.flags.aligned
        assert win.tobytes() == pig.value_table.arrays["win"].tobytes()
        assert read.value() == pig.value()
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    for _ in range(2):  # a damaged file is never taken for granted
        with pytest.raises(kw.TableError, match="damaged"):
            kw.load(file)
    pig.save(file)
    assert kw.load(file).value() == pig.value()


def test_a_file_that_just_changed_is_read_through_again(pig, tmp_path, monkeypatch):
    """Its next change could have the same time."""
    monkeypatch.setattr(table_files, "MAPPED_FILE_BYTES", 1 << 10)
    pig.save(tmp_path / "pig.npz")
    kw.load(tmp_path / "pig.npz")
    assert not (tmp_path / "cache" / "checked").exists()


def test_the_same_question_gives_the_same_bytes(pig, tmp_path):
    pig.save(tmp_path / "a.npz")
    kw.solve(kw.game("pig", target=20), fresh=True, threads=2).save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_fingerprints_tell_questions_apart():
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
    for shipped in sorted(table_store._shipped_folder().glob("*.npz")):
        assert table_store.table_name(kw.load(shipped).problem) == shipped.name


def test_other_rules_are_kept_in_the_cache(own_cache):
    game = kw.game("pig", target=40)
    first = kw.solve(game)
    assert first.source == "solved"
    (file,) = own_cache.iterdir()
    assert first.fingerprint in file.name
    again = kw.solve(game)
    assert again.source == "cache"
    assert again.value() == first.value()


def test_what_another_version_solved_is_solved_anew(own_cache, monkeypatch, caplog):
    game = kw.game("pig", target=40)
    kw.solve(game)
    for module in (solve, table_store):
        monkeypatch.setattr(module, "ENGINE", "keepwise 99.0")
    assert kw.solve(game).source == "solved"
    assert "is of another version than keepwise 99.0; solving anew" in caplog.text
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
    assert "solving anew" in caplog.text
    assert kw.solve(game).source == "cache"


def test_a_cache_that_cannot_be_written_does_not_stop_the_answer(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda *args, **kwargs: str(tmp_path / "file"))
    assert kw.solve(kw.game("pig", target=15)).value() > 0.5
    assert "cannot cache the solution" in caplog.text


def forge(path: Path, head: dict, arrays: dict) -> None:
    """A table with a right checksum over anything."""
    full = {"format": FORMAT, **head}
    full["checksum"] = table_files.table_checksum(full, arrays)
    np.savez(path, head=np.frombuffer(json.dumps(full).encode(), dtype=np.uint8), **arrays)


def test_foreign_and_forged_files_are_refused(pig, tmp_path):
    file = tmp_path / "x.npz"
    head, arrays = dict(pig.head), dict(pig.value_table.arrays)
    cases = {
        "not a table": lambda: file.write_bytes(b"hello"),
        "no table": lambda: file.unlink(),
        "is not a keepwise table": lambda: np.savez(file, head=np.frombuffer(b'{"format": "x"}', dtype=np.uint8)),
        "other rules": lambda: forge(file, {**head, "rules": {**head["rules"], "target": 21}}, arrays),
        "this version does not know": lambda: forge(file, {**head, "game": "chess"}, arrays),
        "arrays do not fit": lambda: forge(file, head, {**arrays, "win": arrays["win"][:3]}),
        "holds an impossible value": lambda: forge(file, head, {**arrays, "win": arrays["win"] * np.nan}),
        "not a table, as": lambda: np.savez(file, head=np.array([{"pickle": 1}], dtype=object)),
        "is compressed": lambda: np.savez_compressed(file, **arrays),
        "error bound is invalid": lambda: forge(file, {**head, "error_bound": 0.5}, arrays),
        "is for a problem that": lambda: forge(file, {**head, "parameters": [1]}, arrays),
    }
    file.write_bytes(b"")
    for says, write in cases.items():
        write()
        with pytest.raises(kw.TableError, match=says):
            kw.load(file)
        file.touch()


# A question of every kind of match, with rules that keep it small, and a number that none of its arrays can hold.
QUESTIONS = [
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
@pytest.mark.parametrize(("game", "objective", "parameters", "beyond"), QUESTIONS)
def test_values_outside_their_range_are_refused(game, objective, parameters, beyond, tmp_path):
    refused_beyond(kw.solve(game, objective, fresh=True, **parameters), beyond, tmp_path)


def refused_beyond(solution, beyond, tmp_path):
    """A table is read, and refused with any of its numbers out of range."""
    file, told = tmp_path / "x.npz", solution.problem.array_specs()
    solution.save(file)
    assert kw.load(file).value() == solution.value()
    assert told.keys() == solution.value_table.arrays.keys()
    for name in (name for name, one in told.items() if one.fixed_values is None):
        for wrong in (beyond, np.nan, np.inf, -np.inf, -1e9):
            array = np.array(solution.value_table.arrays[name])
            array[(0,) * array.ndim] = wrong
            forge(file, dict(solution.head), {**solution.value_table.arrays, name: array})
            with pytest.raises(kw.TableError, match="impossible value"):
                kw.load(file)


@pytest.mark.parametrize("factor", [2.0, -1.0])
def test_a_forged_table_answers_nothing(factor, own_cache, caplog):
    game = kw.game("pig", target=40)
    value = kw.solve(game).value()
    (file,) = own_cache.iterdir()
    forged = kw.load(file)
    forge(file, dict(forged.head), {**forged.value_table.arrays, "win": forged.value_table.arrays["win"] * factor})
    with caplog.at_level(logging.WARNING, "keepwise"):
        assert kw.solve(game).value() == value
    assert "impossible value; solving anew" in caplog.text


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
        (name, one.seat_axis) for name, one in solution.problem.array_specs().items() if one.seat_axis is not None
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
    file, read = tmp_path / "many.npz", []
    forge(file, dict(pig.head), {**pig.value_table.arrays, **{f"a{number}": np.empty(0) for number in range(3000)}})
    monkeypatch.setattr(
        table_files.TableFile,
        "_read_layout",
        lambda self, name, real=table_files.TableFile._read_layout: read.append(name) or real(self, name),
    )
    with pytest.raises(kw.TableError, match="do not fit the question"):
        kw.load(file)
    assert read == ["head"]


@pytest.mark.parametrize("path", [0, 5, True, None, 2.5, b"x\0", "x\0", [], Path("no", "such")])
def test_what_names_no_file_is_refused(path):
    for read in (kw.load, kw.load_rules):
        with pytest.raises(kw.KeepwiseError):
            read(path)


def announce(file: Path, head: dict, shapes: dict[str, tuple[int, ...]], compression: int) -> None:
    """A table whose arrays are zeros, written without holding them in memory."""
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
    announce(file, dict(pig.head), {"scores": (1 << 17,), "win": (1 << 12, 1 << 12)}, compression)
    tracemalloc.start()
    try:
        with pytest.raises(kw.TableError, match="is compressed" if compression else "do not fit the question"):
            kw.load(file)
        assert tracemalloc.get_traced_memory()[1] < 4 << 20  # of 129 MB
    finally:
        tracemalloc.stop()


def test_what_an_array_announces_must_be_there(pig, tmp_path):
    file = tmp_path / "x.npz"
    with zipfile.ZipFile(file, "w") as archive, archive.open("head.npy", "w") as member:
        np.lib.format.write_array_header_1_0(member, {"descr": "|u1", "fortran_order": False, "shape": (1 << 40,)})
    with pytest.raises(kw.TableError, match="is not a table, as keepwise solve writes them, or is damaged"):
        kw.load(file)


def special(kind: str, path: Path) -> None:
    """A file that is no regular file."""
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
def test_what_is_no_regular_file_is_refused_at_once(kind, tmp_path, monkeypatch, own_cache, caplog, run):
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    path = Path("x.npz")
    special(kind, path)
    no = "it is a folder" if kind == "folder" else "it is not a regular file"
    with pytest.raises(kw.TableError, match=no):
        kw.load(path)
    with pytest.raises(kw.InputError, match=no):
        kw.load_rules(path)
    found = run("advise --rules x.npz --roll 5")
    assert (found.status, found.err.count("\n")) == (2, 1)
    game = kw.game("pig", target=15)
    own_cache.mkdir(parents=True)
    monkeypatch.chdir(own_cache)
    special(kind, Path(table_store.table_name(kw.solve(game, fresh=True).problem)))
    with caplog.at_level(logging.WARNING, "keepwise"):
        assert kw.solve(game).source == "solved"
    assert no in caplog.text


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("large", [table_files.MAPPED_FILE_BYTES, 1 << 9])
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_mutated_files_are_refused_or_unchanged(large, tmp_path, monkeypatch, data):
    """Whether they are read or mapped."""
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
    """A file with bytes flipped, cut out, doubled, moved or cut off."""
    mutant = bytearray(content)
    for _ in range(rng.randint(1, 5)):
        one, other = sorted((rng.randrange(len(mutant) + 1), rng.randrange(len(mutant) + 1)))
        kind = rng.randrange(5)
        if kind == 0 and mutant:
            mutant[min(one, len(mutant) - 1)] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del mutant[one : one + rng.randint(1, 64)]
        elif kind == 2:
            mutant[one:one] = mutant[one : one + rng.randint(1, 64)]
        elif kind == 3:
            mutant[one : one + 8] = bytes(rng.randrange(256) for _ in range(8))
        else:
            mutant = mutant[:other]
    return bytes(mutant)


@pytest.mark.slow
def test_thousands_of_mutated_tables_are_refused_or_unchanged(tmp_path):
    rng, file, said = random.Random(17), tmp_path / "mutant.npz", set()
    for shipped in sorted(table_store._shipped_folder().glob("*.npz")):
        content, truth = shipped.read_bytes(), kw.load(shipped)
        for _ in range(50 * PATIENCE):
            file.write_bytes(_mutant(rng, content))
            try:
                read = kw.load(file)
            except kw.TableError as error:
                said.add(str(error))
                continue
            assert read.head == truth.head
            for name, array in truth.value_table.arrays.items():
                assert (read.value_table.arrays[name] == array).all()
    assert not any("\n" in words for words in said)


def test_an_interrupted_write_leaves_nothing(pig, tmp_path, monkeypatch):
    def broken(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(np.lib.format, "write_array", broken)
    with pytest.raises(KeyboardInterrupt):
        pig.save(tmp_path / "pig.npz")
    assert not list(tmp_path.glob("*.npz*"))
    assert not list(tmp_path.glob(".*"))
