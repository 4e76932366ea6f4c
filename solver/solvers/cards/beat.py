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

OPPONENT_PROGRESS = 0.25  # the fraction of the progress at which the opponent is solved, roughly


class ReplyProblem(CardTotalProblem):
    """The best response to an opponent with one card, who plays for the most points.

    Args:
        playable: the game as it is played.
        opponent: the opponent, with the card as it is filled now.
    """

    def __init__(self, playable: CardGame, opponent: PointsOpponent) -> None:
        """Store the opponent; nothing is computed yet."""
        super().__init__(playable)
        self.opponent = opponent

    @property
    def top_total(self) -> int:
        """The least total that certainly wins; before the opponent is solved, one more than they can reach."""
        if not self.opponent.is_solved:
            return self.opponent.max_total + 1
        return len(self.opponent.chances_to_beat) - 1

    def payoffs(self, totals: Longs) -> Doubles:
        """Return P(opponent's total < total) + P(opponent's total = total) / 2 for each of these totals.

        Args:
            totals: final totals of the player; an array of any shape, which is also that of the result.
        """
        chances = self.opponent.chances_to_beat  # by total; the last total certainly wins, and so do all above it
        payoffs: Doubles = chances[np.minimum(totals, len(chances) - 1)]
        return payoffs

    def empty_table(self) -> ValueTable:
        """Return a table without arrays, with the error bound of any position, the opponent's error included."""
        turns = len(self.card.categories) // self.card.boxes
        # Payoffs are at most 1, so the relative bound is the absolute one. The opponent need not be solved for it.
        rounding = turns * self._turn.rounding_bound
        return ValueTable({}, rounding + self.opponent.error_bound)


class CardBeatProblem(CardProblem):
    """Probability to end above an opponent who plays for the most points; an equal total counts half.

    Attributes:
        _reply: returns the problem of the best response to an opponent's card, and remembers the last two.
    """

    solves_on_demand = True

    def __init__(self, playable: CardGame) -> None:
        """Store the game; no problem of a best response is made yet."""
        super().__init__(playable)
        self._reply = lru_cache(maxsize=2)(self._make_reply)

    def _make_reply(self, opponent_card: Scorecard) -> ReplyProblem:
        """Return the problem of the best response to an opponent with this card."""
        return ReplyProblem(self.playable, points_opponent(self.game, opponent_card))

    def _reply_at(self, position: CardPosition) -> ReplyProblem:
        """Return the problem of the best response to the opponent's card in a position."""
        (opponent_card,) = position.other_cards
        return self._reply(opponent_card)

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

    def holds_end(self, start: CardPosition, position: CardPosition) -> bool:
        """Return whether a position is the end of the turn of ``start``, before the opponent's next turn."""
        filled, own = start.own_card.used, position.own_card
        is_later = own.used != filled and own.used & filled == filled
        return is_later and position.other_cards == start.other_cards and self.playable.is_turn_start(position)

    def estimate_cost_from(self, position: CardPosition, threads: int) -> SolveCost:
        """Estimate the cost of the opponent's distribution and of the reply to it."""
        reply = self._reply_at(position)
        return sequential_cost([reply.opponent.estimate_cost(), reply.estimate_cost_from(position, threads)])

    def solve_from(self, position: CardPosition, threads: int, progress: ProgressCallback) -> ValueTable:
        """Compute the distribution of the opponent's final total, then solve what can follow a position.

        Args:
            position: the position.
            threads: number of threads. The result has the same bits for every number.
            progress: called with the fraction that is done.
        """
        reply = self._reply_at(position)
        reply.opponent.solve(lambda fraction: progress(OPPONENT_PROGRESS * fraction))
        return reply.solve_from(
            position, threads, lambda fraction: progress(OPPONENT_PROGRESS + (1 - OPPONENT_PROGRESS) * fraction)
        )

    # --- values of positions

    def has_state(self, value_table: ValueTable, position: CardPosition) -> bool:
        """Return whether the table, which was solved for one turn, holds the value of a position after that turn."""
        return self._reply_at(position).has_state(value_table, position)

    def state_values(self, value_table: ValueTable, positions: Sequence[CardPosition]) -> ValuesAndBounds:
        """Return the probabilities to end above the opponent, and their error bound.

        Args:
            value_table: the value table of one turn.
            positions: positions between turns that its endings lead to; the opponent has the same card in all.

        Returns:
            (positions, 1) the probabilities, and one error bound for all.
        """
        return self._reply_at(positions[0]).state_values(value_table, positions)

    def turn_of(self, value_table: ValueTable, position: CardPosition) -> SingleTurn:
        """Return the turn that contains a position, with the values that its endings lead to.

        Args:
            value_table: the value table, which was solved for this turn.
            position: the position.
        """
        return self._reply_at(position).turn_of(value_table, position)

    def seat_payoffs(self, position: CardPosition, value: float) -> list[float]:
        """Return the mover's probability alone, moved into the range of payoffs if rounding has left it."""
        return self._reply_at(position).seat_payoffs(position, value)
