import numpy as np
from numpy.typing import NDArray

LANES: int
MAX_CHANNELS: int

def registers() -> int: ...

Ints = NDArray[np.int32]
Doubles = NDArray[np.float64]

class PushKernel:
    def __init__(
        self,
        *,
        specials: int,
        start: int,
        forbid: bool,
        over_passes: int,
        group_start: Ints,
        order: Ints,
        bank: Ints,
        bank_from: Ints,
        most: Ints,
        throw_start: Ints,
        class_start: Ints,
        total: Doubles,
        weight: Doubles,
        choice_start: Ints,
        next: Ints,
        add: Ints,
        keeps: Ints,
    ) -> None: ...
    def scratch(self, payoff: Doubles, cap: Ints, rows: int) -> Doubles: ...
    def solve(
        self,
        payoff: Doubles,
        cap: Ints,
        rows: int,
        scratch: Doubles,
        value: Doubles,
        inner: Doubles | None = None,
        decision: NDArray[np.int16] | None = None,
        follow: bool = False,
        slide: Doubles | None = None,
        first: int = 0,
        step: int = 1,
    ) -> None: ...
