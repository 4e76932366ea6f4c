"""The memory of a solve: tables in files if they do not fit, limits of the system, and a full disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import keepwise as kw
from keepwise.api import solve_resumable
from keepwise.solvers.solve_costs import SolveCost, needs_table_file
from keepwise.storage.checkpoints import Checkpoint
from keepwise.util.errors import InputError

needs_limits = pytest.mark.skipif(sys.platform != "linux", reason="limits are tested as Linux has them")
PIG = "pig --players 3 --rule target=50"
LIMITED = """
import resource, sys
from keepwise.cli import main
from keepwise.solvers.push import multiplayer_problem
multiplayer_problem.CHECKPOINT_SECONDS = 0.0  # so that every solve stores its layers
resource.setrlimit(getattr(resource, sys.argv[1]), (int(sys.argv[2]), resource.RLIM_INFINITY))
main(sys.argv[3].split())
"""


def run_limited(limit: str, size: int, words: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, under a limit of the system."""
    command = [sys.executable, "-c", LIMITED, limit, str(size), words]
    environment = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home)}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)


def pig_to_fifty():
    return kw.api.ask(kw.game("pig", target=50), "win", 3)


@pytest.mark.slow
def test_tables_in_files_have_the_same_bits(tmp_path, run, monkeypatch):
    mapped = []
    monkeypatch.setattr(
        Checkpoint,
        "new_table",
        lambda self, count, real=Checkpoint.new_table: mapped.append(self.in_files) or real(self, count),
    )
    solve_resumable(pig_to_fifty(), tmp_path / "memory.npz")
    assert run(f"solve {PIG} --memory 4MiB -o {tmp_path / 'file.npz'}").status == 0
    assert mapped == [False, False, True, True]
    assert (tmp_path / "memory.npz").read_bytes() == (tmp_path / "file.npz").read_bytes()
    assert sorted(path.name for path in tmp_path.glob("*.npz*")) == ["file.npz", "memory.npz"]


def test_solves_above_the_memory_limit_are_refused(tmp_path, refused):
    output = tmp_path / "pig.npz"
    small = "needs at least about 5 MiB of memory, but --memory allows only 1 MiB"
    refused(small, f"solve pig --players 3 --memory 1MiB -o {output}")
    refused("needs at least about", f"solve double-cameroon --objective win --memory 9MB -o {output}")
    for size in ("", "2", "-1G", "1e9", "GiB", "2 GiBs", "1" * 40 + "G"):
        refused("--memory must be a size such as 900MiB or 2GiB", *f"solve {PIG} -o {output} --memory".split(), size)
    assert not output.exists()


def test_only_tables_may_be_mapped_to_files():
    assert not needs_table_file("x", SolveCost(5.0, 0.0, 4.0), 5.0)
    assert needs_table_file("x", SolveCost(5.0, 0.0, 4.0), 1.0)
    with pytest.raises(InputError, match="x needs at least about 1 bytes of memory, but memory allows only 0 bytes"):
        needs_table_file("x", SolveCost(5.0, 0.0, 4.0), 0.5)


@pytest.mark.slow
@needs_limits
def test_solves_stop_at_the_memory_limit(tmp_path):
    """A solve that takes more memory than its estimate ends with an error of one line."""
    script = """
import numpy as np
from keepwise.cli import main, solve
from keepwise.solvers.push.multiplayer_problem import PushMultiplayerWinProblem
from keepwise.solvers.solve_costs import SolveCost
PushMultiplayerWinProblem.estimate_cost = lambda self, threads: SolveCost(1.0, 1.0)
real_zeros = np.zeros
np.zeros = lambda *args, **options: real_zeros(1 << 28)  # 2 GiB
main("solve pig --players 3 --memory 1GiB -o pig.npz".split())
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert result.returncode == 1
    message = "solving Pig for win needs about 1 MiB of memory: there is not enough free memory"
    assert result.stderr == f"keepwise: {message}\n"


@pytest.mark.slow
@needs_limits
def test_under_a_limit_of_the_whole_address_space(tmp_path):
    """The limit that `ulimit -v` sets: enough for the solve, then too little for it."""
    enough = run_limited("RLIMIT_AS", 3 << 30, f"solve {PIG} -o {tmp_path / 'limited.npz'}", tmp_path)
    assert enough.returncode == 0, enough.stderr
    solve_resumable(pig_to_fifty(), tmp_path / "free.npz")
    assert (tmp_path / "limited.npz").read_bytes() == (tmp_path / "free.npz").read_bytes()
    words = f"solve pig --players 3 --rule target=400 --anyway -o {tmp_path / 'large.npz'}"
    little = run_limited("RLIMIT_AS", 3 << 29, words, tmp_path)
    assert little.returncode == 1
    assert little.stderr.splitlines()[-1].endswith("there is not enough free memory")
    assert not (tmp_path / "large.npz").exists()


@pytest.mark.slow
@needs_limits
def test_a_disk_that_is_full_in_the_middle(tmp_path):
    """With a limit of file sizes that some layers reach, the solve ends with one line; without it the solve resumes."""
    words = f"solve {PIG} -o {tmp_path / 'pig.npz'}"
    full = run_limited("RLIMIT_FSIZE", 200_000, words, tmp_path)
    assert full.returncode == 2
    assert full.stderr.splitlines()[-1].startswith("keepwise: ")
    assert "cannot write " in full.stderr.splitlines()[-1]
    assert list(tmp_path.glob("pig.npz.*.part"))
    assert not (tmp_path / "pig.npz").exists()
    resumed = run_limited("RLIMIT_FSIZE", 1 << 30, words, tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    solve_resumable(pig_to_fifty(), tmp_path / "whole.npz")
    assert (tmp_path / "pig.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.slow
@needs_limits
def test_a_disk_without_room_for_a_table(tmp_path):
    words = f"solve {PIG} --memory 4MiB -o {tmp_path / 'pig.npz'}"
    full = run_limited("RLIMIT_FSIZE", 1_000_000, words, tmp_path)
    assert full.returncode == 2
    assert "cannot create a temporary file of" in full.stderr.splitlines()[-1]
    assert not list(tmp_path.glob("*.npz"))


def test_a_table_in_a_file_is_a_table(tmp_path):
    rows = Checkpoint(tmp_path / "x.npz", {}, in_files=True).new_table(1000)
    rows[:] = np.arange(1000)
    assert rows.sum() == 499_500
    assert not list(tmp_path.iterdir())
