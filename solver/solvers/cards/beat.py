"""A card filled for the highest probability to end above an opponent who plays for the most points.

The opponent's choices depend on nothing that you do, so their final total is a random number with a known distribution.
Your full card is then worth a function of your total: the probability that theirs is lower. That is a problem of
totals (``total_problems``), one for each card of the opponent.

The values are those of a player who goes by the opponent's card as it stands now. After each of their turns a new
position is solved. So a player who looks again wins at least as often as the value says.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ...play.card import CardGame, CardPosition
from ...play.scorecard import Scorecard
from ...turns.keep_turn import Doubles, Longs
from ...util.progress_reporting import ProgressCallback
from ..problem import ArraySpec, PartialValueTable, ValuesAndBounds, ValueTable
from ..solve_costs import SolveCost, sequential_cost
from .points_opponent import PointsOpponent, points_opponent
from .problem import CardProblem, SingleTurn
from .total_problems import CardTotalProblem

OPPONENTS_SHARE = 0.25  # of the progress, roughly


class ReplyProblem(CardTotalProblem):
    """The best reply to one card of the opponent.

    Args:
        playable: the game as it is played.
        opponent: the opponent.
    """

    def __init__(self, playable: CardGame, opponent: PointsOpponent) -> None:
        """Store the opponent; nothing is computed yet."""
        super().__init__(playable)
        self.opponent = opponent

    @property
    def top_total(self) -> int:
        """The total from which on you certainly win; before the opponent is solved, a total that is large enough."""
        if not self.opponent.is_solved:
            return self.opponent.max_total + 1
        return len(self.opponent.chances_to_beat) - 1

    def payoffs(self, totals: Longs) -> Doubles:
        """Return the probability that the opponent's total stays below each of these totals."""
        chances = self.opponent.chances_to_beat
        payoffs: Doubles = chances[np.minimum(totals, len(chances) - 1)]
        return payoffs

    def empty_table(self) -> ValueTable:
        """Return a table without arrays, with the error bound of any position, the opponent's error included."""
        turns = len(self.card.categories) // self.card.boxes
        rounding = turns * self._turn.rounding_bound  # of payoffs of at most 1; the opponent is not solved for it
        return ValueTable({}, rounding + self.opponent.error_bound)


class CardBeatProblem(CardProblem):
    """Probability to end above an opponent who plays for the most points; an equal total counts half."""

    solves_on_demand = True

    def __init__(self, playable: CardGame) -> None:
        """Prepare to keep the replies to the last few cards of the opponent."""
        super().__init__(playable)
        self._reply = lru_cache(maxsize=2)(self._make_reply)

    def _make_reply(self, theirs: Scorecard) -> ReplyProblem:
        return ReplyProblem(self.playable, points_opponent(self.game, theirs))

    def _reply_at(self, position: CardPosition) -> ReplyProblem:
        (theirs,) = position.other_cards
        return self._reply(theirs)

    # --- solving

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Return an empty table: positions are solved on demand."""
        return self.empty_table()

    def empty_table(self) -> ValueTable:
        """Return a table without arrays, with the error bound of any position."""
        return self._reply_at(self.playable.start()).empty_table()

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return no arrays: nothing is stored."""
        return {}

    def covers(self, value_table: ValueTable, position: CardPosition) -> bool:
        """Return whether the values were solved for the turn of a position."""
        return isinstance(value_table, PartialValueTable) and self.covers_from(value_table.position, position)

    def covers_from(self, start: CardPosition, position: CardPosition) -> bool:
        """Return whether two positions are in the same turn."""
        return position.cards == start.cards

    def estimate_cost_from(self, position: CardPosition, threads: int) -> SolveCost:
        """Estimate the cost of the opponent's distribution and of the reply to it."""
        reply = self._reply_at(position)
        return sequential_cost([reply.opponent.estimate_cost(), reply.estimate_cost_from(position, threads)])

    def solve_from(self, position: CardPosition, threads: int, progress: ProgressCallback) -> ValueTable:
        """Solve the opponent's distribution, and what can follow a position.

        Args:
            position: the position.
            threads: number of threads. The result has the same bits for every number.
            progress: called with the fraction that is done.
        """
        reply = self._reply_at(position)
        reply.opponent.solve(lambda share: progress(OPPONENTS_SHARE * share))
        return reply.solve_from(
            position, threads, lambda share: progress(OPPONENTS_SHARE + (1 - OPPONENTS_SHARE) * share)
        )

    # --- values of positions

    def has_state(self, value_table: ValueTable, position: CardPosition) -> bool:
        """Return whether a position follows the turn that was solved."""
        return self._reply_at(position).has_state(value_table, position)

    def state_values(self, value_table: ValueTable, positions: Sequence[CardPosition]) -> ValuesAndBounds:
        """Return the values of positions between turns; see ``CardTotalProblem``."""
        return self._reply_at(positions[0]).state_values(value_table, positions)

    def turn_of(self, value_table: ValueTable, position: CardPosition) -> SingleTurn:
        """Return the turn that was solved, with the values that its endings lead to."""
        return self._reply_at(position).turn_of(value_table, position)

    def seat_payoffs(self, position: CardPosition, value: float) -> list[float]:
        """Return the probability, within the range of the payoffs in spite of rounding."""
        return self._reply_at(position).seat_payoffs(position, value)
