"""Values in fractions, where little enough can follow: the referee's, over the game as it is played.

It knows nothing of what was solved: no table, no kernel, no float decides anything (``play.referee``). All it needs of
a match is where a turn for points ends, which nothing bounds: from a level on stopping is best, which is proved
(``PointsProver``), and whoever may stop with so much does. Where three or more decide there is no one value.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..ground.errors import InputError
from ..matches import Match
from ..matches.push.points import Points
from ..play.referee import Referee
from ..play.table import Choice
from ..play.walk import open_choices
from .points import PointsProver

MOST_POSITIONS = 20_000  # some seconds
MOST_DIGITS = 1000  # of a numerator or denominator that is printed


class _Whole(Referee[Any]):
    """The referee of a whole game: from ``cut`` points on nobody throws who may bank as many, and none are cut off."""

    def choices(self, position: Any) -> list[Choice[Any]]:
        """The choices that are weighed."""
        found = open_choices(self.table, position)
        if self.cut is None:
            return found
        banked = max((one.points for one in found if one.then == "bank"), default=-1)
        return [one for one in found if one.then == "bank" or not self.cut <= one.points <= banked]


@lru_cache(maxsize=1)
def fractions(match: Match[Any], position: Any) -> Referee[Any]:
    """What every seat gets, in fractions, from a position and whatever may be done there.

    Raises:
        InputError: too much can follow, or no fraction is the value.
    """
    table = match.table
    if match.objective == "rate":
        raise InputError("averages in the long run are not told in fractions")
    choices = table.choices(position) if table.stage(position) == "choose" else ()
    referee = _Whole(table, _level(match), [position, *(choice.after for choice in choices)], MOST_POSITIONS)
    if match.players > 2 and referee.decides:
        raise InputError("fractions are told of one or two players: with more, the values are those of a play")
    told = [referee.seats(position), *(referee.seats(choice.after) for choice in choices)]
    longest = max(max(abs(one.numerator), one.denominator) for seats in told for one in seats)
    if longest >= 10**MOST_DIGITS:
        raise InputError(f"the fraction has {longest.bit_length() * 0.30103:,.0f} digits: {MOST_DIGITS:,} are told")
    return referee


def _level(match: Match[Any]) -> int | None:
    """The points in hand from which on nobody goes on, where nothing else ends a turn."""
    if type(match) is not Points or match.rules.best == "lowest":
        return None
    prover = PointsProver(match)
    if any(prover.more):
        raise InputError("throws that cannot bust bring points without end: their value is not told in fractions")
    return max(prover.level, match.states.least(0) * match.rules.grain)
