"""Evenings at the prompt, as whoever played them saw them; ``python tests/cli/test_evening.py`` plays them anew."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path
from unittest import mock

import pytest

from keepwise.cli import progress
from keepwise.cli.commands import run

EVENINGS = sorted((Path(__file__).parent / "evenings").glob("*.txt"))
# What was asked, and what was typed then.
PROMPT = re.compile(r"(?:[\w ]+>|\w[\w' ]*: [^?]+\?|Press Enter .*>|[?>]) ?(.*)")


def played(told: str) -> str:
    """What the commands of an evening print when the same is typed once more."""
    lines = list[str]()
    for part in re.split(r"^(?=\$ )", told, flags=re.MULTILINE)[1:]:
        command, *printed = part.splitlines()
        typed = [match[1] for line in printed if (match := PROMPT.fullmatch(line))]
        out = io.StringIO()
        stdin = mock.patch("sys.stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), stdin:
            run(shlex.split(command)[2:])
        lines += [command, *(line.rstrip() for line in out.getvalue().splitlines())]
    return "\n".join(lines) + "\n"


@pytest.mark.cases(fast=2, slow=8)
@pytest.mark.parametrize("evening", EVENINGS, ids=lambda path: path.stem)
def test_an_evening(evening, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    told = evening.read_text()
    assert played(told) == told
    assert max(len(line) for line in told.splitlines() if not line.startswith(("   id ", "$ "))) < 80


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = os.environ["XDG_DATA_HOME"] = folder
        progress.SILENCE = progress.WAIT = float("inf")  # what hangs on the machine is not kept
        for path in [Path(name).resolve() for name in sys.argv[1:]] or EVENINGS:
            os.chdir(tempfile.mkdtemp(dir=folder))
            path.write_text(played(path.read_text()))
