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
from .cost_estimates import SolveCost
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
class ValueTable:
    """Values at the positions between turns: named arrays, which nobody can change, and the bound of their error."""

    arrays: Arrays
    error_bound: float

    def __post_init__(self) -> None:
        for array in self.arrays.values():
            array.setflags(write=False)
        object.__setattr__(self, "arrays", MappingProxyType(dict(self.arrays)))

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **{**vars(self), "arrays": dict(self.arrays)}), ()


class MixedAction(NamedTuple):
    """Two turns, the best ones if a zero turn were worth ``low`` and ``high``, and how often the second is made."""

    share: float
    lower_zero_value: float
    upper_zero_value: float

    @property
    def is_mixed(self) -> bool:
        """Whether either of the two may be made."""
        return 0 < self.share < 1


class ArraySpec(NamedTuple):
    """What a solved array is: its shape, and the least and the greatest that it can hold, each one number or an array
    that fits.

    ``seats``: where it says what every seat gets, the axis of the seats: together they get 1, of a margin nothing, and
    where there is room for what cannot be, it holds 0. ``known``: all of it, where the question alone decides.
    """

    shape: tuple[int, ...]
    lower: Any = 0.0
    upper: Any = 1.0
    seat_axis: int | None = None
    fixed_values: NDArray[Any] | None = None

    @classmethod
    def fixed(cls, known: NDArray[Any]) -> ArraySpec:
        """Of one that the question decides."""
        return cls(known.shape, fixed_values=known)


@dataclass(frozen=True, eq=False)
class PartialValueTable(ValueTable):
    """Values of what can follow a position, and of nothing else."""

    position: Any


class SeatValues(NamedTuple):
    """What every seat gets from each of some positions: ``by_seat`` (positions, seats), each row no further than its
    entry of ``error_bound`` (positions,) from the true one. For ``turns``: the turns still to take.
    """

    values: Floats
    error_bounds: Floats


@dataclass(frozen=True)
class PositionListing(Generic[Position]):
    """Positions between turns, in order, and how many; ``ends`` says where a list ends that could go on for ever, and
    ``told`` whether it is the one position that was told.
    """

    count: int
    positions: Iterable[Position]
    truncation: str = ""
    is_single_position: bool = False


@dataclass(frozen=True)
class OddsSensitivity:
    """How advice fares when the odds are drawn anew from what the counts leave open.

    ``holds``: draws of ``draws`` in which the choice was the best; ``mean`` and ``most``: what it cost in a draw.
    """

    action: str
    draws: int
    holds: int
    mean: float
    most: float
    seed: int


class Problem(ABC, Generic[Position]):
    """A question that is solved: a game as it is played, with what is played for.

    Answers need what is abstract here; the rest has a default, which says what is so where a match has nothing to add.

    Attributes:
        seats: how many players the question is solved for, from and to.
        quick: whether it is solved faster than its table would be read, so that nobody keeps one.
        resumable: whether its solve takes long enough to be interrupted; spreads: whether a cluster solves its layers.
        on_demand: whether it is too large to be solved whole when a question is asked: only what can follow is.
        distributed: whether it knows every chance of its total.
    """

    player_range: ClassVar[tuple[int, int]] = (1, 1)
    is_quick: bool = False
    is_resumable: ClassVar[bool] = False
    is_distributable: bool = False
    solves_on_demand: bool = False
    has_distribution: ClassVar[bool] = False

    def __init__(self, playable: Table[Position]) -> None:
        self.playable = playable
        self.game, self.objective, self.players = playable.game, playable.objective, playable.players
        self.parameters: Mapping[str, int] = MappingProxyType(dict(playable.parameters))

    def __reduce__(self) -> tuple[Any, ...]:  # compiled anew
        return type(self), (self.playable,)

    @abstractmethod
    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve every position between turns; the result does not depend on the number of threads."""

    def solve_with_checkpoint(
        self, threads: int, progress: Progress, checkpoint: Checkpoint | None = None, cluster: Cluster | None = None
    ) -> ValueTable:
        """Solve to the same bits: if ``resumable`` on from a checkpoint's layers, if it ``spreads`` on a cluster."""
        return self.solve(threads, progress)

    def estimate_cost(self, threads: int) -> SolveCost:
        """Say roughly what solving takes, at once; of a match that nothing makes large, only its arrays."""
        return SolveCost(self.table_bytes, 0.0)

    @abstractmethod
    def array_specs(self) -> dict[str, ArraySpec]:
        """Every solved array by name."""

    @property
    def table_bytes(self) -> int:
        """Bytes of the solved arrays."""
        return 8 * sum(math.prod(one.shape) for one in self.array_specs().values())

    def seat_values(self, solved: ValueTable, positions: Sequence[Position]) -> SeatValues:
        """What every seat gets from positions in which a turn begins, dice are about to be thrown, or it is over: read
        from the tables where they tell it, else turn by turn.
        """
        found, bounds = np.zeros((len(positions), self.players)), np.full(len(positions), solved.error_bound)
        begun, inside = list[int](), list[int]()
        for number, position in enumerate(positions):
            if self.playable.outcome(position):
                found[number] = self.terminal_values(solved, position)
            else:
                (begun if self.has_state(solved, position) else inside).append(number)
        for numbers, asked in ((begun, self.state_values), (inside, self.turn_values)):
            if numbers:
                found[numbers], bounds[numbers] = asked(solved, [positions[number] for number in numbers])
        return SeatValues(found, bounds)

    def terminal_values(self, solved: ValueTable, position: Position) -> list[float]:
        """What every seat gets where it is over; no turns are left to take then."""
        if self.objective == "turns":
            return [0.0]
        return [float(-share if self.playable.fewer_is_better else share) for share in self.playable.outcome(position)]

    def has_state(self, solved: ValueTable, position: Position) -> bool:
        """Whether tables tell a position."""
        return self.playable.turn_begins(position)

    def state_values(self, solved: ValueTable, positions: Sequence[Position]) -> Found:
        """Worth of positions that tables tell."""
        raise NotImplementedError(self.objective)

    def turn_values(self, solved: ValueTable, positions: Sequence[Position]) -> Found:
        """Worth of the others, inside turns."""
        raise NotImplementedError(self.objective)

    def list_positions(self, told: Mapping[str, Any]) -> PositionListing[Position]:
        """The positions between turns that rows list; where too many are possible, the one that is ``told``."""
        return PositionListing(1, (self.playable.read(**told),), is_single_position=True)

    def stopping_points(self, solved: ValueTable, start: Position) -> int | None:
        """Points in hand from which it is best to stop in the turn that begins at ``start``; None where points have no
        part in how a turn goes on.
        """
        return None

    def max_stopping_points(self, solved: ValueTable) -> int | None:
        """Points in hand at which whole games may be cut: the largest ``cut`` of any turn."""
        return self.stopping_points(solved, self.playable.start())

    def extra_results(self, solved: ValueTable, position: Position) -> Mapping[str, Any]:
        """What else is told beside a position's value: of three and more the most that any seat gains at any position
        by leaving the play.
        """
        if self.players < 3:
            return {}
        told = solved.arrays.get("regret")
        return {"regret": 2 * solved.error_bound if told is None else float(told[0])}

    # --- where only what can follow a position is solved

    def empty_table(self) -> ValueTable:
        """What is known without solving: no arrays, and the bound."""
        return ValueTable({}, math.inf)

    def covers(self, solved: ValueTable, position: Position) -> bool:
        """Whether a position's answers are read from these values; a stored table may hold some positions only."""
        return True

    def follows(self, start: Position, position: Position) -> bool:
        """Whether the values that ``solve_from`` finds for ``start`` answer questions about a position too."""
        return True

    def estimate_cost_from(self, position: Position, threads: int) -> SolveCost:
        """Say roughly what ``solve_from`` takes; TooMuchError where the whole table is needed."""
        return self.estimate_cost(threads)

    def solve_from(self, position: Position, threads: int, progress: Progress) -> ValueTable:
        """Solve what can follow a position."""
        return self.solve(threads, progress)

    # --- whole turns

    def continuation_values(
        self, solved: ValueTable, starts: Sequence[Position], leads: Sequence[Any]
    ) -> Floats | None:
        """What every seat gets from ``leads`` in the turns that begin at ``starts``: (starts, leads, seats); None where
        nothing is won by asking about many turns in one question. Only where every throw leads to a choice.

        A lead is a position about to be thrown or a choice that ends the turn, as they stand in any turn of the same
        ``turn_key``; for ``turns`` the end of a turn is counted.
        """
        return None

    def mixed_action(self, solved: ValueTable, position: Position) -> MixedAction | None:
        """Which two turns are mixed in the turn that a position stands in: some movers are indifferent between two
        turns that differ for the others. None where the solved values tell the turn.
        """
        return None

    def with_drawn_actions(self, solved: ValueTable, second: bool) -> ValueTable:
        """The same values where every mover who mixes makes the second turn, or the first."""
        return solved

    def decision_values(self, solved: ValueTable, position: Position, leads: Sequence[Any]) -> Floats:
        """By what choices of the turn that a position stands in are made, once it is drawn; the mover's own gain cannot
        tell them apart. ``solved``: made by ``drawn``; ``leads``: as for ``inside``.
        """
        return np.zeros(len(leads))

    # --- what few games can tell

    def check_distribution(self) -> None:
        """Raise InputError where there is no distribution of the total."""
        if not self.has_distribution:
            known = [one for one in self.game.objectives if self._objective_has_distribution(one)]
            others = f"{' and '.join(known)} have one" if known else "only totals of so many turns have one"
            raise InputError(f"{self.game.id} has no distribution for the objective {self.objective}: {others}")

    def _objective_has_distribution(self, objective: str) -> bool:
        names = self.game.parts.matches.get(objective, ())
        return any(member(name).has_distribution for name in names)

    def distribution(
        self, solved: ValueTable, position: Position, progress: Progress = lambda done: None
    ) -> Distribution:
        """Return the distribution of what is still to come under the best play, if it is ``distributed``."""
        raise NotImplementedError(self.objective)

    def check_draws(self, draws: int) -> None:
        """Raise InputError where odds cannot be drawn so many times from counts behind them."""
        raise InputError(f"--draws is for odds estimated from counts; {self.game.id} has none")

    def odds_sensitivity(
        self, position: Position, action: str, draws: int, progress: Progress = lambda done: None
    ) -> OddsSensitivity:
        """Say how an action fares over draws of the odds, as ``check_draws`` allows them."""
        raise NotImplementedError(self.objective)


def group_by_key(keys: Iterable[Key]) -> dict[Key, list[int]]:
    """The places at which each key stands."""
    found: dict[Key, list[int]] = {}
    for place, key in enumerate(keys):
        found.setdefault(key, []).append(place)
    return found


def rotate_to_seats(mover: int, values: Sequence[float]) -> list[float]:
    """Values told from the mover on, by seat."""
    return [*values[len(values) - mover :], *values[: len(values) - mover]]
