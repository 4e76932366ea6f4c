"""Ids of positions that play reaches."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import subjects

from keepwise.play import PlayableGame


def walked(playable: PlayableGame[Any], rng: random.Random, count: int) -> Iterator[Any]:
    """So many positions of games played at random."""
    return islice(chain.from_iterable(subjects.played(playable, rng) for _ in range(count)), count)
