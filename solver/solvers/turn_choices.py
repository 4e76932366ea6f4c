"""The choices of whole turns as arrays, for problems that list many turns faster than a walk through each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..play.playable_game import Choice


class TurnChoices(NamedTuple):
    """All choices of some turns that offer the same choices.

    Attributes:
        decisions: the decision positions, as they are in one of the turns, in the order in which rows list them. A
            problem returns the same object again for turns whose decisions look the same in rows, so that callers can
            cache by identity what they make of it.
        begin: (decisions + 1,), the index at which the choices of each decision begin.
        pool: the different choices as players see them; where they lead is not used. A problem keeps one pool, and only
            appends to it from call to call, so indices stay valid.
        pool_index: (choices,), the index in ``pool`` of each choice.
        values: (choices, turns), the values for the player to move.
        error_bounds: (turns,), no value of a turn is further from the true one.
    """

    decisions: Sequence[Any]
    begin: NDArray[np.int64]
    pool: Sequence[Choice[Any]]
    pool_index: NDArray[np.int64]
    values: NDArray[np.float64]
    error_bounds: NDArray[np.float64]
