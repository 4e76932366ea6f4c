"""Solutions: a question and its values, from a shipped table, the user's cache, or solved now."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import values
from .advice import Advice, PositionValue
from .checkpoints import Checkpoint
from .distribution import Distribution
from .errors import InputError, TableError
from .games import FILES, Game, game
from .matches import Distributed, Match, OnDemand, Quick, Resumable, Solved, match
from .version import ENGINE

if TYPE_CHECKING:
    from .matches.evaluation import Evaluation
    from .rows import Policy

log = logging.getLogger("keepwise")


@dataclass(frozen=True)
class Solution:
    """A solved question. Positions are given by name; which names a game knows stands in its documentation.

    ``source`` says where the values come from: "shipped", "cache", "solved" or the path of a file.
    """

    match: Match = field(repr=False)
    solved: Solved = field(repr=False)
    source: str
    engine: str

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

    def read(self, **position: Any) -> Any:
        """Check a position; None stands for not given.

        Raises:
            InputError: the position cannot occur; the message says why.
        """
        return read_position(self.match, **position)

    def show(self, **position: Any) -> dict[str, Any]:
        """Return the checked position in full, as JSON carries it."""
        return self.match.show(self.read(**position))

    def value(self, **position: Any) -> float:
        """Value of a position for the player to move (default: the start of the game)."""
        return self.position_value(**position).value

    def position_value(self, **position: Any) -> PositionValue:
        """Value of a position with the chance of every seat, where there are several."""
        read = self.read(**position)
        return self.match.value(self.solved_for(read), read)

    def advise(self, **position: Any) -> Advice:
        """Rank every legal choice of a position."""
        read = self.read(**position)
        return self.match.advise(self.solved_for(read), read)

    def distribution(self, **position: Any) -> Distribution:
        """The whole distribution of what a position's best play still brings.

        Raises:
            InputError: the game has no distribution for this objective.
        """
        if not isinstance(self.match, Distributed):
            raise InputError(f"{self.game.id} has no distribution for the objective {self.match.objective}")
        read = self.read(**position)
        return self.match.distribution(self.solved_for(read), read)

    def evaluate(
        self, policy: str, *, score: object = None, progress: Callable[[float], None] = lambda done: None
    ) -> Evaluation:
        """Return what a policy is worth, exactly, and what it loses against the best.

        Policies: ``hold:300`` and ``hold:5=600,4=400`` (by dice left) for push-your-luck games; ``source`` and
        ``above-seven`` for Battleship.

        Raises:
            InputError: a policy that the game does not have, or an objective that it is not evaluated for.
        """
        from .matches.evaluation import evaluate

        return evaluate(self.match, self.solved, policy, score, progress)

    def policy(self, detail: str | None = None, **given: Any) -> Policy:
        """Return the solution as rows: positions, their best choices, and what the runner-up costs; see ``Policy``."""
        from .rows import Policy

        return Policy(self, detail, **given)

    def solved_for(
        self, position: Any, threads: int | None = None, progress: Callable[[float], None] = lambda done: None
    ) -> Solved:
        """Return the values that answers about a checked position are read from.

        They are this solution's own, or, for a match too large to be solved whole unasked, those of the positions that
        can follow.
        """
        if self.solved.arrays or not isinstance(self.match, OnDemand):
            return self.solved
        return self.match.solve_from(position, threads or _processors(), progress)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the value table, whole or not at all; ``load`` reads it back.

        Raises:
            InputError: the place cannot be written.
        """
        values.save(path, self.head, self.solved.arrays)


def question(of: Match) -> dict[str, Any]:
    """Everything that the values depend on."""
    return {
        "game": of.game.id,
        "objective": of.objective,
        "players": of.players,
        "parameters": dict(of.parameters),
        "rules": dict(of.game.rules),
    }


def read_position(of: Match, **position: Any) -> Any:
    """Check a position before anything is solved; see ``Solution.read``."""
    given = {key: value for key, value in position.items() if value is not None}
    known = of.read.__kwdefaults__ or {}
    for key in given:
        if key not in known:
            what = f"{of.game.id} with the objective {of.objective}"
            raise InputError(f"a position of {what} has no {key}; it has {', '.join(known)}")
    return of.read(**given)


def solve(
    what: Game | str,
    objective: str | None = None,
    players: int | None = None,
    *,
    threads: int | None = None,
    progress: Callable[[float], None] = lambda done: None,
    fresh: bool = False,
    **parameters: int | None,
) -> Solution:
    """Return the solution of a game: shipped with the package, kept in the user's cache, or solved now.

    Args:
        what: a game, or the id of one under its default rules.
        objective: one of the game's; its first if None.
        players: number of players where the objective has opponents.
        threads: threads for a solve; all processors if None. The result does not depend on it.
        progress: called with the share done during a solve.
        fresh: solve now, whatever is shipped or cached, and keep nothing.
        parameters: ``goal`` and ``turns`` for ``reach``.

    Raises:
        InputError: a question that the game does not have.
        SolveError: the solve did not reach its bound.
    """
    asked = match(game(what) if isinstance(what, str) else what, objective, players, **parameters)
    return solve_match(asked, threads=threads, progress=progress, fresh=fresh)


def solve_match(
    asked: Match,
    *,
    threads: int | None = None,
    progress: Callable[[float], None] = lambda done: None,
    fresh: bool = False,
) -> Solution:
    """Return the solution of a match; see ``solve``."""
    if threads is not None and (not isinstance(threads, int) or threads < 1):
        raise InputError(f"threads must be a whole number from 1 on, not {threads}")
    name = table_name(asked)
    if not fresh:
        if solution := _kept(_shipped() / name, asked, "shipped"):
            return solution
        cached = _cache() / name
        if solution := _kept(cached, asked, "cache"):
            return solution
        if isinstance(asked, OnDemand):
            return Solution(asked, asked.without_table(), "solved", ENGINE)
    solution = Solution(asked, asked.solve(threads or _processors(), progress), "solved", ENGINE)
    if not fresh and not isinstance(asked, Quick):
        keep(solution)
    return solution


def solve_resumable(
    asked: Match,
    output: str | os.PathLike[str],
    *,
    threads: int | None = None,
    progress: Callable[[float], None] = lambda done: None,
) -> Solution:
    """Solve a match anew and write its table; one that takes long goes on from the layers that a killed run left.

    Raises:
        TableError: layers beside the output are of another question or another version.
    """
    if not isinstance(asked, Resumable):
        solution = solve_match(asked, threads=threads, progress=progress, fresh=True)
        solution.save(output)
        return solution
    checkpoint = Checkpoint(output, question(asked))
    solution = Solution(asked, asked.solve(threads or _processors(), progress, checkpoint), "solved", ENGINE)
    solution.save(output)
    keep(solution)  # positions early in such a match are answered from it
    checkpoint.clear()
    return solution


def keep(solution: Solution) -> None:
    """Keep a solution in the user's cache; a warning says why where that cannot be."""
    cached = _cache() / table_name(solution.match)
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        solution.save(cached)
    except (OSError, InputError) as error:
        log.warning("the solution is not kept: %s", error)


def load(path: str | os.PathLike[str]) -> Solution:
    """Read a value table; executes nothing of the file.

    Raises:
        TableError: no such file, damaged, foreign, or made for rules that this engine does not know.
    """
    head, arrays = values.load(path)
    try:
        asked = match(_game_of(head), head["objective"], head["players"], **head["parameters"])
        return _checked(path, head, arrays, asked, str(path))
    except (InputError, KeyError, TypeError) as error:
        raise TableError(f"{path} answers no question that this engine knows: {error}") from None


def table_name(of: Match) -> str:
    """File name of a question's table, shipped or cached."""
    return f"{of.game.id}-{of.objective}-{values.fingerprint(question(of))}.npz"


def shipped_objectives(of: Game) -> list[str]:
    """Objectives of a game (under its rules) whose tables ship with the package."""
    files = [path.name for path in _shipped().glob(f"{of.id}-*.npz")]
    return [objective for objective in of.objectives if any(f"{of.id}-{objective}-" in name for name in files)]


def _game_of(head: dict[str, Any]) -> Game:
    """Return the game that a table's head names: a known one, or the house rules that the head holds in full."""
    if head["game"] in FILES:
        return game(head["game"], **head["rules"])
    if "category" in head["rules"]:
        from .games.cardfile import card_game

        return card_game(head["rules"])
    from .games.house import house_game

    return house_game(head["rules"])


def _kept(path: Path, asked: Match, source: str) -> Solution | None:
    """Return the solution that a kept table holds; None where there is none, or none that this engine solved."""
    if not os.path.exists(path):
        return None
    try:
        head, arrays = values.load(path)
        solution = _checked(path, head, arrays, asked, source)
    except TableError as error:
        log.warning("%s; solving anew", error)
        return None
    return solution if solution.engine == ENGINE else None


def _checked(
    path: str | os.PathLike[str], head: dict[str, Any], arrays: dict[str, Any], asked: Match, source: str
) -> Solution:
    if head.get("fingerprint") != values.fingerprint(question(asked)):
        raise TableError(f"{path} was made for other rules: its fingerprint does not match")
    shapes = {name: array.shape for name, array in arrays.items()}
    if shapes != asked.shapes() or not all(array.dtype in (np.float64, np.int64) for array in arrays.values()):
        raise TableError(f"{path} is damaged: its arrays do not fit the question")
    axes = asked.axes()
    if any(not np.array_equal(arrays[name], axis) for name, axis in axes.items()):
        raise TableError(f"{path} is damaged: its {', '.join(axes)} are not those of the question")
    bound = head.get("error_bound")
    if (
        not isinstance(bound, float)
        or not 0 <= bound < np.inf
        or not all(np.isfinite(array).all() for array in arrays.values())
    ):
        raise TableError(f"{path} is damaged: a number in it is not finite")
    return Solution(asked, Solved(arrays, bound), source, str(head.get("engine")))


def _shipped() -> Path:
    from . import tables

    return Path(tables.__path__[0])


def _cache() -> Path:
    import platformdirs

    return Path(platformdirs.user_cache_dir("keepwise", appauthor=False)) / "tables"


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
