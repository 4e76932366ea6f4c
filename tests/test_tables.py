"""Value tables: written whole, read without trust, found in the package and the cache."""

from __future__ import annotations

import json
import logging
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import keepwise as kw
from keepwise import solution as solutions
from keepwise import values
from keepwise.values import FORMAT


@pytest.fixture
def pig():
    return kw.solve(kw.game("pig", target=20), fresh=True)


def test_round_trip(pig, tmp_path):
    file = tmp_path / "pig.npz"
    pig.save(file)
    read = kw.load(file)
    assert read.head == pig.head
    assert read.solved.arrays.keys() == pig.solved.arrays.keys()
    assert all((read.solved.arrays[name] == pig.solved.arrays[name]).all() for name in read.solved.arrays)
    assert read.source == str(file)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["pig.npz"]


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
    assert not own_cache.exists()


def test_other_rules_are_kept_in_the_cache(own_cache):
    game = kw.game("pig", target=40)
    first = kw.solve(game)
    assert first.source == "solved"
    (file,) = own_cache.iterdir()
    assert first.fingerprint in file.name
    again = kw.solve(game)
    assert again.source == "cache"
    assert again.value() == first.value()


def test_what_another_version_solved_is_solved_anew(own_cache, monkeypatch):
    game = kw.game("pig", target=40)
    kw.solve(game)
    monkeypatch.setattr(solutions, "ENGINE", "keepwise 99.0")
    assert kw.solve(game).source == "solved"
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
    assert "not kept" in caplog.text


def forge(path: Path, head: dict, arrays: dict) -> None:
    """A table with a right checksum over anything."""
    full = {"format": FORMAT, **head}
    full["checksum"] = values.checksum(full, arrays)
    np.savez(path, head=np.frombuffer(json.dumps(full).encode(), dtype=np.uint8), **arrays)


def test_foreign_and_forged_files_are_refused(pig, tmp_path):
    file = tmp_path / "x.npz"
    head, arrays = dict(pig.head), dict(pig.solved.arrays)
    cases = {
        "not a table": lambda: file.write_bytes(b"hello"),
        "no table": lambda: file.unlink(),
        "is no keepwise table": lambda: np.savez(file, head=np.frombuffer(b'{"format": "x"}', dtype=np.uint8)),
        "other rules": lambda: forge(file, {**head, "rules": {**head["rules"], "target": 21}}, arrays),
        "no question": lambda: forge(file, {**head, "game": "chess"}, arrays),
        "arrays do not fit": lambda: forge(file, head, {**arrays, "win": arrays["win"][:3]}),
        "not finite": lambda: forge(file, head, {**arrays, "win": arrays["win"] * np.nan}),
        "not a table or": lambda: np.savez(file, head=np.array([{"pickle": 1}], dtype=object)),
    }
    file.write_bytes(b"")
    for says, write in cases.items():
        write()
        with pytest.raises(kw.TableError, match=says):
            kw.load(file)
        file.touch()


def test_a_file_that_claims_to_be_huge_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    file = tmp_path / "bomb.npz"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("head.npy", b"\0" * 5_000_000)
    monkeypatch.setattr(values, "LARGEST", 1_000_000)
    with pytest.raises(kw.TableError, match="claims to unpack"):
        kw.load(file)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_mutated_files_are_refused_or_unchanged(tmp_path, data):
    original = (solutions._shipped() / "pig-turns-4b64ebcbdb9ff164.npz").read_bytes()
    content = bytearray(original)
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
    assert (read.solved.arrays["turns"] == truth.solved.arrays["turns"]).all()
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
    for shipped in sorted(solutions._shipped().glob("*.npz")):
        content, truth = shipped.read_bytes(), kw.load(shipped)
        for _ in range(300):
            file.write_bytes(_mutant(rng, content))
            try:
                read = kw.load(file)
            except kw.TableError as error:
                said.add(str(error))
                continue
            assert read.head == truth.head
            for name, array in truth.solved.arrays.items():
                assert (read.solved.arrays[name] == array).all()
    assert not any("\n" in words for words in said)


def test_an_interrupted_write_leaves_nothing(pig, tmp_path, monkeypatch):
    def broken(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(np.lib.format, "write_array", broken)
    with pytest.raises(KeyboardInterrupt):
        pig.save(tmp_path / "pig.npz")
    assert not list(tmp_path.glob("*.npz*"))
    assert not list(tmp_path.glob(".*"))
