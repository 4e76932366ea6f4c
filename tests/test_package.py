"""What stands about the package in two places says the same in both."""

from __future__ import annotations

import re
from pathlib import Path

import keepwise
from keepwise.version import VERSION

ROOT = Path(__file__).resolve().parent.parent


def test_the_citation_is_of_this_version():
    assert re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE).group(1) == VERSION


def test_changelog_begins_with_this_version():
    assert re.search(r"^## (\S+) ", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE).group(1) == VERSION


def test_the_public_names_are_those_of_the_table_of_modules():
    assert keepwise.__all__ == sorted(keepwise._MODULES)


def test_public_functions_can_be_called_again():
    for _ in range(2):  # the first call imports a package of the same name
        assert [one.id for one in keepwise.games()][:2] == ["5000", "beartrap"]
        assert keepwise.playable("pig").start()


def test_names_of_tests_have_at_most_60_characters():
    names = [name for file in ROOT.glob("tests/**/*.py") for name in re.findall(r"def (test_\w+)", file.read_text())]
    assert len(names) > 1000
    assert [name for name in names if len(name) > 60] == []
