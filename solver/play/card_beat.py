"""A scorecard against an opponent who plays for the most points, for one player.

The position holds both cards. The opponent's card stays as it is: how they fill the rest of it follows from their
policy, not from anything that you do. So the game ends when your card is full. Its payoff is the probability that your
total ends above the opponent's; an equal total counts half.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..games.families import load_member
from . import card
from .scorecard import Scorecard


class CardBeatGame(card.CardGame):
    """A game of scorecards, played to end above an opponent who plays for the most points."""

    @property
    def opponent_count(self) -> int:
        """The opponent, who has no seat, because their choices depend on nothing that you do."""
        return 1

    def _mover(self, own: Scorecard, opponents: Sequence[Scorecard], seat: int | None) -> int:
        """Return the only seat: the opponent may have filled any number of boxes."""
        return 0

    def _payoffs(self, cards: tuple[Scorecard, ...]) -> tuple[Fraction, ...]:
        """Return the probability that the opponent's total stays below yours.

        How the opponent fills their card is the solved policy for points, so a solver computes this payoff.
        """
        own, theirs = cards
        total = own.score + self.card.bonus(own.upper)
        chances = load_member("solvers.cards.points_opponent.points_opponent")(self.game, theirs).chances_to_beat
        return (Fraction(float(chances[min(total, len(chances) - 1)])),)


PLAYABLE = CardBeatGame
