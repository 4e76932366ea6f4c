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
``beat``       probability to end above an opponent who plays for the most points, a tie as half; one player
=============  ======================================================================================================

*Error bounds.* Every value comes with a bound: it differs from the true value by no more than that.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..games.families import load_member
from ..play.playable_game import Choice, PlayableGame
from ..storage.checkpoints import Checkpoint
from ..util.errors import InputError, list_alternatives
from ..util.progress_reporting import ProgressCallback
from .distribution import Distribution
from .solve_costs import SolveCost

if TYPE_CHECKING:
    from .cluster import Cluster
    from .turn_choices import TurnChoices

Position = TypeVar("Position", bound=Hashable)
Key = TypeVar("Key", bound=Hashable)
Floats = NDArray[np.float64]
Arrays = Mapping[str, NDArray[Any]]
# Values (positions, seats); and their error bounds (positions,), or one bound for all.
ValuesAndBounds: TypeAlias = tuple[Floats, "Floats | float"]

BYTES_PER_NUMBER = 8  # of a value table: float64 or int64


@dataclass(frozen=True, eq=False)
class ValueTable:
    """Values at the positions between turns: named read-only arrays, and an error bound that holds for all of them.

    Attributes:
        arrays: the arrays by name. ``Problem.array_specs`` describes those of a problem.
        error_bound: no value in the arrays is further from the true one.
    """

    arrays: Arrays
    error_bound: float

    def __post_init__(self) -> None:
        """Make the arrays and the mapping that holds them read-only, since threads and answers share them."""
        for array in self.arrays.values():
            array.setflags(write=False)
        object.__setattr__(self, "arrays", MappingProxyType(dict(self.arrays)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arrays in a plain dict, because a mapping proxy cannot be pickled."""
        fields = {**vars(self), "arrays": dict(self.arrays)}
        return partial(type(self), **fields), ()


@dataclass(frozen=True, eq=False)
class PartialValueTable(ValueTable):
    """A value table that holds only the states that can follow one position.

    Attributes:
        position: that position.
    """

    position: Any


class MixedAction(NamedTuple):
    """A random choice between two ways to play a turn, here called two turns, between which the mover is indifferent.

    Which turn is optimal depends on the value of a zero turn, the *zero value*. Each of the two is stored as a zero
    value for which it is optimal. At the true zero value both are, and rounding would decide between them.

    Attributes:
        upper_probability: the probability of the upper turn.
        lower_zero_value: a zero value for which the lower turn is optimal.
        upper_zero_value: a zero value for which the upper turn is optimal.
    """

    upper_probability: float
    lower_zero_value: float
    upper_zero_value: float

    @property
    def has_two_turns(self) -> bool:
        """Return True if the zero values stand for two turns. For one pure turn the same value is stored twice."""
        return self.lower_zero_value != self.upper_zero_value

    @property
    def is_mixed(self) -> bool:
        """Return True if both turns have a positive probability."""
        return 0 < self.upper_probability < 1


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
    """Losses of one choice if the odds of the game, which were estimated from counts, were different.

    Odds are redrawn at random from their posterior distribution given the counts.

    Attributes:
        action: the choice, in words.
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
    only if their defaults do not fit. In all methods ``value_table`` is a value table that ``solve`` or ``solve_from``
    returned for this problem, or one loaded from a file.

    Attributes:
        player_range: the smallest and the largest number of players that the class solves.
        value_span: the words after a value at the start of a turn if it is that of one turn or frame: " a turn".
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
    value_span: str = ""

    def __init__(self, playable: PlayableGame[Position]) -> None:
        """Keep the game as people play it, with its objective, number of players and parameters."""
        self.playable = playable
        self.game = playable.game
        self.objective = playable.objective
        self.players = playable.players
        self.parameters: Mapping[str, int] = MappingProxyType(dict(playable.parameters))

    def __reduce__(self) -> tuple[Any, ...]:  # the copy compiles its turn again
        return type(self), (self.playable,)

    def value_span_at(self, position: Position) -> str:
        """Return ``value_span`` if a turn begins in a position, else ""."""
        return self.value_span if self.playable.is_turn_start(position) else ""

    # --- solving

    @abstractmethod
    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Compute the values of all states: the positions between turns that can occur.

        Problems that take no noticeable time, or whose positions are solved on demand, use neither argument.

        Args:
            threads: number of threads. The result has the same bits for every number.
            progress: called with the fraction that is done.

        Raises:
            InputError: the problem cannot be solved under these rules.
            SolveError: an iteration does not converge.
        """

    def solve_with_checkpoint(
        self,
        threads: int,
        progress: ProgressCallback,
        checkpoint: Checkpoint | None = None,
        cluster: Cluster | None = None,
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
        """Return a rough estimate of the memory and time of ``solve``; by default the bytes of the arrays and no time.

        Args:
            threads: the number of threads that solve.
        """
        return SolveCost(bytes=self.table_bytes, seconds=0.0)

    @abstractmethod
    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the name, shape and range of every array of the value table."""

    @property
    def table_bytes(self) -> int:
        """The number of bytes in the arrays of the value table."""
        number_count = sum(math.prod(spec.shape) for spec in self.array_specs().values())
        return BYTES_PER_NUMBER * number_count

    # --- values of positions

    def seat_values(self, value_table: ValueTable, positions: Sequence[Position]) -> SeatValues:
        """Return the values of all seats at some positions.

        Terminal positions are evaluated by ``terminal_values``, states by ``state_values``, and chance positions
        inside a turn by ``turn_values``: one call for all states, and one for all positions inside turns.

        Args:
            value_table: the value table.
            positions: positions of any kind but decisions inside a turn. The value of such a decision is the value of
                the position that its best choice leads to.
        """
        values = np.zeros((len(positions), self.players))
        bounds = np.full(len(positions), value_table.error_bound)
        state_indices = list[int]()
        inner_indices = list[int]()
        for index, position in enumerate(positions):
            is_over = bool(self.playable.payoffs(position))  # payoffs are empty until the game is over
            if is_over:
                values[index] = self.terminal_values(value_table, position)
            elif self.has_state(value_table, position):
                state_indices.append(index)
            else:
                inner_indices.append(index)
        if state_indices:
            states = [positions[index] for index in state_indices]
            values[state_indices], bounds[state_indices] = self.state_values(value_table, states)
        if inner_indices:
            inner_positions = [positions[index] for index in inner_indices]
            values[inner_indices], bounds[inner_indices] = self.turn_values(value_table, inner_positions)
        return SeatValues(values, bounds)

    def terminal_values(self, value_table: ValueTable, position: Position) -> list[float]:
        """Return the values of all seats at a terminal position: its outcome, or 0 turns still to take.

        If fewer points are better, outcomes are negative, and the values are their absolute values.

        Args:
            value_table: the value table.
            position: a position in which the game is over.
        """
        if self.objective == "turns":
            return [0.0]
        outcome = self.playable.payoffs(position)
        if self.playable.fewer_is_better:
            return [float(-payoff) for payoff in outcome]
        return [float(payoff) for payoff in outcome]

    def has_state(self, value_table: ValueTable, position: Position) -> bool:
        """Return True if the value table holds the value of a position; by default if a turn begins there.

        ``state_values`` then reads it. Values of other positions are computed by ``turn_values``.
        """
        return self.playable.is_turn_start(position)

    def state_values(self, value_table: ValueTable, positions: Sequence[Position]) -> ValuesAndBounds:
        """Return the values of positions that are states of the table.

        Args:
            value_table: the value table.
            positions: positions for which ``has_state`` is true.

        Returns:
            The values of all seats (positions, seats), and their error bounds (positions,) or one bound for all.
        """
        raise NotImplementedError(self.objective)

    def turn_values(self, value_table: ValueTable, positions: Sequence[Position]) -> ValuesAndBounds:
        """Return the values of chance positions inside turns.

        The table holds only values between turns, so each turn is solved once more with payoffs from the table.

        Args:
            value_table: the value table.
            positions: positions in which dice have to be rolled and for which ``has_state`` is false.

        Returns:
            The values of all seats (positions, seats), and their error bounds (positions,) or one bound for all.
        """
        raise NotImplementedError(self.objective)

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[Position]:
        """List the positions between turns that agree with the given fields.

        Args:
            fields: field values by name, as users enter them. By default they describe the only position that is
                listed; a family with few states lists all that agree.
        """
        return PositionListing(1, (self.playable.position(**fields),), is_single_position=True)

    def stopping_points(self, value_table: ValueTable, start: Position) -> int | None:
        """Return the turn points from which on the best choice in a turn is always to stop.

        Args:
            value_table: the value table.
            start: the position in which the turn begins.

        Returns:
            The number of turn points, or None if the choices of a turn do not depend on turn points.
        """
        return None

    def max_stopping_points(self, value_table: ValueTable) -> int | None:
        """Return turn points at which every turn of the game may be cut off: the maximum of ``stopping_points``."""
        return self.stopping_points(value_table, self.playable.start())

    def extra_results(self, value_table: ValueTable, position: Position) -> Mapping[str, Any]:
        """Return results of a position besides its value, by their JSON key.

        With three and more players that is the ``regret``: the most that any seat can gain at any position by leaving
        the computed policies. It is stored in the table, if the solver computes best responses. If not, the policies
        are optimal up to rounding: their values and those of a best response differ by at most two error bounds.

        Args:
            value_table: the value table.
            position: the position.
        """
        if self.players < 3:
            return {}
        stored_regret = value_table.arrays.get("regret")
        if stored_regret is not None:
            return {"regret": float(stored_regret.item())}
        return {"regret": 2 * value_table.error_bound}

    # --- problems that are solved on demand, from one position

    def empty_table(self) -> ValueTable:
        """Return the table without any solved state, which a problem that ``solves_on_demand`` starts from."""
        return ValueTable({}, math.inf)

    def covers(self, value_table: ValueTable, position: Position) -> bool:
        """Return True if ``value_table`` holds all values that answers about ``position`` need.

        A value table of a problem that ``solves_on_demand`` may hold only a part of the states.
        """
        return True

    def covers_from(self, start: Position, position: Position) -> bool:
        """Return True if the table that ``solve_from(start)`` returns would hold all values that ``position`` needs."""
        return True

    def holds_end(self, start: Position, position: Position) -> bool:
        """Return True if the table of ``solve_from(start)`` holds the value of a position that the turn may end in.

        It need not hold the values of the choices that follow. By default nobody reads such a value from that table.
        """
        return False

    def estimate_cost_from(self, position: Position, threads: int) -> SolveCost:
        """Return a rough estimate of the memory and time of ``solve_from``.

        Args:
            position: the position from which is solved.
            threads: the number of threads that solve.

        Raises:
            TooMuchError: the position can only be answered from the complete table.
        """
        return self.estimate_cost(threads)

    def solve_from(self, position: Position, threads: int, progress: ProgressCallback) -> ValueTable:
        """Return a value table of the states that can follow a position; by default of all states.

        Args:
            position: the position.
            threads: number of threads. The result has the same bits for every number.
            progress: called with the fraction that is done.
        """
        return self.solve(threads, progress)

    # --- whole turns, and mixed actions

    def continuation_values(
        self, value_table: ValueTable, starts: Sequence[Position], continuations: Sequence[Any]
    ) -> Floats | None:
        """Return the values of the same continuations in many turns at once.

        A continuation is a roll or a choice inside a turn. Turns that offer the same choices share their continuations,
        and only what their endings pay differs. Implemented only for games in which every roll leads to a decision.

        Args:
            value_table: the value table.
            starts: positions in which turns begin, all with the same ``playable.turn_key``: turns that begin there
                offer the same choices.
            continuations: chance positions inside the turn, or choices that end it, as they are in any of the turns.
                For the objective ``turns`` the end of a turn counts as one turn.

        Returns:
            Values (starts, continuations, seats), or None if the problem has no faster way than ``seat_values``.
        """
        return None

    def turn_choices(
        self, value_table: ValueTable, starts: Sequence[Position], is_before_roll: bool
    ) -> TurnChoices | None:
        """Return all choices of some turns at once, with their values, if that is faster than a walk through a turn.

        The values and bounds have the same bits as those of ``seat_values``.

        Args:
            value_table: the value table.
            starts: positions in which turns begin, all with the same ``playable.turn_key``.
            is_before_roll: True for the decisions before a roll, False for those after one.

        Returns:
            The choices, or None if the problem has no faster way.
        """
        return None

    def mixed_action(self, value_table: ValueTable, position: Position) -> MixedAction | None:
        """Return the mixed action of the turn that contains ``position``, or None if nothing is drawn there.

        Only races of three or more players have mixed actions. Two ways to play a turn may be equally good for the
        mover and differ for the opponents. In equilibrium the mover may then have to choose between them at random.
        """
        return None

    def with_pure_actions(self, value_table: ValueTable, upper: bool) -> ValueTable:
        """Return a table without mixed actions: each is replaced by one of its two turns.

        Args:
            value_table: the value table.
            upper: True for the upper turn of every mixed action, False for the lower one.
        """
        return value_table

    def decision_values(self, value_table: ValueTable, position: Position, continuations: Sequence[Any]) -> Floats:
        """Return the numbers by which the mover decides between continuations of a turn that was drawn at random.

        A mixed action draws one of two turns. To the mover both have equal values, so values cannot decide between
        them. The continuations are evaluated for the zero value that is stored with the drawn turn, for which this turn
        is optimal (see ``MixedAction``). Zeros by default, for problems without mixed actions, where no caller needs
        them.

        Args:
            value_table: a table from ``with_pure_actions``, without mixed actions.
            position: a position inside the turn.
            continuations: chance positions inside the turn, or choices that end it.

        Returns:
            One number for each continuation; the largest is played.
        """
        return np.zeros(len(continuations))

    # --- distributions and uncertain odds

    def require_distribution(self) -> None:
        """Raise InputError if ``distribution`` is not implemented; the message names the objectives that have one."""
        if self.has_distribution:
            return
        objectives = [name for name in self.game.objectives if self._objective_has_distribution(name)]
        hint = "only the objective points has one, in games where no player decides when a turn ends"
        if objectives:
            hint = f"use {list_alternatives(objectives)}"
        raise InputError(f"{self.game.id} has no distribution for the objective {self.objective}: {hint}")

    def _objective_has_distribution(self, objective: str) -> bool:
        """Return True if a problem class of this game and objective implements ``distribution``."""
        class_names = self.game.parts.problem_classes.get(objective, ())
        return any(load_member(name).has_distribution for name in class_names)

    def distribution(
        self, value_table: ValueTable, position: Position, progress: ProgressCallback = lambda fraction: None
    ) -> Distribution:
        """Return the distribution of the points still to come under optimal play.

        Only problems whose ``has_distribution`` is true implement it.

        Args:
            value_table: the value table.
            position: the position from which points are counted.
            progress: called with the fraction that is done.

        Raises:
            InputError: the position is a decision inside a turn.
        """
        raise NotImplementedError(self.objective)

    def validate_draws(self, draws: int) -> None:
        """Raise InputError if the odds of the game cannot be redrawn ``draws`` times.

        Only odds that were estimated from counts can be redrawn.
        """
        raise InputError(f"--draws requires odds estimated from counts; {self.game.id} has none")

    def odds_sensitivity(
        self, position: Position, choice: Choice[Any], draws: int, progress: ProgressCallback = lambda fraction: None
    ) -> OddsSensitivity:
        """Return the losses of a choice if the odds of the game are redrawn; see ``OddsSensitivity``.

        Call ``validate_draws`` first, which refuses games whose odds cannot be redrawn.

        Args:
            position: the decision position.
            choice: a choice in the position.
            draws: how often odds are redrawn.
            progress: called with the fraction that is done.
        """
        raise NotImplementedError(self.objective)


def group_by_key(keys: Iterable[Key]) -> dict[Key, list[int]]:
    """Return the indices of every key, in the order of first occurrence: ``a b a`` gives ``{a: [0, 2], b: [1]}``."""
    indices: dict[Key, list[int]] = {}
    for index, key in enumerate(keys):
        indices.setdefault(key, []).append(index)
    return indices


def rotate_to_seats(mover: int, values: Sequence[float]) -> list[float]:
    """Return values that are ordered from the mover on, ordered by seat.

    With mover 1 of three players, the values of seats 1, 2, 0 become those of seats 0, 1, 2.

    Args:
        mover: the seat of the first value.
        values: one value for each player.
    """
    seat_0 = len(values) - mover  # the index of the value of seat 0; the number of players if the mover is seat 0
    return [*values[seat_0:], *values[:seat_0]]
