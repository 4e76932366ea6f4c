"""Estimates of the time that solving a card takes."""

from __future__ import annotations

import math

from ...core.keep import LANES
from ...games.cards import Card

STEP_SECONDS = 5.5e-11  # of one step between two nodes of the keep lattice, in one lane


def block_seconds(card: Card, rolls: int | None = None) -> float:
    """Return the estimated seconds for one turn in one block of lanes.

    A turn walks the keep lattice down and up once for every roll and face. The number of rolls defaults to the card's.
    """
    nodes = math.comb(card.dice + card.faces, card.faces)
    return STEP_SECONDS * (rolls or card.throws) * nodes * card.faces * 2 * LANES
