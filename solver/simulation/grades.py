"""Opponents that make mistakes of a stated size: the temperature of a softmax policy, calibrated by simulation.

A softmax player (``MistakePlayer``) makes choices with weights that fall with their losses. Its mean loss per decision
rises with the temperature. All temperatures use the same dice, so it rises smoothly, and the secant method finds the
temperature for a stated mean loss. The mean is over the decisions that such players meet against each other.

Temperatures of many games are shipped (``measured_grades``); others are stored in the user's cache folder.
Start reading in ``make_mistake_player``.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from time import perf_counter
from typing import Any

from ..answers.positions import value
from ..policies.policy import MistakePolicy
from ..policies.registry import MISTAKE_SHARES, PolicyContext, parse_policy
from ..solvers import Problem
from ..solvers.solve_costs import ANNOUNCED_SECONDS_OF_TIMED_ESTIMATES, SolveCost, announce_cost
from ..solving.solved_problem import SolvedProblem
from ..solving.table_store import cache_folder, table_file_name
from ..storage.files import write_atomically
from ..util import progress_reporting
from ..util.errors import InputError, SolveError
from ..util.number_format import OBJECTIVES_WITH_SCALED_MARKS, PROBABILITY_OBJECTIVES, mistake_thresholds
from ..util.progress_reporting import ProgressCallback
from ..version import ENGINE
from .games import LockstepGames
from .measured_grades import TEMPERATURES
from .seats import MistakePlayer

GAMES = 500  # simulated at each temperature
SEED = 1
LOSS_TOLERANCE = 0.01  # relative difference from the stated mean loss
MAX_TRIES = 60  # temperatures
USUAL_TRIES = 5  # for estimates of time and progress
MAX_SHARE_OF_BLIND_LOSS = 0.9  # of uniformly random play; beyond it temperatures are too large to find
NO_LOSS_TEMPERATURE = 2.0**-1000  # at which only the best choices have a weight


class MistakeTrials:
    """Measures the mean loss of players who make mistakes, with the same dice at every temperature."""

    def __init__(self, solved: SolvedProblem, games: int, seed: int) -> None:
        """Prepare one such player for each seat; nothing is played yet.

        Args:
            solved: the solved problem.
            games: number of games at each temperature.
            seed: seed of the games.
        """
        self.players = [MistakePlayer("graded", math.inf) for _ in range(solved.problem.players)]
        self.play, self.games = LockstepGames(solved, self.players, seed), games

    def loss(self, temperature: float, progress: ProgressCallback = lambda share: None) -> float:
        """Play the games, and return the mean loss of a decision if all players have one temperature.

        It is 0 if there are no decisions.

        Args:
            temperature: the loss that halves the weight of a choice; infinite for uniformly random choices.
            progress: called with the share of the games that have been played.
        """
        for player in self.players:
            player.temperature, player.decisions, player.expected_loss = temperature, 0, 0.0
        self.play.play(self.games, progress)
        decisions = sum(player.decisions for player in self.players)
        return sum(player.expected_loss for player in self.players) / max(1, decisions)


def make_mistake_player(
    solved: SolvedProblem,
    name: str,
    games: int = GAMES,
    progress: ProgressCallback = lambda share: None,
) -> MistakePlayer:
    """Return the player of a ``MistakePolicy``, by its name: a grade, ``loses:0.01`` or ``careless``.

    Args:
        solved: the solved problem.
        name: the name of the policy.
        games: number of games at each temperature that is tried.
        progress: called with the share done of the calibration.

    Raises:
        InputError: the game has no decisions, or even random play loses less than is stated.
    """
    problem = solved.problem
    policy = parse_policy(name, PolicyContext(problem.playable))
    assert isinstance(policy, MistakePolicy)
    if policy.share is None and policy.loss is None:
        return MistakePlayer(name, careless_temperature(solved))
    share, loss = policy.share, policy.loss or 0.0
    if loss >= 1 and problem.objective in PROBABILITY_OBJECTIVES:
        raise InputError(
            f"policy {name}: the mean loss of a decision is a probability, so it must be below 1, not {loss:g}; one"
            " percentage point is 0.01"
        )
    if share is None and not loss:
        return MistakePlayer(name, NO_LOSS_TEMPERATURE)
    if not problem.playable.has_decisions:
        raise _no_mistakes_error(problem, name)
    size = f"{'loses' if share is None else 'of blind'} {share or loss!r}"
    if games == GAMES and (shipped := shipped_temperature(problem, share)) is not None:
        return MistakePlayer(name, shipped)
    cache = _TemperatureCache(problem, f"{ENGINE}: {games} games, seed {SEED}, {size}")
    temperature = cache.temperature
    if temperature is None:
        temperature = calibrate(MistakeTrials(solved, games, SEED), name, share, loss, progress)
        cache.store(temperature)
    return MistakePlayer(name, temperature)


def shipped_temperature(problem: Problem[Any], share: float | None) -> float | None:
    """Return the temperature of a grade that is shipped for a problem; None if it has to be measured.

    Args:
        problem: the problem.
        share: the mean loss of the grade, as a share of that of uniformly random choices; None for other policies.
    """
    grade = next((grade for grade, size in MISTAKE_SHARES.items() if size == share), None)
    return TEMPERATURES.get(Path(table_file_name(problem)).stem, {}).get(grade or "")


def careless_temperature(solved: SolvedProblem) -> float:
    """Return the temperature of a careless player: the loss from which a choice is marked ``?!``."""
    problem, start_value = solved.problem, 1.0
    if problem.objective in OBJECTIVES_WITH_SCALED_MARKS:
        start_value = value(solved, problem.playable.start()).value
    return mistake_thresholds(problem.objective, start_value)[-1][0]


def check_careless(problem: Problem[Any]) -> None:
    """Raise InputError if the objective has no marks, by which the mistakes of a careless player are sized."""
    if not mistake_thresholds(problem.objective, 1.0):
        raise InputError(
            f"policy careless cannot be combined with the objective {problem.objective}; use weak or loses:LOSS"
        )


class _TemperatureCache:
    """The temperature of one player of a problem, in a file of the problem in the user's cache folder."""

    def __init__(self, problem: Problem[Any], key: str) -> None:
        """Read the temperatures of all players of the problem, if they are stored.

        Args:
            problem: the problem.
            key: names the player and how its temperature is measured.
        """
        self._path = cache_folder() / "grades" / f"{Path(table_file_name(problem)).stem}.json"
        self._key = key
        self._temperatures: dict[str, float] = {}
        try:
            data = json.loads(self._path.read_text())
            self._temperatures = {key: float(value) for key, value in data.items() if 0 < float(value) < math.inf}
        except (OSError, ValueError, TypeError, AttributeError):
            pass  # there is no file, or it is damaged: measure again

    @property
    def temperature(self) -> float | None:
        """The stored temperature of the player, or None."""
        return self._temperatures.get(self._key)

    def store(self, temperature: float) -> None:
        """Store the temperature of the player; warn if the file cannot be written."""
        self._temperatures[self._key] = temperature
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with write_atomically(self._path) as file:
                file.write(json.dumps(self._temperatures, indent=1).encode())
        except (OSError, InputError) as error:
            progress_reporting.warn(f"the size of mistakes cannot be cached: {error}")


def _no_mistakes_error(problem: Problem[Any], name: str) -> InputError:
    """Return the refusal of a player who makes mistakes, in a game in which no choice costs anything."""
    return InputError(
        f"policy {name} makes mistakes, but no choice costs anything in {problem.game.id} with the objective"
        f" {problem.objective}; use best"
    )


def calibrate(trials: MistakeTrials, name: str, share: float | None, loss: float, progress: ProgressCallback) -> float:
    """Return the temperature of a player.

    Args:
        trials: measures mean losses.
        name: the name of the policy, for messages.
        share: the stated mean loss, as a share of that of uniformly random choices; None if ``loss`` states it.
        loss: the stated mean loss.
        progress: called with the share done.
    """
    start_seconds = perf_counter()
    blind_loss = trials.loss(math.inf, lambda games_share: progress(games_share / (USUAL_TRIES + 1)))
    first_seconds = perf_counter() - start_seconds
    if not blind_loss:
        raise _no_mistakes_error(trials.play.problem, name)
    wanted_loss = loss if share is None else share * blind_loss
    max_loss = MAX_SHARE_OF_BLIND_LOSS * blind_loss
    if not 0 < wanted_loss <= max_loss:
        raise InputError(
            f"policy {name}: the mean loss of a decision must be above 0 and at most {max_loss:.3g} in this game, not"
            f" {wanted_loss:.3g} (random choices lose {blind_loss:.3g})"
        )
    # Nothing is announced before the policy is known to be possible: a refusal is a single line.
    task = f"measuring the mistakes of {name} in up to {MAX_TRIES} runs of {trials.games} games"
    cost = SolveCost(bytes=0.0, seconds=USUAL_TRIES * first_seconds)
    announce_cost(task, cost, min_seconds=ANNOUNCED_SECONDS_OF_TIMED_ESTIMATES)
    return _temperature(trials, name, wanted_loss, progress)


def _temperature(trials: MistakeTrials, name: str, wanted_loss: float, progress: ProgressCallback) -> float:
    """Return the temperature at which the mean loss of a decision is ``wanted_loss``, within the tolerance.

    The secant method solves log2 loss(2 ** x) = log2 wanted_loss for x = log2 temperature. A step out of the bracket is
    replaced by bisection. Temperatures are rounded to four digits, because logarithms differ between machines in the
    last bits.

    Args:
        trials: measures the mean loss at a temperature.
        name: the name of the policy, for messages.
        wanted_loss: the mean loss that the player is to have.
        progress: called with the fraction that is done, as far as it can be foreseen.

    Raises:
        SolveError: MAX_TRIES temperatures do not suffice.
    """
    # A bracket of the exponent x, so wide that it holds every temperature in question, and a first guess.
    low, high = math.log2(wanted_loss) - 60, math.log2(wanted_loss) + 40
    exponent = math.log2(wanted_loss) + 2
    previous: tuple[float, float] | None = None  # exponent and miss of the try before
    for tries in range(MAX_TRIES):
        temperature = float(f"{2.0**exponent:.4g}")
        loss = trials.loss(temperature)
        if abs(loss - wanted_loss) <= LOSS_TOLERANCE * wanted_loss:
            return temperature
        progress(min(0.95, (tries + 2) / (USUAL_TRIES + 1)))
        if loss < wanted_loss:
            low = exponent
        else:
            high = exponent
        miss = math.log2(loss / wanted_loss) if loss else -10.0  # any negative number, as no logarithm of 0 exists
        slope = 1.5  # a usual slope, for the first step
        if previous is not None and previous[1] != miss:
            slope = (miss - previous[1]) / (exponent - previous[0])
        previous = exponent, miss
        exponent = exponent - miss / slope if slope > 0 else (low + high) / 2
        if not low < exponent < high:
            exponent = (low + high) / 2
    raise SolveError(f"{name}: found no size of mistakes with a mean loss of {wanted_loss:.3g} in {MAX_TRIES} tries")
