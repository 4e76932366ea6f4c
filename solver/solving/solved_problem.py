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

# The functions that decide what answers of a solution may take.
FUNCTIONS_WITH_ANYWAY = "keepwise.solve, keepwise.solve_playable or keepwise.load"
Self = TypeVar("Self", bound="SolvedProblem")


@dataclass(frozen=True, eq=False)
class SolvedProblem:
    """A problem with its value table and the table's source.

    A problem that is solved on demand may have a table of only some of its states. For a position that it does not
    cover, a *partial solve* computes the values of all states that can follow.

    Attributes:
        problem: the problem.
        value_table: the values of its states, with their error bound.
        source: where the values came from: "shipped", "cache", "solved", or the path of a file.
        engine: name and version of the program that solved it.
        anyway: True if a partial solve may take more than an hour or 8 GiB.
        keeps_all_tables: True if the tables of all partial solves are kept, not only the last one.
        _recent_tables: the tables of partial solves that are kept.
        playable, error_bound, fingerprint: of the problem and of its value table.
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
        """The error bound of the value table: no value differs from the true value by more than this."""
        return self.value_table.error_bound

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the problem."""
        return table_files.fingerprint(self.problem.playable.problem_key)

    @property
    def head(self) -> dict[str, Any]:
        """The keys that identify the solved problem in answers and in its table file, as JSON data.

        These are game, rules, objective, players and parameters, and then error bound, fingerprint and engine.
        """
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

    def check_solves(self, problem: Problem[Any]) -> None:
        """Raise InputError unless this is the solution of the problem that a plan was made for.

        Args:
            problem: the problem of the plan; an equal one, with the same rules and parameters, is accepted.
        """
        if not isinstance(problem, Problem):
            raise InputError(f"problem must be the problem of a solution, not {abbreviate(problem)}")
        if self.problem is not problem and self.playable.problem_key != problem.playable.problem_key:
            raise InputError(
                f"the plan is for the problem {problem.playable.id_prefix}, and the solution is of"
                f" {self.playable.id_prefix}; run the plan with the solution of its own problem"
            )

    @validate_arguments
    def value_table_for(
        self, position: Any, threads: int | None = None, progress: ProgressCallback = lambda share: None
    ) -> ValueTable:
        """Return a value table with the states of a position and of all positions that can follow it.

        It is the table of this problem, or that of an earlier partial solve, if one of them has these states. Otherwise
        they are solved now. The new table is kept for later calls, instead of earlier ones unless
        ``keeps_all_tables``.

        Args:
            position: the position.
            threads: number of threads; None for one per processor.
            progress: called with the share of the work that is done, from 0 to 1.

        Raises:
            TooMuchError: the solve would take more than an hour or 8 GiB, and ``self.anyway`` is false.
        """
        covering_table = self._covering_table(position)
        if covering_table is not None:
            return covering_table
        threads = threads or cpu_count()
        cost = self._allowed_cost_from(position, threads)
        announce_cost(self._task_name, cost, faster_objective_hint(self.problem))
        with explain_memory_error(self._task_name, cost):
            value_table = self.problem.solve_from(position, threads, progress)
        earlier_tables = self._recent_tables if self.keeps_all_tables else []
        self._recent_tables[:] = [*earlier_tables, value_table]  # in place, because the dataclass is frozen
        return value_table

    def _covering_table(self, position: Any) -> ValueTable | None:
        """Return a table with the states of a position and of all that can follow it, or None if there is none yet."""
        for value_table in (self.value_table, *self._recent_tables):
            if self.problem.covers(value_table, position):
                return value_table
        return None

    @validate_arguments
    def with_all_tables_kept(self: Self) -> Self:
        """Return a copy that keeps the tables of all its partial solves, so that no position is solved for twice."""
        return replace(self, keeps_all_tables=True, _recent_tables=[*self._recent_tables])

    @validate_arguments
    def estimate_cost(self, positions: Iterable[Any], threads: int | None = None) -> SolveCost:
        """Return the estimated total cost of the partial solves that answers about some positions need.

        Nothing is solved here. A position needs no partial solve if a table that exists already covers it, or the table
        of the partial solve for an earlier position of the list. All of these tables are taken to be kept.

        Args:
            positions: the positions, in the order of the answers.
            threads: number of threads; None for one per processor.

        Raises:
            TooMuchError: one partial solve would take more than an hour or 8 GiB, and ``self.anyway`` is false. The
                total is not limited.
        """
        threads = threads or cpu_count()
        solved_starts = list[Any]()  # the positions that need a partial solve
        costs = list[SolveCost]()  # of these solves
        for position in positions:
            if self._covering_table(position) is not None:
                continue
            if any(self.problem.covers_from(start, position) for start in solved_starts):
                continue
            solved_starts.append(position)
            costs.append(self._allowed_cost_from(position, threads))
        return sequential_cost(costs)

    def _allowed_cost_from(self, position: Any, threads: int) -> SolveCost:
        """Return the estimated cost of a partial solve, of a position and all that can follow it, if it is allowed.

        Raises:
            TooMuchError: it is more than an hour or 8 GiB, and ``self.anyway`` is false.
        """
        cost = self.problem.estimate_cost_from(position, threads)
        refuse_excessive_cost(self._task_name, cost, self.anyway, allowing_function=FUNCTIONS_WITH_ANYWAY)
        return cost

    @property
    def _task_name(self) -> str:
        """The name of a partial solve as the beginning of a sentence, in the messages about its cost."""
        return f"an answer in {self.game.title}"

    @validate_arguments
    def restricted_to(
        self: Self, position: Any, threads: int | None = None, progress: ProgressCallback = lambda share: None
    ) -> Self:
        """Return a copy whose value table covers a position and all that can follow it, so that answers solve nothing.

        Args:
            position: the position.
            threads: number of threads; None for one per processor.
            progress: called with the share of the work that is done, from 0 to 1.

        Raises:
            TooMuchError: a solve is needed, would take more than an hour or 8 GiB, and ``self.anyway`` is false.
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
    """Return a position of a problem's game from one of three forms: the position, its id, or the values of its fields.

    Args:
        problem: the problem.
        position: a position, or its id as text; None if field values are given.
        fields: the values of fields by name; None stands for a field that is not given.

    Raises:
        InputError: the position cannot occur, is of another game, or the game is over in it; or two forms are given.
    """
    playable = problem.playable
    if position is None:
        return playable.position(**fields)  # validates them
    given_fields = [name for name, value in fields.items() if value is not None]
    if given_fields:
        names = " and ".join(argument(name) for name in given_fields)
        raise InputError(f"{argument('position')} cannot be combined with {names}; leave {names} out")
    if isinstance(position, str):
        return playable.from_id(position)
    if not isinstance(position, type(playable.start())):
        raise InputError(f"{abbreviate(position)} is not a position of {problem.game.id}; pass field values or an id")
    if playable.stage(position) == "over":
        raise InputError("the game is over in this position; give an earlier one")
    return position


def faster_objective_hint(problem: Problem[Any]) -> str:
    """Return the end of a message that suggests the objective points, or "" if that is not faster or not possible."""
    has_faster = problem.objective not in ("points", "reach") and "points" in problem.game.objectives
    return "; --objective points is faster (in play and coach: --judge points)" if has_faster else ""


def cpu_count() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))  # 0 stands for this process
    return os.cpu_count() or 1
