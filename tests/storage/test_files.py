"""Atomic writes, with other writers and killed processes; checkpoints of a long solve."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import keepwise as kw
from keepwise.api import solve_resumable
from keepwise.games import own_game
from keepwise.solvers import make_problem
from keepwise.storage.files import TEMPORARY_SUFFIX, write_atomically
from keepwise.util.errors import InputError, TableError

WRITER = """
import os, signal, sys
from keepwise.storage.files import write_atomically
with write_atomically(sys.argv[1]) as file:
    file.write(b"half of")
    file.flush()
    print("writing", flush=True)
    if sys.argv[2] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    sys.stdin.readline()
    file.write(b" it")
"""

TWO = {
    "name": "two",
    "dice": 2,
    "faces": 3,
    "category": [{"name": "ones", "face": 1}, {"name": "pair", "groups": [2]}, {"name": "choice", "chance": True}],
}


def start_writer(path: Path, end: str) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", WRITER, str(path), end]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "writing\n"
    return process


def temporary_files(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.endswith(TEMPORARY_SUFFIX)]


@pytest.mark.skipif(os.name == "nt", reason="needs kill -9")
def test_only_files_of_killed_processes_are_removed(tmp_path):
    target = tmp_path / "x.txt"
    with start_writer(tmp_path / "other.txt", "killed") as killed:
        assert killed.wait() == -9
    (leftover,) = temporary_files(tmp_path)
    with start_writer(target, "slowly") as slow:
        assert leftover not in temporary_files(tmp_path)
        assert len(temporary_files(tmp_path)) == 1
        with write_atomically(target) as file:
            assert len(temporary_files(tmp_path)) == 2
            file.write(b"all of it")
        assert target.read_bytes() == b"all of it"
        slow.communicate("\n")
    assert slow.returncode == 0
    assert target.read_bytes() == b"half of it"  # the last writer wins
    assert os.listdir(tmp_path) == ["x.txt"]


def test_only_our_leftovers_are_removed(tmp_path):
    foreign_names = [".x.txt.part", "x.part", f"a{TEMPORARY_SUFFIX}", ".hidden"]
    for name in foreign_names:
        (tmp_path / name).touch()
    (tmp_path / f".x.txt.abc{TEMPORARY_SUFFIX}").touch()
    with write_atomically(tmp_path / "x.txt") as file:
        file.write(b"x")
    assert sorted(os.listdir(tmp_path)) == sorted([*foreign_names, "x.txt"])


def test_leftovers_of_any_problem_are_removed_from_the_cache(own_cache):
    own_cache.mkdir(parents=True)
    (own_cache / f".5000-win-0123456789abcdef.npz.x_y{TEMPORARY_SUFFIX}").touch()
    kw.solve(kw.game("pig", target=15))
    assert [path.suffix for path in own_cache.iterdir()] == [".npz"]


def test_long_names_and_names_with_brackets_can_be_written(tmp_path):
    for name in ("é" * 120, "[ab]*?.npz"):
        with write_atomically(tmp_path / name) as file:
            file.write(b"x")
        assert (tmp_path / name).read_bytes() == b"x"


def test_failed_writes_leave_no_file(tmp_path):
    with pytest.raises(InputError, match="cannot write"), write_atomically(tmp_path / "x"):
        raise OSError(28, "No space left on device")
    assert not os.listdir(tmp_path)


@pytest.mark.slow
def test_two_solves_to_one_output_both_succeed(tmp_path):
    output, failed = tmp_path / "two[1].npz", []

    def solve() -> None:
        try:
            solve_resumable(make_problem(own_game(TWO), "win"), output, threads=1)
        except Exception as error:
            failed.append(error)

    for _ in range(5):
        threads = [threading.Thread(target=solve) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed
        assert set(os.listdir(tmp_path)) == {"two[1].npz", "cache"}
        assert kw.load(output).value() == kw.solve(own_game(TWO), "win", fresh=True).value()


def test_other_files_beside_an_output_are_left_alone(tmp_path):
    (tmp_path / "two.npz.mine.part").touch()
    solve_resumable(make_problem(own_game(TWO), "win"), tmp_path / "two.npz")
    assert (tmp_path / "two.npz.mine.part").exists()


@pytest.mark.parametrize("damage", [b"", b"hello", bytes(400), None])
def test_damaged_checkpoints_state_the_remedy(damage, tmp_path, run):
    rules, output = tmp_path / "two.toml", tmp_path / "two.npz"
    lines = [
        f"[[category]]\n{text}"
        for text in ('name="ones"\nface=1', 'name="pair"\ngroups=[2]', 'name="any"\nchance=true')
    ]
    rules.write_text("\n".join(['name="two"', "dice=2", "faces=3", *lines]))
    words = f"solve --rules {rules} --objective win -o {output}"
    layer = tmp_path / "two.npz.after5.part"
    if damage is None:
        os.mkfifo(layer)
    else:
        layer.write_bytes(damage)
    result = run(words)
    assert result.status == 2
    assert f"{layer}" in result.err
    assert "; delete it to solve that layer again, or write to another file" in result.err
    assert result.err.count("\n") == 1
    layer.unlink()
    assert run(words).status == 0
    assert kw.load(output).value() == kw.solve(own_game(TWO), "win", fresh=True).value()


def test_a_checkpoint_of_impossible_values_is_refused(tmp_path):
    from keepwise.storage.checkpoints import Checkpoint

    problem = make_problem(own_game(TWO), "win")
    checkpoint = Checkpoint(tmp_path / "two.npz", problem.playable.problem_key)
    rows = problem.solve(1, lambda share: None).arrays["after5"]
    checkpoint.save_layer("after5", rows * 2)
    with pytest.raises(TableError, match=r"it holds an impossible value; delete it"):
        solve_resumable(problem, tmp_path / "two.npz")
