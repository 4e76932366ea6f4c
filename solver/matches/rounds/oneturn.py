"""Push-your-luck games of one turn each: the pot of Going to Boston, with the turn of a rule file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...games.rounds import Move, RoundTurn, Situation
from ...play.oneturn import OneTurnPosition, Play
from ...play.push import PushPosition
from ..contract import Solved
from . import pot


def situation(inside: PushPosition) -> Situation:
    """The situation of a turn that is about to throw."""
    return inside.dice, inside.turn, int(inside.forced)


def compile_turn(table: Play) -> RoundTurn:
    """Return the turn as it is played alone; its scores are the places of what it brings among ``table.totals``."""
    alone, places = table.alone, {total: place for place, total in enumerate(table.totals)}
    at = {situation(alone.start()): alone.start()}

    def throw(here: Situation) -> Iterator[tuple[int, tuple[Move, ...]]]:
        for weight, fallen in alone.throws(at[here]):
            moves: list[Move] = []
            for choice in alone.choices(fallen):
                if choice.after.ended:
                    moves.append(places[table.brought(choice.after)])
                else:
                    moves.append(situation(choice.after))
                    at[situation(choice.after)] = choice.after
            yield weight, tuple(dict.fromkeys(moves))

    return RoundTurn(situation(alone.start()), throw, decides=True)


class Win(pot.Pot[OneTurnPosition]):
    """The chance to win of players who have one turn each."""

    table: Play
    place = OneTurnPosition

    def compiled(self) -> RoundTurn:
        """The turn of the rule file."""
        return compile_turn(self.table)

    def score_of(self, total: int) -> int:
        """Its place among the totals, the worst being 0."""
        return self.table.totals.index(total)

    def total_of(self, score: int) -> int:
        """The total in that place."""
        return self.table.totals[score]

    def situation(self, position: OneTurnPosition) -> Situation:
        """That of the turn inside."""
        return situation(self.table.turn(position))

    def facts(self, solved: Solved, position: OneTurnPosition) -> Mapping[str, Any]:
        """For three and more who is who."""
        return {} if self.players == 2 else {"regret": 2 * solved.error_bound, "roles": self.roles(position)}
