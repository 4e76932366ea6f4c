import numpy as np
from numpy.typing import NDArray

LANES: int
ZERO: int

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

class WholePush:
    def __init__(
        self,
        *,
        specials: int,
        start: int,
        forbid: bool,
        passes: int,
        group_start: Ints,
        order: Ints,
        bank: Ints,
        bank_from: Ints,
        most: Ints,
        throw_start: Ints,
        class_start: Ints,
        total: Longs,
        weight: Longs,
        choice_start: Ints,
        next: Ints,
        add: Ints,
        keeps: Ints,
    ) -> None: ...
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
    def __init__(
        self,
        *,
        throws: int,
        child: Ints,
        parent_start: Ints,
        parent: Ints,
        weight: Longs,
        gain: Longs,
        shift: Ints,
    ) -> None: ...
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
