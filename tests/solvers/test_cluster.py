"""Solving on a Dask cluster: the same bits as in one process, whatever befalls workers, scheduler and client."""

from __future__ import annotations

import errno
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from small_cards import TWO_BOXES

import keepwise as kw
import keepwise.api
from keepwise.solvers import cluster
from keepwise.solvers.cluster import Cluster, connect
from keepwise.solvers.push.multiplayer_solver import solve_multiplayer_race
from keepwise.solvers.push.states import States
from keepwise.storage.checkpoints import Checkpoint
from keepwise.util import optional_imports
from keepwise.util.errors import InputError, SolveError

MIXED = kw.game("pig", faces=3, target=14), 3  # at the start turns are mixed, which the client settles itself
EXACT = kw.game("5000", target=1000, finish="exact"), 3
FOUR = kw.game("pig", target=10), 4
LAST = kw.game("5000", target=600, finish="last_round"), 3
PATIENCE = 60  # seconds for processes to start or to end, on a machine that does other things too


@pytest.fixture(autouse=True)
def small_layers_too(monkeypatch):
    monkeypatch.setattr(cluster, "MIN_LAYER_SECONDS", 0.0)
    monkeypatch.setattr(cluster, "MIN_TASK_SECONDS", 0.0005)


def question(game, players):
    return keepwise.api.ask(game, "win", players).playable.problem_key


def solve(game, players, on=None, **more):
    """All that a race solved in four stages comes to, as bits."""
    found = solve_multiplayer_race(States(game.data), players, threads=1, stages=4, cluster=on, **more)
    return found.win.tobytes(), found.gain, dict(found.mixed), found.choice_count, found.pass_count


class Counting(Cluster):
    """Counts tasks, and tells when one is done."""

    done = 0

    def run_tasks(self, function, tasks):
        for one in super().run_tasks(function, tasks):
            self.done += 1
            yield one


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize(("game", "players"), [MIXED, EXACT, FOUR, LAST])
def test_races_have_the_same_bits(workers, game, players, shared):
    """In tables that all processes of a machine share, and with blocks that carry what they need."""
    on = Counting(workers.client, "here", question(game, players), workers.folder if shared else None)
    assert solve(game, players, on) == solve(game, players)
    assert on.done > 10


def test_full_disks_are_reported(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(InputError, match=r"cannot reserve 8,000 bytes for a table in .*: No space left"):
        Cluster(None, "here", {}, str(tmp_path)).shared_zeros(1000)


class DoneAgain(Cluster):
    """Does every block here, again as if whoever did it was killed at the end, and when it has been taken over."""

    def threads(self):
        return 2

    def run_tasks(self, function, tasks):
        for number, (_, block) in enumerate(tasks):
            function(self.question, block)
            yield number, function(self.question, block)
            function(self.question, block)


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize(("game", "players"), [MIXED, LAST])
def test_blocks_done_again_leave_the_bits_alone(tmp_path, game, players, shared):
    on = DoneAgain(None, "here", question(game, players), str(tmp_path) if shared else None)
    assert solve(game, players, on) == solve(game, players)


def test_cards_for_two_have_the_same_bits(workers):
    asked = keepwise.api.ask(TWO_BOXES, "win")
    on = Counting(workers.client, "here", question(TWO_BOXES, 2))
    here, there = (asked.solve(1, lambda done: None, None, where).arrays for where in (None, on))
    assert {name: rows.tobytes() for name, rows in here.items()} == {
        name: rows.tobytes() for name, rows in there.items()
    }
    assert on.done > 0


def test_worker_failures_are_one_line(workers, monkeypatch):
    on = Cluster(workers.client, "here", {"game": "tic-tac-toe"})
    with pytest.raises(SolveError, match="a worker of the cluster at here failed: KeyError"):
        solve(*FOUR, on)
    monkeypatch.setattr(cluster, "ENGINE", "keepwise 9")
    with pytest.raises(SolveError, match=r"a worker has version keepwise .*, but this program has keepwise 9"):
        solve(*FOUR, Cluster(workers.client, "here", question(*FOUR)))


@pytest.mark.slow
def test_the_command_line_and_python(run, tmp_path):
    one, other = tmp_path / "one.npz", tmp_path / "other.npz"
    command = "solve pig --rule target=10 --rule faces=4 --players 3"
    assert run(*command.split(), "-o", str(one)).status == 0
    seen = run(*command.split(), "--cluster", "local:1", "-o", str(other))
    told = [line for line in seen.err.splitlines() if not line.startswith("solving pig")]  # where it takes seconds
    assert (seen.status, told) == (0, [])
    assert one.read_bytes() == other.read_bytes()
    again = kw.solve(kw.game("pig", target=10, faces=4), "win", 3, cluster="local:1", fresh=True)
    assert again.value_table.arrays["win"].tobytes() == kw.load(one).value_table.arrays["win"].tobytes()


@pytest.mark.cases(fast=3)
@pytest.mark.parametrize(
    ("question", "where", "said"),
    [
        ("pig --players 3", "tcp://127.0.0.1:9", "cannot connect to a cluster at tcp://127.0.0.1:9"),
        ("pig --players 3", "gopher://127.0.0.1:9", "cannot connect to a cluster at gopher://127.0.0.1:9"),
        ("pig --players 3", "local:none", "requires a number of processes"),
        ("pig --players 3", "everywhere", "everywhere must be local:N for N processes"),
        ("pig", "local:2", "a cluster can only solve races of three or more players"),
        ("yahtzee", "local:2", "a cluster can only solve races of three or more players"),
    ],
)
def test_solve_refuses_bad_clusters(refused, tmp_path, monkeypatch, question, where, said):
    monkeypatch.setattr(cluster, "CONNECT_TIMEOUT_SECONDS", 1)
    refused(said, "solve", *question.split(), "--cluster", where, "-o", str(tmp_path / "table.npz"))


@pytest.mark.slow
def test_without_dask(refused, monkeypatch):
    monkeypatch.setattr(optional_imports, "find_spec", lambda name: None)
    refused('[cluster]"', "solve pig --players 3 --cluster local:2 -o table.npz")
    with pytest.raises(InputError, match="a cluster requires Dask"):
        kw.solve(kw.game("pig", target=8), "win", 3, cluster="local:2")


@pytest.mark.slow
def test_workers_that_are_killed_leave_the_bits_alone():
    """Eight runs; in each a worker is killed at a random moment. Its nanny starts another, which joins late."""
    whole, moments = solve(*MIXED), random.Random(17)
    with connect("local:2", {}) as started:
        for run in range(8):
            folder = started.folder if run % 2 else None
            moment, victim, killed = moments.uniform(0, 0.97), moments.randrange(2), []

            def progress(done, moment=moment, victim=victim, killed=killed):
                if done >= moment and not killed:
                    at_work = sorted(started.client.run(os.getpid, on_error="ignore").values())
                    killed.append(at_work[victim % len(at_work)])
                    os.kill(killed[0], signal.SIGKILL)

            on = Cluster(started.client, "here", question(*MIXED), folder)
            assert solve(*MIXED, on, progress=progress) == whole
            assert killed
            started.client.wait_for_workers(2, timeout=PATIENCE)


KILLED = """
import os, signal, sys
sys.path.insert(0, os.path.dirname({tests!r}))
import test_cluster
from keepwise.solvers import cluster

def progress(done):
    if done >= {moment}:
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    cluster.MIN_LAYER_SECONDS, cluster.MIN_TASK_SECONDS = 0.0, 0.0005
    asked = test_cluster.question(*test_cluster.MIXED)
    with cluster.connect("local:2", asked) as on:
        print(*on.client.run(os.getpid).values(), flush=True)
        kept = test_cluster.Checkpoint({output!r}, asked)
        test_cluster.solve(*test_cluster.MIXED, on, progress=progress, checkpoint=kept)
"""


@pytest.mark.cases(slow=1)
@pytest.mark.parametrize("moment", [0.3, 0.8])
def test_killed_clients_resume_their_solve(workers, tmp_path, moment):
    output = tmp_path / "table.npz"
    program = tmp_path / "killed.py"
    program.write_text(KILLED.format(tests=__file__, moment=moment, output=str(output)))
    helpers = str(Path(__file__).resolve().parents[1] / "helpers")
    kept_here = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": helpers}  # it leaves its tables behind
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False, env=kept_here)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert list(tmp_path.glob("*.part"))
    asked = question(*MIXED)
    on = Cluster(workers.client, "here", asked)
    win, gain, mixed, *_ = solve(*MIXED, on, checkpoint=Checkpoint(output, asked))
    assert (win, gain, mixed) == solve(*MIXED)[:3]
    pids = [int(pid) for pid in done.stdout.split()]
    assert len(pids) == 2
    assert all(gone(pid) for pid in pids)  # it leaves no processes behind


def gone(pid):
    """Wait for a process to end."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def answers(port):
    with socket.socket() as asking:
        return not asking.connect_ex(("127.0.0.1", port))


@pytest.fixture
def started(tmp_path):
    """Starts ``dask scheduler`` or ``dask worker``; ends them all."""
    processes = []

    def start(*words):
        processes.append(
            subprocess.Popen(
                [sys.executable, "-m", "dask", *words],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=tmp_path,
            )
        )
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_restarted_scheduler_waits_for_late_workers(started, tmp_path, caplog):
    port, asked, output = free_port(), question(*MIXED), tmp_path / "table.npz"
    where = f"tcp://127.0.0.1:{port}"
    options = ("--host", "127.0.0.1", "--no-dashboard")
    worker = ("worker", where, "--nthreads", "1", "--no-dashboard")

    def connect_when_ready():
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and not answers(port):
            time.sleep(0.1)
        return connect(where, asked)

    scheduler = started("scheduler", *options, "--port", str(port))

    def progress(done):
        if done >= 0.5:
            scheduler.kill()

    with connect_when_ready() as on:
        assert "has no workers yet" in caplog.text
        threading.Timer(1.0, started, worker).start()
        with pytest.raises(SolveError, match="run the command again to resume"):
            solve(*MIXED, on, progress=progress, checkpoint=Checkpoint(output, asked))
    assert list(tmp_path.glob("*.part"))
    scheduler.wait()
    started("scheduler", *options, "--port", str(port))
    started(*worker)
    with connect_when_ready() as on:
        win, gain, mixed, *_ = solve(*MIXED, on, checkpoint=Checkpoint(output, asked))
    assert (win, gain, mixed) == solve(*MIXED)[:3]
