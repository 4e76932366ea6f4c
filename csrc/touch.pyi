from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FEELS: int

Doubles = NDArray[np.float64]

class TouchKernel:
    def __init__(
        self,
        *,
        board: Sequence[int],
        last: int,
        limit: int,
        in_order: bool,
        sign: int,
        gain: Sequence[int],
        trip: int,
        low: int,
        high: int,
        down: int,
        up: int,
        origin: int,
        width: int,
        chance: Doubles,
        holds: Doubles,
        trips: Doubles,
    ) -> None: ...
    def solve(self, end: Doubles, after: Doubles) -> None: ...
