"""The list of long tests names tests that exist, and is written as it is read."""

from __future__ import annotations

import durations
import pytest


def test_listed_tests_exist(request):
    if any("::" in argument for argument in request.config.args):
        pytest.skip("only some tests of a file were collected")
    collected = request.config.stash[durations.COLLECTED]
    assert durations.unknown_tests(durations.read_durations(), collected) == []


def test_a_test_that_is_renamed_is_unknown():
    listed = {"a.py::test_old": 2.0, "a.py::test_here": 2.0, "b.py::test_not_collected": 2.0}
    assert durations.unknown_tests(listed, frozenset({"a.py::test_here"})) == ["a.py::test_old"]


def test_only_long_tests_are_listed_and_read_back(tmp_path):
    path = tmp_path / "long_tests.txt"
    durations.write_durations({"b.py::test[x y]": 12.25, "a.py::test": 1.5, "c.py::test": 0.9}, path)
    assert path.read_text().splitlines()[1:] == ["1.5 a.py::test", "12.2 b.py::test[x y]"]
    assert durations.read_durations(path) == {"a.py::test": 1.5, "b.py::test[x y]": 12.2}
