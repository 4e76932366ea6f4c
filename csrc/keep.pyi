from typing import Any

import numpy as np
from numpy.typing import NDArray

LANES: int

Ints = NDArray[np.int32]
Kinds = NDArray[np.uint16]
Longs = NDArray[np.int64]
Doubles = NDArray[np.float64]

class KeepKernel:
    def __init__(
        self, lattice: Any, rolls: int, kind: Kinds, kind_start: Ints, gain: Doubles, shift: Ints, hop: Ints | None
    ) -> None: ...
    def solve(
        self,
        after: Doubles,
        option_start: Longs,
        column: Ints,
        row: Longs,
        row_of_place: Longs | None,
        from_: Ints,
        to: Ints,
        problem: Longs,
        early: Longs | None,
        lane: Longs,
        value: Doubles,
        inner: Doubles | None = None,
        first: int = 0,
        last: int = 0,
        step: int = 1,
    ) -> None: ...
    def flow(self, inner: Doubles, lane: int, tie: float, chances: Doubles) -> None: ...
