"""Values in fractions, where little enough can follow: the referee's, over the game as it is played.

It knows nothing of what was solved: no table, no kernel, no float decides anything (``play.referee``). Most games are
finite, and every position is followed. A push-your-luck turn for points may be endless: then the match supplies a level
from which stopping is best if the next throw can lose the points. That level is proved (``PointsProver``). Races of
three or more players have no unique value if anybody has a choice.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..play.push import Play
from ..play.referee import Referee
from ..play.table import Choice
from ..play.walk import open_choices
from ..solvers import Problem
from ..solvers.push.points import Points
from ..util.errors import InputError
from .points_prover import PointsProver

MOST_POSITIONS = 20_000  # some seconds
MOST_DIGITS = 1000  # of a numerator or denominator that is printed


ENDLESS = (
    "no fractions for endless turns: throws that must be made, or that cannot bust, can follow each other without end"
)


class _Whole(Referee[Any]):
    """The referee of a whole game, in which no points are cut off.

    With ``cut``, whoever may bank at least ``cut`` points does not make a throw that can lose them.
    """

    def choices(self, position: Any) -> list[Choice[Any]]:
        """The choices that are compared."""
        choices = open_choices(self.table, position)
        if self.cut is None:
            return choices
        most = max((choice.points for choice in choices if choice.then == "bank"), default=-1)
        return [choice for choice in choices if choice.then == "bank" or not self._is_worse(choice, most)]

    def _is_worse(self, choice: Choice[Any], most: int) -> bool:
        """Whether a throw is worth no more than to bank ``most`` points."""
        assert isinstance(self.table, Play)
        assert self.cut is not None
        return self.cut <= choice.points <= most and self.table.can_lose(choice.after)


@lru_cache(maxsize=1)
def fractions(match: Problem[Any], position: Any) -> Referee[Any]:
    """What every seat gets, in fractions, from a position and whatever may be done there.

    Raises:
        InputError: too much can follow, or no fraction is the value.
    """
    table = match.playable
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


def _level(match: Problem[Any]) -> int | None:
    """Return the points in hand from which nobody makes a throw that can bust; None if no turn is endless.

    A turn ends by rule if no throw can follow itself, and the hand is bounded if more than ``above`` points are lost.

    Raises:
        InputError: a turn can go on for ever without a throw before which stopping is best.
    """
    if type(match) is not Points:
        return None
    turn = match.rules.turn
    if match.rules.above or not turn.can_repeat(range(len(turn.modes))):
        return None
    if turn.can_repeat(turn.unstopped):
        raise InputError(ENDLESS)
    return max(PointsProver(match).stops_from, match.states.least(0) * match.rules.grain)
