"""The public face of a solved question: what it is worth, what to do, and everything that is made of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, ParamSpec

import numpy as np
from numpy.typing import NDArray

from .answers.advice import Advice, PositionValue
from .answers.positions import advise, marks, value, values
from .games import Game
from .solvers import OddsSensitivity, Problem, ValueTable
from .solvers import make_problem as ask
from .solvers.cost_estimates import ANNOUNCED_SECONDS_OF_TIMED_ESTIMATES, check_cost
from .solvers.distribution import QUANTILES, Distribution
from .solving import solve as solving
from .solving import table_store
from .solving.solved_problem import SolvedProblem, cpu_count, read_position
from .solving.table_store import shipped_objectives
from .util.arguments import validate_arguments
from .util.number_format import mistake_mark

if TYPE_CHECKING:
    from .answers.explanation import Reasons
    from .answers.rows import Policy
    from .answers.trace import Trace
    from .output.charts import Chart
    from .output.exports.process import Process
    from .output.sheets import Sheet
    from .play.playable_game import Choice
    from .play.referee import Referee
    from .policies.evaluation import Against, Evaluation
    from .policies.registry import PolicyLike
    from .simulation import Simulation
    from .simulation.policy_evaluation import EvaluationPlan

Told = ParamSpec("Told")


@dataclass(frozen=True, eq=False)
class Solution(SolvedProblem):
    """A solved question. Positions are given by name; which names a game knows stands in its documentation.

    ``source`` says where the values come from: "shipped", "cache", "solved" or the path of a file; ``anyway`` whether
    answers may take more than an hour or 8 GiB.
    """

    @validate_arguments
    def read(self, position: Any = None, /, **told: Any) -> Any:
        """Return a position: one of the table's own, the id of one, or what it is told by (None: not given).

        Raises:
            InputError: the position cannot occur, or is over; the message says why.
        """
        return read_position(self.problem, position, **told)

    @validate_arguments
    def show(self, position: Any = None, /, **told: Any) -> dict[str, Any]:
        """Return the checked position in full, as JSON carries it."""
        return self.playable.tell(self.read(position, **told))

    @validate_arguments
    def value(self, position: Any = None, /, **told: Any) -> float:
        """Value of a position for the player to move (default: the start of the game)."""
        return self.position_value(position, **told).value

    @validate_arguments
    def position_value(self, position: Any = None, /, *, exact: bool = False, **told: Any) -> PositionValue:
        """Value of a position with the chance of every seat, where there are several; ``exact``: in fractions too.

        Raises:
            InputError: fractions are asked for, and too much can follow.
        """
        read = self.read(position, **told)
        return value(self.problem, self.value_table_for(read), read, self._referee(read, exact))

    @validate_arguments
    def values(self, positions: Iterable[Any]) -> NDArray[np.float64]:
        """Values of many positions (or ids of positions) for the player to move in each, in one question."""
        return values(self, [self.read(position) for position in positions])

    @validate_arguments
    def advise(self, position: Any = None, /, *, exact: bool = False, **told: Any) -> Advice:
        """Rank every legal choice of a position; ``exact``: its values in fractions too.

        Raises:
            InputError: fractions are asked for, and too much can follow.
        """
        read = self.read(position, **told)
        return advise(self.problem, self.value_table_for(read), read, self._referee(read, exact))

    def _referee(self, position: Any, exact: bool) -> Referee[Any] | None:
        """Who knows the fractions of a position, if they are asked for."""
        if not exact:
            return None
        from .certify.exact_values import exact_referee

        return exact_referee(self.problem, position)

    @validate_arguments
    def mark(self, loss: float) -> str:
        """The mark of a choice that costs so much, ``?!``, ``?`` or ``??``, "" for less (``marks``)."""
        return mistake_mark(loss, self.marks)

    @cached_property
    def marks(self) -> tuple[tuple[float, str], ...]:
        """From which loss on a choice has which mark, the largest first (``answers.advice.marked``)."""
        return marks(self)

    @validate_arguments
    def why(self, position: Any = None, /, choice: str | Choice[Any] | None = None, **told: Any) -> Reasons:
        """Say why the best choice of a position is better than another one, from numbers of the position.

        ``choice``: another choice of the position, or its words as typed at the table; the next best if None.

        Raises:
            InputError: none of the choices, or more than one.
        """
        from .answers.explanation import why

        read = self.read(position, **told)
        return why(self.problem, self.value_table_for(read), read, choice)

    @validate_arguments
    def trace(
        self, start: Any = None, events: Iterable[Any] = (), progress: Callable[[float], None] = lambda done: None
    ) -> Trace[Any]:
        """Follow a game: what every throw and every choice did to every seat, in luck and error (see ``Trace``).

        Args:
            start: the position it begins with, or its id; the start of the game if None.
            events: what happened, in order: of a throw the position that it led to, of a choice the ``Choice``, its
                words (``Choice.action``) or the position that it led to; of a whole turn a ``Turn``. Forced choices are
                events too.
            progress: called with the share done of what must be solved on the way.

        Raises:
            InputError: an event that cannot be there; the message counts it from 1.
        """
        from .answers.trace import trace

        def solved_for(position: Any) -> ValueTable:
            return self.value_table_for(position, progress=progress)

        return trace(self.problem, solved_for, self.playable.start() if start is None else self.read(start), events)

    @validate_arguments
    def distribution(
        self, position: Any = None, /, *, progress: Callable[[float], None] = lambda done: None, **told: Any
    ) -> Distribution:
        """The whole distribution of what a position's best play still brings.

        Raises:
            InputError: the game has no distribution for this objective.
        """
        self.problem.require_distribution()
        read = self.read(position, **told)
        return self.problem.distribution(self.value_table_for(read), read, progress)

    @validate_arguments
    def evaluate(
        self, policy: PolicyLike, *, score: object = None, progress: Callable[[float], None] = lambda done: None
    ) -> Evaluation:
        """Return the exact value of a policy and its loss against optimal play; no games are simulated.

        Args:
            policy: a name, such as ``hold:300``, ``sheet:2`` or ``mine.py:careful``; or a function of (position) or
                (playable, position) that returns a choice, its words, or its number from 1.
            score: the score before the turn, for the points of a turn in push-your-luck games.
            progress: called with the share that is done.

        Raises:
            InputError: no such policy, or one that is not evaluated for this objective.
            TooMuchError: too many positions can follow, and ``anyway`` is false.
            SolveError: with this policy the game never ends.
        """
        from .simulation.policy_evaluation import plan_evaluation

        return plan_evaluation(self.problem, policy, score, anyway=self.anyway).run(self.value_table, progress)

    @validate_arguments
    def against(
        self, *others: str, policy: str = "best", progress: Callable[[float], None] = lambda done: None
    ) -> Against:
        """Return what somebody gets, exactly, against players whose play is given, from the start of a race.

        Args:
            others: the other seats in turn order, or one policy for all: ``hold:300``, ``sheet``, ``best`` (the stored
                play) or ``duel`` (as the best of two would play against whoever is ahead).
            policy: what we play: ``best``, the best reply to them, or one of these.

        Raises:
            InputError: no race, a policy that there is not, or another number of seats.
        """
        from .policies.evaluate import against

        return against(self.problem, self.value_table, policy, others, progress)

    @validate_arguments
    def simulate(
        self,
        *policies: PolicyLike,
        games: int = 10_000,
        seed: int = 1,
        threads: int | None = None,
        progress: Callable[[float], None] = lambda done: None,
    ) -> Simulation:
        """Play many games and return what they came to: means with standard errors, luck and errors by seat.

        Args:
            policies: who sits in which seat; seats that nothing is said of play the best. ``best``, ``best:points`` (of
                another objective), ``sheet``, ``hold:300``, ``source``; ``strong``, ``average``, ``weak`` or
                ``loses:0.01`` (on average for each real choice) make mistakes; or a function from a position to one
                of its choices, the choice's words or its number.
            games, seed: how many, and which dice: the same seed gives the same games on every machine.
            threads: processors that share many games, all if None; where a function plays, one. The games do not
                depend on it.

        Raises:
            InputError: a policy that the game does not have.
            TooMuchError: a match whose whole table has not been solved.
        """
        from .simulation import run

        return run(self, policies, games=games, seed=seed, threads=threads, progress=progress)

    @validate_arguments
    def policy(self, detail: str | None = None, **given: Any) -> Policy:
        """Return the solution as rows: positions, their best choices, and what the runner-up costs; see ``Policy``."""
        from .answers.rows import Policy

        return Policy(self, detail, **given)

    @validate_arguments
    def export(
        self,
        path: str | os.PathLike[str],
        form: str | None = None,
        *,
        detail: str | None = None,
        progress: Callable[[float], None] = lambda done: None,
        **given: Any,
    ) -> int:
        """Write rows to a file, in the format that its ending names if none is given; return how many.

        Raises:
            InputError: no such format, a library that it needs, or a place that cannot be written.
        """
        from .output.exports.rows import ENDINGS, export

        ending = os.path.splitext(os.fspath(path))[1].lstrip(".").lower()
        return export(self.policy(detail, **given), path, form or ENDINGS.get(ending, ending), progress)

    @validate_arguments
    def sheet(self, progress: Callable[[float], None] = lambda done: None, level: int | None = None) -> Sheet:
        """Return one page to play by, with its exact cost; ``level``: see ``keepwise.output.sheets``."""
        from .output.sheets import make_sheet

        return make_sheet(self, progress, level)

    @validate_arguments
    def chart(
        self,
        kind: str,
        path: str | os.PathLike[str] | None = None,
        *,
        dice: int | None = None,
        vary: str | None = None,
        progress: Callable[[float], None] = lambda done: None,
        **position: Any,
    ) -> Chart:
        """Return a chart's data in the game's words; with ``path``, also draw it (png, svg or pdf by its ending)."""
        from .output.charts.make import make_chart

        drawn = make_chart(self, kind, dice=dice, vary=vary, position=position, progress=progress)
        if path is not None:
            from .output.charts.draw import write_chart

            write_chart(drawn, path)
        return drawn

    @validate_arguments
    def model(
        self,
        path: str | os.PathLike[str],
        form: str | None = None,
        policy: str | None = None,
        progress: Callable[[float], None] = lambda done: None,
    ) -> Process:
        """Write the decision process for other tools, in the format that the file's ending names if none is given.

        ``policy``: "optimal" or "hold:300": the chain that it induces.
        """
        from .output.exports.models import model_title, write_model

        ending = os.path.splitext(os.fspath(path))[1].lstrip(".").lower()
        title = model_title(self.problem, self.value_table, self.fingerprint)
        form = form or {"tra": "prism-explicit"}.get(ending, ending)
        return write_model(self.problem, self.value_table, path, form, policy, title, progress)


@validate_arguments
def solve(
    what: Game | str,
    objective: str | None = None,
    players: int | None = None,
    *,
    threads: int | None = None,
    progress: Callable[[float], None] = lambda done: None,
    fresh: bool = False,
    anyway: bool = False,
    cluster: str | None = None,
    goal: int | None = None,
    turns: int | None = None,
) -> Solution:
    """Return the solution of a game: shipped with the package, kept in the user's cache, or solved now.

    Args:
        what: a game, or the id of one under its default rules.
        objective: one of the game's; its first if None.
        players: number of players where the objective has opponents.
        threads: threads for a solve; all processors if None. The result does not depend on it.
        progress: called with the share done during a solve.
        fresh: solve now, whatever is shipped or cached, and keep nothing.
        anyway: solve what takes more than an hour or 8 GiB too.
        cluster: where to solve the layers of a race of three and more or of a card for two: ``local:4`` (so many
            processes) or the address of a Dask scheduler. The result does not depend on it.
        goal, turns: points to reach and turns to do it in, for ``reach``.

    Raises:
        InputError: a question that the game does not have, or no cluster.
        TooMuchError: solving takes more than an hour or 8 GiB; the message says how much.
        SolveError: the solve did not reach its bound.
    """
    asked = ask(what, objective, players, goal=goal, turns=turns)
    return solve_problem(asked, threads=threads, progress=progress, fresh=fresh, anyway=anyway, cluster=cluster)


@validate_arguments
def load(path: str | os.PathLike[str]) -> Solution:
    """Read a value table; executes nothing of the file.

    Raises:
        TableError: no such file, damaged, foreign, or made for rules that this engine does not know.
    """
    return Solution(**vars(table_store.load_table(path)))


def _faced(solve: Callable[Told, SolvedProblem]) -> Callable[Told, Solution]:
    """The function, which returns what is known with the methods of a solution."""

    @wraps(solve)
    def made(*args: Told.args, **options: Told.kwargs) -> Solution:
        return Solution(**vars(solve(*args, **options)))

    return made


solve_problem, solve_resumable = _faced(solving.solve_problem), _faced(solving.solve_resumable)


# --- what can be refused before anything is solved


def plan_evaluation(
    problem: Problem[Any], policy: PolicyLike, score: object = None, anyway: bool = False
) -> EvaluationPlan:
    """Return an evaluation that can be run once the problem is solved; see ``Solution.evaluate``."""
    from .simulation import policy_evaluation

    return policy_evaluation.plan_evaluation(problem, policy, score, anyway=anyway)


def check_against(match: Problem[Any], policy: str, others: Sequence[str]) -> None:
    """Raise InputError for what ``Solution.against`` refuses."""
    from .policies import evaluate

    evaluate.check_against(match, policy, others)


def check_rows(match: Problem[Any], detail: str | None, given: Mapping[str, Any]) -> None:
    """Raise InputError for what ``Solution.policy`` refuses."""
    from .answers import rows

    rows.check_rows(match, detail, given)


__all__ = [
    "ANNOUNCED_SECONDS_OF_TIMED_ESTIMATES",
    "QUANTILES",
    "Advice",
    "Distribution",
    "OddsSensitivity",
    "Problem",
    "Solution",
    "SolvedProblem",
    "ask",
    "check_against",
    "check_cost",
    "check_rows",
    "cpu_count",
    "load",
    "plan_evaluation",
    "read_position",
    "shipped_objectives",
    "solve",
    "solve_problem",
    "solve_resumable",
]
