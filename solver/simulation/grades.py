"""Opponents that make mistakes of a stated size.

A graded player makes each choice with a weight that falls with what it loses (``Graded``). The *temperature* that makes
a decision cost so much on average, over the decisions that such players meet when they play each other, is found by
playing: with the same dice for every temperature, the mean loss of a decision rises smoothly with it. What was found is
kept in the user's cache folder.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from ..answers.positions import value
from ..policies.policy import MistakePolicy
from ..policies.registry import PolicyContext, parse_policy
from ..solvers import Problem, ValueTable
from ..solvers.cost_estimates import ANNOUNCED_SECONDS_OF_TIMED_ESTIMATES, SolveCost, announce_cost
from ..solving.table_store import cache_folder, table_file_name
from ..storage.files import write_atomically
from ..util import progress_reporting
from ..util.errors import InputError, SolveError
from ..util.number_format import OBJECTIVES_WITH_SCALED_MARKS, mistake_thresholds
from ..version import ENGINE
from .games import Play
from .seats import Graded

GAMES = 500  # played at each temperature
NEAR = 0.01  # how near the mean loss must come, as a share of what is asked
MOST_TRIES = 60
USUAL_TRIES = 5
SEED = 1

Progress = Callable[[float], None]


class Trials:
    """Games at one temperature after the other, on tables that are kept."""

    def __init__(self, match: Problem[Any], solved: ValueTable, games: int, seed: int) -> None:
        self.players = [Graded("graded", math.inf) for _ in range(match.players)]
        self.play, self.games = Play(match, solved, self.players, seed), games

    def loss(self, temperature: float) -> float:
        """What a decision costs on average where everybody plays with this temperature; 0 where nothing is decided."""
        for player in self.players:
            player.temperature, player.decisions, player.lost = temperature, 0, 0.0
        self.play.play(self.games)
        decisions = sum(player.decisions for player in self.players)
        return sum(player.lost for player in self.players) / max(1, decisions)


def graded(
    match: Problem[Any],
    solved: ValueTable,
    name: str,
    games: int = GAMES,
    progress: Progress = lambda done: None,
) -> Graded:
    """Return the player of a ``MistakePolicy``, by its name: a grade, ``loses:0.01`` or ``careless``.

    Raises:
        InputError: no decisions, or a loss that not even choosing blindly comes to.
    """
    policy = parse_policy(name, PolicyContext(match.playable))
    assert isinstance(policy, MistakePolicy)
    if policy.share is None and policy.loss is None:
        return Graded(name, careless_temperature(match, solved))
    share, loss = policy.share, policy.loss or 0.0
    if share is None and not loss:
        return Graded(name, 2.0**-1000)
    kept = _Kept(
        match, f"{ENGINE}: {games} games, seed {SEED}, {'loses' if share is None else 'of blind'} {share or loss!r}"
    )
    temperature = kept.temperature
    if temperature is None:
        temperature = _found(Trials(match, solved, games, SEED), name, share, loss, progress)
        kept.keep(temperature)
    return Graded(name, temperature)


def careless_temperature(match: Problem[Any], solved: ValueTable) -> float:
    """Return the temperature of a careless player: the loss from which a choice is marked ``?!``."""
    start_value = 1.0
    if match.objective in OBJECTIVES_WITH_SCALED_MARKS:
        start_value = value(match, solved, match.playable.start()).value
    return mistake_thresholds(match.objective, start_value)[-1][0]


def check_careless(match: Problem[Any]) -> None:
    """Raise InputError if the objective has no marks, by which the mistakes of a careless player are sized."""
    if not mistake_thresholds(match.objective, 1.0):
        raise InputError(
            f"careless: mistakes have no marks for the objective {match.objective}; use weak or loses:LOSS"
        )


class _Kept:
    """The temperature of one player at one question, as the user's cache folder holds it."""

    def __init__(self, match: Problem[Any], asked: str) -> None:
        self._path, self._asked = cache_folder() / "grades" / f"{Path(table_file_name(match)).stem}.json", asked
        self._all: dict[str, float] = {}
        try:
            read = json.loads(self._path.read_text())
            self._all = {key: float(found) for key, found in read.items() if 0 < float(found) < math.inf}
        except (OSError, ValueError, TypeError, AttributeError):  # nothing is kept, or nothing that serves
            pass

    @property
    def temperature(self) -> float | None:
        """None where it is not known."""
        return self._all.get(self._asked)

    def keep(self, temperature: float) -> None:
        """Keep what was found; a warning says why where that cannot be."""
        self._all[self._asked] = temperature
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with write_atomically(self._path) as file:
                file.write(json.dumps(self._all, indent=1).encode())
        except (OSError, InputError) as error:
            progress_reporting.warn(f"the size of mistakes is not kept: {error}")


def _found(trials: Trials, name: str, share: float | None, loss: float, progress: Progress) -> float:
    """The temperature at which a decision loses this share of what choosing blindly costs, or so much."""
    begun = perf_counter()
    most = trials.loss(math.inf)
    what = f"measuring the mistakes of {name}, by up to {MOST_TRIES} times {trials.games} games,"
    announce_cost(
        what, SolveCost(0.0, USUAL_TRIES * (perf_counter() - begun)), min_seconds=ANNOUNCED_SECONDS_OF_TIMED_ESTIMATES
    )
    progress(1 / (USUAL_TRIES + 1))
    if not most:
        match = trials.play.match
        raise InputError(f"nobody makes mistakes in {match.game.id} with the objective {match.objective}")
    wanted = loss if share is None else share * most
    if not 0 < wanted <= 0.9 * most:
        least = f"a decision loses at most {0.9 * most:.3g} here, since choosing blindly loses {most:.3g}"
        raise InputError(f"{name}: {least}")
    return _temperature(trials, name, wanted, progress)


def _temperature(trials: Trials, name: str, wanted: float, progress: Progress) -> float:
    """The temperature at which decisions lose so much: secants through logarithms, halving where those leave the
    bracket. What is tried has four digits, so that no machine's logarithms tell.
    """
    low, high = math.log2(wanted) - 60, math.log2(wanted) + 40
    here, before = math.log2(wanted) + 2, None
    for tried in range(MOST_TRIES):
        temperature = float(f"{2.0**here:.4g}")
        found = trials.loss(temperature)
        if abs(found - wanted) <= NEAR * wanted:
            return temperature
        progress(min(0.95, (tried + 2) / (USUAL_TRIES + 1)))
        if found < wanted:
            low = here
        else:
            high = here
        miss = math.log2(found / wanted) if found else -10.0
        slope = 1.5 if before is None or before[1] == miss else (miss - before[1]) / (here - before[0])
        before, here = (here, miss), here - miss / slope if slope > 0 else (low + high) / 2
        if not low < here < high:
            here = (low + high) / 2
    raise SolveError(f"{name}: no temperature was found at which a decision loses {wanted:.3g}")
