from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

LANES: int
MOST_SEATS: int
UNSETTLED: int
HOPELESS: int

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Doubles = NDArray[np.float64]
StopArrays = tuple[NDArray[np.generic], Doubles]

class Turn(Protocol):
    """A monotone turn; see ``keepwise.turns.monotone_turn``."""

class SeatRules(Protocol):
    """The attributes of a seat's rules that the kernel reads; see ``seats_kernel.h``."""

    target: int
    score_totals: Ints
    score_numbers: Ints
    min_bank: Ints
    cap: Ints
    always_stop: NDArray[np.uint64]
    can_pass: bool
    stop_tolerance: float

class Race(Protocol):
    """The attributes of a race that the kernel reads; see ``seats_kernel.h``."""

    seats: int
    tolerances: tuple[float, float]
    response_margin: float

class RaceSeat:
    def __init__(
        self, turn: Turn, rules: SeatRules, table: Doubles, stops: StopArrays, first_entry: int = 0
    ) -> None: ...

class SeatsKernel:
    def __init__(self, race: Race, seats: Sequence[RaceSeat], past: Doubles | None = None) -> None: ...
    def start_from_table(self) -> None: ...
    def bound_best_responses(self, bounds: Doubles, stops: Sequence[StopArrays]) -> None: ...
    def forget_certain_stops(self) -> None: ...
    def guess_zero_values(self, cycles: Ints, rows: Longs) -> Doubles: ...
    def solve(
        self, cycles: Ints, rows: Longs, zero_values: Doubles | None, next: Longs, status: Bytes
    ) -> tuple[int, int]: ...
