"""Push-your-luck games of one turn each: the pot of Going to Boston, with the turn of a rule file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...games.round_rules import Move, RoundTurn, Situation
from ...play.one_turn import OneTurnGame, OneTurnPosition
from ..problem import ValueTable
from . import pot


def compile_turn(playable: OneTurnGame) -> RoundTurn:
    """Return the turn as a single player plays it; a score is the index of a total among ``playable.totals``.

    The totals are sorted from the worst to the best, so that scores compare like them even if fewer points are better.
    """
    score_of_total = {total: score for score, total in enumerate(playable.totals)}

    def rolls(current: Situation) -> Iterator[tuple[int, tuple[Move, ...]]]:
        """Yield the weight of every roll in a situation, and its moves: to a situation, or to a score at the end."""
        for weight, moves in playable.turn_graph[current]:
            yield weight, tuple(score_of_total[move] if isinstance(move, int) else move for move in moves)

    return RoundTurn(playable.turn_state(playable.solo_game.start()), rolls, has_choices=True)


class OneTurnWinProblem(pot.PotProblem[OneTurnPosition]):
    """Probability to win for players who have one turn each."""

    playable: OneTurnGame
    position_class = OneTurnPosition

    def compile_turn(self) -> RoundTurn:
        """Return the turn of the rule file."""
        return compile_turn(self.playable)

    def score_of(self, total: int) -> int:
        """Return the index of a total, the worst being 0."""
        return self.playable.totals.index(total)

    def total_of(self, score: int) -> int:
        """Return the total with an index."""
        return self.playable.totals[score]

    def situation(self, position: OneTurnPosition) -> Situation:
        """Return the situation of the turn inside the position."""
        return self.playable.turn_state(self.playable.position_in_turn(position))

    def extra_results(self, value_table: ValueTable, position: OneTurnPosition) -> Mapping[str, Any]:
        """Return the regret and the roles of the seats for three and more players."""
        if self.players == 2:
            return {}
        return {**super().extra_results(value_table, position), "roles": self.describe_roles(position)}
