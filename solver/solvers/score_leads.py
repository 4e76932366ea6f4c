"""How far every player is behind the best score, told from one of them on: one of the numbers is 0.

With ``far`` the largest, such lines are numbered: a block for each player who can be the first with 0, and within it
the others' numbers as digits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Behind = NDArray[np.int32]  # (.., players)
Places = NDArray[np.int64]


def size(players: int, far: int) -> int:
    """How many numbers there are."""
    count: int = players * (far + 1) ** (players - 1)
    return count


def places(behind: Behind | Places, far: int | Places) -> Places:
    """The numbers of lines; who is further behind than ``far`` counts as being ``far`` behind."""
    leader = (behind == 0).argmax(axis=-1)
    place: Places = leader.astype(np.int64)
    for one in range(behind.shape[-1]):
        shown = place * (far + 1) + np.minimum(behind[..., one], far)
        place = np.where(leader == one, place, shown)
    return place


def lines(players: int, far: int, first: int = 0, last: int | None = None) -> Behind:
    """The lines numbered from ``first`` to before ``last``: (lines, players)."""
    number = np.arange(first, size(players, far) if last is None else last)
    leader, rest = np.divmod(number, (far + 1) ** (players - 1))
    found = np.zeros((len(number), players), dtype=np.int32)
    for one in reversed(range(players)):
        digit = rest % (far + 1)
        found[:, one] = np.where(leader == one, 0, digit)
        rest = np.where(leader == one, rest, rest // (far + 1))
    return found


def following(behind: Behind, points: NDArray[np.int64]) -> Behind:
    """The lines from the next player on, once the first has got so many points: (points, lines, players)."""
    after = np.empty((len(points), *behind.shape), dtype=np.int32)
    after[..., :-1] = behind[None, :, 1:]
    after[..., -1] = behind[:, 0] - points[:, None]
    after -= after.min(axis=-1, keepdims=True)
    return after
