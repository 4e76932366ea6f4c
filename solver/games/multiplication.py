"""Multiplication: the sum of the first two times the last. See ``showdown`` for the turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .rounds import RoundTurn
from .showdown import OBJECTIVES, OPTIONS, compile_turn

TITLE = "Multiplication"
FAMILY = "showdown"

__all__ = ["FAMILY", "OBJECTIVES", "OPTIONS", "TITLE", "compile_rules"]


def compile_rules(rules: Mapping[str, Any]) -> RoundTurn:
    """Return the turn."""
    return compile_turn(str(rules["keep"]), lambda aside, last: aside * last)
