"""Deficits: how far each player is behind the best score, from the mover on. The leader's deficit is 0.

Vectors of deficits up to ``far`` are indexed by mixed radix: a block for the first player with deficit 0, and within
it the deficits of the other players as digits to the base ``far + 1``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Deficits = NDArray[np.int32]  # deficits (.., players)
Indices = NDArray[np.int64]  # indices (..,)


def deficit_count(players: int, far: int) -> int:
    """Return the number of indices."""
    count: int = players * (far + 1) ** (players - 1)
    return count


def deficit_indices(behind: Deficits | Indices, far: int | Indices) -> Indices:
    """Return the indices of vectors of deficits; a deficit beyond ``far`` counts as ``far``."""
    leader = (behind == 0).argmax(axis=-1)
    index: Indices = leader.astype(np.int64)
    for player in range(behind.shape[-1]):
        with_digit = index * (far + 1) + np.minimum(behind[..., player], far)
        index = np.where(leader == player, index, with_digit)
    return index


def list_deficits(players: int, far: int, first: int = 0, last: int | None = None) -> Deficits:
    """Return the deficits of the indices from ``first`` up to but not including ``last``: (indices, players)."""
    index = np.arange(first, deficit_count(players, far) if last is None else last)
    leader, digits = np.divmod(index, (far + 1) ** (players - 1))
    deficits = np.zeros((len(index), players), dtype=np.int32)
    for player in reversed(range(players)):
        digit = digits % (far + 1)
        deficits[:, player] = np.where(leader == player, 0, digit)
        digits = np.where(leader == player, digits, digits // (far + 1))
    return deficits


def next_deficits(behind: Deficits, points: NDArray[np.int64]) -> Deficits:
    """Return the deficits from the next player on, after the mover has scored ``points``.

    Args:
        behind: (vectors, players).
        points: (points,), the scores to add.

    Returns:
        (points, vectors, players).
    """
    deficits = np.empty((len(points), *behind.shape), dtype=np.int32)
    deficits[..., :-1] = behind[None, :, 1:]
    deficits[..., -1] = behind[:, 0] - points[:, None]
    deficits -= deficits.min(axis=-1, keepdims=True)
    return deficits
