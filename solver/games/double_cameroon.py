"""Double Cameroon: ten dice, three rolls, two boxes of a card filled each turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .card_rules import Card, Category
from .dice_matcher import DiceCondition
from .rule_options import Option

TITLE = "Double Cameroon"
FAMILY = "card"
SOURCES = (("the text that also describes Going to Boston", None),)
OBJECTIVES = ("win", "points", "reach", "beat")

OPTIONS = (
    Option(
        "five_kind_full_house",
        False,
        "whether five alike may also be entered as a full house; the source requires three of one rank and two of"
        " another",
    ),
)

FACE_CATEGORIES = ("sixes", "fives", "fours", "threes", "twos", "aces")


def compile_rules(rules: Mapping[str, Any]) -> Card:
    """Return the card."""
    return Card(
        dice=10,
        faces=6,
        weights=(1,) * 6,
        throws=3,
        boxes=2,
        categories=(
            Category("five of a kind", 50, DiceCondition((5,))),
            Category("large cameroon", 30, DiceCondition(straights=((2, 3, 4, 5, 6),))),
            Category("little cameroon", 21, DiceCondition(straights=((1, 2, 3, 4, 5),))),
            Category("full house", condition=DiceCondition((3, 2), rules["five_kind_full_house"])),
            *(Category(name, face=6 - place) for place, name in enumerate(FACE_CATEGORIES)),
        ),
    )
