"""Push-your-luck games of one turn each: the pot of Going to Boston, with the turn of a rule file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ...games.round_rules import Move, RoundTurn, Situation
from ...play.one_turn import OneTurnGame, OneTurnPosition
from ..problem import ValueTable
from . import pot


def compile_turn(playable: OneTurnGame) -> RoundTurn:
    """Compile the turn of a push-your-luck game in which each player has one turn.

    A score of the compiled turn is the index of a total among ``playable.totals``. These are sorted from the worst to
    the best. So a larger score is better, even in games in which fewer points are better.
    """
    score_of_total = {total: score for score, total in enumerate(playable.totals)}
    start = playable.turn_state(playable.solo_game.start())
    return RoundTurn(start, partial(_list_rolls, playable, score_of_total), has_choices=True)


def _list_rolls(
    playable: OneTurnGame, score_of_total: Mapping[int, int], situation: Situation
) -> Iterator[tuple[int, tuple[Move, ...]]]:
    """Yield the weight of every roll in a situation, and its moves: to a situation, or to a score at the end.

    Args:
        playable: the game; its turn graph gives moves to a situation, or to a total at the end.
        score_of_total: by the total of a turn, its score.
        situation: the situation before the roll.
    """
    for weight, moves in playable.turn_graph[situation]:
        yield weight, tuple(score_of_total[move] if isinstance(move, int) else move for move in moves)


class OneTurnWinProblem(pot.PotProblem[OneTurnPosition]):
    """Probability to win for players who have one turn each."""

    playable: OneTurnGame
    position_class = OneTurnPosition

    def compile_turn(self) -> RoundTurn:
        """Return the turn of the rule file."""
        return compile_turn(self.playable)

    def score_of(self, total: int) -> int:
        """Return the score of a total: its index among all totals, the worst being 0."""
        return self.playable.totals.index(total)

    def total_of(self, score: int) -> int:
        """Return the total that a score stands for."""
        return self.playable.totals[score]

    def situation(self, position: OneTurnPosition) -> Situation:
        """Return the situation of the compiled turn: the state of the single player's turn inside a position."""
        return self.playable.turn_state(self.playable.position_in_turn(position))

    def extra_results(self, value_table: ValueTable, position: OneTurnPosition) -> Mapping[str, Any]:
        """Return the regret and the roles of the seats for three and more players."""
        if self.players == 2:
            return {}
        return {**super().extra_results(value_table, position), "roles": self.describe_roles(position)}
