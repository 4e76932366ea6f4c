"""The same bits on every machine: nothing that is printed goes through code whose order of sums a processor chooses.

BLAS and LAPACK pick their kernels by processor and number of threads, and numpy's exponentials, logarithms and powers
their vector code by processor; sums (numpy's are pairwise in a fixed order), products, quotients and roots are the same
everywhere.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted(path for folder in ("solver", "cli", "tables", "csrc") for path in (ROOT / folder).rglob("*.py"))
BLAS = (
    "linalg dot vdot vecdot matmul matvec vecmat inner tensordot einsum convolve correlate cov corrcoef polyfit roots"
)
BY_PROCESSOR = "exp exp2 expm1 log log2 log10 log1p power float_power sin cos tan tanh cbrt logaddexp logaddexp2"
NAMES = frozenset(f"{BLAS} {BY_PROCESSOR}".split())

ALLOWED = {"dice_matchups.py": ["scipy.optimize"]}  # the mix of hands in an extra, whose bits are not promised


def reached(code: str) -> list[str]:
    """What a module uses of numpy that may give other bits on another machine."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.MatMult):
            found.append("@")
        if isinstance(node, ast.Attribute):
            of = node.value.id if isinstance(node.value, ast.Name) else ""
            if node.attr == "dot" or (of in ("np", "numpy") and node.attr in NAMES):
                found.append(node.attr)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numpy":
            found += [name.name for name in node.names if name.name in NAMES or "linalg" in (node.module or "")]
        names = (
            [name.name for name in node.names] if isinstance(node, ast.Import) else [getattr(node, "module", "") or ""]
        )
        found += [name for name in names if name.split(".")[0] == "scipy" or name.startswith("numpy.linalg")]
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_reaches_blas(path):
    assert reached(path.read_text()) == ALLOWED.get(path.name, [])


def test_no_compiled_module_reaches_blas():
    for path in (*ROOT.glob("csrc/*.pyx"), *ROOT.glob("csrc/*.c"), *ROOT.glob("csrc/*.h")):
        assert not re.search(r"blas|lapack|linalg|np\.dot|\w @ \w", path.read_text(), re.IGNORECASE), path.name


def test_bits_check_finds_unsafe_calls():
    for code in ("a @ b", "a @= b", "a.dot(b)", "np.linalg.solve(a, b)", "np.vdot(a, b)", "np.power(a, b)"):
        assert reached(code), code
    for code in (
        "from numpy import einsum",
        "from numpy.linalg import solve",
        "import numpy.linalg",
        "import scipy.linalg",
    ):
        assert reached(code), code
    assert not reached("solved.inner[0] * np.sqrt(a).sum()")


SOLVES = """
import hashlib
import keepwise as kw
from keepwise.output.sheets.cards import fit_pars
asked = [
    ("hearts-due", "turns", {}),
    ("hearts-due", "reach", {"turns": 40}),
    ("battleship", "win", {}),
    ("boston", "win", {"players": 4}),
    ("multiplication", "win", {"players": 3}),
    ("pig", "points", {}),
    ("pig", "win", {}),
    ("5000", "win", {}),
    ("scarney", "points", {}),
]
for game, objective, more in asked:
    solution = kw.solve(game, objective, fresh=True, **more)
    for name, array in sorted(solution.value_table.arrays.items()):
        print(game, objective, name, hashlib.sha256(array.tobytes()).hexdigest())
    print(repr(solution.error_bound))
far = kw.solve(kw.game("hearts-due", target=1000), "turns", fresh=True).value_table.arrays["turns"]
print(hashlib.sha256(far.tobytes()).hexdigest(), kw.solve("hearts-due", "win", 3).position_value().seats)
rounds = kw.game("battleship", match="first_to", target=12)
print(kw.solve(rounds, "win", fresh=True).position_value())
for three in (kw.game("pig", faces=3, target=14), kw.game("5000", target=1000, finish="exact")):
    solution = kw.solve(three, "win", 3, fresh=True)
    print({name: hashlib.sha256(array.tobytes()).hexdigest() for name, array in solution.value_table.arrays.items()})
    print(solution.against("hold:10"), solution.against("duel", policy="hold:300"))
card = kw.solve("double-cameroon", "points")
print(fit_pars(card.problem, card.value_table.arrays["points"]).tolist())
"""


@pytest.mark.slow
def test_the_same_bits_whatever_the_processor(tmp_path):
    umath = np._core._multiarray_umath
    vectors = [name for name in umath.__cpu_dispatch__ if umath.__cpu_features__.get(name)]
    machines = [
        {},
        {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "1"},
        {"OPENBLAS_CORETYPE": "SkylakeX", "OPENBLAS_NUM_THREADS": "2"},
        {"OPENBLAS_CORETYPE": "Prescott", "OMP_NUM_THREADS": "2"},
        {"NPY_DISABLE_CPU_FEATURES": " ".join(vectors), "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F"},
    ]
    told = set()
    for machine in machines:
        env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), **machine}
        done = subprocess.run([sys.executable, "-c", SOLVES], env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        told.add(done.stdout)
    assert len(told) == 1


WIDTHS = """
import keepwise as kw
from keepwise.games.push_rules import DieKind

asked = [("5000", "win", {"target": 2000}), ("5000", "turns", {}), ("beartrap", "win", {"target": 3000})]
asked += [("yahtzee", "points", {}), ("scarney", "points", {}), ("booby-trap", "win", {})]
for game, objective, rules in asked:
    solution = kw.solve(kw.game(game, **rules), objective, fresh=True)
    for name, array in sorted(solution.value_table.arrays.items()):
        print(game, objective, name, hash(array.tobytes()))
dice = kw.game("kingdom-come-2", target=1000, hand="lucky*3, odd*3", seats={2: {"hand": "pie, weighted*5"}})
for name, array in sorted(kw.solve(dice, "win", fresh=True).value_table.arrays.items()):
    print("unlike dice", name, hash(array.tobytes()))
own = [DieKind("fair", 3, (1,) * 6), DieKind("lucky", 3, (6, 1, 2, 3, 4, 6)), DieKind("odd", 2, (4, 1, 4, 1, 4, 1))]
print([(hand.points, hand.error_bound) for hand in kw.best_dice(kw.load_rules("kingdom-come"), own)])
"""


@pytest.mark.slow
def test_registers_of_every_width_give_the_same_bits():
    """As far as this processor has them; KEEPWISE_REGISTERS is read once, so each width has a process of its own."""
    told = {
        subprocess.run(
            [sys.executable, "-c", WIDTHS],
            env={**os.environ, "KEEPWISE_REGISTERS": width, "PYTHONHASHSEED": "0"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for width in ("16", "32", "64")
    }
    assert len(told) == 1
    assert "yahtzee" in told.pop()
