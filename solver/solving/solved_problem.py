"""What is known of a question: its match, the values that answer it, and where they come from.

Everything that answers, judges or shows stands on this; what people call is ``keepwise.solution.Solution``, the same
with methods for all of that.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ..games import Game
from ..play.table import Table
from ..solvers import Problem, ValueTable
from ..solvers.cost_estimates import SolveCost, announce, enough_memory, in_turn, refuse
from ..storage import table_files
from ..util.arguments import validate_arguments
from ..util.errors import InputError, abbreviate

Same = TypeVar("Same", bound="SolvedProblem")


@dataclass(frozen=True, eq=False)
class SolvedProblem:
    """A solved question.

    ``source`` says where the values come from: "shipped", "cache", "solved" or the path of a file; ``anyway`` whether
    answers may take more than an hour or 8 GiB. ``keeps_all``: every solve is kept, not the last one only.
    """

    problem: Problem[Any] = field(repr=False)
    value_table: ValueTable = field(repr=False)
    source: str
    engine: str
    anyway: bool = field(default=False, repr=False)
    keeps_all: bool = field(default=False, repr=False)
    _recent_tables: list[ValueTable] = field(default_factory=list, repr=False, compare=False)  # see ``solved_for``

    @property
    def game(self) -> Game:
        """The game with its rule set."""
        return self.problem.game

    @property
    def error_bound(self) -> float:
        """No value is further than this from the true one."""
        return self.value_table.error_bound

    @property
    def fingerprint(self) -> str:
        """The name of the question."""
        return table_files.fingerprint(self.problem.playable.question)

    @property
    def head(self) -> dict[str, Any]:
        """What every answer carries: the question, the bound, the fingerprint and the engine that solved it."""
        return {
            **self.problem.playable.question,
            "error_bound": self.error_bound,
            "fingerprint": self.fingerprint,
            "engine": self.engine,
        }

    @property
    def playable(self) -> Table[Any]:
        """The game as it is played: positions, choices, throws (see ``keepwise.play``)."""
        return self.problem.playable

    @validate_arguments
    def value_table_for(
        self, position: Any, threads: int | None = None, progress: Callable[[float], None] = lambda done: None
    ) -> ValueTable:
        """Return the values that answers about a checked position are read from.

        They are those at hand, or, where a match too large to be solved whole unasked holds none that the answer
        needs, those of the positions that can follow; the last of these are kept.

        Raises:
            TooMuchError: that would take more than an hour or 8 GiB, and nobody asked for that.
        """
        for solved in (self.value_table, *self._recent_tables):
            if self.problem.covers(solved, position):
                return solved
        threads = threads or cpu_count()
        cost = self._cost_from(position, threads)
        announce(self._an_answer, cost, faster_objective_hint(self.problem))
        with enough_memory(self._an_answer, cost):
            solved = self.problem.solve_from(position, threads, progress)
        self._recent_tables[:] = [*(self._recent_tables if self.keeps_all else ()), solved]
        return solved

    @validate_arguments
    def keeping_all(self: Same) -> Same:
        """Return the same that keeps every solve: no values are solved twice."""
        return replace(self, keeps_all=True, _recent_tables=[*self._recent_tables])

    @validate_arguments
    def cost_of(self, positions: Iterable[Any], threads: int | None = None) -> SolveCost:
        """Return roughly what answers about these positions take, in their order, where every solve is kept.

        Raises:
            TooMuchError: one of them would take more than an hour or 8 GiB, and nobody asked for that.
        """
        starts, costs = list[Any](), list[SolveCost]()
        for position in positions:
            known = any(self.problem.covers(solved, position) for solved in (self.value_table, *self._recent_tables))
            if not known and not any(self.problem.follows(start, position) for start in starts):
                starts.append(position)
                costs.append(self._cost_from(position, threads or cpu_count()))
        return in_turn(costs)

    def _cost_from(self, position: Any, threads: int) -> SolveCost:
        """What a solve takes; refused where it is too much."""
        cost = self.problem.estimate_cost_from(position, threads)
        refuse(self._an_answer, cost, self.anyway)
        return cost

    @property
    def _an_answer(self) -> str:
        return f"an answer in {self.game.title}"

    @validate_arguments
    def restricted_to(
        self: Same, position: Any, threads: int | None = None, progress: Callable[[float], None] = lambda done: None
    ) -> Same:
        """Return the same with the values that answers about a position need (see ``solved_for``)."""
        return replace(self, value_table=self.value_table_for(position, threads, progress))

    @validate_arguments
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the value table, whole or not at all; ``load`` reads it back.

        Raises:
            InputError: the place cannot be written.
        """
        table_files.save_table(path, self.head, self.value_table.arrays)


def read_position(of: Problem[Any], position: Any = None, /, **told: Any) -> Any:
    """Check a position before anything is solved; see ``Solution.read``."""
    table = of.playable
    if position is None:
        return table.read(**told)
    if any(value is not None for value in told.values()):
        raise InputError("a position is told by itself, by its id or by its fields: not by two of them")
    if isinstance(position, str):
        return table.position(position)
    if not isinstance(position, type(table.start())):
        raise InputError(f"{abbreviate(position)} is no position of {of.game.id}; tell it by its fields or by its id")
    if table.stage(position) == "over":
        raise InputError("the game is over in this position")
    return position


def faster_objective_hint(asked: Problem[Any]) -> str:
    """The next best judge, in the words of a note."""
    others = asked.objective not in ("points", "reach") and "points" in asked.game.objectives
    return "; for points it comes sooner: --objective points, at the table --judge points" if others else ""


def cpu_count() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
