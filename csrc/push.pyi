import numpy as np
from numpy.typing import NDArray

LANES: int
MAX_CHANNELS: int

def registers() -> int: ...

Ints = NDArray[np.int32]
Doubles = NDArray[np.float64]

class PushKernel:
    def __init__(self, **arrays: int | Ints | Doubles) -> None: ...
    def solve(
        self,
        payoff: Doubles,
        cap: Ints,
        rows: int,
        value: Doubles,
        inner: Doubles | None = None,
        decisions: NDArray[np.int16] | None = None,
        follow: bool = False,
        sliding: Doubles | None = None,
        first: int = 0,
        step: int = 1,
    ) -> None: ...
    def walk(
        self,
        decisions: NDArray[np.int16],
        cap: Ints,
        rows: int,
        ends: Doubles,
        visits: Doubles | None = None,
    ) -> bool: ...
