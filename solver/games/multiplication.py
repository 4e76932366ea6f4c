"""Multiplication: the sum of the first two times the last. ``three_dice_rules`` has the turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .round_rules import RoundTurn
from .three_dice_rules import OBJECTIVES, OPTIONS, compile_turn, describe_turn

TITLE = "Multiplication"
FAMILY = "showdown"
SOURCES = (("the text that also describes Double Cameroon and Hearts Due", None),)

__all__ = ["FAMILY", "OBJECTIVES", "OPTIONS", "SOURCES", "TITLE", "compile_rules", "describe"]


def compile_rules(rules: Mapping[str, Any]) -> RoundTurn:
    """Return the compiled turn."""
    return compile_turn(str(rules["keep"]), lambda set_aside, final_sum: set_aside * final_sum)


def describe(rules: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines that say how the game is played."""
    return describe_turn(rules, "the sum of the first two dice set aside, multiplied by the last die")
