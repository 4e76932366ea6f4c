"""Mutated rule files: solved, or refused in one line with file and line number.

``python tests/games/test_mutated_rules.py 100000 [first seed]`` tries so many and prints what took longest: seconds of a
processor's time, ten at most.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections import Counter

import pytest
from patience import PATIENCE

import keepwise as kw
from keepwise.games import RULE_FILES
from keepwise.games.rulefile.loader import TEMPLATES
from keepwise.solvers import make_problem
from keepwise.solvers.cost_estimates import check_cost

SHORT = 1.0  # judged to take no more seconds, a question is solved
PATHS = [*sorted(RULE_FILES.glob("*.toml")), *sorted(TEMPLATES.glob("*.toml"))]
NUMBERS = ("0", "-1", "1", "2", "3", "7", "50", "499", "500", "10000", "1000001", "1e3", "0x1F", "99999999999999999999")
WORDS = ("all", "none", "free", "must", "roll", "end", "same", "exact", "last_round")
VALUES = (*(f'"{word}"' for word in WORDS), "true", "false", "[]", "[1, 2]")
PUSH_LINES = (
    "[bust]\ncosts = [0, 500]",
    "[bust]\ncosts = [50]\nfloor = -100",
    "[[special]]\nscoreless = true\npoints = 50",
    '[[special]]\nsum = 12\nthen = "wipe"',
    '[[special]]\ngroups = [2, 2]\nthen = "must"\npoints = 100',
    '[[special]]\ngroups = [2]\nthen = "end"\npoints = 100',
    '[[special]]\ngroups = [3]\nthen = "roll"\npoints = 150',
    '[[special]]\ngroups = [3]\nthen = "must"\npoints = 150',
    "[[pattern]]\npairs = 2\npoints = 250",
    "[singles]\n3 = 0",
    '[alike.3]\n3 = 300\nthen = "must"',
    "[then]\nover = true",
    "[alike.2]\n4 = 40",
    "[singles]\n2 = -50",
    '[[special]]\nthrow = "22"\nthen = "must"\npoints = -100',
    '[[special]]\nonly = "46"\nthen = "roll"\ndice = "same"\npoints = "sum"',
    '[[special]]\nonly = "46"\nthen = "void"',
    '[[special]]\nshows = [1, "2"]\nthen = "bust"',
    '[[pattern]]\ndice = "aab"\npoints = 50\nthen = "must"',
    '[alike.4]\n6 = 700\nthen = "must"',
    "[[pattern]]\nstraight = 3\npoints = 100",
    '[[pattern]]\ngroups = [3, 2]\npoints = 250\nthen = "must"',
    '[[pattern]]\nof = 3\nonly = "246"\nsum = 10\npoints = 50',
    '[[special]]\nstraight = [1, 2]\nof = [2, 3]\nthen = "bust"',
    '[[special]]\ngroups = [2]\nall_alike = true\nat_most = 9\nthen = "void"',
    '[stop]\nat_least = 100\nbelow = "must"',
    "[stop]\nopening = 200\non_win = false",
    '[then]\nset = "must"\nall = "end"',
    '[then]\nset = "end"\ndice = "chosen"',
    "[bust]\nabove = 500",
)
PUSH_TOP = (
    'stop.below = "must"',
    'then.set = "must"',
    'then.all = "end"',
    "then.leave = [5]",
    "then.over = true",
    'then.set = "end"',
    'then.dice = "chosen"',
    'set_aside = "all-or-none"',
    'best = "lowest"',
    "stop.at_least = 250",
    "faces = 4",
    'take_over = "free"',
    'take_over = "opened"',
    'finish = "one_turn"',
    'finish = "one_turn_shared"',
)
CARD_LINES = (
    '[[category]]\nname = "even"\nonly = [2, 4, 6]\nat_least = 12',
    '[[category]]\nname = "a_b"\ngroups = [2, 2]\npoints = "groups"',
    '[[category]]\nname = "row"\nstraight = 3\npoints = 20\nfirst = "win"',
    '[[category]]\nname = "shown"\nshows = [6, 6]\nonly = [1, 6]\npoints = 9',
    '[[category]]\nname = "thirteen"\nsum = 13\nplus = 5\ntimes = 2',
    "all_alike = true",
    'points = "groups"',
    "plus = 7",
    "one_colour = true",
    "first = 30",
    "times = 3",
    "[upper]\ncategories = ['ones', 'twos']\nat = [3, 5]\nbonus = [10, 25]",
    '[again]\ncategory = "yacht"\nbonus = 50\njoker = "free"',
    "[total]\nat = [0, 100]\npoints = [-1, 1]",
)
CARD_TOP = (
    'zeros = "forced"',
    "saved_throws = true",
    "saved_throws = 2",
    'order = "down"',
    "columns = [1, 2]",
    "columns = [2]",
    "throws = 2",
    "weights = [1, 1, 1, 1, 1, 2]",
    "boxes = 2",
    "faces = 5",
    'colours = ["red", "red", "red", "black", "black", "black"]',
)
FORMS = {False: (PUSH_LINES, PUSH_TOP), True: (CARD_LINES, CARD_TOP)}


def mutated(rng: random.Random, most: int = 4) -> str:
    """A rule file with one to ``most`` mutations."""
    lines = rng.choice(PATHS).read_text().splitlines()
    tables, top = FORMS["[[category]]" in lines]
    for _ in range(rng.randint(1, most)):
        place = rng.randrange(len(lines))
        kind = rng.randrange(8)
        if kind == 0:
            del lines[place]
        elif kind == 1:
            lines.insert(place, rng.choice(lines))
        elif kind == 2:
            lines[place] = re.sub(r"-?\d+", lambda found: rng.choice(NUMBERS), lines[place], count=1)
        elif kind == 3:
            lines[place] = re.sub(r"=.*", lambda found: f"= {rng.choice(VALUES + NUMBERS)}", lines[place])
        elif kind == 4:
            lines += rng.choice(tables).splitlines()
        elif kind == 5:
            lines.insert(0, rng.choice(top))
        elif kind == 6 and lines[place]:
            at = rng.randrange(len(lines[place]))
            lines[place] = lines[place][:at] + rng.choice('abz19"=[]#.-é_/|$@ ') + lines[place][at + 1 :]
        else:
            lines[place] = re.sub(r"\d", lambda found: rng.choice("0123456789"), lines[place])
        if not lines:
            lines = [""]
    return "\n".join(lines) + "\n"


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
