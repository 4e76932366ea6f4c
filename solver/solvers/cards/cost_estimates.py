"""Roughly what solving a card takes."""

from __future__ import annotations

import math

from ...core.keep import LANES
from ...games.cards import Card

STEP_SECONDS = 5.5e-11  # for each step of a walk through the partial throws


def block_seconds(card: Card, throws: int | None = None) -> float:
    """Seconds that a turn takes for one block of lanes: up and down the partial throws, for every throw and face."""
    nodes = math.comb(card.dice + card.faces, card.faces)
    return STEP_SECONDS * (throws or card.throws) * nodes * card.faces * 2 * LANES
