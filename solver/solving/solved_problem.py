"""A solved problem: a problem, its value table, and where the table came from.

Everything that answers questions, evaluates policies or prints sheets is built on this class. The public class
``keepwise.api.Solution`` derives from it and adds methods for all of that.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ..games import Game
from ..play.playable_game import PlayableGame
from ..solvers import Problem, ValueTable
from ..solvers.solve_costs import (
    SolveCost,
    announce_cost,
    explain_memory_error,
    refuse_excessive_cost,
    sequential_cost,
)
from ..storage import table_files
from ..util.arguments import validate_arguments
from ..util.errors import InputError, abbreviate, argument
from ..util.progress_reporting import ProgressCallback

Self = TypeVar("Self", bound="SolvedProblem")


@dataclass(frozen=True, eq=False)
class SolvedProblem:
    """A problem with its value table and the table's source.

    If the problem is solved on demand, the table may hold only a part of its states. Solves of further parts, one for
    each position in question, are *partial solves*.

    Attributes:
        problem: the problem.
        value_table: the values of its states, with their error bound.
        source: where the values came from: "shipped", "cache", "solved", or the path of a file.
        engine: name and version of the program that solved it.
        anyway: answers may take more than an hour or 8 GiB.
        keeps_all_tables: the tables of all partial solves are kept, not only the last one (see ``value_table_for``).
    """

    problem: Problem[Any] = field(repr=False)
    value_table: ValueTable = field(repr=False)
    source: str
    engine: str
    anyway: bool = field(default=False, repr=False)
    keeps_all_tables: bool = field(default=False, repr=False)
    _recent_tables: list[ValueTable] = field(default_factory=list, repr=False, compare=False)

    @property
    def game(self) -> Game:
        """The game with its rule set."""
        return self.problem.game

    @property
    def error_bound(self) -> float:
        """No value is further than this from the true value."""
        return self.value_table.error_bound

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the problem."""
        return table_files.fingerprint(self.problem.playable.problem_key)

    @property
    def head(self) -> dict[str, Any]:
        """The data that every answer carries: the problem, error bound, fingerprint and engine."""
        return {
            **self.problem.playable.problem_key,
            "error_bound": self.error_bound,
            "fingerprint": self.fingerprint,
            "engine": self.engine,
        }

    @property
    def playable(self) -> PlayableGame[Any]:
        """The game as it is played: positions, choices, rolls (see ``keepwise.play``)."""
        return self.problem.playable

    @validate_arguments
    def value_table_for(
        self, position: Any, threads: int | None = None, progress: ProgressCallback = lambda share: None
    ) -> ValueTable:
        """Return a value table that covers a position and all that can follow it.

        Some problems are too large to be solved completely without a request. For these the states that can follow the
        position are solved now, unless a recent solve covers them. The last such table is kept.

        Args:
            position: the position.
            threads: number of threads; None for one per processor.
            progress: called with the share that is done.

        Raises:
            TooMuchError: that would take more than an hour or 8 GiB, and ``anyway`` is false.
        """
        known_table = self._covering_table(position)
        if known_table is not None:
            return known_table
        threads = threads or cpu_count()
        cost = self._cost_from(position, threads)
        announce_cost(self._task_name, cost, faster_objective_hint(self.problem))
        with explain_memory_error(self._task_name, cost):
            value_table = self.problem.solve_from(position, threads, progress)
        kept_tables = self._recent_tables if self.keeps_all_tables else []
        self._recent_tables[:] = [*kept_tables, value_table]
        return value_table

    def _covering_table(self, position: Any) -> ValueTable | None:
        """Return the first known table that covers a position and all that can follow it, or None."""
        for value_table in (self.value_table, *self._recent_tables):
            if self.problem.covers(value_table, position):
                return value_table
        return None

    @validate_arguments
    def with_all_tables_kept(self: Self) -> Self:
        """Return a copy that keeps the tables of all partial solves, so that nothing is solved twice."""
        return replace(self, keeps_all_tables=True, _recent_tables=[*self._recent_tables])

    @validate_arguments
    def estimate_cost(self, positions: Iterable[Any], threads: int | None = None) -> SolveCost:
        """Return the estimated cost of answers about positions, in their order, if the table of every solve is kept.

        A position costs nothing if a known table covers it, or if the table of an earlier position would.

        Args:
            positions: the positions.
            threads: number of threads; None for one per processor.

        Raises:
            TooMuchError: one partial solve would take more than an hour or 8 GiB, and ``self.anyway`` is false. The sum
                is not limited.
        """
        threads = threads or cpu_count()
        solved_starts = list[Any]()  # positions from which a partial solve would have to begin
        costs = list[SolveCost]()
        for position in positions:
            if self._covering_table(position) is not None:
                continue
            if any(self.problem.covers_from(start, position) for start in solved_starts):
                continue
            solved_starts.append(position)
            costs.append(self._cost_from(position, threads))
        return sequential_cost(costs)

    def _cost_from(self, position: Any, threads: int) -> SolveCost:
        """Return the estimated cost of a solve from a position; raise TooMuchError if it is not allowed."""
        cost = self.problem.estimate_cost_from(position, threads)
        refuse_excessive_cost(self._task_name, cost, self.anyway)
        return cost

    @property
    def _task_name(self) -> str:
        """The name of the task as the beginning of a sentence, for an announcement or a refusal."""
        return f"an answer in {self.game.title}"

    @validate_arguments
    def restricted_to(
        self: Self, position: Any, threads: int | None = None, progress: ProgressCallback = lambda share: None
    ) -> Self:
        """Return a copy with the value table that answers about a position need.

        For the arguments and errors see ``value_table_for``.
        """
        return replace(self, value_table=self.value_table_for(position, threads, progress))

    @validate_arguments
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the value table to a file, completely or not at all; ``keepwise.load`` reads it.

        Raises:
            InputError: the file cannot be written, or the rules are methods in Python, which a file cannot hold.
        """
        if not self.problem.playable.rules_are_data:
            raise InputError(
                f"the value table of {self.game.id} cannot be saved: its rules are methods in Python; solve it again"
            )
        table_files.save_table(path, self.head, self.value_table.arrays)


def read_position(problem: Problem[Any], position: Any = None, /, **fields: Any) -> Any:
    """Return a validated position, from a position, an id, or field values.

    Args:
        problem: the problem.
        position: a position, or its id as text; None if field values are given.
        fields: the values of fields by name; None stands for a field that is not given.

    Raises:
        InputError: the position cannot occur, is of another game, or the game is over in it.
    """
    playable = problem.playable
    if position is None:
        return playable.position(**fields)
    if any(value is not None for value in fields.values()):
        names = " and ".join(argument(name) for name, value in fields.items() if value is not None)
        raise InputError(f"{argument('position')} cannot be combined with {names}; leave {names} out")
    if isinstance(position, str):
        return playable.from_id(position)
    if not isinstance(position, type(playable.start())):
        raise InputError(f"{abbreviate(position)} is not a position of {problem.game.id}; pass field values or an id")
    if playable.stage(position) == "over":
        raise InputError("the game is over in this position")
    return position


def faster_objective_hint(problem: Problem[Any]) -> str:
    """Return the end of a note that names a faster objective, or "" if there is none."""
    has_faster = problem.objective not in ("points", "reach") and "points" in problem.game.objectives
    return "; --objective points is faster (in play and coach: --judge points)" if has_faster else ""


def cpu_count() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
