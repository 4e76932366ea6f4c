"""The plain C references: compiled where they are used, as one would first write them."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path


def library(name: str) -> ctypes.CDLL:
    """Compile ``name.c`` beside this file and load it."""
    with tempfile.TemporaryDirectory() as folder:
        compiler = os.environ.get("CC") or shutil.which("cc") or "gcc"
        built = Path(folder) / f"{name}.so"
        source = Path(__file__).with_name(f"{name}.c")
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", built, source], check=True)
        return ctypes.CDLL(str(built))


def timed(name: str) -> tuple[float, float]:
    """Call the function of the same name, which returns a double: (seconds, value)."""
    solve = getattr(library(name), name)
    solve.restype = ctypes.c_double
    begun = time.perf_counter()
    value = solve()
    return time.perf_counter() - begun, value


def clock() -> float:
    """Cycles a second of one core as it runs now."""
    chain = library("plain_clock").plain_clock
    chain.restype = ctypes.c_double
    found = []
    for _ in range(3):
        begun = time.process_time()
        cycles = chain()
        found.append(cycles / (time.process_time() - begun))
    return max(found)
