"""Rule files with one thing changed, drawn by a seed."""

from __future__ import annotations

import random
import re

from keepwise.games import RULE_FILES
from keepwise.games.rulefile.loader import TEMPLATES

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
    "throw_costs = 1",
    "throw_costs = [2, 1]",
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
