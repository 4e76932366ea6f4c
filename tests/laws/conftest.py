"""Laws are checked with the toys' families known, and every subject's cache kept apart from the user's."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

import pytest
import subjects
import toys

from keepwise.util import progress_reporting


def pytest_collection_modifyitems(items):
    """What is asked of one question stands together: who takes it up makes it small, and solves it, once."""
    here = Path(__file__).parent
    blind = [item.nodeid for item in items if here in item.path.parents and "tally" not in item.fixturenames]
    if blind:
        raise pytest.UsageError(f"a law must count what it checks with the fixture tally: {blind[0]}")
    asked = {}
    for place, item in enumerate(items):
        question = item.callspec.params.get("question") if hasattr(item, "callspec") else None
        if isinstance(question, subjects.Question):
            asked.setdefault(str(question), []).append((place, item))
    together = [item for found in asked.values() for _, item in found]
    for place, item in zip(sorted(place for found in asked.values() for place, _ in found), together, strict=True):
        items[place] = item


@pytest.fixture(autouse=True)
def families():
    """The families that are there for the laws."""
    with toys.registered():
        yield


@pytest.fixture
def told(monkeypatch):
    """By what is said to be done, the shares of it that whoever listens is told."""
    found = dict[str, list[float]]()

    @contextmanager
    def listener(what):
        yield found.setdefault(what, []).append

    monkeypatch.setattr(progress_reporting, "start_progress", listener)
    return found
