"""The contract of a solver: ``Problem``, its value table and the small records that its methods return.

A problem joins three things: the game as people play it (``playable``: positions, choices, rolls), an objective with a
number of players, and equations for the values between turns. Everything above the solvers (advice, rows, policies,
certificates, pages) uses the methods of ``Problem`` and nothing else of a family.

*Values.* A value belongs to a seat and a position, and is an expectation under optimal play of all seats. Its unit
depends on the objective:

=============  ======================================================================================================
``win``        probability to win, with ties as shares of a win; the seats add up to 1
``margin``     points that a winner gets from each loser, one for each point of difference; the seats add up to 0
``chips``      chips won from the pot minus chips still to be paid
``points``     points of one turn, round or game; one player
``rate``       points per turn in the long run; one player
``turns``      turns still to take until the target is reached; one player, and fewer are better
``reach``      probability to reach ``goal`` points within ``turns`` turns; one player
=============  ======================================================================================================

*Error bounds.* Every value comes with a bound: it differs from the true value by no more than that.
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
Progress = Callable[[float], None]  # called with the fraction that is done, from 0 to 1
ValuesAndBounds: TypeAlias = tuple[
    Floats, "Floats | float"
]  # values (positions, seats); error bounds (positions,), or one for all


@dataclass(frozen=True, eq=False)
class ValueTable:
    """Values at the positions between turns: named read-only arrays, and an error bound that holds for all of them.

    ``Problem.array_specs`` describes the arrays of a problem.
    """

    arrays: Arrays
    error_bound: float

    def __post_init__(self) -> None:
        for array in self.arrays.values():
            array.setflags(write=False)
        object.__setattr__(self, "arrays", MappingProxyType(dict(self.arrays)))

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **{**vars(self), "arrays": dict(self.arrays)}), ()


@dataclass(frozen=True, eq=False)
class PartialValueTable(ValueTable):
    """A value table of only those positions that can follow ``position``."""

    position: Any


class MixedAction(NamedTuple):
    """A random choice between two turns between which the mover is indifferent.

    Attributes:
        share: probability of the second turn.
        lower_zero_value: the first turn is optimal if a zero turn has this value.
        upper_zero_value: the second turn is optimal if a zero turn has this value.
    """

    share: float
    lower_zero_value: float
    upper_zero_value: float

    @property
    def is_mixed(self) -> bool:
        """Return True if both turns have a positive probability."""
        return 0 < self.share < 1


class ArraySpec(NamedTuple):
    """The shape and the range of one array of a value table, by which a loaded table is validated.

    Attributes:
        shape: the array's shape.
        lower: the smallest possible entry: a number, or an array that broadcasts to ``shape``.
        upper: the largest possible entry, likewise.
        seat_axis: the axis of the seats, if the entries are values of all seats. Along it they add up to 1 (for the
            margin to 0), or are all 0 where a state cannot occur.
        fixed_values: the whole array, if it follows from the problem without solving.
    """

    shape: tuple[int, ...]
    lower: Any = 0.0
    upper: Any = 1.0
    seat_axis: int | None = None
    fixed_values: NDArray[Any] | None = None

    @classmethod
    def fixed(cls, values: NDArray[Any]) -> ArraySpec:
        """Return the spec of an array that follows from the problem without solving."""
        return cls(values.shape, fixed_values=values)


class SeatValues(NamedTuple):
    """Values of all seats at some positions.

    Attributes:
        values: (positions, seats), in the unit of the objective.
        error_bounds: (positions,); no value of a row is further from the true one.
    """

    values: Floats
    error_bounds: Floats


@dataclass(frozen=True)
class PositionListing(Generic[Position]):
    """Positions between turns, in the order in which rows are printed.

    Attributes:
        count: the number of positions.
        positions: the positions; may be lazy, and is iterated once.
        truncation: a sentence for the reader if the list leaves positions out, else "".
        is_single_position: True if the list holds only the position that the caller described.
    """

    count: int
    positions: Iterable[Position]
    truncation: str = ""
    is_single_position: bool = False


@dataclass(frozen=True)
class OddsSensitivity:
    """Losses of one choice when the odds of the game are redrawn from the posterior of their counts.

    Attributes:
        action: the choice.
        draws: the number of redrawn odds.
        holds: the number of draws in which the choice is optimal.
        mean: mean loss of the choice over all draws.
        most: largest loss in any draw.
        seed: seed of the random numbers.
    """

    action: str
    draws: int
    holds: int
    mean: float
    most: float
    seed: int


class Problem(ABC, Generic[Position]):
    """A game with an objective, a number of players and parameters: the thing that is solved.

    A family implements ``solve``, ``array_specs``, ``state_values`` and ``turn_values``, and overrides further methods
    only if their defaults do not fit. In all methods ``solved`` is a value table that ``solve`` or ``solve_from``
    returned for this problem, or one loaded from a file.

    Attributes:
        player_range: the smallest and the largest number of players that the class solves.
        is_quick: solving is faster than loading a table, so no table is stored or cached.
        is_resumable: ``solve_with_checkpoint`` stores finished layers and resumes from them.
        is_distributable: ``solve_with_checkpoint`` can solve the blocks of a layer on a cluster.
        solves_on_demand: the complete table is too large, so ``solve_from`` is called for the position in question.
        has_distribution: ``distribution`` is implemented.
        playable: the game as people play it.
        game, objective, players, parameters: those of ``playable``.
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

    def __reduce__(self) -> tuple[Any, ...]:  # the copy compiles its turn again
        return type(self), (self.playable,)

    # --- solving

    @abstractmethod
    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Compute the values of all states: the positions between turns that can occur.

        Args:
            threads: number of threads. The result has the same bits for every number.
            progress: called with the fraction that is done.
        """

    def solve_with_checkpoint(
        self, threads: int, progress: Progress, checkpoint: Checkpoint | None = None, cluster: Cluster | None = None
    ) -> ValueTable:
        """Return the same table as ``solve``, bit for bit, in a solve that can be interrupted or distributed.

        Args:
            threads: number of threads on this machine.
            progress: called with the fraction that is done.
            checkpoint: finished layers are loaded from it and stored in it, if ``is_resumable``.
            cluster: blocks of a layer are solved there, if ``is_distributable``.
        """
        return self.solve(threads, progress)

    def estimate_cost(self, threads: int) -> SolveCost:
        """Return a rough estimate of memory and time of ``solve``, without solving; by default only the arrays."""
        return SolveCost(self.table_bytes, 0.0)

    @abstractmethod
    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the name, shape and range of every array of the value table."""

    @property
    def table_bytes(self) -> int:
        """The number of bytes in the arrays of the value table."""
        return 8 * sum(math.prod(spec.shape) for spec in self.array_specs().values())

    # --- values of positions

    def seat_values(self, solved: ValueTable, positions: Sequence[Position]) -> SeatValues:
        """Return the values of all seats at some positions.

        Terminal positions are evaluated by ``terminal_values``, states by ``state_values``, and chance positions
        inside a turn by ``turn_values``.

        Args:
            solved: the value table.
            positions: positions of any kind but decisions inside a turn, whose value is that of the best choice.
        """
        values, bounds = np.zeros((len(positions), self.players)), np.full(len(positions), solved.error_bound)
        states, inside = list[int](), list[int]()
        for number, position in enumerate(positions):
            if self.playable.outcome(position):
                values[number] = self.terminal_values(solved, position)
            else:
                (states if self.has_state(solved, position) else inside).append(number)
        for numbers, evaluate in ((states, self.state_values), (inside, self.turn_values)):
            if numbers:
                values[numbers], bounds[numbers] = evaluate(solved, [positions[number] for number in numbers])
        return SeatValues(values, bounds)

    def terminal_values(self, solved: ValueTable, position: Position) -> list[float]:
        """Return the values of all seats at a terminal position: its outcome, or 0 turns still to take."""
        if self.objective == "turns":
            return [0.0]
        return [float(-share if self.playable.fewer_is_better else share) for share in self.playable.outcome(position)]

    def has_state(self, solved: ValueTable, position: Position) -> bool:
        """Return True if ``state_values`` reads the position from the table; by default if a turn begins there."""
        return self.playable.turn_begins(position)

    def state_values(self, solved: ValueTable, positions: Sequence[Position]) -> ValuesAndBounds:
        """Return the values of positions that are states of the table.

        Returns:
            The values of all seats (positions, seats), and their error bounds (positions,) or one bound for all.
        """
        raise NotImplementedError(self.objective)

    def turn_values(self, solved: ValueTable, positions: Sequence[Position]) -> ValuesAndBounds:
        """Return the values of chance positions inside turns, as ``state_values`` does for states.

        Each turn is solved once more, with payoffs from the table.
        """
        raise NotImplementedError(self.objective)

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[Position]:
        """List the positions between turns that agree with the given fields.

        Args:
            fields: field values by name, as users enter them. By default they describe the only position that is
                listed; a family with few states lists all that agree.
        """
        return PositionListing(1, (self.playable.read(**fields),), is_single_position=True)

    def stopping_points(self, solved: ValueTable, start: Position) -> int | None:
        """Return the turn points from which the best choice is always to stop, in the turn that begins at ``start``.

        None if the choices of a turn do not depend on turn points.
        """
        return None

    def max_stopping_points(self, solved: ValueTable) -> int | None:
        """Return turn points at which every turn of the game may be cut off: the maximum of ``stopping_points``."""
        return self.stopping_points(solved, self.playable.start())

    def extra_results(self, solved: ValueTable, position: Position) -> Mapping[str, Any]:
        """Return results of a position besides its value, by their JSON key.

        With three and more players that is the ``regret``: the most that any seat can gain at any position by leaving
        the computed policies.
        """
        if self.players < 3:
            return {}
        regret = solved.arrays.get("regret")
        return {"regret": 2 * solved.error_bound if regret is None else float(regret[0])}

    # --- problems that are solved on demand, from one position

    def empty_table(self) -> ValueTable:
        """Return the table without any solved state, which a problem that ``solves_on_demand`` starts from."""
        return ValueTable({}, math.inf)

    def covers(self, solved: ValueTable, position: Position) -> bool:
        """Return True if ``solved`` holds all values that answers about ``position`` need.

        A stored table may hold only a part of the states.
        """
        return True

    def covers_from(self, start: Position, position: Position) -> bool:
        """Return True if the table of ``solve_from(start)`` would also cover ``position``."""
        return True

    def estimate_cost_from(self, position: Position, threads: int) -> SolveCost:
        """Return a rough estimate of memory and time of ``solve_from``.

        Raises:
            TooMuchError: the position can only be answered from the complete table.
        """
        return self.estimate_cost(threads)

    def solve_from(self, position: Position, threads: int, progress: Progress) -> ValueTable:
        """Compute the values of the states that can follow a position; by default of all states."""
        return self.solve(threads, progress)

    # --- whole turns, and mixed actions

    def continuation_values(
        self, solved: ValueTable, starts: Sequence[Position], continuations: Sequence[Any]
    ) -> Floats | None:
        """Return the values of the same continuations in many turns at once.

        Implemented only for games in which every roll leads to a decision.

        Args:
            solved: the value table.
            starts: positions in which turns begin, all with the same ``playable.turn_key``.
            continuations: chance positions inside the turn, or choices that end it, as they are in any of the turns.
                For the objective ``turns`` the end of a turn counts as one turn.

        Returns:
            Values (starts, continuations, seats), or None if the problem has no faster way than ``seat_values``.
        """
        return None

    def mixed_action(self, solved: ValueTable, position: Position) -> MixedAction | None:
        """Return the mixed action of the turn that contains ``position``, or None if that turn is pure.

        Only races of three or more players have mixed actions. A mover who is indifferent between two actions with
        different payoffs for the opponents may have to randomize.
        """
        return None

    def with_drawn_actions(self, solved: ValueTable, second: bool) -> ValueTable:
        """Return the table in which every mixed action is replaced by its second turn, or by its first."""
        return solved

    def decision_values(self, solved: ValueTable, position: Position, continuations: Sequence[Any]) -> Floats:
        """Return the numbers that decide between continuations once the mixed action has been drawn.

        The mover's own values are equal there. So the turn is evaluated as if a zero turn had the value for which the
        drawn turn is optimal.

        Args:
            solved: a table of ``with_drawn_actions``.
            position: a position inside the turn.
            continuations: as for ``continuation_values``.

        Returns:
            One number for each continuation; the largest is played.
        """
        return np.zeros(len(continuations))

    # --- distributions and uncertain odds

    def require_distribution(self) -> None:
        """Raise InputError if ``distribution`` is not implemented; the message names the objectives that have one."""
        if not self.has_distribution:
            objectives = [name for name in self.game.objectives if self._objective_has_distribution(name)]
            hint = f"{' and '.join(objectives)} have one" if objectives else "only totals of so many turns have one"
            raise InputError(f"{self.game.id} has no distribution for the objective {self.objective}: {hint}")

    def _objective_has_distribution(self, objective: str) -> bool:
        names = self.game.parts.matches.get(objective, ())
        return any(member(name).has_distribution for name in names)

    def distribution(
        self, solved: ValueTable, position: Position, progress: Progress = lambda fraction: None
    ) -> Distribution:
        """Return the distribution of the points still to come under optimal play, if ``has_distribution``."""
        raise NotImplementedError(self.objective)

    def validate_draws(self, draws: int) -> None:
        """Raise InputError if the odds of the game cannot be redrawn ``draws`` times.

        Only odds that were estimated from counts can be redrawn.
        """
        raise InputError(f"--draws is for odds estimated from counts; {self.game.id} has none")

    def odds_sensitivity(
        self, position: Position, action: str, draws: int, progress: Progress = lambda fraction: None
    ) -> OddsSensitivity:
        """Return the losses of an action over ``draws`` redrawn odds; ``validate_draws`` says if that is possible."""
        raise NotImplementedError(self.objective)


def group_by_key(keys: Iterable[Key]) -> dict[Key, list[int]]:
    """Return the indices of every key, in the order of first occurrence."""
    indices: dict[Key, list[int]] = {}
    for index, key in enumerate(keys):
        indices.setdefault(key, []).append(index)
    return indices


def rotate_to_seats(mover: int, values: Sequence[float]) -> list[float]:
    """Return values that are ordered from the mover on, ordered by seat."""
    return [*values[len(values) - mover :], *values[: len(values) - mover]]
