import numpy as np
from numpy.typing import NDArray

LANES: int
MOST_SEATS: int
OPEN: int
HOPELESS: int

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bits = NDArray[np.uint16]
Bytes = NDArray[np.uint8]
Doubles = NDArray[np.float64]

class SeatsKernel:
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
        seats: int,
        target: int,
        table: Doubles,
        past: Doubles | None,
        points: Ints,
        number: Ints,
        counts: Ints,
        caps: Ints,
        ends: Bits,
        settled: tuple[float, float],
        widen: float,
        certain: float,
        known: tuple[Bits, Doubles],
    ) -> None: ...
    def again(self) -> None: ...
    def judge(self, most: Doubles, known: tuple[Bits, Doubles]) -> None: ...
    def forget(self) -> None: ...
    def guess(self, cycles: Ints, rows: Longs) -> Doubles: ...
    def solve(
        self, cycles: Ints, rows: Longs, busts: Doubles | None, next: Longs, status: Bytes
    ) -> tuple[int, int]: ...
