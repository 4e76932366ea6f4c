from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

LANES: int
MAX_DICE: int

Ints = NDArray[np.int32]
Doubles = NDArray[np.float64]

class Rolls(Protocol):
    """The rolls of some dice; see ``hands_kernel.h``."""

    @property
    def class_of_roll(self) -> Ints: ...
    @property
    def best_points(self) -> Ints: ...

class Choices(Protocol):
    """The choices of the rolls of some dice at one level; see ``hands_kernel.h``."""

    @property
    def merged(self) -> Ints: ...
    @property
    def offer_mask(self) -> Ints: ...
    @property
    def offer_points(self) -> Ints: ...
    @property
    def choice_start(self) -> Ints: ...
    @property
    def choice(self) -> Ints: ...

class Lap(Protocol):
    """The turn points that some dice can be rolled with in a first lap; see ``hands_kernel.h``."""

    @property
    def points(self) -> Ints: ...
    @property
    def next_row(self) -> Ints: ...

class HandsKernel:
    def __init__(
        self, faces: int, rolls: Sequence[Rolls], choices: Sequence[Sequence[Choices]], laps: Sequence[Lap]
    ) -> None: ...
    def solve(
        self,
        weights: Doubles,
        is_alike: NDArray[np.uint8],
        min_bank: int,
        goal: float,
        max_rows: int,
        values: Doubles,
        bust_chances: Doubles,
        rows: NDArray[np.int64],
    ) -> None: ...
    def bound(
        self,
        weights: Doubles,
        is_alike: NDArray[np.uint8],
        min_bank: int,
        grid: Ints,
        max_rows: int,
        bounds: Doubles,
        bust_chances: Doubles,
        rows: NDArray[np.int64],
    ) -> None: ...
    def lap_bound(
        self,
        weights: Doubles,
        is_alike: NDArray[np.uint8],
        min_bank: int,
        goal: float,
        max_rows: int,
        excess: float,
        bounds: Doubles,
        rows: NDArray[np.int64],
    ) -> None: ...
