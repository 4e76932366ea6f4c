"""Going to Boston: the total is the sum of the three dice. See ``showdown`` for the turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .round_rules import RoundTurn
from .three_dice_rules import OBJECTIVES, OPTIONS, compile_turn, describe_turn

TITLE = "Going to Boston"
FAMILY = "showdown"

__all__ = ["FAMILY", "OBJECTIVES", "OPTIONS", "TITLE", "compile_rules", "describe"]


def compile_rules(rules: Mapping[str, Any]) -> RoundTurn:
    """Return the turn."""
    return compile_turn(str(rules["keep"]), lambda aside, last: aside + last)


def describe(rules: Mapping[str, Any]) -> Iterator[str]:
    """Say how the game is played under these rules, a line at a time."""
    return describe_turn(rules, "the sum of the three dice")
