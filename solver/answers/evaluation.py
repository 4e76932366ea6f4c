"""What a given policy is worth: exactly, and against the best.

At every decision of a turn the policy does what it does, through the same kernel that solves the turn (``follow``).
In a match the policy meets the optimal player of the solved table, who does not know that it is played: the optimal
player's turns maximise the table's chances, and the chance against the policy is carried along in a second channel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any

import numpy as np

from ..core.push import LANES
from ..games.rounds import Move, RoundTurn, Situation
from ..ground.errors import InputError
from ..matches import Match, Solved
from ..matches.push.match import PushMatch
from ..matches.push.matches import Tabled
from ..matches.push.points import Points
from ..matches.push.seats import Seats
from ..matches.rounds.solo import Points as RoundPoints
from ..matches.rounds.tournament import Win
from ..matches.rounds.turn import situation, solve_lanes
from ..matches.rounds.turn import turn_rounding as round_rounding
from ..play import rounds
from ..play.table import Table
from .given import BEST, against, check_bands, check_followed, check_race
from .levels import FILES
from .limits import followed
from .policies import Banded, Choose, Hold, read_policy
from .positions import value as value_of

Progress = Callable[[float], None]

# family -> the file of its levels: check(match) refuses what is not evaluated, judged(match, solved, policy) evaluates
JUDGES = {one: file for one, file in FILES.items() if one != "push"}


@dataclass(frozen=True)
class Evaluation:
    """A policy's value, the optimum for the same question, what the policy loses, and the bound of the error of each.

    No policy beats the best, so a loss that rounding made negative is none.

    ``second``: for ``win``, the policy's chance when it moves second, and the optimum's; ``later``: the same for who
    moves third and later.
    """

    value: float
    optimal: float
    loss: float
    error_bound: float
    second: tuple[float, float] | None = None
    later: tuple[tuple[float, float], ...] = ()


def check_evaluation(match: Match[Any], policy: str, score: object = None) -> None:
    """Raise InputError for what is not evaluated (policy, objective or rule), before anything is solved."""
    if match.game.family == "push":
        check_hold(match, score)
    elif score is not None:
        raise InputError("only policies of push-your-luck games are evaluated from a score: leave it out")
    elif match.game.family not in JUDGES:
        raise InputError(f"no policies are evaluated for {match.game.id}")
    else:
        _judge(match).check(match)
    read_policy(match.table, policy)


def evaluate(match: Match[Any], solved: Solved, policy: str, score: object, progress: Progress) -> Evaluation:
    """Evaluate a policy given by name; see ``Solution.evaluate``."""
    check_evaluation(match, policy, score)
    found = read_policy(match.table, policy)
    if match.game.family == "push":
        return evaluate_hold(match, solved, found, score, progress)
    return judged(match, solved, found)


def judged(match: Match[Any], solved: Solved, policy: Any) -> Evaluation:
    """Evaluate a policy of a game that is not push-your-luck."""
    found: Evaluation = _judge(match).judged(match, solved, policy)
    return found


def _judge(match: Match[Any]) -> ModuleType:
    return import_module(f".levels.{JUDGES[match.game.family]}", __package__)


# --- push your luck


def check_hold(match: Match[Any], score: object = None) -> None:
    """Refuse what limits are not evaluated for."""
    if isinstance(match, PushMatch):
        check_followed(match)
    if not isinstance(match, (Points, Tabled, Seats)) or match.objective == "rate":
        raise InputError(
            f"policies are not evaluated for the objective {match.objective}: ask for points, turns, reach or win"
        )
    if isinstance(match, Points):
        return
    if isinstance(match, Seats):
        check_race(match)
    if score is not None:
        raise InputError(f"{match.objective} is evaluated from the start: leave the score out")


def evaluate_hold(
    match: Match[Any],
    solved: Solved,
    policy: Hold | Banded,
    score: object = None,
    progress: Progress = lambda done: None,
) -> Evaluation:
    """Evaluate limits in a push-your-luck game: ``points`` of a turn from ``score``, ``turns``, ``reach``, ``win``."""
    check_hold(match, score)
    assert isinstance(match, (Points, Tabled, Seats))
    check_bands(match, policy)
    if isinstance(match, Points):
        assert isinstance(policy, Hold)
        return _points(match, solved, policy, score)
    return _match(match, solved, policy, progress)


def _points(match: Points, solved: Solved, policy: Hold, score: object) -> Evaluation:
    rules, position = match.rules, match.table.read(score=score)
    lane = match.lanes(solved, [position], max(policy.by_dice.values()) // rules.grain)
    nodes = followed(rules, lane, policy)
    value = float(rules.turn.solve(*lane.copies(), follow=np.repeat(nodes, LANES, axis=2)).value[0, 0])
    best = value_of(match, solved, position).value
    return Evaluation(value, best, max(0.0, best - value), match.bound(solved, lane) + solved.error_bound)


def _match(match: Tabled | Seats, solved: Solved, policy: Hold | Banded, progress: Progress) -> Evaluation:
    """Turns, the chance to reach a goal, and the chance of a race from every seat, against the best."""
    found = against(match, solved, policy, [BEST] * (match.players - 1), progress)
    best = value_of(match, solved, match.table.start())
    optima = best.seats or (best.value,)
    sign = 1 if match.objective != "turns" else -1
    first, *rest = zip((sign * value for value in found.values), optima, strict=True)
    second, later = (rest[0], tuple(rest[1:])) if rest else (None, ())
    error = found.error_bound + solved.error_bound
    return Evaluation(*first, max(0.0, sign * (first[1] - first[0])), error, second, later)


# --- games by the round


def compiled(table: Table[rounds.RoundsPosition], choose: Choose) -> RoundTurn:
    """The turn of somebody who chooses so in a round alone (the table's): every cast leaves one move."""
    at = {situation(table.start()): table.start()}

    def throw(here: Situation) -> Iterator[tuple[int, tuple[Move, ...]]]:
        for weight, fallen in table.throws(at[here]):
            choice = choose(fallen)
            if choice.then != "roll":
                yield weight, (choice.points,)
            else:
                at[situation(choice.after)] = choice.after
                yield weight, (situation(choice.after),)

    return RoundTurn(situation(table.start()), throw, decides=False)


def check_rounds(match: Match[Any]) -> None:
    """Refuse what policies are not evaluated for."""
    two = type(match) is Win and match.players == 2 and not match.first_to
    if not two and not isinstance(match, RoundPoints):
        raise InputError("policies of this game are evaluated for points, and for two players who win by rounds")


def evaluate_rounds(
    match: Match[Any], solved: Solved, policy: RoundTurn, missing: Mapping[int, RoundTurn] = MappingProxyType({})
) -> Evaluation:
    """Evaluate a compiled policy for a round's ``points`` or the ``win`` of two players; ``missing``: what is played by
    who casts last in the last round instead, by what is missing.
    """
    check_rounds(match)
    if isinstance(match, RoundPoints):
        worth = np.arange(match.rules.most + 1, dtype=float)
        value = float(solve_lanes(policy, worth[None, : policy.most + 1, None])[0, 0])
        best = float(solved.arrays["points"][0])
        return Evaluation(value, best, max(0.0, best - value), 2 * solved.error_bound)
    assert isinstance(match, Win)
    best = float(solved.arrays["round0seat0"][0, 0])
    first, second = (match.against_best(solved, policy, seat, missing) for seat in (0, 1))
    bound = solved.error_bound + 4 * (match.rounds + 1) * round_rounding(policy)
    return Evaluation(first, best, max(0.0, best - first), bound, (second, 1 - best))
