"""Battleship, Boston and Multiplication by plain recursion in fractions; shares nothing with the engine."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import product


def battleship_turn(worth, crew_rule):
    """Value of a round where a score s is worth ``worth(s)``, over all ordered casts."""

    @lru_cache(None)
    def cast(left, aside, held, recast):
        """Before a cast: casts left, trio dice set aside, crew die held (0: none)."""
        dice = 5 - aside - (1 if held else 0)
        ways = list(product(range(1, 7), repeat=dice))
        return sum(after(left - 1, aside, held, recast, list(throw)) for throw in ways) / Fraction(len(ways))

    def after(left, aside, held, recast, throw):
        now_recast = recast or aside == 3
        while aside < 3 and 6 - aside in throw:
            throw.remove(6 - aside)
            aside += 1
        if aside < 3:
            return worth(0) if left == 0 else cast(left, aside, 0, False)
        crew = throw + ([held] if held else [])
        found = [worth(sum(crew))]
        if left:
            found.append(cast(left, 3, 0, True))
            if crew_rule == "each" or (crew_rule == "hybrid" and now_recast):
                found += [cast(left, 3, die, True) for die in crew]
        return max(found)

    return cast(3, 0, 0, False)


def keepers_turn(total, worth, choose):
    """Value of a turn of Boston (``total``: sum) or Multiplication; ``choose``: any die may be set aside."""

    def throw(dice, aside):
        ways = list(product(range(1, 7), repeat=dice))
        return sum(entered(dice, aside, way) for way in ways) / Fraction(len(ways))

    def entered(dice, aside, way):
        if dice == 1:
            return worth(total(aside, way[0]))
        options = way if choose else (max(way),)
        return max(throw(dice - 1, aside + die) for die in options)

    return throw(3, 0)
