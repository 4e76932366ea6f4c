"""Small boards of Booby Trap."""

from __future__ import annotations

from fractions import Fraction

import keepwise as kw
from keepwise.games.touch_odds import SIZES


def entries(odds, feels=("loose", "springy", "tight")):
    """Odds as a rule file has them; ``odds[size]`` lists (chance, trip)."""
    return {
        size: {
            feel: {"chance": str(chance), "trip": str(trip)} for feel, (chance, trip) in zip(feels, row, strict=False)
        }
        for size, row in zip(SIZES, odds, strict=True)
    }


def small(board, odds=None, **rules):
    if odds is not None:
        rules["odds"] = entries(odds)
    return kw.game("booby-trap", **dict(zip(SIZES, board, strict=True)), **rules)


ODDS = [
    [(Fraction(1, 4), Fraction(1, 10)), (Fraction(3, 4), Fraction(4, 5))],
    [(Fraction(1, 2), Fraction(0)), (Fraction(1, 2), Fraction(1, 3))],
    [(Fraction(2, 3), Fraction(1, 7)), (Fraction(1, 3), Fraction(1))],
]
