from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MAX_FEELS: int

Doubles = NDArray[np.float64]

class TouchKernel:
    def __init__(
        self,
        *,
        board: Sequence[int],
        end_pieces: int,
        max_passes: int,
        in_order: bool,
        sign: int,
        gain: Sequence[int],
        trip_shift: int,
        min_place: int,
        max_place: int,
        max_down: int,
        max_up: int,
        origin: int,
        width: int,
        chance: Doubles,
        hold_chance: Doubles,
        trip_chance: Doubles,
    ) -> None: ...
    def solve(self, end: Doubles, after: Doubles) -> None: ...
