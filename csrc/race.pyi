from typing import Protocol

import numpy as np
from numpy.typing import NDArray

LANES: int
MOST_MODES: int
UNSETTLED: int
HOPELESS: int
LOOSE: int

class Turn(Protocol):
    """A monotone turn; see ``keepwise.turns.monotone_turn``."""

class States(Protocol):
    """Arrays with one number for every state; see ``race_kernel.h``."""

    @property
    def total(self) -> NDArray[np.int32]: ...
    @property
    def column(self) -> NDArray[np.int32]: ...
    @property
    def bust_column(self) -> NDArray[np.int32]: ...
    @property
    def wipe_column(self) -> NDArray[np.int32]: ...
    @property
    def bust_count(self) -> NDArray[np.int32]: ...
    @property
    def min_bank(self) -> NDArray[np.int32]: ...
    @property
    def cap(self) -> NDArray[np.int32]: ...
    @property
    def last_total(self) -> NDArray[np.int32]: ...
    @property
    def next_state(self) -> NDArray[np.int32]: ...
    @property
    def max_takeover(self) -> NDArray[np.int32]: ...
    @property
    def has_score(self) -> NDArray[np.int32]: ...

class Race(Protocol):
    """The attributes of a race, as one player sees it, that the kernel reads; see ``RaceSide``."""

    @property
    def states(self) -> States: ...

    pay: NDArray[np.float64]
    gap: NDArray[np.float64]
    slope: NDArray[np.float64] | None
    takeover: NDArray[np.float64] | None
    certain_stops: tuple[NDArray[np.generic], NDArray[np.float64]]
    always_stop: NDArray[np.uint64]
    stop_tolerance: float
    max_cap: int
    can_pass: bool

class RaceSide:
    def __init__(self, turn: Turn, race: Race) -> None: ...

class RaceKernel:
    def __init__(
        self, units: tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]], *sides: RaceSide
    ) -> None: ...
    @property
    def failed(self) -> tuple[int, int] | None: ...
    def restart(
        self, tolerances: tuple[float, float], margins: tuple[float, float], no_gaps: bool, prune_choices: bool
    ) -> None: ...
    def solve(self, last: int) -> tuple[int, int]: ...
