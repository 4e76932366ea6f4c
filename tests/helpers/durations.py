"""Tests by how long they take: ``tests/long_tests.txt`` lists the seconds of all that took longer than one.

A listed test is slow, whatever its own marks say, and one of more than ``PATIENT`` seconds is patient. So the limits of
the suites hold without a mark at each test. ``--record-durations`` measures the tests that run, and writes the list.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

LIST = Path(__file__).resolve().parent.parent / "long_tests.txt"
SLOW, PATIENT = 1.0, 8.0  # seconds
COLLECTED = pytest.StashKey[frozenset[str]]()  # all tests of a run, before some are deselected


def read_durations(path: Path = LIST) -> dict[str, float]:
    """Return the seconds of every listed test, by its node id."""
    rows = (line.split(maxsplit=1) for line in path.read_text().splitlines() if not line.startswith("#"))
    return {node: float(seconds) for seconds, node in rows}


def write_durations(durations: dict[str, float], path: Path = LIST) -> None:
    """List the tests that take longer than ``SLOW`` seconds, in the order of their names."""
    head = "# Seconds of tests that take longer than one, on a busy machine. Written by pytest --record-durations.\n"
    rows = (f"{seconds:.1f} {node}\n" for node, seconds in sorted(durations.items()) if seconds > SLOW)
    path.write_text(head + "".join(rows))


def mark_long_tests(items: list[pytest.Item], durations: dict[str, float]) -> None:
    """Mark the listed tests as slow, and the longest as patient, too."""
    for item in items:
        seconds = durations.get(item.nodeid, 0.0)
        if seconds > SLOW:
            item.add_marker("slow")
        if seconds > PATIENT:
            item.add_marker("patient")


def unknown_tests(durations: dict[str, float], collected: frozenset[str]) -> list[str]:
    """Return the listed tests that do not exist, in the files of which tests were collected."""
    files = {node.partition("::")[0] for node in collected}
    return [node for node in durations if node.partition("::")[0] in files and node not in collected]


class DurationRecorder:
    """Adds up the seconds of every test that runs, setting up included; registered by ``--record-durations``."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the seconds of one phase of a test, from any worker."""
        self.seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the list, with the new seconds of the tests that ran."""
        if not hasattr(session.config, "workerinput"):
            write_durations({**read_durations(), **self.seconds})
