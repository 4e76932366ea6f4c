"""The public interface of a solved problem.

``solve`` returns a ``Solution``. Its methods give values and advice, explain and follow games, evaluate and simulate
policies, and write sheets, charts and files. The functions at the end plan what a ``Solution`` does, and refuse what it
would refuse, before anything is solved.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, cast

import numpy as np
from numpy.typing import NDArray

from .answers.advice import Advice
from .answers.advice import PositionValue as PositionValue
from .answers.positions import advise, marks, value, values
from .games import Game
from .play.playable_game import PlayableGame
from .solvers import OddsSensitivity, Problem
from .solvers import make_problem as ask
from .solvers.distribution import QUANTILES, Distribution
from .solvers.solve_costs import ANNOUNCED_SECONDS_OF_TIMED_ESTIMATES, check_cost
from .solving import solve as solving
from .solving import table_store
from .solving.solved_problem import FUNCTIONS_WITH_ANYWAY, SolvedProblem, cpu_count, read_position
from .solving.table_store import shipped_objectives
from .util.arguments import validate_arguments
from .util.errors import InputError, abbreviate
from .util.number_format import mistake_mark
from .util.progress_reporting import ProgressOption, progress_callback

if TYPE_CHECKING:
    from .answers.explanation import Reasons
    from .answers.rows import PolicyTable, RowPlan
    from .answers.trace import Trace
    from .output.charts import Chart
    from .output.exports.process import Process
    from .output.sheets import Sheet
    from .play.playable_game import Choice
    from .play.referee import Referee
    from .policies.evaluation import Against, Evaluation
    from .policies.family_evaluation import OpponentEvaluation
    from .policies.registry import PolicyLike
    from .simulation import Simulation
    from .simulation.policy_evaluation import EvaluationPlan

Arguments = ParamSpec("Arguments")


@dataclass(frozen=True, eq=False)
class Solution(SolvedProblem):
    """A solved problem.

    Methods that take a position accept a position object, an id, or field values by keyword. The fields of a game are
    listed in its documentation.

    Attributes:
        source: where the values come from: "shipped", "cache", "solved" or the path of a file.
        anyway: answers may take more than an hour or 8 GiB.
    """

    def __repr__(self) -> str:
        return f"Solution({', '.join(f'{key}={value!r}' for key, value in self._summary.items())})"

    def _repr_html_(self) -> str:
        from .util.notebook import html_table

        return html_table([("", "solution"), *((key, str(value)) for key, value in self._summary.items())], 2)

    @property
    def _summary(self) -> dict[str, Any]:
        """The problem, with the options and parameters that differ from the defaults, and its table."""
        playable = self.playable
        return {
            "game": self.game.id,
            "objective": playable.objective,
            "players": playable.players,
            **self.head["parameters"],
            **self.game.changed_rules(),
            "error_bound": self.error_bound,
            "source": self.source,
        }

    @validate_arguments
    def read(self, position: Any = None, /, **fields: Any) -> Any:
        """Return a position, from a position object, an id or field values.

        A field with the value None counts as missing.

        Raises:
            InputError: the position cannot occur, or the game is over; the message says why.
        """
        return read_position(self.problem, position, **fields)

    @validate_arguments
    def show(self, position: Any = None, /, **fields: Any) -> dict[str, Any]:
        """Return all fields of a position, as they are written in JSON."""
        return self.playable.to_dict(self.read(position, **fields))

    @validate_arguments
    def value(self, position: Any = None, /, **fields: Any) -> float:
        """Return the value of a position for the player to move; by default of the start of the game."""
        return self.position_value(position, **fields).value

    @validate_arguments
    def position_value(self, position: Any = None, /, *, exact: bool = False, **fields: Any) -> PositionValue:
        """Return the value of a position and, if there are several seats, the probability of each seat to win.

        Args:
            position: a position object or an id; otherwise field values are given by keyword.
            exact: also return the values as fractions.
            fields: field values.

        Raises:
            InputError: ``exact`` is true, and too many positions can follow.
        """
        checked = self.read(position, **fields)
        return value(self, checked, self._referee(checked, exact))

    @validate_arguments
    def values(self, positions: Iterable[Any]) -> NDArray[np.float64]:
        """Return the values of many positions, each for its player to move; faster than one by one."""
        return values(self, [self.read(position) for position in positions])

    @validate_arguments
    def advise(self, position: Any = None, /, *, exact: bool = False, **fields: Any) -> Advice:
        """Rank all legal choices of a position, the best first.

        Args:
            position: a position object or an id; otherwise field values are given by keyword.
            exact: also return the values as fractions.
            fields: field values.

        Raises:
            InputError: ``exact`` is true, and too many positions can follow.
        """
        checked = self.read(position, **fields)
        return advise(self, checked, self._referee(checked, exact))

    def _referee(self, position: Any, exact: bool) -> Referee[Any] | None:
        """Return what computes exact fractions for a position, or None if `exact` is false."""
        if not exact:
            return None
        from .certify.exact_values import exact_referee

        return exact_referee(self.problem, position)

    @validate_arguments
    def mark(self, loss: float) -> str:
        """Return the mark of a choice with this loss: ``?!``, ``?`` or ``??``, or "" for a small loss."""
        return mistake_mark(loss, self.marks)

    @cached_property
    def marks(self) -> tuple[tuple[float, str], ...]:
        """Smallest loss for each mark, as pairs (loss, mark), the largest first."""
        return marks(self)

    @validate_arguments
    def why(self, position: Any = None, /, choice: str | Choice[Any] | None = None, **fields: Any) -> Reasons:
        """Explain why the best choice of a position is better than another one.

        Args:
            position: a position object or an id; otherwise field values are given by keyword.
            choice: the other choice, or its words as typed at the table; None: the second best.
            fields: field values.

        Raises:
            InputError: `choice` matches no choice, or more than one.
        """
        from .answers.explanation import why

        checked = self.read(position, **fields)
        return why(self, checked, choice)

    @validate_arguments
    def trace(self, start: Any = None, events: Iterable[Any] = (), progress: ProgressOption = False) -> Trace[Any]:
        """Follow a game, and split the change of every seat's value into luck of the dice and errors of the choices.

        Args:
            start: the first position, or its id; None: the start of the game.
            events: the events in order. A roll is given by the position that it leads to. A choice is given by a
                ``Choice``, its words (``Choice.action``) or the position that it leads to. A whole turn is a
                ``WholeTurn``. Forced choices are events too.
            progress: True shows a progress bar if something has to be solved; a function is called with the share that
                is done.

        Raises:
            InputError: an event is impossible; the message counts events from 1.
        """
        from .answers.trace import trace

        report = progress_callback(progress, "solving")
        return trace(self, self.playable.start() if start is None else self.read(start), events, report)

    @validate_arguments
    def distribution(self, position: Any = None, /, *, progress: ProgressOption = False, **fields: Any) -> Distribution:
        """Return the distribution of the final result of a position under optimal play.

        Raises:
            InputError: the game has no distribution for this objective.
        """
        self.problem.require_distribution()
        checked = self.read(position, **fields)
        return self.problem.distribution(
            self.value_table_for(checked), checked, progress_callback(progress, "computing the distribution")
        )

    @validate_arguments
    def evaluate(self, policy: PolicyLike, *, score: object = None, progress: ProgressOption = False) -> Evaluation:
        """Return the exact value of a policy and its loss against optimal play; no games are simulated.

        Args:
            policy: a name, such as ``hold:300``, ``sheet:2`` or ``mine.py:careful``; or a function of (position) or
                (playable, position) that returns a choice, its words, or its number from 1.
            score: the score before the turn, for the points of a turn in push-your-luck games.
            progress: True shows a progress bar; a function is called with the share that is done.

        Raises:
            InputError: no such policy, or one that is not evaluated for this objective.
            TooMuchError: too many positions can follow, and ``anyway`` is false.
            SolveError: with this policy the game never ends.
        """
        from .simulation.policy_evaluation import plan_evaluation

        plan = plan_evaluation(self.problem, policy, score, anyway=self.anyway, allowing_function=FUNCTIONS_WITH_ANYWAY)
        return plan.run(self, progress_callback(progress, "evaluating"))

    @validate_arguments
    def against(self, *others: str, policy: str = "best", progress: ProgressOption = False) -> Against:
        """Return the exact value of a policy against fixed policies of the other players, from the start of a race.

        Args:
            others: the policies of the other seats in turn order, or one policy for all: ``hold:300``, ``sheet``,
                ``best`` (the stored play) or ``duel`` (optimal two-player play against the leader).
            policy: our policy: one of these, or ``best`` for the best response to the others.
            progress: True shows a progress bar; a function is called with the share that is done.

        Raises:
            InputError: the game is not a race, a policy is unknown, or the number of policies is wrong.
        """
        from .policies.family_evaluation import plan_against

        return plan_against(self.problem, policy, others).run(self, progress_callback(progress, "evaluating"))

    @validate_arguments
    def simulate(
        self,
        *policies: PolicyLike,
        games: int = 10_000,
        seed: int = 1,
        threads: int | None = None,
        progress: ProgressOption = False,
    ) -> Simulation:
        """Simulate games and return means with standard errors, luck and errors for every seat.

        Args:
            policies: the policies of the seats; seats without a policy play optimally. A policy is ``best``,
                ``best:points`` (optimal for another objective), ``sheet``, ``hold:300`` or ``source``. ``strong``,
                ``average``, ``weak`` and ``loses:0.01`` (mean loss of a choice) make mistakes. A function of a position
                that returns a choice, its words or its number is a policy too.
            games: the number of games.
            seed: the seed of the dice. The same seed gives the same games on every machine.
            threads: the number of processors; None: all. Functions are run on one. The games do not depend on it.
            progress: True shows a progress bar; a function is called with the share that is done.

        Raises:
            InputError: the game has no such policy.
            TooMuchError: the value table of the problem is not complete.
        """
        from .simulation import simulate_solved

        report = progress_callback(progress, "simulating")
        return simulate_solved(self, policies, games=games, seed=seed, threads=threads, progress=report)

    @validate_arguments
    def play(self, seat: int = 0, seed: int | None = None) -> None:
        """Play a game of your own at the prompt; optimal play has the other seat.

        A choice is typed as its letter or its words, ``?`` ranks all choices, and ``q`` stops.

        Args:
            seat: your seat, 0 or 1.
            seed: the seed of the dice; None: random, and printed.

        Raises:
            InputError: not a game of your own (``OwnGame``), or one without this seat.
        """
        from .simulation.prompt import play_own_game

        play_own_game(self, seat, seed)

    @validate_arguments
    def policy(self, detail: str | None = None, **fields: Any) -> PolicyTable:
        """Return optimal play as rows: positions, their best choices, and the loss of the second best.

        Args:
            detail: which positions are listed; see ``PolicyTable``.
            fields: field values that the positions must have.
        """
        from .answers.rows import RowPlan

        return RowPlan(self.problem, detail, fields).run(self)

    @validate_arguments
    def export(
        self,
        path: str | os.PathLike[str],
        form: str | None = None,
        *,
        detail: str | None = None,
        progress: ProgressOption = False,
        **fields: Any,
    ) -> int:
        """Write optimal play as rows into a file, and return the number of rows.

        Args:
            path: the file to write.
            form: the format; None: that of the file name's ending.
            detail: which positions are listed; see ``PolicyTable``.
            progress: True shows a progress bar; a function is called with the share that is done.
            fields: field values that the positions must have.

        Raises:
            InputError: the format is unknown, a library is missing, or the path cannot be written.
        """
        from .output.exports.rows import FORMAT_BY_ENDING, write_rows

        ending = os.path.splitext(os.fspath(path))[1].lstrip(".").lower()
        report = progress_callback(progress, "writing rows")
        return write_rows(self.policy(detail, **fields), path, form or FORMAT_BY_ENDING.get(ending, ending), report)

    @validate_arguments
    def sheet(self, progress: ProgressOption = False, level: int | None = None) -> Sheet:
        """Return a strategy sheet of a level from 1 to 4 with its exact cost; see ``keepwise.output.sheets``."""
        from .output.sheets import make_sheet

        return make_sheet(self, progress_callback(progress, "making the sheet"), level)

    @validate_arguments
    def chart(
        self,
        kind: str,
        path: str | os.PathLike[str] | None = None,
        *,
        dice: int | None = None,
        vary: str | None = None,
        progress: ProgressOption = False,
        **position: Any,
    ) -> Chart:
        """Return a chart as data and, if a path ending in .png, .svg or .pdf is given, also draw it.

        The other arguments are those of ``output.charts.make.make_chart``.
        """
        from .output.charts.make import make_chart

        report = progress_callback(progress, "computing the chart")
        chart = make_chart(self, kind, dice=dice, vary=vary, position=position, progress=report)
        if path is not None:
            from .output.charts.draw import write_chart

            write_chart(chart, path)
        return chart

    @validate_arguments
    def model(
        self,
        path: str | os.PathLike[str],
        form: str | None = None,
        policy: str | None = None,
        progress: ProgressOption = False,
    ) -> Process:
        """Write the decision process for model checkers and graph tools, and return it.

        Args:
            path: the file to write.
            form: the format; None: that of the file name's ending.
            policy: "best", or another policy such as "hold:300", to write the chain that it induces.
            progress: True shows a progress bar; a function is called with the share that is done.
        """
        from .output.exports.models import plan_model

        ending = os.path.splitext(os.fspath(path))[1].lstrip(".").lower()
        form = form or {"tra": "prism-explicit"}.get(ending, ending)
        report = progress_callback(progress, "writing the model")
        return plan_model(self.problem, form, policy).run(self, path, report)


@validate_arguments
def solve(
    game: Game | str,
    objective: str | None = None,
    players: int | None = None,
    *,
    threads: int | None = None,
    progress: ProgressOption = False,
    fresh: bool = False,
    anyway: bool = False,
    cluster: str | None = None,
    goal: int | None = None,
    turns: int | None = None,
) -> Solution:
    """Return the solution of a problem: shipped with the package, stored in the user's cache, or solved now.

    Args:
        game: a game, or the id of a game with its default rules.
        objective: one of the game's objectives; None: its first.
        players: the number of players, if the objective has opponents.
        threads: threads for solving; None: all processors. The result does not depend on it.
        progress: True shows a progress bar during a solve; a function is called with the share that is done.
        fresh: solve now even if a table is shipped or cached, and store nothing.
        anyway: also solve problems that take more than an hour or 8 GiB. Answers and evaluations of the solution may
            then take as much.
        cluster: where to solve the layers of a race of three and more players or of a scorecard for two: ``local:4``
            (four processes) or the address of a Dask scheduler. The result does not depend on it.
        goal: the points to reach, for the objective ``reach``. For ``points`` a bank is worth no more than is missing.
        turns: the turns to reach them in, for the objective ``reach``.

    Raises:
        InputError: the game has no such problem, or the cluster is not available.
        TooMuchError: solving takes more than an hour or 8 GiB; the message says how much.
        SolveError: the solve did not reach its error bound.
    """
    problem = ask(game, objective, players, goal=goal, turns=turns)
    report = progress_callback(progress, f"solving {problem.game.title}")
    return solve_problem(problem, threads=threads, progress=report, fresh=fresh, anyway=anyway, cluster=cluster)


@validate_arguments
def solve_playable(playable: PlayableGame[Any], *, anyway: bool = False) -> Solution:
    """Solve a small game that is given by how it is played, such as a subclass of ``OwnGame``.

    All positions are listed, so there have to be few, and none may come back.

    Args:
        playable: the game.
        anyway: evaluations of the solution may take more than an hour or 8 GiB.

    Raises:
        InputError: not a playable game, more than two players, too many positions, one that comes back, or a rule of an
            ``OwnGame`` that cannot be.
    """
    from .solvers.enumerated import EnumeratedSoloProblem, EnumeratedTwoPlayerProblem

    if not isinstance(cast("object", playable), PlayableGame):
        remedy = f"; use {playable.__name__}()" if isinstance(playable, type) else ""
        raise InputError(f"solve_playable requires a playable game, not {abbreviate(playable)}{remedy}")
    if playable.players > 2:
        raise InputError(
            f"a game of your own can be solved for 1 or 2 players, not {playable.players}; use keepwise.referee"
        )
    problem_class = EnumeratedSoloProblem if playable.players == 1 else EnumeratedTwoPlayerProblem
    try:
        hash(playable.start())
    except TypeError:
        raise InputError(
            f"{playable.game.id}: start returned {abbreviate(playable.start())}, which cannot be hashed: use tuples,"
            " not lists"
        ) from None
    return solve_problem(problem_class(playable), fresh=True, anyway=anyway)


@validate_arguments
def load(path: str | os.PathLike[str], *, anyway: bool = False) -> Solution:
    """Load a value table from a file; no code in the file is executed.

    Args:
        path: the file.
        anyway: answers of the solution may take more than an hour or 8 GiB.

    Raises:
        TableError: the file is missing or damaged, is not a value table, or is for rules that this version lacks.
    """
    return Solution(**{**vars(table_store.load_table(path)), "anyway": anyway})


def _returning_solution(solve: Callable[Arguments, SolvedProblem]) -> Callable[Arguments, Solution]:
    """Return a function that returns a ``Solution`` instead of a solved problem."""

    @wraps(solve)
    def solve_and_wrap(*args: Arguments.args, **options: Arguments.kwargs) -> Solution:
        return Solution(**vars(solve(*args, **options)))

    return solve_and_wrap


solve_problem = _returning_solution(solving.solve_problem)
solve_resumable = _returning_solution(solving.solve_resumable)


# --- plans: what is refused is refused here, before anything is solved


def plan_evaluation(
    problem: Problem[Any], policy: PolicyLike, score: object = None, anyway: bool = False
) -> EvaluationPlan:
    """Return an evaluation that can be run once the problem is solved; see ``Solution.evaluate``."""
    from .simulation import policy_evaluation

    return policy_evaluation.plan_evaluation(problem, policy, score, anyway=anyway)


def plan_against(problem: Problem[Any], policy: str, opponents: Sequence[str]) -> OpponentEvaluation:
    """Return an evaluation that can be run once the problem is solved; see ``Solution.against``."""
    from .policies import family_evaluation

    return family_evaluation.plan_against(problem, policy, opponents)


def plan_rows(problem: Problem[Any], detail: str | None, fields: Mapping[str, Any]) -> RowPlan:
    """Return rows that can be listed once the problem is solved; see ``Solution.policy``."""
    from .answers.rows import RowPlan

    return RowPlan(problem, detail, fields)


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
    "check_cost",
    "cpu_count",
    "load",
    "plan_against",
    "plan_evaluation",
    "plan_rows",
    "read_position",
    "shipped_objectives",
    "solve",
    "solve_problem",
    "solve_resumable",
]
