import numpy as np
from numpy.typing import NDArray

LANES: int
PUSH_LANES: int
ZERO: int
LIMIT: int

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

class WholePush:
    def __init__(self, **arrays: int | Ints | Longs) -> None: ...
    def solve(
        self,
        payoff: Longs,
        cap: Ints,
        round_up: Longs,
        end_bound: Longs,
        cap_bonus: Longs,
        rows_past_cap: int,
        value: Longs,
        inner: Longs | None = None,
        first: int = 0,
        step: int = 1,
    ) -> None: ...

class WholeKeep:
    def __init__(self, **arrays: int | Ints | Longs) -> None: ...
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
        round_up: int,
        value: Longs,
        first: int = 0,
        step: int = 1,
    ) -> None: ...
