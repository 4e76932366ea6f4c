"""What a match offers: values between turns, and what positions are worth. Answers rely on this and on nothing else.

A match stands above the game as it is played (``table``), which says what positions there are and what may be done in
them, and the compiled turn, which a kernel solves. What some matches offer beside it is declared here too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..checkpoints import Checkpoint
from ..distribution import Distribution
from ..play.table import Table
from .costs import Cost, table_bytes

if TYPE_CHECKING:
    from ..cluster import Cluster

Position = TypeVar("Position", bound=Hashable)
Floats = NDArray[np.float64]
Arrays = Mapping[str, NDArray[Any]]
Range = tuple[Any, Any]  # the least and the greatest value, each one number or an array that fits
Progress = Callable[[float], None]


@dataclass(frozen=True)
class Solved:
    """Values at the positions between turns: named arrays, which nobody can change, and the bound of their error."""

    arrays: Arrays
    error_bound: float

    def __post_init__(self) -> None:
        for array in self.arrays.values():
            array.setflags(write=False)
        object.__setattr__(self, "arrays", MappingProxyType(dict(self.arrays)))


@dataclass(frozen=True)
class Worth:
    """What every seat gets from each of some positions: ``by_seat`` (positions, seats), each row no further than its
    entry of ``error_bound`` (positions,) from the true one. For ``turns``: the turns still to take.
    """

    by_seat: Floats
    error_bound: Floats


@dataclass(frozen=True)
class Listing(Generic[Position]):
    """Positions between turns, in order, and how many; ``ends`` says where a list ends that could go on for ever, and
    ``told`` whether it is the one position that was told.
    """

    count: int
    positions: Iterable[Position]
    ends: str = ""
    told: bool = False


class Match(ABC, Generic[Position]):
    """A question that is solved: a game as it is played, with what is played for.

    ``seats``: how many players the question is solved for, from and to.
    """

    seats: ClassVar[tuple[int, int]] = (1, 1)

    def __init__(self, table: Table[Position]) -> None:
        self.table = table
        self.game, self.objective, self.players = table.game, table.objective, table.players
        self.parameters: Mapping[str, int] = MappingProxyType(dict(table.parameters))

    @abstractmethod
    def solve(self, threads: int, progress: Progress) -> Solved:
        """Solve every position between turns; the result does not depend on the number of threads."""

    def cost(self, threads: int) -> Cost:
        """Say roughly what solving takes, at once; of a match that nothing makes large, only its arrays."""
        return Cost(table_bytes(self.shapes()), 0.0)

    @abstractmethod
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every solved array."""

    @abstractmethod
    def ranges(self) -> dict[str, Range]:
        """The least and the greatest that each solved array can hold, those of ``axes`` aside."""

    def axes(self) -> dict[str, NDArray[Any]]:
        """The solved arrays that the question alone decides, such as the scores."""
        return {}

    @abstractmethod
    def worth(self, solved: Solved, positions: Sequence[Position]) -> Worth:
        """What every seat gets from positions in which a turn begins, dice are about to be thrown, or it is over."""

    @abstractmethod
    def positions(self, told: Mapping[str, Any]) -> Listing[Position]:
        """The positions between turns that rows list; where too many are possible, the one that is ``told``."""

    def cut(self, solved: Solved, start: Position) -> int | None:
        """Points in hand from which it is best to stop in the turn that begins at ``start``; None where points have no
        part in how a turn goes on.
        """
        return None

    def longest_cut(self, solved: Solved) -> int | None:
        """Points in hand at which whole games may be cut: the largest ``cut`` of any turn."""
        return self.cut(solved, self.table.start())

    def facts(self, solved: Solved, position: Position) -> Mapping[str, Any]:
        """What else is told beside a position's value."""
        return {}


@dataclass(frozen=True)
class Across:
    """How advice fares when the odds are drawn anew from what the counts leave open.

    ``holds``: draws of ``draws`` in which the choice was the best; ``mean`` and ``most``: what it cost in a draw.
    """

    action: str
    draws: int
    holds: int
    mean: float
    most: float
    seed: int


@runtime_checkable
class OnDemand(Protocol):
    """A match too large to be solved whole when a question is asked: only what can follow the position is."""

    def without_table(self) -> Solved:
        """Return no arrays, and the bound."""

    def holds(self, solved: Solved, position: Any) -> bool:
        """Whether a position's answers are read from these values; a stored table may hold some positions only."""

    def cost_from(self, position: Any, threads: int) -> Cost:
        """Say roughly what ``solve_from`` takes; TooMuchError where the whole table is needed."""

    def solve_from(self, position: Any, threads: int, progress: Progress) -> Solved:
        """Solve what can follow a position."""


@runtime_checkable
class Inside(Protocol):
    """A match that tells what whole turns are worth, many in one question, where every throw leads to a choice."""

    def inside(self, solved: Solved, starts: Sequence[Any], leads: Sequence[Any]) -> Floats:
        """What every seat gets from ``leads`` in the turns that begin at ``starts``: (starts, leads, seats).

        A lead is a position about to be thrown or a choice that ends the turn, as they stand in any turn of the same
        ``turn_key``; for ``turns`` the end of a turn is counted.
        """


@runtime_checkable
class Mixing(Inside, Protocol):
    """A match in which some movers mix two turns, as good as each other to them but not to the others."""

    def second(self, solved: Solved, position: Any) -> float:
        """How often the second of the two is made in the turn that a position stands in; 0 where nothing is mixed."""

    def drawn(self, solved: Solved, second: bool) -> Solved:
        """The same values where every mover who mixes makes the second turn, or the first."""

    def deciding(self, solved: Solved, position: Any, leads: Sequence[Any]) -> Floats:
        """By what choices of the turn that a position stands in are made, once it is drawn; the mover's own gain cannot
        tell them apart. ``solved``: made by ``drawn``; ``leads``: as for ``inside``.
        """


@runtime_checkable
class Distributed(Protocol):
    """A match that knows the whole distribution of its total."""

    def distribution(self, solved: Solved, position: Any, progress: Progress = lambda done: None) -> Distribution:
        """Return the distribution of what is still to come under the best play."""


@runtime_checkable
class Resumable(Protocol):
    """A match whose whole solve takes long enough to be interrupted."""

    resumable: bool

    def solve(self, threads: int, progress: Progress, checkpoint: Checkpoint | None = None) -> Solved:
        """Solve every position, going on from the checkpoint's layers."""


@runtime_checkable
class Spread(Protocol):
    """A match whose layers a cluster can solve."""

    spreads: bool

    def solve(
        self, threads: int, progress: Progress, checkpoint: Checkpoint | None = None, cluster: Cluster | None = None
    ) -> Solved:
        """Solve every position, the larger layers on a cluster; to the same bits."""


@runtime_checkable
class Uncertain(Protocol):
    """A match whose odds may be estimates, with counts behind them."""

    def across(self, position: Any, action: str, draws: int, progress: Progress = lambda done: None) -> Across:
        """Say how an action fares over draws of the odds from what the counts leave open."""


@runtime_checkable
class Quick(Protocol):
    """A match that is solved faster than its table would be read: it is not kept in the user's cache."""

    quick: bool


def by_seat(mover: int, values: Sequence[float]) -> list[float]:
    """Values told from the mover on, by seat."""
    return [*values[len(values) - mover :], *values[: len(values) - mover]]
