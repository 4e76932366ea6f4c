"""Where no thread can be started everything is solved all the same."""

from __future__ import annotations

import subprocess
import sys

import pytest

BROWSER = """
import sys, threading
sys.platform = "emscripten"

def refuse(self):
    raise RuntimeError("can't start new thread")

threading.Thread.start = refuse
import keepwise as kw
from keepwise.cli import main
print(kw.solve("double-cameroon", "points", fresh=True).value(), kw.solve("scarney", "win", fresh=True).value())
print(kw.solve(kw.game("pig", target=30), "win", 3, fresh=True).value())
main(["selftest"])
"""


@pytest.mark.slow
def test_without_threads():
    done = subprocess.run([sys.executable, "-c", BROWSER], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "all checks passed" in done.stdout
