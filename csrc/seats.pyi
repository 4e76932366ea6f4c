from typing import Protocol

import numpy as np
from numpy.typing import NDArray

LANES: int
MOST_SEATS: int
OPEN: int
HOPELESS: int

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Doubles = NDArray[np.float64]
StopArrays = tuple[NDArray[np.generic], Doubles]

class Turn(Protocol):
    """A monotone turn; see ``keepwise.turns.monotone_turn``."""

class Race(Protocol):
    """The attributes of a race that the kernel reads; see ``seats_kernel.h``."""

    seats: int
    target: int
    points: Ints
    number: Ints
    counts: Ints
    caps: Ints
    ends: NDArray[np.uint64]
    may_pass: bool
    settled: tuple[float, float]
    widen: float
    certain: float

class SeatsKernel:
    def __init__(self, turn: Turn, race: Race, table: Doubles, past: Doubles | None, known: StopArrays) -> None: ...
    def again(self) -> None: ...
    def judge(self, most: Doubles, known: StopArrays) -> None: ...
    def forget(self) -> None: ...
    def guess(self, cycles: Ints, rows: Longs) -> Doubles: ...
    def solve(
        self, cycles: Ints, rows: Longs, busts: Doubles | None, next: Longs, status: Bytes
    ) -> tuple[int, int]: ...
