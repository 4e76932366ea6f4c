import numpy as np
from numpy.typing import NDArray

LANES: int
UNSETTLED: int
HOPELESS: int
LOOSE: int

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bits = NDArray[np.uint16]
Doubles = NDArray[np.float64]

class RaceKernel:
    def __init__(
        self,
        *,
        modes: int,
        start: int,
        forbid: bool,
        over_passes: int,
        banks: int,
        class_start: Ints,
        weight: Doubles,
        choice_start: Ints,
        leads: Ints,
        bust: Doubles,
        win: Doubles,
        wipe: Doubles,
        total: Doubles,
        edge_start: Ints,
        edge_add: Ints,
        edge_modes: Bits,
        pay: Doubles,
        gap: Doubles,
        ends: Bits,
        counts: Ints,
        caps: Ints,
        last: Ints,
        above: Ints,
        wiped: Doubles,
        pairs: Ints,
        unit_start: Longs,
        ready: Longs,
        certain: float,
    ) -> None: ...
    @property
    def stops(self) -> tuple[Bits, Doubles]: ...
    @property
    def failed(self) -> tuple[int, int] | None: ...
    def restart(self, settled: tuple[float, float], widen: tuple[float, float]) -> None: ...
    def solve(self, last: int) -> tuple[int, int]: ...
