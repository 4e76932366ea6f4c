"""Mutated rule files: solved, or refused in one line with file and line number.

``python tests/games/test_mutated_rules.py 100000 [first seed]`` tries so many and prints what took longest: seconds
of a processor's time, ten at most.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections import Counter

import pytest
from mutated_rule_files import mutated
from patience import PATIENCE

import keepwise as kw
from keepwise.solvers import make_problem
from keepwise.solvers.solve_costs import check_cost

SHORT = 1.0  # judged to take no more seconds, a question is solved


def why_not(game, objective: str) -> str:
    """Solve a game for its points, or judge what another objective takes; what the refusal says."""
    asks = {} if objective != "reach" else {"turns": 3} if game.family == "push" else {"goal": 9}
    try:
        asked = make_problem(game, objective, **asks)
        cost = asked.estimate_cost(1)
        check_cost(game.title, cost, False)
        if objective in ("points", "rate") and cost.seconds < SHORT:
            asked.solve(1, lambda done: None)
    except kw.KeepwiseError as error:
        return str(error)
    return ""


def try_one(file, seed: int) -> tuple[str, float]:
    """Load one file, solve it for its points and judge the rest; what came of it, and how long it took."""
    rng = random.Random(seed)
    text = mutated(rng)
    file.write_text(text, encoding="utf-8")
    began, what = time.process_time(), "solved"
    try:
        game = kw.load_rules(file)
    except kw.InputError as error:
        line = str(error)
        assert "\n" not in line, (seed, line)
        assert re.match(rf"{re.escape(str(file))}:( |\d+: )", line), (seed, line)
        what = "refused"
    else:
        for objective in game.objectives:
            said = why_not(game, objective)
            assert "\n" not in said, (seed, said)
            what = "not solved" if said else what
    return what, time.process_time() - began


def tries(folder, first: int, count: int) -> Counter[str]:
    """Try so many seeds."""
    return Counter(try_one(folder / "mutated.toml", seed)[0] for seed in range(first, first + count))


@pytest.mark.slow
def test_mutated_files(tmp_path):
    found = tries(tmp_path, 0, 20)
    assert found["refused"] > 5
    assert found["solved"] > 2


@pytest.mark.cases(slow=1)
@pytest.mark.parametrize("first", range(1000, 1000 + 1000 * PATIENCE, 250))
def test_more_mutated_files(tmp_path, first):
    found = tries(tmp_path, first, 250)
    assert found["refused"] > 50
    assert found["solved"] > 25


if __name__ == "__main__":
    import resource
    import tempfile
    from pathlib import Path

    resource.setrlimit(resource.RLIMIT_AS, (3 << 29, 3 << 29))  # 1.5 GiB of addresses, for 1 GiB in use
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    found: Counter[str] = Counter()
    slowest = (0.0, 0)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + int(sys.argv[1])):
            try:
                what, took = try_one(Path(folder) / "mutated.toml", seed)
            except Exception as error:
                what, took = f"FAILED {seed}: {type(error).__name__}: {str(error)[:300]}", 0.0
                print(what, flush=True)
                what = "failed"
            found[what] += 1
            slowest = max(slowest, (took, seed))
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(dict(found), f"slowest {slowest[0]:.1f} s (seed {slowest[1]}), most memory {used:,.0f} MiB")
