"""Deficits: how far each player is behind the best score, from the mover on. The leader's deficit is 0.

Vectors of deficits up to ``max_deficit`` are numbered: a block for the first player with deficit 0, the *leader*, and
within it the deficits of the other players as digits to the base ``max_deficit + 1``. Three players and ``max_deficit``
9 have 3 * 10^2 vectors:

    (4, 0, 7)    player 1 leads, the digits are 4 and 7    index 147
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Deficits = NDArray[np.int32]  # deficits (.., players)
Indices = NDArray[np.int64]  # indices (..,)


def deficit_count(players: int, max_deficit: int) -> int:
    """Return how many numbers are used to number vectors of deficits, as ``deficit_indices`` does.

    A vector is named by its leader, the first player with deficit 0, and by the deficits of the others, each from 0 to
    ``max_deficit``. That gives players * (max_deficit + 1) ** (players - 1) numbers.

    Args:
        players: the number of players.
        max_deficit: the largest deficit.
    """
    vectors_per_leader: int = (max_deficit + 1) ** (players - 1)
    return players * vectors_per_leader


def deficit_indices(behind: Deficits | Indices, max_deficit: int | Indices) -> Indices:
    """Return the indices of vectors of deficits: the points by which each player is behind the best.

    The digits of an index to the base ``max_deficit + 1`` are the leader, that is the first player with deficit 0, and
    then the deficits of the other players in order. With ``max_deficit`` 9, (4, 0, 7) has the leader 1 and the index
    147.

    Args:
        behind: (.., players), the deficits. At least one in each vector is 0.
        max_deficit: the largest deficit that is numbered, one number or one for each vector. Larger ones count
            as ``max_deficit``.

    Returns:
        (..,), the index of each vector.
    """
    leader = (behind == 0).argmax(axis=-1)
    index: Indices = leader.astype(np.int64)  # the first digit, to which the others are appended
    for player in range(behind.shape[-1]):
        digit = np.minimum(behind[..., player], max_deficit)
        with_digit = index * (max_deficit + 1) + digit
        index = np.where(leader == player, index, with_digit)
    return index


def list_deficits(players: int, max_deficit: int, first: int = 0, stop: int | None = None) -> Deficits:
    """Return the vectors of deficits that have consecutive indices; the inverse of ``deficit_indices``.

    The digits of an index to the base ``max_deficit + 1`` are the leader, who has deficit 0, and the deficits of
    the others. A vector with several zeros is listed once for each leader; ``deficit_indices`` returns the first index.

    Args:
        players: the number of players.
        max_deficit: the largest deficit.
        first: the first index.
        stop: the index after the last one; None for all from ``first`` on.

    Returns:
        (indices, players), the deficits.
    """
    end = deficit_count(players, max_deficit) if stop is None else stop
    index = np.arange(first, end)
    leader, digits = np.divmod(index, (max_deficit + 1) ** (players - 1))
    deficits = np.zeros((len(index), players), dtype=np.int32)
    for player in reversed(range(players)):  # from the last digit to the first
        is_leader = leader == player
        deficits[:, player] = np.where(is_leader, 0, digits % (max_deficit + 1))
        digits = np.where(is_leader, digits, digits // (max_deficit + 1))  # the leader has no digit
    return deficits


def next_deficits(behind: Deficits, points: NDArray[np.int64]) -> Deficits:
    """Return the deficits after the mover has scored, from the next player on.

    If the mover is 4 behind and scores 7, the deficits (4, 0, 7) become (3, 10, 0).

    Args:
        behind: (vectors, players), the deficits before.
        points: (points,), numbers of points that the mover may score.

    Returns:
        (points, vectors, players), the deficits of every vector after every number of points.
    """
    deficits = np.empty((len(points), *behind.shape), dtype=np.int32)
    deficits[..., :-1] = behind[None, :, 1:]  # the other players move up by one place
    deficits[..., -1] = behind[:, 0] - points[:, None]  # the mover comes last; negative with a new best score
    deficits -= deficits.min(axis=-1, keepdims=True)
    return deficits
