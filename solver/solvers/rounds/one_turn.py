"""Push-your-luck games of one turn each: the pot of Going to Boston, with the turn of a rule file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...games.rounds import Move, RoundTurn, Situation
from ...play.oneturn import OneTurnPosition, Play, situation
from ..problem import ValueTable
from . import pot


def compile_turn(table: Play) -> RoundTurn:
    """Return the turn as it is played alone; its scores are the places of what it brings among ``table.totals``."""
    places = {total: place for place, total in enumerate(table.totals)}

    def throw(here: Situation) -> Iterator[tuple[int, tuple[Move, ...]]]:
        for weight, leads in table.outcomes[here]:
            yield weight, tuple(places[lead] if isinstance(lead, int) else lead for lead in leads)

    return RoundTurn(situation(table.alone.start()), throw, decides=True)


class Win(pot.Pot[OneTurnPosition]):
    """The chance to win of players who have one turn each."""

    playable: Play
    place = OneTurnPosition

    def compiled(self) -> RoundTurn:
        """The turn of the rule file."""
        return compile_turn(self.playable)

    def score_of(self, total: int) -> int:
        """Its place among the totals, the worst being 0."""
        return self.playable.totals.index(total)

    def total_of(self, score: int) -> int:
        """The total in that place."""
        return self.playable.totals[score]

    def situation(self, position: OneTurnPosition) -> Situation:
        """That of the turn inside."""
        return situation(self.playable.turn(position))

    def extra_results(self, solved: ValueTable, position: OneTurnPosition) -> Mapping[str, Any]:
        """For three and more who is who."""
        told = super().extra_results(solved, position)
        return {**told, "roles": self.roles(position)} if told else told
