import numpy as np
from numpy.typing import NDArray

LANES: int
ZERO: int

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

class WholePush:
    def __init__(self, **told: int | Ints | Longs) -> None: ...
    def solve(
        self,
        payoff: Longs,
        cap: Ints,
        up: Longs,
        open_: Longs,
        more: Longs,
        past: int,
        value: Longs,
        inner: Longs | None = None,
        first: int = 0,
        step: int = 1,
    ) -> None: ...

class WholeKeep:
    def __init__(self, **told: int | Ints | Longs) -> None: ...
    def solve(
        self,
        after: Longs,
        option_start: Longs,
        column: Ints,
        row: Longs,
        from_: Ints,
        to: Ints,
        problem: Longs,
        early: Longs | None,
        lane: Longs,
        up: int,
        value: Longs,
        first: int = 0,
        step: int = 1,
    ) -> None: ...
