"""Every test has a cache folder of its own, so no test leans on what another solved."""

from __future__ import annotations

import gc
import json
import re
import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass

import durations
import pytest
import tallies

import keepwise_check
from keepwise.cli import main
from keepwise.output import adviser_page
from keepwise.solvers import cluster

tally = tallies.tally


def pytest_configure(config):
    config.pluginmanager.register(tallies.Minima(config))
    if config.getoption("--record-durations"):
        config.pluginmanager.register(durations.DurationRecorder())


@pytest.fixture(autouse=True)
def recursion():
    """Whoever needs deep calls does not leave them to the tests that follow."""
    limit = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(limit)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda *args, **kwargs: str(tmp_path / "cache"))
    monkeypatch.setattr("platformdirs.user_data_dir", lambda *args, **kwargs: str(tmp_path / "data"))
    return tmp_path / "cache" / "tables"


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Nobody who waits is told how long: that hangs on the machine."""
    for name in ("SILENCE", "WAIT"):
        monkeypatch.setattr(f"keepwise.cli.progress.{name}", float("inf"))


@dataclass(frozen=True)
class Run:
    status: int
    out: str
    err: str


@pytest.fixture
def run(capsys) -> Callable[..., Run]:
    """Run the command line in this process: ``run("advise 5000 --roll 11532")`` or with separate words."""

    def call(*words: str) -> Run:
        args = words[0].split() if len(words) == 1 else list(words)
        capsys.readouterr()
        with pytest.raises(SystemExit) as exit_:
            main(args)
        seen = capsys.readouterr()
        return Run(int(exit_.value.code or 0), seen.out, seen.err)

    return call


@pytest.fixture
def schema(run):
    """The JSON schema of scorecards that the package prints."""
    return json.loads(run("rules --schema card").out)["anyOf"][0]


@pytest.fixture
def refused(run) -> Callable[..., None]:
    """Run a command line that is refused in one line, which says this."""

    def check(said: str, *words: str) -> None:
        seen = run(*words)
        assert seen.status == 2, seen.out
        assert said in seen.err
        assert seen.err.count("\n") == 1

    return check


@pytest.fixture
def checked(tmp_path, capsys) -> Callable[..., tuple[int, str]]:
    """Have a certificate checked: the exit status, and what is said, in one line where something is wrong."""

    def check(text: str | bytes, *words: str) -> tuple[int, str]:
        path = tmp_path / "it.cert"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        capsys.readouterr()
        status = 0
        try:
            keepwise_check.main([*words, str(path)])
        except SystemExit as stopped:
            status = stopped.code
        seen = capsys.readouterr()
        assert status in (0, 1, 2)
        assert seen.err.count("\n") == (status > 0), seen.err
        return status, seen.err + seen.out

    return check


@pytest.fixture
def sheets_once(tmp_path, tmp_path_factory, worker_id, monkeypatch) -> None:
    """A page's sheet, which takes most of the time of making a page, is made by whoever wants it first, for all
    processes of a run.
    """
    base, made = tmp_path_factory.getbasetemp(), adviser_page.sheet_data
    kept = (base if worker_id == "master" else base.parent) / "sheets"
    kept.mkdir(exist_ok=True)

    def sheet(solution):
        file = kept / f"{solution.fingerprint}.json"
        if not file.exists():
            (tmp_path / "sheet.json").write_text(json.dumps(made(solution)))
            (tmp_path / "sheet.json").replace(file)
        return json.loads(file.read_text())

    monkeypatch.setattr(adviser_page, "sheet_data", sheet)


@pytest.fixture(scope="module")
def workers():
    """A cluster of two processes, for all tests of a module that leave them alive."""
    with cluster.connect("local:2", {}) as started:
        yield started


@pytest.fixture
def at_hand(workers, monkeypatch) -> None:
    """``--cluster local:N`` finds these workers instead of starting others, and small layers go to them too."""
    connected = cluster.connect

    @contextmanager
    def found(where, question):
        if re.fullmatch(r"local:\d+", where):
            yield cluster.Cluster(workers.client, where, question, workers.folder)
        else:
            with connected(where, question) as started:
                yield started

    monkeypatch.setattr(cluster, "connect", found)
    monkeypatch.setattr(cluster, "MIN_LAYER_SECONDS", 0.0)


@pytest.hookimpl(tryfirst=True)  # before it is asked which are slow
def pytest_collection_modifyitems(config, items):
    """Of the cases of a test marked ``cases(fast=a, slow=b)`` so many, spread evenly, are fast, so many more are slow,
    or all where nothing is said, and what is left is ``patient``. What is patient is slow, and so is whatever wants a
    cluster, which takes seconds to start. Tests that were measured as long follow ``durations``.
    """
    found: dict[Callable[..., None], list[pytest.Function]] = {}
    for item in items:
        if "workers" in item.fixturenames or item.get_closest_marker("patient"):
            item.add_marker("slow")
        if item.get_closest_marker("cases"):
            found.setdefault(item.function, []).append(item)
    for cases in found.values():
        counts = {"fast": 0, **cases[0].get_closest_marker("cases").kwargs}
        for one in _left([one for one in cases if not one.get_closest_marker("slow")], counts["fast"]):
            one.add_marker("slow")
        slow = [one for one in cases if one.get_closest_marker("slow")]
        for one in _left(slow, counts.get("slow", len(slow))):
            one.add_marker("patient")
    config.stash[durations.COLLECTED] = frozenset(item.nodeid for item in items)
    durations.mark_long_tests(items, durations.read_durations())


def _left(cases: list[pytest.Function], count: int) -> list[pytest.Function]:
    """The cases without so many that are spread evenly over them."""
    taken = {place * len(cases) // count for place in range(count)}
    return [one for place, one in enumerate(cases) if place not in taken]


def pytest_collection_finish():
    """What was collected stays to the end: no search for garbage need go through it."""
    gc.freeze()


def pytest_addoption(parser):
    parser.addoption("--record-durations", action="store_true", help="write tests/long_tests.txt anew for what runs")
    parser.addoption("--counts", action="store_true", help="print how many positions the referee was asked about")


def pytest_terminal_summary(terminalreporter, config):
    """The referee's comparison as a table: cases and positions by game, objective and players."""
    if not config.getoption("--counts"):
        return
    from referee_checks import COUNTS

    rows = {}
    for game, objective, players, positions in COUNTS:
        cases, asked = rows.get((game, objective, players), (0, 0))
        rows[game, objective, players] = (cases + 1, asked + positions)
    terminalreporter.write_line("| game | objective | players | cases | positions |\n|---|---|---|---|---|")
    for (game, objective, players), (cases, positions) in sorted(rows.items()):
        terminalreporter.write_line(f"| {game} | {objective} | {players} | {cases} | {positions:,} |")
