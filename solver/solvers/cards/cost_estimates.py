"""Estimates of the time that solving a card takes."""

from __future__ import annotations

import math

from ...core.keep import LANES
from ...games.card_rules import Card

STEP_SECONDS = 5.5e-11  # measured: one step between two nodes of the keep lattice, in one lane
WALKS_PER_ROLL = 2  # down the lattice to value kept dice, and up to find the best dice to keep


def block_seconds(card: Card, rolls: int | None = None) -> float:
    """Return the estimated seconds for one turn in one block of lanes.

    Every walk through the keep lattice takes a step for each node and face.

    Args:
        card: the rules of the card.
        rolls: the number of rolls of the turn; by default the card's.
    """
    if rolls is None:
        rolls = card.throws
    nodes = math.comb(card.dice + card.faces, card.faces)  # the multisets of up to ``dice`` dice
    return STEP_SECONDS * rolls * nodes * card.faces * WALKS_PER_ROLL * LANES
