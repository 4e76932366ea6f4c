"""Yahtzee: thirteen categories, an upper bonus, and what later Yahtzees count.

Sources: the official rules (forced jokers); Verhoeff, Optimal Solitaire Yahtzee Strategies, 1999 (free choice of the
box, joker values only once the matching upper box is filled); Glenn, An Optimal Strategy for Yahtzee, 2006 (neither).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .card_rules import Card, Category
from .dice_matcher import DiceCondition
from .rule_options import Option

TITLE = "Yahtzee"
FAMILY = "card"
SOURCES = (
    ("the official rules", None),
    ("Verhoeff, Optimal Solitaire Yahtzee Strategies", 1999),
    ("Glenn, An Optimal Strategy for Yahtzee", 2006),
)
OBJECTIVES = ("points", "reach", "beat")

OPTIONS = (
    Option(
        "yahtzee_bonus", True, "100 points for every later Yahtzee, if the Yahtzee box holds 50 (the official rules)"
    ),
    Option(
        "joker",
        "forced",
        "where a later Yahtzee goes once the Yahtzee box is used. forced: in its upper box; if that is used, in any"
        " lower box in full; else as a zero (the official rules). free: in any open box, lower ones in full only once"
        " its upper box is used (Verhoeff). none: like any other roll",
        choices=("forced", "free", "none"),
        always_shown=True,
    ),
)

UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")
SMALL_STRAIGHTS = ((1, 2, 3, 4), (2, 3, 4, 5), (3, 4, 5, 6))
LARGE_STRAIGHTS = ((1, 2, 3, 4, 5), (2, 3, 4, 5, 6))


def compile_rules(rules: Mapping[str, Any]) -> Card:
    """Return the card."""
    return Card(
        dice=5,
        faces=6,
        weights=(1,) * 6,
        throws=3,
        categories=(
            *(Category(name, face=face) for face, name in enumerate(UPPER, 1)),
            Category("three of a kind", condition=DiceCondition((3,))),
            Category("four of a kind", condition=DiceCondition((4,))),
            Category("full house", 25, DiceCondition((3, 2))),
            Category("small straight", 30, DiceCondition(straights=SMALL_STRAIGHTS)),
            Category("large straight", 40, DiceCondition(straights=LARGE_STRAIGHTS)),
            Category("yahtzee", 50, DiceCondition((5,))),
            Category("chance"),
        ),
        upper_categories=UPPER,
        upper_steps=((63, 35),),
        again_category="yahtzee",
        again_bonus=100 if rules["yahtzee_bonus"] else 0,
        again_joker=rules["joker"],
    )
