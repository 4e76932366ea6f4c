"""Count what each law checks: a law that checks too little fails, and so does a skip for an unlisted reason.

A law takes the fixture ``tally`` and adds what it has compared. ``@pytest.mark.checks(least=2, share=0.8)`` states its
minimum: at least 80% of its cases check at least 2 things. Without the mark every case checks at least one.

A minimum over all cases is judged at the end of the run, by the process that reports. The fast, slow and patient cases
of a law are judged apart, and only if all of them ran: ``-k`` or a node id may select less. A skipped case checks
nothing, so a law that is always skipped fails too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from types import ModuleType
from typing import NoReturn

import pytest


class Reason(Enum):
    """Why a case of a law may be skipped."""

    LONG = "solving or proving takes longer than a test may"
    UNSOLVED = "the match gives no values for these rules"
    UNPROVED = "no certificate can state these rules yet"
    NO_FRACTION = "no fraction is found within a bounded number of positions"
    NO_SHEET = "no strategy sheet is defined for these rules"
    ENDLESS = "somebody may throw on until nobody can have so many points"
    PACKAGE = "an optional package is not installed"


def skip(reason: Reason, detail: object = "") -> NoReturn:
    """Skip the case of a law for a listed reason."""
    pytest.skip(f"{reason.name}: {reason.value}{f' ({detail})' if str(detail) else ''}")


def optional(package: str) -> ModuleType:
    """Import an optional package, or skip."""
    try:
        return import_module(package)
    except ImportError:
        skip(Reason.PACKAGE, package)


def is_listed(reason: str) -> bool:
    """Return whether the reason of a skip comes from ``skip``."""
    return any(reason.removeprefix("Skipped: ").startswith(f"{one.name}: {one.value}") for one in Reason)


class Tally:
    """The number of things that one case of a law has checked."""

    def __init__(self) -> None:
        self.count = 0

    def add(self, count: int = 1) -> None:
        """Count what has just been checked."""
        self.count += count


TALLY = pytest.StashKey[Tally]()


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Tally:
    """Return the counter of what this case checks."""
    counter = Tally()
    request.node.stash[TALLY] = counter
    return counter


def minimum(item: pytest.Item) -> tuple[int, float]:
    """Return how many things a case must check, and in which share of the cases it must."""
    mark = item.get_closest_marker("checks")
    stated = {"least": 1, "share": 1.0, **(mark.kwargs if mark else {})}
    return stated["least"], stated["share"]


def shortfall(law: str, met: int, cases: int, least: int, share: float) -> str | None:
    """Return what is wrong if too few cases of a law checked enough, else None."""
    needed = int(share * cases)
    if met >= needed:
        return None
    return f"{law}: {met} of {cases} cases checked at least {least}, but {needed} must"


class Minima:
    """Hold laws to their minimum, and skips to the listed reasons; registered as a plugin by ``tests/conftest.py``."""

    def __init__(self, config: pytest.Config) -> None:
        self.is_worker = hasattr(config, "workerinput")
        self.is_partial = any("[" in argument for argument in config.args)
        self.cases: Counter[str] = Counter()
        self.stated: dict[str, tuple[int, int, float]] = {}  # by law and tier: all its cases, and its minimum
        self.met: dict[str, dict[str, bool]] = {}  # by law and tier: whether each case checked enough

    @staticmethod
    def name(item: pytest.Item) -> str:
        """Return the law of a case and its tier."""
        tier = next((tier for tier in ("patient", "slow") if item.get_closest_marker(tier)), "fast")
        return f"{item.nodeid.partition('[')[0]} ({tier} cases)"

    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Iterator[None]:
        """Count the cases of each law before some are deselected."""
        collected = list(items)
        yield
        self.cases = Counter(self.name(item) for item in collected if "tally" in item.fixturenames)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Iterator[None]:
        """Fail a case that checked too little or is skipped for an unlisted reason; note the count in the report."""
        report = yield
        if "tally" not in item.fixturenames or report.when == "teardown" or (report.when == "setup" and report.passed):
            return report
        count = item.stash[TALLY].count if TALLY in item.stash else 0
        least, share = minimum(item)
        if report.skipped and not hasattr(report, "wasxfail") and not is_listed(report.longrepr[2]):
            report.outcome, report.longrepr = "failed", f"skipped for an unlisted reason: {report.longrepr[2]}"
        elif report.passed and share == 1 and count < least:
            report.outcome, report.longrepr = "failed", f"checked {count}, but must check at least {least}"
        name = self.name(item)
        report.tally = [name, self.cases[name], least, share, count if report.passed else 0]
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect what the cases checked, from all workers."""
        if told := getattr(report, "tally", None):
            name, cases, least, share, count = told
            self.stated[name] = cases, least, share
            self.met.setdefault(name, {})[report.nodeid] = count >= least

    def shortfalls(self) -> list[str]:
        """Return a line for each law that ran as a whole and checked too little."""
        if self.is_worker or self.is_partial:
            return []
        whole = [name for name, (cases, _, _) in self.stated.items() if len(self.met[name]) == cases]
        found = (shortfall(name, sum(self.met[name].values()), *self.stated[name]) for name in whole)
        return sorted(filter(None, found))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Let the run fail if a law checked too little."""
        if session.exitstatus == pytest.ExitCode.OK and self.shortfalls():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say which laws checked too little."""
        if lines := self.shortfalls():
            terminalreporter.section("laws that checked too little", red=True)
            for line in lines:
                terminalreporter.write_line(line)
