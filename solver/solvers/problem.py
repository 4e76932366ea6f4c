"""What a match offers: values between turns, and what positions are worth. Answers rely on this and on nothing else.

A match stands above the game as it is played (``table``), which says what positions there are and what may be done in
them, and the compiled turn, which a kernel solves.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..games.families import member
from ..play.table import Table
from ..storage.checkpoints import Checkpoint
from ..util.errors import InputError
from .cost_estimates import Cost
from .distribution import Distribution

if TYPE_CHECKING:
    from .cluster import Cluster

Position = TypeVar("Position", bound=Hashable)
Key = TypeVar("Key", bound=Hashable)
Floats = NDArray[np.float64]
Arrays = Mapping[str, NDArray[Any]]
Progress = Callable[[float], None]
Found: TypeAlias = tuple[Floats, "Floats | float"]  # what every seat gets (positions, seats), and the bounds of that


@dataclass(frozen=True, eq=False)
class Solved:
    """Values at the positions between turns: named arrays, which nobody can change, and the bound of their error."""

    arrays: Arrays
    error_bound: float

    def __post_init__(self) -> None:
        for array in self.arrays.values():
            array.setflags(write=False)
        object.__setattr__(self, "arrays", MappingProxyType(dict(self.arrays)))

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **{**vars(self), "arrays": dict(self.arrays)}), ()


class Mix(NamedTuple):
    """Two turns, the best ones if a zero turn were worth ``low`` and ``high``, and how often the second is made."""

    share: float
    low: float
    high: float

    @property
    def drawn(self) -> bool:
        """Whether either of the two may be made."""
        return 0 < self.share < 1


class Array(NamedTuple):
    """What a solved array is: its shape, and the least and the greatest that it can hold, each one number or an array
    that fits.

    ``seats``: where it says what every seat gets, the axis of the seats: together they get 1, of a margin nothing, and
    where there is room for what cannot be, it holds 0. ``known``: all of it, where the question alone decides.
    """

    shape: tuple[int, ...]
    least: Any = 0.0
    most: Any = 1.0
    seats: int | None = None
    known: NDArray[Any] | None = None

    @classmethod
    def given(cls, known: NDArray[Any]) -> Array:
        """Of one that the question decides."""
        return cls(known.shape, known=known)


@dataclass(frozen=True, eq=False)
class Following(Solved):
    """Values of what can follow a position, and of nothing else."""

    position: Any


class Worth(NamedTuple):
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


class Match(ABC, Generic[Position]):
    """A question that is solved: a game as it is played, with what is played for.

    Answers need what is abstract here; the rest has a default, which says what is so where a match has nothing to add.

    Attributes:
        seats: how many players the question is solved for, from and to.
        quick: whether it is solved faster than its table would be read, so that nobody keeps one.
        resumable: whether its solve takes long enough to be interrupted; spreads: whether a cluster solves its layers.
        on_demand: whether it is too large to be solved whole when a question is asked: only what can follow is.
        distributed: whether it knows every chance of its total.
    """

    seats: ClassVar[tuple[int, int]] = (1, 1)
    quick: bool = False
    resumable: ClassVar[bool] = False
    spreads: bool = False
    on_demand: bool = False
    distributed: ClassVar[bool] = False

    def __init__(self, table: Table[Position]) -> None:
        self.table = table
        self.game, self.objective, self.players = table.game, table.objective, table.players
        self.parameters: Mapping[str, int] = MappingProxyType(dict(table.parameters))

    def __reduce__(self) -> tuple[Any, ...]:  # compiled anew
        return type(self), (self.table,)

    @abstractmethod
    def solve(self, threads: int, progress: Progress) -> Solved:
        """Solve every position between turns; the result does not depend on the number of threads."""

    def solve_long(
        self, threads: int, progress: Progress, checkpoint: Checkpoint | None = None, cluster: Cluster | None = None
    ) -> Solved:
        """Solve to the same bits: if ``resumable`` on from a checkpoint's layers, if it ``spreads`` on a cluster."""
        return self.solve(threads, progress)

    def cost(self, threads: int) -> Cost:
        """Say roughly what solving takes, at once; of a match that nothing makes large, only its arrays."""
        return Cost(self.table_bytes, 0.0)

    @abstractmethod
    def arrays(self) -> dict[str, Array]:
        """Every solved array by name."""

    @property
    def table_bytes(self) -> int:
        """Bytes of the solved arrays."""
        return 8 * sum(math.prod(one.shape) for one in self.arrays().values())

    def worth(self, solved: Solved, positions: Sequence[Position]) -> Worth:
        """What every seat gets from positions in which a turn begins, dice are about to be thrown, or it is over: read
        from the tables where they tell it, else turn by turn.
        """
        found, bounds = np.zeros((len(positions), self.players)), np.full(len(positions), solved.error_bound)
        begun, inside = list[int](), list[int]()
        for number, position in enumerate(positions):
            if self.table.outcome(position):
                found[number] = self.over(solved, position)
            else:
                (begun if self.tabled(solved, position) else inside).append(number)
        for numbers, asked in ((begun, self.beginnings), (inside, self.thrown)):
            if numbers:
                found[numbers], bounds[numbers] = asked(solved, [positions[number] for number in numbers])
        return Worth(found, bounds)

    def over(self, solved: Solved, position: Position) -> list[float]:
        """What every seat gets where it is over; no turns are left to take then."""
        if self.objective == "turns":
            return [0.0]
        return [float(-share if self.table.fewer_is_better else share) for share in self.table.outcome(position)]

    def tabled(self, solved: Solved, position: Position) -> bool:
        """Whether tables tell a position."""
        return self.table.turn_begins(position)

    def beginnings(self, solved: Solved, positions: Sequence[Position]) -> Found:
        """Worth of positions that tables tell."""
        raise NotImplementedError(self.objective)

    def thrown(self, solved: Solved, positions: Sequence[Position]) -> Found:
        """Worth of the others, inside turns."""
        raise NotImplementedError(self.objective)

    def positions(self, told: Mapping[str, Any]) -> Listing[Position]:
        """The positions between turns that rows list; where too many are possible, the one that is ``told``."""
        return Listing(1, (self.table.read(**told),), told=True)

    def cut(self, solved: Solved, start: Position) -> int | None:
        """Points in hand from which it is best to stop in the turn that begins at ``start``; None where points have no
        part in how a turn goes on.
        """
        return None

    def longest_cut(self, solved: Solved) -> int | None:
        """Points in hand at which whole games may be cut: the largest ``cut`` of any turn."""
        return self.cut(solved, self.table.start())

    def facts(self, solved: Solved, position: Position) -> Mapping[str, Any]:
        """What else is told beside a position's value: of three and more the most that any seat gains at any position
        by leaving the play.
        """
        if self.players < 3:
            return {}
        told = solved.arrays.get("regret")
        return {"regret": 2 * solved.error_bound if told is None else float(told[0])}

    # --- where only what can follow a position is solved

    def without_table(self) -> Solved:
        """What is known without solving: no arrays, and the bound."""
        return Solved({}, math.inf)

    def holds(self, solved: Solved, position: Position) -> bool:
        """Whether a position's answers are read from these values; a stored table may hold some positions only."""
        return True

    def follows(self, start: Position, position: Position) -> bool:
        """Whether the values that ``solve_from`` finds for ``start`` answer questions about a position too."""
        return True

    def cost_from(self, position: Position, threads: int) -> Cost:
        """Say roughly what ``solve_from`` takes; TooMuchError where the whole table is needed."""
        return self.cost(threads)

    def solve_from(self, position: Position, threads: int, progress: Progress) -> Solved:
        """Solve what can follow a position."""
        return self.solve(threads, progress)

    # --- whole turns

    def inside(self, solved: Solved, starts: Sequence[Position], leads: Sequence[Any]) -> Floats | None:
        """What every seat gets from ``leads`` in the turns that begin at ``starts``: (starts, leads, seats); None where
        nothing is won by asking about many turns in one question. Only where every throw leads to a choice.

        A lead is a position about to be thrown or a choice that ends the turn, as they stand in any turn of the same
        ``turn_key``; for ``turns`` the end of a turn is counted.
        """
        return None

    def mix(self, solved: Solved, position: Position) -> Mix | None:
        """Which two turns are mixed in the turn that a position stands in: some movers are indifferent between two
        turns that differ for the others. None where the solved values tell the turn.
        """
        return None

    def drawn(self, solved: Solved, second: bool) -> Solved:
        """The same values where every mover who mixes makes the second turn, or the first."""
        return solved

    def deciding(self, solved: Solved, position: Position, leads: Sequence[Any]) -> Floats:
        """By what choices of the turn that a position stands in are made, once it is drawn; the mover's own gain cannot
        tell them apart. ``solved``: made by ``drawn``; ``leads``: as for ``inside``.
        """
        return np.zeros(len(leads))

    # --- what few games can tell

    def check_distribution(self) -> None:
        """Raise InputError where there is no distribution of the total."""
        if not self.distributed:
            known = [one for one in self.game.objectives if self._knows_totals(one)]
            others = f"{' and '.join(known)} have one" if known else "only totals of so many turns have one"
            raise InputError(f"{self.game.id} has no distribution for the objective {self.objective}: {others}")

    def _knows_totals(self, objective: str) -> bool:
        names = self.game.parts.matches.get(objective, ())
        return any(member(name).distributed for name in names)

    def distribution(self, solved: Solved, position: Position, progress: Progress = lambda done: None) -> Distribution:
        """Return the distribution of what is still to come under the best play, if it is ``distributed``."""
        raise NotImplementedError(self.objective)

    def check_draws(self, draws: int) -> None:
        """Raise InputError where odds cannot be drawn so many times from counts behind them."""
        raise InputError(f"--draws is for odds estimated from counts; {self.game.id} has none")

    def across(self, position: Position, action: str, draws: int, progress: Progress = lambda done: None) -> Across:
        """Say how an action fares over draws of the odds, as ``check_draws`` allows them."""
        raise NotImplementedError(self.objective)


def alike(keys: Iterable[Key]) -> dict[Key, list[int]]:
    """The places at which each key stands."""
    found: dict[Key, list[int]] = {}
    for place, key in enumerate(keys):
        found.setdefault(key, []).append(place)
    return found


def by_seat(mover: int, values: Sequence[float]) -> list[float]:
    """Values told from the mover on, by seat."""
    return [*values[len(values) - mover :], *values[: len(values) - mover]]
