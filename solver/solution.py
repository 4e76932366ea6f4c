"""Solutions: a question and its values, from a shipped table, the user's cache, or solved now."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import values
from .answers.advice import Advice, PositionValue
from .arguments import checked
from .checkpoints import Checkpoint
from .distribution import Distribution
from .errors import InputError, TableError, shown
from .games import Game, game
from .matches import Across, Match, Solved
from .matches import asked as ask_again
from .matches import match as ask
from .matches.costs import held_to, judge
from .stamps import Stamp
from .text import no_title
from .version import ENGINE

if TYPE_CHECKING:
    from .answers.evaluation import Evaluation
    from .answers.given import Against
    from .answers.rows import Policy
    from .answers.trace import Trace
    from .answers.why import Reasons
    from .charts import Chart
    from .models.process import Process
    from .play.referee import Referee
    from .play.table import Table
    from .sheets import Sheet
    from .simulation import Decide, Simulation

log = logging.getLogger("keepwise")

MOST_BOUND = 1e-3  # no solve states a wider one
ROUNDING = 2.0**-52  # of a sum, for each number added
PART = 1 << 20  # numbers of a table that are checked at once


@dataclass(frozen=True, eq=False)
class Solution:
    """A solved question. Positions are given by name; which names a game knows stands in its documentation.

    ``source`` says where the values come from: "shipped", "cache", "solved" or the path of a file; ``anyway`` whether
    answers may take more than an hour or 8 GiB.
    """

    match: Match[Any] = field(repr=False)
    solved: Solved = field(repr=False)
    source: str
    engine: str
    anyway: bool = field(default=False, repr=False)
    _last: list[Solved] = field(default_factory=list, repr=False, compare=False)  # see ``solved_for``

    @property
    def game(self) -> Game:
        """The game with its rule set."""
        return self.match.game

    @property
    def error_bound(self) -> float:
        """No value is further than this from the true one."""
        return self.solved.error_bound

    @property
    def fingerprint(self) -> str:
        """The name of the question."""
        return values.fingerprint(question(self.match))

    @property
    def head(self) -> dict[str, Any]:
        """What every answer carries: the question, the bound, the fingerprint and the engine that solved it."""
        return {
            **question(self.match),
            "error_bound": self.error_bound,
            "fingerprint": self.fingerprint,
            "engine": self.engine,
        }

    @property
    def table(self) -> Table[Any]:
        """The game as it is played: positions, choices, throws (see ``keepwise.play``)."""
        return self.match.table

    @checked
    def read(self, position: Any = None, /, **told: Any) -> Any:
        """Return a position: one of the table's own, the id of one, or what it is told by (None: not given).

        Raises:
            InputError: the position cannot occur, or is over; the message says why.
        """
        return read_position(self.match, position, **told)

    @checked
    def show(self, position: Any = None, /, **told: Any) -> dict[str, Any]:
        """Return the checked position in full, as JSON carries it."""
        return self.table.tell(self.read(position, **told))

    @checked
    def value(self, position: Any = None, /, **told: Any) -> float:
        """Value of a position for the player to move (default: the start of the game)."""
        return self.position_value(position, **told).value

    @checked
    def position_value(self, position: Any = None, /, *, exact: bool = False, **told: Any) -> PositionValue:
        """Value of a position with the chance of every seat, where there are several; ``exact``: in fractions too.

        Raises:
            InputError: fractions are asked for, and too much can follow.
        """
        from .answers.positions import value

        read = self.read(position, **told)
        return value(self.match, self.solved_for(read), read, self._referee(read, exact))

    @checked
    def values(self, positions: Iterable[Any]) -> NDArray[np.float64]:
        """Values of many positions (or ids of positions) for the player to move in each, in one question."""
        from .answers.positions import worth_of

        read = [self.read(position) for position in positions]
        if not read:
            return np.empty(0)
        if self.match.on_demand:
            return np.array([self.value(position) for position in read])
        worth = worth_of(self.match, self.solved, read)
        return worth.by_seat[np.arange(len(read)), [self.table.mover(position) for position in read]]

    @checked
    def advise(self, position: Any = None, /, *, exact: bool = False, **told: Any) -> Advice:
        """Rank every legal choice of a position; ``exact``: its values in fractions too.

        Raises:
            InputError: fractions are asked for, and too much can follow.
        """
        from .answers.positions import advise

        read = self.read(position, **told)
        return advise(self.match, self.solved_for(read), read, self._referee(read, exact))

    def _referee(self, position: Any, exact: bool) -> Referee[Any] | None:
        """Who knows the fractions of a position, if they are asked for."""
        if not exact:
            return None
        from .certify.fractions import fractions

        return fractions(self.match, position)

    @checked
    def mark(self, loss: float) -> str:
        """The mark of a choice that costs so much, ``?!``, ``?`` or ``??``, "" for less (``marks``)."""
        from .answers.advice import mark

        return mark(loss, self.marks)

    @cached_property
    def marks(self) -> tuple[tuple[float, str], ...]:
        """From which loss on a choice has which mark, the largest first (``answers.advice.marked``)."""
        from .answers.advice import MEASURED, marked

        objective = self.table.objective
        whole = self.position_value(self.table.start()).value if objective in MEASURED else 1.0
        return marked(objective, whole)

    @checked
    def why(self, position: Any = None, /, choice: str | None = None, **told: Any) -> Reasons:
        """Say why the best choice of a position is better than another one, from numbers of the position.

        ``choice``: the one asked about, as it is typed at the table; the next best if None.

        Raises:
            InputError: none of the choices, or more than one.
        """
        from .answers.why import why
        from .play.spoken import read_choice

        read = self.read(position, **told)
        if choice is not None and self.table.stage(read) == "choose":
            choice = read_choice(self.table, read, choice).action
        return why(self.match, self.solved_for(read), read, choice)

    @checked
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

        def solved_for(position: Any) -> Solved:
            return self.solved_for(position, progress=progress)

        return trace(self.match, solved_for, self.table.start() if start is None else self.read(start), events)

    @checked
    def distribution(
        self, position: Any = None, /, *, progress: Callable[[float], None] = lambda done: None, **told: Any
    ) -> Distribution:
        """The whole distribution of what a position's best play still brings.

        Raises:
            InputError: the game has no distribution for this objective.
        """
        self.match.check_distribution()
        read = self.read(position, **told)
        return self.match.distribution(self.solved_for(read), read, progress)

    @checked
    def evaluate(
        self, policy: str, *, score: object = None, progress: Callable[[float], None] = lambda done: None
    ) -> Evaluation:
        """Return what a policy is worth, exactly, and what it loses against the best.

        Policies: ``hold:300`` and ``hold:5=600,4=400`` (by dice left) for push-your-luck games; ``source`` and
        ``above-seven`` for Battleship.

        Raises:
            InputError: a policy that the game does not have, or an objective that it is not evaluated for.
        """
        from .answers.evaluation import evaluate

        return evaluate(self.match, self.solved, policy, score, progress)

    @checked
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
        from .answers.given import against, check_given

        race, ours, told = check_given(self.match, policy, others)
        return against(race, self.solved, ours, told, progress)

    @checked
    def simulate(
        self,
        *policies: str | Decide,
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
                of its choices, or the choice's words.
            games, seed: how many, and which dice: the same seed gives the same games on every machine.
            threads: processors that share many games, all if None; where a function plays, one. The games do not
                depend on it.

        Raises:
            InputError: a policy that the game does not have.
            TooMuchError: a match whose whole table has not been solved.
        """
        from .simulation import run

        return run(self, policies, games=games, seed=seed, threads=threads, progress=progress)

    @checked
    def policy(self, detail: str | None = None, **given: Any) -> Policy:
        """Return the solution as rows: positions, their best choices, and what the runner-up costs; see ``Policy``."""
        from .answers.rows import Policy

        return Policy(self, detail, **given)

    @checked
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
        from .export import ENDINGS, export

        ending = os.path.splitext(os.fspath(path))[1].lstrip(".").lower()
        return export(self.policy(detail, **given), path, form or ENDINGS.get(ending, ending), progress)

    @checked
    def sheet(self, progress: Callable[[float], None] = lambda done: None, level: int | None = None) -> Sheet:
        """Return one page to play by, and what playing by it costs exactly; ``level``: see ``keepwise.sheets``."""
        from .sheets import make_sheet

        return make_sheet(self, progress, level)

    @checked
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
        from .charts.make import make_chart

        drawn = make_chart(self, kind, dice=dice, vary=vary, position=position, progress=progress)
        if path is not None:
            from .charts.draw import write_chart

            write_chart(drawn, path)
        return drawn

    @checked
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
        from .models import model_title, write_model

        ending = os.path.splitext(os.fspath(path))[1].lstrip(".").lower()
        title = model_title(self.match, self.solved, self.fingerprint)
        form = form or {"tra": "prism-explicit"}.get(ending, ending)
        return write_model(self.match, self.solved, path, form, policy, title, progress)

    @checked
    def solved_for(
        self, position: Any, threads: int | None = None, progress: Callable[[float], None] = lambda done: None
    ) -> Solved:
        """Return the values that answers about a checked position are read from.

        They are this solution's own, or, where a match too large to be solved whole unasked holds none that the answer
        needs, those of the positions that can follow; the last of these are kept.

        Raises:
            TooMuchError: that would take more than an hour or 8 GiB, and nobody asked for that.
        """
        for solved in (self.solved, *self._last):
            if self.match.holds(solved, position):
                return solved
        threads = threads or processors()
        cost = self.match.cost_from(position, threads)
        judge(f"an answer in {self.game.title}", cost, self.anyway, _sooner(self.match))
        self._last[:] = [self.match.solve_from(position, threads, progress)]
        return self._last[0]

    @checked
    def at(
        self, position: Any, threads: int | None = None, progress: Callable[[float], None] = lambda done: None
    ) -> Solution:
        """Return the solution with the values that answers about a position need (see ``solved_for``)."""
        return replace(self, solved=self.solved_for(position, threads, progress))

    @checked
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the value table, whole or not at all; ``load`` reads it back.

        Raises:
            InputError: the place cannot be written.
        """
        values.save(path, self.head, self.solved.arrays)


def question(of: Match[Any]) -> dict[str, Any]:
    """Everything that the values depend on."""
    return of.table.question


def read_position(of: Match[Any], position: Any = None, /, **told: Any) -> Any:
    """Check a position before anything is solved; see ``Solution.read``."""
    table = of.table
    if position is None:
        return table.read(**told)
    if any(value is not None for value in told.values()):
        raise InputError("a position is told by itself, by its id or by its fields: not by two of them")
    if isinstance(position, str):
        return table.position(position)
    if not isinstance(position, type(table.start())):
        raise InputError(f"{shown(position)} is no position of {of.game.id}; tell it by its fields or by its id")
    if table.stage(position) == "over":
        raise InputError("the game is over in this position")
    return position


@checked
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
    asked = ask(game(what) if isinstance(what, str) else what, objective, players, goal=goal, turns=turns)
    return solve_match(asked, threads=threads, progress=progress, fresh=fresh, anyway=anyway, cluster=cluster)


def solve_match(
    asked: Match[Any],
    *,
    threads: int | None = None,
    progress: Callable[[float], None] = lambda done: None,
    fresh: bool = False,
    anyway: bool = False,
    cluster: str | None = None,
) -> Solution:
    """Return the solution of a match; see ``solve``."""
    if cluster is not None:
        _check_spreads(asked)
    if threads is not None and (type(threads) is not int or threads < 1):
        raise InputError(f"threads must be a whole number from 1 on, not {threads}")
    name = table_name(asked)
    if not fresh:
        places = {"shipped": _shipped, "cache": _cache}
        # A match on demand ships in part at most: who has solved the whole of it has it in the cache.
        for source in ("cache", "shipped") if asked.on_demand else ("shipped", "cache"):
            if solution := _kept(places[source]() / name, asked, source):
                return solution
        if asked.on_demand and cluster is None:
            return Solution(asked, asked.without_table(), "solved", ENGINE, anyway)
    solution = Solution(asked, _solved(asked, threads, progress, anyway, None, cluster), "solved", ENGINE, anyway)
    if not fresh and not asked.quick:
        keep(solution)
    return solution


def solve_resumable(
    asked: Match[Any],
    output: str | os.PathLike[str],
    *,
    threads: int | None = None,
    progress: Callable[[float], None] = lambda done: None,
    anyway: bool = False,
    memory: float | None = None,
    cluster: str | None = None,
) -> Solution:
    """Solve a match anew and write its table; one that takes long goes on from the layers that a killed run left.

    With ``memory``, in bytes, no more is to be held at once, as nearly as that is known: tables of matches of several
    players then stand in a file beside the output while they are solved.

    Raises:
        InputError: it does not fit into that memory.
        TooMuchError: it takes more than an hour or 8 GiB, and nobody asked for that with ``anyway``.
        TableError: layers beside the output are of another question or another version.
    """
    if memory is not None and cluster is not None:
        raise InputError("how much memory may be held is said for one process, not for a cluster")
    in_files = memory is not None and held_to(_what(asked), asked.cost(threads or processors()), memory)
    if not asked.resumable:
        solution = solve_match(asked, threads=threads, progress=progress, fresh=True, anyway=anyway, cluster=cluster)
        solution.save(output)
        return solution
    checkpoint = Checkpoint(output, question(asked), in_files)
    solution = Solution(asked, _solved(asked, threads, progress, anyway, checkpoint, cluster), "solved", ENGINE, anyway)
    solution.save(output)
    keep(solution)  # positions early in such a match are answered from it
    checkpoint.clear()
    return solution


def _solved(
    asked: Match[Any],
    threads: int | None,
    progress: Callable[[float], None],
    anyway: bool,
    checkpoint: Checkpoint | None,
    cluster: str | None,
) -> Solved:
    """The values of a match, solved now: here, or on a cluster what is worth it."""
    threads = threads or processors()
    if cluster is not None:
        from .cluster import connected

        _check_spreads(asked)
        with connected(cluster, question(asked)) as workers:
            _judge(asked, workers.threads(), anyway)
            return asked.solve_long(threads, progress, checkpoint, workers)
    _judge(asked, threads, anyway, checkpoint is not None and checkpoint.in_files)
    return asked.solve_long(threads, progress, checkpoint)


def _check_spreads(asked: Match[Any]) -> None:
    """Refuse what no cluster can solve."""
    if not asked.spreads:
        raise InputError(
            "what a cluster solves are races of three and more players and cards for two, played to win, where no throw"
            " loses the whole score; this question is solved in one process"
        )


def _judge(asked: Match[Any], threads: int, anyway: bool, in_files: bool = False) -> None:
    cost = asked.cost(threads)
    cost = replace(cost, bytes=cost.bytes - cost.tables) if in_files else cost
    judge(_what(asked), cost, anyway, _sooner(asked))


def _sooner(asked: Match[Any]) -> str:
    """The next best judge, in the words of a note."""
    others = asked.objective not in ("points", "reach") and "points" in asked.game.objectives
    return "; for points it comes sooner: --objective points, at the table --judge points" if others else ""


def _what(asked: Match[Any]) -> str:
    return f"solving {asked.game.title} for {asked.objective}"


def keep(solution: Solution) -> None:
    """Keep a solution in the user's cache; a warning says why where that cannot be."""
    cached = _cache() / table_name(solution.match)
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        solution.save(cached)
    except (OSError, InputError) as error:
        told = f"{cached.parent}: {error.strerror}" if isinstance(error, OSError) else error
        log.warning("the solution is not kept: %s", told)


@checked
def load(path: str | os.PathLike[str]) -> Solution:
    """Read a value table; executes nothing of the file.

    Raises:
        TableError: no such file, damaged, foreign, or made for rules that this engine does not know.
    """
    with values.opened(path) as table:
        return _checked(table, _question_of(table), str(path))


def _question_of(table: values.Table) -> Match[Any]:
    """The match that a table's head says it answers."""
    head = table.head
    try:
        return ask_again(head)
    except (InputError, KeyError, TypeError, AttributeError) as error:
        raise TableError(f"{table.path} answers no question that this engine knows: {error}") from None


def table_name(of: Match[Any]) -> str:
    """File name of a question's table, shipped or cached."""
    return f"{of.game.id}-{of.objective}-{values.fingerprint(question(of))}.npz"


def shipped_objectives(of: Game) -> list[str]:
    """Objectives of a game (under its rules) whose tables ship with the package."""
    files = [path.name for path in _shipped().glob(f"{of.id}-*.npz")]
    return [objective for objective in of.objectives if any(f"{of.id}-{objective}-" in name for name in files)]


def _kept(path: Path, asked: Match[Any], source: str) -> Solution | None:
    """Return the solution that a kept table holds; None where there is none, or none that this engine solved."""
    if not os.path.exists(path):
        return None
    try:
        with values.opened(path) as table:
            solution = _checked(table, asked, source)
    except TableError as error:
        log.warning("%s; solving anew", error)
        return None
    return solution if solution.engine == ENGINE else None


def _checked(table: values.Table, asked: Match[Any], source: str) -> Solution:
    """The solution in a table, once everything that can be checked without solving is: values lie where they can."""
    path, head = table.path, table.head
    if head.get("fingerprint") != values.fingerprint(question(asked)):
        raise TableError(f"{path} was made for other rules: its fingerprint does not match")
    shapes = asked.shapes()
    if asked.on_demand:  # its table may hold a part: the rest is solved when asked about
        shapes = {name: shape for name, shape in shapes.items() if name in table.names}
    stamp = Stamp(path, table.file, cache_folder() / "checked") if table.large else None
    known = stamp is not None and stamp.known
    arrays = table.arrays(shapes, known)
    axes = asked.axes()
    if any(not np.array_equal(arrays[name], axis) for name, axis in axes.items()):
        raise TableError(f"{path} is damaged: its {', '.join(axes)} are not those of the question")
    bound = head.get("error_bound")
    if not isinstance(bound, float) or not 0 <= bound <= MOST_BOUND:
        raise TableError(f"{path} is damaged: its error bound is not one")
    if not known:
        _check_numbers(path, asked, arrays, bound)
    if wrong := no_title(str(head.get("engine"))):
        raise TableError(f"{path} is damaged: the name of the engine that solved it {wrong}")
    if stamp and not known:
        stamp.found_whole()
    return Solution(asked, Solved(arrays, bound), source, str(head.get("engine")))


def _check_numbers(path: Any, asked: Match[Any], arrays: Mapping[str, NDArray[Any]], bound: float) -> None:
    """Refuse numbers that cannot be, and seats that do not add up to what they share."""
    for name, (low, high) in asked.ranges().items():
        if name in arrays and not _within(arrays[name], low - bound, high + bound):
            raise TableError(f"{path} is damaged: a number of {name} is none that can be")
    total, off = 0.0 if asked.objective == "margin" else 1.0, asked.players * (bound + ROUNDING)
    for name, axis in asked.shared().items():
        if name in arrays and not _adds_up(np.moveaxis(arrays[name], axis, -1), total, off):
            raise TableError(f"{path} is damaged: what the seats get in {name} does not add up to {total:.0f}")


def _within(array: NDArray[Any], low: Any, high: Any) -> bool:
    """Whether all numbers lie between two bounds that fit the array."""
    bounds = [np.broadcast_to(bound, array.shape) for bound in (low, high)]
    return all(
        ((part >= least) & (part <= most) & np.isfinite(part)).all() for part, least, most in _parts(array, *bounds)
    )


def _adds_up(array: NDArray[Any], total: float, off: float) -> bool:
    """Whether every row adds up to the total, to within ``off``; rows of what cannot be hold 0."""
    return all(((abs(part.sum(axis=-1) - total) <= off) | ~part.any(axis=-1)).all() for (part,) in _parts(array))


def _parts(*arrays: NDArray[Any]) -> Iterator[tuple[NDArray[Any], ...]]:
    """Arrays of one shape part by part, as they may be larger than memory."""
    rows = len(arrays[0])
    step = max(1, PART * rows // max(1, arrays[0].size))
    for first in range(0, rows, step):
        yield tuple(array[first : first + step] for array in arrays)


def _shipped() -> Path:
    from . import tables

    return Path(tables.__path__[0])


def _cache() -> Path:
    return cache_folder() / "tables"


def cache_folder() -> Path:
    """The user's folder for what was found once and is kept."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("keepwise", appauthor=False))


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


__all__ = [
    "Across",
    "Match",
    "Solution",
    "ask",
    "cache_folder",
    "keep",
    "load",
    "question",
    "read_position",
    "solve",
    "solve_match",
    "solve_resumable",
]
